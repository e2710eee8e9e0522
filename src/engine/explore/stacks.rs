//! Stacks, tile sizes and overlap storing modes that are jointly optimal: DeFiNES' three axes at once.
//!
//! The cost of a stack depends on its layers, its tile and its mode alone, as features between stacks go through the
//! highest memory. So the best of each stack is found by itself, and the best choice of stacks is a shortest path through
//! the [`StackGraph`], by dynamic programming over its states. Energy, latency and words add up, so one best path to each
//! state is enough.
//!
//! The energy-delay product does not add up, but the least product is a corner of the hull of all sums, with one slope
//! for all stacks and layer-tiles (`common_slope.rs`). So each layer-tile, strategy, stack and path has the corners of its
//! hull in place of its best one, for slopes around that of the network layer by layer (`SLOPES_AROUND`). Only
//! stacks that change energy by latency even more, and need 8 times less of one of both, could have a lesser product.
//!
//! Most tiles and modes of a stack are never planned: a lower bound that needs no plan ([`StackLowerBound`]) already
//! exceeds the cost of another one. Bounds only decide which strategies are evaluated and in which order, not the
//! result.
//!
//! Ties are judged as everywhere ([`ties`]), first between the strategies of a stack, then between the paths. A path
//! stays that may end in a tie: its score exceeds the least one at its state by no more than the tolerance of the whole.

use super::common_slope::{EnergyLatency, SumCorner, SumOfHulls, corners_of, is_beaten_by};
use super::cost_store::{CostStore, SearchEffort};
use super::fusion_choices::stacks_of_methods;
use super::incremental_sweep::{IncrementalSweep, slopes};
use super::sweep::Sweep;
use crate::cost::{ByCause, EnergySplit, LatencySplit};
use crate::depth_first::{
    CostExpression, EnumerationLimit, FuseDepth, PointAccount, PointTotals, Price, StackArc, StackEnumeration,
    StackGraph, StackLowerBound, StateId, StoringMode,
};
use crate::hardware::Operand;
use crate::ids::{TiVec, ti_vec};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::pareto;
use crate::search::{Limits, Objective, smallest_that_fit};
use crate::spec::Diagnostics;
use crate::ties::{self, Figures, TilePlace};
use crate::tolerance::REL_TOLERANCE;
use crate::units::Cycles;
use crate::workload::{Dim, LayerId};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Limit on the stacks of a part: some of them take a second where maps are large.
const MOST_IN_A_PART: usize = 64;
/// Limit on the number of stacks times strategies.
const MOST_RUNS: usize = 2_000_000;

/// Limits of an accelerator's control (DeFiNES, Fig. 6): more layers in a stack need more code, and more tiles more switching between
/// layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StackLimits {
    /// Most layers that a stack may have; `None`: no limit.
    pub most_layers: Option<usize>,
    /// Most tiles that a stack may have; `None`: no limit.
    pub most_tiles: Option<u64>,
}

/// Columns and rows of a tile, and the treatment of the overlap of tiles.
type TileAndMode = ((u64, u64), StoringMode);

/// A stack with its tile size and storing mode, and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StackRun {
    /// Index of the stack among [`StackProblem::stacks`], the arcs of the [`StackGraph`].
    pub arc: usize,
    /// Columns and rows of a tile.
    pub tile: (u64, u64),
    /// The treatment of the overlap of tiles.
    pub mode: StoringMode,
    /// Number of tiles.
    pub tiles: u64,
    /// Energy by cause.
    pub energy: EnergySplit,
    /// Latency by cause.
    pub latency: LatencySplit,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency of all its tiles, cycles.
    pub latency_cycles: u64,
    /// Full-width words read from and written to DRAM.
    pub dram_words: ByCause,
    /// Its value of the objective.
    pub score: f64,
}

