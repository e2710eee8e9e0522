//! The cards of the design: hardware, network and schedule, as forms and as text.

pub mod array_panel;
pub mod cards;
pub mod document_editor;
pub mod hardware_card;
pub mod import;
pub mod layer_panel;
pub mod layer_rows;
pub mod memory_panel;
pub mod network_card;
pub mod network_graph;
pub mod port_table;
pub mod schedule_card;

use crate::piece;
use crate::state::Action;
use array_panel::ArrayPanelProps;
use import::{Import, ImportHandle, Importer};
use layer_panel::LayerPanelProps;
use memory_panel::MemoryPanelProps;
use web_sys::File;
use yew::prelude::*;

/// What the cards fetch when it is first needed.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Draws the fields of the PE array.
    pub array_panel: fn(ArrayPanelProps) -> Html,
    /// Draws the fields of a memory.
    pub memory_panel: fn(MemoryPanelProps) -> Html,
    /// Draws the fields of a layer.
    pub layer_panel: fn(LayerPanelProps) -> Html,
    /// Imports files; the first callback hears how that stands, the second of what comes out.
    pub import: fn(Vec<File>, Callback<Import>, Callback<Action>) -> Option<Importer>,
    /// Draws how an import stands, and what became of the files.
    pub import_report: fn(&ImportHandle, &'static str) -> Html,
}
piece!(Parts);
