//! HW-Flow-Fusion's sequences on the design at hand, by the paper's own model: the layers of each chain that can run
//! together, their costs alone and fused in both ways (Figs. 14 and 15, Tables 5 and 7), and the sequences that the
//! method chooses.
//!
//! A question takes milliseconds, so that workers may answer it for each sequence separately.

use super::fusion_choices::no_chain;
use super::resources::{Resource, ResourceStep, resource_step};
use super::sequence_requirements::{SequencePartitions, SequenceRequirements, partition_costs, requirements};
use super::sweep::Sweep;
use crate::interlayer::{
    Accelerator, Chain, ChainCost, ChainEnergy, ChainLayer, FusedSchedule, FusionMode, MOST_LAYERS, Parameters,
    SingleLayerSchedule, cheapest_cover, legal_sequences,
};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The open choices of the method, as sequences are priced.
pub const PARAMETERS: Parameters = Parameters::AS_PUBLISHED;

/// Neighbouring layers of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sequence {
    /// Number of the chain in [`NetworkChains::chains`].
    pub chain: u32,
    /// The first layer, by its place in the chain.
    pub first: u32,
    /// The place behind the last layer.
    pub end: u32,
}

impl Sequence {
    fn new(chain: usize, layers: &Range<usize>) -> Self {
        Self { chain: chain as u32, first: layers.start as u32, end: layers.end as u32 }
    }

    /// The places of its layers in the chain.
    pub fn layers(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The cost of running some layers once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LayersCost {
    /// Traffic and cycles, by the paper's model.
    pub cost: ChainCost,
    /// Energy, in hundredths of a picojoule.
    pub energy: ChainEnergy,
    /// Cycles, where computation overlaps with the transfers through the buffer's port.
    pub latency_cycles: u64,
}

impl LayersCost {
    pub(super) fn of(cost: &ChainCost, accelerator: &Accelerator) -> Self {
        Self {
            cost: *cost,
            energy: cost.energy(accelerator, &PARAMETERS.report),
            latency_cycles: cost.latency_overlapped(&PARAMETERS),
        }
    }

    /// The sum of runs one after another; `None` if there are none, or one of them does not fit.
    pub fn sum(runs: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        runs.into_iter().reduce(|sum, next| {
            let (mut sum, next) = (sum?, next?);
            sum.cost += next.cost;
            sum.energy += next.energy;
            sum.latency_cycles += next.latency_cycles;
            Some(sum)
        })?
    }

    /// The refined ratio of computation to communication.
    pub fn ctc(&self) -> f64 {
        self.cost.ctc(&PARAMETERS)
    }
}

/// A chain, and each of its layers alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainFacts {
    /// Names of the layers.
    pub layers: Vec<String>,
    /// The cost of each layer alone; `None` where no tile fits.
    pub singles: Vec<Option<LayersCost>>,
}

/// The chains of a network that the method can schedule, and the accelerator in its terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkChains {
    /// The hardware in the paper's terms.
    pub accelerator: Accelerator,
    /// The chains, those of one layer included.
    pub chains: Vec<ChainFacts>,
    /// The sequences that the walk of Section 4.4 finds legal, in its order.
    pub legal: Vec<Sequence>,
}

/// A sequence fused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedRun {
    /// Tile, buffers and shares of the hardware.
    pub schedule: FusedSchedule,
    /// Cost of the fused layers.
    pub run: LayersCost,
}

/// A sequence fused either way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SequenceCosts {
    /// The layers that are fused.
    pub sequence: Sequence,
    /// By [`FusionMode::ALL`]; nothing where no tile fits, or no partition of the array.
    pub fused: [Option<FusedRun>; 2],
}

/// In which ways sequences may be fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sharing {
    /// Temporal fusion only.
    Temporal,
    /// Spatial fusion only.
    Spatial,
    /// Each sequence in the way that costs less.
    Either,
}

impl Sharing {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Temporal, Self::Spatial, Self::Either];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Temporal => "temporal",
            Self::Spatial => "spatial",
            Self::Either => "the better of both",
        }
    }

    /// The ways that it allows.
    pub fn modes(self) -> &'static [FusionMode] {
        match self {
            Self::Temporal => &FusionMode::ALL[..1],
            Self::Spatial => &FusionMode::ALL[1..],
            Self::Either => &FusionMode::ALL,
        }
    }
}

