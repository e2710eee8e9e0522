//! The loop-information table: the quantities that follow from the loops of a mapping without any technology (ZigZag,
//! Section III-B, Table III and Fig. 6), with sizes and bandwidths (Section III-C).

use super::amounts::leading_reuse;
use super::{LayerCost, index};
use crate::hardware::{MemoryId, Movement, Operand};
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS, OperandView, Relevance, TemporalLoop};
use crate::tolerance::snap;
use crate::workload::{Dim, LoopSizes};
use serde::{Deserialize, Serialize};

/// The loop-information table of one mapped layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopInformation {
    /// Multiply-accumulates of the layer.
    pub macs: u64,
    /// PEs that work, on average.
    pub active_pes: f64,
    /// Cycles without any stall: the product of all temporal loops.
    pub temporal_cycles: u64,
    /// Output first, then the inputs, as in [`LayerOnCore::operands`].
    pub operands: [OperandInformation; OPERANDS],
}

/// One operand's part of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperandInformation {
    /// The operand's name, for people.
    pub name: String,
    /// Elements of the whole operand.
    pub size: f64,
    /// MACs per element.
    pub reuse: f64,
    /// Architecture levels, lowest first: the MAC units, then the operand's memories.
    pub levels: Vec<LevelInformation>,
    /// The effect of each loop on accesses, innermost first (ZigZag, Fig. 7a).
    pub effect: Vec<LoopEffect>,
}

/// The effect of a loop on accesses: the elements that loops up to this one leave to be fetched from above (ZigZag,
/// Fig. 7a).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopEffect {
    /// The loop, with its average width where it is unrolled.
    pub dim: Dim,
    /// Iterations; fractional where an unrolling does not divide the loop.
    pub size: f64,
    /// Whether it is unrolled.
    pub unrolled: bool,
    /// The architecture level it belongs to.
    pub level: usize,
    /// Elements fetched from above (of outputs: written there) if all loops up to this one were below.
    pub accesses: f64,
}

/// One operand at one architecture level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LevelInformation {
    /// The memory; `None` for the MAC units.
    pub memory: Option<MemoryId>,
    /// Temporal loops of the level, innermost first.
    pub loops: Vec<TemporalLoop>,
    /// Loops unrolled over the units of the level, with their average width.
    pub unrolled: Vec<(Dim, f64)>,
    /// Elements that one unit holds.
    pub unit_size: f64,
    /// Different elements of all units that share one unit of the next higher level.
    pub total_size: f64,
    /// Bits per element.
    pub precision_bits: u64,
    /// Bits that one unit holds at most; of outputs partial sums, while there are any.
    pub unit_bits: f64,
    /// The elements that these bits hold.
    pub reserved: Reserved,
    /// MACs that the data of one unit supports, those of units that work on the same data included.
    pub unit_macs: f64,
    /// MACs that the data of all these units supports.
    pub total_macs: f64,
    /// Data reuse at the level.
    pub reuse: Reuse,
    /// Loops above the level that shift windows over inputs, as `reuse.with_fifo` counts them.
    pub shifted: Vec<TemporalLoop>,
    /// Cycles for which the data of one unit is used.
    pub turnaround_cycles: u64,
    /// Loops above the MAC units for which the array keeps its inputs (`Rules::array_keeps_inputs`): the data lasts for these, too.
    pub kept: Vec<TemporalLoop>,
    /// Numbers of units in the array.
    pub units: UnitCounts,
    /// Between this level and the next higher one; `None` at the highest.
    pub traffic: Option<Traffic>,
    /// Bits that one unit needs for the same bandwidth (ZigZag, Section III-C and Fig. 10): its effective memory size.
    ///
    /// Where a relevant loop is outermost, one iteration's part is in use while the next arrives; all else could be gated.
    /// The highest level holds the whole operand all the time.
    pub effective_bits: f64,
    /// Capacity of one unit, bits; `None` for the MAC units.
    pub capacity_bits: Option<u64>,
    /// Ratio of the level's capacity to the data that it holds: how much may be added below the roof of ZigZag, Section IV-A. `None` for
    /// the MAC units, and for operands of 0 bits.
    pub roof: Option<u64>,
}

