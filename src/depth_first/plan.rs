//! Planning one point: its stacks, tile types, placements, copies, and the mapping problems they contain.

use super::account::{CopyKind, TileMap, TileRun};
use super::axis::{Axis, Run, Strip, Strips};
use super::copies::CopyAction;
use super::placement::{CacheDecision, Deciding, Measure, TileGeometry, layer_levels};
use super::stack::{Stack, cut};
use super::strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::hardware::{Core, MemoryId, Operand};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::rules::Rules;
use crate::search::{Limits, explain_infeasible, has_mapping};
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use std::collections::HashMap;
use std::sync::Arc;

/// One point, ready to be solved and assembled.
#[derive(Debug, Clone)]
pub struct PointPlan {
    /// How the network is run.
    pub strategy: DepthFirstStrategy,
    /// The stacks in order.
    pub stacks: Vec<StackPlan>,
}

/// One stack.
#[derive(Debug, Clone)]
pub struct StackPlan {
    /// Its layers.
    pub stack: Arc<Stack>,
    /// Columns and rows of its last feature map.
    pub output_size: (u64, u64),
    /// Bits of all its weights.
    pub weight_bits: u64,
    /// Memory of the weights after the first tile; `None` where it has none.
    pub weight_memory: Option<MemoryId>,
    /// Decisions on caches before neighbours are considered.
    pub decisions: Vec<TileDecision>,
    /// Tiles that behave identically, in the order of their first tile.
    pub types: Vec<TilePlan>,
    /// Where they lie.
    pub map: TileMap,
}

/// What is decided on caches for tiles of one kind.
#[derive(Debug, Clone)]
pub struct TileDecision {
    /// Columns and rows.
    pub size: (u64, u64),
    /// Whether the tile is in the first column of tiles, and in the first row.
    pub first: (bool, bool),
    /// The decision.
    pub caches: CacheDecision,
}

/// One tile type.
#[derive(Debug, Clone)]
pub struct TilePlan {
    /// Columns and rows of the stack's output.
    pub size: (u64, u64),
    /// How many tiles are of this type.
    pub count: u64,
    /// First column and row of the first of them.
    pub first_position: (u64, u64),
    /// Whether weights come from their highest memory.
    pub weights_from_top: bool,
    /// Where overlap is written and read.
    pub caches: Caches,
    /// Its nodes in order: stack inputs, then layers.
    pub layers: Vec<LayerTilePlan>,
}

/// Memories in which a tile writes and reads the overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Caches {
    /// Columns for the right neighbour.
    pub h_write: Option<MemoryId>,
    /// Columns of the left neighbour.
    pub h_read: Option<MemoryId>,
    /// Rows for the lower neighbour.
    pub v_write: Option<MemoryId>,
    /// Rows of the upper neighbour.
    pub v_read: Option<MemoryId>,
}

/// One layer, or stack input, in one tile type.
#[derive(Debug, Clone)]
pub struct LayerTilePlan {
    /// The layer; for a stack input the one whose output it is.
    pub layer: LayerId,
    /// Whether it is a stack input, which is only fetched.
    pub is_input: bool,
    /// Columns and rows of the output that are computed (or fetched).
    pub computed: (u64, u64),
    /// Channels of the output.
    pub channels: u64,
    /// Columns and rows of each input window that exist, cached ones included.
    pub needed: (u64, u64),
    /// Columns of each input that come from the horizontal cache, rows from the vertical one.
    pub cached: Vec<(u64, u64)>,
    /// Columns and rows of the output that are written to the caches.
    pub written: (u64, u64),
    /// Bits of all inputs and of the output.
    pub bits: (u64, u64),
    /// Highest memory used by W, I and O.
    pub top: [Option<MemoryId>; 3],
    /// Levels for I and O beyond those chosen, as no mapping fitted otherwise.
    pub extra_levels: (usize, usize),
    /// Why each operand is not lower.
    pub reasons: Vec<String>,
    /// Copies before the layer starts.
    pub copies: Vec<CopyAction>,
    /// The mapping problem, by its index; `None` for a stack input.
    pub problem: Option<usize>,
}

/// The different problems seen so far, shared by all points of a sweep.
#[derive(Debug, Default)]
pub struct Problems {
    /// The problems, each once.
    pub list: Vec<LayerProblem>,
    index: HashMap<LayerProblem, usize>,
    infeasible: HashMap<LayerProblem, ()>,
}

