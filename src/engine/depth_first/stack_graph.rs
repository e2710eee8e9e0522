//! Every stack that some choice of cuts makes, as arcs between what is done before and after it.
//!
//! What is done is always an order ideal of the network's graph: with a layer all that it depends on. A stack that ends at a
//! layer computes what this depends on and is not done yet. Only its last layer may be read by later stacks, so it is a stack
//! exactly if nobody outside reads another of its layers (DeFiNES, Section III). Stacks are put in the order of their
//! last layers, which leaves one way for each choice of cuts.

use super::ids::StateId;
use super::stack::Stack;
use crate::ids::{IdBitSet, TiSlice, TiVec, ti_vec};
use crate::sorting::sort_by_key;
use crate::workload::{LayerId, Network};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Arcs beyond which a network is too wide to look at every stack.
pub const MOST_STACKS: usize = 20_000;
/// Layers of all stacks together: each takes some 150 bytes in each stack that it is in.
pub const MOST_STACKED_LAYERS: usize = 1_400_000;
/// Steps of finding them before a network is called too wide: a second's work, or two.
const MOST_STEPS: usize = 500_000_000;
/// Steps of finding out whether smaller stacks would be few enough.
const MOST_STEPS_OF_ADVICE: usize = 30_000_000;
/// Stacks of more layers are no advice.
const MOST_LAYERS_OF_ADVICE: usize = 64;

/// All stacks of a network, between states of what is done. A way from the first state to [`Self::end`] is a choice of
/// cuts, and each choice is one way.
#[derive(Debug, Clone)]
pub struct StackGraph {
    /// How many states there are; 0 is that nothing is done.
    pub states: usize,
    /// The state in which all is done.
    pub end: StateId,
    /// The stacks, by ascending state in which they begin.
    pub arcs: Vec<StackArc>,
}

/// One stack.
#[derive(Debug, Clone)]
pub struct StackArc {
    /// Number of the order ideal of the layers that are done before.
    pub from: StateId,
    /// Number of the order ideal of the layers that are done after; a larger number.
    pub to: StateId,
    /// The stack.
    pub stack: Stack,
}

/// Why a network's stacks are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotListed {
    /// There are more than [`MOST_STACKS`], with more than [`MOST_STACKED_LAYERS`] in all, or it takes too long to find them.
    TooMany,
    /// No stacks of so few layers compute the network.
    NoWay,
}

impl StackGraph {
    /// All stacks of at most `most_layers` layers.
    ///
    /// # Errors
    /// Too many of them, which is noticed while they are counted, or too few to compute the network.
    pub fn new(network: &Network, most_layers: usize) -> Result<Self, NotListed> {
        let mut arcs = Vec::new();
        let ideals = Ideals::new(network);
        let limits = Within { most_layers, most_steps: MOST_STEPS };
        // Counted before they are kept.
        ideals.follow(limits, &mut |_, _, _| {})?;
        let done_in = ideals.follow(limits, &mut |from, to, layers| {
            arcs.push(StackArc { from, to, stack: Stack::new(network, layers) });
        })?;
        let end = done_in.position(|done| ideals.is_all(done)).ok_or(NotListed::NoWay)?;
        Ok(Self::ordered(&done_in, end, arcs))
    }

    /// How many layers a stack may have, as a power of two, so that [`Self::new`] lists them all; none where nothing helps that is
    /// quickly found.
    pub fn most_layers_listed(network: &Network) -> Option<usize> {
        let ideals = Ideals::new(network);
        let is_listed = |&most_layers: &usize| {
            let limits = Within { most_layers, most_steps: MOST_STEPS_OF_ADVICE };
            let done_in = ideals.follow(limits, &mut |_, _, _| {});
            done_in.is_ok_and(|done_in| done_in.iter().any(|done| ideals.is_all(done)))
        };
        std::iter::successors(Some(MOST_LAYERS_OF_ADVICE), |most| Some(most / 2).filter(|&half| half > 0))
            .find(is_listed)
    }

    /// States by how much is done, without those from which the end is out of reach.
    fn ordered(done_in: &TiSlice<StateId, IdBitSet<LayerId>>, end: StateId, mut arcs: Vec<StackArc>) -> Self {
        let done: TiVec<StateId, usize> = done_in.iter().map(|done| done.count()).collect();
        let mut leads_on: TiVec<StateId, bool> = ti_vec![false; done_in.len()];
        leads_on[end] = true;
        // An arc leads to a state with more done. In this order the arcs that leave its target come before it, so that it is known whether
        // the end can be reached from there.
        sort_by_key(&mut arcs, |arc| Reverse(done[arc.from]));
        arcs.retain(|arc| {
            leads_on[arc.from] |= leads_on[arc.to];
            leads_on[arc.to]
        });
        let mut order: Vec<StateId> = done_in.keys().filter(|&state| leads_on[state]).collect();
        sort_by_key(&mut order, |&state| done[state]);
        let mut place: TiVec<StateId, StateId> = ti_vec![StateId::default(); done_in.len()];
        order.iter().enumerate().for_each(|(at, &state)| place[state] = StateId::from(at));
        for arc in &mut arcs {
            (arc.from, arc.to) = (place[arc.from], place[arc.to]);
        }
        sort_by_key(&mut arcs, |arc| (arc.from, arc.to));
        Self { states: order.len(), end: place[end], arcs }
    }
}

