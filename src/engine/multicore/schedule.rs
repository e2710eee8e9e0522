//! A schedule: when and where tiles are computed, the transfers of tensors, and their energy.

use super::causes::{CoresEnergy, TransferReason};
use super::contents::ContentsChange;
use super::ids::{TensorId, TileId};
use super::link_occupancy::TimeSpan;
use crate::hardware::Operand;
use crate::ids::TiVec;
use crate::system::{CoreId, TopMemoryId};
use crate::units::{BitsPerCycle, Cycles};
use serde::{Deserialize, Serialize};

/// A tile with its core and its cost there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlacedTile {
    /// The core that computes the tile.
    pub core: CoreId,
    /// Its duration.
    pub cycles: Cycles<f64>,
    /// Energy without DRAM, pJ.
    pub onchip_pj: f64,
    /// Energy of DRAM for operands that do not fit on the chip, pJ.
    pub offchip_pj: f64,
    /// Operands that stay in DRAM.
    pub too_large: Vec<Operand>,
    /// The bandwidth that these take to and from DRAM.
    pub offchip: Offchip,
}

/// The bandwidth that a tile takes to and from DRAM while it is computed, as operands do not fit on the chip.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Offchip {
    /// To DRAM.
    pub to: BitsPerCycle<f64>,
    /// From DRAM.
    pub from: BitsPerCycle<f64>,
}

/// The reason for the time at which a tile or a transfer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StartConstraint {
    /// A tile: its core is free, and tiles that it waits for are done. A transfer: the tensor is where it comes from.
    #[default]
    Ready,
    /// The tensors that the tile reads have arrived.
    Brought,
    /// There is room in a memory.
    Room,
    /// The links are free.
    Links,
    /// Its reader needs it no earlier ([`super::rules::SchedulingRules::late_transfers`]).
    Late,
}

/// The cycle from which on each condition of a transfer holds; it begins at the last of them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TransferWaits {
    /// Cycle at which the source holds the tensor; of a stream, at which its tile could begin.
    pub there: f64,
    /// Cycle before which its reader does not need it, in place of `there`
    /// ([`super::rules::SchedulingRules::late_transfers`]).
    pub late: Option<f64>,
    /// Cycle at which the target memory has room.
    pub room: f64,
    /// Cycle at which the links on its way are free.
    pub links: f64,
}

/// A transfer of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfer {
    /// The tensor that moves.
    pub tensor: TensorId,
    /// From which memory.
    pub source: TopMemoryId,
    /// The reason for the time at which it begins.
    pub begin: StartConstraint,
    /// The times before which it cannot begin.
    pub waits: TransferWaits,
    /// From which core.
    pub from: CoreId,
    /// To which core.
    pub to: CoreId,
    /// The memory that receives it.
    pub memory: TopMemoryId,
    /// From its first cycle to its last.
    pub span: TimeSpan,
    /// Why the tensor is moved.
    pub reason: TransferReason,
    /// Energy of the links, pJ.
    pub link_pj: f64,
    /// Energy of the memories at both ends, pJ.
    pub memory_pj: f64,
}

/// Operands that do not fit on the chip stream between DRAM and a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DramStream {
    /// The tile whose operands do not fit.
    pub tile: TileId,
    /// Cycles in which the links are in use.
    pub span: TimeSpan,
    /// The times before which it cannot begin.
    pub waits: TransferWaits,
    /// By which factor it makes the tile longer, as a link is too narrow.
    pub slower: f64,
}

/// When each tile is computed and each transfer takes place, with the contents of memories over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CoresSchedule {
    /// When each tile is computed.
    pub tiles: TiVec<TileId, Option<TimeSpan>>,
    /// The reason for the time at which each begins.
    pub begins: TiVec<TileId, StartConstraint>,
    /// Tiles that begin as soon as their tensors are there ([`StartConstraint::Brought`]): the tensor that arrives
    /// last, and its memory.
    pub awaited: Vec<(TileId, TensorId, TopMemoryId)>,
    /// All transfers, in the order in which they were placed.
    pub transfers: Vec<Transfer>,
    /// All streams, in the order in which they were placed.
    pub streams: Vec<DramStream>,
    /// Usage of each memory, as steps: a cycle, and the bits in use from it on.
    pub memories: TiVec<TopMemoryId, Vec<(i64, u64)>>,
    /// Tensors that come into memories and leave them, if requested ([`super::coala::schedule_with_contents`]).
    pub contents: Vec<ContentsChange>,
    /// Energy by cause.
    pub energy: CoresEnergy,
    /// End of the last tile or transfer.
    pub latency: Cycles<f64>,
}

/// Why there is no schedule: nothing else can leave a memory, and a tensor does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOverflow {
    /// The memory that has no room.
    pub memory: TopMemoryId,
    /// The tensor that does not fit.
    pub tensor: TensorId,
}
