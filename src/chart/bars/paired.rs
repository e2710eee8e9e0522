//! Two designs side by side: one pair of bars per memory, cause or layer, sorted by how much they differ.

use super::bar_rows::{BarRows, TITLE};
use crate::kit::{
    Axis, AxisScale, Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell,
    Theme, Unit, digits, draw_legend, legend_height, mix, shorten, three_digits,
};
use fusescape_spec::sorting::sort_by;

/// An item that both designs have, or one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// `sram_64KB`.
    pub label: String,
    /// Its value in design A, in base units; `None` where A lacks the item.
    pub a: Option<f64>,
    /// Its value in design B.
    pub b: Option<f64>,
}

impl Pair {
    fn difference(&self) -> f64 {
        self.b.unwrap_or(0.0) - self.a.unwrap_or(0.0)
    }
}

/// Pairs of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
    pub quantity: Quantity,
    /// `Energy by memory`.
    pub title: String,
    /// The kind of item: `memory`.
    pub row: String,
    /// Sorted by how much they differ.
    pairs: Vec<Pair>,
}

const BAR: i32 = 9;
const BARS: i32 = 2 * BAR + 2;
const PITCH: i32 = 34;
/// Pitch of a pair whose label stands above its bars.
const TALL_PITCH: i32 = 50;
const NAME: i32 = 19;
const UNDER: i32 = 22;
/// Limit on the pairs drawn; the table has them all.
const MOST: usize = 12;

impl Paired {
    /// Sorts the pairs; those that are zero in both are left out.
    pub fn new(quantity: Quantity, title: impl Into<String>, row: impl Into<String>, mut pairs: Vec<Pair>) -> Self {
        pairs.retain(|pair| pair.a.unwrap_or(0.0) != 0.0 || pair.b.unwrap_or(0.0) != 0.0);
        sort_by(&mut pairs, |x, y| y.difference().abs().total_cmp(&x.difference().abs()));
        Self { quantity, title: title.into(), row: row.into(), pairs }
    }

    /// Sorted by how much they differ.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    fn shown(&self) -> &[Pair] {
        &self.pairs[..self.pairs.len().min(MOST)]
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.pairs.iter().flat_map(|pair| [pair.a, pair.b]).flatten()
    }

    fn unit(&self) -> Unit {
        let largest = self.values().fold(0.0, f64::max);
        self.quantity.unit(largest)
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let [a, b] = colors(theme);
        vec![(LegendMark::Chip(a), "A, pinned".to_owned()), (LegendMark::Chip(b), "B, at hand".to_owned())]
    }

    fn rows(&self, width: u32) -> BarRows {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let letters = Theme::LIGHT.value();
        let widest = |text: &dyn Fn(&Pair) -> String| {
            self.shown().iter().map(|pair| letters.width(&text(pair))).max().unwrap_or(0)
        };
        let (label, note) = (widest(&|pair| pair.label.clone()), widest(&|pair| self.note(pair)));
        let above = label + note + 20 > width / 2;
        let left = if above { 0 } else { label + 10 };
        let end = if above { width - 1 } else { width - note - 10 };
        let top = TITLE + legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 8;
        BarRows { above, left, end, top, pitch: if above { TALL_PITCH } else { PITCH }, count: self.shown().len() }
    }

    /// `1.20 → 0.80, −33 %`; with a unit where it differs from that of the figure.
    fn note(&self, pair: &Pair) -> String {
        let unit = self.quantity.unit(pair.a.unwrap_or(0.0).max(pair.b.unwrap_or(0.0)));
        let side = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| unit.text(value));
        let name = if unit == self.unit() { String::new() } else { format!(" {}", unit.name) };
        let change = change(pair.a, pair.b).map_or_else(String::new, |by| format!(", {by}"));
        format!("{} → {}{name}{change}", side(pair.a), side(pair.b))
    }
}

/// Colours of A and B.
fn colors(theme: &Theme) -> [Color; 2] {
    [mix(theme.soft, theme.panel, 0.35), theme.accent]
}

