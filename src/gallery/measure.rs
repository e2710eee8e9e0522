//! The measures that can be computed for a claim.

use super::attention::{AttentionFigure, AttentionSetup};
use super::cores::{CoresFigure, CoresSetup};
use super::dataflows::{DataflowFigure, DataflowsSetup};
use super::hierarchies::{HierarchiesSetup, HierarchyFigure};
use super::layer::{LayerFigure, TableFigure};
use super::mapping::{MappingSpaceSetup, SpaceFigure};
use super::operators::{OperatorFigure, OperatorsSetup};
use super::parameters::{MeasureParameters, choose};
use super::run_strategy::RunStrategy;
use super::sequences::{SequenceFigure, SequencesSetup};
use fusescape_engine::hardware::Operand;
use fusescape_engine::search::Evenness;
use fusescape_spec::{ClaimSpec, Diagnostics, Preset, hardware_presets, workload_presets};

/// The quantity that a number measures, in its base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeasuredQuantity {
    /// pJ.
    Energy,
    /// Cycles.
    Latency,
    /// Bytes.
    Data,
    /// Any count.
    Count,
    /// Ratio of two numbers of the same kind.
    Ratio,
}

/// The computation of our number for a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// A figure of one strategy for the network on the hardware of the entry.
    Run(RunFigure, RunStrategy),
    /// Ratio of a figure of one strategy to that of another.
    RunRatio(RunFigure, RunStrategy, RunStrategy),
    /// Share of a memory in the energy.
    MemoryShare(String, RunStrategy),
    /// Elements read from and written to a memory, ratio of one strategy to another.
    MemoryRatio(String, RunStrategy, RunStrategy),
    /// Ratio of the largest to the smallest value over all points of the sweep.
    Sweep(SweepFigure),
    /// Energy, ratio of one strategy to another: the geometric mean over networks, and the largest over pairs of
    /// hardware.
    Gain {
        /// Numerator.
        from: RunStrategy,
        /// Denominator.
        to: RunStrategy,
        /// Hardware of numerator and denominator, pair by pair; `None` for the current one.
        hardware: Vec<(Option<&'static Preset>, Option<&'static Preset>)>,
        /// `None` for the current one.
        workloads: Vec<Option<&'static Preset>>,
    },
    /// A fact about a network; `None` for the current one.
    Network(NetworkFact, Option<&'static Preset>),
    /// Capacity of a memory, bytes; of all memories but the highest if none is named.
    MemorySize(Option<String>),
    /// An entry of the loop-information table of the entry's mapping.
    Table {
        figure: TableFigure,
        operand: Operand,
        /// Architecture level: 0 for the MAC units.
        level: usize,
    },
    /// A number of the entry's mapping without a level.
    Layer(LayerFigure),
    /// The mapping space of single layers, summed or averaged over them.
    Space(SpaceFigure, MappingSpaceSetup),
    /// The best even mapping of single layers against the best of all; the layer of the entry where none is named.
    EvenOverUneven(Evenness, Vec<String>),
    /// Generated memory hierarchies for the layers of the network.
    Hierarchies(HierarchyFigure, HierarchiesSetup),
    /// Networks of operators to fuse.
    Operators(OperatorFigure, OperatorsSetup),
    /// Sequences of layers of a chain.
    Sequences(SequenceFigure, SequencesSetup),
    /// The network on many cores.
    Cores(CoresFigure, CoresSetup),
    /// Attention with dataflows of the FuseMax artifact.
    Dataflows(DataflowFigure, DataflowsSetup),
    /// A transformer on the hardware of the entry.
    Attention(AttentionFigure, AttentionSetup),
}

/// A figure of one strategy for a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunFigure {
    /// pJ.
    Energy,
    /// Cycles.
    Latency,
    /// Multiply-accumulates, recomputed ones included.
    Macs,
    TileColumns,
    TileRows,
    /// Columns times rows of the tile.
    TilePixels,
    /// Number of different tile types, of all stacks.
    TileTypes,
    /// Full-width words read from and written to DRAM.
    DramAccesses,
}

/// A figure over the points of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepFigure {
    /// Ratio of the largest to the smallest energy.
    EnergySpread,
    /// Ratio of the largest to the smallest latency.
    LatencySpread,
}

