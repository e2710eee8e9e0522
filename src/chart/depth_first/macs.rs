//! Multiply-accumulates of several tile sizes and storing modes (DeFiNES, Fig. 13).

use crate::kit::{
    Axis, AxisScale, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme,
    draw_legend, legend_height, nice_below,
};

/// Multiply-accumulates, recomputed ones included: for each tile size one bar per storing mode.
#[derive(Debug, Clone, PartialEq)]
pub struct MacCounts {
    pub scale: AxisScale,
    /// Names of the storing modes.
    pub series: Vec<String>,
    /// Tile sizes, each with the counts of the modes; `None` where not computed or infeasible.
    pub groups: Vec<(String, Vec<Option<f64>>)>,
    /// The count without recomputation.
    pub least: Option<f64>,
}

const PLOT: i32 = 190;
const LEFT: i32 = 46;
const UNDER: i32 = 56;

impl MacCounts {
    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let bars = self.groups.iter().flat_map(|(_, values)| values.iter().copied().flatten());
        bars.chain(self.least).filter(|value| value.is_finite() && *value > 0.0)
    }

    fn range(&self) -> (f64, f64) {
        let high = self.values().fold(0.0, f64::max);
        match self.scale {
            AxisScale::Linear => (0.0, high),
            AxisScale::Log => (nice_below(self.values().fold(f64::INFINITY, f64::min).min(1e18)) / 2.0, high),
        }
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let count = self.series.len();
        let mode = |(index, name): (usize, &String)| (LegendMark::Chip(theme.series(index, count)), name.clone());
        let least = self.least.map(|_| (LegendMark::Dashes(theme.ink), "nothing computed twice".to_owned()));
        self.series.iter().enumerate().map(mode).chain(least).collect()
    }

    fn top(&self, width: i32) -> i32 {
        legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 26
    }

    /// Names of tile sizes under their groups, on two lines if one is too short, and only every n-th if two are.
    /// Returns the lower edge.
    fn draw_names(&self, sketch: &mut Sketch, theme: &Theme, pitch: i32, bottom: i32) -> i32 {
        let letters = theme.label();
        let lines = self.groups.iter().flat_map(|(name, _)| two_lines(name));
        let needed = lines.map(|line| letters.width(&line)).max().unwrap_or(0) + 6;
        let fits = self.groups.iter().all(|(name, _)| letters.width(name) + 6 <= pitch);
        let every = if fits { 1 } else { ((needed + pitch - 1) / pitch.max(1)).max(1) };
        for (index, (name, _)) in self.groups.iter().enumerate().step_by(every as usize) {
            let x = LEFT + index as i32 * pitch + pitch / 2;
            if fits {
                sketch.text(name.clone(), (x, bottom + 13), letters);
            } else {
                for (line, y) in two_lines(name).into_iter().zip([bottom + 13, bottom + 27]) {
                    sketch.text(line, (x, y), letters);
                }
            }
        }
        bottom + if fits { 21 } else { 35 }
    }

    fn draw_group(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        axis: &Axis,
        values: &[Option<f64>],
        place: (i32, i32, i32),
    ) {
        let (x, pitch, bottom) = place;
        let count = self.series.len().max(1) as i32;
        let bar = ((pitch - 10.min(pitch / 4)) / count).clamp(1, 44);
        let start = x + (pitch - bar * count) / 2;
        for (index, value) in values.iter().enumerate() {
            let at = start + index as i32 * bar;
            let Some(value) = value.filter(|value| value.is_finite() && *value > 0.0) else { continue };
            let y = axis.at(value).min(bottom - 1);
            let color = theme.series(index, self.series.len());
            sketch.rect((at, y), (if bar > 3 { bar - 1 } else { bar }, bottom - y), color);
            let (letters, text) = (theme.label().size(10.5), Quantity::Macs.compact(value));
            if letters.width(&text) < bar {
                sketch.text(text, (at + (bar - 1) / 2, y - 8), letters);
            }
        }
    }
}

/// A tile size on two lines: `240 ×` and `270`.
fn two_lines(name: &str) -> [String; 2] {
    name.split_once(" × ").map_or([name.to_owned(), String::new()], |(x, y)| [format!("{x} ×"), y.to_owned()])
}

impl Chart for MacCounts {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (top, right) = (self.top(width as i32), width as i32 - 2);
        let bottom = top + PLOT;
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        // Leaves room above the highest bar for its value.
        let axis = Axis::new(self.scale, self.range(), (bottom, top + 14));
        let pitch = (right - LEFT) / self.groups.len().max(1) as i32;
        let end = LEFT + pitch * self.groups.len() as i32;
        for value in axis.marks(6) {
            sketch.horizontal((LEFT, axis.at(value)), end - LEFT, theme.grid());
            sketch.text(Quantity::Macs.compact_tick(value), (LEFT - 6, axis.at(value)), theme.label().end());
        }
        for (index, (_, values)) in self.groups.iter().enumerate() {
            self.draw_group(&mut sketch, theme, &axis, values, (LEFT + index as i32 * pitch, pitch, bottom));
        }
        let under = self.draw_names(&mut sketch, theme, pitch, bottom);
        sketch.horizontal((LEFT, bottom), end - LEFT, theme.soft);
        if let Some(least) = self.least {
            sketch.dashes((LEFT, axis.at(least)), end - LEFT, theme.ink);
        }
        sketch.text("tile size X × Y", ((LEFT + end) / 2, under + 11), theme.note().middle());
        let log = if self.scale == AxisScale::Log { " (log scale)" } else { "" };
        sketch.text(format!("MACs{log}"), (0, top - 14), theme.note());
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.top(width.max(MINIMUM_WIDTH) as i32) + PLOT + UNDER) as u32
    }

    fn table(&self) -> Table {
        let (low, high) = self.values().fold((f64::INFINITY, 0.0), |(l, h): (f64, f64), v| (l.min(v), h.max(v)));
        let unit = Quantity::Macs.unit_for(low.min(high), high);
        let headers = self.series.iter().map(|name| Column::scaled(name, Quantity::Macs, unit));
        let columns = std::iter::once(Column::words("tile size X × Y")).chain(headers).collect();
        let number = |value: &Option<f64>| value.map_or(TableCell::Nothing, |value| TableCell::scaled(unit, value));
        let rows = (self.groups.iter())
            .map(|(name, values)| std::iter::once(name.clone().into()).chain(values.iter().map(number)).collect())
            .collect();
        Table { caption: "Multiply-accumulates".to_owned(), columns, rows }
    }

    fn describe(&self) -> String {
        let most = self.values().fold(0.0, f64::max);
        let least = self.least.map_or_else(String::new, |least| {
            format!("; without computing anything twice it would be {}", Quantity::Macs.text(least))
        });
        let sizes = self.groups.len();
        format!(
            "Multiply-accumulates of {sizes} tile sizes by storing mode, up to {}{least}.",
            Quantity::Macs.text(most)
        )
    }
}
