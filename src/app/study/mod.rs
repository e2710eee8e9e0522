//! The view Study: very many designs that vary along axes.

mod designs;
mod document;
mod figures;
mod opening;
mod run;
pub mod view;

pub use view::view;
