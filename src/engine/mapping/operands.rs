//! A mapping problem on a core: each operand with its memories, and its relation to the loops.

use super::in_memory::{InMemoryUse, array_fits};
use super::spatial::SpatialMapping;
use super::spatial_generation::{fails_at, narrowed};
use crate::hardware::{
    ArrayDimId, ArrayDims, ArraySizes, Core, DoubleBuffering, MemoryId, Operand, Unroll, VectorUnit,
};
use crate::rules::Rules;
use crate::workload::{Dim, LayerKind, LayerShape, LoopSizes, overcounted_extent, unique_extent};
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

/// A layer always has three operands: the output and two inputs (W and I, or X and Y of an addition).
pub const OPERANDS: usize = 3;

/// An operand of a layer by its place: the output, then the inputs. It indexes tables with one entry per operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LayerOperand {
    /// The output, O.
    Output,
    /// The first input: W, or X of an addition.
    First,
    /// The second input: I, or Y of an addition.
    Second,
}

impl LayerOperand {
    /// All of them, in the order of tables.
    pub const ALL: [Self; OPERANDS] = [Self::Output, Self::First, Self::Second];

    /// Both inputs.
    pub const INPUTS: [Self; OPERANDS - 1] = [Self::First, Self::Second];
}

impl<T> Index<LayerOperand> for [T; OPERANDS] {
    type Output = T;

    #[inline]
    fn index(&self, operand: LayerOperand) -> &T {
        &self[operand as usize]
    }
}

impl<T> IndexMut<LayerOperand> for [T; OPERANDS] {
    #[inline]
    fn index_mut(&mut self, operand: LayerOperand) -> &mut T {
        &mut self[operand as usize]
    }
}

/// One layer or layer-tile to be mapped: all that decides about the result, apart from core and rules.
///
/// Two equal problems have equal solutions, wherever in a network or a sweep they occur.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LayerProblem {
    /// The loop nest.
    pub shape: LayerShape,
    /// The number of memory levels, counted from the lowest, that each operand may use: W, I, O.
    pub levels: [usize; 3],
    /// Loops that the array unrolls.
    pub unroll: Vec<Unroll>,
    /// Bits of one instance of each memory that other data takes while the layer runs; 0 beyond the end of the list.
    pub reserved: Vec<u64>,
    /// Whether outputs are added to sums that lie at their highest level, so that each comes down before it first goes
    /// up, and counts as a partial sum everywhere. That the first ones come down takes energy, but as all outputs that
    /// come down no time of its own before the layer starts.
    pub adds: bool,
}

impl LayerProblem {
    /// A layer that has all memories to itself.
    pub fn new(shape: LayerShape, levels: [usize; 3], unroll: Vec<Unroll>) -> Self {
        Self { shape, levels, unroll, reserved: Vec::new(), adds: false }
    }
}

/// How a loop dimension relates to an operand (ZigZag, Section III).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relevance {
    /// Indexes the operand.
    Relevant,
    /// Does not: its iterations reuse the data.
    Irrelevant,
    /// Together with another loop indexes input columns.
    PartialX,
    /// Together with another loop indexes input rows.
    PartialY,
}

/// The number of input columns or rows that the windows along one axis touch: with fractional sizes, averages of
/// unrollings that do not divide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WindowCount {
    /// The loop over windows.
    pub outputs: Dim,
    /// The loop within a window.
    pub kernel: Dim,
    /// Input columns or rows from one window to the next.
    pub stride: u64,
    /// Input columns or rows from one element of a window to the next.
    pub dilation: u64,
    /// Whether fractional sizes of both loops are truncated first (`Rules::truncate_fractional_windows`).
    pub cuts_sizes: bool,
    /// Whether the resulting extent is truncated (`Rules::truncate_fractional_extents`).
    pub cuts_extent: bool,
    /// Whether the overlap of fewer windows than the dilation is counted as negative
    /// (`Rules::few_dilated_windows_overcounted`).
    pub overcounts: bool,
    /// Number of existing columns or rows, beyond which none count; `None` where padding counts, too
    /// (`Rules::input_beyond_border_counted`).
    pub at_most: Option<u64>,
}

