//! All blocking schemes of a layer, each once (ZigZag, Section IV-A to C).
//!
//! Loops are placed from the innermost outwards, in two alternating steps: [`Walker::close`] ends some levels at the
//! present set, in all ways; [`Walker::advance`] goes on to a larger set, in all ways that still fit the levels being
//! filled. Every step but the first closes at least one level and adds at least one loop, so each combination of sets
//! at which levels end is reached in exactly one way.
//!
//! A level ends as high as it can: a loop that is irrelevant to its operand never comes just above, as the level would
//! take it, too. The number of blockings is exponential in the number of loops; the walk keeps none of them, and
//! callers limit their number.

use super::lattice::{FactorSet, Lattice};
use super::scheme::{MappingScheme, is_even};
use super::{Pruning, SpaceOptions};
use crate::hardware::{MAX_LEVELS, MemoryId};
use crate::ids::{TiVec, ti_vec};
use crate::mapping::{LayerOperand, OPERANDS};
use crate::search::constraints::{SharedMemory, shared_memories};

/// A partial scheme: loops are placed from the innermost outwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartialLoopOrder {
    /// The set of all factors placed so far.
    node: FactorSet,
    /// The sets at which levels end; unused for levels that have not ended.
    ends: [[FactorSet; MAX_LEVELS]; OPERANDS],
    /// The level of each operand that is being filled.
    level: [usize; OPERANDS],
    energy_pj: f64,
    /// Number of orders of the loops so far.
    orders: u64,
    hash: u64,
}

/// Walks through all schemes of a lattice that the options admit.
pub(super) struct Walker<'l, 'a> {
    lattice: &'l Lattice<'a>,
    pruning: Pruning,
    /// [`SpaceOptions::min_shared_utilization`].
    least_utilization: f64,
    shared: Vec<SharedMemory>,
    /// Bits that operands take in each memory that is their highest: all of them, in every mapping.
    resident: TiVec<MemoryId, u64>,
}

impl<'l, 'a> Walker<'l, 'a> {
    pub fn new(lattice: &'l Lattice<'a>, options: &SpaceOptions) -> Self {
        let mut resident = ti_vec![0; lattice.problem.core.memories.len()];
        for operand in LayerOperand::ALL {
            let top = lattice.levels(operand) - 1;
            resident[lattice.memory(operand, top)] += lattice.bits(operand, top, lattice.full(), lattice.full());
        }
        Self {
            lattice,
            pruning: options.pruning,
            least_utilization: options.min_shared_utilization,
            shared: shared_memories(lattice.problem),
            resident,
        }
    }

    fn fits_at_the_top(&self) -> bool {
        self.resident.iter_enumerated().all(|(memory, &bits)| bits <= self.lattice.capacity(memory))
    }

    /// The partial schemes after the first loops, one for each part of the search.
    pub fn beginnings(&self) -> Vec<PartialLoopOrder> {
        let mut beginnings = Vec::new();
        if self.fits_at_the_top() {
            let ends = [[0; MAX_LEVELS]; OPERANDS];
            let start = PartialLoopOrder {
                node: 0,
                ends,
                level: [0; OPERANDS],
                energy_pj: self.lattice.fixed_pj,
                orders: 1,
                hash: 0,
            };
            self.close(&start, LayerOperand::Output, 0, true, &mut |walker, partial, not_first| {
                walker.advance(partial, not_first, &mut |_, next| beginnings.push(*next));
            });
        }
        beginnings
    }

    /// Calls `visit(scheme, number of its mappings)` for every scheme that begins like `partial`, as long as `has_time`.
    pub fn walk(
        &self,
        partial: &PartialLoopOrder,
        has_time: &dyn Fn() -> bool,
        visit: &mut impl FnMut(&MappingScheme, u64),
    ) {
        if self.is_complete(partial) {
            self.visit(partial, visit);
            return;
        }
        self.close_and_go_on(partial, has_time, visit);
    }

    fn close_and_go_on(
        &self,
        partial: &PartialLoopOrder,
        has_time: &dyn Fn() -> bool,
        visit: &mut impl FnMut(&MappingScheme, u64),
    ) {
        if !has_time() {
            return;
        }
        self.close(partial, LayerOperand::Output, 0, false, &mut |walker, closed, not_first| {
            walker.advance(closed, not_first, &mut |walker, next| {
                if walker.is_complete(next) {
                    walker.visit(next, visit);
                } else {
                    walker.close_and_go_on(next, has_time, visit);
                }
            });
        });
    }

