//! The bookkeeping of one sweep: what is still to do, and what is known. Knows nothing of workers or of the browser.

use super::results::{PointState, Progress};
use crate::depth_first::{DepthFirstStrategy, PointAccount};
use crate::explore::PointSummary;
use crate::search::Solution;
use crate::spec::Diagnostics;
use crate::worker::{Answer, Outline};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

/// Solutions of all sweeps so far, by [`Outline::keys`].
#[derive(Default)]
pub struct Memory(HashMap<[u32; 4], Rc<Answer>>);

/// Above this many solutions the memory starts anew.
const MEMORY_LIMIT: usize = 200_000;

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Solve these problems.
    Solve(Vec<u32>),
    /// Sum up these points.
    Assemble(Vec<u32>),
    /// Give the whole account of this point.
    Detail(u32),
    /// Give the whole account of a combination: one point a stack.
    Combine(Vec<u32>),
}

impl Job {
    /// The points whose solutions it needs.
    fn points(&self) -> &[u32] {
        match self {
            Self::Solve(_) => &[],
            Self::Assemble(points) | Self::Combine(points) => points,
            Self::Detail(point) => std::slice::from_ref(point),
        }
    }
}

/// A slice of work should take about so long, microseconds.
const SLICE_MICROS: f64 = 12_000.0;

/// How long one item of some work takes.
#[derive(Debug, Clone, Copy)]
struct Pace {
    micros: f64,
}

impl Pace {
    fn learn(&mut self, micros: u32, count: usize) {
        if count > 0 {
            self.micros += 0.5 * (f64::from(micros) / count as f64 - self.micros);
        }
    }

    fn slice(self) -> usize {
        ((SLICE_MICROS / self.micros.max(1.0)) as usize).clamp(1, 64)
    }
}

/// One sweep on its way.
pub struct Run {
    /// One strategy a point.
    pub strategies: Rc<Vec<DepthFirstStrategy>>,
    /// What a person should know though nothing is wrong.
    pub notes: Rc<Diagnostics>,
    /// Number of points that are no references.
    pub swept: usize,
    /// What is known of each point.
    pub points: Vec<PointState>,
    /// Whole accounts that were asked for.
    pub accounts: BTreeMap<u32, Rc<PointAccount>>,
    /// The account of the combination that was asked for.
    pub combined: Option<(Vec<u32>, Rc<PointAccount>)>,
    wanted_combination: Option<Vec<u32>>,
    needs: Vec<Vec<u32>>,
    users: Vec<Vec<u32>>,
    missing: Vec<u32>,
    keys: Vec<[u32; 4]>,
    answers: Vec<Option<Rc<Answer>>>,
    /// Problems on which a worker has failed once.
    suspects: Vec<bool>,
    unsolved: VecDeque<u32>,
    complete: VecDeque<u32>,
    wanted: VecDeque<u32>,
    open_points: usize,
    reused: usize,
    solved: usize,
    solving: Pace,
    assembling: Pace,
}

impl Run {
    /// A sweep of which nothing is known but what `memory` holds.
    pub fn new(outline: Outline, memory: &Memory) -> Self {
        let swept = outline.counts.first().map_or(0, |&count| count as usize);
        let keys: Vec<[u32; 4]> = outline.keys.0.as_chunks::<4>().0.to_vec();
        let mut points = Vec::with_capacity(outline.points.len());
        let mut needs = Vec::with_capacity(outline.points.len());
        let mut users = vec![Vec::new(); keys.len()];
        for (point, problems) in outline.points.into_iter().enumerate() {
            match problems {
                Ok(problems) => {
                    let mut problems = problems.0;
                    problems.sort_unstable();
                    problems.dedup();
                    for &problem in &problems {
                        users[problem as usize].push(point as u32);
                    }
                    points.push(PointState::Waiting);
                    needs.push(problems);
                }
                Err(diagnostics) => {
                    points.push(PointState::Infeasible(Rc::new(diagnostics)));
                    needs.push(Vec::new());
                }
            }
        }
        let mut run = Self {
            strategies: Rc::new(outline.strategies),
            notes: Rc::new(outline.notes),
            swept,
            missing: needs.iter().map(|problems| problems.len() as u32).collect(),
            open_points: points.iter().filter(|point| **point == PointState::Waiting).count(),
            answers: vec![None; keys.len()],
            suspects: vec![false; keys.len()],
            accounts: BTreeMap::new(),
            combined: None,
            wanted_combination: None,
            unsolved: VecDeque::new(),
            complete: VecDeque::new(),
            wanted: VecDeque::new(),
            reused: 0,
            solved: 0,
            solving: Pace { micros: 4000.0 },
            assembling: Pace { micros: 4000.0 },
            points,
            needs,
            users,
            keys,
        };
        run.queue_all(memory);
        run
    }

