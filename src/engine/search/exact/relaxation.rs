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
//! over all chains of sets is a shortest path through the sets and the numbers of boundaries placed: a [`Functional`]
//! is one choice of weights with the least sums from all of these nodes to the end.
//!
//! Where a port's stall and a waiting decide the latency of the best mapping, whole weights on these two bound by
//! nearly its own latency ([`Relaxation::weigh_longest`]). Elsewhere better weights are found by subgradient ascent: a
//! load that the least chain needs more of weighs more in the next round. The bound holds for any weights, so the
//! ascent may stop anywhere.

use super::legality::Legality;
use super::space::{BoundarySpace, PartialMapping};
use crate::cost::{BoundaryLoad, Coefficients, LatencyLowerBound};
use crate::mapping::{LayerOperand, OPERANDS};
use crate::tolerance::BOUND_TOLERANCE;

/// Limit on the nodes of a functional: sets times numbers of boundaries placed.
const MOST_NODES: usize = 1 << 20;

/// Limit on the functionals of all lines together, as each makes every bound slower.
const MOST_FUNCTIONALS: usize = 8;

/// Steps of ascent for the first functional, and for each later one, where functionals have few nodes.
const FIRST_ROUNDS: u32 = 60;
const ROUNDS: u32 = 12;

/// Steps of every ascent, and nodes that it computes beyond these.
const LEAST_ROUNDS: u32 = 4;
const NODES_OF_ASCENT: usize = 1 << 20;

/// Length of a step, of that by Polyak's rule, below which an ascent ends.
const LEAST_STEP: f64 = 0.1;

/// Least gain of the bound for which a new functional is kept, relative to the whole.
const LEAST_GAIN: f64 = 5e-5;

/// Lower bounds on latency plus weighed price, for some weights of price.
pub struct Relaxation<'s, L> {
    space: &'s BoundarySpace<'s, L>,
    /// `None` where price alone counts.
    latency: Option<&'s LatencyLowerBound<'s>>,
    /// The terms of the sums: for every set, those of all boundaries in [`Self::order`].
    at_sets: Vec<AtSet>,
    /// All boundaries: operand and index.
    order: Vec<(LayerOperand, usize)>,
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

/// The load, the price and the least bits of a boundary at a set.
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
#[derive(Clone)]
pub struct Functional {
    weights: Multipliers,
    price_weight: f64,
    /// Cycles of any mapping.
    constant: f64,
    /// For every set, and there for every number of boundaries that operands have placed: the least sum of the
    /// boundaries that are left, at this set and supersets.
    to_go: Vec<f64>,
}

/// A partial chain: its state, and the price and the loads of the boundaries that it has placed.
#[derive(Clone, Copy)]
pub struct PlacedChain<'p> {
    pub state: &'p PartialMapping,
    pub price: f64,
    pub loads: &'p [f64],
}

/// The least sum of latency and weighed price of a known mapping, by the weight; infinite where none is known.
type LeastSum<'f> = &'f dyn Fn(f64) -> f64;

/// The loads of that mapping.
type LoadsOf<'f> = &'f dyn Fn(f64) -> Option<Vec<f64>>;

impl Functional {
    /// A lower bound on the sum for every completion of a partial chain, cycles.
    fn bound<L: Legality>(&self, space: &BoundarySpace<'_, L>, placed: PlacedChain<'_>) -> f64 {
        let mut sum = self.constant + self.price_weight * (placed.price + space.constant);
        sum += placed.loads.iter().zip(&self.weights.loads).map(|(load, weight)| load * weight).sum::<f64>();
        sum * (1.0 - BOUND_TOLERANCE) + self.least_to_go(space, placed.state)
    }

    /// A lower bound on what the boundaries that are left add to the sum.
    pub fn least_to_go<L: Legality>(&self, space: &BoundarySpace<'_, L>, state: &PartialMapping) -> f64 {
        let mut sum = self.to_go[node(space, state)];
        let mut rounding = sum.abs();
        for (((size_bits, settled), used), multiplier) in
            space.tight_sizes(state).zip(state.used).zip(&self.weights.tight)
        {
            // A memory that is settled is no constraint any more; leaving out its term, which is not positive, raises
            // the bound.
            if !settled {
                sum += multiplier * (used as f64 - size_bits);
                rounding += multiplier * size_bits;
            }
        }
        sum - BOUND_TOLERANCE * rounding
    }
}

