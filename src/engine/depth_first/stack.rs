//! Cutting a network into stacks of fused layers (DeFiNES, Section III, inputs).

use super::ids::{NodeId, ReadId};
use super::strategy::FuseDepth;
use crate::hardware::{Core, Operand};
use crate::ids::{IdBitSet, TiVec, ti_vec};
use crate::rules::Rules;
use crate::sorting::sort_by_key;
use crate::spec::{Diagnostics, MAX_DIAGNOSTICS, closest};
use crate::workload::{LayerId, LayerKind, Network, Read};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Layers that are fused: nodes of a small graph, inputs first, in topological order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    /// The nodes: layers outside whose output is read, then the layers of the stack.
    pub nodes: TiVec<NodeId, LayerId>,
    /// Number of the nodes that are inputs.
    pub input_count: usize,
    /// For each node the nodes whose output it reads, one for each of [`Network::reads`]; empty for inputs.
    pub producers: TiVec<NodeId, Vec<NodeId>>,
    /// For each node the nodes that read its output, once for each read.
    pub consumers: TiVec<NodeId, Vec<NodeId>>,
    /// The first read of each node; reads are numbered node by node.
    first_reads: TiVec<NodeId, ReadId>,
}

/// Hashes the nodes alone: their reads follow from the network.
impl Hash for Stack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nodes.raw.hash(state);
    }
}

impl Stack {
    /// A stack of these layers, which are in topological order: by ascending id.
    pub(super) fn new(network: &Network, layers: Vec<LayerId>) -> Self {
        let read = layers.iter().flat_map(|&layer| network.reads(layer)).map(|read| read.layer);
        let mut nodes: Vec<LayerId> = read.filter(|producer| layers.binary_search(producer).is_err()).collect();
        sort_by_key(&mut nodes, |node| *node);
        nodes.dedup();
        let input_count = nodes.len();
        nodes.extend(&layers);
        let index_of = |layer: LayerId| {
            let inner = layers.binary_search(&layer).map(|at| input_count + at);
            inner.or_else(|_| nodes[..input_count].binary_search(&layer)).ok().map(NodeId::from)
        };
        let mut producers: TiVec<NodeId, Vec<NodeId>> = ti_vec![Vec::new(); nodes.len()];
        let mut consumers = producers.clone();
        let mut first_reads = TiVec::with_capacity(nodes.len());
        let mut reads = 0;
        for (node, &layer) in NodeId::first(nodes.len()).zip(&nodes) {
            first_reads.push(ReadId::from(reads));
            if node.index() < input_count {
                continue;
            }
            for producer in network.reads(layer).iter().filter_map(|read| index_of(read.layer)) {
                producers[node].push(producer);
                consumers[producer].push(node);
                reads += 1;
            }
        }
        Self { nodes: nodes.into(), input_count, producers, consumers, first_reads }
    }

    /// The reads of a node, in the order of its producers.
    pub fn reads(&self, node: NodeId) -> Range<ReadId> {
        let first = self.first_reads[node];
        first..ReadId::from(first.index() + self.producers[node].len())
    }

    /// The reads of a node, which is a layer of the stack: each with its producer.
    pub fn reads_of<'a>(
        &'a self,
        network: &'a Network,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = (ReadId, NodeId, &'a Read)> + 'a {
        let reads = if self.is_input(node) { &[] } else { network.reads(self.nodes[node]) };
        let ids = ReadId::within(self.reads(node));
        ids.zip(&self.producers[node]).zip(reads).map(|((id, &producer), read)| (id, producer, read))
    }

    /// Number of reads of all nodes.
    pub fn read_count(&self) -> usize {
        self.nodes.last_key().map_or(0, |last| self.reads(last).end.index())
    }

    /// Whether a node is an input of the stack.
    pub fn is_input(&self, node: NodeId) -> bool {
        node.index() < self.input_count
    }

    /// The node whose output is the stack's output: the last.
    pub fn output(&self) -> NodeId {
        NodeId::from(self.nodes.len() - 1)
    }

    /// The nodes that are computed, without stack inputs.
    pub fn layer_nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone {
        NodeId::within(NodeId::from(self.input_count)..self.nodes.next_key())
    }

    /// The layers that the stack computes.
    pub fn layers(&self) -> &[LayerId] {
        &self.nodes.raw[self.input_count..]
    }
}

