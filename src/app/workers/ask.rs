//! Questions of views: a list of questions on a channel, and the answers so far.

use super::answers::Answers;
use crate::app::workers::handle::use_workers;
use crate::question::{Channel, Query, Reply};
use std::rc::Rc;
use yew::prelude::*;

/// An action on the answers of a component.
enum News<Q: Query> {
    Asked(Rc<Vec<Q>>),
    Heard(Rc<Vec<Q>>, usize, Reply<Q::Reply>),
}

#[derive(PartialEq)]
struct AnswersState<Q: Query>(Answers<Q, Q::Reply>);

impl<Q: Query> Reducible for AnswersState<Q> {
    type Action = News<Q>;

    fn reduce(self: Rc<Self>, news: News<Q>) -> Rc<Self> {
        Rc::new(Self(match news {
            News::Asked(questions) => self.0.asked(questions),
            News::Heard(questions, index, answer) => self.0.heard(&questions, index, answer),
        }))
    }
}

/// Asks `questions` on a channel whenever they change; an empty list asks nothing. Workers that are still busy with
/// earlier ones are replaced, and no question remains when the component is gone. Several calls may share a channel if
/// each asks only once the one before has its answers.
#[hook]
pub fn use_answers<Q: Query>(channel: Channel, questions: Vec<Q>) -> Answers<Q, Q::Reply> {
    let known = use_reducer(|| AnswersState::<Q>(Answers::default()));
    let now = known.0.beside(&questions);
    let (workers, dispatcher) = (use_workers(), known.dispatcher());
    use_effect_with(questions, move |questions| {
        let questions = Rc::new(questions.clone());
        dispatcher.dispatch(News::Asked(Rc::clone(&questions)));
        let number = (!questions.is_empty()).then(|| {
            let asked = Rc::clone(&questions);
            let on_answer = Callback::from(move |(index, answer): (usize, Reply<Q::Reply>)| {
                dispatcher.dispatch(News::Heard(Rc::clone(&asked), index, answer));
            });
            workers.ask(channel, &questions, on_answer)
        });
        move || number.into_iter().for_each(|number| workers.take_back(channel, number))
    });
    now
}
