//! Objectives in which latency counts, by a best-first branch and bound.
//!
//! Latency is no sum over boundaries, but it is bounded by sums, the loads of [`LatencyLowerBound`]. Chains are built
//! from the innermost boundary outwards, and the one with the least bound is extended first: once the least bound of
//! all open chains is no better than the best mapping, that one is optimal.
//!
//! Of two chains to the same state one dominates the other if its price and its loads are no higher. Whatever follows
//! both adds the same to them, so every completion of the dominated chain has a bound that is no lower. But a bound is
//! not a cost: the orders of loops of the dominating chain may fail to reach it. So the dominated chain is only
//! deferred, and taken up again if that has happened somewhere. Where only latency is sought, prices do not count.
//!
//! A partial chain has two bounds. The first adds, load by load, the least of the boundaries that are left to those
//! that are placed. The second is the Lagrangian one of [`Relaxation`], which is slower but couples the loads.

use super::SearchLimits;
use super::incumbents::{ChainLowerBound, Incumbents, Wanted};
use super::legality::{Legality, PlacedBoundaries};
use super::orders::BoundaryChain;
use super::relaxation::{PlacedChain, Relaxation};
use super::space::{BoundarySpace, PartialMapping, PlacedBoundary};
use super::to_go::{loads_to_go, runs_matter};
use crate::cost::{BoundaryLoad, LatencyLowerBound};
use crate::mapping::{LayerOperand, OPERANDS};
use crate::search::Solution;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The outcome of a best-first search.
pub struct BranchOutcome<'o> {
    /// The best mappings, of those that were known and those that were found.
    pub incumbents: Incumbents<'o>,
    /// Partial chains and orders that were expanded.
    pub expanded: u64,
    /// A lower bound on the score of everything that was not expanded; infinite where all was.
    pub unexplored: f64,
}

/// Searches for what is sought. `known` are mappings to begin with and their prices, `relax` asks for the bounds of
/// [`Relaxation`], and `effort` limits the partial chains and orders that are expanded.
pub fn search<'o, L: Legality>(
    space: &BoundarySpace<'_, L>,
    sought: Wanted<'o>,
    known: Vec<(Solution, f64)>,
    relax: bool,
    effort: SearchLimits<'_>,
) -> BranchOutcome<'o> {
    let latency = &LatencyLowerBound::new(space.evaluator);
    let mut search = BranchAndBound::new(space, Incumbents::new(sought), latency, effort);
    for (solution, price) in known {
        if let Some(cost) = space.evaluator.evaluate(&solution.order, &solution.allocation) {
            search.incumbents.offer(price, &cost, || solution);
        }
    }
    if relax {
        search.relax();
    }
    search.run();
    let BranchAndBound { incumbents, expanded, unexplored, .. } = search;
    BranchOutcome { incumbents, expanded, unexplored }
}

struct BranchAndBound<'a, 's, 'o, L> {
    space: &'s BoundarySpace<'a, L>,
    incumbents: Incumbents<'o>,
    latency: &'s LatencyLowerBound<'s>,
    relaxation: Option<Relaxation<'s, L>>,
    /// By operand, boundary and set: the least and the most load that the boundary adds at this set or any superset.
    loads_to_go: [Vec<Vec<[BoundaryLoad; 2]>>; OPERANDS],
    /// By operand, boundary and set: whether a run of irrelevant loops that ends here may shorten the window of a
    /// memory.
    runs_matter: [Vec<Vec<bool>>; OPERANDS],
    /// All partial chains that were reached. They are referred to by index, and never removed.
    chains: Vec<PartialChain>,
    /// The loads of all partial chains, `stride` numbers for each.
    loads: Vec<f64>,
    stride: usize,
    /// The partial chains that were not dominated when they were reached, by the set, the boundaries and the outputs of
    /// their state.
    fronts: FxHashMap<(u32, PlacedBoundaries, bool), Vec<u32>>,
    /// The sets that were met between two boundaries, by [`PartialChain::root`]. Factors come in any order there, as the
    /// first has to stay above the boundaries just placed, and constraints may ask for more; each set counts once.
    met: FxHashSet<(u32, u32)>,
    /// Partial chains to be expanded, best first.
    open: BinaryHeap<(OpenChainRank, u32)>,
    /// Dominated partial chains.
    deferred: Vec<u32>,
    /// Bounds of complete chains that no order reached.
    missed: Vec<ChainLowerBound>,
    /// The numbers of expanded chains at which to dive, and to raise the bound of the relaxation.
    next_dive: u64,
    next_subgradient: u64,
    /// Expanded chains between two ascents: more after each one that gained nothing.
    subgradient_every: u64,
    /// Whether there is an incumbent that the relaxation does not know.
    is_new: bool,
    /// Scores that differ by less than the unit are equal, and so are prices that differ by less than the tie.
    unit: f64,
    tie: f64,
    effort: SearchLimits<'s>,
    expanded: u64,
    unexplored: f64,
    /// Working memory for the loads of a bound.
    scratch: Cell<[Vec<f64>; 2]>,
}