impl<'s, L: Legality> Relaxation<'s, L> {
    /// One line for every weight of price, without functionals yet. `None` where there are too many sets.
    pub fn new(
        space: &'s BoundarySpace<'s, L>,
        latency: Option<&'s LatencyLowerBound<'s>>,
        price_weights: &[f64],
    ) -> Option<Self> {
        if nodes_of_set(space).saturating_mul(space.factors.sets as usize) > MOST_NODES {
            return None;
        }
        let indices = |operand: LayerOperand| (0..space.boundary_count(operand)).map(move |index| (operand, index));
        let order: Vec<_> = LayerOperand::ALL.into_iter().flat_map(indices).collect();
        let mut at_sets = Vec::with_capacity(order.len() * space.factors.sets as usize);
        space.for_each_set(|state| {
            let sizes = space.factors.sizes(state.set);
            at_sets.extend(order.iter().map(|&(operand, index)| {
                let seen = state.seen[operand];
                if !space.may_hold(operand, index, seen) {
                    return AtSet { load: BoundaryLoad::ZERO, price: 0.0, bits: f64::INFINITY };
                }
                let level = space.level(operand, index);
                let irrelevant = if level == 1 && seen == 0 { state.cycles } else { 1 };
                let load =
                    latency.map_or(BoundaryLoad::ZERO, |latency| latency.load(operand, level, &sizes, irrelevant));
                let price = space.price_at(state, operand, index);
                AtSet { load, price, bits: space.least_bits(operand, index, seen) }
            }));
        });
        let line = |&price_weight: &f64| PriceLine { price_weight, functionals: Vec::new(), replaced: 0 };
        Some(Self { space, latency, at_sets, order, lines: price_weights.iter().map(line).collect() })
    }

    /// The functional of price alone whose bound on the price of all chains is highest: with multipliers for memories
    /// that operands compete for. The ascent aims at twice the bound of the first one.
    pub fn by_price(space: &'s BoundarySpace<'s, L>) -> Option<Functional> {
        let relaxation = Self::new(space, None, &[])?;
        let state = space.start()?;
        let placed = PlacedChain { state: &state, price: 0.0, loads: &[] };
        let weights = Multipliers { loads: Vec::new(), tight: space.tight_multipliers().collect() };
        let first = relaxation.functional(weights, 1.0, Vec::new());
        let bound = first.bound(space, placed);
        let is_positive = bound > 0.0 && bound.is_finite();
        Some(if is_positive { relaxation.ascend(placed, first, 2.0 * bound, FIRST_ROUNDS).0 } else { first })
    }

    /// The loads that are weighed: stalls, and waiting.
    fn weighable(&self) -> (Vec<usize>, Vec<usize>) {
        self.latency.map_or_else(Default::default, |latency| {
            let (stalls, waiting) = latency.weighable();
            (stalls.collect(), waiting.to_vec())
        })
    }

    /// The weight of each cycle of a boundary's load in a sum.
    fn coefficients(&self, operand: LayerOperand, index: usize, weights: &[f64]) -> Coefficients {
        self.latency.map_or_else(Default::default, |latency| {
            latency.coefficients(operand, self.space.level(operand, index), weights)
        })
    }

    /// Number of the nodes of a functional.
    pub fn nodes(&self) -> usize {
        nodes_of_set(self.space) * self.space.factors.sets as usize
    }

    /// The load of a boundary at the set of a state, without regard to runs.
    pub fn load(&self, state: &PartialMapping, operand: LayerOperand, index: usize) -> &BoundaryLoad {
        let place = self.order.iter().position(|&boundary| boundary == (operand, index)).unwrap_or(0);
        &self.at_sets[state.set as usize * self.order.len() + place].load
    }

