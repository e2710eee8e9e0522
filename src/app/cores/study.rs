//! A network on many cores, over the workers: what every different tile costs, then which cores compute each stack best, then what that comes to,
//! and at last whether other cores for single layers are better still.

use crate::app::workers::handle::Workers;
use crate::multicore::{
    Aim, CoreChoice, CoresOutline, CoresRequest, Judged, MOST_CHOICES, Solved, StackAllocation, SystemAccount,
};
use crate::question::{Question, Reply, Topic};
use crate::spec::Diagnostics;
use std::rc::Rc;
use yew::prelude::*;

/// So many problems are solved for one question.
const PART: u32 = 16;
/// A search that goes on may look at so many times as many choices.
const LONGER: u64 = 8;

/// A choice with all about it.
#[derive(Clone, PartialEq)]
pub struct Verdict {
    /// The choice, and what it comes to.
    pub judged: Judged,
    /// Who computes what when.
    pub account: Rc<SystemAccount>,
}

/// What is known of a request.
#[derive(Clone, PartialEq, Default)]
pub struct Known {
    /// The request.
    pub asked: Option<CoresRequest>,
    /// What there is to know before anything is solved.
    pub outline: Option<Rc<CoresOutline>>,
    costs: Rc<Vec<Option<Solved>>>,
    /// Each stack with tiles that cores share, then each without.
    pub stacks: Rc<Vec<Option<StackAllocation>>>,
    /// What a search looks at before it ends.
    choices: u64,
    /// What the allocations with shared tiles, and those without, come to; or why nothing comes of them.
    pub verdicts: [Option<Result<Verdict, Diagnostics>>; 2],
    /// What is wrong with the request.
    pub wrong: Option<Rc<Diagnostics>>,
    /// What a worker could not do.
    pub failure: Option<String>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is asked, or it makes no sense.
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

pub enum Heard {
    /// Another request.
    Anew(Option<CoresRequest>),
    /// Stacks that are not proved shall be searched for longer.
    Longer,
    /// A worker's reply to the question of this index, about the request.
    Reply(CoresRequest, usize, Box<Reply>),
}

impl Known {
    fn of(asked: Option<CoresRequest>) -> Self {
        Self { asked, choices: MOST_CHOICES, ..Self::default() }
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        let Some(outline) = &self.outline else {
            let is_waiting = self.asked.is_some() && self.wrong.is_none() && self.failure.is_none();
            return if is_waiting { Stage::Outline } else { Stage::Nothing };
        };
        let known = |count: usize| (count, outline.problems);
        let solved = self.costs.iter().flatten().count();
        let allocated = self.stacks.iter().flatten().count();
        let all = 2 * outline.stacks.len();
        match () {
            () if self.failure.is_some() => Stage::Nothing,
            () if solved < outline.problems => Stage::Costs(known(solved).0, known(solved).1),
            () if allocated < all => Stage::Stacks(allocated, all),
            () if self.verdicts.iter().any(Option::is_none) => Stage::Judging,
            () => Stage::Done,
        }
    }

    /// How many times as long as at first stacks were searched.
    pub fn times_longer(&self) -> u64 {
        self.choices / MOST_CHOICES
    }

    /// What tiles cost, in the order of the problems.
    pub fn costs(&self) -> Vec<Solved> {
        self.costs.iter().flatten().cloned().collect()
    }

    /// The allocations with shared tiles, or those without.
    pub fn allocations(&self, shares: bool) -> Vec<StackAllocation> {
        let half = self.stacks.len() / 2;
        let range = if shares { 0..half } else { half..2 * half };
        self.stacks[range].iter().flatten().cloned().collect()
    }

    /// Which of the two verdicts is the better one, if any is known.
    pub fn best(&self) -> Option<(bool, &Verdict)> {
        let aim = self.asked.as_ref().map_or(Aim::Latency, |asked| asked.settings.aim);
        let known = [true, false].into_iter().zip(&self.verdicts);
        let known = known.filter_map(|(shares, verdict)| Some((shares, verdict.as_ref()?.as_ref().ok()?)));
        known.min_by(|a, b| a.1.judged.score(aim).total_cmp(&b.1.judged.score(aim)))
    }

    /// Why there is no schedule, if all is known and there is none.
    pub fn why_none(&self) -> Option<&Diagnostics> {
        match &self.verdicts {
            [Some(Err(wrong)), Some(Err(_))] => Some(wrong),
            _ => None,
        }
    }