/// The order of open chains: the score in units, so that equal ones are equal, and latency, least first; then progress,
/// which is the boundaries placed and the set, most first.
type OpenChainRank = (Reverse<(u64, u64)>, (u32, u32));

/// A partial chain: boundaries placed from the innermost outwards, as a link to the chain that it extends.
struct PartialChain {
    state: PartialMapping,
    price: f64,
    bound: ChainLowerBound,
    /// Stalls that may become the longest, one bit each ([`LatencyLowerBound::may_be_longest`]). Only these count for
    /// dominance.
    longest: u128,
    /// The chain that this one extends, and the boundary that it adds.
    before: u32,
    placed: Option<PlacedBoundary>,
    /// Index of the chain with which the last boundary was placed.
    root: u32,
    runs: Runs,
    /// Whether it was deferred and taken up again, or follows such a chain: it is then exempt from dominance.
    second_round: bool,
    expanded: bool,
}

/// The irrelevant loops that lie outermost in the present level of each operand in every order, up to the boundary that
/// was placed last.
#[derive(Clone, Copy)]
struct Runs {
    products: [u64; OPERANDS],
    /// The set of that boundary, as each operand sees it, and the product of its loops.
    seen: [u32; OPERANDS],
    cycles: u64,
}

impl Runs {
    const NONE: Self = Self { products: [1; OPERANDS], seen: [0; OPERANDS], cycles: 1 };

    /// The product of an operand's run if a boundary lay at the set of `state`. The loops since the last boundary come
    /// in any order: the run goes on if all of them are irrelevant. `None` where one is not.
    fn at(&self, state: &PartialMapping, operand: LayerOperand) -> Option<u64> {
        let goes_on = state.seen[operand] == self.seen[operand as usize];
        goes_on.then(|| self.products[operand as usize] * (state.cycles / self.cycles))
    }

    /// The runs once a boundary of `operand` is placed at the set of `state`, which begins a new level. A boundary of
    /// the array does not.
    fn after(&self, state: &PartialMapping, (operand, level): (LayerOperand, usize)) -> Self {
        let mut products = LayerOperand::ALL.map(|operand| self.at(state, operand).unwrap_or(1));
        if level > 0 {
            products[operand as usize] = 1;
        }
        Self { products, seen: state.seen, cycles: state.cycles }
    }
}

const START: u32 = u32::MAX;

/// Limit on the chains to the same state that a new one is compared with, latest first.
const MOST_COMPARED: usize = 64;

/// Expanded chains between two dives, and between the first two subgradient ascents of the relaxation.
const DIVE_EVERY: u64 = 200;
const SUBGRADIENT_EVERY: u64 = 500;

impl<'a, 's, 'o, L: Legality> BranchAndBound<'a, 's, 'o, L> {
    fn new(
        space: &'s BoundarySpace<'a, L>,
        incumbents: Incumbents<'o>,
        latency: &'s LatencyLowerBound<'s>,
        effort: SearchLimits<'s>,
    ) -> Self {
        Self {
            space,
            incumbents,
            loads_to_go: LayerOperand::ALL.map(|operand| loads_to_go(space, latency, operand)),
            runs_matter: LayerOperand::ALL.map(|operand| runs_matter(space, latency, operand)),
            stride: latency.start().len(),
            latency,
            relaxation: None,
            chains: Vec::new(),
            loads: Vec::new(),
            fronts: FxHashMap::default(),
            met: FxHashSet::default(),
            open: BinaryHeap::new(),
            deferred: Vec::new(),
            missed: Vec::new(),
            next_dive: 0,
            next_subgradient: SUBGRADIENT_EVERY,
            subgradient_every: SUBGRADIENT_EVERY,
            is_new: false,
            unit: 1.0,
            tie: 0.0,
            effort,
            expanded: 0,
            unexplored: f64::INFINITY,
            scratch: Cell::default(),
        }
    }

