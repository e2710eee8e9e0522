//! Comparison of fusion methods: which layers run together, with the cost by each method's own model and by the whole cost model.
//!
//! Every method divides the network into groups. By the whole model a group is run as a depth-first stack, with the tile and the mode
//! that suit it best; where later groups read several of a group's outputs, it is run as several stacks, as a stack has one output.

use super::fusion_choices::{FusionMethod, OptimusChoice, choice_of};
use super::group_traffic::{GroupTraffic, TrafficUnits};
use super::stacks::{OptimalStacks, StackProblem, StackRun};
use crate::depth_first::{Stack, StackEnumeration};
use crate::fusion::document::operators_in;
use crate::fusion::{OperatorId, SchemeProof, Setting, baselines};
use crate::ids::TiVec;
use crate::search::Objective;
use crate::spec::Diagnostics;
use crate::workload::LayerId;
use serde::{Deserialize, Serialize};

/// The groups of a method, and their cost by the whole model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusionResult {
    /// The layers of each of its groups, by their place among the computing layers.
    pub groups: Vec<Vec<usize>>,
    /// Bytes between DRAM and chip by Optimus' model, if that can express the network and the groups fit.
    pub optimus_bytes: Option<u64>,
    /// The traffic of each group by this model.
    pub traffic: Option<Vec<GroupTraffic>>,
    /// The stacks that run, and how.
    pub stacks: OptimalStacks,
    /// The layers of each of these, by their place among the computing layers.
    pub layers: Vec<Vec<usize>>,
}

/// All methods on one network and one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusionComparison {
    /// Names of the computing layers.
    pub names: Vec<String>,
    /// The result of each method, or why it has none.
    pub results: Vec<(FusionMethod, Result<FusionResult, Diagnostics>)>,
    /// The objective that the jointly optimal stacks minimise.
    pub objective: Objective,
    /// The buffer that Optimus' model sees, in bytes.
    pub buffer_bytes: u64,
    /// The memories that it consists of, each with the bytes of all its instances.
    pub buffer: Vec<(String, u64)>,
    /// How Optimus' model counts.
    pub units: TrafficUnits,
    /// The oracle, a lower bound on the bytes of any groups by Optimus' model; `None` if it cannot express the network.
    pub oracle_bytes: Option<u64>,
    /// The traffic of the oracle.
    pub oracle: Option<GroupTraffic>,
    /// A lower bound on the bytes of any groups by Optimus' model, where the network is too wide for its exact search to be exact.
    pub bound_bytes: Option<u64>,
    /// Number of different stacks.
    pub stacks: usize,
    /// The stacks of the network that are compared: among these the jointly optimal ones are proved to be the best.
    pub listed: StackEnumeration,
    /// Number of ways to cut the network into them.
    pub cuttings: f64,
}

/// Compares all methods; `runs` are those of all parts of the study.
pub fn compare_fusions(study: &StackProblem, runs: &[StackRun]) -> FusionComparison {
    let sweep = study.sweep();
    let layers: TiVec<OperatorId, LayerId> = sweep.network.computing().collect();
    let optimus = OptimusChoice::new(sweep);
    let bound = optimus.as_ref().ok().and_then(|optimus| match optimus.proof {
        SchemeProof::Optimal => None,
        SchemeProof::TooWide(bound) => Some(bound),
    });
    let comparison = MethodEvaluator { study, runs, layers, optimus };
    let bytes = |elements: u64| comparison.optimus.as_ref().ok().map(|optimus| optimus.setting.bytes(elements));
    let setting = Setting::of(&sweep.core, &sweep.network);
    let oracle = comparison.optimus.as_ref().ok();
    let oracle =
        oracle.map(|optimus| GroupTraffic::oracle(&optimus.graph, baselines::oracle(&optimus.graph, &optimus.setting)));
    FusionComparison {
        names: comparison.layers.iter().map(|&id| sweep.network.layer(id).name.clone()).collect(),
        results: FusionMethod::ALL.map(|method| (method, comparison.result(method))).into(),
        objective: sweep.settings.objective.clone(),
        buffer_bytes: setting.buffer_bytes,
        buffer: sweep.core.on_chip().map(|memory| (memory.name.clone(), memory.all_bits() / 8)).collect(),
        units: TrafficUnits::of(&setting),
        oracle_bytes: oracle.as_ref().and_then(|oracle| bytes(oracle.elements)),
        oracle,
        bound_bytes: bound.and_then(bytes),
        stacks: study.stacks().len(),
        listed: study.listed(),
        cuttings: study.cuttings() as f64,
    }
}

struct MethodEvaluator<'a> {
    study: &'a StackProblem,
    runs: &'a [StackRun],
    layers: TiVec<OperatorId, LayerId>,
    optimus: Result<OptimusChoice, Diagnostics>,
}

impl MethodEvaluator<'_> {
    fn result(&self, method: FusionMethod) -> Result<FusionResult, Diagnostics> {
        let sweep = self.study.sweep();
        let (groups, stacks) = if method == FusionMethod::Optimal {
            let optimal = self.study.combine(self.runs)?;
            let layers = optimal.runs.iter().map(|run| self.study.stacks()[run.arc].stack.layers().to_vec());
            (layers.collect(), optimal)
        } else {
            let choice = choice_of(method, sweep, &self.optimus)?;
            let evaluated = self.evaluate(&choice.stacks)?;
            (choice.groups, evaluated)
        };
        let place = |id: &LayerId| self.layers.binary_search(id).ok().map(OperatorId::index);
        let places = |layers: &[LayerId]| layers.iter().filter_map(place).collect();
        let of_run = |run: &StackRun| places(self.study.stacks()[run.arc].stack.layers());
        let traffic = self.traffic(&groups);
        Ok(FusionResult {
            groups: groups.iter().map(|layers| places(layers)).collect(),
            optimus_bytes: traffic.as_ref().and_then(|traffic| self.optimus_bytes(traffic)),
            traffic,
            layers: stacks.runs.iter().map(of_run).collect(),
            stacks,
        })
    }

    /// The best way to run exactly these stacks.
    fn evaluate(&self, stacks: &[Stack]) -> Result<OptimalStacks, Diagnostics> {
        let is_one = |run: &&StackRun| self.study.stacks().get(run.arc).is_some_and(|arc| stacks.contains(&arc.stack));
        let runs: Vec<StackRun> = self.runs.iter().filter(is_one).copied().collect();
        self.study.combine(&runs)
    }

    /// The traffic of groups by Optimus' model.
    fn traffic(&self, groups: &[Vec<LayerId>]) -> Option<Vec<GroupTraffic>> {
        let OptimusChoice { graph, setting, .. } = self.optimus.as_ref().ok()?;
        let network = &self.study.sweep().network;
        groups.iter().map(|group| GroupTraffic::of(graph, &operators_in(network, group), setting)).collect()
    }

    fn optimus_bytes(&self, traffic: &[GroupTraffic]) -> Option<u64> {
        let setting = &self.optimus.as_ref().ok()?.setting;
        let elements = traffic.iter().try_fold(0_u64, |sum, group| sum.checked_add(group.elements))?;
        Some(setting.bytes(elements))
    }
}
