//! Values over a variable that doubles from place to place: DRAM traffic over the buffer (Optimus, Fig. 16).

use super::xy::{Margins, PlotArea};
use crate::kit::{
    Axis, AxisScale, Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Quantity, Sketch, Table, TableCell,
    Theme, draw_legend, group_thousands, shorten,
};
use fusescape_engine::explore::{ExactDecision, FusionStep, Grouping, GroupingTraffic, OnlineDecision, SweptParameter};
use fusescape_spec::sorting::sort_by_key;

/// One line of [`Curves`].
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// One value per place; `None` interrupts the curve.
    pub values: Vec<Option<f64>>,
}

/// Curves over places with equal distances on a logarithmic axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    pub quantity: Quantity,
    /// The quantity in words, for the axis: `DRAM traffic of an image`.
    pub title: String,
    /// The variable of the places: `buffer`.
    pub place: String,
    /// Unit of the places in the table; empty for counts.
    pub place_unit: &'static str,
    /// Values of the variable, ascending.
    pub places: Vec<f64>,
    /// Labels of the places on the axis.
    pub place_names: Vec<String>,
    /// The curves; later ones lie over earlier ones.
    pub curves: Vec<Curve>,
    /// A lower bound on all curves, if one is known.
    pub floor: Option<Curve>,
    /// Index of the place of the current design.
    pub design: Option<usize>,
    /// Label of that place: `this design`.
    pub mark: &'static str,
}

const LEFT: i32 = 52;
const MARGINS: Margins = Margins { left: LEFT, above: 28, right: 24 };
const PLOT: i32 = 210;
const UNDER: i32 = 44;

impl Curves {
    /// DRAM traffic by Optimus' model over the steps of one sweep, in any order.
    pub fn of_fusion(varied: SweptParameter, steps: &[FusionStep]) -> Self {
        let mut steps: Vec<&FusionStep> = steps.iter().filter(|step| step.varied == varied).collect();
        sort_by_key(&mut steps, |step| step.step);
        let name = |step: &&FusionStep| match varied {
            SweptParameter::Buffer => Quantity::Bytes.text(step.value as f64),
            SweptParameter::Array | SweptParameter::Batch => group_thousands(step.value),
        };
        let curve = |(index, grouping): (usize, Grouping)| Curve {
            name: grouping.title().to_owned(),
            values: steps.iter().map(|step| step.bytes.get(index).copied().flatten()).collect(),
        };
        Self {
            quantity: Quantity::Bytes,
            title: "DRAM traffic of an image".to_owned(),
            place: varied.title().to_owned(),
            place_unit: if varied == SweptParameter::Buffer { Quantity::Bytes.base() } else { "" },
            places: steps.iter().map(|step| step.value as f64).collect(),
            place_names: steps.iter().map(name).collect(),
            curves: Grouping::ALL.into_iter().enumerate().map(curve).collect(),
            floor: Some(Curve {
                name: "oracle".to_owned(),
                values: steps.iter().map(|step| Some(step.oracle_bytes)).collect(),
            }),
            design: steps.iter().position(|step| step.is_design),
            mark: "this design",
        }
    }

    /// DRAM traffic of groups that are decided on line, and of the best groups, over the sizes of the buffer, in any
    /// order; the mark is at step `at`.
    pub fn of_online(steps: &[(OnlineDecision, ExactDecision)], at: i32) -> Self {
        let mut steps: Vec<&(OnlineDecision, ExactDecision)> = steps.iter().collect();
        sort_by_key(&mut steps, |(online, _)| online.step);
        let bytes = |found: &Option<GroupingTraffic>| found.as_ref().map(|found| found.bytes);
        Self {
            quantity: Quantity::Bytes,
            title: "DRAM traffic of an image".to_owned(),
            place: SweptParameter::Buffer.title().to_owned(),
            place_unit: Quantity::Bytes.base(),
            places: steps.iter().map(|(online, _)| online.buffer_bytes as f64).collect(),
            place_names: steps.iter().map(|(online, _)| Quantity::Bytes.text(online.buffer_bytes as f64)).collect(),
            curves: vec![
                Curve {
                    name: "decided on line".to_owned(),
                    values: steps.iter().map(|(online, _)| bytes(&online.found)).collect(),
                },
                Curve {
                    name: "exact search".to_owned(),
                    values: steps.iter().map(|(_, exact)| bytes(&exact.found)).collect(),
                },
            ],
            floor: Some(Curve {
                name: "oracle".to_owned(),
                values: steps.iter().map(|(_, exact)| Some(exact.oracle_bytes)).collect(),
            }),
            design: steps.iter().position(|(online, _)| online.step == at),
            mark: "at the slider",
        }
    }

    fn all(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().chain(&self.floor)
    }

    fn largest(&self) -> f64 {
        let values = self.all().flat_map(|curve| &curve.values);
        values.flatten().copied().fold(0.0, f64::max)
    }

