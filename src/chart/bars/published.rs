//! Numbers of a paper beside ours: one row per claim; claims of one unit share an axis.

use super::bar_rows::{BarRows, TITLE};
use crate::kit::{
    Axis, AxisScale, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Sketch, Table, TableCell, Theme, digits,
    draw_legend, draw_point, legend_height, shorten,
};

/// A number of a paper, and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedNumber {
    /// The name of the claim.
    pub label: String,
    /// The unit of all numbers here; empty for a count.
    pub unit: &'static str,
    /// Smallest and largest published value, equal unless the paper gives a range. An open end is infinite.
    pub published: (f64, f64),
    /// The published value as text.
    pub published_text: String,
    /// Our value; `None` where it is not known, or not yet.
    pub ours: Option<f64>,
    /// Our value as text.
    pub ours_text: String,
}

/// Numbers of a paper beside ours.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedNumbers {
    /// The source: `DeFiNES, Fig. 12`.
    pub title: String,
    /// Grouped by unit, otherwise in the order of the paper.
    numbers: Vec<PublishedNumber>,
}

const PITCH: i32 = 22;
/// Pitch of a row whose label stands above its marks.
const TALL_PITCH: i32 = 40;
/// Room above the rows of a unit for its name, pixels.
const UNIT: i32 = 24;
/// Room below them for the marks of the axis.
const UNDER: i32 = 26;
/// Ratio of the largest to the smallest value above which the axis is logarithmic.
const WIDE: f64 = 12.0;
/// Radius of the mark of a published number, pixels; our mark fits inside.
const RING: i32 = 6;

impl PublishedNumber {
    fn ends(&self) -> impl Iterator<Item = f64> {
        [self.published.0, self.published.1].into_iter().chain(self.ours).filter(|value| value.is_finite())
    }

    fn note(&self) -> String {
        match self.ours {
            None => self.published_text.clone(),
            Some(_) => format!("{} → {}", self.published_text, self.ours_text),
        }
    }
}

impl PublishedNumbers {
    /// Groups the numbers by unit, in the order in which units first appear.
    pub fn new(title: impl Into<String>, numbers: Vec<PublishedNumber>) -> Self {
        let mut units: Vec<&'static str> = Vec::new();
        for number in &numbers {
            if !units.contains(&number.unit) {
                units.push(number.unit);
            }
        }
        let of_unit = |unit: &'static str| numbers.iter().filter(move |number| number.unit == unit).cloned();
        Self { title: title.into(), numbers: units.iter().flat_map(|unit| of_unit(unit)).collect() }
    }

    fn groups(&self) -> impl Iterator<Item = &[PublishedNumber]> {
        self.numbers.chunk_by(|a, b| a.unit == b.unit)
    }

    fn entries(theme: &Theme) -> Vec<LegendEntry> {
        let ring = LegendMark::Outline { line: theme.soft, gap: theme.panel, inside: theme.panel };
        vec![(ring, "published".to_owned()), (LegendMark::Dot(theme.accent), "ours".to_owned())]
    }

