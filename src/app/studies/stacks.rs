//! The study of all stacks, over the workers: first in how many parts, then each part, then what every method makes of them.

use crate::app::workers::handle::Workers;
use crate::depth_first::FuseDepth;
use crate::explore::{Fusions, Request, Settings, StackLimits, StackRun};
use crate::question::{Question, Reply, Topic};
use crate::spec::Diagnostics;
use crate::state::Design;
use std::rc::Rc;
use yew::prelude::*;

/// How far the study of one request is.
#[derive(Clone, PartialEq, Default)]
pub struct Known {
    asked: Option<(Request, StackLimits)>,
    /// How many parts there are, once that is known.
    pub parts: Option<u32>,
    /// How many of them are known.
    pub done: u32,
    runs: Rc<Vec<StackRun>>,
    /// The findings; while others are worked out, those of the request before.
    pub fusions: Option<Rc<Fusions>>,
    is_current: bool,
    /// What is wrong with the request.
    pub wrong: Option<Rc<Diagnostics>>,
    /// What a worker could not do.
    pub failure: Option<String>,
}

impl Known {
    /// Whether this is known of what is asked, and not of what was asked before.
    pub fn is_of(&self, asked: Option<&(Request, StackLimits)>) -> bool {
        self.asked.as_ref() == asked
    }

    /// As in the attribute `data-status`.
    pub fn status(&self, asked: Option<&(Request, StackLimits)>) -> &'static str {
        match () {
            () if asked.is_none() || self.wrong.is_some() || self.failure.is_some() => "rejected",
            () if self.is_current && self.is_of(asked) => "done",
            () => "running",
        }
    }
}

/// What becomes known.
pub enum Heard {
    /// Another question.
    Anew(Option<(Request, StackLimits)>),
    /// A worker's reply.
    Reply(Box<Reply>),
}

impl Reducible for Known {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Anew(asked) => next = Self { asked, fusions: next.fusions, ..Self::default() },
            Heard::Reply(reply) => match *reply {
                Reply::Stacks(parts) => next.parts = Some(parts),
                Reply::StackRuns(runs) => {
                    next.done += 1;
                    Rc::make_mut(&mut next.runs).extend(runs);
                }
                Reply::Fusions(fusions) => (next.fusions, next.is_current) = (Some(Rc::new(*fusions)), true),
                Reply::Rejected(wrong) => next.wrong = Some(Rc::new(wrong)),
                Reply::Failed(text) => next.failure = Some(text),
                _ => {}
            },
        }
        Rc::new(next)
    }
}

/// Studies what is `asked`, as a topic; another question takes its place at once.
#[hook]
pub fn use_study(workers: &Workers, topic: Topic, asked: Option<(Request, StackLimits)>) -> Rc<Known> {
    let known = use_reducer(Known::default);
    {
        let dispatcher = known.dispatcher();
        use_effect_with(asked, move |asked| dispatcher.dispatch(Heard::Anew(asked.clone())));
    }
    {
        let (workers, dispatcher) = (workers.clone(), known.dispatcher());
        let stage = (known.asked.clone(), known.parts, known.parts.is_some_and(|parts| known.done >= parts));
        let runs = Rc::clone(&known.runs);
        use_effect_with(stage, move |(asked, parts, are_all_done)| {
            let forgetful = workers.clone();
            if let Some((request, limits)) = asked {
                let request = || Box::new(request.clone());
                let questions = match (parts, are_all_done) {
                    (None, _) => vec![Question::Stacks(request(), *limits)],
                    (Some(_), true) => vec![Question::Fusions(request(), *limits, runs.to_vec())],
                    (Some(parts), false) => {
                        (0..*parts).map(|part| Question::StackRuns(request(), *limits, part)).collect()
                    }
                };
                let on_reply = Callback::from(move |(_, reply): (usize, Reply)| {
                    dispatcher.dispatch(Heard::Reply(Box::new(reply)));
                });
                workers.ask(topic, questions, on_reply);
            }
            move || forgetful.forget(topic)
        });
    }
    Rc::new((*known).clone())
}

/// The study of the design at hand, whatever its own stacks; `None` if it has errors.
pub fn request_of(design: &Design, is_valid: bool) -> Option<Request> {
    let request = design.request().ok().filter(|_| is_valid)?.into_iter().next()?;
    let settings = Settings { fuse: vec![FuseDepth::Automatic], ..request.settings };
    Some(Request { settings, ..request })
}
