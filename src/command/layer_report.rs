//! Mapped layers, and their JSON.

use super::Report;
use super::estimates::EstimatedMemory;
use super::in_memory::InMemoryArray;
use super::layer::{LayerOutcomes, LayerSearchOptions};
use super::parse::STRATEGIES;
use super::sweep_report::sentences;
use fusescape_engine::cost::{Access, EnergyCause, LatencyCause, LoopInformation, PortBalance};
use fusescape_engine::explore::{LayerFacts, MappedLayer, TemporalMapping};
use fusescape_engine::hardware::{Core, Power};
use fusescape_engine::mapping::OPERANDS;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::space::{IterativeOutcome, MappingSpace, SpaceRefusal};
use fusescape_engine::search::{MappingFront, Objective, Outcome, Proof, Solution, StopReason, UnrolledOutcome};
use fusescape_engine::workload::Network;
use fusescape_spec::{Diagnostic, Diagnostics};
use serde::Serialize;
use serde_json::{Error, Value};
use std::collections::BTreeMap;

/// Layers of a network on a core.
pub struct LayersReport {
    pub core: Core,
    /// The network in the form that the core computes.
    pub network: Network,
    /// The options of the search.
    pub options: LayerSearchOptions,
    pub layers: LayerOutcomes,
}

impl LayersReport {
    /// Remarks on the numbers.
    pub fn notes(&self) -> Vec<Diagnostic> {
        let Self { core, network, .. } = self;
        network.notes(&core.name, [core])
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let Self { core, network, options, layers } = self;
        let strategy = STRATEGIES.iter().find(|(_, strategy)| *strategy == options.strategy).map(|(name, _)| *name);
        let found = LayersFound {
            hardware: &core.name,
            estimates: EstimatedMemory::of(core),
            in_memory: InMemoryArray::of(core),
            workload: &network.name,
            objective: &options.objective,
            strategy,
            min_utilization: options.min_utilization,
            rules: options.rules,
            layers: layers.iter().map(|(_, result)| layer_found(core, result)).collect(),
        };
        found.json()
    }
}

/// One layer, mapped or not.
pub struct LayerOutcome {
    /// Properties common to all mappings of the layer.
    pub facts: LayerFacts,
    /// Its mapping, or the reason why there is none.
    pub mapped: Result<MappedLayer, Diagnostics>,
    /// The outcome of the temporal search.
    pub searched: Searched,
    /// The front of energy and latency, if it was searched.
    pub front: Option<MappingFront>,
    /// The outcome of the search for the unrolling, if there was one.
    pub unrollings: Option<UnrolledOutcome>,
    /// The cost of the constraints, if there are any.
    pub constrained: Option<ConstraintCost>,
    /// Time of both searches.
    pub seconds: f64,
}

impl LayerOutcome {
    /// Time and power of the mapped layer alone.
    pub fn power(&self, core: &Core) -> Option<Power> {
        let mapped = self.mapped.as_ref().ok()?;
        core.power(mapped.energy_pj(), mapped.cycles.total as f64, self.facts.shape.macs())
    }
}

/// What constraints cost: the score of the best mapping without them, and how much more the best with them has, as a share. `None` where
/// there is none.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConstraintCost {
    /// Score of the best mapping without constraints, in the unit of the objective; null where there is none.
    pub free_score: Option<f64>,
    /// How much more the best under the constraints scores, as a share of that; null where there is none.
    pub more: Option<f64>,
}

/// The outcome of a temporal search.
pub enum Searched {
    /// Of a search over orders of loops.
    Orders(Outcome),
    /// Of a search over blockings.
    Space(MappingSpace),
    /// Of a search level by level.
    Iterative(IterativeOutcome),
    /// The search was refused.
    Refused(SpaceRefusal),
    /// There was no search: the mapping was made by hand.
    ByHand,
}

impl Searched {
    /// The mapping of the search.
    pub fn best(&self) -> Option<&Solution> {
        match self {
            Self::Orders(outcome) => outcome.best.as_ref(),
            Self::Space(space) => space.best.as_ref(),
            Self::Iterative(outcome) => outcome.best.as_ref(),
            Self::Refused(_) | Self::ByHand => None,
        }
    }
}

