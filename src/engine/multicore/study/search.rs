//! The best schedule of a network on many cores as a job: first the costs of all different tiles, then the best cores
//! for each stack, then the evaluation of the schedules.

use super::super::account::CoresAccount;
use super::super::costs::{TileCosts, TileSolution};
use super::super::ids::{NestId, StackId};
use super::super::request::{CoresRequest, ScheduleObjective};
use super::evaluation::best_scored;
use super::{CoresOverview, CoresProblem, EvaluatedAllocation, MOST_CHOICES, StackAllocation};
use crate::job::{Job, OpenParts, Progress, RemoteJob, Worker};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Different tiles of a task.
const MOST_TILES: usize = 64;
/// Factor by which a search that goes on may look at more choices.
const LONGER: u64 = 8;

/// Allocations of all stacks, with the costs that they are made from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StackAllocations {
    /// The costs of the different tiles, in the order of [`CoresProblem::problems`].
    pub costs: Arc<Vec<TileSolution>>,
    /// One per stack, in the order of the network.
    pub stacks: Arc<Vec<StackAllocation>>,
}

/// A choice of cores with its schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoresEvaluation {
    /// The allocation with its cost.
    pub evaluated: EvaluatedAllocation,
    /// The account of its schedule.
    pub account: Arc<CoresAccount>,
}

impl From<(EvaluatedAllocation, CoresAccount)> for CoresEvaluation {
    fn from((evaluated, account): (EvaluatedAllocation, CoresAccount)) -> Self {
        Self { evaluated, account: Arc::new(account) }
    }
}

/// A part of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CoresTask {
    /// Find the facts that are known before anything is solved.
    Overview,
    /// Solve some of the different tiles.
    Solve(Range<usize>),
    /// Allocate a stack, with or without sharing tiles, within a number of choices.
    Allocate(Arc<Vec<TileSolution>>, StackId, bool, u64),
    /// Evaluate the allocations of all stacks, with or without shared tiles.
    Evaluate(StackAllocations, bool),
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CoresDone {
    /// The facts that are known before anything is solved.
    Overview(Arc<CoresOverview>),
    /// The costs of the first tiles of the task.
    Solved(Vec<TileSolution>),
    /// The allocation of a stack.
    Allocated(StackAllocation),
    /// The evaluation of the best choice, or why there is none.
    Evaluated(Result<CoresEvaluation, Diagnostics>),
}

/// The state of a search for the best schedule. Everything is done twice: with tiles that cores share, and without.
#[derive(Debug, Clone)]
pub struct CoresSearch {
    objective: ScheduleObjective,
    overview: Option<Arc<CoresOverview>>,
    is_overview_asked: bool,
    /// Different tiles that no worker has.
    unsolved: OpenParts,
    solved: Vec<Option<TileSolution>>,
    costs: Option<Arc<Vec<TileSolution>>>,
    /// Whether it ends once all tiles are solved.
    only_costs: bool,
    /// Limit on the choices after which a search for the cores of a stack ends.
    choices: u64,
    /// Stacks that no worker has, the last first: with shared tiles, and without.
    unallocated: Vec<(StackId, bool)>,
    allocated: [Vec<Option<StackAllocation>>; 2],
    stacks: Option<[Arc<Vec<StackAllocation>>; 2]>,
    /// Evaluations that no worker has.
    unevaluated: Vec<bool>,
    evaluations: [Option<Result<CoresEvaluation, Diagnostics>>; 2],
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoresStage {
    /// The facts of the request are found.
    Overview,
    /// Tiles are solved.
    Costs,
    /// Stacks are allocated.
    Stacks,
    /// Allocations are evaluated.
    Evaluation,
    /// All is known.
    Done,
}

/// Index of the results with shared tiles, and of those without.
fn place(shares: bool) -> usize {
    usize::from(!shares)
}

impl CoresSearch {
    /// A search that has not begun.
    pub fn new(objective: ScheduleObjective) -> Self {
        Self {
            objective,
            overview: None,
            is_overview_asked: false,
            unsolved: OpenParts::default(),
            solved: Vec::new(),
            costs: None,
            only_costs: false,
            choices: MOST_CHOICES,
            unallocated: Vec::new(),
            allocated: [Vec::new(), Vec::new()],
            stacks: None,
            unevaluated: Vec::new(),
            evaluations: [None, None],
        }
    }

