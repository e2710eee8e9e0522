//! Choosing where a stack keeps the data that its tiles share: its weights, and the overlap that tiles leave each other.
//!
//! All tiles find the weights in one memory, and rows of overlap in one memory, so each pair of these is tried. Columns
//! of overlap lie in any memory at each boundary between two tiles of a row: given the price of a tile for the memory
//! that it reads and the one that it writes, the best memories along a row are a shortest path, and rows are independent
//! of each other. Tiles are placed ([`super::tile_placement`]) only where the path goes that is best by the prices and
//! lower bounds known so far, until all of its tiles are placed.

use super::account::TileMap;
use super::axis::StripRun;
use super::ids::{NodeId, TileTypeId};
use super::layer_tile::TilePlanner;
use super::node_choices::{Finder, NodeChoices, NodePlacement, TileChoices};
use super::placement::is_shared;
use super::plan::{StackPlan, TilePlan};
use super::planner::{LayerTileBudget, PlannerMemory};
use super::price::{Price, Prices};
use super::problems::NotPlanned;
use super::stack_planner::{StackPlanner, TileKey, check_kinds, tile_plan};
use super::tile_placement::TilePlacements;
use crate::hardware::{MemoryId, Operand};
use crate::ids::TiVec;
use crate::mapping::LayerProblem;
use crate::search::Effort;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What is known of the tiles of one type.
enum TilePrice {
    /// A lower bound on all placements.
    AtLeast(Box<TilePlacements>),
    /// The best placement.
    Placed(Price, TiVec<NodeId, NodePlacement>),
    /// Nothing fits.
    Nowhere,
}

impl TilePrice {
    fn price(&self) -> Price {
        match self {
            Self::AtLeast(placements) => placements.least(),
            Self::Placed(price, _) => *price,
            Self::Nowhere => Price::INFINITE,
        }
    }
}

/// The memories of the data that tiles share, and what all tiles cost together.
struct Arrangement {
    w_memory: MemoryId,
    v_memory: Option<MemoryId>,
    /// For each row of the tile map, the memory of columns at each boundary between two tiles.
    h_memories: Vec<Vec<Option<MemoryId>>>,
    price: Price,
}

impl StackPlanner<'_> {
    /// Plans the stack with the best of all placements; `None` where that costs more than `most`, or nothing fits.
    ///
    /// # Errors
    /// As [`Self::plan`], without the reasons of layers that fit nowhere.
    pub fn plan_best(
        self,
        memory: &mut PlannerMemory,
        budget: &mut LayerTileBudget,
        prices: &mut dyn Prices,
        most: Price,
    ) -> Result<Option<StackPlan>, NotPlanned> {
        check_kinds(&self.x.slots, &self.y.slots)?;
        let decisions = self.decide(&mut memory.scratch);
        let mut tiles = PlacedTiles::new(&self, memory, prices);
        let Some(best) = tiles.best(most)? else { return Ok(None) };
        let (types, map) = tiles.plan(&best, budget)?;
        Ok(Some(self.planned(decisions, best.w_memory, types, map)))
    }

    /// The memories that overlap may lie in, from the lowest; none, once, where there is no cache.
    fn cache_memories(&self, is_cached: bool) -> Vec<Option<MemoryId>> {
        if !is_cached {
            return vec![None];
        }
        let (levels, top) = (self.core.levels(Operand::O), self.core.top(Operand::O));
        levels.iter().filter(|&&id| id == top || is_shared(self.core, id)).map(|&id| Some(id)).collect()
    }
}

/// The tiles of a stack while its shared data is placed.
struct PlacedTiles<'k, 'a> {
    stack: &'k StackPlanner<'a>,
    memory: &'k mut PlannerMemory,
    prices: &'k mut dyn Prices,
    known: FxHashMap<(TileKey, MemoryId), TilePrice>,
    /// By tile but for its caches, and by memory of weights.
    choices: FxHashMap<(TileKey, MemoryId), TileChoices>,
}

impl<'k, 'a> PlacedTiles<'k, 'a> {
    fn new(stack: &'k StackPlanner<'a>, memory: &'k mut PlannerMemory, prices: &'k mut dyn Prices) -> Self {
        Self { stack, memory, prices, known: FxHashMap::default(), choices: FxHashMap::default() }
    }

    /// The best of all placements; `None` where that costs more than `most`, or nothing fits.
    fn best(&mut self, most: Price) -> Result<Option<Arrangement>, NotPlanned> {
        let stack = self.stack;
        let mut all = Vec::new();
        for v_memory in stack.cache_memories(stack.mode.caches_rows() && stack.y.slots.len() > 1) {
            for &w_memory in stack.core.levels(Operand::W) {
                all.push(self.arrangement(w_memory, v_memory));
            }
        }
        loop {
            let least = all.iter().enumerate().min_by_key(|(_, arrangement)| arrangement.price);
            let Some(number) = least.map(|(number, _)| number) else { return Ok(None) };
            if all[number].price > most || all[number].price >= Price::INFINITE {
                return Ok(None);
            }
            if self.search(&mut all[number])? {
                return Ok(Some(all.swap_remove(number)));
            }
        }
    }

