//! The cost model: accesses, energy and latency of one mapped layer on one core (ZigZag, Sections III and IV).
//!
//! [`Evaluator`] evaluates many mappings of one problem without allocating; [`LayerCost`] is the whole account of one:
//! amounts of data (`amounts.rs`), then energy (`energy.rs`), then latency (`latency.rs`, with `waiting.rs` for loading
//! and offloading).
//!
//! - `boundary.rs`, `below.rs`: the data that crosses the boundary between two levels of an operand. It depends only on
//!   which loop factors lie below, on which the exact search is based
//! - `latency_bound.rs`: a lower bound on latency from these sets alone; `lower_bound.rs`: one on the cost of every
//!   mapping of an unrolling
//! - `demand.rs`: the peak bandwidth that a mapping takes of its highest memory, which Stream's scheduler needs
//! - `validity.rs`: all that is wrong with a mapping made by hand ([`MappingError`])
//! - `ports.rs`: the balance of every port, link by link
//! - `information.rs`: the loop-information table (ZigZag, Table III and Fig. 6). Boundaries are shown where they have
//!   an effect: loops that only keep an operand stationary are at the lower level
//! - `causes.rs`: the one list of causes of energy and of latency, over which everything sums
//! - `access.rs`: every access, as formulas name it
//! - `trace.rs`: the same step by step, as loops iterate, with the contents of every memory
//!
//! # Example
//!
//! ```
//! use fusescape_engine::cost::Evaluator;
//! use fusescape_engine::hardware::{Core, Operand};
//! use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
//! use fusescape_engine::rules::Rules;
//! use fusescape_engine::search::{Limits, Objective, Strategy, find_best};
//! use fusescape_engine::workload::Network;
//! use fusescape_spec::{find_preset, hardware_presets, workload_presets};
//!
//! let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like")?.text)?;
//! let network = Network::from_text(find_preset(workload_presets(), "resnet18")?.text)?;
//! let layer = network.computing().map(|id| network.layer(id)).find(|layer| layer.name == "conv1").expect("a layer");
//! let levels = Operand::ALL.map(|operand| core.levels(operand).len());
//! let problem = LayerProblem::new(layer.shape, levels, layer.unroll_on(&core, &Rules::CORRECTED));
//! let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
//! let best = find_best(&on_core, &Objective::Energy, &Limits::default(), Strategy::Exact).best.expect("it fits");
//!
//! let cost = Evaluator::new(&on_core).evaluate(&best.order, &best.allocation).expect("it fits");
//! assert_eq!(cost.energy_pj(), best.energy_pj);
//! // The array unrolls 2 input channels, and there are 3: some PEs idle, so that it takes longer than it would on all of them.
//! assert!(cost.latency.temporal_cycles as f64 > cost.latency.ideal_cycles);
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod access;
mod amounts;
mod below;
mod boundary;
mod causes;
mod demand;
mod energy;
mod information;
mod latency;
mod latency_bound;
mod lower_bound;
mod ports;
#[cfg(feature = "schema")]
mod schema;
mod trace;
mod validity;
mod waiting;

pub use access::{Access, accesses};
pub use amounts::{Amounts, Link, partial_sums_read_back};
pub use boundary::{Boundary, Crossing};
pub use causes::{AccessCause, ByCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};
pub use demand::PeakDemand;
pub use energy::{LayerEnergy, fixed_energy};
pub use information::{
    Bandwidth, ComingDown, LevelInformation, LoopEffect, LoopInformation, OperandInformation, Reserved,
    ReservedElements, Reuse, Traffic, UnitCounts, loop_information,
};
pub use latency::{CauseCycles, Latency, PortStall};
pub use latency_bound::{BoundaryLoad, Coefficients, LatencyLowerBound};
pub use ports::{LinkBalance, PortBalance, port_balances, slowest_port};
pub use trace::{BoundaryTrace, CrossingTrace, IndexAxis, IndexBlock, LevelTrace, LoopTrace, OperandTrace};
pub use validity::MappingError;

use crate::hardware::{MAX_LEVELS, Movement};
use crate::mapping::{Allocation, LayerOnCore, OPERANDS, TemporalLoop};
use amounts::Units;

/// A table with an entry per operand, level and movement.
pub type PerLink<T> = [[[T; 4]; MAX_LEVELS]; OPERANDS];

/// Evaluates mappings of one problem on its core.
pub struct Evaluator<'a> {
    problem: &'a LayerOnCore<'a>,
    /// Instances with the average unrolling, by which amounts of data follow.
    average: Units<'a>,
    /// Instances with the unrolling rounded up (or down, by the rules), by which latency follows; `None` where both are equal.
    peak: Option<Units<'a>>,
}

