//! One quantity over tile width and tile height for one storing mode (DeFiNES, Fig. 12).

mod painter;

use super::contour::contour_factors;
use crate::kit::{
    Chart, Color, Column, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme, Unit, diverging, text_width,
    viridis,
};
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::ties::{self, TilePlace};
use painter::Painter;

/// One tile size of a heatmap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HeatmapCell {
    /// Not computed yet.
    Pending,
    /// Not computed yet: the value of a neighbour on a coarser grid, in base units of the quantity.
    Estimate(f64),
    /// Cannot be scheduled.
    Infeasible,
    /// Computed.
    Value {
        /// In base units of the quantity.
        value: f64,
        /// Whether no other point is better in both energy and latency.
        pareto: bool,
    },
}

impl HeatmapCell {
    /// Its value or estimate; `None` if it cannot be shown.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Value { value, .. } if value.is_finite() => Some(value),
            _ => None,
        }
    }
}

/// One quantity over tile width and tile height.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    pub quantity: Quantity,
    /// Heading, normally the storing mode; empty for none.
    pub title: String,
    /// Tile widths, columns of the feature map, from left to right.
    pub widths: Vec<u64>,
    /// Tile heights, rows of the feature map, from top to bottom.
    pub heights: Vec<u64>,
    /// All cells row by row (one row per height); missing ones are pending.
    pub cells: Vec<HeatmapCell>,
    /// Values at the ends of the colour scale, if shared with other heatmaps.
    pub range: Option<(f64, f64)>,
    /// Column and row of the opened cell.
    pub selected: Option<(usize, usize)>,
    /// How to find the cell of the smallest value.
    pub best: BestCell,
    /// Values at which lines of equal value are drawn where there are many cells, with their labels.
    pub contours: Vec<(f64, String)>,
    pub ramp: Ramp,
}

/// A colour ramp over a logarithmic scale of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ramp {
    /// From bright for the smallest to dark for the largest.
    #[default]
    Viridis,
    /// From teal over a pale middle to brown; the middle of the range is 1.
    Diverging,
}

impl Ramp {
    /// The colour at a share of the range, 0 to 1.
    pub fn color(self, share: f64) -> Color {
        match self {
            Self::Viridis => viridis(share),
            Self::Diverging => diverging(share),
        }
    }
}

/// The cell that is marked as the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BestCell {
    /// The cell with the smallest value.
    #[default]
    OfCells,
    /// Column and row of the best of the whole landscape; `None` if it lies outside of these cells.
    At(Option<(usize, usize)>),
}

/// Cells narrower than this are drawn as an image.
const NARROW: i32 = 9;

const BOTTOM: i32 = 42;
const AXIS_TITLE: i32 = 18;

/// Places of the cells.
struct HeatmapLayout {
    left: i32,
    top: i32,
    columns: Vec<i32>,
    rows: Vec<i32>,
    gap: i32,
}

impl HeatmapLayout {
    fn cell(&self, column: usize, row: usize) -> ((i32, i32), (i32, i32)) {
        let (x, y) = (self.columns[column], self.rows[row]);
        ((x, y), (self.columns[column + 1] - x - self.gap, self.rows[row + 1] - y - self.gap))
    }

    fn right(&self) -> i32 {
        self.columns.last().copied().unwrap_or(self.left)
    }

    fn bottom(&self) -> i32 {
        self.rows.last().copied().unwrap_or(self.top)
    }

    /// Usual size of a cell, without the gap.
    fn size(&self) -> (i32, i32) {
        let extent = |edges: &[i32]| edges.windows(2).map(|w| w[1] - w[0]).min().unwrap_or(0) - self.gap;
        (extent(&self.columns), extent(&self.rows))
    }
}

impl Heatmap {
    /// Smallest and largest value of several heatmaps, for a shared colour scale.
    pub fn shared_range(maps: &[Heatmap]) -> Option<(f64, f64)> {
        let mut values = maps.iter().flat_map(|map| &map.cells).filter_map(|cell| cell.value());
        let first = values.next()?;
        Some(values.fold((first, first), |(low, high), value| (low.min(value), high.max(value))))
    }

