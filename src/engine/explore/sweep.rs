//! Planning, solving and assembling a sweep.

use super::common_slope::Corners;
use super::point_search::SolvedProblems;
use super::request::{Request, Settings};
use crate::cost::{Evaluator, LoopTrace};
use crate::depth_first::{
    Assembler, COUNTED_MEMORIES, DepthFirstStrategy, FuseDepth, NodeId, PointAccount, PointPlan, PointTotals,
    ProblemId, Problems, Skipping, StackTrace, TileTypeId, cut,
};
use crate::hardware::{Core, MemoryId, Operand, check_shared_dimension};
use crate::ids::TiVec;
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::search::{
    Effort, FrontPart, Limits, MappingFront, Objective, Outcome, Proof, Solution, StopReason, Strategy,
    check_lpf_limit, find_best, find_best_by, find_front, find_score, smallest_that_fit,
};
use crate::spec::{Diagnostics, closest};
use crate::tolerance::PRICE_TOLERANCE;
use crate::units::Cycles;
use crate::workload::{Dim, Network};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// Limit on the tile sizes that a note lists.
const MOST_SIZES_NAMED: usize = 6;
/// Limit on the points, so that a page can show them.
const MOST_POINTS: usize = 100_000;
/// Limit on the weights of a sum, so that sums stay finite.
const MAX_WEIGHT: f64 = 1e12;

/// Mappings that [`SolvedAlone`] keeps: a few MB.
const MOST_ALONE: usize = 1 << 13;

/// The corners that are searched first: few points need others, as the layers of a network mostly differ by less in
/// their energy by latency.
const FIRST_CORNERS: FrontPart = FrontPart::Around(16.0);

/// Limit on the stacks of all points: some 100 MB in all places where they are kept.
const MOST_STACKS_OF_POINTS: usize = 4_000_000;

/// A validated request.
#[derive(Clone)]
pub struct Sweep {
    /// The core on which points are evaluated.
    pub core: Core,
    /// The layers that are scheduled.
    pub network: Network,
    /// Tile sizes, modes, fuse depths; objective, search and rules.
    pub settings: Settings,
    /// The core that mappings are searched for, where it is not `core`.
    pub(super) guide: Option<Core>,
    pub(super) skipping: Skipping,
    /// Whether data lies where the objective is least, not in the lowest memory that holds it.
    pub(super) chooses_placement: bool,
    /// Where a point chooses its mappings together: the slopes for which corners are searched first; `None` for those
    /// around each problem's own.
    pub(super) slopes: Option<(f64, f64)>,
}

/// All points of a sweep and the different problems they contain.
pub struct SweepPlan {
    /// One strategy per point, in the order of [`Settings::strategies`].
    pub strategies: Vec<DepthFirstStrategy>,
    /// The different problems, in the order in which the points need them.
    pub problems: Problems,
    /// For each point its plan, or why it cannot be scheduled.
    pub points: Vec<Result<PointPlan, Diagnostics>>,
    /// Notes for a person, though nothing is wrong.
    pub notes: Diagnostics,
}

/// Energy, latency and accesses of a point, as heatmaps show them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointSummary {
    /// Index of the point in the plan.
    pub point: usize,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Sum of the stacks' latencies, cycles.
    pub latency_cycles: u64,
    /// Multiply-accumulates, recomputed ones included.
    pub macs: u64,
    /// Full-width words read from and written to DRAM.
    pub dram_words: f64,
    /// The point's value of the objective.
    pub score: f64,
    /// Energy and latency of each stack, in order of execution.
    pub stacks: Vec<StackSummary>,
}

/// Energy and latency of one stack of a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StackSummary {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency of all its tiles, cycles.
    pub latency_cycles: u64,
}

impl Sweep {
    /// Validates a request.
    ///
    /// # Errors
    /// Everything that is wrong with it; paths begin with `hardware.`, `workload.` or `settings.`.
    pub fn new(request: &Request) -> Result<Self, Diagnostics> {
        let core = Core::from_text(&request.hardware);
        let network = Network::from_text(&request.workload);
        let mut diagnostics = check_settings(&request.settings, core.as_ref().ok());
        let (core, network) = match (core, network) {
            (Ok(core), Ok(network)) if diagnostics.is_empty() => (core, network),
            (core, network) => {
                let mut all = Diagnostics::default();
                for (document, wrong) in [("hardware", core.err()), ("workload", network.err())] {
                    all.0.append(&mut wrong.unwrap_or_default().under(document).0);
                }
                all.0.append(&mut diagnostics.0);
                return Err(all);
            }
        };
        Self::checked(core, network, request.settings.clone())
    }

