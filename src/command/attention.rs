//! A transformer on a core: one step, with its attention in the best schedule of every kind; generation with a cache;
//! the published dataflows. On several cores: every way to divide the step among them.

use super::{CommandError, ProgressMonitor, unless_stopped};
use fusescape_engine::attention::published::{Dataflow, Replay, Rules};
use fusescape_engine::attention::{Cores, Generation, LayerSchedule, Split, SplitCost};
use fusescape_engine::explore::{AttentionProblem, AttentionRequest};
use fusescape_engine::ties;
use fusescape_engine::transformer::Transformer;
use fusescape_spec::Diagnostics;

/// A step, and the generation after it.
pub struct AttentionReport {
    pub request: AttentionRequest,
    /// The validated request.
    pub study: AttentionProblem,
    /// One layer of the step.
    pub layer: LayerSchedule,
    /// `None` if it was not requested.
    pub generation: Option<Generation>,
}

/// Generation after the step's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratedTokens {
    /// Number of tokens.
    pub tokens: u64,
    /// Tokens of the prompt that are read at a time; `None` for all.
    pub chunk: Option<u64>,
}

/// Schedules a step of a transformer, and the generation of tokens after it.
///
/// # Errors
/// All errors of documents and sizes, or parts that do not fit; or it was stopped.
pub fn attention(
    request: AttentionRequest,
    generated: Option<GeneratedTokens>,
    monitor: &dyn ProgressMonitor,
) -> Result<AttentionReport, CommandError> {
    let study = AttentionProblem::new(&request)?;
    // Checked before the step, which may take long.
    let sequences = generated.map(|GeneratedTokens { tokens, chunk }| study.sequences(tokens, chunk)).transpose()?;
    monitor.begin(1 + usize::from(generated.is_some()), "steps and generations");
    let layer = unless_stopped(monitor, study.layer()?)?;
    monitor.advance(1);
    let generation = sequences.map(|sequences| study.generation(&sequences)).transpose()?;
    monitor.end();
    unless_stopped(monitor, AttentionReport { request, study, layer, generation })
}

/// A step on several cores, divided in every way.
pub struct DivisionReport {
    pub request: AttentionRequest,
    pub cores: Cores,
    /// Name of the core in the hardware document.
    pub core: String,
    pub model: Transformer,
    /// The step on one core.
    pub one: SplitCost,
    /// The step on all cores, the best division first.
    pub costs: Vec<SplitCost>,
    /// Impossible divisions, with reasons.
    pub refused: Vec<(Split, Diagnostics)>,
}

/// Divides a step among several equal cores, in every way that uses all of them.
///
/// # Errors
/// All errors of documents, sizes and cores, a step that one core cannot compute; or it was stopped.
pub fn on_cores(
    request: AttentionRequest,
    cores: Cores,
    monitor: &dyn ProgressMonitor,
) -> Result<DivisionReport, CommandError> {
    let study = AttentionProblem::new(&request)?;
    let one = study.on_cores(&cores, &Split::ONE)?;
    let splits = Split::all(cores.count);
    monitor.begin(splits.len(), "ways to divide the step");
    let (mut costs, mut refused) = (Vec::new(), Vec::new());
    for split in splits {
        match study.on_cores(&cores, &split) {
            Ok(cost) => costs.push(cost),
            Err(why) => refused.push((split, why)),
        }
        monitor.advance(1);
        unless_stopped(monitor, ())?;
    }
    monitor.end();
    let costs = ties::ranked(costs, |cost| (cost.figures(&request.objective, &study.machine), ()));
    let (core, model) = (study.machine.name.clone(), study.model.clone());
    Ok(DivisionReport { request, cores, core, model, one, costs, refused })
}

/// The dataflows of the FuseMax artifact, each on its own machine.
pub struct PublishedReport {
    /// Each dataflow with its costs.
    pub replays: Vec<(Dataflow, Replay)>,
}

/// Prices the dataflows of the FuseMax artifact for the heads and tokens of a step. `as_published`: with the defects of
/// the artifact.
///
/// # Errors
/// All errors of documents and sizes.
pub fn published(request: &AttentionRequest, as_published: bool) -> Result<PublishedReport, CommandError> {
    let rules = if as_published { Rules::FUSEMAX_2024 } else { Rules::CORRECTED };
    Ok(PublishedReport { replays: AttentionProblem::new(request)?.published(&rules)? })
}
