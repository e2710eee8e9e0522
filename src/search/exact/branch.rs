//! Objectives in which latency counts, by branch and bound.
//!
//! Latency is no sum over boundaries, but it is bounded by one ([`LatencyBound`]). Chains are built from the innermost
//! boundary outwards; whatever cannot become better than the best mapping known is left out.

use super::cheapest::Placed;
use super::orders::Chain;
use super::space::{Space, State};
use crate::cost::{BoundaryLoad, LatencyBound, LayerCost};
use crate::mapping::OPERANDS;
use crate::search::{Candidate, Objective, Solution};

/// The best mapping, and how far the search got.
pub struct Found {
    pub best: Option<(Solution, Candidate)>,
    /// Partial chains and orders looked at.
    pub looked_at: u64,
    /// What was left out unseen scores at least this; infinite where nothing was.
    pub unseen: f64,
}

/// Searches for the best mapping, with `known` to start from, looking at `most` partial chains and orders.
pub fn best(space: &Space<'_>, objective: &Objective, known: Vec<Solution>, most: u64) -> Found {
    let mut search = Search {
        space,
        objective,
        loads: std::array::from_fn(|operand| least_loads(space, operand)),
        bound: LatencyBound::new(space.evaluator),
        chain: Vec::new(),
        most,
        found: Found { best: None, looked_at: 0, unseen: f64::INFINITY },
    };
    for solution in known {
        if let Some(cost) = space.evaluator.evaluate(&solution.order, &solution.allocation) {
            search.consider(&cost, || solution);
        }
    }
    if let Some(start) = space.start() {
        search.descend(&start, 0.0, 0);
    }
    search.found
}

struct Search<'a, 's> {
    space: &'s Space<'a>,
    objective: &'s Objective,
    /// By operand, boundary and set: the least that the boundary adds to latency, here or at any superset.
    loads: [Vec<Vec<BoundaryLoad>>; OPERANDS],
    bound: LatencyBound<'s>,
    /// Placed boundaries from the innermost.
    chain: Vec<Placed>,
    most: u64,
    found: Found,
}

/// A next step: the state after it, its price so far, the first factor that may follow, and what was placed.
struct Step {
    bound: Bound,
    state: State,
    price: f64,
    factor: usize,
    placed: Option<(Placed, BoundaryLoad)>,
}

/// No completion is better, neither in score nor, among equal ones, in what breaks ties.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Bound {
    score: f64,
    latency_cycles: u64,
    energy_pj: f64,
}

impl Search<'_, '_> {
    fn descend(&mut self, state: &State, price: f64, first_factor: usize) {
        if self.space.is_complete(state) {
            self.try_orders(price);
            return;
        }
        let mut steps = Vec::new();
        for operand in 0..OPERANDS {
            if let Some((next, added)) = self.space.place(state, operand) {
                let placed = self.space.last_placed(&next, operand);
                let load = self.load(placed);
                self.bound.place(&load);
                let bound = self.bound(&next, price + added);
                self.bound.remove(&load);
                steps.push(Step { bound, state: next, price: price + added, factor: 0, placed: Some((placed, load)) });
            }
        }
        // Between two boundaries the factors come in the order of their numbers, so that every set is met once.
        for factor in first_factor..self.space.factors.list.len() {
            if let Some(next) = self.space.add(state, factor) {
                steps.push(Step { bound: self.bound(&next, price), state: next, price, factor, placed: None });
            }
        }
        steps.sort_by_key(|step| self.rank(&step.bound));
        for step in steps {
            if !step.bound.score.is_finite() || self.is_beaten(&step.bound) {
                continue;
            }
            if self.found.looked_at >= self.most {
                self.found.unseen = self.found.unseen.min(step.bound.score);
                continue;
            }
            self.found.looked_at += 1;
            if let Some((placed, load)) = step.placed {
                self.bound.place(&load);
                self.chain.push(placed);
                self.descend(&step.state, step.price, step.factor);
                self.chain.pop();
                self.bound.remove(&load);
            } else {
                self.descend(&step.state, step.price, step.factor);
            }
        }
    }

    fn load(&self, placed: Placed) -> BoundaryLoad {
        self.bound.load(placed.operand, placed.level, &self.space.factors.sizes(placed.set), 1)
    }

