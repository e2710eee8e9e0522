//! The best temporal mapping of a layer-tile on a core.
//!
//! A search is `{problem, limits, strategy} -> {best, report, stop reason}`: [`find_best`] takes a [`LayerOnCore`], an
//! [`Objective`], [`Limits`] and a [`Strategy`], and returns an [`Outcome`] with the best [`Solution`], the proof for
//! all others ([`Proof`]), and the reason why it stopped. [`find_best_while`] asks the caller whether there is time to
//! go on. Among mappings of equal score the one of least latency is the best, then the one of least energy.
//!
//! - `exact/`: every order of the loop prime factors with every placement of memory levels, proved
//! - `loma.rs`: every order of the loop prime factors, allocated greedily (LOMA, as DeFiNES uses it)
//! - [`space`]: ZigZag's mapping space, even and uneven: exhaustive, heuristic, iterative (ZigZag, Section IV)
//! - `unrolled.rs`: [`UnrolledSearch`], a job, also searches the spatial mapping: every legal unrolling in the order of
//!   a lower bound, until none of the rest can win
//! - `constraints/`: [`Constraints`] on orders, memory levels and evenness, under which both search exactly
//!   ([`find_best_under`])
//! - `infeasible.rs`, `shortage.rs`: why no mapping fits, as [`Shortage`]s: which operand needs how many bytes where
//!
//! # Example
//!
//! ```
//! use fusescape_engine::hardware::{Core, Operand};
//! use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
//! use fusescape_engine::rules::Rules;
//! use fusescape_engine::search::{Limits, Objective, Proof, Strategy, find_best};
//! use fusescape_engine::workload::Network;
//! use fusescape_spec::{find_preset, hardware_presets, workload_presets};
//!
//! let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like")?.text)?;
//! let network = Network::from_text(find_preset(workload_presets(), "resnet18")?.text)?;
//! let layer = network.computing().map(|id| network.layer(id)).find(|layer| layer.name == "conv1").expect("a layer");
//! let levels = Operand::ALL.map(|operand| core.levels(operand).len());
//! let problem = LayerProblem::new(layer.shape, levels, layer.unroll_on(&core, &Rules::CORRECTED));
//! let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
//!
//! let exact = find_best(&on_core, &Objective::Energy, &Limits::default(), Strategy::Exact);
//! let loma = find_best(&on_core, &Objective::Energy, &Limits::default(), Strategy::Loma);
//! let [exact_pj, loma_pj] = [&exact, &loma].map(|outcome| outcome.best.as_ref().expect("it fits").energy_pj);
//! assert_eq!(exact.proof, Proof::Optimal);
//! assert!(exact_pj <= loma_pj);
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod constraints;
mod exact;
mod front;
mod infeasible;
mod loma;
mod lpf_limit;
mod objective;
mod permutation;
mod shortage;
pub mod space;
mod unrolled;

pub use constraints::{
    Conflict, Constraints, Evenness, LevelConstraint, LevelDemand, LoopAmount, LoopPattern, PatternSize, UnmatchedLoop,
    conflict, find_best_under, has_legal_mapping,
};
pub use exact::Effort;
use exact::legality::NoConstraints;
pub use front::{FrontPart, MappingFront, find_front};
pub use infeasible::smallest_that_fit;
pub use lpf_limit::{check_lpf_limit, lpf_limit_from};
pub use objective::{Objective, Weights};
pub use shortage::{Shortage, bytes, explain_infeasible};
pub use unrolled::{UnrolledLayer, UnrolledOutcome, UnrolledSearch, UnrolledSolution, UnrollingBench, UnrollingTask};

use crate::cost::{Evaluator, LayerCost};
use crate::mapping::{Allocation, LayerOnCore, TemporalLoop};
use crate::workload::LoopSizes;
use serde::{Deserialize, Serialize};

/// No constraints: every mapping is legal.
const ANY: Option<&NoConstraints> = None;

/// A search strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Strategy {
    /// All orders of the loop prime factors; allocation by LOMA's rule.
    Loma,
    /// The best of all orders and all placements of memory levels, proved.
    #[default]
    Exact,
}

/// Limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// LPF limit of LOMA: loop prime factors beyond it are merged.
    pub lpf_limit: usize,
    /// Limit on the orders of LOMA. They are counted first; if there are more, none is tried.
    pub max_orders: u64,
    /// Limit on the states that an exact search expands. Beyond it the gap to the optimum is reported.
    pub max_states: u64,
    /// States that such a search expands before it takes the time for an estimate along whole chains.
    pub estimate_after: u64,
    /// Limit on the states that an exact search expands to find the fastest of mappings of equal score.
    pub max_ties: u64,
    /// Limit on the states that an exact search expands where latency is part of the objective.
    pub max_branches: u64,
    /// States that such a search expands before it takes the time for better bounds.
    pub relax_after: u64,
}

impl Limits {
    /// Limits of one of many searches, so that each ends within seconds: LOMA tries at most 4 million orders, which are
    /// more than those of ten different loops.
    pub fn of_many(lpf_limit: usize) -> Self {
        Self { lpf_limit, max_orders: 4_000_000, ..Self::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lpf_limit: 6,
            max_orders: u64::MAX,
            max_states: 200_000,
            estimate_after: 5_000,
            max_ties: 20_000,
            max_branches: 100_000,
            relax_after: 1000,
        }
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum StopReason {
    /// Everything that the strategy looks at was tried.
    Exhausted,
    /// There are more orders than the limit on them.
    TooManyOrders {
        /// Number of orders.
        orders: u64,
        /// The largest LPF limit that leaves few enough.
        lpf_limit: usize,
    },
    /// There was no time left.
    OutOfTime,
    /// Under the rules of ZigZag: the tool stops with an error, as a port of an innermost memory is narrower than one
    /// element of the operand that is unrolled there.
    ToolFailsAtPort,
    /// Under the rules of ZigZag 3.9: the tool stops with an error, as in some order a first transfer takes fewer
    /// cycles than the least that the tool computes for it.
    ToolFailsAtLoading,
    /// There are more loop dimensions than the LPF limit, and the rules forbid to go on.
    LpfLimitTooLow {
        /// The smallest limit that works.
        needed: usize,
    },
}

impl StopReason {
    /// Why the search did not begin, and a remedy; `None` where it did.
    pub fn not_begun(&self) -> Option<(String, String)> {
        match self {
            Self::Exhausted | Self::OutOfTime => None,
            Self::ToolFailsAtPort => Some((
                "ZigZag stops with an error here: a port of a lowest memory passes less than one element of what is unrolled"
                    .to_owned(),
                "Make that port wider, or choose the corrected rules".to_owned(),
            )),
            Self::ToolFailsAtLoading => Some((
                "ZigZag 3.9 stops with an error here: in some loop order it takes a first transfer to need more cycles than it has"
                    .to_owned(),
                "Search by the rules of ZigZag 3.8, or choose the corrected rules".to_owned(),
            )),
            Self::TooManyOrders { orders, lpf_limit } => Some((
                format!("LOMA would try {orders} loop orders, too many for one of many layers"),
                format!("Set the LPF limit to {lpf_limit}, or search exactly"),
            )),
            Self::LpfLimitTooLow { needed } => Some((
                format!("The layer has {needed} loop dimensions in time, more than the LPF limit"),
                format!("Set the LPF limit to {needed} or more"),
            )),
        }
    }
}

/// The proof of a search for the mappings that it did not evaluate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Proof {
    /// Nothing: the search covered a part of all mappings, or its bounds do not hold.
    None,
    /// The mapping is optimal over all orders and blockings.
    Optimal,
    /// The score is optimal, but of mappings with the same score another may be faster, or need less energy.
    OptimalButForTies,
    /// The optimality gap: a better mapping, if there is one, scores less by at most this share of the best one.
    Gap(f64),
}

/// The outcome of a search: the best mapping, the effort, the proof, and the reason why it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The best mapping; `None` where none fits.
    pub best: Option<Solution>,
    /// Number of orders that were tried; in an exact search, of states and orders that were expanded.
    pub orders: u64,
    /// Number of orders that fit the memories. An exact search does not count them.
    pub feasible: u64,
    /// The proof that no mapping is better, or the gap.
    pub proof: Proof,
    /// Why the search ended.
    pub stopped: StopReason,
}

