//! A lower bound on the cost of a stack from the sizes of its tiles alone, before any tile is planned.
//!
//! What a layer computes, reads and loads in all tiles of a stack is a product of a sum over columns of tiles and one
//! over rows, as both are independent of each other ([`super::axis`]). So the bound does not look at single tiles. It
//! adds up the costs that every plan has under the corrected rules:
//!
//! - Operations, and the reads and writes of the array for them: at best as if no unrolling left a PE idle.
//! - Every tile of a layer brings its weights and its part of the input from the lowest memory in which they may lie, and takes its
//!   output there.
//! - The first tile brings weights from the highest memory. Inputs of the stack come from there, and its output goes there.
//! - Layers run one after the other, each at least as long as it computes, and as a port of the highest memory moves its
//!   data of one operand.

use super::axis::{AxisSums, NodeSums};
use super::ids::ReadId;
use super::placement::{StackFootprint, weight_capacity_bits};
use super::stack::Stack;
use crate::cost::{Evaluator, fixed_energy};
use crate::hardware::{Core, MemoryId, Movement, Operand};
use crate::ids::TiVec;
use crate::mapping::{LayerOnCore, LayerProblem, Relevance};
use crate::rules::Rules;
use crate::workload::{Dim, Layer, LayerId, Network};

/// A lower bound on the cost of a stack.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StackLowerBound {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles; fractional, as it is a bound.
    pub latency_cycles: f64,
    /// Full-width words read from and written to DRAM.
    pub dram_words: f64,
}

impl StackLowerBound {
    fn add(&mut self, other: &Self, times: f64) {
        self.energy_pj += other.energy_pj * times;
        self.latency_cycles += other.latency_cycles * times;
        self.dram_words += other.dram_words * times;
    }

    fn minus(mut self, other: &Self) -> Self {
        self.add(other, -1.0);
        self
    }
}

/// Lower bounds from which those of all tiles of one layer follow, for tiles of any size.
#[derive(Debug, Clone, Default)]
pub(super) struct LayerLowerBound {
    /// Per output pixel: operations, and the accesses of the array for them.
    pixel: StackLowerBound,
    /// Per output pixel, the array's reads of windows; outside of the map there is nothing to read.
    windows: StackLowerBound,
    operands: Vec<OperandLowerBound>,
}

/// The size of one operand that moves between memories.
#[derive(Debug, Clone)]
struct OperandLowerBound {
    stored_as: Operand,
    /// Bits per unit of both measures.
    bits: f64,
    measures: [TileMeasure; 2],
}

/// The quantity of a tile to which the size of an operand is proportional along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TileMeasure {
    /// None: every tile needs the whole operand.
    Tiles,
    /// Columns of its output.
    Computed,
    /// Columns of its windows.
    Needed,
    /// Columns of its windows, at most as many as are computed: strides and views leave out some.
    NeededOnce,
}

impl TileMeasure {
    fn of(self, sums: &NodeSums) -> f64 {
        match self {
            Self::Tiles => sums.strips,
            Self::Computed => sums.computed,
            Self::Needed => sums.needed,
            Self::NeededOnce => sums.needed_once,
        }
    }
}

