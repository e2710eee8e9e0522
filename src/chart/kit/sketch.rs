//! A figure as a list of shapes, in CSS pixels, from the back to the front.

use super::color::Color;
use super::text::text_width;

/// Horizontal alignment of a text at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Left-aligned.
    Start,
    /// Centred.
    Middle,
    /// Right-aligned.
    End,
}

/// The style of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lettering {
    /// CSS pixels.
    pub size: f64,
    /// Heavy or normal.
    pub bold: bool,
    pub color: Color,
    pub anchor: Anchor,
}

impl Lettering {
    pub fn middle(self) -> Self {
        Self { anchor: Anchor::Middle, ..self }
    }

    pub fn end(self) -> Self {
        Self { anchor: Anchor::End, ..self }
    }

    pub fn start(self) -> Self {
        Self { anchor: Anchor::Start, ..self }
    }

    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub fn color(self, color: Color) -> Self {
        Self { color, ..self }
    }

    pub fn size(self, size: f64) -> Self {
        Self { size, ..self }
    }

    /// Width of `text` in CSS pixels, an upper bound.
    pub fn width(self, text: &str) -> i32 {
        text_width(text, self.size, self.bold)
    }
}

/// A shape of a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum SketchShape {
    /// A filled rectangle, its corners rounded by `radius`.
    Rect {
        /// Left and upper edge, CSS pixels from the corner of the figure.
        at: (i32, i32),
        /// Width and height.
        size: (i32, i32),
        /// Radius of the corners; 0 to 4.
        radius: i32,
        color: Color,
    },
    /// A grid of coloured cells without gaps. It lies behind all other shapes.
    Image {
        /// Left and upper edge.
        at: (i32, i32),
        /// Width and height.
        size: (i32, i32),
        /// Number of columns.
        columns: usize,
        /// The colours, row by row.
        colors: Vec<Color>,
    },
    /// A filled polygon.
    Polygon {
        /// Corners.
        points: Vec<(i32, i32)>,
        color: Color,
    },
    /// Connected straight pieces.
    Line {
        /// Corners.
        points: Vec<(i32, i32)>,
        /// CSS pixels.
        width: u32,
        color: Color,
    },
    /// A filled circle.
    Circle {
        /// Centre.
        at: (i32, i32),
        /// CSS pixels.
        radius: u32,
        color: Color,
    },
    /// A text on one line, vertically centred on its place.
    Text {
        text: String,
        /// Place of the anchor; vertically the middle.
        at: (i32, i32),
        lettering: Lettering,
        /// Whether it is rotated to read upwards.
        upwards: bool,
    },
}

impl SketchShape {
    /// The shape moved by `(dx, dy)`, CSS pixels.
    pub fn moved(mut self, (dx, dy): (i32, i32)) -> Self {
        let shift = |at: &mut (i32, i32)| *at = (at.0 + dx, at.1 + dy);
        match &mut self {
            Self::Rect { at, .. } | Self::Image { at, .. } | Self::Circle { at, .. } | Self::Text { at, .. } => {
                shift(at)
            }
            Self::Polygon { points, .. } | Self::Line { points, .. } => points.iter_mut().for_each(shift),
        }
        self
    }

    /// Left, top, right and bottom edge.
    pub fn bounds(&self) -> (i32, i32, i32, i32) {
        match self {
            Self::Rect { at: (x, y), size: (width, height), .. }
            | Self::Image { at: (x, y), size: (width, height), .. } => (*x, *y, x + width, y + height),
            Self::Polygon { points, .. } | Self::Line { points, .. } => {
                let xs = || points.iter().map(|p| p.0);
                let ys = || points.iter().map(|p| p.1);
                let edge = |value: Option<i32>| value.unwrap_or(0);
                (edge(xs().min()), edge(ys().min()), edge(xs().max()), edge(ys().max()))
            }
            Self::Circle { at: (x, y), radius, .. } => {
                let r = *radius as i32;
                (x - r, y - r, x + r, y + r)
            }
            Self::Text { text, at: (x, y), lettering, upwards } => {
                let (along, across) = (lettering.width(text), (lettering.size * 0.5).ceil() as i32);
                let before = match lettering.anchor {
                    Anchor::Start => 0,
                    Anchor::Middle => along / 2,
                    Anchor::End => along,
                };
                if *upwards {
                    (x - across, y - (along - before), x + across, y + before)
                } else {
                    (x - before, y - across, x - before + along, y + across)
                }
            }
        }
    }
}

/// A figure as a list of shapes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sketch {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// From the back to the front.
    pub shapes: Vec<SketchShape>,
}

impl Sketch {
    /// An empty figure.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    /// Adds the shapes of another figure, with its upper left corner at `at`.
    pub fn place(&mut self, other: Sketch, at: (i32, i32)) {
        self.shapes.extend(other.shapes.into_iter().map(|shape| shape.moved(at)));
    }

