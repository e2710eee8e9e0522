//! Parallel coordinates: all dimensions of designs side by side, one line per design.

use super::dimension::Dimension;
use crate::kit::{
    Axis, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Sketch, Table, TableCell, Theme, draw_legend,
    legend_height, mix, shorten,
};

/// One design in the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignLine {
    /// Index in the results.
    pub row: usize,
    /// Index in the study.
    pub design: u64,
    /// One value per dimension.
    pub values: Vec<f64>,
    /// Whether it is on the Pareto front.
    pub on_front: bool,
    /// Whether it is in the selection.
    pub is_within: bool,
}

/// Many designs as lines over upright axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Parallel {
    /// The axes, from left to right.
    pub dimensions: Vec<Dimension>,
    /// Smallest and largest value of each dimension, over all designs.
    pub ranges: Vec<(f64, f64)>,
    /// Drawn designs.
    pub lines: Vec<DesignLine>,
    /// Number of all designs.
    pub designs: usize,
    /// The selected range of each dimension.
    pub selected: Vec<Option<(f64, f64)>>,
    /// Index in the results of the opened design.
    pub opened: Option<usize>,
}

const SIDE: i32 = 54;
const HEIGHT: i32 = 230;
const UNDER: i32 = 46;
/// Largest distance at which the pointer is on an axis, CSS pixels.
const REACH: f64 = 26.0;

impl Parallel {
    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mut entries = vec![
            (LegendMark::Line(mix(theme.panel, theme.series(0, 2), 0.7)), "design".to_owned()),
            (LegendMark::Line(theme.accent), "on the front".to_owned()),
        ];
        if self.lines.iter().any(|line| !line.is_within) {
            entries.push((LegendMark::Line(mix(theme.panel, theme.soft, 0.3)), "not selected".to_owned()));
        }
        entries
    }

    fn top(&self, width: u32) -> i32 {
        legend_height(&self.entries(&Theme::LIGHT), width as i32, Theme::LIGHT.note()) + 18
    }

    fn at(&self, dimension: usize, width: u32) -> i32 {
        let room = width.max(MINIMUM_WIDTH) as i32 - 2 * SIDE;
        let steps = (self.dimensions.len() as i32 - 1).max(1);
        SIDE + room * dimension as i32 / steps
    }

    fn axis(&self, dimension: usize, width: u32) -> Option<(&Dimension, (f64, f64), Axis)> {
        let (shown, range) = (self.dimensions.get(dimension)?, *self.ranges.get(dimension)?);
        let top = self.top(width);
        Some((shown, range, shown.axis(range, (top + HEIGHT, top))))
    }

    /// The dimension whose axis is at a place of the figure, CSS pixels, and the value there.
    pub fn value_at(&self, x: f64, y: f64, width: u32) -> Option<(usize, f64)> {
        let distance = |dimension: &usize| (f64::from(self.at(*dimension, width)) - x).abs();
        let nearest = (0..self.dimensions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let (.., axis) = self.axis(nearest, width)?;
        (distance(&nearest) <= REACH).then(|| (nearest, axis.value(y)))
    }

    /// The value of a dimension at a height of the figure.
    pub fn value_of(&self, dimension: usize, y: f64, width: u32) -> Option<f64> {
        Some(self.axis(dimension, width)?.2.value(y))
    }
}

impl Chart for Parallel {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        let axes: Vec<_> = (0..self.dimensions.len()).filter_map(|index| self.axis(index, width)).collect();
        let points = |line: &DesignLine| {
            let values = line.values.iter().zip(&axes).enumerate().filter(|(_, (value, _))| value.is_finite());
            values.map(|(index, (value, (.., axis)))| (self.at(index, width), axis.at(*value))).collect::<Vec<_>>()
        };
        let mut draw = |lines: &mut dyn Iterator<Item = &DesignLine>, thick: u32, color| {
            lines.for_each(|line| sketch.line(points(line), thick, color));
        };
        let is = |front: bool, within: bool| {
            self.lines.iter().filter(move |line| line.on_front == front && line.is_within == within)
        };
        draw(&mut is(false, false).chain(is(true, false)), 1, mix(theme.panel, theme.soft, 0.3));
        draw(&mut is(false, true), 1, mix(theme.panel, theme.series(0, 2), 0.7));
        draw(&mut is(true, true), 2, theme.accent);
        draw(&mut self.lines.iter().filter(|line| Some(line.row) == self.opened), 3, theme.ink);
        let top = self.top(width);
        for (index, (dimension, range, axis)) in axes.iter().enumerate() {
            let x = self.at(index, width);
            sketch.vertical((x, top), HEIGHT, theme.soft);
            if let Some((low, high)) = self.selected.get(index).copied().flatten() {
                let (from, to) = (axis.at(high), axis.at(low));
                sketch.rect((x - 4, from.min(to)), (8, (to - from).abs().max(3)), mix(theme.panel, theme.ink, 0.55));
            }
            for (value, text) in dimension.marks(axis, *range, 5) {
                let letters = theme.label().end();
                let wide = letters.width(&text).min(SIDE - 8) + 4;
                sketch.rect((x - 7 - wide, axis.at(value) - 7), (wide + 2, 14), theme.panel);
                sketch.text(shorten(&text, SIDE - 8, letters.size, false), (x - 7, axis.at(value)), letters);
            }
            let room = (2 * SIDE).max((self.at(1, width) - self.at(0, width)) - 6);
            let (name, unit) = named(dimension, *range);
            let letters = theme.note().middle();
            sketch.text_inside(shorten(&name, room, letters.size, false), (x, top + HEIGHT + 16), letters);
            sketch.text_inside(unit, (x, top + HEIGHT + 32), letters);
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.top(width) + HEIGHT + UNDER) as u32
    }

    fn table(&self) -> Table {
        let row = |line: &DesignLine| {
            let cells = line.values.iter().zip(&self.dimensions).map(|(value, dimension)| dimension.cell(*value));
            std::iter::once(TableCell::full(line.design)).chain(cells).collect()
        };
        Table {
            caption: "Designs on the front with all their numbers".to_owned(),
            columns: std::iter::once(Column::numbers("design"))
                .chain(self.dimensions.iter().map(Dimension::column))
                .collect(),
            rows: self.lines.iter().filter(|line| line.on_front).map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        let within = self.lines.iter().filter(|line| line.is_within).count();
        format!(
            "{} of {} designs as lines over {}; {within} of them are selected.",
            self.lines.len(),
            self.designs,
            names.join(", ")
        )
    }
}

/// The name of a dimension, and its unit.
fn named(dimension: &Dimension, range: (f64, f64)) -> (String, String) {
    let title = dimension.title(range);
    let unit = title.strip_prefix(&dimension.name).unwrap_or_default().trim_start_matches(", ").to_owned();
    (dimension.name.clone(), unit)
}
