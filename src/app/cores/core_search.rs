//! The search for the best cores of a network, over the workers, and the local search over cores of single layers.

use crate::app::workers::ask::use_answers;
use crate::app::workers::job::{JobRun, use_job};
use crate::app::workers::results::Status;
use crate::multicore::{
    CoreAllocation, CoresEvaluation, CoresImprovement, CoresRequest, CoresSearch, EvaluatedAllocation, NestId,
    StackAllocations,
};
use crate::question::{Channel, EvaluateCores, Refusal, Reply};
use std::rc::Rc;
use yew::prelude::*;

/// Searches the best cores for `asked`; another request replaces it at once. The callback lets searches without a proof
/// of optimality run longer.
#[hook]
pub fn use_cores(asked: Option<CoresRequest>) -> (Option<JobRun<CoresSearch>>, Callback<()>) {
    let asked = use_memo(asked, |asked| asked.clone().map(|asked| (Rc::new(asked), ())));
    let run = use_job(Channel::Cores, (*asked).clone(), |request: &CoresRequest, ()| {
        CoresSearch::new(request.settings.objective)
    });
    let longer = {
        let run = run.clone();
        Callback::from(move |()| run.iter().for_each(|run| run.change(CoresSearch::go_on)))
    };
    (run, longer)
}

/// Inputs of the evaluation of an allocation, the same for all allocations of a request.
#[derive(Clone, PartialEq)]
pub struct EvaluationInputs {
    pub request: Rc<CoresRequest>,
    /// Allocations of the stacks, and the cost of their tiles.
    pub stack_allocations: StackAllocations,
}

/// The evaluation of an allocation made by hand; `None` while unknown.
#[hook]
pub fn use_evaluation(
    inputs: Option<EvaluationInputs>,
    choice: Option<CoreAllocation>,
) -> Option<Reply<CoresEvaluation>> {
    let question = inputs.zip(choice).map(|(EvaluationInputs { request, stack_allocations }, choice)| EvaluateCores {
        request,
        stack_allocations,
        choice,
    });
    let answers = use_answers(Channel::CoresByHand, question.into_iter().collect());
    let answer = answers.get(0)?.clone();
    Some(answer.and_then(|evaluation| evaluation.map_err(Refusal::from)))
}

/// The state of a local search for better cores.
#[derive(Clone, PartialEq)]
pub struct LocalSearch {
    /// Whether it is running.
    pub is_on: bool,
    /// Whether a round over all layers improved nothing.
    pub is_done: bool,
    /// The best so far.
    pub best: Option<EvaluatedAllocation>,
    /// The layer to try next.
    pub layer: NestId,
    /// The error that stopped it; `None` if a person did.
    pub failure: Option<String>,
}

/// Runs a local search for better cores, starting with the allocation of `of`; the callback starts and stops it. It
/// does not start if a person stopped the previous one.
#[hook]
pub fn use_local_search(of: Option<(EvaluationInputs, EvaluatedAllocation)>) -> (LocalSearch, Callback<bool>) {
    let is_on = use_state_eq(|| true);
    let asked =
        of.clone().map(|(EvaluationInputs { request, stack_allocations }, from)| (request, (stack_allocations, from)));
    let run = use_job(
        Channel::CoresImproved,
        asked,
        |_, (stack_allocations, from): &(StackAllocations, EvaluatedAllocation)| {
            CoresImprovement::new(stack_allocations.clone(), from.clone())
        },
    );
    {
        let is_on = *is_on;
        use_effect_with(run.clone(), move |run| run.iter().filter(|_| !is_on).for_each(JobRun::stop));
    }
    let begun = |of: &(EvaluationInputs, EvaluatedAllocation)| of.1.clone();
    let search = LocalSearch {
        is_on: run.as_ref().map_or(*is_on, |run| run.status() == Status::Running),
        is_done: run.as_ref().is_some_and(|run| run.status() == Status::Done),
        best: run.as_ref().map(|run| run.job().best().clone()).or(of.as_ref().map(begun)),
        layer: run.as_ref().map_or(NestId::default(), |run| run.job().layer()),
        failure: run.as_ref().and_then(JobRun::failure),
    };
    let switch = Callback::from(move |on: bool| {
        is_on.set(on);
        run.iter().for_each(if on { JobRun::resume } else { JobRun::stop });
    });
    (search, switch)
}
