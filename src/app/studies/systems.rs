//! Energy and latency of networks on many cores, for a list of questions that is put once a person wants it.

use crate::app::workers::handle::Workers;
use crate::multicore::{Aim, CoresRequest};
use crate::question::{Question, Reply, Topic};
use crate::spec::Diagnostics;
use std::rc::Rc;
use yew::prelude::*;

/// Energy and latency, or why there are none.
pub type Summary = Result<(f64, f64), Diagnostics>;

/// What is found of a list of questions, one by one.
#[derive(Clone, PartialEq, Default)]
pub struct Findings {
    of: Vec<CoresRequest>,
    /// What is known, in the order of the questions.
    pub found: Rc<Vec<Option<Summary>>>,
    is_stopped: bool,
}

impl Findings {
    /// How far they are, in a word.
    pub fn status(&self) -> &'static str {
        match () {
            () if self.found.is_empty() => "idle",
            () if self.found.iter().all(Option::is_some) => "done",
            () if self.is_stopped => "stopped",
            () => "running",
        }
    }
}

pub enum Heard {
    /// So many questions are asked about these requests.
    Anew(Vec<CoresRequest>, usize),
    /// No more answers are wanted.
    Stopped,
    /// The answer to a question about these requests.
    Found(Vec<CoresRequest>, usize, Summary),
}

impl Reducible for Findings {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Anew(of, count) => next = Self { of, found: Rc::new(vec![None; count]), is_stopped: false },
            Heard::Stopped => next.is_stopped = true,
            Heard::Found(of, index, summary) if next.of == of => {
                if let Some(place) = Rc::make_mut(&mut next.found).get_mut(index) {
                    *place = Some(summary);
                }
            }
            Heard::Found(..) => {}
        }
        Rc::new(next)
    }
}

/// Asks all of these questions, which are about some requests, for summaries, once a person wants it.
#[hook]
pub fn use_summaries(
    workers: &Workers,
    topic: Topic,
    of: Vec<CoresRequest>,
    questions: impl Fn() -> Vec<Question> + 'static,
) -> (Findings, Callback<MouseEvent>, Callback<MouseEvent>) {
    let findings = use_reducer(Findings::default);
    let forgetful = workers.clone();
    use_effect_with((), move |()| move || forgetful.forget(topic));
    let found = if findings.of == of { (*findings).clone() } else { Findings::default() };
    let stop = {
        let (workers, dispatcher) = (workers.clone(), findings.dispatcher());
        Callback::from(move |_: MouseEvent| {
            workers.forget(topic);
            dispatcher.dispatch(Heard::Stopped);
        })
    };
    let start = {
        let (workers, dispatcher) = (workers.clone(), findings.dispatcher());
        Callback::from(move |_: MouseEvent| {
            let questions = questions();
            dispatcher.dispatch(Heard::Anew(of.clone(), questions.len()));
            let (dispatcher, of) = (dispatcher.clone(), of.clone());
            let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
                let summary = match reply {
                    Reply::CoresSummary(summary) => summary,
                    Reply::CoresEvolved(front) => {
                        let aim = of.first().map_or(Aim::Latency, |of| of.settings.aim);
                        let best = front.into_iter().min_by(|a, b| a.score(aim).total_cmp(&b.score(aim)));
                        best.map(|best| (best.energy_pj, best.latency_cycles)).ok_or_else(Diagnostics::default)
                    }
                    Reply::Rejected(wrong) => Err(wrong),
                    _ => Err(Diagnostics::default()),
                };
                dispatcher.dispatch(Heard::Found(of.clone(), index, summary));
            });
            workers.ask(topic, questions, on_reply);
        })
    };
    (found, start, stop)
}
