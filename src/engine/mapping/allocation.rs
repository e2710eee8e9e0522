//! Allocation of ordered temporal loops to memory levels, as LOMA does.

use super::operands::{LayerOnCore, LayerOperand, OPERANDS, OperandView, Relevance};
use super::temporal::TemporalLoop;
use crate::hardware::{MAX_LEVELS, MemoryId, Operand};
use crate::workload::Dim;
use serde::{Deserialize, Serialize};

/// An allocation (blocking): where the memory levels of each operand end in the order of temporal loops.
///
/// Level `m` of operand `p` holds the loops `ends[p][m - 1] .. ends[p][m]` (from 0 for the lowest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Allocation {
    /// End of each level; entries above the operand's highest level are unused.
    pub ends: [[u8; MAX_LEVELS]; OPERANDS],
}

impl Allocation {
    /// The range of loops that level `level` of operand `operand` holds.
    pub fn range(&self, operand: LayerOperand, level: usize) -> std::ops::Range<usize> {
        let start = if level == 0 { 0 } else { self.ends[operand][level - 1] };
        usize::from(start)..usize::from(self.ends[operand][level])
    }

    /// Whether every operand's levels take all of `loops` loops, one level after the other.
    pub fn covers(&self, problem: &LayerOnCore<'_>, loops: usize) -> bool {
        problem.operands.iter().zip(&self.ends).all(|(operand, ends)| {
            let ends = &ends[..operand.memories.len()];
            ends.is_sorted() && ends.last().is_some_and(|&last| usize::from(last) == loops)
        })
    }

    /// Moves a level's irrelevant loops down while they are its innermost: they only reuse the data below (ZigZag,
    /// Section III; DeFiNES tool, mapping_assist_funcs.py). `order` is innermost first.
    pub fn merge_stationary(mut self, problem: &LayerOnCore<'_>, order: &[TemporalLoop]) -> Self {
        for (operand, ends) in problem.operands.iter().zip(&mut self.ends) {
            let top = operand.memories.len() - 1;
            for end in &mut ends[..top] {
                while order
                    .get(usize::from(*end))
                    .is_some_and(|next| operand.relevance[next.dim as usize] == Relevance::Irrelevant)
                {
                    *end += 1;
                }
            }
        }
        self
    }
}

/// The choices of one operand for one memory.
struct Candidates {
    operand: LayerOperand,
    level: usize,
    /// Range of its choices among those of all operands.
    choices: std::ops::Range<usize>,
    /// Loops that the first choice takes; each further choice takes one more.
    first: usize,
}

/// One choice of one operand.
#[derive(Clone, Copy)]
struct LevelChoice {
    /// A whole number, unless the rules allocate averages.
    bits: f64,
    /// Accesses that it causes above, in bits.
    cost: f64,
}

/// Allocates the loops of one order after the other, reusing its working memory.
#[derive(Default)]
pub struct Allocator {
    candidates: Vec<Candidates>,
    choices: Vec<LevelChoice>,
}

/// Allocates `order` (innermost first) as LOMA does; `None` where the hierarchy is too small for it.
pub fn allocate(problem: &LayerOnCore<'_>, order: &[TemporalLoop]) -> Option<Allocation> {
    Allocator::default().allocate(problem, order)
}

impl Allocator {
    /// Allocates `order` (innermost first) as LOMA does; `None` where the hierarchy is too small for it.
    ///
    /// Memory by memory, lowest first, the combination of further loops is chosen that fits and causes the fewest
    /// accesses above (DeFiNES tool, loma/memory_allocator.py). The result is not yet merged.
    pub fn allocate(&mut self, problem: &LayerOnCore<'_>, order: &[TemporalLoop]) -> Option<Allocation> {
        let mut allocation = Allocation::default();
        let mut level = [0; OPERANDS];
        for memory in problem.core.memories.keys() {
            self.allocate_memory(problem, order, memory, &mut level, &mut allocation)?;
        }
        Some(allocation)
    }