impl WindowCount {
    /// Different input columns or rows read by `outputs` windows of `kernel` elements.
    #[inline]
    pub fn extent(&self, outputs: f64, kernel: f64) -> f64 {
        let whole = |size: f64| if self.cuts_sizes { size.trunc() } else { size };
        // Without dilation both count the same.
        let extent = if self.overcounts && self.dilation > 1 {
            overcounted_extent(whole(outputs), whole(kernel), self.stride, self.dilation)
        } else {
            unique_extent(whole(outputs), whole(kernel), self.stride, self.dilation)
        };
        let extent = if self.cuts_extent { extent.trunc() } else { extent };
        self.at_most.map_or(extent, |limit| extent.min(limit as f64))
    }
}

/// One operand of a layer on a core.
#[derive(Debug, Clone)]
pub struct OperandView {
    /// The operand as which memories store it.
    pub stored_as: Operand,
    /// The memories it may use, lowest first.
    pub memories: Vec<MemoryId>,
    /// Relation to each loop dimension.
    pub relevance: [Relevance; 8],
    /// The dimensions that are relevant alone.
    pub relevant: Vec<Dim>,
    /// The axes of the input whose extent a window decides, with their output and kernel dimension.
    pub windows: Vec<(Relevance, Dim, Dim)>,
    /// Unrolled loops below memory `i`, as `(dim, average, peak)`; the last entry holds those above the highest.
    pub unrolled: Vec<Vec<(Dim, f64, u64)>>,
    /// Products of the peaks of all unrolled loops up to and below memory `i`, by dimension.
    pub unrolled_sizes: Vec<LoopSizes>,
    /// Bits per element while partial and when final.
    pub precision: (u64, u64),
    /// Whether these are outputs that are added to sums at the highest level ([`LayerProblem::adds`]).
    pub adds_to_sums: bool,
}

/// A problem on its core, prepared for mapping and cost.
#[derive(Debug, Clone)]
pub struct LayerOnCore<'a> {
    /// The core that the problem is mapped to.
    pub core: &'a Core,
    /// Rules of the model.
    pub rules: Rules,
    /// The loop nest.
    pub shape: LayerShape,
    /// Unrolled loops.
    pub spatial: SpatialMapping,
    /// Output first, then the inputs: O, W, I or O, X, Y.
    pub operands: [OperandView; OPERANDS],
    /// Cycles of each iteration: more than one where a vector unit does several operations, or slow ones.
    pub iteration_cycles: u64,
    /// Cycles in which the last results leave a systolic array.
    pub drain_cycles: u64,
    /// Whether some memory is double-buffered by design, and the rules take that into account.
    pub forces_double_buffers: bool,
    /// How the array computes the layer in memory, if it does.
    pub in_memory: Option<InMemoryUse>,
    /// Whether ZigZag fails at this unrolling, where the rules are those of ZigZag.
    pub tool_fails: bool,
    /// As [`LayerProblem::reserved`].
    reserved: Vec<u64>,
}

