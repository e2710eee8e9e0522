//! Runs jobs ([`Job`](crate::job::Job)) on the workers: gives out tasks, takes results, reports progress.
//!
//! Each worker has a lane, a channel of its own, in which it is asked one task after another. A run that is stopped,
//! replaced or dropped gives up its lanes: workers that are still at its tasks are replaced, and its tasks are put
//! back.

use super::handle::Workers;
use super::results::Status;
use crate::app::platform::timer::{before_next_frame, later, now_ms};
use crate::app::workers::handle::use_workers;
use crate::job::{Job, Progress, Worker};
use crate::question::{Channel, QuestionJob, Refusal, Reply};
use crate::spec::Diagnostics;
use std::cell::{Ref, RefCell};
use std::rc::Rc;
use yew::prelude::*;

/// Ratio of the pause between two reports to the time that drawing one takes; and the least pause, milliseconds.
const QUIET: f64 = 8.0;
const NEWS_MS: f64 = 100.0;

/// The channel of the lane of a worker.
pub type LaneChannel = fn(u8) -> Channel;

/// Called with the result of a task, before the job takes it.
pub type DoneListener<J> = Box<dyn Fn(&<J as Job>::Done)>;

/// A job in progress.
pub struct JobRun<J: QuestionJob>(Rc<RefCell<JobState<J>>>);

impl<J: QuestionJob> Clone for JobRun<J> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<J: QuestionJob> PartialEq for JobRun<J> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct JobState<J: QuestionJob> {
    workers: Workers,
    lane: LaneChannel,
    request: Rc<J::Request>,
    job: J,
    /// The task of each worker.
    lanes: Vec<Option<J::Task>>,
    status: Status,
    diagnostics: Diagnostics,
    failure: Option<String>,
    /// Counts starts and stops, to recognise late replies.
    serial: u32,
    clock: (f64, f64),
    heard: DoneListener<J>,
    tell: Callback<()>,
    is_news_due: bool,
    last_news: (f64, f64),
}

impl<J: QuestionJob> JobRun<J> {
    /// Starts a job. `heard` is called with the result of every task; `tell` is called when there are new results, at
    /// most as often as drawing them allows.
    pub fn start(
        workers: &Workers,
        lane: LaneChannel,
        request: Rc<J::Request>,
        job: J,
        (heard, tell): (DoneListener<J>, Callback<()>),
    ) -> Self {
        let lanes = (0..workers.count().max(1)).map(|_| None).collect();
        let run = Self(Rc::new(RefCell::new(JobState {
            workers: workers.clone(),
            lane,
            request,
            job,
            lanes,
            status: Status::Running,
            diagnostics: Diagnostics::default(),
            failure: None,
            serial: 0,
            clock: (now_ms(), 0.0),
            heard,
            tell,
            is_news_due: false,
            last_news: (0.0, 0.0),
        })));
        run.feed();
        run
    }

    /// Stops working; results so far stay.
    pub fn stop(&self) {
        if self.status() == Status::Running {
            self.end(Status::Stopped);
        }
    }

    /// Continues after a stop.
    pub fn resume(&self) {
        if self.status() == Status::Stopped {
            self.go_on();
        }
    }

    /// Changes the job, and continues.
    pub fn change(&self, change: impl FnOnce(&mut J)) {
        self.give_up_lanes();
        change(&mut self.0.borrow_mut().job);
        self.go_on();
    }

    fn go_on(&self) {
        {
            let inner = &mut *self.0.borrow_mut();
            inner.clock = (now_ms(), inner.elapsed_ms());
            inner.status = Status::Running;
            inner.failure = None;
        }
        self.feed();
    }

    pub fn status(&self) -> Status {
        self.0.borrow().status
    }

    pub fn progress(&self) -> Progress {
        self.0.borrow().job.progress()
    }

    pub fn request(&self) -> Rc<J::Request> {
        Rc::clone(&self.0.borrow().request)
    }