    /// A sweep of documents that are valid already.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of(core: Core, network: Network, settings: Settings) -> Result<Self, Diagnostics> {
        check_settings(&settings, Some(&core)).or(())?;
        Self::checked(core, network, settings)
    }

    fn checked(core: Core, network: Network, settings: Settings) -> Result<Self, Diagnostics> {
        let network = network.on(&core);
        check_unrolls(&core, &network)?;
        check_cuts(&core, &network, &settings)?;
        check_stack_count(&core, &network, &settings)?;
        Ok(Self {
            core,
            network,
            settings,
            guide: None,
            skipping: Skipping::default(),
            chooses_placement: false,
            slopes: None,
        })
    }

    /// Limits of every search of the sweep.
    pub fn limits(&self) -> Limits {
        Limits::of_many(self.settings.lpf_limit)
    }

    /// The places of the tiles of stack number `stack` of a strategy on all of its maps.
    ///
    /// # Errors
    /// Cuts that are impossible, a stack that does not exist, or more places than a page can hold.
    pub fn trace(&self, strategy: &DepthFirstStrategy, stack: usize) -> Result<StackTrace, Diagnostics> {
        StackTrace::new(&self.core, &self.network, &self.settings.rules, strategy, stack)
    }

    /// The loops of one layer in the tiles of one type, with the data that they move; `None` for a stack's input, which
    /// computes nothing.
    ///
    /// # Errors
    /// Why the strategy cannot be scheduled, or that it has no such layer-tile.
    pub fn loop_trace(
        &self,
        strategy: &DepthFirstStrategy,
        (stack, tile_type, node): (usize, TileTypeId, NodeId),
    ) -> Result<Option<LoopTrace>, Diagnostics> {
        let plan = self.plan_strategies(vec![strategy.clone()]);
        let point = plan.points.first().ok_or_else(no_such_layer_tile)?.as_ref().map_err(Clone::clone)?;
        let stack = point.stacks.get(stack).ok_or_else(no_such_layer_tile)?;
        let layers = &stack.types.get(tile_type).ok_or_else(no_such_layer_tile)?.layers;
        let layer = layers.get(node).ok_or_else(no_such_layer_tile)?;
        let Some(id) = layer.problem else { return Ok(None) };
        let Some(problem) = plan.problems.list.get(id) else { return Ok(None) };
        let on_core = self.on_core(problem);
        let evaluator = Evaluator::new(&on_core);
        let outcome = match self.takes_corners() {
            true => SolvedProblems::solve_all(self, &plan).outcomes_of(0).remove(&id),
            false => None,
        };
        let outcome = outcome.unwrap_or_else(|| self.search(problem));
        let solved = outcome.best.as_ref().and_then(|best| Some((best, best.cost_by(&evaluator)?)));
        let (best, cost) = solved.ok_or_else(|| self.explain(problem, &outcome))?;
        Ok(Some(LoopTrace::new(&evaluator, &best.order, &cost)))
    }

    /// Notes for a person, though nothing is wrong: tile sizes beyond every map mean the whole map.
    pub fn notes(&self) -> Diagnostics {
        let Settings { fuse, rules, .. } = &self.settings;
        let stacks = fuse.iter().filter_map(|fuse| cut(&self.network, &self.core, fuse, rules).ok()).flatten();
        let shapes = stacks.map(|stack| self.network.layer(stack.nodes[stack.output()]).shape);
        let (mut columns, mut rows) = (0, 0);
        for shape in shapes {
            (columns, rows) = (shape.size(Dim::OX).max(columns), shape.size(Dim::OY).max(rows));
        }
        let mut notes = Diagnostics::default();
        for (field, what, sizes, largest) in
            [("tiles_x", "wide", &self.settings.tiles_x, columns), ("tiles_y", "high", &self.settings.tiles_y, rows)]
        {
            let mut beyond: Vec<String> = sizes.iter().filter(|size| **size > largest).map(u64::to_string).collect();
            if largest > 0 && !beyond.is_empty() {
                // A fine grid has hundreds of sizes.
                if let Some(more) = beyond.len().checked_sub(MOST_SIZES_NAMED).filter(|&more| more > 0) {
                    beyond.truncate(MOST_SIZES_NAMED);
                    beyond.push(format!("and {more} others"));
                }
                notes.add(
                    format!("settings.{field}"),
                    format!("No stack's output is {} {what}; the largest is {largest}", beyond.join(", ")),
                    "Such a tile is taken as the whole map",
                );
            }
        }
        let stored: Vec<String> =
            self.network.needed_whole().map(|id| format!("`{}`", self.network.layer(id).name)).collect();
        if !stored.is_empty() && self.settings.fuse.iter().any(|fuse| *fuse != FuseDepth::SingleLayer) {
            let shown = stored.iter().take(MOST_SIZES_NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = stored.len().checked_sub(MOST_SIZES_NAMED).filter(|&more| more > 0);
            notes.add(
                "settings.fuse",
                format!(
                    "Depth-first tiling ends at {shown}{}: what reads them needs all of them",
                    more.map(|more| format!(" and {more} others")).unwrap_or_default()
                ),
                "Stacks end there, and the outputs go to the highest memory",
            );
        }
        notes.0.extend(self.network.notes(&self.core.name, [&self.core]));
        notes
    }

    /// This sweep with a limit on which memories features may skip.
    #[must_use]
    pub fn skipping(self, skipping: Skipping) -> Self {
        Self { skipping, ..self }
    }

    /// This sweep with data placed where the objective is least, not in the lowest memory that holds it (DeFiNES, Section
    /// III, step 3): the levels of W, I and O of each layer of each tile type, and its unrolling, with one loop halved,
    /// once or repeatedly, if that costs less; the memory of the weights and of the rows of overlap for the stack; of the
    /// columns at each boundary of tiles. The page does not ask for it.
    #[must_use]
    pub fn choosing_placement(self) -> Self {
        Self { chooses_placement: true, ..self }
    }

    /// Whether data is placed where the objective is least. The page does not ask for it, so its first piece goes without.
    pub(super) fn chooses_placement(&self) -> bool {
        self.chooses_placement && cfg!(not(target_arch = "wasm32"))
    }

    /// This sweep with mappings searched as if the core were `guide`, which has these memories with other energies.
    /// Their cost is that on the core itself. This compares mappings of methods that leave out some energies.
    #[must_use]
    pub fn guided_by(self, guide: Core) -> Self {
        Self { guide: Some(guide), ..self }
    }

    /// A problem on the core.
    pub(super) fn on_core(&self, problem: &LayerProblem) -> LayerOnCore<'_> {
        LayerOnCore::new(&self.core, self.settings.rules, problem)
    }

    /// The best mapping of any problem, by itself.
    pub fn search(&self, problem: &LayerProblem) -> Outcome {
        find_best(&self.on_guide(problem), &self.settings.objective, &self.limits(), self.settings.strategy)
    }

    /// A problem on the core by which mappings are searched.
    fn on_guide(&self, problem: &LayerProblem) -> LayerOnCore<'_> {
        LayerOnCore::new(self.guide.as_ref().unwrap_or(&self.core), self.settings.rules, problem)
    }

    /// This sweep with the same slopes for the corners of all problems.
    #[must_use]
    pub(super) fn with_slopes(self, slopes: (f64, f64)) -> Self {
        Self { slopes: Some(slopes), ..self }
    }

    /// Whether a point chooses the mappings of its problems together.
    pub(super) fn takes_corners(&self) -> bool {
        let Settings { objective, strategy, .. } = &self.settings;
        *objective == Objective::EnergyDelayProduct && *strategy == Strategy::Exact
    }

    /// The mappings of a problem of which a point takes one: the best by the objective, or the corners for a common
    /// slope where the energy-delay product of the point is the objective. At least one outcome; without a mapping if
    /// none fits. `part` says which corners. Where these are not proved within the limits, the best mapping takes their
    /// place, with no proof.
    pub(super) fn corners(&self, evaluator: &Evaluator<'_>, part: FrontPart) -> Corners<Outcome> {
        self.corners_within(evaluator, part, &self.limits())
    }

    fn corners_within(&self, evaluator: &Evaluator<'_>, part: FrontPart, limits: &Limits) -> Corners<Outcome> {
        let Settings { objective, strategy, .. } = &self.settings;
        if !self.takes_corners() {
            return Corners::one(find_best_by(evaluator, objective, limits, *strategy));
        }
        let front = find_front(evaluator, part, limits, &|| true);
        if front.proof == Proof::Optimal && !front.mappings.is_empty() {
            let MappingFront { mappings, slopes, proof, orders, stopped } = front;
            let outcome = |best| Outcome { best: Some(best), orders, feasible: 0, proof, stopped };
            return Corners { all: mappings.into_iter().map(outcome).collect(), slopes };
        }
        // The best mapping by itself, even if proved, need not be the best for a point.
        let best = find_best_by(evaluator, objective, limits, *strategy);
        Corners::one(Outcome { proof: Proof::None, ..best })
    }

    /// As [`Self::corners`]. Beside other data nothing is better than the best mapping of a layer that has all memories
    /// to itself: where that fits, and is as fast, it is the best.
    pub(super) fn corners_beside(&self, problem: &LayerProblem, known: &SolvedAlone) -> Corners<Outcome> {
        let layer = self.on_guide(problem);
        let part = self.slopes.map_or(FIRST_CORNERS, |(least, most)| FrontPart::Between(least, most));
        let search = |layer: &LayerOnCore<'_>| self.corners(&Evaluator::new(layer), part);
        if problem.reserved.is_empty() {
            return known.get(problem.clone(), |_| search(&layer));
        }
        let alone = LayerProblem { reserved: Vec::new(), ..problem.clone() };
        let corners = known.get(alone, |alone| search(&self.on_guide(alone)));
        let is_as_good = |outcome: &Outcome| {
            let best = outcome.best.as_ref();
            let cost = best.and_then(|best| Some((best, best.cost(&layer)?)));
            cost.is_some_and(|(best, cost)| cost.latency.total_cycles() == best.latency_cycles)
        };
        if corners.all.iter().all(is_as_good) { corners } else { search(&layer) }
    }

    /// What a search that leaves ties open finds of a problem of which some mapping fits. Scores above `most` do not
    /// count.
    pub(super) fn search_score(
        &self,
        problem: &LayerProblem,
        (most, effort): (f64, Effort),
        known: &SolvedAlone,
    ) -> ScoreSearch {
        let layer = self.on_core(problem);
        let Settings { objective, strategy, .. } = &self.settings;
        let search = |layer: &LayerOnCore<'_>| {
            find_score(&Evaluator::new(layer), objective, &self.limits(), *strategy, (most, effort))
        };
        let settle = |outcome: Outcome| {
            let least = match (&outcome.best, outcome.proof) {
                (None, Proof::Optimal) if most < f64::INFINITY => most,
                (_, Proof::Optimal) => return ScoreSearch::Settled(outcome),
                (Some(_), Proof::OptimalButForTies) => return ScoreSearch::Score(outcome),
                (Some(best), Proof::Gap(gap)) => {
                    let score = best.cost(&layer).map_or(0.0, |cost| objective.score(&layer, &cost));
                    score * (1.0 - gap - PRICE_TOLERANCE)
                }
                _ => 0.0,
            };
            match effort {
                _ if least >= most * (1.0 - 2.0 * PRICE_TOLERANCE) => ScoreSearch::AtLeast(most),
                Effort::Short => ScoreSearch::AtLeast(least),
                Effort::Score | Effort::Whole => ScoreSearch::Score(outcome),
            }
        };
        if problem.reserved.is_empty() {
            let outcome = search(&layer);
            known.note(problem, &outcome);
            return settle(outcome);
        }
        // Beside other data nothing is better than alone: where the mapping fits, it is as good.
        let alone = known.get_score(&LayerProblem { reserved: Vec::new(), ..problem.clone() });
        let is_as_good = |outcome: &Outcome| {
            let is_known = !matches!(outcome.proof, Proof::Gap(_) | Proof::None) || effort == Effort::Short;
            let best = outcome.best.as_ref().filter(|_| is_known);
            let cost = best.and_then(|best| Some((best, best.cost(&layer)?)));
            cost.is_some_and(|(best, cost)| cost.latency.total_cycles() == best.latency_cycles)
        };
        settle(alone.filter(is_as_good).unwrap_or_else(|| search(&layer)))
    }

    /// The corners of a problem for slopes of a range at least, in place of those that are known.
    pub(super) fn corners_between(&self, problem: &LayerProblem, (least, most): (f64, f64)) -> Corners<Outcome> {
        self.corners(&Evaluator::new(&self.on_guide(problem)), FrontPart::Between(least, most))
    }

    /// Why the search of a problem found no mapping.
    pub fn explain(&self, problem: &LayerProblem, outcome: &Outcome) -> Diagnostics {
        let layer = LayerOnCore::new(&self.core, self.settings.rules, problem);
        let mut diagnostics = Diagnostics::default();
        for shortage in smallest_that_fit(&layer, &self.limits()) {
            diagnostics.add("", shortage.to_string(), "Use smaller tiles, or a larger memory");
        }
        if diagnostics.is_empty() {
            let (reason, remedy) =
                outcome.stopped.not_begun().unwrap_or_else(|| explain_outcome(outcome, self.settings.strategy));
            diagnostics.add("", reason, remedy);
        }
        diagnostics
    }

    /// An assembler for the points of a plan; it keeps the data that they share.
    pub fn assembler<'a>(&'a self, plan: &'a SweepPlan) -> Assembler<'a> {
        self.assembler_of(&plan.problems)
    }

    /// An assembler for points that contain these problems.
    pub fn assembler_of<'a>(&'a self, problems: &'a Problems) -> Assembler<'a> {
        Assembler::new(&self.core, &self.network, self.settings.rules, problems)
    }

    /// DRAM, and the memory that the objective names, else DRAM again.
    pub(super) fn counted(&self) -> [MemoryId; COUNTED_MEMORIES] {
        let dram = self.core.top(Operand::O);
        let named = match &self.settings.objective {
            Objective::MemoryAccesses(name) => self.core.memories.position(|memory| memory.name == *name),
            _ => None,
        };
        [dram, named.unwrap_or(dram)]
    }

    /// The summary of a point's account.
    pub fn summarize(&self, point: usize, account: &PointAccount) -> PointSummary {
        PointSummary::new(&self.settings.objective, point, &account.totals(self.counted()))
    }
}