impl LayerLowerBound {
    fn new(core: &Core, rules: Rules, layer: &Layer) -> Self {
        // The use of an array that computes in memory depends on the shape of the tile.
        if core.in_memory_for(layer.shape.kind).is_some() {
            return Self::default();
        }
        let unroll = layer.unroll_on(core, &rules);
        let mut shape = layer.shape;
        shape.input_limit = (u64::MAX, u64::MAX);
        if core.vector_unit_for(shape.kind).is_none() {
            for dim in [Dim::OX, Dim::OY] {
                // As wide as the unrolling, so that no PE is idle.
                let along = unroll.iter().filter(|part| part.dim == dim);
                shape.sizes[dim as usize] = along.map(|part| part.limit.max(1)).product();
            }
        }
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem::new(shape, levels, unroll);
        let on_core = LayerOnCore::new(core, rules, &problem);
        let pixels = (shape.size(Dim::OX) * shape.size(Dim::OY)) as f64;
        let mut pixel =
            StackLowerBound { energy_pj: fixed_energy(&on_core).total_pj() / pixels, ..StackLowerBound::default() };
        if on_core.vector_unit().is_some() {
            pixel.latency_cycles =
                (shape.iterations() * on_core.iteration_cycles) as f64 / (on_core.pe_count() as f64 * pixels);
            return Self { pixel, ..Self::default() };
        }
        pixel.latency_cycles = on_core.temporal_cycles() as f64 / pixels;
        let mut bound = Self { pixel, ..Self::default() };
        let at_array = Evaluator::new(&on_core).lower_bound_at_array();
        for (index, operand) in on_core.each_operand() {
            let has_window = |dim: Dim| operand.windows.iter().any(|&(_, outputs, _)| outputs == dim);
            // At a border a window that is unrolled may be smaller.
            let is_unrolled = operand.unrolled[0].iter().any(|&(dim, ..)| {
                [(Dim::OX, Dim::FX), (Dim::OY, Dim::FY)]
                    .iter()
                    .any(|&(outputs, kernel)| has_window(outputs) && (dim == outputs || dim == kernel))
            });
            let windows = operand.stored_as == Operand::I;
            let at_array =
                StackLowerBound { energy_pj: at_array[index as usize] / pixels, ..StackLowerBound::default() };
            if !is_unrolled {
                let bound = if windows { &mut bound.windows } else { &mut bound.pixel };
                bound.add(&at_array, 1.0);
            }
            let measure = |dim: Dim, kernel: Dim, stride: u64, dilation: u64| {
                if operand.relevance[dim as usize] == Relevance::Irrelevant {
                    TileMeasure::Tiles
                } else if operand.stored_as != Operand::I {
                    TileMeasure::Computed
                } else if has_window(dim) && dilation == 1 && shape.size(kernel) >= stride {
                    TileMeasure::Needed
                } else {
                    TileMeasure::NeededOnce
                }
            };
            let measures = [
                measure(Dim::OX, Dim::FX, shape.stride.0, shape.dilation.0),
                measure(Dim::OY, Dim::FY, shape.stride.1, shape.dilation.1),
            ];
            let others = operand.relevant.iter().filter(|dim| !matches!(dim, Dim::OX | Dim::OY));
            let elements: u64 = others.map(|&dim| shape.size(dim)).product();
            let (partial, last) = operand.precision;
            let bits = (elements * partial.min(last)) as f64;
            bound.operands.push(OperandLowerBound { stored_as: operand.stored_as, bits, measures });
        }
        bound
    }
}

/// Cost of moving one bit between memories, down for inputs and up for outputs: by operand and level, the sum over all
/// links up to that level.
type Links = [Vec<StackLowerBound>; 3];

fn links(core: &Core) -> Links {
    let dram = core.top(Operand::O);
    Operand::ALL.map(|operand| {
        let memories = core.levels(operand);
        let mut sum = StackLowerBound::default();
        let mut all = vec![sum];
        for pair in memories.windows(2) {
            let ends = match operand {
                Operand::O => [(pair[0], Movement::ReadToHigh), (pair[1], Movement::WriteFromLow)],
                Operand::W | Operand::I => [(pair[1], Movement::ReadToLow), (pair[0], Movement::WriteFromHigh)],
            };
            for (id, movement) in ends {
                let memory = &core.memories[id];
                let words = 1.0 / memory.width_bits(operand, movement) as f64;
                sum.energy_pj += words * memory.word_energy_pj(movement);
                sum.dram_words += if id == dram { words } else { 0.0 };
            }
            all.push(sum);
        }
        all
    })
}

/// Cycles that a port of the highest memory takes for one bit, by operand.
fn top_cycles(core: &Core) -> [f64; 3] {
    Operand::ALL.map(|operand| {
        let memory = &core.memories[core.top(operand)];
        let movement = if operand == Operand::O { Movement::WriteFromLow } else { Movement::ReadToLow };
        1.0 / (memory.width_bits(operand, movement) * memory.instances) as f64
    })
}

/// Lower bounds for all layers of a network on a core.
#[derive(Debug)]
pub(super) struct NetworkLowerBounds {
    layers: TiVec<LayerId, LayerLowerBound>,
    links: Links,
    /// Cycles for one bit at the highest memory, by operand.
    top_cycles: [f64; 3],
}

impl NetworkLowerBounds {
    pub fn new(core: &Core, network: &Network, rules: Rules) -> Self {
        let layer = |id: LayerId| {
            let layer = network.layer(id);
            if layer.is_input() { LayerLowerBound::default() } else { LayerLowerBound::new(core, rules, layer) }
        };
        Self { layers: network.ids().map(layer).collect(), links: links(core), top_cycles: top_cycles(core) }
    }

