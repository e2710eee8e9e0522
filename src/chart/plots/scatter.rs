//! Energy against latency of all points, and the front of the best trade-offs.

use super::xy::{Plane, PlotArea, draw_ringed, nearest};
use crate::kit::{
    Axis, AxisScale, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell, Theme,
    Unit, draw_legend, draw_point, mix, shorten,
};
use fusescape_spec::sorting::sort_by;

/// The cost of one point of the design space.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// `fully-cached 4 × 72`.
    pub label: String,
    /// Index of its series.
    pub series: usize,
    /// Energy, pJ.
    pub energy_pj: f64,
    pub latency_cycles: f64,
    /// Whether no other point is better in both.
    pub pareto: bool,
}

/// Energy against latency, both logarithmic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scatter {
    /// Names of the series, normally the storing modes.
    pub series: Vec<String>,
    pub points: Vec<ScatterPoint>,
    /// Index of the opened point.
    pub selected: Option<usize>,
}

const LEFT: i32 = 62;
const UNDER: i32 = 44;

impl ScatterPoint {
    fn is_drawable(&self) -> bool {
        [self.energy_pj, self.latency_cycles].iter().all(|value| value.is_finite() && *value > 0.0)
    }
}

impl Scatter {
    fn drawable(&self) -> impl Iterator<Item = (usize, &ScatterPoint)> {
        self.points.iter().enumerate().filter(|(_, point)| point.is_drawable())
    }

    fn range(&self, value: impl Fn(&ScatterPoint) -> f64) -> (f64, f64) {
        let ends = (f64::INFINITY, 0.0);
        let (low, high) = self
            .drawable()
            .fold(ends, |(low, high): (f64, f64), (_, point)| (low.min(value(point)), high.max(value(point))));
        if high > 0.0 { (low, high) } else { (1.0, 10.0) }
    }

    fn units(&self) -> (Unit, Unit) {
        let (energy, latency) = (self.range(|p| p.energy_pj), self.range(|p| p.latency_cycles));
        (Quantity::Energy.unit_for(energy.0, energy.1), Quantity::Latency.unit_for(latency.0, latency.1))
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let count = self.series.len();
        let mark = |index| LegendMark::Point(index, theme.series(index, count));
        let series = self.series.iter().enumerate().map(|(index, name)| (mark(index), name.clone()));
        // A front of a single point has no line.
        let has_front = self.drawable().filter(|(_, point)| point.pareto).nth(1).is_some();
        series.chain(has_front.then(|| (LegendMark::Line(theme.ink), "best trade-offs".to_owned()))).collect()
    }

    fn plane(&self, width: u32) -> Plane {
        let area = PlotArea::of_points(LEFT, &self.entries(&Theme::LIGHT), width);
        // A margin on both sides, so that no point lies on an axis.
        let wide = |(low, high): (f64, f64)| (low / 1.15, high * 1.15);
        let x = Axis::new(AxisScale::Log, wide(self.range(|p| p.latency_cycles)), (area.left, area.right));
        let y = Axis::new(AxisScale::Log, wide(self.range(|p| p.energy_pj)), (area.bottom, area.top));
        Plane { area, x, y }
    }

    /// Index of the point nearest to a place of the figure, CSS pixels, when it is `width` wide.
    pub fn point_at(&self, x: f64, y: f64, width: u32) -> Option<usize> {
        let plane = self.plane(width);
        let at = |point: &ScatterPoint| plane.at(point.latency_cycles, point.energy_pj);
        nearest(self.drawable().map(|(index, point)| (index, at(point))), (x, y))
    }

    fn draw_axes(&self, sketch: &mut Sketch, theme: &Theme, plane: &Plane) {
        let (energy, latency) = self.units();
        let PlotArea { left, top, right, bottom } = plane.area;
        let titled = |name: &str, unit: Unit, axis: &Axis, count: i32| {
            let marks = axis.marks(count as usize).into_iter().map(|value| (value, unit.tick(value)));
            (marks.collect(), format!("{name}, {}", unit.name))
        };
        let up = titled("energy", energy, &plane.y, (bottom - top) / 32);
        plane.draw_axes(sketch, theme, titled("latency", latency, &plane.x, (right - left) / 50), up);
    }

