//! The fastest of all chains of least price.

use super::cheapest::{Cheapest, Placed};
use super::orders::Chain;
use super::space::Space;
use crate::cost::{BoundaryLoad, LatencyBound};
use crate::search::Solution;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The best so far, and how much may still be looked at.
struct Ties<'a, 's> {
    space: &'s Space<'a>,
    cheapest: &'s mut Cheapest,
    /// Placed boundaries, outermost first.
    chain: Vec<Placed>,
    bound: LatencyBound<'s>,
    last_placed: FxHashMap<u32, Rc<Vec<(Placed, u32)>>>,
    best: Option<Solution>,
    budget: u64,
}

/// The fastest mapping at least price, and whether that is proved: at most `most` chains and orders are looked at.
pub fn fastest(space: &Space<'_>, cheapest: &mut Cheapest, most: u64) -> (Option<Solution>, bool) {
    let mut ties = Ties {
        space,
        cheapest,
        chain: Vec::new(),
        bound: LatencyBound::new(space.evaluator),
        last_placed: FxHashMap::default(),
        best: None,
        budget: most,
    };
    for goal in ties.cheapest.goals() {
        ties.descend(goal);
    }
    (ties.best, ties.budget > 0)
}

impl Ties<'_, '_> {
    /// Goes through all chains that lead to a state.
    fn descend(&mut self, index: u32) {
        if self.cheapest.placed(index) == [0; 3] {
            self.try_orders();
            return;
        }
        let (space, cheapest) = (self.space, &mut *self.cheapest);
        let choices =
            self.last_placed.entry(index).or_insert_with(|| Rc::new(cheapest.last_placed(space, index))).clone();
        let mut ranked: Vec<_> = choices
            .iter()
            .map(|&(placed, from)| {
                let load = self.load(placed, 1);
                self.bound.place(&load);
                let cycles = self.bound.cycles();
                self.bound.remove(&load);
                (cycles, placed, from, load)
            })
            .collect();
        ranked.sort_by_key(|&(cycles, ..)| cycles);
        for (cycles, placed, from, load) in ranked {
            if self.budget == 0 || self.is_beaten(cycles) {
                return;
            }
            self.budget -= 1;
            self.bound.place(&load);
            self.chain.push(placed);
            self.descend(from);
            self.chain.pop();
            self.bound.remove(&load);
        }
    }

    fn is_beaten(&self, cycles: u64) -> bool {
        self.best.as_ref().is_some_and(|best| best.latency_cycles <= cycles)
    }

    /// What a placed boundary adds to the bound, when irrelevant loops of product `irrelevant` must be the outermost below.
    fn load(&self, placed: Placed, irrelevant: u64) -> BoundaryLoad {
        self.bound.load(placed.operand, placed.level, &self.space.factors.sizes(placed.set), irrelevant)
    }

    fn try_orders(&mut self) {
        let placed: Vec<Placed> = self.chain.iter().rev().copied().collect();
        let chain = Chain::new(self.space.problem, &self.space.factors, &placed);
        let mut bound = LatencyBound::new(self.space.evaluator);
        for (placed, irrelevant) in chain.outermost_irrelevant() {
            bound.place(&self.load(placed, irrelevant));
        }
        let bound = bound.cycles();
        if self.is_beaten(bound) {
            return;
        }
        chain.for_each_order(|order, allocation| {
            self.budget = self.budget.saturating_sub(1);
            if let Some(cost) = self.space.evaluator.evaluate(order, allocation) {
                let latency_cycles = cost.latency.total_cycles();
                debug_assert!(latency_cycles >= bound, "the bound {bound} is no bound: {latency_cycles}");
                if !self.is_beaten(latency_cycles) {
                    self.best = Some(Solution {
                        order: order.to_vec(),
                        allocation: *allocation,
                        energy_pj: cost.energy_pj(),
                        latency_cycles,
                    });
                }
            }
            self.budget > 0 && !self.is_beaten(bound)
        });
    }
}
