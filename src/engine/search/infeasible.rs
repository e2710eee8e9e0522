//! Explanations of infeasible mapping problems: the memories that are too small for any mapping.

use super::{Limits, exact};
use crate::hardware::{Core, MemoryId};
use crate::mapping::{LayerOnCore, LayerOperand, LayerProblem, OperandView, smallest_demand};
use crate::rules::Rules;
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

impl Shortage {
    /// The change that makes the memory large enough for the problem. A smaller unrolling helps where PEs that share
    /// the memory work on different data; it is proposed if the memory is large enough without any unrolling.
    pub fn remedy(&self, core: &Core, rules: Rules, problem: &LayerProblem) -> String {
        let alone = LayerProblem { unroll: Vec::new(), ..problem.clone() };
        let is_short = |other: &Self| other.memory == self.memory;
        let alone = LayerOnCore::new(core, rules, &alone);
        let unrolling_helps = !smallest_that_fit(&alone, &Limits::default()).iter().any(is_short);
        format!("Make `{}` larger{}", self.memory, if unrolling_helps { ", or unroll less" } else { "" })
    }
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
fn listed<T: AsRef<str>>(names: &[T]) -> String {
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

/// A memory this large holds everything; room for sums of such sizes is left in 64 bit.
const LARGE_ENOUGH: u64 = 1 << 60;

/// The memories that are too small, with sizes that are sufficient and minimal: with these sizes there is a mapping,
/// and if any one of them is smaller while the others keep theirs, there is none. If larger memories do not help, the
/// reasons are those of [`explain_infeasible`].
///
/// A larger memory never makes a mapping impossible. So starting with unlimited memories, each one in turn goes back to
/// its true size if there still is a mapping; those that cannot are too small. Then each of these gets the least size
/// that will do, by bisection.
pub fn smallest_that_fit(problem: &LayerOnCore<'_>, limits: &Limits) -> Vec<Shortage> {
    let mut core = problem.core.clone();
    let fits = |core: &Core| exact::has_mapping(&problem.on(core), limits);
    let sizes: Vec<(MemoryId, u64)> =
        core.memories.iter_enumerated().map(|(id, memory)| (id, memory.size_bits)).collect();
    core.memories.iter_mut().for_each(|memory| memory.size_bits = memory.size_bits.max(LARGE_ENOUGH));
    if fits(problem.core) || !fits(&core) {
        return explain_infeasible(problem);
    }
    let mut too_small = Vec::new();
    // Invariant: with the sizes in `core` there is a mapping.
    for &(memory, size) in sizes.iter().rev() {
        let large = std::mem::replace(&mut core.memories[memory].size_bits, size);
        if !fits(&core) {
            core.memories[memory].size_bits = large;
            too_small.push((memory, size));
        }
    }
    let mut shortages = Vec::new();
    for (memory, size) in too_small {
        // Invariant: with `small` there is no mapping, with `large` there is one.
        let (mut small, mut large) = (size, core.memories[memory].size_bits);
        let mut next = size + 1;
        while large - small > 1 {
            core.memories[memory].size_bits = next.clamp(small + 1, large - 1);
            let tried = core.memories[memory].size_bits;
            if fits(&core) {
                large = tried
            } else {
                small = tried
            }
            // Double until something fits, then bisect: sizes are far below the first upper limit.
            next = if large == LARGE_ENOUGH { small.saturating_mul(2) } else { small.midpoint(large) };
        }
        core.memories[memory].size_bits = large;
        let meet = |(operand, view): (LayerOperand, &OperandView)| {
            view.memories.contains(&memory).then(|| problem.operand_name(operand).to_owned())
        };
        let available_bits = problem.room_bits(memory);
        let reserved_bits = size - available_bits;
        shortages.push(Shortage {
            operands: listed(&problem.each_operand().filter_map(meet).collect::<Vec<_>>()),
            memory: core.memories[memory].name.clone(),
            needed_bits: large - reserved_bits,
            available_bits,
            reserved_bits,
        });
    }
    shortages
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
