//! Area of a core: every instance of every memory, and the PEs (ZigZag, Section III-C).

use super::core::Core;
use super::memory::MemoryId;

/// Area of a core, as far as its document states it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Area {
    /// All instances of the memories whose area is stated, um2; `None` where none is.
    pub memories_um2: Option<f64>,
    /// All PEs without their memories, um2; `None` where it is not stated.
    pub pes_um2: Option<f64>,
    /// Names of the memories whose area is not stated, lowest first; normally the DRAM, which is another chip.
    pub unknown: Vec<String>,
}

impl Area {
    /// The sum of the known areas, um2; `None` where none is known.
    pub fn known_um2(&self) -> Option<f64> {
        match (self.memories_um2, self.pes_um2) {
            (None, None) => None,
            (memories, pes) => Some(memories.unwrap_or(0.0) + pes.unwrap_or(0.0)),
        }
    }
}

impl Core {
    /// The core's area. Figures that are not stated are named in it, not taken as 0.
    pub fn area(&self) -> Area {
        self.area_of(|_| true)
    }

    /// The core's area with only those memories that count.
    pub fn area_of(&self, counts: impl Fn(MemoryId) -> bool) -> Area {
        let stated = self.pe_area_um2.map(|um2| um2 * self.pe_count() as f64);
        let estimated = || self.in_memory.as_ref().map(|array| array.area_um2().total());
        let mut area = Area { pes_um2: stated.or_else(estimated), ..Area::default() };
        for (_, memory) in self.memories.iter_enumerated().filter(|(memory, _)| counts(*memory)) {
            match memory.area_um2 {
                Some(um2) => *area.memories_um2.get_or_insert(0.0) += um2 * memory.instances as f64,
                None => area.unknown.push(memory.name.clone()),
            }
        }
        area
    }
}
