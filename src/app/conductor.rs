//! Drives sweeps over the workers, and tells the page what is known.

use super::inquiries::{self, Delivery, Inquiries};
use super::pool::{Activity, Listener, Pool};
use super::results::{Results, Status};
use super::run::{Job, Run};
use super::timer::{before_next_frame, later, now_ms};
use crate::depth_first::FuseDepth;
use crate::explore::{Combination, PointSummary, Request, best_combination, best_point, pareto_front};
use crate::question::{Question, Reply, Topic};
use crate::worker::{FromWorker, Notice, ToWorker, from_bytes, to_bytes};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::Callback;

/// While workers work, the page is quiet for so many times as long as it draws.
const QUIET: f64 = 9.0;

/// A worker that has not answered so long after a stop or an edit is replaced, milliseconds.
const PATIENCE_MS: u32 = 50;
/// The page hears of progress no more often than this, milliseconds.
const NEWS_MS: f64 = 60.0;

/// Handle on the one conductor of the page.
#[derive(Clone)]
pub struct Conductor(Rc<RefCell<Inner>>);

impl PartialEq for Conductor {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Inner {
    pool: Pool,
    desks: Vec<Desk>,
    generation: u32,
    requests: Rc<Vec<Request>>,
    run: Option<Run>,
    inquiries: Inquiries,
    status: Status,
    /// Whether some worker has found that the sweep makes sense.
    is_accepted: bool,
    /// How often a worker failed while it looked at the sweep.
    failed_opens: u32,
    /// When the running part began, and the milliseconds spent in earlier parts.
    clock: (f64, f64),
    notices: Rc<Vec<String>>,
    last: Rc<Results>,
    publish: Callback<Rc<Results>>,
    news_due: bool,
    last_news: (f64, f64),
}

/// What is on a worker's desk.
#[derive(Default)]
struct Desk {
    /// The edit whose sweep it has open.
    opened: Option<u32>,
    /// What it is asked for, and in which edit.
    task: Option<(u32, Task)>,
    /// Counts tasks, to recognise one.
    serial: u32,
}

enum Task {
    Open { generation: u32 },
    Job(Job),
    Question { ticket: u32 },
    Trap,
}

impl Conductor {
    /// Starts the workers. `publish` hears of everything new, at most once a frame.
    pub fn new(module: JsValue, publish: Callback<Rc<Results>>) -> Self {
        let conductor = Rc::new_cyclic(|weak: &std::rc::Weak<RefCell<Inner>>| {
            let weak = weak.clone();
            let listener: Listener = Rc::new(move |slot, message| {
                if let Some(inner) = weak.upgrade() {
                    Conductor(inner).hear(slot, message);
                }
            });
            let pool = Pool::new(module, &listener);
            let desks = (0..pool.len()).map(|_| Desk::default()).collect();
            RefCell::new(Inner {
                pool,
                desks,
                generation: 0,
                requests: Rc::default(),
                run: None,
                inquiries: Inquiries::default(),
                status: Status::Idle,
                is_accepted: false,
                failed_opens: 0,
                clock: (0.0, 0.0),
                notices: Rc::default(),
                last: Rc::default(),
                publish,
                news_due: false,
                last_news: (0.0, 0.0),
            })
        });
        Self(conductor)
    }

    /// Starts a new sweep; whatever is going on is over.
    pub fn start(&self, requests: Vec<Request>) {
        {
            let inner = &mut *self.0.borrow_mut();
            inner.generation += 1;
            inner.requests = Rc::new(requests);
            inner.run = Some(Run::new(&inner.requests, inner.pool.len()));
            inner.is_accepted = false;
            inner.failed_opens = 0;
            inner.status = Status::Running;
            inner.clock = (now_ms(), 0.0);
            inner.feed();
        }
        self.replace_the_slow();
        self.announce();
    }

    /// Stops working; what is known stays.
    pub fn stop(&self) {
        {
            let inner = &mut *self.0.borrow_mut();
            if inner.status != Status::Running {
                return;
            }
            inner.clock.1 = inner.elapsed_ms();
            inner.status = Status::Stopped;
        }
        self.replace_the_slow();
        self.announce();
    }