    /// Adds lines at a few round multiples of the smallest value, where there are many cells.
    pub fn with_contours(mut self, (low, high): (f64, f64)) -> Self {
        let line = |factor: f64| (low * factor, format!("{factor}×"));
        self.contours = contour_factors(low, high).into_iter().map(line).collect();
        self
    }

    /// The cell of a column and a row.
    pub fn cell(&self, column: usize, row: usize) -> HeatmapCell {
        self.cells.get(row * self.widths.len() + column).copied().unwrap_or(HeatmapCell::Pending)
    }

    /// Column and row of the best; of cells alone that of the smallest value, among equals that of the smaller tile.
    pub fn best(&self) -> Option<(usize, usize)> {
        if let BestCell::At(best) = self.best {
            return best.filter(|best| best.0 < self.widths.len() && best.1 < self.heights.len());
        }
        let known = self.cells.iter().enumerate().filter_map(|(index, cell)| {
            let (row, column) = (index / self.widths.len().max(1), index % self.widths.len().max(1));
            let tile = (*self.widths.get(column)?, *self.heights.get(row)?);
            Some(((column, row), cell.value()?, TilePlace::new(tile, StoringMode::FullyCached)))
        });
        ties::best(known, |(_, value, place)| ([*value], *place)).map(|(at, ..)| at)
    }

    /// Column and row of the cell at a place of the figure, CSS pixels, when it is `width` wide.
    pub fn cell_at(&self, x: f64, y: f64, width: u32) -> Option<(usize, usize)> {
        let layout = self.layout(width);
        let index = |edges: &[i32], at: f64| {
            edges.windows(2).position(|edge| at >= f64::from(edge[0]) && at < f64::from(edge[1]))
        };
        Some((index(&layout.columns, x)?, index(&layout.rows, y)?))
    }

    /// Place of a cell in the figure, CSS pixels: left, top, width, height.
    pub fn cell_place(&self, column: usize, row: usize, width: u32) -> Option<(i32, i32, i32, i32)> {
        if column >= self.widths.len() || row >= self.heights.len() {
            return None;
        }
        let ((x, y), (w, h)) = self.layout(width).cell(column, row);
        Some((x, y, w, h))
    }

    fn value_range(&self) -> (f64, f64) {
        self.range.or_else(|| Self::shared_range(std::slice::from_ref(self))).unwrap_or((1.0, 1.0))
    }

    fn unit(&self) -> Unit {
        let (low, high) = self.value_range();
        self.quantity.unit_for(low, high)
    }

    fn layout(&self, width: u32) -> HeatmapLayout {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let label = self.heights.iter().map(|height| text_width(&height.to_string(), 11.5, false)).max().unwrap_or(0);
        let left = AXIS_TITLE + label + 8;
        let top = if self.title.is_empty() { 4 } else { 28 };
        let room = width - left - 4;
        let count = self.widths.len().max(1) as i32;
        let pitch = room / count;
        if pitch < NARROW {
            return self.image_layout((left, top), room.max(1));
        }
        let (columns, cell): (Vec<i32>, i32) = ((0..=count).map(|i| left + i * pitch).collect(), pitch);
        let height = (f64::from(cell) * 0.66).round().min(38.0).max(f64::from(cell.min(18))) as i32;
        let rows = (0..=self.heights.len() as i32).map(|i| top + i * height).collect();
        let gap = if cell.min(height) >= 20 { 2 } else { i32::from(cell.min(height) >= 9) };
        let columns = if self.widths.is_empty() { vec![left] } else { columns };
        HeatmapLayout { left, top, columns, rows, gap }
    }

    /// Places of the cells of an image: the height follows from the aspect ratio of its tiles, within limits.
    fn image_layout(&self, (left, top): (i32, i32), room: i32) -> HeatmapLayout {
        let (columns, rows) = (self.widths.len().max(1) as i32, self.heights.len() as i32);
        let shaped = (i64::from(room) * i64::from(rows) / i64::from(columns)) as i32;
        let height = shaped.clamp((rows.saturating_mul(18)).min(160), room.max(160));
        let edges = |from: i32, count: i32, extent: i32| -> Vec<i32> {
            let at = |index: i32| i64::from(index) * i64::from(extent) / i64::from(count.max(1));
            (0..=count).map(|index| from + at(index) as i32).collect()
        };
        HeatmapLayout { left, top, columns: edges(left, columns, room), rows: edges(top, rows, height), gap: 0 }
    }

