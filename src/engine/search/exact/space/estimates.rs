//! Lower bounds on the price of all steps that follow.

use super::super::legality::Legality;
use super::{BoundaryAtSet, BoundarySpace, PartialMapping, Tight};
use crate::mapping::{LayerOperand, OPERANDS};
use crate::tolerance::SHORT_SUM_TOLERANCE;

impl<L: Legality> BoundarySpace<'_, L> {
    /// Tabulates the estimates of the price to come: from the least price of each boundary, and again with a multiplier
    /// for room in tight memories.
    ///
    /// A bound, because in every completion a boundary lies at some superset of the present set, and the minimum over
    /// all supersets is no higher. Boundaries of one operand are not coupled here: each takes its own best superset.
    pub(super) fn add_estimates(&mut self, prices: [Vec<Vec<f64>>; OPERANDS]) {
        self.set_multipliers(&prices);
        let has_multipliers = self.tight.iter().any(|tight| tight.multiplier > 0.0);
        for (operand, prices) in LayerOperand::ALL.into_iter().zip(prices) {
            for (index, mut least) in prices.into_iter().enumerate().rev() {
                // Higher boundaries have to be placed, too, at supersets of the same set: add theirs.
                let higher = self.boundaries[operand].get(index + 1);
                let mut with_penalty = Vec::new();
                if has_multipliers {
                    let multiplier = self.tight_below(operand, index).map_or(0.0, |tight| tight.multiplier);
                    let entries = &self.boundaries[operand][index].entries;
                    with_penalty.extend(
                        least.iter().zip(entries).map(|(price, entry)| price + multiplier * entry.least_bits()),
                    );
                    self.factors.join_supersets(operand, &mut with_penalty, f64::min);
                    add_to(&mut with_penalty, higher.map_or(&[], |higher| &higher.least_with_penalty));
                }
                self.factors.join_supersets(operand, &mut least, f64::min);
                add_to(&mut least, higher.map_or(&[], |higher| &higher.least));
                let boundary = &mut self.boundaries[operand][index];
                (boundary.least, boundary.least_with_penalty) = (least, with_penalty);
            }
        }
    }

    /// Sets the multipliers at which the estimate of the whole is highest.
    ///
    /// Operands that compete for a memory cannot all have their cheapest sets there. The Lagrangian bound: a mapping
    /// that fits uses no more bits than the memory has, so its price plus `multiplier * (bits used - size)` is no
    /// higher than its price. Without the limit on the sum of their bits, operands choose independently, and the least
    /// of this sum is a bound for every multiplier of 0 or more. Each boundary lies above one memory, so every memory
    /// finds its multiplier by itself, at the empty set.
    fn set_multipliers(&mut self, prices: &[Vec<Vec<f64>>; OPERANDS]) {
        for index in 0..self.tight.len() {
            let tight = &self.tight[index];
            let cheapest_bits = |&(operand, level): &(LayerOperand, usize)| {
                let boundary = level + 1 - self.level(operand, 0);
                let entries = &self.boundaries[operand].get(boundary)?.entries;
                let sizes = prices[operand][boundary].iter().zip(entries).map(|(price, entry)| (*price, entry.bits));
                let least = sizes.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1[0].min(a.1[1]).cmp(&b.1[0].min(b.1[1]))));
                least.map(|(_, bits)| bits[0].min(bits[1]))
            };
            if tight.members.iter().filter_map(cheapest_bits).sum::<u64>() <= tight.size_bits {
                // All members have room for their cheapest sets together, so a multiplier changes nothing.
                continue;
            }
            let choices = |&(operand, level): &(LayerOperand, usize)| {
                let boundary = level + 1 - self.level(operand, 0);
                let entries = &self.boundaries[operand].get(boundary)?.entries;
                Some(cheapest_by_size(&prices[operand][boundary], entries))
            };
            let choices: Vec<Vec<(f64, f64)>> = tight.members.iter().filter_map(choices).collect();
            let estimate = |multiplier: f64| {
                let least = choices.iter().map(|choices| {
                    choices.iter().map(|(bits, price)| price + multiplier * bits).fold(f64::INFINITY, f64::min)
                });
                least.sum::<f64>() - multiplier * tight.size_bits as f64
            };
            // Multipliers from 2^-20 to 2^20 times the price of the whole per bit of the memory, about two for each
            // doubling.
            let unit = (estimate(0.0) + self.constant) / (tight.size_bits.max(1) as f64);
            let multipliers = (-20..=20).map(|exponent: i32| {
                if exponent < 0 { unit / (1_u64 << -exponent) as f64 } else { unit * (1_u64 << exponent) as f64 }
            });
            let mut best = (estimate(0.0), 0.0);
            for multiplier in multipliers.flat_map(|multiplier| [multiplier, 1.4 * multiplier]) {
                let estimate = estimate(multiplier);
                if estimate > best.0 {
                    best = (estimate, multiplier);
                } else if estimate < best.0 - 1e-6 * (best.0.abs() + multiplier * tight.size_bits as f64) {
                    // The minimum of functions that are linear in the multiplier is concave: once it falls, it falls
                    // for ever.
                    break;
                }
            }
            let tight = &mut self.tight[index];
            tight.multiplier = best.1;
            tight.penalty_rounding = SHORT_SUM_TOLERANCE * (best.0 + best.1 * tight.size_bits as f64);
        }
    }

    /// The tight memory below an operand's boundary.
    fn tight_below(&self, operand: LayerOperand, index: usize) -> Option<&Tight> {
        self.tight_index(operand, index).map(|tight| &self.tight[tight])
    }

    /// A lower bound on the price of the boundaries left to place: the larger of the plain and the Lagrangian one.
    ///
    /// Consistent, as A* needs it. Adding a loop leaves fewer supersets, so that no minimum falls. Placing a boundary
    /// takes its minimum out of the sums, which is no more than its price. Its multiplier returns as bits in use.
    pub fn least_to_go(&self, state: &PartialMapping) -> f64 {
        let (mut sum, mut with_penalty) = (0.0, 0.0);
        for operand in LayerOperand::ALL {
            if let Some(next) = self.boundaries[operand].get(usize::from(state.placed[operand])) {
                let seen = state.seen[operand] as usize;
                sum += next.least[seen];
                with_penalty += next.least_with_penalty.get(seen).unwrap_or(&0.0);
            }
        }
        for (tight, used) in self.tight.iter().zip(state.used) {
            // Nothing is refunded for a memory that is settled: nothing more can go into its free bits.
            if !tight.members.iter().all(|&(operand, level)| self.holds_all(state, operand, level)) {
                with_penalty -= tight.multiplier * (tight.size_bits - used) as f64 + tight.penalty_rounding;
            }
        }
        sum.max(with_penalty)
    }
}

/// The Pareto front of sizes and prices: a size is left out if a smaller or equal one has no higher price.
///
/// Invariant: sizes ascend and prices descend strictly.
fn cheapest_by_size(prices: &[f64], entries: &[BoundaryAtSet]) -> Vec<(f64, f64)> {
    let mut choices: Vec<(f64, f64)> = Vec::new();
    for (&price, entry) in prices.iter().zip(entries).filter(|(price, _)| price.is_finite()) {
        let bits = entry.least_bits();
        // By the invariant, the last choice that is no larger is the cheapest of those.
        let no_larger = choices.partition_point(|&(size, _)| size <= bits);
        if choices[..no_larger].last().is_some_and(|&(_, least)| least <= price) {
            continue;
        }
        // The new choice replaces the one of the same size, and all larger ones that are no cheaper.
        let first = no_larger - usize::from(choices[..no_larger].last().is_some_and(|&(size, _)| size == bits));
        let no_cheaper = choices[first..].iter().take_while(|&&(_, other)| other >= price).count();
        choices.splice(first..first + no_cheaper, [(bits, price)]);
    }
    choices
}

fn add_to(sums: &mut [f64], others: &[f64]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}