impl PointSummary {
    /// The summary of point number `point` from its totals.
    pub(super) fn new(objective: &Objective, point: usize, totals: &PointTotals) -> Self {
        let [dram_words, named_words] = totals.words.map(|words| words.total());
        let (energy_pj, latency_cycles) = (totals.energy.total_pj(), totals.latency.total_cycles());
        let stack = |&(energy_pj, latency_cycles): &(f64, u64)| StackSummary { energy_pj, latency_cycles };
        Self {
            point,
            energy_pj,
            latency_cycles,
            macs: totals.macs,
            dram_words,
            score: objective.combine(energy_pj, Cycles(latency_cycles as f64), &|| dram_words, &|_| named_words),
            stacks: totals.stacks.iter().map(stack).collect(),
        }
    }
}

fn no_such_layer_tile() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("", "The point has no such layer in such a tile", "Open another one");
    diagnostics
}

/// Why a point has no cost though each of its problems has one.
pub fn too_large_to_count() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("", "Its latency is too large to count", "Use fewer tiles, or wider memories");
    diagnostics
}

/// Why a search that began found nothing, though some mapping may fit, and a remedy.
pub fn explain_outcome(outcome: &Outcome, strategy: Strategy) -> (String, String) {
    let (first, orders) = (if outcome.stopped == StopReason::OutOfTime { "the first " } else { "" }, outcome.orders);
    match strategy {
        Strategy::Loma => (
            format!(
                "None of {first}{orders} loop orders fits the memories as LOMA places loops, each as low as it fits"
            ),
            "Search exactly, which places loops anywhere".to_owned(),
        ),
        Strategy::Exact => (
            format!("No mapping was found among {orders} partial ones, though there may be one"),
            "Use smaller tiles or larger memories".to_owned(),
        ),
    }
}

