//! Planning one point: its stacks, tile types, placements, copies, and the mapping problems they contain.

use super::account::{TileMap, TileRun};
use super::axis::{Axis, Slot, Strips};
use super::copies::CopyAction;
use super::fast_map::FastMap;
use super::layer_tile::{TilePlanner, TiledLayer, has_weights};
use super::placement::{CacheDecision, Deciding, Measure, Scratch, Skipping, TileGeometry};
use super::problems::{Judge, NotPlanned, Problems, Verdict};
use super::stack::{Stack, cut};
use super::strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::hardware::{Core, MemoryId, Operand};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::rules::Rules;
use crate::search::{Limits, Strategy, has_mapping};
use crate::spec::Diagnostics;
use crate::workload::{LayerId, Network};
use std::collections::HashMap;
use std::ops::Range;
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
    columns: Arc<Strips>,
    rows: Arc<Strips>,
}

/// Which decisions say where a tile type exchanges overlap.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deciders<'a> {
    /// On columns for the right neighbour.
    pub h_write: Option<&'a TileDecision>,
    /// On columns of the left neighbour.
    pub h_read: Option<&'a TileDecision>,
    /// On rows, of all tiles.
    pub v: Option<&'a TileDecision>,
}

impl StackPlan {
    /// Who decided where the first tile of a type exchanges overlap: the one of two neighbours that needs the higher memory,
    /// and of all tiles for rows.
    pub(super) fn deciders(&self, tile: &TilePlan, core: &Core) -> Deciders<'_> {
        let at = |slots: &[Slot], start: u64| slots.iter().find(|slot| slot.start == start).copied();
        let slots = (at(&self.columns.slots, tile.first_position.0), at(&self.rows.slots, tile.first_position.1));
        let (Some(column), Some(row)) = slots else { return Deciders::default() };
        let of = |strip: usize| self.decisions.iter().find(|decided| decided.strips == (strip, row.strip));
        let level = |memory: Option<MemoryId>| memory.and_then(|memory| core.level_of(Operand::O, memory));
        let between = |neighbour: Option<usize>, memory: Option<MemoryId>| {
            let pair = [of(column.strip), of(neighbour?)];
            // Some rules take what is not the higher one.
            pair.into_iter().flatten().find(|decided| decided.caches.h_memory == memory)
        };
        Deciders {
            h_write: between(column.next, tile.caches.h_write),
            h_read: between(column.previous, tile.caches.h_read),
            v: self.decisions.iter().max_by_key(|decided| level(decided.caches.v_memory)),
        }
    }

    /// Columns and rows of each node's output in the tile of a decision, if overlap were cached in both directions.
    pub fn assumed_sizes(&self, decision: &TileDecision) -> Vec<(u64, u64)> {
        let (column, row) = decision.strips;
        let (x, y) = (&self.columns.different[column].assumed, &self.rows.different[row].assumed);
        x.iter().zip(y).map(|(x, y)| (x.computed, y.computed)).collect()
    }
}

/// What is decided on caches for tiles of one kind.
#[derive(Debug, Clone, Copy)]
pub struct TileDecision {
    /// Columns and rows.
    pub size: (u64, u64),
    /// Whether the tile is in the first column of tiles, and in the first row.
    pub first: (bool, bool),
    /// The decision.
    pub caches: CacheDecision,
    strips: (usize, usize),
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
    /// The copies of all of them, in order.
    pub copies: Vec<CopyAction>,
}

