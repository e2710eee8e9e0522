//! The search for the tile size of a network on many cores, together with the allocation of its layers: candidates in stages, each of which
//! starts from the best of those before. A candidate is a single run ([`CoresProblem::outcome`]), so that the search is
//! a [`Job`].

use super::super::costs::TileCosts;
use super::super::ids::{NestId, StackId};
use super::super::request::{CoresRequest, ScheduleObjective, TileGranularity};
use super::super::tile_size::TileSize;
use super::{CoresProblem, EvaluatedAllocation, StackAllocation};
use crate::job::{Job, Progress, RemoteJob, Worker, finish};
use crate::spec::Diagnostics;
use crate::system::CoreId;
use crate::ties::{self, Figures, is_clearly_less};
use crate::units::Cycles;
use crate::workload::Dim;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Number of stacks, those of the most work, that are given a tile size of their own.
const MOST_STACKS: usize = 4;

/// A candidate: the size of tiles, and other sizes in single stacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TileSizeCandidate {
    /// Of all layers that are fused.
    pub all: TileSize,
    /// Of the layers of single stacks, by stack.
    pub stacks: Vec<(StackId, TileSize)>,
}

impl TileSizeCandidate {
    /// Tiles of so many whole rows.
    pub fn rows(rows: u64) -> Self {
        Self { all: TileSize { rows: Some(rows), ..TileSize::default() }, stacks: Vec::new() }
    }

    /// How a request states it.
    pub fn granularity(&self) -> TileGranularity {
        match (self.all, &self.stacks[..]) {
            (TileSize { rows: Some(rows), columns: None, channels: None }, []) => TileGranularity::Rows(rows),
            (TileSize { rows: None, columns: None, channels: None }, []) => TileGranularity::LayerByLayer,
            _ => TileGranularity::ByHand(self.text()),
        }
    }

    /// As people write it in a request: `rows 4, columns 240; stack 2: rows 8`.
    pub fn text(&self) -> String {
        let of_stack = |(stack, size): &(StackId, TileSize)| format!("; stack {}: {}", stack.index() + 1, size.text());
        self.all.text() + &self.stacks.iter().map(of_stack).collect::<String>()
    }
}

/// The largest sizes of the fused layers, which tiles divide.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TileSizeRange {
    /// Rows of the highest feature map.
    pub rows: u64,
    /// Columns of the widest one.
    pub columns: u64,
    /// Output channels of the layer that has most.
    pub channels: u64,
    /// Stacks of several layers, those of the most work first.
    pub stacks: Vec<StackId>,
}

/// The sizes that are varied together; a stage starts from the best of those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileStage {
    /// Whole layers, and 1, 2, 4, 8, ... rows.
    Rows,
    /// Rows between those.
    Between,
    /// A half and a quarter of the columns.
    Columns,
    /// A half and a quarter of the output channels.
    Channels,
    /// Other rows for one stack.
    Stacks,
    /// The best rows of each stack together.
    Together,
}

impl TileStage {
    /// In the order in which they are searched.
    const ALL: [Self; 6] = [Self::Rows, Self::Between, Self::Columns, Self::Channels, Self::Stacks, Self::Together];
}

/// All layers on one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SingleCore {
    /// The one core that computes.
    pub core: CoreId,
    /// Name of that core in the system's document.
    pub name: String,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency of the schedule on that core, cycles.
    pub latency_cycles: f64,
}

/// The cost of a network in tiles of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TileOutcome {
    /// Energy of the best schedule found, pJ.
    pub energy_pj: f64,
    /// Latency of that schedule, cycles.
    pub latency_cycles: f64,
    /// Number of tiles of the network.
    pub tiles: usize,
    /// Stacks whose allocation is proved the fastest in the steady state, without transfers.
    pub proved: usize,
    /// Number of stacks that the network is divided into.
    pub stacks: usize,
    /// The best core that computes all layers alone; `None` if none can.
    pub single: Option<SingleCore>,
}

impl TileOutcome {
    /// The value of an objective, which is minimised.
    pub fn score(&self, objective: ScheduleObjective) -> f64 {
        objective.score(self.energy_pj, Cycles(self.latency_cycles))
    }

    /// The figures by which it is compared with others.
    pub fn figures(&self, objective: ScheduleObjective) -> Figures {
        objective.figures(self.energy_pj, Cycles(self.latency_cycles))
    }
}