/// Plans points of one network on one core, remembering what they share.
pub struct Planner<'a> {
    core: &'a Core,
    network: &'a Network,
    rules: Rules,
    limits: Limits,
    stacks: HashMap<FuseDepth, Result<Vec<Arc<Stack>>, Diagnostics>>,
    strips: HashMap<(LayerId, LayerId, bool, u64, bool), Arc<Strips>>,
    /// The different problems of all points planned.
    pub problems: Problems,
}

impl<'a> Planner<'a> {
    /// A planner that has planned nothing yet.
    pub fn new(core: &'a Core, network: &'a Network, rules: Rules, limits: Limits) -> Self {
        Self {
            core,
            network,
            rules,
            limits,
            stacks: HashMap::new(),
            strips: HashMap::new(),
            problems: Problems::default(),
        }
    }

    /// Plans one point.
    ///
    /// # Errors
    /// Cuts that are impossible, or a layer-tile that fits nowhere: which operand, where, how much it lacks.
    pub fn plan(&mut self, strategy: &DepthFirstStrategy) -> Result<PointPlan, Diagnostics> {
        let (core, network, rules) = (self.core, self.network, self.rules);
        let stacks = self
            .stacks
            .entry(strategy.fuse.clone())
            .or_insert_with(|| {
                let stacks = cut(network, core, &strategy.fuse, &rules)?;
                Ok(stacks.into_iter().map(Arc::new).collect())
            })
            .clone()?;
        check_strip_count(network, &stacks, strategy)?;
        let tile = if strategy.fuse == FuseDepth::LayerByLayer { (u64::MAX, u64::MAX) } else { strategy.tile };
        let stacks = stacks
            .iter()
            .map(|stack| StackPlanner::new(self, stack.clone(), tile, strategy.mode).plan(self))
            .collect::<Result<_, _>>()?;
        Ok(PointPlan { strategy: strategy.clone(), stacks })
    }

    fn strips(&mut self, axis: Axis, stack: &Stack, tile: u64, caches: bool) -> Arc<Strips> {
        let ends = (stack.nodes[stack.input_count], stack.nodes[stack.output()]);
        let tile = tile.min(axis.map_size(self.network, stack, stack.output()));
        let (network, borders) = (self.network, !self.rules.tiles_without_borders);
        self.strips
            .entry((ends.0, ends.1, axis == Axis::Columns, tile, caches))
            .or_insert_with(|| Arc::new(axis.strips(network, stack, tile, caches, borders)))
            .clone()
    }

    /// The index of a problem that has a mapping; `None` where nothing fits.
    fn intern(&mut self, problem: LayerProblem) -> Option<usize> {
        if let Some(&index) = self.problems.index.get(&problem) {
            return Some(index);
        }
        if self.problems.infeasible.contains_key(&problem) {
            return None;
        }
        if has_mapping(&LayerOnCore::new(self.core, self.rules, &problem), &self.limits) {
            let index = self.problems.list.len();
            self.problems.list.push(problem.clone());
            self.problems.index.insert(problem, index);
            Some(index)
        } else {
            self.problems.infeasible.insert(problem, ());
            None
        }
    }
}

/// More columns (or rows) of tiles than anybody schedules; each is followed through the network.
const MOST_STRIPS: u64 = 1 << 16;

fn check_strip_count(
    network: &Network,
    stacks: &[Arc<Stack>],
    strategy: &DepthFirstStrategy,
) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for (axis, field, tile) in [(Axis::Columns, "tiles_x", strategy.tile.0), (Axis::Rows, "tiles_y", strategy.tile.1)] {
        let largest = stacks.iter().map(|stack| axis.map_size(network, stack, stack.output())).max().unwrap_or(0);
        if largest.div_ceil(tile.max(1)) > MOST_STRIPS && strategy.fuse != FuseDepth::LayerByLayer {
            diagnostics.add(
                format!("settings.{field}"),
                format!("A map of {largest} in tiles of {tile} makes more than {MOST_STRIPS} of them side by side"),
                format!("Choose tiles of at least {}", largest.div_ceil(MOST_STRIPS)),
            );
        }
    }
    diagnostics.or(())
}

/// One column (or row) of tiles with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    start: u64,
    size: u64,
    count: u64,
    strip: usize,
    previous: Option<usize>,
    next: Option<usize>,
}

