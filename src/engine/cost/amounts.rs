//! The data that every link moves, and the number of transfers (ZigZag, Section III; DeFiNES NOTES 4).

use super::boundary::{Boundary, Crossing};
use crate::cost::{PerLink, index};
use crate::hardware::{MAX_LEVELS, Movement, Operand};
use crate::mapping::{
    Allocation, LayerOnCore, LayerOperand, OPERANDS, OperandView, Relevance, TemporalLoop, copies, slice_bits,
    slice_elements,
};
use crate::rules::Rules;
use crate::tolerance::snap;
use crate::workload::{Dim, LoopSizes};

/// A link: one data movement of an operand at one memory level.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Link {
    /// Elements moved per period, for one instance of the memory.
    pub elements: f64,
    /// Cycles of computation between two transfers: the period.
    pub period: u64,
    /// Number of transfers; 0 where there is no such link.
    pub count: u64,
    /// Bits per element.
    pub precision: u64,
}

impl Link {
    /// No traffic: for the boundary above the highest level.
    const NONE: Self = Self { elements: 0.0, period: 0, count: 0, precision: 0 };
}

/// The effect of unrolling on the operands: instances at each level, and the boundaries between levels.
pub(super) struct Units<'a> {
    /// Chooses between the average and the peak of an unrolled loop.
    size: fn(f64, u64) -> f64,
    /// Products of the unrolled loops below each architecture level.
    below: [[Extents; MAX_LEVELS + 1]; OPERANDS],
    /// Instances at each architecture level of each operand: level 0 is the PE array, level `m + 1` is memory `m`.
    pub all: [[f64; MAX_LEVELS + 1]; OPERANDS],
    /// The boundary below each memory level.
    pub boundaries: [Vec<Boundary<'a>>; OPERANDS],
    rounds: bool,
}

impl<'a> Units<'a> {
    /// `size` chooses between the average and the peak of every unrolled loop.
    pub fn new(problem: &LayerOnCore<'a>, size: fn(f64, u64) -> f64) -> Self {
        let mut below = [[Extents::ONE; MAX_LEVELS + 1]; OPERANDS];
        let mut unique = [[1.0; MAX_LEVELS + 1]; OPERANDS];
        let mut all = [[1.0; MAX_LEVELS + 1]; OPERANDS];
        for (index, operand) in problem.each_operand() {
            let below = &mut below[index];
            for (level, loops) in operand.unrolled.iter().enumerate().take(MAX_LEVELS) {
                below[level + 1] = below[level];
                for &(dim, average, peak) in loops {
                    below[level + 1].multiply(dim, size(average, peak));
                }
            }
            let mut factors = [(1.0, 1.0); MAX_LEVELS + 1];
            decoupled_factors(problem, operand, size, &mut factors);
            let factors = &factors[..operand.unrolled.len()];
            for level in 0..factors.len() {
                unique[index][level] = factors[level..].iter().map(|(relevant, _)| relevant).product();
                all[index][level] = factors[level..].iter().map(|(_, total)| total).product();
            }
        }
        if problem.rules.round_fractional_amounts {
            let rounding = rounding(&problem.rules, all.map(|counts| counts[0]));
            for counts in all.iter_mut().flatten() {
                *counts = rounding(*counts);
            }
        }
        let boundaries = LayerOperand::ALL.map(|index| {
            let levels = 0..problem.operands[index].memories.len();
            levels.map(|level| Boundary::new(problem, index, level, &unique[index], &all[index])).collect()
        });
        Self { size, below, all, boundaries, rounds: problem.rules.round_fractional_amounts }
    }

    /// Whether outputs at a memory level are still added to, whatever the loops in time: by unrolled loops above, or to
    /// sums.
    pub fn add_above(&self, view: &OperandView, level: usize) -> bool {
        let adds = |dim: Dim| view.relevance[dim as usize] == Relevance::Irrelevant;
        let mut above = view.unrolled[level + 1..].iter().flatten();
        view.adds_to_sums || above.any(|&(dim, average, peak)| adds(dim) && (self.size)(average, peak) > 1.0)
    }