/// The jointly optimal stacks, tile sizes and storing modes of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimalStacks {
    /// The stacks in order.
    pub runs: Vec<StackRun>,
    /// Names of their last layers.
    pub ends: Vec<String>,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Sum of the stacks' latencies, cycles.
    pub latency_cycles: u64,
    /// Full-width words read from and written to DRAM.
    pub dram_words: f64,
    /// Value of the objective.
    pub score: f64,
}

impl OptimalStacks {
    /// Energy by cause, of all stacks.
    pub fn energy(&self) -> EnergySplit {
        let mut sum = EnergySplit::default();
        self.runs.iter().for_each(|run| sum.add(&run.energy, 1.0));
        sum
    }

    /// Latency by cause, of all stacks.
    pub fn latency(&self) -> LatencySplit {
        let mut sum = LatencySplit::default();
        self.runs.iter().for_each(|run| sum.add(&run.latency, 1));
        sum
    }

    /// Words to and from DRAM by cause, of all stacks.
    pub fn dram(&self) -> ByCause {
        let mut sum = ByCause::default();
        self.runs.iter().for_each(|run| sum.add(&run.dram_words, 1.0));
        sum
    }

    /// The fuse depth that makes these stacks.
    pub fn fuse(&self) -> FuseDepth {
        FuseDepth::Cuts(self.ends.clone())
    }
}

/// The study of all stacks of a network, in parts that workers take in any order: the best strategies of each stack, and from them the
/// joint optimum.
pub struct StackProblem {
    incremental: IncrementalSweep,
    graph: StackGraph,
    /// Numbers of the stacks of each part.
    parts: Vec<Vec<usize>>,
    limits: StackLimits,
    order: PathOrder,
    tried: StrategyEffort,
}

/// Numbers of strategies of stacks that were compared, and that were planned for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyEffort {
    /// Stacks times their tile sizes and storing modes.
    pub compared: u64,
    /// Number of these that were planned; a lower bound that needs no plan rules the others out.
    pub planned: u64,
}

impl StrategyEffort {
    /// Adds up.
    pub fn add(&mut self, other: Self) {
        self.compared += other.compared;
        self.planned += other.planned;
    }

    /// The effort since an earlier one.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self { compared: self.compared - before.compared, planned: self.planned - before.planned }
    }
}

impl StackProblem {
    /// A study of the tile sizes and modes of a sweep, and of the whole map as a tile. Of a network that can be cut into too many stacks
    /// it looks at the short ones and at those that the other methods choose, and says so in [`Self::listed`].
    ///
    /// # Errors
    /// Limits under which no choice of stacks computes the network.
    pub fn new(sweep: Sweep, limits: StackLimits) -> Result<Self, Diagnostics> {
        let graph = stack_graph(&sweep, limits)?;
        let parts = parts(&graph);
        let objective = sweep.settings.objective.clone();
        let slopes = (objective == Objective::EnergyDelayProduct).then(|| slopes(&sweep));
        let sweep = slopes.map_or(sweep.clone(), |slopes| sweep.with_slopes(slopes));
        let order = PathOrder { objective, slopes };
        Ok(Self {
            incremental: IncrementalSweep::new(sweep),
            graph,
            parts,
            limits,
            order,
            tried: StrategyEffort::default(),
        })
    }

    /// The sweep whose design is studied.
    pub fn sweep(&self) -> &Sweep {
        self.incremental.sweep()
    }

    /// Every stack that the limits allow, as arcs of the graph of order ideals.
    pub fn stacks(&self) -> &[StackArc] {
        &self.graph.arcs
    }

    /// The stacks of the network that are studied: among these the optimum is proved.
    pub fn listed(&self) -> StackEnumeration {
        self.graph.listed
    }

    /// The same study without any results, for another worker.
    pub fn anew(&self) -> Self {
        Self {
            incremental: IncrementalSweep::new(self.sweep().clone()),
            graph: self.graph.clone(),
            parts: self.parts.clone(),
            limits: self.limits,
            order: self.order.clone(),
            tried: StrategyEffort::default(),
        }
    }

