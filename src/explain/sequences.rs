//! Numbers of sequences of layers, by HW-Flow-Fusion's own model (Sections 4 and 5).

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::numbers::{CYCLES, ENERGY_UNIT};
use super::sources::SEQUENCES;
use fusescape_chart::{Quantity, SequencePart, SequenceQuantity};
use fusescape_engine::explore::{
    LayersCost, NetworkChains, Resource, ResourceStep, SEQUENCE_PARAMETERS, Sequence, SequenceCosts,
    SequencePartitions, StepRun,
};
use fusescape_engine::hardware::Operand;
use fusescape_engine::interlayer::{ChainCost, ChainEnergyCause, FusionMode};
use fusescape_spec::sorting::sort_by_key;
use std::rc::Rc;

/// All sequences of a design, and the chosen ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedSequences {
    /// The single layers, and the hardware.
    pub chains: Rc<NetworkChains>,
    /// The costs of sequences that fit.
    pub costs: Rc<Vec<SequenceCosts>>,
    /// The sequences that run fused, with their mode.
    pub chosen: Vec<(Sequence, FusionMode)>,
    /// Other runs, such as steps of a sweep: for each a list of consecutive runs.
    pub listed: Vec<Vec<StepRun>>,
}

/// A number of the sequences of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceNumber {
    /// A part of the cost of a run.
    Of(RunPlace, RunPart),
    /// The relative change for all layers if the chosen sequences are fused.
    Change(SequenceQuantity),
    /// Number of fused layers.
    Fused,
    /// Cycles for these operations with all PEs busy.
    Ideal {
        /// Operations of all layers.
        operations: u64,
        /// PEs of the array.
        pes: u64,
    },
}

/// A run of some layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace {
    /// A single layer: index of its chain, and of the layer.
    Layer(u32, u32),
    /// The layers of a sequence, one after another.
    Apart(Sequence),
    /// A sequence, fused.
    Fused(Sequence, FusionMode),
    /// All layers of all chains, one after another.
    AllApart,
    /// All layers of all chains, with the chosen sequences fused.
    AllTogether,
    /// All runs listed at an index.
    Listed(u32),
    /// One of the runs listed at an index.
    ListedRun(u32, u32),
}

/// A part of the cost of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPart {
    /// The total of a quantity.
    Total(SequenceQuantity),
    /// One part of a quantity.
    Part(SequencePart),
    /// Ratio of computation to communication.
    Ctc,
}

impl RunPart {
    /// The parts of a quantity, in the order of figures.
    pub fn of(quantity: SequenceQuantity) -> impl Iterator<Item = Self> + Clone {
        quantity.parts().into_iter().map(Self::Part)
    }

    fn name(self) -> String {
        match self {
            Self::Total(SequenceQuantity::Volume) => "DRAM volume".into(),
            Self::Total(quantity) => quantity.title().to_lowercase(),
            Self::Part(part) => part_name(part).into(),
            Self::Ctc => "computation to communication".into(),
        }
    }

    fn unit(self) -> NumberUnit {
        match self {
            Self::Total(quantity) => NumberUnit::Of(quantity.quantity()),
            Self::Part(SequencePart::Energy(_)) => ENERGY_UNIT,
            Self::Part(SequencePart::Computing | SequencePart::Waiting) => CYCLES,
            Self::Part(SequencePart::Volume(_)) => BYTES,
            Self::Ctc => PLAIN,
        }
    }

    fn value(self, run: &LayersCost) -> f64 {
        match self {
            Self::Total(quantity) => quantity.total(run),
            Self::Part(part) => part.value(run),
            Self::Ctc => run.ctc(),
        }
    }
}

fn part_name(part: SequencePart) -> &'static str {
    match part {
        SequencePart::Energy(ChainEnergyCause::Mac) => "MACs",
        SequencePart::Energy(ChainEnergyCause::BufferToArray) => "buffer ↔ array",
        SequencePart::Energy(ChainEnergyCause::BufferToDram) => "buffer ↔ DRAM",
        SequencePart::Energy(ChainEnergyCause::Dram) => "DRAM",
        SequencePart::Computing => "computing",
        SequencePart::Waiting => "waiting for data",
        SequencePart::Volume(Operand::I) => "inputs",
        SequencePart::Volume(Operand::W) => "weights",
        SequencePart::Volume(Operand::O) => "outputs",
    }
}