    /// Elements that one instance holds of an operand at an architecture level, when the temporal loops up to there multiply
    /// to `sizes`.
    pub fn elements(&self, problem: &LayerOnCore<'_>, index: LayerOperand, level: usize, sizes: &LoopSizes) -> f64 {
        let below = &self.below[index][level].0;
        let size = |dim: Dim| sizes[dim as usize] as f64 * below[dim as usize];
        self.whole(relevant(problem, &problem.operands[index], size))
    }

    /// Part number `part` of [`Self::elements`] ([`OperandView::part_of`]), which is the product of all three, [`Self::whole`].
    pub fn elements_of_part(
        &self,
        problem: &LayerOnCore<'_>,
        index: LayerOperand,
        level: usize,
        (part, sizes): (usize, &LoopSizes),
    ) -> f64 {
        let below = &self.below[index][level].0;
        let size = |dim: Dim| sizes[dim as usize] as f64 * below[dim as usize];
        relevant_part(problem, &problem.operands[index], part, size)
    }

    /// Removes the rounding error of averages, or a difference that the tools take for one.
    pub fn whole(&self, elements: f64) -> f64 {
        if self.rounds { elements.round_ties_even() } else { snap(elements) }
    }
}

/// Per memory, the unrolled loops below it as factors: (relevant only, all).
///
/// A partially relevant loop counts with what it adds to the input extent, the rest of it is reuse (ZigZag, Section
/// III). The multiplications follow the tool's order, as their rounding errors are truncated later.
fn decoupled_factors(
    problem: &LayerOnCore<'_>,
    operand: &OperandView,
    size: fn(f64, u64) -> f64,
    factors: &mut [(f64, f64); MAX_LEVELS + 1],
) {
    let mut extents = Extents::ONE;
    for (below, factors) in operand.unrolled.iter().zip(factors) {
        *factors = below.iter().fold((1.0, 1.0), |(relevant, all), &(dim, average, peak)| {
            let (before, size) = (extents, size(average, peak));
            extents.multiply(dim, size);
            match operand.relevance[dim as usize] {
                Relevance::Relevant => (relevant * size, all * size),
                Relevance::Irrelevant => (relevant, all * size),
                Relevance::PartialX | Relevance::PartialY => {
                    let added = extents.relevant(problem, operand) / before.relevant(problem, operand);
                    (relevant * added, all * added * (size / added))
                }
            }
        });
    }
}

/// How the tools round numbers of instances. DeFiNES takes the first way of rounding by which all operands have the
/// same number of PEs; before, these numbers differ by rounding errors only (spatial_mapping.py:83-114).
fn rounding(rules: &Rules, pe_counts: [f64; OPERANDS]) -> fn(f64) -> f64 {
    if !rules.round_instances_by_agreement {
        return |count| ((count * 1000.0).round_ties_even() / 1000.0).round_ties_even();
    }
    [f64::round_ties_even, f64::ceil]
        .into_iter()
        .find(|round: &fn(f64) -> f64| pe_counts.iter().all(|&count| round(count) == round(pe_counts[0])))
        .unwrap_or(f64::floor)
}

/// Running products of loop sizes.
#[derive(Clone, Copy)]
struct Extents([f64; 8]);

impl Extents {
    const ONE: Self = Self([1.0; 8]);

    fn multiply(&mut self, dim: Dim, size: f64) {
        self.0[dim as usize] *= size;
    }

    /// Different elements of the operand that these loops touch.
    fn relevant(&self, problem: &LayerOnCore<'_>, operand: &OperandView) -> f64 {
        relevant(problem, operand, |dim| self.0[dim as usize])
    }
}

/// Different elements of the operand that loops of these sizes touch.
fn relevant(problem: &LayerOnCore<'_>, operand: &OperandView, size: impl Fn(Dim) -> f64) -> f64 {
    [0, 1, 2].map(|part| relevant_part(problem, operand, part, &size)).into_iter().product()
}

