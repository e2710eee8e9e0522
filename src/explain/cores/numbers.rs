//! The numbers of a schedule: names and values.

use super::{BYTES, ScheduleTerms, bytes};
use crate::formula::{Explained, NumberUnit};
use crate::numbers::{CYCLES, ENERGY_UNIT};
use fusescape_chart::{Quantity, reason_name};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{
    Carrier, CoreId, CoreTime, CoreTimeCause, CoresEnergyCause, CoresPart, LinkId, NestId, TileId, TopMemoryId,
    TransferCost, TransferId, TransferReason, TransferRun,
};

/// A number of a schedule on many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoresNumber {
    /// Latency of the schedule.
    Latency,
    /// Total energy.
    Energy,
    /// Energy times latency.
    EnergyDelay,
    /// Share of the cores' time with busy arrays.
    ComputingShare,
    /// Share of the multiply-accumulates possible on all arrays within the latency that the network needs.
    MacUse,
    /// Largest total usage of the memories on the chip.
    Peak,
    /// Energy of all cores with their memories.
    OnChip,
    /// Energy of a core with its memories.
    CoreEnergy(CoreId),
    /// Energy of DRAM accesses of streaming tiles.
    Streamed,
    /// Energy of transfers.
    Moved(Carrier),
    /// Energy of transfers for one reason.
    MovedFor(Carrier, TransferReason),
    /// Energy of transfers of an operand of a layer.
    MovedOf(Carrier, TransferReason, NestId, Operand),
    /// Cycles of a core, for one cause or all.
    Time(CoreId, CorePart),
    /// Cycles of a core for the tiles of a layer.
    TimeOf(CoreId, CorePart, NestId),
    /// Cycles in which a link is busy.
    LinkBusy(LinkId),
    /// Share of the time in which a link is busy.
    LinkShare(LinkId),
    /// Data carried by a link for one reason.
    LinkCarries(LinkId, TransferReason),
    /// Largest usage of a memory.
    MemoryPeak(TopMemoryId),
    /// Largest usage of a memory, as a share of its capacity.
    MemoryShare(TopMemoryId),
    Tile(TileId, TileFigure),
    Transfer(TransferId, TransferFigure),
}

/// A part of the time of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorePart {
    /// One cause.
    Of(CoreTimeCause),
    /// From the begin to the end of the schedule.
    All,
}

/// A number of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileFigure {
    /// Time at which its core finishes the tile before.
    Free,
    /// Time at which its core is free, and the tiles that it waits for are done.
    Ready,
    /// Start time.
    Begin,
    /// End time.
    End,
    /// Duration.
    Takes,
    /// Data transferred for it.
    Brought,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferFigure {
    /// Start time.
    Begin,
    /// Time of arrival.
    End,
    /// Duration.
    Takes,
    /// Data transferred.
    Size,
    /// Energy of the links or of the memories.
    Energy(Carrier),
}

impl CorePart {
    /// In the order of the figure.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        CoreTimeCause::ALL.into_iter().map(Self::Of).chain([Self::All])
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Of(CoreTimeCause::Computing) => "computing",
            Self::Of(CoreTimeCause::Stalling) => "stalls",
            Self::Of(CoreTimeCause::Transferring) => "waiting for transfers",
            Self::Of(CoreTimeCause::Idle) => "idle",
            Self::All => "time",
        }
    }

    pub(super) fn of(self, core: &CoreTime) -> f64 {
        match self {
            Self::Of(cause) => core.cycles[cause],
            Self::All => CoreTimeCause::ALL.into_iter().map(|cause| core.cycles[cause]).sum(),
        }
    }
}

impl CoresNumber {
    /// Energy of a part of the system.
    pub fn of_part(part: CoresPart) -> Self {
        match part {
            CoresPart::Cores => Self::OnChip,
            CoresPart::Carrier(carrier) => Self::Moved(carrier),
        }
    }
}

/// Energy of a transfer in its links or memories, pJ.
fn carried_pj(carrier: Carrier, run: &TransferRun) -> f64 {
    match (carrier, &run.cost) {
        (Carrier::Links, TransferCost::Tensor { link_pj, .. }) => *link_pj,
        (Carrier::Memories, TransferCost::Tensor { memory_pj, .. }) => *memory_pj,
        (_, TransferCost::Stream(_)) => 0.0,
    }
}