/// A candidate that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TilePoint {
    /// The candidate.
    pub cut: TileSizeCandidate,
    /// Its cost, or in a sentence why it has no schedule.
    pub outcome: Result<TileOutcome, String>,
}

/// The state of a search for the tile size.
#[derive(Debug, Clone, PartialEq)]
pub struct TileSearch {
    range: Option<TileSizeRange>,
    objective: ScheduleObjective,
    /// Candidates that were run, in the order of the search.
    points: Vec<TilePoint>,
    /// The current stage.
    stage: usize,
    /// Its candidates, each with its cost where that is known; and the numbers of those that workers were given.
    candidates: Vec<(TileSizeCandidate, Option<TilePoint>)>,
    given: BTreeSet<usize>,
    /// The best of the first stage, which can be shown while others run.
    first: Option<TileSizeCandidate>,
    /// Whether a worker finds the ladder.
    is_measuring: bool,
}

/// A part of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TileTask {
    /// Find the sizes that tiles may divide.
    Range,
    /// Run the candidate of this number among those of its stage.
    Candidate(usize, TileSizeCandidate),
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TileDone {
    /// The sizes that tiles may divide.
    Range(TileSizeRange),
    /// The cost of a candidate.
    Candidate(TilePoint),
}

impl TileSearch {
    /// A search that has not begun, for this objective.
    pub fn new(objective: ScheduleObjective) -> Self {
        Self {
            range: None,
            objective,
            points: Vec::new(),
            stage: 0,
            candidates: Vec::new(),
            given: BTreeSet::new(),
            first: None,
            is_measuring: false,
        }
    }

    /// All candidates that were run, in the order of the search.
    pub fn points(&self) -> impl Iterator<Item = &TilePoint> {
        self.points.iter().chain(self.candidates.iter().filter_map(|(_, point)| point.as_ref()))
    }

    /// The objective that is minimised.
    pub fn objective(&self) -> ScheduleObjective {
        self.objective
    }

    /// The best of the first stage, once that is over.
    pub fn first(&self) -> Option<&TileSizeCandidate> {
        self.first.as_ref()
    }

    fn begin(&mut self, range: TileSizeRange) {
        self.range = Some(range);
        self.fill_stage();
    }

    /// Takes the candidates of the current stage, or of the next one that has any.
    fn fill_stage(&mut self) {
        self.given.clear();
        while self.candidates.is_empty()
            && let Some(stage) = TileStage::ALL.get(self.stage)
        {
            self.candidates = self.cuts(*stage).into_iter().map(|cut| (cut, None)).collect();
            self.stage += usize::from(self.candidates.is_empty());
        }
    }

    fn know(&mut self, number: usize, point: TilePoint) {
        if let Some((_, known)) = self.candidates.get_mut(number) {
            *known = Some(point);
        }
        if self.candidates.iter().all(|(_, point)| point.is_some()) {
            self.points.extend(std::mem::take(&mut self.candidates).into_iter().filter_map(|(_, point)| point));
            self.first = self.first.take().or_else(|| self.best().map(|(cut, _)| cut.clone()));
            self.stage += 1;
            self.fill_stage();
        }
    }

    /// The best candidate, with its cost; among equals the first.
    pub fn best(&self) -> Option<(&TileSizeCandidate, &TileOutcome)> {
        self.best_of(|_| true)
    }

    /// The best tile size for one core that computes all layers, and its cost.
    pub fn best_single(&self) -> Option<(&TileSizeCandidate, &SingleCore)> {
        let singles =
            self.points().filter_map(|point| Some((&point.cut, point.outcome.as_ref().ok()?.single.as_ref()?)));
        let figures = |single: &SingleCore| self.objective.figures(single.energy_pj, Cycles(single.latency_cycles));
        ties::best(singles, |(_, single)| (figures(single), ()))
    }

    fn best_of(&self, counts: impl Fn(&TileSizeCandidate) -> bool) -> Option<(&TileSizeCandidate, &TileOutcome)> {
        let known = self.points().filter_map(|point| Some((&point.cut, point.outcome.as_ref().ok()?)));
        ties::best(known.filter(|(cut, _)| counts(cut)), |(_, outcome)| (outcome.figures(self.objective), ()))
    }

