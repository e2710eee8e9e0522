//! Cores, the memories at their top, and the links between them, as a scheduler sees them.

use super::ids::{CoreId, LinkId, TopMemoryId};
use crate::ids::TiVec;
use crate::units::{Bits, BitsPerCycle};

/// The highest memory of a core for some operands, maybe shared by cores.
#[derive(Debug, Clone, PartialEq)]
pub struct TopMemory {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub capacity: Bits,
    /// Bits read in a cycle.
    pub read_width: Bits,
    /// Bits written in a cycle.
    pub write_width: Bits,
    /// Energy of reading that many, pJ.
    pub read_pj: f64,
    /// Energy of writing that many, pJ.
    pub write_pj: f64,
    /// The cores that use it.
    pub cores: Vec<CoreId>,
}

/// What carries data between cores. Both ends, and whatever else the link serves, share its bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub bandwidth: BitsPerCycle<f64>,
    /// Energy of a cycle in which it is used, pJ.
    pub pj_per_cycle: f64,
}

/// Cores that compute, memories, links, and DRAM, which counts as a core that does not compute.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// Names of the cores, DRAM last.
    pub cores: TiVec<CoreId, String>,
    /// For each core the memories of W, I and O.
    pub memory_of: TiVec<CoreId, [TopMemoryId; 3]>,
    /// All of them; earlier ones are preferred as sources.
    pub memories: TiVec<TopMemoryId, TopMemory>,
    /// All of them.
    pub links: TiVec<LinkId, Link>,
    /// For each pair of cores the links from the first to the second.
    pub routes: TiVec<CoreId, TiVec<CoreId, Vec<LinkId>>>,
    /// The core that is DRAM, the last one.
    pub dram: CoreId,
}

impl System {
    /// The memory that is DRAM.
    pub fn dram_memory(&self) -> TopMemoryId {
        self.memory_of[self.dram][0]
    }

    /// The links from a core to another.
    pub fn route(&self, from: CoreId, to: CoreId) -> &[LinkId] {
        &self.routes[from][to]
    }

    /// The core by which a memory is reached.
    pub fn core_of(&self, memory: TopMemoryId) -> CoreId {
        self.memories[memory].cores.first().copied().unwrap_or(self.dram)
    }
}
