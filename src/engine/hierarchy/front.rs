//! The Pareto front of energy, latency and area.

use super::bound::Bound;
use serde::{Deserialize, Serialize};

/// The cost of a hierarchy with the best mapping of every layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Index of the hierarchy.
    pub hierarchy: u32,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles.
    pub latency_cycles: u64,
    /// Area, um2.
    pub area_um2: f64,
    /// Its value of the objective.
    pub score: f64,
    /// Whether every layer's mapping is proved to be the best.
    pub proved: bool,
}

impl Point {
    /// Whether it dominates every point with this lower bound and area: nowhere worse, and better in something.
    fn dominates(&self, bound: Bound, area_um2: f64) -> bool {
        let no_worse = self.energy_pj <= bound.energy_pj
            && self.latency_cycles <= bound.latency_cycles
            && self.area_um2 <= area_um2;
        let better =
            self.energy_pj < bound.energy_pj || self.latency_cycles < bound.latency_cycles || self.area_um2 < area_um2;
        no_worse && better
    }

    fn bound(&self) -> Bound {
        Bound { energy_pj: self.energy_pj, latency_cycles: self.latency_cycles }
    }
}

/// The Pareto front: points that no other one dominates, in the order of their hierarchies. Points that are equal in everything all stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Front(Vec<Point>);

impl Front {
    /// The points.
    pub fn points(&self) -> &[Point] {
        &self.0
    }

    /// Adds a point unless another one dominates it, and drops those that it dominates.
    pub fn add(&mut self, point: Point) {
        if self.dominates(point.bound(), point.area_um2) {
            return;
        }
        self.0.retain(|other| !point.dominates(other.bound(), other.area_um2));
        let place = self.0.partition_point(|other| other.hierarchy < point.hierarchy);
        self.0.insert(place, point);
    }

    /// Whether a point of the front dominates every point with this lower bound and area, so that the hierarchy need not be searched.
    pub fn dominates(&self, bound: Bound, area_um2: f64) -> bool {
        self.0.iter().any(|point| point.dominates(bound, area_um2))
    }
}
