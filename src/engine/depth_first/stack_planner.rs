//! Planning one stack: which of its tiles behave identically, and where each kind keeps its data.

use super::account::{TileMap, TileRun};
use super::axis::{Axis, Slot, Strips};
use super::ids::{BehaviourId, StripId, TileTypeId};
use super::layer_tile::{TilePlanner, has_weights};
use super::placement::{CacheContext, Scratch, Skipping, TileGeometry};
use super::plan::{Caches, StackPlan, TileDecision, TilePlan};
use super::planner::{KnownStack, LayerTileBudget, Planner, PlannerMemory};
use super::problems::{FeasibilityCheck, NotPlanned};
use super::strategy::StoringMode;
use crate::hardware::{Core, MemoryId, Operand};
use crate::ids::TiVec;
use crate::rules::Rules;
use crate::spec::Diagnostics;
use crate::workload::Network;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// More kinds of tiles than anybody schedules: their kinds of columns times their kinds of rows.
const MOST_KINDS: usize = 1 << 14;

/// What decides how a tile behaves: tiles with equal keys are of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct TileKey {
    weights_from_top: bool,
    caches: Caches,
    /// Behaviour of the column.
    column: BehaviourId,
    /// Behaviour of the row.
    row: BehaviourId,
}

/// One stack while it is planned.
pub(super) struct StackPlanner<'a> {
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
    pub fn new(
        planner: &mut Planner<'a>,
        known: KnownStack,
        tile: (u64, u64),
        mode: StoringMode,
    ) -> Result<Self, Diagnostics> {
        let x = planner.strips(Axis::Columns, &known, tile.0, mode.caches_columns())?;
        let y = planner.strips(Axis::Rows, &known, tile.1, mode.caches_rows())?;
        let Planner { core, network, rules, skipping, .. } = *planner;
        Ok(Self { core, network, rules, known, mode, skipping, x, y })
    }

    pub fn plan(
        self,
        memory: &mut PlannerMemory,
        budget: &mut LayerTileBudget,
        check: FeasibilityCheck<'_>,
    ) -> Result<StackPlan, NotPlanned> {
        let (columns, rows) = (&self.x.slots, &self.y.slots);
        check_kinds(columns, rows)?;
        let decisions = self.decide(&mut memory.scratch);
        let of = |decided: &TileDecision| decided.caches.w_memory;
        // All tiles find the weights in one memory: the highest that any of them needs.
        let w_memory = decisions
            .iter()
            .map(of)
            .max_by_key(|&id| self.core.level_of(Operand::W, id))
            .unwrap_or_else(|| self.core.top(Operand::W));
        let mut types: TiVec<TileTypeId, TilePlan> = TiVec::new();
        let mut known: FxHashMap<TileKey, TileTypeId> = FxHashMap::default();
        let mut map = TileMap { columns: tile_runs(columns), rows: tile_runs(rows), types: Vec::new() };
        let v_memory = self.v_memory(&decisions);
        for row in rows {
            let mut types_of_row = Vec::with_capacity(columns.len());
            for column in columns {
                let key = self.key(column, row, &decisions, v_memory);
                let index = match known.get(&key) {
                    Some(&index) => index,
                    None => {
                        budget.take(&self.known.stack)?;
                        let index = types.push_and_get_key(self.tile(column, row, key, w_memory, memory, check)?);
                        known.insert(key, index);
                        index
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
            weight_bits: self.known.footprint.weight_bits,
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
        let decision = |strip: StripId| &decisions[self.pair(strip, row.strip)];
        let here = decision(column.strip);
        let h = |neighbour: Option<StripId>, written_by_here: bool| {
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
            column: self.x.behaviour(column.strip, caches.h_write.is_some(), caches.h_read.is_some()),
            row: self.y.behaviour(row.strip, caches.v_write.is_some(), caches.v_read.is_some()),
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
        check: FeasibilityCheck<'_>,
    ) -> Result<TilePlan, NotPlanned> {
        let planner = TilePlanner {
            core: self.core,
            network: self.network,
            rules: self.rules,
            stack: &self.known.stack,
            footprint: &self.known.footprint,
            layers: &memory.layers,
            skipping: self.skipping,
            weights_from_top: key.weights_from_top,
            caches: key.caches,
            x: &self.x.effective[key.column],
            y: &self.y.effective[key.row],
            w_memory,
        };
        let reads = planner.reads();
        let (layers, copies) = planner.plan(&mut memory.problems, check)?;
        Ok(TilePlan {
            size: (column.size, row.size),
            count: 0,
            first_position: (column.start, row.start),
            weights_from_top: key.weights_from_top,
            caches: key.caches,
            layers,
            reads,
            copies,
        })
    }

    /// The place of a pair of column and row among the decisions.
    fn pair(&self, column: StripId, row: StripId) -> usize {
        row.index() * self.x.different.len() + column.index()
    }

    /// Decides for every different pair of column and row: all columns of the first different row, then the next.
    fn decide(&self, scratch: &mut Scratch) -> Vec<TileDecision> {
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
        decisions
            .iter()
            .filter_map(|decided| decided.caches.v_memory)
            .max_by_key(|&id| self.core.level_of(Operand::O, id))
    }
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

fn tile_runs(slots: &[Slot]) -> Vec<TileRun> {
    slots.iter().map(|slot| TileRun { start: slot.start, size: slot.size, count: slot.count }).collect()
}
