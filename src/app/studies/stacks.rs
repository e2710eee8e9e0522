//! The study of all stacks, over the workers: first in how many parts, then each part, then what every method makes of them.

use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::depth_first::FuseDepth;
use crate::explore::{Fusions, Request, Settings, StackLimits};
use crate::question::{CompareFusions, CountParts, Refusal, RunStacks, Topic};
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

/// Studies what is `asked`, as a topic; another design takes its place at once.
#[hook]
pub fn use_study(workers: &Workers, topic: Topic, asked: Option<StackQuestion>) -> StackStudyState {
    let count = asked.iter().map(|(request, limits)| CountParts { request: Rc::clone(request), limits: *limits });
    let counted = use_answers(workers, topic, count.collect());
    let parts = counted.reply(0).copied();

    let part = |part: u32| {
        let (request, limits) = asked.clone()?;
        Some(RunStacks { request, limits, part })
    };
    let ran = use_answers(workers, topic, (0..parts.unwrap_or(0)).filter_map(part).collect());

    let are_run = parts.is_some() && ran.is_complete() && ran.refusal().is_none();
    let all_runs = {
        let ran = ran.clone();
        use_memo((asked.clone(), are_run), move |(_, are_run)| {
            if *are_run { ran.replies().flatten().copied().collect() } else { Vec::new() }
        })
    };
    let compare = asked.clone().filter(|_| are_run).map(|(request, limits)| CompareFusions {
        request,
        limits,
        runs: Rc::clone(&all_runs),
    });
    let compared = use_answers(workers, topic, compare.into_iter().collect());

    let last = use_mut_ref(|| None);
    if let Some(fusions) = compared.reply(0) {
        *last.borrow_mut() = Some(Rc::clone(fusions));
    }
    let refusal = counted.refusal().or(ran.refusal()).or(compared.refusal()).cloned();
    let status = match () {
        () if asked.is_none() || refusal.is_some() => "rejected",
        () if compared.reply(0).is_some() => "done",
        () => "running",
    };
    let fusions = last.borrow().clone();
    StackStudyState { parts, done: ran.done() as u32, fusions, refusal, status }
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