/// The room that a unit reserves for an operand: a number of elements, and their bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reserved {
    /// Which elements count.
    pub elements: ReservedElements,
    /// Bits of each: of partial sums while outputs are added to, as the rules see it.
    pub element_bits: u64,
}

/// How the elements that a unit reserves are counted, by the sizes of all loops up to the level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ReservedElements {
    /// Counts of the average unit, multiplied in the order of the public tools, as some rules truncate fractions.
    Average([f64; 8]),
    /// The same, rounded to the nearest integer (`Rules::round_fractional_amounts`).
    RoundedAverage([f64; 8]),
    /// Counts of the fullest unit: unrolled loops rounded up, none longer than the layer's.
    Fullest(LoopSizes),
}

/// Data reuse factors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reuse {
    /// The product of temporal and spatial reuse.
    pub total: f64,
    /// By loops in time.
    pub temporal: f64,
    /// By unrolled loops.
    pub spatial: f64,
    /// The total if inputs shift through the units like a FIFO where the loop above allows it.
    pub with_fifo: f64,
}

/// Unit counts of the whole array.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitCounts {
    /// Units at this level, those that hold the same data included.
    pub total: f64,
    /// Units that hold different data.
    pub unique: f64,
    /// Units that hold the same data as another one.
    pub duplicate: f64,
}

/// Traffic between a level and the next higher one over the whole layer, elements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Traffic {
    /// Elements that come down, seen from the higher level.
    ///
    /// Of partial sums all but the first of every output, as in Fig. 6. (A register of its own cannot read back its first
    /// sum either, which [`super::LayerEnergy::elements`] takes into account where PEs add up in space.)
    pub down: f64,
    /// The data that comes down.
    pub coming_down: ComingDown,
    /// Elements that go up, seen from the higher level.
    pub up: f64,
    /// Average bandwidth that one unit of this level needs.
    pub unit: Bandwidth,
    /// Average bandwidth that one unit of the next higher level needs for all units below it.
    pub above: Bandwidth,
}

/// The data that comes down from the next higher level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ComingDown {
    /// Inputs, whenever they change.
    Inputs,
    /// Nothing, as outputs go up finished.
    Nothing,
    /// All partial sums that go up, except so many elements of the first pass over the outputs.
    AllButFirst(f64),
    /// All partial sums that go up: by a rule of the tools, or where the layer adds to sums that lie at its highest
    /// level.
    All,
}

/// Required average bandwidth in one direction, elements per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bandwidth {
    /// While the next data arrives beside the present.
    pub double_buffered: f64,
    /// While the next data can only arrive when the present is used up.
    pub single_buffered: f64,
}

/// Products of loop sizes, by dimension.
#[derive(Clone, Copy)]
struct LoopProducts([f64; 8]);

impl LoopProducts {
    fn times(mut self, loops: impl IntoIterator<Item = (Dim, f64)>) -> Self {
        for (dim, size) in loops {
            self.0[dim as usize] *= size;
        }
        self
    }

    /// MACs of these loops.
    fn macs(&self) -> f64 {
        self.0.iter().product()
    }

    /// Different elements of the operand that they touch.
    fn elements(&self, problem: &LayerOnCore<'_>, operand: &OperandView) -> f64 {
        let at = |dim: Dim| self.0[dim as usize];
        let plain: f64 = operand.relevant.iter().map(|&dim| at(dim)).product();
        let windows = operand.windows.iter();
        snap(
            windows
                .fold(plain, |all, &(axis, outputs, kernel)| all * problem.input_extent(axis, at(outputs), at(kernel))),
        )
    }
}