const PLAIN: NumberUnit = NumberUnit::Count("");
const BYTES: NumberUnit = NumberUnit::Of(Quantity::Bytes);
const BORDER: &str =
    "What the tiles of the fused layers exchange with DRAM: only maps at the border, and weights (eqs. 3 and 6).";
const OVERLAP: &str = "Computation overlaps with all that crosses the buffer’s port, into it and out of it again.";
const MACS: NumberUnit = NumberUnit::Of(Quantity::Macs);

/// Explains a number of sequences; `None` if there is none.
pub fn explain_sequences(sequences: &ExplainedSequences, number: SequenceNumber) -> Option<Explained> {
    let shown = sequences.shown(number)?;
    let explained = match number {
        SequenceNumber::Of(place, part) => sequences.run(shown, place, part)?,
        SequenceNumber::Change(quantity) => {
            let total = |place, name: &'static str| {
                let of = sequences.folded(SequenceNumber::Of(place, RunPart::Total(quantity)))?;
                Some(Explained { name: name.into(), ..of })
            };
            let (apart, together) = (total(RunPlace::AllApart, "one by one")?, total(RunPlace::AllTogether, "fused")?);
            let beyond = Explained::computed("difference", apart.unit, How::Difference, vec![together, apart.clone()]);
            shown.or("", How::Quotient, vec![beyond, apart])
        }
        SequenceNumber::Fused => {
            let term = |(sequence, mode): &(Sequence, FusionMode)| {
                let names = sequences.chains.names(*sequence).join(", ");
                Explained::given(
                    format!("{names}: {}", mode.title().to_lowercase()),
                    sequence.layers().len() as f64,
                    PLAIN,
                )
            };
            shown.or("", How::Sum, sequences.chosen.iter().map(term).collect())
        }
        SequenceNumber::Ideal { operations, pes } => {
            let terms = [("operations", operations), ("PEs", pes)];
            let terms = terms.map(|(name, count)| Explained::given(name, count as f64, PLAIN)).into();
            shown.or("", How::QuotientUp, terms).noted("As if every PE computed in every cycle.").after(SEQUENCES)
        }
    };
    Some(explained.or_none())
}

impl ExplainedSequences {
    /// Runs on the accelerator of `chains`, without sequences.
    fn of_listed(chains: &Rc<NetworkChains>, listed: Vec<Vec<StepRun>>) -> Self {
        Self { chains: Rc::clone(chains), costs: Rc::default(), chosen: Vec::new(), listed }
    }

    fn fused(&self, sequence: Sequence, mode: FusionMode) -> Option<LayersCost> {
        let known = self.costs.iter().find(|known| known.sequence == sequence)?;
        Some(known.in_mode(mode)?.run)
    }

    fn run_of(&self, place: RunPlace) -> Option<LayersCost> {
        match place {
            RunPlace::Layer(chain, layer) => *self.chains.chains.get(chain as usize)?.singles.get(layer as usize)?,
            RunPlace::Apart(sequence) => LayersCost::sum(self.chains.singles(sequence).iter().copied()),
            RunPlace::Fused(sequence, mode) => self.fused(sequence, mode),
            RunPlace::AllApart => self.chains.total(&self.costs, &[]),
            RunPlace::AllTogether => self.chains.total(&self.costs, &self.chosen),
            RunPlace::Listed(number) => LayersCost::sum(self.listed_under(number).iter().map(|part| Some(part.run))),
            RunPlace::ListedRun(number, part) => Some(self.listed_under(number).get(part as usize)?.run),
        }
    }

    fn is_fused(&self, number: u32, part: u32) -> bool {
        self.listed_under(number).get(part as usize).is_some_and(|part| part.layers.len() > 1)
    }

