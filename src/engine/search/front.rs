//! The front of energy and latency of a mapping problem, and the corners of its convex hull.

use super::{Limits, Proof, Solution, StopReason, exact};
use crate::cost::Evaluator;
use crate::pareto::lower_hull;
use serde::{Deserialize, Serialize};

/// The mappings of a problem that no other one beats in energy and latency, one for each pair of these; or those of
/// them that are corners of the hull, and the mapping of least energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MappingFront {
    /// By ascending energy: each is faster than all before it, and needs more energy by more than rounding.
    pub mappings: Vec<Solution>,
    /// The range of slopes, pJ for a cycle, whose corners are among the mappings: from 0 to infinity for a whole front.
    pub slopes: (f64, f64),
    /// [`Proof::Optimal`] if nothing is missing.
    pub proof: Proof,
    /// Number of states and orders that were expanded.
    pub orders: u64,
    /// Why the search ended.
    pub stopped: StopReason,
}

/// What is sought of a front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FrontPart {
    /// All of it.
    Whole,
    /// The corners of its hull for slopes from so many times less to so many times more than energy by latency of the
    /// mapping of least energy.
    Around(f64),
    /// The corners of its hull between two slopes, pJ for a cycle.
    Between(f64, f64),
}

impl FrontPart {
    /// The range of slopes, beside the mapping of least energy; `None` for all mappings of the front.
    fn slopes(self, cheapest: &Solution) -> Option<(f64, f64)> {
        match self {
            Self::Whole => None,
            Self::Around(times) => {
                let slope = (cheapest.energy_pj / cheapest.latency_cycles as f64).max(1e-9);
                Some((slope / times, slope * times))
            }
            Self::Between(least, most) => Some((least, most)),
        }
    }
}

impl MappingFront {
    /// The numbers of the mappings that are corners of the lower convex hull, by ascending energy: by any weights of
    /// energy and latency, the least sum of all mappings is that of one of them. So is the least product, of this
    /// problem's energy and latency or of sums to which others add theirs, as a product of positive numbers is
    /// quasi-concave.
    pub fn hull(&self) -> Vec<usize> {
        let at = |number: usize| (self.mappings[number].energy_pj, self.mappings[number].latency_cycles as f64);
        lower_hull(self.mappings.len(), at)
    }
}

/// The front of energy and latency, or a part of it. Of mappings with equal latency one of least energy stands for all.
pub fn find_front(
    evaluator: &Evaluator<'_>,
    part: FrontPart,
    limits: &Limits,
    has_time: &dyn Fn() -> bool,
) -> MappingFront {
    let (mappings, slopes, outcome) = exact::find_front(evaluator, &|cheapest| part.slopes(cheapest), limits, has_time);
    MappingFront { mappings, slopes, proof: outcome.proof, orders: outcome.orders, stopped: outcome.stopped }
}
