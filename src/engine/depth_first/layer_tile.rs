//! Planning one tile type: where each layer's data lies, what is copied before it, and the mapping problem it poses.

use super::account::CopyKind;
use super::axis::Strip;
use super::copies::CopyAction;
use super::ids::{NodeId, ProblemId, ReadId};
use super::placement::{Skipping, StackFootprint, TileGeometry, TopLevels, layer_levels};
use super::plan::{Caches, LayerTilePlan, ReadPlan};
use super::problems::{FeasibilityCheck, LayerKey, NotPlanned, ProblemKey, Problems};
use super::stack::Stack;
use crate::hardware::{Core, MemoryId, Operand, Unroll};
use crate::ids::{TiSlice, TiVec};
use crate::mapping::LayerOnCore;
use crate::rules::Rules;
use crate::search::explain_infeasible;
use crate::sorting::sort_by_key;
use crate::spec::Diagnostics;
use crate::units::Bits;
use crate::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use std::cmp::{Ordering, Reverse};

/// More ways to narrow an unrolling than any array of the paper's has.
const MOST_UNROLLS: usize = 1 << 10;

/// What all tiles of a layer share.
#[derive(Debug, Clone, Copy)]
pub(super) struct TiledLayer {
    key: LayerKey,
    has_weights: bool,
}

impl TiledLayer {
    /// `None` for a network's input, which is never mapped.
    pub fn new(core: &Core, network: &Network, id: LayerId, problems: &mut Problems) -> Option<Self> {
        let layer = network.layer(id);
        if layer.is_input() {
            return None;
        }
        let unroll = network.layer(id).unroll_on(core);
        Some(Self { key: problems.layer(&layer.shape, &unroll), has_weights: has_weights(network, id) })
    }
}

/// Levels that W may use in a tile: all in the first, then those up to the memory that keeps the stack's weights.
pub(super) fn kept_weight_levels(core: &Core, weights_from_top: bool, w_memory: Option<MemoryId>) -> usize {
    let kept = w_memory.and_then(|memory| core.level_of(Operand::W, memory)).filter(|_| !weights_from_top);
    kept.map_or(core.levels(Operand::W).len(), |level| level + 1)
}

/// What planning a tile of a stack depends on.
pub(super) struct TilePlanner<'a> {
    pub core: &'a Core,
    pub network: &'a Network,
    pub rules: Rules,
    pub stack: &'a Stack,
    pub footprint: &'a StackFootprint,
    /// By layer.
    pub layers: &'a TiSlice<LayerId, Option<TiledLayer>>,
    /// Which memories features may pass over.
    pub skipping: Skipping,
    /// Whether weights come from their highest memory.
    pub weights_from_top: bool,
    pub caches: Caches,
    pub x: &'a Strip,
    pub y: &'a Strip,
    /// Memory of the weights after the first tile.
    pub w_memory: MemoryId,
}

