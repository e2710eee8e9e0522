//! Legend of the colours and marks of heatmaps.

use super::heatmap::log_share;
use crate::kit::{
    Axis, AxisScale, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme,
    draw_legend, legend_height, mix, viridis,
};

/// The colour scale that several heatmaps share, and their marks.
#[derive(Debug, Clone, PartialEq)]
pub struct ColorBar {
    pub quantity: Quantity,
    /// Values at the ends of the scale; `None` while nothing is computed.
    pub range: Option<(f64, f64)>,
    /// Whether some cells cannot be scheduled.
    pub infeasible: bool,
    /// Whether members of the Pareto front are marked.
    pub pareto: bool,
    /// Lines of equal value, as multiples of the smallest; empty where none are drawn.
    pub contours: Vec<f64>,
}

const BAR: i32 = 10;
const WIDE: i32 = 560;

impl ColorBar {
    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mut entries = vec![(
            LegendMark::Outline { line: theme.ink, gap: theme.panel, inside: viridis(0.0) },
            "best of its storing mode".to_owned(),
        )];
        if self.pareto {
            entries.push((LegendMark::Dot(theme.ink), "best trade-off of energy and latency".to_owned()));
        }
        if !self.contours.is_empty() {
            let factors: Vec<String> = self.contours.iter().map(|factor| format!("{factor}×")).collect();
            entries.push((LegendMark::Line(theme.ink), format!("lines at {} the smallest", factors.join(", "))));
        }
        if self.infeasible {
            let lines = mix(theme.panel, theme.soft, 0.45);
            entries.push((LegendMark::Hatched(theme.placeholder(), lines), "does not fit".to_owned()));
        }
        entries
    }

    pub(super) fn title(&self) -> String {
        let unit = self.range.map_or("", |(low, high)| self.quantity.unit_for(low, high).name);
        let comma = if unit.is_empty() { "" } else { ", " };
        format!("{}{comma}{unit}", self.quantity.title())
    }
}

impl Chart for ColorBar {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (letters, wide) = (theme.heading().size(13.0), width as i32 >= WIDE);
        let title = self.title();
        sketch.text(title.clone(), (0, 10), letters);
        let left = if wide { letters.width(&title) + 20 } else { 0 };
        let top = if wide { 5 } else { 24 };
        let length = (width as i32 - left).min(420);
        for x in (0..length).step_by(2) {
            let color = viridis(f64::from(x) / f64::from(length));
            sketch.rect((left + x, top), (2.min(length - x), BAR), color);
        }
        if let Some((low, high)) = self.range {
            let unit = self.quantity.unit_for(low, high);
            let axis = Axis::new(AxisScale::Log, (low, high), (left, left + length));
            let y = top + BAR + 12;
            let (first, last) = (unit.text(low), unit.text(high));
            sketch.text(first.clone(), (left, y), theme.label().start());
            let mut taken = left + theme.label().width(&first);
            let mut end = left + length;
            if log_share(high, (low, high)) > 0.0 {
                sketch.text(last.clone(), (end, y), theme.label().end());
                end -= theme.label().width(&last);
            }
            for value in axis.marks(8) {
                let (text, x) = (unit.tick(value), axis.at(value));
                let half = theme.label().width(&text) / 2 + 1;
                if x - half > taken + 8 && x + half < end - 8 {
                    sketch.vertical((x, top + BAR), 4, theme.soft);
                    sketch.text(text, (x, y), theme.label());
                    taken = x + half;
                }
            }
        }
        draw_legend(&mut sketch, &self.entries(theme), (0, top + BAR + 24), width as i32, theme.note());
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let top = if width >= WIDE { 5 } else { 24 };
        (top + BAR + 24 + legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note())) as u32
    }

    fn table(&self) -> Table {
        let (low, high) = self.range.unwrap_or((f64::NAN, f64::NAN));
        let unit = self.quantity.unit_for(low, high);
        let row = |end: &str, value: f64| vec![end.into(), TableCell::scaled(unit, value)];
        Table {
            caption: "Ends of the colour scale".to_owned(),
            columns: vec![Column::words("colour"), Column::scaled(self.quantity.title(), self.quantity, unit)],
            rows: vec![row("brightest", low), row("darkest", high)],
        }
    }

    fn describe(&self) -> String {
        match self.range {
            Some((low, high)) => format!(
                "Logarithmic colour scale of {}: bright is {}, dark is {}.",
                self.quantity.name(),
                self.quantity.text(low),
                self.quantity.text(high)
            ),
            None => format!("Colour scale of {}; nothing is computed yet.", self.quantity.name()),
        }
    }
}
