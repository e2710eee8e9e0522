//! Who computes what when, what travels, and what that costs.

use super::contents::Change;
use super::ids::{CoreId, TensorId, TileId, TopMemoryId};
use super::traffic::Span;
use crate::hardware::Operand;
use crate::ids::TiVec;
use serde::{Deserialize, Serialize};

/// What a tile costs where it is computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placed {
    /// Its core.
    pub core: CoreId,
    /// Time, cycles.
    pub cycles: f64,
    /// Energy without DRAM, pJ.
    pub onchip_pj: f64,
    /// Energy of DRAM for operands that do not fit on the chip, pJ.
    pub offchip_pj: f64,
    /// Operands that stay in DRAM.
    pub too_large: Vec<Operand>,
    /// Bits a cycle to and from DRAM for these.
    pub offchip_bits: (f64, f64),
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

/// A tensor travels.
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
    /// By which factor it makes the tile longer, as a link is too narrow.
    pub slower: f64,
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
    /// What decides when each begins.
    pub begins: TiVec<TileId, Begin>,
    /// Of tiles that begin as soon as something is [`Begin::Brought`]: what comes last, and to which memory.
    pub awaited: Vec<(TileId, TensorId, TopMemoryId)>,
    /// In the order of the decisions.
    pub transfers: Vec<Transfer>,
    /// The same.
    pub streams: Vec<Stream>,
    /// For each memory, cycles and bits in use from then on.
    pub memories: TiVec<TopMemoryId, Vec<(i64, u64)>>,
    /// What comes into memories and leaves them, where somebody asked ([`super::coala::schedule_with_contents`]).
    pub contents: Vec<Change>,
    /// Energy by cause.
    pub energy: SystemEnergy,
    /// End of the last tile or transfer, cycles.
    pub latency_cycles: f64,
}

/// Why there is no schedule: nothing else can leave a memory, and a tensor does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overfull {
    /// The memory.
    pub memory: TopMemoryId,
    /// The tensor.
    pub tensor: TensorId,
}
