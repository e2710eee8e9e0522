//! The engine in a web worker: messages of the page, answers of a worker, and the thin entry between them.
//!
//! Every worker validates a sweep by itself and evaluates points by their indices. It caches the costs of mapping
//! problems for the next sweep; workers exchange nothing, as solving a problem again takes less time than sending it.
//! The page never computes a cost.

mod import;

pub use import::ImportNews;

use crate::explore::{Request, SweepBench, SweepDone, SweepJob, SweepTask};
use crate::job::Job;
use crate::pieces::piece_fn;
use crate::question::QueryEngine;
use crate::spec::Diagnostics;
use js_sys::Uint8Array;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use web_time::{Duration, Instant};

/// A message from the page to a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ToWorker {
    /// Validate these sweeps, and drop all others.
    Open {
        /// Number of the edit; every later message repeats it.
        generation: u32,
        /// The sweeps. Their points are numbered as if they were one sweep.
        requests: Vec<Request>,
    },
    /// Do a part of the sweep, as much of it as fits into a moment.
    Do {
        /// Of this edit.
        generation: u32,
        /// The part.
        task: SweepTask,
    },
    /// Answer a question outside of the sweep.
    Ask {
        /// Repeated in the reply.
        ticket: u32,
        /// The bytes of a [`crate::question::Question`].
        question: Vec<u8>,
    },
    /// Fail like a worker with a defect; for tests.
    Trap,
}

/// A message from a worker's engine to the page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum FromWorker {
    /// The sweeps are valid.
    Opened {
        /// Number of the edit.
        generation: u32,
        /// Remarks on the first sweep that are not errors.
        notes: Diagnostics,
    },
    /// The sweeps have errors.
    Rejected {
        /// Number of the edit.
        generation: u32,
        /// All errors.
        diagnostics: Diagnostics,
    },
    /// A part of the sweep is done.
    Did {
        /// Of this edit.
        generation: u32,
        /// Its result.
        done: SweepDone,
    },
    /// The reply to a question.
    Replied {
        /// Ticket of the question.
        ticket: u32,
        /// The bytes of a [`crate::question::Reply`].
        reply: Vec<u8>,
    },
    /// The message is about a sweep that this worker has not opened, or needs data that it does not have.
    Lost {
        /// Number of the edit.
        generation: u32,
    },
}

/// A notice about a worker that does not come from its engine: from its script, its panic hook, or the page that
/// watches it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Notice {
    /// The module runs; the first message of every worker. Sent by `www/worker.js`.
    Ready,
    /// The worker is broken and must be replaced; holds the reason, as far as it is known. Sent by `www/worker.js`
    /// after a trap, and by the panic hook.
    Failed(String),
    /// The worker could not fetch the code for its task; its state is unchanged. Sent by `www/worker.js`, and by the
    /// page for a worker whose own files could not be fetched. Holds files that may be to blame, or the name of a piece
    /// of code (`crate::pieces`), separated by spaces.
    Missing(String),
    /// The worker should be ready by now. Only sent by the page.
    Late,
}

/// A message as bytes: making JavaScript objects takes longer than computing their content.
///
/// # Errors
/// Never for messages between workers and the page.
pub fn to_bytes<T: Serialize>(message: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_stdvec(message)
}

/// The inverse of [`to_bytes`].
///
/// # Errors
/// If the bytes are malformed.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, postcard::Error> {
    postcard::from_bytes(bytes)
}

fn to_array<T: Serialize>(message: &T) -> Result<Uint8Array, JsError> {
    Ok(Uint8Array::from(to_bytes(message)?.as_slice()))
}

/// A message to a worker.
///
/// # Errors
/// Never for the messages of this file.
pub fn to_worker(message: &ToWorker) -> Result<Uint8Array, JsError> {
    to_array(message)
}

/// A message from a worker: bytes of its engine, or a notice of its script.
///
/// # Errors
/// If it is neither.
pub fn from_worker<T: DeserializeOwned>(message: JsValue) -> Result<Result<T, Notice>, JsError> {
    match message.dyn_into::<Uint8Array>() {
        Ok(bytes) => Ok(Ok(postcard::from_bytes(&bytes.to_vec())?)),
        Err(other) => Ok(Err(serde_wasm_bindgen::from_value(other)?)),
    }
}

