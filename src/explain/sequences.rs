//! Numbers of sequences of layers, by HW-Flow-Fusion's own model (Sections 4 and 5).

use super::Subject;
use super::formula::{Explained, How, Unit};
use super::numbers::{CYCLES, ENERGY_UNIT};
use super::sources::SEQUENCES;
use crate::chart::{Quantity, SequenceQuantity};
use crate::explore::{Chains, RunCost, SEQUENCE_PARAMETERS, Sequence, SequenceCosts};
use crate::interlayer::{Cost, FusionMode};
use std::rc::Rc;

/// All sequences of a design, and those that are chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequences {
    /// The layers by themselves, and the hardware.
    pub chains: Rc<Chains>,
    /// The sequences that fit.
    pub costs: Rc<Vec<SequenceCosts>>,
    /// Those that run fused, and how.
    pub chosen: Vec<(Sequence, FusionMode)>,
}

/// A number of sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceNumber {
    /// What something that runs comes to.
    Of(RunPlace, RunPart),
    /// By how much less, or more, all layers come to with those fused that are chosen.
    Change(SequenceQuantity),
    /// Layers that are fused.
    Fused,
}

/// Something that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace {
    /// A layer of a chain by itself.
    Layer(u32, u32),
    /// The layers of a sequence, one after another.
    Apart(Sequence),
    /// A sequence, fused.
    Fused(Sequence, FusionMode),
    /// All layers of all chains, one after another.
    AllApart,
    /// All of them, those fused that are chosen.
    AllTogether,
}

/// What it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPart {
    /// All of a quantity.
    Total(SequenceQuantity),
    /// Energy of multiply-accumulates.
    Macs,
    /// Energy of the buffer for the array.
    BufferToArray,
    /// Energy of the buffer for DRAM.
    BufferToDram,
    /// Energy of DRAM.
    Dram,
    /// Cycles of the array.
    Computing,
    /// Cycles beyond these.
    Waiting,
    /// Inputs that come from DRAM.
    Inputs,
    /// Weights that come from DRAM.
    Weights,
    /// Outputs that go to DRAM.
    Outputs,
    /// Ratio of computation to communication.
    Ctc,
}

impl RunPart {
    /// What a quantity consists of, in the order in which figures show it.
    pub fn of(quantity: SequenceQuantity) -> &'static [Self] {
        match quantity {
            SequenceQuantity::Energy => &[Self::Macs, Self::BufferToArray, Self::BufferToDram, Self::Dram],
            SequenceQuantity::Latency => &[Self::Computing, Self::Waiting],
            SequenceQuantity::Volume => &[Self::Inputs, Self::Weights, Self::Outputs],
        }
    }

    fn name(self) -> String {
        match self {
            Self::Total(SequenceQuantity::Volume) => "DRAM volume".into(),
            Self::Total(quantity) => quantity.title().to_lowercase(),
            Self::Macs => "MACs".into(),
            Self::BufferToArray => "buffer ↔ array".into(),
            Self::BufferToDram => "buffer ↔ DRAM".into(),
            Self::Dram => "DRAM".into(),
            Self::Computing => "computing".into(),
            Self::Waiting => "waiting for data".into(),
            Self::Inputs => "inputs".into(),
            Self::Weights => "weights".into(),
            Self::Outputs => "outputs".into(),
            Self::Ctc => "computation to communication".into(),
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::Total(quantity) => Unit::Of(quantity.quantity()),
            Self::Macs | Self::BufferToArray | Self::BufferToDram | Self::Dram => ENERGY_UNIT,
            Self::Computing | Self::Waiting => CYCLES,
            Self::Inputs | Self::Weights | Self::Outputs => BYTES,
            Self::Ctc => PLAIN,
        }
    }

    fn value(self, run: &RunCost) -> f64 {
        let picojoules = |hundredths: u128| hundredths as f64 / 100.0;
        match self {
            Self::Total(quantity) => quantity.total(run),
            Self::Macs => picojoules(run.energy.mac),
            Self::BufferToArray => picojoules(run.energy.buffer_to_array),
            Self::BufferToDram => picojoules(run.energy.buffer_to_dram),
            Self::Dram => picojoules(run.energy.dram),
            Self::Computing => run.cost.compute_cycles.min(run.latency_cycles) as f64,
            Self::Waiting => run.latency_cycles.saturating_sub(run.cost.compute_cycles) as f64,
            Self::Inputs => run.cost.volume.inputs as f64,
            Self::Weights => run.cost.volume.weights as f64,
            Self::Outputs => run.cost.volume.outputs as f64,
            Self::Ctc => run.ctc(),
        }
    }
}