    /// With what is placed and the least of what is not.
    fn bound(&mut self, state: &State, price: f64) -> Bound {
        let to_go = self.space.least_to_go(state);
        if to_go == f64::INFINITY {
            return Bound { score: f64::INFINITY, latency_cycles: u64::MAX, energy_pj: f64::INFINITY };
        }
        let mut open = Vec::new();
        for (operand, boundaries) in self.loads.iter().enumerate() {
            for loads in &boundaries[usize::from(state.placed[operand])..] {
                open.push(loads[state.seen[operand] as usize]);
            }
        }
        for load in &open {
            self.bound.place(load);
        }
        let latency_cycles = self.bound.cycles();
        for load in &open {
            self.bound.remove(load);
        }
        self.score(price + to_go, latency_cycles)
    }

    /// What comes first; scores that are equal but for rounding are equal here.
    fn rank(&self, bound: &Bound) -> (u64, u64) {
        let unit = self.found.best.as_ref().map_or(1.0, |(_, best)| best.score * 1e-10);
        ((bound.score / unit).round() as u64, bound.latency_cycles)
    }

    fn score(&self, price: f64, latency_cycles: u64) -> Bound {
        let price = price + self.space.constant;
        let latency = latency_cycles as f64;
        let (score, energy_pj) = match self.objective {
            Objective::Latency => (latency, price),
            Objective::EnergyDelayProduct => (price * latency, price),
            Objective::Weighted(weights) => (price + weights.latency * latency, 0.0),
            Objective::Energy | Objective::DramAccesses | Objective::MemoryAccesses(_) => (price, price),
        };
        Bound { score, latency_cycles, energy_pj }
    }

    fn is_beaten(&self, bound: &Bound) -> bool {
        let Some((_, best)) = &self.found.best else { return false };
        if !best.may_tie(bound.score) {
            return true;
        }
        let faster = bound.latency_cycles < best.latency_cycles;
        let cheaper = matches!(self.objective, Objective::Latency) && bound.energy_pj < best.energy_pj * (1.0 - 1e-9);
        let scores_less = bound.score < best.score * (1.0 - 1e-9);
        !(scores_less || faster || bound.latency_cycles == best.latency_cycles && cheaper)
    }

    fn consider(&mut self, cost: &LayerCost, solution: impl FnOnce() -> Solution) {
        let candidate = Candidate::new(self.space.problem, self.objective, cost);
        match &mut self.found.best {
            Some((best, so_far)) if candidate.beats(so_far) => {
                *so_far = candidate.after(so_far);
                *best = solution();
            }
            Some(_) => {}
            None => self.found.best = Some((solution(), candidate)),
        }
    }

    fn try_orders(&mut self, price: f64) {
        let chain = Chain::new(self.space.problem, &self.space.factors, &self.chain);
        let mut latency = LatencyBound::new(self.space.evaluator);
        for (placed, irrelevant) in chain.outermost_irrelevant() {
            let sizes = self.space.factors.sizes(placed.set);
            let load = latency.load(placed.operand, placed.level, &sizes, irrelevant);
            latency.place(&load);
        }
        let bound = self.score(price, latency.cycles());
        if self.is_beaten(&bound) {
            return;
        }
        let space = self.space;
        let all = chain.for_each_order(|order, allocation| {
            self.found.looked_at += 1;
            if let Some(cost) = space.evaluator.evaluate(order, allocation) {
                let (energy_pj, latency_cycles) = (cost.energy_pj(), cost.latency.total_cycles());
                debug_assert!(latency_cycles >= bound.latency_cycles, "{latency_cycles} is below the bound");
                self.consider(&cost, || Solution {
                    order: order.to_vec(),
                    allocation: *allocation,
                    energy_pj,
                    latency_cycles,
                });
            }
            !self.is_beaten(&bound) && self.found.looked_at < self.most
        });
        if !all && !self.is_beaten(&bound) {
            self.found.unseen = self.found.unseen.min(bound.score);
        }
    }
}

/// The least that each boundary of an operand adds to latency, for every set as the operand sees it and its supersets.
fn least_loads(space: &Space<'_>, operand: usize) -> Vec<Vec<BoundaryLoad>> {
    let bound = LatencyBound::new(space.evaluator);
    (0..space.boundary_count(operand))
        .map(|index| {
            let mut loads = Vec::with_capacity(space.factors.seen_sets[operand] as usize);
            space.factors.for_each_seen(operand, |set, sizes| {
                loads.push(if space.may_hold(operand, index, set) {
                    // Irrelevant loops below make everything rarer and nothing larger.
                    let with_irrelevant = space.with_irrelevant(operand, sizes);
                    bound.load(operand, space.level(operand, index), &with_irrelevant, 1)
                } else {
                    BoundaryLoad::NONE
                });
            });
            space.factors.least_of_supersets(operand, &mut loads, BoundaryLoad::least);
            loads
        })
        .collect()
}