    /// Two rounds: without dominated chains, and with them where dominance did not prove enough.
    fn run(&mut self) {
        let Some(state) = self.space.start() else { return };
        let loads = self.latency.start();
        let (bound, longest) = self.bound(&state, 0.0, &loads);
        if bound.score.is_finite() && bound.score > 0.0 {
            self.unit = 1e-10 * bound.score;
        }
        self.tie = if self.incumbents.ignores_prices() {
            f64::INFINITY
        } else {
            1e-10 * (self.space.least_to_go(&state) + self.space.constant)
        };
        let chain = PartialChain {
            state,
            price: 0.0,
            bound,
            longest,
            before: START,
            placed: None,
            root: START,
            runs: Runs::NONE,
            second_round: false,
            expanded: false,
        };
        self.reach(chain, &loads);
        self.weigh_longest();
        self.subgradient_ascent();
        self.go_on();
        // A completion of a dominated chain has no lower bound than the same completion of the dominating one. If all
        // of those reached their bounds, or were beaten at their bounds, nothing better is left. Otherwise the deferred
        // chains need a look.
        if self.missed.iter().any(|missed| !self.incumbents.beat(missed)) {
            for index in std::mem::take(&mut self.deferred) {
                self.chains[index as usize].second_round = true;
                self.open(index);
            }
            self.go_on();
        }
    }

    /// Expands open chains, best first, until none is left that may lead to a better mapping, or effort is spent.
    fn go_on(&mut self) {
        while let Some((_, index)) = self.open.pop() {
            // A dive may have expanded it already. If its bound has risen, it is in the heap again, further down, or
            // beaten.
            if self.chains[index as usize].expanded || self.has_risen(index) {
                continue;
            }
            let bound = self.chains[index as usize].bound;
            if self.incumbents.beat(&bound) {
                continue;
            }
            if !self.may_go_on() {
                // This is the least bound of all open chains. Deferred chains are covered by the chains that dominate
                // them, unless those missed their bound.
                // The second round leaves open what the first one did, too.
                let missed = self.missed.iter().filter(|missed| !self.incumbents.beat(missed));
                let least = missed.fold(bound.score, |least, missed| least.min(missed.score));
                self.unexplored = self.unexplored.min(least);
                self.open.clear();
                return;
            }
            let reached = self.look_at(index);
            if self.relaxation.is_some() && self.expanded >= self.next_dive {
                self.dive(reached);
                self.next_dive = self.expanded + DIVE_EVERY;
            }
            if self.is_new {
                self.weigh_longest();
            }
            if self.expanded >= self.next_subgradient {
                if !self.subgradient_ascent() {
                    self.subgradient_every *= 2;
                }
                self.next_subgradient = self.expanded + self.subgradient_every;
            }
        }
    }

    /// Expands a partial chain, or tries the orders of a complete one. Returns the index of the first chain that it
    /// reaches.
    fn look_at(&mut self, index: u32) -> u32 {
        let reached = self.chains.len() as u32;
        self.expanded += 1;
        self.chains[index as usize].expanded = true;
        if self.space.is_complete(&self.chains[index as usize].state) {
            self.try_orders(index);
        } else {
            self.expand(index);
        }
        reached
    }

    /// Follows the best of the chains just reached, then the best of its successors, and so on to the end. Best-first
    /// search may take long to complete its first chain; a dive finds an incumbent that prunes.
    fn dive(&mut self, mut reached: u32) {
        while let Some(best) = (reached..self.chains.len() as u32).max_by_key(|&index| self.rank(index)) {
            reached = self.look_at(best);
        }
    }

    /// Whether the bound of a partial chain is higher than when it was opened, by subgradient ascents of the relaxation
    /// since then. It is then opened again with the new bound. So bounds are renewed only when a chain comes up.
    fn has_risen(&mut self, index: u32) -> bool {
        if self.relaxation.is_none() {
            return false;
        }
        let PartialChain { state, price, bound: old, .. } = self.chains[index as usize];
        let (bound, longest) = self.bound(&state, price, self.loads_of(index));
        if bound.score <= old.score + self.unit {
            return false;
        }
        let chain = &mut self.chains[index as usize];
        (chain.bound, chain.longest) = (bound, longest);
        if bound.score.is_finite() && !self.incumbents.beat(&bound) {
            self.open(index);
        }
        true
    }

