//! The points of a sweep: heatmaps, their zoom, sliders of tile sizes, neighbours of a point.

#[cfg(target_arch = "wasm32")]
pub mod best_table;
#[cfg(target_arch = "wasm32")]
pub mod fine_grid;
pub mod grid;
#[cfg(target_arch = "wasm32")]
pub mod heatmap_figure;
#[cfg(target_arch = "wasm32")]
pub mod heatmap_table;
#[cfg(target_arch = "wasm32")]
pub mod neighbours;
#[cfg(target_arch = "wasm32")]
pub mod opened_neighbours;
#[cfg(target_arch = "wasm32")]
pub mod tile_sliders;
#[cfg(target_arch = "wasm32")]
pub mod zoom;
#[cfg(target_arch = "wasm32")]
pub mod zoom_bar;
