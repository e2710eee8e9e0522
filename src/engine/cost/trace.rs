//! The iterations of the loops of a mapped layer: the data that they bring to every memory, and the contents of the
//! memories.
//!
//! A step is one iteration of all loops from some depth outwards; those further in run through within it. With depth 0 a step is one
//! iteration of the array. Steps are not kept: what one does follows from its number, as data crosses a boundary between two levels of an
//! operand whenever the loops below that boundary have run through (ZigZag, Section III). All steps of any depth add up to the accesses of
//! the mapping (`tests/engine/cost/trace.rs`).
//!
//! The contents of a memory are ranges of indices of the layer's loops, for all of its instances together. The cost
//! model does not say which PE takes which index; here unrolled loops are the innermost of their dimension.

use super::{Access, Evaluator, LayerCost, accesses};
use crate::hardware::{MemoryId, Movement, Operand};
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS, OperandView, Relevance, TemporalLoop};
use crate::workload::{Dim, LoopSizes};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The loops of a mapped layer, and the data that they move in each iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopTrace {
    /// The temporal loops, innermost first.
    pub order: Vec<TemporalLoop>,
    /// Sizes of the layer's loops.
    pub sizes: LoopSizes,
    /// By dimension, the number of indices on which the array works at once.
    pub unrolled: LoopSizes,
    /// Cycles of one iteration of all temporal loops.
    pub iteration_cycles: u64,
    /// Energy of one iteration besides that of accesses, pJ: of the MACs, or the operations of lanes.
    pub compute_pj: f64,
    /// Output first, then the inputs.
    pub operands: [OperandTrace; OPERANDS],
}

/// One operand at every memory level: when a level's content is replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperandTrace {
    /// The operand's name, for people.
    pub name: String,
    /// The operand as which memories hold it.
    pub stored_as: Operand,
    /// The indices that identify its elements.
    pub axes: Vec<IndexAxis>,
    /// Dimensions that do not index it. For outputs, iterations of these add to the sums.
    pub irrelevant: Vec<Dim>,
    /// Its memory levels, lowest first.
    pub levels: Vec<LevelTrace>,
}

/// An axis of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexAxis {
    /// The index of a loop, from 0 to below its size.
    Loop(Dim),
    /// Columns or rows over which windows slide, padding included.
    Window {
        /// The loop over outputs, and the factor of its index.
        outputs: (Dim, u64),
        /// The loop over the kernel, and the factor of its index.
        kernel: (Dim, u64),
    },
}

/// A memory level of an operand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelTrace {
    /// The memory that holds this part of the operand.
    pub memory: MemoryId,
    /// Name of the memory in the hardware document.
    pub name: String,
    /// Capacity of one instance, bits.
    pub capacity_bits: u64,
    /// Instances that take part.
    pub instances: f64,
    /// Elements that one instance holds; an average under a fractional unrolling.
    pub elements: f64,
    /// Bits that they take.
    pub bits: f64,
    /// Number of the inner loops that use the contents before these are replaced.
    pub loops: usize,
    /// The data that crosses the boundary below it: to and from the next lower level, or the array.
    pub below: BoundaryTrace,
}

/// The data that crosses the boundary below a memory level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BoundaryTrace {
    /// Number of the inner loops that run through between two crossings.
    pub loops: usize,
    /// Down: inputs, and partial sums to be added to.
    pub down: CrossingTrace,
    /// Up: outputs.
    pub up: CrossingTrace,
}

/// Crossings in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CrossingTrace {
    /// Number of crossings in the whole layer.
    pub count: u64,
    /// Elements of one crossing, of all instances, as the higher side counts them.
    pub elements: f64,
    /// Bits of these.
    pub bits: f64,
    /// Energy of one crossing at both ends, pJ.
    pub pj: f64,
}

/// The contents of a memory level of an operand: one range of indices per axis of the operand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexBlock {
    /// Half-open ranges.
    pub ranges: Vec<Range<u64>>,
}

impl IndexBlock {
    /// The elements that are in both blocks.
    pub fn and(&self, other: &Self) -> Self {
        let both = self.ranges.iter().zip(&other.ranges);
        Self { ranges: both.map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect() }
    }

    /// Different elements.
    pub fn elements(&self) -> u64 {
        self.ranges.iter().map(|range| range.end.saturating_sub(range.start)).product()
    }
}

impl LoopTrace {
    /// The loops of a mapping that was evaluated as `cost`; `order` is innermost first.
    pub fn new(evaluator: &Evaluator<'_>, order: &[TemporalLoop], cost: &LayerCost) -> Self {
        let problem = evaluator.problem;
        let all = accesses(evaluator, cost);
        let steps = order.iter().map(|next| next.size).product::<u64>();
        let mut unrolled = [1; 8];
        for one in &problem.spatial.loops {
            unrolled[one.dim as usize] *= one.peak;
        }
        Self {
            order: order.to_vec(),
            sizes: problem.shape.sizes,
            unrolled,
            iteration_cycles: problem.iteration_cycles,
            compute_pj: evaluator.fixed_pj() / steps as f64,
            operands: LayerOperand::ALL.map(|operand| OperandTrace::new(evaluator, order, cost, &all, operand)),
        }
    }

