//! Activation data of every layer of a tile type compared with the memories' capacities (DeFiNES, Fig. 10).
//!
//! On a logarithmic axis stacked bars would be wrong, so the parts stand side by side in front of their sum.

use crate::kit::{
    Axis, AxisScale, Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Region, Sketch, Subject,
    Table, TableCell, Theme, draw_legend, legend_height, mix, shorten,
};
use fusescape_spec::sorting::sort_by;

/// Data of one layer-tile, bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerData {
    /// Name of the layer.
    pub layer: String,
    /// All inputs, cached ones included.
    pub input: f64,
    pub output: f64,
    /// The part of the inputs that neighbouring tiles left in a cache.
    pub cached: f64,
}

/// A memory that the data may fit into.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    pub memory: String,
    pub bytes: f64,
}

/// Activation data against capacities.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSizes {
    /// Heading: the tile type; empty for none.
    pub title: String,
    /// The layers in order.
    pub layers: Vec<LayerData>,
    /// Memories that hold activations.
    pub capacities: Vec<Capacity>,
}

const PLOT: i32 = 210;
const LEFT: i32 = 52;
const LONGEST_NAME: i32 = 120;
const LABEL: i32 = 28;

impl LayerData {
    fn total(&self) -> f64 {
        self.input + self.output
    }
}

impl DataSizes {
    fn of_what(&self) -> String {
        if self.title.is_empty() { String::new() } else { format!(" of {}", self.title) }
    }

    fn has_cache(&self) -> bool {
        self.layers.iter().any(|layer| layer.cached > 0.0)
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mut entries = vec![(LegendMark::Chip(theme.input), "input".to_owned())];
        if self.has_cache() {
            entries.push((LegendMark::Chip(theme.copy), "of it cached".to_owned()));
        }
        entries.push((LegendMark::Chip(theme.output), "output".to_owned()));
        entries.push((LegendMark::Chip(total_color(theme)), "input + output".to_owned()));
        entries.push((LegendMark::Dashes(theme.ink), "capacity".to_owned()));
        entries
    }

    /// The capacities within the range that is shown, and the ends of the axis.
    fn range(&self) -> (Vec<&Capacity>, (f64, f64)) {
        let parts = |layer: &LayerData| [layer.input, layer.output, layer.cached];
        let smallest = self.layers.iter().flat_map(parts).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        let largest = self.layers.iter().map(LayerData::total).fold(0.0, f64::max);
        let (low, high) = if largest > 0.0 { (smallest / 2.0, largest) } else { (512.0, 1024.0) };
        let mut capacities: Vec<&Capacity> = self.capacities.iter().filter(|c| c.bytes >= low).collect();
        sort_by(&mut capacities, |a, b| a.bytes.total_cmp(&b.bytes));
        // Of the memories with enough room for all data only the smallest is of interest.
        let above = capacities.iter().find(|c| c.bytes >= high).map(|c| c.bytes).filter(|c| *c < high * 4096.0);
        capacities.retain(|c| c.bytes < high || above.is_some_and(|above| c.bytes == above));
        (capacities, (low, high.max(above.unwrap_or(high)) * 1.6))
    }

    fn right(&self) -> i32 {
        let letters = Theme::LIGHT.label();
        let width = |c: &&Capacity| letters.bold().width(&c.memory).min(LONGEST_NAME).max(letters.width("64.5 KiB"));
        self.range().0.iter().map(width).max().map_or(2, |width| width + 10)
    }

    fn top(&self, width: i32) -> i32 {
        let title = if self.title.is_empty() { 0 } else { 26 };
        title + legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 12
    }

    fn pitch(&self, width: i32) -> i32 {
        ((width - LEFT - self.right()) / self.layers.len().max(1) as i32).min(110)
    }

    fn names(&self, width: i32) -> (bool, i32) {
        let letters = Theme::LIGHT.label();
        let longest = self.layers.iter().map(|layer| letters.width(&layer.layer)).max().unwrap_or(0);
        let upright = longest + 4 > self.pitch(width);
        (upright, if upright { longest.min(LONGEST_NAME) + 10 } else { 22 })
    }

    fn draw_bars(&self, sketch: &mut Sketch, theme: &Theme, axis: &Axis, bottom: i32) {
        let width = sketch.width as i32;
        let pitch = self.pitch(width);
        let column = (pitch * 4 / 5).clamp(3, 64);
        for (index, layer) in self.layers.iter().enumerate() {
            let x = LEFT + index as i32 * pitch + (pitch - column) / 2;
            let mut bar = |x: i32, width: i32, bytes: f64, color| {
                if bytes > 0.0 {
                    let y = axis.at(bytes);
                    sketch.rect((x, y), (width, bottom - y), color);
                }
            };
            bar(x, column, layer.total(), total_color(theme));
            let mut parts = vec![(layer.input, theme.input)];
            if self.has_cache() {
                parts.push((layer.cached, theme.copy));
            }
            parts.push((layer.output, theme.output));
            let count = parts.len() as i32;
            let inset = if column >= 12 { 2 } else { 0 };
            let part = ((column - 2 * inset) / count).max(1);
            let start = x + (column - part * count) / 2;
            for (k, (bytes, color)) in parts.into_iter().enumerate() {
                bar(start + k as i32 * part, part - i32::from(part > 3), bytes, color);
            }
        }
    }

