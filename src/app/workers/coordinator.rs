//! Distributes the sweep and questions to workers, and handles their answers; workers that fail or are too slow are
//! replaced.

use super::open_questions::{self, OpenQuestions, ReplyBytes};
use super::pool::{Activity, OWN_FILES, WorkerPool};
use super::results::{Accounts, Status, SweepProgress, SweepResults};
use crate::app::platform::fetch_failure::FetchFailure;
use crate::app::platform::timer::now_ms;
use crate::explore::{
    Combination, PointSummary, Request, SweepJob, SweepTask, best_combination, best_strategy, pareto_front,
};
use crate::job::{Job, Worker};
use crate::question::Channel;
use crate::spec::Diagnostics;
use crate::worker::{FromWorker, Notice, ToWorker};
use std::rc::Rc;
use std::sync::Arc;
use yew::Callback;

/// Message while nothing can be computed yet.
const LATE: &str = "No worker has started yet. They go on by themselves once their files are here.";
/// Message if nothing can be computed.
const NO_WORKER: &str = "No worker could be started, so nothing is computed.";
/// Message if the views cannot be filled.
const NO_ANSWERS: &str = "What works this view out could not be fetched. The view waits for it.";

/// A reply, and the callback that takes it.
pub type RoutedReply = open_questions::ListenerReply<Callback<(usize, ReplyBytes)>>;

/// The sweep and the questions, and the tasks of the workers.
pub struct Coordinator {
    pool: WorkerPool,
    desks: Vec<WorkerDesk>,
    generation: u32,
    requests: Rc<Vec<Request>>,
    run: Option<SweepJob>,
    /// Remarks on the request that are not errors.
    notes: Rc<Diagnostics>,
    questions: OpenQuestions<Callback<(usize, ReplyBytes)>>,
    status: Status,
    /// Whether some worker has accepted the sweep as valid.
    is_accepted: bool,
    /// Number of worker failures while opening the sweep.
    failed_opens: u32,
    /// Start of the running part, and the milliseconds spent in earlier parts.
    clock: (f64, f64),
    notices: Rc<Vec<String>>,
    /// The failure to fetch, and the work that it affects.
    fetch_failure: Option<(Rc<FetchFailure>, Affected)>,
    fetch_failures: u32,
    /// Whether the sweep stopped because no worker was left.
    is_deserted: bool,
    last: Rc<SweepResults>,
}

/// The work that waits for files that could not be fetched.
#[derive(Clone, Copy, PartialEq)]
enum Affected {
    /// All workers: none can start.
    Workers,
    /// Workers with questions of views, whose code is separate from that of a sweep.
    Questions,
}

/// The task of a worker.
#[derive(Default)]
struct WorkerDesk {
    /// The edit whose sweep it has open.
    opened: Option<u32>,
    /// Its task, and the edit that the task belongs to.
    task: Option<(u32, WorkerTask)>,
    /// Counts tasks, to identify one.
    serial: u32,
}

enum WorkerTask {
    Open { generation: u32 },
    Part(SweepTask),
    Question { ticket: u32 },
    Trap,
}

impl Coordinator {
    /// A coordinator without a sweep or questions.
    pub fn new(pool: WorkerPool) -> Self {
        Self {
            desks: (0..pool.slots()).map(|_| WorkerDesk::default()).collect(),
            pool,
            generation: 0,
            requests: Rc::default(),
            run: None,
            notes: Rc::default(),
            questions: OpenQuestions::default(),
            status: Status::Idle,
            is_accepted: false,
            failed_opens: 0,
            clock: (0.0, 0.0),
            notices: Rc::default(),
            fetch_failure: None,
            fetch_failures: 0,
            is_deserted: false,
            last: Rc::default(),
        }
    }

