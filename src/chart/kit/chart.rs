//! What every figure gives.

use super::sketch::Sketch;
use super::subject::Region;
use super::table::Table;
use super::theme::Theme;

/// A figure.
pub trait Chart {
    /// The figure as shapes, `width` CSS pixels wide and [`height_for`](Self::height_for) high.
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch;

    /// Its height in CSS pixels when it is `width` wide.
    fn height_for(&self, width: u32) -> u32;

    /// The numbers of the figure as a table: its table twin.
    fn table(&self) -> Table;

    /// One sentence that says what the figure shows.
    fn describe(&self) -> String;

    /// Parts that stand for a subject, when it is `width` wide; a part inside another one comes after it.
    fn regions(&self, _width: u32) -> Vec<Region> {
        Vec::new()
    }
}

/// Smallest width of a layout, CSS pixels; a narrower surface cuts figures off.
pub const MINIMUM_WIDTH: u32 = 240;
