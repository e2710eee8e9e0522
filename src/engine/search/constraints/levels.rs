//! Demands on memory levels, judged on whole mappings and on sets of loops.

use super::stated::{LevelConstraint, LevelDemand, LoopAmount};
use crate::mapping::temporal::prime_factors;
use crate::mapping::{Allocation, LayerOnCore, LayerOperand, TemporalLoop};
use crate::workload::{Dim, LoopSizes};

impl LoopAmount {
    /// Whether a product of loops is as demanded. `total` is that of all temporal loops of the dimension, `within` that at the level and
    /// below.
    fn is_met(self, product: u64, within: u64, total: u64) -> bool {
        match self {
            Self::Exactly(size) => product == size,
            Self::AtMost(size) => product <= size,
            Self::AtLeast(size) => product >= size,
            Self::All => within == total,
        }
    }

    /// Whether it can still be met once the product is this large, as products only grow.
    fn is_in_reach(self, product: u64) -> bool {
        match self {
            Self::Exactly(size) | Self::AtMost(size) => product <= size,
            Self::AtLeast(_) | Self::All => true,
        }
    }
}

/// Whether a whole mapping meets all demands on levels. An operand of no bits is held nowhere, and meets every demand.
pub fn suit(
    levels: &[LevelConstraint],
    problem: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    allocation: &Allocation,
) -> bool {
    let merged = allocation.merge_stationary(problem, order);
    let product = |loops: &[TemporalLoop], dim: Dim| -> u64 {
        loops.iter().filter(|next| next.dim == dim).map(|next| next.size).product()
    };
    levels.iter().filter(|constraint| is_held(problem, constraint.operand)).all(|constraint| {
        let range = merged.range(constraint.operand, constraint.level);
        let (held, within) = (&order[range.clone()], &order[..range.end]);
        let is_met = |amount: LoopAmount, loops: &[TemporalLoop], dim: Dim| {
            amount.is_met(product(loops, dim), product(within, dim), problem.spatial.temporal_sizes[dim as usize])
        };
        match &constraint.demand {
            LevelDemand::Holds(dim, amount) => is_met(*amount, held, *dim),
            LevelDemand::Within(dim, amount) => is_met(*amount, within, *dim),
            LevelDemand::Order(dims) => {
                held.iter().filter_map(|next| dims.iter().position(|dim| *dim == next.dim)).is_sorted()
            }
        }
    })
}

/// Whether an operand takes any room.
pub fn is_held(problem: &LayerOnCore<'_>, operand: LayerOperand) -> bool {
    problem.operands[operand].precision != (0, 0)
}

/// Whether all `total` iterations of a dimension can be divided among an operand's levels, lowest first, as these
/// demand. Only products count here: the order of loops, other dimensions and the sizes of memories are left aside, so
/// that yes proves nothing.
pub fn can_divide(levels: &[Demands], dim: Dim, total: u64) -> bool {
    let divisors: Vec<u64> = prime_factors(total).into_iter().fold(vec![1], |found, factor| {
        let mut more: Vec<u64> = found.iter().flat_map(|size| [*size, size * factor]).collect();
        more.sort_unstable();
        more.dedup();
        more
    });
    // Invariant: `reached` are the products that all levels so far may hold together.
    let mut reached = vec![1];
    for (level, demands) in levels.iter().enumerate() {
        let is_top = level + 1 == levels.len();
        let is_reached = |&within: &u64| {
            let from = |&below: &u64| within.is_multiple_of(below) && demands.may_hold(dim, (below, within, total));
            (!is_top || within == total) && reached.iter().any(from)
        };
        reached = divisors.iter().copied().filter(is_reached).collect();
    }
    !reached.is_empty()
}

/// The demands on one memory level of one operand.
#[derive(Debug, Clone, Default)]
pub struct Demands {
    holds: Vec<(Dim, LoopAmount)>,
    within: Vec<(Dim, LoopAmount)>,
    orders: Vec<Vec<Dim>>,
}

/// The loops around a memory level, as products by dimension.
#[derive(Clone, Copy)]
pub struct LoopsAround<'l> {
    /// Of all lower levels.
    pub below: &'l LoopSizes,
    /// Of this level and all lower ones.
    pub within: &'l LoopSizes,
    /// Of all levels.
    pub total: &'l LoopSizes,
}

impl LoopsAround<'_> {
    fn held(&self, dim: Dim) -> u64 {
        self.within[dim as usize] / self.below[dim as usize]
    }
}

impl Demands {
    /// Sorts a demand by its kind.
    pub fn add(&mut self, demand: &LevelDemand) {
        match demand {
            LevelDemand::Holds(dim, amount) => self.holds.push((*dim, *amount)),
            LevelDemand::Within(dim, amount) => self.within.push((*dim, *amount)),
            LevelDemand::Order(dims) => self.orders.push(dims.clone()),
        }
    }

    /// Whether anything is demanded.
    pub fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.within.is_empty() && self.orders.is_empty()
    }

    /// Whether demands concern the loops of the level itself, for which the set at its lower boundary has to be known.
    pub fn look_at_level(&self) -> bool {
        !(self.holds.is_empty() && self.orders.is_empty())
    }

    /// Whether the level and all lower ones may hold these loops.
    pub fn are_met_within(&self, within: &LoopSizes, total: &LoopSizes) -> bool {
        let is_met = |&(dim, amount): &(Dim, LoopAmount)| {
            let within = within[dim as usize];
            amount.is_met(within, within, total[dim as usize])
        };
        self.within.iter().all(is_met)
    }

    /// Whether the level may hold its loops, in some order.
    pub fn are_met(&self, around: LoopsAround<'_>) -> bool {
        let is_met = |&(dim, amount): &(Dim, LoopAmount)| {
            amount.is_met(around.held(dim), around.within[dim as usize], around.total[dim as usize])
        };
        self.are_met_within(around.within, around.total) && self.holds.iter().all(is_met)
    }

    /// Whether the level may hold `within / below` iterations of a dimension, where this level and all lower ones hold
    /// `within`.
    fn may_hold(&self, dim: Dim, (below, within, total): (u64, u64, u64)) -> bool {
        let is_met =
            |&(of, amount): &(Dim, LoopAmount), product: u64| of != dim || amount.is_met(product, within, total);
        self.holds.iter().all(|demand| is_met(demand, within / below))
            && self.within.iter().all(|demand| is_met(demand, within))
    }

    /// Whether a loop of dimension `dim` may be the next outer one of the level. `around` counts it already.
    pub fn may_follow(&self, dim: Dim, around: LoopsAround<'_>, is_top: bool) -> bool {
        let of_dim = |(of, _): &&(Dim, LoopAmount)| *of == dim;
        self.holds.iter().filter(of_dim).all(|(_, amount)| amount.is_in_reach(around.held(dim)))
            && self.within.iter().filter(of_dim).all(|(_, amount)| amount.is_in_reach(around.within[dim as usize]))
            && self.orders.iter().all(|dims| {
                let Some(rank) = dims.iter().position(|of| *of == dim) else { return true };
                // Innermost first: dimensions that come later in the order must not have begun in this level. Those
                // that come earlier must be complete, but only at the highest level: elsewhere a higher level may hold
                // their rest.
                let is_complete = |of: &Dim| !is_top || around.within[*of as usize] == around.total[*of as usize];
                dims[..rank].iter().all(is_complete) && dims[rank + 1..].iter().all(|of| around.held(*of) == 1)
            })
    }
}
