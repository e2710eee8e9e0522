//! A sweep as a job: its points from a sparse grid to ever finer ones, then whole accounts of some.
//!
//! Every worker has a lane of points ([`coarse_to_fine`]). Points of equal tile width pose mostly the same mapping problems, so they share
//! a lane, and the worker's [`IncrementalSweep`] remembers what they share. Who is done with its own lane takes the far
//! half of the longest.

use super::cost_store::{CostStore, SearchEffort, SharedCosts};
use super::incremental_sweep::{IncrementalSweep, no_such_point};
use super::order::coarse_to_fine;
use super::request::{Request, Settings};
use super::sweep::{PointSummary, Sweep};
use crate::cost::{EnergySplit, LatencySplit};
use crate::depth_first::{DepthFirstStrategy, NotPlanned, PointAccount};
use crate::job::{Job, Progress, Worker};
use crate::mapping::LayerProblem;
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

/// A task at most has so many points: more than any worker evaluates before it comes back.
const SLICE: usize = 512;

/// A part of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SweepTask {
    /// Evaluate points.
    Points {
        /// The lane that they are from.
        lane: usize,
        /// Their numbers, first those that are wanted first.
        points: Vec<u32>,
    },
    /// Compute the account of a point.
    Account(u32),
    /// Give the whole account of the network with each stack run as at a point of its own: one point of the first request per stack.
    Combination(Vec<u32>),
}

/// The result of a [`SweepTask`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum SweepDone {
    /// Of the first of the points, perhaps not all.
    Points(EvaluatedPoints),
    /// Of a point.
    Account(Box<PointAccount>),
    /// Of a combination; its strategy is that of the first stack.
    Combination(Box<PointAccount>),
}

/// Costs of points.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EvaluatedPoints {
    /// The cost of each, or why it cannot be scheduled.
    pub costs: Vec<Result<PointSummary, Diagnostics>>,
    /// Searches that they took.
    pub effort: SearchEffort,
    /// What only a report shows; nothing of it is sent between workers.
    #[serde(skip)]
    pub reported: ReportedPoints,
}

/// What a report shows beside costs, from a bench [for reports](SweepBench::for_report).
#[derive(Debug, Clone, Default)]
pub struct ReportedPoints {
    /// Energy, pJ, and latency, cycles, by cause, of each point that can be scheduled.
    pub splits: BTreeMap<u32, (EnergySplit, LatencySplit)>,
    /// The different mapping problems.
    pub problems: HashSet<LayerProblem>,
}

/// The result of a point, or its absence.
#[derive(Debug, Clone, PartialEq)]
pub enum PointState {
    /// Its cost is not known yet.
    Waiting,
    /// Its cost.
    Done(Arc<PointSummary>),
    /// Why it cannot be scheduled.
    Infeasible(Arc<Diagnostics>),
    /// Why workers failed on it.
    Failed(Arc<str>),
}

/// A sweep on its way. Its points are those of several requests, numbered as if they were one: the first is swept, the others are
/// references.
pub struct SweepJob {
    /// One strategy per point.
    pub strategies: Arc<Vec<DepthFirstStrategy>>,
    /// Number of points without the references.
    pub swept: usize,
    /// State of each point, in the order of `strategies`.
    pub points: Vec<PointState>,
    /// What a report shows beside their costs, where benches tell.
    pub reported: ReportedPoints,
    /// Accounts that were requested.
    pub accounts: BTreeMap<u32, Arc<PointAccount>>,
    /// The requested account of a combination.
    pub combined: Option<(Vec<u32>, Arc<PointAccount>)>,
    /// Searches that all points took.
    pub effort: SearchEffort,
    wanted: VecDeque<u32>,
    wanted_combination: Option<Vec<u32>>,
    /// Points that are to be evaluated, by lane.
    lanes: Vec<VecDeque<u32>>,
    /// Points at which a worker failed once; each is tried again alone.
    suspects: BTreeSet<u32>,
    open_points: usize,
}

