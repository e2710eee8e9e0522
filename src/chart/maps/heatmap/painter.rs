//! Draws the cells of a heatmap with their values, rings, lines of equal value and axes.

use super::{Heatmap, HeatmapCell, HeatmapLayout, log_share};
use crate::kit::{Color, Lettering, Sketch, Theme, Unit, digits, mix, text_on};
use crate::maps::contour::contour;

/// A heatmap while it is drawn, with the values that all cells share.
pub(super) struct Painter<'a> {
    map: &'a Heatmap,
    layout: &'a HeatmapLayout,
    theme: &'a Theme,
    range: (f64, f64),
    unit: Unit,
    best: Option<(usize, usize)>,
}

impl<'a> Painter<'a> {
    pub fn new(map: &'a Heatmap, layout: &'a HeatmapLayout, theme: &'a Theme) -> Self {
        Self { map, layout, theme, range: map.value_range(), unit: map.unit(), best: map.best() }
    }

    pub fn draw(&self, sketch: &mut Sketch) {
        self.draw_cells(sketch);
        self.draw_values(sketch);
        self.draw_axes(sketch);
    }

    fn color(&self, value: f64) -> Color {
        self.map.ramp.color(log_share(value, self.range))
    }

    /// The largest letters and the most digits with which all values fit.
    fn lettering(&self) -> Option<(Lettering, i32)> {
        let (width, height) = self.layout.size();
        let values: Vec<f64> = self.map.cells.iter().filter_map(|cell| cell.value()).collect();
        let choices = [(13.0, 3), (12.0, 3), (11.0, 3), (10.0, 3), (10.0, 2), (9.0, 3), (9.0, 2)];
        choices.into_iter().find_map(|(size, significant)| {
            let letters = self.theme.value().middle().size(size);
            let fits = f64::from(height) >= size + 3.0
                && values.iter().all(|v| letters.width(&label(*v, self.unit, significant)) + 4 <= width);
            fits.then_some((letters, significant))
        })
    }

    fn draw_cell(&self, sketch: &mut Sketch, at: (usize, usize)) {
        let (corner, size) = self.layout.cell(at.0, at.1);
        let radius = if size.0.min(size.1) >= 18 { 4 } else { 0 };
        match self.map.cell(at.0, at.1) {
            HeatmapCell::Value { value, pareto } if value.is_finite() => {
                let color = self.color(value);
                sketch.round_rect(corner, size, radius, color);
                if pareto && size.0.min(size.1) >= 6 {
                    let (inset, dot) = if size.1 >= 20 { (6, 2) } else { (3, 1) };
                    sketch.circle((corner.0 + size.0 - inset, corner.1 + inset), dot, text_on(color));
                }
            }
            HeatmapCell::Infeasible => {
                sketch.rect(corner, size, self.theme.placeholder());
                sketch.hatch(corner, size, mix(self.theme.panel, self.theme.soft, 0.45));
            }
            HeatmapCell::Estimate(value) => sketch.round_rect(corner, size, radius, self.color(value)),
            _ => sketch.round_rect(corner, size, radius, self.theme.placeholder()),
        }
    }

    /// All cells at once, one colour each, with lines of equal value and the Pareto front.
    fn draw_image(&self, sketch: &mut Sketch) {
        let (map, layout, theme) = (self.map, self.layout, self.theme);
        let (columns, rows) = (map.widths.len(), map.heights.len());
        let hatched = [theme.placeholder(), mix(theme.panel, theme.soft, 0.45)];
        let colors = (0..rows * columns).map(|index| match map.cell(index % columns, index / columns) {
            HeatmapCell::Value { value, .. } if value.is_finite() => self.color(value),
            HeatmapCell::Estimate(value) => self.color(value),
            HeatmapCell::Infeasible => hatched[(index % columns + index / columns) % 2],
            _ => theme.placeholder(),
        });
        let size = (layout.right() - layout.left, layout.bottom() - layout.top);
        sketch.image((layout.left, layout.top), size, columns, colors.collect());
        self.draw_contours(sketch, size);
        for index in 0..rows * columns {
            let at = (index % columns, index / columns);
            if let HeatmapCell::Value { value, pareto: true } = map.cell(at.0, at.1) {
                let ((x, y), (width, height)) = layout.cell(at.0, at.1);
                sketch.circle((x + width / 2, y + height / 2), 2, text_on(self.color(value)));
            }
        }
    }

