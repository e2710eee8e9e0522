//! Draws figures on a canvas of the page.

use super::render::{ChartError, draw_sketch};
use crate::kit::{Chart, Color, MINIMUM_WIDTH, Sketch, SketchShape, Theme};
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Draws a figure `width` CSS pixels wide on a canvas, which is given the size it needs (`width` and `height`; the
/// style sheet must show it at `width` × the returned sketch's `height` CSS pixels).
///
/// `pixel_ratio` is the window's `devicePixelRatio`.
///
/// # Errors
/// Those of the canvas.
pub fn draw_on_canvas(
    chart: &dyn Chart,
    canvas: &HtmlCanvasElement,
    width: u32,
    pixel_ratio: f64,
    theme: &Theme,
) -> Result<Sketch, ChartError> {
    let mut sketch = chart.sketch(width.max(MINIMUM_WIDTH), theme);
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
    let painted = |color: Color| {
        context.set_fill_style_str(&format!("rgb({} {} {})", color.0, color.1, color.2));
        context.fill_rect(0.0, 0.0, f64::from(sketch.width), f64::from(sketch.height));
    };
    // The panel is painted first, as it would cover the images.
    if theme.paint_panel {
        painted(theme.panel);
    }
    // Images lie behind all other shapes; drawing each as one picture takes a hundredth of the time.
    let images: Vec<SketchShape> =
        sketch.shapes.extract_if(.., |shape| matches!(shape, SketchShape::Image { .. })).collect();
    for image in &images {
        draw_image(&context, image).map_err(|_| ChartError("the canvas takes no image".to_owned()))?;
    }
    let root = CanvasBackend::with_canvas_object(canvas.clone())
        .ok_or_else(|| ChartError("the canvas has no 2d context".to_owned()))?
        .into_drawing_area();
    draw_sketch(&sketch, &root, &Theme { paint_panel: false, ..theme.clone() })?;
    Ok(sketch)
}

fn draw_image(context: &CanvasRenderingContext2d, image: &SketchShape) -> Result<(), JsValue> {
    let SketchShape::Image { at, size, columns, colors } = image else { return Ok(()) };
    let bytes: Vec<u8> = colors.iter().flat_map(|color| [color.0, color.1, color.2, u8::MAX]).collect();
    let (width, height) = (*columns as u32, (colors.len() / columns) as u32);
    let pixels = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), width, height)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let small: HtmlCanvasElement = document.create_element("canvas")?.dyn_into()?;
    small.set_width(width);
    small.set_height(height);
    let inner = small.get_context("2d")?.ok_or(JsValue::NULL)?.dyn_into::<CanvasRenderingContext2d>()?;
    inner.put_image_data(&pixels, 0.0, 0.0)?;
    context.set_image_smoothing_enabled(false);
    let [x, y, width, height] = [at.0, at.1, size.0, size.1].map(f64::from);
    context.draw_image_with_html_canvas_element_and_dw_and_dh(&small, x, y, width, height)
}
