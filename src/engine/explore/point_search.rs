//! The mapping problems of one point as a job, so that many workers share them.

use super::sweep::{SolvedAlone, Sweep, SweepPlan};
use crate::depth_first::ProblemId;
use crate::ids::TiVec;
use crate::job::{Job, OpenParts, Progress, Worker};
use crate::search::Outcome;
use crate::spec::Diagnostics;
use std::collections::BTreeMap;
use std::ops::Range;

/// A task at most has so many problems.
const MOST_PROBLEMS: usize = 16;

/// Searches all problems of a plan.
pub struct PointSearch<'a> {
    plan: &'a SweepPlan,
    left: OpenParts,
    outcomes: BTreeMap<usize, Outcome>,
}

impl<'a> PointSearch<'a> {
    /// A search that has not begun.
    pub fn new(plan: &'a SweepPlan) -> Self {
        Self { plan, left: OpenParts::all(plan.problems.list.len()), outcomes: BTreeMap::new() }
    }

    /// The outcome of each problem, once all are known.
    pub fn into_outcomes(self) -> TiVec<ProblemId, Outcome> {
        self.outcomes.into_values().collect()
    }
}

impl<'a> Job for PointSearch<'a> {
    type Bench = (&'a Sweep, &'a SweepPlan, &'a SolvedAlone);
    type Task = Range<usize>;
    type Done = Vec<Outcome>;

    fn run(
        (sweep, plan, known): &mut Self::Bench,
        task: &Range<usize>,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Outcome>, Diagnostics> {
        let some = task.clone().take_while(|&problem| problem == task.start || has_time());
        Ok(some.map(|problem| sweep.solve(plan, problem.into(), known)).collect())
    }

    fn next(&mut self, worker: Worker) -> Option<Range<usize>> {
        self.left.next(worker.of, MOST_PROBLEMS)
    }

    fn take(&mut self, task: Range<usize>, done: Vec<Outcome>) {
        self.left.put_back(task.start + done.len()..task.end);
        self.outcomes.extend(task.zip(done));
    }

    fn put_back(&mut self, task: Range<usize>) {
        self.left.put_back(task);
    }

    fn progress(&self) -> Progress {
        let all = self.plan.problems.list.len();
        Progress { done: self.outcomes.len(), all, unit: "mapping problems", are_alike: false }
    }
}