    /// Number of paths through the graph: the ways to cut the network into stacks; saturates.
    pub fn cuttings(&self) -> u128 {
        let mut paths: TiVec<StateId, u128> = ti_vec![0; self.graph.states];
        paths[StateId::default()] = 1;
        for arc in &self.graph.arcs {
            paths[arc.to] = paths[arc.to].saturating_add(paths[arc.from]);
        }
        paths[self.graph.end]
    }

    /// Searches of mappings so far.
    pub fn effort(&self) -> SearchEffort {
        self.incremental.effort
    }

    /// Strategies that were compared so far.
    pub fn tried(&self) -> StrategyEffort {
        self.tried
    }

    /// Number of parts of the study.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The best strategies of the stacks of one part: all that may be part of an optimum.
    pub fn part(&mut self, store: &mut CostStore, part: usize) -> Vec<StackRun> {
        let stacks = self.parts.get(part).cloned().unwrap_or_default();
        stacks.into_iter().flat_map(|stack| self.runs_of(store, stack)).collect()
    }

    /// The best strategies of a stack. They are planned and searched by ascending lower bound, so that most need neither.
    fn runs_of(&mut self, store: &mut CostStore, number: usize) -> Vec<StackRun> {
        self.incremental.forget_if_full();
        let mut promising = BinaryHeap::new();
        for (place, way) in self.strategies(number).into_iter().enumerate() {
            if self.limits.most_tiles.is_some_and(|most| self.tiles(number, way.0) > most) {
                continue;
            }
            // A tile that fits nowhere is left out.
            let Ok(bound) = self.incremental.stack_lower_bound(store, &self.graph.arcs[number].stack, way) else {
                continue;
            };
            self.tried.compared += 1;
            promising.push(self.order.promising(bound.map(StrategyLowerBound::from), (place, way), None));
        }
        match self.order.slopes {
            None => self.best_runs(store, number, promising),
            Some(slopes) => self.corner_runs(store, number, (promising, slopes)),
        }
    }

    /// The best strategy of a stack, where the objective is a sum.
    fn best_runs(
        &mut self,
        store: &mut CostStore,
        number: usize,
        mut promising: BinaryHeap<Promising>,
    ) -> Vec<StackRun> {
        let mut runs: Vec<StackRun> = Vec::new();
        while let Some(next) = promising.pop() {
            let is_beaten = |least: &StrategyLowerBound| runs.iter().any(|run| self.order.is_clearly_below(run, least));
            if next.least.is_some_and(|least| is_beaten(&least)) {
                continue;
            }
            if self.sweep().chooses_placement() {
                runs.extend(self.best_placed(store, number, next.way, &runs));
                continue;
            }
            let Some(expression) = &next.planned else {
                promising.extend(self.plan(store, number, &next));
                continue;
            };
            let is_beaten = |least: &PointTotals| is_beaten(&StrategyLowerBound::from(least));
            let strategy = (&self.graph.arcs[number].stack, next.way, expression);
            if let Ok(Some(totals)) = self.incremental.stack_totals_unless(store, strategy, &is_beaten) {
                let run = self.run(number, next.way, &totals);
                let slack = REL_TOLERANCE * run.score.abs();
                self.order.keep(&mut runs, run, slack);
            }
        }
        self.order.best_run(runs)
    }

    /// A strategy with the best of all placements, unless another one has a lower score.
    fn best_placed(
        &mut self,
        store: &mut CostStore,
        number: usize,
        way: TileAndMode,
        runs: &[StackRun],
    ) -> Option<StackRun> {
        self.tried.planned += 1;
        let least = runs.iter().map(|run| run.score).fold(f64::INFINITY, f64::min);
        let most = Price([least + REL_TOLERANCE * least.abs(), f64::INFINITY, f64::INFINITY]);
        let stack = &self.graph.arcs[number].stack;
        let totals = self.incremental.best_stack_totals(store, stack, way, most)?;
        Some(self.run(number, way, &totals))
    }

