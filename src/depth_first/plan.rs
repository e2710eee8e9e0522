//! Planning one point: its stacks, tile types, placements, copies, and the mapping problems they contain.

use super::account::{TileMap, TileRun};
use super::axis::{Axis, Run, Strip, Strips};
use super::copies::CopyAction;
use super::layer_tile::{TilePlanner, has_weights};
use super::placement::{CacheDecision, Deciding, Measure, TileGeometry};
use super::stack::{Stack, cut};
use super::strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::hardware::{Core, MemoryId, Operand};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::rules::Rules;
use crate::search::{Limits, has_mapping};
use crate::spec::Diagnostics;
use crate::workload::{LayerId, Network};
use std::collections::{HashMap, HashSet};
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
    infeasible: HashSet<LayerProblem>,
}

/// Plans points of one network on one core, remembering what they share.
pub struct Planner<'a> {
    core: &'a Core,
    network: &'a Network,
    rules: Rules,
    limits: Limits,
    stacks: HashMap<FuseDepth, Result<Vec<Arc<Stack>>, Diagnostics>>,
    strips: HashMap<(Vec<LayerId>, bool, u64, bool), Arc<Strips>>,
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
        let tile = tile.min(axis.map_size(self.network, stack, stack.output()));
        let (network, borders) = (self.network, !self.rules.tiles_without_borders);
        self.strips
            .entry((stack.nodes.clone(), axis == Axis::Columns, tile, caches))
            .or_insert_with(|| Arc::new(axis.strips(network, stack, tile, caches, borders)))
            .clone()
    }

    /// The index of a problem that has a mapping; `None` where nothing fits.
    pub(super) fn intern(&mut self, problem: LayerProblem) -> Option<usize> {
        if let Some(&index) = self.problems.index.get(&problem) {
            return Some(index);
        }
        if self.problems.infeasible.contains(&problem) {
            return None;
        }
        if has_mapping(&LayerOnCore::new(self.core, self.rules, &problem), &self.limits) {
            let index = self.problems.list.len();
            self.problems.list.push(problem.clone());
            self.problems.index.insert(problem, index);
            Some(index)
        } else {
            self.problems.infeasible.insert(problem);
            None
        }
    }
}

/// More columns (or rows) of tiles than anybody schedules; each is followed through every layer of its stack.
const MOST_STRIPS: u64 = 1 << 16;
/// Columns of tiles times layers, for the same reason.
const MOST_STRIP_LAYERS: u64 = 1 << 22;
/// More kinds of tiles than anybody schedules: their kinds of columns times their kinds of rows.
const MOST_KINDS: usize = 1 << 14;

fn check_strip_count(
    network: &Network,
    stacks: &[Arc<Stack>],
    strategy: &DepthFirstStrategy,
) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for (axis, field, tile) in [(Axis::Columns, "tiles_x", strategy.tile.0), (Axis::Rows, "tiles_y", strategy.tile.1)] {
        if strategy.fuse == FuseDepth::LayerByLayer {
            continue;
        }
        for stack in stacks {
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
pub(super) struct TileKey {
    pub weights_from_top: bool,
    pub caches: Caches,
    pub x: Strip,
    pub y: Strip,
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

    fn tile_planner<'k>(&'k self, key: &'k TileKey, w_memory: MemoryId) -> TilePlanner<'k> {
        TilePlanner { core: self.core, network: self.network, rules: self.rules, stack: &self.stack, key, w_memory }
    }

    fn measure(&self) -> Measure<'_> {
        Measure { network: self.network, stack: &self.stack, rules: &self.rules }
    }

    fn plan(self, planner: &mut Planner<'_>) -> Result<StackPlan, Diagnostics> {
        let (columns, rows) = (slots(&self.x.runs), slots(&self.y.runs));
        check_kinds(&columns, &rows)?;
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
                            layers: self.tile_planner(&key, w_memory).plan(planner)?,
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
                    let deciding =
                        Deciding { core: self.core, measure: self.measure(), mode: self.mode, first_column: first.0 };
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
