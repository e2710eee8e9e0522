//! Costs of sequences on more or less hardware (HW-Flow-Fusion, Figs. 16 to 19).

use super::sequences::{LayersCost, PARAMETERS, fused_run, single_run};
use crate::interlayer::{
    Accelerator, Chain, ChainLayer, FusionMode, MOST_PARTS, PeArray, REGISTER_BYTES, RegisterFile, ScheduleStep,
    schedule_chain,
};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A resource of the accelerator that is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Resource {
    /// The PE array (Figs. 18 and 19).
    Array,
    /// The on-chip buffer.
    Buffer,
    /// The register file of each PE (Figs. 16 and 17).
    Registers,
}

impl Resource {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Array, Self::Buffer, Self::Registers];

    /// For an axis.
    pub fn title(self) -> &'static str {
        match self {
            Self::Array => "PE array",
            Self::Buffer => "on-chip buffer",
            Self::Registers => "register file of a PE",
        }
    }

    /// The powers of two by which the design's own value is multiplied.
    pub fn steps(self) -> RangeInclusive<i32> {
        match self {
            Self::Array => -2..=2,
            Self::Buffer => -4..=2,
            Self::Registers => -1..=3,
        }
    }

    /// The accelerator at a step, the amount of the resource there, and its name. Of an array, columns are doubled
    /// first, and rows are halved first.
    fn at(self, step: i32, own: &Accelerator) -> (Accelerator, u64, String) {
        let scaled = |value: u64, step: i32| {
            if step < 0 { (value >> step.unsigned_abs()).max(1) } else { value.saturating_mul(1 << step) }
        };
        match self {
            Self::Array => {
                let rows = step.div_euclid(2);
                let array =
                    PeArray { columns: scaled(own.array.columns, step - rows), rows: scaled(own.array.rows, rows) };
                let name = format!("{} × {}", array.columns, array.rows);
                (Accelerator { array, ..*own }, array.columns.saturating_mul(array.rows), name)
            }
            Self::Buffer => {
                let buffer = scaled(own.buffer, step);
                (Accelerator { buffer, ..*own }, buffer, String::new())
            }
            Self::Registers => {
                let bytes = scaled(REGISTER_BYTES, step);
                (Accelerator { registers: RegisterFile::of(bytes), ..*own }, bytes, String::new())
            }
        }
    }
}

/// The cost of some layers at one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResourceStep {
    /// The resource that is varied.
    pub resource: Resource,
    /// Number of doublings from the design.
    pub step: i32,
    /// PEs, or bytes.
    pub value: u64,
    /// Its name for a person, if not its number of bytes.
    pub name: String,
    /// Layer by layer, by temporal and by spatial fusion; nothing where they do not fit.
    pub runs: [Option<LayersCost>; 3],
    /// The runs of which these are sums, one after another; none where layers do not fit.
    pub parts: [Vec<StepRun>; 3],
    /// Cycles if every PE worked in each cycle.
    pub ideal_cycles: u64,
    /// Operations of all layers.
    pub operations: u64,
    /// PEs of the array.
    pub pes: u64,
}

/// A unit that runs at once: a single layer, or fused layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRun {
    /// Names of the layers.
    pub layers: Vec<String>,
    /// Its cost.
    pub run: LayersCost,
}

/// One step, for some layers fused, or for all chains as the method schedules them with at most [`MOST_PARTS`] layers in a sequence.
pub(super) fn resource_step(
    chains: &[Chain],
    sequence: Option<&[ChainLayer]>,
    resource: Resource,
    step: i32,
    own: &Accelerator,
) -> ResourceStep {
    let step = step.clamp(*resource.steps().start(), *resource.steps().end());
    let (accelerator, value, name) = resource.at(step, own);
    let all = chains.iter().flat_map(|chain| chain.layers());
    let layers: Vec<&ChainLayer> = sequence.map_or_else(|| all.collect(), |layers| layers.iter().collect());
    let names = |layers: &[ChainLayer]| layers.iter().map(|layer| layer.name.clone()).collect();
    let fused = |mode: FusionMode| match sequence {
        Some(layers) => {
            fused_run(layers, mode, &accelerator).map(|fused| vec![StepRun { layers: names(layers), run: fused.run }])
        }
        None => {
            let runs = chains.iter().map(|chain| {
                let steps = schedule_chain(chain, mode, MOST_PARTS, &accelerator, &PARAMETERS)?;
                let run = |step: &ScheduleStep| {
                    let layers = match step {
                        ScheduleStep::Single(layer, _) => *layer..*layer + 1,
                        ScheduleStep::Fused(layers, _) => layers.clone(),
                    };
                    let layers = names(chain.layers().get(layers).unwrap_or_default());
                    StepRun { layers, run: LayersCost::of(step.cost(), &accelerator) }
                };
                Some(steps.iter().map(run).collect::<Vec<_>>())
            });
            runs.collect::<Option<Vec<_>>>().map(|runs| runs.concat())
        }
    };
    let operations = layers.iter().map(|layer| layer.operations()).fold(0_u64, u64::saturating_add);
    let pes = accelerator.array.columns.saturating_mul(accelerator.array.rows).max(1);
    let single =
        |layer: &&ChainLayer| Some(StepRun { layers: vec![layer.name.clone()], run: single_run(layer, &accelerator)? });
    let [temporal, spatial] = FusionMode::ALL.map(fused);
    let parts = [layers.iter().map(single).collect(), temporal, spatial].map(Option::unwrap_or_default);
    ResourceStep {
        resource,
        step,
        value,
        name,
        runs: parts.each_ref().map(|parts| LayersCost::sum(parts.iter().map(|part| Some(part.run)))),
        parts,
        ideal_cycles: operations.div_ceil(pes),
        operations,
        pes,
    }
}
