//! Which memory is the highest that each kind of data uses (DeFiNES, Section III, step 3).

use super::axis::{Axis, Strip};
use super::stack::Stack;
use super::strategy::StoringMode;
use crate::hardware::{Core, MemoryId, Operand};
use crate::rules::Rules;
use crate::search::bytes;
use crate::workload::{Dim, Network};

/// A tile as its column and its row of tiles make it.
#[derive(Debug, Clone, Copy)]
pub struct TileGeometry<'a> {
    /// Columns.
    pub x: &'a Strip,
    /// Rows.
    pub y: &'a Strip,
}

/// The stack with what is needed to measure its data.
#[derive(Debug, Clone, Copy)]
pub struct Measure<'a> {
    /// The network.
    pub network: &'a Network,
    /// The stack.
    pub stack: &'a Stack,
    /// The rules.
    pub rules: &'a Rules,
}

impl Measure<'_> {
    /// Channels times batch of a node's output. Of a stack input, as many are fetched as its readers want: where they
    /// want different numbers, the tool fetches the fewest.
    fn output_channels(&self, node: usize) -> u64 {
        let shape = &self.network.layer(self.stack.nodes[node]).shape;
        let readers = self.stack.consumers[node].iter().map(|&reader| self.input_channels(reader));
        let wanted = if self.rules.tiles_without_borders { readers.min() } else { readers.max() };
        match wanted.filter(|_| self.stack.is_input(node)) {
            Some(channels) => channels,
            None => shape.size(Dim::B) * shape.output_channels(),
        }
    }

    /// Channels times batch of (each) input of a node.
    fn input_channels(&self, node: usize) -> u64 {
        let shape = &self.network.layer(self.stack.nodes[node]).shape;
        shape.size(Dim::B) * shape.input_channels()
    }

    /// Channels of a node's output in one image.
    pub fn channels(&self, node: usize) -> u64 {
        self.output_channels(node) / self.network.layer(self.stack.nodes[node]).shape.size(Dim::B).max(1)
    }

    /// Bits of `columns` x `rows` of a node's output.
    pub fn output_bits(&self, node: usize, columns: u64, rows: u64) -> u64 {
        self.output_channels(node) * columns * rows * self.network.layer(self.stack.nodes[node]).shape.precision.o
    }

    /// Bits of `columns` x `rows` of one input of a node.
    pub fn input_bits(&self, node: usize, columns: u64, rows: u64) -> u64 {
        self.input_channels(node) * columns * rows * self.network.layer(self.stack.nodes[node]).shape.precision.i
    }

    /// Bits of all inputs of a node that a tile needs, cached ones included.
    pub fn all_input_bits(&self, node: usize, tile: TileGeometry<'_>) -> u64 {
        let one = self.input_bits(node, tile.x.needed[node], tile.y.needed[node]);
        one * self.stack.producers[node].len() as u64
    }

    /// Bits of all weights of the stack.
    pub fn weight_bits(&self) -> u64 {
        self.stack.layers().iter().map(|&layer| self.network.layer(layer).shape.weight_bits()).sum()
    }

    /// Most feature bits alive at once while the tile is computed (DeFiNES tool, DepthFirstStage.py:45-89).
    ///
    /// An output lives until its last reader ran; while a reader runs, its whole input window counts in its place.
    /// `kept` are bits of each node's output that stay when the rest of it is dropped.
    fn peak_alive_bits(&self, tile: TileGeometry<'_>, kept: &dyn Fn(usize) -> u64) -> u64 {
        let count = self.stack.nodes.len();
        let mut readers_left: Vec<usize> = self.stack.consumers.iter().map(Vec::len).collect();
        let mut held = vec![0; count];
        let (mut alive, mut peak) = (0, 0);
        for node in 0..count {
            let inputs = self.all_input_bits(node, tile);
            let replaced: u64 = self.stack.producers[node].iter().map(|&producer| held[producer]).sum();
            held[node] = self.output_bits(node, tile.x.computed[node], tile.y.computed[node]);
            peak = peak.max((alive + inputs + held[node]).saturating_sub(replaced));
            alive += held[node];
            peak = peak.max(alive);
            for &producer in &self.stack.producers[node] {
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

    /// Sum over all inputs of all layers.
    fn sum_inputs(&self, bits: impl Fn(usize, usize) -> u64) -> u64 {
        (self.stack.input_count..self.stack.nodes.len())
            .flat_map(|node| (0..self.stack.producers[node].len()).map(move |input| (node, input)))
            .map(|(node, input)| bits(node, input))
            .sum()
    }
}

/// What is decided for one tile before its neighbours are considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheDecision {
    /// Columns and rows of each node's output if overlap were cached in both directions.
    pub assumed_sizes: Vec<(u64, u64)>,
    /// Most feature bits alive at once.
    pub peak_bits: u64,
    /// The same with the horizontal cache, where there is one.
    pub peak_with_h_bits: Option<u64>,
    /// The same with both caches.
    pub peak_with_both_bits: Option<u64>,
    /// Columns that the horizontal cache holds, of all layers.
    pub h_cache_bits: u64,
    /// Rows that the vertical cache holds, of all layers, over the whole width of the map.
    pub v_cache_bits: u64,
    /// What both have in common.
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

/// Which tile a decision is for.
pub struct Deciding<'a> {
    /// The core.
    pub core: &'a Core,
    /// The stack.
    pub measure: Measure<'a>,
    /// What is cached.
    pub mode: StoringMode,
    /// Whether the tile is in the first column.
    pub first_column: bool,
}

impl Deciding<'_> {
    /// Decides for one tile. `tile` has the mode's own caching, `assumed` caching in both directions.
    pub fn decide(&self, tile: TileGeometry<'_>, assumed: TileGeometry<'_>) -> CacheDecision {
        let measure = &self.measure;
        let h_cache_bits =
            measure.sum_inputs(|node, i| measure.input_bits(node, assumed.x.overlap[node][i], assumed.y.needed[node]));
        let v_cache_bits = measure.sum_inputs(|node, i| {
            let width = Axis::Columns.input_size(measure.network, measure.stack, node);
            measure.input_bits(node, width, assumed.y.overlap[node][i])
        });
        let hv_cache_bits = measure
            .sum_inputs(|node, i| measure.input_bits(node, assumed.x.overlap[node][i], assumed.y.overlap[node][i]));
        let peak_bits = measure.peak_alive_bits(tile, &|_| 0);
        let io_memory = self.lowest_shared(peak_bits);
        let with_h = if !self.first_column {
            peak_bits + h_cache_bits
        } else if self.measure.rules.first_column_ignores_caches {
            peak_bits
        } else {
            // The first column fills the cache layer by layer.
            measure
                .peak_alive_bits(tile, &|node| measure.output_bits(node, tile.x.to_cache[node], tile.y.computed[node]))
        };
        let peak_with_h_bits = self.mode.caches_columns().then_some(with_h);
        let h_memory = peak_with_h_bits.map(|bits| self.lowest_shared(bits));
        let peak_with_both_bits = self.mode.caches_rows().then_some(with_h + v_cache_bits);
        let v_memory = peak_with_both_bits.map(|bits| self.lowest_shared_with(bits, h_memory, hv_cache_bits));
        let mut decision = CacheDecision {
            assumed_sizes: assumed.x.computed.iter().copied().zip(assumed.y.computed.iter().copied()).collect(),
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

    /// The same where `less` fewer bits are needed in memory `with`.
    fn lowest_shared_with(&self, bits: u64, with: Option<MemoryId>, less: u64) -> MemoryId {
        let levels = self.core.levels(Operand::O).iter().copied();
        let fits = |id: &MemoryId| {
            let memory = &self.core.memories[*id];
            let needed = if Some(*id) == with { bits - less.min(bits) } else { bits };
            memory.operands.contains(&Operand::I) && memory.instances == 1 && memory.size_bits >= needed
        };
        levels.clone().find(fits).unwrap_or_else(|| self.core.top(Operand::O))
    }

    /// Weights come last: they get what features and caches leave.
    fn weight_memory(&self, decision: &CacheDecision) -> MemoryId {
        let weights = self.measure.weight_bits();
        let outputs = self.core.levels(Operand::O);
        let io_level = outputs.iter().position(|&id| id == decision.io_memory).unwrap_or(outputs.len() - 1);
        let levels = self.core.levels(Operand::W).iter().copied();
        // Registers together may hold the weights of a stack, each those of its own PE.
        let capacity = |id: MemoryId| {
            let memory = &self.core.memories[id];
            let instances = if self.measure.rules.stack_capacity_is_one_instance { 1 } else { memory.instances };
            memory.size_bits.saturating_mul(instances)
        };
        let fits = |id: &MemoryId| {
            let is = |memory: Option<MemoryId>| memory == Some(*id);
            let features = match (is(decision.h_memory), is(decision.v_memory)) {
                (true, true) => decision.peak_with_both_bits.unwrap_or(0) - decision.hv_cache_bits,
                (false, true) => decision.peak_with_both_bits.unwrap_or(0),
                (true, false) => decision.peak_with_h_bits.unwrap_or(0),
                (false, false) if outputs[..=io_level].contains(id) => decision.peak_bits,
                (false, false) => 0,
            };
            capacity(*id) >= weights + features
        };
        levels.clone().find(fits).unwrap_or_else(|| self.core.top(Operand::W))
    }
}

/// Highest memories of one layer-tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// Levels that inputs may use, counted from the lowest.
    pub i: usize,
    /// Levels that outputs may use.
    pub o: usize,
    /// Why each operand is not lower.
    pub reasons: Vec<String>,
}

/// Inputs and outputs of one layer-tile: each as low as it fits, inputs first (DeFiNES, Fig. 5, step 3).
pub fn layer_levels(core: &Core, input_bits: u64, output_bits: u64, is_stack_output: bool) -> Levels {
    let mut reasons = Vec::new();
    let i = lowest_level(core, Operand::I, &|_| input_bits, &mut reasons, &|_| String::new());
    let i_memory = core.levels(Operand::I)[i - 1];
    if is_stack_output {
        let top = &core.memories[core.top(Operand::O)].name;
        reasons.push(format!("O is the stack's output, which goes to {top}"));
        return Levels { i, o: core.levels(Operand::O).len(), reasons };
    }
    let beside = |memory: MemoryId| if memory == i_memory { input_bits } else { 0 };
    let o =
        lowest_level(core, Operand::O, &|memory| output_bits + beside(memory), &mut reasons, &|memory| match beside(
            memory,
        ) {
            0 => String::new(),
            inputs => format!(", of which I takes {}", bytes(inputs)),
        });
    Levels { i, o, reasons }
}

/// Levels up to the lowest memory, in one instance, that holds the operand; all where none does.
fn lowest_level(
    core: &Core,
    operand: Operand,
    needed: &dyn Fn(MemoryId) -> u64,
    reasons: &mut Vec<String>,
    taken: &dyn Fn(MemoryId) -> String,
) -> usize {
    let levels = core.levels(operand);
    for (level, &id) in levels.iter().enumerate() {
        let memory = &core.memories[id];
        if memory.instances != 1 {
            continue;
        }
        if memory.size_bits >= needed(id) {
            return level + 1;
        }
        reasons.push(format!(
            "{operand} does not fit {}: needs {}{}, has {}",
            memory.name,
            bytes(needed(id)),
            taken(id),
            bytes(memory.size_bits)
        ));
    }
    levels.len()
}
