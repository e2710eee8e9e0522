//! Cores, the memories at their top, and the links between them, as a scheduler sees them.

use super::rules::SchedulingRules;
use crate::ids::TiVec;
use crate::system::{CoreId, CoreLink, CoreSystem, CoreTopMemory, LinkId, TopMemoryId};

/// Cores that compute, memories, links, and DRAM, which counts as a core that does not compute.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// Names of the cores, DRAM last.
    pub cores: TiVec<CoreId, String>,
    /// For each core the memories of W, I and O.
    pub memory_of: TiVec<CoreId, [TopMemoryId; 3]>,
    /// All of them; earlier ones are preferred as sources.
    pub memories: TiVec<TopMemoryId, CoreTopMemory>,
    /// Every link, those to DRAM included.
    pub links: TiVec<LinkId, CoreLink>,
    /// For each pair of cores the links from the first to the second.
    pub routes: TiVec<CoreId, TiVec<CoreId, Vec<LinkId>>>,
    /// The core that is DRAM, the last one.
    pub dram: CoreId,
}

impl System {
    /// A system with the shortest routes.
    pub fn new(system: &CoreSystem, rules: SchedulingRules) -> Self {
        let dram = system.cores.next_key();
        let mut names: TiVec<CoreId, String> = system.cores.iter().map(|core| core.name.clone()).collect();
        names.push("DRAM".to_owned());
        let through_dram = rules.routes_through_dram;
        Self {
            cores: names,
            memory_of: system.memory_of.clone(),
            memories: system.memories.clone(),
            links: system.links.clone(),
            routes: system.memory_of.keys().map(|from| system.routes_from(from, through_dram)).collect(),
            dram,
        }
    }

    /// The memory of the core that stands for DRAM.
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
