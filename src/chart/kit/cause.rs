//! What energy, cycles and accesses go to.

use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause, LatencySplit};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::TransferReason;

/// A cause of energy, latency or accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A cause of energy, or of accesses of a memory.
    Energy(EnergyCause),
    /// A cause of latency; where idle PEs are a part of their own, computing is what all PEs together need.
    Latency(LatencyCause),
    /// Cycles of computing that exist because PEs are idle.
    IdlePes,
    /// An operand of a layer: of two inputs the first, of outputs partial sums, too.
    Operand(Operand),
    /// The second input of an addition.
    SecondInput,
    /// Waiting for others at the same port.
    Sharing,
    /// Waiting for data, for whatever reason.
    Waiting,
    /// What tiles share and later ones read again.
    Reuse,
    /// Accesses of the DRAM.
    Dram,
    /// The on-chip buffer's side of these.
    BufferToDram,
    /// Accesses of the on-chip buffer for the array.
    BufferToArray,
    /// Accesses of the registers of PEs.
    Registers,
    /// Waiting for what travels between cores, or for room in memories.
    Transfer,
    /// There is nothing to be done.
    Idle,
    /// Computing, with all memories of a core.
    OnChip,
    /// Data that travels between cores and DRAM.
    Moved(TransferReason),
}

impl Cause {
    /// The causes of accesses of memories, in the order of [`AccessCause::ALL`].
    pub fn of_accesses() -> impl Iterator<Item = Self> + Clone {
        AccessCause::ALL.into_iter().map(|cause| Self::Energy(EnergyCause::Access(cause)))
    }

    /// A latency part by part: all causes, and of computing what idle PEs add.
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

/// Why something travels.
pub fn reason_name(reason: TransferReason) -> &'static str {
    match reason {
        TransferReason::Fetch => "fetch",
        TransferReason::Exchange => "exchange between cores",
        TransferReason::Eviction => "eviction",
        TransferReason::Result => "result",
    }
}
