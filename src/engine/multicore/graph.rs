//! Computation tiles, the tensors they read and write, and who waits for whom (Stream, Section 4).

use super::ids::{GroupId, NestId, TensorId, TileId, TileNumber};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec};
use crate::units::Bits;
use std::sync::Arc;

/// A part of a layer that is computed on one core without interruption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// Its layer.
    pub layer: NestId,
    /// Its place among the layer's tiles.
    pub number: TileNumber,
    /// Which of the layer's cores computes it, where several share the layer: its part of the loops that are split over cores.
    pub group: GroupId,
    /// The tensors of W, I and O; `None` where the operator has no such operand.
    pub tensors: [Option<TensorId>; 3],
    /// The operands that no other tile computes, in the order in which they are fetched.
    pub constants: Arc<[Operand]>,
    /// Whether its output is complete, and not a partial sum.
    pub is_final: bool,
}

/// What tiles read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// Its size.
    pub bits: Bits,
    /// How many tiles use it, for one that no tile computes; else how many wait for it.
    pub uses: u64,
    /// Whether a tile computes it.
    pub is_output: bool,
}

/// One tile waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Who is waited for.
    pub from: TileId,
    /// Who waits.
    pub to: TileId,
    /// The operand of the waiting tile that it needs; `None` if only the order matters.
    pub operand: Option<Operand>,
}

/// All tiles of a network.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileGraph {
    /// By layer, then by number.
    pub tiles: TiVec<TileId, Tile>,
    /// All tensors.
    pub tensors: TiVec<TensorId, Tensor>,
    incoming: Ends,
    outgoing: Ends,
}

/// The other ends of the edges of each tile. There are millions of them: an edge takes eight bytes at each end.
#[derive(Debug, Clone, PartialEq, Default)]
struct Ends {
    /// Behind the last of each tile.
    until: TiVec<TileId, u32>,
    /// Those of all tiles.
    ends: Vec<End>,
}

/// A tile, and the operand that it needs or is needed for.
type End = (TileId, Option<Operand>);

const _: () = assert!(size_of::<End>() == 8);

impl Ends {
    fn of(&self, tile: TileId) -> &[End] {
        let from = tile.index().checked_sub(1).map_or(0, |before| self.until.raw[before]);
        &self.ends[from as usize..self.until[tile] as usize]
    }

    /// The same edges, listed at their other end.
    fn turned(&self) -> Self {
        let mut next = vec![0_u32; self.until.len() + 1];
        self.ends.iter().for_each(|end| next[end.0.index() + 1] += 1);
        (1..next.len()).for_each(|tile| next[tile] += next[tile - 1]);
        let mut ends = vec![(TileId::default(), None); self.ends.len()];
        for tile in self.until.keys() {
            for &(other, operand) in self.of(tile) {
                let place = &mut next[other.index()];
                ends[*place as usize] = (tile, operand);
                *place += 1;
            }
        }
        // Now each begins where the next one began.
        next.pop();
        Self { until: next.into(), ends }
    }
}

/// Tiles and their edges, as they are collected.
#[derive(Default)]
pub struct Growing {
    tiles: TiVec<TileId, Tile>,
    incoming: Ends,
}

impl Growing {
    /// Adds a tile.
    pub fn push(&mut self, tile: Tile) {
        self.tiles.push(tile);
    }

    /// The tiles that there are.
    pub fn tiles(&self) -> &TiSlice<TileId, Tile> {
        &self.tiles
    }

    /// Adds the edges of the next tile that has none yet, in the order of the tiles that it waits for.
    pub fn wait(&mut self, edges: &[Edge]) {
        self.incoming.ends.extend(edges.iter().map(|edge| (edge.from, edge.operand)));
        self.incoming.until.push(self.incoming.ends.len() as u32);
    }

    /// The whole graph.
    pub fn finish(self, tensors: TiVec<TensorId, Tensor>) -> TileGraph {
        let outgoing = self.incoming.turned();
        TileGraph { tiles: self.tiles, tensors, incoming: self.incoming, outgoing }
    }
}

impl TileGraph {
    /// A graph of these tiles. The edges come in any order.
    pub fn new(tiles: TiVec<TileId, Tile>, tensors: TiVec<TensorId, Tensor>, mut edges: Vec<Edge>) -> Self {
        edges.sort_by_key(|edge| (edge.to, edge.from));
        let mut rest = &edges[..];
        let mut growing = Growing { tiles, ..Growing::default() };
        for tile in TileId::first(growing.tiles.len()) {
            let (of_tile, others) = rest.split_at(rest.partition_point(|edge| edge.to <= tile));
            growing.wait(of_tile);
            rest = others;
        }
        growing.finish(tensors)
    }

    /// All edges, by the waiting tile.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        self.tiles.keys().flat_map(|tile| self.predecessors(tile))
    }

    /// What a tile waits for, by layer and number.
    pub fn predecessors(&self, to: TileId) -> impl ExactSizeIterator<Item = Edge> {
        self.incoming.of(to).iter().map(move |&(from, operand)| Edge { from, to, operand })
    }

    /// What waits for a tile, by layer and number.
    pub fn successors(&self, from: TileId) -> impl ExactSizeIterator<Item = Edge> {
        self.outgoing.of(from).iter().map(move |&(to, operand)| Edge { from, to, operand })
    }

    /// What travels along an edge; none if only the order matters.
    pub fn bits(&self, edge: Edge) -> Bits {
        let tensor = edge.operand.and_then(|_| self.tensor(edge.from, Operand::O));
        tensor.map_or(Bits(0), |tensor| self.tensors[tensor].bits)
    }

    /// The tensor of an operand of a tile.
    pub fn tensor(&self, tile: TileId, operand: Operand) -> Option<TensorId> {
        self.tiles[tile].tensors[operand as usize]
    }
}
