//! Explanations of infeasible mapping problems: the memories that are too small for any mapping.

use crate::hardware::{Core, MemoryId};
use crate::mapping::{LayerOnCore, LayerOperand, LayerProblem, smallest_demand};
use crate::rules::Rules;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A memory that is too small for a layer-tile whatever the mapping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortage {
    /// The operands that meet there: `I` or `I and O`.
    pub operands: String,
    /// Name of the memory.
    pub memory: String,
    /// Bits that they need at least.
    pub needed_bits: u64,
    /// Capacity of one instance, bits.
    pub available_bits: u64,
}

impl Shortage {
    /// What to change so that the memory is large enough for the problem. To unroll less helps where PEs that share the memory work on
    /// different data.
    pub fn remedy(&self, core: &Core, rules: Rules, problem: &LayerProblem) -> String {
        let alone = LayerProblem { unroll: Vec::new(), ..problem.clone() };
        let is_short = |other: &Self| other.memory == self.memory;
        let unrolling_helps = !explain_infeasible(&LayerOnCore::new(core, rules, &alone)).iter().any(is_short);
        format!("Make `{}` larger{}", self.memory, if unrolling_helps { ", or unroll less" } else { "" })
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of this layer-tile needs at least {} in `{}`, which has {}",
            self.operands,
            rounded(self.needed_bits, f64::ceil),
            self.memory,
            rounded(self.available_bits, f64::floor)
        )
    }
}

/// Bits as bytes, KiB or MiB, for a person.
pub fn bytes(bits: u64) -> String {
    rounded(bits, f64::round)
}

/// As [`bytes`], rounded this way: who makes a memory as large as is needed makes it no smaller than that.
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

/// The memories that are too small for every mapping: what the array needs at once, or, at an operand's highest
/// level, all of it. Empty where only the combination of demands fails.
pub fn explain_infeasible(problem: &LayerOnCore<'_>) -> Vec<Shortage> {
    let shortage = |operands: &dyn Fn() -> String, memory: MemoryId, needed_bits: u64| {
        let memory = &problem.core.memories[memory];
        (needed_bits > memory.size_bits).then(|| Shortage {
            operands: operands(),
            memory: memory.name.clone(),
            needed_bits,
            available_bits: memory.size_bits,
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
            shortages.extend(shortage(&|| names().join(" and "), memory, together));
        }
        shortages.extend(alone);
    }
    shortages
}