impl TilePlan {
    /// Copies before a layer of this tile starts.
    pub fn copies_before(&self, layer: &LayerTilePlan) -> &[CopyAction] {
        self.copies.get(layer.copies.clone()).unwrap_or_default()
    }
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
    /// Columns of each input that come from the horizontal cache, rows from the vertical one; of the first
    /// [`Self::input_count`] inputs.
    pub cached: [(u64, u64); 2],
    /// Number of inputs.
    pub input_count: usize,
    /// Columns and rows of the output that are written to the caches.
    pub written: (u64, u64),
    /// Bits of all inputs and of the output.
    pub bits: (u64, u64),
    /// Highest memory used by W, I and O.
    pub top: [Option<MemoryId>; 3],
    /// Levels for I and O beyond those chosen, as no mapping fitted otherwise.
    pub extra_levels: (usize, usize),
    /// Whether W is fetched again by every tile, as no mapping fits where it would be kept.
    pub weights_fetched_again: bool,
    /// Whether fewer PEs are used than asked for, as the lowest memories cannot serve more at once.
    pub narrowed: bool,
    /// Copies before the layer starts, as a part of [`TilePlan::copies`].
    pub copies: Range<usize>,
    /// The mapping problem, by its index; `None` for a stack input.
    pub problem: Option<usize>,
}

/// What a planner found out and needs again. It outlives the planner, for the next one of the same core, network, rules
/// and limits.
#[derive(Default)]
pub struct PlannerMemory {
    /// The different problems of all points planned.
    pub problems: Problems,
    stacks: HashMap<FuseDepth, Result<Vec<KnownStack>, Diagnostics>>,
    /// Every different stack; its place is its number.
    measured: Vec<KnownStack>,
    strips: FastMap<(usize, bool, u64, bool), Arc<Strips>>,
    layers: Vec<Option<TiledLayer>>,
    scratch: Scratch,
}

#[derive(Clone)]
struct KnownStack {
    number: usize,
    stack: Arc<Stack>,
    measure: Arc<Measure>,
}

/// Plans points of one network on one core, remembering what they share.
pub struct Planner<'a> {
    core: &'a Core,
    network: &'a Network,
    rules: Rules,
    limits: Limits,
    search: Strategy,
    skipping: Skipping,
    /// What it found out.
    pub memory: PlannerMemory,
}

impl<'a> Planner<'a> {
    /// A planner that has planned nothing yet.
    pub fn new(core: &'a Core, network: &'a Network, rules: Rules, limits: Limits, search: Strategy) -> Self {
        Self::with_memory(core, network, rules, (limits, search), PlannerMemory::default())
    }

    /// A planner that goes on where another one ended, which had the same core, network, rules and limits.
    pub fn with_memory(
        core: &'a Core,
        network: &'a Network,
        rules: Rules,
        (limits, search): (Limits, Strategy),
        mut memory: PlannerMemory,
    ) -> Self {
        if memory.layers.is_empty() {
            let layer = |id: LayerId| TiledLayer::new(core, network, id, &mut memory.problems);
            memory.layers = network.ids().map(layer).collect();
        }
        Self { core, network, rules, limits, search, skipping: Skipping::default(), memory }
    }

    /// The same where features may pass over these memories only.
    #[must_use]
    pub fn skipping(self, skipping: Skipping) -> Self {
        Self { skipping, ..self }
    }

    /// Plans one point.
    ///
    /// # Errors
    /// Cuts that are impossible, or a layer-tile that fits nowhere: which operand, where, how much it lacks.
    pub fn plan(&mut self, strategy: &DepthFirstStrategy) -> Result<PointPlan, Diagnostics> {
        let (core, rules, limits, search) = (self.core, self.rules, self.limits, self.search);
        let judge = &mut |problem: &LayerProblem| {
            let fits = has_mapping(&LayerOnCore::new(core, rules, problem), &limits, search);
            if fits { Verdict::Mappable } else { Verdict::NoMapping }
        };
        self.plan_judged(strategy, judge).map_err(NotPlanned::reasons)
    }

