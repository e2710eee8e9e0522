//! The view Schedule: one point in depth.

pub mod layer_loops;
mod layer_tables;
pub mod stack_panel;
pub mod trace_panel;
pub mod trace_steps;
pub mod view;

pub use view::view;
