//! Energy or latency by cause, one stacked bar per strategy (DeFiNES, Figs. 15 and 16).

use super::bar_rows::{BarPart, BarRows, TITLE, draw_parts};
use crate::kit::{
    Axis, AxisScale, BarCause, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Region, Sketch,
    Subject, Table, TableCell, Theme, Unit, draw_legend, legend_height, shorten, text_on,
};

/// A segment of the bars of a figure, and its value for an item.
pub(crate) type BreakdownPart<T> = (BarCause, fn(&T) -> f64);

/// One bar of a [`Breakdown`].
#[derive(Debug, Clone, PartialEq)]
pub struct StackedBar {
    /// `fully-cached 4 × 72`.
    pub label: String,
    /// One value per cause, in base units.
    pub values: Vec<f64>,
}

/// Stacked horizontal bars, one per item.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    pub quantity: Quantity,
    /// Title of the quantity: `Energy`.
    pub title: String,
    /// The kind of item of a bar: `strategy`.
    pub bar: String,
    /// The parts, from the left.
    pub causes: Vec<BarCause>,
    /// The bars, from the top.
    pub bars: Vec<StackedBar>,
}

const BAR: i32 = 24;
const BETWEEN: i32 = 12;
const NAME: i32 = 18;
const UNDER: i32 = 22;

impl StackedBar {
    fn total(&self) -> f64 {
        self.values.iter().filter(|value| value.is_finite()).sum()
    }
}

impl Breakdown {
    fn largest(&self) -> f64 {
        self.bars.iter().map(StackedBar::total).fold(0.0, f64::max)
    }

    fn unit(&self) -> Unit {
        let smallest = self.bars.iter().map(StackedBar::total).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        self.quantity.unit_for(smallest.min(self.largest()), self.largest())
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        self.causes.iter().map(|cause| (LegendMark::Chip(theme.cause(*cause)), cause.name().to_owned())).collect()
    }

    fn rows(&self, width: u32) -> BarRows {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let letters = Theme::LIGHT.value();
        let longest = self.bars.iter().map(|bar| letters.width(&bar.label)).max().unwrap_or(0);
        let unit = self.unit();
        let total = |bar: &StackedBar| letters.bold().width(&unit.text(bar.total()));
        let right = self.bars.iter().map(total).max().unwrap_or(0) + 10;
        let above = longest > width / 4;
        let left = if above { 0 } else { longest + 10 };
        let legend = legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note());
        let pitch = BAR + BETWEEN + if above { NAME } else { 0 };
        BarRows { above, left, end: width - right, top: TITLE + legend + 8, pitch, count: self.bars.len() }
    }

    fn draw_bar(&self, sketch: &mut Sketch, theme: &Theme, axis: &Axis, bar: &StackedBar, (x, y): (i32, i32)) {
        let unit = self.unit();
        let mut sum = 0.0;
        let shown = bar.values.iter().zip(&self.causes).filter(|(value, _)| value.is_finite() && **value > 0.0);
        let parts = shown.map(|(value, cause)| {
            sum += value;
            let color = theme.cause(*cause);
            let letters = (theme.value().size(11.0).middle().color(text_on(color)), 10);
            BarPart { to: axis.at(sum), color, text: unit.text(*value), letters }
        });
        let end = draw_parts(sketch, (x, y), BAR, parts);
        let at = (end + 6, y + BAR / 2);
        sketch.text(unit.text(bar.total()), at, theme.value().bold());
    }
}

impl Chart for Breakdown {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (rows, unit) = (self.rows(width), self.unit());
        let title = format!("{} by cause, {}", self.title, unit.name);
        sketch.text(title, (0, 9), theme.heading().size(13.0));
        draw_legend(&mut sketch, &self.entries(theme), (0, TITLE), width as i32, theme.note());
        let axis = Axis::new(AxisScale::Linear, (0.0, self.largest()), (rows.left, rows.end));
        rows.draw_marks(&mut sketch, theme, &axis, false, |value| unit.tick(value));
        for (index, bar) in self.bars.iter().enumerate() {
            let y = rows.row(index) + BETWEEN / 2;
            let y = if rows.above {
                let label = shorten(&bar.label, width as i32, 12.0, false);
                sketch.text(label, (0, y + NAME / 2 - 1), theme.value());
                y + NAME
            } else {
                sketch.text(bar.label.clone(), (rows.left - 10, y + BAR / 2), theme.value().end());
                y
            };
            self.draw_bar(&mut sketch, theme, &axis, bar, (rows.left, y));
        }
        sketch
    }

    fn regions(&self, width: u32) -> Vec<Region> {
        let rows = self.rows(width);
        let axis = Axis::new(AxisScale::Linear, (0.0, self.largest()), (rows.left, rows.end));
        let mut regions = Vec::new();
        for (index, bar) in self.bars.iter().enumerate() {
            let y = rows.row(index) + BETWEEN / 2 + if rows.above { NAME } else { 0 };
            let mut sum = 0.0;
            for (value, cause) in bar.values.iter().zip(&self.causes) {
                if !value.is_finite() || *value <= 0.0 {
                    continue;
                }
                let from = axis.at(sum).max(rows.left);
                sum += value;
                let of = |what: &str| (self.bar == what).then(|| bar.label.clone());
                let subject = Subject {
                    memory: of("memory"),
                    layer: of("layer"),
                    cause: Some(*cause),
                    operand: match cause {
                        BarCause::Operand(operand) => Some(*operand),
                        _ => None,
                    },
                    ..Subject::default()
                };
                regions.push(Region { at: (from, y), size: ((axis.at(sum) - from).max(2), BAR), subject });
            }
        }
        regions
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.rows(width).bottom() + UNDER) as u32
    }

    fn table(&self) -> Table {
        let unit = self.unit();
        let headers = self.causes.iter().map(|cause| Column::scaled(cause.name(), self.quantity, unit));
        let total = Column::scaled("total", self.quantity, unit);
        let columns = std::iter::once(Column::words(&self.bar)).chain(headers).chain([total]).collect();
        let rows = (self.bars.iter())
            .map(|bar| {
                let numbers =
                    bar.values.iter().copied().chain([bar.total()]).map(|value| TableCell::scaled(unit, value));
                std::iter::once(bar.label.clone().into()).chain(numbers).collect()
            })
            .collect();
        Table { caption: format!("{} by cause", self.title), columns, rows }
    }

    fn describe(&self) -> String {
        let bars: Vec<String> =
            self.bars.iter().map(|bar| format!("{} {}", bar.label, self.quantity.text(bar.total()))).collect();
        let causes: Vec<&str> = self.causes.iter().map(|cause| cause.name()).collect();
        format!("{} split into {}: {}.", self.title, causes.join(", "), bars.join("; "))
    }
}
