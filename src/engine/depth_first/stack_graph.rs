//! Every stack of every choice of cuts, as arcs between the layers done before it and those done after it.
//!
//! The layers that are done always form an order ideal of the network's graph: with a layer, all layers on which it
//! depends. A stack that ends at a layer computes this layer and those of its ancestors that are not done yet. Later
//! stacks may read only the last layer of a stack, so these layers are a stack exactly if no layer outside reads any
//! other of them (DeFiNES, Section III). Stacks are taken in the order of their last layers, so that each choice of
//! cuts is one path.

use super::ids::StateId;
use super::stack::{Stack, ancestors};
use crate::ids::{IdBitSet, TiSlice, TiVec, ti_vec};
use crate::sorting::sort_by_key;
use crate::workload::{LayerId, Network};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Limit on the arcs: a network with more is too wide to look at every stack.
pub const MOST_STACKS: usize = 20_000;
/// Limit on the layers of all stacks together: each takes some 150 bytes in each stack that it is in.
pub const MOST_STACKED_LAYERS: usize = 1_400_000;
/// Limit on the steps of listing all stacks: a second or two of work.
const MOST_STEPS: usize = 500_000_000;
/// Limit on the steps of finding out whether stacks of some length are few enough.
const MOST_STEPS_OF_A_LENGTH: usize = 30_000_000;
/// Limit on the length of stacks that are listed where not all are.
const MOST_LAYERS_OF_SHORT_STACKS: usize = 64;
/// Limit on the layers of all stacks together where not all stacks are listed: these are studied in well below a
/// minute.
const MOST_LAYERS_OF_ALL_SHORT_STACKS: usize = 40_000;

/// Stacks of a network, between states. A path from the first state to [`Self::end`] is a choice of cuts, and each
/// choice is one path.
#[derive(Debug, Clone)]
pub struct StackGraph {
    /// Number of states; in state 0 no layer is done.
    pub states: usize,
    /// The state in which all layers are done.
    pub end: StateId,
    /// The stacks, by ascending state in which they begin.
    pub arcs: Vec<StackArc>,
    /// Which stacks of the network these are.
    pub listed: StackEnumeration,
}

/// Which stacks of a network are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ListedStacks"))]
#[serde(rename_all = "snake_case")]
pub enum StackEnumeration {
    /// All, within the limits of the request.
    All,
    /// All of at most this many layers, and longer ones that were given.
    UpTo(#[cfg_attr(feature = "schema", schemars(range(min = 1)))] usize),
    /// The given stacks alone: even the shortest are too many.
    Given,
}

impl StackEnumeration {
    /// For a person: the stacks among which the best choice is proved, where these are not all.
    pub fn scope(self) -> Option<String> {
        let named = "the stacks that the other methods choose";
        match self {
            Self::All => None,
            Self::UpTo(1) => Some(format!("single layers and {named}")),
            Self::UpTo(most) => Some(format!("all stacks of at most {most} layers and {named}")),
            Self::Given => Some(named.to_owned()),
        }
    }
}

/// An arc of the graph: one stack, between the layers done before it and those done after it.
#[derive(Debug, Clone)]
pub struct StackArc {
    /// Number of the order ideal of the layers that are done before.
    pub from: StateId,
    /// Number of the order ideal of the layers that are done after; a larger number.
    pub to: StateId,
    /// The layers that lie between both ideals.
    pub stack: Stack,
}

/// Why a network's stacks are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnumerationLimit {
    /// There are more than `MOST_STACKS`, with more than `MOST_STACKED_LAYERS` in all, or it takes too long to find them.
    TooMany,
    /// No stacks of so few layers compute the network.
    NoWay,
}

impl StackGraph {
    /// All stacks of at most `most_layers` layers.
    ///
    /// # Errors
    /// Too many of them, which is noticed while they are counted, or too few to compute the network.
    pub fn new(network: &Network, most_layers: usize) -> Result<Self, EnumerationLimit> {
        let limits = Within { most_layers, most_stacked_layers: MOST_STACKED_LAYERS, most_steps: MOST_STEPS };
        Self::listed(network, &LayerSets::new(network), limits, StackEnumeration::All, &[])
    }

