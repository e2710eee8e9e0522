//! A network on many cores, over the workers: what every different tile costs, then which cores compute each stack best, then what that
//! comes to, and at last whether other cores for single layers are better still.

use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::multicore::{
    CoreAllocation, CoresOutline, CoresRequest, EvaluatedAllocation, MOST_CHOICES, NestId, ScheduleObjective, Solved,
    StackAllocation, StackId,
};
use crate::question::{
    AllocateStack, Answer, CoresEvaluation, EvaluateCores, ImproveLayer, OutlineCores, Refusal, SolveTiles, Topic,
};
use crate::spec::Diagnostics;
use std::rc::Rc;
use yew::prelude::*;

/// So many problems are solved for one question.
const PART: u32 = 16;
/// A search that goes on may look at so many times as many choices.
const LONGER: u64 = 8;

/// How far the study of a request is.
#[derive(Clone, PartialEq)]
pub struct CoresStudyState {
    /// The request.
    pub request: Option<Rc<CoresRequest>>,
    /// What there is to know before anything is solved.
    pub outline: Option<Rc<CoresOutline>>,
    /// How far it is.
    pub stage: Stage,
    /// What tiles cost, in the order of the problems; nothing until all are solved.
    pub costs: Rc<Vec<Solved>>,
    /// The stacks with tiles that cores share, and those without; none until all are allocated.
    allocations: Rc<[Rc<Vec<StackAllocation>>; 2]>,
    /// How many times as long as at first stacks were searched.
    pub times_longer: u64,
    /// What the allocations with shared tiles, and those without, come to; or why nothing comes of them.
    pub judgements: [Option<Result<CoresEvaluation, Diagnostics>>; 2],
    /// Why the study has no result.
    pub refusal: Option<Refusal>,
}

/// The steps of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is asked, or there is no answer.
    Nothing,
    /// What there is to know.
    Outline,
    /// So many problems are solved, of so many.
    Costs(usize, usize),
    /// So many stacks are allocated, of so many.
    Stacks(usize, usize),
    /// What the allocations come to.
    Judging,
    /// All is known.
    Done,
}

impl CoresStudyState {
    /// The allocations with shared tiles, or those without.
    pub fn allocations(&self, shares: bool) -> &Rc<Vec<StackAllocation>> {
        let [shared, single] = &*self.allocations;
        if shares { shared } else { single }
    }

    /// All allocations.
    pub fn all_allocations(&self) -> impl Iterator<Item = &StackAllocation> {
        self.allocations.iter().flat_map(|allocations| allocations.iter())
    }

    /// The better one of the two judgements, if any is known, and whether its tiles are shared.
    pub fn best(&self) -> Option<(bool, &CoresEvaluation)> {
        let aim = self.request.as_ref().map_or(ScheduleObjective::Latency, |request| request.settings.aim);
        let known = [true, false].into_iter().zip(&self.judgements);
        let known = known.filter_map(|(shares, judgement)| Some((shares, judgement.as_ref()?.as_ref().ok()?)));
        known.min_by(|a, b| a.1.evaluated.score(aim).total_cmp(&b.1.evaluated.score(aim)))
    }

    /// Why there is no schedule, if all is known and there is none.
    pub fn why_none(&self) -> Option<&Diagnostics> {
        match &self.judgements {
            [Some(Err(wrong)), Some(Err(_))] => Some(wrong),
            _ => None,
        }
    }
}

/// A search for the allocations of all stacks.
#[derive(Clone, PartialEq)]
struct Round {
    of: Option<Rc<CoresRequest>>,
    /// A search ends after so many choices.
    choices: u64,
    /// What earlier rounds proved, each stack with tiles that cores share, then each without.
    proved: Rc<Vec<Option<StackAllocation>>>,
}

impl Round {
    fn first(of: Option<Rc<CoresRequest>>) -> Self {
        Self { of, choices: MOST_CHOICES, proved: Rc::default() }
    }

    fn proved(&self, index: usize) -> Option<&StackAllocation> {
        self.proved.get(index)?.as_ref()
    }

    /// A longer one for all that is not proved.
    fn longer<'a>(&self, allocations: impl Iterator<Item = &'a StackAllocation>) -> Self {
        let proved = allocations.map(|stack| stack.found.is_proved().then(|| stack.clone()));
        let choices = self.choices.saturating_mul(LONGER);
        Self { of: self.of.clone(), choices, proved: Rc::new(proved.collect()) }
    }
}