/// Part number `part` of [`relevant`] ([`OperandView::part_of`]).
fn relevant_part(problem: &LayerOnCore<'_>, operand: &OperandView, part: usize, size: impl Fn(Dim) -> f64) -> f64 {
    let Some(window) = part.checked_sub(1) else { return operand.relevant.iter().map(|&dim| size(dim)).product() };
    let extent = |&(axis, outputs, kernel)| problem.input_extent(axis, size(outputs), size(kernel));
    operand.windows.get(window).map_or(1.0, extent)
}

/// The data movements of a mapping, with the sizes that they follow from. Tables are by operand, then by level.
#[derive(Debug, Clone)]
pub struct Amounts {
    /// Elements that one instance holds, by operand and architecture level (0: the PE array, `m + 1`: memory `m`).
    pub held: [[f64; MAX_LEVELS + 1]; OPERANDS],
    /// Bits that one instance of each memory level takes.
    bits: [[f64; MAX_LEVELS]; OPERANDS],
    /// Whether a memory level is double-buffered by design, and its data is replaced during the layer.
    forced: [[bool; MAX_LEVELS]; OPERANDS],
    /// Whether outputs are still partial sums there, by architecture level.
    pub partial: [bool; MAX_LEVELS + 1],
    /// Number of passes in which loops above add to each output there.
    pub passes: [u64; MAX_LEVELS + 1],
    /// Bits per element held there.
    pub precision: [[u64; MAX_LEVELS + 1]; OPERANDS],
    /// Product of the relevant loops at the outer end of the level's loops.
    pub top_relevant: [[u64; MAX_LEVELS + 1]; OPERANDS],
    /// Product of the irrelevant loops at the outer end of the level's loops.
    pub top_irrelevant: [[u64; MAX_LEVELS + 1]; OPERANDS],
    /// Cycles of computation for all loops up to the level.
    pub cycles: [[u64; MAX_LEVELS + 1]; OPERANDS],
    /// Movements across the boundary below each memory level.
    pub crossings: [[Crossing; MAX_LEVELS]; OPERANDS],
    /// The links of each memory level, one for each data movement.
    pub links: PerLink<Link>,
    /// Cycles of computation of the whole layer, without any stall.
    pub total_cycles: u64,
}

impl Amounts {
    /// Average bits per cycle of a link, for one instance of the memory, where an iteration takes `cycles`. The
    /// multiplications follow the tool's order, as it drops the fraction.
    pub(super) fn average_demand(
        &self,
        (operand, level, movement): (LayerOperand, usize, Movement),
        cycles: f64,
    ) -> f64 {
        let link = &self.links[operand][level][index(movement)];
        let held = self.held[operand][if movement.is_low() { level } else { level + 1 }];
        held * link.precision as f64 / (link.period as f64 / cycles) * (link.elements / held)
    }

    pub(super) fn new(
        problem: &LayerOnCore<'_>,
        order: &[TemporalLoop],
        merged: &Allocation,
        units: &Units<'_>,
    ) -> Self {
        let mut amounts = Self {
            held: [[1.0; MAX_LEVELS + 1]; OPERANDS],
            bits: [[0.0; MAX_LEVELS]; OPERANDS],
            forced: [[false; MAX_LEVELS]; OPERANDS],
            partial: [false; MAX_LEVELS + 1],
            passes: [1; MAX_LEVELS + 1],
            precision: [[0; MAX_LEVELS + 1]; OPERANDS],
            top_relevant: [[1; MAX_LEVELS + 1]; OPERANDS],
            top_irrelevant: [[1; MAX_LEVELS + 1]; OPERANDS],
            cycles: [[problem.iteration_cycles; MAX_LEVELS + 1]; OPERANDS],
            crossings: [[Crossing::NONE; MAX_LEVELS]; OPERANDS],
            links: [[[Link::NONE; 4]; MAX_LEVELS]; OPERANDS],
            total_cycles: order.iter().map(|next| next.size).product::<u64>() * problem.iteration_cycles,
        };
        for (index, operand) in problem.each_operand() {
            amounts.count_held(index, problem, operand, order, merged, units);
            amounts.choose_precision(index, operand, order, merged, units);
            amounts.count_bits(index, problem, order, merged);
            if problem.forces_double_buffers {
                amounts.force_double_buffers(index, problem, order, merged);
            }
            for level in 0..operand.memories.len() {
                amounts.cross(index, level, operand, units, problem.first_sums_come_down());
            }
        }
        amounts
    }

