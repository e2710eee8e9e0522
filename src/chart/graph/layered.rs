//! A layered layout of a directed graph, from the top to the bottom: every node lies below those it reads, nodes of one
//! rank stand side by side, and no edge crosses a node.
//!
//! The four steps of Sugiyama, Tagawa and Toda (1981): ranks by the longest path; a slot in every rank that an edge
//! passes; an order within each rank by the mean position of the neighbours; then positions as close to the neighbours
//! as the order and the distances allow, by a monotone regression for each rank.

use fusescape_spec::sorting::{sort_by, sort_by_key};
use petgraph::algo::greedy_feedback_arc_set;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use std::collections::HashSet;

/// Sizes of the parts of a layout, CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spacing {
    /// Width of a node.
    pub width: f64,
    /// Height of a node.
    pub height: f64,
    /// Between two ranks.
    pub between_ranks: f64,
    /// Between two neighbours of a rank.
    pub between_nodes: f64,
    /// Width that a passing edge takes.
    pub lane: f64,
}

/// An edge as a sequence of points; from each to the next it runs straight down, or swings in the gap between two
/// ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Index of the upper node.
    pub from: usize,
    /// Index of the lower node.
    pub to: usize,
    /// From the bottom of one node to the top of the other.
    pub points: Vec<(f64, f64)>,
}

/// A layered layout of a graph: positions of nodes and routes of edges, CSS pixels from the upper left corner.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layered {
    pub width: f64,
    pub height: f64,
    /// Left and upper edge of every node.
    pub nodes: Vec<(f64, f64)>,
    /// Rank of every node, 0 for the highest.
    pub ranks: Vec<usize>,
    /// The edges.
    pub routes: Vec<Route>,
    /// Edges that are not drawn: those that would close a cycle, and the longest ones if there are too many.
    pub left_out: Vec<(usize, usize)>,
}

/// Limit on the slots of all ranks taken by passing edges; beyond it the longest edges are left out.
const MOST_LANES: usize = 20_000;
/// Number of passes that improve orders and positions.
const SWEEPS: usize = 6;
/// Weight of the alignment of two slots of neighbouring ranks: largest for two slots of one passing edge, so that it is
/// straight; then for two nodes; smallest for the ends of a passing edge, as it runs beside the nodes that it skips.
fn pull(a: &RankCell, b: &RankCell) -> f64 {
    match (a.node, b.node) {
        (None, None) => 8.0,
        (Some(_), Some(_)) => 1.0,
        _ => 0.05,
    }
}

/// Lays out `count` nodes with these edges.
pub fn lay_out(count: usize, edges: &[(usize, usize)], spacing: &Spacing) -> Layered {
    let (kept, mut left_out) = without_circles(count, edges);
    let ranks = rank(count, &kept);
    let (kept, too_long) = with_lanes_for(kept, &ranks);
    left_out.extend(too_long);
    let mut grid = RankGrid::new(&ranks, &kept);
    grid.order();
    grid.place(spacing);
    grid.drawn(ranks, &kept, left_out, spacing)
}

type GraphEdge = (usize, usize);

/// The edges without those of a feedback arc set, and the removed ones.
fn without_circles(count: usize, edges: &[GraphEdge]) -> (Vec<GraphEdge>, Vec<GraphEdge>) {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = (0..count).map(|_| graph.add_node(())).collect();
    let known: Vec<GraphEdge> = edges.iter().copied().filter(|(from, to)| *from < count && *to < count).collect();
    for (from, to) in &known {
        graph.add_edge(nodes[*from], nodes[*to], ());
    }
    let back: HashSet<GraphEdge> =
        greedy_feedback_arc_set(&graph).map(|edge| (edge.source().index(), edge.target().index())).collect();
    let (left_out, kept) = known.into_iter().partition(|edge| back.contains(edge) || edge.0 == edge.1);
    (kept, left_out)
}

