//! Studies of a transformer on a core: one step, with the best schedule of attention of every kind; generation with a cache.

use crate::attention::published::{self, COMPULSORY, Dataflow, Replay, Rules, best_flat, replay};
use crate::attention::{
    ElementBits, Generation, LayerSchedule, Machine, Shape, Step, Transformer, generate, schedule_layer,
};
use crate::hardware::Core;
use crate::search::Objective;
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// A transformer on a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionRequest {
    /// Hardware document.
    pub hardware: String,
    /// Transformer document.
    pub model: String,
    /// What is computed.
    pub step: Step,
    /// Bits of elements.
    pub bits: ElementBits,
    /// What is minimised.
    pub objective: Objective,
}

/// Documents that were validated.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionStudy {
    /// The core as attention sees it.
    pub machine: Machine,
    /// The model.
    pub model: Transformer,
    request: AttentionRequest,
}

/// Most tokens of a step, and most sequences.
const MOST: u64 = 1 << 24;

impl AttentionStudy {
    /// Validates a request.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it; paths begin with `hardware.`, `model.` or `step.`.
    pub fn new(request: &AttentionRequest) -> Result<Self, Diagnostics> {
        let machine = Core::from_text(&request.hardware)
            .map_err(|wrong| wrong.under("hardware"))
            .and_then(|core| Machine::of(&core));
        let model = Transformer::from_text(&request.model).map_err(|wrong| wrong.under("model"));
        let step = check_step(&request.step);
        match (machine, model, step) {
            (Ok(machine), Ok(model), Ok(())) => Ok(Self { machine, model, request: request.clone() }),
            (machine, model, step) => {
                let all = [machine.err(), model.err(), step.err()];
                Err(Diagnostics(all.into_iter().flatten().flat_map(|wrong| wrong.0).collect()))
            }
        }
    }

    /// Schedules one layer of the step.
    ///
    /// # Errors
    ///
    /// As [`schedule_layer`].
    pub fn layer(&self) -> Result<LayerSchedule, Diagnostics> {
        let AttentionRequest { step, bits, objective, .. } = &self.request;
        schedule_layer(&self.model, step, *bits, &self.machine, objective)
    }

    /// Generation of so many tokens after the step's tokens as a prompt.
    ///
    /// # Errors
    ///
    /// As [`generate`].
    pub fn generation(&self, generated: u64) -> Result<Generation, Diagnostics> {
        let AttentionRequest { step, bits, objective, .. } = &self.request;
        let prompt = step.cached + step.tokens;
        generate(&self.model, (step.batch, prompt, generated), *bits, &self.machine, objective)
    }

    /// The dataflows of the FuseMax artifact for the step's attention, each on its own machine; FLAT in its best configuration.
    ///
    /// # Errors
    ///
    /// As [`replay`].
    pub fn published(&self, rules: &Rules) -> Result<Vec<(Dataflow, Replay)>, Diagnostics> {
        let Step { batch, tokens, .. } = self.request.step;
        let shape = Shape::of_sequence(batch, self.model.heads, self.model.depth, tokens);
        let (found, _) = best_flat(&shape, &published::Machine::FLAT_CLOUD, rules)?;
        let all = [
            Dataflow::Unfused(COMPULSORY),
            Dataflow::Flat(found),
            Dataflow::Cascade,
            Dataflow::Architecture,
            Dataflow::Binding,
        ];
        all.into_iter().map(|dataflow| Ok((dataflow, replay(&dataflow, &shape, &dataflow.cloud(), rules)?))).collect()
    }
}

fn check_step(step: &Step) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for (name, size, least) in
        [("step.batch", step.batch, 1), ("step.tokens", step.tokens, 1), ("step.cached", step.cached, 0)]
    {
        if size < least || size > MOST {
            diagnostics.add(name, format!("It is {size}"), format!("Write {least} to {MOST}"));
        }
    }
    diagnostics.or(())
}
