//! The reasons for the placement of the operands of a layer-tile, in sentences; computed again for the points that a
//! person looks at.

use super::placement::{SkippedMemory, is_shared, weight_room};
use super::plan::{LayerTilePlan, StackPlan, TilePlan};
use super::problems::Problems;
use crate::hardware::{Core, MemoryId, Operand, Unroll};
use crate::rules::Rules;
use crate::search::bytes;
use crate::workload::Network;

/// The subject of the sentences.
pub(super) struct Reasons<'a> {
    pub core: &'a Core,
    pub rules: &'a Rules,
    pub network: &'a Network,
    pub problems: &'a Problems,
}

impl Reasons<'_> {
    /// The reasons why the operands of a layer-tile are not lower: a sentence for each memory that an operand bypasses,
    /// or one that states a memory in which it has to be.
    pub fn of(&self, stack: &StackPlan, layer: &LayerTilePlan) -> Vec<String> {
        let mut reasons = self.of_weights(stack, layer);
        if layer.is_input {
            self.of_features(layer, false, &mut reasons);
        } else if layer.problem.is_some() {
            self.of_layer(stack, layer, &mut reasons);
        }
        reasons
    }

    fn of_layer(&self, stack: &StackPlan, layer: &LayerTilePlan, reasons: &mut Vec<String>) {
        if layer.weights_fetched_again {
            reasons.push("Every tile fetches W again, as no mapping fits where W would be kept".into());
        }
        if let Some(problem) = layer.problem.filter(|_| layer.narrowed).and_then(|index| self.problems.list.get(index))
        {
            let wanted = self.network.layer(layer.layer).unroll_on(self.core, self.rules);
            reasons.push(why_narrower(&wanted, &problem.unroll));
        }
        let is_output = stack.stack.nodes[stack.stack.output()] == layer.layer;
        self.of_features(layer, is_output, reasons);
    }

    /// Adds the reasons for inputs or outputs of a layer-tile, or for the fetched part of a stack input.
    fn of_features(&self, layer: &LayerTilePlan, is_output: bool, reasons: &mut Vec<String>) {
        let (extra_i, extra_o) = layer.extra_levels;
        for (operand, extra) in [(Operand::I, extra_i), (Operand::O, extra_o)] {
            if operand == Operand::O && (layer.is_input || layer.bits.1 == 0) {
                continue;
            }
            if operand == Operand::O && is_output {
                let top = &self.core.memories[self.core.top(Operand::O)].name;
                reasons.push(format!("O is the output of the stack, which goes to {top}"));
                continue;
            }
            let all = self.core.levels(operand);
            let too_small = |memory: MemoryId| {
                layer.passed.iter().find(|passed| (passed.operand, passed.memory) == (operand, memory))
            };
            let is_chosen =
                |&memory: &MemoryId| self.core.memories[memory].instances == 1 && too_small(memory).is_none();
            let chosen = all.iter().position(is_chosen).map_or(all.len(), |level| level + 1);
            for &memory in &all[..chosen.saturating_sub(1)] {
                reasons.push(match too_small(memory) {
                    Some(passed) => self.too_large(
                        &operand.to_string(),
                        memory,
                        passed.needed_bits(),
                        self.core.memories[memory].size_bits,
                        (&beside(passed), passed.needed_bits() - passed.bits),
                    ),
                    None => self.in_parts(&operand.to_string(), memory),
                });
            }
            for &memory in all.iter().skip(chosen - 1).take(extra) {
                let name = &self.core.memories[memory].name;
                reasons.push(format!(
                    "{operand} cannot lie in {name}, though it has room: no mapping fits with {name} as the highest memory of {operand}"
                ));
            }
        }
    }

    /// Why overlap with neighbouring tiles is not cached lower.
    pub fn of_caches(&self, stack: &StackPlan, tile: &TilePlan) -> Vec<String> {
        let cache_decisions = stack.cache_decisions(tile, self.core);
        let mut reasons = Vec::new();
        let columns = [(tile.caches.h_read, cache_decisions.h_read), (tile.caches.h_write, cache_decisions.h_write)];
        for (memory, decided) in columns {
            let Some((memory, decided)) = memory.zip(decided) else { continue };
            let decision = &decided.caches;
            self.of_cache("Columns cached for the next tile", memory, &mut reasons, &|_| {
                (decision.peak_with_h_bits.unwrap_or(0), ("the features", decision.peak_bits))
            });
        }
        for memory in [tile.caches.v_read, tile.caches.v_write] {
            let Some((memory, decided)) = memory.zip(cache_decisions.v) else { continue };
            let decision = &decided.caches;
            let before = decision.peak_with_h_bits.unwrap_or(decision.peak_bits);
            self.of_cache("Rows cached for the tiles below", memory, &mut reasons, &|passed| {
                (decision.with_v_cache_bits(passed).unwrap_or(0), ("the features and cached columns", before))
            });
        }
        let mut different: Vec<String> = Vec::with_capacity(reasons.len());
        for reason in reasons {
            if !different.contains(&reason) {
                different.push(reason);
            }
        }
        different
    }

    fn of_cache<'n>(
        &self,
        what: &str,
        memory: MemoryId,
        reasons: &mut Vec<String>,
        needed: &dyn Fn(MemoryId) -> (u64, (&'n str, u64)),
    ) {
        let below = self.core.levels(Operand::O).iter().copied().take_while(|&passed| passed != memory);
        for passed in below {
            let has = self.core.memories[passed].size_bits;
            let (bits, beside) = needed(passed);
            reasons.push(match is_shared(self.core, passed) {
                false if self.core.memories[passed].instances == 1 => {
                    format!(
                        "{what} cannot lie in {}, which does not hold both inputs and outputs",
                        self.core.memories[passed].name
                    )
                }
                false => self.in_parts(what, passed),
                // The tile that decides does not fit there.
                true => self.too_large(what, passed, bits, has, beside),
            });
        }
    }

    /// The reasons for the weights of a layer-tile.
    fn of_weights(&self, stack: &StackPlan, layer: &LayerTilePlan) -> Vec<String> {
        let Some(memory) = layer.top[Operand::W as usize] else { return Vec::new() };
        if Some(memory) != stack.weight_memory {
            let name = &self.core.memories[memory].name;
            let reason = if layer.weights_fetched_again { "every tile" } else { "the first tile" };
            return vec![format!("W comes from {name} in {reason}")];
        }
        let below = self.core.levels(Operand::W).iter().copied().take_while(|&passed| passed != memory);
        let passed = below.map(|passed| {
            let level = self.core.level_of(Operand::W, passed).unwrap_or(0);
            let (needed, has) = weight_room(self.core, self.rules, passed, (stack.weight_bits, stack.kept_bits[level]));
            // The tile that leaves the least room decides for all.
            let beside =
                stack.decisions.iter().map(|decided| decided.caches.features_beside_weights(self.core, passed));
            let beside = beside.max().unwrap_or(0);
            self.too_large("W of the whole stack", passed, needed + beside, has, ("the features", beside))
        });
        passed.collect()
    }

    /// `bits` would have to lie in the memory, including those of `beside`, which are resident.
    fn too_large(&self, what: &str, memory: MemoryId, bits: u64, has: u64, beside: (&str, u64)) -> String {
        let memory = &self.core.memories[memory];
        let room = match memory.instances {
            instances if instances > 1 && has > memory.size_bits => {
                format!("{instances} instances have room for {}", bytes(has))
            }
            instances if instances > 1 => format!("each of its {instances} instances has room for {}", bytes(has)),
            _ => format!("there is room for {}", bytes(has)),
        };
        let are_many =
            |what: &str| ["s cached ", "features", "maps", "caches", "weights"].iter().any(|many| what.contains(many));
        let does = if are_many(what) { "do" } else { "does" };
        let needs = match beside {
            (_, 0) => format!(": {} {}", if are_many(what) { "they need" } else { "it needs" }, bytes(bits)),
            (other, taken) => {
                let take = if are_many(other) { "take" } else { "takes" };
                let (bits, taken) = (bytes(bits), bytes(taken));
                format!(" beside {other}: together they need {bits}, of which {other} {take} {taken}")
            }
        };
        format!("{what} {does} not fit into {}{needs}, and {room}", memory.name)
    }

    /// The sentence for a memory that has several instances, each for a part of the array.
    fn in_parts(&self, what: &str, memory: MemoryId) -> String {
        let memory = &self.core.memories[memory];
        format!(
            "{what} cannot lie in {}, as each of its {} instances serves only a part of the array",
            memory.name, memory.instances
        )
    }
}

/// The resident data beside which an operand would have to lie in a memory.
fn beside(passed: &SkippedMemory) -> String {
    let parts = [
        ("I", passed.inputs),
        ("maps of other layers", passed.beside.maps),
        ("the caches", passed.beside.caches),
        ("kept weights", passed.beside.weights),
    ];
    let names: Vec<&str> = parts.iter().filter(|(_, bits)| *bits > 0).map(|(name, _)| *name).collect();
    names.join(" and ")
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
