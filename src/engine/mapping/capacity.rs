//! The bits that an operand takes in a memory.

use super::operands::{LayerOnCore, LayerOperand, OperandView, Relevance};
use crate::hardware::{MemoryId, Operand};
use crate::rules::Rules;
use crate::workload::{Dim, LoopSizes};

/// Bits that one instance of memory `level` holds of an operand, when the temporal loops up to that level multiply to `sizes`.
/// `partial` says whether outputs are still added to there.
pub fn slice_bits(
    problem: &LayerOnCore<'_>,
    operand: LayerOperand,
    level: usize,
    sizes: &LoopSizes,
    partial: bool,
) -> u64 {
    let (partial_bits, final_bits) = problem.operands[operand].precision;
    slice_elements(problem, operand, level, sizes) * if partial { partial_bits } else { final_bits }
}

/// Number of times that a memory level holds `elements` of an operand: twice where it is double-buffered by design and
/// holds a part that is replaced during the layer, not all of it.
pub fn copies(problem: &LayerOnCore<'_>, operand: LayerOperand, level: usize, elements: u64) -> u64 {
    let is_double = problem.forces_double_buffer(problem.operands[operand].memories[level])
        && elements < slice_elements(problem, operand, level, &problem.spatial.temporal_sizes);
    if is_double { 2 } else { 1 }
}

/// Elements of an operand that one instance of a memory level holds.
///
/// The instance that holds the most counts: where an unrolling does not divide its loop, one with the unrolling rounded up.
pub fn slice_elements(problem: &LayerOnCore<'_>, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> u64 {
    [0, 1, 2].map(|part| slice_part(problem, operand, level, (part, sizes))).into_iter().product()
}

/// Part number `part` of [`slice_elements`] ([`OperandView::part_of`]), which is the product of all three.
pub fn slice_part(
    problem: &LayerOnCore<'_>,
    operand: LayerOperand,
    level: usize,
    (part, sizes): (usize, &LoopSizes),
) -> u64 {
    let view = &problem.operands[operand];
    let unrolled = &view.unrolled_sizes[level];
    let size = |dim: Dim| (sizes[dim as usize] * unrolled[dim as usize]).min(problem.shape.size(dim));
    let Some(window) = part.checked_sub(1) else { return view.relevant.iter().map(|&dim| size(dim)).product() };
    let extent = |&(axis, outputs, kernel): &(Relevance, Dim, Dim)| {
        problem.input_extent(axis, size(outputs) as f64, size(kernel) as f64) as u64
    };
    view.windows.get(window).map_or(1, extent)
}

/// The size in bits from which on a larger memory makes no difference for a problem, neither to what fits nor to double
/// buffers: it has room twice, or four times where double buffers are forced, for all data that the problem may put
/// there. `u64::MAX` under the rules of the tools: they count averages, which may exceed the whole.
pub fn ample_bits(problem: &LayerOnCore<'_>, memory: MemoryId) -> u64 {
    let whole = problem.each_operand().filter_map(|(operand, view)| {
        let level = view.memories.iter().position(|&id| id == memory)?;
        if problem.rules != Rules::CORRECTED {
            return Some(u64::MAX);
        }
        let elements = slice_elements(problem, operand, level, &problem.spatial.temporal_sizes);
        Some(elements.saturating_mul(view.precision.0.max(view.precision.1)))
    });
    let times = if problem.forces_double_buffers { 4 } else { 2 };
    whole.fold(0, u64::saturating_add).saturating_mul(times)
}

impl OperandView {
    /// The part of the operand's size that a loop determines: 0 for the product of loops that are relevant alone, 1 and
    /// 2 for the windows along the axes in [`Self::windows`]. The size is the product of the three.
    pub fn part_of(&self, dim: Dim) -> usize {
        let window = self.windows.iter().position(|&(_, outputs, kernel)| dim == outputs || dim == kernel);
        window.map_or(0, |window| window + 1)
    }

    /// Whether the data at memory `level` is still added to, whatever the loops in time: by an unrolled loop above, or
    /// to sums.
    pub fn adds_above(&self, level: usize) -> bool {
        let adds = |dim: Dim| self.relevance[dim as usize] == Relevance::Irrelevant;
        self.adds_to_sums
            || self.stored_as == Operand::O
                && self.unrolled[level + 1..].iter().flatten().any(|&(dim, average, _)| adds(dim) && average > 1.0)
    }
}