/// The engine behind `www/worker.js`: one message in, at most one message out.
#[wasm_bindgen]
#[derive(Default)]
pub struct WorkerEngine {
    /// The sweeps of the last edit that made sense, with its number.
    bench: Option<(u32, SweepBench)>,
    /// What answers questions, once it was fetched.
    ask: Option<Answerer>,
}

/// Time slice of a worker, after which it returns its results, so that it soon reads a message to stop or of an edit.
const MOMENT: Duration = Duration::from_millis(20);

#[wasm_bindgen]
impl WorkerEngine {
    /// A worker without a sweep. `report` gets the text of a panic, as a [`Notice::Failed`].
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        std::panic::set_hook(Box::new(|info| {
            let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
            if let Ok(message) = serde_wasm_bindgen::to_value(&Notice::Failed(info.to_string())) {
                // If this fails as well, the error cannot be reported.
                let _ = scope.post_message(&message);
            }
        }));
        Self::default()
    }

    /// Answers one [`ToWorker`] with one [`FromWorker`], both as bytes; with nothing if [`Self::fetch`] must be called
    /// first.
    ///
    /// # Errors
    /// If it is not a message.
    pub fn answer(&mut self, message: &[u8]) -> Result<Option<Uint8Array>, JsError> {
        self.handle(postcard::from_bytes(message)?)?.map(|answer| to_array(&answer)).transpose()
    }

    /// Fetches the code that answers questions.
    ///
    /// # Errors
    /// If it cannot be fetched.
    pub async fn fetch(&mut self) -> Result<(), JsError> {
        self.ask = Some(answers().await?);
        Ok(())
    }
}

/// The clock of the browser, with its resolution.
fn now_ms() -> f64 {
    thread_local!(static START: Instant = Instant::now());
    START.with(|start| 1e3 * start.elapsed().as_secs_f64())
}

/// Answers questions, bytes for bytes. It holds the [`QueryEngine`], so that a worker without it need not know even how
/// to drop one.
type Answerer = Box<dyn FnMut(&[u8]) -> Result<Vec<u8>, postcard::Error>>;

piece_fn! {
    answers,
    /// Not needed for a sweep.
    fn answers() -> Answerer {
        let mut engine = QueryEngine::with_clock(now_ms);
        Box::new(move |question| engine.answer(from_bytes(question)?))
    }
}

impl WorkerEngine {
    fn handle(&mut self, message: ToWorker) -> Result<Option<FromWorker>, postcard::Error> {
        let (generation, answer) = match message {
            ToWorker::Open { generation, requests } => return Ok(Some(self.open(generation, &requests))),
            ToWorker::Do { generation, task } => (generation, self.work(generation, &task)),
            ToWorker::Ask { ticket, question } => {
                let Some(ask) = &mut self.ask else { return Ok(None) };
                let reply = ask(&question)?;
                return Ok(Some(FromWorker::Replied { ticket, reply }));
            }
            ToWorker::Trap => core::arch::wasm32::unreachable(),
        };
        Ok(Some(answer.unwrap_or(FromWorker::Lost { generation })))
    }

    fn open(&mut self, generation: u32, requests: &[Request]) -> FromWorker {
        let earlier = self.bench.take();
        match SweepBench::new(requests) {
            Ok(bench) => {
                let notes = bench.notes();
                let bench = match earlier {
                    Some((_, earlier)) => bench.after(earlier),
                    None => bench,
                };
                self.bench = Some((generation, bench));
                FromWorker::Opened { generation, notes }
            }
            Err(diagnostics) => {
                // What it costs to find out again is kept for the next edit.
                self.bench = earlier;
                FromWorker::Rejected { generation, diagnostics }
            }
        }
    }

    /// `None` if it has another sweep open, or cannot know what it is asked.
    fn work(&mut self, generation: u32, task: &SweepTask) -> Option<FromWorker> {
        let (_, bench) = self.bench.as_mut().filter(|(opened, _)| *opened == generation)?;
        let start = Instant::now();
        let done = SweepJob::run(bench, task, &mut || start.elapsed() < MOMENT).ok()?;
        Some(FromWorker::Did { generation, done })
    }
}