    /// Starts a new sweep, in place of the current one.
    pub fn start(&mut self, requests: Vec<Request>) {
        self.generation += 1;
        self.requests = Rc::new(requests);
        let settings = self.requests.iter().map(|request| &request.settings);
        self.run = Some(SweepJob::new(settings, self.pool.slots()));
        self.notes = Rc::default();
        self.is_accepted = false;
        self.failed_opens = 0;
        self.status = Status::Running;
        self.clock = (now_ms(), 0.0);
        self.is_deserted = false;
        self.stop_if_deserted();
        self.feed();
    }

    /// Stops working; false if nothing was running.
    pub fn stop(&mut self) -> bool {
        if !self.is_running() {
            return false;
        }
        self.clock.1 = self.elapsed_ms();
        self.status = Status::Stopped;
        true
    }

    /// Continues after a stop; false if there was none.
    pub fn resume(&mut self) -> bool {
        if self.status != Status::Stopped {
            return false;
        }
        self.clock.0 = now_ms();
        self.status = Status::Running;
        if self.pool.is_lost() {
            self.retry();
        }
        self.feed();
        true
    }

    /// Tries again to start workers and to fetch missing files, and continues if it stopped for lack of workers.
    pub fn retry(&mut self) {
        self.fetch_failure = None;
        self.pool.revive();
        if std::mem::take(&mut self.is_deserted) && self.status == Status::Stopped {
            self.clock.0 = now_ms();
            self.status = Status::Running;
        }
        self.stop_if_deserted();
        self.feed();
    }

    /// Without workers nothing continues until a person tries again.
    fn stop_if_deserted(&mut self) {
        if !self.pool.is_lost() {
            return;
        }
        if self.stop() {
            self.is_deserted = true;
        }
        if self.fetch_failure.is_none() {
            self.note_fetch_failure(Affected::Workers, NO_WORKER, OWN_FILES);
        }
    }

    fn note_fetch_failure(&mut self, who: Affected, what: &'static str, files: &str) {
        self.fetch_failures += 1;
        self.fetch_failure =
            Some((Rc::new(FetchFailure { what, files: files.into(), number: self.fetch_failures }), who));
    }

    /// Requests the account of a point.
    pub fn want(&mut self, point: u32) {
        if let Some(run) = &mut self.run {
            run.want(point);
        }
        self.feed();
    }

    /// Asks on a channel; earlier questions on it are dropped.
    pub fn ask(&mut self, channel: Channel, questions: Vec<Vec<u8>>, on_reply: Callback<(usize, ReplyBytes)>) {
        self.questions.ask(channel, questions, on_reply);
        self.no_longer(Affected::Questions);
        self.feed();
    }

    /// Drops the questions on a channel.
    pub fn forget(&mut self, channel: Channel) {
        self.questions.forget(channel);
        if !self.questions.has_waiting() {
            self.no_longer(Affected::Questions);
        }
    }

    /// Clears the failure, as the affected work continues without the files.
    fn no_longer(&mut self, affected: Affected) {
        self.fetch_failure.take_if(|(_, who)| *who == affected);
    }

    /// Clears the messages about errors of workers.
    pub fn dismiss_notices(&mut self) {
        self.notices = Rc::default();
    }

    /// The activity of each worker.
    pub fn activities(&self) -> impl Iterator<Item = Activity> {
        (0..self.pool.slots()).map(|slot| self.pool.activity(slot))
    }

    /// Makes a worker fail as if it had a defect; for tests.
    pub fn trap(&mut self, slot: usize) {
        let idle = self.pool.activity(slot) == Activity::Idle;
        self.pool.send(slot, &ToWorker::Trap);
        if let Some(desk) = self.desks.get_mut(slot).filter(|_| idle) {
            desk.task = Some((self.generation, WorkerTask::Trap));
        }
    }

    /// The number of every worker's task.
    pub fn serials(&self) -> Vec<u32> {
        self.desks.iter().map(|desk| desk.serial).collect()
    }

    /// Whether a sweep is in progress.
    pub fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// Milliseconds spent on the sweep.
    pub fn elapsed_ms(&self) -> f64 {
        match self.status {
            Status::Running => self.clock.1 + now_ms() - self.clock.0,
            _ => self.clock.1,
        }
    }