const PLAIN: Unit = Unit::Count("");
const BYTES: Unit = Unit::Of(Quantity::Bytes);
const BORDER: &str =
    "What the tiles of the fused layers exchange with DRAM: only maps at the border, and weights (eqs. 3 and 6).";
const OVERLAP: &str = "Computation overlaps with all that crosses the buffer’s port, into it and out of it again.";
const MACS: Unit = Unit::Of(Quantity::Macs);

/// Explains a number of sequences; `None` where there is none.
pub fn explain_sequences(sequences: &Sequences, number: SequenceNumber) -> Option<Explained> {
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
    };
    Some(explained.or_none())
}

impl Sequences {
    fn fused(&self, sequence: Sequence, mode: FusionMode) -> Option<RunCost> {
        let known = self.costs.iter().find(|known| known.sequence == sequence)?;
        Some(known.in_mode(mode)?.run)
    }

    fn run_of(&self, place: RunPlace) -> Option<RunCost> {
        match place {
            RunPlace::Layer(chain, layer) => *self.chains.chains.get(chain as usize)?.singles.get(layer as usize)?,
            RunPlace::Apart(sequence) => RunCost::sum(self.chains.singles(sequence).iter().copied()),
            RunPlace::Fused(sequence, mode) => self.fused(sequence, mode),
            RunPlace::AllApart => self.chains.total(&self.costs, &[]),
            RunPlace::AllTogether => self.chains.total(&self.costs, &self.chosen),
        }
    }

    /// The number, not unfolded.
    fn shown(&self, number: SequenceNumber) -> Option<Explained> {
        Some(match number {
            SequenceNumber::Of(place, part) => {
                Explained::given(part.name(), part.value(&self.run_of(place)?), part.unit())
            }
            SequenceNumber::Change(quantity) => {
                let total = |place| Some(quantity.total(&self.run_of(place)?));
                let (apart, together) = (total(RunPlace::AllApart)?, total(RunPlace::AllTogether)?);
                Explained::given("change", (together - apart) / apart, Unit::Share)
            }
            SequenceNumber::Fused => {
                let layers: usize = self.chosen.iter().map(|(sequence, _)| sequence.layers().len()).sum();
                Explained::given("layers that are fused", layers as f64, PLAIN)
            }
        })
    }

    /// A number, to be unfolded when asked.
    fn folded(&self, number: SequenceNumber) -> Option<Explained> {
        Some(Explained { subject: Some(Subject::Sequences(number)), ..self.shown(number)? })
    }

    fn layer_name(&self, chain: u32, layer: u32) -> String {
        let chain = self.chains.chains.get(chain as usize);
        chain.and_then(|chain| chain.layers.get(layer as usize)).cloned().unwrap_or_default()
    }