    /// As many of the stacks of at most `most_layers` layers as a limited effort allows: all up to the greatest power of two of layers
    /// that leaves few enough, and those of each of the `given` choices of cuts, so that the best choice is no worse than these.
    ///
    /// # Errors
    /// Where the given choices do not compute the network with so few layers in a stack, and short stacks are too many.
    pub fn within_effort(
        network: &Network,
        most_layers: usize,
        given: &[Vec<Stack>],
    ) -> Result<Self, EnumerationLimit> {
        let sets = LayerSets::new(network);
        let of = |most_layers| Within {
            most_layers,
            most_stacked_layers: MOST_LAYERS_OF_ALL_SHORT_STACKS,
            most_steps: MOST_STEPS_OF_A_LENGTH,
        };
        let halves = std::iter::successors(Some(MOST_LAYERS_OF_SHORT_STACKS), |most| Some(most / 2));
        let lengths = halves.take_while(|&most| most > 0).filter(|&most| most <= most_layers);
        let given: Vec<&[Stack]> = given
            .iter()
            .filter(|stacks| stacks.iter().all(|stack| stack.layers().len() <= most_layers))
            .map(Vec::as_slice)
            .collect();
        for length in lengths {
            match Self::listed(network, &sets, of(length), StackEnumeration::UpTo(length), &given) {
                Err(EnumerationLimit::TooMany) => {}
                graph => return graph,
            }
        }
        Self::listed(network, &sets, of(0), StackEnumeration::Given, &given)
    }

    fn listed(
        network: &Network,
        sets: &LayerSets,
        limits: Within,
        listed: StackEnumeration,
        given: &[&[Stack]],
    ) -> Result<Self, EnumerationLimit> {
        let mut arcs = Vec::new();
        // Counted before they are kept.
        sets.follow(limits, &mut |_, _, _| {})?;
        let mut done_in = sets.follow(limits, &mut |from, to, layers| {
            arcs.push(StackArc { from, to, stack: Stack::new(network, layers) });
        })?;
        sets.add_ways(&mut done_in, &mut arcs, given);
        let end = done_in.position(|done| sets.is_all(done)).ok_or(EnumerationLimit::NoWay)?;
        Ok(Self::ordered(&done_in, end, arcs, listed))
    }

    /// Numbers states by their number of computed layers, and drops those from which the end cannot be reached.
    fn ordered(
        done_in: &TiSlice<StateId, IdBitSet<LayerId>>,
        end: StateId,
        mut arcs: Vec<StackArc>,
        listed: StackEnumeration,
    ) -> Self {
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
        Self { states: order.len(), end: place[end], arcs, listed }
    }
}

/// Limits on following the arcs.
#[derive(Clone, Copy)]
struct Within {
    /// Layers of a stack.
    most_layers: usize,
    /// Layers of all stacks together.
    most_stacked_layers: usize,
    /// Work altogether.
    most_steps: usize,
}

/// A network as sets of layers, which tell the layers that may make a stack.
struct LayerSets {
    /// The layers that compute something: where a stack may end.
    ends: Vec<LayerId>,
    /// The layers whose whole outputs are needed, so that only the end of a stack may be one.
    whole: IdBitSet<LayerId>,
    /// The producers that each layer reads.
    inputs: TiVec<LayerId, Vec<LayerId>>,
    /// The readers of each layer's output.
    readers: TiVec<LayerId, Vec<LayerId>>,
    /// The computing layers on which each layer depends, itself included.
    ancestors: TiVec<LayerId, IdBitSet<LayerId>>,
}

impl LayerSets {
    fn new(network: &Network) -> Self {
        let ends: Vec<LayerId> = network.computing().collect();
        let inputs: TiVec<LayerId, Vec<LayerId>> =
            network.ids().map(|id| distinct(network.reads(id).iter().map(|read| read.layer))).collect();
        let readers: TiVec<LayerId, Vec<LayerId>> =
            network.ids().map(|id| distinct(network.readers(id).iter().copied())).collect();
        let mut whole = IdBitSet::with_capacity(network.len());
        whole.extend(network.ids().filter(|&id| readers[id].is_empty()).chain(network.needed_whole()));
        let ancestors = ancestors(network, |id| !network.layer(id).is_input());
        Self { ends, whole, inputs, readers, ancestors }
    }

