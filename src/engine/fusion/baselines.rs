//! What to compare with: no fusion, the restricted spaces of earlier work (Optimus, Sections 2.2 and 7), and the oracle.

use super::graph::{NETWORK_INPUT, OperatorGraph, OperatorId};
use super::scheme::{Price, Scheme, Way};
use super::setting::Setting;

/// Every operator by itself; nothing if one does not fit.
pub fn without_fusion(graph: &OperatorGraph, price: &Price) -> Option<Scheme> {
    let groups: Vec<Vec<OperatorId>> = (0..graph.len()).map(|id| vec![id]).collect();
    let cost = groups.iter().try_fold(0_u64, |sum, group| sum.checked_add(price(group, u64::MAX)?))?;
    Some(Scheme { groups, cost })
}

/// The best scheme of DNNVM's space: operators with several producers or consumers are barriers, which are not fused; chains between
/// them are cut anywhere.
pub fn within_chains(graph: &OperatorGraph, price: &Price) -> Option<Scheme> {
    let sole_producer = |id: OperatorId| {
        let mut producers = graph.producers(id);
        let first = producers.next();
        (producers.all(|other| Some(other) == first)).then_some(first)
    };
    let is_barrier = |id: OperatorId| sole_producer(id).is_none() || graph.consumers(id).len() > 1;
    let mut scheme = Scheme { groups: Vec::new(), cost: 0 };
    for first in 0..graph.len() {
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
        let part = segments(&chain, price)?;
        scheme.cost = scheme.cost.checked_add(part.cost)?;
        scheme.groups.extend(part.groups);
    }
    scheme.groups.sort_unstable();
    Some(scheme)
}

/// The best scheme of Efficient-S' space: the network as one line, operators that are as far from the input side by side, cut anywhere.
pub fn within_levels(graph: &OperatorGraph, price: &Price) -> Option<Scheme> {
    let mut level = vec![0; graph.len()];
    for id in 0..graph.len() {
        level[id] = graph.producers(id).map(|producer| level[producer] + 1).max().unwrap_or(0);
    }
    let mut order: Vec<OperatorId> = (0..graph.len()).collect();
    order.sort_unstable_by_key(|&id| (level[id], id));
    segments(&order, price)
}

/// The best way to cut a topological order of operators.
pub fn segments(order: &[OperatorId], price: &Price) -> Option<Scheme> {
    let group = |from: usize, to: usize| {
        let mut group = order[from..to].to_vec();
        group.sort_unstable();
        group
    };
    let mut best = vec![Some(Way::START)];
    for end in 1..=order.len() {
        let mut way = None;
        for start in (0..end).rev() {
            let Some(before) = best[start] else { continue };
            way = before.improve(way, start, |at_most| price(&group(start, end), at_most)).or(way);
        }
        best.push(way);
    }
    Scheme::from_ways(&best, group)
}

/// What no scheme undercuts, in elements: the network's input and outputs for every image, and every parameter once.
pub fn oracle(graph: &OperatorGraph, setting: &Setting) -> u64 {
    let input = (!graph.readers(NETWORK_INPUT).is_empty()).then_some(NETWORK_INPUT);
    let outputs = (0..graph.len()).filter(|&id| graph.consumers(id).is_empty()).map(|id| id + 1);
    let features: u64 = input.into_iter().chain(outputs).map(|map| graph.map(map).elements()).sum();
    let parameters: u64 = graph.operators().iter().map(|operator| operator.parameters).sum();
    features.saturating_mul(setting.batch).saturating_add(parameters)
}
