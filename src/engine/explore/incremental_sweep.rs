//! Points of a sweep one at a time: each is planned, solved and added up at once, by any worker.
//!
//! An [`IncrementalSweep`] may be stopped after any point. Several of one sweep, each for its own points, are
//! independent of each other. Results of mapping problems stay in a [`CostStore`] and serve the next sweep, too.

use super::common_slope::{
    ALL_SLOPES, Corners, EnergyLatency, KnownCorners, SlopeCorner, choose_for, corners_by_slope,
};
use super::cost_store::{CostStore, Fingerprints, KnownCost, ScoreCost, SearchEffort};
use super::prices::SweepPrices;
use super::request::Settings;
use super::sweep::{PointSummary, ScoreSearch, SolvedAlone, Sweep, too_large_to_count};
use crate::cost::Evaluator;
use crate::depth_first::{
    COUNTED_MEMORIES, DepthFirstStrategy, Feasibility, FeasibilityCheck, FuseDepth, NotPlanned, Planner, PlannerMemory,
    PointAccount, PointPlan, PointTotals, Price, ProblemCost, ProblemId, Problems, Stack, StackPlan, StoringMode,
    TotalsAssembler,
};
use crate::hardware::MemoryId;
use crate::ids::TiVec;
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::search::{Effort, Outcome, Solution, has_mapping};
use crate::sorting::sort_by_key;
use crate::spec::Diagnostics;
use crate::ties::{self, is_clearly_less};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The corners of hulls are found for slopes from so many times less to so many times more than that of the network layer
/// by layer.
const SLOPES_AROUND: f64 = 64.0;

/// Evaluates the points of one sweep one by one, and keeps the data that they share.
pub struct IncrementalSweep {
    sweep: Sweep,
    strategies: Vec<DepthFirstStrategy>,
    memory: PlannerMemory,
    /// By problem, the cost of its best mapping, or a lower bound on those of its corners; `None` where nothing was found.
    pub(super) costs: TiVec<ProblemId, Option<ProblemCost>>,
    /// The corners of each problem, where points choose among these.
    pub(super) corners: FxHashMap<ProblemId, Arc<Corners<ProblemCost>>>,
    /// Whether the problem has not been searched yet, so that its cost is a lower bound; shorter where all further ones were searched.
    pub(super) unsearched: TiVec<ProblemId, bool>,
    counted: [MemoryId; COUNTED_MEMORIES],
    fingerprints: Fingerprints,
    alone: SolvedAlone,
    /// The slope, pJ for a cycle, at which placements were chosen last, where the objective is no sum.
    priced_at: Option<f64>,
    /// The point that was planned last, or is being planned.
    planning: Option<usize>,
    /// Work that all points took so far.
    pub effort: SearchEffort,
}

impl IncrementalSweep {
    /// A sweep of which no point is evaluated yet.
    pub fn new(sweep: Sweep) -> Self {
        let sweep = match sweep.chooses_placement() && sweep.takes_corners() && sweep.slopes.is_none() {
            true => sweep.clone().with_slopes(slopes(&sweep)),
            false => sweep,
        };
        Self {
            strategies: sweep.settings.strategies(),
            counted: sweep.counted(),
            fingerprints: Fingerprints::new(&sweep),
            alone: SolvedAlone::default(),
            memory: PlannerMemory::default(),
            costs: TiVec::new(),
            corners: FxHashMap::default(),
            unsearched: TiVec::new(),
            priced_at: None,
            planning: None,
            effort: SearchEffort::default(),
            sweep,
        }
    }

    /// The validated request whose points are summarised.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// One strategy per point.
    pub fn strategies(&self) -> &[DepthFirstStrategy] {
        &self.strategies
    }

    /// The different mapping problems of the points that it remembers, each once.
    pub fn problems(&self) -> &[LayerProblem] {
        &self.memory.problems.list.raw
    }

    /// The problems of all points that it remembers.
    pub(super) fn into_problems(self) -> Problems {
        self.memory.problems
    }

