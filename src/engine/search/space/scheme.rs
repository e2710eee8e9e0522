//! Blocking schemes: the loop factors below the end of every memory level, in any order between two ends.

use super::lattice::{FactorSet, Lattice};
use crate::hardware::MAX_LEVELS;
use crate::mapping::{Allocation, LayerOperand, OPERANDS, TemporalLoop};
use crate::search::constraints::{Evenness, SharedMemory};

/// A blocking: for every operand the set of loop factors at which each level but the highest ends.
///
/// Levels end as high as they can without holding more data: the next loop is not irrelevant to the operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MappingScheme {
    pub ends: [[FactorSet; MAX_LEVELS]; OPERANDS],
    pub energy_pj: f64,
    pub is_even: bool,
    /// Schemes of small hashes are taken as a sample: as good as random, and the same on every machine.
    pub hash: u64,
}

impl MappingScheme {
    /// The segments between neighbouring sets at which some level ends, from the empty set to the full one: lower set,
    /// upper set, and the factors that must not come first, one bit each, as a level that ends at the lower set would
    /// take them.
    pub fn segments(&self, lattice: &Lattice<'_>) -> Vec<(FactorSet, FactorSet, u32)> {
        let mut ends: Vec<(FactorSet, u32)> = vec![(0, 0)];
        for operand in LayerOperand::ALL {
            for level in 0..lattice.levels(operand) - 1 {
                ends.push((self.ends[operand][level], lattice.irrelevant[operand]));
            }
        }
        // The sets form a chain, so the number of their loops sorts them.
        let loops = |node: FactorSet| lattice.counts[node as usize].iter().map(|&count| u32::from(count)).sum::<u32>();
        ends.sort_unstable_by_key(|(node, _)| loops(*node));
        let mut merged: Vec<(FactorSet, u32)> = Vec::new();
        for (node, not_next) in ends {
            match merged.last_mut() {
                Some((last, all)) if *last == node => *all |= not_next,
                _ => merged.push((node, not_next)),
            }
        }
        let uppers = merged.iter().skip(1).map(|(node, _)| *node).chain([lattice.full()]).collect::<Vec<_>>();
        let segments = merged.into_iter().zip(uppers);
        segments.map(|((lower, not_next), upper)| (lower, upper, not_next)).filter(|(low, up, _)| low != up).collect()
    }

    /// The allocation of the scheme. `order` has to pass through the sets at which levels end.
    pub fn allocation(&self, lattice: &Lattice<'_>, order: &[TemporalLoop]) -> Allocation {
        let mut allocation = Allocation::default();
        for operand in LayerOperand::ALL {
            let top = lattice.levels(operand) - 1;
            for level in 0..top {
                let counts = &lattice.counts[self.ends[operand][level] as usize];
                allocation.ends[operand][level] = counts.iter().sum();
            }
            allocation.ends[operand][top] = order.len() as u8;
        }
        allocation
    }

    /// One order of all loops: shuffled within segments by `seed`, or, for 0, in the order of the factors. A loop that
    /// must not come first in its segment changes places with one that may.
    pub fn order(&self, lattice: &Lattice<'_>, seed: u64) -> Vec<TemporalLoop> {
        let mut random = seed;
        let mut below = |bound: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((random >> 33) % bound as u64) as usize
        };
        let mut order = Vec::new();
        for (lower, upper, not_first) in self.segments(lattice) {
            let mut loops = lattice.loops_between(lower, upper);
            if seed != 0 {
                for last in (1..loops.len()).rev() {
                    loops.swap(last, below(last + 1));
                }
            }
            if let Some(first) = loops.iter().position(|next| may_come_first(lattice, next, not_first)) {
                loops.swap(0, first);
            }
            order.extend(loops);
        }
        order
    }
}

/// Whether a loop is none of the factors in `not_first`.
pub(super) fn may_come_first(lattice: &Lattice<'_>, next: &TemporalLoop, not_first: u32) -> bool {
    let factor = lattice.factors.iter().position(|(factor, _)| factor == next);
    factor.is_some_and(|factor| not_first >> factor & 1 == 0)
}

/// Whether levels with these ends are those of an even mapping.
pub(super) fn is_even(
    lattice: &Lattice<'_>,
    shared: &[SharedMemory],
    ends: &[[FactorSet; MAX_LEVELS]; OPERANDS],
) -> bool {
    let keeps = |operand: LayerOperand, lower: FactorSet, upper: FactorSet| {
        lattice.kinds_between(lower, upper) & !lattice.irrelevant[operand] == 0
    };
    // Of the sets of a chain the larger has the larger number.
    let end = |operand: LayerOperand, level: usize| ends[operand][level];
    shared.iter().all(|memory| memory.ends_evenly(Evenness::Stationary, end, keeps))
}
