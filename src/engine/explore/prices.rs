//! Prices of mapping problems and copies by the objective of a sweep, among which placements are chosen.

use super::cost_store::{KnownCost, ScoreCost};
use super::incremental_sweep::ProblemSolver;
use crate::depth_first::{
    BoundsByLevel, COUNTED_MEMORIES, CopyAction, CopyRoutes, Feasibility, KnownScore, NotPlanned, Price, Prices,
    PricesByLevel, ProblemCost,
};
use crate::hardware::MemoryId;
use crate::mapping::LayerProblem;
use crate::search::{Effort, Objective, Weights, has_mapping};
use crate::units::Cycles;

/// The prices of a sweep, whose problems are searched as long as there is time.
pub(super) struct SweepPrices<'p, 's> {
    solver: &'p mut ProblemSolver<'s>,
    has_time: &'p mut dyn FnMut() -> bool,
    /// A sum over all parts of a schedule.
    objective: Objective,
    routes: CopyRoutes<'s>,
    /// Whether lower bounds hold under the rules of the sweep.
    has_bounds: bool,
}

impl<'p, 's> SweepPrices<'p, 's> {
    /// Prices by the objective of the sweep; where that is no sum, by energy and latency at a slope, pJ for a cycle.
    pub fn new(solver: &'p mut ProblemSolver<'s>, slope: Option<f64>, has_time: &'p mut dyn FnMut() -> bool) -> Self {
        let settings = &solver.sweep.settings;
        let weighted = |latency: f64| Objective::Weighted(Weights { energy: 1.0, latency, dram_accesses: 0.0 });
        let objective = slope.map_or_else(|| settings.objective.clone(), weighted);
        let has_bounds = settings.rules.has_layer_bounds();
        let routes = CopyRoutes::new(&solver.sweep.core, settings.rules);
        Self { objective, routes, has_bounds, solver, has_time }
    }

    fn price(&self, energy_pj: f64, latency_cycles: f64, [dram, named]: [f64; COUNTED_MEMORIES]) -> Price {
        let score = self.objective.combine(energy_pj, Cycles(latency_cycles), &|| dram, &|_| named);
        Price(self.objective.figures(score, energy_pj, latency_cycles))
    }

    fn price_of(&self, cost: &ProblemCost) -> Price {
        let (energy_pj, latency_cycles) = cost.energy_and_latency();
        self.price(energy_pj, latency_cycles, cost.words_at())
    }
}

impl Prices for SweepPrices<'_, '_> {
    fn by_level(&mut self, problem: &LayerProblem) -> PricesByLevel {
        if !self.has_bounds {
            return PricesByLevel::default();
        }
        let bounds = BoundsByLevel::new(&self.solver.sweep.on_core(problem), self.solver.counted);
        PricesByLevel {
            fixed: self.price(bounds.fixed_pj, bounds.cycles as f64, [0.0; COUNTED_MEMORIES]),
            at: bounds.at.map(|levels| levels.map(|least| self.price(least.energy_pj, 0.0, least.words))),
        }
    }

    fn at_least(&mut self, problem: &LayerProblem) -> Price {
        match self.has_bounds {
            true => {
                let layer = self.solver.sweep.on_core(problem);
                self.price_of(&ProblemCost::lower_bound(&layer, self.solver.counted))
            }
            false => Price::default(),
        }
    }

    fn score_of(&mut self, problem: &LayerProblem, most: f64, effort: Effort) -> Result<KnownScore, NotPlanned> {
        if !self.fits(problem) {
            return Ok(KnownScore::Exactly(None));
        }
        Ok(match self.solver.score(problem, (most, effort), self.has_time).ok_or(NotPlanned::Later)? {
            ScoreCost::Known(cost) => KnownScore::Exactly(self.price_of_known(&cost).map(|price| price.0[0])),
            ScoreCost::AtLeast(score) => KnownScore::AtLeast(score),
        })
    }

    fn fits(&mut self, problem: &LayerProblem) -> bool {
        let sweep = self.solver.sweep;
        has_mapping(&sweep.on_core(problem), &sweep.limits(), sweep.settings.strategy)
    }

    fn check(&mut self, problem: &LayerProblem) -> Feasibility {
        self.solver.cost(problem, self.has_time)
    }

    fn of_copies(&mut self, copies: &[CopyAction]) -> Price {
        self.price_of_copies(copies, true)
    }

    fn of_hidden_copies(&mut self, copies: &[CopyAction]) -> Price {
        self.price_of_copies(copies, false)
    }
}

impl SweepPrices<'_, '_> {
    fn price_of_known(&self, cost: &KnownCost) -> Option<Price> {
        match cost {
            KnownCost::Cost(cost) => Some(self.price_of(cost)),
            KnownCost::Corners(corners) => corners.all.iter().map(|cost| self.price_of(cost)).min(),
            KnownCost::NoMapping | KnownCost::NotFound => None,
        }
    }

    fn price_of_copies(&mut self, copies: &[CopyAction], take_time: bool) -> Price {
        let mut words = [0.0; COUNTED_MEMORIES];
        if !matches!(self.objective, Objective::Energy | Objective::Latency) {
            let mut count = |memory: MemoryId, moved: f64| {
                for (words, counted) in words.iter_mut().zip(self.solver.counted) {
                    *words += if counted == memory { moved } else { 0.0 };
                }
            };
            for hop in copies.iter().flat_map(|copy| self.routes.hops(copy).collect::<Vec<_>>()) {
                count(hop.from.0, hop.read_words);
                count(hop.to.0, hop.write_words);
            }
        }
        let cost = self.routes.cost(copies);
        self.price(cost.energy_pj, if take_time { cost.latency.0 as f64 } else { 0.0 }, words)
    }
}