    /// The candidates of a stage that were not run yet.
    fn cuts(&self, stage: TileStage) -> Vec<TileSizeCandidate> {
        let mut cuts: Vec<TileSizeCandidate> = Vec::new();
        for cut in self.all_cuts(stage) {
            let is_new = !cuts.contains(&cut) && !self.points.iter().any(|point| point.cut == cut);
            cuts.extend(is_new.then_some(cut));
        }
        cuts
    }

    fn all_cuts(&self, stage: TileStage) -> Vec<TileSizeCandidate> {
        let Some(range) = &self.range else { return Vec::new() };
        if stage == TileStage::Rows {
            let rungs = (0..63).map(|power| 1 << power).take_while(|rows| *rows < range.rows);
            return rungs.map(TileSizeCandidate::rows).chain([TileSizeCandidate::default()]).collect();
        }
        let Some((best, _)) = self.best() else { return Vec::new() };
        let rows = best.all.rows;
        let sized = |size: TileSize| TileSizeCandidate { all: size, stacks: best.stacks.clone() };
        match stage {
            TileStage::Rows => Vec::new(),
            TileStage::Between => {
                let around = match rows {
                    Some(rows) => vec![rows * 3 / 4, rows.saturating_mul(3) / 2],
                    None => vec![range.rows / 2, range.rows * 3 / 4],
                };
                let fits = |rows: &u64| (1..range.rows).contains(rows);
                around.into_iter().filter(fits).map(TileSizeCandidate::rows).collect()
            }
            TileStage::Columns => {
                let heights = [rows, rows.map(|rows| rows.saturating_mul(2)).filter(|rows| *rows < range.rows)];
                let of = |part: u64| {
                    let columns = Some(range.columns.div_ceil(part));
                    heights.map(|rows| sized(TileSize { rows, columns, channels: None }))
                };
                if range.columns < 2 { Vec::new() } else { [2, 4].into_iter().flat_map(of).collect() }
            }
            TileStage::Channels => {
                let of = |part: u64| TileSize { channels: Some(range.channels.div_ceil(part)), ..best.all };
                if range.channels < 2 { Vec::new() } else { [2, 4].map(of).map(sized).to_vec() }
            }
            TileStage::Stacks if range.stacks.len() > 1 => {
                let others = |stack: &StackId| {
                    let other = |rows: Option<u64>| {
                        let size = TileSize { rows: rows.filter(|rows| *rows < range.rows), ..best.all };
                        TileSizeCandidate { all: best.all, stacks: vec![(*stack, size)] }
                    };
                    match rows {
                        Some(rows) => {
                            vec![other(Some((rows / 2).max(1))), other(Some(rows.saturating_mul(2))), other(None)]
                        }
                        None => vec![other(Some(range.rows.div_ceil(2))), other(Some(range.rows.div_ceil(4)))],
                    }
                };
                let cuts = range.stacks.iter().take(MOST_STACKS).flat_map(others);
                cuts.filter(|cut| cut.stacks.iter().any(|(_, size)| *size != best.all)).collect()
            }
            TileStage::Together if !best.stacks.is_empty() => self.together(best.all).into_iter().collect(),
            TileStage::Stacks | TileStage::Together => Vec::new(),
        }
    }

    /// The best size of each stack that is better with one of its own; `None` where that is one stack at most.
    fn together(&self, all: TileSize) -> Option<TileSizeCandidate> {
        let plain = self.best_of(|cut| cut.all == all && cut.stacks.is_empty())?.1.score(self.objective);
        let own = |stack: &StackId| {
            let (cut, outcome) =
                self.best_of(|cut| cut.all == all && matches!(cut.stacks[..], [(only, _)] if only == *stack))?;
            is_clearly_less(outcome.score(self.objective), plain).then(|| cut.stacks[0])
        };
        let stacks = self.range.iter().flat_map(|range| &range.stacks);
        let mut stacks: Vec<(StackId, TileSize)> = stacks.filter_map(own).collect();
        stacks.sort_by_key(|(stack, _)| *stack);
        (stacks.len() > 1).then_some(TileSizeCandidate { all, stacks })
    }

    /// Runs all stages of a request one candidate after the other.
    ///
    /// # Errors
    /// As [`TileSizeRange::of`].
    pub fn of(request: &CoresRequest) -> Result<Self, Diagnostics> {
        let mut search = Self::new(request.settings.objective);
        finish(&mut search, &mut Self::open(request, None)?)?;
        Ok(search)
    }

