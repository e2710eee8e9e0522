//! Lower bounds on objectives in which latency counts: a Lagrangian relaxation (M. Fisher, 1981).
//!
//! With `L` the latency, `E` the price and `p` its weight, loads `S` of stalls and `W` of waiting, weights `a` (not
//! negative, at most 1 together) and `b` (not negative, 1 together), and a multiplier `r` (not negative) for every bit
//! in a tight memory:
//!
//! `L + p E >= base cycles + sum a S + sum b W + p E + sum r (bits used - size)`
//!
//! A maximum is no lower than a weighted average, which takes the maxima out of the latency, and a mapping that fits
//! overfills no memory, which makes the last sum negative or 0. The right side is a sum over boundaries. Its minimum
//! falls apart into one for each operand, over all growing chains of its own sets, which dynamic programming finds: a
//! [`Functional`] is one choice of weights with these tables.
//!
//! Weights for which the minimum is high are found by subgradient ascent: a load that the least chains need more of
//! weighs more in the next round. The bound holds for any weights, so the ascent may stop anywhere.

use super::legality::Legality;
use super::space::{BoundarySpace, PartialMapping};
use crate::cost::{BoundaryLoad, LatencyLowerBound};
use crate::mapping::{LayerOperand, OPERANDS};
use crate::tolerance::BOUND_TOLERANCE;

/// Limit on the sets of all boundaries together: for each there is a load, and one number in each functional.
const MOST_SETS: usize = 200_000;

/// Limit on the functionals of all lines together, as each makes every bound slower.
const MOST_FUNCTIONALS: usize = 8;

/// Steps of ascent for the first functional, and for each later one.
const FIRST_ROUNDS: u32 = 60;
const ROUNDS: u32 = 12;

/// Least gain of the bound for which a new functional is kept, relative to the whole.
const LEAST_GAIN: f64 = 5e-4;

/// Lower bounds on latency plus weighed price, for some weights of price.
pub struct Relaxation<'s, L> {
    space: &'s BoundarySpace<'s, L>,
    latency: &'s LatencyLowerBound<'s>,
    /// The terms of the sums: by operand, boundary and set as the operand sees it.
    boundaries: [Vec<Vec<AtSet>>; OPERANDS],
    lines: Vec<PriceLine>,
}

/// The functionals that bound latency plus price times one weight: a line in the plane of price and latency.
struct PriceLine {
    price_weight: f64,
    /// Each is high for some partial chains; the bound is the highest of them.
    functionals: Vec<Functional>,
    /// Number of those that were replaced.
    replaced: usize,
}

/// The least load, price and bits of a boundary at a set, over all sets that the operand sees alike.
#[derive(Clone, Copy)]
struct AtSet {
    load: BoundaryLoad,
    price: f64,
    /// Bits in the memory below; infinite where they do not fit.
    bits: f64,
}

/// The multipliers of a functional.
#[derive(Clone)]
struct Multipliers {
    /// Of the loads: `a` and `b` of the module's formula.
    loads: Vec<f64>,
    /// Cycles for a bit in each tight memory: `r`.
    tight: Vec<f64>,
}

/// A weighed sum, with the least that boundaries to come add to it.
struct Functional {
    weights: Multipliers,
    price_weight: f64,
    /// Cycles of any mapping.
    constant: f64,
    /// By operand, boundary and set: the least sum for this boundary and all higher ones of the operand, over growing
    /// chains of supersets.
    to_go: [Vec<Vec<f64>>; OPERANDS],
}

/// A partial chain: its state, and the price and the loads of the boundaries that it has placed.
#[derive(Clone, Copy)]
pub struct PlacedChain<'p> {
    pub state: &'p PartialMapping,
    pub price: f64,
    pub loads: &'p [f64],
}

