//! A quantity over two others as colours: heatmaps, with what belongs to them, and matrices.

mod color_bar;
mod contour;
mod heatmap;
mod matrix;
mod panels;
mod window;

pub use color_bar::ColorBar;
pub use contour::contour_factors;
pub use heatmap::{BestCell, Heatmap, HeatmapCell, Ramp};
pub use matrix::Matrix;
pub use panels::Panels;
pub use window::Window;