impl<'a> LayerOnCore<'a> {
    /// Prepares a problem.
    pub fn new(core: &'a Core, rules: Rules, problem: &LayerProblem) -> Self {
        let vector_unit = core.vector_unit_for(problem.shape.kind);
        let in_memory = core.in_memory_for(problem.shape.kind);
        let fitted = in_memory
            .filter(|_| !rules.in_memory_inputs_shared)
            .map(|array| array_fits(array, &problem.shape, &problem.unroll, &rules));
        let narrowed = (rules.unrolling_narrowed_to_lowest_memories && vector_unit.is_none())
            .then(|| narrowed(core, &rules, &problem.shape, &problem.unroll));
        let unroll = fitted.as_deref().or(narrowed.as_deref()).unwrap_or(&problem.unroll);
        let mut spatial = SpatialMapping::new(&problem.shape, unroll, &rules);
        let adds_as_weights = rules.additions_read_weight_memories && vector_unit.is_none();
        let inputs = match problem.shape.kind.reads_two_maps() && !adds_as_weights {
            true => [Operand::I, Operand::I],
            false => [Operand::W, Operand::I],
        };
        let operands = LayerOperand::ALL.map(|place| {
            let stored_as = [Operand::O, inputs[0], inputs[1]][place];
            let count = problem.levels[stored_as as usize];
            let memories = match vector_unit {
                Some(unit) => unit.levels(stored_as, count).to_vec(),
                None => core.levels(stored_as)[..count].to_vec(),
            };
            let relevance = Dim::ALL.map(|dim| match (problem.shape.kind, place, dim) {
                // Each channel of Y meets several of X.
                (LayerKind::Pairwise, LayerOperand::First, Dim::K) => Relevance::Relevant,
                _ => relevance(&problem.shape, stored_as, dim, &rules),
            });
            let is = |dim: Dim, wanted: Relevance| relevance[dim as usize] == wanted;
            let axes = [(Relevance::PartialX, Dim::OX, Dim::FX), (Relevance::PartialY, Dim::OY, Dim::FY)];
            let shared_over = |memory: MemoryId| match vector_unit {
                // Above its registers all lanes share one memory.
                Some(unit) if !unit.is_register(memory) => ArrayDims::ALL,
                _ => core.memories[memory].shared_over,
            };
            let unrolled = unrolled_below(shared_over, &memories, &spatial);
            OperandView {
                relevant: Dim::ALL.into_iter().filter(|&dim| is(dim, Relevance::Relevant)).collect(),
                windows: axes.into_iter().filter(|&(axis, outputs, _)| is(outputs, axis)).collect(),
                stored_as,
                unrolled_sizes: unrolled_sizes(&unrolled),
                unrolled,
                memories,
                relevance,
                precision: precision(&problem.shape, place, inputs),
                adds_to_sums: problem.adds && place == LayerOperand::Output,
            }
        });
        if rules.unroll_rest_on_first_dimension {
            // The tool iterates over the levels of the operand that the layer lists first of its inputs.
            let first =
                if problem.shape.kind == LayerKind::MatMul { LayerOperand::Second } else { LayerOperand::First };
            spatial.count_steps_by_level(&problem.shape, &operands[first].unrolled);
        }
        let in_memory = in_memory.map(|array| InMemoryUse::new(array, &problem.shape, unroll, &spatial, &rules));
        Self {
            core,
            rules,
            shape: problem.shape,
            spatial,
            operands,
            iteration_cycles: match (&in_memory, vector_unit) {
                (Some(in_memory), _) => in_memory.cycles,
                (None, Some(unit)) => unit.cycles(&problem.shape.operations),
                (None, None) => 1,
            },
            in_memory,
            tool_fails: narrowed.is_some() && fails_at(core, &rules, &problem.shape, &problem.unroll),
            reserved: problem.reserved.clone(),
            drain_cycles: match vector_unit {
                None if !rules.systolic_drain_ignored => drain_cycles(core, &problem.shape, unroll),
                _ => 0,
            },
            forces_double_buffers: !rules.forced_double_buffers_ignored
                && core.memories.iter().any(|memory| memory.double_buffered == DoubleBuffering::Always),
        }
    }

    /// The vector unit, if it computes this instead of the array.
    #[inline]
    pub fn vector_unit(&self) -> Option<&'a VectorUnit> {
        self.core.vector_unit_for(self.shape.kind)
    }

    /// The dimensions over which loops are unrolled: those of the array, or the lanes of the vector unit.
    pub fn array(&self) -> &'a ArraySizes {
        self.core.array_for(self.shape.kind)
    }

    /// Bits of one instance of a memory that the layer may use.
    #[inline]
    pub fn room_bits(&self, memory: MemoryId) -> u64 {
        let reserved = self.reserved.get(memory.index()).copied().unwrap_or(0);
        self.core.memories[memory].size_bits.saturating_sub(reserved)
    }

    /// PEs of the array, or lanes of the vector unit.
    pub fn pe_count(&self) -> u64 {
        self.array().iter().map(|(_, size)| size).product()
    }

    /// Cycles of all temporal loops.
    #[inline]
    pub fn temporal_cycles(&self) -> u64 {
        self.spatial.temporal_sizes.iter().product::<u64>() * self.iteration_cycles
    }

    /// Whether PEs keep an operand while loops that are irrelevant to it run. Weights stay in the cells of an array that computes in
    /// memory.
    #[inline]
    pub fn array_keeps(&self, operand: LayerOperand) -> bool {
        let stored_as = self.operands[operand].stored_as;
        let in_cells = self.in_memory.is_some() && stored_as == Operand::W;
        in_cells || self.rules.array_keeps_inputs && stored_as != Operand::O
    }

    /// Whether the first partial sums come down, too: those that lie at the highest level, or by a rule of the tools.
    #[inline]
    pub fn first_sums_come_down(&self) -> bool {
        self.rules.first_partial_sum_read_back || self.operands[LayerOperand::Output].adds_to_sums
    }

    /// Whether a memory holds data twice that is replaced during the layer.
    #[inline]
    pub fn forces_double_buffer(&self, memory: MemoryId) -> bool {
        self.forces_double_buffers && self.core.memories[memory].double_buffered == DoubleBuffering::Always
    }

    /// Whether a memory has no room for the next data beside the present, however little it holds.
    #[inline]
    pub fn never_double_buffers(&self, memory: MemoryId) -> bool {
        !self.rules.forced_double_buffers_ignored
            && self.core.memories[memory].double_buffered == DoubleBuffering::Never
    }

    /// Cycles that a memory takes to answer, beyond the one of any access.
    #[inline]
    pub fn answer_cycles(&self, memory: MemoryId) -> u64 {
        if self.rules.memory_latency_hidden { 0 } else { self.core.memories[memory].extra_latency() }
    }

    /// The same layer, with the same unrolling, on a core that differs in the sizes of memories.
    pub(crate) fn on<'b>(&self, core: &'b Core) -> LayerOnCore<'b>
    where
        'a: 'b,
    {
        LayerOnCore { core, ..self.clone() }
    }

    /// Every operand with its place.
    #[inline]
    pub fn each_operand(&self) -> impl DoubleEndedIterator<Item = (LayerOperand, &OperandView)> + Clone {
        LayerOperand::ALL.into_iter().zip(&self.operands)
    }

    /// Name of an operand, for a person.
    pub fn operand_name(&self, operand: LayerOperand) -> &'static str {
        match (operand, self.reads_two_maps()) {
            (LayerOperand::Output, _) => "O",
            (LayerOperand::First, true) => "X",
            (LayerOperand::First, false) => "W",
            (LayerOperand::Second, true) => "Y",
            (LayerOperand::Second, false) => "I",
        }
    }

    /// Whether both inputs are feature maps, held where features are: X and Y of an addition.
    pub fn reads_two_maps(&self) -> bool {
        self.operands[1].stored_as == Operand::I
    }

    /// Different input columns (or rows) read by `outputs` windows of `kernel` elements.
    ///
    /// Exact for averages of fractional unrollings, and never more than really exist, unless the rules say otherwise.
    #[inline]
    pub fn input_extent(&self, axis: Relevance, outputs: f64, kernel: f64) -> f64 {
        self.window_count(axis).extent(outputs, kernel)
    }

    /// How [`Self::input_extent`] counts.
    #[inline]
    pub fn window_count(&self, axis: Relevance) -> WindowCount {
        window_count(&self.shape, &self.rules, axis)
    }
}