    /// One that ends once all different tiles are solved.
    #[must_use]
    pub fn for_costs(self) -> Self {
        Self { only_costs: true, ..self }
    }

    /// The facts that are known before anything is solved, once they are found.
    pub fn overview(&self) -> Option<&Arc<CoresOverview>> {
        self.overview.as_ref()
    }

    /// Its progress: the current stage.
    pub fn stage(&self) -> CoresStage {
        match self {
            _ if self.overview.is_none() => CoresStage::Overview,
            _ if self.costs.is_none() => CoresStage::Costs,
            _ if self.only_costs => CoresStage::Done,
            _ if self.stacks.is_none() => CoresStage::Stacks,
            _ if self.evaluations.iter().any(Option::is_none) => CoresStage::Evaluation,
            _ => CoresStage::Done,
        }
    }

    /// The costs of the different tiles, in the order of [`CoresProblem::problems`], once all are solved.
    pub fn costs(&self) -> Option<&Arc<Vec<TileSolution>>> {
        self.costs.as_ref()
    }

    /// The factor by which stacks are searched for longer than at first.
    pub fn times_longer(&self) -> u64 {
        self.choices / MOST_CHOICES
    }

    /// The allocations of all stacks with shared tiles, or those without, once they are known.
    pub fn stacks(&self, shares: bool) -> Option<&Arc<Vec<StackAllocation>>> {
        self.stacks.as_ref().map(|stacks| &stacks[place(shares)])
    }

    /// The same with the costs that they are made from.
    pub fn stack_allocations(&self, shares: bool) -> Option<StackAllocations> {
        Some(StackAllocations { costs: Arc::clone(self.costs()?), stacks: Arc::clone(self.stacks(shares)?) })
    }

    /// The evaluations of the allocations with shared tiles, and of those without; or why there is no schedule.
    pub fn evaluations(&self) -> &[Option<Result<CoresEvaluation, Diagnostics>>; 2] {
        &self.evaluations
    }

    /// The better one of the two evaluations, if any is known, and whether its tiles are shared.
    pub fn best(&self) -> Option<(bool, &CoresEvaluation)> {
        let known = [true, false].into_iter().zip(&self.evaluations);
        let known = known.filter_map(|(shares, found)| Some(found.as_ref()?.as_ref().map(|found| (shares, found))));
        best_scored(known, |(_, found)| found.evaluated.figures(self.objective))?.ok()
    }

    /// Why there is no schedule, if all is known and there is none.
    pub fn why_none(&self) -> Option<&Diagnostics> {
        match &self.evaluations {
            [Some(Err(wrong)), Some(Err(_))] => Some(wrong),
            _ => None,
        }
    }

    /// Searches all stacks that are not proved once more, for longer.
    pub fn go_on(&mut self) {
        if self.stage() != CoresStage::Done || self.only_costs {
            return;
        }
        self.choices = self.choices.saturating_mul(LONGER);
        let unproved = |stack: &Option<StackAllocation>| stack.as_ref().is_some_and(|stack| !stack.found.is_proved());
        self.allocated.iter_mut().flatten().filter(|stack| unproved(stack)).for_each(|stack| *stack = None);
        (self.stacks, self.evaluations) = (None, [None, None]);
        self.fill_stacks();
    }

    fn begin(&mut self, overview: Arc<CoresOverview>) {
        let problems = overview.problems;
        self.solved = vec![None; problems];
        self.unsolved = OpenParts::all(problems);
        self.allocated = [0, 1].map(|_| vec![None; overview.stacks.len()]);
        self.overview = Some(overview);
        self.end_costs();
    }

    fn end_costs(&mut self) {
        if self.solved.iter().all(Option::is_some) {
            self.costs = Some(Arc::new(std::mem::take(&mut self.solved).into_iter().flatten().collect()));
            if !self.only_costs {
                self.fill_stacks();
            }
        }
    }

