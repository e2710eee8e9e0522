//! The pieces of the shell that are fetched when they are first needed.

use super::dialogs::{DialogNeeds, Shown};
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::piece;
use crate::state::CoresForm;
use web_sys::Element;
use yew::prelude::*;

/// Functions of the shell whose code is fetched when it is first needed.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Draws any view.
    pub view: fn(&PageState, &Session) -> Html,
    /// Draws the card of the system of cores.
    pub system: fn(&CoresForm, &str) -> Html,
    /// Whether that system has the accelerator of a hardware document for one of its cores.
    pub takes_beside: fn(&CoresForm, &str) -> bool,
    pub dialog: fn(Shown, &DialogNeeds) -> Html,
    /// Draws a step of a lesson.
    pub lesson: fn(&PageState) -> Html,
    /// Says which entry of the gallery is shown.
    pub origin: fn(&'static str) -> Html,
    /// Shows an embedded view in an element.
    pub embed: fn(Element),
}
piece!(Parts);