/// How the input that windows read along an axis is counted.
pub(super) fn window_count(shape: &LayerShape, rules: &Rules, axis: Relevance) -> WindowCount {
    let ((outputs, kernel), (stride, dilation), (limit, untouched)) = match axis {
        Relevance::PartialX => {
            ((Dim::OX, Dim::FX), (shape.stride.0, shape.dilation.0), (shape.input_limit.0, shape.untouched.0))
        }
        _ => ((Dim::OY, Dim::FY), (shape.stride.1, shape.dilation.1), (shape.input_limit.1, shape.untouched.1)),
    };
    let limit = if rules.untouched_input_counted { limit.saturating_add_signed(untouched) } else { limit };
    WindowCount {
        outputs,
        kernel,
        stride,
        dilation,
        cuts_sizes: rules.truncate_fractional_windows,
        cuts_extent: rules.truncate_fractional_extents,
        overcounts: rules.few_dilated_windows_overcounted,
        at_most: (!rules.input_beyond_border_counted).then_some(limit),
    }
}

/// Cycles after the last multiplication until its result has left the array: along each systolic dimension one cycle
/// per PE in use, except for the first (ZigZag 3.9.1, cost_model.py).
fn drain_cycles(core: &Core, shape: &LayerShape, unroll: &[Unroll]) -> u64 {
    let width = |array_dim: ArrayDimId| -> u64 {
        let along = unroll.iter().filter(|unroll| unroll.array_dim == array_dim);
        along.map(|unroll| unroll.limit.min(shape.size(unroll.dim)).max(1)).product()
    };
    core.array.keys().filter(|&array_dim| core.systolic.contains(array_dim)).map(|array_dim| width(array_dim) - 1).sum()
}

/// Distributes the unrolled loops: memory `i` takes those of the array dimensions it is shared over that no lower
/// memory has taken (DeFiNES tool, SpatialMappingConversionStage.py).
fn unrolled_below(
    shared_over: impl Fn(MemoryId) -> ArrayDims,
    memories: &[MemoryId],
    spatial: &SpatialMapping,
) -> Vec<Vec<(Dim, f64, u64)>> {
    let mut left = spatial.loops.clone();
    let mut below: Vec<Vec<_>> = memories
        .iter()
        .map(|&memory| {
            let shared = shared_over(memory);
            let (taken, rest) = left.iter().partition(|unrolled| shared.contains(unrolled.array_dim));
            left = rest;
            as_entries(taken)
        })
        .collect();
    below.push(as_entries(left));
    below
}