impl ScheduleTerms<'_> {
    /// The number without its formulas.
    pub(super) fn shown(&self, number: CoresNumber) -> Option<Explained> {
        let account = self.0;
        let (name, value, unit): (String, f64, NumberUnit) = match number {
            CoresNumber::Latency => ("latency".into(), account.latency_cycles, CYCLES),
            CoresNumber::Energy => ("energy".into(), account.energy.total_pj(), ENERGY_UNIT),
            CoresNumber::EnergyDelay => {
                let product = account.energy.total_pj() * account.latency_cycles;
                ("energy-delay product".into(), product, NumberUnit::Of(Quantity::EnergyDelay))
            }
            CoresNumber::ComputingShare => {
                let computing: f64 = account.cores.iter().map(|core| core.cycles[CoreTimeCause::Computing]).sum();
                let all = account.latency_cycles * account.cores.len() as f64;
                ("computing".into(), computing / all.max(1.0), NumberUnit::Share)
            }
            CoresNumber::MacUse => {
                let most = account.latency_cycles * account.peak_macs_per_cycle as f64;
                ("MAC use".into(), account.macs as f64 / most.max(1.0), NumberUnit::Share)
            }
            CoresNumber::Peak => ("on the chip at most at once".into(), bytes(account.peak_bits()), BYTES),
            CoresNumber::OnChip => {
                ("cores with their memories".into(), account.energy.of(CoresPart::Cores), ENERGY_UNIT)
            }
            CoresNumber::CoreEnergy(core) => {
                let tiles = account.tiles.iter().filter(|run| run.core == core);
                let energy = tiles.map(|run| account.costs[run.cost].onchip_pj).sum();
                (account.cores.get(core)?.name.clone(), energy, ENERGY_UNIT)
            }
            CoresNumber::Streamed => {
                let energy = account.tiles.iter().map(|run| account.costs[run.cost].offchip_pj).sum();
                ("DRAM for what tiles stream".into(), energy, ENERGY_UNIT)
            }
            CoresNumber::Moved(carrier) => {
                (carrier.title().into(), account.energy.of(CoresPart::Carrier(carrier)), ENERGY_UNIT)
            }
            CoresNumber::MovedFor(carrier, reason) => {
                let energy = account.energy[CoresEnergyCause::Moved(carrier, reason)];
                (format!("{}, {}", carrier.title(), reason_name(reason)), energy, ENERGY_UNIT)
            }
            CoresNumber::MovedOf(carrier, reason, layer, operand) => {
                let energy = self.of_operand(reason, layer, operand).map(|(_, run)| carried_pj(carrier, run)).sum();
                (format!("{operand} of {}", account.layers.get(layer)?), energy, ENERGY_UNIT)
            }
            CoresNumber::Time(core, part) => (part.name().into(), part.of(account.cores.get(core)?), CYCLES),
            CoresNumber::TimeOf(core, part, layer) => {
                let cycles = self.tiles_of(core, layer).map(|tile| self.part_of_tile(part, tile)).sum();
                (account.layers.get(layer)?.clone(), cycles, CYCLES)
            }
            CoresNumber::LinkBusy(link) => ("busy".into(), account.links.get(link)?.busy, CYCLES),
            CoresNumber::LinkShare(link) => {
                ("of the time".into(), account.links.get(link)?.busy / account.latency_cycles, NumberUnit::Share)
            }
            CoresNumber::LinkCarries(link, reason) => {
                let carried: u64 = self.carried(link, reason).map(|(_, run)| run.bits).sum();
                (format!("{} over {}", reason_name(reason), account.links.get(link)?.name), bytes(carried), BYTES)
            }
            CoresNumber::MemoryPeak(memory) => {
                ("most in use".into(), bytes(account.memories.get(memory)?.peak_bits), BYTES)
            }
            CoresNumber::MemoryShare(memory) => {
                let memory = account.memories.get(memory)?;
                ("of its capacity".into(), memory.peak_bits as f64 / memory.capacity_bits as f64, NumberUnit::Share)
            }
            CoresNumber::Tile(tile, figure) => {
                let run = account.tiles.get(tile)?;
                let (what, value, unit) = match figure {
                    TileFigure::Free => ("core free", self.gap(tile)?.free, CYCLES),
                    TileFigure::Ready => ("others done", self.gap(tile)?.ready, CYCLES),
                    TileFigure::Begin => ("begins", run.start, CYCLES),
                    TileFigure::End => ("ends", run.end, CYCLES),
                    TileFigure::Takes => ("takes", run.end - run.start, CYCLES),
                    TileFigure::Brought => {
                        let brought = account.brought_for(tile).iter();
                        let bits: u64 = brought.filter_map(|id| Some(account.transfers.get(*id)?.bits)).sum();
                        ("brought", bytes(bits), BYTES)
                    }
                };
                (format!("{}: {what}", self.tile_name(tile)), value, unit)
            }
            CoresNumber::Transfer(id, figure) => {
                let run = account.transfers.get(id)?;
                let of = format!("{} of {}, {} → {}", run.operand, self.tile_name(run.tile), run.from, run.to);
                let (what, value, unit) = match figure {
                    TransferFigure::Begin => ("begins", run.start, CYCLES),
                    TransferFigure::End => ("is there", run.end, CYCLES),
                    TransferFigure::Takes => ("takes", run.end - run.start, CYCLES),
                    TransferFigure::Size => ("size", bytes(run.bits), BYTES),
                    TransferFigure::Energy(carrier) => (carrier.title(), carried_pj(carrier, run), ENERGY_UNIT),
                };
                (format!("{of}: {what}"), value, unit)
            }
        };
        Some(Explained::given(name, value, unit))
    }
}
