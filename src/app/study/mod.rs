//! The view Study: design-space exploration along axes.

mod designs;
mod document;
mod figures;
mod opening;
mod run;
pub mod view;

pub use view::view;
