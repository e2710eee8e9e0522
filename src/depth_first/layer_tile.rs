//! Planning one tile type: where each layer's data lies, what is copied before it, and the mapping problem it poses.

use super::account::CopyKind;
use super::copies::CopyAction;
use super::placement::{Levels, Measure, TileGeometry, layer_levels};
use super::plan::{LayerTilePlan, Planner, TileKey};
use super::stack::Stack;
use crate::hardware::{Core, MemoryId, Operand, Unroll};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::rules::Rules;
use crate::search::explain_infeasible;
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use std::cmp::{Ordering, Reverse};

/// More ways to narrow an unrolling than any array of the paper's has.
const MOST_UNROLLS: usize = 1 << 10;

/// What planning a tile of a stack depends on.
pub(super) struct TilePlanner<'a> {
    pub core: &'a Core,
    pub network: &'a Network,
    pub rules: Rules,
    pub stack: &'a Stack,
    pub key: &'a TileKey,
    /// Memory of the weights after the first tile.
    pub w_memory: MemoryId,
}

impl TilePlanner<'_> {
    fn measure(&self) -> Measure<'_> {
        Measure { network: self.network, stack: self.stack, rules: &self.rules }
    }

    /// Plans all nodes of the stack, inputs first.
    ///
    /// # Errors
    /// A layer that fits nowhere: which operand, in which memory, how much it lacks.
    pub fn plan(&self, planner: &mut Planner<'_>) -> Result<Vec<LayerTilePlan>, Diagnostics> {
        let key = self.key;
        let tile = TileGeometry { x: &key.x, y: &key.y };
        let mut layers: Vec<LayerTilePlan> = Vec::new();
        let mut pending: Vec<CopyAction> = Vec::new();
        for node in 0..self.stack.nodes.len() {
            let is_input = self.stack.is_input(node);
            let computed = (key.x.computed[node], key.y.computed[node]);
            let measure = self.measure();
            let mut layer = LayerTilePlan {
                layer: self.stack.nodes[node],
                is_input,
                computed,
                channels: measure.channels(node),
                needed: (key.x.needed[node], key.y.needed[node]),
                cached: (0..self.stack.producers[node].len())
                    .map(|input| (key.x.cached[node][input], key.y.cached[node][input]))
                    .collect(),
                written: (key.x.written[node], key.y.written[node]),
                bits: (measure.all_input_bits(node, tile), measure.output_bits(node, computed.0, computed.1)),
                top: [None; 3],
                extra_levels: (0, 0),
                reasons: Vec::new(),
                copies: std::mem::take(&mut pending),
                problem: None,
            };
            if is_input {
                self.place_input(&mut layer);
            } else if computed.0 > 0 && computed.1 > 0 {
                self.place_layer(planner, node, &mut layer)?;
                self.collect_inputs(node, &layers, &mut layer);
            }
            self.write_caches(node, &layer, &mut pending);
            layers.push(layer);
        }
        Ok(layers)
    }

    /// A stack's input comes from the highest memory to the lowest for inputs that holds the part needed anew.
    fn place_input(&self, layer: &mut LayerTilePlan) {
        let top = self.core.top(Operand::I);
        let levels = layer_levels(self.core, layer.bits.1, 0, false);
        let memory = self.core.levels(Operand::I)[levels.i - 1];
        layer.top = [None, None, Some(memory)];
        layer.reasons = levels.reasons.into_iter().filter(|reason| reason.starts_with("I ")).collect();
        let bits = layer.bits.1;
        if bits > 0 {
            let ends = ((top, Operand::I), (memory, Operand::I));
            layer.copies.push(CopyAction::new(self.core, CopyKind::StackInput, layer.layer, bits, ends.0, ends.1));
        }
    }

    /// Chooses the levels of a layer-tile; more of them, or a narrower unrolling, where no mapping fits otherwise.
    fn place_layer(
        &self,
        planner: &mut Planner<'_>,
        node: usize,
        layer: &mut LayerTilePlan,
    ) -> Result<(), Diagnostics> {
        let levels = layer_levels(self.core, layer.bits.0, layer.bits.1, node == self.stack.output());
        let (shape, unroll) = self.shape_and_unroll(layer);
        let (w_kept, all) = (self.kept_weight_levels(), self.all_levels());
        let mut found = self.first_mappable(planner, shape, &unroll, w_kept, &levels);
        if found.is_none() && w_kept < all[0] {
            found = self.first_mappable(planner, shape, &unroll, all[0], &levels);
            if found.is_some() {
                layer
                    .reasons
                    .push("W is fetched again by every tile, as no mapping fits where it would be kept".into());
            }
        }
        // The tool has no such choice: it lets the lowest memories overflow instead.
        if found.is_none() && !self.rules.lowest_memory_may_overflow {
            let mappable = |narrower: Vec<Unroll>| {
                let found = self.first_mappable(planner, shape, &narrower, w_kept, &levels);
                found.or_else(|| self.first_mappable(planner, shape, &narrower, all[0], &levels)).zip(Some(narrower))
            };
            if let Some((mappable, narrower)) = narrower_unrolls(&shape, &unroll).into_iter().find_map(mappable) {
                layer.reasons.push(self.why_narrower(&unroll, &narrower));
                found = Some(mappable);
            }
        }
        let Some(Mappable { problem, levels: chosen, extra }) = found else {
            return Err(self.explain(&LayerProblem { shape, levels: all, unroll }, layer));
        };
        layer.problem = Some(problem);
        layer.extra_levels = extra;
        layer.reasons.extend(levels.reasons);
        if extra != (0, 0) {
            layer.reasons.push("One level more, as no mapping fits the levels chosen by size".into());
        }
        let top = |operand: Operand| Some(self.core.levels(operand)[chosen[operand as usize] - 1]);
        let has_weights = has_weights(self.network, layer.layer);
        layer.top = [top(Operand::W).filter(|_| has_weights), top(Operand::I), top(Operand::O)];
        Ok(())
    }

    /// Levels of W: all in the first tile, then those up to the memory that keeps the stack's weights.
    fn kept_weight_levels(&self) -> usize {
        let kept = self.core.level_of(Operand::W, self.w_memory).filter(|_| !self.key.weights_from_top);
        kept.map_or(self.all_levels()[0], |level| level + 1)
    }

    fn all_levels(&self) -> [usize; 3] {
        Operand::ALL.map(|operand| self.core.levels(operand).len())
    }

    /// The first levels, counting up from those chosen by size, for which some mapping fits.
    fn first_mappable(
        &self,
        planner: &mut Planner<'_>,
        shape: LayerShape,
        unroll: &[Unroll],
        w: usize,
        levels: &Levels,
    ) -> Option<Mappable> {
        let all = self.all_levels();
        let mut extra = (0, 0);
        loop {
            let chosen = [w, (levels.i + extra.0).min(all[1]), (levels.o + extra.1).min(all[2])];
            let problem = LayerProblem { shape, levels: chosen, unroll: unroll.to_vec() };
            if let Some(problem) = planner.intern(problem) {
                return Some(Mappable { problem, levels: chosen, extra });
            }
            if chosen[1] == all[1] && chosen[2] == all[2] {
                return None;
            }
            // Output, then input, then both (NOTES 9, ODD 14).
            extra = match extra.1.cmp(&extra.0) {
                Ordering::Equal => (extra.0, extra.1 + 1),
                Ordering::Greater => (extra.0 + 1, extra.1 - 1),
                Ordering::Less => (extra.0, extra.1 + 1),
            };
        }
    }

    fn why_narrower(&self, wanted: &[Unroll], taken: &[Unroll]) -> String {
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

    fn shape_and_unroll(&self, layer: &LayerTilePlan) -> (LayerShape, Vec<Unroll>) {
        let whole = self.network.layer(layer.layer);
        let mut shape = whole.shape;
        shape.sizes[Dim::OX as usize] = layer.computed.0;
        shape.sizes[Dim::OY as usize] = layer.computed.1;
        // Without padding the window itself says what is needed; equal problems then look equal.
        shape.input_limit = (u64::MAX, u64::MAX);
        let window = shape.input_extent();
        if layer.needed.0 < window.0 {
            shape.input_limit.0 = layer.needed.0;
        }
        if layer.needed.1 < window.1 {
            shape.input_limit.1 = layer.needed.1;
        }
        let stated = whole.unroll.iter().find(|(dataflow, _)| *dataflow == self.core.dataflow);
        let unroll =
            stated.map_or_else(|| self.core.unroll(shape.kind).to_vec(), |(_, stated)| self.core.unroll_stated(stated));
        (shape, unroll)
    }

    fn explain(&self, problem: &LayerProblem, layer: &LayerTilePlan) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let name = &self.network.layer(layer.layer).name;
        let (x, y) = layer.computed;
        let shortages = explain_infeasible(&LayerOnCore::new(self.core, self.rules, problem));
        for shortage in &shortages {
            diagnostics.add(
                format!("layers.{name}"),
                format!("`{name}` cannot compute a tile of {x} x {y}: {shortage}"),
                format!("Make `{}` larger, or the tile or the unrolling smaller", shortage.memory),
            );
        }
        if shortages.is_empty() {
            diagnostics.add(
                format!("layers.{name}"),
                format!("`{name}` has no mapping for a tile of {x} x {y} within the LPF limit"),
                "Raise the LPF limit, enlarge the lower memories, or make the tile smaller",
            );
        }
        diagnostics
    }

    /// Copies that bring all inputs of a layer to the memory it takes them from.
    fn collect_inputs(&self, node: usize, done: &[LayerTilePlan], layer: &mut LayerTilePlan) {
        let key = self.key;
        let Some(i_memory) = layer.top[Operand::I as usize] else { return };
        let to = (i_memory, Operand::I);
        let level = self.core.level_of(Operand::I, i_memory);
        let measure = self.measure();
        let mut copy = |kind: CopyKind, bits: u64, from: (MemoryId, Operand)| {
            if bits > 0 {
                layer.copies.push(CopyAction::new(self.core, kind, self.stack.nodes[node], bits, from, to));
            }
        };
        for &producer in &self.stack.producers[node] {
            let Some(at) = done[producer].top[Operand::O as usize] else { continue };
            let from_input = self.stack.is_input(producer);
            // The layer itself fetches a stack input that lies within its levels.
            let in_place = if from_input { self.core.level_of(Operand::I, at) <= level } else { at == i_memory };
            if !in_place {
                let stored_as = if from_input { Operand::I } else { Operand::O };
                copy(CopyKind::InputFromOutput, done[producer].bits.1, (at, stored_as));
            }
        }
        if let Some(memory) = key.caches.h_read.filter(|&memory| memory != i_memory) {
            for &[columns, _] in &cached_per_input(self.stack, node, key) {
                copy(CopyKind::ReadHCache, measure.input_bits(node, columns, key.y.needed[node]), (memory, Operand::I));
            }
        }
        if let Some(memory) = key.caches.v_read.filter(|&memory| memory != i_memory) {
            for &[columns, rows] in &cached_per_input(self.stack, node, key) {
                // What both caches hold comes from the horizontal one.
                let columns = key.x.needed[node] - if key.caches.h_read.is_some() { columns } else { 0 };
                copy(CopyKind::ReadVCache, measure.input_bits(node, columns, rows), (memory, Operand::I));
            }
        }
    }

    /// Copies of a finished output to the caches; they are done before the next layer.
    fn write_caches(&self, node: usize, layer: &LayerTilePlan, pending: &mut Vec<CopyAction>) {
        let key = self.key;
        // On its way down a stack input passes the caches above, so that what is kept there costs nothing (NOTES 12.15).
        if self.stack.is_input(node) {
            return;
        }
        let Some(at) = layer.top[Operand::O as usize] else { return };
        let measure = self.measure();
        let mut copy = |kind: CopyKind, bits: u64, to: MemoryId| {
            if bits > 0 {
                let (from, to) = ((at, Operand::O), (to, Operand::O));
                pending.push(CopyAction::new(self.core, kind, self.stack.nodes[node], bits, from, to));
            }
        };
        let mut rows_copied = 0;
        if let Some(memory) = key.caches.v_write.filter(|&memory| memory != at) {
            rows_copied = layer.written.1;
            copy(CopyKind::WriteVCache, measure.output_bits(node, layer.computed.0, rows_copied), memory);
        }
        if let Some(memory) = key.caches.h_write.filter(|&memory| memory != at) {
            let rows = layer.computed.1.saturating_sub(rows_copied);
            copy(CopyKind::WriteHCache, measure.output_bits(node, layer.written.0, rows), memory);
        }
    }
}

