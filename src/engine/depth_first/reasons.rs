//! Why the operands of a layer-tile lie where they do, in sentences; found anew for the points that a person looks at.

use super::layer_tile::wanted_unroll;
use super::placement::layer_levels;
use super::plan::{LayerTilePlan, StackPlan};
use super::problems::Problems;
use crate::hardware::{Core, MemoryId, Operand, Unroll};
use crate::search::bytes;
use crate::workload::Network;

/// What the sentences are about.
pub(super) struct Reasons<'a> {
    pub core: &'a Core,
    pub network: &'a Network,
    pub problems: &'a Problems,
}

impl Reasons<'_> {
    /// One sentence for each operand that is not in its lowest memory.
    pub fn of(&self, stack: &StackPlan, layer: &LayerTilePlan) -> Vec<String> {
        let mut reasons: Vec<String> = self.of_weights(stack, layer).into_iter().collect();
        if layer.is_input {
            layer_levels(self.core, layer.bits.1, 0, false, &mut |operand, memory, bits, of_inputs| {
                if operand == Operand::I {
                    reasons.push(self.too_large(operand, memory, bits, of_inputs));
                }
            });
        } else if layer.problem.is_some() {
            self.of_layer(stack, layer, &mut reasons);
        }
        reasons
    }

    fn of_layer(&self, stack: &StackPlan, layer: &LayerTilePlan, reasons: &mut Vec<String>) {
        if layer.weights_fetched_again {
            reasons.push("W is fetched again by every tile, as no mapping fits where it would be kept".into());
        }
        if let Some(problem) = layer.problem.filter(|_| layer.narrowed).and_then(|index| self.problems.list.get(index))
        {
            reasons.push(why_narrower(&wanted_unroll(self.core, self.network, layer.layer), &problem.unroll));
        }
        let is_output = stack.stack.nodes[stack.stack.output()] == layer.layer;
        layer_levels(self.core, layer.bits.0, layer.bits.1, is_output, &mut |operand, memory, bits, of_inputs| {
            reasons.push(self.too_large(operand, memory, bits, of_inputs));
        });
        if is_output {
            let top = &self.core.memories[self.core.top(Operand::O)].name;
            reasons.push(format!("O is the stack's output, which goes to {top}"));
        }
        if layer.extra_levels != (0, 0) {
            reasons.push("One level more, as no mapping fits the levels chosen by size".into());
        }
    }

    fn of_weights(&self, stack: &StackPlan, layer: &LayerTilePlan) -> Option<String> {
        let memory = layer.top[Operand::W as usize]?;
        let name = &self.core.memories[memory].name;
        if Some(memory) != stack.weight_memory {
            return Some(format!("W comes from {name} in the first tile"));
        }
        let level = self.core.level_of(Operand::W, memory)?;
        let below = level.checked_sub(1).map(|below| &self.core.memories[self.core.levels(Operand::W)[below]])?;
        Some(format!(
            "W of the whole stack, {}, is kept in {name}: {} has {}",
            bytes(stack.weight_bits),
            below.name,
            bytes(below.size_bits)
        ))
    }

    fn too_large(&self, operand: Operand, memory: MemoryId, bits: u64, of_inputs: u64) -> String {
        let memory = &self.core.memories[memory];
        let taken = match of_inputs {
            0 => String::new(),
            inputs => format!(", of which I takes {}", bytes(inputs)),
        };
        format!("{operand} does not fit {}: needs {}{taken}, has {}", memory.name, bytes(bits), bytes(memory.size_bits))
    }
}

fn why_narrower(wanted: &[Unroll], taken: &[Unroll]) -> String {
    let text = |unroll: &[Unroll]| {
        let parts: Vec<String> = unroll.iter().map(|part| format!("{} {}", part.dim, part.limit)).collect();
        parts.join(", ")
    };
    format!(
        "Unrolled {} instead of {}, as the lowest memories cannot serve more PEs at once",
        text(taken),
        text(wanted)
    )
}