/// Cuts the network as the fuse depth asks for.
///
/// # Errors
/// Cuts after layers that do not exist, or through a branch.
pub fn cut(network: &Network, core: &Core, fuse: &FuseDepth, rules: &Rules) -> Result<Vec<Stack>, Diagnostics> {
    let ends = match fuse {
        FuseDepth::LayerByLayer if !rules.layer_by_layer_keeps_stacks => Vec::new(),
        FuseDepth::Automatic | FuseDepth::LayerByLayer => automatic_cuts(network, core, rules),
        FuseDepth::SingleLayer => network.computing().collect(),
        FuseDepth::Cuts(names) => named_cuts(network, names)?,
    };
    // Unless the user listed the cuts, more may be added.
    let may_add = matches!(fuse, FuseDepth::Automatic | FuseDepth::LayerByLayer);
    cut_at_least_after(network, ends, rules, may_add)
}

/// Cuts after the given layers, and after further ones whose outputs other stacks need.
///
/// # Errors
/// Cuts through a branch, which more cuts cannot mend.
pub fn cut_with_outputs(network: &Network, ends: Vec<LayerId>, rules: &Rules) -> Result<Vec<Stack>, Diagnostics> {
    cut_at_least_after(network, ends, rules, true)
}

/// With several outputs a map may be needed in two stacks; if cuts may be added, one is added there.
fn cut_at_least_after(
    network: &Network,
    ends: Vec<LayerId>,
    rules: &Rules,
    may_add: bool,
) -> Result<Vec<Stack>, Diagnostics> {
    let mut cutter = Cutter::new(network, ends, rules);
    loop {
        let stacks = cutter.layers_of_stacks();
        match needed_outside(network, &stacks) {
            None => return Ok(stacks.into_iter().map(|layers| Stack::new(network, layers)).collect()),
            Some((layer, ..)) if may_add && !cutter.is_end.contains(layer) => cutter.add(layer),
            Some(needed) => return Err(explain_cut_through_branch(network, needed)),
        }
    }
}

/// For each layer the ones that `is_counted` of itself and of all that it depends on.
pub(super) fn ancestors(network: &Network, is_counted: impl Fn(LayerId) -> bool) -> TiVec<LayerId, IdBitSet<LayerId>> {
    let mut ancestors: TiVec<LayerId, IdBitSet<LayerId>> = TiVec::with_capacity(network.len());
    for id in network.ids() {
        let mut all = IdBitSet::with_capacity(network.len());
        network.reads(id).iter().for_each(|read| all.union_with(&ancestors[read.layer]));
        all.set(id, is_counted(id));
        ancestors.push(all);
    }
    ancestors
}

/// Cuts a network after some layers, repeatedly with one more. Bit sets keep that quick for thousands of layers.
struct Cutter<'a> {
    network: &'a Network,
    ignores_first_layer: bool,
    /// Layers after which the network is cut; some may occur more than once.
    ends: Vec<LayerId>,
    is_end: IdBitSet<LayerId>,
    /// Layers whose whole output is needed.
    whole: IdBitSet<LayerId>,
    computing: IdBitSet<LayerId>,
    /// Each layer and all that it depends on.
    ancestors: TiVec<LayerId, IdBitSet<LayerId>>,
}

impl<'a> Cutter<'a> {
    /// Cuts after the given layers and after every output of the network.
    fn new(network: &'a Network, ends: Vec<LayerId>, rules: &Rules) -> Self {
        let set = |ids: &mut dyn Iterator<Item = LayerId>| {
            let mut set = IdBitSet::with_capacity(network.len());
            set.extend(ids);
            set
        };
        let mut cutter = Self {
            network,
            ignores_first_layer: rules.cut_after_first_layer_ignored,
            is_end: set(&mut ends.iter().copied()),
            whole: set(&mut network.needed_whole()),
            computing: set(&mut network.computing()),
            ends,
            ancestors: ancestors(network, |_| true),
        };
        // An output of the network, which no layer reads, ends a stack, and so does a map that is needed whole in the
        // highest memory.
        for id in network.computing() {
            let is_output = network.readers(id).is_empty() || cutter.whole.contains(id);
            if is_output && !cutter.is_end.contains(id) {
                cutter.add(id);
            }
        }
        cutter
    }

