//! What a stack of layers computes again and again (Stream, Section 5.2).

use super::graph::TileGraph;

/// The iteration that a stack repeats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SteadyState {
    /// How often it is computed.
    pub iterations: usize,
    /// Its tiles, by layer and number.
    pub tiles: Vec<usize>,
    /// Its share of the stack's multiply-accumulates.
    pub mac_share: f64,
    /// What each iteration of the stack computes anew, in order.
    pub all: Vec<Vec<usize>>,
}

/// The steady state of the stack of these layers. `macs` is what each tile computes.
///
/// An iteration is the next tile of every layer that no other of the stack reads, with all that it needs and that is not computed yet. Iterations
/// with as many tiles of each layer are equal; the steady state is that of which there are most, by multiply-accumulates.
pub fn steady_state(graph: &TileGraph, layers: &[usize], macs: &dyn Fn(usize) -> u64) -> SteadyState {
    let is_inside = |tile: usize| layers.contains(&graph.tiles[tile].layer);
    let mut sinks: Vec<Vec<usize>> = Vec::new();
    for &layer in layers {
        let is_sink = |&tile: &usize| {
            graph.tiles[tile].layer == layer
                && !graph.successors(tile).any(|edge| edge.operand.is_some() && is_inside(edge.to))
        };
        for (iteration, sink) in (0..graph.tiles.len()).filter(is_sink).enumerate() {
            match sinks.get_mut(iteration) {
                Some(all) => all.push(sink),
                None => sinks.push(vec![sink]),
            }
        }
    }
    let mut is_done = vec![false; graph.tiles.len()];
    let all: Vec<Vec<usize>> = sinks
        .into_iter()
        .map(|mut open| {
            let mut new = Vec::new();
            while let Some(tile) = open.pop() {
                if !std::mem::replace(&mut is_done[tile], true) {
                    new.push(tile);
                    open.extend(graph.predecessors(tile).iter().map(|edge| edge.from).filter(|&tile| is_inside(tile)));
                }
            }
            new.sort_unstable();
            new
        })
        .collect();
    let work = |tiles: &[usize]| tiles.iter().map(|&tile| macs(tile)).sum::<u64>();
    let total: u64 = all.iter().map(|tiles| work(tiles)).sum();
    let signature = |tiles: &[usize]| -> Vec<usize> {
        let count = |layer: &usize| tiles.iter().filter(|&&tile| graph.tiles[tile].layer == *layer).count();
        layers.iter().map(count).collect()
    };
    // Number of iterations, and the first of them.
    let mut kinds: Vec<(Vec<usize>, usize, usize)> = Vec::new();
    for (iteration, tiles) in all.iter().enumerate() {
        let signature = signature(tiles);
        match kinds.iter_mut().find(|kind| kind.0 == signature) {
            Some(kind) => kind.1 += 1,
            None => kinds.push((signature, 1, iteration)),
        }
    }
    let weight = |kind: &(Vec<usize>, usize, usize)| work(&all[kind.2]) * kind.1 as u64;
    let heaviest = kinds.iter().rev().max_by_key(|kind| weight(kind));
    let Some(heaviest) = heaviest else { return SteadyState::default() };
    SteadyState {
        iterations: heaviest.1,
        tiles: all[heaviest.2].clone(),
        mac_share: weight(heaviest) as f64 / total.max(1) as f64,
        all,
    }
}
