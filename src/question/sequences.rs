//! Questions about the sequences that HW-Flow-Fusion can fuse.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::explore::{Request, SequenceFinding, SequenceQuestion, find_sequences};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// What is the answer to a question about sequences of a network?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskSequences {
    /// The design.
    pub request: Rc<Request>,
    /// The kind of question, and its sequence.
    pub about: SequenceQuestion,
}

impl Query for AskSequences {
    type Reply = SequenceFinding;

    fn answer(self, engine: &mut QueryEngine) -> Reply<SequenceFinding> {
        Ok(find_sequences(engine.sweep(self.request)?, self.about)?)
    }
}
