//! Optimus' on-line variant for a design (Optimus, Section 6): groups for any size of the buffer, and the optimal groups beside them.

use super::group_traffic::{GroupTraffic, TrafficUnits};
use super::sweep::Sweep;
use crate::fusion::document::operators_of;
use crate::fusion::{OnlineFusion, OperatorGraph, OperatorId, Scheme, SchemeProof, Setting, baselines, fuse};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;
use std::ops::RangeInclusive;

/// Limit on the order ideals, beyond which the on-line variant is restricted to one topological order, so that
/// preparing it stays interactive.
const MOST_IDEALS: usize = 1_000;
/// Limit on the order ideals, beyond which the optimal groups are not searched exactly: more than on line, as they are
/// computed in the background.
const MOST_IDEALS_EXACTLY: usize = 4_000;
/// Steps of the buffer per doubling.
const STEPS_A_DOUBLING: i32 = 4;

/// Doublings of the design's buffer at the ends of the sweep, in quarters of a doubling.
pub const ONLINE_STEPS: RangeInclusive<i32> = -4 * STEPS_A_DOUBLING..=4 * STEPS_A_DOUBLING;

/// The part of the on-line variant that does not depend on the buffer, prepared once for a design.
pub struct OnlineProblem {
    graph: OperatorGraph,
    setting: Setting,
    online: OnlineFusion,
    layers: Vec<String>,
}

/// Groups, and their traffic with DRAM.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupingTraffic {
    /// The layers of each group, by their place among the computing layers.
    pub groups: Vec<Vec<OperatorId>>,
    /// Bytes to and from DRAM for one image.
    pub bytes: f64,
}

/// The groups that the on-line variant decides on for a size of the buffer (Optimus, Section 6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnlineDecision {
    /// Size of the buffer as a step of [`ONLINE_STEPS`]; 0: that of the design.
    pub step: i32,
    /// Size of the buffer.
    pub buffer_bytes: u64,
    /// Size of the design's buffer.
    pub design_bytes: u64,
    /// Names of the computing layers.
    pub layers: Vec<String>,
    /// Layers of a group, at most, by the look-up table.
    pub largest_group: usize,
    /// The groups; nothing where some layer's smallest tile does not fit.
    pub found: Option<GroupingTraffic>,
    /// How Optimus' model counts.
    pub units: TrafficUnits,
    /// The traffic of each group, if requested ([`OnlineProblem::with_traffic`]).
    pub traffic: Vec<GroupTraffic>,
}

/// The best groups for a size of the buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExactDecision {
    /// The groups; nothing where some layer's smallest tile does not fit.
    pub found: Option<GroupingTraffic>,
    /// A lower bound on the bytes of any groups for one image, where these are not proved to be the best.
    pub bound_bytes: Option<f64>,
    /// Bytes for one image if every weight and the network's input and output move once.
    pub oracle_bytes: f64,
    /// The traffic of each group.
    pub traffic: Vec<GroupTraffic>,
    /// The traffic of the oracle.
    pub oracle: GroupTraffic,
}

impl OnlineProblem {
    /// Prepares decisions for all of [`ONLINE_STEPS`].
    ///
    /// # Errors
    /// Parts of the network that Optimus' operators cannot express.
    pub fn new(sweep: &Sweep) -> Result<Self, Diagnostics> {
        let graph = operators_of(&sweep.network)?;
        let setting = Setting::of(&sweep.core, &sweep.network);
        let largest = Setting { buffer_bytes: online_buffer(setting.buffer_bytes, *ONLINE_STEPS.end()), ..setting };
        let network = &sweep.network;
        let layers = network.computing().map(|id| network.layer(id).name.clone()).collect();
        Ok(Self { online: OnlineFusion::new(graph.clone(), largest, MOST_IDEALS), graph, setting, layers })
    }

    /// Size of the buffer at a step, bytes; at 0 it is the design's.
    pub fn buffer_bytes(&self, step: i32) -> u64 {
        online_buffer(self.setting.buffer_bytes, step)
    }

    /// The on-line decision for the buffer of a step.
    pub fn decide(&self, step: i32) -> OnlineDecision {
        let buffer_bytes = self.buffer_bytes(step);
        OnlineDecision {
            step,
            buffer_bytes,
            design_bytes: self.setting.buffer_bytes,
            layers: self.layers.clone(),
            largest_group: self.online.largest_group(buffer_bytes),
            found: self.online.decide(buffer_bytes).map(|scheme| self.grouped(scheme)),
            units: TrafficUnits::of(&self.setting),
            traffic: Vec::new(),
        }
    }

    /// A decision with the traffic of each of its groups.
    pub fn with_traffic(&self, mut decision: OnlineDecision) -> OnlineDecision {
        let setting = Setting { buffer_bytes: decision.buffer_bytes, ..self.setting };
        let groups = decision.found.iter().flat_map(|found| &found.groups);
        let traffic = groups.filter_map(|group| GroupTraffic::of(&self.graph, group, &setting));
        decision.traffic = traffic.collect();
        decision
    }

    /// The best groups for the buffer of a step, by the exact search within its limits.
    pub fn exact(&self, step: i32) -> ExactDecision {
        let setting = Setting { buffer_bytes: self.buffer_bytes(step), ..self.setting };
        let (scheme, proof) = fuse(&self.graph, &setting, MOST_IDEALS_EXACTLY);
        let oracle = baselines::oracle(&self.graph, &setting);
        ExactDecision {
            traffic: GroupTraffic::of_scheme(&self.graph, scheme.as_ref(), &setting),
            oracle: GroupTraffic::oracle(&self.graph, oracle),
            found: scheme.map(|scheme| self.grouped(scheme)),
            bound_bytes: match proof {
                SchemeProof::Optimal => None,
                SchemeProof::TooWide(bound) => Some(self.bytes_an_image(bound)),
            },
            oracle_bytes: self.bytes_an_image(oracle),
        }
    }

    fn grouped(&self, scheme: Scheme) -> GroupingTraffic {
        // Operator `i` is the `i`-th computing layer.
        GroupingTraffic { bytes: self.bytes_an_image(scheme.cost), groups: scheme.groups }
    }

    fn bytes_an_image(&self, elements: u64) -> f64 {
        self.setting.bytes(elements) as f64 / self.setting.batch as f64
    }
}

/// A buffer of the design's size times a power of two, in bytes, by the steps of [`ONLINE_STEPS`]; one beyond them is taken for the last.
pub fn online_buffer(design_bytes: u64, step: i32) -> u64 {
    // Powers of two by a library differ in their last bit from machine to machine.
    const PARTS: [f64; STEPS_A_DOUBLING as usize] = [1.0, 1.189_207_115_002_721, SQRT_2, 1.681_792_830_507_429];
    let step = step.clamp(*ONLINE_STEPS.start(), *ONLINE_STEPS.end());
    let part = PARTS[step.rem_euclid(STEPS_A_DOUBLING) as usize];
    let doublings = f64::from(2_u32).powi(step.div_euclid(STEPS_A_DOUBLING));
    ((design_bytes as f64 * doublings * part).round() as u64).max(1)
}

impl GroupingTraffic {
    /// For each of these groups whether the others lack it.
    pub fn changed_from(&self, others: &Self) -> Vec<bool> {
        self.groups.iter().map(|group| !others.groups.contains(group)).collect()
    }
}