    /// Goes on after a stop.
    pub fn resume(&self) {
        {
            let inner = &mut *self.0.borrow_mut();
            if inner.status != Status::Stopped {
                return;
            }
            inner.clock.0 = now_ms();
            inner.status = Status::Running;
            inner.feed();
        }
        self.announce();
    }

    /// Asks for the whole account of a point.
    pub fn open(&self, point: u32) {
        let inner = &mut *self.0.borrow_mut();
        if let Some(run) = &mut inner.run {
            run.want(point);
        }
        inner.feed();
    }

    /// Asks about a topic, besides the sweep; whatever was asked about it before is forgotten. `on_reply` hears one reply a
    /// question, with the index of the question, in the order in which workers reply.
    pub fn ask(&self, topic: Topic, questions: Vec<Question>, on_reply: Callback<(usize, Reply)>) {
        {
            let inner = &mut *self.0.borrow_mut();
            let questions = questions.iter().filter_map(|question| to_bytes(question).ok()).collect();
            let on_reply = on_reply.reform(|(index, reply): (usize, inquiries::Reply)| {
                let reply = reply.and_then(|bytes| from_bytes(&bytes).map_err(|wrong| wrong.to_string()));
                (index, reply.unwrap_or_else(Reply::Failed))
            });
            inner.inquiries.ask(topic, questions, on_reply);
            inner.feed();
        }
        self.replace_the_slow();
    }

    /// Gives up what was asked about a topic.
    pub fn forget(&self, topic: Topic) {
        self.0.borrow_mut().inquiries.forget(topic);
        self.replace_the_slow();
    }

    /// Forgets what went wrong with workers.
    pub fn dismiss_notices(&self) {
        self.0.borrow_mut().notices = Rc::default();
        self.announce();
    }

    /// Number of workers that live or start.
    pub fn workers(&self) -> usize {
        let pool = &self.0.borrow().pool;
        (0..pool.len()).filter(|&slot| pool.activity(slot) != Activity::Gone).count()
    }

    /// Number of workers that are at work.
    pub fn busy(&self) -> usize {
        let pool = &self.0.borrow().pool;
        (0..pool.len()).filter(|&slot| pool.activity(slot) == Activity::Busy).count()
    }

    /// Makes a worker fail as if it had a defect; for tests.
    pub fn trap(&self, slot: usize) {
        let inner = &mut *self.0.borrow_mut();
        let idle = inner.pool.activity(slot) == Activity::Idle;
        inner.pool.send(slot, &ToWorker::Trap);
        if let Some(desk) = inner.desks.get_mut(slot).filter(|_| idle) {
            desk.task = Some((inner.generation, Task::Trap));
        }
    }

    /// What the page heard last.
    pub fn last(&self) -> Rc<Results> {
        Rc::clone(&self.0.borrow().last)
    }

    fn hear(&self, slot: usize, message: Result<FromWorker, Notice>) {
        let delivery = self.0.borrow_mut().hear(slot, message);
        self.announce();
        if let Some((on_reply, reply)) = delivery {
            on_reply.emit(reply);
        }
    }

    /// Workers that are still at a task of the past in a moment are replaced.
    fn replace_the_slow(&self) {
        let serials: Vec<u32> = self.0.borrow().desks.iter().map(|desk| desk.serial).collect();
        let conductor = self.clone();
        later(PATIENCE_MS, move || {
            conductor.0.borrow_mut().replace_the_slow(&serials);
            conductor.announce();
        });
    }

    /// Tells the page what is known: once a frame, and seldom enough that the page stays quick.
    fn announce(&self) {
        let wait = {
            let inner = &mut *self.0.borrow_mut();
            let is_running = inner.status == Status::Running;
            // The end is told at once, whatever waits.
            if std::mem::replace(&mut inner.news_due, true) && is_running {
                return;
            }
            // Whoever has many points to draw gets news less often, but not at first: the workers need the cores.
            let (at, took) = inner.last_news;
            let quiet = (QUIET * took).min(0.5 * inner.elapsed_ms());
            let pause = if is_running { NEWS_MS.max(quiet) } else { 0.0 };
            (at + pause - now_ms()).max(0.0)
        };
        let conductor = self.clone();
        let tell = move || before_next_frame(move || conductor.tell_what_is_due());
        if wait > 4.0 { later(wait as u32, tell) } else { tell() }
    }

    fn tell_what_is_due(&self) {
        if self.0.borrow().news_due {
            self.tell();
        }
    }

