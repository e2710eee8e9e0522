//! The view Gallery: figures and tables of the papers, with our numbers beside theirs.

mod closeness;
pub mod view;
