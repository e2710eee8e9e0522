//! Algorithm 1 of the paper, as printed. It is not exact, see [`published`].

use super::graph::{OperatorGraph, OperatorId};
use super::scheme::{Price, Scheme, Way};
use super::validity::is_convex;
use std::collections::BTreeSet;

/// What Algorithm 1 finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its scheme; nothing if none of its groups fits.
    pub scheme: Option<Scheme>,
    /// How many valid groups it generates.
    pub generated: usize,
    /// Whether it stayed below its limit of groups.
    pub is_complete: bool,
}

/// Algorithm 1: operators are visited from last to first; each either begins a group or joins one with which it shares data.
///
/// Corrected where the print cannot work: every operator starts with the empty group (else no loop ever runs), and line 10 looks up
/// the operators visited before this one. Its table then has sets that are suffixes of the one order only, so a group is of use only
/// if it is the block visited last: however many groups are generated, schemes are cut out of one order, and the claim of
/// optimality does not hold. The groups are exponential in the width of the network: after `most_groups` none is
/// extended.
pub fn published(graph: &OperatorGraph, price: &Price, most_groups: usize) -> Published {
    let count = graph.len();
    let mut joinable: Vec<BTreeSet<Vec<OperatorId>>> = vec![BTreeSet::from([Vec::new()]); count];
    // By the length of the suffix.
    let mut best: Vec<Option<Way>> = vec![Some(Way::START)];
    let mut generated = 0;
    for first in (0..count).rev() {
        let mut way = None;
        for others in std::mem::take(&mut joinable[first]) {
            let mut group = vec![first];
            group.extend(others);
            if !is_convex(graph, &group) {
                continue;
            }
            generated += 1;
            if group.last() == Some(&(first + group.len() - 1)) {
                let rest = count - first - group.len();
                let price = |at_most| price(&group, at_most);
                way = best[rest].and_then(|after| after.improve(way, rest, price)).or(way);
            }
            if generated >= most_groups {
                continue;
            }
            for joining in sharing_data(graph, &group, first) {
                joinable[joining].insert(group.clone());
            }
        }
        best.push(way);
    }
    // From the end of the order to its beginning.
    let scheme = Scheme::from_ways(&best, |shorter, longer| (count - longer..count - shorter).collect());
    let scheme = scheme.map(|Scheme { groups, cost }| Scheme { groups: groups.into_iter().rev().collect(), cost });
    Published { scheme, generated, is_complete: generated < most_groups }
}

/// The operators before `first` that a group reads, or that read an operator's output which it reads, too.
fn sharing_data(graph: &OperatorGraph, group: &[OperatorId], first: OperatorId) -> BTreeSet<OperatorId> {
    let producers = group.iter().flat_map(|&id| graph.producers(id));
    let sharing = producers.flat_map(|producer| graph.consumers(producer).iter().copied().chain([producer]));
    sharing.filter(|&id| id < first).collect()
}