    fn questions(&self) -> Vec<Question> {
        let Some(request) = &self.asked else { return Vec::new() };
        let request = || Box::new(request.clone());
        match self.stage() {
            Stage::Nothing | Stage::Done => Vec::new(),
            Stage::Outline => vec![Question::Cores(request())],
            Stage::Costs(_, all) => {
                let parts = (0..all as u32).step_by(PART as usize);
                parts.map(|first| Question::TileCosts(request(), first, first + PART)).collect()
            }
            Stage::Stacks(_, all) => {
                let stack = |index: usize| {
                    let (stack, shares) = (index % (all / 2), index < all / 2);
                    Question::StackAllocation(request(), self.costs(), stack as u32, shares, self.choices)
                };
                (0..all).map(stack).collect()
            }
            Stage::Judging => [true, false]
                .map(|shares| Question::CoresJudged(request(), self.costs(), self.allocations(shares), None))
                .into(),
        }
    }
}

impl Reducible for Known {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Anew(asked) if asked != next.asked => next = Self::of(asked),
            Heard::Longer => {
                next.choices = next.choices.saturating_mul(LONGER);
                next.verdicts = [None, None];
                for stack in Rc::make_mut(&mut next.stacks) {
                    stack.take_if(|stack| !stack.found.is_proved());
                }
            }
            Heard::Reply(of, index, reply) if Some(&of) == next.asked.as_ref() => next.hear(index, *reply),
            Heard::Anew(_) | Heard::Reply(..) => {}
        }
        Rc::new(next)
    }
}

impl Known {
    fn hear(&mut self, index: usize, reply: Reply) {
        match reply {
            Reply::Cores(outline) => {
                self.costs = Rc::new(vec![None; outline.problems]);
                self.stacks = Rc::new(vec![None; 2 * outline.stacks.len()]);
                self.outline = Some(Rc::new(*outline));
            }
            Reply::TileCosts(first, solved) => {
                let places = Rc::make_mut(&mut self.costs).iter_mut().skip(first as usize);
                places.zip(solved).for_each(|(place, solved)| *place = Some(solved));
            }
            Reply::StackAllocation(allocation) => {
                if let Some(place) = Rc::make_mut(&mut self.stacks).get_mut(index) {
                    *place = Some(*allocation);
                }
            }
            Reply::CoresJudged(judged) => {
                if let Some(place) = self.verdicts.get_mut(index) {
                    *place = Some(judged.map(|found| Verdict { judged: found.0, account: Rc::new(found.1) }));
                }
            }
            Reply::Rejected(wrong) => self.wrong = Some(Rc::new(wrong)),
            Reply::Failed(text) => self.failure = Some(text),
            _ => {}
        }
    }
}

/// Studies what is `asked`; another request takes its place at once. The callback lets searches that are not proved go on for longer.
#[hook]
pub fn use_cores(workers: &Workers, asked: Option<CoresRequest>) -> (Rc<Known>, Callback<()>) {
    let known = use_reducer(|| Known::of(None));
    {
        let dispatcher = known.dispatcher();
        use_effect_with(asked, move |asked| dispatcher.dispatch(Heard::Anew(asked.clone())));
    }
    {
        let (workers, dispatcher, now) = (workers.clone(), known.dispatcher(), (*known).clone());
        // Questions are put once at each stage; replies come one by one.
        let stage = std::mem::discriminant(&known.stage());
        use_effect_with((known.asked.clone(), stage, known.choices), move |(asked, ..)| {
            let forgetful = workers.clone();
            let questions = now.questions();
            if let Some(asked) = asked.clone().filter(|_| !questions.is_empty()) {
                let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
                    dispatcher.dispatch(Heard::Reply(asked.clone(), index, Box::new(reply)));
                });
                workers.ask(Topic::Cores, questions, on_reply);
            }
            move || forgetful.forget(Topic::Cores)
        });
    }
    let longer = {
        let dispatcher = known.dispatcher();
        Callback::from(move |()| dispatcher.dispatch(Heard::Longer))
    };
    (Rc::new((*known).clone()), longer)
}

/// What stands still while a choice is judged or improved.
#[derive(Clone, PartialEq)]
pub struct Ground {
    /// The request.
    pub request: CoresRequest,
    /// What tiles cost.
    pub costs: Rc<Vec<Solved>>,
    /// The allocations of the stacks.
    pub stacks: Rc<Vec<StackAllocation>>,
}

