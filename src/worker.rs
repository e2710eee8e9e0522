//! The engine in a web worker: what the page asks, what a worker answers, and the thin entry between them.
//!
//! Every worker validates a sweep by itself and evaluates the points that it is given by number. It keeps what it found out about
//! mapping problems for the next sweep; workers exchange nothing, as solving a problem again takes less than sending it. The page
//! never computes a cost.

mod import;

pub use import::ImportNews;

use crate::depth_first::{NotPlanned, PointAccount};
use crate::explore::{CostStore, Effort, PointSummary, Request, StackSummary, Survey, Sweep};
use crate::question::{Answerer, Question, Reply};
use crate::spec::Diagnostics;
use serde::de::{DeserializeOwned, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use wasm_bindgen::prelude::*;
use web_time::{Duration, Instant};

/// What the page asks of a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ToWorker {
    /// Validate these sweeps, and forget all others.
    Open {
        /// Number of the edit; every later message repeats it.
        generation: u32,
        /// The sweeps. Their points are numbered as if they were one sweep.
        requests: Vec<Request>,
    },
    /// Evaluate points, as many as fit into a moment.
    Survey {
        /// Of this edit.
        generation: u32,
        /// Their numbers, those that are wanted first at the front.
        points: Words,
    },
    /// Give the whole account of a point.
    Detail {
        /// Of this edit.
        generation: u32,
        /// Its number.
        point: u32,
    },
    /// Give the whole account of the network with each stack run as at a point of its own.
    Combine {
        /// Of this edit.
        generation: u32,
        /// One point of the first sweep a stack.
        points: Vec<u32>,
    },
    /// Answer a question that has nothing to do with the sweep.
    Ask {
        /// Repeated in the reply.
        ticket: u32,
        /// The question.
        question: Box<Question>,
    },
    /// Fail like a worker with a defect; for tests.
    Trap,
}

/// What a worker answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum FromWorker {
    /// The module runs; first message of every worker.
    Ready,
    /// The sweeps make sense.
    Opened {
        /// Of this edit.
        generation: u32,
        /// What a person should know of the first sweep though nothing is wrong.
        notes: Diagnostics,
    },
    /// The sweeps make no sense.
    Rejected {
        /// Of this edit.
        generation: u32,
        /// All reasons.
        diagnostics: Diagnostics,
    },
    /// Points are evaluated: the first ones of those asked for, perhaps not all.
    Surveyed {
        /// Of this edit.
        generation: u32,
        /// What they cost; see [`pack`].
        summaries: Words,
        /// Those that cannot be scheduled, and why.
        impossible: Vec<(u32, Diagnostics)>,
        /// How much work it was.
        effort: Effort,
    },
    /// The whole account of a point.
    Detailed {
        /// Of this edit.
        generation: u32,
        /// Its number.
        point: u32,
        /// The account.
        account: Packed<Box<PointAccount>>,
    },
    /// The whole account of a combination; its strategy is that of the first stack.
    Combined {
        /// Of this edit.
        generation: u32,
        /// One point a stack.
        points: Vec<u32>,
        /// The account.
        account: Packed<Box<PointAccount>>,
    },
    /// The reply to a question.
    Replied {
        /// That of the question.
        ticket: u32,
        /// The reply.
        reply: Box<Reply>,
    },
    /// The message is about a sweep that this worker has not opened, or asks for what it cannot know.
    Lost {
        /// Of this edit.
        generation: u32,
    },
    /// The worker is broken and has to be replaced. Sent by `www/worker.js` after a trap, and by the panic hook.
    Failed {
        /// What is known of the reason.
        text: String,
    },
}

/// Many numbers, which cross the border to the page as one typed array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(pub Vec<u64>);

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes, eight a number")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Words, E> {
                let (numbers, []) = bytes.as_chunks::<8>() else { return Err(E::custom("a number is cut off")) };
                Ok(Words(numbers.iter().map(|number| u64::from_le_bytes(*number)).collect()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// What has thousands of small parts. It crosses the border to the page as one array of bytes, as objects take longer to make than
/// the parts to compute.
#[derive(Debug, Clone, PartialEq)]
pub struct Packed<T>(pub T);

impl<T: Serialize> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&postcard::to_stdvec(&self.0).map_err(S::Error::custom)?)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes<T>(PhantomData<T>);
        impl<T: DeserializeOwned> Visitor<'_> for Bytes<T> {
            type Value = Packed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Packed<T>, E> {
                postcard::from_bytes(bytes).map(Packed).map_err(E::custom)
            }
        }
        deserializer.deserialize_bytes(Bytes(PhantomData))
    }
}

