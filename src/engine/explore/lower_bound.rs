//! Stacks that are planned without a search, and searched only as long as they may be better than others.
//!
//! Under the corrected rules [`ProblemCost::lower_bound`] is a lower bound on every mapping. The [`CostExpression`] of a stack is found
//! once, and evaluated again as more of its problems are searched.

use super::common_slope::{SumCorner, SumOfHulls};
use super::cost_store::CostStore;
use super::incremental_sweep::{IncrementalSweep, ProblemSolver, cost_now, one_stack};
use crate::depth_first::{
    CostExpression, Feasibility, NotPlanned, PointPlan, PointTotals, Price, ProblemCost, Stack, StackLowerBound,
    StoringMode,
};
use crate::hardware::Core;
use crate::mapping::LayerProblem;
use crate::rules::Rules;
use crate::search::has_mapping;

impl IncrementalSweep {
    /// A lower bound on the cost of one stack, found without planning it; `None` where there are no lower bounds.
    ///
    /// # Errors
    /// Tiles of too many sizes.
    pub(super) fn stack_lower_bound(
        &mut self,
        store: &mut CostStore,
        stack: &Stack,
        (tile, mode): ((u64, u64), StoringMode),
    ) -> Result<Option<StackLowerBound>, NotPlanned> {
        if !self.has_bounds() {
            return Ok(None);
        }
        self.with_planner(store, cost_now, |planner, _| Ok(Some(planner.lower_bound(stack, tile, mode)?)))
    }

    /// The cost expression of one stack, planned without a search where there are lower bounds.
    ///
    /// # Errors
    /// Why it cannot be scheduled.
    pub(super) fn stack_cost(
        &mut self,
        store: &mut CostStore,
        stack: &Stack,
        way: ((u64, u64), StoringMode),
    ) -> Result<CostExpression, NotPlanned> {
        let plan = self.stack_plan(store, stack, way)?;
        Ok(self.totals_assembler().cost_expression(&plan))
    }

    /// A lower bound on the cost of a stack, from the costs that are known so far; `None` if it cannot be scheduled.
    pub(super) fn lower_bound(&self, expression: &CostExpression) -> Option<PointTotals> {
        expression.total(&self.costs)
    }

    /// The cost of one stack alone; `None` if its lower bound is beaten, which `is_beaten` decides before each search.
    ///
    /// # Errors
    /// Why it cannot be scheduled.
    pub(super) fn stack_totals_unless(
        &mut self,
        store: &mut CostStore,
        (stack, way, expression): (&Stack, ((u64, u64), StoringMode), &CostExpression),
        is_beaten: &dyn Fn(&PointTotals) -> bool,
    ) -> Result<Option<PointTotals>, NotPlanned> {
        let is_hopeless = |known: &Self| known.lower_bound(expression).is_none_or(|least| is_beaten(&least));
        if !self.search_unless(store, expression, &is_hopeless) {
            return Ok(None);
        }
        let plan = self.stack_plan(store, stack, way)?;
        self.totals_of(store, &plan).map(Some)
    }

    /// The cost of one stack alone with the best of all placements; `None` where that costs more than `most`, or nothing
    /// fits.
    pub(super) fn best_stack_totals(
        &mut self,
        store: &mut CostStore,
        stack: &Stack,
        way: ((u64, u64), StoringMode),
        most: Price,
    ) -> Option<PointTotals> {
        let planned = self.best_stack_plan(store, stack, way, None, most).ok()??;
        self.totals_of(store, &one_stack(way, planned)).ok()
    }

    /// The corners of the hull of all energies and latencies that one stack alone has by the mappings of its problems; none
    /// if lower bounds on them are beaten, which `are_beaten` decides before each search.
    pub(super) fn stack_corners_unless(
        &mut self,
        store: &mut CostStore,
        expression: &CostExpression,
        are_beaten: &dyn Fn(&SumOfHulls) -> bool,
    ) -> Vec<SumCorner> {
        let is_hopeless = |known: &Self| known.sums_of(expression).is_none_or(|sums| are_beaten(&sums));
        if !self.search_unless(store, expression, &is_hopeless) {
            return Vec::new();
        }
        self.sums_of(expression).map_or_else(Vec::new, |sums| sums.corners().collect())
    }

    /// The cost of one stack alone at a corner of its hull.
    ///
    /// # Errors
    /// Why it cannot be scheduled.
    pub(super) fn stack_totals_at(
        &mut self,
        store: &mut CostStore,
        (stack, way, expression): (&Stack, ((u64, u64), StoringMode), &CostExpression),
        corner: &SumCorner,
    ) -> Result<PointTotals, NotPlanned> {
        let plan = self.stack_plan(store, stack, way)?;
        let choice = self.sums_of(expression).map_or_else(Vec::new, |sums| sums.choice(corner));
        self.totals_with(&plan, &expression.problems().zip(choice).collect())
    }

