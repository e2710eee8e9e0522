//! What plots of one quantity over another have in common: the area between the axes, its grid, and points that can be picked.

use crate::kit::{Axis, Color, LegendEntry, MINIMUM_WIDTH, Sketch, Theme, draw_point, legend_height};

/// Largest distance at which a click selects a point, CSS pixels.
const REACH: f64 = 12.0;

/// Room beside the area between the axes, pixels.
pub(crate) struct Margins {
    /// For the marks of the axis upwards.
    pub left: i32,
    /// Between the legend and the area, for the title of the axis upwards.
    pub above: i32,
    /// Beside the last mark.
    pub right: i32,
}

/// The area between the axes, pixels.
pub(crate) struct PlotArea {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

/// Marks of an axis with their texts.
pub(crate) type Marks = Vec<(f64, String)>;

/// An area with both of its axes.
pub(crate) struct Plane {
    pub area: PlotArea,
    pub x: Axis,
    pub y: Axis,
}

impl PlotArea {
    /// The area of a figure `width` wide, below its legend.
    pub fn new(margins: &Margins, entries: &[LegendEntry], width: u32, height: i32) -> Self {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let top = legend_height(entries, width, Theme::LIGHT.note()) + margins.above;
        Self { left: margins.left, top, right: width - margins.right, bottom: top + height }
    }

    /// An area for points: two thirds as high as the figure is wide, within limits.
    pub fn of_points(left: i32, entries: &[LegendEntry], width: u32) -> Self {
        let height = (width.max(MINIMUM_WIDTH) as i32 * 2 / 3).clamp(200, 380);
        Self::new(&Margins { left, above: 24, right: 10 }, entries, width, height)
    }

    /// Middle of the axis along the figure.
    pub fn middle(&self) -> i32 {
        (self.left + self.right) / 2
    }

    /// Draws a line across the area at each mark of the axis upwards, and its text on the left.
    pub fn draw_up(&self, sketch: &mut Sketch, theme: &Theme, y: &Axis, marks: Marks) {
        for (value, text) in marks {
            sketch.horizontal((self.left, y.at(value)), self.right - self.left, theme.grid());
            sketch.text(text, (self.left - 8, y.at(value)), theme.label().end());
        }
    }

    /// Draws a line up the area at each mark of the axis along the figure, and its text so far `below`.
    pub fn draw_along(&self, sketch: &mut Sketch, theme: &Theme, x: &Axis, below: i32, marks: Marks) {
        for (value, text) in marks {
            sketch.vertical((x.at(value), self.top), self.bottom - self.top, theme.grid());
            sketch.text_inside(text, (x.at(value), self.bottom + below), theme.label());
        }
    }

    /// Draws the axis along the figure.
    pub fn draw_base(&self, sketch: &mut Sketch, theme: &Theme) {
        sketch.horizontal((self.left, self.bottom), self.right - self.left, theme.soft);
    }
}

impl Plane {
    /// Where a point lies.
    pub fn at(&self, x: f64, y: f64) -> (i32, i32) {
        (self.x.at(x), self.y.at(y))
    }

    /// Draws both axes, each with its marks and its title.
    pub fn draw_axes(&self, sketch: &mut Sketch, theme: &Theme, along: (Marks, String), up: (Marks, String)) {
        let area = &self.area;
        area.draw_up(sketch, theme, &self.y, up.0);
        area.draw_along(sketch, theme, &self.x, 13, along.0);
        area.draw_base(sketch, theme);
        sketch.vertical((area.left, area.top), area.bottom - area.top, theme.soft);
        sketch.text(up.1, (0, area.top - 14), theme.note());
        sketch.text_inside(along.1, (area.middle(), area.bottom + 33), theme.note().middle());
    }

    /// Draws a front of points by ascending `x` as steps: what lies below and left of it is out of reach.
    pub fn draw_front(&self, sketch: &mut Sketch, front: impl IntoIterator<Item = (f64, f64)>, color: Color) {
        let mut points: Vec<(i32, i32)> = Vec::new();
        for (x, y) in front {
            let at = self.at(x, y);
            if let Some(last) = points.last() {
                points.push((at.0, last.1));
            }
            points.push(at);
        }
        if points.len() > 1 {
            sketch.line(points, 2, color);
        }
    }
}

/// Draws a point of a series within a ring.
pub(crate) fn draw_ringed(sketch: &mut Sketch, theme: &Theme, ring: Color, point: (usize, (i32, i32), Color)) {
    let (series, at, color) = point;
    sketch.circle(at, 10, ring);
    sketch.circle(at, 8, theme.panel);
    draw_point(sketch, series, at, 6, color);
}

/// Of points at their places, the one that is nearest to a place and within reach of it.
pub(crate) fn nearest<T>(points: impl Iterator<Item = (T, (i32, i32))>, (x, y): (f64, f64)) -> Option<T> {
    let distance = |(across, up): (i32, i32)| (f64::from(across) - x).hypot(f64::from(up) - y);
    let near = points.map(|(point, at)| (point, distance(at))).filter(|near| near.1 <= REACH);
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|near| near.0)
}