fn layer_found<'a>(core: &Core, result: &'a LayerOutcome) -> LayerFound<'a> {
    let layer = SearchedLayer {
        facts: &result.facts,
        macs: result.facts.shape.macs(),
        search: SearchFound {
            seconds: result.seconds,
            orders: match &result.searched {
                Searched::Orders(outcome) => Some(OrdersFound {
                    tried: outcome.orders,
                    feasible: outcome.feasible,
                    proof: outcome.proof,
                    stopped: outcome.stopped,
                }),
                _ => None,
            },
            space: match &result.searched {
                Searched::Space(space) => Some(space),
                _ => None,
            },
            iterative: match &result.searched {
                Searched::Iterative(outcome) => Some(outcome),
                _ => None,
            },
            front: result.front.as_ref().map(FrontFound::new),
            constraints: result.constrained,
            unrollings: result.unrollings.as_ref().map(|unrollings| UnrollingsFound {
                legal: unrollings.unrollings,
                searched: unrollings.searched,
                feasible: unrollings.feasible,
                cannot_be_better: unrollings.skipped,
                proof: unrollings.proof,
            }),
        },
    };
    match &result.mapped {
        Ok(mapped) => LayerFound::Mapped(Box::new(BestMapped {
            layer,
            energy_pj: mapped.energy_pj(),
            latency_cycles: mapped.cycles.total,
            mapped: MappingFound::new(mapped),
            power: result.power(core),
        })),
        Err(reasons) => LayerFound::Impossible(Box::new(ImpossibleLayer { layer, impossible: sentences(reasons) })),
    }
}

/// What `fusescape layer --json` prints: the best loop nest of single layers (ZigZag). Operands stand in the order of the field operands,
/// memory levels from the innermost to the outermost. Units stand in the names of fields: pj picojoules, cycles clock cycles, bits.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LayersFound<'a> {
    /// Name of the core, as its document has it.
    hardware: &'a str,
    /// Memories with figures that an estimator stands for, the lowest first; all other figures are stated in the
    /// document.
    estimates: Vec<EstimatedMemory>,
    /// The array, where it computes in memory; null elsewhere.
    in_memory: Option<InMemoryArray>,
    /// Name of the network, as its document has it.
    workload: &'a str,
    /// What is minimised.
    objective: &'a Objective,
    /// How the mapping was searched.
    strategy: Option<&'static str>,
    /// Least share of a memory that operands share which a blocking fills, 0 to 1.
    min_utilization: f64,
    /// Rules of the model.
    rules: Rules,
    /// Result of each layer, in the order of the network.
    layers: Vec<LayerFound<'a>>,
}

impl Report for LayersFound<'_> {
    const KIND: &'static str = "layer";
}

/// A layer, mapped or not.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum LayerFound<'a> {
    /// A layer with its best mapping.
    Mapped(Box<BestMapped<'a>>),
    /// A layer that cannot be mapped.
    Impossible(Box<ImpossibleLayer<'a>>),
}

/// A layer with its best mapping.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BestMapped<'a> {
    #[serde(flatten)]
    layer: SearchedLayer<'a>,
    /// Energy, pJ.
    energy_pj: f64,
    /// Stalls included, cycles.
    latency_cycles: u64,
    /// The mapping, and what it costs.
    mapped: MappingFound<'a>,
    /// Time, power and leakage; null where no clock is stated.
    power: Option<Power>,
}

/// A layer that cannot be mapped.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ImpossibleLayer<'a> {
    #[serde(flatten)]
    layer: SearchedLayer<'a>,
    /// Why there is no result: reasons, each with a remedy.
    impossible: Vec<String>,
}

/// What a layer is, and how its mapping was searched.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SearchedLayer<'a> {
    #[serde(flatten)]
    facts: &'a LayerFacts,
    /// MAC operations of the layer.
    macs: u64,
    /// What the search did.
    search: SearchFound<'a>,
}

/// What a search did.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SearchFound<'a> {
    /// How long the search took, s.
    seconds: f64,
    /// The search through orders of loops; null with another strategy.
    orders: Option<OrdersFound>,
    /// The walk through all blockings; null with another strategy.
    space: Option<&'a MappingSpace>,
    /// The search level by level; null with another strategy.
    iterative: Option<&'a IterativeOutcome>,
    /// The front of energy and latency; null where it was not asked for.
    front: Option<FrontFound>,
    /// What the constraints cost; null without them.
    constraints: Option<ConstraintCost>,
    /// The search for the unrolling of the array; null without it.
    unrollings: Option<UnrollingsFound>,
}

/// A search through orders of loops.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OrdersFound {
    /// Mappings, complete or partial, that were looked at.
    tried: u64,
    /// Complete mappings that fit.
    feasible: u64,
    /// What is proved of better mappings.
    proof: Proof,
    /// Why the search ended.
    stopped: StopReason,
}

