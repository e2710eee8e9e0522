//! Computation tiles, the tensors they read and write, and who waits for whom (Stream, Section 4).

use crate::hardware::Operand;

/// A part of a layer that is computed on one core without interruption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// Its layer.
    pub layer: usize,
    /// Its place among the layer's tiles.
    pub number: usize,
    /// Which of the layer's cores computes it, where several share the layer: its part of the loops that are split over cores.
    pub group: usize,
    /// The tensors of W, I and O, as indices into [`TileGraph::tensors`]; `None` where the operator has no such operand.
    pub tensors: [Option<usize>; 3],
    /// The operands that no other tile computes, in the order in which they are fetched.
    pub constants: Vec<Operand>,
    /// Whether its output is complete, and not a partial sum.
    pub is_final: bool,
}

/// What tiles read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// Size, bits.
    pub bits: u64,
    /// How many tiles use it, for one that no tile computes; else how many wait for it.
    pub uses: u64,
    /// Whether a tile computes it.
    pub is_output: bool,
}

/// One tile waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Who is waited for.
    pub from: usize,
    /// Who waits.
    pub to: usize,
    /// The operand of the waiting tile that it needs; `None` if only the order matters.
    pub operand: Option<Operand>,
    /// What the waiting tile needs, bits.
    pub bits: u64,
}

/// All tiles of a network.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileGraph {
    /// By layer, then by number.
    pub tiles: Vec<Tile>,
    /// All tensors.
    pub tensors: Vec<Tensor>,
    /// By the waiting tile; for each in the order of the tiles waited for.
    edges: Vec<Edge>,
    /// Where each tile's edges begin in `edges`.
    incoming: Vec<usize>,
    /// Indices into `edges`, by the tile waited for.
    outgoing: Vec<usize>,
    /// Where each tile's begin there.
    outgoing_starts: Vec<usize>,
}

impl TileGraph {
    /// A graph of these tiles. The edges come in any order.
    pub fn new(tiles: Vec<Tile>, tensors: Vec<Tensor>, mut edges: Vec<Edge>) -> Self {
        edges.sort_unstable_by_key(|edge| (edge.to, edge.from));
        let incoming = starts(tiles.len(), edges.iter().map(|edge| edge.to));
        let outgoing_starts = starts(tiles.len(), edges.iter().map(|edge| edge.from));
        let mut next = outgoing_starts.clone();
        let mut outgoing = vec![0; edges.len()];
        for (index, edge) in edges.iter().enumerate() {
            outgoing[next[edge.from]] = index;
            next[edge.from] += 1;
        }
        Self { tiles, tensors, edges, incoming, outgoing, outgoing_starts }
    }

    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// What a tile waits for, by layer and number.
    pub fn predecessors(&self, tile: usize) -> &[Edge] {
        &self.edges[self.incoming[tile]..self.incoming[tile + 1]]
    }

    /// What waits for a tile, by layer and number.
    pub fn successors(&self, tile: usize) -> impl Iterator<Item = &Edge> {
        self.outgoing[self.outgoing_starts[tile]..self.outgoing_starts[tile + 1]].iter().map(|&edge| &self.edges[edge])
    }

    /// The tensor of an operand of a tile.
    pub fn tensor(&self, tile: usize, operand: Operand) -> Option<usize> {
        self.tiles[tile].tensors[operand as usize]
    }
}

/// Where the entries of each of `count` groups begin, if they are sorted by group; one more at the end.
fn starts(count: usize, groups: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0; count + 1];
    groups.for_each(|group| starts[group + 1] += 1);
    for group in 0..count {
        starts[group + 1] += starts[group];
    }
    starts
}