    fn is_complete(&self, partial: &PartialLoopOrder) -> bool {
        partial.node == self.lattice.full() && self.all_at_the_top(partial)
    }

    fn all_at_the_top(&self, partial: &PartialLoopOrder) -> bool {
        LayerOperand::ALL.into_iter().all(|operand| partial.level[operand] + 1 == self.lattice.levels(operand))
    }

    /// Ends levels at the present set in all ways: those of operands from `first` on, at least one unless `none_too`.
    /// Calls `next` with each result, and with the factors that must not come next, one bit each.
    ///
    /// Levels end in the order of their operands, so that each combination is reached once.
    fn close(
        &self,
        partial: &PartialLoopOrder,
        first: LayerOperand,
        not_first: u32,
        none_too: bool,
        next: &mut dyn FnMut(&Self, &PartialLoopOrder, u32),
    ) {
        if none_too {
            next(self, partial, not_first);
        }
        for operand in LayerOperand::ALL.into_iter().filter(|operand| *operand >= first) {
            let level = partial.level[operand];
            if level + 1 == self.lattice.levels(operand) || !self.may_end(partial, operand) {
                continue;
            }
            let mut closed = *partial;
            closed.ends[operand][level] = partial.node;
            closed.level[operand] += 1;
            closed.energy_pj += self.lattice.price(operand, level, partial.node);
            let mark = u64::from(partial.node) << 8 | ((operand as usize) << 4 | level) as u64;
            closed.hash = (partial.hash ^ mark.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .rotate_left(23)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9);
            self.close(&closed, operand, not_first | self.lattice.irrelevant[operand], true, next);
        }
    }

    /// Whether the level that an operand is filling may end at the present set: by the room in its memory, the least
    /// use of that memory, and the heuristic. The heuristic exempts the lowest level, and the second input, which
    /// windows may reuse without irrelevant loops (the FIFO effect).
    fn may_end(&self, partial: &PartialLoopOrder, operand: LayerOperand) -> bool {
        let level = partial.level[operand];
        let memory = self.lattice.memory(operand, level);
        let used = self.bits(partial, operand, partial.node) + self.bits_in_use(partial, operand);
        if used > self.lattice.capacity(memory) {
            return false;
        }
        if self.least_utilization > 0.0 && !self.is_used_enough(partial, operand, used) {
            return false;
        }
        self.pruning == Pruning::None
            || level == 0
            || operand == LayerOperand::Second
            || self.is_reused(partial, operand)
    }

    /// Whether an intermediate level has a data reuse above 1, by temporal or unrolled loops (ZigZag, Section IV-C).
    /// Also `true` if no loop is left that could reuse its data.
    fn is_reused(&self, partial: &PartialLoopOrder, operand: LayerOperand) -> bool {
        let level = partial.level[operand];
        let lower = partial.ends[operand][level - 1];
        let reusing = self.lattice.irrelevant[operand];
        let view = &self.lattice.problem.operands[operand];
        let unrolled = view.unrolled[level + 1].iter().any(|&(dim, average, _)| {
            average > 1.0 && view.relevance[dim as usize] == crate::mapping::Relevance::Irrelevant
        });
        unrolled
            || self.lattice.kinds_between(lower, partial.node) & reusing != 0
            || self.lattice.kinds_between(lower, self.lattice.full()) & reusing == 0
    }

    /// Whether a shared memory is used enough, which is known when the last of its operands ends its level there. Also
    /// `true` if the memory holds all data.
    fn is_used_enough(&self, partial: &PartialLoopOrder, operand: LayerOperand, used: u64) -> bool {
        let memory = self.lattice.memory(operand, partial.level[operand]);
        let sharing = self.sharing(memory, operand);
        let mut others = sharing.iter();
        let last = others.all(|&(other, level)| partial.level[other] > level);
        if sharing.is_empty() || !last {
            return true;
        }
        let full = self.lattice.full();
        let whole = |operand: LayerOperand, level: usize| self.lattice.bits(operand, level, 0, full);
        let all: u64 = sharing.iter().map(|&(other, level)| whole(other, level)).sum::<u64>()
            + whole(operand, partial.level[operand]);
        let wanted = self.least_utilization * self.lattice.capacity(memory) as f64;
        used as f64 >= wanted.min(all as f64)
    }