    /// A few curves are ordered, as bars are.
    fn color(&self, theme: &Theme, index: usize) -> Color {
        if self.curves.len() > 3 { theme.tile_type(index) } else { theme.series(index, self.curves.len()) }
    }

    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let curves = self.curves.iter().enumerate();
        let mut entries: Vec<LegendEntry> =
            curves.map(|(index, curve)| (LegendMark::Line(self.color(theme, index)), curve.name.clone())).collect();
        entries.extend(self.floor.iter().map(|floor| (LegendMark::Line(theme.soft), floor.name.clone())));
        if self.design.is_some() {
            entries.push((LegendMark::Dot(theme.ink), self.mark.to_owned()));
        }
        entries
    }

    fn area(&self, width: u32) -> PlotArea {
        PlotArea::new(&MARGINS, &self.entries(&Theme::LIGHT), width, PLOT)
    }

    fn draw(sketch: &mut Sketch, points: &[Option<(i32, i32)>], thickness: u32, color: Color) {
        // A missing value interrupts the curve.
        for part in points.split(Option::is_none) {
            let part: Vec<(i32, i32)> = part.iter().copied().flatten().collect();
            if part.len() > 1 {
                sketch.line(part, thickness, color);
            }
        }
    }
}

impl Chart for Curves {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let area = self.area(width);
        let PlotArea { top, right, bottom, .. } = area;
        let unit = self.quantity.unit(self.largest());
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        sketch.text(format!("{}, {}", self.title, unit.name), (0, top - 15), theme.note());
        // In the unit, so that marks are round in MiB too; with some space above.
        let y = Axis::new(AxisScale::Linear, (0.0, 1.04 * self.largest() / unit.factor), (bottom, top));
        let marks = y.marks(6).into_iter().map(|value| (value, unit.tick(value * unit.factor))).collect();
        area.draw_up(&mut sketch, theme, &y, marks);
        let last = self.places.len().saturating_sub(1).max(1) as i32;
        let x = |place: usize| LEFT + 12 + (right - LEFT - 24) * place as i32 / last;
        if let Some(design) = self.design {
            sketch.vertical((x(design), top), PLOT, theme.soft);
        }
        let at = |curve: &Curve| -> Vec<Option<(i32, i32)>> {
            curve
                .values
                .iter()
                .enumerate()
                .map(|(place, value)| Some((x(place), y.at((*value)? / unit.factor))))
                .collect()
        };
        if let Some(floor) = &self.floor {
            Self::draw(&mut sketch, &at(floor), 1, theme.soft);
        }
        for (index, curve) in self.curves.iter().enumerate() {
            let color = self.color(theme, index);
            let points = at(curve);
            // Earlier curves are broader, so that they show below later ones that have the same values.
            let behind = (self.curves.len() - 1 - index) as u32;
            Self::draw(&mut sketch, &points, 2 + 2 * behind.min(3), color);
            for (place, point) in points.into_iter().enumerate() {
                if let Some(point) = point {
                    sketch.circle(point, behind.min(3) + if self.design == Some(place) { 5 } else { 3 }, color);
                }
            }
        }
        // Every second name if there is no room for all, or every fourth and so on. This keeps round ones and the one
        // of the design.
        let letters = theme.label().middle();
        let widest = self.place_names.iter().map(|name| letters.width(name)).max().unwrap_or(0) + 8;
        let fits = |every: &usize| *every as i32 * (right - LEFT - 24) / last >= widest || *every as i32 >= last;
        let every = (0..16).map(|power| 1 << power).find(fits).unwrap_or(1);
        let first = self.design.unwrap_or(0) % every;
        for (place, name) in self.place_names.iter().enumerate().skip(first).step_by(every) {
            let letters = if self.design == Some(place) { letters.bold() } else { letters };
            sketch.text_inside(name.clone(), (x(place), bottom + 12), letters);
        }
        area.draw_base(&mut sketch, theme);
        let title = shorten(&self.place, width as i32 - LEFT, 12.0, false);
        sketch.text(title, (area.middle(), bottom + 30), theme.note().middle());
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.area(width).bottom + UNDER) as u32
    }

    fn table(&self) -> Table {
        let unit = self.quantity.base();
        let place = if self.place_unit.is_empty() {
            Column::numbers(&self.place)
        } else {
            Column::measured(&self.place, self.place_unit)
        };
        let row = |(index, (value, name)): (usize, (&f64, &String))| {
            let cell = |curve: &Curve| {
                let value = curve.values.get(index).copied().flatten();
                value.map_or_else(|| "does not fit".into(), |value| TableCell::of(self.quantity, value))
            };
            [TableCell::number(name.clone(), *value)].into_iter().chain(self.all().map(cell)).collect()
        };
        Table {
            caption: format!("{} by {}", self.title, self.place),
            columns: [place].into_iter().chain(self.all().map(|curve| Column::measured(&curve.name, unit))).collect(),
            rows: self.places.iter().zip(&self.place_names).enumerate().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let ends = |curve: &Curve| {
            let mut known = curve.values.iter().flatten();
            let (first, last) = (known.next()?, known.next_back()?);
            Some(format!("{} from {} to {}", curve.name, self.quantity.text(*first), self.quantity.text(*last)))
        };
        let curves: Vec<String> = self.all().filter_map(ends).collect();
        format!("{} over {}: {}.", self.title, self.place, curves.join("; "))
    }
}
