//! The top memory level of each kind of data: features, caches, weights (DeFiNES, Section III, step 3).

use super::axis::{Strip, TileAxis};
use super::ids::{NodeId, ReadId};
use super::stack::Stack;
use super::strategy::StoringMode;
use crate::hardware::{Core, MemoryId, Operand};
use crate::ids::TiVec;
use crate::rules::Rules;
use crate::sorting::sort_by_key;
use crate::workload::{Dim, LayerId, LayerKind, Network};
use std::ops::Range;

/// The geometry of a tile: the parts that each node of its stack computes and needs, by axis.
#[derive(Debug, Clone, Copy)]
pub struct TileGeometry<'a> {
    /// Columns.
    pub x: &'a Strip,
    /// Rows.
    pub y: &'a Strip,
}

/// Sizes of the data of a stack, from which the footprint of a tile follows; found once for all its tiles.
#[derive(Debug, Clone)]
pub struct StackFootprint {
    nodes: TiVec<NodeId, NodeMeasure>,
    reads: TiVec<ReadId, ReadMeasure>,
    /// Bits of the weights of all layers of the stack.
    pub weight_bits: u64,
}

#[derive(Debug, Clone, Copy)]
struct NodeMeasure {
    /// Channels of the output in one image.
    channels: u64,
    /// Bits of one pixel of the output, all channels and images.
    output_bits: u64,
}

#[derive(Debug, Clone, Copy)]
struct ReadMeasure {
    /// Channels of the producer that the reader takes.
    channels: u64,
    /// Bits of one pixel of these, as the reader takes them, all images.
    pixel_bits: u64,
    /// Columns of the producer's map that the reader sees.
    columns: u64,
    /// Channels of the producer's map that count among the inputs while the reader runs: those that no earlier read
    /// counts.
    replaced: u64,
}

/// Working memory of [`StackFootprint::peak_alive_bits`].
#[derive(Debug, Default)]
pub struct Scratch {
    readers_left: TiVec<NodeId, usize>,
    held: TiVec<NodeId, u64>,
}

impl StackFootprint {
    /// The sizes of a stack.
    pub fn new(network: &Network, stack: &Stack, rules: &Rules) -> Self {
        let shape = |node: NodeId| &network.layer(stack.nodes[node]).shape;
        // Of a stack input, as many channels are fetched as its readers want: where they want different numbers, the tool
        // fetches the fewest.
        let output_channels = |node: NodeId| {
            if !stack.is_input(node) {
                return shape(node).output_channels();
            }
            // A consumer that reads several parts is listed once for each part.
            let readers = stack.consumers[node].chunk_by(|a, b| a == b).filter_map(|reader| reader.first());
            let parts = readers.map(|&reader| {
                let reads = stack.reads_of(network, reader).filter(|(_, producer, _)| *producer == node);
                reads.map(|(.., read)| read.channels.clone()).collect::<Vec<_>>()
            });
            let wanted = match rules.tiles_without_borders {
                true => parts.map(together).min(),
                false => Some(together(parts.flatten().collect())),
            };
            wanted.unwrap_or(0)
        };
        let node = |node: NodeId| {
            let channels = output_channels(node);
            NodeMeasure { channels, output_bits: channels * shape(node).size(Dim::B) * shape(node).precision.o }
        };
        let of_reads = |node: NodeId| {
            let pixel_bits = shape(node).size(Dim::B) * shape(node).precision.i;
            let replaced = replaced_channels(network, stack, node);
            stack.reads_of(network, node).zip(replaced).map(move |((.., read), replaced)| ReadMeasure {
                channels: read.count(),
                pixel_bits: pixel_bits * read.count(),
                columns: TileAxis::Columns.shown_size(read),
                replaced,
            })
        };
        Self {
            nodes: stack.nodes.keys().map(node).collect(),
            reads: stack.nodes.keys().flat_map(of_reads).collect(),
            weight_bits: stack.layers().iter().map(|&layer| network.layer(layer).shape.weight_bits()).sum(),
        }
    }

    /// Channels of a node's output in one image.
    pub fn channels(&self, node: NodeId) -> u64 {
        self.nodes[node].channels
    }

    /// Bits of `columns` x `rows` of a node's output.
    pub fn output_bits(&self, node: NodeId, columns: u64, rows: u64) -> u64 {
        self.nodes[node].output_bits * columns * rows
    }

