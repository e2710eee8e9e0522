//! Figures on a canvas of the page.

use super::render::draw_sketch;
use super::{Chart, ChartError, MINIMUM_WIDTH, Sketch, Theme};
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Draws a figure `width` CSS pixels wide on a canvas, which is given the size it needs (`width` and `height`; the style
/// sheet must show it at `width` × the returned sketch's `height` CSS pixels).
///
/// `pixel_ratio` is the window's `devicePixelRatio`.
///
/// # Errors
/// What the canvas reports.
pub fn draw_on_canvas(
    chart: &dyn Chart,
    canvas: &HtmlCanvasElement,
    width: u32,
    pixel_ratio: f64,
    theme: &Theme,
) -> Result<Sketch, ChartError> {
    let sketch = chart.sketch(width.max(MINIMUM_WIDTH), theme);
    let device = |css: u32| (f64::from(css) * pixel_ratio).round() as u32;
    // Setting the size also clears the canvas and its scale.
    canvas.set_width(device(sketch.width));
    canvas.set_height(device(sketch.height));
    let context: CanvasRenderingContext2d = canvas
        .get_context("2d")
        .ok()
        .flatten()
        .and_then(|context| context.dyn_into().ok())
        .ok_or_else(|| ChartError("the canvas has no 2d context".to_owned()))?;
    context.scale(pixel_ratio, pixel_ratio).map_err(|_| ChartError("the canvas cannot be scaled".to_owned()))?;
    let root = CanvasBackend::with_canvas_object(canvas.clone())
        .ok_or_else(|| ChartError("the canvas has no 2d context".to_owned()))?
        .into_drawing_area();
    draw_sketch(&sketch, &root, theme)?;
    Ok(sketch)
}
