//! Memory hierarchies as points: energy against latency, with the area as colour and shape (ZigZag, Fig. 19).

use super::scatter::{Scatter, ScatterPoint};
use crate::kit::{Chart, Column, Quantity, Sketch, Table, TableCell, Theme};
use fusescape_spec::sorting::sort_by;

/// The cost of one memory hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyPoint {
    /// Its memories on one line.
    pub name: String,
    /// Energy, pJ.
    pub energy_pj: f64,
    pub latency_cycles: u64,
    pub area_um2: f64,
    /// Whether it is on the Pareto front of energy, latency and area.
    pub pareto: bool,
}

/// Energy, latency and area of hierarchies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hierarchies {
    points: Vec<HierarchyPoint>,
    scatter: Scatter,
}

/// Number of shades of area that can be told apart.
const CLASSES: usize = 4;

impl Hierarchies {
    /// `selected` is the index of the opened hierarchy.
    pub fn new(points: Vec<HierarchyPoint>, selected: Option<usize>) -> Self {
        let limits = limits(&points);
        let class = |area: f64| limits.iter().position(|limit| area <= *limit).unwrap_or(0);
        let scatter = Scatter {
            series: limits.iter().map(|limit| format!("up to {}", Quantity::Area.text(*limit))).collect(),
            points: points
                .iter()
                .map(|point| ScatterPoint {
                    // Names are too long for the figure; they stand in the table.
                    label: format!(
                        "{}, {}",
                        Quantity::Energy.text(point.energy_pj),
                        Quantity::Area.text(point.area_um2)
                    ),
                    series: class(point.area_um2),
                    energy_pj: point.energy_pj,
                    latency_cycles: point.latency_cycles as f64,
                    pareto: point.pareto,
                })
                .collect(),
            selected,
        };
        Self { points, scatter }
    }

    /// Index of the point nearest to a place of the figure, CSS pixels, when it is `width` wide.
    pub fn point_at(&self, x: f64, y: f64, width: u32) -> Option<usize> {
        self.scatter.point_at(x, y, width)
    }
}

/// Largest area of each class; classes have about equally many points.
fn limits(points: &[HierarchyPoint]) -> Vec<f64> {
    let mut areas: Vec<f64> = points.iter().map(|point| point.area_um2).collect();
    sort_by(&mut areas, f64::total_cmp);
    let mut limits: Vec<f64> =
        (1..=CLASSES).filter_map(|class| areas.get((areas.len() * class / CLASSES).checked_sub(1)?).copied()).collect();
    // Limits that are printed alike are one class.
    limits.dedup_by(|a, b| {
        let alike = Quantity::Area.text(*a) == Quantity::Area.text(*b);
        if alike {
            *b = b.max(*a);
        }
        alike
    });
    limits
}

impl Chart for Hierarchies {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        self.scatter.sketch(width, theme)
    }

    fn height_for(&self, width: u32) -> u32 {
        self.scatter.height_for(width)
    }

    fn table(&self) -> Table {
        let row = |point: &HierarchyPoint| {
            vec![
                point.name.clone().into(),
                TableCell::of(Quantity::Energy, point.energy_pj),
                TableCell::of(Quantity::Latency, point.latency_cycles as f64),
                TableCell::of(Quantity::Area, point.area_um2),
                if point.pareto { "yes" } else { "no" }.into(),
            ]
        };
        Table {
            caption: "Energy, latency and area of the hierarchies drawn".to_owned(),
            columns: vec![
                Column::words("hierarchy"),
                Column::measured("energy", Quantity::Energy.base()),
                Column::measured("latency", Quantity::Latency.base()),
                Column::measured("area", Quantity::Area.base()),
                Column::words("best trade-off"),
            ],
            rows: self.points.iter().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        format!("{} Colour and shape show the area.", self.scatter.describe())
    }
}
