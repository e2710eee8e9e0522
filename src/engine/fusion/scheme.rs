//! Partitions of a network into groups, and what they are judged by.

use super::graph::{OperatorGraph, OperatorId};
use super::group::Group;
use super::setting::Setting;

/// Groups in an order in which they can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// The operators of each, in ascending order.
    pub groups: Vec<Vec<OperatorId>>,
    /// What all of them cost together.
    pub cost: u64,
}

impl Scheme {
    /// The last of `ways`, each of which leads on from an earlier one; `group` is what one has beyond the other.
    pub(super) fn from_ways(ways: &[Option<Way>], group: impl Fn(usize, usize) -> Vec<OperatorId>) -> Option<Self> {
        let mut at = ways.len().checked_sub(1)?;
        let cost = ways[at]?.cost;
        let mut groups = Vec::new();
        while at > 0 {
            let before = ways[at]?.before;
            groups.push(group(before, at));
            at = before;
        }
        groups.reverse();
        Some(Self { groups, cost })
    }
}

/// The price of a group: its operators in ascending order, and what it may cost at most. Nothing where it is not allowed, or
/// costs more than that.
pub type Price<'a> = dyn Fn(&[OperatorId], u64) -> Option<u64> + 'a;

/// The price of a group under a setting: elements between DRAM and chip.
pub fn memory_cost<'a>(
    graph: &'a OperatorGraph,
    setting: &'a Setting,
) -> impl Fn(&[OperatorId], u64) -> Option<u64> + 'a {
    move |operators, at_most| {
        let group = Group::new(graph, operators);
        let at_least = group.border().saturating_mul(setting.batch).saturating_add(group.parameters());
        if at_least > at_most {
            return None;
        }
        group.cost(setting).map(|cost| cost.elements).filter(|&cost| cost <= at_most)
    }
}

/// The best way to a set of operators: what it costs, in how many groups, and the set before the last of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub cost: u64,
    pub groups: usize,
    pub before: usize,
}

impl Way {
    /// No operator, no cost.
    pub const START: Self = Self { cost: 0, groups: 0, before: 0 };

    /// This way and one more group, if that is better than `best`: cheaper, or as cheap in fewer groups.
    pub fn improve(&self, best: Option<Self>, before: usize, price: impl FnOnce(u64) -> Option<u64>) -> Option<Self> {
        let limit = best.map_or(u64::MAX, |best| best.cost);
        let cost = self.cost.checked_add(price(limit.checked_sub(self.cost)?)?)?;
        let way = Self { cost, groups: self.groups + 1, before };
        best.is_none_or(|best| (way.cost, way.groups) < (best.cost, best.groups)).then_some(way)
    }
}
