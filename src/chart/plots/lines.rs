//! Values that fall from loop to loop: accesses (ZigZag, Fig. 7a), or the energy of strategies (Fig. 18).

use super::xy::{Margins, PlotArea};
use crate::kit::{
    Axis, AxisScale, Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell,
    Theme, draw_legend, mix, nice_above, nice_below, shorten,
};
use fusescape_engine::hardware::Operand;

/// Colour and weight of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineLook {
    /// In the colour of the operand.
    Operand(Operand),
    /// One of several of equal weight: its index, and their number.
    Series(usize, usize),
    /// One of many in the background, which are not told apart.
    Faint,
}

/// A named curve with its steps and marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub name: String,
    pub look: LineLook,
    /// Values from left to right; the first is the one before any step.
    pub values: Vec<f64>,
    /// Labels of the steps, one fewer than values: `FX 3`. Empty where steps have no names.
    pub steps: Vec<String>,
    /// Emphasised values, by index, with their labels: the ends of memory levels.
    pub marks: Vec<(usize, String)>,
}

/// Lines over steps; the values are on a logarithmic scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    pub quantity: Quantity,
    /// Title of the axis of values: `accesses`.
    pub title: String,
    /// Title of the axis of steps: `loops, from the innermost`.
    pub step: String,
    /// Meaning of the marks; empty where there are none.
    pub mark: String,
    /// The lines; later ones lie over earlier ones.
    pub lines: Vec<Line>,
}

const LEFT: i32 = 58;
const MARGINS: Margins = Margins { left: LEFT, above: 24, right: 10 };
const PLOT: i32 = 250;
const BAND: i32 = 50;
const UNDER: i32 = 26;
/// Width for the name of a step, pixels.
const STEP: i32 = 12;

impl Line {
    fn color(&self, theme: &Theme) -> Color {
        match self.look {
            LineLook::Operand(operand) => theme.operand(operand),
            LineLook::Series(index, count) => theme.series(index, count),
            LineLook::Faint => mix(theme.panel, theme.soft, 0.35),
        }
    }
}

impl Lines {
    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.lines.iter().flat_map(|line| &line.values).copied().filter(|value| value.is_finite() && *value > 0.0)
    }

    fn range(&self) -> (f64, f64) {
        let low = self.values().fold(f64::INFINITY, f64::min);
        let high = self.values().fold(0.0, f64::max);
        if high > 0.0 { (nice_below(low), nice_above(high).max(nice_below(low) * 10.0)) } else { (1.0, 10.0) }
    }

    fn most_steps(&self) -> usize {
        self.lines.iter().map(|line| line.values.len().saturating_sub(1)).max().unwrap_or(0).max(1)
    }

    /// The lines with named steps; each gets a band of names where there is room.
    fn bands(&self, width: i32) -> Vec<&Line> {
        let room = (width - LEFT - 10) / self.most_steps() as i32 >= STEP;
        self.lines.iter().filter(|line| room && !line.steps.is_empty()).collect()
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mut entries: Vec<LegendEntry> = Vec::new();
        for line in &self.lines {
            if !entries.iter().any(|(_, name)| *name == line.name) {
                entries.push((LegendMark::Line(line.color(theme)), line.name.clone()));
            }
        }
        if !self.mark.is_empty() {
            entries.push((LegendMark::Dot(theme.ink), self.mark.clone()));
        }
        entries
    }

    fn area(&self, width: u32) -> PlotArea {
        PlotArea::new(&MARGINS, &self.entries(&Theme::LIGHT), width, PLOT)
    }

    fn draw_axes(&self, sketch: &mut Sketch, theme: &Theme, y: &Axis, area: &PlotArea) {
        let marks = y.marks(7).into_iter().map(|value| (value, self.quantity.compact_tick(value))).collect();
        area.draw_up(sketch, theme, y, marks);
        area.draw_base(sketch, theme);
        let title = shorten(&format!("{} (log scale)", self.title), area.right, 12.0, false);
        sketch.text(title, (0, area.top - 13), theme.note());
    }
}

