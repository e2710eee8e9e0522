//! Comparison of fusion methods: which layers run together, with the cost by each method's own model and by the whole cost model.
//!
//! Every method divides the network into groups. By the whole model a group is run as a depth-first stack, with the tile and the mode
//! that suit it best; where later groups read several of a group's outputs, it is run as several stacks, as a stack has one output.

use super::group_traffic::{GroupTraffic, TrafficUnits};
use super::stacks::{OptimalStacks, StackRun, StackStudy};
use crate::depth_first::{FuseDepth, Stack, cut, cut_with_outputs};
use crate::fusion::document::{layers_of, operators_in, operators_of};
use crate::fusion::{
    Group, OperatorGraph, OperatorId, Proof, Scheme, Setting, algorithm1, baselines, fuse, memory_cost,
};
use crate::ids::TiVec;
use crate::interlayer::groups_of;
use crate::search::Objective;
use crate::spec::Diagnostics;
use crate::workload::LayerId;
use serde::{Deserialize, Serialize};

/// Order ideals beyond which Optimus' optimum is not proved.
const MOST_IDEALS: usize = 4_000;

/// A method that decides which layers run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FusionMethod {
    /// No fusion: every layer by itself.
    SingleLayer,
    /// DeFiNES' rule: as many layers as have weights that fit on the chip together.
    Automatic,
    /// HW-Flow-Fusion's walk over sequences of convolutions and poolings, for the least energy by its model.
    InterLayer,
    /// Optimus' algorithm as printed, for the fewest accesses to DRAM by its model.
    Published,
    /// The best of all groups by Optimus' model.
    Optimus,
    /// The best of all stacks, tiles and modes by the whole model.
    Optimal,
}

impl FusionMethod {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::SingleLayer, Self::Automatic, Self::InterLayer, Self::Published, Self::Optimus, Self::Optimal];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::SingleLayer => "Single layers",
            Self::Automatic => "DeFiNES' rule",
            Self::InterLayer => "HW-Flow-Fusion",
            Self::Published => "Optimus, as published",
            Self::Optimus => "Optimus, exact",
            Self::Optimal => "Jointly optimal",
        }
    }

    /// An abbreviation of the title, for figures.
    pub fn short_title(self) -> &'static str {
        match self {
            Self::SingleLayer => "single",
            Self::Automatic => "rule",
            Self::InterLayer => "HWFF",
            Self::Published => "Alg. 1",
            Self::Optimus => "exact",
            Self::Optimal => "optimal",
        }
    }

    /// How the method chooses layers, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::SingleLayer => "Every layer by itself; features between layers go through DRAM.",
            Self::Automatic => {
                "Layers are fused as long as their weights fit on the chip together (DeFiNES, Section III)."
            }
            Self::InterLayer => {
                "Temporal fusion of convolutions and poolings in a row, on a row-stationary array with this buffer \
                 and these energies; other layers by themselves (HW-Flow-Fusion, Section 4)."
            }
            Self::Published => {
                "Groups of operators with the fewest accesses to DRAM, by Algorithm 1 (Optimus, Section 6)."
            }
            Self::Optimus => "The same model, searched over all order ideals of the graph: nothing is cheaper by it.",
            Self::Optimal => "Stacks, tile sizes and modes together, by the whole cost model: nothing is better by it.",
        }
    }
}

/// The groups of a method, and their cost by the whole model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusionVerdict {
    /// The layers of each of its groups, by their place among the computing layers.
    pub groups: Vec<Vec<usize>>,
    /// Bytes between DRAM and chip by Optimus' model, if that can express the network and the groups fit.
    pub optimus_bytes: Option<u64>,
    /// What each group moves by it.
    pub traffic: Option<Vec<GroupTraffic>>,
    /// The stacks that run, and how.
    pub stacks: OptimalStacks,
    /// The layers of each of these, by their place among the computing layers.
    pub layers: Vec<Vec<usize>>,
}