    /// The strategies and mappings of a stack that are corners of the hull of all, where the objective is a product.
    fn corner_runs(
        &mut self,
        store: &mut CostStore,
        number: usize,
        (mut promising, slopes): (BinaryHeap<Promising>, (f64, f64)),
    ) -> Vec<StackRun> {
        if self.sweep().chooses_placement() {
            return self.placed_corner_runs(store, number, (promising, slopes));
        }
        let mut planned: Vec<(TileAndMode, CostExpression)> = Vec::new();
        let mut corners: Vec<(SumCorner, usize)> = Vec::new();
        while let Some(next) = promising.pop() {
            let hull: Vec<EnergyLatency> = corners.iter().map(|(corner, _)| corner.at).collect();
            if next.least.is_some_and(|least| is_beaten_by(&hull, (least.energy_pj, least.latency_cycles), slopes)) {
                continue;
            }
            let Some(expression) = next.planned else {
                promising.extend(self.plan(store, number, &next));
                continue;
            };
            let are_beaten = |sums: &SumOfHulls| sums.are_beaten_by(&hull, slopes);
            let new = self.incremental.stack_corners_unless(store, &expression, &are_beaten);
            corners.extend(new.into_iter().map(|corner| (corner, planned.len())));
            planned.push((next.way, expression));
            let place =
                |(_, strategy): &(SumCorner, usize)| TilePlace::new(planned[*strategy].0.0, planned[*strategy].0.1);
            corners = corners_of(corners, slopes, |(corner, _)| corner.at, place);
        }
        let mut runs = Vec::with_capacity(corners.len());
        for (corner, strategy) in corners {
            let (way, expression) = &planned[strategy];
            let strategy = (&self.graph.arcs[number].stack, *way, expression);
            let totals = self.incremental.stack_totals_at(store, strategy, &corner);
            runs.extend(totals.ok().map(|totals| self.run(number, *way, &totals)));
        }
        runs
    }

    /// As [`Self::corner_runs`], with all placements.
    fn placed_corner_runs(
        &mut self,
        store: &mut CostStore,
        number: usize,
        (mut promising, slopes): (BinaryHeap<Promising>, (f64, f64)),
    ) -> Vec<StackRun> {
        let mut runs: Vec<StackRun> = Vec::new();
        let at = |run: &StackRun| (run.energy_pj, run.latency_cycles as f64);
        while let Some(next) = promising.pop() {
            let hull: Vec<EnergyLatency> = runs.iter().map(at).collect();
            if next.least.is_some_and(|least| is_beaten_by(&hull, (least.energy_pj, least.latency_cycles), slopes)) {
                continue;
            }
            self.tried.planned += 1;
            let stack = &self.graph.arcs[number].stack;
            let is_hopeless = |meeting: EnergyLatency, slopes: (f64, f64)| is_beaten_by(&hull, meeting, slopes);
            let new = self.incremental.best_stack_corners(store, stack, next.way, slopes, &is_hopeless);
            runs.extend(new.into_iter().map(|(_, totals)| self.run(number, next.way, &totals)));
            runs = corners_of(runs, slopes, at, |run| TilePlace::new(run.tile, run.mode));
        }
        runs
    }

    /// Plans a strategy that has been bounded only.
    fn plan(&mut self, store: &mut CostStore, number: usize, next: &Promising) -> Option<Promising> {
        self.tried.planned += 1;
        let expression = self.incremental.stack_cost(store, &self.graph.arcs[number].stack, next.way).ok()?;
        let least = StrategyLowerBound::from(&self.incremental.lower_bound(&expression)?);
        Some(self.order.promising(Some(least), (next.place, next.way), Some(expression)))
    }