impl SweepJob {
    /// A sweep of which nothing is known, for so many workers: the settings of its requests.
    pub fn new<'s>(settings: impl IntoIterator<Item = &'s Settings>, workers: usize) -> Self {
        let workers = workers.max(1);
        let mut strategies: Vec<DepthFirstStrategy> = Vec::new();
        let mut swept = 0;
        let mut lanes = vec![VecDeque::new(); workers];
        for (number, settings) in settings.into_iter().enumerate() {
            let first = strategies.len() as u32;
            strategies.append(&mut settings.strategies());
            if number == 0 {
                swept = strategies.len();
                lanes = coarse_to_fine(settings, workers);
            } else {
                // The references come first, as everything else is compared with them; all go to one worker, as they
                // pose mostly the same mapping problems.
                for point in first..strategies.len() as u32 {
                    lanes[workers - 1].push_front(point);
                }
            }
        }
        Self {
            swept,
            points: vec![PointState::Waiting; strategies.len()],
            reported: ReportedPoints::default(),
            accounts: BTreeMap::new(),
            combined: None,
            effort: SearchEffort::default(),
            wanted: VecDeque::new(),
            wanted_combination: None,
            lanes,
            suspects: BTreeSet::new(),
            open_points: strategies.len(),
            strategies: Arc::new(strategies),
        }
    }

    /// Requests the account of a point, unless it is known or its cost is not.
    pub fn want(&mut self, point: u32) {
        let is_done = matches!(self.points.get(point as usize), Some(PointState::Done(_)));
        if is_done && !self.accounts.contains_key(&point) && !self.wanted.contains(&point) {
            self.wanted.push_back(point);
        }
    }

    /// Requests the account of a combination.
    pub fn want_combination(&mut self, points: Vec<u32>) {
        self.wanted_combination = Some(points);
    }

    /// Whether someone waits for a whole account.
    pub fn has_wanted(&self) -> bool {
        !self.wanted.is_empty() || self.wanted_combination.is_some()
    }

    /// The next whole account that someone waits for.
    pub fn next_wanted(&mut self) -> Option<SweepTask> {
        let point = self.wanted.pop_front().map(SweepTask::Account);
        point.or_else(|| self.wanted_combination.take().map(SweepTask::Combination))
    }

    /// From the worker's own lane; if that is empty, from the far end of the longest lane.
    fn next_points(&mut self, worker: usize) -> Option<SweepTask> {
        let lane = worker % self.lanes.len();
        if self.lanes[lane].is_empty() {
            let longest = self.lanes.iter_mut().max_by_key(|lane| lane.len()).filter(|lane| !lane.is_empty())?;
            self.lanes[lane] = longest.split_off(longest.len() - longest.len().div_ceil(2));
        }
        let own = &mut self.lanes[lane];
        let is_suspect = |point: &u32| self.suspects.contains(point);
        let count = if own.front().is_some_and(is_suspect) {
            1
        } else {
            // The other half is left for workers that finish early.
            let unsuspected = own.iter().take(SLICE).take_while(|point| !is_suspect(point)).count();
            let references = own.iter().take_while(|&&point| point as usize >= self.swept).count();
            unsuspected.min(references.max(own.len().div_ceil(2)))
        };
        Some(SweepTask::Points { lane, points: own.drain(..count).collect() })
    }

    /// Notes that a worker failed on a task. Its points are tried once more, one by one; returns whether they are given up.
    pub fn failed(&mut self, task: SweepTask, reason: &str) -> bool {
        let blamed: Vec<u32> = match &task {
            SweepTask::Points { points, .. } | SweepTask::Combination(points) => points.clone(),
            SweepTask::Account(point) => vec![*point],
        };
        let again = blamed.iter().filter(|&&point| !self.suspects.insert(point)).count() == blamed.len();
        if !again {
            self.put_back(task);
            return false;
        }
        if let SweepTask::Points { points, .. } = task {
            points.into_iter().for_each(|point| self.close(point, PointState::Failed(reason.into())));
        }
        true
    }

    fn close(&mut self, point: u32, state: PointState) {
        if let Some(old) = self.points.get_mut(point as usize).filter(|old| **old == PointState::Waiting) {
            *old = state;
            self.open_points -= 1;
        }
    }

    /// All points of the sweep with a known cost, without the references.
    pub fn summaries(&self) -> Vec<PointSummary> {
        let cost = |point: &PointState| match point {
            PointState::Done(summary) => Some((**summary).clone()),
            _ => None,
        };
        self.points[..self.swept].iter().filter_map(cost).collect()
    }

    /// Whether every point is known, or known to be infeasible.
    pub fn is_done(&self) -> bool {
        self.open_points == 0
    }

    /// Whether there are any results.
    pub fn has_news(&self) -> bool {
        self.open_points < self.points.len()
    }
}

/// A worker's incremental sweeps, with the costs that it knows.
pub struct SweepBench {
    sweeps: Vec<IncrementalSweep>,
    costs: CostStore,
    /// Whether points are told with what a report shows of them.
    is_for_report: bool,
    /// Number of mapping problems of each incremental sweep that are told.
    told: Vec<usize>,
}

impl SweepBench {
    /// A bench for these requests that knows no costs.
    ///
    /// # Errors
    /// All that is wrong with the requests.
    pub fn new(requests: &[Request]) -> Result<Self, Diagnostics> {
        let sweeps: Result<Vec<Sweep>, Diagnostics> = requests.iter().map(Sweep::new).collect();
        Ok(Self::of(sweeps?, CostStore::default(), false))
    }

    /// A bench for reports, which shares costs with others.
    pub fn for_report(sweeps: Vec<Sweep>, costs: Arc<SharedCosts>) -> Self {
        Self::of(sweeps, CostStore::sharing(costs), true)
    }

    fn of(sweeps: Vec<Sweep>, costs: CostStore, is_for_report: bool) -> Self {
        let told = vec![0; sweeps.len()];
        Self { sweeps: sweeps.into_iter().map(IncrementalSweep::new).collect(), costs, is_for_report, told }
    }

    /// This bench with the costs that an earlier one knows.
    #[must_use]
    pub fn after(self, earlier: Self) -> Self {
        Self { costs: earlier.costs, ..self }
    }