/// Splits runs where the neighbours differ; the first tile stays alone.
fn slots(runs: &[Run]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| runs[before].strip);
        let after = runs.get(index + 1).map(|after| after.strip);
        let mut push = |from: u64, count: u64, previous: Option<usize>, next: Option<usize>| {
            let slot =
                Slot { start: run.start + from * run.size, size: run.size, count, strip: run.strip, previous, next };
            match slots.last_mut() {
                Some(last)
                    if (last.strip, last.size, last.previous, last.next) == (run.strip, run.size, previous, next)
                        && last.start > 0 =>
                {
                    last.count += count;
                }
                _ => slots.push(slot),
            }
        };
        let same = Some(run.strip);
        match run.count {
            1 => push(0, 1, before, after),
            count => {
                push(0, 1, before, same);
                if count > 2 {
                    push(1, count - 2, same, same);
                }
                push(count - 1, 1, same, after);
            }
        }
    }
    slots
}

/// What decides how a tile behaves: tiles with equal keys are of one type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct TileKey {
    weights_from_top: bool,
    caches: Caches,
    x: Strip,
    y: Strip,
}

struct StackPlanner<'a> {
    core: &'a Core,
    network: &'a Network,
    rules: Rules,
    stack: Arc<Stack>,
    mode: StoringMode,
    x: Arc<Strips>,
    y: Arc<Strips>,
}

impl<'a> StackPlanner<'a> {
    fn new(planner: &mut Planner<'a>, stack: Arc<Stack>, tile: (u64, u64), mode: StoringMode) -> Self {
        let x = planner.strips(Axis::Columns, &stack, tile.0, mode.caches_columns());
        let y = planner.strips(Axis::Rows, &stack, tile.1, mode.caches_rows());
        Self { core: planner.core, network: planner.network, rules: planner.rules, stack, mode, x, y }
    }