    fn tell(&self) {
        let start = now_ms();
        let (results, publish) = {
            let inner = &mut *self.0.borrow_mut();
            inner.news_due = false;
            inner.last = Rc::new(inner.results());
            (Rc::clone(&inner.last), inner.publish.clone())
        };
        publish.emit(results);
        let conductor = self.clone();
        // By then the page is drawn.
        later(0, move || conductor.0.borrow_mut().last_news = (now_ms(), now_ms() - start));
    }
}

impl Inner {
    fn elapsed_ms(&self) -> f64 {
        match self.status {
            Status::Running => self.clock.1 + now_ms() - self.clock.0,
            _ => self.clock.1,
        }
    }

    fn hear(&mut self, slot: usize, message: Result<FromWorker, Notice>) -> Option<Delivery> {
        if let Err(Notice::Failed { text }) = &message {
            return self.replace_failed(slot, text);
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

    fn take(&mut self, slot: usize, task: Option<(u32, Task)>, message: FromWorker) -> Option<Delivery> {
        let mut delivery = None;
        match message {
            FromWorker::Replied { ticket, reply } => delivery = self.inquiries.replied(ticket, reply),
            FromWorker::Opened { generation, notes } => {
                self.desks[slot].opened = Some(generation);
                if let (Some(run), true) = (&mut self.run, generation == self.generation && !self.is_accepted) {
                    run.notes = Rc::new(notes);
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

    fn take_answer(&mut self, slot: usize, task: Option<(u32, Task)>, answer: FromWorker) {
        let Some(run) = self.run.as_mut() else { return };
        let is_current = |generation: u32| generation == self.generation;
        match answer {
            FromWorker::Surveyed { generation, summaries, impossible, effort } if is_current(generation) => {
                if let Some((_, Task::Job(Job::Survey(given)))) = &task {
                    run.surveyed(slot, given, summaries, impossible, effort);
                }
            }
            FromWorker::Detailed { generation, point, account } if is_current(generation) => {
                run.detailed(point, *account);
            }
            FromWorker::Combined { generation, points, account } if is_current(generation) => {
                run.combined(points, *account);
            }
            FromWorker::Lost { generation } if is_current(generation) => {
                // It has another sweep open than this page thinks; it will open the right one.
                self.desks[slot].opened = None;
                if let Some((_, Task::Job(job))) = task {
                    run.failed(slot, job, "a worker lost this sweep");
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
            let best = best_point(&summaries).map(|best| best.point as u32);
            let references = run.swept as u32..run.points.len() as u32;
            best.into_iter().chain(references).for_each(|point| run.want(point));
            if let Some(combination) = best_combination_of(&self.requests, run, &summaries)
                && combination.points.len() > 1
            {
                run.want_combination(combination.points.iter().map(|&point| point as u32).collect());
            }
        }
    }

    fn replace_failed(&mut self, slot: usize, text: &str) -> Option<Delivery> {
        let task = self.desks[slot].task.take();
        self.desks[slot].opened = None;
        self.pool.replace(slot);
        let mut given_up = false;
        let mut delivery = None;
        match task {
            Some((_, Task::Question { ticket })) => {
                delivery = self.inquiries.failed(ticket, text);
                given_up = delivery.is_some();
            }
            Some((generation, Task::Job(job))) if generation == self.generation => {
                if let Some(run) = &mut self.run {
                    given_up = run.failed(slot, job, &format!("Two workers failed on it, the second with: {text}"));
                }
            }
            Some((_, Task::Open { generation })) if generation == self.generation => {
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
        let mut notices = (*self.notices).clone();
        notices.push(format!("Worker {} failed ({text}). {consequence}", slot + 1));
        self.notices = Rc::new(notices);
        let most = 2 * self.pool.len() as u32;
        if self.pool.is_lost() || (!self.is_accepted && self.failed_opens > most) {
            self.status = Status::Stopped;
        }
        self.finish_if_done();
        self.feed();
        delivery
    }

    fn replace_the_slow(&mut self, serials: &[u32]) {
        for (slot, &serial) in serials.iter().enumerate() {
            let desk = &mut self.desks[slot];
            let is_past = desk.task.as_ref().is_some_and(|(generation, task)| match task {
                Task::Question { ticket } => !self.inquiries.is_wanted(*ticket),
                Task::Job(Job::Detail(_) | Job::Combine(_)) => *generation != self.generation,
                _ => *generation != self.generation || self.status == Status::Stopped,
            });
            if desk.serial != serial || !is_past {
                continue;
            }
            desk.opened = None;
            if let Some((generation, Task::Job(job))) = desk.task.take()
                && generation == self.generation
                && let Some(run) = &mut self.run
            {
                run.put_back(slot, job);
            }
            self.pool.replace(slot);
        }
        self.feed();
    }

    /// Gives every idle worker something to do.
    fn feed(&mut self) {
        for slot in 0..self.pool.len() {
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

    /// What a person waits for goes first, then the sweep, then what can wait.
    fn next_task(&mut self, slot: usize) -> Option<(ToWorker, Task)> {
        self.next_question(false).or_else(|| self.next_step(slot)).or_else(|| self.next_question(true))
    }

    fn next_question(&mut self, background: bool) -> Option<(ToWorker, Task)> {
        let (ticket, question) = self.inquiries.next(background)?;
        Some((ToWorker::Ask { ticket, question }, Task::Question { ticket }))
    }

    fn next_step(&mut self, slot: usize) -> Option<(ToWorker, Task)> {
        let generation = self.generation;
        let is_running = self.status == Status::Running;
        if matches!(self.status, Status::Idle | Status::Rejected) {
            return None;
        }
        let desk = &mut self.desks[slot];
        if desk.opened != Some(generation) {
            if !is_running && !self.run.as_ref().is_some_and(Run::has_wanted) {
                return None;
            }
            let requests = self.requests.to_vec();
            return Some((ToWorker::Open { generation, requests }, Task::Open { generation }));
        }
        let run = self.run.as_mut()?;
        let job = run.next_job(slot, !is_running)?;
        let message = match job.clone() {
            Job::Survey(points) => ToWorker::Survey { generation, points },
            Job::Detail(point) => ToWorker::Detail { generation, point },
            Job::Combine(points) => ToWorker::Combine { generation, points },
        };
        Some((message, Task::Job(job)))
    }

    /// What is known, for the page. Until a point of a new sweep is known, the page keeps showing the one before.
    fn results(&self) -> Results {
        let mut results = Results {
            generation: self.generation,
            status: self.status,
            notices: Rc::clone(&self.notices),
            workers: self.pool.len(),
            asked: Rc::clone(&self.requests),
            ..Results::default()
        };
        let Some(run) = self.run.as_ref().filter(|run| run.has_news()) else {
            let shown = (*self.last).clone();
            let progress = self.run.as_ref().map(|run| run.progress(self.elapsed_ms())).unwrap_or_default();
            let diagnostics =
                if self.status == Status::Rejected { shown.diagnostics.clone() } else { Default::default() };
            return Results { stale: true, progress, diagnostics, ..shown }.with_heading(results);
        };
        results.requests = Rc::clone(&self.requests);
        results.progress = run.progress(self.elapsed_ms());
        results.strategies = Rc::clone(&run.strategies);
        results.swept = run.swept;
        results.notes = Rc::clone(&run.notes);
        results.points = run.points.clone();
        results.accounts = run.accounts.clone();
        results.combined = run.combined.clone();
        let summaries = run.summaries();
        results.best = best_point(&summaries).map(|best| best.point as u32);
        results.combination = best_combination_of(&self.requests, run, &summaries);
        results.pareto = pareto_front(&summaries).into_iter().map(|index| summaries[index].point as u32).collect();
        results
    }
}

impl Results {
    /// These points under the heading of another edit.
    fn with_heading(self, heading: Self) -> Self {
        Self {
            generation: heading.generation,
            status: heading.status,
            notices: heading.notices,
            workers: heading.workers,
            asked: heading.asked,
            ..self
        }
    }
}

fn best_combination_of(requests: &[Request], run: &Run, summaries: &[PointSummary]) -> Option<Combination> {
    best_combination(&requests.first()?.settings, &run.strategies, summaries)
}

/// The two ways to run a network that everything is compared with, with what the page calls them.
pub const REFERENCES: [(FuseDepth, &str); 2] =
    [(FuseDepth::SingleLayer, "single-layer"), (FuseDepth::LayerByLayer, "layer-by-layer")];
