//! Partitions of a network into groups, and what they are judged by.

use super::ids::{IdealId, OperatorId};
use crate::ids::{IdBitSet, TiSlice};
use std::cmp::Reverse;

/// Groups in an order in which they can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// The operators of each, in ascending order.
    pub groups: Vec<Vec<OperatorId>>,
    /// Memory cost of all groups, in elements.
    pub cost: u64,
}

impl Scheme {
    /// The last of `ways`, each of which leads on from an earlier one; `group` is what one has beyond the other.
    pub(super) fn from_ways(
        ways: &TiSlice<IdealId, Option<Way>>,
        group: impl Fn(IdealId, IdealId) -> Vec<OperatorId>,
    ) -> Option<Self> {
        let mut at = ways.last_key()?;
        let cost = ways[at]?.cost;
        let mut groups = Vec::new();
        while at != IdealId::EMPTY {
            let before = ways[at]?.before;
            groups.push(group(before, at));
            at = before;
        }
        groups.reverse();
        Some(Self { groups, cost })
    }
}

/// What groups cost. A search knows no more of them.
pub trait Prices {
    /// Groups after which the operators `done` have run.
    fn groups<'s>(&'s self, done: &'s IdBitSet<OperatorId>) -> Box<dyn Growing + 's>;
}

/// A group that grows from its last operator to its first, every one of them added once all that read its output in `done` are there.
pub trait Growing {
    /// Adds an operator, unless no group that has it and the operators so far may cost anything; then the answer is no.
    fn push(&mut self, id: OperatorId) -> bool;

    /// Takes the operator back that was added last.
    fn pop(&mut self);

    /// What the group costs at least; nothing if it is not allowed.
    fn at_least(&self) -> Option<u64>;

    /// What a group of these operators, last first, costs; nothing if it is not allowed, or costs more than `at_most`. The group that grew
    /// is forgotten.
    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64>;
}

/// Prices by any function of the operators of a group, in ascending order; nothing where it is not allowed.
pub struct PriceList<'a>(pub &'a dyn Fn(&[OperatorId]) -> Option<u64>);

impl Prices for PriceList<'_> {
    fn groups<'s>(&'s self, _: &'s IdBitSet<OperatorId>) -> Box<dyn Growing + 's> {
        Box::new(Listed { price: self.0, operators: Vec::new() })
    }
}

struct Listed<'a> {
    price: &'a dyn Fn(&[OperatorId]) -> Option<u64>,
    operators: Vec<OperatorId>,
}

impl Growing for Listed<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        self.operators.push(id);
        true
    }

    fn pop(&mut self) {
        self.operators.pop();
    }

    fn at_least(&self) -> Option<u64> {
        let mut ascending = self.operators.clone();
        ascending.sort_unstable();
        (self.price)(&ascending)
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.operators = operators.to_vec();
        self.at_least().filter(|&price| price <= at_most)
    }
}

/// The best way to a set of operators: what it costs, in how many groups, and the set before the last of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub cost: u64,
    pub groups: usize,
    pub before: IdealId,
}

impl Way {
    /// No operator, no cost.
    pub const START: Self = Self { cost: 0, groups: 0, before: IdealId::EMPTY };

    /// This way, to `before`, and one more group.
    pub fn with(&self, before: IdealId, price: u64) -> Option<Self> {
        Some(Self { cost: self.cost.checked_add(price)?, groups: self.groups + 1, before })
    }

    /// Cheaper ways come first, then those with fewer groups, then those whose last group is smaller.
    pub fn rank(&self) -> (u64, usize, Reverse<IdealId>) {
        (self.cost, self.groups, Reverse(self.before))
    }
}