    /// The members of the front by ascending latency, joined by steps.
    fn draw_front(&self, sketch: &mut Sketch, theme: &Theme, plane: &Plane) {
        let mut front: Vec<&ScatterPoint> = self.drawable().map(|(_, p)| p).filter(|p| p.pareto).collect();
        sort_by(&mut front, |a, b| {
            a.latency_cycles.total_cmp(&b.latency_cycles).then(a.energy_pj.total_cmp(&b.energy_pj))
        });
        // If the front is also about a third quantity, some members are not on the front of these two.
        let mut least = f64::INFINITY;
        front.retain(|point| {
            let better = point.energy_pj < least;
            least = least.min(point.energy_pj);
            better
        });
        let front = front.into_iter().map(|point| (point.latency_cycles, point.energy_pj));
        plane.draw_front(sketch, front, mix(theme.panel, theme.ink, 0.75));
    }

    fn draw_points(&self, sketch: &mut Sketch, theme: &Theme, plane: &Plane) {
        let count = self.series.len();
        let at = |point: &ScatterPoint| plane.at(point.latency_cycles, point.energy_pj);
        for (_, point) in self.drawable().filter(|(_, point)| !point.pareto) {
            draw_point(sketch, point.series, at(point), 4, theme.series(point.series, count));
        }
        self.draw_front(sketch, theme, plane);
        for (_, point) in self.drawable().filter(|(_, point)| point.pareto) {
            draw_point(sketch, point.series, at(point), 7, theme.ink);
            draw_point(sketch, point.series, at(point), 5, theme.series(point.series, count));
        }
        let selected = self.selected.and_then(|index| self.points.get(index)).filter(|point| point.is_drawable());
        if let Some(point) = selected {
            let (x, y) = at(point);
            draw_ringed(sketch, theme, theme.accent, (point.series, (x, y), theme.series(point.series, count)));
            let letters = theme.value().bold();
            let label = shorten(&point.label, plane.area.right - LEFT - 10, letters.size, true);
            let half = letters.width(&label) / 2 + 3;
            // Above the point, or below where there is no room; always within the plot.
            let y = if y - 32 > plane.area.top { y - 22 } else { y + 22 };
            let x = x.min(plane.area.right - half).max(LEFT + half + 2);
            sketch.rect((x - half, y - 9), (2 * half, 18), theme.panel);
            sketch.text(label, (x, y), letters.middle());
        }
    }
}

impl Chart for Scatter {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let plane = self.plane(width);
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        self.draw_axes(&mut sketch, theme, &plane);
        self.draw_points(&mut sketch, theme, &plane);
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.plane(width).area.bottom + UNDER) as u32
    }

    fn table(&self) -> Table {
        let (energy, latency) = self.units();
        let columns = vec![
            Column::words("strategy"),
            Column::scaled("energy", Quantity::Energy, energy),
            Column::scaled("latency", Quantity::Latency, latency),
            Column::words("best trade-off"),
        ];
        let row = |point: &ScatterPoint| {
            let best = if point.pareto { "yes" } else { "no" };
            vec![
                point.label.clone().into(),
                TableCell::scaled(energy, point.energy_pj),
                TableCell::scaled(latency, point.latency_cycles),
                best.into(),
            ]
        };
        Table {
            caption: "Energy and latency of all points".to_owned(),
            columns,
            rows: self.points.iter().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let front = self.points.iter().filter(|point| point.pareto).count();
        let (energy, latency) = (self.range(|p| p.energy_pj), self.range(|p| p.latency_cycles));
        format!(
            "Energy against latency of {} points, from {} to {} and from {} to {}; {front} are best trade-offs.",
            self.points.len(),
            Quantity::Energy.text(energy.0),
            Quantity::Energy.text(energy.1),
            Quantity::Latency.text(latency.0),
            Quantity::Latency.text(latency.1)
        )
    }
}
