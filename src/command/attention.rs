//! A transformer on a core: one step, its attention in the best schedule of every kind; generation with a cache; the published dataflows.

use super::{NoResult, Watch, unless_stopped};
use crate::attention::published::{Dataflow, Replay, Rules};
use crate::attention::{Generation, LayerSchedule};
use crate::explore::{AttentionRequest, AttentionStudy};

/// A step, and what follows it.
pub struct AttentionReport {
    /// What was asked.
    pub request: AttentionRequest,
    /// The same, validated.
    pub study: AttentionStudy,
    /// One layer of the step.
    pub layer: LayerSchedule,
    /// Generation, where it was asked for.
    pub generation: Option<Generation>,
}

/// What is generated after the step's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generated {
    /// Tokens.
    pub tokens: u64,
    /// Tokens of the prompt that are read at a time; `None`: all.
    pub chunk: Option<u64>,
}

/// Schedules a step of a transformer, and the generation of tokens after it.
///
/// # Errors
/// All that is wrong with documents and sizes, what does not fit, or it was stopped.
pub fn attention(
    request: AttentionRequest,
    generated: Option<Generated>,
    watch: &dyn Watch,
) -> Result<AttentionReport, NoResult> {
    let study = AttentionStudy::new(&request)?;
    watch.begin(1 + usize::from(generated.is_some()), "steps and generations");
    let layer = unless_stopped(watch, study.layer()?)?;
    watch.advance(1);
    let generation = generated.map(|Generated { tokens, chunk }| study.generation(tokens, chunk)).transpose()?;
    watch.end();
    unless_stopped(watch, AttentionReport { request, study, layer, generation })
}

/// The dataflows of the FuseMax artifact, each on its own machine.
pub struct PublishedReport {
    /// Each, with all that adds up to it.
    pub replays: Vec<(Dataflow, Replay)>,
}

/// Prices the dataflows of the FuseMax artifact for the heads and tokens of a step. `as_published`: with the defects of the artifact.
///
/// # Errors
/// All that is wrong with documents and sizes.
pub fn published(request: &AttentionRequest, as_published: bool) -> Result<PublishedReport, NoResult> {
    let rules = if as_published { Rules::FUSEMAX_2024 } else { Rules::CORRECTED };
    Ok(PublishedReport { replays: AttentionStudy::new(request)?.published(&rules)? })
}
