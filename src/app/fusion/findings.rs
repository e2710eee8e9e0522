//! Answers of workers about sequences, shown once all of them have arrived.

use crate::app::workers::answers::Answers;
use crate::app::workers::ask::use_answers;
use crate::explore::{Request, SequenceFinding, SequenceQuestion};
use crate::question::{AskSequences, Channel};
use std::rc::Rc;
use yew::prelude::*;

type SequenceAnswers = Answers<AskSequences, SequenceFinding>;

/// The answers to all questions about a design's sequences.
#[derive(Clone, PartialEq)]
pub struct SequenceFindings {
    now: SequenceAnswers,
    /// The last complete answers.
    complete: SequenceAnswers,
}

impl SequenceFindings {
    /// The findings in the order of their questions; the previous ones until all are known.
    pub fn shown(&self) -> impl Iterator<Item = &SequenceFinding> {
        self.complete.replies()
    }

    /// Whether [`Self::shown`] answers the current questions.
    pub fn are_current(&self) -> bool {
        has_all(&self.now)
    }

    /// Whether some question was refused.
    pub fn are_refused(&self) -> bool {
        self.now.refusal().is_some()
    }

    /// Value of the attribute `data-status`.
    pub fn status(&self) -> &'static str {
        match () {
            () if self.are_refused() => "rejected",
            () if self.are_current() => "done",
            () => "running",
        }
    }

    /// The progress, unless all are complete.
    pub fn progress(&self) -> Html {
        let (done, all) = (self.now.done(), self.now.all());
        match self.now.refusal() {
            Some(wrong) => {
                html! { <p class="hint" role="status" data-testid="sequences-wrong">{ wrong.to_string() }</p> }
            }
            None if self.are_current() => html! {},
            None => html! {
                <p class="hint" role="status">
                    { "Working … " }
                    <progress max={all.to_string()} value={done.to_string()} aria-label="Answers so far"></progress>
                    { format!(" {done} of {all}") }
                </p>
            },
        }
    }
}

fn has_all(answers: &SequenceAnswers) -> bool {
    answers.is_complete() && answers.refusal().is_none()
}

/// Asks `questions` about a design.
#[hook]
pub fn use_findings(channel: Channel, request: &Rc<Request>, questions: Vec<SequenceQuestion>) -> SequenceFindings {
    let question = |about| AskSequences { request: Rc::clone(request), about };
    let now = use_answers(channel, questions.into_iter().map(question).collect());
    let complete = use_mut_ref(SequenceAnswers::default);
    if has_all(&now) {
        complete.borrow_mut().clone_from(&now);
    }
    let complete = complete.borrow().clone();
    SequenceFindings { now, complete }
}