    /// Plans one point; `judge` says which problems have a mapping.
    ///
    /// # Errors
    /// As [`Self::plan`], and where `judge` has no time.
    pub fn plan_judged(&mut self, strategy: &DepthFirstStrategy, judge: Judge<'_>) -> Result<PointPlan, NotPlanned> {
        let stacks = self.stacks(&strategy.fuse)?;
        let tile = if strategy.fuse == FuseDepth::LayerByLayer { (u64::MAX, u64::MAX) } else { strategy.tile };
        check_strip_count(self.network, stacks.iter().map(|known| &*known.stack), tile)?;
        let mut planned = Vec::with_capacity(stacks.len());
        for known in stacks {
            planned.push(StackPlanner::new(self, known, tile, strategy.mode).plan(&mut self.memory, judge)?);
        }
        Ok(PointPlan { strategy: strategy.clone(), stacks: planned })
    }

    /// Plans one stack, whatever it is a part of.
    ///
    /// # Errors
    /// As [`Self::plan_judged`].
    pub fn plan_stack(
        &mut self,
        stack: &Stack,
        tile: (u64, u64),
        mode: StoringMode,
        judge: Judge<'_>,
    ) -> Result<StackPlan, NotPlanned> {
        let known = self.known_stack(stack);
        check_strip_count(self.network, [stack], tile)?;
        StackPlanner::new(self, known, tile, mode).plan(&mut self.memory, judge)
    }

    fn stacks(&mut self, fuse: &FuseDepth) -> Result<Vec<KnownStack>, Diagnostics> {
        if let Some(known) = self.memory.stacks.get(fuse) {
            return known.clone();
        }
        let stacks = cut(self.network, self.core, fuse, &self.rules)
            .map(|stacks| stacks.iter().map(|stack| self.known_stack(stack)).collect::<Vec<_>>());
        self.memory.stacks.insert(fuse.clone(), stacks.clone());
        stacks
    }

    /// Stacks of different fuse depths may be equal.
    fn known_stack(&mut self, stack: &Stack) -> KnownStack {
        let measured = &mut self.memory.measured;
        let known = measured.iter().find(|known| *known.stack == *stack).cloned();
        known.unwrap_or_else(|| {
            let measure = Arc::new(Measure::new(self.network, stack, &self.rules));
            let known = KnownStack { number: measured.len(), stack: Arc::new(stack.clone()), measure };
            measured.push(known.clone());
            known
        })
    }

    fn strips(&mut self, axis: Axis, known: &KnownStack, tile: u64, caches: bool) -> Arc<Strips> {
        let (network, borders) = (self.network, !self.rules.tiles_without_borders);
        let stack = &*known.stack;
        let tile = tile.min(axis.map_size(network, stack, stack.output()));
        let strips = self.memory.strips.entry((known.number, axis == Axis::Columns, tile, caches));
        strips.or_insert_with(|| Arc::new(axis.strips(network, stack, tile, caches, borders))).clone()
    }
}

/// More columns (or rows) of tiles than anybody schedules; each is followed through every layer of its stack.
const MOST_STRIPS: u64 = 1 << 16;
/// Columns of tiles times layers, for the same reason.
const MOST_STRIP_LAYERS: u64 = 1 << 22;
/// More kinds of tiles than anybody schedules: their kinds of columns times their kinds of rows.
const MOST_KINDS: usize = 1 << 14;

fn check_strip_count<'a>(
    network: &Network,
    stacks: impl IntoIterator<Item = &'a Stack>,
    tile: (u64, u64),
) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for stack in stacks {
        for (axis, field, tile) in [(Axis::Columns, "tiles_x", tile.0), (Axis::Rows, "tiles_y", tile.1)] {
            let map = axis.map_size(network, stack, stack.output());
            let most = MOST_STRIPS.min(MOST_STRIP_LAYERS / stack.nodes.len() as u64).max(1);
            if map.div_ceil(tile.max(1)) > most {
                let last = &network.layer(stack.nodes[stack.output()]).name;
                diagnostics.add(
                    format!("settings.{field}"),
                    format!(
                        "The map of `{last}`, {map}, in tiles of {tile} makes more than {most} of them side by side"
                    ),
                    format!("Choose tiles of at least {}", map.div_ceil(most)),
                );
            }
        }
    }
    diagnostics.or(())
}

