//! Energy and latency of networks on many cores, for a list of questions that is asked on request of a person.

use super::answers::Answers;
use super::ask::use_answers;
use crate::question::{Channel, CoresSummary, Reply};
use std::rc::Rc;
use yew::prelude::*;

/// Energy in pJ and latency in cycles for each question, as far as requested.
#[derive(Clone, PartialEq)]
pub struct Summaries {
    answers: Answers<CoresSummary, (f64, f64)>,
    is_stopped: bool,
}

impl Summaries {
    /// The answer to the question of this index, once it is known.
    pub fn get(&self, index: usize) -> Option<&Reply<(f64, f64)>> {
        self.answers.get(index)
    }

    /// Number of answered questions.
    pub fn done(&self) -> usize {
        self.answers.done()
    }

    /// Number of questions asked; 0 before the request.
    pub fn all(&self) -> usize {
        self.answers.all()
    }

    /// The first error of a worker.
    pub fn failure(&self) -> Option<&str> {
        self.answers.failure()
    }

    /// Value of the attribute `data-status`. A question without a reply counts as answered.
    pub fn status(&self) -> &'static str {
        match () {
            () if self.all() == 0 => "idle",
            () if self.answers.is_complete() => "done",
            () if self.is_stopped => "stopped",
            () => "running",
        }
    }
}

/// The part of a list of questions that is to be asked.
#[derive(Clone, PartialEq)]
enum RunRequest {
    /// Nothing yet.
    Nothing,
    /// All answers, from the beginning: earlier questions are dropped first.
    Anew(Rc<Vec<CoresSummary>>),
    /// All answers.
    All(Rc<Vec<CoresSummary>>),
    /// No more answers than these.
    NoMore(Rc<Vec<CoresSummary>>, Answers<CoresSummary, (f64, f64)>),
}

impl RunRequest {
    fn questions(&self) -> Option<&Vec<CoresSummary>> {
        match self {
            Self::Nothing => None,
            Self::Anew(questions) | Self::All(questions) | Self::NoMore(questions, _) => Some(questions),
        }
    }
}

/// Asks all of these questions once a person requests it. The questions continue while the page shows other ones, and
/// their answers are shown again with their own.
#[hook]
pub fn use_summaries(
    channel: Channel,
    questions: Vec<CoresSummary>,
) -> (Summaries, Callback<MouseEvent>, Callback<MouseEvent>) {
    let run_request = use_state(|| RunRequest::Nothing);
    let asked = match &*run_request {
        RunRequest::All(questions) => questions.to_vec(),
        RunRequest::Nothing | RunRequest::Anew(_) | RunRequest::NoMore(..) => Vec::new(),
    };
    let answers = use_answers(channel, asked);
    let answers = match &*run_request {
        RunRequest::NoMore(_, answers) => answers.clone(),
        _ => answers,
    };
    {
        let run_request = run_request.clone();
        use_effect_with(matches!(*run_request, RunRequest::Anew(_)), move |_| {
            if let RunRequest::Anew(questions) = &*run_request {
                run_request.set(RunRequest::All(Rc::clone(questions)));
            }
        });
    }
    let stop = {
        let (run_request, answers) = (run_request.clone(), answers.clone());
        Callback::from(move |_: MouseEvent| {
            if let RunRequest::All(questions) = &*run_request {
                run_request.set(RunRequest::NoMore(Rc::clone(questions), answers.clone()));
            }
        })
    };
    let is_of = run_request.questions() == Some(&questions);
    let start = {
        let (run_request, questions) = (run_request.setter(), Rc::new(questions));
        Callback::from(move |_: MouseEvent| run_request.set(RunRequest::Anew(Rc::clone(&questions))))
    };
    let is_stopped = matches!(*run_request, RunRequest::NoMore(..));
    let answers = if is_of { answers } else { Answers::default() };
    (Summaries { answers, is_stopped }, start, stop)
}
