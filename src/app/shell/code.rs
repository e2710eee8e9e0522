//! The pieces of the shell that are fetched when they are first needed.

use super::dialogs::{DialogNeeds, OpenDialog};
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::lazy_module;
use crate::state::CoresForm;
use web_sys::Element;
use yew::prelude::*;

/// Functions of the shell whose code is fetched when it is first needed.
#[derive(Clone, Copy)]
pub struct ShellCode {
    /// Draws any view.
    pub view: fn(&PageState, &Session) -> Html,
    pub system: fn(&CoresForm, &str) -> Html,
    /// Whether the accelerator of a hardware document is one of the cores of that system.
    pub takes_beside: fn(&CoresForm, &str) -> bool,
    pub dialog: fn(OpenDialog, &DialogNeeds) -> Html,
    pub lesson: fn(&PageState) -> Html,
    /// Shows the entry of the gallery that the state came from.
    pub origin: fn(&'static str) -> Html,
    /// Shows an embedded view in an element.
    pub embed: fn(Element),
}
lazy_module!(ShellCode);