    /// The joint optimum, from the best strategies of all parts.
    ///
    /// # Errors
    /// Where no choice can be scheduled.
    pub fn combine(&self, runs: &[StackRun]) -> Result<OptimalStacks, Diagnostics> {
        let mut of_stack: Vec<Vec<StackRun>> = vec![Vec::new(); self.graph.arcs.len()];
        for run in runs {
            if let Some(of_stack) = of_stack.get_mut(run.arc) {
                of_stack.push(*run);
            }
        }
        let least_score = |arc: usize| of_stack[arc].iter().map(|run| run.score).fold(f64::INFINITY, f64::min);
        let slack = REL_TOLERANCE * least_path(&self.graph, least_score).abs();
        let mut paths: TiVec<StateId, Vec<StackPath>> = ti_vec![Vec::new(); self.graph.states];
        paths[StateId::default()].push(StackPath::default());
        for (arc, runs) in self.graph.arcs.iter().zip(&of_stack) {
            // Arcs are sorted by the state where they begin, and lead to later ones: all paths to `arc.from` are known.
            let (before, after) = paths.split_at_mut(arc.to);
            let further = before[arc.from].iter().enumerate();
            let further =
                further.flat_map(|(number, way)| runs.iter().map(move |run| way.then((arc.from, number), run)));
            let paths = &mut after.raw[0];
            match self.order.slopes {
                None => further.for_each(|way| self.order.keep(paths, way, slack)),
                Some(slopes) => {
                    paths.extend(further);
                    let at = |way: &StackPath<'_>| (way.energy_pj, way.latency_cycles as f64);
                    *paths = corners_of(std::mem::take(paths), slopes, at, |_| ());
                }
            }
        }
        let cost = |way: &StackPath<'_>| {
            if self.order.slopes.is_none() { way.score } else { way.energy_pj * way.latency_cycles as f64 }
        };
        let figures = |way: &&StackPath<'_>| (self.order.figures(cost(way), way.energy_pj, way.latency_cycles), ());
        let mut at = ties::best(&paths[self.graph.end], figures).ok_or_else(|| self.nothing_fits())?;
        let mut optimal = OptimalStacks {
            runs: Vec::new(),
            ends: Vec::new(),
            energy_pj: at.energy_pj,
            latency_cycles: at.latency_cycles,
            dram_words: 0.0,
            score: cost(at),
        };
        while let (Some((state, number)), Some(run)) = (at.before, at.run) {
            optimal.runs.push(*run);
            optimal.ends.push(self.sweep().network.layer(end_of(&self.graph.arcs[run.arc])).name.clone());
            at = &paths[state][number];
        }
        optimal.dram_words = optimal.runs.iter().map(|run| run.dram_words.total()).sum();
        optimal.runs.reverse();
        optimal.ends.reverse();
        Ok(optimal)
    }

    /// Why nothing can be scheduled: the least need of the first layer that has no mapping at all, else the limits.
    fn nothing_fits(&self) -> Diagnostics {
        let (core, network, rules) = (&self.sweep().core, &self.sweep().network, self.sweep().settings.rules);
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let mut diagnostics = Diagnostics::default();
        for layer in network.computing().map(|id| network.layer(id)) {
            let problem = LayerProblem::new(layer.shape, levels, layer.unroll_on(core, &rules));
            for shortage in smallest_that_fit(&LayerOnCore::new(core, rules, &problem), &Limits::default()) {
                let remedy = shortage.remedy(core, rules, &problem);
                diagnostics.add(format!("layers.{}", layer.name), shortage.to_string(), remedy);
            }
            if !diagnostics.is_empty() {
                return diagnostics;
            }
        }
        let remedy = "Allow more layers or tiles in a stack, smaller tiles, or larger memories";
        diagnostics.add("", "No choice of stacks can be scheduled within the limits", remedy);
        diagnostics
    }

    /// The whole account of a choice.
    ///
    /// # Errors
    /// As [`IncrementalSweep::account`].
    pub fn account(&mut self, store: &mut CostStore, optimal: &OptimalStacks) -> Result<PointAccount, Diagnostics> {
        let stacks: Vec<_> = optimal
            .runs
            .iter()
            .filter_map(|run| Some((self.graph.arcs.get(run.arc)?.stack.clone(), run.tile, run.mode)))
            .collect();
        let slope = optimal.energy_pj / optimal.latency_cycles.max(1) as f64;
        self.incremental.account_of_stacks(store, (optimal.fuse(), slope), &stacks)
    }

    /// Columns and rows of a layer's output.
    fn map(&self, layer: LayerId) -> (u64, u64) {
        let shape = &self.sweep().network.layer(layer).shape;
        (shape.size(Dim::OX), shape.size(Dim::OY))
    }

    /// The different strategies of a stack. Modes that differ in overlap that its tiles do not have are one: a column of tiles has none
    /// from left to right, a row of tiles none from top to bottom, and a single tile none at all.
    fn strategies(&self, arc: usize) -> Vec<TileAndMode> {
        let settings = &self.sweep().settings;
        let (columns, rows) = self.map(end_of(&self.graph.arcs[arc]));
        let sides = |sides: &[u64], map: u64| sides.iter().map(|&side| side.min(map)).collect::<BTreeSet<u64>>();
        let heights = sides(&settings.tiles_y, rows);
        let tiles = sides(&settings.tiles_x, columns).into_iter().flat_map(|x| heights.iter().map(move |&y| (x, y)));
        let mut strategies: Vec<_> = tiles
            .filter(|&tile| tile != (columns, rows))
            .flat_map(|tile| {
                let twin = match (tile.0 == columns, tile.1 == rows) {
                    (true, _) => Some((StoringMode::HCachedVRecompute, StoringMode::FullyRecompute)),
                    (_, true) => Some((StoringMode::HCachedVRecompute, StoringMode::FullyCached)),
                    _ => None,
                };
                let is_twin =
                    move |mode| twin.is_some_and(|(left_out, kept)| mode == left_out && settings.modes.contains(&kept));
                settings.modes.iter().filter(move |&&mode| !is_twin(mode)).map(move |&mode| (tile, mode))
            })
            .collect();
        // The whole map is a tile, for any settings.
        strategies.push(((columns, rows), StoringMode::FullyRecompute));
        strategies
    }

    /// Number of tiles of a stack.
    fn tiles(&self, arc: usize, tile: (u64, u64)) -> u64 {
        let (columns, rows) = self.map(end_of(&self.graph.arcs[arc]));
        columns.div_ceil(tile.0.max(1)).saturating_mul(rows.div_ceil(tile.1.max(1)))
    }

    fn run(&self, arc: usize, (tile, mode): TileAndMode, totals: &PointTotals) -> StackRun {
        let (energy, latency) = (totals.energy, totals.latency);
        let (energy_pj, latency_cycles) = (energy.total_pj(), latency.total_cycles());
        let [dram_words, _] = totals.words;
        let score = self.order.score(&StrategyLowerBound::from(totals));
        let tiles = self.tiles(arc, tile);
        StackRun { arc, tile, mode, tiles, energy, latency, energy_pj, latency_cycles, dram_words, score }
    }
}