    /// For each line its weight of price, and a lower bound on latency plus weighed price of all completions of a
    /// partial chain, cycles.
    pub fn bounds<'p>(&'p self, placed: PlacedChain<'p>) -> impl Iterator<Item = (f64, f64)> + 'p {
        self.lines.iter().map(move |line| {
            let bounds = line.functionals.iter().map(|functional| functional.bound(self.space, placed));
            (line.price_weight, bounds.fold(0.0, f64::max))
        })
    }

    /// Adds the functionals whose whole weight is on the longest stall and the longest waiting of a mapping: where that
    /// mapping is optimal they mostly bound by its own sum, while an ascent creeps there. Keeps those that give a
    /// higher bound on the completions of `placed`. By the weight of price of a line, `most` is the least sum of a
    /// known mapping, and `loads` are those of that mapping.
    pub fn weigh_longest(&mut self, placed: PlacedChain<'_>, most: LeastSum<'_>, loads: LoadsOf<'_>) {
        let (stalls, waiting) = self.weighable();
        for at in 0..self.lines.len() {
            let price_weight = self.lines[at].price_weight;
            let Some(loads) = loads(price_weight) else { continue };
            let longest = |which: &mut dyn Iterator<Item = usize>| which.max_by(|&a, &b| loads[a].total_cmp(&loads[b]));
            let stall = longest(&mut stalls.iter().copied()).filter(|&at| loads[at] > 0.0);
            let mut weights = vec![0.0; loads.len()];
            stall.into_iter().chain(longest(&mut waiting.iter().copied())).for_each(|at| weights[at] = 1.0);
            let tight = self.space.tight_multipliers().map(|multiplier| price_weight * multiplier).collect();
            let functional = self.functional(Multipliers { loads: weights, tight }, price_weight, Vec::new());
            let bound = functional.bound(self.space, placed);
            self.keep(at, functional, bound, (placed, most));
        }
    }

    /// Looks for functionals that give a higher bound on the completions of a partial chain, and returns whether it
    /// found any. The ascent of a line has its target from `most`, the least sum of a known mapping by its weight of
    /// price.
    pub fn subgradient_ascent(&mut self, placed: PlacedChain<'_>, most: LeastSum<'_>) -> bool {
        let mut gains = false;
        for at in 0..self.lines.len() {
            // Start from the functional that is best for this chain, as good weights differ little from chain to chain.
            let bound = |functional: &Functional| functional.bound(self.space, placed);
            let PriceLine { price_weight, functionals, .. } = &self.lines[at];
            let known = functionals.iter().map(|functional| (bound(functional), functional));
            let Some((highest, functional)) = known.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let most_of_line = most(*price_weight);
            if !most_of_line.is_finite() || highest > most_of_line * (1.0 - LEAST_GAIN) {
                continue;
            }
            let first = functional.clone();
            let most_rounds = if functionals.len() == 1 { FIRST_ROUNDS } else { ROUNDS };
            let rounds = most_rounds.min(LEAST_ROUNDS + (NODES_OF_ASCENT / self.nodes()) as u32);
            let (functional, bound) = self.ascend(placed, first, most_of_line, rounds);
            gains |= self.keep(at, functional, bound, (placed, most));
        }
        gains
    }

    /// Keeps a functional of line number `at` if it gives a higher bound than those known, and returns whether it does.
    fn keep(
        &mut self,
        at: usize,
        functional: Functional,
        bound: f64,
        (placed, most): (PlacedChain<'_>, LeastSum<'_>),
    ) -> bool {
        let room = MOST_FUNCTIONALS / self.lines.len();
        let line = &mut self.lines[at];
        let known = line.functionals.iter().map(|functional| functional.bound(self.space, placed));
        let least = known.fold(f64::NEG_INFINITY, f64::max);
        if bound <= least + LEAST_GAIN * most(line.price_weight) {
            return false;
        }
        if line.functionals.len() < room {
            line.functionals.push(functional);
        } else {
            // The first one was found at the empty set, for all chains, and stays. The others are replaced in turn.
            line.functionals[1 + line.replaced % (room - 1)] = functional;
            line.replaced += 1;
        }
        true
    }

