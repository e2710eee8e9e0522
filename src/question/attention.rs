//! Questions about a transformer on a core.

use super::{Answer, Answerer, Ask};
use fusescape_engine::attention::published::Rules;
use fusescape_engine::attention::{Cores, Fusion, Generation, KeyStore, Split, SplitCost};
use fusescape_engine::explore::{
    AttentionAnswer, AttentionRequest, AttentionStudy, AttentionTiles, FollowedAttention, FollowedSchedule,
    PublishedDataflow,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// What are the best schedules of every kind for one step?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduleAttention(pub Rc<AttentionRequest>);

impl Ask for ScheduleAttention {
    type Reply = AttentionAnswer;

    fn answer(self, _: &mut Answerer) -> Answer<AttentionAnswer> {
        Ok(AttentionStudy::new(&self.0)?.answer()?)
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

impl Ask for TileAttention {
    type Reply = AttentionTiles;

    fn answer(self, _: &mut Answerer) -> Answer<AttentionTiles> {
        Ok(AttentionStudy::new(&self.request)?.tiles(self.fusion, self.keys_in)?)
    }
}

/// What are the steps of a schedule?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowAttention {
    pub request: Rc<AttentionRequest>,
    pub schedule: FollowedSchedule,
    /// Where keys and values are held.
    pub keys_in: KeyStore,
}

impl Ask for FollowAttention {
    type Reply = Rc<FollowedAttention>;

    fn answer(self, _: &mut Answerer) -> Answer<Self::Reply> {
        Ok(Rc::new(AttentionStudy::new(&self.request)?.motion(&self.schedule, self.keys_in)?))
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

impl Ask for Generate {
    type Reply = Generation;

    fn answer(self, _: &mut Answerer) -> Answer<Generation> {
        let mut request = (*self.request).clone();
        request.step.batch = self.batch;
        let study = AttentionStudy::new(&request)?;
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

impl Ask for DivideStep {
    /// With its score; smaller is better.
    type Reply = (SplitCost, f64);

    fn answer(self, _: &mut Answerer) -> Answer<(SplitCost, f64)> {
        let study = AttentionStudy::new(&self.request)?;
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

impl Ask for ReplayDataflows {
    type Reply = Vec<PublishedDataflow>;

    fn answer(self, _: &mut Answerer) -> Answer<Vec<PublishedDataflow>> {
        let rules = if self.as_published { Rules::FUSEMAX_2024 } else { Rules::CORRECTED };
        Ok(AttentionStudy::new(&self.request)?.published_dataflows(&rules)?)
    }
}
