//! Runs sweeps on the workers, and reports results to the page.

use super::coordinator::Coordinator;
use super::open_questions;
use super::pool::{Activity, Listener, WorkerPool};
use super::results::SweepResults;
use crate::app::platform::timer::{before_next_frame, later, now_ms};
use crate::explore::Request;
use crate::question::{Channel, Query, Refusal, Reply};
use crate::worker::{FromWorker, Notice, from_bytes, to_bytes};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Ratio of the pause between two reports to the time that drawing one takes.
const QUIET: f64 = 9.0;

/// Time for a worker to answer after a stop or an edit before it is replaced, milliseconds.
const PATIENCE_MS: u32 = 50;
/// Least time between two reports, milliseconds.
const NEWS_MS: f64 = 60.0;

/// Handle on the one workers of the page; a context.
#[derive(Clone)]
pub struct Workers(Rc<RefCell<WorkersState>>);

impl PartialEq for Workers {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The workers of the page around a component. They stay the same as long as the page.
#[hook]
pub fn use_workers() -> Workers {
    use_context::<Workers>().unwrap_or_else(|| unreachable!("the page gives its workers to all that it shows"))
}

struct WorkersState {
    coordinator: Coordinator,
    publish: Callback<Rc<SweepResults>>,
    news_due: bool,
    last_news: (f64, f64),
    /// The number of the last request on each channel.
    request_numbers: BTreeMap<Channel, u32>,
}

impl Workers {
    /// Starts the workers. `publish` is called with new results, at most once per frame.
    pub fn new(module: JsValue, publish: Callback<Rc<SweepResults>>) -> Self {
        let workers = Rc::new_cyclic(|weak: &std::rc::Weak<RefCell<WorkersState>>| {
            let weak = weak.clone();
            let listener: Listener = Rc::new(move |slot, message| {
                if let Some(inner) = weak.upgrade() {
                    Workers(inner).hear(slot, message);
                }
            });
            let coordinator = Coordinator::new(WorkerPool::new(module, &listener));
            let request_numbers = BTreeMap::new();
            RefCell::new(WorkersState { coordinator, publish, news_due: false, last_news: (0.0, 0.0), request_numbers })
        });
        Self(workers)
    }

    /// Starts a new sweep, in place of the current one.
    pub fn start(&self, requests: Vec<Request>) {
        self.0.borrow_mut().coordinator.start(requests);
        self.replace_the_slow();
        self.announce();
    }

    /// Stops working; results so far stay.
    pub fn stop(&self) {
        if self.0.borrow_mut().coordinator.stop() {
            self.replace_the_slow();
            self.announce();
        }
    }

    /// Continues after a stop.
    pub fn resume(&self) {
        if self.0.borrow_mut().coordinator.resume() {
            self.announce();
        }
    }

    /// Requests the account of a point.
    pub fn open(&self, point: u32) {
        self.0.borrow_mut().coordinator.want(point);
    }

    /// Asks on a channel, besides the sweep; earlier questions on it are dropped. `on_answer` is called with one
    /// answer per question, with the index of the question, in the order in which workers reply. The returned number is
    /// for [`Self::take_back`].
    pub fn ask<Q: Query>(
        &self,
        channel: Channel,
        questions: &[Q],
        on_answer: Callback<(usize, Reply<Q::Reply>)>,
    ) -> u32 {
        let bytes = |question: &Q| to_bytes(&question.clone().into()).ok();
        let questions = questions.iter().filter_map(bytes).collect();
        let on_reply = on_answer.reform(|(index, reply): (usize, open_questions::ReplyBytes)| {
            let answer = reply.and_then(|bytes| from_bytes(&bytes).map_err(|wrong| wrong.to_string()));
            (index, answer.unwrap_or_else(|text| Err(Refusal::Failed(text))))
        });
        self.put(channel, questions, on_reply);
        let inner = &mut *self.0.borrow_mut();
        let number = inner.request_numbers.entry(channel).or_default();
        *number += 1;
        *number
    }

    fn put(&self, channel: Channel, questions: Vec<Vec<u8>>, on_reply: Callback<(usize, open_questions::ReplyBytes)>) {
        self.0.borrow_mut().coordinator.ask(channel, questions, on_reply);
        self.replace_the_slow();
    }

    /// Drops the questions on a channel.
    pub fn forget(&self, channel: Channel) {
        self.0.borrow_mut().coordinator.forget(channel);
        self.replace_the_slow();
    }

    /// Drops the questions on a channel, unless there was a later request on it: the steps of a longer study share
    /// a channel, and the next one may have been asked already when the previous one is dropped.
    pub fn take_back(&self, channel: Channel, number: u32) {
        let is_last = self.0.borrow().request_numbers.get(&channel) == Some(&number);
        if is_last {
            self.forget(channel);
        }
    }

    /// Clears the messages about errors of workers.
    pub fn dismiss_notices(&self) {
        self.0.borrow_mut().coordinator.dismiss_notices();
        self.announce();
    }

    /// Tries again to start workers and to fetch missing files.
    pub fn retry(&self) {
        self.0.borrow_mut().coordinator.retry();
        self.announce();
    }

    /// Number of workers that are ready or starting.
    pub fn count(&self) -> usize {
        self.0.borrow().coordinator.activities().filter(|&activity| activity != Activity::Gone).count()
    }

    /// Number of workers with a task.
    pub fn busy(&self) -> usize {
        self.0.borrow().coordinator.activities().filter(|&activity| activity == Activity::Busy).count()
    }

    /// Makes a worker fail as if it had a defect; for tests.
    pub fn trap(&self, slot: usize) {
        self.0.borrow_mut().coordinator.trap(slot);
    }

    /// The results last reported to the page.
    pub fn last(&self) -> Rc<SweepResults> {
        self.0.borrow().coordinator.last()
    }

    fn hear(&self, slot: usize, message: Result<FromWorker, Notice>) {
        let delivery = self.0.borrow_mut().coordinator.hear(slot, message);
        self.announce();
        if let Some((on_reply, reply)) = delivery {
            on_reply.emit(reply);
        }
    }

    /// Replaces the workers that are still at an outdated task after [`PATIENCE_MS`].
    fn replace_the_slow(&self) {
        let serials = self.0.borrow().coordinator.serials();
        let workers = self.clone();
        later(PATIENCE_MS, move || {
            workers.0.borrow_mut().coordinator.replace_the_slow(&serials);
            workers.announce();
        });
    }

    /// Reports the results: at most once per frame, and seldom enough that the page stays responsive.
    fn announce(&self) {
        let wait = {
            let inner = &mut *self.0.borrow_mut();
            let is_running = inner.coordinator.is_running();
            // The end is reported at once.
            if std::mem::replace(&mut inner.news_due, true) && is_running {
                return;
            }
            // The more points there are to draw, the longer the pause, but not at first: the workers need the cores.
            let (at, took) = inner.last_news;
            let quiet = (QUIET * took).min(0.5 * inner.coordinator.elapsed_ms());
            let pause = if is_running { NEWS_MS.max(quiet) } else { 0.0 };
            (at + pause - now_ms()).max(0.0)
        };
        let workers = self.clone();
        let tell = move || before_next_frame(move || workers.tell_what_is_due());
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
            (inner.coordinator.news(), inner.publish.clone())
        };
        publish.emit(results);
        let workers = self.clone();
        // By then the page is drawn.
        later(0, move || workers.0.borrow_mut().last_news = (now_ms(), now_ms() - start));
    }
}