/// The table of a mapping that was evaluated as `cost`; `order` is innermost first.
///
/// Loops that only keep an operand stationary are at the lower level, as in [`LayerCost::merged`].
pub fn loop_information(problem: &LayerOnCore<'_>, order: &[TemporalLoop], cost: &LayerCost) -> LoopInformation {
    let operands = LayerOperand::ALL.map(|operand| operand_information(problem, order, cost, operand));
    LoopInformation {
        macs: problem.shape.macs(),
        active_pes: problem.spatial.loops.iter().map(|unrolled| unrolled.average).product(),
        temporal_cycles: cost.latency.temporal_cycles,
        operands,
    }
}

fn operand_information(
    problem: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    cost: &LayerCost,
    number: LayerOperand,
) -> OperandInformation {
    let operand = &problem.operands[number];
    let size = problem.shape.elements(operand.stored_as) as f64;
    let mut levels = Vec::with_capacity(operand.memories.len() + 1);
    let mut below = LoopsUpTo { loops: LoopProducts([1.0; 8]), elements: 1.0, reuse_with_fifo: 1.0 };
    for level in 0..=operand.memories.len() {
        let (information, this) = level_information(problem, order, cost, (number, level), &below, size);
        levels.push(information);
        below = this;
    }
    let macs = problem.shape.iterations() as f64;
    let effect = effect(problem, operand, &levels);
    OperandInformation { name: problem.operand_name(number).to_owned(), size, reuse: macs / size, levels, effect }
}

/// For each loop, the accesses that are left above it.
fn effect(problem: &LayerOnCore<'_>, operand: &OperandView, levels: &[LevelInformation]) -> Vec<LoopEffect> {
    let macs = problem.shape.iterations() as f64;
    let one = LoopProducts([1.0; 8]);
    let (mut all, mut in_array) = (one, one);
    let mut steps = Vec::new();
    for (level, information) in levels.iter().enumerate() {
        let mut held = all;
        for (dim, size) in sized(&information.loops) {
            (held, all) = (held.times([(dim, size)]), all.times([(dim, size)]));
            let accesses = snap(held.elements(problem, operand) * macs / held.macs());
            steps.push(LoopEffect { dim, size, unrolled: false, level, accesses });
        }
        // Units side by side need the data of one of them, times the factor by which they extend it.
        let below = in_array;
        for &(dim, size) in &information.unrolled {
            (in_array, all) = (in_array.times([(dim, size)]), all.times([(dim, size)]));
            let fan_out = in_array.elements(problem, operand) / below.elements(problem, operand);
            let accesses = snap(held.elements(problem, operand) * fan_out * macs / all.macs());
            steps.push(LoopEffect { dim, size, unrolled: true, level, accesses });
        }
    }
    steps
}

/// All loops up to a level.
struct LoopsUpTo {
    loops: LoopProducts,
    elements: f64,
    reuse_with_fifo: f64,
}

