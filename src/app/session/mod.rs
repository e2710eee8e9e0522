//! What every view is given: the state of the page, and what stands behind it.

pub mod handle;
pub mod hook;
pub mod state;
