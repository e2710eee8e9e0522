//! The exploration of a study: the state of all hierarchies, and the work that is left.

use super::front::{Front, HierarchyCost};
use super::lower_bound::HierarchyLowerBound;
use super::report::HierarchyOverview;
use super::request::{HierarchyRequest, HierarchySettings};
use super::search::SearchOutcome;
use super::study::HierarchyProblem;
use crate::job::{Job, OpenParts, Progress, RemoteJob, Worker, share};
use crate::search::Objective;
use crate::sorting::sort_by;
use crate::spec::Diagnostics;
use crate::ties;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Hierarchies that are searched against the same front. It is fixed, so that the same ones are pruned with any
/// workers.
const BATCH: usize = 32;
/// Limit on the hierarchies that one task bounds.
const MOST_BOUNDED: usize = 512;

/// A part of an exploration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HierarchyTask {
    /// List the hierarchies.
    Overview,
    /// Find lower bounds of some.
    Bound(Range<usize>),
    /// Search some, unless the front dominates their bounds.
    Search(Vec<u32>, Front),
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HierarchyDone {
    /// The list of hierarchies.
    Overview(Arc<HierarchyOverview>),
    /// The lower bounds of the first hierarchies of the task, or why they do not fit.
    Bounds(Vec<Result<HierarchyLowerBound, String>>),
    /// The outcomes of the first hierarchies of the task; with their names, if they were found.
    Outcomes(Vec<(SearchOutcome, String)>),
}

/// Numbers of hierarchies by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplorationCounts {
    /// Hierarchies that were generated.
    pub generated: usize,
    /// Hierarchies with a lower bound, or known to be infeasible.
    pub bounded: usize,
    /// Hierarchies that were searched to the end.
    pub searched: usize,
    /// Number of these that may have a better mapping, as their search reached a limit or proves nothing.
    pub unproved: usize,
    /// Hierarchies that were pruned, as a point of the front dominates their lower bound.
    pub pruned: usize,
    /// Infeasible hierarchies: some layer has no mapping.
    pub infeasible: usize,
}

/// The exploration of a study: bounds of all hierarchies first, then searches, the most promising first. It ends when all hierarchies are
/// searched, pruned or infeasible.
///
/// The front changes between batches alone: every hierarchy of a batch is pruned by the results of the batches before.
/// So counts and front have the same bits with any number of workers.
#[derive(Debug, Clone, Default)]
pub struct Exploration {
    overview: Option<Arc<HierarchyOverview>>,
    /// Whether a worker is listing the hierarchies.
    is_outlining: bool,
    counts: ExplorationCounts,
    front: Front,
    /// Points of all hierarchies that were searched to the end, in the order of the batches.
    found: Vec<HierarchyCost>,
    /// Lower bound of each hierarchy; `None` where nothing fits, or before it is known.
    bounds: Vec<Option<HierarchyLowerBound>>,
    /// Hierarchies that no worker bounds yet.
    unbounded: OpenParts,
    /// Hierarchies to search that are in no batch yet, the last first.
    queue: Vec<u32>,
    /// The current batch: hierarchies that no worker searches yet, outcomes of the others, and the size of the batch.
    waiting: Vec<u32>,
    outcomes: BTreeMap<u32, SearchOutcome>,
    batch: Vec<u32>,
    /// One of the reasons why hierarchies are infeasible.
    reason: Option<String>,
    /// Whether dominated hierarchies are searched, too.
    everything: bool,
}

impl Exploration {
    /// An exploration by these settings, of hierarchies that a worker has to list first.
    pub fn new(settings: &HierarchySettings) -> Self {
        Self { front: Front::sought(settings), ..Self::default() }
    }

    /// An exploration of the hierarchies of a study.
    pub fn of(study: &HierarchyProblem) -> Self {
        let mut exploration = Self::new(&study.settings);
        exploration.begin(Arc::new(study.overview()));
        exploration
    }

    /// An exploration without pruning: it searches every hierarchy, so that every point is known.
    #[must_use]
    pub fn of_everything(self) -> Self {
        Self { everything: true, ..self }
    }

    /// The list of hierarchies, once it is known.
    pub fn overview(&self) -> Option<&Arc<HierarchyOverview>> {
        self.overview.as_ref()
    }

