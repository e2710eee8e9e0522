//! Figures and tables of sequences of layers (HW-Flow-Fusion, Figs. 12 to 19, Tables 6 and 7).

use crate::bars::{BarGroup, Bars, BreakdownPart};
use crate::kit::{BarCause, Column, Quantity, Table, TableCell, group_thousands, three_digits};
use crate::plots::{Curve, Curves, Scatter, ScatterPoint};
use fusescape_engine::cost::{EnergyCause, LatencyCause};
use fusescape_engine::explore::{
    LayersCost, NetworkChains, Resource, ResourceRequirement, ResourceStep, Sequence, SequenceCosts,
    SequencePartitions, SequenceRequirements, Storage,
};
use fusescape_engine::hardware::Operand;
use fusescape_engine::interlayer::{ChainEnergyCause, FusionMode, MOST_PARTS, PeArray};
use fusescape_spec::sorting::sort_by_key;

/// The quantity by which sequences are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceQuantity {
    /// Energy by cause.
    Energy,
    /// Latency: computing, and waiting for data.
    Latency,
    /// Bytes between DRAM and chip by operand.
    Volume,
}

/// A part of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequencePart {
    /// Energy of one cause.
    Energy(ChainEnergyCause),
    /// Cycles of the array.
    Computing,
    /// Cycles beyond those of the array.
    Waiting,
    /// Bytes of an operand between DRAM and chip.
    Volume(Operand),
}

impl SequencePart {
    /// The cause of figures.
    fn cause(self) -> BarCause {
        match self {
            Self::Energy(ChainEnergyCause::Mac) => BarCause::Energy(EnergyCause::Mac),
            Self::Energy(ChainEnergyCause::BufferToArray) => BarCause::BufferToArray,
            Self::Energy(ChainEnergyCause::BufferToDram) => BarCause::BufferToDram,
            Self::Energy(ChainEnergyCause::Dram) => BarCause::Dram,
            Self::Computing => BarCause::Latency(LatencyCause::Computing),
            Self::Waiting => BarCause::Waiting,
            Self::Volume(operand) => BarCause::Operand(operand),
        }
    }

    /// In base units.
    pub fn value(self, run: &LayersCost) -> f64 {
        match self {
            Self::Energy(cause) => run.energy.picojoules_of(cause),
            Self::Computing => run.cost.compute_cycles.min(run.latency_cycles) as f64,
            Self::Waiting => run.latency_cycles.saturating_sub(run.cost.compute_cycles) as f64,
            Self::Volume(Operand::I) => run.cost.volume.inputs as f64,
            Self::Volume(Operand::W) => run.cost.volume.weights as f64,
            Self::Volume(Operand::O) => run.cost.volume.outputs as f64,
        }
    }
}

impl SequenceQuantity {
    pub const ALL: [Self; 3] = [Self::Energy, Self::Latency, Self::Volume];

    pub fn title(self) -> &'static str {
        match self {
            Self::Energy => "Energy",
            Self::Latency => "Latency",
            Self::Volume => "DRAM volume",
        }
    }

    pub fn quantity(self) -> Quantity {
        match self {
            Self::Energy => Quantity::Energy,
            Self::Latency => Quantity::Latency,
            Self::Volume => Quantity::Bytes,
        }
    }

    /// Its parts, in the order of figures.
    pub fn parts(self) -> Vec<SequencePart> {
        match self {
            Self::Energy => ChainEnergyCause::ALL.map(SequencePart::Energy).into(),
            Self::Latency => vec![SequencePart::Computing, SequencePart::Waiting],
            Self::Volume => [Operand::I, Operand::W, Operand::O].map(SequencePart::Volume).into(),
        }
    }

    fn causes(self) -> Vec<BarCause> {
        self.parts().into_iter().map(SequencePart::cause).collect()
    }

    /// By part, in base units.
    fn values(self, run: &LayersCost) -> Vec<f64> {
        self.parts().into_iter().map(|part| part.value(run)).collect()
    }

    /// The sum of its parts, in base units.
    pub fn total(self, run: &LayersCost) -> f64 {
        self.values(run).iter().sum()
    }
}

const WAYS: [(&str, &str); 3] = [("SL", "single layers"), ("FT", "temporal fusion"), ("FS", "spatial fusion")];

