//! A state as a text for the address of the page, and back.
//!
//! A link is a version character and base64url of a deflated sequence of fields. A field is written only where the state differs from
//! a [`baseline`] that never changes; a document of one's own is written as its difference to a preset ([`patch`]), so that an edited
//! number costs a few letters, and presets are named by a hash of their text ([`frozen`]), so that a link says the same for ever.
//! Numbers of fields ([`fields`]) and of choices ([`Choice`](fusescape_state::Choice)) never change their meaning; `tests/links/` holds
//! links
//! that open for ever. Whatever is read is untrusted: sizes are bounded before anything is built, and there is no recursion.

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

/// A longer link is better sent as a file, characters.
pub const LONGEST_LINK: usize = 8000;
/// No text that is longer is looked at, characters.
const LONGEST_TEXT: usize = 8 << 20;

/// What is in force, as a text: letters, digits, `-` and `_`.
///
/// Documents at hand that are not in force are no part of it; [`to_draft`] keeps them.
pub fn to_link(state: &State) -> String {
    packing::pack(&encode::fields(state, false))
}

/// Everything that a person entered, as a text of the same kind.
pub fn to_draft(state: &State) -> String {
    packing::pack(&encode::fields(state, true))
}

/// The state that a link, a draft, or an address that ends in one stands for.
///
/// # Errors
/// Why it cannot be opened, and what to do.
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

/// What is wrong with a link.
fn wrong(reason: impl Into<String>, remedy: impl Into<String>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("link", reason, remedy);
    diagnostics
}