    /// Bits of `columns` x `rows` pixels of a read.
    pub fn read_bits(&self, read: ReadId, columns: u64, rows: u64) -> u64 {
        self.reads[read].pixel_bits * columns * rows
    }

    /// Channels that are read of a producer.
    pub fn read_channels(&self, read: ReadId) -> u64 {
        self.reads[read].channels
    }

    /// Bits of all inputs of a node that a tile needs, cached ones included.
    pub fn all_input_bits(&self, stack: &Stack, node: NodeId, tile: TileGeometry<'_>) -> u64 {
        let bits = |read: ReadId| self.read_bits(read, tile.x.reads[read].needed, tile.y.reads[read].needed);
        ReadId::within(stack.reads(node)).map(bits).sum()
    }

    /// Bits of the producer's map that a read replaces while its reader runs: those of the channels that are read.
    pub(super) fn replaced_bits(&self, read: ReadId, producer: NodeId, held: u64) -> u64 {
        let all = self.nodes[producer].channels.max(1);
        held / all * self.reads[read].replaced.min(all)
    }

    /// As [`Self::replaced_bits`], of the channels that are read and no others.
    pub(super) fn read_in_place_bits(&self, read: ReadId, producer: NodeId, held: u64) -> u64 {
        self.replaced_bits(read, producer, held)
            .min(held / self.nodes[producer].channels.max(1) * self.reads[read].channels)
    }

    /// Most feature bits alive at once while the tile is computed (DeFiNES tool, DepthFirstStage.py:45-89).
    ///
    /// An output lives until its last reader ran; while a reader runs, its whole input window counts in its place.
    /// `kept` are bits of each node's output that stay when the rest of it is dropped.
    fn peak_alive_bits(
        &self,
        stack: &Stack,
        tile: TileGeometry<'_>,
        scratch: &mut Scratch,
        kept: impl Fn(NodeId) -> u64,
    ) -> u64 {
        let count = stack.nodes.len();
        let Scratch { readers_left, held } = scratch;
        readers_left.clear();
        readers_left.extend(stack.consumers.iter().map(Vec::len));
        held.clear();
        held.resize(count, 0);
        let (mut alive, mut peak) = (0, 0);
        for node in stack.nodes.keys() {
            let inputs = self.all_input_bits(stack, node, tile);
            let sources = ReadId::within(stack.reads(node)).zip(&stack.producers[node]);
            let replaced: u64 =
                sources.map(|(read, &producer)| self.replaced_bits(read, producer, held[producer])).sum();
            held[node] = self.output_bits(node, tile.x.nodes[node].computed, tile.y.nodes[node].computed);
            peak = peak.max((alive + inputs + held[node]).saturating_sub(replaced));
            alive += held[node];
            peak = peak.max(alive);
            for &producer in &stack.producers[node] {
                readers_left[producer] -= 1;
                if readers_left[producer] == 0 {
                    alive = alive - held[producer] + kept(producer);
                    held[producer] = 0;
                }
            }
            peak = peak.max(alive);
        }
        peak
    }

    /// Sum over all reads.
    fn sum_reads(&self, bits: impl Fn(ReadId) -> u64) -> u64 {
        self.reads.keys().map(bits).sum()
    }
}

/// For each read of a node, the channels of its producer that it replaces: all of them, as the tool has no views;
/// through views those that are read, each counted once.
fn replaced_channels(network: &Network, stack: &Stack, node: NodeId) -> Vec<u64> {
    let mut reads: Vec<(LayerId, &Range<u64>, usize)> = Vec::new();
    for (place, (.., read)) in stack.reads_of(network, node).enumerate() {
        reads.push((read.layer, &read.channels, place));
    }
    let mut replaced = vec![u64::MAX; reads.len()];
    let is_view = |&input: &LayerId| network.layer(input).view.is_some();
    if !network.inputs(stack.nodes[node]).iter().any(is_view) {
        return replaced;
    }
    sort_by_key(&mut reads, |&(layer, channels, place)| (layer, channels.start, place));
    for of_layer in reads.chunk_by(|a, b| a.0 == b.0) {
        let mut end = 0;
        for &(_, channels, place) in of_layer {
            replaced[place] = channels.end.saturating_sub(channels.start.max(end));
            end = end.max(channels.end);
        }
    }
    replaced
}