/// `−33 %`, `2.50×`; `None` where one is missing.
pub fn change(a: Option<f64>, b: Option<f64>) -> Option<String> {
    let (a, b) = (a?, b?);
    if a == 0.0 {
        return None;
    }
    let ratio = b / a;
    Some(match ratio {
        // Sums of the same terms in another order are equal up to this.
        _ if (ratio - 1.0).abs() < 1e-9 => "equal".to_owned(),
        0.5..2.0 => {
            let percent = 100.0 * (ratio - 1.0);
            let sign = if percent < 0.0 { "−" } else { "+" };
            let size = match percent.abs() {
                // `+0.0 %` would be odd.
                ..0.001 => return Some("almost equal".to_owned()),
                size @ ..0.05 => digits(size, 1),
                size @ ..10.0 => format!("{size:.1}"),
                size => format!("{size:.0}"),
            };
            format!("{sign}{size} %")
        }
        _ => multiple(ratio),
    })
}

/// `2.50×`.
pub(super) fn multiple(ratio: f64) -> String {
    format!("{}×", three_digits(ratio))
}

/// A [`change`] as a cell of a table; in files it is in per cent.
pub(crate) fn change_cell(a: Option<f64>, b: Option<f64>) -> TableCell {
    match (change(a, b), a, b) {
        (Some(text), Some(a), Some(b)) => TableCell::number(text, 100.0 * (b / a - 1.0)),
        _ => TableCell::Nothing,
    }
}

impl Chart for Paired {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (rows, unit) = (self.rows(width), self.unit());
        sketch.text(format!("{}, {}", self.title, unit.name), (0, 9), theme.heading().size(13.0));
        draw_legend(&mut sketch, &self.entries(theme), (0, TITLE), width as i32, theme.note());
        let largest = self.values().fold(0.0, f64::max);
        let axis = Axis::new(AxisScale::Linear, (0.0, largest), (rows.left, rows.end));
        rows.draw_marks(&mut sketch, theme, &axis, false, |value| unit.tick(value));
        for (index, pair) in self.shown().iter().enumerate() {
            let y = rows.row(index);
            let note = self.note(pair);
            let y = if rows.above {
                let room = width as i32 - theme.value().width(&note) - 10;
                sketch.text(shorten(&pair.label, room, 12.0, false), (0, y + 8), theme.value());
                sketch.text(note, (width as i32 - 1, y + 8), theme.note().end());
                y + NAME
            } else {
                let middle = y + PITCH / 2;
                sketch.text(pair.label.clone(), (rows.left - 10, middle), theme.value().end());
                sketch.text(note, (width as i32 - 1, middle), theme.note().end());
                y + (PITCH - BARS) / 2
            };
            for (place, (value, color)) in [pair.a, pair.b].into_iter().zip(colors(theme)).enumerate() {
                // A missing value gets no bar, a tiny one a line.
                let Some(value) = value else { continue };
                let length = (axis.at(value) - rows.left).max(1);
                sketch.rect((rows.left, y + place as i32 * (BAR + 2)), (length, BAR), color);
            }
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.rows(width).bottom() + UNDER) as u32
    }

    fn table(&self) -> Table {
        let unit = self.unit();
        let number = |name: &str| Column::scaled(name, self.quantity, unit);
        let columns =
            vec![Column::words(&self.row), number("A"), number("B"), number("B − A"), Column::measured("change", "%")];
        let side = |value: Option<f64>| value.map_or(TableCell::Nothing, |value| TableCell::scaled(unit, value));
        let rows = self.pairs.iter().map(|pair| {
            let label = pair.label.clone().into();
            vec![label, side(pair.a), side(pair.b), side(Some(pair.difference())), change_cell(pair.a, pair.b)]
        });
        Table { caption: format!("{}: A and B", self.title), columns, rows: rows.collect() }
    }

    fn describe(&self) -> String {
        let most = self.pairs.iter().take(3).map(|pair| format!("{} {}", pair.label, self.note(pair)));
        let most: Vec<String> = most.collect();
        let unit = self.unit();
        format!("{} of designs A and B, {}; they differ most in {}.", self.title, unit.name, most.join("; "))
    }
}
