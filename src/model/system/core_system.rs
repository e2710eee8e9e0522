//! A system of cores, with the memories at their top and the links between them.

use super::ids::{CoreId, LinkId, TopMemoryId};
use crate::hardware::{Core, MemoryId, Operand, Power};
use crate::ids::{TiVec, ti_vec};
use crate::units::{Bits, BitsPerCycle};
use crate::workload::LayerKind;
use std::collections::VecDeque;

/// A validated system: cores, links between them, and the memory off the chip.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreSystem {
    /// What people call it.
    pub name: String,
    /// At least one; their ids are their places.
    pub cores: TiVec<CoreId, ComputeCore>,
    /// Whether some core is described by the hardware document beside the system.
    pub takes_beside: bool,
    /// Memories on the chip, then the one off it.
    pub memories: TiVec<TopMemoryId, CoreTopMemory>,
    /// For each core, and at last for the memory off the chip, the memories of W, I and O.
    pub memory_of: TiVec<CoreId, [TopMemoryId; 3]>,
    /// Links between cores, and between them and the memory off the chip.
    pub links: TiVec<LinkId, CoreLink>,
    pub(super) hops: Vec<LinkHop>,
}

impl CoreSystem {
    /// Time and power of work that takes `energy_pj` and so many cycles, while all cores leak; `None` unless all state the same clock.
    pub fn power(&self, energy_pj: f64, cycles: f64, macs: u64) -> Option<Power> {
        let clock_mhz = self.cores.first()?.core.clock_mhz?;
        let is_common = self.cores.iter().all(|core| core.core.clock_mhz == Some(clock_mhz));
        let leakage_pj = self.cores.iter().map(|core| core.core.leakage_pj_per_cycle()).sum();
        is_common.then(|| Power::new((clock_mhz, leakage_pj), energy_pj, cycles, macs))?
    }

    /// The area of all cores, um2, as far as it is stated: a memory that cores share counts once, the one off the chip does not. `None`
    /// where nothing is stated.
    pub fn area_um2(&self) -> Option<f64> {
        let of_core = |(index, core): (CoreId, &ComputeCore)| {
            let outside = core.core.memories.last_key();
            let is_own = |memory: &MemoryId| {
                let top = Operand::ALL.into_iter().find(|&operand| core.top(operand) == *memory);
                let users = top.map(|operand| &self.memories[self.memory_of[index][operand as usize]].cores);
                Some(*memory) != outside && users.is_none_or(|users| users.first() == Some(&index))
            };
            core.core.area_of(|memory| is_own(&memory)).known_um2()
        };
        self.cores.iter_enumerated().filter_map(of_core).reduce(|all, um2| all + um2)
    }

    /// Bits of the highest memories on the chip; a memory that cores share counts once.
    pub fn on_chip_bits(&self) -> u64 {
        let outside = self.memories.last_key();
        let on_chip = self.memories.iter_enumerated().filter(|(memory, _)| Some(*memory) != outside);
        on_chip.map(|(_, memory)| memory.capacity.0).fold(0, u64::saturating_add)
    }

    /// Processing elements of all cores.
    pub fn pe_count(&self) -> u64 {
        self.cores.iter().map(|core| core.core.pe_count()).fold(0, u64::saturating_add)
    }

    /// The shortest route, in links, from a core to each other one; empty where there is none. Only with `through_dram` may it lead through
    /// the memory off the chip.
    pub fn routes_from(&self, from: CoreId, through_dram: bool) -> TiVec<CoreId, Vec<LinkId>> {
        let dram = self.cores.next_key();
        let mut routes: TiVec<CoreId, Option<Vec<LinkId>>> = ti_vec![None; self.cores.len() + 1];
        routes[from] = Some(Vec::new());
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            if at == dram && from != dram && !through_dram {
                continue;
            }
            for &LinkHop { to, link, .. } in self.hops.iter().filter(|hop| hop.from == at) {
                if routes[to].is_none() {
                    let mut route = routes[at].clone().unwrap_or_default();
                    route.push(link);
                    routes[to] = Some(route);
                    open.push_back(to);
                }
            }
        }
        routes.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// A hop from a core to another over one link. The memory off the chip counts as a core, which comes after the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LinkHop {
    pub from: CoreId,
    pub to: CoreId,
    /// Over which link.
    pub link: LinkId,
}

/// A core of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputeCore {
    /// As the document states it; no other has the same.
    pub name: String,
    /// The core itself; its highest memory stands for the system's memory off the chip.
    pub core: Core,
    /// Types of layers that it runs; none: all.
    pub runs: Vec<LayerKind>,
    /// The first core with the same hardware: equal cores share mapping problems.
    pub kind: CoreId,
}

impl ComputeCore {
    /// Whether it runs layers of a type. Layers for a vector unit run only where there is one.
    pub fn runs(&self, kind: LayerKind) -> bool {
        let is_allowed = self.runs.is_empty() || self.runs.contains(&kind);
        is_allowed && (self.core.vector_unit.is_some() || !kind.needs_vector_unit())
    }

    /// The highest memory of an operand on the chip.
    pub fn top(&self, operand: Operand) -> MemoryId {
        let levels = self.core.levels(operand);
        levels[levels.len().saturating_sub(2)]
    }
}

/// The highest memory of a core for some operands, maybe shared by cores.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreTopMemory {
    /// As the document states it; no other has the same.
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

/// A connection that carries data between cores. Both ends, and all others that it serves, share its bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreLink {
    /// As the document states it; no other has the same.
    pub name: String,
    /// What it carries.
    pub bandwidth: BitsPerCycle<f64>,
    /// Energy of a cycle in which it is used, pJ.
    pub pj_per_cycle: f64,
}
