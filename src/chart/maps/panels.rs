//! Several heatmaps with a shared colour scale as one figure, as in a paper.

use super::color_bar::ColorBar;
use super::heatmap::Heatmap;
use crate::kit::{Chart, Column, MINIMUM_WIDTH, Sketch, Table, Theme};

/// Heatmaps side by side, or below each other where there is no room.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    pub bar: ColorBar,
    pub maps: Vec<Heatmap>,
}

/// Gap between panels, CSS pixels.
const GAP: u32 = 18;

impl Panels {
    /// Number of panels in a row, and the width of each.
    fn columns(&self, width: u32) -> (usize, u32) {
        let fit = ((width + GAP) / (MINIMUM_WIDTH + GAP)).max(1) as usize;
        let columns = self.maps.len().clamp(1, fit);
        (columns, (width + GAP) / columns as u32 - GAP)
    }
}

impl Chart for Panels {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        sketch.place(self.bar.sketch(width, theme), (0, 0));
        let (columns, each) = self.columns(width);
        let mut y = self.bar.height_for(width) + GAP;
        for row in self.maps.chunks(columns) {
            for (column, map) in row.iter().enumerate() {
                sketch.place(map.sketch(each, theme), ((column as u32 * (each + GAP)) as i32, y as i32));
            }
            y += row.iter().map(|map| map.height_for(each)).max().unwrap_or(0) + GAP;
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        let width = width.max(MINIMUM_WIDTH);
        let (columns, each) = self.columns(width);
        let row = |row: &[Heatmap]| row.iter().map(|map| map.height_for(each)).max().unwrap_or(0) + GAP;
        self.bar.height_for(width) + GAP + self.maps.chunks(columns).map(row).sum::<u32>()
    }

    fn table(&self) -> Table {
        let row = |map: &Heatmap| {
            let table = map.table();
            table
                .rows
                .into_iter()
                .map(|row| std::iter::once(map.title.clone().into()).chain(row).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let columns = self.maps.first().map(|map| map.table().columns).unwrap_or_default();
        Table {
            caption: format!("{}: all storing modes", self.bar.quantity.title()),
            columns: std::iter::once(Column::words("storing mode")).chain(columns).collect(),
            rows: self.maps.iter().flat_map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let maps: Vec<String> = self.maps.iter().map(Heatmap::describe).collect();
        maps.join(" ")
    }
}