/// The front of energy and latency of a layer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FrontFound {
    /// Every mapping that no other one beats in both, by ascending energy.
    mappings: Vec<FrontMapping>,
    /// Whether no mapping is missing.
    proof: Proof,
}

impl FrontFound {
    fn new(front: &MappingFront) -> Self {
        let corners = front.hull();
        let mapping = |(number, mapping): (usize, &Solution)| FrontMapping {
            energy_pj: mapping.energy_pj,
            latency_cycles: mapping.latency_cycles,
            is_corner: corners.binary_search(&number).is_ok(),
        };
        Self { mappings: front.mappings.iter().enumerate().map(mapping).collect(), proof: front.proof }
    }
}

/// A mapping of a front.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FrontMapping {
    /// Energy, pJ.
    energy_pj: f64,
    /// Stalls included, cycles.
    latency_cycles: u64,
    /// Whether it is a corner of the convex hull: the best by some weights of energy and latency.
    is_corner: bool,
}

/// A search for the unrolling of the array.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct UnrollingsFound {
    /// Number of different unrollings that the array and the options allow.
    legal: usize,
    /// Those searched.
    searched: usize,
    /// Those that have a mapping.
    feasible: usize,
    /// Those left out, as a bound proves them no better.
    cannot_be_better: usize,
    /// What is proved of better ones.
    proof: Proof,
}

/// A mapped layer: energy beside that of its accesses, and cycles, as fields by cause.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MappingFound<'a> {
    /// The mapping; loops that only keep an operand stationary are at the lower level.
    mapping: &'a TemporalMapping,
    /// Energy of all accesses, pJ: per operand and memory level.
    memory_pj: &'a [Vec<f64>; OPERANDS],
    /// Full-width words: per operand, memory level and movement, in the order ReadToLow, WriteFromLow, ReadToHigh, WriteFromHigh.
    words: &'a [Vec<[f64; 4]>; OPERANDS],
    /// Every access behind `words`: per operand, memory and direction, with its cause.
    accesses: &'a [Access],
    /// Whether each memory level is double-buffered, by operand.
    double_buffered: &'a [Vec<bool>; OPERANDS],
    /// The balance of every port.
    ports: &'a [PortBalance],
    /// The loop-information table.
    information: &'a LoopInformation,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "by_cause::energy"))]
    energy: BTreeMap<String, f64>,
    /// Latency by cause, cycles.
    cycles: CyclesFound,
}

/// Latency by cause, cycles.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CyclesFound {
    /// If every PE worked in every cycle; a part of `temporal`.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    ideal: f64,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "by_cause::latency"))]
    causes: BTreeMap<&'static str, u64>,
    /// The sum of all but `ideal`.
    total: u64,
}

impl<'a> MappingFound<'a> {
    fn new(mapped: &'a MappedLayer) -> Self {
        let by_cause = mapped.cycles.by_cause;
        Self {
            mapping: &mapped.mapping,
            memory_pj: &mapped.memory_pj,
            words: &mapped.words,
            accesses: &mapped.accesses,
            double_buffered: &mapped.double_buffered,
            ports: &mapped.ports,
            information: &mapped.information,
            energy: EnergyCause::without_access().map(|cause| (energy_field(cause), mapped.energy[cause])).collect(),
            cycles: CyclesFound {
                ideal: by_cause.ideal_cycles,
                causes: LatencyCause::of_layer().map(|cause| (cause.key(), by_cause[cause])).collect(),
                total: mapped.cycles.total,
            },
        }
    }
}

fn energy_field(cause: EnergyCause) -> String {
    format!("{}_pj", cause.key())
}

#[cfg(feature = "schema")]
mod by_cause {
    use super::{EnergyCause, LatencyCause, energy_field};
    use fusescape_engine::schema::{described, object};
    use schemars::{Schema, SchemaGenerator};

    pub fn energy(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |cause: EnergyCause| format!("Energy of {}, pJ.", cause.plural());
        let field = |cause| (energy_field(cause), described::<f64>(generator, meaning(cause)));
        object(EnergyCause::without_access().map(field))
    }

    pub fn latency(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |cause: LatencyCause| format!("Of {}.", cause.plural());
        object(
            LatencyCause::of_layer().map(|cause| (cause.key().to_owned(), described::<u64>(generator, meaning(cause)))),
        )
    }
}