    fn allocate_memory(
        &mut self,
        problem: &LayerOnCore<'_>,
        order: &[TemporalLoop],
        memory: MemoryId,
        level: &mut [usize; OPERANDS],
        allocation: &mut Allocation,
    ) -> Option<()> {
        let capacity = problem.room_bits(memory) as f64;
        self.candidates.clear();
        self.choices.clear();
        for operand in operands_in(problem, memory) {
            let view = &problem.operands[operand];
            if view.memories.get(level[operand]) == Some(&memory) {
                self.add_candidates(problem, operand, level[operand], &allocation.ends[operand], order, capacity)?;
                level[operand] += 1;
            }
        }
        if self.candidates.is_empty() {
            return Some(());
        }
        let chosen = self.best_combination(capacity);
        if chosen.is_none() && !problem.rules.lowest_memory_may_overflow {
            return None;
        }
        for (index, candidates) in self.candidates.iter().enumerate() {
            let ends = &mut allocation.ends[candidates.operand];
            let start = if candidates.level == 0 { 0 } else { ends[candidates.level - 1] };
            // Where nothing fits together, the tool goes on with no loops at all and without a check.
            let taken = chosen.as_ref().map_or(0, |chosen| candidates.first + chosen[index]);
            ends[candidates.level] = start + u8::try_from(taken).ok()?;
            let is_top = candidates.level + 1 == problem.operands[candidates.operand].memories.len();
            if is_top && usize::from(ends[candidates.level]) < order.len() {
                return None;
            }
        }
        Some(())
    }

    /// Adds the choices for level `level` of an operand: the loops that follow those below it, as many as fit alone.
    fn add_candidates(
        &mut self,
        problem: &LayerOnCore<'_>,
        operand: LayerOperand,
        level: usize,
        ends: &[u8; MAX_LEVELS],
        order: &[TemporalLoop],
        capacity: f64,
    ) -> Option<()> {
        let view = &problem.operands[operand];
        let start = if level == 0 { 0 } else { ends[level - 1].into() };
        let mut extents = extents_below(problem, view, ends, level, order);
        let partial = view.stored_as == Operand::O
            && order[start..].iter().any(|next| view.relevance[next.dim as usize] == Relevance::Irrelevant)
            || takes_for_partial(problem, view, level);
        let precision = if partial { view.precision.0 } else { view.precision.1 } as f64;
        let mut remaining: u64 = order[start..].iter().map(|next| next.size).product();
        let first_choice = self.choices.len();
        // Some memories hold data twice if it is replaced during the layer, but the whole operand only once.
        let replaced_below = if problem.forces_double_buffer(view.memories[level]) {
            let mut extents = extents;
            order[start..].iter().for_each(|next| extents[next.dim as usize] *= next.size as f64);
            elements(problem, view, &extents) * precision
        } else {
            0.0
        };
        for taken in 0..=order.len() - start {
            if taken > 0 {
                let next = order[start + taken - 1];
                extents[next.dim as usize] *= next.size as f64;
                remaining /= next.size;
            }
            let data = elements(problem, view, &extents) * precision;
            let bits = if data < replaced_below { 2.0 * data } else { data };
            if bits > capacity && (replaced_below == 0.0 || problem.rules.forced_double_buffers_taken_for_data) {
                break;
            }
            let moved = if problem.rules.forced_double_buffers_taken_for_data { bits } else { data };
            // A part that does not fit twice stays a choice that never fits, as the whole operand still may.
            let bits = if bits > capacity { f64::INFINITY } else { bits };
            self.choices.push(LevelChoice { bits, cost: remaining as f64 * moved });
        }
        while self.choices.len() > first_choice && self.choices.last().is_some_and(|last| last.bits == f64::INFINITY) {
            self.choices.pop();
        }
        let most = self.choices.len().checked_sub(1).filter(|&most| most >= first_choice)?;
        let mut candidates = Candidates { operand, level, choices: first_choice..most + 1, first: 0 };
        if level + 1 == view.memories.len() {
            // The highest level takes all remaining loops, and no level is above it.
            candidates.first = most - first_choice;
            candidates.choices = most..most + 1;
            self.choices[most].cost = 0.0;
        }
        self.candidates.push(candidates);
        Some(())
    }

    /// The choice per operand with the smallest total cost whose sizes fit together; the later of equals.
    fn best_combination(&self, capacity: f64) -> Option<[usize; OPERANDS]> {
        let mut current = [0; OPERANDS];
        let mut best: Option<(f64, [usize; OPERANDS])> = None;
        loop {
            let chosen =
                self.candidates.iter().zip(&current).map(|(of, choice)| self.choices[of.choices.start + choice]);
            let (bits, cost) = chosen.fold((0.0, 0.0), |(bits, cost), next| (bits + next.bits, cost + next.cost));
            if bits <= capacity && best.is_none_or(|(least, _)| cost <= least) {
                best = Some((cost, current));
            }
            // Count up like an odometer, the last operand fastest.
            let can_turn = |&index: &usize| current[index] + 1 < self.candidates[index].choices.len();
            let Some(turning) = (0..self.candidates.len()).rev().find(can_turn) else {
                return best.map(|(_, choice)| choice);
            };
            current[turning] += 1;
            current[turning + 1..].fill(0);
        }
    }
}

