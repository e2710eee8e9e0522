//! The tile graph: computation tiles, the tensors they read and write, and their dependencies (Stream, Section 4).

use super::ids::{GroupId, NestId, TensorId, TileId, TileNumber};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec};
use crate::units::Bits;
use std::sync::Arc;

/// A computation tile: part of a layer, computed on one core without interruption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The layer that it is a part of.
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

/// A tensor that tiles read or write as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileTensor {
    /// Its size.
    pub bits: Bits,
    /// Number of tiles that use it, if no tile computes it; else number of tiles that wait for it.
    pub uses: u64,
    /// Whether a tile computes it.
    pub is_output: bool,
}

/// A dependency between two tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The tile that comes first.
    pub from: TileId,
    /// The tile that waits for it.
    pub to: TileId,
    /// The operand of the waiting tile that it needs; `None` if only the order matters.
    pub operand: Option<Operand>,
}

/// The tiles of a network, their tensors and their dependencies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileGraph {
    /// By layer, then by number.
    pub tiles: TiVec<TileId, Tile>,
    /// Tensors, in the order in which tiles make them.
    pub tensors: TiVec<TensorId, TileTensor>,
    incoming: Ends,
    outgoing: Ends,
}

/// Adjacency lists of all tiles, in compressed rows. There may be millions of edges: each takes eight bytes at each end.
#[derive(Debug, Clone, PartialEq, Default)]
struct Ends {
    /// End of each tile's list in `ends`.
    until: TiVec<TileId, u32>,
    /// The lists of all tiles, one after the other.
    ends: Vec<DependencyEnd>,
}

/// A tile, and the operand that it needs or is needed for.
type DependencyEnd = (TileId, Option<Operand>);

const _: () = assert!(size_of::<DependencyEnd>() == 8);

impl Ends {
    fn of(&self, tile: TileId) -> &[DependencyEnd] {
        let from = tile.index().checked_sub(1).map_or(0, |before| self.until.raw[before]);
        &self.ends[from as usize..self.until[tile] as usize]
    }

    /// The lists of the same edges at their other ends.
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

/// Builds a tile graph tile by tile, with incoming edges; `finish` adds the outgoing ones.
#[derive(Default)]
pub struct TileGraphBuilder {
    tiles: TiVec<TileId, Tile>,
    incoming: Ends,
}

impl TileGraphBuilder {
    /// Adds a tile.
    pub fn push(&mut self, tile: Tile) {
        self.tiles.push(tile);
    }

    /// The tiles so far.
    pub fn tiles(&self) -> &TiSlice<TileId, Tile> {
        &self.tiles
    }

    /// Adds the edges of the next tile that has none yet, in the order of the tiles that it waits for.
    pub fn wait(&mut self, edges: &[Edge]) {
        self.incoming.ends.extend(edges.iter().map(|edge| (edge.from, edge.operand)));
        self.incoming.until.push(self.incoming.ends.len() as u32);
    }

    /// The graph of all tiles that were added.
    pub fn finish(self, tensors: TiVec<TensorId, TileTensor>) -> TileGraph {
        let outgoing = self.incoming.turned();
        TileGraph { tiles: self.tiles, tensors, incoming: self.incoming, outgoing }
    }
}

impl TileGraph {
    /// A graph of these tiles. The edges come in any order.
    pub fn new(tiles: TiVec<TileId, Tile>, tensors: TiVec<TensorId, TileTensor>, mut edges: Vec<Edge>) -> Self {
        edges.sort_by_key(|edge| (edge.to, edge.from));
        let mut rest = &edges[..];
        let mut builder = TileGraphBuilder { tiles, ..TileGraphBuilder::default() };
        for tile in TileId::first(builder.tiles.len()) {
            let (of_tile, others) = rest.split_at(rest.partition_point(|edge| edge.to <= tile));
            builder.wait(of_tile);
            rest = others;
        }
        builder.finish(tensors)
    }

    /// All edges, by the waiting tile.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        self.tiles.keys().flat_map(|tile| self.predecessors(tile))
    }

    /// The dependencies of a tile on earlier ones, by layer and number.
    pub fn predecessors(&self, to: TileId) -> impl ExactSizeIterator<Item = Edge> {
        self.incoming.of(to).iter().map(move |&(from, operand)| Edge { from, to, operand })
    }

    /// The dependencies of later tiles on a tile, by layer and number.
    pub fn successors(&self, from: TileId) -> impl ExactSizeIterator<Item = Edge> {
        self.outgoing.of(from).iter().map(move |&(to, operand)| Edge { from, to, operand })
    }

    /// Bits that travel along an edge; 0 if only the order matters.
    pub fn bits(&self, edge: Edge) -> Bits {
        let tensor = edge.operand.and_then(|_| self.tensor(edge.from, Operand::O));
        tensor.map_or(Bits(0), |tensor| self.tensors[tensor].bits)
    }

    /// The tensor of an operand of a tile.
    pub fn tensor(&self, tile: TileId, operand: Operand) -> Option<TensorId> {
        self.tiles[tile].tensors[operand as usize]
    }
}
