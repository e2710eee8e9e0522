//! The answers to the questions of a view: replies so far, failures, and replies to questions about an earlier design.

use crate::question::{Refusal, Reply};
use std::rc::Rc;

/// The answers to a list of questions that changes with the design.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers<Q, R> {
    questions: Rc<Vec<Q>>,
    coming: Rc<Vec<Option<Reply<R>>>>,
    before: Rc<Vec<Option<Reply<R>>>>,
}

impl<Q, R> Default for Answers<Q, R> {
    fn default() -> Self {
        Self { questions: Rc::default(), coming: Rc::default(), before: Rc::default() }
    }
}

impl<Q: PartialEq, R: Clone> Answers<Q, R> {
    /// Asks other questions. The replies to the previous ones are kept until there is a reply to one of these.
    #[must_use]
    pub fn asked(&self, questions: Rc<Vec<Q>>) -> Self {
        let before = if self.done() > 0 { Rc::clone(&self.coming) } else { Rc::clone(&self.before) };
        Self { coming: Rc::new(vec![None; questions.len()]), questions, before }
    }

    /// Takes a reply to the question of this index. A reply to questions that are no longer asked is ignored.
    #[must_use]
    pub fn heard(&self, questions: &Rc<Vec<Q>>, index: usize, answer: Reply<R>) -> Self {
        let mut next = self.clone_of(Rc::clone(&self.coming));
        if Rc::ptr_eq(&self.questions, questions)
            && let Some(place) = Rc::make_mut(&mut next.coming).get_mut(index)
        {
            *place = Some(answer);
        }
        next
    }

    /// The answers for `questions`: if other questions were asked, nothing is known of these yet.
    #[must_use]
    pub fn beside(&self, questions: &[Q]) -> Self {
        if *self.questions == *questions {
            return self.clone_of(Rc::clone(&self.coming));
        }
        let before = if self.done() > 0 { Rc::clone(&self.coming) } else { Rc::clone(&self.before) };
        Self { questions: Rc::clone(&self.questions), coming: Rc::new(vec![None; questions.len()]), before }
    }

    fn clone_of(&self, coming: Rc<Vec<Option<Reply<R>>>>) -> Self {
        Self { questions: Rc::clone(&self.questions), coming, before: Rc::clone(&self.before) }
    }
}

impl<Q, R> Answers<Q, R> {
    pub fn questions(&self) -> &[Q] {
        &self.questions
    }

    /// Number of answered questions.
    pub fn done(&self) -> usize {
        self.coming.iter().flatten().count()
    }

    /// Number of all questions.
    pub fn all(&self) -> usize {
        self.coming.len()
    }

    pub fn is_complete(&self) -> bool {
        self.done() == self.all()
    }

    /// The answer to the question of this index, once it is known.
    pub fn get(&self, index: usize) -> Option<&Reply<R>> {
        self.coming.get(index)?.as_ref()
    }

    /// The reply to the question of this index, once there is one.
    pub fn reply(&self, index: usize) -> Option<&R> {
        self.get(index)?.as_ref().ok()
    }

    /// All replies to the current questions so far, in the order of the questions.
    pub fn replies(&self) -> impl Iterator<Item = &R> {
        self.coming.iter().flatten().filter_map(|answer| answer.as_ref().ok())
    }

    /// The replies to show: these, or those to the previous questions as long as there are none.
    pub fn shown(&self) -> impl Iterator<Item = &R> {
        let answers = if self.done() > 0 || self.all() == 0 { &self.coming } else { &self.before };
        answers.iter().flatten().filter_map(|answer| answer.as_ref().ok())
    }

    /// Whether [`Self::shown`] are replies to other questions.
    pub fn are_old(&self) -> bool {
        self.done() == 0 && self.all() > 0
    }

    /// The first reason why a question has no reply.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.coming.iter().flatten().find_map(|answer| answer.as_ref().err())
    }

    /// The first error of a worker. A question that is rejected is no error of a worker.
    pub fn failure(&self) -> Option<&str> {
        self.coming.iter().flatten().find_map(|answer| match answer {
            Err(Refusal::Failed(text)) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Value of the attribute `data-status`.
    pub fn status(&self) -> &'static str {
        match () {
            () if self.all() == 0 => "idle",
            () if self.refusal().is_some() => "rejected",
            () if self.is_complete() => "done",
            () => "running",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Known = Answers<u8, char>;

    fn failed() -> Reply<char> {
        Err(Refusal::Failed("two workers failed".to_owned()))
    }

    #[test]
    fn replies_come_in_any_order_and_stand_in_that_of_their_questions() {
        let questions = Rc::new(vec![1, 2, 3]);
        let known = Known::default().asked(Rc::clone(&questions)).heard(&questions, 2, Ok('c'));
        assert_eq!((known.done(), known.all(), known.status()), (1, 3, "running"));
        let known = known.heard(&questions, 0, Ok('a')).heard(&questions, 1, Ok('b'));
        assert_eq!(known.replies().collect::<String>(), "abc");
        assert_eq!((known.is_complete(), known.status()), (true, "done"));
    }

    #[test]
    fn what_was_known_before_is_shown_until_something_else_is() {
        let (first, second) = (Rc::new(vec![1, 2]), Rc::new(vec![3, 4]));
        let known = Known::default().asked(Rc::clone(&first)).heard(&first, 0, Ok('a')).heard(&first, 1, Ok('b'));
        // The page is drawn with other questions before they are asked.
        let drawn = known.beside(&second);
        assert_eq!(
            (drawn.shown().collect::<String>().as_str(), drawn.are_old(), drawn.status()),
            ("ab", true, "running")
        );
        let known = known.asked(Rc::clone(&second));
        assert_eq!((known.shown().collect::<String>().as_str(), known.are_old()), ("ab", true));
        // Neither does a third list of questions discard it, as long as nothing is known of the second.
        assert_eq!(known.asked(Rc::new(vec![5])).shown().collect::<String>(), "ab");
        let known = known.heard(&second, 1, Ok('d'));
        assert_eq!(
            (known.shown().collect::<String>().as_str(), known.are_old(), known.status()),
            ("d", false, "running")
        );
    }

    #[test]
    fn a_late_reply_to_questions_of_the_past_changes_nothing() {
        let (first, second) = (Rc::new(vec![1]), Rc::new(vec![1]));
        let known = Known::default().asked(Rc::clone(&first)).asked(Rc::clone(&second));
        assert_eq!(known.heard(&first, 0, Ok('x')), known);
        assert_eq!(known.heard(&second, 7, Ok('x')), known);
    }

    #[test]
    fn every_failure_is_told_and_hides_no_reply() {
        let questions = Rc::new(vec![1, 2]);
        let known = Known::default().asked(Rc::clone(&questions)).heard(&questions, 0, failed());
        assert_eq!(
            (known.status(), known.refusal().map(ToString::to_string)),
            ("rejected", Some("two workers failed".to_owned()))
        );
        let known = known.heard(&questions, 1, Ok('b'));
        assert_eq!((known.status(), known.is_complete(), known.reply(1)), ("rejected", true, Some(&'b')));
    }

    #[test]
    fn nothing_is_asked_by_an_empty_list() {
        let questions = Rc::new(vec![1]);
        let known = Known::default().asked(Rc::clone(&questions)).heard(&questions, 0, Ok('a'));
        let stopped = known.beside(&[]);
        assert_eq!((stopped.status(), stopped.shown().count(), stopped.are_old()), ("idle", 0, false));
    }
}
