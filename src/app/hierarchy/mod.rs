//! The view Hierarchy: which memories are best.

pub mod facts;
pub mod form;
pub mod view;

pub use view::view;
