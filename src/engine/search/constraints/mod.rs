//! Constraints on temporal mappings: orders of loops, and the loops that each memory level holds.
//!
//! [`Constraints`] decide which mappings are legal. [`find_best_under`] searches exactly those: the exact search proves
//! that no other legal mapping is better.
//!
//! A mapping is judged as it is reported: with stationary loops handed down to the lower level
//! ([`Allocation::merge_stationary`](crate::mapping::Allocation::merge_stationary)).
//!
//! - `pieces.rs`: the loops that are put in order, and the demands on the places of an order
//! - `levels.rs`: the demands on memory levels
//! - `legal.rs`: both, as questions of the exact search about the sets of a chain
//! - `conflict.rs`: an irreducible group of constraints that excludes every mapping

mod conflict;
mod legal;
mod levels;
mod pieces;

pub use conflict::{Conflict, conflict};
pub use pieces::Misfit;

use super::exact;
use super::{Limits, Objective, Outcome, Proof, Strategy, loma};
use crate::cost::Evaluator;
use crate::mapping::{Allocation, LayerOnCore, LayerOperand, TemporalLoop};
use crate::workload::Dim;
use legal::Legal;

/// Constraints on the temporal mapping of a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraints {
    /// The innermost loops, innermost first.
    pub innermost: Vec<LoopPattern>,
    /// The outermost loops, the innermost of them first.
    pub outermost: Vec<LoopPattern>,
    /// Demands on memory levels.
    pub levels: Vec<LevelConstraint>,
}

/// One place, or several, in the order of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopPattern {
    /// The dimension of the loop.
    pub dim: Dim,
    /// Its number of iterations.
    pub size: PatternSize,
}

/// The iterations of a loop in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSize {
    /// One loop of this many iterations, at least 2. No memory level ends inside of it.
    Exactly(u64),
    /// One loop prime factor.
    Any,
    /// All loop prime factors of the dimension that the order does not state elsewhere, one after the other; perhaps
    /// none.
    All,
}

/// A demand on one memory level of one operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelConstraint {
    /// The operand.
    pub operand: LayerOperand,
    /// Its memory level, from 0 for the lowest.
    pub level: usize,
    /// The demand on the level.
    pub demand: LevelDemand,
}

/// A demand on the loops that a memory level holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelDemand {
    /// The product of the temporal loops of a dimension that the level itself holds.
    Holds(Dim, Amount),
    /// The product of the temporal loops of a dimension that this level and all lower ones hold.
    Within(Dim, Amount),
    /// The loops of these dimensions that the level holds lie in this order, innermost first; others lie anywhere.
    Order(Vec<Dim>),
}

/// A demand on a product of temporal loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// It equals this.
    Exactly(u64),
    /// It is not greater.
    AtMost(u64),
    /// It is not less.
    AtLeast(u64),
    /// No loop of the dimension lies at a higher level.
    All,
}

impl Constraints {
    /// Whether every mapping is legal.
    pub fn is_empty(&self) -> bool {
        self.innermost.is_empty() && self.outermost.is_empty() && self.levels.is_empty()
    }

    /// Whether a mapping of `problem` is legal, in an order of loops whose sizes multiply to those of the problem.
    pub fn allow(&self, problem: &LayerOnCore<'_>, order: &[TemporalLoop], allocation: &Allocation) -> bool {
        pieces::suits(self, order) && levels::suit(&self.levels, problem, order, allocation)
    }
}

/// Whether any mapping is legal; `None` where the limits leave that open.
///
/// # Errors
/// A stated loop that the layer does not have.
pub fn has_legal_mapping(
    constraints: &Constraints,
    problem: &LayerOnCore<'_>,
    limits: &Limits,
) -> Result<Option<bool>, Misfit> {
    let legal = Legal::new(problem, constraints)?;
    Ok(if legal.is_impossible { Some(false) } else { exact::has_legal_mapping(problem, limits, &legal) })
}

/// The best legal mapping by `objective`; among equals the one of least latency, then of least energy. Without
/// constraints as [`find_best_while`](super::find_best_while).
///
/// # Errors
/// A stated loop that the layer does not have.
pub fn find_best_under(
    constraints: &Constraints,
    problem: &LayerOnCore<'_>,
    objective: &Objective,
    limits: &Limits,
    strategy: Strategy,
    has_time: &dyn Fn() -> bool,
) -> Result<Outcome, Misfit> {
    if constraints.is_empty() {
        return Ok(super::find_best_while(problem, objective, limits, strategy, has_time));
    }
    let legal = Legal::new(problem, constraints)?;
    if legal.is_impossible {
        return Ok(Outcome { proof: Proof::Optimal, ..Outcome::NOTHING });
    }
    Ok(match strategy {
        Strategy::Exact => exact::find_best(&Evaluator::new(problem), objective, limits, has_time, Some(&legal)),
        Strategy::Loma => loma::find_best(problem, objective, limits, has_time, Some(&legal)),
    })
}
