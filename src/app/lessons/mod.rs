//! Lessons: the list of them and the editor of one's own (`view`), and the step that is open, above the view that it is about (`panel`).
//! `questions` draws what a step asks, `curve` the curve that is to be predicted; `kept` is what the browser keeps of answers, `variants`
//! whether all variants of one's own lesson can be solved.

pub mod curve;
pub mod kept;
pub mod panel;
pub mod questions;
pub mod variants;
pub mod view;

pub use view::view;
