//! The view Mapping: the loop nest of one layer.

mod constraints;
pub mod dragging;
mod loop_editor;
mod loop_trace;
pub mod rules_table;
pub mod strategies;
pub mod unrolling_table;
pub mod view;

pub use view::view;
