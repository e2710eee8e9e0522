//! The results of a study so far: the Pareto front of energy, latency and area, or the best.

use super::lower_bound::HierarchyLowerBound;
use super::request::{HierarchySettings, Sought};
use crate::pareto;
use crate::search::Objective;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The cost of a hierarchy with the best mapping of every layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HierarchyCost {
    /// Index of the hierarchy.
    pub hierarchy: u32,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency of all layers, one after the other, cycles.
    pub latency_cycles: u64,
    /// Area of all instances, um2.
    pub area_um2: f64,
    /// Its value of the objective.
    pub score: f64,
    /// Whether every layer's mapping is proved to be the best.
    pub proved: bool,
}

impl HierarchyCost {
    /// Whether it dominates every point with this lower bound and area: nowhere worse, and better in something.
    fn dominates(&self, bound: HierarchyLowerBound, area_um2: f64) -> bool {
        pareto::dominates([
            self.energy_pj.partial_cmp(&bound.energy_pj),
            Some(self.latency_cycles.cmp(&bound.latency_cycles)),
            self.area_um2.partial_cmp(&area_um2),
        ])
    }

    /// Of two points the one of smaller score comes first; of equals the one of less latency, energy, area, number.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        (self.score.total_cmp(&other.score))
            .then(self.latency_cycles.cmp(&other.latency_cycles))
            .then(self.energy_pj.total_cmp(&other.energy_pj))
            .then(self.area_um2.total_cmp(&other.area_um2))
            .then(self.hierarchy.cmp(&other.hierarchy))
    }

    fn bound(&self) -> HierarchyLowerBound {
        HierarchyLowerBound { energy_pj: self.energy_pj, latency_cycles: self.latency_cycles }
    }
}

impl HierarchyLowerBound {
    /// The score of an objective that looks at energy and latency alone.
    pub(super) fn score(&self, objective: &Objective) -> f64 {
        objective.combine(self.energy_pj, Cycles(self.latency_cycles as f64), &|| 0.0, &|_| 0.0)
    }
}

/// The Pareto front: points that no other one dominates, in the order of their hierarchies. Points that are equal in everything all stay.
/// Where only the best is sought, its one point is the best so far, which dominates all with a larger score.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Front {
    points: Vec<HierarchyCost>,
    /// The objective by which only the best is sought.
    best_by: Option<Objective>,
}

impl Front {
    /// The empty front of a study with these settings.
    pub fn sought(settings: &HierarchySettings) -> Self {
        let best_by = (settings.sought == Sought::Best).then(|| settings.objective.clone());
        Self { points: Vec::new(), best_by }
    }

    /// The objective by which only the best is sought.
    pub(super) fn best_by(&self) -> Option<&Objective> {
        self.best_by.as_ref()
    }

    /// The points that no other dominates.
    pub fn points(&self) -> &[HierarchyCost] {
        &self.points
    }

    /// Adds a point unless another one dominates it, and drops those that it dominates.
    pub fn add(&mut self, point: HierarchyCost) {
        if self.best_by.is_some() {
            if self.points.first().is_none_or(|best| point.compare(best).is_lt()) {
                self.points = vec![point];
            }
            return;
        }
        let dominates = |one: &HierarchyCost, other: &HierarchyCost| one.dominates(other.bound(), other.area_um2);
        if pareto::admits(&mut self.points, &point, dominates) {
            let place = self.points.partition_point(|other| other.hierarchy < point.hierarchy);
            self.points.insert(place, point);
        }
    }

    /// Whether a point of the front dominates every point with this lower bound and area, so that the hierarchy need not be searched.
    pub fn dominates(&self, bound: HierarchyLowerBound, area_um2: f64) -> bool {
        match &self.best_by {
            Some(objective) => self.points.iter().any(|best| {
                let score = bound.score(objective);
                let HierarchyLowerBound { energy_pj, latency_cycles } = bound;
                best.compare(&HierarchyCost { energy_pj, latency_cycles, area_um2, score, ..*best }).is_lt()
            }),
            None => self.points.iter().any(|point| point.dominates(bound, area_um2)),
        }
    }

    /// The most energy with which a hierarchy can still be the best, where only the best is sought, pJ.
    pub(super) fn most_energy_pj(&self) -> f64 {
        match (&self.best_by, self.points.first()) {
            (Some(Objective::Energy), Some(best)) => best.energy_pj,
            _ => f64::INFINITY,
        }
    }
}