/// All methods on one network and one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fusions {
    /// Names of the computing layers.
    pub names: Vec<String>,
    /// The verdict of each method, or why it has none.
    pub verdicts: Vec<(FusionMethod, Result<FusionVerdict, Diagnostics>)>,
    /// What the jointly optimal stacks are best by.
    pub objective: Objective,
    /// The buffer that Optimus' model sees, in bytes.
    pub buffer_bytes: u64,
    /// The memories that it consists of, each with the bytes of all its instances.
    pub buffer: Vec<(String, u64)>,
    /// How Optimus' model counts.
    pub units: TrafficUnits,
    /// The oracle, a lower bound on the bytes of any groups by Optimus' model; `None` if it cannot express the network.
    pub oracle_bytes: Option<u64>,
    /// What it moves.
    pub oracle: Option<GroupTraffic>,
    /// A lower bound on the bytes of any groups by Optimus' model, where the network is too wide for its exact search to be exact.
    pub bound_bytes: Option<u64>,
    /// Number of different stacks.
    pub stacks: usize,
    /// In how many ways the network can be cut into them.
    pub cuttings: f64,
}

/// Compares all methods; `runs` are those of all parts of the study.
pub fn compare_fusions(study: &StackStudy, runs: &[StackRun]) -> Fusions {
    let sweep = study.sweep();
    let layers: TiVec<OperatorId, LayerId> = sweep.network.computing().collect();
    let optimus = operators_of(&sweep.network).map(|graph| (graph, Setting::of(&sweep.core, &sweep.network)));
    let fused = optimus.as_ref().ok().map(|(graph, setting)| fuse(graph, setting, MOST_IDEALS));
    let bound = fused.as_ref().and_then(|(_, proof)| match proof {
        Proof::Optimal => None,
        Proof::TooWide(bound) => Some(*bound),
    });
    let fused = fused.and_then(|(scheme, _)| scheme);
    let comparison = Comparison { study, runs, layers, optimus, fused };
    let bytes = |elements: u64| comparison.optimus.as_ref().ok().map(|(_, setting)| setting.bytes(elements));
    let setting = Setting::of(&sweep.core, &sweep.network);
    let oracle = comparison.optimus.as_ref().ok();
    let oracle = oracle.map(|(graph, setting)| GroupTraffic::oracle(graph, baselines::oracle(graph, setting)));
    Fusions {
        names: comparison.layers.iter().map(|&id| sweep.network.layer(id).name.clone()).collect(),
        verdicts: FusionMethod::ALL.map(|method| (method, comparison.verdict(method))).into(),
        objective: sweep.settings.objective.clone(),
        buffer_bytes: setting.buffer_bytes,
        buffer: sweep.core.on_chip().map(|memory| (memory.name.clone(), memory.all_bits() / 8)).collect(),
        units: TrafficUnits::of(&setting),
        oracle_bytes: oracle.as_ref().and_then(|oracle| bytes(oracle.elements)),
        oracle,
        bound_bytes: bound.and_then(bytes),
        stacks: study.stacks().len(),
        cuttings: study.cuttings() as f64,
    }
}

pub(super) fn no_chain() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        "workload.layers",
        "HW-Flow-Fusion fuses convolutions without groups and poolings, for one image, and no two of them follow each other here",
        "Compare the other methods",
    );
    diagnostics
}

struct Comparison<'a> {
    study: &'a StackStudy,
    runs: &'a [StackRun],
    layers: TiVec<OperatorId, LayerId>,
    optimus: Result<(OperatorGraph, Setting), Diagnostics>,
    /// The best groups by Optimus' model.
    fused: Option<Scheme>,
}

