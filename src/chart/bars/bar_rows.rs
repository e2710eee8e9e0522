//! What figures of horizontal bars have in common: rows under each other, labels beside or above them, an axis below.

use crate::kit::{Axis, Color, Lettering, Sketch, Theme};

/// Room of the title, pixels.
pub const TITLE: i32 = 24;
/// Least room for a mark of the axis, pixels.
const MARK: i32 = 70;

/// Where the rows lie, pixels.
pub struct BarRows {
    /// Whether labels stand above their bars, as they would leave these no room.
    pub above: bool,
    /// Where bars begin.
    pub left: i32,
    /// Where the longest bar ends.
    pub end: i32,
    /// Where the first row begins.
    pub top: i32,
    /// Height of a row.
    pub pitch: i32,
    /// How many rows there are.
    pub count: usize,
}

/// A part of a bar.
pub struct BarPart {
    /// Where it ends, pixels from the left of the figure.
    pub to: i32,
    /// Its colour.
    pub color: Color,
    /// Its value, written where there is room for it.
    pub text: String,
    /// The letters of that, and how much room it leaves at both sides together.
    pub letters: (Lettering, i32),
}

impl BarRows {
    /// Where row `index` begins.
    pub fn row(&self, index: usize) -> i32 {
        self.top + index as i32 * self.pitch
    }

    /// Where the last row ends.
    pub fn bottom(&self) -> i32 {
        self.row(self.count)
    }

    /// Draws the marks of the axis below the rows, and lines through them where no label is in their way; where `is_tall`, marks above
    /// them, too.
    pub fn draw_marks(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        axis: &Axis,
        is_tall: bool,
        text: impl Fn(f64) -> String,
    ) {
        let (top, bottom) = (self.top, self.bottom());
        for value in axis.marks(((self.end - self.left) / MARK).max(2) as usize) {
            let x = axis.at(value);
            if !self.above {
                sketch.vertical((x, top), bottom - top, theme.grid());
            }
            sketch.text_inside(text(value), (x, bottom + 8), theme.label());
            if is_tall {
                sketch.text_inside(text(value), (x, top - 8), theme.label());
            }
        }
    }
}

/// Draws the parts of a bar of this height, one after the other; where the last one ends.
pub fn draw_parts(
    sketch: &mut Sketch,
    (left, y): (i32, i32),
    height: i32,
    parts: impl Iterator<Item = BarPart>,
) -> i32 {
    let mut from = left;
    for BarPart { to, color, text, letters: (letters, spare) } in parts {
        // One pixel of the panel between the parts, as far as they are wide enough to spare it.
        let width = if to - from > 3 { to - from - 1 } else { to - from };
        sketch.rect((from, y), (width, height), color);
        if letters.width(&text) + spare <= width {
            sketch.text(text, (from + width / 2, y + height / 2), letters);
        }
        from = to;
    }
    from
}
