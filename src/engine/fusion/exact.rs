//! The best scheme of all, and its proof.

use super::graph::{OperatorGraph, OperatorId};
use super::scheme::{Price, Scheme, Way};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// The order ideals of a network: the sets of operators that hold, with an operator, everything it depends on. What has run at any
/// time is one, so a scheme is a chain of ideals, each group what one has beyond the one before. Two ideals of which one holds the
/// other differ by a convex set, and every convex set is such a difference.
#[derive(Debug, Clone)]
pub struct Ideals {
    /// Smallest first: from the empty set to all operators.
    sets: Vec<FixedBitSet>,
}

impl Ideals {
    /// All of them; nothing if they are more than `limit`: their number is exponential in the width of the network.
    pub fn of(graph: &OperatorGraph, limit: usize) -> Option<Self> {
        let mut sets = Vec::new();
        let mut level = BTreeSet::from([FixedBitSet::with_capacity(graph.len())]);
        while !level.is_empty() {
            if sets.len() + level.len() > limit {
                return None;
            }
            let mut next = BTreeSet::new();
            for ideal in &level {
                for id in ideal.zeroes().filter(|&id| graph.producers(id).all(|producer| ideal.contains(producer))) {
                    let mut larger = ideal.clone();
                    larger.insert(id);
                    next.insert(larger);
                }
                if sets.len() + next.len() > limit {
                    return None;
                }
            }
            sets.extend(level);
            level = next;
        }
        Some(Self { sets })
    }

    /// Number of ideals, the empty one included.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Never: the empty set is an ideal.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// All groups that are possible at all, which the paper counts in Table 5: every convex set of operators, empty ones left out.
    pub fn convex_sets(&self) -> BTreeSet<Vec<OperatorId>> {
        let pairs = (0..self.len()).flat_map(|larger| (0..larger).map(move |smaller| (smaller, larger)));
        pairs.filter_map(|(smaller, larger)| self.group(smaller, larger)).collect()
    }

    /// What the larger ideal has beyond the smaller, if it holds it.
    fn group(&self, smaller: usize, larger: usize) -> Option<Vec<OperatorId>> {
        self.sets[smaller].is_subset(&self.sets[larger]).then(|| self.beyond(smaller, larger))
    }

    fn beyond(&self, smaller: usize, larger: usize) -> Vec<OperatorId> {
        self.sets[larger].difference(&self.sets[smaller]).collect()
    }

    /// The cheapest scheme, in the fewest groups: a shortest path through the ideals. Nothing if no scheme has a price.
    pub fn best_scheme(&self, price: &Price) -> Option<Scheme> {
        let mut best: Vec<Option<Way>> = vec![Some(Way::START)];
        for larger in 1..self.len() {
            let mut way = None;
            // The smallest groups first: they are soon judged, and what they cost limits the others.
            for smaller in (0..larger).rev() {
                let Some(before) = best[smaller] else { continue };
                let price = |at_most| price(&self.group(smaller, larger)?, at_most);
                way = before.improve(way, smaller, price).or(way);
            }
            best.push(way);
        }
        Scheme::from_ways(&best, |smaller, larger| self.beyond(smaller, larger))
    }
}
