//! The order of mappings: by score, then latency, then energy.

use super::Objective;
use crate::cost::LayerCost;
use crate::mapping::LayerOnCore;

/// Scores closer than this are equal: mappings that move the same data differ by rounding only.
const TIE: f64 = 1e-9;

/// Latencies that agree to this part of a cycle are equal; only the rules of ZigZag make any that are not whole.
const FRACTIONS: f64 = 1024.0;

/// A mapping as it competes with others: by its score, then by latency and energy. Where accesses are the objective,
/// energy comes before latency.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Score by the objective; for the best so far the least of all equal ones.
    pub score: f64,
    /// Its energy.
    pub energy_pj: f64,
    /// Its latency in whole cycles, and in fractions of one.
    pub latency_cycles: u64,
    latency: f64,
    energy_first: bool,
}

impl Candidate {
    /// A mapping by its cost.
    pub fn new(problem: &LayerOnCore<'_>, objective: &Objective, cost: &LayerCost) -> Self {
        Self {
            score: objective.score(problem, cost),
            energy_pj: cost.energy_pj(),
            latency_cycles: cost.latency.total_cycles(),
            latency: (cost.latency.exact_cycles() * FRACTIONS).round(),
            energy_first: matches!(objective, Objective::DramAccesses | Objective::MemoryAccesses(_)),
        }
    }

    /// Whether a mapping of this score is not worse than this one, but for rounding.
    pub fn may_tie(&self, score: f64) -> bool {
        score <= self.score + TIE * self.score.abs()
    }

    /// Whether this mapping is better than the best so far.
    pub fn is_better_than(&self, best: &Self) -> bool {
        if self.score < best.score - TIE * best.score.abs() {
            return true;
        }
        if !best.may_tie(self.score) {
            return false;
        }
        let equal_energy = (self.energy_pj - best.energy_pj).abs() <= TIE * best.energy_pj;
        if self.energy_first && !equal_energy {
            return self.energy_pj < best.energy_pj;
        }
        (self.latency, self.energy_pj) < (best.latency, best.energy_pj)
    }

    /// This mapping as the new best one, in place of `best`.
    pub fn after(self, best: &Self) -> Self {
        Self { score: self.score.min(best.score), ..self }
    }
}
