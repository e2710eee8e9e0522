//! Finding the best temporal mapping of a layer-tile on a core.
//!
//! The rest of the project knows only [`find_best`]: `{problem, limits, strategy} -> {best, report, stop reason}`.

mod infeasible;
mod loma;
mod objective;
mod permutation;
pub mod space;
mod unrolled;

pub use infeasible::{Shortage, bytes, explain_infeasible};
pub use objective::{Objective, Weights};
pub use unrolled::{UnrolledLayer, UnrolledOutcome, UnrolledSearch, UnrolledSolution, find_best_unrolled};

use crate::cost::{Evaluator, LayerCost};
use crate::mapping::{Allocation, LayerOnCore, TemporalLoop};
use crate::workload::LoopSizes;
use serde::{Deserialize, Serialize};

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strategy {
    /// All orders of the loop prime factors; allocation by LOMA's rule.
    Loma,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// At most so many loop prime factors are ordered; further ones are merged.
    pub lpf_limit: usize,
    /// At most so many orders are tried.
    pub max_orders: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lpf_limit: 6, max_orders: u64::MAX }
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// Everything within the LPF limit was tried.
    Exhausted,
    /// The limit on orders was reached first.
    OrderLimit,
    /// There are more loop dimensions than the LPF limit, and the rules forbid to go on.
    LpfLimitTooLow {
        /// The smallest limit that works.
        needed: usize,
    },
}

/// What is known about mappings that a search did not look at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Proof {
    /// Nothing: the strategy covers a part of all mappings.
    None,
    /// There is no better one, whatever the order and blocking.
    Optimal,
    /// A better one, if any, scores less by at most this share of the best found.
    Gap(f64),
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The best mapping; `None` where none fits.
    pub best: Option<Solution>,
    /// Orders tried.
    pub orders: u64,
    /// Of these, how many fit.
    pub feasible: u64,
    /// What is known about better ones.
    pub proof: Proof,
    /// Why it ended.
    pub stopped: StopReason,
}

/// The best mapping of a problem: enough to compute everything about it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// Temporal loops, innermost first.
    pub order: Vec<TemporalLoop>,
    /// Which of them each memory level holds.
    pub allocation: Allocation,
    /// Its energy, pJ.
    pub energy_pj: f64,
    /// Its latency, cycles.
    pub latency_cycles: u64,
}

impl Solution {
    /// The whole account of this mapping; `None` if it is not one of `problem`.
    pub fn cost(&self, problem: &LayerOnCore<'_>) -> Option<LayerCost> {
        let mut sizes: LoopSizes = [1; 8];
        for next in &self.order {
            let size = &mut sizes[next.dim as usize];
            *size = size.checked_mul(next.size)?;
        }
        let is_mapping = sizes == problem.spatial.temporal_sizes && self.allocation.covers(problem, self.order.len());
        is_mapping.then(|| Evaluator::new(problem).evaluate(&self.order, &self.allocation))?
    }
}

/// The best mapping by `objective`; among equals the one of least latency, then of least energy.
pub fn find_best(problem: &LayerOnCore<'_>, objective: &Objective, limits: &Limits, strategy: Strategy) -> Outcome {
    match strategy {
        Strategy::Loma => loma::find_best(problem, objective, limits),
    }
}

/// Whether any order within the limits fits.
pub fn has_mapping(problem: &LayerOnCore<'_>, limits: &Limits) -> bool {
    loma::first_feasible(problem, limits)
}
