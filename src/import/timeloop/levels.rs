//! The levels of a mapped layer as Timeloop has them: one after the other, each with its loops.
//!
//! Here every operand of a memory has a boundary of its own among the loops; in Timeloop a level has one for all that it keeps. Loops that
//! do not index a data space may lie on either side of a boundary, so that one may still be found; else the memory becomes a level for
//! each operand.

use crate::explore::TemporalMapping;
use crate::hardware::{Memory, MemoryId};
use crate::import::report::{Report, Severity};
use crate::mapping::{LayerOnCore, LayerOperand, Relevance};
use crate::spec::Diagnostics;

/// A level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The memory.
    pub memory: MemoryId,
    /// The operands that it keeps, of those of the layer.
    pub operands: Vec<LayerOperand>,
    /// Whether it is a part of its memory.
    pub is_part: bool,
    /// After how many loops it ends.
    pub end: usize,
    /// Where it may end: from the first to the second number of loops.
    range: (usize, usize),
}

/// The levels, innermost first.
///
/// # Errors
/// Memories that do not lie inside of each other, and boundaries that no order of levels has.
pub fn levels(
    problem: &LayerOnCore<'_>,
    mapping: &TemporalMapping,
    report: &mut Report,
) -> Result<Vec<Level>, Diagnostics> {
    let core = problem.core;
    let mut levels: Vec<Level> = Vec::new();
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
            Level { memory, end: ends.max().unwrap_or(0), operands, is_part, range }
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
    let shared =
        |level: &Level| core.array.keys().filter(|dim| core.memories[level.memory].shared_over.contains(*dim)).count();
    levels.sort_by_key(|level| (shared(level), level.range.1, level.memory));
    check_nesting(&core.memories.raw, &levels)?;
    // No level ends after one outside of it.
    let mut most: Vec<usize> = levels.iter().map(|level| level.range.1).collect();
    for inner in (1..most.len()).rev() {
        most[inner - 1] = most[inner - 1].min(most[inner]);
    }
    let mut inside = 0;
    for (level, most) in levels.iter_mut().zip(most) {
        let first = level.range.0.max(inside);
        if first > level.range.1 {
            let mut wrong = Diagnostics::default();
            let name = &core.memories[level.memory].name;
            let reason = format!(
                "`{name}` ends before a memory that lies inside of it in Timeloop, so no levels hold these loops"
            );
            let remedy = format!(
                "Let `{name}` hold more of the loops in the mapping, or the memories inside of it fewer: `layer --constraints` \
                 finds the best such mapping, and with `--save-mapping` writes it for `--mapping`"
            );
            wrong.add("mapping", reason, remedy);
            return Err(wrong);
        }
        level.end = level.end.min(most).max(first);
        inside = level.end;
    }
    Ok(levels)
}

/// Where a memory of an operand may end without a change of what moves; the highest ends after all loops.
fn range(
    problem: &LayerOnCore<'_>,
    mapping: &TemporalMapping,
    operand: LayerOperand,
    level: usize,
    report: &mut Report,
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

/// A level of Timeloop lies inside of another, so that it is shared over no dimension that the other is not shared over.
fn check_nesting(memories: &[Memory], levels: &[Level]) -> Result<(), Diagnostics> {
    let mut wrong = Diagnostics::default();
    for pair in levels.windows(2) {
        let [inner, outer] = [&pair[0], &pair[1]].map(|level| &memories[usize::from(level.memory)]);
        if !outer.shared_over.includes(inner.shared_over) {
            let reason = format!(
                "`{}` and `{}` are shared over different dimensions of the array, and levels of Timeloop lie inside of each other",
                inner.name, outer.name
            );
            wrong.add(
                "memories",
                reason,
                "Let one of them be shared over all dimensions that the other is shared over",
            );
        }
    }
    wrong.or(())
}