/// Cuts by hand must name layers, and not go through a branch.
fn check_cuts(core: &Core, network: &Network, settings: &Settings) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for fuse in settings.fuse.iter().filter(|fuse| matches!(fuse, FuseDepth::Cuts(_))) {
        let wrong = cut(network, core, fuse, &settings.rules).err().unwrap_or_default();
        diagnostics.0.append(&mut wrong.under("settings").0);
    }
    diagnostics.or(())
}

/// Results of every point have an entry per stack, so these are limited.
#[inline(never)]
fn check_stack_count(core: &Core, network: &Network, settings: &Settings) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let ways = settings.tiles_x.len() * settings.tiles_y.len() * settings.modes.len();
    let stacks_of = |fuse: &FuseDepth| cut(network, core, fuse, &settings.rules).map_or(0, |stacks| stacks.len());
    let stacks: usize = settings.fuse.iter().map(stacks_of).sum();
    if stacks.saturating_mul(ways) > MOST_STACKS_OF_POINTS {
        diagnostics.add(
            "settings",
            format!("{ways} tile sizes and modes of {stacks} stacks are more than {MOST_STACKS_OF_POINTS} in all"),
            format!(
                "Choose at most {} tile sizes and modes, or fuse more layers",
                MOST_STACKS_OF_POINTS / stacks.max(1)
            ),
        );
    }
    diagnostics.or(())
}

