//! The order of mappings: by score, then latency, then energy.

use super::Objective;
use crate::cost::LayerCost;
use crate::mapping::LayerOnCore;
use crate::ties::Figures;
use crate::tolerance::REL_TOLERANCE;

/// Latencies that agree to this part of a cycle are equal; only the rules of ZigZag make any that are not whole.
const FRACTIONS: f64 = 1024.0;

/// A mapping as it is compared with others: by its score, then by latency, then by energy. Where accesses are the
/// objective, energy comes before latency.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Score by the objective. For the best mapping so far it is the least of all scores that counted as equal, so that
    /// a chain of ties does not drift upwards.
    pub score: f64,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency in whole cycles, rounded up where rules make fractions.
    pub latency_cycles: u64,
    latency: f64,
    energy_first: bool,
}

/// Cycles in the unit in which they are compared, rounded.
fn in_fractions(cycles: f64) -> f64 {
    (cycles * FRACTIONS).round()
}

impl Candidate {
    /// The mapping whose cost this is.
    pub fn new(problem: &LayerOnCore<'_>, objective: &Objective, cost: &LayerCost) -> Self {
        Self {
            score: objective.score(problem, cost),
            energy_pj: cost.energy_pj(),
            latency_cycles: cost.latency.total_cycles(),
            latency: in_fractions(cost.latency.exact_cycles()),
            energy_first: matches!(objective, Objective::DramAccesses | Objective::MemoryAccesses(_)),
        }
    }

    /// The figures by which it is compared with all others.
    pub fn figures(&self, objective: &Objective) -> Figures {
        objective.figures(self.score, self.energy_pj, self.latency)
    }

    /// Whether a mapping of this score is no worse than this one, apart from rounding.
    pub fn may_tie(&self, score: f64) -> bool {
        score <= self.score + REL_TOLERANCE * self.score.abs()
    }

    /// Whether this mapping is better than the best so far.
    pub fn is_better_than(&self, best: &Self) -> bool {
        if self.score < best.score - REL_TOLERANCE * best.score.abs() {
            return true;
        }
        if !best.may_tie(self.score) {
            return false;
        }
        let equal_energy = (self.energy_pj - best.energy_pj).abs() <= REL_TOLERANCE * best.energy_pj;
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

#[cfg(test)]
mod tests {
    use super::*;

    const BEST: Candidate =
        Candidate { score: 1e6, energy_pj: 3e5, latency_cycles: 20, latency: 20.0 * FRACTIONS, energy_first: false };

    /// `BEST` with its score and energy raised by so many billionths, and with other cycles.
    fn beside(score: f64, energy: f64, cycles: f64) -> Candidate {
        let (score, energy_pj) = (BEST.score * (1.0 + score * 1e-9), BEST.energy_pj * (1.0 + energy * 1e-9));
        Candidate { score, energy_pj, latency_cycles: cycles.ceil() as u64, latency: in_fractions(cycles), ..BEST }
    }

    #[test]
    fn a_score_counts_first_unless_it_differs_by_rounding() {
        assert!(beside(-2.0, 9.0, 30.0).is_better_than(&BEST));
        assert!(!beside(2.0, -9.0, 10.0).is_better_than(&BEST));
        for score in [-0.5, 0.0, 0.5] {
            for fewer in [1.0, 0.25] {
                assert!(beside(score, 9.0, 20.0 - fewer).is_better_than(&BEST));
                assert!(!beside(score, -9.0, 20.0 + fewer).is_better_than(&BEST));
            }
            assert!(beside(score, -9.0, 20.0).is_better_than(&BEST));
        }
    }

    #[test]
    fn of_equal_accesses_less_energy_counts_before_fewer_cycles_unless_it_differs_by_rounding() {
        let best = Candidate { energy_first: true, ..BEST };
        let is_better =
            |energy, cycles| Candidate { energy_first: true, ..beside(0.0, energy, cycles) }.is_better_than(&best);
        assert!(is_better(-2.0, 30.0) && !is_better(2.0, 10.0));
        for energy in [-0.5, 0.0, 0.5] {
            assert!(is_better(energy, 19.0) && !is_better(energy, 21.0));
        }
    }
}
