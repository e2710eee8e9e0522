//! A figure with a margin, for files.

use crate::kit::{Chart, Sketch, Table, Theme, shorten};

/// A figure with a margin, and above it a title if it has one.
pub struct Framed<'a> {
    figure: &'a dyn Chart,
    title: String,
}

/// Height of a title, CSS pixels, with the gap below it.
const TITLE: u32 = 30;

impl<'a> Framed<'a> {
    /// Width of the margin, CSS pixels.
    pub const MARGIN: u32 = 14;

    /// A figure with a margin.
    pub fn new(figure: &'a dyn Chart) -> Self {
        Self::titled(figure, String::new())
    }

    /// A figure with a margin, and above it a title unless that is empty.
    pub fn titled(figure: &'a dyn Chart, title: String) -> Self {
        Self { figure, title }
    }

    /// Height of the margin and the title above the figure, CSS pixels.
    fn top(&self) -> u32 {
        Self::MARGIN + if self.title.is_empty() { 0 } else { TITLE }
    }
}

impl Chart for Framed<'_> {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let inner = self.figure.sketch(width.saturating_sub(2 * Self::MARGIN), theme);
        let mut sketch = Sketch::new(inner.width + 2 * Self::MARGIN, inner.height + self.top() + Self::MARGIN);
        let letters = theme.heading().size(18.0);
        let title = shorten(&self.title, inner.width as i32, letters.size, letters.bold);
        sketch.text(title, (Self::MARGIN as i32, Self::MARGIN as i32 + 9), letters);
        sketch.place(inner, (Self::MARGIN as i32, self.top() as i32));
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        self.figure.height_for(width.saturating_sub(2 * Self::MARGIN)) + self.top() + Self::MARGIN
    }

    fn table(&self) -> Table {
        self.figure.table()
    }

    fn describe(&self) -> String {
        self.figure.describe()
    }
}