/// Energy and latency of one mapping.
#[derive(Debug, Clone)]
pub struct LayerCost {
    /// Accesses and energy.
    pub energy: LayerEnergy,
    /// Latency by its parts.
    pub latency: Latency,
    /// The allocation after handing stationary loops down.
    pub merged: Allocation,
    /// Data movements with average unrolling.
    pub amounts: Amounts,
}

impl<'a> Evaluator<'a> {
    /// Prepares the data that all mappings of the problem share.
    pub fn new(problem: &'a LayerOnCore<'a>) -> Self {
        let peak = || {
            if problem.rules.latency_unrolling_rounded_down {
                Units::new(problem, |average, _| average.floor())
            } else {
                Units::new(problem, |_, peak| peak as f64)
            }
        };
        Self {
            problem,
            average: Units::new(problem, |average, _| average),
            peak: problem.spatial.is_fractional().then(peak),
        }
    }

    /// The problem whose mappings it evaluates.
    pub fn problem(&self) -> &'a LayerOnCore<'a> {
        self.problem
    }

    /// The accesses of a mapping; `None` where a memory would overflow.
    pub fn moves(&self, order: &[TemporalLoop], allocation: &Allocation) -> Option<Moves> {
        let merged = allocation.merge_stationary(self.problem, order);
        let amounts = Amounts::new(self.problem, order, &merged, &self.average);
        amounts.fit(self.problem).then_some(Moves { merged, amounts })
    }

    /// Energy that no mapping changes, pJ.
    pub fn fixed_pj(&self) -> f64 {
        fixed_energy(self.problem).total_pj()
    }

    /// Energy of all causes, pJ.
    pub fn energy_pj(&self, moves: &Moves) -> f64 {
        energy::total_pj(self.problem, &moves.amounts, &self.average)
    }

    /// The whole account of a mapping.
    pub fn cost(&self, order: &[TemporalLoop], moves: Moves) -> LayerCost {
        let (energy, latency) = (self.energy(&moves), self.latency(order, &moves));
        let Moves { merged, amounts } = moves;
        LayerCost { energy, latency, merged, amounts }
    }

    /// Accesses and energy of a mapping, as in [`Evaluator::cost`].
    pub fn energy(&self, moves: &Moves) -> LayerEnergy {
        LayerEnergy::new(self.problem, &moves.amounts, &self.average)
    }

    /// The latency of a mapping in whole cycles, as in [`Evaluator::cost`].
    pub fn latency_cycles(&self, order: &[TemporalLoop], moves: &Moves) -> u64 {
        self.latency(order, moves).total_cycles()
    }

    /// The latency of a mapping by its parts, as in [`Evaluator::cost`].
    pub fn latency(&self, order: &[TemporalLoop], Moves { merged, amounts }: &Moves) -> Latency {
        let peak = self.peak_amounts(order, merged);
        Latency::new(self.problem, amounts, peak.as_ref().unwrap_or(amounts))
    }

    /// Stall cycles of a mapping without requests ahead of time: if every transfer, not only the first, waited for the
    /// latency of the memory that it reads.
    pub fn stall_cycles_not_asked_ahead(&self, order: &[TemporalLoop], cost: &LayerCost) -> u64 {
        let peak = self.peak_amounts(order, &cost.merged);
        cost.latency.stall_cycles_not_asked_ahead(self.problem, peak.as_ref().unwrap_or(&cost.amounts))
    }

    /// Data movements in the fullest pass of the array; `None` where all passes are equally full.
    fn peak_amounts(&self, order: &[TemporalLoop], merged: &Allocation) -> Option<Amounts> {
        self.peak.as_ref().map(|peak| Amounts::new(self.problem, order, merged, peak))
    }

    /// Evaluates one mapping; `None` where a memory would overflow.
    pub fn evaluate(&self, order: &[TemporalLoop], allocation: &Allocation) -> Option<LayerCost> {
        Some(self.cost(order, self.moves(order, allocation)?))
    }
}

/// The accesses of a mapping, from which its energy follows without its latency.
pub struct Moves {
    merged: Allocation,
    amounts: Amounts,
}

impl LayerCost {
    /// Energy with that of the MACs.
    pub fn energy_pj(&self) -> f64 {
        self.energy.total_pj
    }
}

/// Index of a movement in tables of four.
pub(crate) fn index(movement: Movement) -> usize {
    movement as usize
}
