//! The levels of a mapped layer in Timeloop's sense: one after another, each with its loops.
//!
//! Here every operand of a memory has its own boundary among the loops; in Timeloop a level has one boundary for all
//! operands that it keeps. Loops that do not index a data space may lie on either side of a boundary, which often
//! allows a common one; else the memory becomes one level per operand.

use crate::report::{ImportReport, Severity};
use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::hardware::{ArrayDims, MemoryId};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, Relevance, SpatialLoop};
use fusescape_spec::Diagnostics;

/// Remedy for a mapping written by hand.
const SEARCH_INSTEAD: &str = "Let the memory around it hold these loops, too, or leave `--mapping` out: a mapping that Timeloop can say is \
                              searched then";

/// A memory, or a part of it, with its loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeloopLevel {
    pub memory: MemoryId,
    /// The operands of the layer that it keeps.
    pub operands: Vec<LayerOperand>,
    /// Whether it keeps only some operands of its memory.
    pub is_part: bool,
    /// Dimensions of the array over which it is shared.
    pub shared: ArrayDims,
    /// Number of instances that replace one here, each with its share of the energies.
    pub copies: u64,
    /// Number of loops up to its end.
    pub end: usize,
    /// The smallest and the largest number of loops at which it may end.
    pub range: (usize, usize),
}

/// The reason why a mapping has no levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoLevels {
    /// For any mapping: memories are not nested.
    NotNested(Diagnostics),
    /// The first level holds loops that the second one, around it, would have to hold as well but does not.
    Crossed(Box<[TimeloopLevel; 2]>),
}

impl NoLevels {
    /// Diagnostics for a mapping written by hand.
    pub fn into_diagnostics(self, problem: &LayerOnCore<'_>) -> Diagnostics {
        let levels = match self {
            Self::NotNested(wrong) => return wrong,
            Self::Crossed(levels) => levels,
        };
        let [inner, outer] = (*levels).map(|level| &problem.core.memories[level.memory].name);
        let mut wrong = Diagnostics::default();
        let reason = format!("`{outer}` ends before `{inner}`, which lies inside of it in Timeloop");
        wrong.add("mapping", reason, SEARCH_INSTEAD);
        wrong
    }
}

/// The levels, innermost first.
///
/// # Errors
/// Memories that are not nested, and boundaries that no order of levels matches.
pub fn levels(
    problem: &LayerOnCore<'_>,
    mapping: &TemporalMapping,
    report: &mut ImportReport,
) -> Result<Vec<TimeloopLevel>, NoLevels> {
    let core = problem.core;
    let mut levels: Vec<TimeloopLevel> = Vec::new();
    for (memory, described) in core.memories.iter_enumerated() {
        let held: Vec<(LayerOperand, (usize, usize))> = problem
            .each_operand()
            .filter_map(|(operand, view)| {
                let level = view.memories.iter().position(|held| *held == memory)?;
                Some((operand, range(problem, mapping, operand, level, report)))
            })
            .collect();
        let (first, last) =
            held.iter().fold((0, usize::MAX), |(first, last), (_, range)| (first.max(range.0), last.min(range.1)));
        let level = |operands: Vec<LayerOperand>, is_part: bool, range: (usize, usize)| {
            let ends = operands.iter().filter_map(|operand| {
                let level = problem.operands[*operand].memories.iter().position(|held| *held == memory)?;
                mapping.ends[*operand as usize].get(level).copied()
            });
            let (end, shared) = (ends.max().unwrap_or(0), described.shared_over);
            TimeloopLevel { memory, operands, is_part, shared, copies: 1, end, range }
        };
        if held.is_empty() {
            report.note(Severity::Merged, "memory", "the layer has nothing in it: not written", &described.name);
        } else if first <= last {
            levels.push(level(held.iter().map(|(operand, _)| *operand).collect(), false, (first, last)));
        } else {
            let reason = "its operands hold different loops, and a level of Timeloop has one boundary: a level for each, \
                          each as large and as wide as the memory";
            report.note(Severity::Expressed, "memory", reason, &described.name);
            levels.extend(held.into_iter().map(|(operand, range)| level(vec![operand], true, range)));
        }
    }
    levels.sort_by_key(|level| (level.shared.len(), level.range.1, level.memory));
    nest(problem, &mut levels, report).map_err(NoLevels::NotNested)?;
    // No level ends after one outside of it.
    let mut most: Vec<usize> = levels.iter().map(|level| level.range.1).collect();
    for inner in (1..most.len()).rev() {
        most[inner - 1] = most[inner - 1].min(most[inner]);
    }
    let (mut inside, mut widest): (usize, Option<TimeloopLevel>) = (0, None);
    for (level, most) in levels.iter_mut().zip(most) {
        let first = level.range.0.max(inside);
        if let Some(inner) = widest.as_ref().filter(|_| first > level.range.1) {
            return Err(NoLevels::Crossed(Box::new([inner.clone(), level.clone()])));
        }
        level.end = level.end.min(most).max(first);
        inside = level.end;
        if widest.as_ref().is_none_or(|widest| widest.range.0 <= level.range.0) {
            widest = Some(level.clone());
        }
    }
    Ok(levels)
}

