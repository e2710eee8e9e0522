//! The view Gallery: figures and tables of the papers, with our numbers beside theirs.

pub mod view;
