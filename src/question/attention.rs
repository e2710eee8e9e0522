//! Questions about a transformer on a core.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::attention::published::Rules;
use fusescape_engine::attention::{Cores, Fusion, Generation, KeyStore, Split, SplitCost};
use fusescape_engine::explore::{
    AttentionAnswer, AttentionProblem, AttentionRequest, AttentionTiles, AttentionTrace, PublishedDataflow,
    TracedSchedule,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// What are the best schedules of every kind for one step?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduleAttention(pub Rc<AttentionRequest>);

impl Query for ScheduleAttention {
    type Reply = AttentionAnswer;

    fn answer(self, _: &mut QueryEngine) -> Reply<AttentionAnswer> {
        Ok(AttentionProblem::new(&self.0)?.answer()?)
    }
}

/// What does a kind of schedule cost over tiles of queries and keys?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TileAttention {
    pub request: Rc<AttentionRequest>,
    /// The kind of schedule.
    pub fusion: Fusion,
    /// Where keys and values are held.
    pub keys_in: KeyStore,
}

impl Query for TileAttention {
    type Reply = AttentionTiles;

    fn answer(self, _: &mut QueryEngine) -> Reply<AttentionTiles> {
        Ok(AttentionProblem::new(&self.request)?.tiles(self.fusion, self.keys_in)?)
    }
}

/// What are the steps of a schedule?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceAttention {
    pub request: Rc<AttentionRequest>,
    pub schedule: TracedSchedule,
    /// Where keys and values are held.
    pub keys_in: KeyStore,
}

impl Query for TraceAttention {
    type Reply = Rc<AttentionTrace>;

    fn answer(self, _: &mut QueryEngine) -> Reply<Self::Reply> {
        Ok(Rc::new(AttentionProblem::new(&self.request)?.trace(&self.schedule, self.keys_in)?))
    }
}

/// What does generation cost with this batch?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Its tokens are the prompt.
    pub request: Rc<AttentionRequest>,
    /// Number of tokens to generate.
    pub generated: u64,
    /// Tokens of the prompt that are read at a time; `None` for all.
    pub chunk: Option<u64>,
    /// Sequences at a time, in place of those of the request.
    pub batch: u64,
}

impl Query for Generate {
    type Reply = Generation;

    fn answer(self, _: &mut QueryEngine) -> Reply<Generation> {
        let mut request = (*self.request).clone();
        request.step.batch = self.batch;
        let study = AttentionProblem::new(&request)?;
        Ok(study.generation(&study.sequences(self.generated, self.chunk)?)?)
    }
}

/// What does the step cost if it is divided among several cores?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DivideStep {
    pub request: Rc<AttentionRequest>,
    /// The cores, all equal.
    pub cores: Cores,
    /// The division of the work.
    pub split: Split,
}

impl Query for DivideStep {
    /// With its score; smaller is better.
    type Reply = (SplitCost, f64);

    fn answer(self, _: &mut QueryEngine) -> Reply<(SplitCost, f64)> {
        let study = AttentionProblem::new(&self.request)?;
        let cost = study.on_cores(&self.cores, &self.split)?;
        Ok((cost, cost.score(&self.request.objective, &study.machine)))
    }
}

/// What do the dataflows of the FuseMax artifact cost for the same attention?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayDataflows {
    pub request: Rc<AttentionRequest>,
    /// Whether defects of the artifact are kept.
    pub as_published: bool,
}

impl Query for ReplayDataflows {
    type Reply = Vec<PublishedDataflow>;

    fn answer(self, _: &mut QueryEngine) -> Reply<Vec<PublishedDataflow>> {
        let rules = if self.as_published { Rules::FUSEMAX_2024 } else { Rules::CORRECTED };
        Ok(AttentionProblem::new(&self.request)?.published_dataflows(&rules)?)
    }
}