impl Comparison<'_> {
    fn verdict(&self, method: FusionMethod) -> Result<FusionVerdict, Diagnostics> {
        let sweep = self.study.sweep();
        let rule = |fuse: FuseDepth| {
            let stacks = cut(&sweep.network, &sweep.core, &fuse, &sweep.settings.rules)?;
            let groups = stacks.iter().map(|stack| stack.layers().to_vec()).collect();
            Ok((groups, self.evaluate(&stacks)?))
        };
        let (groups, stacks): (Vec<Vec<LayerId>>, OptimalStacks) = match method {
            FusionMethod::SingleLayer => rule(FuseDepth::SingleLayer)?,
            FusionMethod::Automatic => rule(FuseDepth::Automatic)?,
            FusionMethod::InterLayer => {
                let groups = groups_of(&sweep.network, &sweep.core).ok_or_else(no_chain)?;
                let mut ends: Vec<LayerId> = groups.iter().filter_map(|group| group.last().copied()).collect();
                ends.sort_unstable();
                let stacks = cut_with_outputs(&sweep.network, ends, &sweep.settings.rules)?;
                let evaluated = self.evaluate(&stacks)?;
                (groups, evaluated)
            }
            FusionMethod::Published | FusionMethod::Optimus => {
                let groups = self.optimus_groups(method)?;
                let ends = self.outputs(&groups)?;
                let stacks = cut_with_outputs(&sweep.network, ends, &sweep.settings.rules)?;
                let evaluated = self.evaluate(&stacks)?;
                (groups.iter().map(|group| layers_of(&sweep.network, group)).collect(), evaluated)
            }
            FusionMethod::Optimal => {
                let optimal = self.study.combine(self.runs)?;
                let layers = optimal.runs.iter().map(|run| self.study.stacks()[run.arc].stack.layers().to_vec());
                (layers.collect(), optimal)
            }
        };
        let place = |id: &LayerId| self.layers.binary_search(id).ok().map(OperatorId::index);
        let places = |layers: &[LayerId]| layers.iter().filter_map(place).collect();
        let of_run = |run: &StackRun| places(self.study.stacks()[run.arc].stack.layers());
        let traffic = self.traffic(&groups);
        Ok(FusionVerdict {
            groups: groups.iter().map(|layers| places(layers)).collect(),
            optimus_bytes: traffic.as_ref().and_then(|traffic| self.optimus_bytes(traffic)),
            traffic,
            layers: stacks.runs.iter().map(of_run).collect(),
            stacks,
        })
    }

    /// The best way to run these very stacks.
    fn evaluate(&self, stacks: &[Stack]) -> Result<OptimalStacks, Diagnostics> {
        let is_one = |run: &&StackRun| self.study.stacks().get(run.arc).is_some_and(|arc| stacks.contains(&arc.stack));
        let runs: Vec<StackRun> = self.runs.iter().filter(is_one).copied().collect();
        self.study.combine(&runs)
    }

    fn optimus_groups(&self, method: FusionMethod) -> Result<Vec<Vec<OperatorId>>, Diagnostics> {
        let (graph, setting) = self.optimus.as_ref().map_err(Clone::clone)?;
        let price = memory_cost(graph, setting);
        let scheme: Option<Scheme> =
            if method == FusionMethod::Published { algorithm1(graph, &price) } else { self.fused.clone() };
        let mut diagnostics = Diagnostics::default();
        let Some(scheme) = scheme else {
            diagnostics.add(
                "hardware",
                format!("Some layer's smallest tile exceeds the buffer of {} B", setting.buffer_bytes),
                "Enlarge the highest memories on the chip",
            );
            return Err(diagnostics);
        };
        Ok(scheme.groups)
    }

    /// The layers whose outputs leave their groups.
    fn outputs(&self, groups: &[Vec<OperatorId>]) -> Result<Vec<LayerId>, Diagnostics> {
        let (graph, _) = self.optimus.as_ref().map_err(Clone::clone)?;
        let outputs = groups.iter().flat_map(|group| Group::new(graph, group).outputs().collect::<Vec<_>>());
        let mut ends: Vec<LayerId> = outputs.filter_map(|map| self.layers.get(map.writer()?).copied()).collect();
        ends.sort_unstable();
        Ok(ends)
    }

    /// What groups move by Optimus' model.
    fn traffic(&self, groups: &[Vec<LayerId>]) -> Option<Vec<GroupTraffic>> {
        let (graph, setting) = self.optimus.as_ref().ok()?;
        let network = &self.study.sweep().network;
        groups.iter().map(|group| GroupTraffic::of(graph, &operators_in(network, group), setting)).collect()
    }

    fn optimus_bytes(&self, traffic: &[GroupTraffic]) -> Option<u64> {
        let (_, setting) = self.optimus.as_ref().ok()?;
        let elements = traffic.iter().try_fold(0_u64, |sum, group| sum.checked_add(group.elements))?;
        Some(setting.bytes(elements))
    }
}