    /// The functional of some weights, by dynamic programming from the set of all loops down.
    ///
    /// From a node a step places a boundary at its set, for that boundary's term, or adds a loop, for nothing. Both
    /// lead to nodes of larger numbers. `to_go` is working memory.
    #[inline(never)]
    fn functional(&self, weights: Multipliers, price_weight: f64, mut to_go: Vec<f64>) -> Functional {
        let space = self.space;
        let terms: Vec<(Coefficients, f64)> = self
            .order
            .iter()
            .map(|&(operand, index)| {
                let multiplier = space.tight_index(operand, index).map_or(0.0, |tight| weights.tight[tight]);
                (self.coefficients(operand, index, &weights.loads), multiplier)
            })
            .collect();
        let (nodes, sets, strides) = (nodes_of_set(space), space.factors.sets as usize, strides(space));
        to_go.clear();
        to_go.resize(nodes * sets, f64::INFINITY);
        let mut sums = vec![0.0; self.order.len()];
        for set in (0..sets).rev() {
            let (here, above) = to_go[set * nodes..].split_at_mut(nodes);
            for factor in space.factors.list.iter().filter(|factor| factor.count_in(set as u32) < factor.count) {
                let larger = &above[(factor.stride as usize - 1) * nodes..][..nodes];
                for (here, &larger) in here.iter_mut().zip(larger) {
                    *here = if larger < *here { larger } else { *here };
                }
            }
            let at_set = &self.at_sets[set * self.order.len()..][..self.order.len()];
            for ((sum, at_set), (coefficients, multiplier)) in sums.iter_mut().zip(at_set).zip(&terms) {
                *sum = if at_set.bits == f64::INFINITY {
                    f64::INFINITY
                } else {
                    at_set.load.weighed(coefficients) + price_weight * at_set.price + multiplier * at_set.bits
                };
            }
            // The last node has all boundaries placed: nothing is left.
            here[nodes - 1] = 0.0;
            // Boundaries at one set add up in any order: one operand after the other, its outermost boundary first.
            for (&(operand, index), &sum) in self.order.iter().zip(&sums).rev() {
                let stride = strides[operand as usize];
                for block in here.chunks_exact_mut(stride * (space.boundary_count(operand) + 1)) {
                    let (from, to) = block[index * stride..(index + 2) * stride].split_at_mut(stride);
                    for (from, to) in from.iter_mut().zip(to) {
                        let sum = *to + sum;
                        *from = if sum < *from { sum } else { *from };
                    }
                }
            }
        }
        let constant = self.latency.map_or(0.0, |latency| latency.base_cycles() as f64);
        Functional { weights, price_weight, constant, to_go }
    }