impl Functional {
    /// A lower bound on the sum for every completion of a partial chain, cycles.
    fn bound<L: Legality>(&self, space: &BoundarySpace<'_, L>, placed: PlacedChain<'_>) -> f64 {
        let Multipliers { loads, tight } = &self.weights;
        let mut sum = self.constant + self.price_weight * (placed.price + space.constant);
        sum += placed.loads.iter().zip(loads).map(|(load, weight)| load * weight).sum::<f64>();
        let mut rounding = sum;
        for (operand, boundaries) in LayerOperand::ALL.into_iter().zip(&self.to_go) {
            if let Some(to_go) = boundaries.get(usize::from(placed.state.placed[operand])) {
                sum += to_go[placed.state.seen[operand] as usize];
            }
        }
        for (((size_bits, settled), used), multiplier) in
            space.tight_sizes(placed.state).zip(placed.state.used).zip(tight)
        {
            // A memory that is settled is no constraint any more; leaving out its term, which is not positive, raises
            // the bound.
            if !settled {
                sum += multiplier * (used as f64 - size_bits);
                rounding += multiplier * size_bits;
            }
        }
        sum - BOUND_TOLERANCE * (rounding + sum.abs())
    }
}

impl<'s, L: Legality> Relaxation<'s, L> {
    /// One line for every weight of price, without functionals yet. `None` where there are too many sets.
    pub fn new(
        space: &'s BoundarySpace<'s, L>,
        latency: &'s LatencyLowerBound<'s>,
        price_weights: &[f64],
    ) -> Option<Self> {
        let sets =
            LayerOperand::ALL.map(|operand| space.boundary_count(operand) * space.factors.seen_sets[operand] as usize);
        if sets.iter().sum::<usize>() > MOST_SETS {
            return None;
        }
        let boundaries = LayerOperand::ALL.map(|operand| {
            let boundary = |index: usize| {
                let mut at_sets = Vec::with_capacity(space.factors.seen_sets[operand] as usize);
                space.factors.for_each_seen(operand, |set, sizes| {
                    let all = space.with_irrelevant(operand, sizes);
                    let load = latency.load(operand, space.level(operand, index), &all, 1);
                    let (price, bits) = space.least_at(operand, index, set, sizes);
                    let fits = space.may_hold(operand, index, set);
                    at_sets.push(AtSet { load, price, bits: if fits { bits } else { f64::INFINITY } });
                });
                at_sets
            };
            (0..space.boundary_count(operand)).map(boundary).collect()
        });
        let line = |&price_weight: &f64| PriceLine { price_weight, functionals: Vec::new(), replaced: 0 };
        Some(Self { space, latency, boundaries, lines: price_weights.iter().map(line).collect() })
    }

    /// For each line its weight of price, and a lower bound on latency plus weighed price of all completions of a
    /// partial chain, cycles.
    pub fn bounds<'p>(&'p self, placed: PlacedChain<'p>) -> impl Iterator<Item = (f64, f64)> + 'p {
        self.lines.iter().map(move |line| {
            let bounds = line.functionals.iter().map(|functional| functional.bound(self.space, placed));
            (line.price_weight, bounds.fold(0.0, f64::max))
        })
    }

    /// Looks for functionals that give a higher bound on the completions of a partial chain. The price and the latency
    /// are those of the best mapping so far, from which the ascent has its target.
    pub fn subgradient_ascent(&mut self, placed: PlacedChain<'_>, (price, cycles): (f64, f64)) {
        for at in 0..self.lines.len() {
            let PriceLine { price_weight, functionals, .. } = &self.lines[at];
            let (price_weight, most) = (*price_weight, price_weight * price + cycles);
            let bound = |functional: &Functional| functional.bound(self.space, placed);
            let known = functionals.iter().map(|functional| (bound(functional), functional));
            let known = known.max_by(|a, b| a.0.total_cmp(&b.0));
            // Start from the functional that is best for this chain, as good weights differ little from chain to chain.
            let (least, weights, rounds) = known.map_or_else(
                || (f64::NEG_INFINITY, self.first_weights(placed.loads.len()), FIRST_ROUNDS),
                |(bound, functional)| (bound, functional.weights.clone(), ROUNDS),
            );
            let (functional, bound) = self.ascend(placed, self.functional(weights, price_weight), most, rounds);
            if bound <= least + LEAST_GAIN * most {
                continue;
            }
            let room = MOST_FUNCTIONALS / self.lines.len();
            let line = &mut self.lines[at];
            if line.functionals.len() < room {
                line.functionals.push(functional);
            } else {
                // The first one was found at the empty set, for all chains, and stays. The others are replaced in
                // turn.
                line.functionals[1 + line.replaced % (room - 1)] = functional;
                line.replaced += 1;
            }
        }
    }