    /// Begins a relaxation with weights of price that suit the incumbents.
    fn relax(&mut self) {
        self.relaxation = Relaxation::new(self.space, Some(self.latency), &self.incumbents.price_weights());
        // An ascent takes time in proportion to the nodes. The search in between lasts longer.
        let nodes = self.relaxation.as_ref().map_or(0, Relaxation::nodes) as u64;
        self.subgradient_every = SUBGRADIENT_EVERY.max(nodes / 32);
    }

    /// Lets the relaxation improve its bound for the open chain that comes next: the least bound of all, which holds up
    /// the proof. Returns whether it gains anything.
    fn subgradient_ascent(&mut self) -> bool {
        let Some(&(_, next)) = self.open.peek() else { return false };
        let Some(mut relaxation) = self.relaxation.take() else { return false };
        let PartialChain { state, price, .. } = &self.chains[next as usize];
        let placed = PlacedChain { state, price: *price, loads: self.loads_of(next) };
        let gains = relaxation.subgradient_ascent(placed, &|weight| self.incumbents.least_sum(weight));
        self.relaxation = Some(relaxation);
        gains
    }

    /// Lets the relaxation weigh what is longest in the incumbent that is least by each of its weights of price, for
    /// the open chain that comes next.
    fn weigh_longest(&mut self) {
        let Some(&(_, next)) = self.open.peek() else { return };
        let Some(mut relaxation) = self.relaxation.take() else { return };
        let PartialChain { state, price, .. } = &self.chains[next as usize];
        let placed = PlacedChain { state, price: *price, loads: self.loads_of(next) };
        relaxation.weigh_longest(placed, &|weight| self.incumbents.least_sum(weight), &|weight| {
            let Solution { order, allocation, .. } = &self.incumbents.least_by(weight)?.solution;
            let cost = self.space.evaluator.evaluate(order, allocation)?;
            Some(self.latency.loads_of(order, &cost))
        });
        self.relaxation = Some(relaxation);
        self.is_new = false;
    }

    fn loads_of(&self, index: u32) -> &[f64] {
        &self.loads[index as usize * self.stride..][..self.stride]
    }

    fn may_go_on(&self) -> bool {
        let (most, has_time) = self.effort;
        self.expanded < most && has_time()
    }

    /// Reaches all chains that extend a chain by one boundary at its set, or by one loop.
    fn expand(&mut self, index: u32) {
        let PartialChain { state, price, root, runs, second_round, .. } = self.chains[index as usize];
        let before = self.loads_of(index).to_vec();
        let mut loads = before.clone();
        for operand in LayerOperand::ALL {
            let Some((next, added)) = self.space.place(&state, operand) else { continue };
            let placed = self.space.last_placed(&next, operand);
            loads.copy_from_slice(&before);
            let run = runs.at(&state, operand).unwrap_or(1);
            let load = match &self.relaxation {
                Some(relaxation) if run == 1 => *relaxation.load(&state, operand, usize::from(state.placed[operand])),
                _ => self.latency.load(operand, placed.level, &self.space.factors.sizes(placed.set), run),
            };
            self.latency.place(&mut loads, &load);
            let runs = runs.after(&state, (operand, placed.level));
            let (state, price, placed) = (next, price + added, Some(placed));
            let (bound, longest) = self.bound(&state, price, &loads);
            self.reach(
                PartialChain {
                    state,
                    price,
                    bound,
                    longest,
                    before: index,
                    placed,
                    root: self.chains.len() as u32,
                    runs,
                    second_round,
                    expanded: false,
                },
                &loads,
            );
        }
        for factor in 0..self.space.factors.list.len() {
            if let Some(state) = self.space.add(&state, factor)
                && self.met.insert((root, state.set))
            {
                let (bound, longest) = self.bound(&state, price, &before);
                self.reach(
                    PartialChain {
                        state,
                        price,
                        bound,
                        longest,
                        before: index,
                        placed: None,
                        root,
                        runs,
                        second_round,
                        expanded: false,
                    },
                    &before,
                );
            }
        }
    }