/// A problem that has a mapping.
struct Mappable {
    problem: usize,
    levels: [usize; 3],
    extra: (usize, usize),
}

/// All ways to halve unrollings again and again, those that keep the most PEs busy first.
fn narrower_unrolls(shape: &LayerShape, unroll: &[Unroll]) -> Vec<Vec<Unroll>> {
    let mut all = vec![Vec::new()];
    for part in unroll {
        let mut limit = part.limit.min(shape.size(part.dim)).max(1);
        let mut limits = vec![limit];
        while limit > 1 {
            limit = limit.div_ceil(2);
            limits.push(limit);
        }
        let with = |before: &Vec<Unroll>| {
            let with_limit = |&limit: &u64| before.iter().copied().chain([Unroll { limit, ..*part }]).collect();
            limits.iter().map(with_limit).collect::<Vec<Vec<Unroll>>>()
        };
        all = all.iter().flat_map(with).take(MOST_UNROLLS).collect();
    }
    all.sort_by_key(|unroll| Reverse(unroll.iter().map(|part| part.limit).product::<u64>()));
    all
}

fn cached_per_input(stack: &Stack, node: usize, key: &TileKey) -> Vec<[u64; 2]> {
    (0..stack.producers[node].len()).map(|input| [key.x.cached[node][input], key.y.cached[node][input]]).collect()
}

/// Whether a layer has weights, if only of 0 bits.
pub(super) fn has_weights(network: &Network, layer: LayerId) -> bool {
    !matches!(network.layer(layer).shape.kind, LayerKind::Add | LayerKind::Input)
}