/// The layer's operands that a memory holds, in the order of its definition; the second input of an addition last.
pub(crate) fn operands_in<'p>(
    problem: &'p LayerOnCore<'_>,
    memory: MemoryId,
) -> impl Iterator<Item = LayerOperand> + 'p {
    let is_add = problem.reads_two_maps();
    let first = problem.core.memories[memory].operands.iter().filter_map(move |&stored_as| match stored_as {
        Operand::O => Some(LayerOperand::Output),
        Operand::W => (!is_add).then_some(LayerOperand::First),
        Operand::I => Some(if is_add { LayerOperand::First } else { LayerOperand::Second }),
    });
    let second_input = is_add && problem.core.memories[memory].operands.contains(&Operand::I);
    first.chain(second_input.then_some(LayerOperand::Second))
}

/// Running loop sizes of all loops below level `level`, unrolled loops included.
///
/// An average unrolling times its steps may miss the integer by a rounding error, so the order of the
/// multiplications matters: for each level the loops unrolled below it, then its temporal loops.
fn extents_below(
    problem: &LayerOnCore<'_>,
    view: &OperandView,
    ends: &[u8; MAX_LEVELS],
    level: usize,
    order: &[TemporalLoop],
) -> [f64; 8] {
    let mut extents = [1.0; 8];
    let mut start = 0;
    for below in 0..=level {
        for &(dim, average, peak) in &view.unrolled[below] {
            extents[dim as usize] *= allocated(problem, average, peak);
        }
        if below < level {
            for done in &order[start..ends[below].into()] {
                extents[done.dim as usize] *= done.size as f64;
            }
            start = ends[below].into();
        }
    }
    extents
}

/// The unrolling for which a memory is allocated. The tool takes the average and rounds up the resulting size; but some
/// instance holds the unrolling rounded up.
fn allocated(problem: &LayerOnCore<'_>, average: f64, peak: u64) -> f64 {
    if problem.rules.memory_reserved_for_averages { average } else { peak as f64 }
}

/// Whether outputs count as partial sums at a level whatever the loops in time.
fn takes_for_partial(problem: &LayerOnCore<'_>, view: &OperandView, level: usize) -> bool {
    let rules = &problem.rules;
    let listed = |&(dim, ..): &(Dim, f64, u64)| {
        view.relevance[dim as usize] == Relevance::Irrelevant && problem.shape.size(dim) > 1
    };
    view.adds_to_sums
        || !rules.allocation_ignores_spatial_sums
            && (view.adds_above(level)
                || rules.unrolling_by_one_makes_partial_sums
                    && view.stored_as == Operand::O
                    && view.unrolled[level + 1..].iter().flatten().any(listed))
}

/// Elements of the operand's slice for the given loop sizes.
fn elements(problem: &LayerOnCore<'_>, view: &OperandView, extents: &[f64; 8]) -> f64 {
    let rules = &problem.rules;
    let size = |dim: Dim| {
        let extent = extents[dim as usize];
        match (rules.allocate_by_fractional_sizes, rules.memory_reserved_for_averages) {
            (true, _) => extent,
            (false, true) => extent.ceil(),
            (false, false) => extent.min(problem.shape.size(dim) as f64),
        }
    };
    let plain: f64 = view.relevant.iter().map(|&dim| size(dim)).product();
    let window = |&(axis, outputs, kernel): &(_, Dim, Dim)| {
        problem.input_extent(axis, size(outputs).floor(), size(kernel).floor())
    };
    plain * view.windows.iter().map(window).product::<f64>()
}

/// The least bits that an operand takes at a level under any mapping: all of it at its highest level, elsewhere the
/// data that the array below uses at once.
pub fn smallest_demand(problem: &LayerOnCore<'_>, operand: LayerOperand, level: usize) -> u64 {
    let view = &problem.operands[operand];
    let mut extents = [1.0; 8];
    for &(dim, average, peak) in view.unrolled[..=level].iter().flatten() {
        extents[dim as usize] *= allocated(problem, average, peak);
    }
    let is_top = level + 1 == view.memories.len();
    if is_top {
        for dim in Dim::ALL {
            extents[dim as usize] *= problem.spatial.temporal_sizes[dim as usize] as f64;
        }
    }
    // Where an operand has a single level, partial sums are there, too.
    let reduces = |dim: &Dim| {
        view.relevance[*dim as usize] == Relevance::Irrelevant && problem.spatial.temporal_sizes[*dim as usize] > 1
    };
    let partial = is_top && level == 0 && Dim::ALL.iter().any(reduces) || takes_for_partial(problem, view, level);
    elements(problem, view, &extents).ceil() as u64 * if partial { view.precision.0 } else { view.precision.1 }
}