/// Rank of each node: the length of the longest path to it.
fn rank(count: usize, edges: &[GraphEdge]) -> Vec<usize> {
    let mut readers = vec![Vec::new(); count];
    let mut missing = vec![0usize; count];
    for &(from, to) in edges {
        readers[from].push(to);
        missing[to] += 1;
    }
    let mut ranks = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&node| missing[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &reader in &readers[node] {
            ranks[reader] = ranks[reader].max(ranks[node] + 1);
            missing[reader] -= 1;
            if missing[reader] == 0 {
                ready.push(reader);
            }
        }
    }
    ranks
}

/// Splits the edges, shortest first, into those that have room and the others.
fn with_lanes_for(mut edges: Vec<GraphEdge>, ranks: &[usize]) -> (Vec<GraphEdge>, Vec<GraphEdge>) {
    let span = |&(from, to): &GraphEdge| ranks[to].saturating_sub(ranks[from] + 1);
    sort_by_key(&mut edges, span);
    let mut lanes = 0;
    edges.into_iter().partition(|edge| {
        lanes += span(edge);
        lanes <= MOST_LANES
    })
}

/// A slot of a rank: a node, or a passing edge.
#[derive(Debug, Clone, Default)]
struct RankCell {
    node: Option<usize>,
    above: Vec<usize>,
    below: Vec<usize>,
    /// Horizontal middle.
    x: f64,
}

/// Slots by rank.
struct RankGrid {
    slots: Vec<RankCell>,
    ranks: Vec<Vec<usize>>,
    /// For each edge its slots, from end to end.
    paths: Vec<Vec<usize>>,
}

impl RankGrid {
    fn new(ranks: &[usize], edges: &[GraphEdge]) -> Self {
        let height = ranks.iter().max().map_or(0, |highest| highest + 1);
        let mut grid = Self { slots: Vec::new(), ranks: vec![Vec::new(); height], paths: Vec::new() };
        for (node, &rank) in ranks.iter().enumerate() {
            grid.add(Some(node), rank);
        }
        for &(from, to) in edges {
            let mut path = vec![from];
            for rank in ranks[from] + 1..ranks[to] {
                path.push(grid.add(None, rank));
            }
            path.push(to);
            for pair in path.windows(2) {
                grid.slots[pair[0]].below.push(pair[1]);
                grid.slots[pair[1]].above.push(pair[0]);
            }
            grid.paths.push(path);
        }
        grid
    }

