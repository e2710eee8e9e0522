//! What reads and writes links and drafts, in a file of its own: it is fetched as one where there is any to be read, else when a
//! person first does something.

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
    /// The state that a link or a draft stands for.
    pub read: fn(&str) -> Result<State, Diagnostics>,
    /// What is in force, as a link.
    pub link: fn(&State) -> String,
    /// Everything that a person entered.
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

/// Fetches what reads and writes links.
///
/// # Errors
/// If it cannot be had.
pub async fn fetch_links() -> Result<LinkCodec, NotFetched> {
    let fetched = links().await?;
    LINKS.set(Some(fetched));
    Ok(fetched)
}

/// What reads and writes links, if it was fetched.
pub fn links_here() -> Option<LinkCodec> {
    LINKS.get()
}

/// Does something with what reads links, as a person asked for: at once if it is here.
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