/// What a choice made by hand comes to: `None` as long as that is not known.
#[hook]
pub fn use_judged(
    workers: &Workers,
    ground: Option<Ground>,
    choice: Option<CoreChoice>,
) -> Option<Result<Verdict, Diagnostics>> {
    let judged = use_state(|| None);
    {
        let (workers, judged) = (workers.clone(), judged.setter());
        use_effect_with((ground, choice), move |(ground, choice)| {
            let forgetful = workers.clone();
            judged.set(None);
            if let Some((Ground { request, costs, stacks }, choice)) = ground.clone().zip(choice.clone()) {
                let question = Question::CoresJudged(Box::new(request), costs.to_vec(), stacks.to_vec(), Some(choice));
                let on_reply = Callback::from(move |(_, reply): (usize, Reply)| {
                    let found = match reply {
                        Reply::CoresJudged(found) => {
                            found.map(|found| Verdict { judged: found.0, account: Rc::new(found.1) })
                        }
                        Reply::Rejected(wrong) => Err(wrong),
                        _ => return,
                    };
                    judged.set(Some(found));
                });
                workers.ask(Topic::CoresByHand, vec![question], on_reply);
            }
            move || forgetful.forget(Topic::CoresByHand)
        });
    }
    (*judged).clone()
}

/// How far a search for better cores is: layer by layer, until a whole round finds nothing.
#[derive(Clone, PartialEq)]
pub struct Improving {
    of: Option<(Ground, Judged)>,
    /// Whether it goes on.
    pub is_on: bool,
    /// The best so far.
    pub best: Option<Judged>,
    /// The layer that is next.
    pub layer: u32,
    /// How many layers were looked at since the last improvement.
    idle: u32,
    layers: u32,
}

impl Improving {
    /// Whether a whole round found nothing.
    pub fn is_done(&self) -> bool {
        self.best.is_some() && self.idle >= self.layers
    }
}

pub enum Step {
    /// Another choice to begin with.
    Anew(Option<(Ground, Judged)>),
    /// Go on, or stop.
    Switch(bool),
    /// The best with other cores for a layer.
    Found(Ground, u32, Judged),
}

impl Reducible for Improving {
    type Action = Step;

    fn reduce(self: Rc<Self>, step: Step) -> Rc<Self> {
        let mut next = (*self).clone();
        match step {
            Step::Anew(of) if of != next.of => {
                let (best, layers) = of.as_ref().map_or((None, 0), |of| (Some(of.1.clone()), of.1.choice.len() as u32));
                next = Self { of, is_on: next.is_on, best, layer: 0, idle: 0, layers };
            }
            Step::Switch(is_on) => next.is_on = is_on,
            Step::Found(ground, layer, found) => {
                if layer == next.layer && next.of.as_ref().is_some_and(|of| of.0 == ground) {
                    next.idle = if next.best.as_ref() == Some(&found) { next.idle + 1 } else { 0 };
                    next.best = Some(found);
                    next.layer = (layer + 1) % next.layers.max(1);
                }
            }
            Step::Anew(_) => {}
        }
        Rc::new(next)
    }
}

/// Looks for better cores, layer by layer, from a choice on.
#[hook]
pub fn use_improving(workers: &Workers, of: Option<(Ground, Judged)>) -> (Rc<Improving>, Callback<bool>) {
    let improving = use_reducer(|| Improving { of: None, is_on: true, best: None, layer: 0, idle: 0, layers: 0 });
    {
        let dispatcher = improving.dispatcher();
        use_effect_with(of, move |of| dispatcher.dispatch(Step::Anew(of.clone())));
    }
    {
        let (workers, dispatcher) = (workers.clone(), improving.dispatcher());
        let ground = improving.of.as_ref().map(|of| of.0.clone());
        let is_asked = improving.is_on && !improving.is_done();
        let next = (ground, improving.best.clone(), improving.layer, improving.idle, is_asked);
        use_effect_with(next, move |(ground, best, layer, _, is_asked)| {
            let forgetful = workers.clone();
            if let Some((ground, best)) = ground.clone().zip(best.clone()).filter(|_| *is_asked) {
                let Ground { request, costs, stacks } = ground.clone();
                let question =
                    Question::CoresImproved(Box::new(request), costs.to_vec(), stacks.to_vec(), best, *layer);
                let layer = *layer;
                let on_reply = Callback::from(move |(_, reply): (usize, Reply)| {
                    if let Reply::CoresImproved(found) = reply {
                        dispatcher.dispatch(Step::Found(ground.clone(), layer, found));
                    }
                });
                workers.ask(Topic::CoresImproved, vec![question], on_reply);
            }
            move || forgetful.forget(Topic::CoresImproved)
        });
    }
    let switch = {
        let dispatcher = improving.dispatcher();
        Callback::from(move |is_on| dispatcher.dispatch(Step::Switch(is_on)))
    };
    (Rc::new((*improving).clone()), switch)
}