    fn add(&mut self, node: Option<usize>, rank: usize) -> usize {
        self.slots.push(RankCell { node, ..RankCell::default() });
        self.ranks[rank].push(self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// Orders every rank by the mean place of its neighbours above, then below.
    fn order(&mut self) {
        let mut place: Vec<f64> = vec![0.0; self.slots.len()];
        let number = |rank: &[usize], place: &mut [f64]| {
            for (index, &slot) in rank.iter().enumerate() {
                place[slot] = index as f64 - rank.len() as f64 / 2.0;
            }
        };
        self.ranks.iter().for_each(|rank| number(rank, &mut place));
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            for step in 0..self.ranks.len() {
                let at = if down { step } else { self.ranks.len() - 1 - step };
                let slots = &self.slots;
                let mean = |slot: usize| {
                    let neighbours = if down { &slots[slot].above } else { &slots[slot].below };
                    let sum: f64 = neighbours.iter().map(|&other| place[other]).sum();
                    if neighbours.is_empty() { place[slot] } else { sum / neighbours.len() as f64 }
                };
                let mut keyed: Vec<(f64, usize)> = self.ranks[at].iter().map(|&slot| (mean(slot), slot)).collect();
                sort_by(&mut keyed, |a, b| a.0.total_cmp(&b.0));
                self.ranks[at] = keyed.into_iter().map(|(_, slot)| slot).collect();
                number(&self.ranks[at], &mut place);
            }
        }
    }

    /// Gives every slot a position.
    fn place(&mut self, spacing: &Spacing) {
        let half = |slot: &RankCell| if slot.node.is_some() { spacing.width / 2.0 } else { spacing.lane / 2.0 };
        for sweep in 0..6 * SWEEPS {
            for step in 0..self.ranks.len() {
                let at = if sweep % 2 == 0 { step } else { self.ranks.len() - 1 - step };
                let rank = &self.ranks[at];
                // Distance of each slot from the first of its rank.
                let mut offsets = vec![0.0];
                for pair in rank.windows(2) {
                    let [a, b] = [pair[0], pair[1]].map(|slot| half(&self.slots[slot]));
                    offsets.push(offsets.last().copied().unwrap_or(0.0) + a + b + spacing.between_nodes);
                }
                let wish = |(&slot, offset): (&usize, &f64)| {
                    let own = &self.slots[slot];
                    // In the first pass only the rank above has its positions.
                    let near = own.above.iter().chain(own.below.iter().filter(|_| sweep > 0));
                    let (mut sum, mut pulls) = (0.0, 0.0);
                    for other in near.map(|&other| &self.slots[other]) {
                        sum += pull(own, other) * other.x;
                        pulls += pull(own, other);
                    }
                    if pulls > 0.0 { (sum / pulls - offset, pulls) } else { (own.x - offset, 1.0) }
                };
                let wishes: Vec<(f64, f64)> = rank.iter().zip(&offsets).map(wish).collect();
                let rank = rank.clone();
                for ((slot, x), offset) in rank.into_iter().zip(monotone(&wishes)).zip(offsets) {
                    self.slots[slot].x = x + offset;
                }
            }
        }
    }

    fn drawn(self, ranks: Vec<usize>, edges: &[GraphEdge], left_out: Vec<GraphEdge>, spacing: &Spacing) -> Layered {
        let half = |slot: &RankCell| if slot.node.is_some() { spacing.width / 2.0 } else { spacing.lane / 2.0 };
        let left = self.slots.iter().map(|slot| slot.x - half(slot)).fold(f64::INFINITY, f64::min);
        let right = self.slots.iter().map(|slot| slot.x + half(slot)).fold(f64::NEG_INFINITY, f64::max);
        if self.slots.is_empty() {
            return Layered::default();
        }
        let pitch = spacing.height + spacing.between_ranks;
        let x = |slot: usize| self.slots[slot].x - left;
        let nodes = ranks.iter().enumerate().map(|(node, &rank)| (x(node) - spacing.width / 2.0, rank as f64 * pitch));
        let route = |(&(from, to), path): (&GraphEdge, &Vec<usize>)| {
            let top = |step: usize| (ranks[from] + step) as f64 * pitch;
            let mut points = vec![(x(from), top(0) + spacing.height)];
            for (step, &slot) in path.iter().enumerate().skip(1) {
                points.push((x(slot), top(step)));
                if self.slots[slot].node.is_none() {
                    points.push((x(slot), top(step) + spacing.height));
                }
            }
            Route { from, to, points }
        };
        Layered {
            width: right - left,
            height: self.ranks.len() as f64 * pitch - spacing.between_ranks,
            nodes: nodes.collect(),
            routes: edges.iter().zip(&self.paths).map(route).collect(),
            ranks,
            left_out,
        }
    }
}

/// The non-decreasing numbers closest to the wishes by weighted squares (pool adjacent violators).
fn monotone(wishes: &[(f64, f64)]) -> Vec<f64> {
    // Value, weight and length of each pool.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(wish, weight) in wishes {
        let mut pool = (wish, weight, 1);
        while let Some(&(value, earlier, length)) = pools.last().filter(|last| last.0 > pool.0) {
            let sum = earlier + pool.1;
            pool = ((value * earlier + pool.0 * pool.1) / sum, sum, length + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(value, _, length)| std::iter::repeat_n(value, length)).collect()
}
