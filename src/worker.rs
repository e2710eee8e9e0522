//! The engine in a web worker: what the page asks, what a worker answers, and the thin entry between them.
//!
//! Every worker validates and plans a sweep by itself, which is deterministic, so that the page only ever names problems
//! and points by their index. The page never computes a cost, it carries solutions from one worker to another.

use crate::depth_first::{DepthFirstStrategy, PointAccount, PointPlan};
use crate::explore::{PointSummary, Request, Sweep, SweepPlan, explain_outcome};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::question::{Answerer, Question, Reply};
use crate::search::{Outcome, Solution, explain_infeasible};
use crate::spec::Diagnostics;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use wasm_bindgen::prelude::*;
use web_time::Instant;

/// What the page asks of a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ToWorker {
    /// Validate and plan these sweeps, and forget all others.
    Open {
        /// Number of the edit; every later message repeats it.
        generation: u32,
        /// The sweeps. Their problems and points are numbered as if they were one sweep.
        requests: Vec<Request>,
        /// Whether to send the plan; one worker is enough for that.
        wants_plan: bool,
    },
    /// Solve some problems.
    Solve {
        /// Of this edit.
        generation: u32,
        /// Their numbers.
        problems: Vec<u32>,
    },
    /// Sum points up.
    Assemble {
        /// Of this edit.
        generation: u32,
        /// Their numbers.
        points: Vec<u32>,
        /// Solutions that they need and that this worker has not seen yet.
        solutions: Vec<(u32, Solution)>,
    },
    /// Give the whole account of a point.
    Detail {
        /// Of this edit.
        generation: u32,
        /// Its number.
        point: u32,
        /// Solutions that it needs and that this worker has not seen yet.
        solutions: Vec<(u32, Solution)>,
    },
    /// Give the whole account of the network with each stack run as at a point of its own.
    Combine {
        /// Of this edit.
        generation: u32,
        /// One point of the first sweep a stack.
        points: Vec<u32>,
        /// Solutions that they need and that this worker has not seen yet.
        solutions: Vec<(u32, Solution)>,
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
    /// The sweeps are planned.
    Opened {
        /// Of this edit.
        generation: u32,
        /// The plan, if it was asked for.
        outline: Option<Outline>,
    },
    /// The sweeps make no sense.
    Rejected {
        /// Of this edit.
        generation: u32,
        /// All reasons.
        diagnostics: Diagnostics,
    },
    /// Problems are solved.
    Solved {
        /// Of this edit.
        generation: u32,
        /// One for each problem asked for.
        answers: Vec<(u32, Answer)>,
        /// How long it took.
        micros: u32,
    },
    /// Points are summed up.
    Assembled {
        /// Of this edit.
        generation: u32,
        /// One for each point asked for.
        summaries: Vec<PointSummary>,
        /// How long it took.
        micros: u32,
    },
    /// The whole account of a point.
    Detailed {
        /// Of this edit.
        generation: u32,
        /// Its number.
        point: u32,
        /// The account.
        account: Box<PointAccount>,
    },
    /// The whole account of a combination; its strategy is that of the first stack.
    Combined {
        /// Of this edit.
        generation: u32,
        /// One point a stack.
        points: Vec<u32>,
        /// The account.
        account: Box<PointAccount>,
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

/// What became of a problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// Its best mapping.
    Solved(Solution),
    /// No mapping fits.
    Infeasible(Diagnostics),
}

/// A plan as the page needs it: no problem, only their numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outline {
    /// One strategy a point.
    pub strategies: Vec<DepthFirstStrategy>,
    /// Number of points of each sweep.
    pub counts: Vec<u32>,
    /// For each point its problems, or why it cannot be scheduled.
    pub points: Vec<Result<Numbers, Diagnostics>>,
    /// For each problem four numbers that only equal problems on the same core under the same settings share.
    pub keys: Numbers,
    /// What a person should know of the first sweep though nothing is wrong.
    pub notes: Diagnostics,
}

