//! Names of hierarchies for people.

use super::generate::{HierarchyMemory, MemoryHierarchy};
use super::study::HierarchyProblem;
use crate::hardware::Operand;
use crate::search::bytes;

impl HierarchyProblem {
    /// A hierarchy in one line, lowest memory first, without the highest that all have: `O: 64 B × 64 · I+O: 4 KiB`.
    pub fn name(&self, hierarchy: &MemoryHierarchy) -> String {
        if hierarchy.memories.is_empty() {
            return format!("{} alone", self.highest().name);
        }
        hierarchy.memories.iter().map(|placed| self.placed_name(*placed)).collect::<Vec<_>>().join(" · ")
    }

    fn placed_name(&self, placed: HierarchyMemory) -> String {
        let element = self.elements[placed.element as usize];
        let memory = &self.pool.memories[element.memory];
        let operands: Vec<String> =
            Operand::ALL.into_iter().filter(|&o| placed.holds(o)).map(|operand| operand.to_string()).collect();
        let mut text = format!("{}: {}", operands.join("+"), size(memory.size_bits));
        if element.instances > 1 {
            text += &format!(" × {}", element.instances);
            let alike = self.elements.iter().filter(|e| (e.memory, e.instances) == (element.memory, element.instances));
            if alike.count() > 1 {
                text += &format!(" along {}", self.apart(placed).join(", "));
            }
        }
        // Pools may hold different memories of one size.
        if self.pool.memories.iter().filter(|other| other.size_bits == memory.size_bits).count() > 1 {
            text += &format!(" {}", memory.name);
        }
        if memory.variants.len() > 1 {
            let variant = &memory.variants[placed.variant as usize];
            text += &match (variant.read_width_bits, variant.write_width_bits) {
                (read, write) if read == write => format!(" ({read} bit)"),
                (read, write) => format!(" ({read}/{write} bit)"),
            };
        }
        text
    }

    /// The array dimensions over which a memory is replicated.
    fn apart(&self, placed: HierarchyMemory) -> Vec<String> {
        let shared = self.elements[placed.element as usize].shared_over;
        let dims = self.core.array.iter_enumerated();
        dims.filter(|(dim, _)| !shared.contains(*dim)).map(|(_, (name, _))| name.clone()).collect()
    }
}

/// Whole units stay whole: `4 KiB`.
fn size(bits: u64) -> String {
    if bits.is_multiple_of(8) { bytes(bits).replace(".00 ", " ").replace(".0 ", " ") } else { format!("{bits} bit") }
}
