//! Runs a [`Job`] on all cores: the one place where commands distribute work.

use super::{CommandError, ProgressMonitor};
use fusescape_engine::job::{Job, Progress, Worker};
use fusescape_spec::Diagnostics;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use web_time::{Duration, Instant};

/// Time slice of a worker, after which it reports progress and shares unfinished work.
const MOMENT: Duration = Duration::from_millis(50);

/// Runs a job to its end. Every thread makes its own bench.
///
/// # Errors
/// The reason why it has no result; or it was stopped.
pub fn run<J>(
    job: &mut J,
    bench: impl Fn() -> J::Bench + Sync,
    monitor: &dyn ProgressMonitor,
) -> Result<(), CommandError>
where
    J: Job<Task: Send, Done: Send> + Send,
{
    run_and_tell(job, bench, monitor, |_| Ok(()))
}

/// Runs a job to its end. `heard` is called whenever the job has taken the result of a task, on one thread at a time.
///
/// # Errors
/// The reason why it has no result, an error of `heard`; or it was stopped.
pub fn run_and_tell<J, E>(
    job: &mut J,
    bench: impl Fn() -> J::Bench + Sync,
    monitor: &dyn ProgressMonitor,
    heard: impl FnMut(&mut J) -> Result<(), E> + Send,
) -> Result<(), E>
where
    J: Job<Task: Send, Done: Send> + Send,
    E: From<CommandError> + From<Diagnostics> + Send,
{
    let mut told = MonitorState { monitor, last: Progress::default() };
    told.tell(job.progress());
    let desk = Desk { shared: Mutex::new(Shared { job, heard, told, out: 0, end: None }), news: Condvar::new() };
    let workers = rayon::current_num_threads();
    (0..workers).into_par_iter().for_each(|number| {
        let work = catch_unwind(AssertUnwindSafe(|| {
            let mut bench = bench();
            while let Some(task) = desk.next(Worker { number, of: workers }) {
                let begun = now();
                let done = J::run(&mut bench, &task, &mut || monitor.goes_on() && begun.elapsed() < MOMENT);
                desk.take(task, done);
            }
        }));
        if let Err(defect) = work {
            // Threads that wait for this one's task would wait for ever.
            desk.abandon();
            resume_unwind(defect);
        }
    });
    monitor.end();
    let end = desk.lock().end.take();
    end.map_or(Ok(()), Err)
}

// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}

/// The job, shared by all threads.
struct Desk<'j, J, F, E> {
    shared: Mutex<Shared<'j, J, F, E>>,
    /// Signals that a task has come back, so that others may have become available.
    news: Condvar,
}

struct Shared<'j, J, F, E> {
    job: &'j mut J,
    heard: F,
    told: MonitorState<'j>,
    /// Number of tasks in progress.
    out: usize,
    /// The reason to end, if any.
    end: Option<E>,
}

impl<'j, J, F, E> Desk<'j, J, F, E>
where
    J: Job,
    F: FnMut(&mut J) -> Result<(), E>,
    E: From<CommandError> + From<Diagnostics>,
{
    fn lock(&self) -> MutexGuard<'_, Shared<'j, J, F, E>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task, once one is available; `None` at the end.
    fn next(&self, worker: Worker) -> Option<J::Task> {
        let mut shared = self.lock();
        loop {
            if shared.end.is_none() && !shared.told.monitor.goes_on() {
                shared.end = Some(CommandError::Stopped.into());
            }
            if shared.end.is_some() {
                return None;
            }
            if let Some(task) = shared.job.next(worker) {
                shared.out += 1;
                return Some(task);
            }
            if shared.out == 0 {
                return None;
            }
            shared = self.news.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the work of all threads.
    fn abandon(&self) {
        self.lock().end.get_or_insert_with(|| CommandError::Stopped.into());
        self.news.notify_all();
    }

    fn take(&self, task: J::Task, done: Result<J::Done, Diagnostics>) {
        let shared = &mut *self.lock();
        shared.out -= 1;
        match done {
            Ok(done) => {
                shared.job.take(task, done);
                let heard = (shared.heard)(shared.job);
                shared.told.tell(shared.job.progress());
                shared.end = shared.end.take().or(heard.err());
            }
            Err(wrong) => shared.end = shared.end.take().or(Some(wrong.into())),
        }
        self.news.notify_all();
    }
}

/// The monitor, and the progress that it was told last.
struct MonitorState<'m> {
    monitor: &'m dyn ProgressMonitor,
    last: Progress,
}

impl MonitorState<'_> {
    fn tell(&mut self, now: Progress) {
        let last = std::mem::replace(&mut self.last, now);
        if now.unit != last.unit {
            let begin = if now.are_alike { ProgressMonitor::begin_alike } else { ProgressMonitor::begin };
            begin(self.monitor, now.all, now.unit);
            self.monitor.advance(now.done);
            return;
        }
        if now.all != last.all {
            self.monitor.recount(now.all);
        }
        self.monitor.advance(now.done.saturating_sub(last.done));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Unmonitored;
    use super::*;

    /// One task that fails, and nothing to do for others until it is back.
    struct Defect {
        is_out: bool,
    }

    impl Job for Defect {
        type Bench = ();
        type Task = ();
        type Done = ();

        fn run(_: &mut (), _: &(), _: &mut dyn FnMut() -> bool) -> Result<(), Diagnostics> {
            panic!("a defect")
        }

        fn next(&mut self, _: Worker) -> Option<()> {
            (!std::mem::replace(&mut self.is_out, true)).then_some(())
        }

        fn take(&mut self, _: (), _: ()) {}

        fn put_back(&mut self, _: ()) {
            self.is_out = false;
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    #[test]
    fn a_task_that_panics_ends_the_work_of_all_threads() {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let run = || threads.install(|| run(&mut Defect { is_out: false }, || (), &Unmonitored));
        let defect = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(defect.downcast_ref::<&str>(), Some(&"a defect"));
    }
}
