//! The fastest of all chains of least price.

use super::SearchLimits;
use super::cheapest::{Cheapest, PlacedBoundary};
use super::orders::Chain;
use super::space::Space;
use crate::cost::{BoundaryLoad, LatencyBound};
use crate::mapping::{Allocation, TemporalLoop};
use crate::search::Solution;
use crate::sorting::sort_by_key;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The search through chains of equal price: the best so far, and the limits that are left.
struct Ties<'a, 's> {
    space: &'s Space<'a>,
    cheapest: &'s mut Cheapest,
    /// Placed boundaries, outermost first, with what they add to latency.
    chain: Vec<(PlacedBoundary, BoundaryLoad)>,
    bound: LatencyBound<'s>,
    last_placed: FxHashMap<u32, Rc<[Step]>>,
    best: Option<(Vec<TemporalLoop>, Allocation, u64)>,
    budget: u64,
    has_time: &'s dyn Fn() -> bool,
}

/// A boundary that may have been placed last: what it adds to latency, and the state before.
#[derive(Clone, Copy)]
struct Step {
    placed: PlacedBoundary,
    load: BoundaryLoad,
    before: u32,
}

/// The fastest mapping at least price, and whether that is proved: chains and orders are evaluated within the limits.
pub fn fastest(
    space: &Space<'_>,
    cheapest: &mut Cheapest,
    (most, has_time): SearchLimits<'_>,
) -> (Option<Solution>, bool) {
    let bound = LatencyBound::new(space.evaluator);
    let start = bound.start();
    let mut ties = Ties {
        space,
        cheapest,
        chain: Vec::new(),
        bound,
        last_placed: FxHashMap::default(),
        best: None,
        budget: most,
        has_time,
    };
    for goal in ties.cheapest.goals() {
        ties.descend(goal, &start);
    }
    let best = ties.best.and_then(|(order, allocation, latency_cycles)| {
        let energy_pj = space.evaluator.energy_pj(&space.evaluator.moves(&order, &allocation)?);
        Some(Solution { order, allocation, energy_pj, latency_cycles })
    });
    (best, ties.budget > 0)
}

impl Ties<'_, '_> {
    /// Goes through all chains that lead to a state, with the loads of what lies above it.
    fn descend(&mut self, index: u32, loads: &[f64]) {
        if self.cheapest.placed(index) == [0; 3] {
            self.try_orders(loads);
            return;
        }
        let steps = self.steps(index);
        let mut ranked: Vec<_> = steps
            .iter()
            .map(|step| {
                let mut loads = loads.to_vec();
                self.bound.place(&mut loads, &step.load);
                (self.bound.cycles(&loads), step, loads)
            })
            .collect();
        sort_by_key(&mut ranked, |&(cycles, ..)| cycles);
        for (cycles, step, loads) in ranked {
            if !self.may_go_on() || self.is_beaten(cycles) {
                return;
            }
            self.budget -= 1;
            self.chain.push((step.placed, step.load));
            self.descend(step.before, &loads);
            self.chain.pop();
        }
    }

    /// The boundaries that may have been placed last on the way to a state.
    fn steps(&mut self, index: u32) -> Rc<[Step]> {
        let (space, cheapest, bound) = (self.space, &mut *self.cheapest, &self.bound);
        let found = self.last_placed.entry(index).or_insert_with(|| {
            let steps = cheapest.last_placed(space, index).into_iter().map(|(placed, before)| {
                let sizes = space.factors.sizes(placed.set);
                Step { placed, load: bound.load(placed.operand, placed.level, &sizes, 1), before }
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
        self.best.as_ref().is_some_and(|(.., latency_cycles)| *latency_cycles <= cycles)
    }

    fn try_orders(&mut self, loads: &[f64]) {
        let placed: Vec<PlacedBoundary> = self.chain.iter().rev().map(|&(placed, _)| placed).collect();
        let chain = Chain::new(self.space, &placed);
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
                    self.best = Some((order.to_vec(), *allocation, latency_cycles));
                }
            }
            self.may_go_on() && !self.is_beaten(bound)
        });
    }
}