    /// Handles a message of a worker, and gives it the next task. A reply is returned for the caller to deliver.
    pub fn hear(&mut self, slot: usize, message: Result<FromWorker, Notice>) -> Option<RoutedReply> {
        match (&message, self.pool.activity(slot)) {
            (Err(Notice::Failed(text)), _) => return self.replace_failed(slot, text),
            (Err(Notice::Missing(files)), Activity::Starting) => {
                self.replace_unstarted(slot, files);
                return None;
            }
            (Err(Notice::Missing(files)), _) => self.wait_for(slot, files),
            (Err(Notice::Late), _) => {
                if self.is_unstarted() && self.fetch_failure.is_none() {
                    self.note_fetch_failure(Affected::Workers, LATE, OWN_FILES);
                }
                return None;
            }
            (Err(Notice::Ready), _) => self.no_longer(Affected::Workers),
            (Ok(_), _) => {}
        }
        self.pool.now_idle(slot);
        let task = self.desks[slot].task.take();
        let mut delivery = None;
        if let Ok(message) = message {
            delivery = self.take(slot, task, message);
        }
        self.finish_if_done();
        self.feed();
        delivery
    }

    fn take(&mut self, slot: usize, task: Option<(u32, WorkerTask)>, message: FromWorker) -> Option<RoutedReply> {
        let mut delivery = None;
        match message {
            FromWorker::Replied { ticket, reply } => delivery = self.questions.replied(ticket, reply),
            FromWorker::Opened { generation, notes } => {
                self.desks[slot].opened = Some(generation);
                if generation == self.generation && !self.is_accepted {
                    self.notes = Rc::new(notes);
                    self.is_accepted = true;
                }
            }
            FromWorker::Rejected { generation, diagnostics } if generation == self.generation => {
                self.status = Status::Rejected;
                let mut results = (*self.last).clone();
                results.diagnostics = diagnostics;
                self.last = Rc::new(results);
            }
            answer => self.take_answer(slot, task, answer),
        }
        delivery
    }

    fn take_answer(&mut self, slot: usize, task: Option<(u32, WorkerTask)>, answer: FromWorker) {
        let Some(run) = self.run.as_mut() else { return };
        let is_current = |generation: u32| generation == self.generation;
        match answer {
            FromWorker::Did { generation, done } if is_current(generation) => {
                if let Some((_, WorkerTask::Part(task))) = task {
                    run.take(task, done);
                }
            }
            FromWorker::Lost { generation } if is_current(generation) => {
                // The worker has another sweep open than recorded here; it will open the right one.
                self.desks[slot].opened = None;
                if let Some((_, WorkerTask::Part(task))) = task {
                    run.failed(task, "a worker lost this sweep");
                }
            }
            _ => {}
        }
    }

    fn finish_if_done(&mut self) {
        let Some(run) = &mut self.run else { return };
        if self.status == Status::Running && run.is_done() {
            self.clock.1 += now_ms() - self.clock.0;
            self.status = Status::Done;
            let summaries = run.summaries();
            let best = best_of(&self.requests, run, &summaries);
            let references = run.swept as u32..run.points.len() as u32;
            best.into_iter().chain(references).for_each(|point| run.want(point));
            if let Some(combination) = best_combination_of(&self.requests, run, &summaries)
                && combination.points.len() > 1
            {
                run.want_combination(combination.points.iter().map(|&point| point as u32).collect());
            }
        }
    }

    /// Whether no worker is ready yet.
    fn is_unstarted(&self) -> bool {
        self.activities().all(|activity| matches!(activity, Activity::Starting | Activity::Gone))
    }

    /// A worker could not fetch its own files. It had no task yet.
    fn replace_unstarted(&mut self, slot: usize, files: &str) {
        self.pool.replace(slot);
        if self.pool.is_lost() {
            self.note_fetch_failure(Affected::Workers, NO_WORKER, files);
            self.stop_if_deserted();
        } else if self.pool.activity(slot) == Activity::Gone && !self.is_unstarted() {
            self.note(format!("Worker {} could not be started. The others go on.", slot + 1));
        }
    }