/// Numbers of a summary without its stacks, and of a stack.
const SUMMARY_WORDS: usize = 7;
const STACK_WORDS: usize = 2;

/// Summaries one after the other: point, energy, latency, multiply-accumulates, DRAM words, score, number of stacks, and for each
/// of these energy and latency. Fractions by their bits.
pub fn pack(summaries: &[PointSummary]) -> Words {
    let mut words = Vec::new();
    for summary in summaries {
        words.extend([
            summary.point as u64,
            summary.energy_pj.to_bits(),
            summary.latency_cycles,
            summary.macs,
            summary.dram_words.to_bits(),
            summary.score.to_bits(),
            summary.stacks.len() as u64,
        ]);
        words.extend(summary.stacks.iter().flat_map(|stack| [stack.energy_pj.to_bits(), stack.latency_cycles]));
    }
    Words(words)
}

/// The summaries that [`pack`] wrote; it ends where something is missing.
pub fn unpack(words: &Words) -> Vec<PointSummary> {
    let mut rest = words.0.as_slice();
    let mut summaries = Vec::new();
    while let Some((head, tail)) = rest.split_first_chunk::<SUMMARY_WORDS>() {
        let [point, energy, latency_cycles, macs, dram_words, score, stacks] = *head;
        let Some((stacks, tail)) = tail.split_at_checked((stacks as usize).saturating_mul(STACK_WORDS)) else { break };
        let stack =
            |words: &[u64; STACK_WORDS]| StackSummary { energy_pj: f64::from_bits(words[0]), latency_cycles: words[1] };
        summaries.push(PointSummary {
            point: point as usize,
            energy_pj: f64::from_bits(energy),
            latency_cycles,
            macs,
            dram_words: f64::from_bits(dram_words),
            score: f64::from_bits(score),
            stacks: stacks.as_chunks().0.iter().map(stack).collect(),
        });
        rest = tail;
    }
    summaries
}

/// A message as JavaScript sees it.
///
/// # Errors
/// Never for the messages of this file.
pub fn to_js<T: Serialize>(message: &T) -> Result<JsValue, serde_wasm_bindgen::Error> {
    // Plain numbers end at 2^53, which tile sizes may exceed.
    message.serialize(&serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true))
}

/// A message from JavaScript.
///
/// # Errors
/// If it is none.
pub fn from_js<T: for<'de> Deserialize<'de>>(message: JsValue) -> Result<T, serde_wasm_bindgen::Error> {
    serde_wasm_bindgen::from_value(message)
}

/// What `www/worker.js` drives: one message in, at most one message out.
#[wasm_bindgen]
#[derive(Default)]
pub struct WorkerEngine {
    open: Option<Opened>,
    store: CostStore,
    answerer: Answerer,
}

/// The sweeps of one edit.
struct Opened {
    generation: u32,
    surveys: Vec<Survey>,
}

/// A worker answers about so often, so that it soon hears of a stop or an edit.
const MOMENT: Duration = Duration::from_millis(20);

#[wasm_bindgen]
impl WorkerEngine {
    /// A worker without a sweep. `report` gets the text of a panic, as a [`FromWorker::Failed`].
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        std::panic::set_hook(Box::new(|info| {
            let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
            if let Ok(message) = to_js(&FromWorker::Failed { text: info.to_string() }) {
                // There is nobody left to tell if this fails too.
                let _ = scope.post_message(&message);
            }
        }));
        Self::default()
    }

    /// Answers one [`ToWorker`] with one [`FromWorker`].
    ///
    /// # Errors
    /// If it is not a message.
    pub fn answer(&mut self, message: JsValue) -> Result<JsValue, JsValue> {
        Ok(to_js(&self.handle(from_js(message)?))?)
    }
}