/// A fact about a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkFact {
    /// Size of the input feature map, averaged over the layers.
    AverageFeatures,
    /// Size of the largest input feature map.
    MostFeatures,
    /// Size of all weights.
    Weights,
}

/// A kind of measure, by its parameters.
#[derive(Clone, Copy)]
enum MeasureKind {
    Run(RunFigure),
    RunRatio(RunFigure),
    MemoryShare,
    MemoryRatio,
    MemorySize,
    Sweep(SweepFigure),
    Gain,
    Network(NetworkFact),
    Table(TableFigure),
    Layer(LayerFigure),
    Operand(fn(Operand) -> LayerFigure),
    Space(SpaceFigure),
    EvenOverUneven,
    Hierarchies(HierarchyFigure),
    Operators(OperatorFigure),
    Sequences(SequenceFigure),
    Cores(CoresFigure),
    Dataflows(DataflowFigure),
    Attention(AttentionFigure),
}

const KINDS: [(&str, MeasureKind); 109] = [
    ("energy", MeasureKind::Run(RunFigure::Energy)),
    ("latency", MeasureKind::Run(RunFigure::Latency)),
    ("macs", MeasureKind::Run(RunFigure::Macs)),
    ("tile-columns", MeasureKind::Run(RunFigure::TileColumns)),
    ("tile-rows", MeasureKind::Run(RunFigure::TileRows)),
    ("tile-types", MeasureKind::Run(RunFigure::TileTypes)),
    ("dram-accesses", MeasureKind::Run(RunFigure::DramAccesses)),
    ("latency-ratio", MeasureKind::RunRatio(RunFigure::Latency)),
    ("macs-ratio", MeasureKind::RunRatio(RunFigure::Macs)),
    ("dram-ratio", MeasureKind::RunRatio(RunFigure::DramAccesses)),
    ("tile-ratio", MeasureKind::RunRatio(RunFigure::TilePixels)),
    ("memory-share", MeasureKind::MemoryShare),
    ("memory-ratio", MeasureKind::MemoryRatio),
    ("energy-spread", MeasureKind::Sweep(SweepFigure::EnergySpread)),
    ("latency-spread", MeasureKind::Sweep(SweepFigure::LatencySpread)),
    ("gain", MeasureKind::Gain),
    ("average-features", MeasureKind::Network(NetworkFact::AverageFeatures)),
    ("most-features", MeasureKind::Network(NetworkFact::MostFeatures)),
    ("weights", MeasureKind::Network(NetworkFact::Weights)),
    ("unit-size", MeasureKind::Table(TableFigure::UnitSize)),
    ("total-size", MeasureKind::Table(TableFigure::TotalSize)),
    ("unit-macs", MeasureKind::Table(TableFigure::UnitMacs)),
    ("total-macs", MeasureKind::Table(TableFigure::TotalMacs)),
    ("reuse", MeasureKind::Table(TableFigure::Reuse)),
    ("accesses-down", MeasureKind::Table(TableFigure::AccessesDown)),
    ("accesses-up", MeasureKind::Table(TableFigure::AccessesUp)),
    ("turnaround-cycles", MeasureKind::Table(TableFigure::TurnaroundCycles)),
    ("unique-units", MeasureKind::Table(TableFigure::UniqueUnits)),
    ("roof", MeasureKind::Table(TableFigure::Roof)),
    ("layer-macs", MeasureKind::Layer(LayerFigure::Macs)),
    ("active-pes", MeasureKind::Layer(LayerFigure::ActivePes)),
    ("temporal-cycles", MeasureKind::Layer(LayerFigure::TemporalCycles)),
    ("energy-over-best", MeasureKind::Layer(LayerFigure::EnergyOverBest)),
    ("layer-energy", MeasureKind::Layer(LayerFigure::Energy)),
    ("layer-latency", MeasureKind::Layer(LayerFigure::Latency)),
    ("layer-latency-over-best", MeasureKind::Layer(LayerFigure::LatencyOverBest)),
    ("layer-stall-share", MeasureKind::Layer(LayerFigure::StallShare)),
    ("layer-utilization", MeasureKind::Layer(LayerFigure::Utilization)),
    ("layer-intensity", MeasureKind::Layer(LayerFigure::Intensity)),
    ("memory-size", MeasureKind::MemorySize),
    ("operand-size", MeasureKind::Operand(LayerFigure::Size)),
    ("operand-reuse", MeasureKind::Operand(LayerFigure::Reuse)),
    ("even-over-uneven", MeasureKind::EvenOverUneven),
    ("uneven-per-even", MeasureKind::Space(SpaceFigure::UnevenPerEven)),
    ("mapping-energy-spread", MeasureKind::Space(SpaceFigure::EnergySpread)),
    ("mapping-latency-spread", MeasureKind::Space(SpaceFigure::LatencySpread)),
    ("mappings", MeasureKind::Space(SpaceFigure::Mappings)),
    ("heuristic-mappings", MeasureKind::Space(SpaceFigure::HeuristicMappings)),
    ("iterative-partial-mappings", MeasureKind::Space(SpaceFigure::IterativePartial)),
    ("iterative-final-mappings", MeasureKind::Space(SpaceFigure::IterativeFinal)),
    ("heuristic-share", MeasureKind::Space(SpaceFigure::HeuristicShare)),
    ("heuristic-over-exhaustive", MeasureKind::Space(SpaceFigure::HeuristicOverExhaustive)),
    ("iterative-over-exhaustive", MeasureKind::Space(SpaceFigure::IterativeOverExhaustive)),
    ("hierarchies", MeasureKind::Hierarchies(HierarchyFigure::Count)),
    ("flexible-energy", MeasureKind::Hierarchies(HierarchyFigure::FlexibleEnergy)),
    ("fixed-energy", MeasureKind::Hierarchies(HierarchyFigure::FixedEnergy)),
    ("flexible-over-fixed", MeasureKind::Hierarchies(HierarchyFigure::FlexibleOverFixed)),
    ("energy-on", MeasureKind::Hierarchies(HierarchyFigure::EnergyOn)),
    ("unrolling-spread-shared", MeasureKind::Hierarchies(HierarchyFigure::UnrollingSpreadShared)),
    ("unrolling-spread-separate", MeasureKind::Hierarchies(HierarchyFigure::UnrollingSpreadSeparate)),
    ("operators", MeasureKind::Operators(OperatorFigure::Operators)),
    ("possible-groups", MeasureKind::Operators(OperatorFigure::PossibleGroups)),
    ("online-groups", MeasureKind::Operators(OperatorFigure::OnlineGroups)),
    ("fused-groups", MeasureKind::Operators(OperatorFigure::Groups)),
    ("least-reduction", MeasureKind::Operators(OperatorFigure::LeastReduction)),
    ("most-reduction", MeasureKind::Operators(OperatorFigure::MostReduction)),
    ("traffic-ratio", MeasureKind::Operators(OperatorFigure::TrafficRatio)),
    ("array-columns", MeasureKind::Sequences(SequenceFigure::ArrayColumns)),
    ("array-rows", MeasureKind::Sequences(SequenceFigure::ArrayRows)),
    ("weight-registers", MeasureKind::Sequences(SequenceFigure::WeightWords)),
    ("input-registers", MeasureKind::Sequences(SequenceFigure::InputWords)),
    ("sum-registers", MeasureKind::Sequences(SequenceFigure::SumWords)),
    ("ctc", MeasureKind::Sequences(SequenceFigure::Ctc)),
    ("pairs-energy", MeasureKind::Sequences(SequenceFigure::Energy)),
    ("pairs-latency", MeasureKind::Sequences(SequenceFigure::Latency)),
    ("pairs-latency-in-sequence", MeasureKind::Sequences(SequenceFigure::LatencyInSequence)),
    ("pairs-volume", MeasureKind::Sequences(SequenceFigure::Volume)),
    ("configuration-energy", MeasureKind::Sequences(SequenceFigure::ConfigurationEnergy)),
    ("configuration-latency", MeasureKind::Sequences(SequenceFigure::ConfigurationLatency)),
    ("configuration-ctc", MeasureKind::Sequences(SequenceFigure::ConfigurationCtc)),
    ("dataflow-2d-use", MeasureKind::Dataflows(DataflowFigure::Used2d)),
    ("dataflow-1d-use", MeasureKind::Dataflows(DataflowFigure::Used1d)),
    ("dataflow-speed-up", MeasureKind::Dataflows(DataflowFigure::SpeedUp)),
    ("dataflow-energy-ratio", MeasureKind::Dataflows(DataflowFigure::EnergyRatio)),
    ("attention-gain", MeasureKind::Attention(AttentionFigure::Gain)),
    ("attention-speed-up", MeasureKind::Attention(AttentionFigure::SpeedUp)),
    ("attention-dram-ratio", MeasureKind::Attention(AttentionFigure::DramRatio)),
    ("attention-scores", MeasureKind::Attention(AttentionFigure::Scores)),
    ("attention-dram", MeasureKind::Attention(AttentionFigure::Dram)),
    ("step-intensity", MeasureKind::Attention(AttentionFigure::Intensity)),
    ("step-use", MeasureKind::Attention(AttentionFigure::Use)),
    ("step-weight-share", MeasureKind::Attention(AttentionFigure::WeightShare)),
    ("step-energy", MeasureKind::Attention(AttentionFigure::Energy)),
    ("step-latency", MeasureKind::Attention(AttentionFigure::Latency)),
    ("cache-size", MeasureKind::Attention(AttentionFigure::Cache)),
    ("fused-storage", MeasureKind::Sequences(SequenceFigure::Storage)),
    ("fused-volume-saved", MeasureKind::Sequences(SequenceFigure::VolumeSaved)),
    ("reuse-saved", MeasureKind::Sequences(SequenceFigure::ReuseSaved)),
    ("cores-latency", MeasureKind::Cores(CoresFigure::Latency)),
    ("intra-core-latency", MeasureKind::Cores(CoresFigure::IntraCoreLatency)),
    ("stack-iterations", MeasureKind::Cores(CoresFigure::Iterations)),
    ("steady-iterations", MeasureKind::Cores(CoresFigure::SteadyIterations)),
    ("steady-tiles", MeasureKind::Cores(CoresFigure::SteadyTiles)),
    ("system-ratio", MeasureKind::Cores(CoresFigure::OverSystem)),
    ("cores-energy", MeasureKind::Cores(CoresFigure::Energy)),
    ("cores-peak-memory", MeasureKind::Cores(CoresFigure::PeakMemory)),
    ("layers-over-tiles", MeasureKind::Cores(CoresFigure::LayersOverTiles)),
    ("single-over-shared", MeasureKind::Cores(CoresFigure::SingleOverShared)),
    ("evolved-over-shared", MeasureKind::Cores(CoresFigure::EvolvedOverShared)),
];

