//! Starts workers, talks to them, replaces those that fail.

use super::spawn::{START_MS, gone, spawn, when_gone};
use crate::worker::{FromWorker, Notice, ToWorker, from_worker, to_worker};
use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Event, MessageEvent, Worker};

/// Number of failures before being ready after which a slot is given up.
const MOST_FAILED_STARTS: u32 = 3;

/// The activity of a slot's worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Compiling or fetching.
    Starting,
    /// Ready for a task.
    Idle,
    /// At a task.
    Busy,
    /// There is no worker any more.
    Gone,
}

/// Called with a worker's messages: index of the slot, and the message.
pub type Listener = Rc<dyn Fn(usize, Result<FromWorker, Notice>)>;

/// A fixed number of slots, with one worker each.
pub struct WorkerPool {
    module: JsValue,
    slots: Vec<WorkerSlot>,
}

struct WorkerSlot {
    worker: Option<Worker>,
    activity: Activity,
    failed_starts: u32,
    listener: Listener,
    /// Runs while the worker starts.
    start: Option<Timeout>,
    /// The lock of a worker that is not watched yet.
    lock: Option<String>,
    on_message: Closure<dyn FnMut(MessageEvent)>,
    on_error: Closure<dyn FnMut(Event)>,
    current: Rc<RefCell<Option<Worker>>>,
}

impl WorkerPool {
    /// Starts as many workers as the machine has processors, at most eight. All run the compiled `module`.
    pub fn new(module: JsValue, listener: &Listener) -> Self {
        let processors = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let count = (processors as usize).clamp(1, 8);
        let slots = (0..count).map(|slot| WorkerSlot::new(slot, listener)).collect();
        let mut pool = Self { module, slots };
        for slot in 0..count {
            pool.start(slot);
        }
        pool
    }

    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The activity of a slot's worker.
    pub fn activity(&self, slot: usize) -> Activity {
        self.slots.get(slot).map_or(Activity::Gone, |slot| slot.activity)
    }

    /// Whether no slot can have a worker.
    pub fn is_lost(&self) -> bool {
        self.slots.iter().all(|slot| slot.activity == Activity::Gone)
    }

    /// Records that a slot's worker is ready for a task.
    pub fn now_idle(&mut self, index: usize) {
        if let Some(slot) = self.slots.get_mut(index) {
            slot.activity = Activity::Idle;
            slot.failed_starts = 0;
            slot.start = None;
            slot.watch(index);
        }
    }

    /// Restarts workers that do not start, and slots that were given up.
    pub fn revive(&mut self) {
        for slot in 0..self.slots.len() {
            if matches!(self.activity(slot), Activity::Gone | Activity::Starting) {
                self.slots[slot].failed_starts = 0;
                self.slots[slot].stop();
                self.start(slot);
            }
        }
    }

    /// Sends a slot's worker a message.
    pub fn send(&mut self, slot: usize, message: &ToWorker) {
        let Some(slot) = self.slots.get_mut(slot) else { return };
        slot.activity = Activity::Busy;
        if let (Some(worker), Ok(message)) = (&slot.worker, to_worker(message)) {
            // Fails only for values that cannot be cloned.
            let _ = worker.post_message(&message);
        }
    }

    /// Replaces a slot's worker by a new one, even in the middle of a task.
    pub fn replace(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.stop();
            if slot.activity == Activity::Starting {
                slot.failed_starts += 1;
            }
            if slot.failed_starts >= MOST_FAILED_STARTS {
                slot.activity = Activity::Gone;
                return;
            }
        }
        self.start(slot);
    }

    fn start(&mut self, index: usize) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        slot.activity = Activity::Gone;
        let Ok((worker, lock)) = spawn(&self.module, &slot.on_message, &slot.on_error) else { return };
        slot.activity = Activity::Starting;
        slot.lock = Some(lock);
        let listener = Rc::clone(&slot.listener);
        slot.start = Some(Timeout::new(START_MS, move || listener(index, Err(Notice::Late))));
        slot.current.replace(Some(worker.clone()));
        slot.worker = Some(worker);
    }
}

impl WorkerSlot {
    /// An empty slot. Its closures live as long as the page, so that none is dropped while it runs.
    fn new(slot: usize, listener: &Listener) -> Self {
        let current = Rc::new(RefCell::new(None::<Worker>));
        let is_current = {
            let current = Rc::clone(&current);
            move |event: &Event| {
                let current: Option<JsValue> = current.borrow().as_ref().map(|worker| worker.clone().into());
                current == event.target().map(JsValue::from)
            }
        };
        let on_message = {
            let (listener, is_current) = (Rc::clone(listener), is_current.clone());
            Closure::new(move |event: MessageEvent| {
                if is_current(&event) {
                    let text = || Notice::Failed("it sent what nobody understands".to_owned());
                    listener(slot, from_worker(event.data()).unwrap_or_else(|_| Err(text())));
                }
            })
        };
        let on_error = {
            let listener = Rc::clone(listener);
            Closure::new(move |event: Event| {
                if is_current(&event) {
                    event.prevent_default();
                    // Later errors are caught by the script.
                    listener(slot, Err(Notice::Missing(OWN_FILES.to_owned())));
                }
            })
        };
        Self {
            worker: None,
            activity: Activity::Gone,
            failed_starts: 0,
            listener: Rc::clone(listener),
            start: None,
            lock: None,
            on_message,
            on_error,
            current,
        }
    }

    /// Ends its worker.
    fn stop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.terminate();
        }
        self.current.replace(None);
        (self.start, self.lock) = (None, None);
    }

    /// Watches the end of a slot's worker, which holds its lock by now.
    fn watch(&mut self, index: usize) {
        let (Some(lock), Some(worker)) = (self.lock.take(), self.worker.clone()) else { return };
        let (current, listener) = (Rc::clone(&self.current), Rc::clone(&self.listener));
        let call = move || {
            let is_current = current.borrow().as_ref() == Some(&worker);
            if is_current {
                listener(index, Err(gone()));
            }
        };
        when_gone(&lock, Box::new(call));
    }
}

/// The files of every worker.
#[cfg(feature = "pieces")]
pub const OWN_FILES: &str = "worker.js pkg/fusescape.js pkg/__wasm_split.js";
/// The files of every worker.
#[cfg(not(feature = "pieces"))]
pub const OWN_FILES: &str = "worker.js pkg/fusescape.js";
