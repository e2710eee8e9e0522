//! A figure with room around it, for files that leave the page.

use super::sketch::Sketch;
use super::{Chart, Table, Theme};

/// A figure with a margin.
pub struct Framed<'a>(pub &'a dyn Chart);

impl Framed<'_> {
    /// Its width, CSS pixels.
    pub const MARGIN: u32 = 14;
}

impl Chart for Framed<'_> {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let inner = self.0.sketch(width.saturating_sub(2 * Self::MARGIN), theme);
        let mut sketch = Sketch::new(inner.width + 2 * Self::MARGIN, inner.height + 2 * Self::MARGIN);
        sketch.place(inner, (Self::MARGIN as i32, Self::MARGIN as i32));
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        self.0.height_for(width.saturating_sub(2 * Self::MARGIN)) + 2 * Self::MARGIN
    }

    fn table(&self) -> Table {
        self.0.table()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}