    /// A worker could not fetch the code for its question, which waits until a person tries again.
    fn wait_for(&mut self, slot: usize, files: &str) {
        if let Some((_, WorkerTask::Question { ticket })) = self.desks[slot].task.take() {
            self.questions.put_back(ticket);
            self.note_fetch_failure(Affected::Questions, NO_ANSWERS, files);
        }
    }

    fn note(&mut self, notice: String) {
        Rc::make_mut(&mut self.notices).push(notice);
    }

    fn replace_failed(&mut self, slot: usize, text: &str) -> Option<RoutedReply> {
        let task = self.desks[slot].task.take();
        self.desks[slot].opened = None;
        self.pool.replace(slot);
        let mut given_up = false;
        let mut delivery = None;
        match task {
            Some((_, WorkerTask::Question { ticket })) => {
                delivery = self.questions.failed(ticket, text);
                given_up = delivery.is_some();
            }
            Some((generation, WorkerTask::Part(task))) if generation == self.generation => {
                if let Some(run) = &mut self.run {
                    given_up = run.failed(task, &format!("Two workers failed on it, the second with: {text}"));
                }
            }
            Some((_, WorkerTask::Open { generation })) if generation == self.generation => {
                self.failed_opens += 1;
            }
            _ => {}
        }
        let consequence = match (self.pool.activity(slot), given_up) {
            (Activity::Gone, _) => "It could not be replaced; the others go on.",
            (_, true) => {
                "It was replaced. Two workers failed on the same work, so the points that need it are left out."
            }
            (_, false) => "It was replaced, and its work is done again.",
        };
        self.note(format!("Worker {} failed ({text}). {consequence}", slot + 1));
        let most = 2 * self.pool.slots() as u32;
        if !self.is_accepted && self.failed_opens > most {
            self.status = Status::Stopped;
        }
        self.stop_if_deserted();
        self.finish_if_done();
        self.feed();
        delivery
    }

    /// Replaces workers that are still at the task with this number, if it belongs to an earlier edit.
    pub fn replace_the_slow(&mut self, serials: &[u32]) {
        for (slot, &serial) in serials.iter().enumerate() {
            let desk = &mut self.desks[slot];
            let is_past = desk.task.as_ref().is_some_and(|(generation, task)| match task {
                WorkerTask::Question { ticket } => !self.questions.is_wanted(*ticket),
                WorkerTask::Part(SweepTask::Account(_) | SweepTask::Combination(_)) => *generation != self.generation,
                _ => *generation != self.generation || self.status == Status::Stopped,
            });
            // The worker may have started another task since it was found slow.
            if desk.serial != serial || !is_past {
                continue;
            }
            desk.opened = None;
            if let Some((generation, WorkerTask::Part(task))) = desk.task.take()
                && generation == self.generation
                && let Some(run) = &mut self.run
            {
                run.put_back(task);
            }
            // A search in WebAssembly cannot be interrupted from outside, so the whole worker is replaced.
            self.pool.replace(slot);
        }
        self.feed();
    }

    /// Gives every idle worker a task.
    fn feed(&mut self) {
        for slot in 0..self.pool.slots() {
            if self.pool.activity(slot) == Activity::Idle
                && let Some((message, task)) = self.next_task(slot)
            {
                let desk = &mut self.desks[slot];
                desk.serial += 1;
                desk.task = Some((self.generation, task));
                self.pool.send(slot, &message);
            }
        }
    }

    /// Foreground questions go first, then the sweep, then background questions.
    fn next_task(&mut self, slot: usize) -> Option<(ToWorker, WorkerTask)> {
        self.next_question(false).or_else(|| self.next_step(slot)).or_else(|| self.next_question(true))
    }