/// Number of the channels in these ranges, each once.
fn together(mut ranges: Vec<Range<u64>>) -> u64 {
    sort_by_key(&mut ranges, |range| range.start);
    let mut end = 0;
    ranges.into_iter().fold(0, |count, range| {
        let start = range.start.max(end);
        end = end.max(range.end);
        count + range.end.saturating_sub(start)
    })
}

/// The placement of features, caches and weights of one tile, before its neighbours are considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheDecision {
    /// Most feature bits alive at once.
    pub peak_bits: u64,
    /// Most bits alive at once, features and horizontal cache; `None` without such a cache.
    pub peak_with_h_bits: Option<u64>,
    /// Most bits alive at once, features and both caches; `None` without a vertical cache.
    pub peak_with_both_bits: Option<u64>,
    /// Columns that the horizontal cache holds, of all layers.
    pub h_cache_bits: u64,
    /// Rows that the vertical cache holds, of all layers, over the whole width of the map.
    pub v_cache_bits: u64,
    /// Bits that are in both caches.
    pub hv_cache_bits: u64,
    /// Lowest memory for inputs and outputs that holds the peak.
    pub io_memory: MemoryId,
    /// Memory of the horizontal cache.
    pub h_memory: Option<MemoryId>,
    /// Memory of the vertical cache.
    pub v_memory: Option<MemoryId>,
    /// Memory of the weights after the first tile.
    pub w_memory: MemoryId,
}

/// Inputs of a [`CacheDecision`].
pub struct CacheContext<'a> {
    /// The core that runs the stack.
    pub core: &'a Core,
    /// The rules of the model.
    pub rules: &'a Rules,
    /// The stack that is executed depth-first.
    pub stack: &'a Stack,
    /// Sizes of the data of the stack.
    pub footprint: &'a StackFootprint,
    /// The overlap storing mode.
    pub mode: StoringMode,
    /// Whether the tile is in the first column.
    pub first_column: bool,
    /// Bits that one instance of each memory of weights, lowest first, would have to hold of all weights of the stack.
    pub kept_bits: &'a [u64],
}

impl CacheContext<'_> {
    /// Decides for one tile. `tile` has the mode's own caching, `assumed` caching in both directions.
    pub fn decide(&self, tile: TileGeometry<'_>, assumed: TileGeometry<'_>, scratch: &mut Scratch) -> CacheDecision {
        let (footprint, stack) = (self.footprint, self.stack);
        let (x, y) = (&assumed.x.reads, &assumed.y.reads);
        let h_cache_bits = footprint.sum_reads(|read| footprint.read_bits(read, x[read].overlap, y[read].needed));
        let v_cache_bits =
            footprint.sum_reads(|read| footprint.read_bits(read, footprint.reads[read].columns, y[read].overlap));
        let hv_cache_bits = footprint.sum_reads(|read| footprint.read_bits(read, x[read].overlap, y[read].overlap));
        let peak_bits = footprint.peak_alive_bits(stack, tile, scratch, |_| 0);
        let io_memory = self.lowest_shared(peak_bits);
        let with_h = if !self.first_column {
            peak_bits + h_cache_bits
        } else if self.rules.first_column_ignores_caches {
            peak_bits
        } else {
            // The first column fills the cache layer by layer.
            let kept =
                |node: NodeId| footprint.output_bits(node, tile.x.nodes[node].to_cache, tile.y.nodes[node].computed);
            footprint.peak_alive_bits(stack, tile, scratch, kept)
        };
        let peak_with_h_bits = self.mode.caches_columns().then_some(with_h);
        let h_memory = peak_with_h_bits.map(|bits| self.lowest_shared(bits));
        let peak_with_both_bits = self.mode.caches_rows().then_some(with_h + v_cache_bits);
        let v_memory = peak_with_both_bits.map(|bits| self.lowest_shared_with(bits, h_memory, hv_cache_bits));
        let mut decision = CacheDecision {
            peak_bits,
            peak_with_h_bits,
            peak_with_both_bits,
            h_cache_bits,
            v_cache_bits,
            hv_cache_bits,
            io_memory,
            h_memory,
            v_memory,
            w_memory: io_memory,
        };
        decision.w_memory = self.weight_memory(&decision);
        decision
    }

    /// Lowest memory that inputs and outputs share, in one instance, that holds `bits`; the highest where none does.
    fn lowest_shared(&self, bits: u64) -> MemoryId {
        self.lowest_shared_with(bits, None, 0)
    }

    /// The lowest memory shared by inputs and outputs that has room for `bits`, of which memory `with` needs `less` fewer.
    fn lowest_shared_with(&self, bits: u64, with: Option<MemoryId>, less: u64) -> MemoryId {
        let levels = self.core.levels(Operand::O).iter().copied();
        let fits = |id: &MemoryId| {
            let memory = &self.core.memories[*id];
            let needed = if Some(*id) == with { bits - less.min(bits) } else { bits };
            is_shared(self.core, *id) && memory.size_bits >= needed
        };
        levels.clone().find(fits).unwrap_or_else(|| self.core.top(Operand::O))
    }

    /// Weights come last: they get the room that features and caches leave.
    fn weight_memory(&self, decision: &CacheDecision) -> MemoryId {
        let levels = self.core.levels(Operand::W).iter().copied();
        let fits = |(level, id): &(usize, MemoryId)| {
            let features = decision.features_beside_weights(self.core, *id);
            let (needed, has) =
                weight_room(self.core, self.rules, *id, (self.footprint.weight_bits, self.kept_bits[*level]));
            has >= needed + features
        };
        levels.enumerate().find(fits).map_or_else(|| self.core.top(Operand::W), |(_, id)| id)
    }
}

