//! Shared layout of figures of horizontal bars: rows under each other, labels beside or above them, an axis below.

use crate::kit::{Axis, Color, Lettering, Sketch, Theme};

/// Height of the title, pixels.
pub const TITLE: i32 = 24;
/// Least room for a mark of the axis, pixels.
const MARK: i32 = 70;

/// Places of the rows, pixels.
pub struct BarRows {
    /// Whether labels stand above their bars, because beside them too little room would be left.
    pub above: bool,
    /// Where bars begin.
    pub left: i32,
    /// Where the longest bar ends.
    pub end: i32,
    /// Where the first row begins.
    pub top: i32,
    /// Height of a row.
    pub pitch: i32,
    /// Number of rows.
    pub count: usize,
}

/// A segment of a bar, in one colour.
pub struct BarPart {
    /// Where it ends, pixels from the left of the figure.
    pub to: i32,
    pub color: Color,
    /// Its value, printed if there is room for it.
    pub text: String,
    /// The lettering of the text, and its margin, left and right together.
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

    /// Draws the marks of the axis below the rows, with lines through the rows where no label is in the way; if
    /// `is_tall`, also marks above the rows.
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

/// Draws the segments of a bar of this height, and returns where the last one ends.
pub fn draw_parts(
    sketch: &mut Sketch,
    (left, y): (i32, i32),
    height: i32,
    parts: impl Iterator<Item = BarPart>,
) -> i32 {
    let mut from = left;
    for BarPart { to, color, text, letters: (letters, spare) } in parts {
        // A gap of one pixel between segments that are wide enough.
        let width = if to - from > 3 { to - from - 1 } else { to - from };
        sketch.rect((from, y), (width, height), color);
        if letters.width(&text) + spare <= width {
            sketch.text(text, (from + width / 2, y + height / 2), letters);
        }
        from = to;
    }
    from
}