    /// The weights at which the ascent begins: equal ones for all waiting, 0 for stalls and multipliers.
    fn first_weights(&self, loads: usize) -> Multipliers {
        let (_, waiting) = self.latency.weighable();
        let mut weights = vec![0.0; loads];
        waiting.iter().for_each(|&at| weights[at] = 1.0 / waiting.len() as f64);
        Multipliers { loads: weights, tight: vec![0.0; self.space.tight_count()] }
    }

    /// The functional of some weights, by dynamic programming from the highest boundary of each operand down.
    ///
    /// `to_go[boundary][set]` is the minimum, over the supersets at which this boundary may lie, of its own term and of
    /// `to_go` of the next higher boundary at the same superset. Without the set in common, operands do not depend on
    /// each other.
    #[inline(never)]
    fn functional(&self, weights: Multipliers, price_weight: f64) -> Functional {
        let to_go = LayerOperand::ALL.map(|operand| {
            let boundaries = &self.boundaries[operand];
            let mut to_go: Vec<Vec<f64>> = Vec::with_capacity(boundaries.len());
            for (index, at_sets) in boundaries.iter().enumerate().rev() {
                let coefficients = self.latency.coefficients(operand, self.space.level(operand, index), &weights.loads);
                let multiplier = self.space.tight_index(operand, index).map_or(0.0, |tight| weights.tight[tight]);
                let mut sums: Vec<f64> = Vec::with_capacity(at_sets.len());
                for (set, at_set) in at_sets.iter().enumerate() {
                    let above = to_go.last().map_or(0.0, |above| above[set]);
                    sums.push(if at_set.bits == f64::INFINITY {
                        f64::INFINITY
                    } else {
                        above
                            + at_set.load.weighed(&coefficients)
                            + price_weight * at_set.price
                            + multiplier * at_set.bits
                    });
                }
                self.space.factors.join_supersets(operand, &mut sums, f64::min);
                to_go.push(sums);
            }
            to_go.reverse();
            to_go
        });
        Functional { weights, price_weight, constant: self.latency.base_cycles() as f64, to_go }
    }

    /// Subgradient ascent for the completions of a partial chain: the best functional of `rounds` steps, and its bound.
    /// It ends early once the bound reaches `most`, as that prunes the chain.
    ///
    /// A step along a subgradient may lower the bound, so the best weights are remembered. After four steps in vain the
    /// ascent returns to them with half the step length.
    fn ascend(&self, placed: PlacedChain<'_>, first: Functional, most: f64, rounds: u32) -> (Functional, f64) {
        let mut best = (first.bound(self.space, placed), first.weights.clone());
        let mut functional = first;
        let (mut length, mut in_vain) = (1.0, 0);
        for _ in 0..rounds {
            if best.0 >= most {
                break;
            }
            let value = functional.bound(self.space, placed);
            let next = self.step(&functional, placed, (value, most), length);
            functional = self.functional(next, functional.price_weight);
            let bound = functional.bound(self.space, placed);
            if bound > best.0 {
                best = (bound, functional.weights.clone());
                in_vain = 0;
                continue;
            }
            in_vain += 1;
            if in_vain == 4 {
                // Steps overshoot: back to the best weights, with shorter ones.
                (length, in_vain) = (0.5 * length, 0);
                functional = self.functional(best.1.clone(), functional.price_weight);
            }
        }
        (self.functional(best.1, functional.price_weight), best.0)
    }