/// `conv1 – pool1`.
pub fn sequence_label(chains: &NetworkChains, sequence: Sequence) -> String {
    match chains.names(sequence) {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] => format!("{first} + {second}"),
        [first, .., last] => format!("{first} … {last} ({} layers)", chains.names(sequence).len()),
    }
}

/// Costs layer by layer, by temporal and by spatial fusion, or reasons why there is none.
fn ways(chains: &NetworkChains, costs: &SequenceCosts) -> [Result<LayersCost, &'static str>; 3] {
    let sequence = costs.sequence;
    let fused = |mode: FusionMode| {
        let is_too_long = mode == FusionMode::Spatial && sequence.layers().len() > MOST_PARTS;
        let reason = if is_too_long { "not for more than 4 layers" } else { "does not fit" };
        costs.in_mode(mode).map(|fused| fused.run).ok_or(reason)
    };
    let single = LayersCost::sum(chains.singles(sequence).iter().copied()).ok_or("does not fit");
    let [temporal, spatial] = FusionMode::ALL.map(fused);
    [single, temporal, spatial]
}

fn grouped(
    chains: &NetworkChains,
    costs: &[&SequenceCosts],
    at_hand: Option<Sequence>,
    parts: impl Fn(&LayersCost) -> Vec<f64>,
) -> Vec<BarGroup> {
    let group = |costs: &&SequenceCosts| BarGroup {
        label: sequence_label(chains, costs.sequence),
        is_marked: at_hand == Some(costs.sequence),
        values: ways(chains, costs).into_iter().map(|way| way.map(|run| parts(&run))).collect(),
    };
    costs.iter().map(group).collect()
}

/// The cost of sequences by themselves and fused (Figs. 14 and 15); the current one is emphasised.
pub fn sequence_bars(
    chains: &NetworkChains,
    costs: &[&SequenceCosts],
    at_hand: Option<Sequence>,
    of: SequenceQuantity,
) -> Bars {
    Bars {
        quantity: of.quantity(),
        title: of.title().to_owned(),
        group: "sequence".to_owned(),
        bars: WAYS.to_vec(),
        parts: of.causes(),
        groups: grouped(chains, costs, at_hand, |run| of.values(run)),
        limit: None,
    }
}

/// Their refined ratios of computation to communication (Table 7).
pub fn sequence_ctc(chains: &NetworkChains, costs: &[&SequenceCosts], at_hand: Option<Sequence>) -> Bars {
    Bars {
        quantity: Quantity::Ratio,
        title: "CTC ratio".to_owned(),
        group: "sequence".to_owned(),
        bars: WAYS.to_vec(),
        parts: Vec::new(),
        groups: grouped(chains, costs, at_hand, |run| vec![run.ctc()]),
        limit: None,
    }
}

/// All evaluated sequences: their costs, and whether they are chosen.
pub fn sequence_table(chains: &NetworkChains, costs: &[SequenceCosts], chosen: &[(Sequence, FusionMode)]) -> Table {
    let row = |costs: &SequenceCosts| {
        let [single, temporal, spatial] = ways(chains, costs);
        let of = |way: &Result<LayersCost, &str>, quantity: SequenceQuantity| match way {
            Ok(run) => TableCell::of(quantity.quantity(), quantity.total(run)),
            Err(_) => TableCell::Nothing,
        };
        let ratio = |way: &Result<LayersCost, &str>| match way {
            Ok(run) => TableCell::number(three_digits(run.ctc()), run.ctc()),
            Err(_) => TableCell::Nothing,
        };
        let by_layer = chains
            .singles(costs.sequence)
            .iter()
            .map(|single| single.as_ref().map_or_else(|| "–".to_owned(), |run| three_digits(run.ctc())));
        let choice = chosen.iter().find(|(sequence, _)| *sequence == costs.sequence);
        let mut row: Vec<TableCell> = vec![chains.names(costs.sequence).join(", ").into()];
        row.push(choice.map_or_else(|| "no".into(), |(_, mode)| mode.title().into()));
        for quantity in SequenceQuantity::ALL {
            row.extend([&single, &temporal, &spatial].map(|way| of(way, quantity)));
        }
        row.push(by_layer.collect::<Vec<_>>().join(", ").into());
        row.extend([&temporal, &spatial].map(ratio));
        row
    };
    let mut columns = vec![Column::words("layers"), Column::words("chosen")];
    for quantity in SequenceQuantity::ALL {
        let title = quantity.title().to_lowercase().replace("dram", "DRAM");
        let unit = quantity.quantity().base();
        columns.extend(WAYS.map(|(short, _)| Column::measured(format!("{title} {short}"), unit)));
    }
    columns.push(Column::words("CTC of each layer"));
    columns.extend([Column::numbers("CTC FT"), Column::numbers("CTC FS")]);
    Table {
        caption: "Sequences that fit on the chip (SL single layers, FT temporal, FS spatial fusion)".to_owned(),
        columns,
        rows: costs.iter().map(row).collect(),
    }
}