    /// Runs all stages one candidate after the other, each by `run`.
    pub fn by(
        range: TileSizeRange,
        objective: ScheduleObjective,
        mut run: impl FnMut(TileSizeCandidate) -> TilePoint,
    ) -> Self {
        let mut search = Self::new(objective);
        search.begin(range);
        while let Some(TileTask::Candidate(number, cut)) = search.next(Worker::ALONE) {
            search.know(number, run(cut));
        }
        search
    }
}

/// The functions that price candidates.
pub struct TileBench {
    /// Finds the sizes that tiles may divide.
    pub range: Box<dyn FnMut() -> Result<TileSizeRange, Diagnostics>>,
    /// Runs a candidate.
    pub run: Box<dyn FnMut(TileSizeCandidate) -> TilePoint>,
}

impl Job for TileSearch {
    type Bench = TileBench;
    type Task = TileTask;
    type Done = TileDone;

    fn run(bench: &mut TileBench, task: &TileTask, _: &mut dyn FnMut() -> bool) -> Result<TileDone, Diagnostics> {
        Ok(match task {
            TileTask::Range => TileDone::Range((bench.range)()?),
            TileTask::Candidate(_, cut) => TileDone::Candidate((bench.run)(cut.clone())),
        })
    }

    fn next(&mut self, _: Worker) -> Option<TileTask> {
        if self.range.is_none() {
            return (!std::mem::replace(&mut self.is_measuring, true)).then_some(TileTask::Range);
        }
        let is_left = |number: &usize| self.candidates[*number].1.is_none() && !self.given.contains(number);
        let number = (0..self.candidates.len()).find(is_left)?;
        self.given.insert(number);
        Some(TileTask::Candidate(number, self.candidates[number].0.clone()))
    }

    fn take(&mut self, task: TileTask, done: TileDone) {
        match (task, done) {
            (_, TileDone::Range(range)) => self.begin(range),
            (TileTask::Candidate(number, _), TileDone::Candidate(point)) => self.know(number, point),
            (task @ TileTask::Range, TileDone::Candidate(_)) => self.put_back(task),
        }
    }

    fn put_back(&mut self, task: TileTask) {
        match task {
            TileTask::Range => self.is_measuring = false,
            TileTask::Candidate(number, _) => drop(self.given.remove(&number)),
        }
    }

    fn give_up(&mut self, task: TileTask, reason: &str) -> bool {
        match task {
            TileTask::Range => {
                self.put_back(task);
                false
            }
            TileTask::Candidate(number, cut) => {
                self.know(number, TilePoint { cut, outcome: Err(reason.to_owned()) });
                true
            }
        }
    }

    /// Progress of the current stage.
    fn progress(&self) -> Progress {
        let done = self.candidates.iter().filter(|(_, point)| point.is_some()).count();
        Progress { done, all: self.candidates.len(), unit: "tile sizes", are_alike: false }
    }
}

impl RemoteJob for TileSearch {
    type Request = CoresRequest;

    fn open(request: &CoresRequest, _: Option<TileBench>) -> Result<TileBench, Diagnostics> {
        let [measured, run] = [request.clone(), request.clone()];
        Ok(TileBench {
            range: Box::new(move || TileSizeRange::of(&measured)),
            run: Box::new(move |cut| TilePoint::of(&run, cut)),
        })
    }
}

impl TilePoint {
    /// Runs a candidate, independent of the tiles that the request states.
    pub fn of(request: &CoresRequest, cut: TileSizeCandidate) -> Self {
        let outcome = CoresProblem::new(&request.in_tiles(&cut))
            .and_then(|study| study.outcome(&mut TileCosts::default()))
            .map_err(|wrong| wrong.0.first().map_or_else(String::new, |first| first.reason.clone()));
        Self { cut, outcome }
    }
}

impl CoresRequest {
    /// The same request in tiles of this size.
    #[must_use]
    pub fn in_tiles(&self, cut: &TileSizeCandidate) -> Self {
        let mut request = self.clone();
        request.settings.granularity = cut.granularity();
        request
    }
}