    /// Weights after one step along the subgradient, which is the loads, and the bits over the size, of the chains that
    /// weigh least.
    ///
    /// The length is Polyak's (1969): the distance from the value to the target, over the square of the subgradient.
    /// Afterwards weights are projected on those that are allowed.
    fn step(
        &self,
        functional: &Functional,
        placed: PlacedChain<'_>,
        (value, most): (f64, f64),
        length: f64,
    ) -> Multipliers {
        let (loads, used) = self.least_chains(functional, placed);
        let (stalls, waiting) = self.latency.weighable();
        let mut weights = functional.weights.clone();
        // Cycles are shares of `most`, and bits shares of a memory's size, so that the components have comparable
        // units.
        let sizes: Vec<(f64, bool)> = self.space.tight_sizes(placed.state).collect();
        let over =
            |(used, (size, settled)): (&f64, &(f64, bool))| if *settled { 0.0 } else { used / size.max(1.0) - 1.0 };
        let overfull: Vec<f64> = used.iter().zip(&sizes).map(over).collect();
        let slopes = stalls.clone().chain(waiting).map(|at| loads[at] / most).chain(overfull.iter().copied());
        let square = slopes.map(|slope| slope * slope).sum::<f64>();
        if square == 0.0 {
            return weights;
        }
        let step = length * (1.0 - value / most) / square;
        for at in stalls.clone().chain(waiting) {
            weights.loads[at] += step * loads[at] / most;
        }
        for ((multiplier, overfull), (size, _)) in weights.tight.iter_mut().zip(&overfull).zip(&sizes) {
            *multiplier = (*multiplier + step * overfull * most / size.max(1.0)).max(0.0);
        }
        project(&mut weights.loads, &stalls.collect::<Vec<_>>(), false);
        project(&mut weights.loads, &waiting, true);
        weights
    }

    /// Loads, and bits in tight memories, of a partial chain with the completions of each operand that weigh least.
    /// Operands choose apart from each other, so all together need not be a chain, nor fit.
    fn least_chains(&self, functional: &Functional, placed: PlacedChain<'_>) -> (Vec<f64>, Vec<f64>) {
        let mut loads = placed.loads.to_vec();
        let mut used: Vec<f64> = (0..self.space.tight_count()).map(|tight| placed.state.used[tight] as f64).collect();
        for (operand, boundaries) in LayerOperand::ALL.into_iter().zip(&functional.to_go) {
            let mut set = placed.state.seen[operand] as usize;
            for (index, to_go) in boundaries.iter().enumerate().skip(usize::from(placed.state.placed[operand])) {
                // `to_go` is a minimum over supersets: follow supersets of the same value up to the set that attains
                // it.
                while let Some(larger) =
                    self.space.factors.larger(operand, set).find(|&larger| to_go[larger] == to_go[set])
                {
                    set = larger;
                }
                let at_set = &self.boundaries[operand][index][set];
                self.latency.place(&mut loads, &at_set.load);
                if let Some(tight) = self.space.tight_index(operand, index) {
                    used[tight] += at_set.bits;
                }
            }
        }
        (loads, used)
    }
}

