//! Questions that views ask workers, besides the sweep.
//!
//! A question is a type, with its reply as associated type and its handler beside it, in the file of its subject. The
//! page asks by `app::workers::ask::use_answers`, which tracks replies, failures, and replies to questions about an
//! earlier design. Questions on a [`Channel`] go to any free worker; new ones on the same channel replace all
//! earlier ones. To add a question, write its type in the file of its subject and name it in the list below. It should
//! take well below a second, so that a person can stop it and sees progress; longer work is a job (`jobs.rs`).

mod attention;
mod channel;
mod cores;
mod designs;
mod gallery;
mod hierarchies;
mod jobs;
mod last_value_cache;
mod layer;
mod neighbours;
mod online;
mod results;
mod sequences;
mod stacks;
mod trace;

pub use attention::{DivideStep, Generate, ReplayDataflows, ScheduleAttention, TileAttention, TraceAttention};
pub use channel::Channel;
pub use cores::{CoresMethod, CoresSummary, EvaluateCores, RunAlone};
pub use designs::TimeDesigns;
pub use gallery::{CheckClaim, CheckVariant, FindLessonMistakes, LessonNumbers};
pub use hierarchies::{OpenHierarchy, UnrollHierarchies, UnrolledEnergies};
pub use jobs::{QuestionJob, RunCores, RunDesigns, RunHierarchies, RunImprovement, RunStacks, RunTiles};
pub use layer::{
    BestMapping, ConstrainedOutcome, EvaluateMapping, FindAllowedMapping, FindBestCost, FindBestMapping,
    FindUnrollings, FoundCost, SearchByStrategy,
};
pub use neighbours::{CompareCut, CompareNeighbour};
pub use online::{DecideOnline, DecideOnlineAndSearch, SearchFindings, TimeSearch, Timed};
pub use results::{FileResults, ReadResults};
pub use sequences::AskSequences;
pub use stacks::StepFusions;
pub use trace::{TraceLoops, TraceTileLoops, TraceTiles};

use fusescape_engine::explore::study::DesignSampler;
use fusescape_engine::explore::{CostStore, StackSearch};
use fusescape_engine::hierarchy::Exploration;
use fusescape_engine::multicore::{CoresSearch, TileSearch};
use fusescape_gallery::ClaimEvaluator;
use fusescape_spec::Diagnostics;
use jobs::Bench;
use last_value_cache::LastValueCache;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A question to a worker.
pub trait Query: Into<Question> + Clone + PartialEq + 'static {
    type Reply: Serialize + DeserializeOwned + Clone + PartialEq + 'static;

    /// Answers it.
    ///
    /// # Errors
    /// The reason why it is invalid.
    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply>;
}

/// A reply, or the reason why there is none.
pub type Reply<T> = Result<T, Refusal>;

/// The reason why a question has no reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Refusal {
    /// The question is invalid; holds all its errors.
    Rejected(Diagnostics),
    /// No worker could answer; holds the reason, a sentence.
    Failed(String),
}

impl Refusal {
    /// Rejects an index that does not exist: there are `count`, from 0.
    fn no_such(what: &str, number: usize, count: usize) -> Self {
        let mut diagnostics = Diagnostics::default();
        let remedy = match count.checked_sub(1) {
            Some(last) => format!("Ask for 0 to {last}"),
            None => format!("Ask for no {what}"),
        };
        diagnostics.add("", format!("There is no {what} {number}"), remedy);
        Self::Rejected(diagnostics)
    }

    /// The first reason.
    pub fn reason(&self) -> &str {
        match self {
            Self::Rejected(wrong) => wrong.0.first().map_or("", |first| &first.reason),
            Self::Failed(text) => text,
        }
    }

    /// All reasons; a failure is a single diagnostic.
    pub fn into_diagnostics(self) -> Diagnostics {
        match self {
            Self::Rejected(wrong) => wrong,
            Self::Failed(text) => {
                let mut diagnostics = Diagnostics::default();
                diagnostics.add("", text, "Change something, so that it is tried again");
                diagnostics
            }
        }
    }
}

impl From<Diagnostics> for Refusal {
    fn from(wrong: Diagnostics) -> Self {
        Self::Rejected(wrong)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(wrong) => {
                let reasons: Vec<String> = wrong.0.iter().map(ToString::to_string).collect();
                f.write_str(&reasons.join(" "))
            }
            Self::Failed(text) => f.write_str(text),
        }
    }
}

/// Defines the message type and its handler from the list of all questions.
macro_rules! questions {
    ($($question:ident),* $(,)?) => {
        /// Any question, as a message.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Question {
            $($question($question)),*
        }

        $(impl From<$question> for Question {
            fn from(question: $question) -> Self {
                Self::$question(question)
            }
        })*

        impl QueryEngine {
            /// Answers any question with the bytes of an [`Reply`].
            ///
            /// # Errors
            /// Never for the replies of this module.
            pub fn answer(&mut self, question: Question) -> Result<Vec<u8>, postcard::Error> {
                match question {
                    $(Question::$question(question) => postcard::to_stdvec(&question.answer(self))),*
                }
            }
        }
    };
}

questions! {
    FindBestMapping,
    FindAllowedMapping,
    EvaluateMapping,
    FindBestCost,
    FindUnrollings,
    SearchByStrategy,
    RunStacks,
    StepFusions,
    AskSequences,
    DecideOnline,
    DecideOnlineAndSearch,
    TimeSearch,
    RunTiles,
    RunAlone,
    EvaluateCores,
    CoresSummary,
    OpenHierarchy,
    UnrollHierarchies,
    CheckClaim,
    LessonNumbers,
    FindLessonMistakes,
    CheckVariant,
    ScheduleAttention,
    TileAttention,
    TraceAttention,
    Generate,
    DivideStep,
    ReplayDataflows,
    TraceTiles,
    TraceTileLoops,
    TraceLoops,
    CompareNeighbour,
    CompareCut,
    ReadResults,
    TimeDesigns,
    RunHierarchies,
    RunDesigns,
    RunCores,
    RunImprovement,
}

/// Milliseconds since a fixed moment.
pub type Clock = fn() -> f64;

/// Answers questions, with caches for common parts.
#[derive(Default)]
pub struct QueryEngine {
    layer: LastValueCache<layer::LayerRequestKey, layer::AskedLayer>,
    stacks: Bench<StackSearch>,
    trace: LastValueCache<trace::SweepKey, trace::AskedSweep>,
    neighbours: LastValueCache<neighbours::PointKey, neighbours::AskedPoint>,
    online: LastValueCache<online::DesignKey, online::AskedDesign>,
    papers: online::Papers,
    cores: Bench<CoresSearch>,
    tiles: Bench<TileSearch>,
    hierarchies: Bench<Exploration>,
    designs: Bench<DesignSampler>,
    gallery: ClaimEvaluator,
    /// Costs of mapping problems of neighbours, for all requests.
    costs: CostStore,
    clock: Option<Clock>,
}

impl QueryEngine {
    /// An answerer that measures times and returns from long work after a time slice.
    pub fn with_clock(clock: Clock) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Answers a question.
    ///
    /// # Errors
    /// The reason why it is invalid.
    pub fn ask<Q: Query>(&mut self, question: Q) -> Reply<Q::Reply> {
        question.answer(self)
    }
}