impl TilePlanner<'_> {
    /// What all nodes read of their producers.
    pub fn reads(&self) -> Vec<ReadPlan> {
        let both = self.x.reads.iter_enumerated().zip(&self.y.reads);
        both.map(|((read, x), y)| ReadPlan {
            channels: self.footprint.read_channels(read),
            needed: (x.needed, y.needed),
            cached: (x.cached, y.cached),
        })
        .collect()
    }

    /// Plans all nodes of the stack, inputs first, and the copies between them.
    ///
    /// # Errors
    /// A layer that fits nowhere: which operand, in which memory, how much it lacks; or no time to find out.
    pub fn plan(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
    ) -> Result<(TiVec<NodeId, LayerTilePlan>, Vec<CopyAction>), NotPlanned> {
        let tile = TileGeometry { x: self.x, y: self.y };
        let mut layers: TiVec<NodeId, LayerTilePlan> = TiVec::with_capacity(self.stack.nodes.len());
        let mut copies: Vec<CopyAction> = Vec::new();
        let mut first_copy = 0;
        for node in self.stack.nodes.keys() {
            let is_input = self.stack.is_input(node);
            let (x, y) = (&self.x.nodes[node], &self.y.nodes[node]);
            let computed = (x.computed, y.computed);
            let mut layer = LayerTilePlan {
                layer: self.stack.nodes[node],
                is_input,
                computed,
                channels: self.footprint.channels(node),
                needed: (x.needed, y.needed),
                reads: self.stack.reads(node).start.index()..self.stack.reads(node).end.index(),
                written: (x.written, y.written),
                bits: (
                    self.footprint.all_input_bits(self.stack, node, tile),
                    self.footprint.output_bits(node, computed.0, computed.1),
                ),
                top: [None; 3],
                extra_levels: (0, 0),
                weights_fetched_again: false,
                narrowed: false,
                copies: 0..0,
                problem: None,
            };
            if is_input {
                self.place_input(&mut layer, &mut copies);
            } else if computed.0 > 0 && computed.1 > 0 {
                self.place_layer(problems, check, node, &mut layer)?;
                self.collect_inputs(node, &layers, &layer, &mut copies);
            }
            // What a node's output causes is done before the next node.
            layer.copies = first_copy..copies.len();
            first_copy = copies.len();
            self.write_caches(node, &layer, &mut copies);
            layers.push(layer);
        }
        copies.truncate(first_copy);
        Ok((layers, copies))
    }

    /// A stack's input comes from the highest memory to the lowest for inputs that holds the part needed anew.
    fn place_input(&self, layer: &mut LayerTilePlan, copies: &mut Vec<CopyAction>) {
        let top = self.core.top(Operand::I);
        let bits = layer.bits.1;
        let levels = layer_levels(self.core, bits, 0, false, &mut |_, _, _, _| ()).skipping(self.core, self.skipping);
        let memory = self.core.levels(Operand::I)[levels.i - 1];
        layer.top = [None, None, Some(memory)];
        if bits > 0 {
            let (source, destination) = ((top, Operand::I), (memory, Operand::I));
            copies.push(CopyAction {
                kind: CopyKind::StackInput,
                layer: layer.layer,
                bits: Bits(bits),
                source,
                destination,
            });
        }
    }

    /// Chooses the levels of a layer-tile; more of them, or a narrower unrolling, where no mapping fits otherwise.
    fn place_layer(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        node: NodeId,
        layer: &mut LayerTilePlan,
    ) -> Result<(), NotPlanned> {
        let Some(tiled) = self.layers[layer.layer] else { return Ok(()) };
        let is_output = node == self.stack.output();
        let kind = self.network.layer(layer.layer).shape.kind;
        let levels = layer_levels(self.core, layer.bits.0, layer.bits.1, is_output, &mut |_, _, _, _| ())
            .skipping(self.core, self.skipping)
            .reaching(self.core, kind);
        let mut key = self.problem_key(layer, tiled.key);
        let vector_unit = self.core.vector_unit_for(kind);
        if let Some(unit) = vector_unit {
            // The lanes divide among themselves what there is of the tile.
            let unroll = unit.unroll(&problems.shape(&key));
            key.layer = problems.with_unroll(tiled.key, &unroll);
        }
        let all = self.all_levels();
        // Where an addition reads a feature map through the memories of weights, it comes all the way.
        let from_top = self.weights_from_top || kind == LayerKind::Add || vector_unit.is_some();
        let w_kept = kept_weight_levels(self.core, from_top, Some(self.w_memory));
        let mut found = self.mappable(problems, check, key, w_kept, levels)?;
        // The tool has no such choice: it lets the lowest memories overflow instead.
        if found.is_none() && !self.rules.lowest_memory_may_overflow && vector_unit.is_none() {
            let shape = problems.shape(&key);
            for narrower in narrower_unrolls(&shape, problems.unroll_of(tiled.key)) {
                let key = ProblemKey { layer: problems.with_unroll(tiled.key, &narrower), ..key };
                found = self.mappable(problems, check, key, w_kept, levels)?;
                if found.is_some() {
                    layer.narrowed = true;
                    break;
                }
            }
        }
        let Some(Mappable { problem, levels: chosen, extra }) = found else {
            let widest = ProblemKey { levels: all.map(level_count), ..key };
            return Err(self.explain(problems, &widest, layer).into());
        };
        layer.problem = Some(problem);
        layer.extra_levels = extra;
        layer.weights_fetched_again = chosen[0] > w_kept;
        let top = |operand: Operand| Some(self.core.levels(operand)[chosen[operand as usize] - 1]);
        layer.top = [top(Operand::W).filter(|_| tiled.has_weights), top(Operand::I), top(Operand::O)];
        Ok(())
    }

    fn all_levels(&self) -> [usize; 3] {
        Operand::ALL.map(|operand| self.core.levels(operand).len())
    }

    /// As [`Self::first_mappable`], with the weights where the stack keeps them, else with weights that come from the top again.
    fn mappable(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        key: ProblemKey,
        w_kept: usize,
        levels: TopLevels,
    ) -> Result<Option<Mappable>, NotPlanned> {
        let top = self.all_levels()[0];
        match self.first_mappable(problems, check, key, w_kept, levels)? {
            None if w_kept < top => self.first_mappable(problems, check, key, top, levels),
            found => Ok(found),
        }
    }

    /// The first levels, counting up from those chosen by size, for which some mapping fits.
    fn first_mappable(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        key: ProblemKey,
        w: usize,
        levels: TopLevels,
    ) -> Result<Option<Mappable>, NotPlanned> {
        let all = self.all_levels();
        let mut extra = (0, 0);
        loop {
            let chosen = [w, (levels.i + extra.0).min(all[1]), (levels.o + extra.1).min(all[2])];
            if let Some(problem) = problems.intern(ProblemKey { levels: chosen.map(level_count), ..key }, check)? {
                return Ok(Some(Mappable { problem, levels: chosen, extra }));
            }
            if chosen[1] == all[1] && chosen[2] == all[2] {
                return Ok(None);
            }
            // Output, then input, then both (NOTES 9, ODD 14).
            extra = match extra.1.cmp(&extra.0) {
                Ordering::Equal => (extra.0, extra.1 + 1),
                Ordering::Greater => (extra.0 + 1, extra.1 - 1),
                Ordering::Less => (extra.0, extra.1 + 1),
            };
        }
    }

    fn problem_key(&self, layer: &LayerTilePlan, key: LayerKey) -> ProblemKey {
        // Without padding the window itself says what is needed; equal problems then look equal.
        let mut shape = self.network.layer(layer.layer).shape;
        shape.sizes[Dim::OX as usize] = layer.computed.0;
        shape.sizes[Dim::OY as usize] = layer.computed.1;
        shape.input_limit = (u64::MAX, u64::MAX);
        let window = shape.input_extent();
        let limit = |needed: u64, window: u64| if needed < window { needed } else { u64::MAX };
        ProblemKey {
            layer: key,
            tile: layer.computed,
            input_limit: (limit(layer.needed.0, window.0), limit(layer.needed.1, window.1)),
            levels: [0; 3],
        }
    }

    fn explain(&self, problems: &Problems, key: &ProblemKey, layer: &LayerTilePlan) -> Diagnostics {
        let problem = &problems.problem(key);
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
    fn collect_inputs(
        &self,
        node: NodeId,
        done: &TiSlice<NodeId, LayerTilePlan>,
        layer: &LayerTilePlan,
        copies: &mut Vec<CopyAction>,
    ) {
        let Some(i_memory) = layer.top[Operand::I as usize] else { return };
        let level = self.core.level_of(Operand::I, i_memory);
        let mut copy = |kind: CopyKind, bits: u64, source: (MemoryId, Operand)| {
            if bits > 0 {
                copies.push(CopyAction {
                    kind,
                    layer: layer.layer,
                    bits: Bits(bits),
                    source,
                    destination: (i_memory, Operand::I),
                });
            }
        };
        let reads = || ReadId::within(self.stack.reads(node));
        let read_of = |read: ReadId| (self.x.reads[read], self.y.reads[read]);
        for (read, &producer) in reads().zip(&self.stack.producers[node]) {
            let Some(at) = done[producer].top[Operand::O as usize] else { continue };
            let from_input = self.stack.is_input(producer);
            // The layer itself fetches a stack input that lies within its levels.
            let in_place = if from_input { self.core.level_of(Operand::I, at) <= level } else { at == i_memory };
            if !in_place {
                let stored_as = if from_input { Operand::I } else { Operand::O };
                // Of what is read, what no cache holds.
                let (x, y) = read_of(read);
                let fresh = self.footprint.read_bits(read, x.needed - x.cached, y.needed - y.cached);
                let bits = if self.rules.whole_outputs_copied { done[producer].bits.1 } else { fresh };
                copy(CopyKind::InputFromOutput, bits, (at, stored_as));
            }
        }
        if let Some(memory) = self.caches.h_read.filter(|&memory| memory != i_memory) {
            for read in reads() {
                let (x, y) = read_of(read);
                let bits = self.footprint.read_bits(read, x.cached, y.needed);
                copy(CopyKind::ReadHCache, bits, (memory, Operand::I));
            }
        }
        if let Some(memory) = self.caches.v_read.filter(|&memory| memory != i_memory) {
            for read in reads() {
                let (x, y) = read_of(read);
                // What both caches hold comes from the horizontal one.
                let columns = x.needed - if self.caches.h_read.is_some() { x.cached } else { 0 };
                copy(CopyKind::ReadVCache, self.footprint.read_bits(read, columns, y.cached), (memory, Operand::I));
            }
        }
    }

    /// Copies of a finished output to the caches; they are done before the next layer.
    fn write_caches(&self, node: NodeId, layer: &LayerTilePlan, copies: &mut Vec<CopyAction>) {
        // On its way down a stack input passes the caches above, so that what is kept there costs nothing (NOTES 12.15).
        if layer.is_input {
            return;
        }
        let Some(at) = layer.top[Operand::O as usize] else { return };
        let mut copy = |kind: CopyKind, bits: u64, to: MemoryId| {
            if bits > 0 {
                let (source, destination) = ((at, Operand::O), (to, Operand::O));
                copies.push(CopyAction { kind, layer: layer.layer, bits: Bits(bits), source, destination });
            }
        };
        let mut rows_copied = 0;
        if let Some(memory) = self.caches.v_write.filter(|&memory| memory != at) {
            rows_copied = layer.written.1;
            copy(CopyKind::WriteVCache, self.footprint.output_bits(node, layer.computed.0, rows_copied), memory);
        }
        if let Some(memory) = self.caches.h_write.filter(|&memory| memory != at) {
            let rows = layer.computed.1.saturating_sub(rows_copied);
            copy(CopyKind::WriteHCache, self.footprint.output_bits(node, layer.written.0, rows), memory);
        }
    }
}

/// Levels are at most [`crate::hardware::MAX_LEVELS`].
fn level_count(levels: usize) -> u8 {
    levels as u8
}

/// A problem that has a mapping.
struct Mappable {
    problem: ProblemId,
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
    sort_by_key(&mut all, |unroll| Reverse(unroll.iter().map(|part| part.limit).product::<u64>()));
    all
}

/// Whether a layer has weights, if only of 0 bits.
pub(super) fn has_weights(network: &Network, layer: LayerId) -> bool {
    let kind = network.layer(layer).shape.kind;
    kind == LayerKind::Pooling || !kind.has_no_weights()
}
