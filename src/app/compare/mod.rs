//! The view Compare: two designs side by side.

pub mod cores;
pub mod view;
