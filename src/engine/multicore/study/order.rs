//! In which order tiles are taken.

use super::super::build::TiledNetwork;
use super::super::request::OrderRule;
use super::super::steady_state::SteadyState;
use super::super::waco::Allocation;
use super::{CoresStudy, StackAllocation};

impl CoresStudy {
    /// The rank of every tile: by stack, then as the rule says.
    pub(super) fn ranks(&self, tiled: &TiledNetwork, stacks: &[StackAllocation], order: OrderRule) -> Vec<usize> {
        let graph = &self.unshared.graph;
        // By tile of the layers that nobody shares.
        let mut rank = vec![0; graph.tiles.len()];
        let mut next = 0;
        for (stack, layers) in self.stacks.iter().enumerate() {
            let known = stacks.iter().find(|known| known.layers == *layers && known.coarsened == 1);
            let slots = known.and_then(|known| known.found.best.as_ref());
            let tiles: Vec<usize> = match (order, slots) {
                (OrderRule::Slots, Some(found)) => self.by_slots(&self.steady_state(stack), found),
                _ => {
                    let of_layer = |&layer: &usize| (self.unshared.first[layer]..self.unshared.first[layer + 1]).rev();
                    layers.iter().rev().flat_map(of_layer).collect()
                }
            };
            for tile in tiles {
                rank[tile] = next;
                next += 1;
            }
        }
        let place = |tile: usize| {
            let facts = &tiled.graph.tiles[tile];
            let first = self.unshared.first[facts.layer];
            let count = self.unshared.first[facts.layer + 1] - first;
            (rank[first + facts.number % count.max(1)], tile)
        };
        let mut order: Vec<usize> = (0..tiled.graph.tiles.len()).collect();
        order.sort_by_key(|&tile| place(tile));
        let mut ranks = vec![0; order.len()];
        for (place, tile) in order.into_iter().enumerate() {
            ranks[tile] = place;
        }
        ranks
    }

    /// The tiles of a stack, iteration by iteration; in those that repeat by slot, in the others the deepest layer first.
    fn by_slots(&self, steady: &SteadyState, found: &Allocation) -> Vec<usize> {
        let layer_of = |tile: usize| self.unshared.graph.tiles[tile].layer;
        let layers = |tiles: &[usize]| -> Vec<usize> { tiles.iter().map(|&tile| layer_of(tile)).collect() };
        let repeated = layers(&steady.tiles);
        let mut all = Vec::new();
        for iteration in &steady.all {
            let mut tiles = iteration.clone();
            if layers(&tiles) == repeated {
                let mut by_slot: Vec<usize> = (0..tiles.len()).collect();
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