/// A layer's own spatial mapping must name dimensions that the core's array has.
fn check_unrolls(core: &Core, network: &Network) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for id in network.ids() {
        let layer = network.layer(id);
        let own = layer.unroll.iter().filter(|(dataflow, _)| *dataflow == core.dataflow).flat_map(|(_, unroll)| unroll);
        for unroll in own.filter(|unroll| !core.array.iter().any(|(name, _)| *name == unroll.array_dimension)) {
            let names: Vec<&str> = core.array.iter().map(|(name, _)| name.as_str()).collect();
            diagnostics.add(
                format!("workload.layers.{}.unroll.{}", layer.name, core.dataflow),
                format!("The array of {} has no dimension `{}`", core.name, unroll.array_dimension),
                format!("Use one of {}", names.join(", ")),
            );
        }
        for (_, own) in layer.unroll.iter().filter(|(dataflow, _)| *dataflow == core.dataflow) {
            for (name, size) in &core.array {
                let path = format!("workload.layers.{}.unroll.{}.{name}", layer.name, core.dataflow);
                check_shared_dimension(&path, name, *size, own, &mut diagnostics);
            }
        }
    }
    diagnostics.or(())
}

fn check_settings(settings: &Settings, core: Option<&Core>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for (field, what, sizes) in
        [("tiles_x", "tile width", &settings.tiles_x), ("tiles_y", "tile height", &settings.tiles_y)]
    {
        if sizes.is_empty() {
            diagnostics.add(
                format!("settings.{field}"),
                format!("No {what} is given, so there is nothing to sweep"),
                "Write at least one, for example `60`",
            );
        }
        if sizes.contains(&0) {
            diagnostics.add(format!("settings.{field}"), format!("A {what} of 0"), "Write 1 or more");
        }
    }
    if settings.modes.is_empty() {
        diagnostics.add("settings.modes", "No overlap storing mode is chosen", "Choose at least one");
    }
    if settings.fuse.is_empty() {
        diagnostics.add("settings.fuse", "No fuse depth is chosen", "Choose at least one");
    }
    let points = settings.tiles_x.len() * settings.tiles_y.len() * settings.modes.len() * settings.fuse.len();
    if points > MOST_POINTS {
        diagnostics.add(
            "settings",
            format!("The sweep has {points} points"),
            format!("Choose fewer tile sizes: at most {MOST_POINTS} points"),
        );
    }
    check_lpf_limit("settings.lpf_limit", settings.lpf_limit, &mut diagnostics);
    check_objective("settings.objective", &settings.objective, core, &mut diagnostics);
    diagnostics
}