fn unrolled_sizes(unrolled: &[Vec<(Dim, f64, u64)>]) -> Vec<LoopSizes> {
    let mut sizes = [1; 8];
    let product = |below: &Vec<(Dim, f64, u64)>| {
        for &(dim, _, peak) in below {
            sizes[dim as usize] *= peak;
        }
        sizes
    };
    unrolled.iter().map(product).collect()
}

fn as_entries(loops: Vec<super::SpatialLoop>) -> Vec<(Dim, f64, u64)> {
    loops.into_iter().map(|unrolled| (unrolled.dim, unrolled.average, unrolled.peak)).collect()
}

/// Bits while partial and when final of the operand at a place, where inputs are stored as these.
fn precision(shape: &LayerShape, place: LayerOperand, inputs: [Operand; 2]) -> (u64, u64) {
    let bits = match (place, inputs[0]) {
        (LayerOperand::Output, _) => return (shape.precision.o_partial, shape.precision.o),
        // An addition that reads one of its maps, the second, as weights.
        (LayerOperand::First, Operand::W) => bits_as_weights(shape),
        (LayerOperand::Second, Operand::I) => shape.second_map_bits(),
        _ => shape.precision.i,
    };
    (bits, bits)
}

/// Bits of the data in the memories of weights: weights, or the second map of an addition.
pub(super) fn bits_as_weights(shape: &LayerShape) -> u64 {
    if shape.kind.reads_two_maps() { shape.second_map_bits() } else { shape.precision.w }
}

// Once in the module: a problem asks for it some twenty times, not in a loop.
#[inline(never)]
pub(super) fn relevance(shape: &LayerShape, stored_as: Operand, dim: Dim, rules: &Rules) -> Relevance {
    use Relevance::{Irrelevant, PartialX, PartialY, Relevant};
    // Around single pixels, too, there may be padding, so that fewer are read than there are outputs.
    let windowed = |outputs: Dim, kernel: Dim, stride: u64, limit: u64| match shape.kind {
        LayerKind::Pointwise | LayerKind::MatMul | LayerKind::Add => false,
        kind if kind.needs_vector_unit() => false,
        _ => rules.window_relations_as_written || shape.size(kernel) > 1 || stride > 1 || limit < shape.size(outputs),
    };
    let columns = windowed(Dim::OX, Dim::FX, shape.stride.0, shape.input_limit.0);
    let rows = windowed(Dim::OY, Dim::FY, shape.stride.1, shape.input_limit.1);
    match (stored_as, dim) {
        (Operand::O, Dim::B | Dim::G | Dim::K | Dim::OY | Dim::OX) => Relevant,
        (Operand::O, _) => Irrelevant,
        (Operand::W, _) if shape.kind == LayerKind::Add => relevance(shape, Operand::O, dim, rules),
        (Operand::W, Dim::FY | Dim::FX) => Relevant,
        (Operand::W, Dim::B) if shape.kind == LayerKind::MatMul => Relevant,
        (Operand::W, Dim::G | Dim::K | Dim::C) if !shape.kind.has_no_weights() => Relevant,
        (Operand::W, _) => Irrelevant,
        (Operand::I, Dim::B | Dim::G | Dim::C) => Relevant,
        (Operand::I, Dim::OX | Dim::FX) if columns => PartialX,
        (Operand::I, Dim::OY | Dim::FY) if rows => PartialY,
        (Operand::I, Dim::OX | Dim::OY) => Relevant,
        (Operand::I, _) => Irrelevant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Precision;

    #[test]
    fn a_pointwise_layer_reads_its_input_without_a_window() {
        let shape = LayerShape {
            kind: LayerKind::Conv,
            sizes: [1, 1, 8, 8, 4, 4, 1, 1],
            dim_order: LayerKind::Conv.dim_order(),
            stride: (1, 1),
            dilation: (1, 1),
            input_limit: (4, 4),
            untouched: (0, 0),
            precision: Precision { w: 8, i: 8, o_partial: 16, o: 8 },
            sparsity: None,
            operations: Default::default(),
        };
        assert_eq!(relevance(&shape, Operand::I, Dim::OX, &Rules::CORRECTED), Relevance::Relevant);
        assert_eq!(relevance(&shape, Operand::I, Dim::OX, &Rules::DEFINES_2022), Relevance::PartialX);
    }
}
