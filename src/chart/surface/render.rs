//! From shapes to a surface: any `plotters` backend, and SVG as text.

use crate::kit::{Anchor, Chart, Color, Lettering, MINIMUM_WIDTH, Sketch, SketchShape, Theme};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{Circle, DrawingBackend, IntoDrawingArea, PathElement, Polygon, Rectangle, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontDesc, FontFamily, FontStyle, FontTransform, ShapeStyle, TextStyle};
use std::fmt;

/// The font family; each surface resolves it to the system's font.
const FAMILY: FontFamily<'static> = FontFamily::Name("system-ui, sans-serif");

/// An error of a drawing surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartError(pub String);

impl fmt::Display for ChartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the figure could not be drawn: {}", self.0)
    }
}

impl std::error::Error for ChartError {}

/// A backend with its scale of font sizes: backends disagree by a quarter.
pub trait PixelFont: DrawingBackend {
    /// The `plotters` font size at which letters are one CSS pixel high.
    const SIZE_OF_PIXEL: f64;
}

impl PixelFont for SVGBackend<'_> {
    // plotters-svg divides by this before it writes `font-size`.
    const SIZE_OF_PIXEL: f64 = 1.24;
}

#[cfg(target_arch = "wasm32")]
impl PixelFont for plotters_canvas::CanvasBackend {
    const SIZE_OF_PIXEL: f64 = 1.0;
}

/// Draws a figure `width` CSS pixels wide at the upper left corner of `root`. A backend with more pixels than that must
/// be scaled already; its own size does not matter.
///
/// # Errors
/// Those of the backend.
pub fn draw<DB: PixelFont>(
    chart: &dyn Chart,
    root: &DrawingArea<DB, Shift>,
    width: u32,
    theme: &Theme,
) -> Result<(), ChartError> {
    draw_sketch(&chart.sketch(width.max(MINIMUM_WIDTH), theme), root, theme)
}

/// Draws shapes.
///
/// # Errors
/// Those of the backend.
pub fn draw_sketch<DB: PixelFont>(
    sketch: &Sketch,
    root: &DrawingArea<DB, Shift>,
    theme: &Theme,
) -> Result<(), ChartError> {
    if theme.paint_panel {
        let whole = [(0, 0), (sketch.width as i32, sketch.height as i32)];
        root.draw(&Rectangle::new(whole, theme.panel.filled())).map_err(|error| ChartError(error.to_string()))?;
    }
    for shape in &sketch.shapes {
        draw_shape(shape, root)?;
    }
    Ok(())
}

fn draw_shape<DB: PixelFont>(shape: &SketchShape, root: &DrawingArea<DB, Shift>) -> Result<(), ChartError> {
    match shape {
        SketchShape::Rect { at, size, radius: 0, color } => {
            root.draw(&Rectangle::new([*at, (at.0 + size.0, at.1 + size.1)], color.filled()))
        }
        SketchShape::Rect { at, size, radius, color } => {
            root.draw(&Polygon::new(rounded_corners(*at, *size, *radius), color.filled()))
        }
        SketchShape::Image { at, size, columns, colors } => return draw_image(root, (*at, *size), *columns, colors),
        SketchShape::Polygon { points, color } => root.draw(&Polygon::new(points.clone(), color.filled())),
        SketchShape::Line { points, width, color } => {
            let style = ShapeStyle { color: color.to_rgba(), filled: false, stroke_width: *width };
            root.draw(&PathElement::new(points.clone(), style))
        }
        SketchShape::Circle { at, radius, color } => root.draw(&Circle::new(*at, *radius, color.filled())),
        SketchShape::Text { text, at, lettering, upwards } => {
            let style = text_style(*lettering, DB::SIZE_OF_PIXEL, *upwards);
            // The backends centre lower-case letters; capitals and digits stand higher.
            let at = if *upwards { (at.0 + 1, at.1) } else { (at.0, at.1 + 1) };
            root.draw_text(text, &style, at)
        }
    }
    .map_err(|error| ChartError(error.to_string()))
}

/// Cells as rectangles; neighbours of one colour in a row share one. The page's canvas has a faster way.
fn draw_image<DB: PixelFont>(
    root: &DrawingArea<DB, Shift>,
    ((x, y), (width, height)): ((i32, i32), (i32, i32)),
    columns: usize,
    colors: &[Color],
) -> Result<(), ChartError> {
    let rows = colors.len() / columns;
    let edge = |index: usize, count: usize, extent: i32| (index as i64 * i64::from(extent) / count as i64) as i32;
    for (row, colors) in colors.chunks_exact(columns).enumerate() {
        let (top, bottom) = (y + edge(row, rows, height), y + edge(row + 1, rows, height));
        let mut column = 0;
        for run in colors.chunk_by(|a, b| a == b) {
            let (left, right) = (x + edge(column, columns, width), x + edge(column + run.len(), columns, width));
            column += run.len();
            let cell = Rectangle::new([(left, top), (right, bottom)], run[0].filled());
            root.draw(&cell).map_err(|error| ChartError(error.to_string()))?;
        }
    }
    Ok(())
}

/// Corners of a rectangle with round corners; at these radii one point per corner is within half a pixel of the circle.
fn rounded_corners((x, y): (i32, i32), (width, height): (i32, i32), radius: i32) -> Vec<(i32, i32)> {
    let (r, cut) = (radius, if radius > 2 { 1 } else { 0 });
    let (right, bottom) = (x + width, y + height);
    let mut points = vec![(x, y + r), (x + cut, y + cut), (x + r, y)];
    points.extend([(right - r, y), (right - cut, y + cut), (right, y + r)]);
    points.extend([(right, bottom - r), (right - cut, bottom - cut), (right - r, bottom)]);
    points.extend([(x + r, bottom), (x + cut, bottom - cut), (x, bottom - r)]);
    if cut == 0 {
        // Too small for an arc: the corner is cut off.
        points.retain(|p| !([x, right].contains(&p.0) && [y, bottom].contains(&p.1)));
    }
    points
}

fn text_style(lettering: Lettering, size_of_pixel: f64, upwards: bool) -> TextStyle<'static> {
    let style = if lettering.bold { FontStyle::Bold } else { FontStyle::Normal };
    let transform = if upwards { FontTransform::Rotate270 } else { FontTransform::None };
    let horizontal = match lettering.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = FontDesc::new(FAMILY, lettering.size * size_of_pixel, style).transform(transform);
    TextStyle { font, color: lettering.color.to_backend_color(), pos: Pos::new(horizontal, VPos::Center) }
}

/// The figure as an SVG document, with its description for screen readers.
///
/// # Errors
/// Those of the backend.
pub fn svg(chart: &dyn Chart, width: u32, theme: &Theme) -> Result<String, ChartError> {
    sketch_svg(&chart.sketch(width.max(MINIMUM_WIDTH), theme), &chart.describe(), theme)
}

/// Shapes, perhaps of several figures, as an SVG document.
///
/// # Errors
/// Those of the backend.
pub fn sketch_svg(sketch: &Sketch, description: &str, theme: &Theme) -> Result<String, ChartError> {
    let mut document = String::new();
    {
        let root = SVGBackend::with_string(&mut document, (sketch.width, sketch.height)).into_drawing_area();
        draw_sketch(sketch, &root, theme)?;
        root.present().map_err(|error| ChartError(error.to_string()))?;
    }
    let label = escape(description);
    Ok(document.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
