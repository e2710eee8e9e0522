//! Planning one stack: which of its tiles behave identically, and where each kind keeps its data.

use super::account::{TileMap, TileRun};
use super::axis::{StripRun, StripType, Strips, TileAxis};
use super::copies::CopyAction;
use super::ids::{BehaviourId, NodeId, StripId, TileTypeId};
use super::layer_tile::{TilePlanner, TiledLayer, has_weights};
use super::placement::{CacheContext, CacheDecision, Scratch, TileGeometry, TopLevels, is_shared};
use super::plan::{Caches, LayerTilePlan, StackPlan, TileDecision, TilePlan};
use super::planner::{KnownStack, LayerTileBudget, Planner, PlannerMemory};
use super::problems::{FeasibilityCheck, NotPlanned};
use super::strategy::StoringMode;
use crate::hardware::{Core, MemoryId, Operand};
use crate::ids::{TiSlice, TiVec};
use crate::rules::Rules;
use crate::spec::Diagnostics;
use crate::workload::{LayerId, Network};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Limit on the kinds of tiles: kinds of columns times kinds of rows.
const MOST_KINDS: usize = 1 << 14;

/// The figures that determine the plan of a tile: tiles with equal keys are of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TileKey {
    /// Where the tile lies, if layers fetch weights in it that no tile has fetched before.
    pub fetches_at: Option<(u64, u64)>,
    pub caches: Caches,
    /// Behaviour of the column.
    column: BehaviourId,
    /// Behaviour of the row.
    row: BehaviourId,
}

impl TileKey {
    /// What it has in common with tiles whose caches lie elsewhere.
    pub fn without_caches(self) -> Self {
        Self { caches: Caches::default(), ..self }
    }
}

/// The memories of the data that all tiles of a stack share.
#[derive(Clone, Copy)]
struct Places {
    w_memory: MemoryId,
    v_memory: Option<MemoryId>,
    /// The highest memory in which neighbours exchange columns.
    highest_h: Option<MemoryId>,
    /// The same, if all neighbours exchange columns there, as these stay for several tiles.
    h_memory: Option<MemoryId>,
}

/// One stack while it is planned.
pub(super) struct StackPlanner<'a> {
    pub(super) core: &'a Core,
    network: &'a Network,
    pub(super) rules: Rules,
    pub(super) known: KnownStack,
    pub(super) mode: StoringMode,
    /// The lowest levels at which features may end.
    least: TopLevels,
    /// Whether the stack is planned again only for the reasons why that is impossible.
    explains: bool,
    pub(super) x: Arc<Strips>,
    pub(super) y: Arc<Strips>,
    /// First column and row of the first tile in which each node computes.
    first_tiles: TiVec<NodeId, (u64, u64)>,
    /// Columns of each map that all tiles together compute.
    widths: TiVec<NodeId, u64>,
    /// Bits that one instance of each memory of weights, lowest first, would have to hold of all weights.
    kept_bits: Vec<u64>,
}

impl<'a> StackPlanner<'a> {
    pub fn new(
        planner: &mut Planner<'a>,
        known: KnownStack,
        tile: (u64, u64),
        mode: StoringMode,
    ) -> Result<Self, Diagnostics> {
        let x = planner.strips(TileAxis::Columns, &known, tile.0, mode.caches_columns())?;
        let y = planner.strips(TileAxis::Rows, &known, tile.1, mode.caches_rows())?;
        let Planner { core, network, rules, skipping, .. } = *planner;
        let layers = known.stack.layers().iter().filter_map(|&layer| planner.memory.layers[layer]);
        let kept_bits = (0..core.levels(Operand::W).len())
            .map(|level| layers.clone().map(|layer| layer.kept_bits[level]).sum())
            .collect();
        // Tiles run row by row, so that a layer starts where both of its axes do.
        let first = |slots: &[StripRun], computes: &dyn Fn(StripId) -> bool| {
            slots.iter().find(|slot| computes(slot.strip)).map_or(u64::MAX, |slot| slot.start)
        };
        let first_tile = |node: NodeId| match rules.only_first_tile_fetches_weights {
            true => (0, 0),
            false => (
                first(&x.slots, &|strip| x.different[strip].own.nodes[node].computed > 0),
                first(&y.slots, &|strip| y.different[strip].own.nodes[node].computed > 0),
            ),
        };
        let first_tiles = known.stack.nodes.keys().map(first_tile).collect();
        let computed = |node: NodeId| {
            x.slots.iter().map(|slot| slot.count * x.different[slot.strip].own.nodes[node].computed).sum()
        };
        let widths = known.stack.nodes.keys().map(computed).collect();
        let least = skipping.least(core);
        Ok(Self { core, network, rules, mode, least, explains: false, first_tiles, widths, kept_bits, known, x, y })
    }

