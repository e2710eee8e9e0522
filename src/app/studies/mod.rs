//! Work that takes several questions and that more than one view asks for.

#[cfg(target_arch = "wasm32")]
pub mod hierarchies;
#[cfg(target_arch = "wasm32")]
pub mod neighbours;
#[cfg(target_arch = "wasm32")]
pub mod stacks;
pub mod study_results;
#[cfg(target_arch = "wasm32")]
pub mod systems;
#[cfg(target_arch = "wasm32")]
pub mod tile_search;