    /// Notes on the first request that are no errors.
    pub fn notes(&self) -> Diagnostics {
        self.sweeps.first().map(|sweep| sweep.sweep().notes()).unwrap_or_default()
    }

    /// The number of the request with point number `point`, and the point's index in it.
    fn locate(&self, point: u32) -> Result<(usize, usize), Diagnostics> {
        let mut index = point as usize;
        for (request, incremental) in self.sweeps.iter().enumerate() {
            let count = incremental.strategies().len();
            if index < count {
                return Ok((request, index));
            }
            index -= count;
        }
        Err(no_such_point())
    }

    fn effort(&self) -> SearchEffort {
        let mut sum = SearchEffort::default();
        self.sweeps.iter().for_each(|incremental| sum.add(incremental.effort));
        sum
    }

    /// Evaluates points while there is time.
    fn evaluate(&mut self, points: &[u32], has_time: &mut dyn FnMut() -> bool) -> Result<EvaluatedPoints, Diagnostics> {
        let before = self.effort();
        let mut done = EvaluatedPoints::default();
        // However slow it is, every task gets something done.
        let mut is_first = true;
        let mut goes_on = || std::mem::take(&mut is_first) || has_time();
        for &point in points {
            let (request, index) = self.locate(point)?;
            let incremental = &mut self.sweeps[request];
            match incremental.totals(&mut self.costs, index, &mut goes_on) {
                Ok(totals) => {
                    done.costs
                        .push(Ok(PointSummary { point: point as usize, ..incremental.summarize(index, &totals) }));
                    if self.is_for_report {
                        done.reported.splits.insert(point, (totals.energy, totals.latency));
                    }
                }
                Err(NotPlanned::Impossible(reasons)) => done.costs.push(Err(reasons)),
                Err(NotPlanned::Later) => break,
            }
            if self.is_for_report {
                let problems = incremental.problems();
                let told = std::mem::replace(&mut self.told[request], problems.len());
                // An incremental sweep that is full begins anew, with fewer problems than were told.
                let told = if told > problems.len() { 0 } else { told };
                done.reported.problems.extend(problems[told..].iter().cloned());
            }
            if !goes_on() {
                break;
            }
        }
        done.effort = self.effort().since(before);
        Ok(done)
    }
}

impl Job for SweepJob {
    type Bench = SweepBench;
    type Task = SweepTask;
    type Done = SweepDone;

    fn run(
        bench: &mut SweepBench,
        task: &SweepTask,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<SweepDone, Diagnostics> {
        Ok(match task {
            SweepTask::Points { points, .. } => SweepDone::Points(bench.evaluate(points, has_time)?),
            SweepTask::Account(point) => {
                let (request, index) = bench.locate(*point)?;
                let account = bench.sweeps[request].account(&mut bench.costs, index)?;
                SweepDone::Account(Box::new(account))
            }
            SweepTask::Combination(points) => {
                let (request, _) = bench.locate(0)?;
                let indices: Vec<usize> = points.iter().map(|&point| point as usize).collect();
                let account = bench.sweeps[request].combination(&mut bench.costs, &indices)?;
                SweepDone::Combination(Box::new(account))
            }
        })
    }

    /// Whole accounts go first, as people wait for these.
    fn next(&mut self, worker: Worker) -> Option<SweepTask> {
        self.next_wanted().or_else(|| self.next_points(worker.number))
    }

    fn take(&mut self, task: SweepTask, done: SweepDone) {
        match (task, done) {
            (SweepTask::Points { lane, mut points }, SweepDone::Points(done)) => {
                let rest = points.split_off(done.costs.len().min(points.len()));
                for (point, cost) in points.into_iter().zip(done.costs) {
                    self.close(
                        point,
                        match cost {
                            Ok(summary) => PointState::Done(Arc::new(summary)),
                            Err(reasons) => PointState::Infeasible(Arc::new(reasons)),
                        },
                    );
                }
                self.effort.add(done.effort);
                self.reported.splits.extend(done.reported.splits);
                self.reported.problems.extend(done.reported.problems);
                self.put_back(SweepTask::Points { lane, points: rest });
            }
            (SweepTask::Account(point), SweepDone::Account(account)) => {
                self.accounts.insert(point, Arc::from(account));
            }
            (SweepTask::Combination(points), SweepDone::Combination(account)) => {
                self.combined = Some((points, Arc::from(account)));
            }
            (task, _) => self.put_back(task),
        }
    }

    fn put_back(&mut self, task: SweepTask) {
        match task {
            SweepTask::Points { lane, points } => {
                points.into_iter().rev().for_each(|point| self.lanes[lane].push_front(point));
            }
            SweepTask::Account(point) => self.wanted.push_front(point),
            SweepTask::Combination(points) => self.wanted_combination = Some(points),
        }
    }

    fn progress(&self) -> Progress {
        let waiting = self.points[..self.swept].iter().filter(|point| **point == PointState::Waiting).count();
        Progress { done: self.swept - waiting, all: self.swept, unit: "points", are_alike: false }
    }
}