    /// A lower bound on the cost of a stack with these sums over columns and rows of tiles.
    pub fn of(
        &self,
        (core, network, rules): (&Core, &Network, &Rules),
        stack: &Stack,
        footprint: &StackFootprint,
        (x, y): (&AxisSums, &AxisSums),
    ) -> StackLowerBound {
        let mut bound = StackLowerBound::default();
        let top = |operand: Operand| core.levels(operand).len() - 1;
        let holds_weights = |&id: &MemoryId| weight_capacity_bits(core, rules, id) >= footprint.weight_bits;
        let w = core.levels(Operand::W).iter().position(holds_weights).unwrap_or(top(Operand::W));
        let between = |operand: Operand, low: usize, high: usize| {
            let links = &self.links[operand as usize];
            links[high].minus(&links[low])
        };
        for node in stack.layer_nodes() {
            let layer = &self.layers[stack.nodes[node]];
            let (columns, rows) = (&x.nodes[node], &y.nodes[node]);
            if columns.strips == 0.0 || rows.strips == 0.0 {
                continue;
            }
            let pixels = columns.computed * rows.computed;
            let before = bound.latency_cycles;
            bound.add(&layer.pixel, pixels);
            let mut from_top = [0.0; 3];
            if columns.least_needed > 0 && rows.least_needed > 0 {
                bound.add(&layer.windows, pixels);
            }
            let reads = || ReadId::within(stack.reads(node)).zip(&stack.producers[node]);
            let least =
                |read: ReadId| footprint.read_bits(read, x.reads[read].least_needed, y.reads[read].least_needed);
            let i = lowest(core, Operand::I, reads().map(|(read, _)| least(read)).sum());
            let unit = core.vector_unit_for(network.layer(stack.nodes[node]).shape.kind);
            let i = i.max(unit.map_or(0, |unit| unit.least_levels(Operand::I).saturating_sub(1)));
            let o = match node == stack.output() {
                true => top(Operand::O),
                false => {
                    let least = footprint.output_bits(node, columns.least_computed, rows.least_computed);
                    lowest(core, Operand::O, least)
                }
            };
            for operand in &layer.operands {
                let [of_columns, of_rows] = operand.measures;
                let bits = operand.bits * of_columns.of(columns) * of_rows.of(rows);
                let level = match operand.stored_as {
                    Operand::W => w,
                    Operand::I => i,
                    Operand::O => o,
                };
                bound.add(&between(operand.stored_as, 0, level), bits);
                if level == top(operand.stored_as) && level > 0 {
                    from_top[operand.stored_as as usize] += bits;
                } else if operand.stored_as == Operand::W && columns.is_in_first && rows.is_in_first {
                    bound.add(&between(Operand::W, level, top(Operand::W)), operand.bits);
                    from_top[Operand::W as usize] += operand.bits;
                }
            }
            // Through views a window may lie on several maps.
            let is_view = |&input: &LayerId| network.layer(input).view.is_some();
            let has_views = network.inputs(stack.nodes[node]).iter().any(is_view);
            for (read, &producer) in reads().filter(|(_, producer)| stack.is_input(**producer) && !has_views) {
                // Either the tile fetches the whole map first, or its readers read their parts from further up. The
                // readers share this cost.
                let once = |axis: &AxisSums| axis.nodes[node].needed_once.min(axis.reads[read].fresh);
                let fetched = x.nodes[producer].computed * y.nodes[producer].computed;
                let bits = (footprint.read_bits(read, 1, 1) as f64 * once(x) * once(y))
                    .min(footprint.output_bits(producer, 1, 1) as f64 * fetched);
                let share = bits / stack.consumers[producer].len() as f64;
                bound.add(&between(Operand::I, i, top(Operand::I)), share);
                from_top[Operand::I as usize] += if i < top(Operand::I) { share } else { 0.0 };
            }
            let longest = from_top.iter().zip(self.top_cycles).map(|(bits, cycles)| bits * cycles).fold(0.0, f64::max);
            bound.latency_cycles = bound.latency_cycles.max(before + longest);
        }
        bound
    }
}

/// The lowest level in one instance that holds so many bits; the highest where none does.
fn lowest(core: &Core, operand: Operand, bits: u64) -> usize {
    let levels = core.levels(operand);
    let fits = |id: &MemoryId| core.memories[*id].instances == 1 && core.memories[*id].size_bits >= bits;
    levels.iter().position(fits).unwrap_or(levels.len() - 1)
}