    fn add(&mut self, end: LayerId) {
        self.is_end.insert(end);
        self.ends.push(end);
    }

    /// The layers of all stacks, each in topological order.
    fn layers_of_stacks(&mut self) -> Vec<Vec<LayerId>> {
        sort_by_key(&mut self.ends, |end| *end);
        let mut ends: Vec<Option<LayerId>> = self.ends.iter().copied().map(Some).collect();
        if self.ignores_first_layer {
            self.ignore_cut_after_first_layer(&mut ends);
        }
        let mut stacks = Vec::new();
        let mut before: Option<LayerId> = None;
        let nothing = IdBitSet::with_capacity(self.network.len());
        let mut done = nothing.clone();
        let last = LayerId::from(self.network.len() - 1);
        for end in ends {
            if self.ignores_first_layer {
                // The tool forgets which layers are done, and removes all ancestors of the last cut.
                done = before.map_or_else(|| nothing.clone(), |before| self.ancestors[before].clone());
            }
            let mut wanted = self.ancestors[end.unwrap_or(last)].clone();
            wanted.intersect_with(&self.computing);
            wanted.difference_with(&done);
            done.union_with(&wanted);
            if !wanted.is_empty() {
                stacks.push(wanted.iter().collect());
            }
            before = end;
        }
        stacks
    }

    /// The tool tests layer ids as truth values, so that a cut after layer 0 becomes no cut: the stack that should end there
    /// goes on to the network's output, and the next begins at its input (NOTES 12.10).
    fn ignore_cut_after_first_layer(&self, ends: &mut [Option<LayerId>]) {
        let first = self.network.computing().next().filter(|&first| !self.whole.contains(first));
        for end in ends.iter_mut() {
            if *end == first {
                *end = None;
            }
        }
    }
}

fn named_cuts(network: &Network, names: &[String]) -> Result<Vec<LayerId>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut cuts: Vec<LayerId> = Vec::new();
    for name in names {
        if diagnostics.0.len() == MAX_DIAGNOSTICS {
            break;
        }
        match network.computing().find(|&id| network.layer(id).name == *name) {
            Some(id) if cuts.contains(&id) => {}
            Some(id) => cuts.push(id),
            None => {
                let all: Vec<&str> = network.computing().map(|id| network.layer(id).name.as_str()).collect();
                let remedy = closest(name, all.iter().copied()).map_or_else(
                    || format!("Use one of {}", all.join(", ")),
                    |meant| format!("Did you mean `{meant}`?"),
                );
                diagnostics.add("fuse", format!("There is no layer `{name}` to cut after"), remedy);
            }
        }
    }
    sort_by_key(&mut cuts, |cut| *cut);
    diagnostics.or(cuts)
}

/// How a rule sees the reads of a network.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Views {
    /// A layer reads the producers behind a view.
    Through,
    /// The map that a view shows lies in the highest memory, wherever stacks end.
    Stored,
}

/// Units between two points without branches: fused together or not at all.
fn undividable_units(network: &Network, views: Views) -> Vec<Vec<LayerId>> {
    let reads = |id: LayerId| match views {
        Views::Through => network.reads(id).iter().map(|read| read.layer).collect(),
        Views::Stored => network.inputs(id),
    };
    let reader_count = |id: LayerId| match views {
        Views::Through => network.readers(id).len(),
        Views::Stored => network.consumers(id).len(),
    };
    let mut units: Vec<Vec<LayerId>> = vec![Vec::new()];
    // Feature maps that a later layer still reads; a unit ends where there is only one.
    let is_input = |id: &LayerId| network.layer(*id).shape.kind == LayerKind::Input;
    let mut waiting: Vec<(LayerId, usize)> = network.ids().filter(is_input).map(|id| (id, reader_count(id))).collect();
    for id in network.computing() {
        for producer in reads(id) {
            if let Some(entry) = waiting.iter_mut().find(|(layer, _)| *layer == producer) {
                entry.1 -= 1;
            }
        }
        waiting.retain(|(_, readers)| *readers > 0);
        if let Some(unit) = units.last_mut() {
            unit.push(id);
        }
        if waiting.is_empty() {
            units.push(Vec::new());
        }
        waiting.push((id, reader_count(id)));
        waiting.retain(|(_, readers)| *readers > 0);
    }
    units.retain(|unit| !unit.is_empty());
    units
}