    /// Subgradient ascent for the completions of a partial chain: the best functional of `rounds` steps, and its bound.
    /// It ends early once the bound reaches `most`, as that prunes the chain.
    ///
    /// A step along a subgradient may lower the bound, so the best weights are remembered. After four steps in vain the
    /// ascent returns to them with half the step length.
    fn ascend(&self, placed: PlacedChain<'_>, first: Functional, most: f64, rounds: u32) -> (Functional, f64) {
        let (mut highest, mut best) = (first.bound(self.space, placed), first);
        // The functional of the last step, if it was in vain, and working memory for the next one.
        let (mut present, mut spare): (Option<Functional>, Vec<f64>) = (None, Vec::new());
        let (mut length, mut in_vain) = (1.0, 0);
        for _ in 0..rounds {
            if highest >= most || length < LEAST_STEP {
                break;
            }
            let from = present.as_ref().unwrap_or(&best);
            let next = self.step(from, placed, (from.bound(self.space, placed), most), length);
            let functional = self.functional(next, best.price_weight, std::mem::take(&mut spare));
            let bound = functional.bound(self.space, placed);
            let left = if bound > highest {
                (highest, present, in_vain) = (bound, None, 0);
                Some(std::mem::replace(&mut best, functional))
            } else {
                in_vain += 1;
                present.replace(functional)
            };
            spare = left.map(|left| left.to_go).unwrap_or_default();
            if in_vain == 4 {
                // Steps overshoot: back to the best weights, with shorter ones.
                (length, in_vain, present) = (0.5 * length, 0, None);
            }
        }
        (best, highest)
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
        let (loads, used) = self.least_chain(functional, placed);
        let (stalls, waiting) = self.weighable();
        let mut weights = functional.weights.clone();
        // Weights of 0 stay so, but for the most violated one: the huge loads of ports that do not matter would make
        // every step tiny. The weights of each kind add up to 1, so only differences from the mean of their slopes
        // count. Stalls weigh less together where there are none: the rest is the weight of no stall.
        let is_whole = stalls.iter().map(|&at| weights.loads[at]).sum::<f64>() > 1.0 - 1e-9;
        let rest = (!is_whole).then_some(0.0);
        let slopes_of_stalls = slopes(&weights.loads, &loads, &stalls, rest);
        let slopes_of_waiting = slopes(&weights.loads, &loads, &waiting, None);
        // Cycles are shares of `most`, and bits shares of a memory's size, so that the components have comparable
        // units.
        let sizes: Vec<(f64, bool)> = self.space.tight_sizes(placed.state).collect();
        let over =
            |(used, (size, settled)): (&f64, &(f64, bool))| if *settled { 0.0 } else { used / size.max(1.0) - 1.0 };
        let overfull: Vec<f64> = used.iter().zip(&sizes).map(over).collect();
        let of_loads = || slopes_of_stalls.iter().chain(&slopes_of_waiting);
        let all = of_loads().map(|(_, slope)| slope / most).chain(overfull.iter().copied());
        let square = all.map(|slope| slope * slope).sum::<f64>();
        if square == 0.0 {
            return weights;
        }
        let step = length * (1.0 - value / most) / square;
        for &(at, slope) in of_loads() {
            weights.loads[at] += step * slope / most;
        }
        for ((multiplier, overfull), (size, _)) in weights.tight.iter_mut().zip(&overfull).zip(&sizes) {
            *multiplier = (*multiplier + step * overfull * most / size.max(1.0)).max(0.0);
        }
        project(&mut weights.loads, &stalls, false);
        project(&mut weights.loads, &waiting, true);
        weights
    }

    /// Loads, and bits in tight memories, of a partial chain with the completion that weighs least. It need not fit.
    fn least_chain(&self, functional: &Functional, placed: PlacedChain<'_>) -> (Vec<f64>, Vec<f64>) {
        let mut loads = placed.loads.to_vec();
        let mut used: Vec<f64> = (0..self.space.tight_count()).map(|tight| placed.state.used[tight] as f64).collect();
        let (nodes, strides) = (nodes_of_set(self.space), strides(self.space));
        let (mut set, mut at) = (placed.state.set as usize, node(self.space, placed.state) % nodes);
        while at + 1 < nodes {
            let value = functional.to_go[set * nodes + at];
            let factors = self.space.factors.list.iter();
            let mut larger = factors
                .filter(|factor| factor.count_in(set as u32) < factor.count)
                .map(|factor| set + factor.stride as usize);
            if let Some(larger) = larger.find(|larger| functional.to_go[larger * nodes + at] == value) {
                set = larger;
                continue;
            }
            // No superset has this value, so a boundary lies here: the one that leaves the least to go.
            let steps = self.order.iter().enumerate().filter_map(|(boundary, &(operand, index))| {
                let stride = strides[operand as usize];
                let is_next = at / stride % (self.space.boundary_count(operand) + 1) == index;
                let sum = || self.term(functional, set, boundary) + functional.to_go[set * nodes + at + stride];
                is_next.then(|| (sum(), at + stride, boundary))
            });
            let Some((_, to, boundary)) = steps.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            let at_set = &self.at_sets[set * self.order.len() + boundary];
            if let Some(latency) = self.latency {
                latency.place(&mut loads, &at_set.load);
            }
            let (operand, index) = self.order[boundary];
            if let Some(tight) = self.space.tight_index(operand, index) {
                used[tight] += at_set.bits;
            }
            at = to;
        }
        (loads, used)
    }

    /// The term of one boundary at a set.
    fn term(&self, functional: &Functional, set: usize, boundary: usize) -> f64 {
        let (operand, index) = self.order[boundary];
        let at_set = &self.at_sets[set * self.order.len() + boundary];
        let coefficients = self.coefficients(operand, index, &functional.weights.loads);
        let multiplier = self.space.tight_index(operand, index).map_or(0.0, |tight| functional.weights.tight[tight]);
        at_set.load.weighed(&coefficients) + functional.price_weight * at_set.price + multiplier * at_set.bits
    }
}

