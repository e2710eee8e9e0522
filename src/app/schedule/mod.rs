//! The view Schedule: one point in depth.

pub mod layer_tables;
pub mod stack_panel;
pub mod view;
