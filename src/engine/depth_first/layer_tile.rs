//! Planning one tile type: the placement of each layer's data, the copies before it, and its mapping problem.

use super::account::CopyKind;
use super::axis::Strip;
use super::copies::CopyAction;
use super::ids::{NodeId, ProblemId, ReadId};
use super::node_choices::NodePlacement;
use super::placement::{StackFootprint, TileGeometry, TopLevels, layer_levels};
use super::plan::{Caches, LayerTilePlan, ReadPlan};
use super::problems::{FeasibilityCheck, LayerKey, NotPlanned, ProblemKey, Problems};
use super::residents::Residents;
use super::stack::Stack;
use crate::hardware::{Core, MAX_LEVELS, MemoryId, Operand, Unroll};
use crate::ids::{TiSlice, TiVec};
use crate::mapping::{LayerOnCore, LayerOperand, LayerProblem, slice_bits};
use crate::rules::Rules;
use crate::search::{Limits, explain_infeasible, smallest_that_fit};
use crate::sorting::sort_by_key;
use crate::spec::Diagnostics;
use crate::units::Bits;
use crate::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use std::cmp::{Ordering, Reverse};

/// Limit on the ways to narrow an unrolling; no array of the paper has as many.
const MOST_UNROLLS: usize = 1 << 10;

/// Data that all tiles of a layer share.
#[derive(Debug, Clone, Copy)]
pub(super) struct TiledLayer {
    key: LayerKey,
    has_weights: bool,
    /// Bits that one instance of each memory of weights, lowest first, holds where that keeps all weights of the layer.
    pub kept_bits: [u64; MAX_LEVELS],
}

impl TiledLayer {
    /// `None` for a network's input, which is never mapped.
    pub fn new(core: &Core, network: &Network, rules: Rules, id: LayerId, problems: &mut Problems) -> Option<Self> {
        let layer = network.layer(id);
        if layer.is_input() {
            return None;
        }
        let unroll = layer.unroll_on(core, &rules);
        let has_weights = has_weights(network, id);
        let key = problems.layer(&layer.shape, &unroll);
        let mut kept_bits = [0; MAX_LEVELS];
        if has_weights {
            let levels = Operand::ALL.map(|operand| core.levels(operand).len());
            let problem = LayerProblem::new(layer.shape, levels, unroll);
            let whole = LayerOnCore::new(core, rules, &problem);
            let sizes = &whole.spatial.temporal_sizes;
            for (level, (bits, &memory)) in kept_bits.iter_mut().zip(core.levels(Operand::W)).enumerate() {
                *bits = match core.memories[memory].instances {
                    instances if instances == 1 || rules.kept_weights_counted_together => {
                        layer.shape.weight_bits().div_ceil(instances)
                    }
                    _ => slice_bits(&whole, LayerOperand::First, level, sizes, false),
                };
            }
        }
        Some(Self { key, has_weights, kept_bits })
    }
}

/// Levels that W may use in a tile: all in the first, then those up to the memory that keeps the stack's weights.
pub(super) fn kept_weight_levels(core: &Core, weights_from_top: bool, w_memory: Option<MemoryId>) -> usize {
    let kept = w_memory.and_then(|memory| core.level_of(Operand::W, memory)).filter(|_| !weights_from_top);
    kept.map_or(core.levels(Operand::W).len(), |level| level + 1)
}

/// The inputs of the planning of a tile of a stack.
pub(super) struct TilePlanner<'a> {
    pub core: &'a Core,
    pub network: &'a Network,
    pub rules: Rules,
    pub stack: &'a Stack,
    pub footprint: &'a StackFootprint,
    /// For each layer of the network, the data that all its tiles have in common; `None` for inputs, which are not
    /// mapped.
    pub layers: &'a TiSlice<LayerId, Option<TiledLayer>>,
    /// The lowest levels at which features may end.
    pub least: TopLevels,
    /// Which nodes take their weights from the highest memory, as no tile before did.
    pub fetches_weights: TiVec<NodeId, bool>,
    pub caches: Caches,
    /// Columns of each map that all tiles together compute.
    pub widths: &'a TiSlice<NodeId, u64>,
    pub x: &'a Strip,
    pub y: &'a Strip,
    /// Memory of the weights once they were fetched.
    pub w_memory: MemoryId,
    /// Whether a layer that fits nowhere is followed to the end, for all reasons.
    pub explains: bool,
    /// Bits of the stack's weights that one instance of that memory holds.
    pub kept_bits: u64,
}

