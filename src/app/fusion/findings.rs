//! What workers found out about sequences: questions, and all their answers at once.

use crate::app::workers::handle::Workers;
use crate::explore::{Request, SequenceFinding, SequenceQuestion};
use crate::question::{Question, Reply, Topic};
use std::rc::Rc;
use yew::prelude::*;

/// What was asked: all questions about one design.
type Asked = (Rc<Request>, Vec<SequenceQuestion>);

/// How far the answers are.
#[derive(Clone, PartialEq, Default)]
pub struct Findings {
    /// The answers in the order of their questions; while others are worked out, those before.
    pub known: Rc<Vec<SequenceFinding>>,
    /// Whether they are those to the questions at hand.
    pub are_current: bool,
    /// How many answers of how many have come.
    pub progress: (usize, usize),
    /// Why there are none.
    pub wrong: Option<AttrValue>,
    asked: Option<Rc<Asked>>,
    coming: Vec<Option<SequenceFinding>>,
}

/// What the answers hear.
pub enum Heard {
    /// Other questions are asked.
    Anew(Rc<Asked>),
    /// The reply to the question of this index.
    Reply(Rc<Asked>, usize, Box<Reply>),
}

impl Reducible for Findings {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Anew(asked) => {
                next.coming = vec![None; asked.1.len()];
                next.wrong = None;
                next.asked = Some(asked);
            }
            Heard::Reply(asked, ..) if !next.asked.as_ref().is_some_and(|known| Rc::ptr_eq(known, &asked)) => {
                return self;
            }
            Heard::Reply(_, index, reply) => match *reply {
                Reply::Sequence(found) => {
                    if let Some(place) = next.coming.get_mut(index) {
                        *place = Some(*found);
                    }
                }
                Reply::Rejected(wrong) => {
                    let reasons: Vec<String> = wrong.0.iter().map(ToString::to_string).collect();
                    next.wrong = Some(reasons.join(" ").into());
                }
                Reply::Failed(text) => next.wrong = Some(text.into()),
                _ => {}
            },
        }
        next.progress = (next.coming.iter().flatten().count(), next.coming.len());
        next.are_current = next.progress.0 == next.progress.1;
        if next.are_current {
            next.known = Rc::new(std::mem::take(&mut next.coming).into_iter().flatten().collect());
        }
        Rc::new(next)
    }
}

impl Findings {
    /// Says how far they are, if they are not complete.
    pub fn status(&self) -> Html {
        match &self.wrong {
            Some(wrong) => html! { <p class="hint" role="status" data-testid="sequences-wrong">{ wrong }</p> },
            None if self.are_current => html! {},
            None => {
                let (done, all) = self.progress;
                html! {
                    <p class="hint" role="status">
                        { "Working … " }
                        <progress max={all.to_string()} value={done.to_string()} aria-label="Answers so far"></progress>
                        { format!(" {done} of {all}") }
                    </p>
                }
            }
        }
    }

    /// For `data-status`.
    pub fn state(&self) -> &'static str {
        match () {
            () if self.wrong.is_some() => "rejected",
            () if self.are_current => "done",
            () => "running",
        }
    }
}

/// Asks `questions` about a design whenever they change; workers that are still at earlier ones are replaced.
#[hook]
pub fn use_findings(
    workers: &Workers,
    topic: Topic,
    request: &Rc<Request>,
    questions: Vec<SequenceQuestion>,
) -> Findings {
    let findings = use_reducer_eq(Findings::default);
    let asked = (Rc::clone(request), questions);
    {
        let (workers, dispatcher) = (workers.clone(), findings.dispatcher());
        use_effect_with(asked.clone(), move |asked| {
            let asked = Rc::new(asked.clone());
            dispatcher.dispatch(Heard::Anew(Rc::clone(&asked)));
            let question = |question: &SequenceQuestion| Question::Sequence(Box::new((*asked.0).clone()), *question);
            let questions: Vec<Question> = asked.1.iter().map(question).collect();
            if !questions.is_empty() {
                let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
                    dispatcher.dispatch(Heard::Reply(Rc::clone(&asked), index, Box::new(reply)));
                });
                workers.ask(topic, questions, on_reply);
            }
            move || workers.forget(topic)
        });
    }
    let is_of = |known: &Rc<Asked>| **known == asked;
    let is_heard = findings.asked.as_ref().is_some_and(is_of);
    Findings { are_current: findings.are_current && is_heard, ..(*findings).clone() }
}
