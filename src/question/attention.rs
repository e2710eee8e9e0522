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

/// One step, its attention in the best schedule of every kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScheduleAttention(pub Rc<AttentionRequest>);

impl Ask for ScheduleAttention {
    type Reply = AttentionAnswer;

    fn answer(self, _: &mut Answerer) -> Answer<AttentionAnswer> {
        Ok(AttentionStudy::new(&self.0)?.answer()?)
    }
}

/// What a kind of schedule costs over tiles of queries and keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TileAttention {
    /// Of what.
    pub request: Rc<AttentionRequest>,
    /// The kind.
    pub fusion: Fusion,
    /// Where keys and values are.
    pub keys_in: KeyStore,
}

impl Ask for TileAttention {
    type Reply = AttentionTiles;

    fn answer(self, _: &mut Answerer) -> Answer<AttentionTiles> {
        Ok(AttentionStudy::new(&self.request)?.tiles(self.fusion, self.keys_in)?)
    }
}

/// A schedule, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowAttention {
    /// Of what.
    pub request: Rc<AttentionRequest>,
    /// Which.
    pub schedule: FollowedSchedule,
    /// Where keys and values are.
    pub keys_in: KeyStore,
}

impl Ask for FollowAttention {
    type Reply = Rc<FollowedAttention>;

    fn answer(self, _: &mut Answerer) -> Answer<Self::Reply> {
        Ok(Rc::new(AttentionStudy::new(&self.request)?.motion(&self.schedule, self.keys_in)?))
    }
}

/// Generation with so many sequences at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Of what; its tokens are the prompt.
    pub request: Rc<AttentionRequest>,
    /// Tokens that follow.
    pub generated: u64,
    /// Tokens of the prompt that are read at a time; `None`: all.
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

/// The step, divided among several cores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DivideStep {
    /// Of what.
    pub request: Rc<AttentionRequest>,
    /// The cores, all alike.
    pub cores: Cores,
    /// Who computes what.
    pub split: Split,
}

impl Ask for DivideStep {
    /// With its score, of which the least is the best.
    type Reply = (SplitCost, f64);

    fn answer(self, _: &mut Answerer) -> Answer<(SplitCost, f64)> {
        let study = AttentionStudy::new(&self.request)?;
        let cost = study.on_cores(&self.cores, &self.split)?;
        Ok((cost, cost.score(&self.request.objective, &study.machine)))
    }
}

/// The dataflows of the FuseMax artifact for the same attention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayDataflows {
    /// Of what.
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