    fn begin(&mut self, overview: Arc<HierarchyOverview>) {
        let generated = overview.areas_um2.len();
        self.counts.generated = generated;
        self.bounds = vec![None; generated];
        self.unbounded = OpenParts::all(generated);
        self.overview = Some(overview);
    }

    fn record_bounds(&mut self, start: usize, bounds: Vec<Result<HierarchyLowerBound, String>>) {
        for (hierarchy, bound) in (start..).zip(bounds) {
            let Some(known) = self.bounds.get_mut(hierarchy) else { continue };
            self.counts.bounded += 1;
            match bound {
                Ok(bound) => *known = Some(bound),
                Err(reason) => self.note_infeasible(reason),
            }
        }
        if self.counts.bounded == self.counts.generated {
            self.fill_queue();
        }
    }

    fn note_infeasible(&mut self, reason: String) {
        self.counts.infeasible += 1;
        self.reason.get_or_insert(reason);
    }

    /// The smallest product of energy and latency comes first, as such a point dominates the most others; where only the best is sought,
    /// the smallest score.
    fn fill_queue(&mut self) {
        let objective = self.front.best_by().unwrap_or(&Objective::EnergyDelayProduct);
        let promise = |hierarchy: u32| self.bounds[hierarchy as usize].map_or(0.0, |bound| bound.score(objective));
        let mut queue: Vec<(f64, u32)> = (0..self.bounds.len() as u32)
            .filter(|&hierarchy| self.bounds[hierarchy as usize].is_some())
            .map(|hierarchy| (promise(hierarchy), hierarchy))
            .collect();
        sort_by(&mut queue, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        self.queue = queue.into_iter().map(|(_, hierarchy)| hierarchy).collect();
    }

    /// Makes a batch of the next hierarchies that the front does not dominate.
    fn fill_batch(&mut self) {
        let Some(overview) = self.overview.clone() else { return };
        while self.batch.len() < BATCH
            && let Some(hierarchy) = self.queue.pop()
        {
            let at = hierarchy as usize;
            match self.bounds[at] {
                Some(bound) if !self.everything && self.front.dominates(bound, overview.areas_um2[at]) => {
                    self.counts.pruned += 1
                }
                _ => self.batch.push(hierarchy),
            }
        }
        self.waiting = self.batch.iter().rev().copied().collect();
    }

    /// Takes the outcomes of a whole batch in its order.
    fn end_batch(&mut self) {
        for hierarchy in std::mem::take(&mut self.batch) {
            match self.outcomes.remove(&hierarchy) {
                Some(SearchOutcome::Found(point)) => {
                    self.counts.searched += 1;
                    self.counts.unproved += usize::from(!point.proved);
                    self.front.add(point);
                    self.found.push(point);
                }
                Some(SearchOutcome::Infeasible(reason)) => self.note_infeasible(reason),
                Some(SearchOutcome::Pruned) | None => self.counts.pruned += 1,
            }
        }
    }

    fn record_outcomes(&mut self, outcomes: impl Iterator<Item = (u32, SearchOutcome)>) {
        self.outcomes.extend(outcomes);
        if self.outcomes.len() == self.batch.len() {
            self.end_batch();
        }
    }

    /// Numbers of hierarchies that are generated, bounded, searched, pruned and infeasible so far.
    pub fn counts(&self) -> ExplorationCounts {
        self.counts
    }

    /// The front so far.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// Everything that was searched, in the order of the searches.
    pub fn found(&self) -> &[HierarchyCost] {
        &self.found
    }

    /// The point with the smallest score; of equals the one of least latency, energy, area, number.
    pub fn best(&self) -> Option<HierarchyCost> {
        ties::best(self.front.points(), |point| (point.figures(), point.hierarchy)).copied()
    }

    /// One reason why something does not fit, if something does not.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl Job for Exploration {
    type Bench = Arc<HierarchyProblem>;
    type Task = HierarchyTask;
    type Done = HierarchyDone;

    fn run(
        study: &mut Arc<HierarchyProblem>,
        task: &HierarchyTask,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<HierarchyDone, Diagnostics> {
        let mut is_first = true;
        let mut goes_on = || std::mem::take(&mut is_first) || has_time();
        Ok(match task {
            HierarchyTask::Overview => HierarchyDone::Overview(Arc::new(study.overview())),
            HierarchyTask::Bound(range) => {
                let some = study.hierarchies.get(range.clone()).unwrap_or_default().iter();
                HierarchyDone::Bounds(some.take_while(|_| goes_on()).map(|hierarchy| study.bound(hierarchy)).collect())
            }
            HierarchyTask::Search(numbers, front) => {
                let search = |&number: &u32| {
                    let outcome = study.search(number as usize, front);
                    let found =
                        matches!(outcome, SearchOutcome::Found(_)).then(|| study.hierarchies.get(number as usize));
                    (outcome, found.flatten().map(|hierarchy| study.name(hierarchy)).unwrap_or_default())
                };
                HierarchyDone::Outcomes(numbers.iter().take_while(|_| goes_on()).map(search).collect())
            }
        })
    }

    fn next(&mut self, worker: Worker) -> Option<HierarchyTask> {
        if self.overview.is_none() {
            return (!std::mem::replace(&mut self.is_outlining, true)).then_some(HierarchyTask::Overview);
        }
        if let Some(range) = self.unbounded.next(worker.of, MOST_BOUNDED) {
            return Some(HierarchyTask::Bound(range));
        }
        if self.batch.is_empty() {
            self.fill_batch();
        }
        let rest = self.waiting.len().checked_sub(share(self.waiting.len(), worker.of, BATCH))?;
        let mut numbers = self.waiting.split_off(rest);
        numbers.reverse();
        let front = if self.everything { Front::default() } else { self.front.clone() };
        Some(HierarchyTask::Search(numbers, front))
    }

    fn take(&mut self, task: HierarchyTask, done: HierarchyDone) {
        match (task, done) {
            (HierarchyTask::Overview, HierarchyDone::Overview(overview)) => self.begin(overview),
            (HierarchyTask::Bound(range), HierarchyDone::Bounds(bounds)) => {
                self.unbounded.put_back(range.start + bounds.len()..range.end);
                self.record_bounds(range.start, bounds);
            }
            (HierarchyTask::Search(mut numbers, front), HierarchyDone::Outcomes(outcomes)) => {
                let rest = numbers.split_off(outcomes.len().min(numbers.len()));
                self.put_back(HierarchyTask::Search(rest, front));
                self.record_outcomes(numbers.into_iter().zip(outcomes.into_iter().map(|(outcome, _)| outcome)));
            }
            (task, _) => self.put_back(task),
        }
    }

    fn put_back(&mut self, task: HierarchyTask) {
        match task {
            HierarchyTask::Overview => self.is_outlining = false,
            HierarchyTask::Bound(range) => self.unbounded.put_back(range),
            HierarchyTask::Search(numbers, _) => self.waiting.extend(numbers.iter().rev()),
        }
    }

    /// The hierarchies of a task at which workers failed count as infeasible. Without the list of hierarchies nothing
    /// can go on.
    fn give_up(&mut self, task: HierarchyTask, reason: &str) -> bool {
        match task {
            HierarchyTask::Overview => {
                self.put_back(task);
                return false;
            }
            HierarchyTask::Bound(range) => {
                let bounds = range.clone().map(|_| Err(reason.to_owned())).collect();
                self.record_bounds(range.start, bounds);
            }
            HierarchyTask::Search(numbers, _) => {
                let failed = |number| (number, SearchOutcome::Infeasible(reason.to_owned()));
                self.record_outcomes(numbers.into_iter().map(failed));
            }
        }
        true
    }

    fn progress(&self) -> Progress {
        let ExplorationCounts { generated, searched, pruned, infeasible, .. } = self.counts;
        Progress { done: searched + pruned + infeasible, all: generated, unit: "hierarchies", are_alike: false }
    }
}

impl RemoteJob for Exploration {
    type Request = HierarchyRequest;

    fn open(
        request: &HierarchyRequest,
        _: Option<Arc<HierarchyProblem>>,
    ) -> Result<Arc<HierarchyProblem>, Diagnostics> {
        HierarchyProblem::new(request).map(Arc::new)
    }
}
