//! Algorithm 1 of the paper, as printed. It is not exact, see [`algorithm1`].

use super::exact::Ideals;
use super::graph::OperatorGraph;
use super::ids::{MapId, NETWORK_INPUT, OperatorId};
use super::scheme::{GroupCostModel, IncrementalGroup, Scheme};
use super::validity::is_convex;
use crate::ids::{IdBitSet, TiVec, ti_vec};
use std::collections::BTreeSet;

/// The scheme of Algorithm 1: operators are visited from last to first; each either begins a group or joins one with which it shares
/// data. Nothing if none of its groups fits.
///
/// Corrected where the print cannot work: every operator starts with the empty group (else no loop ever runs), and line 10 looks up the
/// operators visited before this one. Its table then has sets that are suffixes of the one order only, so a group is of use only if it is
/// the block visited last: however many groups are generated ([`count_algorithm1_groups`]), schemes are cut out of one order, and the claim
/// of optimality does not hold. Only these groups are priced here, which gives the same scheme.
pub fn algorithm1(graph: &OperatorGraph, prices: &dyn GroupCostModel) -> Option<Scheme> {
    let order: Vec<OperatorId> = graph.ids().collect();
    Ideals::along(graph, &order).best_scheme(&Generated { graph, prices })
}

/// The number of valid groups that Algorithm 1 generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupCount {
    /// Groups generated before the limit.
    pub count: usize,
    /// Whether these are all.
    pub is_complete: bool,
}

/// Counts the groups of Algorithm 1. Their number is exponential in the width of the network: after `most` none is extended.
pub fn count_algorithm1_groups(graph: &OperatorGraph, most: usize) -> GroupCount {
    let mut joinable: TiVec<OperatorId, BTreeSet<Vec<OperatorId>>> = ti_vec![BTreeSet::from([Vec::new()]); graph.len()];
    let mut count = 0;
    for first in graph.ids().rev() {
        for others in std::mem::take(&mut joinable[first]) {
            let mut group = vec![first];
            group.extend(others);
            if !is_convex(graph, &group) {
                continue;
            }
            count += 1;
            if count >= most {
                continue;
            }
            for joining in sharing_data(graph, &group, first) {
                joinable[joining].insert(group.clone());
            }
        }
    }
    GroupCount { count, is_complete: count < most }
}

/// The operators before `first` that a group reads, or that read an operator's output which it reads, too.
fn sharing_data(graph: &OperatorGraph, group: &[OperatorId], first: OperatorId) -> BTreeSet<OperatorId> {
    let producers = group.iter().flat_map(|&id| graph.producers(id));
    let sharing = producers.flat_map(|producer| graph.consumers(producer).iter().copied().chain([producer]));
    sharing.filter(|&id| id < first).collect()
}

/// Groups to which every operator was added because it shares data with those after it.
struct Generated<'a> {
    graph: &'a OperatorGraph,
    prices: &'a dyn GroupCostModel,
}

impl GroupCostModel for Generated<'_> {
    fn groups<'s>(&'s self, done: &'s IdBitSet<OperatorId>) -> Box<dyn IncrementalGroup + 's> {
        let group = self.prices.groups(done);
        Box::new(DataSharing {
            graph: self.graph,
            group,
            operators: Vec::new(),
            readers: ti_vec![0; self.graph.len() + 1],
        })
    }
}

struct DataSharing<'a> {
    graph: &'a OperatorGraph,
    group: Box<dyn IncrementalGroup + 'a>,
    operators: Vec<OperatorId>,
    /// The number of readers in the group, by map.
    readers: TiVec<MapId, u32>,
}

impl DataSharing<'_> {
    fn inputs(&self, id: OperatorId) -> &[MapId] {
        &self.graph.operators()[id].inputs
    }
}

impl IncrementalGroup for DataSharing<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        let is_shared = |&map: &MapId| map != NETWORK_INPUT && self.readers[map] > 0;
        let shares = is_shared(&id.output()) || self.inputs(id).iter().any(is_shared);
        if !(self.operators.is_empty() || shares) || !self.group.push(id) {
            return false;
        }
        for &map in &self.graph.operators()[id].inputs {
            self.readers[map] += 1;
        }
        self.operators.push(id);
        true
    }

    fn pop(&mut self) {
        self.group.pop();
        if let Some(id) = self.operators.pop() {
            for &map in &self.graph.operators()[id].inputs {
                self.readers[map] -= 1;
            }
        }
    }

    fn lower_bound(&self) -> Option<u64> {
        self.group.lower_bound()
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.group.price(operators, at_most)
    }
}
