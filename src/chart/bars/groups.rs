//! Groups of horizontal bars, each divided by cause: the cost of sequences of layers by themselves and fused
//! (HW-Flow-Fusion, Figs. 14 and 15), or the data that they keep on the chip (Figs. 12 and 13).

use super::bar_rows::{BarPart, BarRows, TITLE, draw_parts};
use super::paired::{change, multiple};
use crate::kit::{
    Axis, AxisScale, BarCause, Chart, Color, Column, LegendEntry, LegendMark, Lettering, MINIMUM_WIDTH, Quantity,
    Sketch, Table, TableCell, Theme, Unit, draw_legend, legend_height, shorten, text_on, wrap,
};

/// Bars with a common label, one per entry of [`Bars::bars`].
#[derive(Debug, Clone, PartialEq)]
pub struct BarGroup {
    /// `conv1 – pool1`.
    pub label: String,
    /// Whether it is the current one.
    pub is_marked: bool,
    /// For each bar of [`Bars::bars`] one value per part, or the reason why there is none.
    pub values: Vec<Result<Vec<f64>, &'static str>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    pub quantity: Quantity,
    /// Title of the quantity: `Energy`.
    pub title: String,
    /// The kind of item of a group: `sequence`.
    pub group: String,
    /// Short and long names of the bars of every group: `SL`, `single layers`. The first is the baseline of the others.
    pub bars: Vec<(&'static str, &'static str)>,
    /// The parts of a bar, from the left; none if bars are not divided, and differ in colour.
    pub parts: Vec<BarCause>,
    /// The groups, from the top.
    pub groups: Vec<BarGroup>,
    /// A value that all bars are compared with, and its name.
    pub limit: Option<(String, f64)>,
}

/// Height of a line of a title of several lines.
const LINE: i32 = 17;
const BAR: i32 = 15;
const BETWEEN: i32 = 2;
const NAME: i32 = 20;
const GAP: i32 = 12;
const UNDER: i32 = 20;
/// Figures higher than this have an axis above the bars, too.
const TALL: i32 = 500;

struct BarLayout {
    rows: BarRows,
    legend: i32,
    /// Whether there is an axis above the bars, too.
    is_tall: bool,
}

fn heading(theme: &Theme) -> Lettering {
    theme.heading().size(13.0)
}

fn sum(values: &[f64]) -> f64 {
    values.iter().filter(|value| value.is_finite()).sum()
}

