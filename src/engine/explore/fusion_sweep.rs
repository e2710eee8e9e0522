//! Sweeps of Optimus' memory cost over buffer, array and batch (Optimus, Figs. 16, 18 and 19). A step takes milliseconds, as no layer is
//! mapped.

use super::group_traffic::{GroupTraffic, TrafficUnits};
use super::sweep::Sweep;
use crate::fusion::document::operators_of;
use crate::fusion::{
    GroupCostModel, OperatorGraph, Scheme, Setting, Throughput, algorithm1, baselines, fuse, memory_cost,
};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Limit on the order ideals, beyond which the optimum is not proved.
const MOST_IDEALS: usize = 4_000;

/// The parameter that a sweep varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SweptParameter {
    /// The buffer's capacity, in bytes (Fig. 16).
    Buffer,
    /// The processing elements, along the loops that are unrolled (Fig. 18).
    Array,
    /// The batch (Fig. 19).
    Batch,
}

impl SweptParameter {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Buffer, Self::Array, Self::Batch];

    /// For an axis.
    pub fn title(self) -> &'static str {
        match self {
            Self::Buffer => "buffer",
            Self::Array => "processing elements",
            Self::Batch => "images in a batch",
        }
    }

    /// The powers of two by which the design's own value is multiplied; for the batch the powers of two themselves.
    pub fn steps(self) -> RangeInclusive<i32> {
        match self {
            Self::Buffer => -4..=4,
            Self::Array => -2..=2,
            Self::Batch => 0..=5,
        }
    }

    /// The setting at a step, and the value there.
    fn at(self, step: i32, (setting, pes): (Setting, u64)) -> (Setting, u64) {
        let scaled = |value: u64| {
            if step < 0 { (value >> step.unsigned_abs()).max(1) } else { value.saturating_mul(1 << step) }
        };
        match self {
            Self::Buffer => {
                let buffer_bytes = scaled(setting.buffer_bytes);
                (Setting { buffer_bytes, ..setting }, buffer_bytes)
            }
            Self::Array => {
                let Throughput { channels, rows } = setting.throughput;
                // Loops that are not unrolled stay so.
                let side = |unrolled: u64| if unrolled > 1 { scaled(unrolled) } else { 1 };
                let throughput = Throughput { channels: side(channels), rows: side(rows) };
                let factor = |(new, old): (u64, u64)| new as f64 / old.max(1) as f64;
                let growth = factor((throughput.channels, channels)) * factor((throughput.rows, rows));
                (Setting { throughput, ..setting }, (pes as f64 * growth).round() as u64)
            }
            Self::Batch => {
                let batch = scaled(1);
                (Setting { batch, ..setting }, batch)
            }
        }
    }
}

/// A method of grouping operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Grouping {
    /// No groups: every operator alone.
    Single,
    /// Chains between branches, as DNNVM has them.
    Chains,
    /// Cuts of the network as one line, as Efficient-S has them.
    Line,
    /// Optimus' Algorithm 1 as printed.
    Published,
    /// The optimal scheme.
    Exact,
}

impl Grouping {
    /// All of them, in the order of [`FusionStep::bytes`].
    pub const ALL: [Self; 5] = [Self::Single, Self::Chains, Self::Line, Self::Published, Self::Exact];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Single => "Single layers",
            Self::Chains => "DNNVM's chains",
            Self::Line => "Efficient-S' line",
            Self::Published => "Optimus, as published",
            Self::Exact => "Optimus, exact",
        }
    }

    fn scheme(self, graph: &OperatorGraph, setting: &Setting, prices: &dyn GroupCostModel) -> Option<Scheme> {
        match self {
            Self::Single => baselines::without_fusion(graph, prices),
            Self::Chains => baselines::within_chains(graph, prices),
            Self::Line => baselines::within_levels(graph, prices),
            Self::Published => algorithm1(graph, prices),
            Self::Exact => fuse(graph, setting, MOST_IDEALS).0,
        }
    }
}

/// All groupings at one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusionStep {
    /// The parameter that is varied: buffer, array or batch.
    pub varied: SweptParameter,
    /// Number of doublings from the design.
    pub step: i32,
    /// Bytes, processing elements, or images.
    pub value: u64,
    /// Whether this is the design itself.
    pub is_design: bool,
    /// Bytes to and from DRAM for one image, by [`Grouping`]; nothing where some operator's smallest tile does not fit.
    pub bytes: Vec<Option<f64>>,
    /// The oracle: bytes for one image if every weight and the network's input and output move once.
    pub oracle_bytes: f64,
    /// Names of the computing layers.
    pub layers: Vec<String>,
    /// How Optimus' model counts.
    pub units: TrafficUnits,
    /// The traffic of each group, by [`Grouping`].
    pub traffic: Vec<Vec<GroupTraffic>>,
    /// The traffic of the oracle.
    pub oracle: GroupTraffic,
}

/// One step of the sweep.
///
/// # Errors
/// Parts of the network that Optimus' operators cannot express.
pub fn fusion_step(sweep: &Sweep, varied: SweptParameter, step: i32) -> Result<FusionStep, Diagnostics> {
    let (core, network) = (&sweep.core, &sweep.network);
    let graph = operators_of(network)?;
    let own = Setting::of(core, network);
    let step = step.clamp(*varied.steps().start(), *varied.steps().end());
    let (setting, value) = varied.at(step, (own, core.pe_count()));
    let prices = memory_cost(&graph, &setting);
    let per_image = |elements: u64| setting.bytes(elements) as f64 / setting.batch as f64;
    let schemes = Grouping::ALL.map(|grouping| grouping.scheme(&graph, &setting, &prices));
    let oracle = baselines::oracle(&graph, &setting);
    Ok(FusionStep {
        varied,
        step,
        value,
        is_design: setting == own,
        bytes: schemes.iter().map(|scheme| Some(per_image(scheme.as_ref()?.cost))).collect(),
        oracle_bytes: per_image(oracle),
        layers: network.computing().map(|id| network.layer(id).name.clone()).collect(),
        units: TrafficUnits::of(&setting),
        traffic: schemes.iter().map(|scheme| GroupTraffic::of_scheme(&graph, scheme.as_ref(), &setting)).collect(),
        oracle: GroupTraffic::oracle(&graph, oracle),
    })
}
