//! Long work as a job: tasks that anyone may do, in any order, to the same bits.
//!
//! Two parties do it. The job itself says which tasks are next, takes their results, and knows how far it is; it computes no cost, so
//! that it may live on the page's thread. Workers run tasks, each at a bench that holds the validated request and what earlier tasks
//! taught it. A driver stands between them: threads (`command::run`), the page's workers (`app::workers::job`), or
//! [`finish`], which does all of it here and now.
//!
//! Invariant: each part of the work is left, with a worker, or known. [`Job::next`] moves parts from left to a worker, [`Job::put_back`]
//! from a worker to left, [`Job::take`] from a worker to known. A worker may come back with less than it was given ([`Job::run`]): then
//! `take` moves the rest back to left. So a job is stopped by ending its workers and putting back what they had, and resumed by asking
//! for the next task.
//!
//! To add a search, implement [`Job`], and [`RemoteJob`] for the page; it then has progress, stop and resume, on all cores and in all
//! workers.

use crate::spec::Diagnostics;
use std::ops::Range;

/// Work that is cut into tasks.
pub trait Job {
    /// What a worker keeps from task to task.
    type Bench;
    /// A part of the work.
    type Task: Clone;
    /// What comes of a task, or of the first part of it.
    type Done;

    /// Does a task. Asks `has_time` before everything that takes long but the first, and returns what is done once it says no.
    ///
    /// # Errors
    /// Why the whole job has no result.
    fn run(
        bench: &mut Self::Bench,
        task: &Self::Task,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Self::Done, Diagnostics>;

    /// The next task for a worker; `None` while nothing can be begun before others are back, and at the end.
    fn next(&mut self, worker: Worker) -> Option<Self::Task>;

    /// Takes what came of a task.
    fn take(&mut self, task: Self::Task, done: Self::Done);

    /// Takes a task back that was not begun.
    fn put_back(&mut self, task: Self::Task);

    /// Takes a task back at which workers failed, with the reason. Returns whether the job can go on without it.
    fn give_up(&mut self, task: Self::Task, _reason: &str) -> bool {
        self.put_back(task);
        false
    }

    /// How far it is.
    fn progress(&self) -> Progress;
}

/// A job in which workers may take part that share no memory with it: a request tells them all that tasks have in common.
pub trait RemoteJob: Job {
    /// What the job is about.
    type Request;

    /// A bench for a request; `before` is that of the request before, whose knowledge may be of use.
    ///
    /// # Errors
    /// Everything that is wrong with the request.
    fn open(request: &Self::Request, before: Option<Self::Bench>) -> Result<Self::Bench, Diagnostics>;
}

/// A worker that asks for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worker {
    /// Its number, from 0. Tasks that have much in common go to one worker.
    pub number: usize,
    /// Number of all workers, 1 or more.
    pub of: usize,
}

impl Worker {
    /// The only worker.
    pub const ALONE: Self = Self { number: 0, of: 1 };
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Parts that are known.
    pub done: usize,
    /// All parts, as far as they are counted.
    pub all: usize,
    /// The name of several parts: `hierarchies`.
    pub unit: &'static str,
    /// Whether parts take about equally long, so that the time to come follows from the time so far.
    pub are_alike: bool,
}

/// A share of the parts that are left, for one of so many workers: large enough that few messages pass, small enough that all end
/// together.
pub fn share(left: usize, workers: usize, most: usize) -> usize {
    left.div_ceil(2 * workers.max(1)).clamp(1, most)
}

/// Parts that are numbered and that no worker has.
#[derive(Debug, Clone, Default)]
pub struct Left(Vec<Range<usize>>);

impl Left {
    /// So many parts.
    pub fn all(count: usize) -> Self {
        let mut left = Self::default();
        left.put_back(0..count);
        left
    }

    /// The next of them for one of so many workers, at most `most`.
    pub fn next(&mut self, workers: usize, most: usize) -> Option<Range<usize>> {
        let range = self.0.pop()?;
        let end = range.start + share(range.len(), workers, most);
        self.put_back(end..range.end);
        Some(range.start..end)
    }

    /// Takes parts back.
    pub fn put_back(&mut self, range: Range<usize>) {
        self.0.extend((!range.is_empty()).then_some(range));
    }
}

/// Does all of a job at one bench.
///
/// # Errors
/// Why it has no result.
pub fn finish<J: Job>(job: &mut J, bench: &mut J::Bench) -> Result<(), Diagnostics> {
    while let Some(task) = job.next(Worker::ALONE) {
        let done = J::run(bench, &task, &mut || true)?;
        job.take(task, done);
    }
    Ok(())
}