/// Fuses units as long as their weights fit in the highest on-chip memory for weights (DeFiNES tool,
/// DfStackCutIfWeightsOverflowStage.py).
///
/// The tool runs the layers of a unit one by one where they do not fit. It has no views. With them, a whole dense block
/// or U-Net is one unit; of such a unit, the layers between views are fused.
fn automatic_cuts(network: &Network, core: &Core, rules: &Rules) -> Vec<LayerId> {
    let levels = core.levels(Operand::W);
    let capacity = levels.len().checked_sub(2).map_or(0, |level| {
        let memory = &core.memories[levels[level]];
        let instances = if rules.stack_capacity_is_one_instance { 1 } else { memory.instances };
        memory.size_bits.saturating_mul(instances)
    });
    let mut fused = FusedUnits { network, capacity, cuts: Vec::new(), bits: 0, previous: None };
    let mut shown = IdBitSet::with_capacity(network.len());
    shown.extend(network.stored());
    network.needed_whole().for_each(|id| shown.set(id, false));
    let mut smaller = if shown.is_empty() { Vec::new() } else { undividable_units(network, Views::Stored) };
    for unit in undividable_units(network, Views::Through) {
        let is_divided = fused.weight_bits(&unit) > capacity && unit.iter().any(|&id| shown.contains(id));
        if is_divided {
            let (within, others) = smaller.into_iter().partition(|part| unit.binary_search(&part[0]).is_ok());
            smaller = others;
            let within: Vec<Vec<LayerId>> = within;
            within.iter().for_each(|part| fused.add(part));
            fused.cuts.extend(unit.iter().filter(|&&id| shown.contains(id)));
        } else {
            fused.add(&unit);
        }
    }
    sort_by_key(&mut fused.cuts, |cut| *cut);
    fused.cuts.dedup();
    fused.cuts
}

/// Units that are fused greedily, one after the other.
struct FusedUnits<'a> {
    network: &'a Network,
    /// Bits of weights that the memory can keep.
    capacity: u64,
    cuts: Vec<LayerId>,
    /// Weights of the units since the last cut.
    bits: u64,
    previous: Option<LayerId>,
}

impl FusedUnits<'_> {
    fn weight_bits(&self, unit: &[LayerId]) -> u64 {
        unit.iter().map(|&id| self.network.layer(id).shape.weight_bits()).sum()
    }

    fn add(&mut self, unit: &[LayerId]) {
        let bits = self.weight_bits(unit);
        if bits > self.capacity {
            self.cuts.extend(self.previous);
            self.cuts.extend(unit);
            self.bits = 0;
        } else if self.bits + bits > self.capacity {
            self.cuts.extend(self.previous);
            self.bits = bits;
        } else {
            self.bits += bits;
        }
        self.previous = unit.last().copied();
    }
}

/// A layer inside a stack that another stack reads too: the layer, the end of its stack, and the reader.
fn needed_outside(network: &Network, stacks: &[Vec<LayerId>]) -> Option<(LayerId, LayerId, LayerId)> {
    stacks.iter().find_map(|layers| {
        let (&last, inner) = layers.split_last()?;
        inner.iter().find_map(|&layer| {
            let is_outside = |reader: &&LayerId| layers.binary_search(reader).is_err();
            Some((layer, last, *network.readers(layer).iter().find(is_outside)?))
        })
    })
}

fn explain_cut_through_branch(network: &Network, (layer, last, outside): (LayerId, LayerId, LayerId)) -> Diagnostics {
    let [name, last, outside] = [layer, last, outside].map(|id| network.layer(id).name.as_str());
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        "fuse",
        format!("A stack that ends after `{last}` also has to hand `{name}` on to `{outside}` in a later stack"),
        format!("Cut after `{name}` too, or not between it and `{outside}`"),
    );
    diagnostics
}
