//! The bookkeeping of questions that views ask besides the sweep. Knows nothing of workers or of the browser, and questions and
//! replies only as bytes, so that the code to read them stays with those who ask.

use crate::question::Topic;
use std::collections::{BTreeMap, VecDeque};
use yew::Callback;

/// The bytes of a reply, or why nobody could answer.
pub type Reply = Result<Vec<u8>, String>;

/// A reply, and who waits for it. It is given when nobody holds the workers, as who hears it may ask the next question.
pub type Delivery = (Callback<(usize, Reply)>, (usize, Reply));

/// All open questions.
#[derive(Default)]
pub struct OpenQuestions {
    topics: BTreeMap<Topic, Inquiry>,
    tickets: u32,
}

/// What was asked last about a topic.
struct Inquiry {
    on_reply: Callback<(usize, Reply)>,
    waiting: VecDeque<Item>,
    /// What workers are at, by ticket.
    given: BTreeMap<u32, Item>,
}

#[derive(Clone)]
struct Item {
    index: usize,
    question: Vec<u8>,
    /// Whether a worker failed on it before.
    failed: bool,
}

impl OpenQuestions {
    /// Asks about a topic; whatever was asked about it before is forgotten. Every question gets one reply.
    pub fn ask(&mut self, topic: Topic, questions: Vec<Vec<u8>>, on_reply: Callback<(usize, Reply)>) {
        let item = |(index, question)| Item { index, question, failed: false };
        let waiting = questions.into_iter().enumerate().map(item).collect();
        self.topics.insert(topic, Inquiry { on_reply, waiting, given: BTreeMap::new() });
    }

    /// Forgets a topic.
    pub fn forget(&mut self, topic: Topic) {
        self.topics.remove(&topic);
    }

    /// The next question for a worker, with its ticket; `background` chooses between the two kinds of topics.
    pub fn next(&mut self, background: bool) -> Option<(u32, Vec<u8>)> {
        let mut topics = self.topics.iter_mut().filter(|(topic, _)| topic.is_background() == background);
        let (inquiry, item) = topics.find_map(|(_, inquiry)| {
            let item = inquiry.waiting.pop_front()?;
            Some((inquiry, item))
        })?;
        self.tickets += 1;
        inquiry.given.insert(self.tickets, item.clone());
        Some((self.tickets, item.question))
    }

    /// Whether someone still waits for the reply.
    pub fn is_wanted(&self, ticket: u32) -> bool {
        self.topics.values().any(|inquiry| inquiry.given.contains_key(&ticket))
    }

    /// A worker replied.
    pub fn replied(&mut self, ticket: u32, reply: Vec<u8>) -> Option<Delivery> {
        let (inquiry, item) = self.take(ticket)?;
        Some((inquiry.on_reply.clone(), (item.index, Ok(reply))))
    }

    /// A worker failed on a question; it is put again once.
    pub fn failed(&mut self, ticket: u32, text: &str) -> Option<Delivery> {
        let (inquiry, item) = self.take(ticket)?;
        if item.failed {
            return Some((inquiry.on_reply.clone(), (item.index, Err(text.to_owned()))));
        }
        inquiry.waiting.push_front(Item { failed: true, ..item });
        None
    }

    /// A worker could not be asked; the question is put again.
    pub fn put_back(&mut self, ticket: u32) {
        if let Some((inquiry, item)) = self.take(ticket) {
            inquiry.waiting.push_front(item);
        }
    }

    /// Whether a question waits for a worker.
    pub fn has_waiting(&self) -> bool {
        self.topics.values().any(|inquiry| !inquiry.waiting.is_empty())
    }

    fn take(&mut self, ticket: u32) -> Option<(&mut Inquiry, Item)> {
        self.topics.values_mut().find_map(|inquiry| {
            let item = inquiry.given.remove(&ticket)?;
            Some((inquiry, item))
        })
    }
}
