//! The study of all stacks, over the workers: first in how many parts, then each part, then what every method makes of them.

use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::depth_first::FuseDepth;
use crate::explore::{Fusions, OptimalStacks, Request, Settings, StackLimits, StackRun};
use crate::question::{Answer, CombineStacks, CompareFusions, CountParts, Refusal, RunStacks, Topic};
use crate::state::Design;
use std::rc::Rc;
use yew::prelude::*;

/// A design, and what its stacks keep to.
pub type StackQuestion = (Rc<Request>, StackLimits);

/// The progress and the results of the study of a design's stacks.
#[derive(Clone, PartialEq)]
pub struct StackStudyState {
    /// How many parts there are, once that is known.
    pub parts: Option<u32>,
    /// How many of them are studied.
    pub done: u32,
    /// The methods' choices; until they are worked out, those of the design before.
    pub fusions: Option<Rc<Fusions>>,
    /// Why the study has no result.
    pub refusal: Option<Refusal>,
    /// As in the attribute `data-status`.
    pub status: &'static str,
}

/// The best ways to run all stacks of a design, as far as they are known.
struct StackRuns {
    parts: Option<u32>,
    done: u32,
    /// Those of all parts.
    all: Option<Rc<Vec<StackRun>>>,
    refusal: Option<Refusal>,
}

/// The parts of a study are asked for in no more questions.
const MOST_QUESTIONS: u32 = 256;

/// Asks for them: first in how many parts, then for all parts.
#[hook]
fn use_runs(workers: &Workers, topic: Topic, asked: &Option<StackQuestion>) -> StackRuns {
    let count = asked.iter().map(|(request, limits)| CountParts { request: Rc::clone(request), limits: *limits });
    let counted = use_answers(workers, topic, count.collect());
    let parts = counted.reply(0).copied();

    // Each question carries its design, and thousands of layers make a long text.
    let together = parts.unwrap_or(0).div_ceil(MOST_QUESTIONS).max(1);
    let some = |first: u32| {
        let (request, limits) = asked.clone()?;
        Some(RunStacks { request, limits, parts: first..(first + together).min(parts?) })
    };
    let firsts = (0..parts.unwrap_or(0)).step_by(together as usize);
    let ran = use_answers(workers, topic, firsts.filter_map(some).collect());
    let parts = parts.map(|parts| parts.div_ceil(together));

    let are_run = parts.is_some() && ran.is_complete() && ran.refusal().is_none();
    let all = {
        let ran = ran.clone();
        use_memo((asked.clone(), are_run), move |(_, are_run)| {
            if *are_run { ran.replies().flatten().copied().collect() } else { Vec::new() }
        })
    };
    let refusal = counted.refusal().or(ran.refusal()).cloned();
    StackRuns { parts, done: ran.done() as u32, all: are_run.then_some(all), refusal }
}

/// Studies what is `asked`, as a topic; another design takes its place at once.
#[hook]
pub fn use_study(workers: &Workers, topic: Topic, asked: Option<StackQuestion>) -> StackStudyState {
    let StackRuns { parts, done, all, refusal } = use_runs(workers, topic, &asked);
    let compare = asked.clone().zip(all).map(|((request, limits), runs)| CompareFusions { request, limits, runs });
    let compared = use_answers(workers, topic, compare.into_iter().collect());

    let last = use_mut_ref(|| None);
    if let Some(fusions) = compared.reply(0) {
        *last.borrow_mut() = Some(Rc::clone(fusions));
    }
    let refusal = refusal.or_else(|| compared.refusal().cloned());
    let status = match () {
        () if asked.is_none() || refusal.is_some() => "rejected",
        () if compared.reply(0).is_some() => "done",
        () => "running",
    };
    let fusions = last.borrow().clone();
    StackStudyState { parts, done, fusions, refusal, status }
}

/// How far the jointly optimal schedule of a design is: parts done of all, once these are counted, and what came of it.
pub struct OptimumState {
    /// Parts that are done.
    pub done: u32,
    /// All parts.
    pub parts: Option<u32>,
    /// The optimum, or why there is none.
    pub found: Option<Answer<Rc<OptimalStacks>>>,
}

/// Finds the jointly optimal schedule of what is `asked`, as a topic; another design takes its place at once.
#[hook]
pub fn use_optimum(workers: &Workers, topic: Topic, asked: Option<StackQuestion>) -> OptimumState {
    let StackRuns { parts, done, all, refusal } = use_runs(workers, topic, &asked);
    let combine = asked.zip(all).map(|((request, limits), runs)| CombineStacks { request, limits, runs });
    let combined = use_answers(workers, topic, combine.into_iter().collect());
    OptimumState { done, parts, found: refusal.map(Err).or_else(|| combined.get(0).cloned()) }
}

/// The study of the design at hand, whatever its own stacks; `None` if it has errors.
#[hook]
pub fn use_request(design: &Design, is_valid: bool) -> Option<Rc<Request>> {
    let request = use_memo(request_of(design, is_valid), |request| request.clone().map(Rc::new));
    (*request).clone()
}

fn request_of(design: &Design, is_valid: bool) -> Option<Request> {
    let request = design.request().ok().filter(|_| is_valid)?.into_iter().next()?;
    let settings = Settings { fuse: vec![FuseDepth::Automatic], ..request.settings };
    Some(Request { settings, ..request })
}
