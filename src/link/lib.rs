//! A state as a text for the address of the page, and back.
//!
//! A link is a version character and base64url of a deflated sequence of fields. Only fields that differ from a
//! [`baseline`] are written, which never changes; a document written by hand is encoded as its difference from a preset
//! ([`patch`]), so that an edited number takes a few letters, and presets are named by a hash of their text
//! ([`frozen`]), so that the meaning of a link never changes. Numbers of fields ([`fields`]) and of choices
//! ([`Choice`](fusescape_state::Choice)) never change their meaning; `tests/links/` has links that must open for ever.
//! Links are untrusted input: sizes are limited before anything is allocated, and there is no recursion.

mod baseline;
mod decode;
mod encode;
mod fields;
mod frozen;
mod kinds;
mod packing;
mod patch;

pub use frozen::{FrozenText, fingerprint, frozen_texts};

use fusescape_spec::Diagnostics;
use fusescape_state::State;

/// Longest link that is offered, characters; a longer one is better sent as a file.
pub const LONGEST_LINK: usize = 8000;
/// Limit on the length of a link, characters.
const LONGEST_TEXT: usize = 8 << 20;

/// The effective state as a text: letters, digits, `-` and `_`.
///
/// Documents that are not in force are left out; [`to_draft`] keeps them.
pub fn to_link(state: &State) -> String {
    packing::pack(&encode::fields(state, false))
}

/// All input of a person, as a text of the same kind.
pub fn to_draft(state: &State) -> String {
    packing::pack(&encode::fields(state, true))
}

/// The state of a link, a draft, or an address that ends in one.
///
/// # Errors
/// The reason why it cannot be opened, and a remedy.
pub fn from_link(text: &str) -> Result<State, Diagnostics> {
    let text = text.trim();
    let text = text.rsplit_once('#').map_or(text, |(_, fragment)| fragment);
    if text.len() > LONGEST_TEXT {
        return Err(wrong(
            format!("The link has {} characters, more than {LONGEST_TEXT}", text.len()),
            "Open a file that was saved with “Save as file”",
        ));
    }
    Ok(decode::state(&packing::unpack(text)?)?.cleaned())
}

/// An error of a link.
fn wrong(reason: impl Into<String>, remedy: impl Into<String>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("link", reason, remedy);
    diagnostics
}
