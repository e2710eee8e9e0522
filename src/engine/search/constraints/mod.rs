//! Constraints on temporal mappings: orders of loops, the loops that each memory level holds, and evenness.
//!
//! [`Constraints`] decide which mappings are legal. [`find_best_under`] searches exactly those: the exact search proves
//! that no other legal mapping is better.
//!
//! A mapping is judged as it is reported: with stationary loops handed down to the lower level
//! ([`Allocation::merge_stationary`](crate::mapping::Allocation::merge_stationary)).
//!
//! - `stated.rs`: constraints as they are stated
//! - `pieces.rs`: the loops that are put in order, and the demands on the places of an order
//! - `levels.rs`: the demands on memory levels
//! - `even.rs`: even mappings
//! - `legal.rs`: all of these, as questions of the exact search about the sets of a chain
//! - `conflict.rs`: an irreducible group of constraints that excludes every mapping

mod conflict;
mod even;
mod legal;
mod levels;
mod pieces;
mod stated;

pub use conflict::{Conflict, conflict};
pub use even::Evenness;
pub(super) use even::{SharedMemory, shared_memories};
pub use pieces::UnmatchedLoop;
pub use stated::{Constraints, LevelConstraint, LevelDemand, LoopAmount, LoopPattern, PatternSize};

use super::exact;
use super::{Limits, Objective, Outcome, Proof, Strategy, loma};
use crate::cost::Evaluator;
use crate::mapping::{Allocation, LayerOnCore, TemporalLoop};
use legal::Legal;

impl Constraints {
    /// Whether a mapping of `problem` is legal, in an order of loops whose sizes multiply to those of the problem.
    pub fn allow(&self, problem: &LayerOnCore<'_>, order: &[TemporalLoop], allocation: &Allocation) -> bool {
        pieces::suits(self, order)
            && levels::suit(&self.levels, problem, order, allocation)
            && self.even.is_none_or(|evenness| even::is_even(evenness, problem, order, allocation))
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
) -> Result<Option<bool>, UnmatchedLoop> {
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
) -> Result<Outcome, UnmatchedLoop> {
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
