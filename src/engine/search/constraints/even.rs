//! Even mappings: operands share the boundary above a memory that they share.
//!
//! An even mapping is an order of loops with one boundary for each shared memory, whatever operand it holds; operands
//! at their highest level have none. Loops that only keep an operand stationary are handed down afterwards, as for any
//! mapping, so the boundaries of operands lie apart by such loops. Memories that hold one operand end anywhere.
//!
//! A mapping with its loops handed down stands for an even one where the common boundaries can be found again: each as
//! high as the lowest of its operands' boundaries, and no higher than the common boundaries above it. This is decided
//! while a chain grows: from the first boundary above a memory on, only loops follow that are irrelevant to the
//! operands which have not placed theirs.

use super::levels::is_held;
use crate::hardware::MemoryId;
use crate::mapping::{Allocation, LayerOnCore, LayerOperand, OperandView, Relevance, TemporalLoop};
use serde::{Deserialize, Serialize};

/// Definitions of an even mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Evenness {
    /// Operands share the boundary above each memory that they share (ZigZag, Section IV-A). Loops that only keep an
    /// operand stationary are handed down afterwards.
    #[default]
    Stationary,
    /// Operands hold the same loops in each memory that they share, also after stationary loops are handed down.
    Strict,
}

/// A memory that several operands share below their highest levels.
pub struct SharedMemory {
    /// These operands, each with its level.
    pub sharers: Vec<(LayerOperand, usize)>,
    /// The levels whose upper ends bound the common boundary: those of the sharers, and those in shared memories above
    /// it, as levels of an operand end one above the other.
    pub bounds: Vec<(LayerOperand, usize)>,
}

/// All shared memories of a problem.
pub fn shared_memories(problem: &LayerOnCore<'_>) -> Vec<SharedMemory> {
    let sharers = |memory: MemoryId| {
        let level = |(operand, view): (LayerOperand, &OperandView)| {
            let level = view.memories.iter().position(|&id| id == memory)?;
            (level + 1 < view.memories.len() && is_held(problem, operand)).then_some((operand, level))
        };
        problem.each_operand().filter_map(level).collect::<Vec<_>>()
    };
    let mut shared: Vec<SharedMemory> = (problem.core.memories.keys().map(sharers))
        .filter(|sharers| sharers.len() > 1)
        .map(|sharers| SharedMemory { bounds: sharers.clone(), sharers })
        .collect();
    // A memory above one that lies above bounds, too: each round goes one further.
    for _ in 0..shared.len() {
        for below in 0..shared.len() {
            for above in 0..shared.len() {
                if shared[below].lies_below(&shared[above]) {
                    let new = shared[above].bounds.iter().filter(|bound| !shared[below].bounds.contains(bound));
                    let new: Vec<(LayerOperand, usize)> = new.copied().collect();
                    shared[below].bounds.extend(new);
                }
            }
        }
    }
    shared
}

impl SharedMemory {
    /// Whether an operand has a level in both, and that in `other` is the higher one.
    fn lies_below(&self, other: &Self) -> bool {
        let higher = |(operand, level): &(LayerOperand, usize)| {
            other.sharers.iter().any(|(of, above)| of == operand && above > level)
        };
        self.sharers.iter().any(higher)
    }

    /// Whether the memory ends evenly, where levels end at `end`, with stationary loops handed down. `keeps` says
    /// whether all loops between two ends are irrelevant to an operand.
    pub fn ends_evenly<E: Ord + Copy>(
        &self,
        evenness: Evenness,
        end: impl Fn(LayerOperand, usize) -> E,
        keeps: impl Fn(LayerOperand, E, E) -> bool,
    ) -> bool {
        let Some(common) = self.bounds.iter().map(|&(operand, level)| end(operand, level)).min() else { return true };
        self.sharers.iter().all(|&(operand, level)| {
            let end = end(operand, level);
            end == common || evenness == Evenness::Stationary && keeps(operand, common, end)
        })
    }
}

/// Whether a whole mapping is even.
pub fn is_even(evenness: Evenness, problem: &LayerOnCore<'_>, order: &[TemporalLoop], allocation: &Allocation) -> bool {
    let merged = allocation.merge_stationary(problem, order);
    let end = |operand: LayerOperand, level: usize| usize::from(merged.ends[operand][level]);
    let keeps = |operand: LayerOperand, lower: usize, upper: usize| {
        let relevance = &problem.operands[operand].relevance;
        order[lower..upper].iter().all(|next| relevance[next.dim as usize] == Relevance::Irrelevant)
    };
    shared_memories(problem).iter().all(|memory| memory.ends_evenly(evenness, end, keeps))
}