    /// The summary of a point; see [`Self::totals`].
    ///
    /// # Errors
    /// Why it cannot be scheduled, also if there is no such point; or that there is no time left.
    pub fn point(
        &mut self,
        store: &mut CostStore,
        point: usize,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<PointSummary, NotPlanned> {
        let totals = self.totals(store, point, has_time)?;
        Ok(self.summarize(point, &totals))
    }

    /// The totals of a point by cause. `has_time` is called before each search; where it returns `false`, the next call
    /// resumes there.
    ///
    /// # Errors
    /// Why it cannot be scheduled, also if there is no such point; or that there is no time left.
    pub fn totals(
        &mut self,
        store: &mut CostStore,
        point: usize,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<PointTotals, NotPlanned> {
        let plan = self.plan(store, point, has_time)?;
        self.totals_of(store, &plan)
    }

    /// The summary of point number `point` from its totals.
    pub fn summarize(&self, point: usize, totals: &PointTotals) -> PointSummary {
        PointSummary::new(&self.sweep.settings.objective, point, totals)
    }

    /// The account of a point.
    ///
    /// # Errors
    /// Why it cannot be scheduled; also if there is no such point.
    pub fn account(&mut self, store: &mut CostStore, point: usize) -> Result<PointAccount, Diagnostics> {
        let plan = self.plan(store, point, &mut || true).map_err(NotPlanned::reasons)?;
        self.account_of(store, &plan)
    }

    /// The whole account of the network with each stack run as at a point of its own: one point per stack. Its strategy
    /// is that of the first.
    ///
    /// # Errors
    /// Why a point cannot be scheduled; also if the points have not so many stacks.
    pub fn combination(&mut self, store: &mut CostStore, points: &[usize]) -> Result<PointAccount, Diagnostics> {
        let mut combined: Option<PointPlan> = None;
        for (stack, &point) in points.iter().enumerate() {
            let plan = self.plan(store, point, &mut || true).map_err(NotPlanned::reasons)?;
            let planned = plan.stacks.get(stack).cloned().ok_or_else(no_such_point)?;
            let combined = combined.get_or_insert(PointPlan { strategy: plan.strategy, stacks: Vec::new() });
            combined.stacks.push(planned);
        }
        self.account_of(store, &combined.ok_or_else(no_such_point)?)
    }

    fn account_of(&mut self, store: &mut CostStore, plan: &PointPlan) -> Result<PointAccount, Diagnostics> {
        let chosen = self.choose(store, plan);
        let Self { sweep, memory, fingerprints, effort, corners, .. } = self;
        let mut problems: Vec<usize> = problems_of(plan).map(usize::from).collect();
        sort_by_key(&mut problems, |index| *index);
        problems.dedup();
        let solution = |index: &usize| {
            let id = ProblemId::from(*index);
            let problem = memory.problems.list.get(id)?;
            let slopes = corners.get(&id).map_or(ALL_SLOPES, |corners| corners.slopes);
            let key = fingerprints.of(problem, &sweep.on_core(problem));
            let corner = chosen.get(&id).copied().unwrap_or_default();
            store.mappings(key, effort, (sweep, problem, slopes)).all.get(corner).cloned()
        };
        let solutions: Vec<Option<Solution>> = problems.iter().map(solution).collect();
        let find = |index: ProblemId| solutions[problems.binary_search(&index.index()).ok()?].as_ref();
        let mut assembler = self.sweep.assembler_of(&self.memory.problems);
        assembler.assemble(plan, &find).ok_or_else(|| self.why_unknown(plan))
    }

    /// The whole account of stacks, each run in its own way. Its strategy is that of the first, with `fuse`. `slope` is the
    /// energy by latency of all of them.
    ///
    /// # Errors
    /// Why one cannot be scheduled; also if there is none.
    pub(super) fn account_of_stacks(
        &mut self,
        store: &mut CostStore,
        (fuse, slope): (FuseDepth, f64),
        stacks: &[(Stack, (u64, u64), StoringMode)],
    ) -> Result<PointAccount, Diagnostics> {
        let (_, tile, mode) = stacks.first().ok_or_else(no_such_point)?;
        let strategy = DepthFirstStrategy { tile: *tile, mode: *mode, fuse };
        let mut plan = PointPlan { strategy, stacks: Vec::with_capacity(stacks.len()) };
        for (stack, tile, mode) in stacks {
            let planned = match self.sweep.chooses_placement() {
                true => {
                    let slope = self.sweep.takes_corners().then_some(slope);
                    let best = self.best_stack_plan(store, stack, (*tile, *mode), slope, Price::INFINITE)?;
                    best.ok_or_else(no_such_point)?
                }
                false => self
                    .with_planner(store, cost_now, |planner, check| planner.plan_stack(stack, *tile, *mode, check))
                    .map_err(NotPlanned::reasons)?,
            };
            plan.stacks.push(planned);
        }
        self.account_of(store, &plan)
    }

    /// The plan of one stack with the best of all placements; `None` where that costs more than `most`, or nothing fits.
    ///
    /// # Errors
    /// Tiles of too many kinds.
    pub(super) fn best_stack_plan(
        &mut self,
        store: &mut CostStore,
        stack: &Stack,
        way: ((u64, u64), StoringMode),
        slope: Option<f64>,
        most: Price,
    ) -> Result<Option<StackPlan>, Diagnostics> {
        self.price_at(slope);
        let plan = self.with_solver(store, |planner, solver| {
            planner.plan_best_stack(stack, way, &mut SweepPrices::new(solver, slope, &mut || true), most)
        });
        plan.map_err(NotPlanned::reasons)
    }

    pub(super) fn strategy(&self, point: usize) -> Result<DepthFirstStrategy, Diagnostics> {
        self.strategies.get(point).cloned().ok_or_else(no_such_point)
    }

    fn plan(
        &mut self,
        store: &mut CostStore,
        point: usize,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<PointPlan, NotPlanned> {
        let strategy = self.strategy(point)?;
        // A point that ran out of time continues with its results so far.
        if self.planning.replace(point) != Some(point) {
            self.forget_if_full();
        }
        self.plan_while(store, &strategy, has_time)
    }

    /// Plans a strategy with the best of all placements: by the objective, or by energy and latency at a slope.
    fn plan_best(
        &mut self,
        store: &mut CostStore,
        strategy: &DepthFirstStrategy,
        slope: Option<f64>,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<PointPlan, NotPlanned> {
        self.price_at(slope);
        self.with_solver(store, |planner, solver| {
            planner.plan_best(strategy, &mut SweepPrices::new(solver, slope, has_time))
        })
    }

    /// Plans a strategy with the placement of the least energy-delay product: a corner of the hull of all placements.
    fn plan_least_product(
        &mut self,
        store: &mut CostStore,
        strategy: &DepthFirstStrategy,
        slopes: (f64, f64),
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<PointPlan, NotPlanned> {
        let product = |(energy, latency): EnergyLatency| energy * latency;
        let solve = |slope: f64| {
            let plan = self.plan_best(store, strategy, Some(slope), has_time)?;
            Ok::<_, NotPlanned>(self.at_slope(&plan, slope).map(|at| (at, plan)))
        };
        let is_hopeless = |known: &[SlopeCorner<PointPlan>], meeting: EnergyLatency, _: (f64, f64)| {
            known.iter().any(|corner| !is_clearly_less(product(meeting), product(corner.at)))
        };
        let corners = corners_by_slope(slopes, solve, is_hopeless)?;
        let best = ties::best(corners, |corner| ([product(corner.at), corner.at.1], ()));
        best.map(|corner| corner.of).ok_or_else(|| too_large_to_count().into())
    }

    /// Energy and latency of a plan whose problems take the corners that are least at a slope.
    fn at_slope(&self, plan: &PointPlan, slope: f64) -> Option<EnergyLatency> {
        let expression = self.totals_assembler().cost_expression(plan);
        let mut sum = expression.constant();
        for &(problem, times) in expression.terms() {
            let corners = &self.corners.get(&problem)?.all;
            let (energy, latency) = corners.get(corner_at(corners, slope))?.energy_and_latency();
            sum = (sum.0 + energy * times as f64, sum.1 + latency * times as f64);
        }
        Some(sum)
    }

    /// Forgets prices that are not those at this slope.
    fn price_at(&mut self, slope: Option<f64>) {
        if std::mem::replace(&mut self.priced_at, slope) != slope {
            self.memory.forget_prices();
        }
    }

    /// The corners of the hull of all placements and mappings of one stack for a range of slopes: their energies and
    /// latencies, and their costs. Those between two others are left out where `is_hopeless` holds for all of them.
    pub(super) fn best_stack_corners(
        &mut self,
        store: &mut CostStore,
        stack: &Stack,
        way: ((u64, u64), StoringMode),
        slopes: (f64, f64),
        is_hopeless: &dyn Fn(EnergyLatency, (f64, f64)) -> bool,
    ) -> Vec<(EnergyLatency, PointTotals)> {
        let solve = |slope: f64| {
            let planned = self.best_stack_plan(store, stack, way, Some(slope), Price::INFINITE)?;
            let plan = planned.map(|planned| one_stack(way, planned));
            Ok::<_, Diagnostics>(plan.and_then(|plan| {
                let problems = problems_of(&plan).filter_map(|id| Some((id, self.corners.get(&id)?)));
                let chosen = problems.map(|(id, corners)| (id, corner_at(&corners.all, slope))).collect();
                Some((self.at_slope(&plan, slope)?, self.totals_with(&plan, &chosen).ok()?))
            }))
        };
        let corners = corners_by_slope(slopes, solve, |_, meeting, slopes| is_hopeless(meeting, slopes));
        corners.into_iter().flatten().map(|corner| (corner.at, corner.of)).collect()
    }

    /// Plans any strategy, however long it takes.
    ///
    /// # Errors
    /// Why it cannot be scheduled.
    pub(super) fn plan_strategy(
        &mut self,
        store: &mut CostStore,
        strategy: &DepthFirstStrategy,
    ) -> Result<PointPlan, NotPlanned> {
        self.plan_while(store, strategy, &mut || true)
    }

    fn plan_while(
        &mut self,
        store: &mut CostStore,
        strategy: &DepthFirstStrategy,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<PointPlan, NotPlanned> {
        if self.sweep.chooses_placement() {
            return match self.sweep.slopes.filter(|_| self.sweep.takes_corners()) {
                None => self.plan_best(store, strategy, None, has_time),
                Some(slopes) => self.plan_least_product(store, strategy, slopes, has_time),
            };
        }
        let check = |solver: &mut ProblemSolver<'_>, problem: &LayerProblem| solver.cost(problem, has_time);
        self.with_planner(store, check, |planner, check| planner.plan_checked(strategy, check))
    }

    /// To be called between points: drops the problems of earlier points where these take up too much room. Their costs
    /// stay in the store.
    pub(super) fn forget_if_full(&mut self) {
        if self.memory.is_full() {
            self.memory = PlannerMemory::default();
            self.costs.clear();
            self.corners.clear();
            self.unsearched.clear();
        }
    }

    /// Plans something with all that is known so far; `check` judges each new problem.
    pub(super) fn with_planner<T>(
        &mut self,
        store: &mut CostStore,
        mut check: impl FnMut(&mut ProblemSolver<'_>, &LayerProblem) -> Feasibility,
        plan: impl FnOnce(&mut Planner<'_>, FeasibilityCheck<'_>) -> Result<T, NotPlanned>,
    ) -> Result<T, NotPlanned> {
        self.with_solver(store, |planner, solver| plan(planner, &mut |problem| check(solver, problem)))
    }

    /// Plans something with all that is known so far, and with a solver of new problems.
    pub(super) fn with_solver<T>(
        &mut self,
        store: &mut CostStore,
        plan: impl FnOnce(&mut Planner<'_>, &mut ProblemSolver<'_>) -> Result<T, NotPlanned>,
    ) -> Result<T, NotPlanned> {
        let Self { sweep, memory, costs, corners, counted, fingerprints, alone, effort, unsearched, .. } = self;
        let known = std::mem::take(memory);
        let settings = (sweep.limits(), sweep.settings.strategy);
        let mut planner = Planner::with_memory(&sweep.core, &sweep.network, sweep.settings.rules, settings, known)
            .skipping(sweep.skipping);
        let mut solver =
            ProblemSolver { sweep, counted: *counted, store, costs, corners, unsearched, fingerprints, alone, effort };
        let plan = plan(&mut planner, &mut solver);
        *memory = planner.memory;
        plan
    }

    pub(super) fn totals_of(&mut self, store: &mut CostStore, plan: &PointPlan) -> Result<PointTotals, NotPlanned> {
        let chosen = self.choose(store, plan);
        self.totals_with(plan, &chosen)
    }

    /// The totals of a plan with the mapping of each problem that is the corner of this number, if it has corners.
    pub(super) fn totals_with(
        &self,
        plan: &PointPlan,
        chosen: &FxHashMap<ProblemId, usize>,
    ) -> Result<PointTotals, NotPlanned> {
        let corner_of = |problem: ProblemId| self.corners.get(&problem)?.all.get(*chosen.get(&problem)?);
        let cost = |problem: ProblemId| corner_of(problem).or_else(|| self.costs.get(problem)?.as_ref());
        let totals = self.totals_assembler().totals(plan, &cost);
        totals.ok_or_else(|| self.why_unknown(plan).into())
    }

    /// The number of the corner that each problem of a point takes, where points choose.
    fn choose(&mut self, store: &mut CostStore, plan: &PointPlan) -> FxHashMap<ProblemId, usize> {
        if self.corners.is_empty() {
            return FxHashMap::default();
        }
        let expression = self.totals_assembler().cost_expression(plan);
        choose_for(&expression, &mut SearchedCorners { incremental: self, store })
    }

    /// Searches a problem of which only a bound is known.
    pub(super) fn search(&mut self, store: &mut CostStore, index: ProblemId) {
        let Self { sweep, memory, costs, corners, counted, fingerprints, alone, effort, unsearched, .. } = self;
        let problem = &memory.problems.list[index];
        let layer = sweep.on_core(problem);
        let solve = || Some(solve(sweep, problem, (&layer, alone), *counted));
        let known = store.cost(fingerprints.of(problem, &layer), effort, solve);
        costs[index] = known.and_then(|known| known.note(corners, index));
        unsearched[index] = false;
    }

    pub(super) fn totals_assembler(&self) -> TotalsAssembler<'_> {
        TotalsAssembler::new(&self.sweep.core, self.sweep.settings.rules, &self.memory.problems, self.counted)
    }

    /// Why a planned point has no cost.
    fn why_unknown(&self, plan: &PointPlan) -> Diagnostics {
        let unknown = problems_of(plan).find(|&index| !matches!(self.costs.get(index), Some(Some(_))));
        match unknown.and_then(|index| self.memory.problems.list.get(index)) {
            Some(problem) => self.sweep.explain(problem, &self.sweep.search(problem)),
            None => too_large_to_count(),
        }
    }
}

/// Searches a problem however long it takes.
pub(super) fn cost_now(solver: &mut ProblemSolver<'_>, problem: &LayerProblem) -> Feasibility {
    solver.cost(problem, &mut || true)
}

/// State of a feasibility check that solves new mapping problems: the store of known costs, and the costs that this
/// plan adds to it.
pub(super) struct ProblemSolver<'a> {
    pub sweep: &'a Sweep,
    pub counted: [MemoryId; COUNTED_MEMORIES],
    pub store: &'a mut CostStore,
    pub costs: &'a mut TiVec<ProblemId, Option<ProblemCost>>,
    pub unsearched: &'a mut TiVec<ProblemId, bool>,
    corners: &'a mut FxHashMap<ProblemId, Arc<Corners<ProblemCost>>>,
    fingerprints: &'a mut Fingerprints,
    alone: &'a SolvedAlone,
    effort: &'a mut SearchEffort,
}

impl ProblemSolver<'_> {
    /// Searches a problem, if there is time.
    pub fn cost(&mut self, problem: &LayerProblem, has_time: &mut dyn FnMut() -> bool) -> Feasibility {
        let known = match self.known_cost(problem, has_time) {
            Some(KnownCost::NoMapping) => return Feasibility::NoMapping,
            Some(known) => known,
            None => return Feasibility::Later,
        };
        let cost = known.note(self.corners, ProblemId::from(self.costs.len()));
        self.costs.push(cost);
        Feasibility::Mappable
    }

    /// The cost of a problem, searched if there is time.
    pub fn known_cost(&mut self, problem: &LayerProblem, has_time: &mut dyn FnMut() -> bool) -> Option<KnownCost> {
        let layer = self.sweep.on_core(problem);
        let Self { sweep, counted, store, fingerprints, alone, effort, .. } = self;
        let solve = || has_time().then(|| solve(sweep, problem, (&layer, alone), *counted));
        store.cost(fingerprints.of(problem, &layer), effort, solve)
    }

    /// What is known of the cost of a problem, of which some mapping fits, or found by a search that leaves ties open, if
    /// there is time. Scores above `most` do not count.
    pub fn score(
        &mut self,
        problem: &LayerProblem,
        (most, effort): (f64, Effort),
        has_time: &mut dyn FnMut() -> bool,
    ) -> Option<ScoreCost> {
        if self.sweep.takes_corners() || self.sweep.guide.is_some() {
            return match effort {
                Effort::Short => Some(ScoreCost::AtLeast(0.0)),
                _ => self.known_cost(problem, has_time).map(ScoreCost::Known),
            };
        }
        let layer = self.sweep.on_core(problem);
        let Self { sweep, counted, store, fingerprints, alone, effort: searches, .. } = self;
        let key = fingerprints.of(problem, &layer);
        if let Some(known) = store.score(key) {
            return Some(ScoreCost::Known(known));
        }
        let mut score = None;
        let solve = || {
            let found = has_time().then(|| sweep.search_score(problem, (most, effort), alone))?;
            let outcome = match &found {
                ScoreSearch::Settled(outcome) | ScoreSearch::Score(outcome) => outcome,
                ScoreSearch::AtLeast(least) => {
                    score = Some(ScoreCost::AtLeast(*least));
                    return None;
                }
            };
            let solved = solved(sweep, &layer, &Corners::one(outcome.clone()), *counted);
            if matches!(found, ScoreSearch::Settled(_)) {
                return Some(solved);
            }
            score = Some(ScoreCost::Known(solved.0));
            None
        };
        if let Some(known) = store.cost(key, searches, solve) {
            return Some(ScoreCost::Known(known));
        }
        if let Some(ScoreCost::Known(KnownCost::Cost(cost))) = &score {
            searches.searched += 1;
            store.note_score(key, *cost);
        }
        score
    }

    /// Whether the store has the cost of the problem.
    pub fn is_known(&mut self, problem: &LayerProblem, layer: &LayerOnCore<'_>) -> bool {
        self.store.knows(self.fingerprints.of(problem, layer))
    }
}

/// The range of slopes for which corners are found, around the slope of the network layer by layer.
pub(super) fn slopes(sweep: &Sweep) -> (f64, f64) {
    let settings = Settings { fuse: vec![FuseDepth::LayerByLayer], ..sweep.settings.clone() };
    // The published placement is close enough.
    let mut layer_by_layer = IncrementalSweep::new(Sweep { settings, chooses_placement: false, ..sweep.clone() });
    let totals = layer_by_layer.totals(&mut CostStore::default(), 0, &mut || true);
    let slope = totals.map_or(1.0, |totals| totals.energy.total_pj() / totals.latency.total_cycles().max(1) as f64);
    // A cycle counts beside energies that are 0.
    let slope = slope.max(1e-9);
    (slope / SLOPES_AROUND, slope * SLOPES_AROUND)
}

/// The plan of a point that is one stack.
pub(super) fn one_stack((tile, mode): ((u64, u64), StoringMode), plan: StackPlan) -> PointPlan {
    PointPlan { strategy: DepthFirstStrategy { tile, mode, fuse: FuseDepth::Automatic }, stacks: vec![plan] }
}

/// The number of the corner that is least at a slope.
fn corner_at(corners: &[ProblemCost], slope: f64) -> usize {
    let sum = |cost: &ProblemCost| {
        let (energy, latency) = cost.energy_and_latency();
        energy + slope * latency
    };
    let sums = corners.iter().map(sum).enumerate();
    sums.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(number, _)| number)
}

fn problems_of(plan: &PointPlan) -> impl Iterator<Item = ProblemId> {
    let tiles = plan.stacks.iter().flat_map(|stack| &stack.types);
    tiles.flat_map(|tile| &tile.layers).filter_map(|layer| layer.problem)
}

pub(super) fn no_such_point() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("", "The sweep has no such point", "Ask for another one");
    diagnostics
}

/// The corners that an incremental sweep knows, and searches.
struct SearchedCorners<'s> {
    incremental: &'s mut IncrementalSweep,
    store: &'s mut CostStore,
}

impl KnownCorners for SearchedCorners<'_> {
    fn corners(&self, problem: ProblemId) -> Option<&Corners<ProblemCost>> {
        self.incremental.corners.get(&problem).map(Arc::as_ref)
    }