/// Projects the weights at `which` on those that are not negative and add up to 1: exactly, or at most.
///
/// The nearest such weights are `max(weight - less, 0)` for one number `less`, found by bisection. Invariant: with
/// `low` the sum is 1 or more, with `high` it is 1 or less, so the result never adds up to more than 1, and stays a
/// bound.
fn project(weights: &mut [f64], which: &[usize], exactly: bool) {
    let above = |weights: &[f64], less: f64| which.iter().map(|&at| (weights[at] - less).max(0.0)).sum::<f64>();
    let mut high = which.iter().fold(0.0_f64, |most, &at| most.max(weights[at]));
    let mut low = if exactly { high - 1.0 } else { 0.0 };
    if exactly || above(weights, 0.0) > 1.0 {
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if above(weights, middle) > 1.0 { low = middle } else { high = middle }
        }
    } else {
        high = 0.0;
    }
    for &at in which {
        weights[at] = (weights[at] - high).max(0.0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::legality::NoConstraints;
    use super::super::orders::tests::{HARDWARE, for_each_chain, small_problem};
    use super::super::space::PlacedBoundary;
    use super::*;
    use crate::cost::Evaluator;
    use crate::hardware::Core;
    use crate::mapping::{LayerOnCore, temporal};
    use crate::rules::Rules;
    use crate::workload::Dim;

    /// Follows a chain from its first boundary on, state by state.
    fn follow<L: Legality>(
        space: &BoundarySpace<'_, L>,
        placed: &[PlacedBoundary],
        mut visit: impl FnMut(&PartialMapping, f64, usize),
    ) {
        let (mut state, mut price) = (space.start().unwrap(), 0.0);
        for (count, next) in placed.iter().enumerate() {
            visit(&state, price, count);
            let factors = &space.factors.list;
            for (at, factor) in factors.iter().enumerate() {
                while factor.count_in(state.set) < factor.count_in(next.set) {
                    // Factors are added in the order of their numbers, in which some may not stay above the boundaries
                    // here. That does not matter for a bound, so `here` is reset.
                    state.here = 0;
                    state = space.add(&state, at).unwrap();
                }
            }
            state.here = 0;
            let (after, added) = space.place(&state, next.operand).unwrap();
            (state, price) = (after, price + added);
        }
        visit(&state, price, placed.len());
    }

    #[test]
    fn no_completion_of_a_chain_is_below_its_bounds_and_ascent_makes_them_higher() {
        let core = Core::from_text(HARDWARE).unwrap();
        let mut raised = 0;
        for (sizes, unroll) in
            [([1, 1, 4, 2, 1, 3, 1, 1], false), ([1, 1, 4, 2, 1, 2, 1, 3], true), ([1, 2, 2, 2, 4, 1, 1, 1], true)]
        {
            let problem = small_problem(sizes, unroll);
            let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            let evaluator = Evaluator::new(&layer);
            let loops = temporal::limited_factors(&layer.spatial.temporal_sizes, &Dim::ALL, usize::MAX, false).unwrap();
            let space =
                BoundarySpace::new(&evaluator, &layer, &loops, (1 << 12, None::<&NoConstraints>), &|_, _, _, pj| pj)
                    .unwrap();
            let latency = LatencyLowerBound::new(&evaluator);
            let start = space.start().unwrap();
            let price_weights = [0.0, 0.2, 1.0];
            let mut relaxation = Relaxation::new(&space, &latency, &price_weights).unwrap();
            let placed = PlacedChain { state: &start, price: 0.0, loads: &latency.start() };
            let bounds = |relaxation: &Relaxation<'_, NoConstraints>| {
                relaxation.bounds(placed).map(|line| line.1).collect::<Vec<_>>()
            };
            let without_ascent: Vec<f64> = price_weights
                .iter()
                .map(|&weight| {
                    let weights = relaxation.first_weights(placed.loads.len());
                    relaxation.functional(weights, weight).bound(&space, placed)
                })
                .collect();
            // Far above everything, so that every step counts.
            (0..3).for_each(|_| relaxation.subgradient_ascent(placed, (1e5, 1e5)));
            raised += bounds(&relaxation).iter().zip(&without_ascent).filter(|(with, without)| with > without).count();
            let mut chains = 0;
            for_each_chain(&space, &start, &mut Vec::new(), &mut |chain| {
                let loads_after = |count: usize| {
                    let mut loads = latency.start();
                    for &PlacedBoundary { operand, level, set } in &chain[..count] {
                        latency.place(&mut loads, &latency.load(operand, level, &space.factors.sizes(set), 1));
                    }
                    loads
                };
                let cycles = latency.cycles(&loads_after(chain.len())) as f64;
                let mut whole = 0.0;
                follow(&space, chain, |_, price, _| whole = price);
                follow(&space, chain, |state, price, count| {
                    let placed = PlacedChain { state, price, loads: &loads_after(count) };
                    for (weight, bound) in relaxation.bounds(placed) {
                        let sum = cycles + weight * (whole + space.constant);
                        assert!(bound <= sum, "{sizes:?}, {count} of {chain:?}: {bound} is above {sum}");
                    }
                });
                chains += 1;
            });
            assert!(chains > 10, "{sizes:?}: only {chains} chains");
        }
        assert!(raised >= 6, "ascent raised {raised} of 9 bounds");
    }
}
