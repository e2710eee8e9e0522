//! Numbers of a schedule on many cores (Stream, Section 4): energy and time, tile by tile and transfer by transfer.

mod allocations;
mod energy;
mod memories;
mod numbers;
mod tiles;
mod time;
mod transfers;

pub use allocations::{explain_choice, explain_systems};
pub use numbers::{CorePart, CoresNumber, TileFigure, TransferFigure};

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::numbers::CYCLES;
use super::sources::{COALA, SINGLE_LAYER};
use fusescape_chart::Quantity;
use fusescape_engine::multicore::{CoreTimeCause, CoresAccount, CoresPart, TileId, TimeSpan, TransferReason};

const PLAIN: NumberUnit = NumberUnit::Count("");
const BYTES: NumberUnit = NumberUnit::Of(Quantity::Bytes);

fn bytes(bits: u64) -> f64 {
    bits as f64 / 8.0
}

/// Explains a number of a schedule; `None` if it has no such number.
pub fn explain_cores(account: &CoresAccount, number: CoresNumber) -> Option<Explained> {
    ScheduleTerms(account).explain(number).map(Explained::or_none)
}

/// The source of the numbers.
struct ScheduleTerms<'a>(&'a CoresAccount);

impl ScheduleTerms<'_> {
    /// A number that is explained on request.
    fn folded(&self, number: CoresNumber) -> Option<Explained> {
        Some(Explained { subject: Some(ExplainedNumber::Cores(number)), ..self.shown(number)? })
    }

    fn all(&self, numbers: impl IntoIterator<Item = CoresNumber>) -> Vec<Explained> {
        numbers.into_iter().filter_map(|number| self.folded(number)).collect()
    }

    /// The numbers that are not zero.
    fn some(&self, numbers: impl IntoIterator<Item = CoresNumber>) -> Vec<Explained> {
        self.all(numbers).into_iter().filter(|term| term.value != 0.0).collect()
    }

    fn explain(&self, number: CoresNumber) -> Option<Explained> {
        let account = self.0;
        let shown = self.shown(number)?;
        Some(match number {
            CoresNumber::Latency => self.latency(shown),
            CoresNumber::Energy => {
                shown.or("", How::Sum, self.some(CoresPart::ALL.map(CoresNumber::of_part))).after(COALA)
            }
            CoresNumber::EnergyDelay => {
                shown.or("", How::Product, self.all([CoresNumber::Energy, CoresNumber::Latency]))
            }
            CoresNumber::ComputingShare => {
                let cores = account.cores.keys();
                let times = cores.map(|core| self.of_core(core, CorePart::Of(CoreTimeCause::Computing)));
                let computing = Explained::computed("computing", CYCLES, How::Sum, times.flatten().collect());
                let count = Explained::given("cores", account.cores.len() as f64, PLAIN);
                let latency = self.folded(CoresNumber::Latency)?;
                let time = Explained::computed("the cores’ time", CYCLES, How::Product, vec![latency, count]);
                shown.or("", How::Quotient, vec![computing, time])
            }
            CoresNumber::MacUse => {
                let macs = Explained::given("multiply-accumulates of the network", account.macs as f64, PLAIN);
                let peak = Explained::given("MACs of all arrays in a cycle", account.peak_macs_per_cycle as f64, PLAIN);
                let most = Explained::computed(
                    "what the arrays could do",
                    PLAIN,
                    How::Product,
                    vec![self.folded(CoresNumber::Latency)?, peak],
                );
                shown.or("", How::Quotient, vec![macs, most])
            }
            CoresNumber::Peak => self.peak(shown),
            CoresNumber::OnChip => {
                shown.or("by core", How::Sum, self.some(account.cores.keys().map(CoresNumber::CoreEnergy)))
            }
            CoresNumber::CoreEnergy(core) => self.core_energy(shown, core),
            CoresNumber::Streamed => {
                let each = |tile: TileId| account.costs[account.tiles[tile].cost].offchip_pj;
                shown.or("", How::Sum, self.by_cost(|_| true, "DRAM energy of a tile", each)).after(SINGLE_LAYER)
            }
            CoresNumber::Moved(carrier) => {
                let reasons = TransferReason::ALL.map(|reason| CoresNumber::MovedFor(carrier, reason));
                shown.or("by reason", How::Sum, self.some(reasons)).after(COALA)
            }
            CoresNumber::MovedFor(carrier, reason) => self.moved_for(shown, carrier, reason),
            CoresNumber::MovedOf(carrier, reason, layer, operand) => {
                let transfers = self.of_operand(reason, layer, operand);
                let numbers = transfers.map(|(id, _)| CoresNumber::Transfer(id, TransferFigure::Energy(carrier)));
                shown.or("by transfer", How::Sum, self.some(numbers)).after(COALA)
            }
            CoresNumber::Time(core, part) => self.time(shown, core, part),
            CoresNumber::TimeOf(core, part, layer) => self.time_of(shown, part, self.tiles_of(core, layer)),
            CoresNumber::LinkBusy(link) => {
                let span = |(index, span): (usize, TimeSpan)| {
                    let terms = [("until", span.end), ("from", span.start)];
                    let terms = terms.map(|(name, cycle)| Explained::given(name, cycle.0, CYCLES));
                    Explained::computed(format!("time {}", index + 1), CYCLES, How::Difference, terms.into())
                };
                let spans = account.busy_spans(link).into_iter().enumerate().map(span).collect();
                shown
                    .or("", How::Sum, spans)
                    .noted("From the first to the last cycle of transfers that follow or overlap each other.")
            }
            CoresNumber::LinkShare(link) => {
                shown.or("", How::Quotient, self.all([CoresNumber::LinkBusy(link), CoresNumber::Latency]))
            }
            CoresNumber::LinkCarries(link, reason) => {
                let sizes = self.carried(link, reason).map(|(id, _)| CoresNumber::Transfer(id, TransferFigure::Size));
                shown.or("by transfer", How::Sum, self.all(sizes)).after(COALA)
            }
            CoresNumber::MemoryPeak(memory) => {
                let memory = account.memories.get(memory)?;
                let first = memory.usage.iter().find(|step| step.1 == memory.peak_bits).map_or(0, |step| step.0);
                let shown = shown.noted(format!("From cycle {first} on, for the first time."));
                self.held(shown, memory.at_peak.as_deref())
            }
            CoresNumber::MemoryShare(memory) => {
                let capacity = Explained::given("capacity", bytes(account.memories.get(memory)?.capacity_bits), BYTES);
                shown.or("", How::Quotient, vec![self.folded(CoresNumber::MemoryPeak(memory))?, capacity])
            }
            CoresNumber::Tile(tile, figure) => self.tile(shown, tile, figure)?,
            CoresNumber::Transfer(id, figure) => self.transfer(shown, id, figure)?,
        })
    }
}