/// Whether an objective can be minimised on the core; `path` is where it is chosen.
pub(super) fn check_objective(path: &str, objective: &Objective, core: Option<&Core>, diagnostics: &mut Diagnostics) {
    match (objective, core) {
        (Objective::MemoryAccesses(name), Some(core)) => {
            let names: Vec<&str> = core.memories.iter().map(|memory| memory.name.as_str()).collect();
            if !names.contains(&name.as_str()) {
                let remedy = closest(name, names.iter().copied()).map_or_else(
                    || format!("Use one of {}", names.join(", ")),
                    |meant| format!("Did you mean `{meant}`?"),
                );
                diagnostics.add(path, format!("The core has no memory `{name}`"), remedy);
            }
        }
        (Objective::Weighted(weights), _) => {
            let all = [weights.energy, weights.latency, weights.dram_accesses];
            let is_weight = |weight: &f64| (0.0..=MAX_WEIGHT).contains(weight);
            if !all.iter().all(is_weight) || all.iter().all(|weight| *weight == 0.0) {
                diagnostics.add(
                    path,
                    "The weights must be numbers from 0 to 1000000000000, and one of them above 0",
                    "Write for example 1 for energy and 0 for the others",
                );
            }
        }
        _ => {}
    }
}

/// What a search that leaves ties open finds.
pub(super) enum ScoreSearch {
    /// The outcome of a whole search.
    Settled(Outcome),
    /// A mapping of the best score.
    Score(Outcome),
    /// A lower bound on the score of all mappings.
    AtLeast(f64),
}