    /// The references come first: everything else is compared with them.
    fn queue_all(&mut self, memory: &Memory) {
        let mut queued = vec![false; self.keys.len()];
        let order = (self.swept..self.points.len()).chain(0..self.swept);
        for point in order {
            if self.points[point] == PointState::Waiting && self.needs[point].is_empty() {
                self.complete.push_back(point as u32);
            }
            for problem in self.needs[point].clone() {
                if std::mem::replace(&mut queued[problem as usize], true) {
                    continue;
                }
                match memory.0.get(&self.keys[problem as usize]) {
                    Some(answer) => {
                        self.reused += 1;
                        self.note(problem, Rc::clone(answer));
                    }
                    None => self.unsolved.push_back(problem),
                }
            }
        }
    }

    /// The next piece of work, for one of `workers`. Details go first, then points, as people wait for these.
    pub fn next_job(&mut self, workers: usize, only_details: bool) -> Option<Job> {
        let job = if let Some(point) = self.wanted.pop_front() {
            Job::Detail(point)
        } else if let Some(points) = self.wanted_combination.take() {
            Job::Combine(points)
        } else if only_details {
            return None;
        } else if !self.complete.is_empty() {
            let share = self.complete.len().div_ceil(workers);
            Job::Assemble(take(&mut self.complete, self.assembling.slice().min(share)))
        } else if !self.unsolved.is_empty() {
            // Towards the end smaller slices, so that all workers finish together.
            let share = self.unsolved.len().div_ceil(2 * workers);
            Job::Solve(take(&mut self.unsolved, self.solving.slice().min(share)))
        } else {
            return None;
        };
        Some(job)
    }

    /// Puts a job back that no worker has answered and none is to blame for.
    pub fn put_back(&mut self, job: Job) {
        match job {
            Job::Solve(problems) => problems.into_iter().rev().for_each(|problem| self.unsolved.push_front(problem)),
            Job::Assemble(points) => points.into_iter().rev().for_each(|point| self.complete.push_front(point)),
            Job::Detail(point) => self.wanted.push_front(point),
            Job::Combine(points) => self.wanted_combination = Some(points),
        }
    }

    /// A worker failed on a job, which is tried once more; says whether it is given up.
    pub fn failed(&mut self, job: Job, reason: &str) -> bool {
        let suspects: Vec<u32> = match &job {
            Job::Solve(problems) => problems.clone(),
            other => other.points().iter().flat_map(|&point| self.needs[point as usize].clone()).collect(),
        };
        let again = suspects.iter().any(|&problem| std::mem::replace(&mut self.suspects[problem as usize], true));
        if !again {
            self.put_back(job);
            return false;
        }
        let points: Vec<u32> = match job {
            Job::Solve(problems) => problems.iter().flat_map(|&p| self.users[p as usize].clone()).collect(),
            Job::Assemble(points) => points,
            Job::Detail(_) | Job::Combine(_) => Vec::new(),
        };
        for point in points {
            self.close(point, PointState::Failed(reason.into()));
        }
        true
    }

    /// A worker solved some problems.
    pub fn solved(&mut self, answers: Vec<(u32, Answer)>, micros: u32, memory: &mut Memory) {
        self.solving.learn(micros, answers.len());
        if memory.0.len() > MEMORY_LIMIT {
            memory.0.clear();
        }
        for (problem, answer) in answers {
            let answer = Rc::new(answer);
            memory.0.insert(self.keys[problem as usize], Rc::clone(&answer));
            self.note(problem, answer);
        }
    }