    /// A filled rectangle; nothing if it is empty.
    pub fn rect(&mut self, at: (i32, i32), size: (i32, i32), color: Color) {
        self.round_rect(at, size, 0, color);
    }

    /// A filled rectangle with round corners.
    pub fn round_rect(&mut self, at: (i32, i32), size: (i32, i32), radius: i32, color: Color) {
        if size.0 > 0 && size.1 > 0 {
            let radius = radius.clamp(0, 4).min(size.0.min(size.1) / 2);
            self.shapes.push(SketchShape::Rect { at, size, radius, color });
        }
    }

    /// A grid of coloured cells, `columns` wide; nothing if it is empty.
    pub fn image(&mut self, at: (i32, i32), size: (i32, i32), columns: usize, colors: Vec<Color>) {
        if size.0 > 0 && size.1 > 0 && columns > 0 && colors.len() >= columns {
            self.shapes.push(SketchShape::Image { at, size, columns, colors });
        }
    }

    /// A horizontal line of one pixel.
    pub fn horizontal(&mut self, (x, y): (i32, i32), length: i32, color: Color) {
        self.rect((x, y), (length, 1), color);
    }

    /// A vertical line of one pixel.
    pub fn vertical(&mut self, (x, y): (i32, i32), length: i32, color: Color) {
        self.rect((x, y), (1, length), color);
    }

    /// A dashed horizontal line.
    pub fn dashes(&mut self, (x, y): (i32, i32), length: i32, color: Color) {
        for start in (0..length).step_by(7) {
            self.rect((x + start, y), (4.min(length - start), 1), color);
        }
    }

    /// A line through `points`.
    pub fn line(&mut self, points: Vec<(i32, i32)>, width: u32, color: Color) {
        self.shapes.push(SketchShape::Line { points, width, color });
    }

    /// A filled polygon.
    pub fn polygon(&mut self, points: Vec<(i32, i32)>, color: Color) {
        self.shapes.push(SketchShape::Polygon { points, color });
    }

    /// A filled circle.
    pub fn circle(&mut self, at: (i32, i32), radius: u32, color: Color) {
        self.shapes.push(SketchShape::Circle { at, radius, color });
    }

    /// An arrow between the lower edge of one part and the upper edge of the next, down or up.
    pub fn arrow(&mut self, (x, top, bottom): (i32, i32, i32), width: i32, is_down: bool, color: Color) {
        let head = (width.max(5) * 3 / 4).clamp(4, 10).min(bottom - top);
        let half = (width + 5) / 2;
        let (tip, base) = if is_down { (bottom, bottom - head) } else { (top, top + head) };
        let (from, to) = if is_down { (top, base) } else { (base, bottom) };
        self.rect((x - width / 2, from), (width, to - from), color);
        self.polygon(vec![(x - half, base), (x + half, base), (x, tip)], color);
    }

    /// Hatching over a rectangle; marks an impossible item.
    pub fn hatch(&mut self, (x, y): (i32, i32), (width, height): (i32, i32), color: Color) {
        for offset in (4..width + height).step_by(6) {
            // At 45 degrees, from the left or lower edge up to the upper or right one.
            let from = if offset <= height { (x, y + offset) } else { (x + offset - height, y + height) };
            let to = if offset <= width { (x + offset, y) } else { (x + width, y + offset - width) };
            self.line(vec![from, to], 1, color);
        }
    }

    /// A text on one line, vertically centred on its place.
    pub fn text(&mut self, text: impl Into<String>, at: (i32, i32), lettering: Lettering) {
        let text = text.into();
        if !text.is_empty() {
            self.shapes.push(SketchShape::Text { text, at, lettering, upwards: false });
        }
    }

    /// A centred text, moved sideways as far as needed to lie within the figure.
    pub fn text_inside(&mut self, text: String, (x, y): (i32, i32), lettering: Lettering) {
        let half = lettering.width(&text) / 2 + 1;
        self.text(text, (x.min(self.width as i32 - half).max(half), y), lettering.middle());
    }

    /// A text that reads upwards, horizontally centred on its place.
    pub fn text_upwards(&mut self, text: impl Into<String>, at: (i32, i32), lettering: Lettering) {
        self.shapes.push(SketchShape::Text { text: text.into(), at, lettering, upwards: true });
    }

    /// A heading at the left and a note beside it, shortened to the room that is left.
    pub fn heading(&mut self, heading: (&str, Lettering), note: (&str, Lettering)) {
        let room = self.width as i32;
        let (heading, letters) = heading;
        let heading = super::text::shorten(heading, room, letters.size, letters.bold);
        let after = if heading.is_empty() { 0 } else { letters.width(&heading) + 8 };
        let note_text = super::text::shorten(note.0, room - after, note.1.size, note.1.bold);
        self.text(heading, (0, 9), letters);
        self.text(note_text, (after, 10), note.1);
    }
}