/// A question about HW-Flow-Fusion's sequences on a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SequenceQuestion {
    /// The sequences of the network.
    Chains,
    /// Cost of the layers of a sequence, fused in time and in space.
    Costs(Sequence),
    /// The data that its layers, and those that follow, keep on the chip.
    Needs(Sequence),
    /// How its layers may share the array.
    Partitions(Sequence),
    /// The cost of the sequence, or of all chains, at a number of doublings of a resource.
    Resources(Option<Sequence>, Resource, i32),
}

/// The answer to a [`SequenceQuestion`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SequenceFinding {
    /// The sequences of the network.
    Chains(NetworkChains),
    /// Cost of the layers of a sequence, fused in time and in space.
    Costs(Box<SequenceCosts>),
    /// Storage on the chip.
    Needs(SequenceRequirements),
    /// How layers may share the array; nothing where they do not fit spatially.
    Partitions(Option<SequencePartitions>),
    /// The cost on more or less hardware.
    Resources(Box<ResourceStep>),
}

/// Answers a question about sequences.
///
/// # Errors
/// If no two layers follow each other in a chain that the method can schedule, or there is no such sequence.
pub fn find_sequences(sweep: &Sweep, question: SequenceQuestion) -> Result<SequenceFinding, Diagnostics> {
    let known = SequenceProblem::new(sweep)?;
    Ok(match question {
        SequenceQuestion::Chains => SequenceFinding::Chains(known.facts()),
        SequenceQuestion::Costs(sequence) => {
            let layers = known.layers(sequence)?;
            let fused = FusionMode::ALL.map(|mode| fused_run(layers, mode, &known.accelerator));
            SequenceFinding::Costs(Box::new(SequenceCosts { sequence, fused }))
        }
        SequenceQuestion::Needs(sequence) => {
            known.layers(sequence)?;
            let chain = known.chains[sequence.chain as usize].layers();
            SequenceFinding::Needs(requirements(chain, sequence))
        }
        SequenceQuestion::Partitions(sequence) => {
            SequenceFinding::Partitions(partition_costs(known.layers(sequence)?, sequence, &known.accelerator))
        }
        SequenceQuestion::Resources(sequence, resource, step) => {
            let of: Vec<&[ChainLayer]> = match sequence {
                Some(sequence) => vec![known.layers(sequence)?],
                None => Vec::new(),
            };
            SequenceFinding::Resources(Box::new(resource_step(
                &known.chains,
                of.first().copied(),
                resource,
                step,
                &known.accelerator,
            )))
        }
    })
}

/// The sequences that the method fuses, by least energy, in the order of their layers; the rest of the layers run one by one. `costs`
/// are those of the legal sequences, in any order.
pub fn chosen_sequences(
    chains: &NetworkChains,
    costs: &[SequenceCosts],
    sharing: Sharing,
) -> Vec<(Sequence, FusionMode)> {
    let known = |sequence: &Sequence| costs.iter().find(|known| known.sequence == *sequence);
    let choose = |(index, chain): (usize, &ChainFacts)| {
        let singles = chain.singles.iter().map(|single| Some(single.as_ref()?.energy.total()));
        // A chain of which some layer fits nowhere is not scheduled.
        let Some(apart) = singles.collect::<Option<Vec<u128>>>() else { return Vec::new() };
        let mut fused: Vec<(Range<usize>, u128)> = Vec::new();
        let mut names: Vec<(Sequence, FusionMode)> = Vec::new();
        for sequence in chains.legal.iter().filter(|sequence| sequence.chain as usize == index) {
            for &mode in sharing.modes() {
                if let Some(fused_run) = known(sequence).and_then(|costs| costs.in_mode(mode)) {
                    fused.push((sequence.layers(), fused_run.run.energy.total()));
                    names.push((*sequence, mode));
                }
            }
        }
        cheapest_cover(&apart, &fused).into_iter().map(|index| names[index]).collect()
    };
    chains.chains.iter().enumerate().flat_map(choose).collect()
}

impl SequenceCosts {
    /// The sequence fused one way.
    pub fn in_mode(&self, mode: FusionMode) -> Option<&FusedRun> {
        let index = FusionMode::ALL.iter().position(|other| *other == mode)?;
        self.fused[index].as_ref()
    }
}

impl NetworkChains {
    /// The names of a sequence's layers.
    pub fn names(&self, sequence: Sequence) -> &[String] {
        let chain = self.chains.get(sequence.chain as usize);
        chain.and_then(|chain| chain.layers.get(sequence.layers())).unwrap_or_default()
    }

    /// The cost of each of a sequence's layers alone.
    pub fn singles(&self, sequence: Sequence) -> &[Option<LayersCost>] {
        let chain = self.chains.get(sequence.chain as usize);
        chain.and_then(|chain| chain.singles.get(sequence.layers())).unwrap_or_default()
    }