    fn listed_under(&self, number: u32) -> &[StepRun] {
        self.listed.get(number as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// The number without its formulas.
    fn shown(&self, number: SequenceNumber) -> Option<Explained> {
        Some(match number {
            SequenceNumber::Of(place, part) => {
                Explained::given(part.name(), part.value(&self.run_of(place)?), part.unit())
            }
            SequenceNumber::Change(quantity) => {
                let total = |place| Some(quantity.total(&self.run_of(place)?));
                let (apart, together) = (total(RunPlace::AllApart)?, total(RunPlace::AllTogether)?);
                Explained::given("change", (together - apart) / apart, NumberUnit::Share)
            }
            SequenceNumber::Fused => {
                let layers: usize = self.chosen.iter().map(|(sequence, _)| sequence.layers().len()).sum();
                Explained::given("layers that are fused", layers as f64, PLAIN)
            }
            SequenceNumber::Ideal { operations, pes } => {
                Explained::given("every PE busy", operations.div_ceil(pes.max(1)) as f64, CYCLES)
            }
        })
    }

    /// A number that is explained on request.
    fn folded(&self, number: SequenceNumber) -> Option<Explained> {
        Some(Explained { subject: Some(ExplainedNumber::Sequences(number)), ..self.shown(number)? })
    }

    fn layer_name(&self, chain: u32, layer: u32) -> String {
        let chain = self.chains.chains.get(chain as usize);
        chain.and_then(|chain| chain.layers.get(layer as usize)).cloned().unwrap_or_default()
    }

    /// The consecutive runs of a run, with their names; `None` if it is a single one.
    fn one_by_one(&self, place: RunPlace) -> Option<Vec<(String, RunPlace)>> {
        let layer = |chain: u32, layer: u32| (self.layer_name(chain, layer), RunPlace::Layer(chain, layer));
        let of = |sequence: Sequence| (sequence.first..sequence.end).map(move |place| layer(sequence.chain, place));
        let all = |fused: &[(Sequence, FusionMode)]| {
            let together = fused
                .iter()
                .map(|&(sequence, mode)| (self.chains.names(sequence).join(", "), RunPlace::Fused(sequence, mode)));
            let chains = self.chains.chains.iter().enumerate();
            let layers = chains.flat_map(|(chain, facts)| (0..facts.layers.len()).map(move |place| (chain, place)));
            let is_alone = |&(chain, place): &(usize, usize)| {
                !fused.iter().any(|(of, _)| of.chain as usize == chain && of.layers().contains(&place))
            };
            let alone = layers.filter(is_alone).map(|(chain, place)| layer(chain as u32, place as u32));
            together.chain(alone).collect()
        };
        match place {
            RunPlace::Layer(..) | RunPlace::Fused(..) | RunPlace::ListedRun(..) => None,
            RunPlace::Listed(number) => {
                let parts = self.listed_under(number);
                let part = |(place, part): (usize, &StepRun)| {
                    (part.layers.join(", "), RunPlace::ListedRun(number, place as u32))
                };
                (parts.len() > 1).then(|| parts.iter().enumerate().map(part).collect())
            }
            RunPlace::Apart(sequence) => Some(of(sequence).collect()),
            RunPlace::AllApart => Some(all(&[])),
            RunPlace::AllTogether => Some(all(&self.chosen)),
        }
    }

    fn run(&self, shown: Explained, place: RunPlace, part: RunPart) -> Option<Explained> {
        let run = self.run_of(place)?;
        let at = |part: RunPart| self.folded(SequenceNumber::Of(place, part));
        let explained = match (part, self.one_by_one(place)) {
            (RunPart::Ctc, _) => {
                return Some(self.ctc(shown, &run.cost, at(RunPart::Total(SequenceQuantity::Volume))?));
            }
            // For several runs, computing and waiting are those of all of them together, as in figures.
            (RunPart::Part(SequencePart::Computing), Some(parts)) => {
                let terms = parts.into_iter().map(|(name, place)| {
                    Some(Explained::given(name, self.run_of(place)?.cost.compute_cycles as f64, CYCLES))
                });
                let all = Explained::computed("cycles of the array", CYCLES, How::Sum, terms.collect::<Option<_>>()?);
                shown.or("", How::Smallest, vec![all, at(RunPart::Total(SequenceQuantity::Latency))?])
            }
            (RunPart::Part(SequencePart::Waiting), _) => {
                let terms = [RunPart::Total(SequenceQuantity::Latency), RunPart::Part(SequencePart::Computing)];
                shown.or("", How::Difference, terms.into_iter().filter_map(at).collect())
            }
            (part, Some(parts)) => {
                let terms = parts.into_iter().map(|(name, place)| {
                    let of = self.folded(SequenceNumber::Of(place, part))?;
                    Some(Explained { name: name.into(), ..of })
                });
                let shown = shown.or("by what runs", How::Sum, terms.collect::<Option<_>>()?);
                match part {
                    RunPart::Total(quantity) => {
                        shown.or("by cause", How::Sum, RunPart::of(quantity).filter_map(at).collect())
                    }
                    _ => shown,
                }
            }
            (part, None) => self.single(shown, place, &run.cost, part)?,
        };
        Some(explained.after(SEQUENCES))
    }

    /// A number of a single run.
    fn single(&self, shown: Explained, place: RunPlace, cost: &ChainCost, part: RunPart) -> Option<Explained> {
        let (rule, energy) = (SEQUENCE_PARAMETERS.report, self.chains.accelerator.energy);
        let at = |part: RunPart| self.folded(SequenceNumber::Of(place, part));
        let given = |name: &'static str, value: u64, unit: NumberUnit| Explained::given(name, value as f64, unit);
        let each = |name: &'static str, hundredths: u64| Explained::given(name, hundredths as f64 / 100.0, ENERGY_UNIT);
        let byte = || each("energy of a byte", energy.buffer * rule.accesses_per_move);
        let by_array = "What the row-stationary mapping of its tiles moves.";
        Some(match part {
            RunPart::Total(quantity @ (SequenceQuantity::Energy | SequenceQuantity::Volume)) => {
                shown.or("by cause", How::Sum, RunPart::of(quantity).filter_map(at).collect())
            }
            RunPart::Total(SequenceQuantity::Latency) => {
                let computing = given("cycles of the array", cost.compute_cycles, CYCLES).noted(by_array);
                shown
                    .or(
                        "",
                        How::Largest,
                        vec![computing, self.port_cycles(at(RunPart::Total(SequenceQuantity::Volume))?)],
                    )
                    .noted(OVERLAP)
            }
            RunPart::Part(SequencePart::Energy(ChainEnergyCause::Mac)) => {
                let count = if rule.pooling_computes { cost.operations } else { cost.macs };
                shown.or("", How::Product, vec![given("MACs", count, MACS), each("energy of one", energy.mac)])
            }
            RunPart::Part(SequencePart::Energy(ChainEnergyCause::BufferToArray)) => {
                let array = cost.array;
                let bytes = [
                    ("inputs read", array.inputs),
                    ("weights read", array.weights),
                    ("sums written", array.sums_written),
                    ("sums read back", array.sums_read),
                ];
                let bytes = bytes.map(|(name, bytes)| given(name, bytes, BYTES).noted(by_array));
                let bytes = Explained::computed("bytes", BYTES, How::Sum, bytes.into());
                shown.or("", How::Product, vec![bytes, byte()])
            }
            RunPart::Part(SequencePart::Energy(ChainEnergyCause::BufferToDram)) => {
                let volume = at(RunPart::Total(SequenceQuantity::Volume))?;
                shown.or("", How::Product, vec![volume, byte()])
            }
            RunPart::Part(SequencePart::Energy(ChainEnergyCause::Dram)) => {
                let volume = at(RunPart::Total(SequenceQuantity::Volume))?;
                let access = given("hundredths of a pJ an access", energy.dram, PLAIN);
                let all = Explained::computed("of accesses of a byte", PLAIN, How::Product, vec![volume, access]);
                let bytes = given("bytes an access", rule.dram_access_bytes, PLAIN);
                let hundredths = Explained::computed("hundredths of a pJ", PLAIN, How::QuotientDown, vec![all, bytes]);
                shown.or("", How::Quotient, vec![hundredths, given("hundredths", 100, PLAIN)])
            }
            RunPart::Part(SequencePart::Computing) => {
                let computing = given("cycles of the array", cost.compute_cycles, CYCLES).noted(by_array);
                shown.or("", How::Smallest, vec![computing, at(RunPart::Total(SequenceQuantity::Latency))?])
            }
            RunPart::Part(SequencePart::Volume(_)) => shown.noted(match place {
                RunPlace::Fused(..) => BORDER,
                RunPlace::Listed(number) if self.is_fused(number, 0) => BORDER,
                RunPlace::ListedRun(number, part) if self.is_fused(number, part) => BORDER,
                _ => "What the tiles of the layer exchange with DRAM (eq. 3).",
            }),
            RunPart::Part(SequencePart::Waiting) | RunPart::Ctc => shown,
        })
    }

    /// Cycles for a volume to pass the buffer's port.
    fn port_cycles(&self, volume: Explained) -> Explained {
        let parameters = SEQUENCE_PARAMETERS;
        let given = |name: &'static str, value: u64| Explained::given(name, value as f64, PLAIN);
        let burst = || given("bytes a burst", parameters.burst_bytes);
        let bursts = Explained::computed("bursts", PLAIN, How::QuotientUp, vec![volume, burst()]);
        let both =
            Explained::computed("bytes", BYTES, How::Product, vec![given("into it and out of it", 2), bursts, burst()]);
        let width = given("bytes a cycle", parameters.buffer_bytes_per_cycle);
        Explained::computed("cycles of the buffer’s port", CYCLES, How::QuotientDown, vec![both, width])
    }

    fn ctc(&self, shown: Explained, cost: &ChainCost, volume: Explained) -> Explained {
        let parameters = SEQUENCE_PARAMETERS;
        let given = |name: &'static str, value: u64| Explained::given(name, value as f64, PLAIN);
        let word = Explained::computed(
            "weight of a byte",
            PLAIN,
            How::QuotientDown,
            vec![
                Explained::computed(
                    "bits",
                    PLAIN,
                    How::Product,
                    vec![given("bits of a word", parameters.word_bits), given("bytes a burst", parameters.burst_bytes)],
                ),
                given("operations a MAC", parameters.operations_per_mac),
            ],
        );
        let bytes = Explained::computed("weighted bytes", PLAIN, How::Product, vec![word, volume]);
        let operations = Explained::given("operations", cost.operations as f64, NumberUnit::Count(""));
        shown
            .or("", How::Quotient, vec![operations, bytes])
            .noted("Each byte is weighted by what a burst makes of the bandwidth.")
            .after(SEQUENCES)
    }
}

/// Numbers of the cells of a table, row by row; `None` for text.
pub type SequenceCells = Vec<Vec<Option<SequenceNumber>>>;

/// The partitions of an array, and the numbers of the table of
/// [`partition_scatter`](fusescape_chart::partition_scatter).
pub fn listed_partitions(
    chains: &Rc<NetworkChains>,
    partitions: &SequencePartitions,
) -> (ExplainedSequences, SequenceCells) {
    let layers = chains.names(partitions.sequence);
    let listed = partitions.costs.iter().map(|known| vec![StepRun { layers: layers.to_vec(), run: known.run }]);
    let of = |number: usize, quantity: SequenceQuantity| {
        Some(SequenceNumber::Of(RunPlace::Listed(number as u32), RunPart::Total(quantity)))
    };
    let rows = (0..partitions.costs.len())
        .map(|number| vec![None, of(number, SequenceQuantity::Energy), of(number, SequenceQuantity::Latency)]);
    (ExplainedSequences::of_listed(chains, listed.collect()), rows.collect())
}

/// The steps of a resource, and the numbers of the table of [`resource_curves`](fusescape_chart::resource_curves).
pub fn listed_steps(
    chains: &Rc<NetworkChains>,
    resource: Resource,
    of: SequenceQuantity,
    steps: &[ResourceStep],
) -> (ExplainedSequences, SequenceCells) {
    let mut steps: Vec<&ResourceStep> = steps.iter().filter(|step| step.resource == resource).collect();
    sort_by_key(&mut steps, |step| step.step);
    let ways = steps.first().map_or(0, |step| step.parts.len());
    let row = |(index, step): (usize, &&ResourceStep)| {
        let place = |way: usize| RunPlace::Listed((index * ways + way) as u32);
        let runs = (0..ways).map(|way| {
            step.runs.get(way)?.as_ref()?;
            Some(SequenceNumber::Of(place(way), RunPart::Total(of)))
        });
        let first = step.runs.iter().position(Option::is_some);
        let floor = match of {
            SequenceQuantity::Energy => {
                let macs = RunPart::Part(SequencePart::Energy(ChainEnergyCause::Mac));
                Some(first.map(|way| SequenceNumber::Of(place(way), macs)))
            }
            SequenceQuantity::Latency => {
                Some(Some(SequenceNumber::Ideal { operations: step.operations, pes: step.pes }))
            }
            SequenceQuantity::Volume => None,
        };
        std::iter::once(None).chain(runs).chain(floor).collect()
    };
    let rows = steps.iter().enumerate().map(row).collect();
    (ExplainedSequences::of_listed(chains, steps.iter().flat_map(|step| step.parts.iter().cloned()).collect()), rows)
}
