//! What the views ask of a worker besides a sweep: each question stands by itself and has one reply.
//!
//! A view asks about its topic with any number of questions at once; they go to whichever worker is free, and the replies come
//! back one by one with the index of their question. New questions about a topic replace all earlier ones. To add a kind, add
//! a variant to [`Question`] and to [`Reply`], and answer it in [`Answerer::answer`]; `app::inquiries` does the rest. A question
//! should take well below a second, so that a person can stop and sees progress: cut longer work into several.

use crate::cost::Flaw;
use crate::explore::{LayerFacts, LayerRequest, LayerStudy, MappedLayer, TemporalMapping};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// What questions are about: a view may use several topics that do not disturb each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Topic {
    /// The best mapping of the layer at hand.
    BestMapping,
    /// What the mapping made by hand costs.
    OwnMapping,
    /// The layer under other rules.
    Rules,
}

impl Topic {
    /// Whether the sweep goes first; otherwise a person waits for these replies.
    pub fn is_background(self) -> bool {
        match self {
            Self::BestMapping | Self::OwnMapping => false,
            Self::Rules => true,
        }
    }
}

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// The best mapping of a layer.
    BestMapping(Box<LayerRequest>),
    /// What a mapping made by hand costs.
    OwnMapping(Box<LayerRequest>, TemporalMapping),
    /// What the best mapping of a layer costs, and no more.
    BestCost(Box<LayerRequest>),
}

/// What is replied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The best mapping of a layer, or why there is none.
    BestMapping(Box<LayerFacts>, Result<Box<MappedLayer>, Diagnostics>),
    /// What a mapping made by hand costs, or all that is wrong with it.
    OwnMapping(Result<Box<MappedLayer>, Vec<Flaw>>),
    /// Energy in pJ and latency in cycles of the best mapping, or why there is none.
    BestCost(Result<(f64, u64), Diagnostics>),
    /// The question makes no sense: everything that is wrong with it.
    Rejected(Diagnostics),
    /// Nobody could answer, as two workers failed on it.
    Failed(String),
}

/// Answers questions; remembers what neighbouring questions share.
#[derive(Default)]
pub struct Answerer {
    study: Option<(LayerRequest, LayerStudy)>,
}

impl Answerer {
    /// Answers one question.
    pub fn answer(&mut self, question: Question) -> Reply {
        match question {
            Question::BestMapping(request) => match self.study(*request) {
                Ok(study) => Reply::BestMapping(Box::new(study.facts()), study.best().map(Box::new)),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::OwnMapping(request, mapping) => match self.study(*request) {
                Ok(study) => Reply::OwnMapping(study.cost(&mapping).map(Box::new)),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::BestCost(request) => match self.study(*request) {
                Ok(study) => Reply::BestCost(study.best().map(|best| (best.energy_pj(), best.cycles.total))),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
        }
    }

    fn study(&mut self, request: LayerRequest) -> Result<&LayerStudy, Diagnostics> {
        let known = self.study.take().filter(|(known, _)| *known == request);
        let study = match known {
            Some(known) => known,
            None => {
                let study = LayerStudy::new(&request)?;
                (request, study)
            }
        };
        Ok(&self.study.insert(study).1)
    }
}