/// Data stored on the chip, bytes.
const STORED: [BreakdownPart<Storage>; 4] = [
    (BarCause::Operand(Operand::I), |storage| storage.inputs as f64),
    (BarCause::Operand(Operand::W), |storage| storage.weights as f64),
    (BarCause::Operand(Operand::O), |storage| storage.outputs as f64),
    (BarCause::Reuse, |storage| storage.reuse as f64),
];

/// The least storage of the first layers (Fig. 12), compared with the buffer.
pub fn storage_bars(needs: &SequenceRequirements, buffer_bytes: u64) -> Bars {
    let group = |(index, need): (usize, &ResourceRequirement)| {
        let storage = &need.storage;
        BarGroup {
            label: count_label(index, &need.last),
            is_marked: needs.sequence.layers().len() == index + 1,
            values: vec![Ok(STORED.iter().map(|(_, bytes)| bytes(storage)).collect())],
        }
    };
    Bars {
        quantity: Quantity::Bytes,
        title: "Least storage".to_owned(),
        group: "fused layers".to_owned(),
        bars: vec![("", "storage")],
        parts: STORED.iter().map(|(cause, _)| *cause).collect(),
        groups: needs.by_count.iter().enumerate().map(group).collect(),
        limit: Some(("on-chip buffer".to_owned(), buffer_bytes as f64)),
    }
}

/// DRAM traffic of the first layers, one by one and fused, if all data moves once (Fig. 12).
pub fn traffic_bars(needs: &SequenceRequirements) -> Bars {
    let group = |(index, need): (usize, &ResourceRequirement)| BarGroup {
        label: count_label(index, &need.last),
        is_marked: needs.sequence.layers().len() == index + 1,
        values: [need.apart_bytes, need.together_bytes].map(|bytes| Ok(vec![bytes as f64])).into(),
    };
    Bars {
        quantity: Quantity::Bytes,
        title: "DRAM volume, everything moved once".to_owned(),
        group: "fused layers".to_owned(),
        bars: vec![("SL", "single layers"), ("F", "fused")],
        parts: Vec::new(),
        groups: needs.by_count.iter().enumerate().map(group).collect(),
        limit: None,
    }
}

/// Reuse buffers for tiles with this side (Fig. 13); the largest known one where the map is smaller.
pub fn reuse_bars(needs: &SequenceRequirements, side: u64) -> Bars {
    let group = |(index, need): (usize, &ResourceRequirement)| {
        let reuse = need.reuse.iter().rfind(|reuse| reuse.side <= side);
        let bytes = reuse.map_or([0, 0], |reuse| [reuse.ours + reuse.besides, reuse.ours]);
        BarGroup {
            label: count_label(index, &need.last),
            is_marked: needs.sequence.layers().len() == index + 1,
            values: bytes.map(|bytes| Ok(vec![bytes as f64])).into(),
        }
    };
    Bars {
        quantity: Quantity::Bytes,
        title: "Reuse buffers".to_owned(),
        group: "fused layers".to_owned(),
        bars: vec![("[12]", "Alwani et al."), ("HW-FF", "HW-Flow-Fusion")],
        parts: Vec::new(),
        // A single layer reuses nothing on the chip.
        groups: needs.by_count.iter().enumerate().skip(1).map(group).collect(),
        limit: None,
    }
}

/// `3: … pool1`.
fn count_label(index: usize, last: &str) -> String {
    if index == 0 { format!("1: {last}") } else { format!("{}: to {last}", index + 1) }
}

