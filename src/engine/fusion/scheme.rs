//! Schemes, partitions of a network into groups; and the interface of cost models to searches.

use super::ids::{IdealId, OperatorId};
use crate::ids::{IdBitSet, TiSlice};
use std::cmp::Reverse;

/// A scheme: groups in an order in which they can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// The operators of each group, in ascending order.
    pub groups: Vec<Vec<OperatorId>>,
    /// Memory cost of all groups, in elements.
    pub cost: u64,
}

impl Scheme {
    /// The last of `partials`, each of which extends an earlier one; `group` returns the operators that one has beyond
    /// another.
    pub(super) fn from_partials(
        partials: &TiSlice<IdealId, Option<PartialScheme>>,
        group: impl Fn(IdealId, IdealId) -> Vec<OperatorId>,
    ) -> Option<Self> {
        let mut at = partials.last_key()?;
        let cost = partials[at]?.cost;
        let mut groups = Vec::new();
        while at != IdealId::EMPTY {
            let before = partials[at]?.before;
            groups.push(group(before, at));
            at = before;
        }
        groups.reverse();
        Some(Self { groups, cost })
    }
}

/// A cost model of groups: the interface between searches and prices.
pub trait GroupCostModel {
    /// An empty group that grows until the operators `done` have run.
    fn groups<'s>(&'s self, done: &'s IdBitSet<OperatorId>) -> Box<dyn IncrementalGroup + 's>;
}

/// A group that grows from its last operator to its first: an operator is added once all readers of its output in `done` are in the group.
pub trait IncrementalGroup {
    /// Adds an operator; returns `false`, and adds nothing, if neither the group with it nor any larger one has a price.
    fn push(&mut self, id: OperatorId) -> bool;

    /// Takes the operator back that was added last.
    fn pop(&mut self);

    /// A lower bound on the price of the group, in elements; nothing if it is not allowed.
    fn lower_bound(&self) -> Option<u64>;

    /// The price of a group of these operators, last first, in elements; nothing if it is not allowed, or costs more than `at_most`.
    /// Replaces the group that grew.
    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64>;
}

/// Prices by any function of the operators of a group, in ascending order; nothing where it is not allowed.
pub struct PriceList<'a>(pub &'a dyn Fn(&[OperatorId]) -> Option<u64>);

impl GroupCostModel for PriceList<'_> {
    fn groups<'s>(&'s self, _: &'s IdBitSet<OperatorId>) -> Box<dyn IncrementalGroup + 's> {
        Box::new(Listed { price: self.0, operators: Vec::new() })
    }
}

struct Listed<'a> {
    price: &'a dyn Fn(&[OperatorId]) -> Option<u64>,
    operators: Vec<OperatorId>,
}

impl IncrementalGroup for Listed<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        self.operators.push(id);
        true
    }

    fn pop(&mut self) {
        self.operators.pop();
    }

    fn lower_bound(&self) -> Option<u64> {
        let mut ascending = self.operators.clone();
        ascending.sort_unstable();
        (self.price)(&ascending)
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.operators = operators.to_vec();
        self.lower_bound().filter(|&price| price <= at_most)
    }
}

/// The best partition of an order ideal into groups: its cost in elements, the number of groups, and the ideal before the last group.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartialScheme {
    pub cost: u64,
    pub groups: usize,
    pub before: IdealId,
}

impl PartialScheme {
    /// No operator, no cost.
    pub const START: Self = Self { cost: 0, groups: 0, before: IdealId::EMPTY };

    /// This partial scheme of the ideal `before`, with one more group of this price; nothing if the sum overflows.
    pub fn with(&self, before: IdealId, price: u64) -> Option<Self> {
        Some(Self { cost: self.cost.checked_add(price)?, groups: self.groups + 1, before })
    }

    /// Key of the order: by cost, then by fewer groups, then by a smaller last group.
    pub fn rank(&self) -> (u64, usize, Reverse<IdealId>) {
        (self.cost, self.groups, Reverse(self.before))
    }
}