    fn widen(&mut self, index: ProblemId, slopes: (f64, f64)) {
        let IncrementalSweep { sweep, memory, corners, counted, fingerprints, effort, .. } = self.incremental;
        let problem = &memory.problems.list[index];
        let layer = sweep.on_core(problem);
        let slopes = corners.get(&index).map_or(slopes, |corners| corners.slopes_with(slopes));
        effort.searched += 1;
        let (known, mappings) = costs_of(&sweep.corners_between(problem, slopes), &Evaluator::new(&layer), *counted);
        let known = Arc::new(known);
        corners.insert(index, Arc::clone(&known));
        let key = fingerprints.of(problem, &layer);
        self.store.replace(key, KnownCost::Corners(known), mappings);
    }
}

/// The costs of corners on the core of a sweep, and their mappings.
fn costs_of(
    corners: &Corners<Outcome>,
    evaluator: &Evaluator<'_>,
    counted: [MemoryId; COUNTED_MEMORIES],
) -> (Corners<ProblemCost>, Corners<Solution>) {
    (corners.map(|outcome| ProblemCost::new(evaluator, outcome.best.as_ref()?, counted)), corners.mappings())
}

/// Searches a problem, which is `layer` on the core of the sweep.
fn solve(
    sweep: &Sweep,
    problem: &LayerProblem,
    (layer, alone): (&LayerOnCore<'_>, &SolvedAlone),
    counted: [MemoryId; COUNTED_MEMORIES],
) -> (KnownCost, Corners<Solution>) {
    solved(sweep, layer, &sweep.corners_beside(problem, alone), counted)
}

/// The cost of a problem, which is `layer` on the core of the sweep, from the outcomes of its search.
fn solved(
    sweep: &Sweep,
    layer: &LayerOnCore<'_>,
    outcomes: &Corners<Outcome>,
    counted: [MemoryId; COUNTED_MEMORIES],
) -> (KnownCost, Corners<Solution>) {
    let (corners, mappings) = costs_of(outcomes, &Evaluator::new(layer), counted);
    let known = match corners.all.first() {
        Some(_) if sweep.takes_corners() => KnownCost::Corners(Arc::new(corners)),
        Some(cost) => KnownCost::Cost(*cost),
        // If some mapping fits, the search ended too early.
        None if has_mapping(layer, &sweep.limits(), sweep.settings.strategy) => KnownCost::NotFound,
        None => KnownCost::NoMapping,
    };
    (known, mappings)
}
