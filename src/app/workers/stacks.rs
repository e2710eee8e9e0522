//! The study of all stacks of a design, shared by several views: the choices of every method, and the optimum.

use super::job::{JobRun, LaneChannel, use_job};
use super::results::Status;
use crate::depth_first::FuseDepth;
use crate::explore::{FusionComparison, OptimalStacks, Request, Settings, StackAim, StackLimits, StackSearch};
use crate::question::{Refusal, Reply};
use crate::state::Design;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// A design, and the limits on its stacks.
pub type StackQuestion = (Rc<Request>, StackLimits);

/// The progress and the results of the study of a design's stacks.
#[derive(Clone, PartialEq)]
pub struct StackStudyState {
    /// Number of parts, once it is known.
    pub parts: Option<usize>,
    /// Number of parts done.
    pub done: usize,
    /// The methods' choices; until they are computed, those of the previous design.
    pub fusions: Option<Arc<FusionComparison>>,
    /// The reason why the study has no result.
    pub refusal: Option<Refusal>,
    /// Value of the attribute `data-status`.
    pub status: &'static str,
}

/// Searches the stacks of `asked`, for an objective.
#[hook]
fn use_search(lane: LaneChannel, asked: Option<StackQuestion>, aim: StackAim) -> Option<JobRun<StackSearch>> {
    let asked = use_memo(asked, |asked| asked.clone().map(|asked| (Rc::new(asked), ())));
    use_job(lane, (*asked).clone(), move |_, ()| StackSearch::new(aim))
}

/// Studies `asked`; another design replaces it at once.
#[hook]
pub fn use_study(lane: LaneChannel, asked: Option<StackQuestion>) -> StackStudyState {
    let run = use_search(lane, asked.clone(), StackAim::Methods);
    let found = run.as_ref().and_then(|run| run.job().methods().cloned());
    let last = use_mut_ref(|| None);
    if found.is_some() {
        last.borrow_mut().clone_from(&found);
    }
    let refusal = run.as_ref().and_then(JobRun::refusal);
    let status = match () {
        () if asked.is_none() || refusal.is_some() => Status::Rejected,
        () if found.is_some() => Status::Done,
        () => Status::Running,
    };
    let fusions = last.borrow().clone();
    let parts = run.as_ref().and_then(|run| run.job().parts());
    let done = run.as_ref().map_or(0, |run| run.progress().done);
    StackStudyState { parts, done, fusions, refusal, status: status.name() }
}

/// The search for the jointly optimal schedule of a design: progress and result.
pub struct OptimumState {
    /// Number of parts done.
    pub done: usize,
    /// Number of parts, once it is known.
    pub parts: Option<usize>,
    /// The optimum, or the reason why there is none.
    pub found: Option<Reply<Arc<OptimalStacks>>>,
}

/// Finds the jointly optimal schedule of `asked`; another design replaces it at once.
#[hook]
pub fn use_optimum(lane: LaneChannel, asked: Option<StackQuestion>) -> OptimumState {
    let Some(run) = use_search(lane, asked, StackAim::Optimum) else {
        return OptimumState { done: 0, parts: None, found: None };
    };
    let found = run.refusal().map(Err).or_else(|| run.job().optimum().cloned().map(Ok));
    let parts = run.job().parts();
    OptimumState { done: run.progress().done, parts, found }
}

/// The study of the current design, independent of its own stacks; `None` if it has errors.
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
