//! Reading and writing of links and drafts, as a piece of its own: it is fetched at the start if there is any to read,
//! else with the first action of a person.

use crate::app::platform::missing::ask;
use crate::link::{from_link, to_draft, to_link};
use crate::pieces::{NotFetched, piece_fn};
use crate::spec::Diagnostics;
use crate::state::State;
use std::cell::Cell;
use wasm_bindgen_futures::spawn_local;

/// The functions that read and write links and drafts.
#[derive(Clone, Copy)]
pub struct LinkCodec {
    /// The state of a link or a draft.
    pub read: fn(&str) -> Result<State, Diagnostics>,
    /// The effective state, as a link.
    pub link: fn(&State) -> String,
    /// All input of a person, as a draft.
    pub draft: fn(&State) -> String,
}

piece_fn! {
    links,
    fn links() -> LinkCodec {
        LinkCodec { read: from_link, link: to_link, draft: to_draft }
    }
}

thread_local! {
    static LINKS: Cell<Option<LinkCodec>> = const { Cell::new(None) };
}

/// Fetches the codec of links.
///
/// # Errors
/// If it cannot be fetched.
pub async fn fetch_links() -> Result<LinkCodec, NotFetched> {
    let fetched = links().await?;
    LINKS.set(Some(fetched));
    Ok(fetched)
}

/// The codec of links, if it was fetched.
pub fn links_here() -> Option<LinkCodec> {
    LINKS.get()
}

/// Runs an action of a person with the codec of links: at once, if it is here.
pub fn with_links(act: impl FnOnce(LinkCodec) + 'static) {
    if let Some(links) = LINKS.get() {
        return act(links);
    }
    spawn_local(async move {
        match fetch_links().await {
            Ok(links) => act(links),
            Err(_) => ask("links", Box::new(move || with_links(act))),
        }
    });
}