/// The numbers of loops at which a memory of an operand may end without changing transfers; the highest memory ends
/// after all loops.
fn range(
    problem: &LayerOnCore<'_>,
    mapping: &TemporalMapping,
    operand: LayerOperand,
    level: usize,
    report: &mut ImportReport,
) -> (usize, usize) {
    let (all, view) = (mapping.order.len(), &problem.operands[operand]);
    if level + 1 == view.memories.len() {
        return (all, all);
    }
    let stands = |place: usize| {
        mapping.order.get(place).is_some_and(|next| view.relevance[next.dim as usize] == Relevance::Irrelevant)
    };
    let end = mapping.ends[operand as usize].get(level).copied().unwrap_or(all);
    let first = (0..end).rev().take_while(|place| stands(*place)).last().unwrap_or(end);
    let last = (end..all).take_while(|place| stands(*place)).last().map_or(end, |place| place + 1);
    if last > end {
        let reason = "loops that do not index an operand lie directly above it: Timeloop moves nothing there, and the document does";
        report.note(Severity::Expressed, "mapping", reason, &problem.core.memories[view.memories[level]].name);
    }
    (first, last)
}

/// Makes the levels nested: a level of Timeloop lies inside of another, so it may be shared only over dimensions over
/// which the outer one is shared. A memory of inputs that violates this is written once per PE along these dimensions,
/// all with the same data.
fn nest(problem: &LayerOnCore<'_>, levels: &mut [TimeloopLevel], report: &mut ImportReport) -> Result<(), Diagnostics> {
    let memories = &problem.core.memories;
    let is_crossed = |pair: &[TimeloopLevel]| !pair[0].shared.is_subset(pair[1].shared);
    let holds_sums = |level: &TimeloopLevel| level.operands.contains(&LayerOperand::Output);
    for index in (1..levels.len()).rev() {
        let pair = &mut levels[index - 1..=index];
        if is_crossed(pair) && holds_sums(&pair[0]) && !holds_sums(&pair[1]) {
            pair.swap(0, 1);
        }
    }
    let mut wrong = Diagnostics::default();
    for index in (1..levels.len()).rev() {
        let (outer, level) = (levels[index].clone(), &mut levels[index - 1]);
        if level.shared.is_subset(outer.shared) {
            continue;
        }
        let (name, around) = (&memories[level.memory].name, &memories[outer.memory].name);
        let kept = level.shared.intersection(outer.shared);
        let lost =
            |unrolled: &&SpatialLoop| level.shared.contains(unrolled.array_dim) && !kept.contains(unrolled.array_dim);
        let is_same = |unrolled: &SpatialLoop| {
            let relevance = |operand: &LayerOperand| problem.operands[*operand].relevance[unrolled.dim as usize];
            level.operands.iter().all(|operand| relevance(operand) == Relevance::Irrelevant)
        };
        let mut loops = problem.spatial.loops.iter().filter(lost);
        if holds_sums(level) || !loops.clone().all(is_same) {
            let reason = format!(
                "`{name}` and `{around}` are shared over different dimensions of the array, and levels of Timeloop lie inside of each other"
            );
            let remedy = "Let one of them be shared over all dimensions that the other is shared over";
            wrong.add("memories", reason, remedy);
            continue;
        }
        let copies = loops.try_fold(1_u64, |all, unrolled| all.checked_mul(unrolled.average as u64));
        (level.copies, level.shared) = (copies.unwrap_or(1).max(1), kept);
        let reason = format!(
            "levels of Timeloop lie inside of each other, so that there is one for each of {} PEs that share it, each at its share of \
             the energies",
            level.copies
        );
        report.note(Severity::Expressed, "memory", &reason, name);
    }
    wrong.or(())
}