/// Where following ends.
#[derive(Clone, Copy)]
struct Within {
    /// Layers of a stack.
    most_layers: usize,
    /// Work altogether.
    most_steps: usize,
}

/// What says which layers may be done together: a network as sets of layers.
struct Ideals {
    /// The layers that compute something: where a stack may end.
    ends: Vec<LayerId>,
    /// The layers whose whole outputs are needed, so that only the end of a stack may be one.
    whole: IdBitSet<LayerId>,
    /// Whose outputs each layer reads.
    inputs: TiVec<LayerId, Vec<LayerId>>,
    /// Who reads each layer's output.
    readers: TiVec<LayerId, Vec<LayerId>>,
    /// The computing layers on which each layer depends, itself included.
    ancestors: TiVec<LayerId, IdBitSet<LayerId>>,
}

impl Ideals {
    fn new(network: &Network) -> Self {
        let empty = IdBitSet::with_capacity(network.len());
        let ends: Vec<LayerId> = network.computing().collect();
        let inputs: TiVec<LayerId, Vec<LayerId>> =
            network.ids().map(|id| distinct(network.reads(id).iter().map(|read| read.layer))).collect();
        let readers: TiVec<LayerId, Vec<LayerId>> =
            network.ids().map(|id| distinct(network.readers(id).iter().copied())).collect();
        let mut whole = empty.clone();
        whole.extend(network.ids().filter(|&id| readers[id].is_empty()).chain(network.needed_whole()));
        let mut ancestors: TiVec<LayerId, IdBitSet<LayerId>> = TiVec::with_capacity(network.len());
        for id in network.ids() {
            let mut all = empty.clone();
            inputs[id].iter().for_each(|&producer| all.union_with(&ancestors[producer]));
            all.set(id, !network.layer(id).is_input());
            ancestors.push(all);
        }
        Self { ends, whole, inputs, readers, ancestors }
    }

    fn is_all(&self, done: &IdBitSet<LayerId>) -> bool {
        done.count() == self.ends.len()
    }

    /// Tells `found` every stack of at most `most_layers` layers, with the states before and after it. Gives what is done in each state.
    fn follow(
        &self,
        Within { most_layers, most_steps }: Within,
        found: &mut dyn FnMut(StateId, StateId, Vec<LayerId>),
    ) -> Result<TiVec<StateId, IdBitSet<LayerId>>, NotListed> {
        let nothing = IdBitSet::with_capacity(self.readers.len());
        let mut number: HashMap<IdBitSet<LayerId>, StateId> = HashMap::from([(nothing.clone(), StateId::default())]);
        let mut done_in: TiVec<StateId, IdBitSet<LayerId>> = ti_vec![nothing];
        let (mut stacks, mut stacked_layers, mut steps) = (0, 0, 0_usize);
        let mut from = StateId::default();
        while let Some(done) = done_in.get(from).cloned() {
            // Who needs one of these needs at least as much.
            let mut too_large = IdBitSet::with_capacity(self.inputs.len());
            // Stacks follow each other by ascending last layer: of the orders in which the same stacks can run, one is listed.
            let last = self.ends.iter().rev().find(|&&id| done.contains(id)).copied();
            for &end in self.ends.iter().filter(|&&end| last.is_none_or(|last| end > last)) {
                steps += 1;
                let mut is_too_large = self.inputs[end].iter().any(|&producer| too_large.contains(producer));
                if !is_too_large {
                    let count = self.ancestors[end].difference_count(&done);
                    steps += self.readers.len() / usize::BITS as usize + count.min(most_layers);
                    is_too_large = count > most_layers;
                }
                if is_too_large {
                    too_large.insert(end);
                } else if let Some(layers) = self.stack(&done, end) {
                    // Each producer takes a sixteenth of what a layer does.
                    let sizes = layers.iter().map(|&layer| 1 + self.inputs[layer].len() / 16);
                    (stacks, stacked_layers) = (stacks + 1, stacked_layers + sizes.sum::<usize>());
                    let mut after = done.clone();
                    after.extend(layers.iter().copied());
                    let to = *number.entry(after).or_insert_with_key(|after| done_in.push_and_get_key(after.clone()));
                    found(from, to, layers);
                }
                if stacks > MOST_STACKS || stacked_layers > MOST_STACKED_LAYERS {
                    return Err(NotListed::TooMany);
                }
                if self.whole.contains(end) {
                    // It ends a stack, and stacks come in the order of their ends: a later one leads nowhere from here.
                    break;
                }
            }
            if steps > most_steps {
                return Err(NotListed::TooMany);
            }
            from = from.following();
        }
        Ok(done_in)
    }

    /// The layers of the stack that ends at a layer, unless somebody outside reads one of the others.
    fn stack(&self, done: &IdBitSet<LayerId>, end: LayerId) -> Option<Vec<LayerId>> {
        let wanted = &self.ancestors[end];
        // Who reads what is not done is not done either.
        let is_hidden = |layer: LayerId| {
            !self.whole.contains(layer) && self.readers[layer].iter().all(|&reader| wanted.contains(reader))
        };
        let layers = wanted.difference(done);
        layers.map(|layer| (layer == end || is_hidden(layer)).then_some(layer)).collect()
    }
}

/// Each layer once, lowest id first.
fn distinct(layers: impl Iterator<Item = LayerId>) -> Vec<LayerId> {
    let mut layers: Vec<LayerId> = layers.collect();
    layers.sort_unstable();
    layers.dedup();
    layers
}
