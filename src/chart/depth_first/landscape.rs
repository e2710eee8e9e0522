//! Figures of all points of a sweep, also while it runs.

use super::account::strategy_title;
use super::macs::MacCounts;
use crate::kit::{AxisScale, Quantity};
use crate::maps::{BestCell, Heatmap, HeatmapCell, Ramp};
use crate::plots::{Scatter, ScatterPoint};
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape_engine::explore::{PointSummary, Settings};

/// The state of a point of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlottedPoint<'a> {
    /// Not computed yet.
    Pending,
    Infeasible,
    /// Its cost.
    Known(&'a PointSummary),
}

/// All points of a sweep.
#[derive(Debug, Clone, Copy)]
pub struct Landscape<'a> {
    /// The settings of the sweep.
    pub settings: &'a Settings,
    /// One strategy per point.
    pub strategies: &'a [DepthFirstStrategy],
    /// The state of each point.
    pub states: &'a [PlottedPoint<'a>],
    /// Indices of the points of the Pareto front in energy and latency.
    pub pareto: &'a [usize],
}

impl Quantity {
    /// This quantity of a point, in base units; `None` for one of a single memory or tile.
    pub fn of(self, point: &PointSummary) -> Option<f64> {
        match self {
            Self::Energy => Some(point.energy_pj),
            Self::Latency => Some(point.latency_cycles as f64),
            Self::EnergyDelay => Some(point.energy_pj * point.latency_cycles as f64),
            Self::DramAccesses => Some(point.dram_words),
            Self::Macs => Some(point.macs as f64),
            Self::WeightedSum => Some(point.score),
            _ => None,
        }
    }
}

impl Landscape<'_> {
    /// Index of the point with this strategy.
    pub fn point(&self, tile: (u64, u64), mode: StoringMode, fuse: &FuseDepth) -> Option<usize> {
        self.strategies.iter().position(|s| s.tile == tile && s.mode == mode && s.fuse == *fuse)
    }

    fn state(&self, point: Option<usize>) -> PlottedPoint<'_> {
        point.and_then(|point| self.states.get(point)).copied().unwrap_or(PlottedPoint::Pending)
    }

    /// One quantity over all tile sizes, for one storing mode and fuse depth.
    pub fn heatmap(&self, quantity: Quantity, mode: StoringMode, fuse: &FuseDepth) -> Heatmap {
        let settings = self.settings;
        let sizes = settings.tiles_y.iter().flat_map(|y| settings.tiles_x.iter().map(move |x| (*x, *y)));
        let cell = |tile| {
            let point = self.point(tile, mode, fuse);
            match self.state(point) {
                PlottedPoint::Pending => HeatmapCell::Pending,
                PlottedPoint::Infeasible => HeatmapCell::Infeasible,
                PlottedPoint::Known(summary) => quantity.of(summary).map_or(HeatmapCell::Pending, |value| {
                    HeatmapCell::Value { value, pareto: point.is_some_and(|point| self.pareto.contains(&point)) }
                }),
            }
        };
        Heatmap {
            quantity,
            title: mode.title().to_owned(),
            widths: settings.tiles_x.clone(),
            heights: settings.tiles_y.clone(),
            cells: sizes.map(cell).collect(),
            range: None,
            selected: None,
            best: BestCell::OfCells,
            contours: Vec::new(),
            ramp: Ramp::default(),
        }
    }

    /// One heatmap per storing mode, on one colour scale.
    pub fn heatmaps(&self, quantity: Quantity, fuse: &FuseDepth) -> Vec<Heatmap> {
        let modes = self.settings.modes.iter();
        let maps: Vec<Heatmap> = modes.map(|mode| self.heatmap(quantity, *mode, fuse)).collect();
        let range = Heatmap::shared_range(&maps);
        let Some(range) = range else { return maps };
        maps.into_iter().map(|map| Heatmap { range: Some(range), ..map }.with_contours(range)).collect()
    }

    /// Energy against latency of all computed points, and the index of the point of each mark.
    pub fn scatter(&self) -> (Scatter, Vec<usize>) {
        let series: Vec<String> = StoringMode::ALL.iter().map(|mode| mode.title().to_owned()).collect();
        let known = self.strategies.iter().zip(self.states).enumerate().filter_map(|(index, (strategy, state))| {
            let PlottedPoint::Known(summary) = state else { return None };
            let point = ScatterPoint {
                label: strategy_title(strategy),
                series: StoringMode::ALL.iter().position(|mode| *mode == strategy.mode).unwrap_or(0),
                energy_pj: summary.energy_pj,
                latency_cycles: summary.latency_cycles as f64,
                pareto: self.pareto.contains(&index),
            };
            Some((point, index))
        });
        let (points, indices) = known.unzip();
        (Scatter { series, points, selected: None }, indices)
    }

    /// Multiply-accumulates of the tile sizes on the diagonal of the heatmaps.
    pub fn macs(&self, fuse: &FuseDepth, scale: AxisScale) -> MacCounts {
        let settings = self.settings;
        let count = |tile, mode| match self.state(self.point(tile, mode, fuse)) {
            PlottedPoint::Known(summary) => Quantity::Macs.of(summary),
            _ => None,
        };
        let group = |tile: (u64, u64)| {
            let counts = settings.modes.iter().map(|mode| count(tile, *mode)).collect();
            (format!("{} × {}", tile.0, tile.1), counts)
        };
        let sizes = settings.tiles_x.iter().copied().zip(settings.tiles_y.iter().copied());
        MacCounts {
            scale,
            series: settings.modes.iter().map(|mode| mode.title().to_owned()).collect(),
            groups: sizes.map(group).collect(),
            least: None,
        }
    }
}
