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
pub mod network_panel;
pub mod port_table;
pub mod preset_texts;
pub mod rule_switches;
pub mod schedule_card;