    fn draw_contours(&self, sketch: &mut Sketch, size: (i32, i32)) {
        let (map, layout) = (self.map, self.layout);
        let grid = (map.widths.len(), map.heights.len());
        let place = |(x, y): (f64, f64)| {
            let at = |share: f64, count: usize, extent: i32| (share / count as f64 * f64::from(extent)).round() as i32;
            (layout.left + at(x, grid.0, size.0), layout.top + at(y, grid.1, size.1))
        };
        let mut labels: Vec<(i32, i32)> = Vec::new();
        for (level, label) in &map.contours {
            let color = text_on(self.color(*level));
            let segments = contour(grid, &|column, row| map.cell(column, row).value(), *level);
            for &(from, to) in &segments {
                sketch.line(vec![place(from), place(to)], 1, color);
            }
            // The label stands where it overlaps no other one and lies within the image.
            let letters = self.theme.value().middle().size(10.0).color(color);
            let half = letters.width(label) / 2 + 4;
            let is_free = |(x, y): &(i32, i32)| {
                (layout.left + half..layout.right() - half).contains(x)
                    && (layout.top + 9..layout.bottom() - 9).contains(y)
                    && labels.iter().all(|(a, b)| (a - x).abs() > 2 * half + 8 || (b - y).abs() > 14)
            };
            let middle = segments.len() / 2;
            let candidates = segments[middle..].iter().chain(&segments[..middle]).map(|(from, _)| place(*from));
            if let Some(at) = candidates.map(|(x, y)| (x, y - 8)).find(is_free) {
                sketch.text(label.clone(), at, letters);
                labels.push(at);
            }
        }
    }

    /// A cell with rings around it, given from the outside to the inside.
    fn draw_ringed(&self, sketch: &mut Sketch, at: (usize, usize), rings: &[(i32, Color)]) {
        let ((x, y), (width, height)) = self.layout.cell(at.0, at.1);
        for (by, color) in rings {
            sketch.round_rect((x - by, y - by), (width + 2 * by, height + 2 * by), 4, *color);
        }
        self.draw_cell(sketch, at);
    }

    fn draw_cells(&self, sketch: &mut Sketch) {
        let Theme { ink, panel, accent, .. } = *self.theme;
        if self.map.is_image(self.layout) {
            self.draw_image(sketch);
        } else {
            for row in 0..self.map.heights.len() {
                for column in 0..self.map.widths.len() {
                    self.draw_cell(sketch, (column, row));
                }
            }
        }
        if let Some(best) = self.best {
            self.draw_ringed(sketch, best, &[(3, ink), (1, panel)]);
        }
        let on_map = |at: &(usize, usize)| at.0 < self.map.widths.len() && at.1 < self.map.heights.len();
        if let Some(selected) = self.map.selected.filter(on_map) {
            let chosen = [(5, panel), (4, accent), (1, panel)];
            let chosen_best = [(7, panel), (6, accent), (4, panel), (3, ink), (1, panel)];
            let rings = if self.best == Some(selected) { &chosen_best[..] } else { &chosen[..] };
            self.draw_ringed(sketch, selected, rings);
        }
    }

    fn draw_values(&self, sketch: &mut Sketch) {
        if self.map.is_image(self.layout) {
            return;
        }
        let Some((letters, significant)) = self.lettering() else { return };
        for row in 0..self.map.heights.len() {
            for column in 0..self.map.widths.len() {
                let Some(value) = self.map.cell(column, row).value() else { continue };
                let ((x, y), (width, height)) = self.layout.cell(column, row);
                let text = label(value, self.unit, significant);
                let letters = letters.color(text_on(self.color(value)));
                let bold = letters.bold();
                let is_bold = self.best == Some((column, row)) && bold.width(&text) + 2 <= width;
                sketch.text(text, (x + width / 2, y + height / 2), if is_bold { bold } else { letters });
            }
        }
    }

    fn draw_axes(&self, sketch: &mut Sketch) {
        let (layout, letters, title) = (self.layout, self.theme.label(), self.theme.note().middle());
        let widest = self.map.widths.iter().map(|width| letters.width(&width.to_string())).max().unwrap_or(0);
        for column in labelled(&layout.columns, widest + 6) {
            let ((x, _), (width, _)) = layout.cell(column, 0);
            sketch.text(self.map.widths[column].to_string(), (x + width / 2, layout.bottom() + 11), letters);
        }
        for row in labelled(&layout.rows, 14) {
            let ((_, y), (_, height)) = layout.cell(0, row);
            sketch.text(self.map.heights[row].to_string(), (layout.left - 8, y + height / 2), letters.end());
        }
        let middle = (layout.left + layout.right()) / 2;
        sketch.text("tile width X, columns", (middle, layout.bottom() + 30), title);
        let room = layout.bottom() - layout.top;
        let texts = ["tile height Y, rows", "height Y", "Y"];
        let text = texts.into_iter().find(|text| title.width(text) <= room).unwrap_or("");
        sketch.text_upwards(text, (7, (layout.top + layout.bottom()) / 2), title);
    }
}

fn label(value: f64, unit: Unit, significant: i32) -> String {
    if significant == 3 { unit.text(value) } else { digits(value / unit.factor, significant) }
}

/// The intervals that get a label of `needed` pixels: every `n`-th, so that labels do not overlap.
fn labelled(edges: &[i32], needed: i32) -> impl Iterator<Item = usize> {
    let count = edges.len().saturating_sub(1);
    let extent = edges.last().unwrap_or(&0) - edges.first().unwrap_or(&0);
    let every = if extent > 0 { (needed * count as i32 + extent - 1) / extent } else { 1 };
    (0..count).step_by(every.max(1) as usize)
}
