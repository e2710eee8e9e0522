//! Explanations of infeasible mapping problems: the memories that are too small for any mapping.

use super::shortage::{Shortage, explain_infeasible, listed};
use super::{Limits, exact};
use crate::hardware::{Core, MemoryId};
use crate::mapping::{LayerOnCore, LayerOperand, LayerProblem, OperandView};
use crate::rules::Rules;

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

/// Size at which a memory holds everything; sums of several such sizes still fit in 64 bits.
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
