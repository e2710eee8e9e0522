//! Baselines: no fusion, the restricted spaces of earlier work (Optimus, Sections 2.2 and 7), and the oracle.

use super::exact::Ideals;
use super::graph::OperatorGraph;
use super::ids::{NETWORK_INPUT, OperatorId};
use super::scheme::{GroupCostModel, Scheme};
use super::setting::Setting;
use crate::ids::{TiVec, ti_vec};

/// Every operator alone; `None` if one does not fit.
pub fn without_fusion(graph: &OperatorGraph, prices: &dyn GroupCostModel) -> Option<Scheme> {
    join(graph.ids().map(|id| segments(graph, &[id], prices)))
}

/// The best scheme of DNNVM's space: operators with several producers or consumers are barriers, which are not fused; chains between
/// them are cut anywhere.
pub fn within_chains(graph: &OperatorGraph, prices: &dyn GroupCostModel) -> Option<Scheme> {
    let sole_producer = |id: OperatorId| {
        let mut producers = graph.producers(id);
        let first = producers.next();
        (producers.all(|other| Some(other) == first)).then_some(first)
    };
    let is_barrier = |id: OperatorId| sole_producer(id).is_none() || graph.consumers(id).len() > 1;
    let mut chains = Vec::new();
    for first in graph.ids() {
        let continues_chain = |id| sole_producer(id).flatten().is_some_and(|producer| !is_barrier(producer));
        if !is_barrier(first) && continues_chain(first) {
            continue;
        }
        let mut chain = vec![first];
        while let &[.., last] = chain.as_slice()
            && !is_barrier(last)
            && let Some(&next) = graph.consumers(last).first().filter(|&&next| !is_barrier(next))
        {
            chain.push(next);
        }
        chains.push(chain);
    }
    join(chains.into_iter().map(|chain| segments(graph, &chain, prices)))
}

/// Joins schemes of parts of a network.
fn join(parts: impl Iterator<Item = Option<Scheme>>) -> Option<Scheme> {
    let mut all = Scheme { groups: Vec::new(), cost: 0 };
    for part in parts {
        let part = part?;
        all.cost = all.cost.checked_add(part.cost)?;
        all.groups.extend(part.groups);
    }
    all.groups.sort_unstable();
    Some(all)
}

/// The best scheme of Efficient-S' space: the network as one line, with operators at the same distance from the input
/// side by side, cut anywhere.
pub fn within_levels(graph: &OperatorGraph, prices: &dyn GroupCostModel) -> Option<Scheme> {
    let mut level: TiVec<OperatorId, usize> = ti_vec![0; graph.len()];
    for id in graph.ids() {
        level[id] = graph.producers(id).map(|producer| level[producer] + 1).max().unwrap_or(0);
    }
    let mut order: Vec<OperatorId> = graph.ids().collect();
    order.sort_unstable_by_key(|&id| (level[id], id));
    segments(graph, &order, prices)
}

/// The best way to cut a topological order of operators.
pub fn segments(graph: &OperatorGraph, order: &[OperatorId], prices: &dyn GroupCostModel) -> Option<Scheme> {
    Ideals::along(graph, order).best_scheme(prices)
}

/// A lower bound on the memory cost of every scheme, in elements: the network's input and outputs for every image, and every
/// parameter once (Optimus, Section 7: the oracle).
pub fn oracle(graph: &OperatorGraph, setting: &Setting) -> u64 {
    let input = (!graph.readers(NETWORK_INPUT).is_empty()).then_some(NETWORK_INPUT);
    let outputs = graph.ids().filter(|&id| graph.consumers(id).is_empty()).map(OperatorId::output);
    let features: u64 = input.into_iter().chain(outputs).map(|map| graph.map(map).elements()).sum();
    let parameters: u64 = graph.operators().iter().map(|operator| operator.parameters).sum();
    features.saturating_mul(setting.batch).saturating_add(parameters)
}