    /// Plans the stack. Overlap and kept weights lie in the lowest memories that hold them beside the features. Where
    /// some layer then finds no room, they move up, one after the other, and in the end features do, too.
    pub fn plan(
        mut self,
        memory: &mut PlannerMemory,
        budget: &mut LayerTileBudget,
        check: FeasibilityCheck<'_>,
    ) -> Result<StackPlan, NotPlanned> {
        check_kinds(&self.x.slots, &self.y.slots)?;
        let decisions = self.decide(&mut memory.scratch);
        let mut places = self.places(&decisions);
        loop {
            let mut left = *budget;
            match self.plan_tiles(&decisions, &places, memory, &mut left, check) {
                Ok((types, map)) => {
                    *budget = left;
                    return Ok(self.planned(decisions, places.w_memory, types, map));
                }
                Err(NotPlanned::Impossible(wrong)) => match self.raised(&places) {
                    Some(higher) => places = higher,
                    None if self.explains => return Err(wrong.into()),
                    None => match self.least.raised(self.core).filter(|_| !self.rules.mappings_have_whole_memories) {
                        Some(higher) => self.least = higher,
                        None => self.explains = true,
                    },
                },
                Err(NotPlanned::Later) => return Err(NotPlanned::Later),
            }
        }
    }

    /// The memories of the data that all tiles share.
    fn places(&self, decisions: &[TileDecision]) -> Places {
        let of = |decided: &TileDecision| decided.caches.w_memory;
        // All tiles find the weights in one memory: the highest that any of them needs.
        let w_memory = decisions
            .iter()
            .map(of)
            .max_by_key(|&id| self.core.level_of(Operand::W, id))
            .unwrap_or_else(|| self.core.top(Operand::W));
        let columns = self.highest(decisions, |caches| caches.h_memory);
        Places {
            w_memory,
            v_memory: self.v_memory(decisions),
            highest_h: columns,
            h_memory: columns.filter(|_| self.keeps_columns_for_several()),
        }
    }

    /// These places with one of them raised: rows first, then columns, then weights. `None` where all are the highest.
    fn raised(&self, places: &Places) -> Option<Places> {
        if self.rules.mappings_have_whole_memories {
            return None;
        }
        let above = |operand: Operand, memory: MemoryId, fits: &dyn Fn(MemoryId) -> bool| {
            let levels = self.core.levels(operand).iter().copied();
            levels.skip_while(|&id| id != memory).skip(1).find(|&id| fits(id))
        };
        let shared = |memory: Option<MemoryId>| above(Operand::O, memory?, &|id| is_shared(self.core, id));
        if let Some(rows) = shared(places.v_memory) {
            return Some(Places { v_memory: Some(rows), ..*places });
        }
        if let Some(columns) = shared(places.h_memory.or(places.highest_h)) {
            return Some(Places { h_memory: Some(columns), ..*places });
        }
        let weights = above(Operand::W, places.w_memory, &|_| true)?;
        Some(Places { w_memory: weights, ..*places })
    }

    /// All tile types, and where they lie.
    fn plan_tiles(
        &self,
        decisions: &[TileDecision],
        places: &Places,
        memory: &mut PlannerMemory,
        budget: &mut LayerTileBudget,
        check: FeasibilityCheck<'_>,
    ) -> Result<(TiVec<TileTypeId, TilePlan>, TileMap), NotPlanned> {
        let columns = &self.x.slots;
        let keys = |number: usize| {
            let row = &self.y.slots[number];
            columns.iter().map(|column| self.key(column, row, decisions, places)).collect()
        };
        self.types_and_map(columns, keys, budget, |place, key| {
            let planner = self.tile_planner(key, places.w_memory, &memory.layers);
            let plan = |tile: &TilePlanner<'_>| tile.plan(&mut memory.problems, check);
            tile_plan(place, key, &planner, plan)
        })
    }