    fn next_question(&mut self, background: bool) -> Option<(ToWorker, WorkerTask)> {
        // Further questions would fail in the same way: all wait until a person tries again.
        if self.fetch_failure.is_some() {
            return None;
        }
        let (ticket, question) = self.questions.next(background)?;
        Some((ToWorker::Ask { ticket, question }, WorkerTask::Question { ticket }))
    }

    fn next_step(&mut self, slot: usize) -> Option<(ToWorker, WorkerTask)> {
        let generation = self.generation;
        let is_running = self.status == Status::Running;
        if matches!(self.status, Status::Idle | Status::Rejected) {
            return None;
        }
        let desk = &mut self.desks[slot];
        if desk.opened != Some(generation) {
            if !is_running && !self.run.as_ref().is_some_and(SweepJob::has_wanted) {
                return None;
            }
            let requests = self.requests.to_vec();
            return Some((ToWorker::Open { generation, requests }, WorkerTask::Open { generation }));
        }
        let run = self.run.as_mut()?;
        // A sweep that is stopped goes on to give accounts.
        let task =
            if is_running { run.next(Worker { number: slot, of: self.pool.slots() }) } else { run.next_wanted() }?;
        Some((ToWorker::Do { generation, task: task.clone() }, WorkerTask::Part(task)))
    }

    /// The results last reported to the page.
    pub fn last(&self) -> Rc<SweepResults> {
        Rc::clone(&self.last)
    }

    /// The current results, to report to the page.
    pub fn news(&mut self) -> Rc<SweepResults> {
        self.last = Rc::new(self.results());
        self.last()
    }

    fn progress(&self, run: &SweepJob) -> SweepProgress {
        let known = run.progress();
        SweepProgress {
            points_done: known.done,
            points: known.all,
            problems_searched: run.effort.searched as usize,
            elapsed_ms: self.elapsed_ms(),
        }
    }

    /// Until a point of a new sweep is known, the page keeps showing the previous one.
    fn results(&self) -> SweepResults {
        let mut results = SweepResults {
            generation: self.generation,
            status: self.status,
            notices: Rc::clone(&self.notices),
            fetch_failure: self.fetch_failure.as_ref().map(|(failure, _)| Rc::clone(failure)),
            workers: self.pool.slots(),
            asked: Rc::clone(&self.requests),
            ..SweepResults::default()
        };
        let Some(run) = self.run.as_ref().filter(|run| run.has_news()) else {
            let shown = (*self.last).clone();
            let progress = self.run.as_ref().map(|run| self.progress(run)).unwrap_or_default();
            let diagnostics =
                if self.status == Status::Rejected { shown.diagnostics.clone() } else { Default::default() };
            return SweepResults { stale: true, progress, diagnostics, ..shown }.with_heading(results);
        };
        results.requests = Rc::clone(&self.requests);
        results.progress = self.progress(run);
        results.strategies = Arc::clone(&run.strategies);
        results.swept = run.swept;
        results.notes = Rc::clone(&self.notes);
        results.points = run.points.clone();
        results.accounts = Accounts(run.accounts.clone());
        results.combined = run.combined.clone();
        let summaries = run.summaries();
        results.best = best_of(&self.requests, run, &summaries);
        results.combination = best_combination_of(&self.requests, run, &summaries);
        results.pareto = pareto_front(&summaries).into_iter().map(|index| summaries[index].point as u32).collect();
        results
    }
}

fn best_of(requests: &[Request], run: &SweepJob, summaries: &[PointSummary]) -> Option<u32> {
    let best = best_strategy(&requests.first()?.settings, &run.strategies, summaries)?;
    Some(best.point as u32)
}

fn best_combination_of(requests: &[Request], run: &SweepJob, summaries: &[PointSummary]) -> Option<Combination> {
    let best = best_combination(&requests.first()?.settings, &run.strategies, summaries)?;
    let is_of = |points: &[u32]| points.iter().map(|&point| point as usize).eq(best.points.iter().copied());
    Some(match &run.combined {
        Some((points, account)) if is_of(points) => best.with_account(account),
        _ => best,
    })
}
