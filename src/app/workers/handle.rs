//! Drives sweeps over the workers, and tells the page what is known.

use super::coordinator::Coordinator;
use super::open_questions;
use super::pool::{Activity, Listener, Pool};
use super::results::SweepResults;
use crate::app::platform::timer::{before_next_frame, later, now_ms};
use crate::explore::Request;
use crate::question::{Answer, Ask, Refusal, Topic};
use crate::worker::{FromWorker, Notice, from_bytes, to_bytes};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Ratio of the pause between two reports of progress to the time that drawing one takes.
const QUIET: f64 = 9.0;

/// A worker that has not answered so long after a stop or an edit is replaced, milliseconds.
const PATIENCE_MS: u32 = 50;
/// Least time between two reports of progress, milliseconds.
const NEWS_MS: f64 = 60.0;

/// Handle on the one workers of the page; a context.
#[derive(Clone)]
pub struct Workers(Rc<RefCell<Inner>>);

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

struct Inner {
    coordinator: Coordinator,
    publish: Callback<Rc<SweepResults>>,
    news_due: bool,
    last_news: (f64, f64),
    /// The number of the last request about each topic.
    request_numbers: BTreeMap<Topic, u32>,
}

impl Workers {
    /// Starts the workers. `publish` is called with new results, at most once a frame.
    pub fn new(module: JsValue, publish: Callback<Rc<SweepResults>>) -> Self {
        let workers = Rc::new_cyclic(|weak: &std::rc::Weak<RefCell<Inner>>| {
            let weak = weak.clone();
            let listener: Listener = Rc::new(move |slot, message| {
                if let Some(inner) = weak.upgrade() {
                    Workers(inner).hear(slot, message);
                }
            });
            let coordinator = Coordinator::new(Pool::new(module, &listener));
            let request_numbers = BTreeMap::new();
            RefCell::new(Inner { coordinator, publish, news_due: false, last_news: (0.0, 0.0), request_numbers })
        });
        Self(workers)
    }

    /// Starts a new sweep; whatever is going on is over.
    pub fn start(&self, requests: Vec<Request>) {
        self.0.borrow_mut().coordinator.start(requests);
        self.replace_the_slow();
        self.announce();
    }

    /// Stops working; what is known stays.
    pub fn stop(&self) {
        if self.0.borrow_mut().coordinator.stop() {
            self.replace_the_slow();
            self.announce();
        }
    }

    /// Goes on after a stop.
    pub fn resume(&self) {
        if self.0.borrow_mut().coordinator.resume() {
            self.announce();
        }
    }

    /// Asks for the whole account of a point.
    pub fn open(&self, point: u32) {
        self.0.borrow_mut().coordinator.want(point);
    }

    /// Asks about a topic, besides the sweep; whatever was asked about it before is forgotten. `on_answer` hears one answer a
    /// question, with the index of the question, in the order in which workers reply. The number is for [`Self::take_back`].
    pub fn ask<Q: Ask>(&self, topic: Topic, questions: &[Q], on_answer: Callback<(usize, Answer<Q::Reply>)>) -> u32 {
        let bytes = |question: &Q| to_bytes(&question.clone().into()).ok();
        let questions = questions.iter().filter_map(bytes).collect();
        let on_reply = on_answer.reform(|(index, reply): (usize, open_questions::Reply)| {
            let answer = reply.and_then(|bytes| from_bytes(&bytes).map_err(|wrong| wrong.to_string()));
            (index, answer.unwrap_or_else(|text| Err(Refusal::Failed(text))))
        });
        self.put(topic, questions, on_reply);
        let inner = &mut *self.0.borrow_mut();
        let number = inner.request_numbers.entry(topic).or_default();
        *number += 1;
        *number
    }

    fn put(&self, topic: Topic, questions: Vec<Vec<u8>>, on_reply: Callback<(usize, open_questions::Reply)>) {
        self.0.borrow_mut().coordinator.ask(topic, questions, on_reply);
        self.replace_the_slow();
    }

    /// Gives up what was asked about a topic.
    pub fn forget(&self, topic: Topic) {
        self.0.borrow_mut().coordinator.forget(topic);
        self.replace_the_slow();
    }

    /// Gives up what was asked about a topic, unless something else has been asked about it since: the steps of a longer study share
    /// a topic, and the next one may be asked already when the one before is taken back.
    pub fn take_back(&self, topic: Topic, number: u32) {
        let is_last = self.0.borrow().request_numbers.get(&topic) == Some(&number);
        if is_last {
            self.forget(topic);
        }
    }

    /// Forgets what went wrong with workers.
    pub fn dismiss_notices(&self) {
        self.0.borrow_mut().coordinator.dismiss_notices();
        self.announce();
    }

    /// Tries again to start workers and to fetch what they lack.
    pub fn retry(&self) {
        self.0.borrow_mut().coordinator.retry();
        self.announce();
    }

    /// Number of workers that live or start.
    pub fn count(&self) -> usize {
        self.0.borrow().coordinator.activities().filter(|&activity| activity != Activity::Gone).count()
    }

    /// Number of workers that are at work.
    pub fn busy(&self) -> usize {
        self.0.borrow().coordinator.activities().filter(|&activity| activity == Activity::Busy).count()
    }

    /// Makes a worker fail as if it had a defect; for tests.
    pub fn trap(&self, slot: usize) {
        self.0.borrow_mut().coordinator.trap(slot);
    }

    /// What the page heard last.
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

    /// Workers that are still at a task of the past in a moment are replaced.
    fn replace_the_slow(&self) {
        let serials = self.0.borrow().coordinator.serials();
        let workers = self.clone();
        later(PATIENCE_MS, move || {
            workers.0.borrow_mut().coordinator.replace_the_slow(&serials);
            workers.announce();
        });
    }

    /// Tells the page what is known: once a frame, and seldom enough that the page stays quick.
    fn announce(&self) {
        let wait = {
            let inner = &mut *self.0.borrow_mut();
            let is_running = inner.coordinator.is_running();
            // The end is told at once, whatever waits.
            if std::mem::replace(&mut inner.news_due, true) && is_running {
                return;
            }
            // Whoever has many points to draw gets news less often, but not at first: the workers need the cores.
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