    /// Iterations of all loops from a depth outwards.
    pub fn steps(&self, depth: usize) -> u64 {
        self.product(depth..self.order.len())
    }

    /// The innermost depth at which `most` steps or fewer are left.
    pub fn depth_for(&self, most: u64) -> usize {
        (0..self.order.len()).find(|&depth| self.steps(depth) <= most).unwrap_or(self.order.len())
    }

    /// The iteration that each loop is in, innermost first; loops that run through within a step are in their first.
    pub fn indices(&self, depth: usize, step: u64) -> Vec<u64> {
        let mut left = step;
        let index = |(place, next): (usize, &TemporalLoop)| {
            if place < depth {
                return 0;
            }
            let index = left % next.size;
            left /= next.size;
            index
        };
        self.order.iter().enumerate().map(index).collect()
    }

    /// Cycles of computation of one step.
    pub fn cycles(&self, depth: usize) -> u64 {
        self.product(0..depth) * self.iteration_cycles
    }

    /// Energy of one step besides that of accesses, pJ.
    pub fn step_compute_pj(&self, depth: usize) -> f64 {
        self.product(0..depth) as f64 * self.compute_pj
    }

    /// Numbers of times that data crosses the boundary below a memory level within a step: down, and up.
    pub fn crossings(&self, operand: usize, level: usize, depth: usize, step: u64) -> (u64, u64) {
        let Some(level) = self.level(operand, level) else { return (0, 0) };
        let below = &level.below;
        let inside = below.loops;
        let (begins, ends, all) = if inside <= depth {
            let all = self.product(inside..depth);
            (all, all, all)
        } else {
            let period = self.product(depth..inside);
            let at = |step: u64| u64::from(step.is_multiple_of(period));
            (at(step), at(step + 1), 1)
        };
        let is_output = self.operands[operand].stored_as == Operand::O;
        let down = match below.down.count {
            0 => 0,
            // Outputs that come down are partial sums, and there are none in the first pass.
            count if is_output && count < below.up.count => {
                let adds = |next: &TemporalLoop| self.operands[operand].irrelevant.contains(&next.dim);
                let indices = self.indices(depth, step);
                let outer = inside.max(depth)..self.order.len();
                let was_there = outer.into_iter().any(|place| indices[place] > 0 && adds(&self.order[place]));
                let passes = self.order[inside.min(depth)..depth].iter().filter(|next| adds(next));
                let first = all / passes.map(|next| next.size).product::<u64>();
                if was_there { begins } else { begins.saturating_sub(first) }
            }
            _ => begins,
        };
        (down, if below.up.count > 0 { ends } else { 0 })
    }

    /// The contents of a memory level at the end of a step: the data that its last iteration uses.
    pub fn block(&self, operand: usize, level: usize, depth: usize, step: u64) -> IndexBlock {
        let Some(of) = self.level(operand, level) else { return IndexBlock::default() };
        let mut indices = self.indices(depth, step);
        for (index, next) in indices.iter_mut().zip(&self.order).take(depth) {
            *index = next.size - 1;
        }
        self.block_of(operand, of.loops, &indices)
    }

    /// All data that is in a memory level at some time of a step.
    pub fn passed(&self, operand: usize, level: usize, depth: usize, step: u64) -> IndexBlock {
        let Some(of) = self.level(operand, level) else { return IndexBlock::default() };
        self.block_of(operand, of.loops.max(depth), &self.indices(depth, step))
    }

    /// The contents of a memory level before a step; `None` before the first.
    pub fn block_before(&self, operand: usize, level: usize, depth: usize, step: u64) -> Option<IndexBlock> {
        Some(self.block(operand, level, depth, step.checked_sub(1)?))
    }

    /// The whole operand.
    pub fn whole(&self, operand: usize) -> IndexBlock {
        self.block_of(operand, self.order.len(), &[])
    }

    /// Energy of all crossings of boundaries within a step, pJ.
    pub fn access_pj(&self, depth: usize, step: u64) -> f64 {
        let mut sum = 0.0;
        for (operand, of) in self.operands.iter().enumerate() {
            for (level, at) in of.levels.iter().enumerate() {
                let (down, up) = self.crossings(operand, level, depth, step);
                sum += down as f64 * at.below.down.pj + up as f64 * at.below.up.pj;
            }
        }
        sum
    }

    fn level(&self, operand: usize, level: usize) -> Option<&LevelTrace> {
        self.operands.get(operand)?.levels.get(level)
    }