/// Many numbers, which cross the border to the page as one typed array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers(pub Vec<u32>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Numbers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes, four a number")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Numbers, E> {
                let (numbers, []) = bytes.as_chunks::<4>() else { return Err(E::custom("a number is cut off")) };
                Ok(Numbers(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
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
    answerer: Answerer,
}

/// The sweeps of one edit.
struct Opened {
    generation: u32,
    sweeps: Vec<(Sweep, SweepPlan)>,
    /// What is known so far of the problems, numbered over all sweeps.
    solutions: HashMap<u32, Solution>,
}

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
            ToWorker::Open { generation, requests, wants_plan } => {
                return self.open(generation, &requests, wants_plan);
            }
            ToWorker::Solve { generation, problems } => {
                (generation, self.at(generation).and_then(|open| open.solve(&problems)))
            }
            ToWorker::Assemble { generation, points, solutions } => {
                (generation, self.at(generation).and_then(|open| open.learn(solutions).assemble(&points)))
            }
            ToWorker::Detail { generation, point, solutions } => {
                (generation, self.at(generation).and_then(|open| open.learn(solutions).detail(point)))
            }
            ToWorker::Combine { generation, points, solutions } => {
                (generation, self.at(generation).and_then(|open| open.learn(solutions).combine(points)))
            }
            ToWorker::Ask { ticket, question } => {
                return FromWorker::Replied { ticket, reply: Box::new(self.answerer.answer(*question)) };
            }
            ToWorker::Trap => core::arch::wasm32::unreachable(),
        };
        answer.unwrap_or(FromWorker::Lost { generation })
    }

    fn at(&mut self, generation: u32) -> Option<&mut Opened> {
        self.open.as_mut().filter(|open| open.generation == generation)
    }

    fn open(&mut self, generation: u32, requests: &[Request], wants_plan: bool) -> FromWorker {
        self.open = None;
        let mut sweeps = Vec::with_capacity(requests.len());
        for request in requests {
            match Sweep::new(request) {
                Ok(sweep) => {
                    let plan = sweep.plan();
                    sweeps.push((sweep, plan));
                }
                Err(diagnostics) => return FromWorker::Rejected { generation, diagnostics },
            }
        }
        let outline = wants_plan.then(|| outline(requests, &sweeps));
        self.open = Some(Opened { generation, sweeps, solutions: HashMap::new() });
        FromWorker::Opened { generation, outline }
    }
}

impl Opened {
    /// The sweep with problem number `number`, and the problem's index in it.
    fn problem(&self, number: u32) -> Option<(&Sweep, &SweepPlan, usize)> {
        let mut index = number as usize;
        for (sweep, plan) in &self.sweeps {
            let count = plan.problems.list.len();
            if index < count {
                return Some((sweep, plan, index));
            }
            index -= count;
        }
        None
    }

    /// The accounts of some points; `None` where one cannot be assembled from what this worker knows.
    fn accounts(&self, points: &[u32], mut take: impl FnMut(u32, &Sweep, PointAccount)) -> Option<()> {
        let (mut first_point, mut first_problem) = (0, 0);
        for (sweep, plan) in &self.sweeps {
            // It remembers what points share, so it lives as long as possible.
            let mut assembler = sweep.assembler(plan);
            let past_point = first_point + plan.points.len() as u32;
            for &number in points.iter().filter(|number| (first_point..past_point).contains(*number)) {
                let point = plan.points[(number - first_point) as usize].as_ref().ok()?;
                let solution = |index: usize| self.solutions.get(&(first_problem + index as u32));
                take(number, sweep, assembler.assemble(point, &solution)?);
            }
            (first_point, first_problem) = (past_point, first_problem + plan.problems.list.len() as u32);
        }
        Some(())
    }

    fn learn(&mut self, solutions: Vec<(u32, Solution)>) -> &Self {
        self.solutions.extend(solutions);
        self
    }

    fn solve(&mut self, problems: &[u32]) -> Option<FromWorker> {
        let start = Instant::now();
        let mut answers = Vec::with_capacity(problems.len());
        for &number in problems {
            let (sweep, plan, index) = self.problem(number)?;
            let outcome = sweep.solve(plan, index);
            let answer = match outcome.best {
                Some(ref solution) => Answer::Solved(solution.clone()),
                None => Answer::Infeasible(explain(sweep, &plan.problems.list[index], &outcome)),
            };
            answers.push((number, answer));
        }
        for (number, answer) in &answers {
            if let Answer::Solved(solution) = answer {
                self.solutions.insert(*number, solution.clone());
            }
        }
        Some(FromWorker::Solved { generation: self.generation, answers, micros: micros_since(start) })
    }

