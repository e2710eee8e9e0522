//! A schedule: when and where tiles are computed, the transfers of tensors, and their energy.

use super::contents::ContentsChange;
use super::ids::{CoreId, TensorId, TileId, TopMemoryId};
use super::link_occupancy::Span;
use crate::hardware::Operand;
use crate::ids::TiVec;
use crate::units::{BitsPerCycle, Cycles};
use serde::{Deserialize, Serialize};

/// A tile with its core and its cost there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlacedTile {
    /// Its core.
    pub core: CoreId,
    /// How long it takes.
    pub cycles: Cycles<f64>,
    /// Energy without DRAM, pJ.
    pub onchip_pj: f64,
    /// Energy of DRAM for operands that do not fit on the chip, pJ.
    pub offchip_pj: f64,
    /// Operands that stay in DRAM.
    pub too_large: Vec<Operand>,
    /// What these take of the way to and from DRAM.
    pub offchip: Offchip,
}

/// What a tile moves to and from DRAM while it is computed, as operands do not fit on the chip.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Offchip {
    /// To DRAM.
    pub to: BitsPerCycle<f64>,
    /// From DRAM.
    pub from: BitsPerCycle<f64>,
}

/// Why a tensor is transferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TransferReason {
    /// A tile reads it, and it comes from DRAM.
    Fetch,
    /// A tile reads it, and it comes from another core.
    Exchange,
    /// It is written back, as its place is needed.
    Eviction,
    /// It is an output of the network.
    Result,
}

/// What decides when a tile or a transfer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Begin {
    /// A tile: its core is free, and tiles that it waits for are done. A transfer: the tensor is where it comes from.
    #[default]
    Ready,
    /// What the tile reads is there.
    Brought,
    /// There is room in a memory.
    Room,
    /// The links are free.
    Links,
    /// Whoever waits for it needs it no earlier ([`super::rules::SchedulingRules::late_transfers`]).
    Late,
}

/// A transfer of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfer {
    /// What.
    pub tensor: TensorId,
    /// From which memory.
    pub source: TopMemoryId,
    /// What decides when it begins.
    pub begin: Begin,
    /// From which core.
    pub from: CoreId,
    /// To which core.
    pub to: CoreId,
    /// To which memory.
    pub memory: TopMemoryId,
    /// When.
    pub span: Span,
    /// Why.
    pub reason: TransferReason,
    /// Energy of the links, pJ.
    pub link_pj: f64,
    /// Energy of the memories at both ends, pJ.
    pub memory_pj: f64,
}

/// Operands that do not fit on the chip stream between DRAM and a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DramStream {
    /// The tile.
    pub tile: TileId,
    /// When.
    pub span: Span,
    /// By which factor it makes the tile longer, as a link is too narrow.
    pub slower: f64,
}

/// Energy by cause, pJ.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SystemEnergy {
    /// Computing, with the memories of the cores.
    pub onchip_pj: f64,
    /// Links, by reason in the order of [`TransferReason`].
    pub link_pj: [f64; 4],
    /// Memories at both ends of transfers, by reason; DRAM of what does not fit counts as fetched.
    pub memory_pj: [f64; 4],
}

impl SystemEnergy {
    /// All of it.
    pub fn total_pj(&self) -> f64 {
        self.onchip_pj + self.link_pj.iter().sum::<f64>() + self.memory_pj.iter().sum::<f64>()
    }
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    /// When each tile is computed.
    pub tiles: TiVec<TileId, Option<Span>>,
    /// What decides when each begins.
    pub begins: TiVec<TileId, Begin>,
    /// Of tiles that begin as soon as something is [`Begin::Brought`]: what comes last, and to which memory.
    pub awaited: Vec<(TileId, TensorId, TopMemoryId)>,
    /// All transfers, in the order in which they were placed.
    pub transfers: Vec<Transfer>,
    /// All streams, in the order in which they were placed.
    pub streams: Vec<DramStream>,
    /// Usage of each memory, as steps: a cycle, and the bits in use from it on.
    pub memories: TiVec<TopMemoryId, Vec<(i64, u64)>>,
    /// What comes into memories and leaves them, where somebody asked ([`super::coala::schedule_with_contents`]).
    pub contents: Vec<ContentsChange>,
    /// Energy by cause.
    pub energy: SystemEnergy,
    /// End of the last tile or transfer.
    pub latency: Cycles<f64>,
}

/// Why there is no schedule: nothing else can leave a memory, and a tensor does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOverflow {
    /// The memory.
    pub memory: TopMemoryId,
    /// The tensor.
    pub tensor: TensorId,
}
