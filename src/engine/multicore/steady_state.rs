//! The steady state of a stack of layers (Stream, Section 5.2).

use super::graph::TileGraph;
use super::ids::{IterationTile, NestId, TileId};
use crate::ids::{TiVec, ti_vec};
use rustc_hash::FxHashMap;

/// The iteration that a stack repeats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SteadyState {
    /// Number of iterations.
    pub iterations: usize,
    /// Its tiles, by layer and number.
    pub tiles: TiVec<IterationTile, TileId>,
    /// Its share of the stack's multiply-accumulates.
    pub mac_share: f64,
    /// For every iteration of the stack, in order, the tiles that it computes and no earlier one does.
    pub all: Vec<TiVec<IterationTile, TileId>>,
}

/// The steady state of a stack. `macs` gives the multiply-accumulates of a tile.
///
/// An iteration consists of the next tile of every layer that no other of the stack reads, with all tiles that it needs
/// and that are not computed yet. Iterations with as many tiles of each layer are equal; the steady state is the kind
/// with the most multiply-accumulates in all.
pub fn steady_state(graph: &TileGraph, layers: &[NestId], macs: &dyn Fn(TileId) -> u64) -> SteadyState {
    // The place of each layer in the stack.
    let count = graph.tiles.iter().map(|tile| tile.layer.index() + 1).max().unwrap_or(0);
    let mut place_of: TiVec<NestId, Option<usize>> = ti_vec![None; count];
    for (place, &layer) in layers.iter().enumerate() {
        if let Some(of) = place_of.get_mut(layer) {
            *of = Some(place);
        }
    }
    let place = |tile: TileId| place_of[graph.tiles[tile].layer];
    let is_inside = |tile: TileId| place(tile).is_some();
    let mut sinks_of = vec![Vec::new(); layers.len()];
    for tile in graph.tiles.keys() {
        let is_sink = !graph.successors(tile).any(|edge| edge.operand.is_some() && is_inside(edge.to));
        if let Some(place) = place(tile).filter(|_| is_sink) {
            sinks_of[place].push(tile);
        }
    }
    let mut sinks: Vec<Vec<TileId>> = Vec::new();
    for of_layer in sinks_of {
        for (iteration, sink) in of_layer.into_iter().enumerate() {
            match sinks.get_mut(iteration) {
                Some(all) => all.push(sink),
                None => sinks.push(vec![sink]),
            }
        }
    }
    let mut is_done: TiVec<TileId, bool> = ti_vec![false; graph.tiles.len()];
    let all: Vec<TiVec<IterationTile, TileId>> = sinks
        .into_iter()
        .map(|mut open| {
            let mut new = TiVec::new();
            while let Some(tile) = open.pop() {
                if !std::mem::replace(&mut is_done[tile], true) {
                    new.push(tile);
                    open.extend(graph.predecessors(tile).map(|edge| edge.from).filter(|&tile| is_inside(tile)));
                }
            }
            new.sort_unstable();
            new
        })
        .collect();
    let work = |tiles: &TiVec<IterationTile, TileId>| tiles.iter().map(|&tile| macs(tile)).sum::<u64>();
    let total: u64 = all.iter().map(work).sum();
    // A kind of iterations, which have as many tiles of each layer.
    struct Kind {
        iterations: usize,
        /// Index of the first such iteration.
        first: usize,
    }
    let mut kinds: Vec<Kind> = Vec::new();
    let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    for (iteration, tiles) in all.iter().enumerate() {
        let mut signature = vec![0; layers.len()];
        tiles.iter().filter_map(|&tile| place(tile)).for_each(|place| signature[place] += 1);
        let kind = *known.entry(signature).or_insert(kinds.len());
        match kinds.get_mut(kind) {
            Some(kind) => kind.iterations += 1,
            None => kinds.push(Kind { iterations: 1, first: iteration }),
        }
    }
    let weight = |kind: &Kind| work(&all[kind.first]) * kind.iterations as u64;
    let heaviest = kinds.iter().rev().max_by_key(|kind| weight(kind));
    let Some(heaviest) = heaviest else { return SteadyState::default() };
    SteadyState {
        iterations: heaviest.iterations,
        tiles: all[heaviest.first].clone(),
        mac_share: weight(heaviest) as f64 / total.max(1) as f64,
        all,
    }
}
