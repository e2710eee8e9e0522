//! The view Gallery: figures and tables of the papers, with our numbers beside theirs.

mod closeness;
mod thumbnail;
pub mod view;

pub use view::view;
