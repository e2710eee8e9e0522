//! The measures that can be computed for a claim.

use super::attention::{AttentionFigure, AttentionOf};
use super::cores::{CoresFigure, CoresOf};
use super::dataflows::{DataflowFigure, DataflowsOf};
use super::hierarchies::{HierarchiesOf, HierarchyFigure};
use super::layer::{LayerFigure, TableFigure};
use super::mapping::{SpaceFigure, SpaceOf};
use super::operators::{OperatorFigure, OperatorsOf};
use super::parameters::{Parameters, choose};
use super::run_strategy::RunStrategy;
use super::sequences::{SequenceFigure, Sequences};
use fusescape_engine::hardware::Operand;
use fusescape_engine::search::space::Evenness;
use fusescape_spec::{ClaimSpec, Diagnostics, Preset, hardware_presets, workload_presets};

/// The quantity that a number measures, in its base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
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
    Space(SpaceFigure, SpaceOf),
    /// Generated memory hierarchies for the layers of the network.
    Hierarchies(HierarchyFigure, HierarchiesOf),
    /// Networks of operators to fuse.
    Operators(OperatorFigure, OperatorsOf),
    /// Sequences of layers of a chain.
    Sequences(SequenceFigure, Sequences),
    /// The network on many cores.
    Cores(CoresFigure, CoresOf),
    /// Attention with dataflows of the FuseMax artifact.
    Dataflows(DataflowFigure, DataflowsOf),
    /// A transformer on the hardware of the entry.
    Attention(AttentionFigure, AttentionOf),
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
enum Kind {
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
    Hierarchies(HierarchyFigure),
    Operators(OperatorFigure),
    Sequences(SequenceFigure),
    Cores(CoresFigure),
    Dataflows(DataflowFigure),
    Attention(AttentionFigure),
}

