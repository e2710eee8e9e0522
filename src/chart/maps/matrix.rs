//! A quantity over two lists: unrollings and hierarchies (ZigZag, Fig. 20).

use super::heatmap::log_share;
use crate::kit::{
    Chart, Column, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme, digits, mix, shorten, text_on, viridis,
};
use fusescape_engine::ties;

/// One value for each row and column.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub quantity: Quantity,
    /// The kind of the rows: `unrolling`.
    pub row_title: String,
    /// The kind of the columns: `hierarchy`.
    pub column_title: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Short names of the columns, and long ones for the table.
    pub columns: Vec<(String, String)>,
    /// Row by row; `None` while unknown, `Some(None)` where there is no value.
    pub cells: Vec<Option<Option<f64>>>,
    /// Column and row of the selected cell.
    pub chosen: Option<(usize, usize)>,
    /// Whether the smallest value is marked.
    pub marks_best: bool,
}

const ROW: i32 = 30;
const UNDER: i32 = 42;
const TOP: i32 = 26;
const MOST_LEFT: i32 = 120;

impl Matrix {
    fn value(&self, column: usize, row: usize) -> Option<Option<f64>> {
        self.cells.get(row * self.columns.len() + column).copied().flatten()
    }

    fn range(&self) -> (f64, f64) {
        let ends = (f64::INFINITY, 0.0f64);
        let known = self.cells.iter().flatten().flatten();
        let (low, high) = known.fold(ends, |(low, high), value| (low.min(*value), high.max(*value)));
        if high > 0.0 { (low, high) } else { (1.0, 1.0) }
    }

    /// The first cell with the smallest value, if it is marked.
    fn best(&self) -> Option<(usize, usize)> {
        let known = self.cells.iter().enumerate().filter_map(|(at, cell)| Some((at, (*cell)??)));
        let (at, _) = ties::best(known, |(_, value)| ([*value], ())).filter(|_| self.marks_best)?;
        Some((at % self.columns.len(), at / self.columns.len()))
    }

    /// Column and row of the cell at a place of the figure, CSS pixels, when it is `width` wide.
    pub fn cell_at(&self, x: f64, y: f64, width: u32) -> Option<(usize, usize)> {
        let column = (x - f64::from(self.left())) / f64::from(self.pitch(width.max(MINIMUM_WIDTH)));
        let row = (y - f64::from(TOP)) / f64::from(ROW);
        let is_inside = column >= 0.0 && row >= 0.0;
        let at = (column as usize, row as usize);
        (is_inside && at.0 < self.columns.len() && at.1 < self.rows.len()).then_some(at)
    }

    fn pitch(&self, width: u32) -> i32 {
        ((width as i32 - self.left()) / self.columns.len().max(1) as i32).min(110)
    }

    fn left(&self) -> i32 {
        let letters = Theme::LIGHT.label();
        self.rows.iter().map(|row| letters.width(row)).max().unwrap_or(0).min(MOST_LEFT) + 10
    }
}

impl Chart for Matrix {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (low, high) = self.range();
        let unit = self.quantity.unit_for(low, high);
        let left = self.left();
        let title = format!("{}, {}: bright is little", self.quantity.name(), unit.name);
        sketch.text(title, (0, 10), theme.note());
        let pitch = self.pitch(width);
        for (row, name) in self.rows.iter().enumerate() {
            let y = TOP + row as i32 * ROW;
            let label = shorten(name, MOST_LEFT, theme.label().size, false);
            sketch.text(label, (left - 8, y + ROW / 2 - 1), theme.label().end());
            for column in 0..self.columns.len() {
                let corner = (left + column as i32 * pitch, y);
                let size = (pitch - 3, ROW - 3);
                match self.value(column, row) {
                    None => sketch.round_rect(corner, size, 3, theme.placeholder()),
                    Some(None) => {
                        sketch.rect(corner, size, theme.placeholder());
                        sketch.hatch(corner, size, mix(theme.panel, theme.soft, 0.45));
                    }
                    Some(Some(value)) => {
                        let color = viridis(log_share(value, (low, high)));
                        sketch.round_rect(corner, size, 3, color);
                        let letters = theme.value().middle().color(text_on(color));
                        let text = digits(value / unit.factor, 3);
                        if letters.width(&text) < size.0 {
                            sketch.text(text, (corner.0 + size.0 / 2, corner.1 + size.1 / 2), letters);
                        }
                    }
                }
            }
        }
        let marks = [(self.best(), theme.ink), (self.chosen, theme.accent)];
        for ((column, row), color) in marks.into_iter().filter_map(|(cell, color)| Some((cell?, color))) {
            let (x, y) = (left + column as i32 * pitch - 2, TOP + row as i32 * ROW - 2);
            let (right, under) = (x + pitch, y + ROW);
            sketch.line(vec![(x, y), (right, y), (right, under), (x, under), (x, y)], 2, color);
        }
        let bottom = TOP + self.rows.len() as i32 * ROW;
        // Names that would be cut short below narrow columns: print only some, each with the room of several columns.
        let widest = self.columns.iter().map(|(name, _)| theme.label().width(name) + 8).max().unwrap_or(0);
        let step =
            if pitch < 60 { (widest.clamp(pitch, 110) / pitch).max(1) + i32::from(widest % pitch > 0) } else { 1 };
        for (column, (name, _)) in self.columns.iter().enumerate().step_by(step as usize) {
            let middle = left + column as i32 * pitch + pitch / 2 - 1;
            sketch.text_inside(
                shorten(name, step * pitch, theme.label().size, false),
                (middle, bottom + 9),
                theme.label(),
            );
        }
        sketch.text(self.column_title.clone(), (left, bottom + 29), theme.note());
        sketch
    }

    fn height_for(&self, _: u32) -> u32 {
        (TOP + self.rows.len() as i32 * ROW + UNDER) as u32
    }

    fn table(&self) -> Table {
        let columns = std::iter::once(Column::words(self.row_title.clone()));
        let text = |value: Option<Option<f64>>| match value {
            None => "not computed".into(),
            Some(None) => "does not fit".into(),
            Some(Some(value)) => TableCell::of(self.quantity, value),
        };
        let row = |(row, name): (usize, &String)| {
            let cells = (0..self.columns.len()).map(|column| text(self.value(column, row)));
            std::iter::once(name.clone().into()).chain(cells).collect()
        };
        Table {
            caption: format!("{} by {} and {}", self.quantity.title(), self.row_title, self.column_title),
            columns: columns
                .chain(self.columns.iter().map(|(_, name)| Column::measured(name, self.quantity.base())))
                .collect(),
            rows: self.rows.iter().enumerate().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let (low, high) = self.range();
        format!(
            "{} of {} by {} in {} ways, from {} to {}.",
            self.quantity.title(),
            self.columns.len(),
            self.row_title,
            self.rows.len(),
            self.quantity.text(low),
            self.quantity.text(high)
        )
    }
}