    fn assemble(&self, points: &[u32]) -> Option<FromWorker> {
        let start = Instant::now();
        let mut summaries = Vec::with_capacity(points.len());
        self.accounts(points, |number, sweep, account| summaries.push(sweep.summarize(number as usize, &account)))?;
        Some(FromWorker::Assembled { generation: self.generation, summaries, micros: micros_since(start) })
    }

    fn combine(&self, points: Vec<u32>) -> Option<FromWorker> {
        let (sweep, plan) = self.sweeps.first()?;
        let planned = |point: u32| plan.points.get(point as usize)?.as_ref().ok();
        let stacks = points
            .iter()
            .enumerate()
            .map(|(stack, &point)| planned(point)?.stacks.get(stack).cloned())
            .collect::<Option<Vec<_>>>()?;
        let strategy = planned(*points.first()?)?.strategy.clone();
        let solution = |index: usize| self.solutions.get(&(index as u32));
        let account = sweep.assembler(plan).assemble(&PointPlan { strategy, stacks }, &solution)?;
        Some(FromWorker::Combined { generation: self.generation, points, account: Box::new(account) })
    }

    fn detail(&self, point: u32) -> Option<FromWorker> {
        let mut found = None;
        self.accounts(&[point], |_, _, account| found = Some(account))?;
        Some(FromWorker::Detailed { generation: self.generation, point, account: Box::new(found?) })
    }
}

fn micros_since(start: Instant) -> u32 {
    u32::try_from(start.elapsed().as_micros()).unwrap_or(u32::MAX)
}

/// Why no mapping of a problem was found.
fn explain(sweep: &Sweep, problem: &LayerProblem, outcome: &Outcome) -> Diagnostics {
    let layer = LayerOnCore::new(&sweep.core, sweep.settings.rules, problem);
    let mut diagnostics = Diagnostics::default();
    for shortage in explain_infeasible(&layer) {
        diagnostics.add("", shortage.to_string(), "Use smaller tiles, or a larger memory");
    }
    if diagnostics.is_empty() {
        let remedy = "Use smaller tiles, a larger memory, or a higher LPF limit";
        diagnostics.add("", explain_outcome(outcome), remedy);
    }
    diagnostics
}

fn outline(requests: &[Request], sweeps: &[(Sweep, SweepPlan)]) -> Outline {
    let mut outline = Outline {
        strategies: Vec::new(),
        counts: Vec::new(),
        points: Vec::new(),
        keys: Numbers::default(),
        notes: sweeps.first().map(|(_, plan)| plan.notes.clone()).unwrap_or_default(),
    };
    let mut first_problem = 0;
    for (request, (_, plan)) in requests.iter().zip(sweeps) {
        outline.strategies.extend_from_slice(&plan.strategies);
        outline.counts.push(plan.points.len() as u32);
        outline.points.extend(plan.points.iter().enumerate().map(|(point, planned)| match planned {
            Ok(_) => Ok(Numbers(plan.problems_of(point).iter().map(|&index| first_problem + index as u32).collect())),
            Err(diagnostics) => Err(diagnostics.clone()),
        }));
        outline.keys.0.extend(plan.problems.list.iter().flat_map(|problem| key(request, problem)));
        first_problem += plan.problems.list.len() as u32;
    }
    outline
}

/// 128 bits that stand for a problem, its core and whatever of the settings decides about its solution.
fn key(request: &Request, problem: &LayerProblem) -> [u32; 4] {
    let settings = &request.settings;
    let [a, b] = [0u8, 1].map(|half| {
        // This hasher has fixed keys, so that all workers agree.
        let mut hasher = DefaultHasher::new();
        (half, &request.hardware, settings.rules, settings.lpf_limit, format!("{:?}", settings.objective), problem)
            .hash(&mut hasher);
        hasher.finish()
    });
    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
}
