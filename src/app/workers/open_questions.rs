//! The bookkeeping of questions that views ask besides the sweep. Knows nothing of workers or of the browser, and
//! handles questions and replies only as bytes, so that the code to parse them stays with the views.

use crate::question::Channel;
use std::collections::{BTreeMap, VecDeque};

/// The bytes of a reply, or the reason why there is none.
pub type ReplyBytes = Result<Vec<u8>, String>;

/// A listener, and its reply with the index of the question. It must be called while no borrow of the workers is held,
/// as it may ask the next question.
pub type ListenerReply<L> = (L, (usize, ReplyBytes));

/// The questions without a reply, by channel.
pub struct OpenQuestions<L> {
    channels: BTreeMap<Channel, TopicQuestions<L>>,
    tickets: u32,
}

/// The open questions of the last request on a channel.
struct TopicQuestions<L> {
    on_reply: L,
    waiting: VecDeque<OpenQuestion>,
    /// Questions that workers are answering, by ticket.
    given: BTreeMap<u32, OpenQuestion>,
}

#[derive(Clone)]
struct OpenQuestion {
    index: usize,
    question: Vec<u8>,
    /// Whether a worker has failed on it before.
    failed: bool,
}

impl<L> Default for OpenQuestions<L> {
    fn default() -> Self {
        Self { channels: BTreeMap::new(), tickets: 0 }
    }
}

impl<L: Clone> OpenQuestions<L> {
    /// Asks on a channel; earlier questions on it are dropped. Every question gets one reply.
    pub fn ask(&mut self, channel: Channel, questions: Vec<Vec<u8>>, on_reply: L) {
        let item = |(index, question)| OpenQuestion { index, question, failed: false };
        let waiting = questions.into_iter().enumerate().map(item).collect();
        self.channels.insert(channel, TopicQuestions { on_reply, waiting, given: BTreeMap::new() });
    }

    /// Drops the questions on a channel.
    pub fn forget(&mut self, channel: Channel) {
        self.channels.remove(&channel);
    }

    /// The next question for a worker, with its ticket; `background` selects the kind of channels.
    pub fn next(&mut self, background: bool) -> Option<(u32, Vec<u8>)> {
        let mut channels = self.channels.iter_mut().filter(|(channel, _)| channel.is_background() == background);
        let (questions, item) = channels.find_map(|(_, questions)| {
            let item = questions.waiting.pop_front()?;
            Some((questions, item))
        })?;
        self.tickets += 1;
        questions.given.insert(self.tickets, item.clone());
        Some((self.tickets, item.question))
    }

    /// Whether the reply is still wanted.
    pub fn is_wanted(&self, ticket: u32) -> bool {
        self.channels.values().any(|questions| questions.given.contains_key(&ticket))
    }

    /// Takes the reply of a worker.
    pub fn replied(&mut self, ticket: u32, reply: Vec<u8>) -> Option<ListenerReply<L>> {
        let (questions, item) = self.take(ticket)?;
        Some((questions.on_reply.clone(), (item.index, Ok(reply))))
    }

    /// A worker failed on a question; it is asked once more.
    pub fn failed(&mut self, ticket: u32, text: &str) -> Option<ListenerReply<L>> {
        let (questions, item) = self.take(ticket)?;
        if item.failed {
            return Some((questions.on_reply.clone(), (item.index, Err(text.to_owned()))));
        }
        questions.waiting.push_front(OpenQuestion { failed: true, ..item });
        None
    }

    /// A worker could not be asked; the question is put back.
    pub fn put_back(&mut self, ticket: u32) {
        if let Some((questions, item)) = self.take(ticket) {
            questions.waiting.push_front(item);
        }
    }

    /// Whether a question waits for a worker.
    pub fn has_waiting(&self) -> bool {
        self.channels.values().any(|questions| !questions.waiting.is_empty())
    }

    fn take(&mut self, ticket: u32) -> Option<(&mut TopicQuestions<L>, OpenQuestion)> {
        self.channels.values_mut().find_map(|questions| {
            let item = questions.given.remove(&ticket)?;
            Some((questions, item))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Asked = OpenQuestions<&'static str>;

    fn asked(channel: Channel, count: u8) -> Asked {
        let mut open = Asked::default();
        open.ask(channel, (0..count).map(|question| vec![question]).collect(), "view");
        open
    }

    #[test]
    fn replies_find_who_asked_with_the_index_of_the_question() {
        let mut open = asked(Channel::Rules, 2);
        let (first, second) = (open.next(true), open.next(true));
        let (Some((first, _)), Some((second, question))) = (first, second) else { panic!("nothing to ask") };
        assert_eq!((question, open.next(true)), (vec![1], None));
        assert_eq!(open.replied(second, vec![42]), Some(("view", (1, Ok(vec![42])))));
        // A second reply is not wanted.
        assert_eq!((open.replied(second, vec![42]), open.is_wanted(first)), (None, true));
    }

    #[test]
    fn new_questions_about_a_topic_replace_the_earlier_ones() {
        let mut open = asked(Channel::Rules, 1);
        let Some((ticket, _)) = open.next(true) else { panic!("nothing to ask") };
        open.ask(Channel::Rules, vec![vec![7]], "another view");
        assert!(!open.is_wanted(ticket));
        assert_eq!(
            (open.replied(ticket, vec![1]), open.next(true).map(|(_, question)| question)),
            (None, Some(vec![7]))
        );
        open.forget(Channel::Rules);
        assert!(!open.has_waiting());
    }

    #[test]
    fn what_a_person_waits_for_is_kept_apart_from_the_background() {
        let mut open = asked(Channel::Gallery(0), 1);
        open.ask(Channel::BestMapping, vec![vec![9]], "mapping");
        assert_eq!(open.next(false).map(|(_, question)| question), Some(vec![9]));
        assert_eq!(open.next(false), None);
        assert_eq!(open.next(true).map(|(_, question)| question), Some(vec![0]));
    }

    #[test]
    fn a_question_at_which_a_worker_fails_is_put_once_more() {
        let mut open = asked(Channel::Rules, 1);
        let Some((ticket, question)) = open.next(true) else { panic!("nothing to ask") };
        assert_eq!(open.failed(ticket, "it trapped"), None);
        let Some((again, same)) = open.next(true) else { panic!("it is not put again") };
        assert_eq!(same, question);
        // A worker that could not be asked has not failed.
        open.put_back(again);
        let Some((last, _)) = open.next(true) else { panic!("it is not put again") };
        assert_eq!(open.failed(last, "it trapped again"), Some(("view", (0, Err("it trapped again".to_owned())))));
    }
}