    fn fill_stacks(&mut self) {
        for shares in [false, true] {
            let allocated = self.allocated[place(shares)].iter().enumerate().rev();
            let open = allocated.filter(|(_, known)| known.is_none()).map(|(stack, _)| (StackId::from(stack), shares));
            self.unallocated.extend(open);
        }
        self.end_stacks();
    }

    fn end_stacks(&mut self) {
        if self.allocated.iter().flatten().all(Option::is_some) {
            let known = |of: &Vec<Option<StackAllocation>>| Arc::new(of.iter().flatten().cloned().collect::<Vec<_>>());
            self.stacks = Some([known(&self.allocated[0]), known(&self.allocated[1])]);
            self.unevaluated = vec![false, true];
        }
    }
}

/// A worker's study, with the known costs of its tiles.
pub struct CoresBench {
    /// The study whose tasks the worker runs.
    pub study: Arc<CoresProblem>,
    costs: TileCosts,
}

impl CoresBench {
    /// A bench without known costs.
    pub fn new(study: Arc<CoresProblem>) -> Self {
        Self { study, costs: TileCosts::default() }
    }

    /// The costs of tiles, among them those that are `known`, in the order of [`CoresProblem::problems`].
    pub fn costs(&mut self, known: &[TileSolution]) -> (&CoresProblem, &mut TileCosts) {
        if self.costs.len() < known.len() {
            self.costs.extend(self.study.problems().into_iter().zip(known.iter().cloned()));
        }
        (&self.study, &mut self.costs)
    }
}

impl Job for CoresSearch {
    type Bench = CoresBench;
    type Task = CoresTask;
    type Done = CoresDone;

    fn run(
        bench: &mut CoresBench,
        task: &CoresTask,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<CoresDone, Diagnostics> {
        Ok(match task {
            CoresTask::Overview => CoresDone::Overview(Arc::new(bench.study.overview())),
            CoresTask::Solve(range) => {
                let problems = bench.study.problems();
                let some = problems.get(range.clone()).unwrap_or_default().iter().enumerate();
                let some = some.take_while(|(number, _)| *number == 0 || has_time());
                CoresDone::Solved(some.map(|(_, problem)| bench.study.solve(problem)).collect())
            }
            CoresTask::Allocate(known, stack, shares, choices) => {
                let (study, costs) = bench.costs(known);
                CoresDone::Allocated(study.allocate(costs, *stack, *shares, &mut |done| done < *choices))
            }
            CoresTask::Evaluate(StackAllocations { costs: known, stacks }, _) => {
                let (study, costs) = bench.costs(known);
                let candidates = study.candidates(costs, stacks);
                let best = study.account_of_best(costs, stacks, &candidates);
                CoresDone::Evaluated(best.map(CoresEvaluation::from))
            }
        })
    }

    fn next(&mut self, worker: Worker) -> Option<CoresTask> {
        if self.overview.is_none() {
            return (!std::mem::replace(&mut self.is_overview_asked, true)).then_some(CoresTask::Overview);
        }
        if let Some(range) = self.unsolved.next(worker.of, MOST_TILES) {
            return Some(CoresTask::Solve(range));
        }
        if let Some((stack, shares)) = self.unallocated.pop() {
            return Some(CoresTask::Allocate(self.costs.clone()?, stack, shares, self.choices));
        }
        let shares = self.unevaluated.pop()?;
        Some(CoresTask::Evaluate(self.stack_allocations(shares)?, shares))
    }

    fn take(&mut self, task: CoresTask, done: CoresDone) {
        match (task, done) {
            (_, CoresDone::Overview(overview)) => self.begin(overview),
            (CoresTask::Solve(range), CoresDone::Solved(solved)) => {
                self.unsolved.put_back(range.start + solved.len()..range.end);
                for (problem, solved) in range.zip(solved) {
                    self.solved[problem] = Some(solved);
                }
                self.end_costs();
            }
            (CoresTask::Allocate(_, stack, shares, _), CoresDone::Allocated(found)) => {
                self.allocated[place(shares)][stack.index()] = Some(found);
                self.end_stacks();
            }
            (CoresTask::Evaluate(_, shares), CoresDone::Evaluated(found)) => {
                self.evaluations[place(shares)] = Some(found);
            }
            (task, _) => self.put_back(task),
        }
    }

    fn put_back(&mut self, task: CoresTask) {
        match task {
            CoresTask::Overview => self.is_overview_asked = false,
            CoresTask::Solve(range) => self.unsolved.put_back(range),
            CoresTask::Allocate(_, stack, shares, _) => self.unallocated.push((stack, shares)),
            CoresTask::Evaluate(_, shares) => self.unevaluated.push(shares),
        }
    }

    /// Progress of the current stage.
    fn progress(&self) -> Progress {
        let of = |done: usize, all: usize, unit: &'static str| Progress { done, all, unit, are_alike: false };
        match self.stage() {
            CoresStage::Overview => Progress::default(),
            CoresStage::Costs => of(self.solved.iter().flatten().count(), self.solved.len(), "tiles"),
            CoresStage::Stacks | CoresStage::Evaluation | CoresStage::Done => {
                let all = self.allocated.iter().flatten();
                of(all.clone().flatten().count(), all.count(), "stacks")
            }
        }
    }
}

impl RemoteJob for CoresSearch {
    type Request = CoresRequest;

