//! Memories that are too small for a mapping problem.

use crate::hardware::MemoryId;
use crate::mapping::{LayerOnCore, LayerOperand, smallest_demand};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A memory that is too small for every mapping of a layer-tile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortage {
    /// The operands that meet there: `I`, `W and I`, or `O, W and I`.
    pub operands: String,
    /// Name of the memory.
    pub memory: String,
    /// Least bits that they need.
    pub needed_bits: u64,
    /// Bits for which one instance has room.
    pub available_bits: u64,
    /// Bits of it that other data takes.
    pub reserved_bits: u64,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of this layer-tile {} at least {} in `{}`, which has {}",
            self.operands,
            if self.operands.contains(" and ") { "need" } else { "needs" },
            rounded(self.needed_bits, f64::ceil),
            self.memory,
            rounded(self.available_bits, f64::floor)
        )?;
        match self.reserved_bits {
            0 => Ok(()),
            bits => write!(f, " beside {} of other data", rounded(bits, f64::ceil)),
        }
    }
}

/// Names as a person lists them: `O, W and I`.
pub(super) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Bits as bytes, KiB or MiB, for a person.
pub fn bytes(bits: u64) -> String {
    rounded(bits, f64::round)
}

/// As [`bytes`], with a given rounding: needs are rounded up, so that a memory made as large as the text says is large
/// enough.
fn rounded(bits: u64, round: fn(f64) -> f64) -> String {
    let bytes = bits as f64 / 8.0;
    match bytes {
        b if b < 1.0 => format!("{bits} bit"),
        b if b < 1024.0 => format!("{} B", round(b)),
        b if b < 1024.0 * 1024.0 => format!("{:.1} KiB", round(b / 1024.0 * 10.0) / 10.0),
        b if b < 1024.0 * 1024.0 * 1024.0 => format!("{:.2} MiB", round(b / 1024.0 / 1024.0 * 100.0) / 100.0),
        b => format!("{:.2} GiB", round(b / 1024.0 / 1024.0 / 1024.0 * 100.0) / 100.0),
    }
}

/// The memories that are too small for every mapping, as the least demands show without a search: the data that the
/// array uses at once, or, at an operand's highest level, all of it. Empty where only the combination of demands fails.
pub fn explain_infeasible(problem: &LayerOnCore<'_>) -> Vec<Shortage> {
    let shortage = |operands: &dyn Fn() -> String, memory: MemoryId, needed_bits: u64| {
        let available_bits = problem.room_bits(memory);
        (needed_bits > available_bits).then(|| Shortage {
            operands: operands(),
            memory: problem.core.memories[memory].name.clone(),
            needed_bits,
            available_bits,
            reserved_bits: problem.core.memories[memory].size_bits - available_bits,
        })
    };
    let mut shortages = Vec::new();
    for memory in problem.core.memories.keys() {
        let demands: Vec<(LayerOperand, u64)> = problem
            .each_operand()
            .filter_map(|(operand, view)| {
                let level = view.memories.iter().position(|&id| id == memory)?;
                Some((operand, smallest_demand(problem, operand, level)))
            })
            .collect();
        let alone: Vec<Shortage> = demands
            .iter()
            .filter_map(|&(operand, bits)| shortage(&|| problem.operand_name(operand).to_owned(), memory, bits))
            .collect();
        // Where the rules let a lowest memory overflow, operands need not fit together.
        if alone.is_empty() && demands.len() > 1 && !problem.rules.lowest_memory_may_overflow {
            let names = || demands.iter().map(|&(operand, _)| problem.operand_name(operand)).collect::<Vec<_>>();
            let together = demands.iter().map(|(_, bits)| bits).sum();
            shortages.extend(shortage(&|| listed(&names()), memory, together));
        }
        shortages.extend(alone);
    }
    shortages
}
