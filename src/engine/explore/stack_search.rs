//! The study of all stacks of a network as a job: the number of its parts, each part, and the outcome of all together.

use super::cost_store::{CostStore, SearchEffort};
use super::fusions::{FusionComparison, compare_fusions};
use super::request::Request;
use super::stacks::{OptimalStacks, StackLimits, StackProblem, StackRun, StrategyEffort};
use super::sweep::Sweep;
use crate::job::{Job, OpenParts, Progress, RemoteJob, Worker};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Limit on the parts of a task.
const MOST_PARTS: usize = 64;

/// The use of the best strategies of all stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StackAim {
    /// The stacks, tiles and modes that are jointly optimal.
    Optimum,
    /// Every method to choose stacks, the optimum among them.
    Methods,
}

/// What the aim asks, with all parts combined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StackOutcome {
    /// Of [`StackAim::Optimum`].
    Optimum(Arc<OptimalStacks>),
    /// Of [`StackAim::Methods`].
    Methods(Arc<FusionComparison>),
}

/// A part of the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StackTask {
    /// Count the parts.
    Count,
    /// Find the best strategies of the stacks of some parts.
    Parts(Range<usize>),
    /// Combine the strategies of all parts as the aim asks.
    End(StackAim, Arc<Vec<StackRun>>),
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StackDone {
    /// Number of parts.
    Count(usize),
    /// The strategies of the first parts of the task, part by part, and the effort that they took.
    Parts(Vec<Vec<StackRun>>, SearchEffort, StrategyEffort),
    /// The outcome of all stacks.
    End(StackOutcome),
}

/// The state of the study of all stacks.
#[derive(Debug, Clone)]
pub struct StackSearch {
    aim: StackAim,
    parts: Option<usize>,
    /// Whether a worker counts the parts, or combines them.
    is_counting: bool,
    is_ending: bool,
    /// Parts that no worker has.
    left: OpenParts,
    known: BTreeMap<usize, Vec<StackRun>>,
    outcome: Option<StackOutcome>,
    /// Searches of mappings that it took.
    pub effort: SearchEffort,
    /// Strategies that were compared for it.
    pub tried: StrategyEffort,
}

impl StackSearch {
    /// A search that has not begun.
    pub fn new(aim: StackAim) -> Self {
        Self {
            aim,
            parts: None,
            is_counting: false,
            is_ending: false,
            left: OpenParts::default(),
            known: BTreeMap::new(),
            outcome: None,
            effort: SearchEffort::default(),
            tried: StrategyEffort::default(),
        }
    }

    /// Number of parts, once they are counted.
    pub fn parts(&self) -> Option<usize> {
        self.parts
    }

    /// The outcome, once all parts are combined.
    pub fn outcome(&self) -> Option<&StackOutcome> {
        self.outcome.as_ref()
    }

    /// The optimum, if it is the aim and is known.
    pub fn optimum(&self) -> Option<&Arc<OptimalStacks>> {
        match self.outcome() {
            Some(StackOutcome::Optimum(optimum)) => Some(optimum),
            _ => None,
        }
    }

    /// The methods, if they are the aim and are known.
    pub fn methods(&self) -> Option<&Arc<FusionComparison>> {
        match self.outcome() {
            Some(StackOutcome::Methods(methods)) => Some(methods),
            _ => None,
        }
    }
}

/// A worker's study, with the costs that are known to it.
pub struct StackBench {
    /// The study whose stacks the worker searches.
    pub study: StackProblem,
    costs: CostStore,
}

impl StackBench {
    /// A bench with the costs that are known, or that others find.
    pub fn new(study: StackProblem, costs: CostStore) -> Self {
        Self { study, costs }
    }
}

impl Job for StackSearch {
    type Bench = StackBench;
    type Task = StackTask;
    type Done = StackDone;

    fn run(
        StackBench { study, costs }: &mut StackBench,
        task: &StackTask,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<StackDone, Diagnostics> {
        Ok(match task {
            StackTask::Count => StackDone::Count(study.parts()),
            StackTask::Parts(parts) => {
                let (effort, tried) = (study.effort(), study.tried());
                let some = parts.clone().take_while(|&part| part == parts.start || has_time());
                let runs = some.map(|part| study.part(costs, part)).collect();
                StackDone::Parts(runs, study.effort().since(effort), study.tried().since(tried))
            }
            StackTask::End(StackAim::Optimum, runs) => {
                StackDone::End(StackOutcome::Optimum(Arc::new(study.combine(runs)?)))
            }
            StackTask::End(StackAim::Methods, runs) => {
                StackDone::End(StackOutcome::Methods(Arc::new(compare_fusions(study, runs))))
            }
        })
    }

    fn next(&mut self, worker: Worker) -> Option<StackTask> {
        let Some(parts) = self.parts else {
            return (!std::mem::replace(&mut self.is_counting, true)).then_some(StackTask::Count);
        };
        if let Some(parts) = self.left.next(worker.of, MOST_PARTS) {
            return Some(StackTask::Parts(parts));
        }
        if self.known.len() < parts || self.outcome.is_some() || std::mem::replace(&mut self.is_ending, true) {
            return None;
        }
        Some(StackTask::End(self.aim, Arc::new(self.known.values().flatten().copied().collect())))
    }

    fn take(&mut self, task: StackTask, done: StackDone) {
        match (task, done) {
            (_, StackDone::Count(parts)) => {
                self.parts = Some(parts);
                self.left = OpenParts::all(parts);
            }
            (StackTask::Parts(parts), StackDone::Parts(runs, effort, tried)) => {
                self.left.put_back(parts.start + runs.len()..parts.end);
                self.known.extend(parts.zip(runs));
                self.effort.add(effort);
                self.tried.add(tried);
            }
            (_, StackDone::End(outcome)) => self.outcome = Some(outcome),
            (task, StackDone::Parts(..)) => self.put_back(task),
        }
    }

    fn put_back(&mut self, task: StackTask) {
        match task {
            StackTask::Count => self.is_counting = false,
            StackTask::Parts(parts) => self.left.put_back(parts),
            StackTask::End(..) => self.is_ending = false,
        }
    }

    fn progress(&self) -> Progress {
        let all = self.parts.unwrap_or(0);
        Progress { done: self.known.len(), all, unit: "parts of stacks", are_alike: false }
    }
}

impl RemoteJob for StackSearch {
    type Request = (Rc<Request>, StackLimits);

    fn open((request, limits): &Self::Request, before: Option<StackBench>) -> Result<StackBench, Diagnostics> {
        let study = StackProblem::new(Sweep::new(request)?, *limits)?;
        Ok(StackBench::new(study, before.map(|bench| bench.costs).unwrap_or_default()))
    }
}