    fn open(request: &CoresRequest, _: Option<CoresBench>) -> Result<CoresBench, Diagnostics> {
        CoresProblem::new(request).map(|study| CoresBench::new(Arc::new(study)))
    }
}

/// A local search for better cores: layer by layer, until a round over all layers improves nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct CoresImprovement {
    stack_allocations: StackAllocations,
    best: EvaluatedAllocation,
    /// The layer to try next.
    layer: NestId,
    /// Number of layers that were tried since the last improvement.
    idle: usize,
    is_out: bool,
}

/// A step of it: other cores for a layer of an allocation.
pub type ImprovementStep = (StackAllocations, EvaluatedAllocation, NestId);

impl CoresImprovement {
    /// A search that begins with a choice.
    pub fn new(stack_allocations: StackAllocations, from: EvaluatedAllocation) -> Self {
        Self { stack_allocations, best: from, layer: NestId::default(), idle: 0, is_out: false }
    }

    /// The best so far.
    pub fn best(&self) -> &EvaluatedAllocation {
        &self.best
    }

    /// The layer to try next.
    pub fn layer(&self) -> NestId {
        self.layer
    }
}

impl Job for CoresImprovement {
    type Bench = CoresBench;
    type Task = ImprovementStep;
    type Done = EvaluatedAllocation;

    fn run(
        bench: &mut CoresBench,
        (StackAllocations { costs, stacks }, from, layer): &ImprovementStep,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<EvaluatedAllocation, Diagnostics> {
        let (study, costs) = bench.costs(costs);
        Ok(study.improve(costs, stacks, from, *layer))
    }

    fn next(&mut self, _: Worker) -> Option<ImprovementStep> {
        if self.is_out || self.idle >= self.best.choice.len() {
            return None;
        }
        self.is_out = true;
        Some((self.stack_allocations.clone(), self.best.clone(), self.layer))
    }

    fn take(&mut self, task: ImprovementStep, found: EvaluatedAllocation) {
        self.idle = if found == self.best { self.idle + 1 } else { 0 };
        self.best = found;
        self.layer = NestId::from(self.layer.following().index() % self.best.choice.len().max(1));
        self.put_back(task);
    }

    fn put_back(&mut self, _: ImprovementStep) {
        self.is_out = false;
    }

    /// Layers since the last improvement.
    fn progress(&self) -> Progress {
        Progress { done: self.idle, all: self.best.choice.len(), unit: "layers", are_alike: false }
    }
}

impl RemoteJob for CoresImprovement {
    type Request = CoresRequest;

    fn open(request: &CoresRequest, before: Option<CoresBench>) -> Result<CoresBench, Diagnostics> {
        CoresSearch::open(request, before)
    }
}