fn level_information(
    problem: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    cost: &LayerCost,
    (number, level): (LayerOperand, usize),
    below: &LoopsUpTo,
    operand_size: f64,
) -> (LevelInformation, LoopsUpTo) {
    let operand = &problem.operands[number];
    let range = if level == 0 { 0..0 } else { cost.merged.range(number, level - 1) };
    let (end, temporal) = (range.end, &order[range]);
    let average = |&(dim, average, _): &(Dim, f64, u64)| (dim, average);
    let unrolled: Vec<(Dim, f64)> = operand.unrolled[level].iter().map(average).collect();
    let in_time = below.loops.times(sized(temporal));
    let all = in_time.times(unrolled.iter().copied());
    let (unit_size, total_size) = (in_time.elements(problem, operand), all.elements(problem, operand));
    // Data that the loop above shifts in is not fetched again.
    let shifted = fifo_loops(operand, &all, &order[end..]);
    let with_shifted = all.times(sized(shifted));
    let reuse_with_fifo = with_shifted.macs() / with_shifted.elements(problem, operand);
    let spatial = unrolled.iter().map(|(_, size)| size).product::<f64>() / (total_size / unit_size);
    let temporal_reuse = temporal.iter().map(|next| next.size as f64).product::<f64>() / (unit_size / below.elements);
    let total_macs = snap(all.macs());
    let precision_bits = cost.amounts.precision[number][level];
    let bits = match level.checked_sub(1) {
        Some(level) => cost.amounts.bits_held(number, level),
        None => unit_size * precision_bits as f64,
    };
    let top_relevant = cost.amounts.top_relevant[number][level] as f64;
    let is_top = level == operand.memories.len();
    let memory = level.checked_sub(1).map(|level| operand.memories[level]);
    let room = |memory: MemoryId| (problem.room_bits(memory) as f64 / bits).floor() as u64;
    let information = LevelInformation {
        memory,
        loops: temporal.to_vec(),
        unit_size,
        total_size,
        precision_bits,
        unit_bits: bits,
        reserved: reserved(problem, order, cost, (number, level)),
        unit_macs: snap(total_macs / (total_size / unit_size)),
        total_macs,
        reuse: Reuse {
            total: snap(temporal_reuse * spatial),
            temporal: snap(temporal_reuse),
            spatial: snap(spatial),
            with_fifo: snap(reuse_with_fifo / below.reuse_with_fifo),
        },
        shifted: shifted.to_vec(),
        turnaround_cycles: cost.amounts.cycles[number][level],
        kept: if level == 0 {
            kept_loops(problem, number, &order[cost.merged.range(number, 0)]).to_vec()
        } else {
            Vec::new()
        },
        units: units(problem, operand, level),
        traffic: (!is_top).then(|| traffic(problem, cost, (number, level), (unit_size, operand_size))),
        effective_bits: if is_top { bits } else { bits * (2.0 / top_relevant).min(1.0) },
        capacity_bits: memory.map(|memory| problem.core.memories[memory].size_bits),
        roof: memory.filter(|_| bits > 0.0).map(room),
        unrolled,
    };
    (information, LoopsUpTo { loops: all, elements: total_size, reuse_with_fifo })
}

/// The room that [`super::Amounts::bits_held`] counts.
fn reserved(
    problem: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    cost: &LayerCost,
    (number, level): (LayerOperand, usize),
) -> Reserved {
    let average =
        |elements: ReservedElements| Reserved { elements, element_bits: cost.amounts.precision[number][level] };
    let sizes = || average_sizes(problem, order, cost, (number, level));
    match level.checked_sub(1) {
        None => average(ReservedElements::Average(sizes())),
        Some(_) if problem.rules.memory_reserved_for_averages && problem.rules.round_fractional_amounts => {
            average(ReservedElements::RoundedAverage(sizes()))
        }
        Some(_) if problem.rules.memory_reserved_for_averages => average(ReservedElements::Average(sizes())),
        Some(memory_level) => {
            let operand = &problem.operands[number];
            let mut sizes = operand.unrolled_sizes[memory_level];
            for next in &order[..cost.merged.range(number, memory_level).end] {
                sizes[next.dim as usize] *= next.size;
            }
            for dim in Dim::ALL {
                sizes[dim as usize] = sizes[dim as usize].min(problem.shape.size(dim));
            }
            let (partial_bits, final_bits) = operand.precision;
            let is_partial = number == LayerOperand::Output && cost.amounts.partial[memory_level];
            let element_bits = if is_partial { partial_bits } else { final_bits };
            Reserved { elements: ReservedElements::Fullest(sizes), element_bits }
        }
    }
}

