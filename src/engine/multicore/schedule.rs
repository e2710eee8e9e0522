//! Who computes what when, what travels, and what that costs.

use super::ids::{CoreId, TensorId, TileId, TopMemoryId};
use super::traffic::Span;
use crate::hardware::Operand;
use crate::ids::TiVec;
use crate::units::{BitsPerCycle, Cycles};
use serde::{Deserialize, Serialize};

/// What a tile costs where it is computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placed {
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

/// Why a tensor travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// A tile needs it, and it comes from DRAM.
    Fetch,
    /// A tile needs it, and it comes from another core.
    Exchange,
    /// Its place is needed.
    Eviction,
    /// It is a result of the network.
    Result,
}

/// A tensor travels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfer {
    /// What.
    pub tensor: TensorId,
    /// From which core.
    pub from: CoreId,
    /// To which core.
    pub to: CoreId,
    /// To which memory.
    pub memory: TopMemoryId,
    /// When.
    pub span: Span,
    /// Why.
    pub reason: Reason,
    /// Energy of the links, pJ.
    pub link_pj: f64,
    /// Energy of the memories at both ends, pJ.
    pub memory_pj: f64,
}

/// The links to DRAM serve a tile whose operands do not fit on the chip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stream {
    /// The tile.
    pub tile: TileId,
    /// When.
    pub span: Span,
}

/// Energy by cause, pJ.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SystemEnergy {
    /// Computing, with the memories of the cores.
    pub onchip_pj: f64,
    /// Links, by reason in the order of [`Reason`].
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
    /// In the order of the decisions.
    pub transfers: Vec<Transfer>,
    /// The same.
    pub streams: Vec<Stream>,
    /// For each memory, cycles and bits in use from then on.
    pub memories: TiVec<TopMemoryId, Vec<(i64, u64)>>,
    /// Energy by cause.
    pub energy: SystemEnergy,
    /// End of the last tile or transfer.
    pub latency: Cycles<f64>,
}

/// Why there is no schedule: nothing else can leave a memory, and a tensor does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overfull {
    /// The memory.
    pub memory: TopMemoryId,
    /// The tensor.
    pub tensor: TensorId,
}
