//! What energy, cycles and accesses go to.

use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause, LatencySplit};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::TransferReason;

/// Of energy, latency or accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarCause {
    /// A cause of energy, or of accesses of a memory.
    Energy(EnergyCause),
    /// A cause of latency. Where [`BarCause::IdlePes`] is a part of its own, computing is the time with all PEs busy.
    Latency(LatencyCause),
    /// Cycles of computing that exist because PEs are idle.
    IdlePes,
    /// An operand of a layer: the first of two inputs; for outputs, also partial sums.
    Operand(Operand),
    /// The second input of an addition.
    SecondInput,
    /// Waiting for other links of the same port.
    Sharing,
    /// Waiting for data, for any reason.
    Waiting,
    /// Overlap of tiles that later tiles read again.
    Reuse,
    /// Accesses of the DRAM.
    Dram,
    /// The on-chip buffer's side of accesses of the DRAM.
    BufferToDram,
    /// Accesses of the on-chip buffer for the array.
    BufferToArray,
    /// Accesses of the registers of PEs.
    Registers,
    /// Waiting for transfers between cores, or for space in memories.
    Transfer,
    /// No tile to compute.
    Idle,
    /// Computing, with all memories of a core included.
    OnChip,
    /// Data transferred between cores and DRAM.
    Moved(TransferReason),
}

impl BarCause {
    /// The causes of accesses of memories, in the order of [`AccessCause::ALL`].
    pub fn of_accesses() -> impl Iterator<Item = Self> + Clone {
        AccessCause::ALL.into_iter().map(|cause| Self::Energy(EnergyCause::Access(cause)))
    }

    /// A latency by cause, with computing divided into the time with all PEs busy and the rest.
    pub fn of_latency(split: &LatencySplit) -> impl Iterator<Item = (Self, f64)> + use<> {
        let split = *split;
        LatencyCause::ALL.into_iter().flat_map(move |cause| {
            let (idle, cycles) = match cause {
                LatencyCause::Computing => (Some(split.idle_pe_cycles()), split.ideal_cycles.min(split[cause] as f64)),
                _ => (None, split[cause] as f64),
            };
            std::iter::once((Self::Latency(cause), cycles)).chain(idle.map(|idle| (Self::IdlePes, idle)))
        })
    }

    /// For a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Energy(cause) => cause.title(),
            Self::Latency(cause) => cause.title(),
            Self::IdlePes => "idle PEs",
            Self::Operand(Operand::W) => "weight",
            Self::Operand(Operand::I) => "input",
            Self::Operand(Operand::O) => "output",
            Self::SecondInput => "second input",
            Self::Sharing => "sharing the port",
            Self::Waiting => "waiting for data",
            Self::Reuse => "reuse buffers",
            Self::Dram => "DRAM",
            Self::BufferToDram => "buffer ↔ DRAM",
            Self::BufferToArray => "buffer ↔ array",
            Self::Registers => "registers",
            Self::Transfer => "waiting for transfers",
            Self::Idle => "idle",
            Self::OnChip => "on the cores",
            Self::Moved(reason) => reason_name(reason),
        }
    }
}

/// A reason for a transfer.
pub fn reason_name(reason: TransferReason) -> &'static str {
    match reason {
        TransferReason::Fetch => "fetch",
        TransferReason::Exchange => "exchange between cores",
        TransferReason::Eviction => "eviction",
        TransferReason::Result => "result",
    }
}
