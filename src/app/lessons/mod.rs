//! Lessons: the list of lessons and the editor of an own one (`view`), and the open step, above the view that it is
//! about (`panel`). `questions` draws the question of a step, `curve` a curve to predict; `kept` stores answers in the
//! browser, `variants` checks that all variants of an own lesson can be solved.

pub mod curve;
pub mod kept;
pub mod panel;
pub mod questions;
pub mod variants;
pub mod view;

pub use view::view;