impl TileSizeRange {
    /// The sizes that tiles of a request may divide, independent of the stated ones.
    ///
    /// # Errors
    /// As [`CoresProblem::new`].
    pub fn of(request: &CoresRequest) -> Result<Self, Diagnostics> {
        // Whole layers are the fewest tiles.
        CoresProblem::new(&request.in_tiles(&TileSizeCandidate::default())).map(|study| study.range())
    }
}

impl CoresProblem {
    /// The sizes that tiles may divide, independent of the settings.
    pub fn range(&self) -> TileSizeRange {
        let mut stacks: Vec<StackId> = self.stacks.keys().filter(|&stack| self.stacks[stack].len() > 1).collect();
        let cut = || stacks.iter().flat_map(|&stack| &self.stacks[stack]);
        let largest = |size: &dyn Fn(NestId) -> u64| cut().map(|&layer| size(layer)).max().unwrap_or(1);
        let size = |layer: NestId, dim: Dim| self.nests.nests[layer].size(dim);
        let is_row = |layer: NestId| size(layer, Dim::OY) == 1;
        let (rows, columns, channels) = (
            largest(&|layer| if is_row(layer) { size(layer, Dim::OX) } else { size(layer, Dim::OY) }),
            largest(&|layer| if is_row(layer) { 1 } else { size(layer, Dim::OX) }),
            largest(&|layer| size(layer, Dim::K).max(size(layer, Dim::G))),
        );
        let work = |stack: &StackId| -> u64 {
            let macs = |layer: &NestId| self.network.layer(self.nests.layers[*layer]).shape.iterations();
            self.stacks[*stack].iter().map(macs).sum()
        };
        stacks.sort_by_key(|stack| (std::cmp::Reverse(work(stack)), *stack));
        TileSizeRange { rows, columns, channels, stacks }
    }

    /// The cost of the best schedule found, beside that of the best single core.
    ///
    /// # Errors
    /// As [`Self::best`].
    pub fn outcome(&self, costs: &mut TileCosts) -> Result<TileOutcome, Diagnostics> {
        let (best, stacks) = self.best(costs)?;
        Ok(self.outcome_of(costs, &best, &stacks))
    }

    /// The cost of an allocation, beside that of the best single core.
    pub fn outcome_of(
        &self,
        costs: &mut TileCosts,
        found: &EvaluatedAllocation,
        stacks: &[StackAllocation],
    ) -> TileOutcome {
        TileOutcome { single: self.outcome_alone(costs), ..self.outcome_on_all(found, stacks) }
    }

    /// The cost of an allocation, without that of a single core.
    pub fn outcome_on_all(&self, found: &EvaluatedAllocation, stacks: &[StackAllocation]) -> TileOutcome {
        TileOutcome {
            energy_pj: found.energy_pj,
            latency_cycles: found.latency_cycles,
            tiles: self.count_tiles(&found.choice),
            proved: stacks.iter().filter(|stack| stack.found.is_proved()).count(),
            stacks: stacks.len(),
            single: None,
        }
    }

    /// The cost of the best core that computes all layers alone; `None` where no core runs all, or none has a schedule.
    pub fn outcome_alone(&self, costs: &mut TileCosts) -> Option<SingleCore> {
        let (core, found) = self.best_alone(costs)?;
        Some(SingleCore {
            core,
            name: self.system.cores[core].name.clone(),
            energy_pj: found.energy_pj,
            latency_cycles: found.latency_cycles,
        })
    }

    /// The best core for all layers alone, with its cost; `None` where no core runs all, or none has a schedule.
    fn best_alone(&self, costs: &mut TileCosts) -> Option<(CoreId, EvaluatedAllocation)> {
        let objective = self.settings.objective;
        let alone = self.alone();
        let known = alone.into_iter().filter_map(|(core, choice)| {
            let found = self.evaluate(costs, &[], &choice, None).ok()?;
            Some((core, found))
        });
        ties::best(known, |(_, found)| (found.figures(objective), ()))
    }

    /// Peak multiply-accumulates of all cores in a cycle.
    pub fn peak_macs_per_cycle(&self) -> u64 {
        self.system.pe_count()
    }

    /// The network's multiply-accumulates as a share of those that all arrays could do in so many cycles.
    pub fn mac_use(&self, latency_cycles: f64) -> f64 {
        self.network.macs() as f64 / (latency_cycles * self.peak_macs_per_cycle() as f64).max(1.0)
    }
}