/// The share of each layer in the array and in the registers (Table 6).
pub fn sequence_shares(chains: &NetworkChains, costs: &SequenceCosts) -> Table {
    let [temporal, spatial] = FusionMode::ALL.map(|mode| costs.in_mode(mode));
    let row = |(layer, name): (usize, &String)| {
        let array = spatial.and_then(|fused| fused.schedule.arrays.get(layer));
        let registers = temporal.map(|fused| fused.schedule.registers);
        let none = || TableCell::Nothing;
        vec![
            name.as_str().into(),
            array.map_or_else(none, |array| format!("{} × {}", array.columns, array.rows).into()),
            registers.map_or_else(none, |file| format!("{} / {} / {}", file.weights, file.inputs, file.sums).into()),
        ]
    };
    Table {
        caption: "Parts of the array and of the register files".to_owned(),
        columns: vec![
            Column::words("layer"),
            Column::words("spatial: PE columns × rows"),
            Column::words("temporal: registers for weights / inputs / sums, bytes"),
        ],
        rows: chains.names(costs.sequence).iter().enumerate().map(row).collect(),
    }
}

/// Energy against latency of all partitions of the array that have a mapping; the one of spatial fusion is selected.
pub fn partition_scatter(partitions: &SequencePartitions) -> Scatter {
    let label = |arrays: &[PeArray]| {
        let parts = arrays.iter().map(|array| format!("{} × {}", array.columns, array.rows));
        parts.collect::<Vec<_>>().join(" | ")
    };
    let values = |run: &LayersCost| [SequenceQuantity::Energy.total(run), SequenceQuantity::Latency.total(run)];
    let all: Vec<[f64; 2]> = partitions.costs.iter().map(|known| values(&known.run)).collect();
    let beats =
        |[e, l]: [f64; 2], [energy, latency]: [f64; 2]| e <= energy && l <= latency && (e < energy || l < latency);
    let points = partitions.costs.iter().zip(&all).map(|(known, &own)| ScatterPoint {
        label: label(&known.arrays),
        series: 0,
        energy_pj: own[0],
        latency_cycles: own[1],
        pareto: !all.iter().any(|&other| beats(other, own)),
    });
    Scatter { series: vec!["partition".to_owned()], points: points.collect(), selected: Some(0) }
}

/// Energy, latency or volume over the amount of a resource (Figs. 16 to 19); steps in any order.
pub fn resource_curves(resource: Resource, of: SequenceQuantity, steps: &[ResourceStep]) -> Curves {
    let mut steps: Vec<&ResourceStep> = steps.iter().filter(|step| step.resource == resource).collect();
    sort_by_key(&mut steps, |step| step.step);
    let curve = |(way, (_, name)): (usize, &(&str, &str))| Curve {
        name: (*name).to_owned(),
        values: steps.iter().map(|step| step.runs[way].as_ref().map(|run| of.total(run))).collect(),
    };
    let floor = match of {
        SequenceQuantity::Energy => {
            let least = |step: &&ResourceStep| {
                let run = step.runs.iter().flatten().next()?;
                Some(run.energy.picojoules_of(ChainEnergyCause::Mac))
            };
            Some(Curve { name: "multiply-accumulates alone".to_owned(), values: steps.iter().map(least).collect() })
        }
        SequenceQuantity::Latency => Some(Curve {
            name: "every PE busy".to_owned(),
            values: steps.iter().map(|step| Some(step.ideal_cycles as f64)).collect(),
        }),
        SequenceQuantity::Volume => None,
    };
    let name = |step: &&ResourceStep| {
        if step.name.is_empty() { Quantity::Bytes.plain(step.value as f64) } else { step.name.clone() }
    };
    Curves {
        quantity: of.quantity(),
        title: of.title().to_owned(),
        place: resource.title().to_owned(),
        place_unit: if resource == Resource::Array { "" } else { Quantity::Bytes.base() },
        places: steps.iter().map(|step| step.value as f64).collect(),
        place_names: steps.iter().map(name).collect(),
        curves: WAYS.iter().enumerate().map(curve).collect(),
        floor,
        design: steps.iter().position(|step| step.step == 0),
        mark: "this design",
    }
}

/// The number of partitions left after each pruning step, as text.
pub fn pruning(partitions: &SequencePartitions) -> [String; 3] {
    let count = |count: f64| if count < 1e15 { group_thousands(count as u64) } else { "more than 10¹⁵".to_owned() };
    [count(partitions.considered), count(partitions.wide_enough), group_thousands(partitions.placed)]
}