    fn draw_capacities(&self, sketch: &mut Sketch, theme: &Theme, axis: &Axis, bottom: i32) {
        let letters = theme.label().start();
        let end = LEFT + self.pitch(sketch.width as i32) * self.layers.len() as i32;
        // Each label at its line, or below the label above it: from the largest capacity down.
        let mut free = i32::MIN;
        for capacity in self.range().0.iter().rev() {
            let y = axis.at(capacity.bytes);
            sketch.dashes((LEFT, y), end - LEFT, theme.ink);
            let middle = y.max(free).min(bottom - LABEL / 2);
            free = middle + LABEL;
            let name = shorten(&capacity.memory, LONGEST_NAME, letters.size, true);
            sketch.text(name, (end + 6, middle - 6), letters.bold().color(theme.ink));
            sketch.text(Quantity::Bytes.plain(capacity.bytes), (end + 6, middle + 7), letters);
        }
    }

    fn draw_axes(&self, sketch: &mut Sketch, theme: &Theme, axis: &Axis, bottom: i32) {
        let width = sketch.width as i32;
        let (pitch, letters) = (self.pitch(width), theme.label());
        let end = LEFT + pitch * self.layers.len() as i32;
        for bytes in axis.binary_marks(6) {
            let y = axis.at(bytes);
            sketch.horizontal((LEFT, y), end - LEFT, theme.grid());
            sketch.text(Quantity::Bytes.plain(bytes), (LEFT - 6, y), letters.end());
        }
        sketch.horizontal((LEFT, bottom), end - LEFT, theme.soft);
        let (upright, _) = self.names(width);
        let every = if upright && pitch > 0 { ((13 + pitch - 1) / pitch).max(1) as usize } else { 1 };
        for (index, layer) in self.layers.iter().enumerate().step_by(every) {
            let x = LEFT + index as i32 * pitch + pitch / 2;
            if upright {
                let name = shorten(&layer.layer, LONGEST_NAME, letters.size, false);
                sketch.text_upwards(name, (x, bottom + 6), letters.end());
            } else {
                sketch.text(layer.layer.clone(), (x, bottom + 13), letters);
            }
        }
    }
}

fn total_color(theme: &Theme) -> Color {
    mix(theme.panel, theme.soft, 0.28)
}

impl Chart for DataSizes {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let top = self.top(width as i32);
        if !self.title.is_empty() {
            sketch.heading((&self.title, theme.heading().size(13.0)), ("", theme.note()));
        }
        let legend_top = if self.title.is_empty() { 0 } else { 26 };
        draw_legend(&mut sketch, &self.entries(theme), (0, legend_top), width as i32, theme.note());
        let bottom = top + PLOT;
        let axis = Axis::new(AxisScale::Log, self.range().1, (bottom, top));
        self.draw_axes(&mut sketch, theme, &axis, bottom);
        self.draw_bars(&mut sketch, theme, &axis, bottom);
        self.draw_capacities(&mut sketch, theme, &axis, bottom);
        sketch
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let (pitch, top) = (self.pitch(width), self.top(width));
        let region = |(index, layer): (usize, &LayerData)| Region {
            at: (LEFT + index as i32 * pitch, top),
            size: (pitch, PLOT),
            subject: Subject::layer(&layer.layer),
        };
        self.layers.iter().enumerate().map(region).collect()
    }

    fn height_for(&self, width: u32) -> u32 {
        let width = width.max(MINIMUM_WIDTH) as i32;
        (self.top(width) + PLOT + self.names(width).1) as u32
    }

    fn table(&self) -> Table {
        let headers = ["input", "of it cached", "output", "input + output"].map(|title| Column::plain(title, "B"));
        let columns = std::iter::once(Column::words("layer")).chain(headers).collect();
        let number = |bytes: f64| TableCell::scaled(Quantity::Bytes.unit(1.0), bytes);
        let rows = (self.layers.iter())
            .map(|layer| {
                let numbers = [layer.input, layer.cached, layer.output, layer.total()].map(number);
                std::iter::once(layer.layer.clone().into()).chain(numbers).collect()
            })
            .collect();
        let capacities: Vec<String> =
            self.capacities.iter().map(|c| format!("{} {}", c.memory, Quantity::Bytes.plain(c.bytes))).collect();
        Table {
            caption: format!("Activation data{}; capacities: {}", self.of_what(), capacities.join(", ")),
            columns,
            rows,
        }
    }

    fn describe(&self) -> String {
        let largest = self.layers.iter().max_by(|a, b| a.total().total_cmp(&b.total()));
        let largest = largest.map_or_else(String::new, |layer| {
            format!("; the most is {} in {}", Quantity::Bytes.text(layer.total()), layer.layer)
        });
        let (count, what) = (self.layers.len(), self.of_what());
        format!("Activation data{what} in {count} layers, against memory capacities{largest}.")
    }
}