    /// Keeps a partial chain, unless its bound is no better than the best mapping; defers it if another one dominates
    /// it.
    ///
    /// The other one dominates if every completion of this chain is one of the other, too (its state leaves no less), at
    /// no higher price, and with no higher bound on latency whatever loads are added to both.
    fn reach(&mut self, chain: PartialChain, loads: &[f64]) {
        if !chain.bound.score.is_finite() || self.incumbents.beat(&chain.bound) {
            return;
        }
        let index = self.chains.len() as u32;
        let mut is_dominated = false;
        if !chain.second_round {
            let PartialMapping { set, is_final, .. } = chain.state;
            let front = self.fronts.entry((set, chain.state.opened(), is_final)).or_default();
            let (chains, all_loads, stride, runs_matter) = (&self.chains, &self.loads, self.stride, &self.runs_matter);
            let loads_of = |index: u32| &all_loads[index as usize * stride..][..stride];
            is_dominated = front.iter().rev().take(MOST_COMPARED).any(|&index| {
                let other = &chains[index as usize];
                other.state.leaves_no_less(&chain.state)
                    && other.price <= chain.price + self.tie
                    && runs_are_no_longer(runs_matter, other, &chain)
                    && self.latency.is_never_slower(loads_of(index), other.longest, loads)
            });
            if !is_dominated {
                front.push(index);
            }
        }
        self.chains.push(chain);
        self.loads.extend_from_slice(loads);
        if is_dominated {
            self.deferred.push(index);
        } else {
            self.open(index);
        }
    }

    fn open(&mut self, index: u32) {
        self.open.push((self.rank(index), index));
    }

    fn rank(&self, index: u32) -> OpenChainRank {
        let PartialChain { state, bound, .. } = &self.chains[index as usize];
        let score = (bound.score / self.unit).round() as u64;
        let progress = (u32::from(state.placed.iter().sum::<u8>()), state.set);
        (Reverse((score, bound.latency_cycles)), progress)
    }

    /// The bound of a partial chain, from the boundaries that are placed and the least of those that are left. And the
    /// stalls that may become the longest, for which the most of those that are left counts, too.
    fn bound(&self, state: &PartialMapping, price: f64, loads: &[f64]) -> (ChainLowerBound, u128) {
        let to_go = self.space.least_to_go(state);
        if to_go == f64::INFINITY {
            return (ChainLowerBound::INFINITE, 0);
        }
        let [mut least, mut most] = self.scratch.take();
        least.clear();
        least.extend_from_slice(loads);
        most.clone_from(&least);
        for (operand, boundaries) in self.loads_to_go.iter().enumerate() {
            for to_go in &boundaries[usize::from(state.placed[operand])..] {
                let [least_to_go, most_to_go] = &to_go[state.seen[operand] as usize];
                self.latency.place(&mut least, least_to_go);
                self.latency.place(&mut most, most_to_go);
            }
        }
        let (longest, cycles) = (self.latency.may_be_longest(&least, &most), self.latency.cycles(&least));
        self.scratch.set([least, most]);
        let lines =
            self.relaxation.iter().flat_map(|relaxation| relaxation.bounds(PlacedChain { state, price, loads }));
        (self.incumbents.bound(price + to_go + self.space.constant, cycles, lines), longest)
    }

    /// Evaluates the orders of a complete chain. If none reaches the bound that the chain had for dominance, that bound
    /// is noted as missed.
    fn try_orders(&mut self, index: u32) {
        let partial = &self.chains[index as usize];
        let mut placed = Vec::new();
        let mut at = partial;
        loop {
            placed.extend(at.placed);
            if at.before == START {
                break;
            }
            at = &self.chains[at.before as usize];
        }
        placed.reverse();
        let chain = BoundaryChain::new(self.space, &placed);
        let loads = self.loads_of(index);
        // The bound without regard to orders, by which the chain may have dominated others; and that of its own orders,
        // which is higher where irrelevant loops shorten the window of a memory.
        let (with_any_order, price) = (partial.bound, partial.price);
        let price = price + self.space.constant;
        let cycles = chain.latency_bound(&self.space.factors, self.latency, loads);
        let bound = self.incumbents.bound(price, cycles, std::iter::empty());
        if self.incumbents.beat(&bound) {
            self.missed.push(with_any_order);
            return;
        }
        let space = self.space;
        chain.for_each_order(|order, allocation| {
            self.expanded += 1;
            if let Some(cost) = space.evaluator.evaluate(order, allocation) {
                let (energy_pj, latency_cycles) = (cost.energy_pj(), cost.latency.total_cycles());
                debug_assert!(
                    self.latency.allows(bound.latency_cycles, latency_cycles),
                    "{latency_cycles} is below the bound"
                );
                self.is_new |= self.incumbents.offer(price, &cost, || Solution {
                    order: order.to_vec(),
                    allocation: *allocation,
                    energy_pj,
                    latency_cycles,
                });
            }
            !self.incumbents.beat(&bound) && self.may_go_on()
        });
        if !self.incumbents.beat(&with_any_order) {
            self.missed.push(with_any_order);
        }
    }
}

