//! What every view is made of: fields, figures, tables, dialogs, numbers that unfold.

pub mod controls;
pub mod data_table;
pub mod diagnostics;
pub mod dialog;
pub mod explain;
pub mod figure;
pub mod form;
pub mod grid;
pub mod heatmap_figure;
pub mod heatmap_table;
pub mod pan_zoom;
pub mod save;
pub mod theme;
pub mod zoom;

use crate::piece;
use explain::Asked;
use save::{DesignNames, Saved};
use web_sys::Element;
use yew::prelude::*;

/// What widgets fetch when it is first needed.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Draws the explanation of a number beside an element; the callback hears that it was closed.
    pub explanation: fn(Asked, Option<Element>, Callback<()>) -> Html,
    /// Hands a figure or a table to the person as a file of a kind.
    pub save: fn(&Saved, &'static str, &DesignNames),
}
piece!(Parts);
