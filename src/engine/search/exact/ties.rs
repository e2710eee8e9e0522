//! The fastest of all chains of least price.
//!
//! The graph of predecessors in [`Cheapest`] holds exactly these chains. A depth-first branch and bound follows it
//! backwards, from a complete state to the empty set, one boundary for each step. The load of a boundary depends on its
//! set alone, so the loads of the boundaries on the way are known whatever lies below them. Further boundaries only add
//! to loads: the bound of the loads so far ([`LatencyLowerBound`]) holds for all chains that end in this way. A whole
//! chain need not reach its bound, so its orders are evaluated ([`BoundaryChain::for_each_order`]).
//!
//! There may be exponentially many chains of equal price; a limit on steps and orders ends the search without a proof.

use super::SearchLimits;
use super::cheapest::Cheapest;
use super::legality::Legality;
use super::orders::BoundaryChain;
use super::space::{BoundarySpace, PlacedBoundary};
use crate::cost::{BoundaryLoad, LatencyLowerBound};
use crate::search::Solution;
use crate::sorting::sort_by_key;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The search through chains of equal price: the best so far, and the limits that are left.
struct Ties<'a, 's, L> {
    space: &'s BoundarySpace<'a, L>,
    cheapest: &'s mut Cheapest,
    /// Placed boundaries, outermost first: the way from the goal to the present state.
    chain: Vec<PlacedBoundary>,
    bound: LatencyLowerBound<'s>,
    /// A stack of vectors of `stride` loads: for each step on the way, those of all its alternatives.
    loads: Vec<f64>,
    stride: usize,
    /// Results of [`Ties::steps`], by state, as many chains lead through the same state.
    last_placed: FxHashMap<u32, Rc<[LastPlaced]>>,
    best: Option<Solution>,
    /// Steps and orders that are left; 0 means that nothing is proved.
    budget: u64,
    has_time: &'s dyn Fn() -> bool,
}

/// A boundary that may have been placed last: its load, and the state before.
#[derive(Clone, Copy)]
struct LastPlaced {
    placed: PlacedBoundary,
    load: BoundaryLoad,
    before: u32,
}

/// The fastest mapping at least price, and whether that is proved. The limits count steps and orders.
pub fn fastest<L: Legality>(
    space: &BoundarySpace<'_, L>,
    cheapest: &mut Cheapest,
    (most, has_time): SearchLimits<'_>,
) -> (Option<Solution>, bool) {
    let bound = LatencyLowerBound::new(space.evaluator);
    let start = bound.start();
    let stride = start.len();
    let mut ties = Ties {
        space,
        cheapest,
        chain: Vec::new(),
        bound,
        loads: start,
        stride,
        last_placed: FxHashMap::default(),
        best: None,
        budget: most,
        has_time,
    };
    for goal in ties.cheapest.goals() {
        ties.descend(goal, 0);
    }
    (ties.best, ties.budget > 0)
}

impl<L: Legality> Ties<'_, '_, L> {
    /// Goes through all chains that lead to the state `index`. `above` is the place in [`Self::loads`] of the loads of
    /// the boundaries above that state, those in [`Self::chain`].
    fn descend(&mut self, index: u32, above: usize) {
        if self.cheapest.placed(index) == [0; 3] {
            // No boundary is left below: the chain is whole.
            self.try_orders(above);
            return;
        }
        let steps = self.steps(index);
        let start = self.loads.len();
        let mut ranked: Vec<(u64, usize)> = Vec::with_capacity(steps.len());
        for (number, step) in steps.iter().enumerate() {
            self.loads.extend_from_within(above..above + self.stride);
            let loads = &mut self.loads[start + number * self.stride..];
            self.bound.place(loads, &step.load);
            ranked.push((self.bound.cycles(loads), number));
        }
        if ranked.len() > 1 {
            sort_by_key(&mut ranked, |&(cycles, _)| cycles);
        }
        for (cycles, number) in ranked {
            // Bounds ascend: once one is beaten, so are all that follow.
            if !self.may_go_on() || self.is_beaten(cycles) {
                break;
            }
            self.budget -= 1;
            self.chain.push(steps[number].placed);
            self.descend(steps[number].before, start + number * self.stride);
            self.chain.pop();
        }
        self.loads.truncate(start);
    }

    /// The boundaries that may have been placed last on the way to a state, with their loads for any order of loops
    /// below.
    fn steps(&mut self, index: u32) -> Rc<[LastPlaced]> {
        let (space, cheapest, bound) = (self.space, &mut *self.cheapest, &self.bound);
        let found = self.last_placed.entry(index).or_insert_with(|| {
            let steps = cheapest.last_placed(space, index).into_iter().map(|(placed, before)| {
                let sizes = space.factors.sizes(placed.set);
                LastPlaced { placed, load: bound.load(placed.operand, placed.level, &sizes, 1), before }
            });
            steps.collect()
        });
        Rc::clone(found)
    }

    fn may_go_on(&mut self) -> bool {
        if !(self.has_time)() {
            self.budget = 0;
        }
        self.budget > 0
    }

    fn is_beaten(&self, cycles: u64) -> bool {
        self.best.as_ref().is_some_and(|best| best.latency_cycles <= cycles)
    }

    fn try_orders(&mut self, loads: usize) {
        let placed: Vec<PlacedBoundary> = self.chain.iter().rev().copied().collect();
        let chain = BoundaryChain::new(self.space, &placed);
        let loads = &self.loads[loads..loads + self.stride];
        // The bound of the whole chain also counts irrelevant loops that lie just below a boundary in every order.
        let bound = chain.latency_bound(&self.space.factors, &self.bound, loads);
        if self.is_beaten(bound) {
            return;
        }
        let evaluator = self.space.evaluator;
        chain.for_each_order(|order, allocation| {
            self.budget = self.budget.saturating_sub(1);
            if let Some(moves) = evaluator.moves(order, allocation) {
                let latency_cycles = evaluator.latency_cycles(order, &moves);
                debug_assert!(
                    self.bound.allows(bound, latency_cycles),
                    "the bound {bound} is no bound: {latency_cycles}"
                );
                if !self.is_beaten(latency_cycles) {
                    let energy_pj = evaluator.energy_pj(&moves);
                    self.best =
                        Some(Solution { order: order.to_vec(), allocation: *allocation, energy_pj, latency_cycles });
                }
            }
            // An order that reaches the bound of its chain is the fastest of it.
            self.may_go_on() && !self.is_beaten(bound)
        });
    }
}
