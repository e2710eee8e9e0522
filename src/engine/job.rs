//! Long work as a job: tasks that can be done anywhere and in any order, with the same result to the bit.
//!
//! A job and its workers share the work. The job itself gives out tasks, takes their results, and knows its progress;
//! it computes no cost, so that it can be on the page's thread. Workers run tasks, each with a bench: the validated
//! request, and results of earlier tasks that help later ones. A driver connects them: threads (`command::run`), the
//! page's workers (`app::workers::job`, and `coordinator` for the sweep), or [`finish`], which does all tasks in the
//! calling thread.
//!
//! Invariant: each part of the work is left, with a worker, or known. [`Job::next`] moves parts from left to a worker,
//! [`Job::put_back`] from a worker to left, [`Job::take`] from a worker to known. A worker may return less than it was
//! given ([`Job::run`]): then `take` moves the rest back to left. So a job is stopped by ending its workers and putting
//! back their tasks, and resumed by asking for the next task.
//!
//! To add a search, implement [`Job`], and [`RemoteJob`] for the page; it then has progress, stop and resume, on all
//! cores and in all workers.

use crate::spec::Diagnostics;
use std::ops::Range;

/// Work that is divided into tasks.
pub trait Job {
    /// Data that a worker keeps from task to task.
    type Bench;
    /// A part of the work.
    type Task: Clone;
    /// The result of a task, or of the first part of it.
    type Done;

    /// Does a task. Asks `has_time` before each long step but the first, and returns the results so far once that is
    /// false.
    ///
    /// # Errors
    /// The reason why the whole job has no result.
    fn run(
        bench: &mut Self::Bench,
        task: &Self::Task,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Self::Done, Diagnostics>;

    /// The next task for a worker; `None` while nothing can be begun before others are back. It is the end if no worker
    /// has a task then. Numbered parts are easily kept in [`OpenParts`], and [`share`] says how many suit a task.
    fn next(&mut self, worker: Worker) -> Option<Self::Task>;

    /// Takes the result of a task, or of its first part; the rest is left again.
    fn take(&mut self, task: Self::Task, done: Self::Done);

    /// Takes back a task that was not begun.
    fn put_back(&mut self, task: Self::Task);

    /// Takes back a task at which workers failed, with the reason. Returns whether the job can go on without it.
    fn give_up(&mut self, task: Self::Task, _reason: &str) -> bool {
        self.put_back(task);
        false
    }

    /// Parts that are known, and all parts.
    fn progress(&self) -> Progress;
}

/// A job for workers that share no memory with it: a request contains all data that its tasks have in common. On the
/// page, request, tasks and results travel as the questions of `question::jobs`, which names every such job in one line.
pub trait RemoteJob: Job {
    /// The request that describes the job.
    type Request;

    /// The bench for a request; `before` is the bench of the previous request, whose results may be of use.
    ///
    /// # Errors
    /// All mistakes of the request.
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
    /// Number of parts that are known.
    pub done: usize,
    /// Number of all parts, as far as they are counted.
    pub all: usize,
    /// The unit, in plural: `hierarchies`.
    pub unit: &'static str,
    /// Whether parts take about the same time each, so that the remaining time follows from the time so far.
    pub are_alike: bool,
}

/// A share of the parts that are left, for one of so many workers: large enough that few messages are sent, small
/// enough that all workers end at about the same time.
pub fn share(left: usize, workers: usize, most: usize) -> usize {
    left.div_ceil(2 * workers.max(1)).clamp(1, most)
}

/// Numbered parts that no worker has.
#[derive(Debug, Clone, Default)]
pub struct OpenParts(Vec<Range<usize>>);

impl OpenParts {
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

/// Does all tasks of a job with one bench.
///
/// # Errors
/// The reason why it has no result.
pub fn finish<J: Job>(job: &mut J, bench: &mut J::Bench) -> Result<(), Diagnostics> {
    while let Some(task) = job.next(Worker::ALONE) {
        let done = J::run(bench, &task, &mut || true)?;
        job.take(task, done);
    }
    Ok(())
}