/// The outcomes of searches of problems that have all memories to themselves, under the settings of one sweep, for those
/// of the same layer beside other data.
#[derive(Debug, Default)]
pub struct SolvedAlone {
    searched: Mutex<FxHashMap<LayerProblem, Corners<Outcome>>>,
    scores: Mutex<FxHashMap<LayerProblem, Outcome>>,
}

impl SolvedAlone {
    pub(super) fn get(
        &self,
        problem: LayerProblem,
        search: impl FnOnce(&LayerProblem) -> Corners<Outcome>,
    ) -> Corners<Outcome> {
        known_of(&self.searched, &problem).unwrap_or_else(|| {
            let outcome = search(&problem);
            keep(&self.searched, problem, outcome.clone());
            outcome
        })
    }

    /// The outcome of a search that left ties open, if there is any.
    fn get_score(&self, problem: &LayerProblem) -> Option<Outcome> {
        known_of(&self.scores, problem)
    }

    /// Keeps the mapping that a search found which left ties open.
    fn note(&self, problem: &LayerProblem, outcome: &Outcome) {
        if outcome.best.is_none() {
            return;
        }
        if outcome.proof == Proof::Optimal {
            keep(&self.searched, problem.clone(), Corners::one(outcome.clone()));
        }
        keep(&self.scores, problem.clone(), outcome.clone());
    }
}

fn known_of<T: Clone>(known: &Mutex<FxHashMap<LayerProblem, T>>, problem: &LayerProblem) -> Option<T> {
    known.lock().ok()?.get(problem).cloned()
}

fn keep<T>(known: &Mutex<FxHashMap<LayerProblem, T>>, problem: LayerProblem, outcome: T) {
    if let Ok(mut known) = known.lock() {
        if known.len() >= MOST_ALONE {
            known.clear();
        }
        known.insert(problem, outcome);
    }
}

/// The best mapping of every problem of a plan by itself, calling `progress` after each; `None` where nothing fits.
pub fn solve_all(
    sweep: &Sweep,
    plan: &SweepPlan,
    mut progress: impl FnMut(ProblemId),
) -> TiVec<ProblemId, Option<Solution>> {
    let solve = |(problem, of): (ProblemId, &LayerProblem)| {
        let outcome = sweep.search(of);
        progress(problem);
        outcome.best
    };
    plan.problems.list.iter_enumerated().map(solve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{find_preset, hardware_presets, workload_presets};

    /// The best mapping by itself may be proved where the corners are not; for a point it is then only one of many.
    #[test]
    fn of_a_problem_whose_corners_are_not_proved_a_point_proves_nothing() {
        let request = Request {
            hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
            workload: find_preset(workload_presets(), "fsrcnn").unwrap().text.to_owned(),
            settings: Settings {
                tiles_x: vec![60],
                tiles_y: vec![72],
                objective: Objective::EnergyDelayProduct,
                ..Settings::default()
            },
        };
        let sweep = Sweep::new(&request).unwrap();
        let mut proved_alone = 0;
        for problem in &sweep.plan().problems.list {
            let layer = sweep.on_core(problem);
            let evaluator = Evaluator::new(&layer);
            for max_branches in [1, 3, 10, 30, 100] {
                let limits = Limits { max_branches, ..sweep.limits() };
                let corners = sweep.corners_within(&evaluator, FIRST_CORNERS, &limits);
                let is_proved = find_front(&evaluator, FIRST_CORNERS, &limits, &|| true).proof == Proof::Optimal;
                let proof = if is_proved { Proof::Optimal } else { Proof::None };
                assert!(corners.all.iter().all(|outcome| outcome.best.is_some() && outcome.proof == proof));
                let alone = find_best_by(&evaluator, &Objective::EnergyDelayProduct, &limits, Strategy::Exact);
                proved_alone += usize::from(!is_proved && alone.proof == Proof::Optimal);
            }
        }
        assert!(proved_alone > 0, "where the best is proved, all corners are");
    }
}