/// Whether a memory can hold features at all: inputs and outputs share it, in one instance.
pub(super) fn is_shared(core: &Core, memory: MemoryId) -> bool {
    let memory = &core.memories[memory];
    memory.operands.contains(&Operand::I) && memory.operands.contains(&Operand::O) && memory.instances == 1
}

/// Bits that weights of a stack need in a memory, and those that it has: all weights in all instances together, or in each instance the
/// slices that it holds of every layer, as no PE reads the registers of another.
pub(super) fn weight_room(core: &Core, rules: &Rules, memory: MemoryId, (all, in_one): (u64, u64)) -> (u64, u64) {
    match rules.kept_weights_counted_together {
        true => (all, weight_capacity_bits(core, rules, memory)),
        false => (in_one, core.memories[memory].size_bits),
    }
}

/// Bits of a stack's weights for which a memory has room. Instances of registers count together, as each holds the
/// weights of its own PE.
pub(super) fn weight_capacity_bits(core: &Core, rules: &Rules, memory: MemoryId) -> u64 {
    let memory = &core.memories[memory];
    let instances = if rules.stack_capacity_is_one_instance { 1 } else { memory.instances };
    memory.size_bits.saturating_mul(instances)
}

impl CacheDecision {
    /// Bits that features and caches take of a memory before weights.
    pub(super) fn features_beside_weights(&self, core: &Core, memory: MemoryId) -> u64 {
        let is = |other: Option<MemoryId>| other == Some(memory);
        let outputs = core.levels(Operand::O);
        let io_level = outputs.iter().position(|&id| id == self.io_memory).unwrap_or(outputs.len() - 1);
        match (is(self.h_memory), is(self.v_memory)) {
            (true, true) => self.peak_with_both_bits.unwrap_or(0) - self.hv_cache_bits,
            (false, true) => self.peak_with_both_bits.unwrap_or(0),
            (true, false) => self.peak_with_h_bits.unwrap_or(0),
            (false, false) if outputs[..=io_level].contains(&memory) => self.peak_bits,
            (false, false) => 0,
        }
    }

    /// Bits that the vertical cache takes of a memory, with all data that is resident before it; `None` where there is
    /// none.
    pub(super) fn with_v_cache_bits(&self, memory: MemoryId) -> Option<u64> {
        let bits = self.peak_with_both_bits?;
        // Bits that both caches have in common are stored once.
        Some(if self.h_memory == Some(memory) { bits - self.hv_cache_bits.min(bits) } else { bits })
    }
}

/// Which memories data of a layer-tile may pass over (DeFiNES, Section VI and Fig. 18 b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Skipping {
    /// All above the lowest that has room: multi-level memory skipping.
    #[default]
    AllLevels,
    /// Only the highest one, DRAM: data that fits on the chip is in the highest memory there.
    HighestLevel,
}

