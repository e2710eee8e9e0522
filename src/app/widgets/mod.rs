//! What every view is made of: fields, figures, tables, dialogs, numbers that unfold. Imports point down this list:
//!
//! - [`sweep`]: the points of a sweep: heatmaps, their zoom, sliders of tile sizes, neighbours of a point
//! - `figures`: figures and tables, still or step by step, and their files
//! - [`page`]: the look of the page, and the design that its figures are of
//! - `words`: dialogs, numbers that unfold, terms of the glossary
//! - `forms`: fields, forms, documents as text, and what is wrong with them
//! - `pointing`: pointers and keys over figures, and the subject that is pointed at

#[cfg(target_arch = "wasm32")]
pub mod figures;
#[cfg(target_arch = "wasm32")]
pub mod forms;
pub mod page;
#[cfg(target_arch = "wasm32")]
pub mod pointing;
pub mod sweep;
#[cfg(target_arch = "wasm32")]
pub mod words;