    fn measure(&self) -> Measure<'_> {
        Measure { network: self.network, stack: &self.stack }
    }

    fn plan(self, planner: &mut Planner<'_>) -> Result<StackPlan, Diagnostics> {
        let (columns, rows) = (slots(&self.x.runs), slots(&self.y.runs));
        let decisions = self.decide(&columns, &rows);
        let decision = |column: Option<usize>, row: Option<usize>| Some(&decisions[&(column?, row?)]);
        let v_memory = self.v_memory(&columns, &rows, &decisions);
        let w_memory = decisions
            .values()
            .map(|decided| decided.caches.w_memory)
            .max_by_key(|&id| self.core.level_of(Operand::W, id))
            .unwrap_or_else(|| self.core.top(Operand::W));
        let mut types: Vec<TilePlan> = Vec::new();
        let mut known: HashMap<TileKey, usize> = HashMap::new();
        let mut map = TileMap { columns: tile_runs(&columns), rows: tile_runs(&rows), types: Vec::new() };
        for row in &rows {
            let mut types_of_row = Vec::new();
            for column in &columns {
                let here = decision(Some(column.strip), Some(row.strip));
                let h = |neighbour: Option<usize>, written_by_here: bool| {
                    let there = decision(neighbour, Some(row.strip));
                    self.h_memory(here, there, written_by_here)
                };
                let caches = Caches {
                    h_write: h(column.next, true),
                    h_read: h(column.previous, false),
                    v_write: v_memory.filter(|_| row.next.is_some()),
                    v_read: v_memory.filter(|_| row.previous.is_some()),
                };
                let key = TileKey {
                    weights_from_top: column.start == 0 && row.start == 0,
                    x: effective(&self.x.different[column.strip].0, caches.h_write, caches.h_read),
                    y: effective(&self.y.different[row.strip].0, caches.v_write, caches.v_read),
                    caches,
                };
                let index = match known.get(&key) {
                    Some(&index) => index,
                    None => {
                        let tile = TilePlan {
                            size: (column.size, row.size),
                            count: 0,
                            first_position: (column.start, row.start),
                            weights_from_top: key.weights_from_top,
                            caches,
                            layers: self.plan_tile(planner, &key, w_memory)?,
                        };
                        types.push(tile);
                        known.insert(key, types.len() - 1);
                        types.len() - 1
                    }
                };
                types[index].count += column.count * row.count;
                types_of_row.push(index);
            }
            map.types.push(types_of_row);
        }
        let measure = self.measure();
        let weight_bits = measure.weight_bits();
        let has_weights = self.stack.layers().iter().any(|&layer| has_weights(self.network, layer));
        let mut listed: Vec<_> = decisions.into_iter().collect();
        listed.sort_unstable_by_key(|((x, y), _)| (*y, *x));
        Ok(StackPlan {
            output_size: (
                Axis::Columns.map_size(self.network, &self.stack, self.stack.output()),
                Axis::Rows.map_size(self.network, &self.stack, self.stack.output()),
            ),
            weight_bits,
            weight_memory: has_weights.then_some(w_memory),
            decisions: listed.into_iter().map(|(_, decision)| decision).collect(),
            types,
            map,
            stack: self.stack,
        })
    }

    /// Decides for every different pair of column and row.
    fn decide(&self, columns: &[Slot], rows: &[Slot]) -> HashMap<(usize, usize), TileDecision> {
        let mut decisions = HashMap::new();
        for row in rows {
            for column in columns {
                decisions.entry((column.strip, row.strip)).or_insert_with(|| {
                    let (x, y) = (&self.x.different[column.strip], &self.y.different[row.strip]);
                    let first = (column.start == 0, row.start == 0);
                    let deciding = Deciding {
                        core: self.core,
                        measure: self.measure(),
                        rules: &self.rules,
                        mode: self.mode,
                        first_column: first.0,
                    };
                    let decision =
                        deciding.decide(TileGeometry { x: &x.0, y: &y.0 }, TileGeometry { x: &x.1, y: &y.1 });
                    TileDecision { size: (column.size, row.size), first, caches: decision }
                });
            }
        }
        decisions
    }

    /// Where neighbouring columns of tiles exchange their overlap.
    fn h_memory(
        &self,
        here: Option<&TileDecision>,
        there: Option<&TileDecision>,
        written_by_here: bool,
    ) -> Option<MemoryId> {
        let (here, there) = (here?.caches.h_memory?, there?.caches.h_memory?);
        let (writer, reader) = if written_by_here { (here, there) } else { (there, here) };
        Some(if self.rules.cache_level_of_neighbour {
            reader
        } else {
            [writer, reader].into_iter().max_by_key(|&id| self.core.level_of(Operand::O, id))?
        })
    }

    /// Where rows of tiles exchange their overlap: the same for all tiles.
    fn v_memory(
        &self,
        columns: &[Slot],
        rows: &[Slot],
        decisions: &HashMap<(usize, usize), TileDecision>,
    ) -> Option<MemoryId> {
        if self.rules.cache_level_of_neighbour {
            return decisions[&(columns.last()?.strip, rows.last()?.strip)].caches.v_memory;
        }
        decisions
            .values()
            .filter_map(|decided| decided.caches.v_memory)
            .max_by_key(|&id| self.core.level_of(Operand::O, id))
    }

    fn plan_tile(
        &self,
        planner: &mut Planner<'_>,
        key: &TileKey,
        w_memory: MemoryId,
    ) -> Result<Vec<LayerTilePlan>, Diagnostics> {
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
                self.place_input(node, &mut layer);
            } else if computed.0 > 0 && computed.1 > 0 {
                self.place_layer(planner, node, key, w_memory, &mut layer)?;
                self.collect_inputs(node, key, &layers, &mut layer);
            }
            self.write_caches(node, key, &layer, &mut pending);
            layers.push(layer);
        }
        Ok(layers)
    }

    /// A stack's input comes from the highest memory to the lowest for inputs that holds the part needed anew.
    fn place_input(&self, node: usize, layer: &mut LayerTilePlan) {
        let top = self.core.top(Operand::I);
        let is_output = self.stack.consumers[node].is_empty();
        let levels = layer_levels(self.core, layer.bits.1, 0, is_output);
        let memory = self.core.levels(Operand::I)[levels.i - 1];
        layer.top = [None, None, Some(memory)];
        layer.reasons = levels.reasons.into_iter().filter(|reason| reason.starts_with("I ")).collect();
        let bits = layer.bits.1;
        if bits > 0 {
            let ends = ((top, Operand::I), (memory, Operand::I));
            layer.copies.push(CopyAction::new(self.core, CopyKind::StackInput, layer.layer, bits, ends.0, ends.1));
        }
    }

    /// Chooses the levels of a layer-tile, more of them where no mapping fits otherwise.
    fn place_layer(
        &self,
        planner: &mut Planner<'_>,
        node: usize,
        key: &TileKey,
        w_memory: MemoryId,
        layer: &mut LayerTilePlan,
    ) -> Result<(), Diagnostics> {
        let is_output = node == self.stack.output();
        let levels = layer_levels(self.core, layer.bits.0, layer.bits.1, is_output);
        layer.reasons = levels.reasons;
        let all = Operand::ALL.map(|operand| self.core.levels(operand).len());
        let w = if key.weights_from_top {
            all[0]
        } else {
            self.core.level_of(Operand::W, w_memory).map_or(all[0], |level| level + 1)
        };
        let (shape, unroll) = self.shape_and_unroll(layer);
        let mut extra = (0, 0);
        loop {
            let chosen = [w, (levels.i + extra.0).min(all[1]), (levels.o + extra.1).min(all[2])];
            let problem = LayerProblem { shape, levels: chosen, unroll: unroll.clone() };
            if let Some(index) = planner.intern(problem.clone()) {
                layer.problem = Some(index);
                layer.extra_levels = extra;
                if extra != (0, 0) {
                    layer.reasons.push("One level more, as no mapping fits the levels chosen by size".into());
                }
                let top = |operand: Operand| Some(self.core.levels(operand)[chosen[operand as usize] - 1]);
                let has_weights = has_weights(self.network, layer.layer);
                layer.top = [top(Operand::W).filter(|_| has_weights), top(Operand::I), top(Operand::O)];
                return Ok(());
            }
            if chosen[1] == all[1] && chosen[2] == all[2] {
                return Err(self.explain(&problem, layer));
            }
            // Output, then input, then both (NOTES 9, ODD 14).
            extra = match extra.1.cmp(&extra.0) {
                std::cmp::Ordering::Equal => (extra.0, extra.1 + 1),
                std::cmp::Ordering::Greater => (extra.0 + 1, extra.1 - 1),
                std::cmp::Ordering::Less => (extra.0, extra.1 + 1),
            };
        }
    }

    fn shape_and_unroll(&self, layer: &LayerTilePlan) -> (LayerShape, Vec<crate::hardware::Unroll>) {
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
    fn collect_inputs(&self, node: usize, key: &TileKey, done: &[LayerTilePlan], layer: &mut LayerTilePlan) {
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
            for &[columns, _] in &cached_per_input(&self.stack, node, key) {
                copy(CopyKind::ReadHCache, measure.input_bits(node, columns, key.y.needed[node]), (memory, Operand::I));
            }
        }
        if let Some(memory) = key.caches.v_read.filter(|&memory| memory != i_memory) {
            for &[columns, rows] in &cached_per_input(&self.stack, node, key) {
                // What both caches hold comes from the horizontal one.
                let columns = key.x.needed[node] - if key.caches.h_read.is_some() { columns } else { 0 };
                copy(CopyKind::ReadVCache, measure.input_bits(node, columns, rows), (memory, Operand::I));
            }
        }
    }

    /// Copies of a finished output to the caches; they are done before the next layer.
    fn write_caches(&self, node: usize, key: &TileKey, layer: &LayerTilePlan, pending: &mut Vec<CopyAction>) {
        let is_input = self.stack.is_input(node);
        if is_input && self.rules.stack_input_cached_for_free {
            return;
        }
        let Some(at) = layer.top[Operand::O as usize] else { return };
        let stored_as = if is_input { Operand::I } else { Operand::O };
        let measure = self.measure();
        let mut copy = |kind: CopyKind, bits: u64, to: MemoryId| {
            if bits > 0 {
                let (from, to) = ((at, stored_as), (to, stored_as));
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

fn cached_per_input(stack: &Stack, node: usize, key: &TileKey) -> Vec<[u64; 2]> {
    (0..stack.producers[node].len()).map(|input| [key.x.cached[node][input], key.y.cached[node][input]]).collect()
}

fn has_weights(network: &Network, layer: LayerId) -> bool {
    !matches!(network.layer(layer).shape.kind, LayerKind::Add | LayerKind::Input)
}

fn tile_runs(slots: &[Slot]) -> Vec<TileRun> {
    slots.iter().map(|slot| TileRun { start: slot.start, size: slot.size, count: slot.count }).collect()
}

/// A strip without what does not happen where there is no cache to write or read.
fn effective(strip: &Strip, write: Option<MemoryId>, read: Option<MemoryId>) -> Strip {
    let mut strip = strip.clone();
    strip.overlap.fill([0; 2]);
    strip.to_cache.fill(0);
    if write.is_none() {
        strip.written.fill(0);
    }
    if read.is_none() {
        strip.cached.fill([0; 2]);
    }
    strip
}
