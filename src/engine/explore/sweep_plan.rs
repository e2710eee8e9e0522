//! Planning all points of a sweep: by the published rule before any is solved, or each with the best of all placements.

use super::cost_store::CostStore;
use super::incremental_sweep::IncrementalSweep;
use super::sweep::{Sweep, SweepPlan};
use crate::depth_first::{DepthFirstStrategy, NotPlanned, Planner};

impl Sweep {
    /// Finds all points and the different problems they contain.
    pub fn plan(&self) -> SweepPlan {
        self.plan_strategies(self.settings.strategies())
    }

    /// Plans these strategies instead of those of the settings: finds all points and the different problems they
    /// contain.
    pub fn plan_strategies(&self, strategies: Vec<DepthFirstStrategy>) -> SweepPlan {
        if self.chooses_placement() {
            let mut incremental = IncrementalSweep::new(self.clone());
            let mut store = CostStore::default();
            let mut plan = |strategy| incremental.plan_strategy(&mut store, strategy).map_err(NotPlanned::reasons);
            let points = strategies.iter().map(&mut plan).collect();
            return SweepPlan { strategies, points, problems: incremental.into_problems(), notes: self.notes() };
        }
        let mut planner =
            Planner::new(&self.core, &self.network, self.settings.rules, self.limits(), self.settings.strategy)
                .skipping(self.skipping);
        let points: Vec<_> = strategies.iter().map(|strategy| planner.plan(strategy)).collect();
        SweepPlan { strategies, points, problems: planner.memory.problems, notes: self.notes() }
    }
}
