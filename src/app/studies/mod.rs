//! Work that takes several questions and that more than one view asks for.

pub mod hierarchies;
pub mod stacks;
pub mod systems;