    /// All tile types, each planned once, and where they lie. `keys` are those of the tiles of a row by its number, one
    /// for each of the columns.
    pub(super) fn types_and_map(
        &self,
        columns: &[StripRun],
        keys: impl Fn(usize) -> Vec<TileKey>,
        budget: &mut LayerTileBudget,
        mut plan: impl FnMut(SizeAndPlace, &TileKey) -> Result<TilePlan, NotPlanned>,
    ) -> Result<(TiVec<TileTypeId, TilePlan>, TileMap), NotPlanned> {
        let rows = &self.y.slots;
        let mut types: TiVec<TileTypeId, TilePlan> = TiVec::new();
        let mut known: FxHashMap<TileKey, TileTypeId> = FxHashMap::default();
        let mut map = TileMap { columns: tile_runs(columns), rows: tile_runs(rows), types: Vec::new() };
        for (number, row) in rows.iter().enumerate() {
            let mut types_of_row = Vec::with_capacity(columns.len());
            for (column, key) in columns.iter().zip(keys(number)) {
                let index = match known.get(&key) {
                    Some(&index) => index,
                    None => {
                        budget.take(&self.known.stack)?;
                        let place = ((column.size, row.size), (column.start, row.start));
                        let index = types.push_and_get_key(plan(place, &key)?);
                        known.insert(key, index);
                        index
                    }
                };
                types[index].count += column.count * row.count;
                types_of_row.push(index);
            }
            map.types.push(types_of_row);
        }
        Ok((types, map))
    }

    pub(super) fn planned(
        self,
        decisions: Vec<TileDecision>,
        w_memory: MemoryId,
        types: TiVec<TileTypeId, TilePlan>,
        map: TileMap,
    ) -> StackPlan {
        let stack = self.known.stack;
        let has_weights = stack.layers().iter().any(|&layer| has_weights(self.network, layer));
        let output_size =
            [TileAxis::Columns, TileAxis::Rows].map(|axis| axis.map_size(self.network, &stack, stack.output()));
        StackPlan {
            output_size: output_size.into(),
            weight_bits: self.known.footprint.weight_bits,
            weight_memory: has_weights.then_some(w_memory),
            kept_bits: self.kept_bits,
            decisions,
            types,
            map,
            stack,
            columns: self.x,
            rows: self.y,
        }
    }

    fn key(&self, column: &StripRun, row: &StripRun, decisions: &[TileDecision], places: &Places) -> TileKey {
        let decision = |strip: StripId| &decisions[self.pair(strip, row.strip)];
        let here = decision(column.strip);
        let h = |neighbour: Option<StripId>, written_by_here: bool| {
            let neighbour = neighbour?;
            places.h_memory.or_else(|| self.h_memory(here, decision(neighbour), written_by_here))
        };
        let columns = [h(column.previous, false), h(column.next, true)];
        self.key_of((column.start, row.start), (column, row), places.v_memory, columns)
    }

    /// The key of the tile at a place, given the memories of the rows, and of the columns that it reads and writes.
    pub(super) fn key_of(
        &self,
        place: (u64, u64),
        (column, row): (&StripRun, &StripRun),
        v_memory: Option<MemoryId>,
        [h_read, h_write]: [Option<MemoryId>; 2],
    ) -> TileKey {
        let caches = Caches {
            h_write,
            h_read,
            v_write: v_memory.filter(|_| row.next.is_some()),
            v_read: v_memory.filter(|_| row.previous.is_some()),
        };
        TileKey {
            fetches_at: self.first_tiles.contains(&place).then_some(place),
            caches,
            column: self.x.behaviour(column.strip, caches.h_write.is_some(), caches.h_read.is_some()),
            row: self.y.behaviour(row.strip, caches.v_write.is_some(), caches.v_read.is_some()),
        }
    }