    fn count_held(
        &mut self,
        index: LayerOperand,
        problem: &LayerOnCore<'_>,
        operand: &OperandView,
        order: &[TemporalLoop],
        merged: &Allocation,
        units: &Units<'_>,
    ) {
        let mut extents = Extents::ONE;
        if problem.array_keeps(index) {
            let kept = leading_reuse(&order[merged.range(index, 0)], operand);
            self.cycles[index][0] *= kept.iter().map(|next| next.size).product::<u64>();
        }
        for level in 0..operand.memories.len() {
            let loops = &order[merged.range(index, level)];
            let mut cycles = if level == 0 { problem.iteration_cycles } else { self.cycles[index][level] };
            for next in loops {
                extents.multiply(next.dim, next.size as f64);
                cycles *= next.size;
            }
            for &(dim, average, peak) in &operand.unrolled[level] {
                extents.multiply(dim, (units.size)(average, peak));
            }
            let held = extents.relevant(problem, operand);
            self.held[index][level + 1] = units.whole(held);
            self.cycles[index][level + 1] = cycles;
            self.top_relevant[index][level + 1] = product_of_outermost(loops, operand, Relevance::Relevant);
            self.top_irrelevant[index][level + 1] = product_of_outermost(loops, operand, Relevance::Irrelevant);
        }
    }

    /// An output is a partial sum at a level if a loop above it still adds to it, or if it is added to sums.
    fn choose_precision(
        &mut self,
        index: LayerOperand,
        operand: &OperandView,
        order: &[TemporalLoop],
        merged: &Allocation,
        units: &Units<'_>,
    ) {
        if operand.stored_as != Operand::O {
            self.precision[index] = [operand.precision.0; MAX_LEVELS + 1];
            return;
        }
        let adds = |dim: Dim| operand.relevance[dim as usize] == Relevance::Irrelevant;
        let levels = operand.memories.len();
        let (mut partial, mut passes) = (operand.adds_to_sums, 1);
        for level in (0..=levels).rev() {
            if level < levels {
                let loops = &order[merged.range(index, level)];
                passes *= loops.iter().filter(|next| adds(next.dim)).map(|next| next.size).product::<u64>();
                let above = &operand.unrolled[level + 1];
                partial |= passes > 1
                    || above.iter().any(|&(dim, average, peak)| adds(dim) && (units.size)(average, peak) > 1.0);
            }
            self.partial[level] = partial;
            self.passes[level] = passes;
            self.precision[index][level] = if partial { operand.precision.0 } else { operand.precision.1 };
        }
    }

    /// The tool counts the average instance, and outputs as final where they leave the memory as final. Right is the
    /// fullest instance, and partial sums wherever outputs are still added to.
    fn count_bits(
        &mut self,
        index: LayerOperand,
        problem: &LayerOnCore<'_>,
        order: &[TemporalLoop],
        merged: &Allocation,
    ) {
        let mut sizes = [1; 8];
        for level in 0..problem.operands[index].memories.len() {
            self.bits[index][level] = if problem.rules.memory_reserved_for_averages {
                self.held[index][level + 1] * self.precision[index][level + 1] as f64
            } else {
                for next in &order[merged.range(index, level)] {
                    sizes[next.dim as usize] *= next.size;
                }
                slice_bits(problem, index, level, &sizes, index == LayerOperand::Output && self.partial[level]) as f64
            };
        }
    }

