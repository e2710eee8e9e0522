//! Methods that choose which layers run together, and the stacks that each chooses.

use super::sweep::Sweep;
use crate::depth_first::{FuseDepth, Stack, cut, cut_with_outputs};
use crate::fusion::document::{layers_of, operators_of};
use crate::fusion::{Group, OperatorGraph, OperatorId, Scheme, SchemeProof, Setting, algorithm1, fuse, memory_cost};
use crate::ids::TiVec;
use crate::interlayer::groups_of;
use crate::spec::Diagnostics;
use crate::workload::LayerId;
use serde::{Deserialize, Serialize};

/// Limit on the order ideals, beyond which Optimus' optimum is not proved.
const MOST_IDEALS: usize = 4_000;

/// A method that decides which layers run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FusionMethod {
    /// No fusion: every layer alone.
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
    /// Every variant, from no fusion to the optimum.
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
            Self::Optimal => {
                "Stacks, tile sizes and modes together, by the whole cost model: no other choice of these is better, with data in the \
                 lowest memories that hold it."
            }
        }
    }
}

/// A network as Optimus' model sees it, with the best groups that are found by it.
pub(super) struct OptimusChoice {
    pub graph: OperatorGraph,
    pub setting: Setting,
    /// The best groups; `None` where some layer does not fit at all.
    pub fused: Option<Scheme>,
    pub proof: SchemeProof,
}

impl OptimusChoice {
    /// # Errors
    /// Parts of the network that the model does not express.
    pub fn new(sweep: &Sweep) -> Result<Self, Diagnostics> {
        let (graph, setting) = (operators_of(&sweep.network)?, Setting::of(&sweep.core, &sweep.network));
        let (fused, proof) = fuse(&graph, &setting, MOST_IDEALS);
        Ok(Self { graph, setting, fused, proof })
    }

    fn groups(&self, method: FusionMethod) -> Result<Vec<Vec<OperatorId>>, Diagnostics> {
        let price = memory_cost(&self.graph, &self.setting);
        let scheme: Option<Scheme> =
            if method == FusionMethod::Published { algorithm1(&self.graph, &price) } else { self.fused.clone() };
        let mut diagnostics = Diagnostics::default();
        let Some(scheme) = scheme else {
            let is_too_large = |id: &OperatorId| price.of(&[*id]).is_none();
            let layer = self.graph.ids().find(is_too_large).map(|id| format!("`{}`", self.graph.operators()[id].name));
            let layer = layer.unwrap_or_else(|| "some layer".to_owned());
            diagnostics.add(
                "hardware",
                format!(
                    "The smallest tile of {layer} exceeds the buffer of {} B that Optimus' model sees",
                    self.setting.buffer_bytes
                ),
                "Enlarge the highest memories on the chip, or compare the other methods",
            );
            return Err(diagnostics);
        };
        Ok(scheme.groups)
    }

    /// The layers whose outputs leave their groups.
    fn outputs(&self, layers: &TiVec<OperatorId, LayerId>, groups: &[Vec<OperatorId>]) -> Vec<LayerId> {
        let outputs = groups.iter().flat_map(|group| Group::new(&self.graph, group).outputs().collect::<Vec<_>>());
        let mut ends: Vec<LayerId> = outputs.filter_map(|map| layers.get(map.writer()?).copied()).collect();
        ends.sort_unstable();
        ends
    }
}

/// The groups of layers that a method chooses, and the stacks in which they run.
pub(super) struct FusionChoice {
    pub groups: Vec<Vec<LayerId>>,
    pub stacks: Vec<Stack>,
}

/// The choice of a method that does not use the whole cost model; single layers for [`FusionMethod::Optimal`], which
/// does.
///
/// # Errors
/// Why the method has no answer for this network and core.
pub(super) fn choice_of(
    method: FusionMethod,
    sweep: &Sweep,
    optimus: &Result<OptimusChoice, Diagnostics>,
) -> Result<FusionChoice, Diagnostics> {
    let (network, rules) = (&sweep.network, &sweep.settings.rules);
    let rule = |fuse: FuseDepth| {
        let stacks = cut(network, &sweep.core, &fuse, rules)?;
        Ok(FusionChoice { groups: stacks.iter().map(|stack| stack.layers().to_vec()).collect(), stacks })
    };
    match method {
        FusionMethod::SingleLayer | FusionMethod::Optimal => rule(FuseDepth::SingleLayer),
        FusionMethod::Automatic => rule(FuseDepth::Automatic),
        FusionMethod::InterLayer => {
            let groups = groups_of(network, &sweep.core).ok_or_else(no_chain)?;
            let mut ends: Vec<LayerId> = groups.iter().filter_map(|group| group.last().copied()).collect();
            ends.sort_unstable();
            let stacks = cut_with_outputs(network, ends, rules)?;
            Ok(FusionChoice { groups, stacks })
        }
        FusionMethod::Published | FusionMethod::Optimus => {
            let optimus = optimus.as_ref().map_err(Clone::clone)?;
            let groups = optimus.groups(method)?;
            let layers: TiVec<OperatorId, LayerId> = network.computing().collect();
            let stacks = cut_with_outputs(network, optimus.outputs(&layers, &groups), rules)?;
            let groups = groups.iter().map(|group| layers_of(network, group)).collect();
            Ok(FusionChoice { groups, stacks })
        }
    }
}

/// The stacks of every method that has an answer.
pub(super) fn stacks_of_methods(sweep: &Sweep) -> Vec<Vec<Stack>> {
    let optimus = OptimusChoice::new(sweep);
    let choices = FusionMethod::ALL.into_iter().filter(|&method| method != FusionMethod::Optimal);
    choices.filter_map(|method| Some(choice_of(method, sweep, &optimus).ok()?.stacks)).collect()
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