    fn is_image(&self, layout: &HeatmapLayout) -> bool {
        layout.right() - layout.left < NARROW * self.widths.len() as i32
    }

    fn tile(&self, (column, row): (usize, usize)) -> String {
        format!("{} × {}", self.widths[column], self.heights[row])
    }
}

/// Position of a value between the ends of a logarithmic scale, 0 to 1.
pub(super) fn log_share(value: f64, (low, high): (f64, f64)) -> f64 {
    if value <= low || low <= 0.0 || high <= low {
        return 0.0;
    }
    ((value / low).ln() / (high / low).ln()).clamp(0.0, 1.0)
}

impl Chart for Heatmap {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let layout = self.layout(width);
        let mut sketch = Sketch::new(width, self.height_for(width));
        if !self.title.is_empty() {
            let best = self.best().and_then(|best| Some((best, self.cell(best.0, best.1).value()?)));
            let note = best.map_or_else(String::new, |(best, value)| {
                let unit = self.unit();
                let (value, tile) = (unit.text(value), self.tile(best));
                // The colour scale above names the unit, too; numbers are never cut off.
                let notes = [
                    format!("best {value} {} at {tile}", unit.name),
                    format!("best {value} at {tile}"),
                    format!("{value} at {tile}"),
                    format!("best {value}"),
                ];
                let room = width as i32 - theme.heading().width(&self.title) - 8;
                notes.into_iter().find(|note| theme.note().width(note) <= room).unwrap_or_default()
            });
            sketch.heading((&self.title, theme.heading()), (&note, theme.note()));
        }
        if self.widths.is_empty() || self.heights.is_empty() {
            return sketch;
        }
        Painter::new(self, &layout, theme).draw(&mut sketch);
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.layout(width).bottom() + BOTTOM) as u32
    }

    fn table(&self) -> Table {
        let unit = self.unit();
        let columns = [Column::numbers("tile height Y, rows \\ tile width X, columns")]
            .into_iter()
            .chain(self.widths.iter().map(|width| Column::measured(width.to_string(), self.quantity.base())))
            .collect();
        let text = |column, row| match self.cell(column, row) {
            HeatmapCell::Pending | HeatmapCell::Estimate(_) => "".into(),
            HeatmapCell::Infeasible => "does not fit".into(),
            HeatmapCell::Value { value, .. } => TableCell::scaled(unit, value),
        };
        let rows = (self.heights.iter().enumerate())
            .map(|(row, height)| {
                let cells = (0..self.widths.len()).map(|column| text(column, row));
                std::iter::once(TableCell::count(*height)).chain(cells).collect()
            })
            .collect();
        let what = if self.title.is_empty() { String::new() } else { format!(": {}", self.title) };
        let shown = if unit.name.is_empty() { String::new() } else { format!(" ({})", unit.name) };
        Table { caption: format!("{}{what}{shown}", self.quantity.title()), columns, rows }
    }

    fn describe(&self) -> String {
        let count = self.widths.len() * self.heights.len();
        let known = self.cells.iter().filter(|cell| cell.value().is_some()).count();
        let infeasible = self.cells.iter().filter(|cell| **cell == HeatmapCell::Infeasible).count();
        let what = if self.title.is_empty() { String::new() } else { format!(", {}", self.title) };
        let mut text = format!("{} over tile width and tile height{what}: ", self.quantity.title());
        let ends = (self.best(), Self::shared_range(std::slice::from_ref(self)));
        if let (Some(best), Some((low, high))) = ends {
            let (low, high) = (self.quantity.text(low), self.quantity.text(high));
            text.push_str(&format!("smallest {low} with tiles of {}, largest {high}; ", self.tile(best)));
        }
        text.push_str(&format!("{known} of {count} tile sizes computed"));
        if infeasible > 0 {
            text.push_str(&format!(", {infeasible} do not fit"));
        }
        text.push('.');
        text
    }
}
