//! From shapes to a surface: a canvas, SVG, or any other of `plotters`; a frame for files.

#[cfg(target_arch = "wasm32")]
mod canvas;
mod frame;
mod render;

#[cfg(target_arch = "wasm32")]
pub use canvas::draw_on_canvas;
pub use frame::Framed;
pub use render::{ChartError, PixelFont, draw, draw_sketch, sketch_svg, svg};
