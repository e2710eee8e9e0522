//! The dialogs of the header.

use super::embed_dialog::EmbedDialog;
use super::files::Files;
use super::help::Help;
use super::presenter::Presenter;
use super::share::Share;
use super::shortcuts::SingleKeys;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use std::rc::Rc;
use web_sys::File;
use yew::prelude::*;

/// A dialog of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenDialog {
    /// Opening and saving.
    Files,
    /// Sharing the link.
    Share,
    /// Embedding in another page.
    Embed,
    /// Presenting the results alone, in large letters.
    Present,
    /// Help and keys.
    Help,
}

/// State and callbacks of dialogs.
pub struct DialogNeeds<'a> {
    pub state: &'a PageState,
    pub session: &'a Session,
    /// Called with the files to open.
    pub start: &'a Callback<Vec<File>>,
    /// Whether keys without Ctrl are on.
    pub single_keys: &'a SingleKeys,
    pub on_close: &'a Callback<()>,
}

/// A dialog of the header. Only `shell::pieces` may name it.
pub fn dialog(shown: OpenDialog, needs: &DialogNeeds) -> Html {
    let DialogNeeds { state, session, start, single_keys, on_close } = *needs;
    let (chosen, on_close) = (Rc::clone(&state.chosen), on_close.clone());
    match shown {
        OpenDialog::Files => html! {
            <Files
                state={Rc::new(state.clone())}
                opened={session.opened}
                start={start.clone()}
                {on_close}
            />
        },
        OpenDialog::Share => html! { <Share {chosen} {on_close} /> },
        OpenDialog::Embed => html! { <EmbedDialog {chosen} {on_close} /> },
        OpenDialog::Present => html! { <Presenter {on_close} /> },
        OpenDialog::Help => html! { <Help single_keys={Rc::clone(single_keys)} {on_close} /> },
    }
}