impl Bars {
    fn totals(&self) -> impl Iterator<Item = f64> + '_ {
        self.groups.iter().flat_map(|group| group.values.iter().flatten().map(|values| sum(values)))
    }

    fn largest(&self) -> f64 {
        let limit = self.limit.iter().map(|(_, value)| *value);
        let largest = self.totals().fold(0.0, f64::max);
        // A limit far beyond all bars would leave them no room.
        limit.filter(|limit| *limit < 4.0 * largest).fold(largest, f64::max)
    }

    fn unit(&self) -> Unit {
        let smallest = self.totals().filter(|total| *total > 0.0).fold(f64::INFINITY, f64::min);
        self.quantity.unit_for(smallest.min(self.largest()), self.largest())
    }

    fn color(&self, theme: &Theme, bar: usize, part: usize) -> Color {
        self.parts.get(part).map_or_else(|| theme.series(bar, self.bars.len()), |cause| theme.cause(*cause))
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let parts = self.parts.iter().map(|cause| (LegendMark::Chip(theme.cause(*cause)), cause.name().to_owned()));
        let mut entries: Vec<LegendEntry> = parts.collect();
        if self.bars.len() > 1 {
            let bars = self.bars.iter().enumerate().map(|(bar, (short, long))| {
                if self.parts.is_empty() {
                    (LegendMark::Chip(self.color(theme, bar, 0)), (*long).to_owned())
                } else {
                    (LegendMark::None, format!("{short} {long}"))
                }
            });
            entries.extend(bars);
            if self.changes().next().is_some() {
                entries.push((LegendMark::None, format!("in brackets: relative to {}", self.bars[0].1)));
            }
        }
        if let Some((name, value)) = &self.limit {
            entries.push((LegendMark::Dashes(theme.ink), format!("{name} {}", self.quantity.text(*value))));
        }
        entries
    }

    fn has_names(&self) -> bool {
        self.bars.len() > 1 && !self.parts.is_empty()
    }

    /// The ratio of every other bar to the first one of its group.
    fn changes(&self) -> impl Iterator<Item = f64> + '_ {
        let total = |values: &Result<Vec<f64>, &str>| values.as_deref().ok().map(sum);
        self.groups.iter().flat_map(move |group| {
            let first = group.values.first().and_then(total).filter(|first| *first > 0.0);
            group.values.iter().skip(1).filter_map(move |values| Some(total(values)? / first?))
        })
    }

    /// Whether changes are printed as multiples, as one of them is too large for per cent.
    fn tells_multiples(&self) -> bool {
        self.changes().any(|ratio| !(0.5..2.0).contains(&ratio))
    }

    /// `1.20 (−12 %)`, or the reason why there is no bar.
    fn note(&self, group: &BarGroup, bar: usize, tells_multiples: bool) -> String {
        let total = |bar: usize| group.values.get(bar).and_then(|values| values.as_deref().ok()).map(sum);
        let Some(value) = total(bar) else {
            return group.values.get(bar).and_then(|values| values.clone().err()).unwrap_or("–").to_owned();
        };
        let unit = self.unit();
        match total(0).filter(|first| bar > 0 && *first > 0.0) {
            Some(first) if tells_multiples => format!("{} ({})", unit.text(value), multiple(value / first)),
            first => match change(first, Some(value)) {
                Some(change) => format!("{} ({change})", unit.text(value)),
                None => unit.text(value),
            },
        }
    }

    /// Title and unit, on as many lines as they need.
    fn heading(&self, width: i32, letters: Lettering) -> Vec<String> {
        let unit = self.unit().name;
        let heading = if unit.is_empty() { self.title.clone() } else { format!("{}, {unit}", self.title) };
        wrap(&heading, width, letters.size, letters.bold)
    }

    fn layout(&self, width: u32) -> BarLayout {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let letters = Theme::LIGHT.value();
        let label = self.groups.iter().map(|group| letters.bold().width(&group.label)).max().unwrap_or(0) + 10;
        let multiples = self.tells_multiples();
        let notes =
            self.groups.iter().flat_map(|group| (0..self.bars.len()).map(move |bar| self.note(group, bar, multiples)));
        // Reasons may be printed over the place of the bar.
        let right = notes.map(|note| letters.width(&note)).filter(|note| *note < width / 3).max().unwrap_or(0) + 12;
        let above = label > width / 4;
        let names = if self.has_names() { 24 } else { 0 };
        let bars = self.bars.len() as i32 * (BAR + BETWEEN);
        let pitch = bars + GAP + if above { NAME } else { 0 };
        let legend = TITLE + LINE * (self.heading(width, heading(&Theme::LIGHT)).len() as i32 - 1);
        let top = legend + legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 8;
        let is_tall = self.groups.len() as i32 * pitch > TALL;
        let rows = BarRows {
            above,
            left: if above { 0 } else { label } + names,
            end: width - right,
            top: top + if is_tall { UNDER } else { 0 },
            pitch,
            count: self.groups.len(),
        };
        BarLayout { rows, legend, is_tall }
    }

    /// The group at a place of the figure of this width, in pixels.
    pub fn group_at(&self, x: f64, y: f64, width: u32) -> Option<usize> {
        let rows = self.layout(width).rows;
        let group = ((y - f64::from(rows.top)) / f64::from(rows.pitch.max(1))).floor();
        let is_inside = (0.0..f64::from(width)).contains(&x) && (0.0..self.groups.len() as f64).contains(&group);
        is_inside.then_some(group as usize)
    }

    fn draw_bar(
        &self,
        sketch: &mut Sketch,
        theme: &Theme,
        axis: &Axis,
        (bar, values): (usize, &[f64]),
        at: (i32, i32),
    ) {
        let unit = self.unit();
        let mut reached = 0.0;
        let shown = values.iter().enumerate().filter(|(_, value)| value.is_finite() && **value > 0.0);
        let parts = shown.map(|(part, value)| {
            reached += value;
            let color = self.color(theme, bar, part);
            // A bar of one part has its value beside it instead.
            let text = if values.len() > 1 { unit.text(*value) } else { String::new() };
            let letters = (theme.value().size(10.5).middle().color(text_on(color)), 8);
            BarPart { to: axis.at(reached / unit.factor), color, text, letters }
        });
        draw_parts(sketch, at, BAR, parts);
    }
}