    /// The chosen sequence that saves most energy, else the first that fits, else the first two layers.
    pub fn most_saving(&self, costs: &[SequenceCosts], chosen: &[(Sequence, FusionMode)]) -> Option<Sequence> {
        let saved = |&(sequence, mode): &(Sequence, FusionMode)| {
            let fused = costs.iter().find(|known| known.sequence == sequence)?.in_mode(mode)?;
            let single = LayersCost::sum(self.singles(sequence).iter().copied())?;
            Some((single.energy.total().saturating_sub(fused.run.energy.total()), sequence))
        };
        // Of equals the first.
        let most = chosen.iter().filter_map(saved).reduce(|most, next| if next.0 > most.0 { next } else { most });
        let pair =
            |(chain, facts): (usize, &ChainFacts)| (facts.layers.len() > 1).then(|| Sequence::new(chain, &(0..2)));
        let first = || self.legal.first().copied().or_else(|| self.chains.iter().enumerate().find_map(pair));
        most.map(|(_, sequence)| sequence).or_else(first)
    }

    /// All layers of all chains, where `fused` run together and the others alone; `None` if some layer fits nowhere.
    pub fn total(&self, costs: &[SequenceCosts], fused: &[(Sequence, FusionMode)]) -> Option<LayersCost> {
        let together = fused.iter().map(|(sequence, mode)| {
            let known = costs.iter().find(|known| known.sequence == *sequence)?;
            Some(known.in_mode(*mode)?.run)
        });
        let alone = self.chains.iter().enumerate().flat_map(|(chain, facts)| {
            let is_alone = move |layer: usize| {
                !fused
                    .iter()
                    .any(|(sequence, _)| sequence.chain as usize == chain && sequence.layers().contains(&layer))
            };
            facts.singles.iter().enumerate().filter(move |(layer, _)| is_alone(*layer)).map(|(_, single)| *single)
        });
        LayersCost::sum(together.chain(alone))
    }
}

pub(super) fn fused_run(layers: &[ChainLayer], mode: FusionMode, accelerator: &Accelerator) -> Option<FusedRun> {
    let schedule = FusedSchedule::best(layers, mode, accelerator, &PARAMETERS)?;
    let run = LayersCost::of(&schedule.cost, accelerator);
    Some(FusedRun { schedule, run })
}

pub(super) fn single_run(layer: &ChainLayer, accelerator: &Accelerator) -> Option<LayersCost> {
    SingleLayerSchedule::best(layer, accelerator, &PARAMETERS)
        .map(|schedule| LayersCost::of(&schedule.cost, accelerator))
}

struct SequenceProblem {
    accelerator: Accelerator,
    chains: Vec<Chain>,
}

impl SequenceProblem {
    fn new(sweep: &Sweep) -> Result<Self, Diagnostics> {
        let chains: Vec<Chain> = Chain::parts(&sweep.network).into_iter().map(|(_, chain)| chain).collect();
        if chains.iter().all(|chain| chain.layers().len() < 2) {
            return Err(no_chain());
        }
        Ok(Self { accelerator: Accelerator::of(&sweep.core), chains })
    }

    fn facts(&self) -> NetworkChains {
        let facts = |chain: &Chain| ChainFacts {
            layers: chain.layers().iter().map(|layer| layer.name.clone()).collect(),
            singles: chain.layers().iter().map(|layer| single_run(layer, &self.accelerator)).collect(),
        };
        let legal = self.chains.iter().enumerate().flat_map(|(index, chain)| {
            let found = legal_sequences(chain, self.accelerator.buffer, MOST_LAYERS);
            found.into_iter().map(move |layers| Sequence::new(index, &layers))
        });
        NetworkChains {
            accelerator: self.accelerator,
            chains: self.chains.iter().map(facts).collect(),
            legal: legal.collect(),
        }
    }

    /// The layers of a sequence, of which there are at least 1 and at most [`MOST_LAYERS`].
    fn layers(&self, sequence: Sequence) -> Result<&[ChainLayer], Diagnostics> {
        let found = self.chains.get(sequence.chain as usize).and_then(|chain| chain.layers().get(sequence.layers()));
        found.filter(|layers| (1..=MOST_LAYERS).contains(&layers.len())).ok_or_else(|| {
            let mut diagnostics = Diagnostics::default();
            diagnostics.add(
                "workload.layers",
                format!(
                    "Chain {} has no 1 to {MOST_LAYERS} layers from {} on, before {}",
                    sequence.chain, sequence.first, sequence.end
                ),
                "Choose layers that follow each other in one chain",
            );
            diagnostics
        })
    }
}
