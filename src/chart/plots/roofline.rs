//! A roofline (Williams et al., 2009): multiply-accumulates per cycle over multiply-accumulates per byte of DRAM, both
//! logarithmic. The roof rises with the bandwidth of DRAM until the array is full.

use super::xy::{Margins, PlotArea};
use crate::kit::{
    Axis, AxisScale, Chart, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Sketch, Table, TableCell, Theme, digits,
    draw_legend, nice_above, nice_below, three_digits,
};

/// A workload on the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct RooflinePoint {
    pub name: String,
    /// Multiply-accumulates per byte to or from DRAM.
    pub macs_per_byte: f64,
    /// Multiply-accumulates per cycle.
    pub macs_per_cycle: f64,
}

/// Points below the roof of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// The variable in which the points differ: `sequences at a time`.
    pub place: String,
    /// Multiply-accumulates per cycle of the full array.
    pub macs_per_cycle: f64,
    /// Bytes that DRAM moves per cycle.
    pub bytes_per_cycle: f64,
    /// In the order of the variable.
    pub points: Vec<RooflinePoint>,
}

const MARGINS: Margins = Margins { left: 58, above: 28, right: 16 };
const PLOT: i32 = 230;
const UNDER: i32 = 44;
const POINTS: &str = "computed";
const ROOF: &str = "roof: bandwidth of DRAM, then the full array";

impl Roofline {
    /// Upper bound on multiply-accumulates per cycle at this intensity.
    fn roof(&self, macs_per_byte: f64) -> f64 {
        (macs_per_byte * self.bytes_per_cycle).min(self.macs_per_cycle)
    }

    fn ridge(&self) -> f64 {
        self.macs_per_cycle / self.bytes_per_cycle
    }

    fn entries(theme: &Theme) -> Vec<LegendEntry> {
        vec![(LegendMark::Line(theme.soft), ROOF.to_owned()), (LegendMark::Dot(theme.series(0, 1)), POINTS.to_owned())]
    }

    fn area(width: u32) -> PlotArea {
        PlotArea::new(&MARGINS, &Self::entries(&Theme::LIGHT), width, PLOT)
    }

    /// Ranges of the axes, with margins around all points and the ridge.
    fn ranges(&self) -> [(f64, f64); 2] {
        let range = |values: &dyn Fn(&RooflinePoint) -> f64, own: f64| {
            let all = || self.points.iter().map(values).chain([own]).filter(|value| value.is_finite() && *value > 0.0);
            let low = nice_below(all().fold(f64::INFINITY, f64::min));
            (low, nice_above(all().fold(0.0, f64::max)).max(10.0 * low))
        };
        [range(&|point| point.macs_per_byte, self.ridge()), range(&|point| point.macs_per_cycle, self.macs_per_cycle)]
    }
}

impl Chart for Roofline {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let area = Self::area(width);
        draw_legend(&mut sketch, &Self::entries(theme), (0, 0), width as i32, theme.note());
        sketch.text("MACs in a cycle (log scale)", (0, area.top - 15), theme.note());
        let [across, up] = self.ranges();
        let x = Axis::new(AxisScale::Log, across, (area.left, area.right));
        let y = Axis::new(AxisScale::Log, up, (area.bottom, area.top));
        let texts = |marks: Vec<f64>| marks.into_iter().map(|value| (value, digits(value, 3))).collect();
        area.draw_up(&mut sketch, theme, &y, texts(y.marks(6)));
        area.draw_along(&mut sketch, theme, &x, 12, texts(x.marks(5)));
        // Where the roof enters the plot: at its left or its lower border.
        let enters = across.0.max(up.0 / self.bytes_per_cycle);
        let roof = [enters, self.ridge(), across.1].map(|at| (x.at(at), y.at(self.roof(at))));
        sketch.line(roof.to_vec(), 2, theme.soft);
        let color = theme.series(0, 1);
        let points: Vec<(i32, i32)> =
            self.points.iter().map(|point| (x.at(point.macs_per_byte), y.at(point.macs_per_cycle))).collect();
        if points.len() > 1 {
            sketch.line(points.clone(), 1, color);
        }
        for &at in &points {
            sketch.circle(at, 4, color);
        }
        // Names of the first and the last point; the others follow in order between them.
        let ends = [points.first().zip(self.points.first()), points.last().zip(self.points.last())];
        for (&(across, up), point) in ends.into_iter().flatten() {
            sketch.text_inside(point.name.clone(), (across, up + 14), theme.label().middle().bold());
        }
        area.draw_base(&mut sketch, theme);
        let title = "MACs for a byte of DRAM (log scale)";
        sketch.text(title, (area.middle(), area.bottom + 30), theme.note().middle());
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (Self::area(width).bottom + UNDER) as u32
    }

    fn table(&self) -> Table {
        let number = |value: f64| TableCell::number(three_digits(value), value);
        let row = |point: &RooflinePoint| {
            let numbers = [point.macs_per_byte, point.macs_per_cycle, self.roof(point.macs_per_byte)];
            std::iter::once(TableCell::from(point.name.as_str())).chain(numbers.map(number)).collect()
        };
        Table {
            caption: format!("Roofline by {}", self.place),
            columns: vec![
                Column::words(&self.place),
                Column::measured("intensity", "MAC/B"),
                Column::measured("computed", "MAC/cycle"),
                Column::measured("roof", "MAC/cycle"),
            ],
            rows: self.points.iter().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let point = |point: &RooflinePoint| {
            format!(
                "{}: {} MACs a cycle of {} below the roof",
                point.name,
                three_digits(point.macs_per_cycle),
                three_digits(self.roof(point.macs_per_byte)),
            )
        };
        let points: Vec<String> = self.points.iter().map(point).collect();
        format!("A roofline over {}: {}.", self.place, points.join("; "))
    }
}