    fn is_all(&self, done: &IdBitSet<LayerId>) -> bool {
        done.count() == self.ends.len()
    }

    /// Calls `found` with every stack of at most `most_layers` layers and the states before and after it. Returns the
    /// layers that are done in each state.
    fn follow(
        &self,
        Within { most_layers, most_stacked_layers, most_steps }: Within,
        found: &mut dyn FnMut(StateId, StateId, Vec<LayerId>),
    ) -> Result<TiVec<StateId, IdBitSet<LayerId>>, EnumerationLimit> {
        let nothing = IdBitSet::with_capacity(self.readers.len());
        let mut number: HashMap<IdBitSet<LayerId>, StateId> = HashMap::from([(nothing.clone(), StateId::default())]);
        let mut done_in: TiVec<StateId, IdBitSet<LayerId>> = ti_vec![nothing];
        let (mut stacks, mut stacked_layers, mut steps) = (0, 0, 0_usize);
        let mut from = StateId::default();
        while let Some(done) = done_in.get(from).cloned() {
            // Last layers of stacks that are too large: a stack that contains one of them is too large, too.
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
                    // A producer counts as a sixteenth of a layer.
                    let sizes = layers.iter().map(|&layer| 1 + self.inputs[layer].len() / 16);
                    (stacks, stacked_layers) = (stacks + 1, stacked_layers + sizes.sum::<usize>());
                    let mut after = done.clone();
                    after.extend(layers.iter().copied());
                    let to = *number.entry(after).or_insert_with_key(|after| done_in.push_and_get_key(after.clone()));
                    found(from, to, layers);
                }
                if stacks > MOST_STACKS || stacked_layers > most_stacked_layers {
                    return Err(EnumerationLimit::TooMany);
                }
                if self.whole.contains(end) {
                    // No stack may contain this layer except as its last, and stacks come in the order of their last
                    // layers: later ones lead nowhere.
                    break;
                }
            }
            if steps > most_steps {
                return Err(EnumerationLimit::TooMany);
            }
            from = from.following();
        }
        Ok(done_in)
    }

    /// Adds the stacks of choices of cuts, each in the order of its stacks' last layers, that are not there yet.
    fn add_ways(
        &self,
        done_in: &mut TiVec<StateId, IdBitSet<LayerId>>,
        arcs: &mut Vec<StackArc>,
        choices: &[&[Stack]],
    ) {
        let mut number: HashMap<IdBitSet<LayerId>, StateId> =
            done_in.iter_enumerated().map(|(state, done)| (done.clone(), state)).collect();
        let mut known: HashSet<(StateId, StateId)> = arcs.iter().map(|arc| (arc.from, arc.to)).collect();
        for choice in choices {
            let mut done = IdBitSet::with_capacity(self.readers.len());
            let mut from = StateId::default();
            let mut stacks: Vec<&Stack> = choice.iter().collect();
            sort_by_key(&mut stacks, |stack| stack.nodes[stack.output()]);
            for stack in stacks {
                done.extend(stack.layers().iter().copied());
                let to = *number.entry(done.clone()).or_insert_with_key(|done| done_in.push_and_get_key(done.clone()));
                // Two states determine the stack between them.
                if known.insert((from, to)) {
                    arcs.push(StackArc { from, to, stack: stack.clone() });
                }
                from = to;
            }
        }
    }

    /// The layers of the stack that ends at a layer; `None` if a layer outside reads any other of them.
    fn stack(&self, done: &IdBitSet<LayerId>, end: LayerId) -> Option<Vec<LayerId>> {
        let wanted = &self.ancestors[end];
        // Readers of a layer that is not done are not done either, so it suffices that all readers belong to the
        // stack's ancestors.
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
