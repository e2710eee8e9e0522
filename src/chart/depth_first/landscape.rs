//! Figures of all points of a sweep, also while it runs.

use super::account::strategy_title;
use super::macs::MacCounts;
use crate::kit::{AxisScale, Quantity};
use crate::maps::{BestCell, Heatmap, HeatmapCell, Ramp};
use crate::plots::{Scatter, ScatterPoint};
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape_engine::explore::{PointSummary, Settings};
use fusescape_engine::search::Objective;
use fusescape_engine::ties::{self, Figures, TilePlace};

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

    /// The figures by which points are compared that have these values of this quantity.
    pub fn figures(self, value: f64, point: &PointSummary) -> Figures {
        let objective = match self {
            Self::DramAccesses | Self::Accesses => Objective::DramAccesses,
            _ => Objective::Energy,
        };
        objective.figures(value, point.energy_pj, point.latency_cycles as f64)
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
        let places = (0..settings.tiles_y.len()).flat_map(|row| (0..settings.tiles_x.len()).map(move |x| (x, row)));
        let known = places.filter_map(|(column, row)| {
            let tile = (settings.tiles_x[column], settings.tiles_y[row]);
            let PlottedPoint::Known(summary) = self.state(self.point(tile, mode, fuse)) else { return None };
            Some(((column, row), (quantity.figures(quantity.of(summary)?, summary), TilePlace::new(tile, mode))))
        });
        let best = ties::best(known, |(_, judged)| *judged).map(|(place, _)| place);
        Heatmap {
            quantity,
            title: mode.title().to_owned(),
            widths: settings.tiles_x.clone(),
            heights: settings.tiles_y.clone(),
            cells: sizes.map(cell).collect(),
            range: None,
            selected: None,
            best: BestCell::At(best),
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

#[cfg(test)]
mod tests {
    use super::*;
    use fusescape_engine::explore::best_strategy;

    #[test]
    fn the_ringed_cell_is_the_best_strategy_also_where_energies_differ_by_rounding() {
        let modes = vec![StoringMode::FullyCached];
        let settings = Settings { tiles_x: vec![2, 8, 16], tiles_y: vec![2, 8], modes, ..Settings::default() };
        let strategies = settings.strategies();
        let (less, more) = (2_671_372.607_999_999, 2_671_372.608);
        let costs = [(less, 9857), (more, 9376), (3e6, 9000), (more, 9376), (less, 9999), (less, 9376)];
        let summaries: Vec<PointSummary> = (costs.into_iter().enumerate())
            .map(|(point, (energy_pj, latency_cycles))| PointSummary {
                point,
                energy_pj,
                latency_cycles,
                macs: 1,
                dram_words: 1.0,
                score: energy_pj,
                stacks: Vec::new(),
            })
            .collect();
        let states: Vec<PlottedPoint<'_>> = summaries.iter().map(PlottedPoint::Known).collect();
        let landscape = Landscape { settings: &settings, strategies: &strategies, states: &states, pareto: &[] };
        let map = landscape.heatmap(Quantity::Energy, StoringMode::FullyCached, &settings.fuse[0]);
        let (column, row) = map.best().expect("a best cell");
        let best = best_strategy(&settings, &strategies, &summaries).expect("a best point");
        assert_eq!((map.widths[column], map.heights[row]), strategies[best.point].tile);
        assert_eq!(best.latency_cycles, 9376);
    }
}