/// The number of nodes of a set: one for each number of boundaries that every operand may have placed.
fn nodes_of_set<L: Legality>(space: &BoundarySpace<'_, L>) -> usize {
    LayerOperand::ALL.into_iter().map(|operand| space.boundary_count(operand) + 1).product()
}

/// The weight of each operand's number of boundaries in the number of a node.
fn strides<L: Legality>(space: &BoundarySpace<'_, L>) -> [usize; OPERANDS] {
    let counts = LayerOperand::ALL.map(|operand| space.boundary_count(operand) + 1);
    [1, counts[0], counts[0] * counts[1]]
}

/// The node of a state.
fn node<L: Legality>(space: &BoundarySpace<'_, L>, state: &PartialMapping) -> usize {
    let placed = state.placed.iter().zip(strides(space)).map(|(&placed, stride)| usize::from(placed) * stride);
    state.set as usize * nodes_of_set(space) + placed.sum::<usize>()
}

/// The slopes along which some weights ascend, by index: the loads of those that are positive and the longest load of
/// all, less their mean. `rest` is the slope of a weight that is not stored.
fn slopes(weights: &[f64], loads: &[f64], which: &[usize], rest: Option<f64>) -> Vec<(usize, f64)> {
    let longest = which.iter().copied().max_by(|&a, &b| loads[a].total_cmp(&loads[b]));
    let active = which.iter().copied().filter(|&at| weights[at] > 0.0 || Some(at) == longest);
    let mut slopes: Vec<(usize, f64)> = active.map(|at| (at, loads[at])).collect();
    let count = slopes.len() + usize::from(rest.is_some());
    let mean = slopes.iter().map(|(_, slope)| slope).chain(&rest).sum::<f64>() / count.max(1) as f64;
    slopes.iter_mut().for_each(|(_, slope)| *slope -= mean);
    slopes
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
    use crate::mapping::{LayerOnCore, Relevance, temporal};
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
            let mut relaxation = Relaxation::new(&space, Some(&latency), &price_weights).unwrap();
            let placed = PlacedChain { state: &start, price: 0.0, loads: &latency.start() };
            let bounds = |relaxation: &Relaxation<'_, NoConstraints>| {
                relaxation.bounds(placed).map(|line| line.1).collect::<Vec<_>>()
            };
            let without_ascent: Vec<f64> = price_weights
                .iter()
                .map(|&weight| {
                    let waiting = latency.weighable().1;
                    let mut loads = vec![0.0; placed.loads.len()];
                    waiting.iter().for_each(|&at| loads[at] = 1.0 / waiting.len() as f64);
                    let weights = Multipliers { loads, tight: vec![0.0; space.tight_count()] };
                    relaxation.functional(weights, weight, Vec::new()).bound(&space, placed)
                })
                .collect();
            // Far above everything, so that every step counts.
            let most = |weight: f64| 1e5 * weight + 1e5;
            relaxation.weigh_longest(placed, &most, &|_| Some(latency.start()));
            for _ in 0..3 {
                relaxation.subgradient_ascent(placed, &most);
            }
            raised += bounds(&relaxation).iter().zip(&without_ascent).filter(|(with, without)| with > without).count();
            let mut chains = 0;
            for_each_chain(&space, &start, &mut Vec::new(), &mut |chain| {
                let loads_after = |count: usize| {
                    let mut loads = latency.start();
                    for &PlacedBoundary { operand, level, set } in &chain[..count] {
                        let sizes = space.factors.sizes(set);
                        let relevant = Dim::ALL.into_iter().any(|dim| {
                            let relevance = layer.operands[operand].relevance[dim as usize];
                            sizes[dim as usize] > 1 && relevance != Relevance::Irrelevant
                        });
                        let irrelevant = if level == 1 && !relevant { sizes.iter().product() } else { 1 };
                        latency.place(&mut loads, &latency.load(operand, level, &sizes, irrelevant));
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