    fn note(&mut self, problem: u32, answer: Rc<Answer>) {
        if self.answers[problem as usize].is_some() {
            return;
        }
        self.solved += 1;
        let reason = match &*answer {
            Answer::Solved(_) => None,
            Answer::Infeasible(diagnostics) => Some(Rc::new(diagnostics.clone())),
        };
        self.answers[problem as usize] = Some(answer);
        for point in self.users[problem as usize].clone() {
            if let Some(reason) = &reason {
                self.close(point, PointState::Infeasible(Rc::clone(reason)));
            }
            self.missing[point as usize] -= 1;
            if self.missing[point as usize] == 0 && self.points[point as usize] == PointState::Waiting {
                self.complete.push_back(point);
            }
        }
    }

    fn close(&mut self, point: u32, state: PointState) {
        let old = &mut self.points[point as usize];
        if *old == PointState::Waiting {
            *old = state;
            self.open_points -= 1;
        }
    }

    /// A worker summed up some points.
    pub fn assembled(&mut self, summaries: Vec<PointSummary>, micros: u32) {
        self.assembling.learn(micros, summaries.len());
        for summary in summaries {
            self.close(summary.point as u32, PointState::Done(Rc::new(summary)));
        }
    }

    /// A worker gave the whole account of a point.
    pub fn detailed(&mut self, point: u32, account: PointAccount) {
        self.accounts.insert(point, Rc::new(account));
    }

    /// A worker gave the whole account of a combination.
    pub fn combined(&mut self, points: Vec<u32>, account: PointAccount) {
        self.combined = Some((points, Rc::new(account)));
    }

    /// Asks for the whole account of a combination.
    pub fn want_combination(&mut self, points: Vec<u32>) {
        self.wanted_combination = Some(points);
    }

    /// Asks for the whole account of a point, unless it is known or its cost is not.
    pub fn want(&mut self, point: u32) {
        let is_done = matches!(self.points.get(point as usize), Some(PointState::Done(_)));
        if is_done && !self.accounts.contains_key(&point) && !self.wanted.contains(&point) {
            self.wanted.push_back(point);
        }
    }

    /// Solutions that a worker needs for `job`, apart from those it `knows`, which are added to it.
    pub fn solutions_for(&self, job: &Job, knows: &mut Vec<bool>) -> Vec<(u32, Solution)> {
        knows.resize(self.keys.len(), false);
        let mut solutions = Vec::new();
        for &problem in job.points().iter().flat_map(|&point| &self.needs[point as usize]) {
            if let (false, Some(Answer::Solved(solution))) =
                (std::mem::replace(&mut knows[problem as usize], true), self.answers[problem as usize].as_deref())
            {
                solutions.push((problem, solution.clone()));
            }
        }
        solutions
    }

    /// All points of the sweep whose cost is known, without the references.
    pub fn summaries(&self) -> Vec<PointSummary> {
        let cost = |point: &PointState| match point {
            PointState::Done(summary) => Some((**summary).clone()),
            _ => None,
        };
        self.points[..self.swept].iter().filter_map(cost).collect()
    }

    /// Whether every point is known, or known to be impossible.
    pub fn is_done(&self) -> bool {
        self.open_points == 0
    }

    /// Whether someone waits for the whole account of a point.
    pub fn has_wanted(&self) -> bool {
        !self.wanted.is_empty() || self.wanted_combination.is_some()
    }

    /// Number of different problems.
    pub fn problem_count(&self) -> usize {
        self.keys.len()
    }

    /// How much is done.
    pub fn progress(&self, elapsed_ms: f64) -> Progress {
        let problems = self.answers.len();
        let fresh = self.solved - self.reused;
        let left = problems - self.solved;
        Progress {
            points_done: self.points[..self.swept].iter().filter(|point| **point != PointState::Waiting).count(),
            points: self.swept,
            problems_done: self.solved,
            problems,
            problems_reused: self.reused,
            elapsed_ms,
            remaining_ms: (fresh > 0).then(|| elapsed_ms / fresh as f64 * left as f64),
        }
    }
}

fn take(queue: &mut VecDeque<u32>, count: usize) -> Vec<u32> {
    queue.drain(..count.min(queue.len())).collect()
}
