//! Lessons: the list of them and the editor of one's own (`view`), and the step that is open, above the view that it is about (`panel`).
//! `questions` draws what a step asks, `curve` the curve that is to be predicted.

pub mod curve;
pub mod panel;
pub mod questions;
pub mod view;