impl Chart for Bars {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (BarLayout { rows, legend, is_tall }, unit) = (self.layout(width), self.unit());
        for (line, text) in self.heading(width as i32, heading(theme)).into_iter().enumerate() {
            sketch.text(text, (0, 9 + line as i32 * LINE), heading(theme));
        }
        draw_legend(&mut sketch, &self.entries(theme), (0, legend), width as i32, theme.note());
        // In the unit, so that marks are round in MiB too.
        let axis = Axis::new(AxisScale::Linear, (0.0, self.largest() / unit.factor), (rows.left, rows.end));
        rows.draw_marks(&mut sketch, theme, &axis, is_tall, |value| unit.tick(value * unit.factor));
        let multiples = self.tells_multiples();
        for (index, group) in self.groups.iter().enumerate() {
            let mut y = rows.row(index) + GAP / 2;
            let letters = if group.is_marked { theme.value().bold() } else { theme.value() };
            let names = if self.has_names() { 24 } else { 0 };
            if rows.above {
                let label = shorten(&group.label, width as i32, letters.size, letters.bold);
                sketch.text(label, (0, y + NAME / 2 - 2), letters);
                y += NAME;
            } else {
                let middle = y + self.bars.len() as i32 * (BAR + BETWEEN) / 2;
                sketch.text(group.label.clone(), (rows.left - names - 10, middle), letters.end());
            }
            for (bar, values) in group.values.iter().enumerate() {
                let top = y + bar as i32 * (BAR + BETWEEN);
                if let Some((short, _)) = self.bars.get(bar).filter(|_| self.has_names()) {
                    sketch.text(*short, (rows.left - 6, top + BAR / 2), theme.label().size(10.5).end());
                }
                let note = self.note(group, bar, multiples);
                let mut x = rows.left;
                if let Ok(values) = values {
                    self.draw_bar(&mut sketch, theme, &axis, (bar, values), (rows.left, top));
                    x = axis.at(sum(values) / unit.factor);
                }
                let letters = if values.is_ok() { theme.value() } else { theme.note() };
                let note = shorten(&note, width as i32 - x - 6, letters.size, false);
                sketch.text(note, (x + 6, top + BAR / 2), letters);
            }
        }
        if let Some((_, limit)) = self.limit.as_ref().filter(|(_, limit)| *limit <= self.largest()) {
            let x = axis.at(*limit / unit.factor);
            let bottom = rows.bottom();
            let dashes = (rows.top..bottom).step_by(7);
            dashes.for_each(|y| sketch.vertical((x, y), 4.min(bottom - y), theme.ink));
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.layout(width).rows.bottom() + UNDER) as u32
    }

    fn table(&self) -> Table {
        let unit = self.unit();
        let mut columns = vec![Column::words(&self.group)];
        if self.bars.len() > 1 {
            columns.push(Column::words("how"));
        }
        columns.extend(self.parts.iter().map(|cause| Column::scaled(cause.name(), self.quantity, unit)));
        let whole = if self.parts.is_empty() { self.title.as_str() } else { "total" };
        columns.push(Column::scaled(whole, self.quantity, unit));
        let row = |group: &BarGroup, bar: usize| {
            let mut row: Vec<TableCell> = vec![group.label.clone().into()];
            if self.bars.len() > 1 {
                row.extend(self.bars.get(bar).map(|(_, long)| TableCell::from(*long)));
            }
            match group.values.get(bar) {
                Some(Ok(values)) => {
                    let parts = if self.parts.is_empty() { &[] } else { values.as_slice() };
                    let numbers = parts.iter().copied().chain([sum(values)]);
                    row.extend(numbers.map(|value| TableCell::scaled(unit, value)));
                }
                missing => {
                    row.extend(self.parts.iter().map(|_| TableCell::Nothing));
                    let reason = missing.and_then(|values| values.as_ref().err());
                    row.push(reason.map_or(TableCell::Nothing, |reason| (*reason).into()));
                }
            }
            row
        };
        Table {
            caption: format!("{} by {}", self.title, self.group),
            columns,
            rows: self.groups.iter().flat_map(|group| (0..self.bars.len()).map(move |bar| row(group, bar))).collect(),
        }
    }

    fn describe(&self) -> String {
        let group = |group: &BarGroup| {
            let bars = self.bars.iter().enumerate().map(|(bar, (_, long))| {
                let total = group.values.get(bar).and_then(|values| values.as_deref().ok()).map(sum);
                let text = total.map_or_else(|| "none".to_owned(), |total| self.quantity.text(total));
                if self.bars.len() > 1 { format!("{long} {text}") } else { text }
            });
            format!("{}: {}", group.label, bars.collect::<Vec<_>>().join(", "))
        };
        let groups: Vec<String> = self.groups.iter().map(group).collect();
        format!("{} by {}. {}.", self.title, self.group, groups.join("; "))
    }
}
