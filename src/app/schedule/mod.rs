//! The view Schedule: one point in depth.

pub mod layer_loops;
mod layer_tables;
pub mod motion_panel;
pub mod motion_steps;
pub mod stack_panel;
pub mod view;

pub use view::view;