const KINDS: [(&str, Kind); 108] = [
    ("energy", Kind::Run(RunFigure::Energy)),
    ("latency", Kind::Run(RunFigure::Latency)),
    ("macs", Kind::Run(RunFigure::Macs)),
    ("tile-columns", Kind::Run(RunFigure::TileColumns)),
    ("tile-rows", Kind::Run(RunFigure::TileRows)),
    ("tile-types", Kind::Run(RunFigure::TileTypes)),
    ("dram-accesses", Kind::Run(RunFigure::DramAccesses)),
    ("latency-ratio", Kind::RunRatio(RunFigure::Latency)),
    ("macs-ratio", Kind::RunRatio(RunFigure::Macs)),
    ("dram-ratio", Kind::RunRatio(RunFigure::DramAccesses)),
    ("tile-ratio", Kind::RunRatio(RunFigure::TilePixels)),
    ("memory-share", Kind::MemoryShare),
    ("memory-ratio", Kind::MemoryRatio),
    ("energy-spread", Kind::Sweep(SweepFigure::EnergySpread)),
    ("latency-spread", Kind::Sweep(SweepFigure::LatencySpread)),
    ("gain", Kind::Gain),
    ("average-features", Kind::Network(NetworkFact::AverageFeatures)),
    ("most-features", Kind::Network(NetworkFact::MostFeatures)),
    ("weights", Kind::Network(NetworkFact::Weights)),
    ("unit-size", Kind::Table(TableFigure::UnitSize)),
    ("total-size", Kind::Table(TableFigure::TotalSize)),
    ("unit-macs", Kind::Table(TableFigure::UnitMacs)),
    ("total-macs", Kind::Table(TableFigure::TotalMacs)),
    ("reuse", Kind::Table(TableFigure::Reuse)),
    ("accesses-down", Kind::Table(TableFigure::AccessesDown)),
    ("accesses-up", Kind::Table(TableFigure::AccessesUp)),
    ("turnaround-cycles", Kind::Table(TableFigure::TurnaroundCycles)),
    ("unique-units", Kind::Table(TableFigure::UniqueUnits)),
    ("roof", Kind::Table(TableFigure::Roof)),
    ("layer-macs", Kind::Layer(LayerFigure::Macs)),
    ("active-pes", Kind::Layer(LayerFigure::ActivePes)),
    ("temporal-cycles", Kind::Layer(LayerFigure::TemporalCycles)),
    ("energy-over-best", Kind::Layer(LayerFigure::EnergyOverBest)),
    ("layer-energy", Kind::Layer(LayerFigure::Energy)),
    ("layer-latency", Kind::Layer(LayerFigure::Latency)),
    ("layer-latency-over-best", Kind::Layer(LayerFigure::LatencyOverBest)),
    ("layer-stall-share", Kind::Layer(LayerFigure::StallShare)),
    ("layer-utilization", Kind::Layer(LayerFigure::Utilization)),
    ("layer-intensity", Kind::Layer(LayerFigure::Intensity)),
    ("memory-size", Kind::MemorySize),
    ("operand-size", Kind::Operand(LayerFigure::Size)),
    ("operand-reuse", Kind::Operand(LayerFigure::Reuse)),
    ("even-over-uneven", Kind::Space(SpaceFigure::EvenOverUneven)),
    ("mapping-energy-spread", Kind::Space(SpaceFigure::EnergySpread)),
    ("mapping-latency-spread", Kind::Space(SpaceFigure::LatencySpread)),
    ("mappings", Kind::Space(SpaceFigure::Mappings)),
    ("heuristic-mappings", Kind::Space(SpaceFigure::HeuristicMappings)),
    ("iterative-partial-mappings", Kind::Space(SpaceFigure::IterativePartial)),
    ("iterative-final-mappings", Kind::Space(SpaceFigure::IterativeFinal)),
    ("heuristic-share", Kind::Space(SpaceFigure::HeuristicShare)),
    ("heuristic-over-exhaustive", Kind::Space(SpaceFigure::HeuristicOverExhaustive)),
    ("iterative-over-exhaustive", Kind::Space(SpaceFigure::IterativeOverExhaustive)),
    ("hierarchies", Kind::Hierarchies(HierarchyFigure::Count)),
    ("flexible-energy", Kind::Hierarchies(HierarchyFigure::FlexibleEnergy)),
    ("fixed-energy", Kind::Hierarchies(HierarchyFigure::FixedEnergy)),
    ("flexible-over-fixed", Kind::Hierarchies(HierarchyFigure::FlexibleOverFixed)),
    ("energy-on", Kind::Hierarchies(HierarchyFigure::EnergyOn)),
    ("unrolling-spread-shared", Kind::Hierarchies(HierarchyFigure::UnrollingSpreadShared)),
    ("unrolling-spread-separate", Kind::Hierarchies(HierarchyFigure::UnrollingSpreadSeparate)),
    ("operators", Kind::Operators(OperatorFigure::Operators)),
    ("possible-groups", Kind::Operators(OperatorFigure::PossibleGroups)),
    ("online-groups", Kind::Operators(OperatorFigure::OnlineGroups)),
    ("fused-groups", Kind::Operators(OperatorFigure::Groups)),
    ("least-reduction", Kind::Operators(OperatorFigure::LeastReduction)),
    ("most-reduction", Kind::Operators(OperatorFigure::MostReduction)),
    ("traffic-ratio", Kind::Operators(OperatorFigure::TrafficRatio)),
    ("array-columns", Kind::Sequences(SequenceFigure::ArrayColumns)),
    ("array-rows", Kind::Sequences(SequenceFigure::ArrayRows)),
    ("weight-registers", Kind::Sequences(SequenceFigure::WeightWords)),
    ("input-registers", Kind::Sequences(SequenceFigure::InputWords)),
    ("sum-registers", Kind::Sequences(SequenceFigure::SumWords)),
    ("ctc", Kind::Sequences(SequenceFigure::Ctc)),
    ("pairs-energy", Kind::Sequences(SequenceFigure::Energy)),
    ("pairs-latency", Kind::Sequences(SequenceFigure::Latency)),
    ("pairs-latency-in-sequence", Kind::Sequences(SequenceFigure::LatencyInSequence)),
    ("pairs-volume", Kind::Sequences(SequenceFigure::Volume)),
    ("configuration-energy", Kind::Sequences(SequenceFigure::ConfigurationEnergy)),
    ("configuration-latency", Kind::Sequences(SequenceFigure::ConfigurationLatency)),
    ("configuration-ctc", Kind::Sequences(SequenceFigure::ConfigurationCtc)),
    ("dataflow-2d-use", Kind::Dataflows(DataflowFigure::Used2d)),
    ("dataflow-1d-use", Kind::Dataflows(DataflowFigure::Used1d)),
    ("dataflow-speed-up", Kind::Dataflows(DataflowFigure::SpeedUp)),
    ("dataflow-energy-ratio", Kind::Dataflows(DataflowFigure::EnergyRatio)),
    ("attention-gain", Kind::Attention(AttentionFigure::Gain)),
    ("attention-speed-up", Kind::Attention(AttentionFigure::SpeedUp)),
    ("attention-dram-ratio", Kind::Attention(AttentionFigure::DramRatio)),
    ("attention-scores", Kind::Attention(AttentionFigure::Scores)),
    ("attention-dram", Kind::Attention(AttentionFigure::Dram)),
    ("step-intensity", Kind::Attention(AttentionFigure::Intensity)),
    ("step-use", Kind::Attention(AttentionFigure::Use)),
    ("step-weight-share", Kind::Attention(AttentionFigure::WeightShare)),
    ("step-energy", Kind::Attention(AttentionFigure::Energy)),
    ("step-latency", Kind::Attention(AttentionFigure::Latency)),
    ("cache-size", Kind::Attention(AttentionFigure::Cache)),
    ("fused-storage", Kind::Sequences(SequenceFigure::Storage)),
    ("fused-volume-saved", Kind::Sequences(SequenceFigure::VolumeSaved)),
    ("reuse-saved", Kind::Sequences(SequenceFigure::ReuseSaved)),
    ("cores-latency", Kind::Cores(CoresFigure::Latency)),
    ("intra-core-latency", Kind::Cores(CoresFigure::IntraCoreLatency)),
    ("stack-iterations", Kind::Cores(CoresFigure::Iterations)),
    ("steady-iterations", Kind::Cores(CoresFigure::SteadyIterations)),
    ("steady-tiles", Kind::Cores(CoresFigure::SteadyTiles)),
    ("system-ratio", Kind::Cores(CoresFigure::OverSystem)),
    ("cores-energy", Kind::Cores(CoresFigure::Energy)),
    ("cores-peak-memory", Kind::Cores(CoresFigure::PeakMemory)),
    ("layers-over-tiles", Kind::Cores(CoresFigure::LayersOverTiles)),
    ("single-over-shared", Kind::Cores(CoresFigure::SingleOverShared)),
    ("evolved-over-shared", Kind::Cores(CoresFigure::EvolvedOverShared)),
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
        let mut of = Parameters::new(format!("{path}.{}", claim.measure), &claim.parameters, diagnostics);
        let operand = |of: &mut Parameters<'_>| of.need("operand", |word| choose(word, &OPERANDS));
        let measure = match kind {
            Kind::Run(figure) => of.need("of", RunStrategy::parse).map(|way| Self::Run(figure, way)),
            Kind::RunRatio(figure) => {
                let (from, to) = (of.need("from", RunStrategy::parse), of.need("to", RunStrategy::parse));
                from.zip(to).map(|(from, to)| Self::RunRatio(figure, from, to))
            }
            Kind::MemoryShare => {
                let memory = of.need("memory", |word| Ok(word.to_owned()));
                memory.zip(of.need("of", RunStrategy::parse)).map(|(memory, way)| Self::MemoryShare(memory, way))
            }
            Kind::MemoryRatio => {
                let memory = of.need("memory", |word| Ok(word.to_owned()))?;
                let (from, to) = (of.need("from", RunStrategy::parse)?, of.need("to", RunStrategy::parse)?);
                Some(Self::MemoryRatio(memory, from, to))
            }
            Kind::Sweep(figure) => Some(Self::Sweep(figure)),
            Kind::Gain => gain(&mut of),
            Kind::MemorySize => Some(Self::MemorySize(of.word("memory"))),
            Kind::Network(fact) => {
                Some(Self::Network(fact, of.presets("workload", workload_presets(), None).first().copied()))
            }
            Kind::Table(figure) => {
                let level = of.need("level", |word| {
                    word.parse().map_err(|_| "Write 0 for the MAC units, 1 for the lowest memory, and so on".to_owned())
                });
                operand(&mut of).zip(level).map(|(operand, level)| Self::Table { figure, operand, level })
            }
            Kind::Layer(figure) => Some(Self::Layer(figure)),
            Kind::Operand(figure) => operand(&mut of).map(|operand| Self::Layer(figure(operand))),
            Kind::Space(figure) => {
                let layers = of.words("layers");
                let share = |text: &str| match text.parse::<f64>() {
                    Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
                    _ => Err("Write a share from 0 to 1, for example `0.7`".to_owned()),
                };
                let min_utilization = of.optional("min-utilization", share).unwrap_or(0.0);
                let evenness = of.optional("even", |word| choose(word, &EVENNESS)).unwrap_or_default();
                Some(Self::Space(figure, SpaceOf { layers, min_utilization, evenness }))
            }
            Kind::Hierarchies(figure) => Some(Self::Hierarchies(figure, HierarchiesOf::read(&mut of, figure))),
            Kind::Operators(figure) => OperatorsOf::read(&mut of, figure).map(|of| Self::Operators(figure, of)),
            Kind::Sequences(figure) => Sequences::read(&mut of, figure, workload).map(|of| Self::Sequences(figure, of)),
            Kind::Cores(figure) => Some(Self::Cores(figure, CoresOf::read(&mut of))),
            Kind::Attention(figure) => AttentionOf::read(&mut of).map(|of| Self::Attention(figure, of)),
            Kind::Dataflows(figure) => DataflowsOf::read(&mut of, figure).map(|of| Self::Dataflows(figure, of)),
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
    pub fn quantity(&self) -> Quantity {
        match self {
            Self::Run(RunFigure::Energy, _) => Quantity::Energy,
            Self::Run(RunFigure::Latency, _) => Quantity::Latency,
            Self::Run(..) => Quantity::Count,
            Self::RunRatio(..) | Self::MemoryShare(..) | Self::MemoryRatio(..) => Quantity::Ratio,
            Self::Sweep(_) | Self::Gain { .. } => Quantity::Ratio,
            Self::Network(..) | Self::MemorySize(_) => Quantity::Data,
            Self::Table { figure: TableFigure::TurnaroundCycles, .. } => Quantity::Latency,
            Self::Layer(LayerFigure::TemporalCycles | LayerFigure::Latency) => Quantity::Latency,
            Self::Layer(LayerFigure::Energy) => Quantity::Energy,
            Self::Table { figure: TableFigure::Reuse, .. } => Quantity::Ratio,
            Self::Layer(
                LayerFigure::Reuse(_)
                | LayerFigure::EnergyOverBest
                | LayerFigure::LatencyOverBest
                | LayerFigure::StallShare
                | LayerFigure::Utilization
                | LayerFigure::Intensity,
            ) => Quantity::Ratio,
            Self::Table { .. } | Self::Layer(_) => Quantity::Count,
            Self::Space(figure, _) if figure.is_count() => Quantity::Count,
            Self::Space(..) => Quantity::Ratio,
            Self::Operators(OperatorFigure::TrafficRatio, _) => Quantity::Ratio,
            Self::Operators(OperatorFigure::LeastReduction | OperatorFigure::MostReduction, _) => Quantity::Ratio,
            Self::Operators(..) => Quantity::Count,
            Self::Sequences(figure, _) if figure.is_ratio() => Quantity::Ratio,
            Self::Sequences(..) => Quantity::Count,
            Self::Attention(figure, _) => match figure {
                AttentionFigure::Scores | AttentionFigure::Dram | AttentionFigure::Cache => Quantity::Data,
                AttentionFigure::Energy => Quantity::Energy,
                AttentionFigure::Latency => Quantity::Latency,
                AttentionFigure::Gain
                | AttentionFigure::SpeedUp
                | AttentionFigure::DramRatio
                | AttentionFigure::Intensity
                | AttentionFigure::Use
                | AttentionFigure::WeightShare => Quantity::Ratio,
            },
            Self::Dataflows(..) => Quantity::Ratio,
            Self::Cores(figure, _) => match figure {
                CoresFigure::Latency | CoresFigure::IntraCoreLatency => Quantity::Latency,
                CoresFigure::Iterations | CoresFigure::SteadyIterations | CoresFigure::SteadyTiles => Quantity::Count,
                CoresFigure::Energy => Quantity::Energy,
                CoresFigure::PeakMemory => Quantity::Data,
                CoresFigure::LayersOverTiles
                | CoresFigure::SingleOverShared
                | CoresFigure::EvolvedOverShared
                | CoresFigure::OverSystem => Quantity::Ratio,
            },
            Self::Hierarchies(figure, _) => match figure {
                HierarchyFigure::Count => Quantity::Count,
                HierarchyFigure::FlexibleEnergy | HierarchyFigure::FixedEnergy | HierarchyFigure::EnergyOn => {
                    Quantity::Energy
                }
                HierarchyFigure::FlexibleOverFixed
                | HierarchyFigure::UnrollingSpreadShared
                | HierarchyFigure::UnrollingSpreadSeparate => Quantity::Ratio,
            },
        }
    }
}

fn gain(of: &mut Parameters<'_>) -> Option<Measure> {
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
