//! The order in which tiles are taken.

use super::super::build::TiledNetwork;
use super::super::ids::{IterationTile, NestId, TileId, TileNumber};
use super::super::request::OrderRule;
use super::super::steady_state::SteadyState;
use super::super::waco::TileAllocation;
use super::{CoresProblem, StackAllocation};
use crate::ids::{TiVec, ti_vec};
use std::cmp::Reverse;

impl CoresProblem {
    /// The rank of every tile: by stack, then by the rule.
    pub(super) fn ranks(
        &self,
        tiled: &TiledNetwork,
        stacks: &[StackAllocation],
        order: OrderRule,
    ) -> TiVec<TileId, usize> {
        let graph = &self.unshared.graph;
        // Ranks of the tiles before layers are shared.
        let mut rank: TiVec<TileId, usize> = ti_vec![0; graph.tiles.len()];
        let mut next = 0;
        for (stack, layers) in self.stacks.iter_enumerated() {
            let known = stacks.iter().find(|known| known.layers == *layers && known.coarsened == 1);
            let slots = known.and_then(|known| known.found.best.as_ref());
            let tiles: Vec<TileId> = match (order, slots) {
                (OrderRule::Slots, Some(found)) => self.by_slots(&self.steady_state(stack), found),
                _ => {
                    let of_layer = |&layer: &NestId| self.unshared.tiles_of(layer).rev();
                    layers.iter().rev().flat_map(of_layer).collect()
                }
            };
            for tile in tiles {
                rank[tile] = next;
                next += 1;
            }
        }
        let place = |tile: TileId| {
            let facts = &tiled.graph.tiles[tile];
            // Cuts over cores run slowest: a tile of a shared layer is part of the tile of the whole layer with its number within the
            // group.
            let count = self.unshared.tiles_of(facts.layer).len();
            let whole = TileNumber::from(facts.number.index() % count.max(1));
            (rank[self.unshared.tile(facts.layer, whole)], tile)
        };
        let is_last_part_first = self.settings.scheduler.rules().takes_last_part_first && order == OrderRule::Deepest;
        let mut order: Vec<TileId> = tiled.graph.tiles.keys().collect();
        if is_last_part_first {
            let of_layer = |layer: NestId| rank[self.unshared.tile(layer, TileNumber::default())];
            order.sort_by_key(|&tile| (of_layer(tiled.graph.tiles[tile].layer), Reverse(tile)));
        } else {
            order.sort_by_key(|&tile| place(tile));
        }
        let mut ranks: TiVec<TileId, usize> = ti_vec![0; order.len()];
        for (place, tile) in order.into_iter().enumerate() {
            ranks[tile] = place;
        }
        ranks
    }

    /// The tiles of a stack, iteration by iteration; in those that repeat by slot, in the others the deepest layer first.
    fn by_slots(&self, steady: &SteadyState, found: &TileAllocation) -> Vec<TileId> {
        let layer_of = |tile: TileId| self.unshared.graph.tiles[tile].layer;
        let layers = |tiles: &TiVec<IterationTile, TileId>| -> Vec<NestId> {
            tiles.iter().map(|&tile| layer_of(tile)).collect()
        };
        let repeated = layers(&steady.tiles);
        let mut all = Vec::new();
        for iteration in &steady.all {
            let mut tiles = iteration.clone();
            if layers(&tiles) == repeated {
                let mut by_slot: Vec<IterationTile> = tiles.keys().collect();
                by_slot.sort_by_key(|&place| (found.tiles[place].0, tiles[place]));
                tiles = by_slot.into_iter().map(|place| iteration[place]).collect();
            } else {
                tiles.reverse();
            }
            all.extend(tiles);
        }
        all
    }
}