impl Skipping {
    /// The lowest levels at which features may end, counted from the lowest.
    pub(super) fn least(self, core: &Core) -> TopLevels {
        let least = |operand: Operand| match self {
            Self::AllLevels => 1,
            Self::HighestLevel => core.levels(operand).len().saturating_sub(1).max(1),
        };
        TopLevels { i: least(Operand::I), o: least(Operand::O) }
    }
}

/// Top memory levels of one layer-tile, counted from the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopLevels {
    /// Levels that inputs may use.
    pub i: usize,
    /// Levels that outputs may use.
    pub o: usize,
}

impl TopLevels {
    /// One level more of each; `None` where both are all.
    pub(super) fn raised(self, core: &Core) -> Option<Self> {
        let more = |operand: Operand, levels: usize| (levels + 1).min(core.levels(operand).len());
        let raised = Self { i: more(Operand::I, self.i), o: more(Operand::O, self.o) };
        (raised != self).then_some(raised)
    }

    /// These levels, raised to the memory that feeds the vector unit, if that computes layers of this kind.
    #[must_use]
    pub(super) fn reaching(self, core: &Core, kind: LayerKind) -> Self {
        let least = |operand: Operand| core.vector_unit_for(kind).map_or(1, |unit| unit.least_levels(operand));
        Self { i: self.i.max(least(Operand::I)), o: self.o.max(least(Operand::O)) }
    }
}

/// Bits of other data that is resident in a memory while a node runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResidentBits {
    /// Of maps that other layers read.
    pub maps: u64,
    /// Of overlap that tiles leave for each other.
    pub caches: u64,
    /// Of weights that the stack keeps.
    pub weights: u64,
}

impl ResidentBits {
    /// All of it.
    pub fn total(self) -> u64 {
        self.maps + self.caches + self.weights
    }
}

/// A memory that has no room for an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkippedMemory {
    /// The operand that does not fit.
    pub operand: Operand,
    /// Its room is taken by other data.
    pub memory: MemoryId,
    /// Bits of the operand.
    pub bits: u64,
    /// Bits of the layer's inputs, beside which its output would lie.
    pub inputs: u64,
    /// Other data that is resident in the memory.
    pub beside: ResidentBits,
}

impl SkippedMemory {
    /// Bits of all the data that would have to be in the memory.
    pub fn needed_bits(&self) -> u64 {
        self.bits + self.inputs + self.beside.total()
    }
}

/// Inputs and outputs of one layer-tile: each in the lowest memory where it fits beside resident data, inputs first
/// (DeFiNES, Fig. 5, step 3). `beside` gives the resident data of a memory, given the memory of the inputs; neither
/// ends below `least`.
pub fn layer_levels(
    core: &Core,
    (input_bits, output_bits): (u64, u64),
    (least, is_stack_output): (TopLevels, bool),
    beside: &dyn Fn(MemoryId, MemoryId) -> ResidentBits,
    passed: &mut Vec<SkippedMemory>,
) -> TopLevels {
    let needed = |memory: MemoryId| (input_bits, 0, beside(memory, memory));
    let i = lowest_level(core, (Operand::I, least.i), needed, passed);
    if is_stack_output {
        return TopLevels { i, o: core.levels(Operand::O).len() };
    }
    let i_memory = core.levels(Operand::I)[i - 1];
    let inputs = |memory: MemoryId| if memory == i_memory { input_bits } else { 0 };
    let needed = |memory: MemoryId| (output_bits, inputs(memory), beside(memory, i_memory));
    TopLevels { i, o: lowest_level(core, (Operand::O, least.o), needed, passed) }
}

/// Levels up to the lowest memory, in one instance, that holds the operand; all where none does.
fn lowest_level(
    core: &Core,
    (operand, least): (Operand, usize),
    needed: impl Fn(MemoryId) -> (u64, u64, ResidentBits),
    passed: &mut Vec<SkippedMemory>,
) -> usize {
    let levels = core.levels(operand);
    for (level, &memory) in levels.iter().enumerate() {
        if core.memories[memory].instances != 1 {
            continue;
        }
        let (bits, inputs, beside) = needed(memory);
        let passed_here = SkippedMemory { operand, memory, bits, inputs, beside };
        if core.memories[memory].size_bits < passed_here.needed_bits() {
            passed.push(passed_here);
        } else if level + 1 >= least {
            return level + 1;
        }
    }
    levels.len()
}