    fn top(width: i32) -> i32 {
        TITLE + legend_height(&Self::entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 4
    }

    /// Layout of the rows of a unit that begin at `top`; all units have the same columns.
    fn rows(&self, width: i32, top: i32, count: usize) -> BarRows {
        let letters = Theme::LIGHT.value();
        let widest = |text: &dyn Fn(&PublishedNumber) -> String| {
            self.numbers.iter().map(|number| letters.width(&text(number))).max().unwrap_or(0)
        };
        let (label, note) = (widest(&|number| number.label.clone()), widest(&PublishedNumber::note));
        let above = 3 * (label + note + 24) > 2 * width;
        let left = if above { RING + 1 } else { label + 12 + RING };
        let end = if above { width - RING - 2 } else { width - note - 12 - RING };
        BarRows { above, left, end, top, pitch: if above { TALL_PITCH } else { PITCH }, count }
    }
}

/// The axis of the numbers of a unit: from zero, or logarithmic where they are far apart.
fn axis(numbers: &[PublishedNumber], ends: (i32, i32)) -> Axis {
    let values = || numbers.iter().flat_map(PublishedNumber::ends);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if low > 0.0 && high > WIDE * low {
        Axis::new(AxisScale::Log, (low / 1.2, high * 1.2), ends)
    } else {
        Axis::new(AxisScale::Linear, (low.min(0.0), high.max(0.0)), ends)
    }
}

impl Chart for PublishedNumbers {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let full = width as i32;
        sketch.heading((&self.title, theme.heading().size(13.0)), ("published and ours", theme.note()));
        draw_legend(&mut sketch, &Self::entries(theme), (0, TITLE), full, theme.note());
        let mut y = Self::top(full);
        for group in self.groups() {
            let unit = group.first().map_or("", |number| number.unit);
            let name = if unit.is_empty() { "counts" } else { unit };
            sketch.text(name, (0, y + UNIT / 2), theme.note());
            let rows = self.rows(full, y + UNIT, group.len());
            let axis = axis(group, (rows.left, rows.end));
            rows.draw_marks(&mut sketch, theme, &axis, false, |value| {
                let text = digits(value, 3);
                if text.contains('.') && !text.contains('e') {
                    text.trim_end_matches('0').trim_end_matches('.').to_owned()
                } else {
                    text
                }
            });
            for (index, number) in group.iter().enumerate() {
                let row = rows.row(index);
                let middle = if rows.above {
                    let room = full - theme.value().width(&number.note()) - 10;
                    sketch.text(shorten(&number.label, room, 12.0, false), (0, row + 9), theme.value());
                    sketch.text(number.note(), (full - 1, row + 9), theme.note().end());
                    row + 27
                } else {
                    sketch.text(number.label.clone(), (rows.left - RING - 10, row + PITCH / 2), theme.value().end());
                    sketch.text(number.note(), (full - 1, row + PITCH / 2), theme.note().end());
                    row + PITCH / 2
                };
                let (from, to) = number.published;
                let at = |value: f64| match value {
                    f64::INFINITY => rows.end,
                    f64::NEG_INFINITY => rows.left,
                    value => axis.at(value),
                };
                let (from, to) = (at(from), at(to));
                if let Some(ours) = number.ours {
                    let (ours, near) = (axis.at(ours), axis.at(ours.max(number.published.0).min(number.published.1)));
                    sketch.rect((ours.min(near), middle), ((ours - near).abs(), 2), theme.accent);
                }
                // A range is drawn as a bar, a single number as a ring.
                sketch.round_rect(
                    (from - RING, middle - RING),
                    (to - from + 2 * RING + 1, 2 * RING + 1),
                    4,
                    theme.soft,
                );
                let inside = 2 * (RING - 2) + 1;
                sketch.round_rect((from - RING + 2, middle - RING + 2), (to - from + inside, inside), 3, theme.panel);
                if let Some(ours) = number.ours {
                    draw_point(&mut sketch, 0, (axis.at(ours), middle), 3, theme.accent);
                }
            }
            y = rows.bottom() + UNDER;
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let bottom = |y: i32, group: &[PublishedNumber]| self.rows(width, y + UNIT, group.len()).bottom() + UNDER;
        self.groups().fold(Self::top(width), bottom) as u32
    }

    fn table(&self) -> Table {
        let columns = vec![
            Column::words("claim"),
            Column::words("unit"),
            Column::numbers("published, least"),
            Column::numbers("published, most"),
            Column::numbers("ours"),
        ];
        let cell = |text: &str, value: f64| match value.is_finite() {
            true => TableCell::number(text.to_owned(), value),
            false => TableCell::Nothing,
        };
        let row = |number: &PublishedNumber| {
            let (least, most) = number.published;
            let text = |value: f64| digits(value, 4);
            vec![
                number.label.clone().into(),
                number.unit.into(),
                cell(&text(least), least),
                cell(&text(most), most),
                number.ours.map_or(TableCell::Nothing, |ours| cell(&number.ours_text, ours)),
            ]
        };
        let caption = format!("{}: published and ours", self.title);
        Table { caption, columns, rows: self.numbers.iter().map(row).collect() }
    }

    fn describe(&self) -> String {
        let known = self.numbers.iter().filter(|number| number.ours.is_some()).count();
        let first: Vec<String> =
            self.numbers.iter().take(3).map(|number| format!("{}: {}", number.label, number.note())).collect();
        let all = self.numbers.len();
        format!("{}: {all} published numbers, ours beside {known} of them. {}.", self.title, first.join("; "))
    }
}
