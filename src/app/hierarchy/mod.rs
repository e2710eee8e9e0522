//! The view Hierarchy: a search for the best memory hierarchy.

pub mod facts;
pub mod form;
pub mod view;

pub use view::view;