    /// Searches the problems of an expression; returns `false` as soon as `is_hopeless` holds.
    fn search_unless(
        &mut self,
        store: &mut CostStore,
        expression: &CostExpression,
        is_hopeless: &dyn Fn(&Self) -> bool,
    ) -> bool {
        for index in expression.problems() {
            if self.unsearched.get(index) == Some(&true) {
                if is_hopeless(self) {
                    return false;
                }
                self.search(store, index);
            }
        }
        !is_hopeless(self)
    }

    /// The sums of energy and latency of an expression, by the corners of each problem. A problem that has none has its
    /// only cost, or a lower bound; `None` where even that is missing.
    fn sums_of(&self, expression: &CostExpression) -> Option<SumOfHulls> {
        let mut hulls = Vec::with_capacity(expression.terms().len());
        for &(problem, times) in expression.terms() {
            let corners = match self.corners.get(&problem) {
                Some(corners) => corners.all.as_slice(),
                None => std::slice::from_ref(self.costs.get(problem)?.as_ref()?),
            };
            hulls.push((times as f64, corners.iter().map(ProblemCost::energy_and_latency)));
        }
        Some(SumOfHulls::new(expression.constant(), hulls))
    }

    /// The totals of a point; `None` as soon as `is_hopeless` holds for its lower bounds, which rise as its problems
    /// are searched. Without lower bounds it is not called.
    ///
    /// # Errors
    /// Why it cannot be scheduled, also if there is no such point.
    pub fn totals_unless(
        &mut self,
        store: &mut CostStore,
        point: usize,
        is_hopeless: &mut dyn FnMut(&Core, &PointTotals) -> bool,
    ) -> Result<Option<PointTotals>, NotPlanned> {
        if !self.has_bounds() {
            return self.totals(store, point, &mut || true).map(Some);
        }
        let plan = self.point_plan(store, point)?;
        let expression = self.totals_assembler().cost_expression(&plan);
        let mut is_hopeless = |incremental: &Self| {
            let least = incremental.lower_bound(&expression);
            least.is_some_and(|least| is_hopeless(&incremental.sweep().core, &least))
        };
        if is_hopeless(self) {
            return Ok(None);
        }
        // Problems with the largest shares come first, so that the bound rises fastest.
        for index in expression.by_share(&self.costs) {
            if self.unsearched.get(index) == Some(&true) {
                self.search(store, index);
                if is_hopeless(self) {
                    return Ok(None);
                }
            }
        }
        self.totals_of(store, &plan).map(Some)
    }

    /// The plan of one point, whose problems need not be searched yet.
    fn point_plan(&mut self, store: &mut CostStore, point: usize) -> Result<PointPlan, NotPlanned> {
        let strategy = self.strategy(point)?;
        self.forget_if_full();
        self.with_planner(store, bound, |planner, check| planner.plan_checked(&strategy, check))
    }

    /// The plan of one stack, whose problems need not be searched yet.
    fn stack_plan(
        &mut self,
        store: &mut CostStore,
        stack: &Stack,
        (tile, mode): ((u64, u64), StoringMode),
    ) -> Result<PointPlan, NotPlanned> {
        let check = if self.has_bounds() { bound } else { cost_now };
        let planned = self.with_planner(store, check, |planner, check| planner.plan_stack(stack, tile, mode, check))?;
        Ok(one_stack((tile, mode), planned))
    }

    fn has_bounds(&self) -> bool {
        let settings = &self.sweep().settings;
        settings.rules == Rules::CORRECTED && settings.objective.never_falls()
    }
}

/// A feasibility check that does not search: it notes the lower bound of a new problem, and the cost of a known one.
fn bound(solver: &mut ProblemSolver<'_>, problem: &LayerProblem) -> Feasibility {
    let sweep = solver.sweep;
    let layer = sweep.on_core(problem);
    if solver.is_known(problem, &layer) {
        return cost_now(solver, problem);
    }
    if !has_mapping(&layer, &sweep.limits(), sweep.settings.strategy) {
        return Feasibility::NoMapping;
    }
    solver.unsearched.resize(solver.costs.len(), false);
    solver.unsearched.push(true);
    solver.costs.push(Some(ProblemCost::lower_bound(&layer, solver.counted)));
    Feasibility::Mappable
}
