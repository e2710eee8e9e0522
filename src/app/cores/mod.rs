//! The view Cores: which core computes what, and when.

pub mod allocation;
pub mod compared;
pub mod form;
pub mod study;
pub mod timeline;
pub mod timeline_moves;
pub mod view;