    /// The best memories of columns for these of weights and rows, by what is known so far.
    fn arrangement(&mut self, w_memory: MemoryId, v_memory: Option<MemoryId>) -> Arrangement {
        let rows = &self.stack.y.slots;
        let paths: Vec<RowPath> = rows.iter().map(|row| self.row_path((w_memory, v_memory), row)).collect();
        let sum = |price: Price, (row, path): (&StripRun, &RowPath)| price + path.price * row.count;
        let price = rows.iter().zip(&paths).fold(Price::default(), sum);
        let h_memories = paths.into_iter().map(|path| path.memories).collect();
        Arrangement { w_memory, v_memory, h_memories, price }
    }

    /// Searches the best placements of the tiles of an arrangement, by what is known so far. Returns whether all of them
    /// are known.
    fn search(&mut self, arrangement: &mut Arrangement) -> Result<bool, NotPlanned> {
        let Arrangement { w_memory, v_memory, h_memories, .. } = &*arrangement;
        let (w_memory, v_memory) = (*w_memory, *v_memory);
        let stack = self.stack;
        let mut keys: Vec<TileKey> = Vec::new();
        for (row, memories) in stack.y.slots.iter().zip(h_memories) {
            for (column, _, columns) in tiles_along(&stack.x.slots, memories) {
                let key = stack.key_of((column.start, row.start), (column, row), v_memory, columns);
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        let mut are_known = true;
        for effort in [Effort::Short, Effort::Score] {
            for key in &keys {
                let Some(TilePrice::AtLeast(placements)) = self.known.get_mut(&(*key, w_memory)) else { continue };
                let Some(choices) = self.choices.get_mut(&(key.without_caches(), w_memory)) else { continue };
                let PlannerMemory { layers, problems, prices, .. } = &mut *self.memory;
                let tile = stack.tile_planner(key, w_memory, layers);
                let find = &mut Finder { problems, known: prices, prices: self.prices };
                let is_searched = placements.search(&tile, choices, effort, find)?;
                are_known &= is_searched && effort == Effort::Short;
                if is_searched && (effort == Effort::Score || placements.least() >= Price::INFINITE) {
                    let price = placements.least();
                    let placed = match price < Price::INFINITE {
                        true => TilePrice::Placed(price, placements.best(choices)),
                        false => TilePrice::Nowhere,
                    };
                    self.known.insert((*key, w_memory), placed);
                }
            }
            if !are_known {
                break;
            }
        }
        // Arrangements share tiles that exchange nothing, so that prices may have changed without a search.
        let before = arrangement.price;
        *arrangement = self.arrangement(w_memory, v_memory);
        Ok(are_known && arrangement.price == before)
    }

    /// The best memories along a row, by what is known of its tiles.
    fn row_path(&mut self, (w_memory, v_memory): (MemoryId, Option<MemoryId>), row: &StripRun) -> RowPath {
        let stack = self.stack;
        let choices = stack.cache_memories(stack.mode.caches_columns() && stack.x.slots.len() > 1);
        let columns = &stack.x.slots;
        let mut price = |column: &StripRun, h: [Option<MemoryId>; 2]| {
            let key = stack.key_of((column.start, row.start), (column, row), v_memory, h);
            self.price_of(key, w_memory)
        };
        if stack.keeps_columns_for_several() {
            // Columns stay for more tiles than the next, so that all boundaries have one memory.
            let of_memory = |&memory: &Option<MemoryId>| {
                let at = |slot: &StripRun| {
                    [memory.filter(|_| slot.previous.is_some()), memory.filter(|_| slot.next.is_some())]
                };
                let sum = columns.iter().fold(Price::default(), |sum, slot| sum + price(slot, at(slot)) * slot.count);
                let boundaries = columns.iter().map(|slot| slot.count as usize).sum::<usize>() - 1;
                RowPath { price: sum, memories: vec![memory; boundaries] }
            };
            let paths: Vec<RowPath> = choices.iter().map(of_memory).collect();
            return paths.into_iter().min_by_key(|path| path.price).unwrap_or_default();
        }
        // The least price of the tiles so far, by the memory at the boundary behind them.
        let mut least: Vec<(Option<MemoryId>, Price)> = vec![(None, Price::default())];
        let mut before: Vec<Vec<usize>> = Vec::new();
        for slot in columns {
            let starts = if slot.previous.is_some() { choices.as_slice() } else { &[None] };
            let ends = if slot.next.is_some() { choices.as_slice() } else { &[None] };
            // By the memory behind the tile, then by that before it.
            let prices: Vec<Price> = ends
                .iter()
                .flat_map(|&end| starts.iter().map(move |&start| [start, end]))
                .map(|h| price(slot, h))
                .collect();
            for _ in 0..slot.count {
                let mut here = Vec::with_capacity(ends.len());
                let mut from = Vec::with_capacity(ends.len());
                for (&end, prices) in ends.iter().zip(prices.chunks(starts.len())) {
                    let ways = least.iter().zip(prices).enumerate().map(|(way, (&(start, so_far), &price))| {
                        // Among equals the memory stays.
                        (so_far + price, start != end, way)
                    });
                    let (best, _, way) = ways.min().unwrap_or((Price::INFINITE, false, 0));
                    here.push((end, best));
                    from.push(way);
                }
                least = here;
                before.push(from);
            }
        }
        let price = least.first().map_or(Price::INFINITE, |(_, price)| *price);
        let mut memories = Vec::with_capacity(before.len());
        let mut at = 0;
        for from in before.iter().rev() {
            at = from[at];
            memories.push(choices.get(at).copied().flatten());
        }
        // The first tile has no boundary before it.
        memories.pop();
        memories.reverse();
        RowPath { price, memories }
    }

    fn price_of(&mut self, key: TileKey, w_memory: MemoryId) -> Price {
        if let Some(known) = self.known.get(&(key, w_memory)) {
            return known.price();
        }
        let PlannerMemory { layers, problems, prices, .. } = &mut *self.memory;
        let tile = self.stack.tile_planner(&key, w_memory, layers);
        let find = &mut Finder { problems, known: prices, prices: self.prices };
        let choices = self
            .choices
            .entry((key.without_caches(), w_memory))
            .or_insert_with(|| tile.stack.nodes.keys().map(|node| NodeChoices::new(&tile, node, find)).collect());
        let placements = Box::new(TilePlacements::new(&tile, choices, find));
        let least = placements.least();
        self.known.insert((key, w_memory), TilePrice::AtLeast(placements));
        least
    }

    /// All tile types of an arrangement, and where they lie.
    fn plan(
        self,
        best: &Arrangement,
        budget: &mut LayerTileBudget,
    ) -> Result<(TiVec<TileTypeId, TilePlan>, TileMap), NotPlanned> {
        let Self { stack, memory, prices, known, .. } = self;
        let columns = split(&stack.x.slots, &best.h_memories);
        let keys = |number: usize| {
            let row = &stack.y.slots[number];
            let tiles = tiles_along(&columns, &best.h_memories[number]);
            let key = |(column, _, h): (&StripRun, usize, [Option<MemoryId>; 2])| {
                stack.key_of((column.start, row.start), (column, row), best.v_memory, h)
            };
            tiles.map(key).collect()
        };
        stack.types_and_map(&columns, keys, budget, |place, key| {
            // The tiles of the best arrangement are placed.
            let placed = known.get(&(*key, best.w_memory));
            let Some(TilePrice::Placed(_, placement)) = placed else { return Err(NotPlanned::Later) };
            let tile = stack.tile_planner(key, best.w_memory, &memory.layers);
            let check = &mut |problem: &LayerProblem| prices.check(problem);
            let plan = |tile: &TilePlanner<'_>| tile.plan_as(placement, &mut memory.problems, check);
            tile_plan(place, key, &tile, plan)
        })
    }
}

/// The memories of columns along one row of tiles, and the price of its tiles.
#[derive(Default)]
struct RowPath {
    price: Price,
    memories: Vec<Option<MemoryId>>,
}

/// The columns of a row of tiles, with the index of their first tile and the memories that it reads columns from and
/// writes them to. A column whose tiles exchange columns by different memories comes once for each pair of these.
fn tiles_along<'c>(
    columns: &'c [StripRun],
    memories: &'c [Option<MemoryId>],
) -> impl Iterator<Item = (&'c StripRun, usize, [Option<MemoryId>; 2])> {
    let mut first = 0;
    columns.iter().flat_map(move |column| {
        let start = first;
        first += column.count as usize;
        let at = move |boundary: usize| memories.get(boundary).copied().flatten();
        let mut last = None;
        (start..first).filter_map(move |tile| {
            let pair = [tile.checked_sub(1).and_then(at), at(tile)];
            (last.replace(pair) != Some(pair)).then_some((column, tile, pair))
        })
    })
}

/// Columns of tiles, split where tiles of some row exchange columns by other memories than the tile before.
fn split(columns: &[StripRun], h_memories: &[Vec<Option<MemoryId>>]) -> Vec<StripRun> {
    let mut starts: BTreeSet<usize> = BTreeSet::new();
    for memories in h_memories {
        starts.extend(tiles_along(columns, memories).map(|(_, tile, _)| tile));
    }
    let starts: Vec<usize> = starts.into_iter().collect();
    let mut first = 0;
    let mut pieces = Vec::with_capacity(starts.len());
    for column in columns {
        let end = first + column.count as usize;
        let inside: Vec<usize> = starts.iter().copied().filter(|start| (first..end).contains(start)).collect();
        for (place, &tile) in inside.iter().enumerate() {
            let next = inside.get(place + 1).copied().unwrap_or(end);
            let same = Some(column.strip);
            pieces.push(StripRun {
                start: column.start + (tile - first) as u64 * column.size,
                count: (next - tile) as u64,
                previous: if tile == first { column.previous } else { same },
                next: if next == end { column.next } else { same },
                ..*column
            });
        }
        first = end;
    }
    pieces
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod brute_force;