impl WorkerEngine {
    fn handle(&mut self, message: ToWorker) -> FromWorker {
        let (generation, answer) = match message {
            ToWorker::Open { generation, requests } => return self.open(generation, &requests),
            ToWorker::Survey { generation, points } => {
                (generation, self.at(generation).and_then(|(open, store)| open.survey(&points, store)))
            }
            ToWorker::Detail { generation, point } => {
                (generation, self.at(generation).and_then(|(open, store)| open.detail(point, store)))
            }
            ToWorker::Combine { generation, points } => {
                (generation, self.at(generation).and_then(|(open, store)| open.combine(points, store)))
            }
            ToWorker::Ask { ticket, question } => {
                return FromWorker::Replied { ticket, reply: Box::new(self.answerer.answer(*question)) };
            }
            ToWorker::Trap => core::arch::wasm32::unreachable(),
        };
        answer.unwrap_or(FromWorker::Lost { generation })
    }

    fn at(&mut self, generation: u32) -> Option<(&mut Opened, &mut CostStore)> {
        let open = self.open.as_mut().filter(|open| open.generation == generation)?;
        Some((open, &mut self.store))
    }

    fn open(&mut self, generation: u32, requests: &[Request]) -> FromWorker {
        self.open = None;
        let mut surveys = Vec::with_capacity(requests.len());
        for request in requests {
            match Sweep::new(request) {
                Ok(sweep) => surveys.push(Survey::new(sweep)),
                Err(diagnostics) => return FromWorker::Rejected { generation, diagnostics },
            }
        }
        let notes = surveys.first().map(|survey| survey.sweep().notes()).unwrap_or_default();
        self.open = Some(Opened { generation, surveys });
        FromWorker::Opened { generation, notes }
    }
}

impl Opened {
    /// The survey with point number `number`, and the point's index in it.
    fn locate(&mut self, number: usize) -> Option<(&mut Survey, usize)> {
        let mut index = number;
        for survey in &mut self.surveys {
            let count = survey.strategies().len();
            if index < count {
                return Some((survey, index));
            }
            index -= count;
        }
        None
    }

    fn effort(&self) -> Effort {
        self.surveys.iter().map(|survey| survey.effort).fold(Effort::default(), |sum, one| Effort {
            searched: sum.searched + one.searched,
            reused: sum.reused + one.reused,
        })
    }

    fn survey(&mut self, points: &Words, store: &mut CostStore) -> Option<FromWorker> {
        let (start, before) = (Instant::now(), self.effort());
        let (mut summaries, mut impossible) = (Vec::new(), Vec::new());
        // However slow it is, every message gets something done.
        let mut searched = false;
        let mut has_time = || !std::mem::replace(&mut searched, true) || start.elapsed() < MOMENT;
        for &number in &points.0 {
            let (survey, index) = self.locate(number as usize)?;
            match survey.point(store, index, &mut has_time) {
                Ok(summary) => summaries.push(PointSummary { point: number as usize, ..summary }),
                Err(NotPlanned::Impossible(reasons)) => impossible.push((number as u32, reasons)),
                Err(NotPlanned::Later) => break,
            }
            if start.elapsed() >= MOMENT {
                break;
            }
        }
        let after = self.effort();
        let effort = Effort { searched: after.searched - before.searched, reused: after.reused - before.reused };
        Some(FromWorker::Surveyed { generation: self.generation, summaries: pack(&summaries), impossible, effort })
    }

    fn detail(&mut self, point: u32, store: &mut CostStore) -> Option<FromWorker> {
        let (survey, index) = self.locate(point as usize)?;
        let account = Packed(Box::new(survey.account(store, index).ok()?));
        Some(FromWorker::Detailed { generation: self.generation, point, account })
    }

    fn combine(&mut self, points: Vec<u32>, store: &mut CostStore) -> Option<FromWorker> {
        let indices: Vec<usize> = points.iter().map(|&point| point as usize).collect();
        let account = Packed(Box::new(self.surveys.first_mut()?.combination(store, &indices).ok()?));
        Some(FromWorker::Combined { generation: self.generation, points, account })
    }
}