    fn product(&self, places: Range<usize>) -> u64 {
        self.order[places].iter().map(|next| next.size).product()
    }

    /// The elements that the innermost `inside` loops touch while the others are in these iterations.
    fn block_of(&self, operand: usize, inside: usize, indices: &[u64]) -> IndexBlock {
        let along = |dim: Dim| {
            let (mut start, mut length) = (0, self.unrolled[dim as usize]);
            let mut stride = length;
            for (place, next) in self.order.iter().enumerate().filter(|(_, next)| next.dim == dim) {
                if place < inside {
                    length *= next.size;
                } else {
                    start += indices.get(place).map_or(0, |index| index * stride);
                }
                stride *= next.size;
            }
            let end = self.sizes[dim as usize];
            start.min(end)..(start + length).min(end)
        };
        let range = |axis: &IndexAxis| match *axis {
            IndexAxis::Loop(dim) => along(dim),
            IndexAxis::Window { outputs: (outputs, stride), kernel: (kernel, dilation) } => {
                let (outputs, kernel) = (along(outputs), along(kernel));
                let last = |range: &Range<u64>, step: u64| range.end.saturating_sub(1) * step;
                let start = outputs.start * stride + kernel.start * dilation;
                start..last(&outputs, stride) + last(&kernel, dilation) + 1
            }
        };
        IndexBlock { ranges: self.operands[operand].axes.iter().map(range).collect() }
    }
}

impl OperandTrace {
    fn new(
        evaluator: &Evaluator<'_>,
        order: &[TemporalLoop],
        cost: &LayerCost,
        accesses: &[Access],
        operand: LayerOperand,
    ) -> Self {
        let problem = evaluator.problem;
        let view = &problem.operands[operand];
        let name = problem.operand_name(operand);
        let crossing = |level: usize, higher: Movement, lower: Movement| {
            let mine = || accesses.iter().filter(|access| access.operand == name);
            let at_top = mine().find(|access| (access.level, access.movement) == (level, higher));
            let is_below = |access: &&Access| access.level + 1 == level && access.movement == lower;
            let Some(top) = at_top.filter(|top| top.transfers > 0) else { return CrossingTrace::default() };
            let count = top.transfers;
            let pj = top.energy_pj() + mine().find(is_below).map_or(0.0, Access::energy_pj);
            let elements = top.all_elements() / count as f64;
            CrossingTrace { count, elements, bits: elements * top.precision_bits as f64, pj: pj / count as f64 }
        };
        let level = |(level, &memory): (usize, &MemoryId)| {
            let description = &problem.core.memories[memory];
            LevelTrace {
                memory,
                name: description.name.clone(),
                capacity_bits: description.size_bits,
                instances: evaluator.average.all[operand][level + 1],
                elements: cost.amounts.held[operand][level + 1],
                bits: cost.amounts.bits_held(operand, level),
                loops: cost.merged.range(operand, level).end,
                below: BoundaryTrace {
                    loops: loops_between(problem, order, cost, (operand, level)),
                    down: crossing(level, Movement::ReadToLow, Movement::WriteFromHigh),
                    up: crossing(level, Movement::WriteFromLow, Movement::ReadToHigh),
                },
            }
        };
        Self {
            name: name.to_owned(),
            stored_as: view.stored_as,
            axes: axes(problem, view),
            irrelevant: Dim::ALL
                .into_iter()
                .filter(|&dim| view.relevance[dim as usize] == Relevance::Irrelevant)
                .collect(),
            levels: view.memories.iter().enumerate().map(level).collect(),
        }
    }
}

/// Loops that run through between two crossings of the boundary below a level: those below it, and, below the lowest,
/// those for which the array keeps its data.
fn loops_between(
    problem: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    cost: &LayerCost,
    (operand, level): (LayerOperand, usize),
) -> usize {
    if let Some(below) = level.checked_sub(1) {
        return cost.merged.range(operand, below).end;
    }
    let mut left = cost.amounts.cycles[operand][0] / problem.iteration_cycles;
    let runs_through = |next: &&TemporalLoop| {
        let is_inside = left > 1;
        left /= next.size;
        is_inside
    };
    order.iter().take_while(runs_through).count()
}

fn axes(problem: &LayerOnCore<'_>, view: &OperandView) -> Vec<IndexAxis> {
    let shape = &problem.shape;
    let window = |&(axis, outputs, kernel): &(Relevance, Dim, Dim)| {
        let (stride, dilation) = match axis {
            Relevance::PartialX => (shape.stride.0, shape.dilation.0),
            _ => (shape.stride.1, shape.dilation.1),
        };
        IndexAxis::Window { outputs: (outputs, stride), kernel: (kernel, dilation) }
    };
    view.relevant.iter().map(|&dim| IndexAxis::Loop(dim)).chain(view.windows.iter().map(window)).collect()
}