    /// The planner of the tiles of one type.
    pub(super) fn tile_planner<'t>(
        &'t self,
        key: &TileKey,
        w_memory: MemoryId,
        layers: &'t TiSlice<LayerId, Option<TiledLayer>>,
    ) -> TilePlanner<'t> {
        let level = self.core.level_of(Operand::W, w_memory);
        TilePlanner {
            core: self.core,
            network: self.network,
            rules: self.rules,
            stack: &self.known.stack,
            footprint: &self.known.footprint,
            layers,
            least: self.least,
            fetches_weights: self.first_tiles.iter().map(|&place| key.fetches_at == Some(place)).collect(),
            caches: key.caches,
            widths: &self.widths,
            kept_bits: level.map_or(0, |level| self.kept_bits[level]),
            x: &self.x.effective[key.column],
            y: &self.y.effective[key.row],
            w_memory,
            explains: self.explains,
        }
    }

    /// Index of the decision for a pair of column and row.
    fn pair(&self, column: StripId, row: StripId) -> usize {
        row.index() * self.x.different.len() + column.index()
    }

    /// Decides for every different pair of column and row: all columns of the first different row, then the next.
    pub(super) fn decide(&self, scratch: &mut Scratch) -> Vec<TileDecision> {
        let count = self.x.different.len() * self.y.different.len();
        let mut decisions: Vec<Option<TileDecision>> = vec![None; count];
        for row in &self.y.slots {
            for column in &self.x.slots {
                let decision = &mut decisions[self.pair(column.strip, row.strip)];
                if decision.is_some() {
                    continue;
                }
                let (x, y) = (&self.x.different[column.strip], &self.y.different[row.strip]);
                let first = (column.start == 0, row.start == 0);
                let context = CacheContext {
                    core: self.core,
                    rules: &self.rules,
                    stack: &self.known.stack,
                    footprint: &self.known.footprint,
                    mode: self.mode,
                    first_column: first.0,
                    kept_bits: &self.kept_bits,
                };
                let own = TileGeometry { x: &x.own, y: &y.own };
                let assumed = TileGeometry { x: &x.assumed, y: &y.assumed };
                let caches = context.decide(own, assumed, scratch);
                let size = (column.size, row.size);
                *decision = Some(TileDecision { size, first, caches, column: column.strip, row: row.strip });
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
            let last = self.pair(self.x.slots.last()?.strip, self.y.slots.last()?.strip);
            return decisions.get(last)?.caches.v_memory;
        }
        self.highest(decisions, |caches| caches.v_memory)
    }

    fn highest(
        &self,
        decisions: &[TileDecision],
        memory: impl Fn(&CacheDecision) -> Option<MemoryId>,
    ) -> Option<MemoryId> {
        let memories = decisions.iter().filter_map(|decided| memory(&decided.caches));
        memories.max_by_key(|&id| self.core.level_of(Operand::O, id))
    }

    /// Whether cached columns stay for more than the next tile.
    pub(super) fn keeps_columns_for_several(&self) -> bool {
        let stay = |strip: &StripType| strip.own.nodes.iter().any(|span| span.to_cache > span.written);
        self.mode.caches_columns() && !self.rules.far_columns_left_behind && self.x.different.iter().any(stay)
    }
}

/// Columns and rows of a tile, and the first place of its type.
pub(super) type SizeAndPlace = ((u64, u64), (u64, u64));

/// A tile type with a count of 0.
pub(super) fn tile_plan(
    (size, first_position): SizeAndPlace,
    key: &TileKey,
    planner: &TilePlanner<'_>,
    plan: impl FnOnce(&TilePlanner<'_>) -> Result<(TiVec<NodeId, LayerTilePlan>, Vec<CopyAction>), NotPlanned>,
) -> Result<TilePlan, NotPlanned> {
    let reads = planner.reads();
    let (layers, copies) = plan(planner)?;
    Ok(TilePlan {
        size,
        count: 0,
        first_position,
        weights_from_top: key.fetches_at.is_some(),
        caches: key.caches,
        layers,
        reads,
        copies,
    })
}

pub(super) fn check_kinds(columns: &[StripRun], rows: &[StripRun]) -> Result<(), Diagnostics> {
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

fn tile_runs(slots: &[StripRun]) -> Vec<TileRun> {
    slots.iter().map(|slot| TileRun { start: slot.start, size: slot.size, count: slot.count }).collect()
}