/// Sizes of all loops up to a level, multiplied in the order of `Amounts::count_held`.
fn average_sizes(
    problem: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    cost: &LayerCost,
    (number, level): (LayerOperand, usize),
) -> [f64; 8] {
    let mut loops = LoopProducts([1.0; 8]);
    for below in 0..level {
        loops = loops.times(sized(&order[cost.merged.range(number, below)]));
        loops = loops.times(problem.operands[number].unrolled[below].iter().map(|&(dim, average, _)| (dim, average)));
    }
    loops.0
}

fn sized(loops: &[TemporalLoop]) -> impl Iterator<Item = (Dim, f64)> + '_ {
    loops.iter().map(|next| (next.dim, next.size as f64))
}

/// The innermost loops of `above` that shift a window over inputs which lie below already (ZigZag, Fig. 5).
fn fifo_loops<'o>(operand: &OperandView, below: &LoopProducts, above: &'o [TemporalLoop]) -> &'o [TemporalLoop] {
    let shifts = |next: &&TemporalLoop| {
        let partner = match next.dim {
            Dim::OX => Dim::FX,
            Dim::FX => Dim::OX,
            Dim::OY => Dim::FY,
            _ => Dim::OY,
        };
        let is_partial = matches!(operand.relevance[next.dim as usize], Relevance::PartialX | Relevance::PartialY);
        is_partial && below.0[partner as usize] > 1.0
    };
    &above[..above.iter().take_while(shifts).count()]
}

/// The loops of the lowest memory for which the array keeps an input; none unless the rules say so.
fn kept_loops<'o>(problem: &LayerOnCore<'_>, operand: LayerOperand, lowest: &'o [TemporalLoop]) -> &'o [TemporalLoop] {
    if problem.array_keeps(operand) { leading_reuse(lowest, &problem.operands[operand]) } else { &[] }
}

/// The counts of units from `level` upwards. Partially relevant loops count with the data that they add.
fn units(problem: &LayerOnCore<'_>, operand: &OperandView, level: usize) -> UnitCounts {
    let none = LoopProducts([1.0; 8]);
    let unrolled =
        |levels: &[Vec<(Dim, f64, u64)>]| none.times(levels.iter().flatten().map(|&(dim, average, _)| (dim, average)));
    let (all, lower) = (unrolled(&operand.unrolled), unrolled(&operand.unrolled[..level]));
    let total = all.macs() / lower.macs();
    let unique = all.elements(problem, operand) / lower.elements(problem, operand);
    UnitCounts { total: snap(total), unique: snap(unique), duplicate: snap(total / unique) }
}

fn traffic(
    problem: &LayerOnCore<'_>,
    cost: &LayerCost,
    (number, level): (LayerOperand, usize),
    (unit_size, operand_size): (f64, f64),
) -> Traffic {
    let operand = &problem.operands[number];
    let elements = |movement: Movement| cost.energy.elements[number][level][index(movement)];
    let up = match operand.stored_as {
        Operand::W | Operand::I => 0.0,
        Operand::O => elements(Movement::WriteFromLow),
    };
    let coming_down = match operand.stored_as {
        Operand::W | Operand::I => ComingDown::Inputs,
        Operand::O if !cost.amounts.partial[level] => ComingDown::Nothing,
        Operand::O if problem.first_sums_come_down() => ComingDown::All,
        Operand::O => ComingDown::AllButFirst(operand_size),
    };
    let down = match coming_down {
        ComingDown::Inputs => elements(Movement::ReadToLow),
        ComingDown::Nothing => 0.0,
        ComingDown::AllButFirst(first) => up - first,
        ComingDown::All => up,
    };
    let cycles = cost.amounts.cycles[number][level] as f64;
    let rest = cost.amounts.top_irrelevant[number][level] as f64;
    let bandwidth =
        |elements: f64| Bandwidth { double_buffered: elements / cycles, single_buffered: elements / cycles * rest };
    let fan_out = units(problem, operand, level).unique / units(problem, operand, level + 1).unique;
    Traffic { down, coming_down, up, unit: bandwidth(unit_size), above: bandwidth(snap(unit_size * fan_out)) }
}
