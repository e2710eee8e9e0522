//! Prices of boundaries, for every set as their operands see it.

use super::super::legality::Legality;
use super::{BoundaryAtSet, BoundaryEntries, BoundarySpace};
use crate::cost::Crossing;
use crate::hardware::Operand;
use crate::mapping::{LayerOperand, OPERANDS, slice_part};
use crate::workload::LoopSizes;

impl<L: Legality> BoundarySpace<'_, L> {
    /// Adds an operand's boundaries without estimates; returns the least price of each at every set.
    pub(super) fn add_boundaries(&mut self, operand: LayerOperand) -> Vec<Vec<f64>> {
        let mut prices = Vec::new();
        let problem = self.problem;
        let view = &problem.operands[operand];
        if !self.evaluator.array_keeps(operand) {
            let array = self.evaluator.counts(operand, 0, &[1; 8]);
            self.constant += self.price_of(operand, 0, &[1; 8], array);
        }
        if view.precision == (0, 0) {
            // Takes no room and moves nothing, so that its boundaries may lie anywhere.
            return prices;
        }
        if self.level(operand, 0) >= view.memories.len() {
            return prices;
        }
        let seen = self.factors.seen_parts(operand, view);
        // Loops of each part that are above a set.
        let above = seen.map(|part, sizes| {
            let all = seen.parts[part].last().map_or(1, |all| all.iter().product::<u64>());
            all / sizes.iter().product::<u64>()
        });
        // Neighbouring numbers within a run of this length differ by one more of the first factor, so their sizes
        // ascend.
        let innermost = self.factors.list.iter().find(|factor| factor.seen[operand] == 1);
        let run = innermost.map_or(1, |factor| factor.count as usize + 1);
        for level in self.level(operand, 0)..view.memories.len() {
            let size_bits = self.room(operand, level);
            // All of an operand may take less room than a part that is held twice.
            let grows = level.checked_sub(1).is_none_or(|below| !problem.forces_double_buffer(view.memories[below]));
            let slices = level
                .checked_sub(1)
                .map(|below| seen.map(|part, sizes| slice_part(problem, operand, below, (part, sizes))));
            let elements = seen.map(|part, sizes| self.evaluator.elements_of_part(operand, level, part, sizes));
            let boundary = self.evaluator.boundary(operand, level);
            let price = |down: bool, precision: u64| {
                boundary.crossing_price(down, precision, |level, words, pj| (self.price)(operand, level, words, pj))
            };
            let down = price(true, view.precision.0);
            let up = [price(false, view.precision.0), price(false, view.precision.1)];
            let mut entries: Vec<BoundaryAtSet> = Vec::with_capacity(seen.of.len());
            let mut least: Vec<f64> = Vec::with_capacity(seen.of.len());
            for set in 0..seen.of.len() {
                if grows && set % run > 0 && least[set - 1] == f64::INFINITY {
                    // The set with one loop less does not fit, so this one does not either.
                    entries.push(BoundaryAtSet::TOO_LARGE);
                    least.push(f64::INFINITY);
                    continue;
                }
                let bits = match &slices {
                    Some(_) if self.as_they_leave => self.both_bits_as_they_leave(operand, level - 1, &seen.sizes(set)),
                    Some(slices) => {
                        let elements = seen.of(slices, set).into_iter().product();
                        self.both_bits(operand, level - 1, elements)
                    }
                    // The array keeps an operand only while irrelevant loops run, so this boundary lies at set 0. The
                    // set's number stands for its bits, as `room` is 0 below the lowest memory.
                    None => [set as u64; 2],
                };
                let mut entry = BoundaryAtSet { bits, down: 0.0, up_final: 0.0, up_partial: 0.0 };
                if bits[0].min(bits[1]) > size_bits {
                    entries.push(entry);
                    least.push(f64::INFINITY);
                    continue;
                }
                if !self.priced_together() {
                    let elements = self.evaluator.elements_of_parts(seen.of(&elements, set));
                    entry.down = down.of(elements);
                    if view.stored_as == Operand::O {
                        [entry.up_partial, entry.up_final] = up.each_ref().map(|up| up.of(elements));
                    }
                }
                // At best, all loops that are irrelevant to the operand lie below: they make it no larger.
                let times = seen.of(&above, set).into_iter().product();
                least.push(self.least_price(operand, level, || seen.sizes(set), times, &entry));
                entries.push(entry);
            }
            prices.push(least);
            self.boundaries[operand].push(BoundaryEntries {
                entries,
                least: Vec::new(),
                least_with_penalty: Vec::new(),
            });
        }
        prices
    }

    /// Whether the price of several crossings differs from their number times the price of one: the rule rounds the
    /// sum.
    pub(super) fn priced_together(&self) -> bool {
        let rules = &self.problem.rules;
        rules.fractions_of_words_free || rules.in_memory_precharges_divided_twice && self.problem.in_memory.is_some()
    }

    /// The least price of `times` crossings of an operand's boundary below memory `level`, at a set of these `sizes` as
    /// the operand sees it. Outputs count as final, or as partial sums with as few read back as the rules allow,
    /// whichever costs less.
    pub(super) fn least_price(
        &self,
        operand: LayerOperand,
        level: usize,
        sizes: impl Fn() -> LoopSizes,
        times: u64,
        entry: &BoundaryAtSet,
    ) -> f64 {
        let view = &self.problem.operands[operand];
        let (count, first) = (times as f64, self.problem.first_sums_come_down());
        if view.stored_as != Operand::O {
            return if self.priced_together() {
                self.price_of(operand, level, &sizes(), (times, 0, false))
            } else {
                count * entry.down
            };
        }
        let (partial, last) = if self.priced_together() {
            // Rounding applies to all words together, so the price of one crossing is of no use.
            let back = if first { times } else { 0 };
            let partial = self.price_of(operand, level, &sizes(), (back, times, true));
            (partial, self.price_of(operand, level, &sizes(), (0, times, false)))
        } else {
            (count * (entry.up_partial + if first { entry.down } else { 0.0 }), count * entry.up_final)
        };
        if view.adds_above(level) { partial } else { last.min(partial) }
    }

    /// Tightens least prices by constraints: infinite at a set where the boundary must not lie, and elsewhere with no
    /// more cycles below it than legally may lie there. `None` where a boundary may lie nowhere.
    pub(super) fn constrain(&self, legal: &L, prices: &mut [Vec<Vec<f64>>; OPERANDS]) -> Option<()> {
        for (operand, prices) in LayerOperand::ALL.into_iter().zip(prices) {
            for (index, prices) in prices.iter_mut().enumerate() {
                let Some(most_cycles) = legal.most_cycles(operand, index) else { continue };
                let entries = &self.boundaries[operand][index].entries;
                self.factors.for_each_seen(operand, |set, sizes| {
                    let (price, cycles) = (&mut prices[set as usize], most_cycles[set as usize]);
                    *price = match cycles {
                        0 => f64::INFINITY,
                        _ if *price == f64::INFINITY => *price,
                        _ => {
                            let (level, times) = (self.level(operand, index), self.total_cycles / cycles);
                            self.least_price(operand, level, || *sizes, times, &entries[set as usize])
                        }
                    };
                });
                if prices.iter().all(|price| *price == f64::INFINITY) {
                    return None;
                }
            }
        }
        Some(())
    }

    pub(super) fn price_of(
        &self,
        operand: LayerOperand,
        level: usize,
        sizes: &LoopSizes,
        (down, up, partial): (u64, u64, bool),
    ) -> f64 {
        let crossing = self.evaluator.crossing(operand, level, sizes, partial);
        self.price(operand, level, &Crossing { down, up, ..crossing })
    }

    fn price(&self, operand: LayerOperand, level: usize, crossing: &Crossing) -> f64 {
        let mut sum = 0.0;
        self.evaluator.boundary(operand, level).for_each_access(crossing, |_, level, words, pj| {
            sum += (self.price)(operand, level, words, pj);
        });
        sum
    }
}
