//! The mapping problems of one point as a job, so that many workers share them.

use super::common_slope::{Corners, KnownCorners, choose_for};
use super::sweep::{SolvedAlone, Sweep, SweepPlan};
use crate::cost::Evaluator;
use crate::depth_first::{ProblemCost, ProblemId, TotalsAssembler};
use crate::ids::TiVec;
use crate::job::{Job, OpenParts, Progress, Worker};
use crate::search::Outcome;
use crate::spec::Diagnostics;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// A task at most has so many problems.
const MOST_PROBLEMS: usize = 16;

/// Searches all problems of a plan.
pub struct PointSearch<'a> {
    plan: &'a SweepPlan,
    left: OpenParts,
    solved: BTreeMap<usize, SolvedProblem>,
}

/// The mappings of a problem of which a point takes one.
#[derive(Debug, Clone)]
pub struct SolvedProblem {
    outcomes: Corners<Outcome>,
    costs: Corners<ProblemCost>,
}

impl SolvedProblem {
    fn new(sweep: &Sweep, plan: &SweepPlan, problem: ProblemId, outcomes: Corners<Outcome>) -> Self {
        let layer = sweep.on_core(&plan.problems.list[problem]);
        let evaluator = Evaluator::new(&layer);
        let cost = |outcome: &Outcome| ProblemCost::new(&evaluator, outcome.best.as_ref()?, sweep.counted());
        let costs = outcomes.map(cost);
        Self { outcomes, costs }
    }

    fn solve(sweep: &Sweep, plan: &SweepPlan, problem: ProblemId, known: &SolvedAlone) -> Self {
        Self::new(sweep, plan, problem, sweep.corners_beside(&plan.problems.list[problem], known))
    }
}

/// All problems of a plan, solved.
pub struct SolvedProblems<'a> {
    sweep: &'a Sweep,
    plan: &'a SweepPlan,
    all: TiVec<ProblemId, SolvedProblem>,
}

impl<'a> SolvedProblems<'a> {
    /// Solves one after the other.
    pub fn solve_all(sweep: &'a Sweep, plan: &'a SweepPlan) -> Self {
        let known = SolvedAlone::default();
        let all = plan.problems.list.keys().map(|problem| SolvedProblem::solve(sweep, plan, problem, &known));
        Self { sweep, plan, all: all.collect() }
    }

    /// The outcome of each problem of a point, with the mapping that the point takes; none where it cannot be scheduled.
    pub fn outcomes_of(&mut self, point: usize) -> FxHashMap<ProblemId, Outcome> {
        let Some(Ok(planned)) = self.plan.points.get(point) else { return FxHashMap::default() };
        let Sweep { core, settings, .. } = self.sweep;
        let mut assembler = TotalsAssembler::new(core, settings.rules, &self.plan.problems, self.sweep.counted());
        let expression = assembler.cost_expression(planned);
        let chosen = choose_for(&expression, self);
        let outcome = |problem: ProblemId| {
            let corner = chosen.get(&problem).copied().unwrap_or_default();
            Some((problem, self.all[problem].outcomes.all.get(corner)?.clone()))
        };
        expression.problems().filter_map(outcome).collect()
    }
}

impl KnownCorners for SolvedProblems<'_> {
    fn corners(&self, problem: ProblemId) -> Option<&Corners<ProblemCost>> {
        self.all.get(problem).map(|solved| &solved.costs)
    }

    fn widen(&mut self, problem: ProblemId, slopes: (f64, f64)) {
        let slopes = self.all[problem].costs.slopes_with(slopes);
        let outcomes = self.sweep.corners_between(&self.plan.problems.list[problem], slopes);
        self.all[problem] = SolvedProblem::new(self.sweep, self.plan, problem, outcomes);
    }
}

impl<'a> PointSearch<'a> {
    /// A search that has not begun.
    pub fn new(plan: &'a SweepPlan) -> Self {
        Self { plan, left: OpenParts::all(plan.problems.list.len()), solved: BTreeMap::new() }
    }

    /// All problems, once they are solved.
    pub fn into_solved(self, sweep: &'a Sweep) -> SolvedProblems<'a> {
        SolvedProblems { sweep, plan: self.plan, all: self.solved.into_values().collect() }
    }
}

impl<'a> Job for PointSearch<'a> {
    type Bench = (&'a Sweep, &'a SweepPlan, &'a SolvedAlone);
    type Task = Range<usize>;
    type Done = Vec<SolvedProblem>;

    fn run(
        (sweep, plan, known): &mut Self::Bench,
        task: &Range<usize>,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<SolvedProblem>, Diagnostics> {
        let some = task.clone().take_while(|&problem| problem == task.start || has_time());
        Ok(some.map(|problem| SolvedProblem::solve(sweep, plan, problem.into(), known)).collect())
    }

    fn next(&mut self, worker: Worker) -> Option<Range<usize>> {
        self.left.next(worker.of, MOST_PROBLEMS)
    }

    fn take(&mut self, task: Range<usize>, done: Vec<SolvedProblem>) {
        self.left.put_back(task.start + done.len()..task.end);
        self.solved.extend(task.zip(done));
    }

    fn put_back(&mut self, task: Range<usize>) {
        self.left.put_back(task);
    }

    fn progress(&self) -> Progress {
        let all = self.plan.problems.list.len();
        Progress { done: self.solved.len(), all, unit: "mapping problems", are_alike: false }
    }
}