const EVENNESS: [(&str, Evenness); 2] = [("stationary", Evenness::Stationary), ("strict", Evenness::Strict)];

const OPERANDS: [(&str, Operand); 3] = [("W", Operand::W), ("I", Operand::I), ("O", Operand::O)];

impl Measure {
    /// Reads the measure of a claim, whose place is `path`, in an entry with this network.
    pub fn new(
        claim: &ClaimSpec,
        path: &str,
        workload: Option<&'static Preset>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        if claim.measure.is_empty() {
            return None;
        }
        let kind = match choose(&claim.measure, &KINDS) {
            Ok(kind) => kind,
            Err(remedy) => {
                diagnostics.add(path, format!("There is no measure `{}`", claim.measure), remedy);
                return None;
            }
        };
        let mut of = MeasureParameters::new(format!("{path}.{}", claim.measure), &claim.parameters, diagnostics);
        let operand = |of: &mut MeasureParameters<'_>| of.need("operand", |word| choose(word, &OPERANDS));
        let measure = match kind {
            MeasureKind::Run(figure) => of.need("of", RunStrategy::parse).map(|way| Self::Run(figure, way)),
            MeasureKind::RunRatio(figure) => {
                let (from, to) = (of.need("from", RunStrategy::parse), of.need("to", RunStrategy::parse));
                from.zip(to).map(|(from, to)| Self::RunRatio(figure, from, to))
            }
            MeasureKind::MemoryShare => {
                let memory = of.need("memory", |word| Ok(word.to_owned()));
                memory.zip(of.need("of", RunStrategy::parse)).map(|(memory, way)| Self::MemoryShare(memory, way))
            }
            MeasureKind::MemoryRatio => {
                let memory = of.need("memory", |word| Ok(word.to_owned()))?;
                let (from, to) = (of.need("from", RunStrategy::parse)?, of.need("to", RunStrategy::parse)?);
                Some(Self::MemoryRatio(memory, from, to))
            }
            MeasureKind::Sweep(figure) => Some(Self::Sweep(figure)),
            MeasureKind::Gain => gain(&mut of),
            MeasureKind::MemorySize => Some(Self::MemorySize(of.word("memory"))),
            MeasureKind::Network(fact) => {
                Some(Self::Network(fact, of.presets("workload", workload_presets(), None).first().copied()))
            }
            MeasureKind::Table(figure) => {
                let level = of.need("level", |word| {
                    word.parse().map_err(|_| "Write 0 for the MAC units, 1 for the lowest memory, and so on".to_owned())
                });
                operand(&mut of).zip(level).map(|(operand, level)| Self::Table { figure, operand, level })
            }
            MeasureKind::Layer(figure) => Some(Self::Layer(figure)),
            MeasureKind::Operand(figure) => operand(&mut of).map(|operand| Self::Layer(figure(operand))),
            MeasureKind::Space(figure) => {
                let layers = of.words("layers");
                let share = |text: &str| match text.parse::<f64>() {
                    Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
                    _ => Err("Write a share from 0 to 1, for example `0.7`".to_owned()),
                };
                let min_utilization = of.optional("min-utilization", share).unwrap_or(0.0);
                Some(Self::Space(figure, MappingSpaceSetup { layers, min_utilization }))
            }
            MeasureKind::EvenOverUneven => {
                let evenness = of.optional("even", |word| choose(word, &EVENNESS)).unwrap_or_default();
                Some(Self::EvenOverUneven(evenness, of.words("layers")))
            }
            MeasureKind::Hierarchies(figure) => {
                Some(Self::Hierarchies(figure, HierarchiesSetup::read(&mut of, figure)))
            }
            MeasureKind::Operators(figure) => {
                OperatorsSetup::read(&mut of, figure).map(|of| Self::Operators(figure, of))
            }
            MeasureKind::Sequences(figure) => {
                SequencesSetup::read(&mut of, figure, workload).map(|of| Self::Sequences(figure, of))
            }
            MeasureKind::Cores(figure) => Some(Self::Cores(figure, CoresSetup::read(&mut of))),
            MeasureKind::Attention(figure) => AttentionSetup::read(&mut of).map(|of| Self::Attention(figure, of)),
            MeasureKind::Dataflows(figure) => {
                DataflowsSetup::read(&mut of, figure).map(|of| Self::Dataflows(figure, of))
            }
        };
        of.finish();
        measure
    }

    /// The memory that it names.
    pub fn memory(&self) -> Option<&str> {
        match self {
            Self::MemoryShare(memory, _) | Self::MemoryRatio(memory, ..) => Some(memory),
            Self::MemorySize(memory) => memory.as_deref(),
            _ => None,
        }
    }

    /// The quantity of the result.
    pub fn quantity(&self) -> MeasuredQuantity {
        match self {
            Self::Run(RunFigure::Energy, _) => MeasuredQuantity::Energy,
            Self::Run(RunFigure::Latency, _) => MeasuredQuantity::Latency,
            Self::Run(..) => MeasuredQuantity::Count,
            Self::RunRatio(..) | Self::MemoryShare(..) | Self::MemoryRatio(..) => MeasuredQuantity::Ratio,
            Self::Sweep(_) | Self::Gain { .. } => MeasuredQuantity::Ratio,
            Self::Network(..) | Self::MemorySize(_) => MeasuredQuantity::Data,
            Self::Table { figure: TableFigure::TurnaroundCycles, .. } => MeasuredQuantity::Latency,
            Self::Layer(LayerFigure::TemporalCycles | LayerFigure::Latency) => MeasuredQuantity::Latency,
            Self::Layer(LayerFigure::Energy) => MeasuredQuantity::Energy,
            Self::Table { figure: TableFigure::Reuse, .. } => MeasuredQuantity::Ratio,
            Self::Layer(
                LayerFigure::Reuse(_)
                | LayerFigure::EnergyOverBest
                | LayerFigure::LatencyOverBest
                | LayerFigure::StallShare
                | LayerFigure::Utilization
                | LayerFigure::Intensity,
            ) => MeasuredQuantity::Ratio,
            Self::Table { .. } | Self::Layer(_) => MeasuredQuantity::Count,
            Self::Space(figure, _) if figure.is_count() => MeasuredQuantity::Count,
            Self::Space(..) | Self::EvenOverUneven(..) => MeasuredQuantity::Ratio,
            Self::Operators(OperatorFigure::TrafficRatio, _) => MeasuredQuantity::Ratio,
            Self::Operators(OperatorFigure::LeastReduction | OperatorFigure::MostReduction, _) => {
                MeasuredQuantity::Ratio
            }
            Self::Operators(..) => MeasuredQuantity::Count,
            Self::Sequences(figure, _) if figure.is_ratio() => MeasuredQuantity::Ratio,
            Self::Sequences(..) => MeasuredQuantity::Count,
            Self::Attention(figure, _) => match figure {
                AttentionFigure::Scores | AttentionFigure::Dram | AttentionFigure::Cache => MeasuredQuantity::Data,
                AttentionFigure::Energy => MeasuredQuantity::Energy,
                AttentionFigure::Latency => MeasuredQuantity::Latency,
                AttentionFigure::Gain
                | AttentionFigure::SpeedUp
                | AttentionFigure::DramRatio
                | AttentionFigure::Intensity
                | AttentionFigure::Use
                | AttentionFigure::WeightShare => MeasuredQuantity::Ratio,
            },
            Self::Dataflows(..) => MeasuredQuantity::Ratio,
            Self::Cores(figure, _) => match figure {
                CoresFigure::Latency | CoresFigure::IntraCoreLatency => MeasuredQuantity::Latency,
                CoresFigure::Iterations | CoresFigure::SteadyIterations | CoresFigure::SteadyTiles => {
                    MeasuredQuantity::Count
                }
                CoresFigure::Energy => MeasuredQuantity::Energy,
                CoresFigure::PeakMemory => MeasuredQuantity::Data,
                CoresFigure::LayersOverTiles
                | CoresFigure::SingleOverShared
                | CoresFigure::EvolvedOverShared
                | CoresFigure::OverSystem => MeasuredQuantity::Ratio,
            },
            Self::Hierarchies(figure, _) => match figure {
                HierarchyFigure::Count => MeasuredQuantity::Count,
                HierarchyFigure::FlexibleEnergy | HierarchyFigure::FixedEnergy | HierarchyFigure::EnergyOn => {
                    MeasuredQuantity::Energy
                }
                HierarchyFigure::FlexibleOverFixed
                | HierarchyFigure::UnrollingSpreadShared
                | HierarchyFigure::UnrollingSpreadSeparate => MeasuredQuantity::Ratio,
            },
        }
    }
}

fn gain(of: &mut MeasureParameters<'_>) -> Option<Measure> {
    let (from, to) = (of.need("from", RunStrategy::parse), of.need("to", RunStrategy::parse));
    let or_at_hand = |named: Vec<&'static Preset>| match named.is_empty() {
        true => vec![None],
        false => named.into_iter().map(Some).collect(),
    };
    let from_hardware = or_at_hand(of.presets("from_hardware", hardware_presets(), None));
    let to_hardware = of.presets("to_hardware", hardware_presets(), None);
    let to_hardware = if to_hardware.is_empty() { from_hardware.clone() } else { or_at_hand(to_hardware) };
    if from_hardware.len() != to_hardware.len() {
        let reason = format!("{} kinds of hardware stand against {}", from_hardware.len(), to_hardware.len());
        of.diagnostics.add(of.path_of("to_hardware"), reason, "List as many as in `from_hardware`");
    }
    let workloads = or_at_hand(of.presets("workloads", workload_presets(), None));
    let hardware = from_hardware.into_iter().zip(to_hardware).collect();
    Some(Measure::Gain { from: from?, to: to?, hardware, workloads })
}