    /// The other operands that have a level in `memory` which is not their highest.
    fn sharing(&self, memory: MemoryId, operand: LayerOperand) -> Vec<(LayerOperand, usize)> {
        let level =
            |other: LayerOperand| self.lattice.problem.operands[other].memories.iter().position(|&id| id == memory);
        let others = LayerOperand::ALL.into_iter().filter(|&other| other != operand);
        others
            .filter_map(|other| Some((other, level(other)?)))
            .filter(|&(other, level)| level + 1 < self.lattice.levels(other))
            .collect()
    }

    /// Bits of the level that an operand is filling, if it ends at `node`.
    fn bits(&self, partial: &PartialLoopOrder, operand: LayerOperand, node: FactorSet) -> u64 {
        let level = partial.level[operand];
        let lower = if level == 0 { 0 } else { partial.ends[operand][level - 1] };
        self.lattice.bits(operand, level, lower, node)
    }

    /// Bits that are in use for good in the memory that an operand is filling: by highest levels, and by levels of
    /// other operands that have ended.
    fn bits_in_use(&self, partial: &PartialLoopOrder, operand: LayerOperand) -> u64 {
        let memory = self.lattice.memory(operand, partial.level[operand]);
        let mut used = self.resident[memory];
        for other in LayerOperand::ALL {
            if other == operand {
                continue;
            }
            for level in 0..partial.level[other] {
                if self.lattice.memory(other, level) == memory {
                    let lower = if level == 0 { 0 } else { partial.ends[other][level - 1] };
                    used += self.lattice.bits(other, level, lower, partial.ends[other][level]);
                }
            }
        }
        used
    }

    /// Places further loops in all ways that fit the levels being filled. Once every operand is at its highest level,
    /// there is one way: all loops that are left.
    fn advance(&self, partial: &PartialLoopOrder, not_first: u32, next: &mut dyn FnMut(&Self, &PartialLoopOrder)) {
        if self.all_at_the_top(partial) {
            self.advance_to(partial, self.lattice.full(), not_first, next);
            return;
        }
        let open: Vec<(LayerOperand, u64)> = LayerOperand::ALL
            .into_iter()
            .filter(|&operand| partial.level[operand] + 1 < self.lattice.levels(operand))
            .map(|operand| {
                let memory = self.lattice.memory(operand, partial.level[operand]);
                (operand, self.lattice.capacity(memory).saturating_sub(self.bits_in_use(partial, operand)))
            })
            .collect();
        self.supersets(partial, &open, partial.node, 0, not_first, next);
    }

    /// All supersets of `node` that fit, with factors added in the order of their numbers from `first` on, so that each
    /// is reached once. Sizes grow with the set, so supersets of a set that does not fit are left out.
    fn supersets(
        &self,
        partial: &PartialLoopOrder,
        open: &[(LayerOperand, u64)],
        node: FactorSet,
        first: usize,
        not_first: u32,
        next: &mut dyn FnMut(&Self, &PartialLoopOrder),
    ) {
        for factor in first..self.lattice.factors.len() {
            let Some(larger) = self.lattice.with(node, factor) else { continue };
            if open.iter().all(|&(operand, room)| self.bits(partial, operand, larger) <= room) {
                self.advance_to(partial, larger, not_first, next);
                self.supersets(partial, open, larger, factor, not_first, next);
            }
        }
    }

    fn advance_to(
        &self,
        partial: &PartialLoopOrder,
        node: FactorSet,
        not_first: u32,
        next: &mut dyn FnMut(&Self, &PartialLoopOrder),
    ) {
        if self.pruning == Pruning::Heuristic && self.lattice.kinds_between(partial.node, node) & not_first != 0 {
            // The heuristic maximises stationarity: with these loops below the level that ends here, its data stays
            // longer.
            return;
        }
        // Without an order, every loop would belong below a level that ends here: another scheme.
        let orders = self.lattice.orders_between(partial.node, node, not_first);
        if orders > 0 {
            next(self, &PartialLoopOrder { node, orders: partial.orders.saturating_mul(orders), ..*partial });
        }
    }

    fn visit(&self, partial: &PartialLoopOrder, visit: &mut impl FnMut(&MappingScheme, u64)) {
        let scheme = MappingScheme {
            ends: partial.ends,
            energy_pj: partial.energy_pj,
            is_even: is_even(self.lattice, &self.shared, &partial.ends),
            hash: partial.hash ^ partial.hash >> 31,
        };
        visit(&scheme, partial.orders);
    }
}