/// Whether runs make a memory wait no longer after chain `a` than after `b`, which has the same set and boundaries.
fn runs_are_no_longer(matter: &[Vec<Vec<bool>>; OPERANDS], a: &PartialChain, b: &PartialChain) -> bool {
    LayerOperand::ALL.into_iter().all(|operand| {
        let here = matter[operand].get(usize::from(a.state.placed[operand]));
        let matters = here.is_some_and(|here| here[a.state.seen[operand] as usize]);
        !matters || a.runs.at(&a.state, operand) <= b.runs.at(&b.state, operand)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::legality::NoConstraints;
    use super::super::orders::tests::{HARDWARE, small_problem};
    use super::*;
    use crate::cost::Evaluator;
    use crate::hardware::Core;
    use crate::mapping::{LayerOnCore, temporal};
    use crate::rules::Rules;
    use crate::search::Objective;
    use crate::workload::Dim;
    use std::collections::BTreeSet;

    /// The sets that adding loops one by one reaches, in any order, as long as the boundaries that are left fit.
    fn reached<L: Legality>(space: &BoundarySpace<'_, L>, state: &PartialMapping, sets: &mut BTreeSet<u32>) {
        for factor in 0..space.factors.list.len() {
            if let Some(next) = space.add(state, factor)
                && space.least_to_go(&next) < f64::INFINITY
                && sets.insert(next.set)
            {
                reached(space, &next, sets);
            }
        }
    }

    /// The first loop above boundaries must be irrelevant to none of their operands; the loops that follow it may be.
    #[test]
    fn between_two_boundaries_every_set_is_reached() {
        let core = Core::from_text(HARDWARE).unwrap();
        let mut sets_in_all = 0;
        for sizes in [[1, 1, 4, 2, 1, 3, 1, 1], [1, 1, 4, 2, 1, 2, 1, 3], [1, 2, 2, 2, 4, 1, 1, 1]] {
            let problem = small_problem(sizes, false);
            let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            let evaluator = Evaluator::new(&layer);
            let loops = temporal::limited_factors(&layer.spatial.temporal_sizes, &Dim::ALL, usize::MAX, false).unwrap();
            let space =
                BoundarySpace::new(&evaluator, &layer, &loops, (1 << 12, None::<&NoConstraints>), &|_, _, _, pj| pj)
                    .unwrap();
            let latency = LatencyLowerBound::new(&evaluator);
            for operands in 1..1_u8 << OPERANDS {
                let mut chosen = LayerOperand::ALL.into_iter().filter(|&operand| operands >> operand as u8 & 1 == 1);
                let placed = |state: PartialMapping, operand| space.place(&state, operand).map(|(state, _)| state);
                let Some(state) = chosen.try_fold(space.start().unwrap(), placed) else { continue };
                let mut search = BranchAndBound::new(
                    &space,
                    Incumbents::new(Wanted::Best(&Objective::Latency)),
                    &latency,
                    (u64::MAX, &|| true),
                );
                let loads = latency.start();
                let (bound, longest) = search.bound(&state, 0.0, &loads);
                let root = PartialChain {
                    state,
                    price: 0.0,
                    bound,
                    longest,
                    before: START,
                    placed: None,
                    root: 0,
                    runs: Runs::NONE,
                    second_round: false,
                    expanded: false,
                };
                search.reach(root, &loads);
                let (mut index, mut found) = (0, BTreeSet::new());
                while let Some(chain) = search.chains.get(index) {
                    if chain.root == 0 {
                        found.insert(chain.state.set);
                        search.expand(index as u32);
                    }
                    index += 1;
                }
                let mut expected = BTreeSet::from([state.set]);
                reached(&space, &state, &mut expected);
                assert_eq!(found, expected, "{operands:b}");
                sets_in_all += expected.len();
            }
        }
        assert!(sets_in_all > 100, "{sets_in_all} sets");
    }
}