/// A lower bound on the cost of a strategy.
#[derive(Debug, Clone, Copy)]
struct StrategyLowerBound {
    energy_pj: f64,
    latency_cycles: f64,
    dram_words: f64,
    /// Words of the memory that the objective names.
    named_words: f64,
}

impl From<&PointTotals> for StrategyLowerBound {
    fn from(totals: &PointTotals) -> Self {
        let [dram_words, named_words] = totals.words.map(|words| words.total());
        let latency_cycles = totals.latency.total_cycles() as f64;
        Self { energy_pj: totals.energy.total_pj(), latency_cycles, dram_words, named_words }
    }
}

impl From<StackLowerBound> for StrategyLowerBound {
    fn from(bound: StackLowerBound) -> Self {
        let StackLowerBound { energy_pj, latency_cycles, dram_words } = bound;
        // Runs have whole cycles, so that no margin covers the rounding of these.
        Self { energy_pj, latency_cycles: latency_cycles * (1.0 - REL_TOLERANCE), dram_words, named_words: 0.0 }
    }
}

/// A strategy of a stack that may be the best.
struct Promising {
    score: f64,
    /// Its lower bound, if one is known.
    least: Option<StrategyLowerBound>,
    /// Its place among the strategies.
    place: usize,
    way: TileAndMode,
    /// Its cost, once it is planned.
    planned: Option<CostExpression>,
}