impl Outcome {
    /// The outcome of a search that evaluated nothing.
    pub const NOTHING: Self =
        Self { best: None, orders: 0, feasible: 0, proof: Proof::None, stopped: StopReason::Exhausted };
}

/// A mapping of a problem: a loop order and an allocation, from which its whole cost follows again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Solution {
    /// Temporal loops, innermost first.
    pub order: Vec<TemporalLoop>,
    /// The loops that each memory level holds.
    pub allocation: Allocation,
    /// Its energy, pJ.
    pub energy_pj: f64,
    /// Latency of the mapping, cycles.
    pub latency_cycles: u64,
}

impl Solution {
    /// The whole account of this mapping; `None` if it is not one of `problem`.
    pub fn cost(&self, problem: &LayerOnCore<'_>) -> Option<LayerCost> {
        self.cost_by(&Evaluator::new(problem))
    }

    /// As [`Self::cost`], with an existing evaluator of the problem.
    pub fn cost_by(&self, evaluator: &Evaluator<'_>) -> Option<LayerCost> {
        let problem = evaluator.problem();
        let mut sizes: LoopSizes = [1; 8];
        for next in &self.order {
            let size = &mut sizes[next.dim as usize];
            *size = size.checked_mul(next.size)?;
        }
        let is_mapping = sizes == problem.spatial.temporal_sizes && self.allocation.covers(problem, self.order.len());
        is_mapping.then(|| evaluator.evaluate(&self.order, &self.allocation))?
    }
}

/// The best mapping by `objective`; among equals the one of least latency, then of least energy.
pub fn find_best(problem: &LayerOnCore<'_>, objective: &Objective, limits: &Limits, strategy: Strategy) -> Outcome {
    find_best_by(&Evaluator::new(problem), objective, limits, strategy)
}

/// As [`find_best`], with an existing evaluator of the problem.
pub fn find_best_by(evaluator: &Evaluator<'_>, objective: &Objective, limits: &Limits, strategy: Strategy) -> Outcome {
    match strategy {
        Strategy::Exact => exact::find_best(evaluator, objective, limits, &|| true, ANY),
        Strategy::Loma => loma::find_best(evaluator.problem(), objective, limits, &|| true, ANY),
    }
}

/// As [`find_best`], but may end with no mapping if all of them need more energy than `at_most_pj`.
pub fn find_best_within(
    problem: &LayerOnCore<'_>,
    objective: &Objective,
    limits: &Limits,
    strategy: Strategy,
    at_most_pj: f64,
) -> Outcome {
    match strategy {
        Strategy::Exact => {
            let (within, has_time) = ((at_most_pj, Effort::Whole), &|| true);
            exact::find_best_within(&Evaluator::new(problem), objective, limits, has_time, ANY, within)
        }
        Strategy::Loma => loma::find_best(problem, objective, limits, &|| true, ANY),
    }
}

/// As [`find_best_within`], but finds out no more than this. A mapping that is [`Proof::Optimal`] is that of
/// [`find_best`].
pub fn find_score(
    evaluator: &Evaluator<'_>,
    objective: &Objective,
    limits: &Limits,
    strategy: Strategy,
    within: (f64, Effort),
) -> Outcome {
    match strategy {
        Strategy::Exact => exact::find_best_within(evaluator, objective, limits, &|| true, ANY, within),
        Strategy::Loma => loma::find_best(evaluator.problem(), objective, limits, &|| true, ANY),
    }
}

/// As [`find_best`], but stops once `has_time` returns `false`, with the best mapping so far and its gap ([`Proof`]).
pub fn find_best_while(
    problem: &LayerOnCore<'_>,
    objective: &Objective,
    limits: &Limits,
    strategy: Strategy,
    has_time: &dyn Fn() -> bool,
) -> Outcome {
    match strategy {
        Strategy::Exact => exact::find_best(&Evaluator::new(problem), objective, limits, has_time, ANY),
        Strategy::Loma => loma::find_best(problem, objective, limits, has_time, ANY),
    }
}

/// Whether any mapping that the strategy covers within the limits fits.
pub fn has_mapping(problem: &LayerOnCore<'_>, limits: &Limits, strategy: Strategy) -> bool {
    match strategy {
        Strategy::Exact => exact::has_mapping(problem, limits),
        Strategy::Loma => loma::first_feasible(problem, limits),
    }
}