/// Studies what is `asked`; another request takes its place at once. The callback lets searches that are not proved go on for longer.
#[hook]
pub fn use_cores(workers: &Workers, asked: Option<CoresRequest>) -> (CoresStudyState, Callback<()>) {
    let request = (*use_memo(asked, |asked| asked.clone().map(Rc::new))).clone();

    let outline = request.iter().map(|request| OutlineCores { request: Rc::clone(request) });
    let outlined = use_answers(workers, Topic::Cores, outline.collect());
    let outline = outlined.reply(0).cloned();
    let problems = outline.as_ref().map_or(0, |outline| outline.problems);
    let half = outline.as_ref().map_or(0, |outline| outline.stacks.len());

    let part = |first: u32| {
        let request = request.clone()?;
        Some(SolveTiles { request, first, end: first + PART })
    };
    let parts = (0..problems as u32).step_by(PART as usize).filter_map(part);
    let solved = use_answers(workers, Topic::Cores, parts.collect());
    let are_solved = outline.is_some() && solved.is_complete() && solved.refusal().is_none();
    let costs: Rc<Vec<Solved>> = {
        let solved = solved.clone();
        use_memo((request.clone(), are_solved), move |(_, are_solved)| {
            let parts = solved.replies().filter(|_| *are_solved);
            parts.flat_map(|part| part.costs.iter().cloned()).collect()
        })
    };

    let round = use_state(|| Round::first(None));
    let first_round = Round::first(request.clone());
    let now = if round.of == request { &*round } else { &first_round };
    let open: Vec<usize> = (0..2 * half).filter(|&index| now.proved(index).is_none()).collect();
    let search = |&index: &usize| {
        let (request, costs) = (request.clone().filter(|_| are_solved)?, Rc::clone(&costs));
        let (stack, shares) = (StackId::from(index % half), index < half);
        Some(AllocateStack { request, costs, stack, shares, choices: now.choices })
    };
    let searched = use_answers(workers, Topic::Cores, open.iter().filter_map(search).collect());
    let are_allocated = are_solved && searched.is_complete() && searched.refusal().is_none();
    let allocations = {
        let (searched, now) = (searched.clone(), now.clone());
        use_memo((request.clone(), now.choices, are_allocated), move |(.., are_allocated)| {
            let mut found = searched.replies();
            let stack = |index: usize| now.proved(index).or_else(|| found.next()).cloned();
            let mut stacks: Vec<StackAllocation> = (0..2 * half).filter(|_| *are_allocated).filter_map(stack).collect();
            let single = stacks.split_off(half.min(stacks.len()));
            [Rc::new(stacks), Rc::new(single)]
        })
    };

    let judge = |stacks: &Rc<Vec<StackAllocation>>| {
        let (request, costs) = (request.clone().filter(|_| are_allocated)?, Rc::clone(&costs));
        Some(EvaluateCores { request, costs, stacks: Rc::clone(stacks), choice: None })
    };
    let judged = use_answers(workers, Topic::Cores, allocations.iter().filter_map(judge).collect());

    let refusal = outlined.refusal().or(solved.refusal()).or(searched.refusal()).or(judged.refusal()).cloned();
    let stage = match () {
        () if request.is_none() || refusal.is_some() => Stage::Nothing,
        () if outline.is_none() => Stage::Outline,
        () if !are_solved => Stage::Costs(solved.replies().map(|part| part.costs.len()).sum(), problems),
        () if !are_allocated => Stage::Stacks(2 * half - open.len() + searched.done(), 2 * half),
        () if !judged.is_complete() => Stage::Judging,
        () => Stage::Done,
    };
    let longer = {
        let (now, allocations, round) = (now.clone(), Rc::clone(&allocations), round.setter());
        Callback::from(move |()| round.set(now.longer(allocations.iter().flat_map(|stacks| stacks.iter()))))
    };
    let state = CoresStudyState {
        outline,
        stage,
        costs,
        allocations,
        times_longer: now.choices / MOST_CHOICES,
        judgements: [0, 1].map(|index| judged.reply(index).cloned()),
        refusal,
        request,
    };
    (state, longer)
}

/// Inputs of the evaluation of an allocation, the same for all allocations of a request.
#[derive(Clone, PartialEq)]
pub struct EvaluationInputs {
    /// The request.
    pub request: Rc<CoresRequest>,
    /// What tiles cost.
    pub costs: Rc<Vec<Solved>>,
    /// The allocations of the stacks.
    pub stacks: Rc<Vec<StackAllocation>>,
}

/// The evaluation of an allocation made by hand; `None` as long as it is not known.
#[hook]
pub fn use_evaluation(
    workers: &Workers,
    inputs: Option<EvaluationInputs>,
    choice: Option<CoreAllocation>,
) -> Option<Answer<CoresEvaluation>> {
    let question = inputs.zip(choice).map(|(EvaluationInputs { request, costs, stacks }, choice)| EvaluateCores {
        request,
        costs,
        stacks,
        choice: Some(choice),
    });
    let answers = use_answers(workers, Topic::CoresByHand, question.into_iter().collect());
    let answer = answers.get(0)?.clone();
    Some(answer.and_then(|judgement| judgement.map_err(Refusal::from)))
}