impl PartialEq for Promising {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Promising {}

impl PartialOrd for Promising {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The greatest has the least score.
impl Ord for Promising {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.place.cmp(&self.place))
    }
}

/// When one path dominates another, by the objective.
#[derive(Clone)]
struct PathOrder {
    objective: Objective,
    /// The slopes for which corners are found, where the objective of a network is not the sum of its stacks'.
    slopes: Option<(f64, f64)>,
}

impl PathOrder {
    fn score(&self, cost: &StrategyLowerBound) -> f64 {
        let StrategyLowerBound { energy_pj, latency_cycles, dram_words, named_words } = *cost;
        self.objective.combine(energy_pj, Cycles(latency_cycles), &|| dram_words, &|_| named_words)
    }

    fn promising(
        &self,
        least: Option<StrategyLowerBound>,
        (place, way): (usize, TileAndMode),
        planned: Option<CostExpression>,
    ) -> Promising {
        let score = least.map_or(f64::NEG_INFINITY, |least| self.score(&least));
        Promising { score, least, place, way, planned }
    }

    /// Whether a run is better than every one with this lower bound, by more than rounding.
    fn is_clearly_below(&self, run: &StackRun, least: &StrategyLowerBound) -> bool {
        run.score < self.score(least) * (1.0 - REL_TOLERANCE)
    }

    /// The figures by which runs of a stack, and paths to the end, are compared.
    fn figures(&self, score: f64, energy_pj: f64, latency_cycles: u64) -> Figures {
        self.objective.figures(score, energy_pj, latency_cycles as f64)
    }

    /// Adds to a set of items that may be the best by a sum, or part of it, unless one of them rules the new one out; drops
    /// those that it rules out: one whose score is less by more than the slack, or one that is nowhere worse.
    fn keep<T: Priced>(&self, kept: &mut Vec<T>, new: T, slack: f64) {
        let rules_out = |a: &T, b: &T| {
            let ((e, l, s), (other_e, other_l, other_s)) = (a.price(), b.price());
            let is_nowhere_worse = e <= other_e && l <= other_l && s <= other_s;
            s + slack < other_s || is_nowhere_worse && a.place() <= b.place()
        };
        if pareto::admits(kept, &new, rules_out) {
            kept.push(new);
        }
    }

    /// The best run of a stack: where scores are summed, every path takes that one.
    fn best_run(&self, runs: Vec<StackRun>) -> Vec<StackRun> {
        let figures = |run: &StackRun| self.figures(run.score, run.energy_pj, run.latency_cycles);
        ties::best(runs, |run| (figures(run), TilePlace::new(run.tile, run.mode))).into_iter().collect()
    }
}

/// Costs by which two paths to the same state are compared.
trait Priced {
    /// Energy, pJ; latency, cycles; value of the objective, where it is a sum.
    fn price(&self) -> (f64, u64, f64);

    /// Order of equals, independent of the order in which they are found: the one with the lower place is kept. Of
    /// equal places it is the first.
    fn place(&self) -> Option<TilePlace> {
        None
    }
}

impl Priced for StackRun {
    fn price(&self) -> (f64, u64, f64) {
        (self.energy_pj, self.latency_cycles, self.score)
    }

    fn place(&self) -> Option<TilePlace> {
        Some(TilePlace::new(self.tile, self.mode))
    }
}

