//! Guided lessons, above the view that a step is about.

pub mod panel;
