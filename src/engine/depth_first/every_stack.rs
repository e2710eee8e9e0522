//! Every stack that some choice of cuts makes, as arcs between what is done before and after it.
//!
//! What is done is always an order ideal of the network's graph: with a layer all that it depends on. A stack that ends at a
//! layer computes what this depends on and is not done yet. Only its last layer may be read by later stacks, so it is a stack
//! exactly if nobody outside reads another of its layers (DeFiNES, Section III). Stacks are put in the order of their
//! last layers, which leaves one way for each choice of cuts.

use super::stack::{Stack, ancestors};
use crate::sorting::sort_by_key;
use crate::workload::{LayerId, Network};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Arcs beyond which a network is too wide to look at every stack.
pub const MOST_STACKS: usize = 20_000;

/// All stacks of a network, between states of what is done. A way from the first state to [`Self::end`] is a choice of
/// cuts, and each choice is one way.
#[derive(Debug, Clone)]
pub struct EveryStack {
    /// How many states there are; 0 is that nothing is done.
    pub states: usize,
    /// The state in which all is done.
    pub end: usize,
    /// The stacks, by ascending state in which they begin.
    pub arcs: Vec<StackArc>,
}

/// One stack.
#[derive(Debug, Clone)]
pub struct StackArc {
    /// What is done before.
    pub from: usize,
    /// What is done after; a larger number.
    pub to: usize,
    /// The stack.
    pub stack: Stack,
}

impl EveryStack {
    /// All stacks of at most `most_layers` layers; `None` where there are more than [`MOST_STACKS`].
    pub fn new(network: &Network, most_layers: usize) -> Option<Self> {
        let ends: Vec<LayerId> = network.computing().collect();
        let ends_here: Vec<bool> = {
            let stored: Vec<LayerId> = network.stored().collect();
            network.ids().map(|id| network.consumers(id).is_empty() || stored.contains(&id)).collect()
        };
        let wanted: Vec<Vec<bool>> = network.ids().map(|id| ancestors(network, id)).collect();
        let mut number: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut done_in = vec![vec![false; network.len()]];
        number.insert(done_in[0].clone(), 0);
        let mut arcs = Vec::new();
        let mut from = 0;
        while let Some(done) = done_in.get(from).cloned() {
            let last = ends.iter().rev().find(|&&id| done[id]).copied();
            for &end in ends.iter().filter(|&&end| last.is_none_or(|last| end > last)) {
                let layers: Vec<LayerId> = ends.iter().copied().filter(|&id| wanted[end][id] && !done[id]).collect();
                let is_inside = |id: LayerId| wanted[end][id] && !done[id];
                let hidden =
                    |&layer: &LayerId| !ends_here[layer] && network.consumers(layer).into_iter().all(is_inside);
                if layers.len() > most_layers || !layers.iter().filter(|&&layer| layer != end).all(hidden) {
                    continue;
                }
                let mut after = done.clone();
                layers.iter().for_each(|&layer| after[layer] = true);
                let to = *number.entry(after.clone()).or_insert_with(|| {
                    done_in.push(after);
                    done_in.len() - 1
                });
                arcs.push(StackArc { from, to, stack: Stack::new(network, layers) });
                if arcs.len() > MOST_STACKS {
                    return None;
                }
            }
            from += 1;
        }
        let end = done_in.iter().position(|done| ends.iter().all(|&id| done[id]))?;
        Some(Self::ordered(&done_in, end, arcs))
    }

    /// States by how much is done, without those from which the end is out of reach.
    fn ordered(done_in: &[Vec<bool>], end: usize, mut arcs: Vec<StackArc>) -> Self {
        let done = |state: usize| done_in[state].iter().filter(|&&done| done).count();
        let mut leads_on = vec![false; done_in.len()];
        leads_on[end] = true;
        sort_by_key(&mut arcs, |arc| Reverse(done(arc.from)));
        arcs.retain(|arc| {
            leads_on[arc.from] |= leads_on[arc.to];
            leads_on[arc.to]
        });
        let mut order: Vec<usize> = (0..done_in.len()).filter(|&state| leads_on[state]).collect();
        sort_by_key(&mut order, |&state| done(state));
        let mut place = vec![0; done_in.len()];
        order.iter().enumerate().for_each(|(at, &state)| place[state] = at);
        for arc in &mut arcs {
            (arc.from, arc.to) = (place[arc.from], place[arc.to]);
        }
        sort_by_key(&mut arcs, |arc| (arc.from, arc.to));
        Self { states: order.len(), end: place[end], arcs }
    }
}