/// A path from the empty state to a state of the [`StackGraph`]: its cost, and where it comes from.
#[derive(Debug, Clone, Copy, Default)]
struct StackPath<'a> {
    /// The state before the last stack, and the index of the path to it.
    before: Option<(StateId, usize)>,
    /// How the last stack is run.
    run: Option<&'a StackRun>,
    energy_pj: f64,
    latency_cycles: u64,
    score: f64,
}

impl<'a> StackPath<'a> {
    fn then(&self, before: (StateId, usize), run: &'a StackRun) -> Self {
        Self {
            before: Some(before),
            run: Some(run),
            energy_pj: self.energy_pj + run.energy_pj,
            latency_cycles: self.latency_cycles.saturating_add(run.latency_cycles),
            score: self.score + run.score,
        }
    }
}

impl Priced for StackPath<'_> {
    fn price(&self) -> (f64, u64, f64) {
        (self.energy_pj, self.latency_cycles, self.score)
    }
}

fn end_of(arc: &StackArc) -> LayerId {
    arc.stack.nodes[arc.stack.output()]
}

/// Stacks with the same last layer have most mapping problems in common, and so are in the same part. Those that end early come first:
/// their maps are the largest, so that a single one may take half of all time. Late layers end the most stacks, which divide well.
fn parts(graph: &StackGraph) -> Vec<Vec<usize>> {
    let mut by_end: BTreeMap<LayerId, Vec<usize>> = BTreeMap::new();
    for (number, arc) in graph.arcs.iter().enumerate() {
        by_end.entry(end_of(arc)).or_default().push(number);
    }
    by_end.values().flat_map(|stacks| stacks.chunks(MOST_IN_A_PART)).map(<[usize]>::to_vec).collect()
}

/// The least sum of costs of a path through a graph, by the cost of each arc; infinite where there is none.
fn least_path(graph: &StackGraph, cost: impl Fn(usize) -> f64) -> f64 {
    let mut least: TiVec<StateId, f64> = ti_vec![f64::INFINITY; graph.states];
    least[StateId::default()] = 0.0;
    for (number, arc) in graph.arcs.iter().enumerate() {
        least[arc.to] = least[arc.to].min(least[arc.from] + cost(number));
    }
    least[graph.end]
}

fn stack_graph(sweep: &Sweep, limits: StackLimits) -> Result<StackGraph, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let most_layers = limits.most_layers.unwrap_or(usize::MAX);
    if most_layers == 0 || limits.most_tiles == Some(0) {
        diagnostics.add("settings.limits", "A limit of 0 leaves no stack", "Write 1 or more");
        return Err(diagnostics);
    }
    let graph = StackGraph::new(&sweep.network, most_layers).or_else(|why| match why {
        EnumerationLimit::TooMany => StackGraph::within_effort(&sweep.network, most_layers, &stacks_of_methods(sweep)),
        EnumerationLimit::NoWay => Err(why),
    });
    let Ok(graph) = graph else {
        let name = &sweep.network.name;
        diagnostics.add(
            "settings.limits",
            format!(
                "No stacks of at most {most_layers} layers compute {name}: what branches off inside a stack has to join there"
            ),
            "Allow more layers in a stack",
        );
        return Err(diagnostics);
    };
    let strategies = (sweep.settings.tiles_x.len() * sweep.settings.tiles_y.len() + 1) * sweep.settings.modes.len();
    if graph.arcs.len().saturating_mul(strategies) > MOST_RUNS {
        diagnostics.add(
            "settings",
            format!("{} stacks with {strategies} strategies each are more than {MOST_RUNS} in all", graph.arcs.len()),
            format!(
                "Choose fewer tile sizes or modes, for at most {} strategies, or allow fewer layers in a stack",
                MOST_RUNS / graph.arcs.len().max(1)
            ),
        );
    }
    diagnostics.or(graph)
}