fn check_kinds(columns: &[Slot], rows: &[Slot]) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    if columns.len().saturating_mul(rows.len()) > MOST_KINDS {
        diagnostics.add(
            "settings",
            format!(
                "Nearly every tile differs from its neighbours: {} kinds of columns by {} kinds of rows",
                columns.len(),
                rows.len()
            ),
            "Choose larger tiles",
        );
    }
    diagnostics.or(())
}

/// What decides how a tile behaves: tiles with equal keys are of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct TileKey {
    weights_from_top: bool,
    caches: Caches,
    /// Behaviour of the column and of the row: indices into [`Strips::effective`].
    behaviour: (usize, usize),
}

struct StackPlanner<'a> {
    core: &'a Core,
    network: &'a Network,
    rules: Rules,
    known: KnownStack,
    mode: StoringMode,
    skipping: Skipping,
    x: Arc<Strips>,
    y: Arc<Strips>,
}

impl<'a> StackPlanner<'a> {
    fn new(planner: &mut Planner<'a>, known: KnownStack, tile: (u64, u64), mode: StoringMode) -> Self {
        let x = planner.strips(Axis::Columns, &known, tile.0, mode.caches_columns());
        let y = planner.strips(Axis::Rows, &known, tile.1, mode.caches_rows());
        let Planner { core, network, rules, skipping, .. } = *planner;
        Self { core, network, rules, known, mode, skipping, x, y }
    }

    fn plan(self, memory: &mut PlannerMemory, judge: Judge<'_>) -> Result<StackPlan, NotPlanned> {
        let (columns, rows) = (&self.x.slots, &self.y.slots);
        check_kinds(columns, rows)?;
        let decisions = self.decide(&mut memory.scratch);
        let of = |decided: &TileDecision| decided.caches.w_memory;
        let w_memory = decisions
            .iter()
            .map(of)
            .max_by_key(|&id| self.core.level_of(Operand::W, id))
            .unwrap_or_else(|| self.core.top(Operand::W));
        let mut types: Vec<TilePlan> = Vec::new();
        let mut known: FastMap<TileKey, usize> = FastMap::default();
        let mut map = TileMap { columns: tile_runs(columns), rows: tile_runs(rows), types: Vec::new() };
        let v_memory = self.v_memory(&decisions);
        for row in rows {
            let mut types_of_row = Vec::with_capacity(columns.len());
            for column in columns {
                let key = self.key(column, row, &decisions, v_memory);
                let index = match known.get(&key) {
                    Some(&index) => index,
                    None => {
                        types.push(self.tile(column, row, key, w_memory, memory, judge)?);
                        known.insert(key, types.len() - 1);
                        types.len() - 1
                    }
                };
                types[index].count += column.count * row.count;
                types_of_row.push(index);
            }
            map.types.push(types_of_row);
        }
        let stack = self.known.stack;
        let has_weights = stack.layers().iter().any(|&layer| has_weights(self.network, layer));
        let output_size = [Axis::Columns, Axis::Rows].map(|axis| axis.map_size(self.network, &stack, stack.output()));
        Ok(StackPlan {
            output_size: output_size.into(),
            weight_bits: self.known.measure.weight_bits,
            weight_memory: has_weights.then_some(w_memory),
            decisions,
            types,
            map,
            stack,
            columns: self.x,
            rows: self.y,
        })
    }

    fn key(&self, column: &Slot, row: &Slot, decisions: &[TileDecision], v_memory: Option<MemoryId>) -> TileKey {
        let decision = |strip: usize| &decisions[row.strip * self.x.different.len() + strip];
        let here = decision(column.strip);
        let h = |neighbour: Option<usize>, written_by_here: bool| {
            self.h_memory(here, decision(neighbour?), written_by_here)
        };
        let caches = Caches {
            h_write: h(column.next, true),
            h_read: h(column.previous, false),
            v_write: v_memory.filter(|_| row.next.is_some()),
            v_read: v_memory.filter(|_| row.previous.is_some()),
        };
        TileKey {
            weights_from_top: column.start == 0 && row.start == 0,
            caches,
            behaviour: (
                self.x.behaviour(column.strip, caches.h_write.is_some(), caches.h_read.is_some()),
                self.y.behaviour(row.strip, caches.v_write.is_some(), caches.v_read.is_some()),
            ),
        }
    }

