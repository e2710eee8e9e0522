//! Steps from state to state: one more loop, or one more boundary.

use super::super::legality::Legality;
use super::{BoundarySpace, MOST_TIGHT, PartialMapping};
use crate::cost::partial_sums_read_back;
use crate::hardware::Operand;
use crate::mapping::{LayerOperand, OPERANDS, slice_bits};

impl<L: Legality> BoundarySpace<'_, L> {
    /// The initial state, without any boundary or loop; `None` where nothing fits.
    pub fn start(&self) -> Option<PartialMapping> {
        let state = PartialMapping {
            set: 0,
            seen: [0; OPERANDS],
            placed: [0; OPERANDS],
            since: [0; OPERANDS],
            here: 0,
            is_final: self.adding == 1,
            cycles: 1,
            adding: self.adding,
            used: [0; MOST_TIGHT],
        };
        (self.least_to_go(&state) < f64::INFINITY && self.has_room(&state)).then_some(state)
    }

    /// Whether a state is worth keeping: once all boundaries are placed, the loops that remain need a legal order above
    /// them, which no further step can provide.
    fn may_end(&self, state: &PartialMapping) -> bool {
        let Some(legal) = self.legal else { return true };
        let all_placed = LayerOperand::ALL.into_iter().all(|operand| self.is_placed(state, operand));
        !all_placed || self.has_legal_end(legal, state)
    }

    /// Whether all boundaries are placed; the loops that remain belong to the highest levels. One of them has to lie just above
    /// the last boundaries, if any remain.
    pub fn is_complete(&self, state: &PartialMapping) -> bool {
        let remain = || self.factors.list.iter().filter(|factor| factor.count_in(state.set) < factor.count);
        LayerOperand::ALL.into_iter().all(|operand| self.is_placed(state, operand))
            && match self.legal {
                None => remain().next().is_none() || remain().any(|factor| factor.stays_above(state.here)),
                Some(legal) => self.has_legal_end(legal, state),
            }
    }

    /// Whether all loops that are not placed yet may lie above the last boundaries, in some order.
    fn has_legal_end(&self, legal: &L, state: &PartialMapping) -> bool {
        let begins = |factor: usize| self.factors.list[factor].stays_above(state.here);
        legal.path(state.opened(), state.set, self.factors.sets - 1, &begins).is_some()
    }

    fn is_placed(&self, state: &PartialMapping, operand: LayerOperand) -> bool {
        usize::from(state.placed[operand]) == self.boundaries[operand].len()
    }

    /// The state with one more of factor number `number`; `None` where none is left, where a memory would overflow,
    /// where constraints forbid it, or where the loop would be handed down below a boundary placed here: the chain with
    /// that boundary higher up stands for the result.
    pub fn add(&self, state: &PartialMapping, number: usize) -> Option<PartialMapping> {
        let factor = &self.factors.list[number];
        if factor.count_in(state.set) == factor.count {
            return None;
        }
        if !factor.stays_above(state.here) {
            return None;
        }
        if self.legal.is_some_and(|legal| !legal.may_add(state.opened(), state.set, number)) {
            return None;
        }
        let mut next = *state;
        for operand in LayerOperand::ALL {
            next.seen[operand] += factor.seen[operand];
        }
        next.set += factor.stride;
        next.here = 0;
        next.cycles *= factor.each.size;
        if factor.seen[0] == 0 {
            next.adding /= factor.each.size;
        }
        self.has_room(&next).then_some(next)
    }

    /// The state with the next boundary of `operand` placed here, and its price; `None` where there is none left, where
    /// it does not fit, where constraints forbid it, or where another order of the same steps stands for it.
    pub fn place(&self, state: &PartialMapping, operand: LayerOperand) -> Option<(PartialMapping, f64)> {
        if state.here >> operand as u8 > 1 || self.comes_later(state, operand) {
            // Boundaries at one set are placed in the order of their operands, so that each combination is reached
            // once.
            return None;
        }
        let index = usize::from(state.placed[operand]);
        let entry = self.boundaries[operand].get(index)?.entries[state.seen[operand] as usize];
        let level = self.level(operand, index);
        let below = level.checked_sub(1);
        let view = &self.problem.operands[operand];
        let is_output = view.stored_as == Operand::O;
        let partial_above = is_output && (state.adding > 1 || view.adds_above(level));
        // The level below the boundary holds partial sums if a loop of this level or a higher one adds to them, so the
        // last boundary decides, not this one.
        let partial_below = if self.as_they_leave {
            partial_above
        } else {
            is_output && (!state.is_final || below.is_some_and(|below| view.adds_above(below)))
        };
        let bits = entry.bits[usize::from(!partial_below)];
        if bits > below.map_or(0, |below| self.problem.room_bits(view.memories[below])) {
            return None;
        }
        let mut next = *state;
        next.placed[operand] += 1;
        if let Some(legal) = self.legal {
            next.since = legal.place(state.opened(), state.set, operand)?.since;
        }
        next.here |= 1 << operand as u8;
        if is_output {
            next.is_final = state.adding == 1;
        }
        if let Some(tight) = below.and_then(|below| self.tight_at[operand][below]) {
            next.used[tight] += bits;
        }
        if is_output && self.is_placed(&next, LayerOperand::Output) && partial_above && !self.as_they_leave {
            // This was the last boundary of outputs, and loops above it add to them: the highest memory holds partial
            // sums.
            let top = view.memories.len() - 1;
            if slice_bits(self.problem, LayerOperand::Output, top, &self.problem.spatial.temporal_sizes, true)
                > self.problem.room_bits(view.memories[top])
            {
                return None;
            }
            if let Some(tight) = self.tight_at[0][top] {
                next.used[tight] += self.top_partial_bits;
            }
        }
        if !self.has_room(&next) || !self.may_end(&next) {
            return None;
        }
        for (index, tight) in self.tight.iter().enumerate() {
            // Forget the bits of a memory that nothing can be added to: states that differ only there become equal.
            let complete = |&(operand, level): &(LayerOperand, usize)| self.holds_all(&next, operand, level);
            if tight.members.iter().all(complete) && self.is_placed(&next, LayerOperand::Output) {
                next.used[index] = 0;
            }
        }
        Some((next, self.price_at(state, operand, index)))
    }

    /// The price of an operand's boundary number `index` at the set of a state.
    pub fn price_at(&self, state: &PartialMapping, operand: LayerOperand, index: usize) -> f64 {
        let level = self.level(operand, index);
        let view = &self.problem.operands[operand];
        let count = (self.total_cycles / state.cycles) as f64;
        if self.priced_together() {
            let sizes = self.factors.sizes(state.set);
            return self.price_of(operand, level, &sizes, self.evaluator.counts(operand, level, &sizes));
        }
        let entry = &self.boundaries[operand][index].entries[state.seen[operand] as usize];
        if view.stored_as != Operand::O {
            entry.down * count
        } else if state.adding > 1 || view.adds_above(level) {
            let first = self.problem.first_sums_come_down();
            let back = partial_sums_read_back(self.total_cycles / state.cycles, state.adding, first);
            entry.up_partial * count + entry.down * back as f64
        } else {
            entry.up_final * count
        }
    }

    /// Calls `visit` with a state without boundaries for every set, smaller numbers first.
    pub fn for_each_set(&self, mut visit: impl FnMut(&PartialMapping)) {
        let mut state = PartialMapping { cycles: 1, adding: self.adding, ..PartialMapping::default() };
        let mut counts = vec![0; self.factors.list.len()];
        for set in 0..self.factors.sets {
            state.set = set;
            visit(&state);
            // Count up like an odometer, the first factor fastest, as its digit weighs 1.
            for (factor, count) in self.factors.list.iter().zip(&mut counts) {
                let is_full = *count == factor.count;
                let moved = if is_full { *count } else { 1 };
                let size = factor.each.size.pow(moved);
                for (seen, stride) in state.seen.iter_mut().zip(factor.seen) {
                    *seen = if is_full { *seen - moved * stride } else { *seen + stride };
                }
                state.cycles = if is_full { state.cycles / size } else { state.cycles * size };
                if factor.seen[0] == 0 {
                    state.adding = if is_full { state.adding * size } else { state.adding / size };
                }
                *count = if is_full { 0 } else { *count + 1 };
                if !is_full {
                    break;
                }
            }
        }
    }

    /// Symmetry of the two inputs of an addition: exchanging their boundaries number `k` changes no price, so chains in
    /// which the first input's lies no higher than the second's stand for all.
    fn comes_later(&self, state: &PartialMapping, operand: LayerOperand) -> bool {
        let [_, first, second] = &self.problem.operands;
        let alike = first.stored_as == second.stored_as
            && first.relevance == second.relevance
            && first.precision == second.precision;
        let alike = alike && self.legal.is_none_or(|legal| !legal.tells_inputs_apart());
        alike && operand == LayerOperand::Second && state.placed[2] == state.placed[1]
    }

    /// Whether the contents of a memory level are settled: the boundary above it is placed, or it is a highest level.
    pub(super) fn holds_all(&self, state: &PartialMapping, operand: LayerOperand, level: usize) -> bool {
        usize::from(state.placed[operand]) + self.level(operand, 0) > level + 1 || self.is_placed(state, operand)
    }

    /// Whether every tight memory has room for the data that is settled there, and for the least that the other
    /// operands will need: data of the loops below now, as sets only grow.
    fn has_room(&self, state: &PartialMapping) -> bool {
        self.tight.iter().zip(state.used).all(|(tight, used)| {
            let pending = tight.members.iter().filter(|&&(operand, level)| !self.holds_all(state, operand, level));
            let least = pending.map(|&(operand, level)| {
                let above = level + 1 - self.level(operand, 0);
                let boundary = self.boundaries[operand].get(above);
                boundary.map_or(0, |boundary| self.least_bits_from(boundary, state.seen[operand]))
            });
            used + least.sum::<u64>() <= tight.size_bits
        })
    }
}
