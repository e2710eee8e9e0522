//! Accesses of each memory by cause (DeFiNES, Fig. 14).

use crate::kit::{
    Axis, AxisScale, BarCause, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Region, Sketch,
    Subject, Table, TableCell, Theme, draw_legend, legend_height, nice_below, shorten,
};
use fusescape_engine::cost::ByCause;

/// Accesses of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessRow {
    pub memory: String,
    /// How many, by cause.
    pub by_cause: ByCause,
}

/// Accesses of each memory by cause. The bars of a memory stand side by side, as stacked ones would be wrong on a
/// logarithmic scale.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryAccesses {
    /// What is counted: [`Quantity::Elements`] or [`Quantity::Accesses`].
    pub quantity: Quantity,
    pub scale: AxisScale,
    /// The memories, in the order in which they are shown.
    pub rows: Vec<AccessRow>,
}

const BAR: i32 = 14;
const BETWEEN: i32 = 12;
const UNDER: i32 = 38;

impl AccessRow {
    /// The causes that occur at this memory.
    fn bars(&self) -> impl Iterator<Item = (f64, BarCause)> + '_ {
        let bars = self.by_cause.values().into_iter().zip(BarCause::of_accesses());
        bars.filter(|(value, _)| value.is_finite() && *value > 0.0)
    }

    fn height(&self) -> i32 {
        self.bars().count().max(1) as i32 * BAR
    }
}

impl MemoryAccesses {
    fn plot_height(&self) -> i32 {
        self.rows.iter().map(|row| row.height() + BETWEEN).sum()
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.rows.iter().flat_map(AccessRow::bars).map(|(value, _)| value)
    }

    fn range(&self) -> (f64, f64) {
        let high = self.values().fold(0.0, f64::max);
        match self.scale {
            AxisScale::Linear => (0.0, high),
            AxisScale::Log => (nice_below(self.values().fold(f64::INFINITY, f64::min).min(1e18)) / 2.0, high),
        }
    }

    fn left(&self, width: i32) -> i32 {
        let letters = Theme::LIGHT.value();
        let longest = self.rows.iter().map(|row| letters.width(&row.memory)).max().unwrap_or(0);
        longest.min(width / 3) + 10
    }

    fn right(&self) -> i32 {
        let letters = Theme::LIGHT.value().size(11.0);
        self.values().map(|value| letters.width(&self.quantity.compact(value))).max().unwrap_or(0) + 8
    }

    fn entries(theme: &Theme) -> Vec<LegendEntry> {
        BarCause::of_accesses().map(|cause| (LegendMark::Chip(theme.cause(cause)), cause.name().to_owned())).collect()
    }

    fn top(width: i32) -> i32 {
        legend_height(&Self::entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 8
    }
}

impl Chart for MemoryAccesses {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (left, top) = (self.left(width as i32), Self::top(width as i32));
        let end = width as i32 - self.right();
        draw_legend(&mut sketch, &Self::entries(theme), (0, 0), width as i32, theme.note());
        let axis = Axis::new(self.scale, self.range(), (left, end));
        let bottom = top + self.plot_height();
        for value in axis.marks(((end - left) / 70).max(2) as usize) {
            sketch.vertical((axis.at(value), top), bottom - top, theme.grid());
            sketch.text_inside(self.quantity.compact_tick(value), (axis.at(value), bottom + 10), theme.label());
        }
        let mut y = top + BETWEEN / 2;
        for row in &self.rows {
            let name = shorten(&row.memory, left - 10, 12.0, false);
            sketch.text(name, (left - 10, y + row.height() / 2 - 1), theme.value().end());
            for (value, cause) in row.bars() {
                let bar_end = axis.at(value).max(left + 1);
                sketch.rect((left, y), (bar_end - left, BAR - 2), theme.cause(cause));
                let letters = theme.value().size(11.0);
                sketch.text(self.quantity.compact(value), (bar_end + 5, y + BAR / 2 - 1), letters);
                y += BAR;
            }
            if row.bars().next().is_none() {
                sketch.text("0", (left + 5, y + BAR / 2 - 1), theme.value().size(11.0).color(theme.soft));
                y += BAR;
            }
            y += BETWEEN;
        }
        sketch.vertical((left - 1, top), bottom - top, theme.soft);
        let log = if self.scale == AxisScale::Log { " (log scale)" } else { "" };
        let title = format!("{}{log}", self.quantity.base());
        sketch.text(title, ((left + end) / 2, bottom + 28), theme.note().middle());
        sketch
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let left = self.left(width);
        let mut y = Self::top(width) + BETWEEN / 2;
        let mut regions = Vec::new();
        for row in &self.rows {
            let memory = || Some(row.memory.clone());
            let subject = Subject { memory: memory(), ..Subject::default() };
            regions.push(Region { at: (0, y - 2), size: (width, row.height() + 2), subject });
            for (index, (_, cause)) in row.bars().enumerate() {
                let subject = Subject { memory: memory(), cause: Some(cause), ..Subject::default() };
                regions.push(Region { at: (left, y + index as i32 * BAR), size: (width - left, BAR - 2), subject });
            }
            y += row.height() + BETWEEN;
        }
        regions
    }

    fn height_for(&self, width: u32) -> u32 {
        (Self::top(width.max(MINIMUM_WIDTH) as i32) + self.plot_height() + UNDER) as u32
    }

    fn table(&self) -> Table {
        let unit = self.quantity.unit(1.0);
        let headers = BarCause::of_accesses().map(|cause| Column::scaled(cause.name(), self.quantity, unit));
        let total = Column::scaled("total", self.quantity, unit);
        let columns = std::iter::once(Column::words("memory")).chain(headers).chain([total]).collect();
        let rows = (self.rows.iter())
            .map(|row| {
                let all = row.by_cause.values().into_iter().chain([row.by_cause.total()]);
                let numbers = all.map(|value| TableCell::scaled(unit, value));
                std::iter::once(row.memory.clone().into()).chain(numbers).collect()
            })
            .collect();
        Table { caption: format!("{} by memory and cause", self.quantity.title()), columns, rows }
    }

    fn describe(&self) -> String {
        let total = |row: &AccessRow| row.by_cause.total();
        let most = self.rows.iter().max_by(|a, b| total(a).total_cmp(&total(b)));
        let most = most.map_or_else(String::new, |row| {
            format!(", most at {} with {}", row.memory, self.quantity.text(total(row)))
        });
        let causes: Vec<&str> = BarCause::of_accesses().map(|cause| cause.name()).collect();
        let causes = causes.split_last().map(|(last, others)| format!("{} and {last}", others.join(", ")));
        let causes = causes.unwrap_or_default();
        format!("{} by {causes} at {} memories{most}.", self.quantity.title(), self.rows.len())
    }
}