impl Chart for Lines {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let area = self.area(width);
        let PlotArea { top, right, bottom, .. } = area;
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        let y = Axis::new(AxisScale::Log, self.range(), (bottom, top));
        let x = |step: usize| LEFT + 4 + (right - LEFT - 8) * step as i32 / self.most_steps() as i32;
        self.draw_axes(&mut sketch, theme, &y, &area);
        for line in &self.lines {
            let color = line.color(theme);
            let points: Vec<(i32, i32)> = line.values.iter().enumerate().map(|(i, &v)| (x(i), y.at(v))).collect();
            let faint = line.look == LineLook::Faint;
            if points.len() > 1 {
                sketch.line(points.clone(), if faint { 1 } else { 2 }, color);
            }
            if !faint {
                points.iter().for_each(|&at| sketch.circle(at, 2, color));
            }
        }
        for line in &self.lines {
            for &(index, _) in &line.marks {
                if let Some(&value) = line.values.get(index) {
                    let at = (x(index), y.at(value));
                    sketch.circle(at, 6, line.color(theme));
                    sketch.circle(at, 3, theme.panel);
                }
            }
        }
        let bands = self.bands(width as i32);
        for (band, line) in bands.iter().enumerate() {
            let y = bottom + 6 + band as i32 * BAND;
            sketch.text(
                shorten(&line.name, LEFT - 8, 12.0, true),
                (2, y + BAND / 2),
                theme.value().bold().color(line.color(theme)),
            );
            let letters = theme.label().size(10.5).end();
            for (step, name) in line.steps.iter().enumerate() {
                let name = shorten(name, BAND - 6, letters.size, false);
                let middle = (x(step) + x(step + 1)) / 2;
                sketch.text_upwards(name, (middle, y), letters);
            }
            for &(index, _) in &line.marks {
                sketch.vertical((x(index), y), BAND - 6, line.color(theme));
            }
        }
        let bottom = bottom + bands.len() as i32 * BAND + UNDER / 2 + 4;
        let title = shorten(&self.step, width as i32 - LEFT, 12.0, false);
        sketch.text(title, (area.middle(), bottom), theme.note().middle());
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        let bands = self.bands(width.max(MINIMUM_WIDTH) as i32).len() as i32;
        (self.area(width).bottom + bands * BAND + UNDER) as u32
    }

    fn table(&self) -> Table {
        let unit = self.quantity.unit(1.0);
        let columns = vec![
            Column::words("line"),
            Column::numbers("step"),
            Column::words("assigned"),
            Column::scaled(&self.title, self.quantity, unit),
            Column::words("mark"),
        ];
        let rows = self.lines.iter().flat_map(|line| {
            line.values.iter().enumerate().map(|(index, value)| {
                let step = index.checked_sub(1).and_then(|step| line.steps.get(step)).cloned().unwrap_or_default();
                let marks: Vec<&str> =
                    line.marks.iter().filter(|(at, _)| *at == index).map(|(_, name)| name.as_str()).collect();
                vec![
                    line.name.clone().into(),
                    TableCell::count(index as u64),
                    step.into(),
                    TableCell::number(format!("{value:.0}"), *value),
                    marks.join(", ").into(),
                ]
            })
        });
        Table { caption: format!("{} after every step", self.title), columns, rows: rows.collect() }
    }

    fn describe(&self) -> String {
        let named = self.lines.iter().filter(|line| line.look != LineLook::Faint);
        let line = |line: &Line| {
            let (first, last) = (line.values.first().copied(), line.values.last().copied());
            let text = |value: Option<f64>| self.quantity.text(value.unwrap_or(0.0));
            format!("{} from {} to {}", line.name, text(first), text(last))
        };
        let lines: Vec<String> = named.map(line).collect();
        format!("{} over {}: {}.", self.title, self.step, lines.join("; "))
    }
}
