//! Code that is fetched when it is first needed: every view but the first, the dialogs, and the embedded view.
//!
//! `tools/build-page` cuts the page's module in pieces at the functions marked `wasm_split`. What only such a function reaches is
//! in a file of its own, which its first call fetches; so nothing else may name what they return.

use super::engine::Engine;
use super::explain::Asked;
use super::header::Shown;
use super::page::DialogNeeds;
use super::state::{Event, PageState};
use crate::state::Action;
use wasm_bindgen_futures::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::Element;
use yew::prelude::*;

/// What is fetched as one.
#[derive(Clone, Copy)]
pub struct Others {
    /// Draws any view but the landscape.
    pub view: fn(&PageState, &Engine, &Callback<Action>) -> Html,
    /// Draws a dialog.
    pub dialog: fn(Shown, &DialogNeeds) -> Html,
    /// Draws a step of a lesson.
    pub lesson: fn(&'static str, &PageState, &Engine, &Callback<Event>) -> Html,
    /// Draws the explanation of a number beside an element; the callback hears that it was closed.
    pub explanation: fn(Asked, Option<Element>, Callback<()>) -> Html,
    /// Shows an embedded view in an element.
    pub embed: fn(Element),
}

/// Fetches it.
#[wasm_split(others, fallible)]
pub fn others() -> Result<Others, SplitLoaderError> {
    Ok(Others {
        view: super::views::other_view,
        dialog: super::page::dialog,
        lesson: super::views::lesson_panel,
        explanation: super::explain::explanation,
        embed: super::render::<super::embed::Embed>,
    })
}

/// How far it is on its way.
#[derive(Clone, Copy)]
pub enum Piece {
    /// Nobody needed it yet, or it is on its way.
    Awaited,
    /// It is here.
    Here(Others),
    /// It could not be fetched.
    Missing,
}

/// Fetches it whenever it `is_needed` from now on and not here.
#[hook]
pub fn use_others(is_needed: bool) -> Piece {
    let piece = use_state(|| Piece::Awaited);
    let setter = piece.setter();
    use_effect_with(is_needed, move |&is_needed| {
        if is_needed {
            spawn_local(async move { setter.set(others().await.map_or(Piece::Missing, Piece::Here)) });
        }
    });
    *piece
}