    /// A tile type, of which no tile is counted yet.
    fn tile(
        &self,
        column: &Slot,
        row: &Slot,
        key: TileKey,
        w_memory: MemoryId,
        memory: &mut PlannerMemory,
        judge: Judge<'_>,
    ) -> Result<TilePlan, NotPlanned> {
        let planner = TilePlanner {
            core: self.core,
            network: self.network,
            rules: self.rules,
            stack: &self.known.stack,
            measure: &self.known.measure,
            layers: &memory.layers,
            skipping: self.skipping,
            weights_from_top: key.weights_from_top,
            caches: key.caches,
            x: &self.x.effective[key.behaviour.0],
            y: &self.y.effective[key.behaviour.1],
            w_memory,
        };
        let (layers, copies) = planner.plan(&mut memory.problems, judge)?;
        Ok(TilePlan {
            size: (column.size, row.size),
            count: 0,
            first_position: (column.start, row.start),
            weights_from_top: key.weights_from_top,
            caches: key.caches,
            layers,
            copies,
        })
    }

    /// Decides for every different pair of column and row: all columns of the first different row, then the next.
    fn decide(&self, scratch: &mut Scratch) -> Vec<TileDecision> {
        let width = self.x.different.len();
        let mut decisions: Vec<Option<TileDecision>> = vec![None; width * self.y.different.len()];
        for row in &self.y.slots {
            for column in &self.x.slots {
                let decision = &mut decisions[row.strip * width + column.strip];
                if decision.is_some() {
                    continue;
                }
                let (x, y) = (&self.x.different[column.strip], &self.y.different[row.strip]);
                let first = (column.start == 0, row.start == 0);
                let deciding = Deciding {
                    core: self.core,
                    rules: &self.rules,
                    stack: &self.known.stack,
                    measure: &self.known.measure,
                    mode: self.mode,
                    first_column: first.0,
                };
                let own = TileGeometry { x: &x.own, y: &y.own };
                let assumed = TileGeometry { x: &x.assumed, y: &y.assumed };
                let caches = deciding.decide(own, assumed, scratch);
                let strips = (column.strip, row.strip);
                *decision = Some(TileDecision { size: (column.size, row.size), first, caches, strips });
            }
        }
        // Every strip lies somewhere, so that no pair is left out.
        decisions.into_iter().flatten().collect()
    }

    /// Where neighbouring columns of tiles exchange their overlap.
    fn h_memory(&self, here: &TileDecision, there: &TileDecision, written_by_here: bool) -> Option<MemoryId> {
        let (here, there) = (here.caches.h_memory?, there.caches.h_memory?);
        let (writer, reader) = if written_by_here { (here, there) } else { (there, here) };
        Some(if self.rules.cache_level_of_neighbour {
            reader
        } else {
            [writer, reader].into_iter().max_by_key(|&id| self.core.level_of(Operand::O, id))?
        })
    }

    /// Where rows of tiles exchange their overlap: the same for all tiles.
    fn v_memory(&self, decisions: &[TileDecision]) -> Option<MemoryId> {
        if self.rules.cache_level_of_neighbour {
            let last = self.y.slots.last()?.strip * self.x.different.len() + self.x.slots.last()?.strip;
            return decisions.get(last)?.caches.v_memory;
        }
        decisions
            .iter()
            .filter_map(|decided| decided.caches.v_memory)
            .max_by_key(|&id| self.core.level_of(Operand::O, id))
    }
}

fn tile_runs(slots: &[Slot]) -> Vec<TileRun> {
    slots.iter().map(|slot| TileRun { start: slot.start, size: slot.size, count: slot.count }).collect()
}
