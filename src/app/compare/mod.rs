//! The view Compare: two designs side by side, and a table of many.

pub mod cores;
pub mod design_cells;
pub mod design_choice;
pub mod design_table;
pub mod view;

pub use view::view;
