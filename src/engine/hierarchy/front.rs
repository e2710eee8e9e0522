//! The results of a study so far: the Pareto front of energy, latency and area, or the best.

use super::lower_bound::HierarchyLowerBound;
use super::request::{HierarchySettings, Sought};
use crate::pareto;
use crate::search::Objective;
use crate::ties::{Contenders, Figures, rules_out};
use crate::tolerance::REL_TOLERANCE;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

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

    /// The figures by which points are compared: score, latency, energy, area.
    pub(super) fn figures(&self) -> Figures<4> {
        [self.score, self.latency_cycles as f64, self.energy_pj, self.area_um2]
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
    /// Where only the best is sought: all that may be the best, first the one that is so far.
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
        match (&self.best_by, &self.points[..]) {
            (Some(_), [best, ..]) => std::slice::from_ref(best),
            (_, points) => points,
        }
    }

    /// Adds a point unless another one dominates it, and drops those that it dominates.
    pub fn add(&mut self, point: HierarchyCost) {
        if self.best_by.is_some() {
            let mut contenders = Contenders::default();
            for point in std::mem::take(&mut self.points).into_iter().chain([point]) {
                contenders.offer(point.figures(), point.hierarchy, || point);
            }
            self.points = contenders.into_ranked();
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
            Some(objective) => {
                let HierarchyLowerBound { energy_pj, latency_cycles } = bound;
                let least = [bound.score(objective), latency_cycles as f64, energy_pj, area_um2];
                // No place: what is equal in everything may come before.
                self.points.iter().any(|point| rules_out((&point.figures(), &Some(point.hierarchy)), (&least, &None)))
            }
            None => self.points.iter().any(|point| point.dominates(bound, area_um2)),
        }
    }

    /// The most energy with which a hierarchy can still be the best, where only the best is sought, pJ.
    pub(super) fn most_energy_pj(&self) -> f64 {
        match (&self.best_by, self.points.first()) {
            (Some(Objective::Energy), Some(best)) => best.energy_pj * (1.0 + REL_TOLERANCE),
            _ => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_does_not_depend_on_the_order_of_results() {
        // Each ties in its score with the next, and is faster; the last does not tie with the first.
        let point = |hierarchy: u32, latency_cycles: u64| {
            let energy_pj = 1e6 * (1.0 + f64::from(hierarchy) * 6e-10);
            HierarchyCost { hierarchy, energy_pj, latency_cycles, area_um2: 1.0, score: energy_pj, proved: true }
        };
        let points = [point(0, 30), point(1, 20), point(2, 10)];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut front = Front { best_by: Some(Objective::Energy), ..Front::default() };
            for place in order {
                front.add(points[place]);
            }
            assert_eq!(front.points(), [points[1]], "{order:?}");
            // A bound that ties and may be faster is searched, one that cannot win is not.
            let bound = |latency_cycles| HierarchyLowerBound { energy_pj: 1e6 * (1.0 + 3e-10), latency_cycles };
            assert!(!front.dominates(bound(5), 9.0) && front.dominates(bound(40), 0.0));
        }
    }
}