impl TilePlanner<'_> {
    /// The part of every producer's map that each node reads.
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
        self.plan_placed(&mut |residents, node, layer| {
            if layer.is_input {
                self.place_input(residents, node, layer);
            } else if layer.computed.0 > 0 && layer.computed.1 > 0 {
                self.place_layer(problems, check, residents, node, layer)?;
            }
            Ok(())
        })
    }

    /// Plans all nodes of the stack as they have been placed.
    ///
    /// # Errors
    /// As [`Self::plan`].
    pub fn plan_as(
        &self,
        placements: &TiSlice<NodeId, NodePlacement>,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
    ) -> Result<(TiVec<NodeId, LayerTilePlan>, Vec<CopyAction>), NotPlanned> {
        self.plan_placed(&mut |residents, node, layer| match placements[node] {
            NodePlacement::Idle => Ok(()),
            NodePlacement::Input(memory) => {
                layer.top = [None, None, Some(memory)];
                Ok(())
            }
            NodePlacement::Layer { levels, unrolled } => {
                self.place_as((levels, unrolled), problems, check, residents, node, layer)
            }
        })
    }

    /// Notes the placement of a layer-tile that was found to be possible.
    fn place_as(
        &self,
        (levels, unrolled): ([usize; 3], LayerKey),
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        residents: &Residents<'_>,
        node: NodeId,
        layer: &mut LayerTilePlan,
    ) -> Result<(), NotPlanned> {
        let Some((key, w_kept)) = self.problem_of(problems, node, layer) else { return Ok(()) };
        let place = PlacedNode { node, residents, passed_over_bits: self.passed_over_bits(layer) };
        layer.narrowed = unrolled != key.layer;
        let key = ProblemKey { layer: unrolled, levels: levels.map(level_count), ..key };
        let key = self.beside(problems, key, &place);
        let Some(problem) = problems.intern(key, check)? else {
            return Err(self.explain(problems, &key, layer).into());
        };
        self.note(layer, problem, levels, w_kept);
        Ok(())
    }

    /// The walk through a tile's nodes, each of which `place` places.
    fn plan_placed(
        &self,
        place: &mut dyn FnMut(&Residents<'_>, NodeId, &mut LayerTilePlan) -> Result<(), NotPlanned>,
    ) -> Result<(TiVec<NodeId, LayerTilePlan>, Vec<CopyAction>), NotPlanned> {
        let mut residents = Residents::new(self);
        let mut layers: TiVec<NodeId, LayerTilePlan> = TiVec::with_capacity(self.stack.nodes.len());
        let mut copies: Vec<CopyAction> = Vec::new();
        let mut first_copy = 0;
        for node in self.stack.nodes.keys() {
            let mut layer = self.unplaced(node);
            place(&residents, node, &mut layer)?;
            self.copy_before(node, layer.top, &|producer| layers[producer].map_memory(), &mut copies);
            // Copies that a node's output causes are done before the next node.
            layer.copies = first_copy..copies.len();
            first_copy = copies.len();
            if let Some(memory) = layer.map_memory() {
                self.write_caches(node, memory, &mut copies);
            }
            residents.finish(node, layer.map_memory());
            layers.push(layer);
        }
        copies.truncate(first_copy);
        Ok((layers, copies))
    }

    /// A node of the tile before its data is placed.
    pub fn unplaced(&self, node: NodeId) -> LayerTilePlan {
        let (x, y) = (&self.x.nodes[node], &self.y.nodes[node]);
        LayerTilePlan {
            layer: self.stack.nodes[node],
            is_input: self.stack.is_input(node),
            computed: (x.computed, y.computed),
            channels: self.footprint.channels(node),
            needed: (x.needed, y.needed),
            reads: self.stack.reads(node).start.index()..self.stack.reads(node).end.index(),
            written: (x.written, y.written),
            bits: (self.input_bits(node), self.map_bits(node)),
            top: [None; 3],
            passed: Vec::new(),
            extra_levels: (0, 0),
            weights_fetched_again: false,
            narrowed: false,
            copies: 0..0,
            problem: None,
        }
    }

    /// Copies that bring the inputs of a node to the memory it takes them from, `top` being its highest memories.
    pub fn copy_before(
        &self,
        node: NodeId,
        top: [Option<MemoryId>; 3],
        map_memory: &dyn Fn(NodeId) -> Option<MemoryId>,
        copies: &mut Vec<CopyAction>,
    ) {
        let [_, inputs, output] = top;
        if let (true, Some(memory)) = (self.stack.is_input(node), output) {
            let bits = self.map_bits(node);
            if bits > 0 {
                let (source, destination) = ((self.core.top(Operand::I), Operand::I), (memory, Operand::I));
                let layer = self.stack.nodes[node];
                copies.push(CopyAction { kind: CopyKind::StackInput, layer, bits: Bits(bits), source, destination });
            }
        } else if let Some(memory) = inputs {
            self.collect_inputs(node, memory, map_memory, copies);
        }
    }

    /// A stack's input comes from the highest memory to the lowest for inputs that holds the part needed anew.
    fn place_input(&self, residents: &Residents<'_>, node: NodeId, layer: &mut LayerTilePlan) {
        let beside = |memory: MemoryId, inputs: MemoryId| residents.beside(node, memory, inputs, true);
        let levels = layer_levels(self.core, (layer.bits.1, 0), (self.least, false), &beside, &mut layer.passed);
        layer.top = [None, None, Some(self.core.levels(Operand::I)[levels.i - 1])];
    }

    /// Chooses the levels of a layer-tile; more of them, or a narrower unrolling, where no mapping fits otherwise.
    fn place_layer(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        residents: &Residents<'_>,
        node: NodeId,
        layer: &mut LayerTilePlan,
    ) -> Result<(), NotPlanned> {
        let Some(tiled) = self.layers[layer.layer] else { return Ok(()) };
        let Some((key, w_kept)) = self.problem_of(problems, node, layer) else { return Ok(()) };
        let is_output = node == self.stack.output();
        let kind = self.network.layer(layer.layer).shape.kind;
        let vector_unit = self.core.vector_unit_for(kind);
        let takes_kept = w_kept < self.all_levels()[0];
        let beside = |memory: MemoryId, inputs: MemoryId| residents.beside(node, memory, inputs, takes_kept);
        let levels = layer_levels(self.core, layer.bits, (self.least, is_output), &beside, &mut layer.passed)
            .reaching(self.core, kind);
        let all = self.all_levels();
        let place = PlacedNode { node, residents, passed_over_bits: self.passed_over_bits(layer) };
        let mut found = self.mappable(problems, check, key, (w_kept, levels), &place)?;
        // The tool has no such choice: it lets the lowest memories overflow instead.
        if found.is_none() && !self.rules.lowest_memory_may_overflow && vector_unit.is_none() {
            let shape = problems.shape(&key);
            for narrower in narrower_unrolls(&shape, problems.unroll_of(tiled.key)) {
                let key = ProblemKey { layer: problems.with_unroll(tiled.key, &narrower), ..key };
                // Weights that each PE keeps are those of the whole unrolling.
                let w = if self.keeps_weights_apart() { all[0] } else { w_kept };
                found = self.mappable(problems, check, key, (w, levels), &place)?;
                if found.is_some() {
                    layer.narrowed = true;
                    break;
                }
            }
        }
        let Some(Mappable { problem, levels: chosen, extra }) = found else {
            let widest = ProblemKey { levels: all.map(level_count), ..key };
            let widest = self.beside(problems, widest, &place);
            return Err(self.explain(problems, &widest, layer).into());
        };
        layer.extra_levels = extra;
        self.note(layer, problem, chosen, w_kept);
        Ok(())
    }

    /// Notes the problem and the levels of a layer-tile.
    fn note(&self, layer: &mut LayerTilePlan, problem: ProblemId, levels: [usize; 3], w_kept: usize) {
        layer.problem = Some(problem);
        layer.weights_fetched_again = levels[0] > w_kept;
        let has_weights = self.layers[layer.layer].is_some_and(|tiled| tiled.has_weights);
        let top = |operand: Operand| Some(self.core.levels(operand)[levels[operand as usize] - 1]);
        layer.top = [top(Operand::W).filter(|_| has_weights), top(Operand::I), top(Operand::O)];
    }

    /// The mapping problem of a layer-tile but for its memories, and the levels of W up to the memory of the stack's weights.
    pub fn problem_of(
        &self,
        problems: &mut Problems,
        node: NodeId,
        layer: &LayerTilePlan,
    ) -> Option<(ProblemKey, usize)> {
        let tiled = self.layers[layer.layer]?;
        let kind = self.network.layer(layer.layer).shape.kind;
        // An addition reads one feature map through the memories of weights, always from the highest one.
        let vector_unit = self.core.vector_unit_for(kind);
        let from_top = self.fetches_weights[node] || kind == LayerKind::Add || vector_unit.is_some();
        let mut key = self.problem_key(layer, tiled.key);
        if let Some(unit) = vector_unit {
            // The lanes share the elements of the tile.
            let unroll = unit.unroll(&problems.shape(&key));
            key.layer = problems.with_unroll(tiled.key, &unroll);
        }
        Some((key, kept_weight_levels(self.core, from_top, Some(self.w_memory))))
    }

    /// Whether each PE keeps its own part of the stack's weights.
    pub fn keeps_weights_apart(&self) -> bool {
        self.core.memories[self.w_memory].instances > 1 && !self.rules.kept_weights_counted_together
    }

    /// This problem's layer with one loop of its unrolling halved, once or repeatedly.
    pub fn narrower(&self, problems: &mut Problems, key: &ProblemKey) -> Vec<LayerKey> {
        let shape = problems.shape(key);
        let whole = problems.unroll_of(key.layer).to_vec();
        let mut all = Vec::new();
        for (place, part) in whole.iter().enumerate() {
            for limit in halved(part, &shape) {
                let mut narrower = whole.clone();
                narrower[place].limit = limit;
                all.push(problems.with_unroll(key.layer, &narrower));
            }
        }
        all
    }

    /// This problem on one PE.
    pub fn narrowest(&self, problems: &mut Problems, key: ProblemKey) -> ProblemKey {
        let unroll: Vec<Unroll> =
            problems.unroll_of(key.layer).iter().map(|part| Unroll { limit: 1, ..*part }).collect();
        ProblemKey { layer: problems.with_unroll(key.layer, &unroll), ..key }
    }

    fn all_levels(&self) -> [usize; 3] {
        Operand::ALL.map(|operand| self.core.levels(operand).len())
    }

    /// As [`Self::first_mappable`], first with weights where the stack keeps them, then with weights fetched from the
    /// highest memory again.
    fn mappable(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        key: ProblemKey,
        (w_kept, levels): (usize, TopLevels),
        place: &PlacedNode<'_, '_>,
    ) -> Result<Option<Mappable>, NotPlanned> {
        let top = self.all_levels()[0];
        match self.first_mappable(problems, check, key, (w_kept, levels), place)? {
            None if w_kept < top => self.first_mappable(problems, check, key, (top, levels), place),
            found => Ok(found),
        }
    }

    /// The key of this problem with the memory that resident data leaves.
    pub fn beside(&self, problems: &mut Problems, key: ProblemKey, place: &PlacedNode<'_, '_>) -> ProblemKey {
        if self.rules.mappings_have_whole_memories {
            return key;
        }
        let [w, i, _] = key.levels.map(usize::from);
        let inputs = self.core.levels(Operand::I)[i - 1];
        let takes_kept = w < self.all_levels()[0];
        let bits = |memory: MemoryId| {
            let counts = memory == inputs && memory != self.core.top(Operand::I);
            let passed_over = if counts { place.passed_over_bits } else { 0 };
            place.residents.beside(place.node, memory, inputs, takes_kept).total() + passed_over
        };
        let reserved: Vec<u64> = self.core.memories.keys().map(bits).collect();
        problems.beside((self.core, self.rules), key, &reserved)
    }

    /// The first levels, counting up from those chosen by size, for which some mapping fits.
    fn first_mappable(
        &self,
        problems: &mut Problems,
        check: FeasibilityCheck<'_>,
        key: ProblemKey,
        (w, levels): (usize, TopLevels),
        place: &PlacedNode<'_, '_>,
    ) -> Result<Option<Mappable>, NotPlanned> {
        let all = self.all_levels();
        let mut extra = (0, 0);
        loop {
            let chosen = [w, (levels.i + extra.0).min(all[1]), (levels.o + extra.1).min(all[2])];
            let key = self.beside(problems, ProblemKey { levels: chosen.map(level_count), ..key }, place);
            if let Some(problem) = problems.intern(key, check)? {
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

    /// The shape of a layer-tile whose windows end at no border.
    fn unlimited_shape(&self, layer: &LayerTilePlan) -> LayerShape {
        let mut shape = self.network.layer(layer.layer).shape;
        shape.sizes[Dim::OX as usize] = layer.computed.0;
        shape.sizes[Dim::OY as usize] = layer.computed.1;
        shape.input_limit = (u64::MAX, u64::MAX);
        shape
    }

    fn problem_key(&self, layer: &LayerTilePlan, key: LayerKey) -> ProblemKey {
        // Without padding the window itself is the needed part; equal problems then have equal keys.
        let window = self.unlimited_shape(layer).input_extent();
        let limit = |needed: u64, window: u64| if needed < window { needed } else { u64::MAX };
        ProblemKey {
            layer: key,
            tile: layer.computed,
            input_limit: (limit(layer.needed.0, window.0), limit(layer.needed.1, window.1)),
            levels: [0; 3],
            reserved: None,
        }
    }

    /// Bits of a layer's inputs, which are rectangles of maps, that no window touches: strides pass over them, or views show a part.
    pub fn passed_over_bits(&self, layer: &LayerTilePlan) -> u64 {
        let shape = self.unlimited_shape(layer);
        let (columns, rows) = shape.input_extent();
        let touched = columns.min(layer.needed.0) * rows.min(layer.needed.1);
        let maps = if shape.kind.reads_two_maps() { 2 } else { 1 };
        layer.bits.0.saturating_sub(maps * touched * shape.input_channels() * shape.size(Dim::B) * shape.precision.i)
    }

    fn explain(&self, problems: &Problems, key: &ProblemKey, layer: &LayerTilePlan) -> Diagnostics {
        let problem = &problems.problem(key);
        let mut diagnostics = Diagnostics::default();
        let name = &self.network.layer(layer.layer).name;
        let (x, y) = layer.computed;
        let layer = LayerOnCore::new(self.core, self.rules, problem);
        let shortages =
            if self.explains { smallest_that_fit(&layer, &Limits::default()) } else { explain_infeasible(&layer) };
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
                format!("For a tile of {x} x {y} of `{name}` no mapping was found that fits the memories"),
                "Search exactly, enlarge the lower memories, or make the tile smaller",
            );
        }
        diagnostics
    }

    /// Copies that bring all inputs of a layer to the memory it takes them from.
    /// `map_memory` is where the map of each producer lies, if it has one.
    pub fn collect_inputs(
        &self,
        node: NodeId,
        i_memory: MemoryId,
        map_memory: &dyn Fn(NodeId) -> Option<MemoryId>,
        copies: &mut Vec<CopyAction>,
    ) {
        let level = self.core.level_of(Operand::I, i_memory);
        let layer = self.stack.nodes[node];
        let mut copy = |kind: CopyKind, bits: u64, source: (MemoryId, Operand)| {
            if bits > 0 {
                copies.push(CopyAction { kind, layer, bits: Bits(bits), source, destination: (i_memory, Operand::I) });
            }
        };
        let reads = || ReadId::within(self.stack.reads(node));
        let read_of = |read: ReadId| (self.x.reads[read], self.y.reads[read]);
        for (read, &producer) in reads().zip(&self.stack.producers[node]) {
            let Some(at) = map_memory(producer) else { continue };
            let from_input = self.stack.is_input(producer);
            // The layer itself fetches a stack input that lies within its levels.
            let is_low = from_input && self.core.level_of(Operand::I, at) <= level;
            let in_place = at == i_memory || is_low && self.rules.lower_stack_inputs_read_in_place;
            if !in_place {
                let stored_as = if from_input { Operand::I } else { Operand::O };
                // The part of the read that no cache holds.
                let (x, y) = read_of(read);
                let fresh = self.footprint.read_bits(read, x.needed - x.cached, y.needed - y.cached);
                let bits = if self.rules.whole_outputs_copied { self.map_bits(producer) } else { fresh };
                copy(CopyKind::InputFromOutput, bits, (at, stored_as));
            }
        }
        if let Some(memory) = self.caches.h_read.filter(|&memory| memory != i_memory) {
            reads().for_each(|read| copy(CopyKind::ReadHCache, self.h_read_bits(read), (memory, Operand::I)));
        }
        if let Some(memory) = self.caches.v_read.filter(|&memory| memory != i_memory) {
            reads().for_each(|read| copy(CopyKind::ReadVCache, self.v_read_bits(read), (memory, Operand::I)));
        }
    }

    /// Bits that a read takes of the horizontal cache.
    fn h_read_bits(&self, read: ReadId) -> u64 {
        let (x, y) = (self.x.reads[read], self.y.reads[read]);
        let rows = if self.rules.corners_read_from_columns { y.needed } else { y.needed - y.cached };
        self.footprint.read_bits(read, x.cached, rows)
    }

    /// Bits that a read takes of the vertical cache.
    fn v_read_bits(&self, read: ReadId) -> u64 {
        let (x, y) = (self.x.reads[read], self.y.reads[read]);
        let in_columns = if self.caches.h_read.is_some() { x.cached } else { 0 };
        let columns = if self.rules.corners_read_from_columns { x.needed - in_columns } else { x.needed };
        self.footprint.read_bits(read, columns, y.cached)
    }

    /// Bits of a read in the horizontal cache, and in the vertical one, which counts the bits that belong to both.
    pub fn left_bits(&self, read: ReadId) -> [u64; 2] {
        let (x, y) = (self.x.reads[read], self.y.reads[read]);
        [
            self.footprint.read_bits(read, x.cached, y.needed - y.cached),
            self.footprint.read_bits(read, x.needed, y.cached),
        ]
    }

    /// Bits of a map in the vertical cache over its whole width: rows from above, or those for the tiles below, whichever are more.
    pub fn kept_rows_bits(&self, node: NodeId) -> u64 {
        let y = &self.y.nodes[node];
        self.footprint.output_bits(node, self.widths[node], y.from_cache.max(y.to_cache))
    }

    /// Bits of so many columns of a map that tiles leave to the right: in the horizontal cache those of the tile's own
    /// rows, and in the vertical cache those of the rows from above, which stay until the tiles to the right have run.
    pub fn kept_columns_bits(&self, node: NodeId, columns: u64, cache: MemoryId) -> [u64; 2] {
        let Caches { v_read, v_write, .. } = self.caches;
        let y = &self.y.nodes[node];
        // Rows for the tiles below count over the whole width.
        let in_rows = if v_write == Some(cache) { y.to_cache.min(y.computed) } else { 0 };
        let above = if v_read.is_some() && v_write.is_some() { y.from_cache } else { 0 };
        [y.computed - in_rows, above].map(|rows| self.footprint.output_bits(node, columns, rows))
    }

    /// Pixels needed by a read that no cache holds.
    pub fn fresh_pixels(&self, read: ReadId) -> u64 {
        let (x, y) = (self.x.reads[read], self.y.reads[read]);
        (x.needed - x.cached) * (y.needed - y.cached)
    }

    /// Bits of all inputs of a node.
    pub fn input_bits(&self, node: NodeId) -> u64 {
        self.footprint.all_input_bits(self.stack, node, TileGeometry { x: self.x, y: self.y })
    }

    /// Bits of the part of a map that is computed, or fetched.
    pub fn map_bits(&self, node: NodeId) -> u64 {
        self.footprint.output_bits(node, self.x.nodes[node].computed, self.y.nodes[node].computed)
    }

    /// Pixels that are computed, or fetched.
    pub fn pixels(&self, node: NodeId) -> u64 {
        self.x.nodes[node].computed * self.y.nodes[node].computed
    }

    /// Bits of a node's output that are written for other tiles: columns, and rows. If both caches are in one memory,
    /// the columns leave out the bits of the rows.
    pub fn written_bits(&self, node: NodeId) -> [u64; 2] {
        let Caches { h_write, v_write, .. } = self.caches;
        let (x, y) = (&self.x.nodes[node], &self.y.nodes[node]);
        let in_rows = if h_write == v_write { y.written } else { 0 };
        let columns = self.footprint.output_bits(node, x.written, y.computed.saturating_sub(in_rows));
        let rows = self.footprint.output_bits(node, x.computed, y.written);
        [if h_write.is_some() { columns } else { 0 }, if v_write.is_some() { rows } else { 0 }]
    }

    /// Bits of kept weights in one instance of a memory, beside those that a node takes there.
    pub fn kept_weights_beside(&self, node: NodeId, memory: MemoryId, takes_kept: bool) -> u64 {
        // The memory from which weights come has room for all of them.
        if memory != self.w_memory || memory == self.core.top(Operand::W) {
            return 0;
        }
        // Weights that only pass a memory of weights stay there, piece by piece.
        let is_of_weights = self.core.memories[memory].operands == [Operand::W];
        let level = self.core.level_of(Operand::W, memory);
        let layer = self.layers[self.stack.nodes[node]].filter(|_| !self.stack.is_input(node));
        let own = layer.zip(level).map_or(0, |(layer, level)| layer.kept_bits[level]);
        self.kept_bits - if takes_kept || is_of_weights { own } else { 0 }
    }

    /// Copies of a finished output to the caches; they are done before the next layer.
    pub fn write_caches(&self, node: NodeId, at: MemoryId, copies: &mut Vec<CopyAction>) {
        let is_input = self.stack.is_input(node);
        let stored_as = if is_input { Operand::I } else { Operand::O };
        // On its way down a stack input passes the caches above, so that keeping it there has no cost (NOTES 12.15).
        let is_passed = |cache: MemoryId| {
            let level = |memory: MemoryId| self.core.level_of(stored_as, memory);
            is_input && (self.rules.input_caches_written_free || level(cache) >= level(at))
        };
        let mut copy = |kind: CopyKind, bits: u64, to: MemoryId| {
            if bits > 0 && !is_passed(to) {
                let (source, destination) = ((at, stored_as), (to, stored_as));
                copies.push(CopyAction { kind, layer: self.stack.nodes[node], bits: Bits(bits), source, destination });
            }
        };
        let [mut columns, rows] = self.written_bits(node);
        if self.rules.corners_read_from_columns {
            let (x, y) = (&self.x.nodes[node], &self.y.nodes[node]);
            let in_rows = if self.caches.v_write.is_some_and(|memory| memory != at) { y.written } else { 0 };
            columns = self.footprint.output_bits(node, x.written, y.computed.saturating_sub(in_rows));
        }
        if let Some(memory) = self.caches.v_write.filter(|&memory| memory != at) {
            copy(CopyKind::WriteVCache, rows, memory);
        }
        if let Some(memory) = self.caches.h_write.filter(|&memory| memory != at) {
            copy(CopyKind::WriteHCache, columns, memory);
        }
    }
}

/// A node that is being placed, and the data that is resident at that moment.
pub(super) struct PlacedNode<'r, 'a> {
    pub node: NodeId,
    pub residents: &'r Residents<'a>,
    /// Bits of inputs that no window touches: mappings do not count them.
    pub passed_over_bits: u64,
}

/// Levels are at most [`crate::hardware::MAX_LEVELS`].
pub(super) fn level_count(levels: usize) -> u8 {
    levels as u8
}

/// A problem that has a mapping.
struct Mappable {
    problem: ProblemId,
    levels: [usize; 3],
    extra: (usize, usize),
}

/// The PEs that a loop uses at most.
fn widest(part: &Unroll, shape: &LayerShape) -> u64 {
    part.limit.min(shape.size(part.dim)).max(1)
}

/// A loop of an unrolling halved, once and repeatedly.
fn halved(part: &Unroll, shape: &LayerShape) -> impl Iterator<Item = u64> + use<> {
    let half = |&limit: &u64| (limit > 1).then(|| limit.div_ceil(2));
    std::iter::successors(Some(widest(part, shape)), half).skip(1)
}

/// All ways to halve unrollings repeatedly, those that keep the most PEs busy first.
fn narrower_unrolls(shape: &LayerShape, unroll: &[Unroll]) -> Vec<Vec<Unroll>> {
    let mut all = vec![Vec::new()];
    for part in unroll {
        let limits: Vec<u64> = [widest(part, shape)].into_iter().chain(halved(part, shape)).collect();
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