    /// What runs one after another at a place, with what it is called; `None` where one thing runs.
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
            RunPlace::Layer(..) | RunPlace::Fused(..) => None,
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
            // Of several, computing and waiting are those of all of them together, as their figures show them.
            (RunPart::Computing, Some(parts)) => {
                let terms = parts.into_iter().map(|(name, place)| {
                    Some(Explained::given(name, self.run_of(place)?.cost.compute_cycles as f64, CYCLES))
                });
                let all = Explained::computed("cycles of the array", CYCLES, How::Sum, terms.collect::<Option<_>>()?);
                shown.or("", How::Smallest, vec![all, at(RunPart::Total(SequenceQuantity::Latency))?])
            }
            (RunPart::Waiting, _) => {
                let terms = [RunPart::Total(SequenceQuantity::Latency), RunPart::Computing].into_iter().filter_map(at);
                shown.or("", How::Difference, terms.collect())
            }
            (part, Some(parts)) => {
                let terms = parts.into_iter().map(|(name, place)| {
                    let of = self.folded(SequenceNumber::Of(place, part))?;
                    Some(Explained { name: name.into(), ..of })
                });
                let shown = shown.or("by what runs", How::Sum, terms.collect::<Option<_>>()?);
                match part {
                    RunPart::Total(quantity) => shown.or(
                        "by cause",
                        How::Sum,
                        RunPart::of(quantity).iter().filter_map(|part| at(*part)).collect(),
                    ),
                    _ => shown,
                }
            }
            (part, None) => self.single(shown, place, &run.cost, part)?,
        };
        Some(explained.after(SEQUENCES))
    }

    /// A number of what runs as one.
    fn single(&self, shown: Explained, place: RunPlace, cost: &Cost, part: RunPart) -> Option<Explained> {
        let (rule, energy) = (SEQUENCE_PARAMETERS.report, self.chains.accelerator.energy);
        let at = |part: RunPart| self.folded(SequenceNumber::Of(place, part));
        let given = |name: &'static str, value: u64, unit: Unit| Explained::given(name, value as f64, unit);
        let each = |name: &'static str, hundredths: u64| Explained::given(name, hundredths as f64 / 100.0, ENERGY_UNIT);
        let byte = || each("energy of a byte", energy.buffer * rule.accesses_per_move);
        let by_array = "What the row-stationary mapping of its tiles moves.";
        Some(match part {
            RunPart::Total(quantity @ (SequenceQuantity::Energy | SequenceQuantity::Volume)) => {
                shown.or("by cause", How::Sum, RunPart::of(quantity).iter().filter_map(|part| at(*part)).collect())
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
            RunPart::Macs => {
                let count = if rule.pooling_computes { cost.operations } else { cost.macs };
                shown.or("", How::Product, vec![given("MACs", count, MACS), each("energy of one", energy.mac)])
            }
            RunPart::BufferToArray => {
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
            RunPart::BufferToDram => {
                let volume = at(RunPart::Total(SequenceQuantity::Volume))?;
                shown.or("", How::Product, vec![volume, byte()])
            }
            RunPart::Dram => {
                let volume = at(RunPart::Total(SequenceQuantity::Volume))?;
                let access = given("hundredths of a pJ an access", energy.dram, PLAIN);
                let all = Explained::computed("of accesses of a byte", PLAIN, How::Product, vec![volume, access]);
                let bytes = given("bytes an access", rule.dram_access_bytes, PLAIN);
                let hundredths = Explained::computed("hundredths of a pJ", PLAIN, How::QuotientDown, vec![all, bytes]);
                shown.or("", How::Quotient, vec![hundredths, given("hundredths", 100, PLAIN)])
            }
            RunPart::Computing => {
                let computing = given("cycles of the array", cost.compute_cycles, CYCLES).noted(by_array);
                shown.or("", How::Smallest, vec![computing, at(RunPart::Total(SequenceQuantity::Latency))?])
            }
            RunPart::Inputs | RunPart::Weights | RunPart::Outputs => shown.noted(match place {
                RunPlace::Fused(..) => BORDER,
                _ => "What the tiles of the layer exchange with DRAM (eq. 3).",
            }),
            RunPart::Waiting | RunPart::Ctc => shown,
        })
    }

    /// Cycles in which all that crosses the buffer's port passes it.
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

    fn ctc(&self, shown: Explained, cost: &Cost, volume: Explained) -> Explained {
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
        let operations = Explained::given("operations", cost.operations as f64, Unit::Count(""));
        shown
            .or("", How::Quotient, vec![operations, bytes])
            .noted("Each byte is weighted by what a burst makes of the bandwidth.")
            .after(SEQUENCES)
    }
}