    /// The job with all its results.
    pub fn job(&self) -> Ref<'_, J> {
        Ref::map(self.0.borrow(), |inner| &inner.job)
    }

    /// Errors of the request.
    pub fn diagnostics(&self) -> Diagnostics {
        self.0.borrow().diagnostics.clone()
    }

    /// The error of a worker.
    pub fn failure(&self) -> Option<String> {
        self.0.borrow().failure.clone()
    }

    /// The reason why there is no result.
    pub fn refusal(&self) -> Option<Refusal> {
        match self.status() {
            Status::Rejected => Some(Refusal::Rejected(self.diagnostics())),
            _ => self.failure().map(Refusal::Failed),
        }
    }

    /// Time spent, milliseconds.
    pub fn elapsed_ms(&self) -> f64 {
        self.0.borrow().elapsed_ms()
    }

    fn end(&self, status: Status) {
        self.give_up_lanes();
        {
            let inner = &mut *self.0.borrow_mut();
            inner.clock.1 = inner.elapsed_ms();
            inner.status = status;
        }
        self.announce();
    }

    /// Drops the tasks of the run; workers that are at them are replaced.
    pub fn give_up_lanes(&self) {
        let (workers, lane, given) = {
            let inner = &mut *self.0.borrow_mut();
            inner.serial += 1;
            let mut given = Vec::new();
            for (number, task) in inner.lanes.iter_mut().enumerate() {
                if let Some(task) = task.take() {
                    inner.job.put_back(task);
                    given.push(number as u8);
                }
            }
            (inner.workers.clone(), inner.lane, given)
        };
        given.into_iter().for_each(|number| workers.forget(lane(number)));
    }

    /// Gives a task to every idle lane.
    fn feed(&self) {
        loop {
            let (number, question, serial, workers, lane) = {
                let inner = &mut *self.0.borrow_mut();
                let Some((number, task)) = inner.next() else { break };
                let question = J::question(Rc::clone(&inner.request), task);
                (number, question, inner.serial, inner.workers.clone(), inner.lane)
            };
            let run = self.clone();
            let on_answer = Callback::from(move |(_, answer): (usize, Reply<J::Done>)| {
                if run.0.borrow().serial == serial {
                    run.hear(number, answer);
                }
            });
            workers.ask(lane(number as u8), &[question], on_answer);
        }
        self.announce();
    }

    fn hear(&self, number: usize, answer: Reply<J::Done>) {
        let end = self.0.borrow_mut().take(number, answer);
        match end {
            Some(status) => self.end(status),
            None => self.feed(),
        }
    }

    /// Reports the results: at most as often as drawing them allows, and at once at the end.
    fn announce(&self) {
        let wait = {
            let inner = &mut *self.0.borrow_mut();
            let is_running = inner.status == Status::Running;
            if std::mem::replace(&mut inner.is_news_due, true) && is_running {
                return;
            }
            let (at, took) = inner.last_news;
            if is_running { (at + NEWS_MS.max(QUIET * took) - now_ms()).max(0.0) } else { 0.0 }
        };
        let run = self.clone();
        let news = move || before_next_frame(move || run.tell_what_is_due());
        if wait > 4.0 { later(wait as u32, news) } else { news() }
    }

    fn tell_what_is_due(&self) {
        let tell = {
            let inner = &mut *self.0.borrow_mut();
            std::mem::take(&mut inner.is_news_due).then(|| inner.tell.clone())
        };
        let Some(tell) = tell else { return };
        let start = now_ms();
        tell.emit(());
        let run = self.clone();
        // By then the view is drawn.
        later(0, move || run.0.borrow_mut().last_news = (now_ms(), now_ms() - start));
    }
}

impl<J: QuestionJob> JobState<J> {
    fn elapsed_ms(&self) -> f64 {
        let running = if self.status == Status::Running { now_ms() - self.clock.0 } else { 0.0 };
        self.clock.1 + running
    }

    fn next(&mut self) -> Option<(usize, J::Task)> {
        if self.status != Status::Running {
            return None;
        }
        let number = self.lanes.iter().position(Option::is_none)?;
        let Some(task) = self.job.next(Worker { number, of: self.lanes.len() }) else {
            if self.lanes.iter().all(Option::is_none) {
                self.clock.1 = self.elapsed_ms();
                self.status = Status::Done;
            }
            return None;
        };
        self.lanes[number] = Some(task.clone());
        Some((number, task))
    }

    /// Takes an answer; returns how the job ends, if it does.
    fn take(&mut self, number: usize, answer: Reply<J::Done>) -> Option<Status> {
        let task = self.lanes[number].take()?;
        match answer {
            Ok(done) => {
                (self.heard)(&done);
                self.job.take(task, done);
                None
            }
            Err(Refusal::Rejected(diagnostics)) => {
                self.diagnostics = diagnostics;
                Some(Status::Rejected)
            }
            Err(Refusal::Failed(reason)) => {
                let goes_on = self.job.give_up(task, &reason);
                self.failure = Some(reason);
                (!goes_on).then_some(Status::Stopped)
            }
        }
    }
}

/// Runs the job of `asked` (a request, and the other inputs of the job), and returns its run once it has begun. Another
/// question replaces it at once, and it is dropped with the component. The component is drawn again with every new
/// result.
#[hook]
pub fn use_job<J: QuestionJob, K: Clone + PartialEq + 'static>(
    lane: LaneChannel,
    asked: Option<(Rc<J::Request>, K)>,
    job: impl Fn(&J::Request, &K) -> J + 'static,
) -> Option<JobRun<J>> {
    let update = use_force_update();
    let begun = use_mut_ref(|| None::<(JobRun<J>, K)>);
    {
        let (workers, begun) = (use_workers(), Rc::clone(&begun));
        use_effect_with(asked.clone(), move |asked| {
            if let Some((request, rest)) = asked {
                let heard: DoneListener<J> = Box::new(|_| ());
                let tell = Callback::from(move |()| update.force_update());
                let run = JobRun::start(&workers, lane, Rc::clone(request), job(request, rest), (heard, tell));
                begun.replace(Some((run, rest.clone())));
            }
            move || begun.take().iter().for_each(|(run, _)| run.give_up_lanes())
        });
    }
    let (run, rest) = begun.borrow().clone()?;
    asked.is_some_and(|asked| *asked.0 == *run.request() && asked.1 == rest).then_some(run)
}