    /// Finds the memory levels, of those that are double-buffered by design, that hold less than the whole operand.
    fn force_double_buffers(
        &mut self,
        index: LayerOperand,
        problem: &LayerOnCore<'_>,
        order: &[TemporalLoop],
        merged: &Allocation,
    ) {
        let mut sizes = [1; 8];
        for level in 0..problem.operands[index].memories.len() {
            for next in &order[merged.range(index, level)] {
                sizes[next.dim as usize] *= next.size;
            }
            let elements = slice_elements(problem, index, level, &sizes);
            self.forced[index][level] = copies(problem, index, level, elements) > 1;
        }
    }

    /// Counts the movements across the boundary below memory `level`.
    fn cross(
        &mut self,
        index: LayerOperand,
        level: usize,
        operand: &OperandView,
        units: &Units<'_>,
        first_read_back: bool,
    ) {
        let period = self.cycles[index][level];
        let count = self.total_cycles / period;
        let (down, up) = match operand.stored_as {
            Operand::W | Operand::I => (count, 0),
            Operand::O if !self.partial[level] => (0, count),
            Operand::O => (partial_sums_read_back(count, self.passes[level], first_read_back), count),
        };
        let precision = self.precision[index][level];
        let crossing = Crossing { elements: self.held[index][level], precision, period, down, up };
        let links = &mut self.links[index];
        units.boundaries[index][level].for_each_link(&crossing, |movement, level, elements, count| {
            links[level][movement as usize] = Link { elements, period, count, precision };
        });
        self.crossings[index][level] = crossing;
    }

    /// Whether the data of the mapping fits in every memory (DeFiNES tool, cost_model.py:276-305).
    pub(super) fn fit(&self, problem: &LayerOnCore<'_>) -> bool {
        if problem.rules.mappings_fit_unchecked {
            return true;
        }
        problem.core.memories.keys().all(|memory| {
            let held = problem.each_operand().filter_map(|(index, operand)| {
                let level = operand.memories.iter().position(|&id| id == memory)?;
                Some((level, self.bits_reserved(index, level)))
            });
            let capacity = problem.room_bits(memory) as f64;
            let (mut total, mut lowest) = (0.0, false);
            for (level, bits) in held {
                if bits > capacity {
                    return false;
                }
                total += bits;
                lowest |= level == 0;
            }
            total <= capacity || lowest && problem.rules.lowest_memory_may_overflow
        })
    }

    /// Bits that memory level `level` of an operand holds, in one instance.
    pub fn bits_held(&self, index: LayerOperand, level: usize) -> f64 {
        self.bits[index][level]
    }

    /// Bits that memory level `level` of an operand needs in one instance: twice those of its data, where the memory is
    /// double-buffered by design and the data is replaced during the layer.
    pub fn bits_reserved(&self, index: LayerOperand, level: usize) -> f64 {
        let bits = self.bits_held(index, level);
        if self.is_double_by_design(index, level) { 2.0 * bits } else { bits }
    }

    /// Whether a memory level holds its data twice by design.
    pub(super) fn is_double_by_design(&self, index: LayerOperand, level: usize) -> bool {
        self.forced[index][level]
    }
}

/// Number of times that partial sums come down where they go up `count` times, in `passes` passes over each.
///
/// Sums that come down were written before; the first pass has none to read.
pub fn partial_sums_read_back(count: u64, passes: u64, first_read_back: bool) -> u64 {
    if first_read_back { count } else { count - count / passes }
}

fn product_of_outermost(loops: &[TemporalLoop], operand: &OperandView, wanted: Relevance) -> u64 {
    loops.iter().rev().take_while(|next| operand.relevance[next.dim as usize] == wanted).map(|next| next.size).product()
}

/// Loops during which the array needs the same data: those of the lowest level up to the first that changes it.
pub(super) fn leading_reuse<'o>(loops: &'o [TemporalLoop], operand: &OperandView) -> &'o [TemporalLoop] {
    let reuses = |next: &&TemporalLoop| operand.relevance[next.dim as usize] == Relevance::Irrelevant;
    &loops[..loops.iter().take_while(reuses).count()]
}