/// A local search for better cores, as far as it is: layer by layer, until a round over all layers improves nothing.
#[derive(Clone, PartialEq)]
pub struct LocalSearch {
    of: Option<(EvaluationInputs, EvaluatedAllocation)>,
    /// Whether it goes on.
    pub is_on: bool,
    /// The best so far.
    pub best: Option<EvaluatedAllocation>,
    /// The layer that is next.
    pub layer: NestId,
    /// How many layers were looked at since the last improvement.
    idle: u32,
    layers: u32,
    /// Why it stopped, if nobody stopped it.
    pub failure: Option<String>,
}

impl LocalSearch {
    fn nothing() -> Self {
        Self { of: None, is_on: true, best: None, layer: NestId::default(), idle: 0, layers: 0, failure: None }
    }

    /// A search that begins with a choice. It waits where a person stopped the one before.
    fn begin(&self, of: Option<(EvaluationInputs, EvaluatedAllocation)>) -> Self {
        let is_on = self.is_on || self.failure.is_some();
        let (best, layers) = of.as_ref().map_or((None, 0), |of| (Some(of.1.clone()), of.1.choice.len() as u32));
        Self { of, is_on, best, layer: NestId::default(), idle: 0, layers, failure: None }
    }

    /// Whether a round over all layers improved nothing.
    pub fn is_done(&self) -> bool {
        self.best.is_some() && self.idle >= self.layers
    }

    /// What is asked next, as long as it goes on.
    fn question(&self) -> Option<ImproveLayer> {
        let (EvaluationInputs { request, costs, stacks }, _) =
            self.of.clone().filter(|_| self.is_on && !self.is_done())?;
        Some(ImproveLayer { request, costs, stacks, from: self.best.clone()?, layer: self.layer })
    }
}

/// An action on a [`LocalSearch`].
pub enum LocalSearchAction {
    /// Another choice to begin with.
    Begin(Option<(EvaluationInputs, EvaluatedAllocation)>),
    /// Go on, or stop.
    Switch(bool),
    /// The best with other cores for a layer.
    Improved(Box<ImproveLayer>, Answer<EvaluatedAllocation>),
}

impl Reducible for LocalSearch {
    type Action = LocalSearchAction;

    fn reduce(self: Rc<Self>, change: LocalSearchAction) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            LocalSearchAction::Begin(of) if of != next.of => next = next.begin(of),
            LocalSearchAction::Switch(is_on) => (next.is_on, next.failure) = (is_on, None),
            LocalSearchAction::Improved(question, answer) if next.question().as_ref() == Some(&*question) => {
                match answer {
                    Ok(found) => {
                        next.idle = if next.best.as_ref() == Some(&found) { next.idle + 1 } else { 0 };
                        next.best = Some(found);
                        next.layer = NestId::from(next.layer.following().index() % next.layers.max(1) as usize);
                    }
                    Err(refusal) => (next.is_on, next.failure) = (false, Some(refusal.to_string())),
                }
            }
            LocalSearchAction::Begin(_) | LocalSearchAction::Improved(..) => {}
        }
        Rc::new(next)
    }
}

/// Runs a local search for better cores, which begins with the allocation of `of`; the callback starts and stops it.
#[hook]
pub fn use_local_search(
    workers: &Workers,
    of: Option<(EvaluationInputs, EvaluatedAllocation)>,
) -> (LocalSearch, Callback<bool>) {
    let search = use_reducer(LocalSearch::nothing);
    let now = if search.of == of { (*search).clone() } else { search.begin(of.clone()) };
    {
        let dispatcher = search.dispatcher();
        use_effect_with(of, move |of| dispatcher.dispatch(LocalSearchAction::Begin(of.clone())));
    }
    let question = now.question();
    let answers = use_answers(workers, Topic::CoresImproved, question.iter().cloned().collect());
    {
        let dispatcher = search.dispatcher();
        use_effect_with(question.zip(answers.get(0).cloned()), move |improved| {
            if let Some((question, answer)) = improved.clone() {
                dispatcher.dispatch(LocalSearchAction::Improved(Box::new(question), answer));
            }
        });
    }
    let switch = {
        let dispatcher = search.dispatcher();
        Callback::from(move |is_on| dispatcher.dispatch(LocalSearchAction::Switch(is_on)))
    };
    (now, switch)
}
