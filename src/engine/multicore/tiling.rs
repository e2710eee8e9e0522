//! Grids of computation tiles: layers cut along their loops.

use super::ids::TileNumber;
use super::nest::{AxisExpression, LoopNest, LoopRanges};
use super::rules::TilingRules;
use crate::workload::Dim;

/// The cuts of a layer: loops, each with its number of pieces. The loop listed first varies fastest over tile numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopCuts {
    /// Cuts in time, by which layers can run fused, tile by tile.
    pub in_time: Vec<(Dim, u64)>,
    /// Cuts that share a layer among cores.
    pub over_cores: Vec<(Dim, u64)>,
}

impl LoopCuts {
    /// The cuts in time, then those over cores.
    pub fn cuts(&self) -> impl Iterator<Item = (Dim, u64)> + '_ {
        self.in_time.iter().chain(&self.over_cores).copied()
    }

    /// Number of tiles.
    pub fn tiles(&self) -> u64 {
        self.cuts().map(|(_, pieces)| pieces).product()
    }
}

/// Position of a tile in the grid: its piece of each loop, by [`Dim`].
pub type TilePosition = [u32; 8];

/// The tiles of a layer: a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct TileGrid {
    /// Number of tiles.
    pub count: usize,
    /// Ranges into which each loop is cut, by [`Dim`].
    pub pieces: [Vec<std::ops::Range<u64>>; 8],
    /// The amount that each piece of each loop adds to the number of a tile, by [`Dim`].
    pub places: [Vec<TileNumber>; 8],
    cuts: Vec<Cut>,
}

/// A cut of a loop.
#[derive(Debug, Clone, PartialEq)]
struct Cut {
    dim: Dim,
    pieces: usize,
    /// Number of tiles by the cuts before it.
    inner_tiles: usize,
    /// Number of pieces of the loop by the cuts before it.
    inner_pieces: usize,
}

impl TileGrid {
    /// The grid of a layer.
    pub fn new(nest: &LoopNest, split: &LoopCuts, rules: TilingRules) -> Self {
        let mut pieces: [Vec<std::ops::Range<u64>>; 8] = Default::default();
        let mut places: [Vec<TileNumber>; 8] = Default::default();
        for dim in Dim::ALL {
            let cuts: u64 = split.cuts().filter(|cut| cut.0 == dim).map(|cut| cut.1).product();
            let size = nest.size(dim);
            pieces[dim as usize] = (0..cuts)
                .map(|piece| {
                    if rules.drops_remainders {
                        let length = size / cuts;
                        piece * length..(piece + 1) * length
                    } else {
                        piece * size / cuts..(piece + 1) * size / cuts
                    }
                })
                .collect();
            places[dim as usize] = vec![TileNumber::default(); cuts as usize];
        }
        let mut inner = [1_usize; 8];
        let (mut count, mut cuts) = (1, Vec::new());
        for (dim, pieces) in split.cuts() {
            let (pieces, inner_pieces) = (pieces as usize, &mut inner[dim as usize]);
            for (piece, place) in places[dim as usize].iter_mut().enumerate() {
                *place += TileNumber::from(piece / *inner_pieces % pieces * count);
            }
            cuts.push(Cut { dim, pieces, inner_tiles: count, inner_pieces: *inner_pieces });
            *inner_pieces *= pieces;
            count *= pieces;
        }
        Self { count, pieces, places, cuts }
    }

    /// By loop dimension, each from 0.
    pub fn position(&self, number: TileNumber) -> TilePosition {
        let mut position = [0; 8];
        for cut in &self.cuts {
            position[cut.dim as usize] += (number.index() / cut.inner_tiles % cut.pieces * cut.inner_pieces) as u32;
        }
        position
    }

    /// The part of a loop that a tile computes.
    pub fn piece(&self, dim: Dim, position: &TilePosition) -> &std::ops::Range<u64> {
        &self.pieces[dim as usize][position[dim as usize] as usize]
    }

    /// Part of all loops that a tile computes.
    pub fn part(&self, position: &TilePosition) -> LoopRanges {
        std::array::from_fn(|dim| self.pieces[dim][position[dim] as usize].clone())
    }
}

/// The loops that index an axis, with their numbers of pieces: all that matters of a tile's position along the axis.
pub struct AxisPieces {
    dims: Vec<(Dim, usize)>,
}

impl AxisPieces {
    /// The pieces along an axis of a tensor, by the cuts of this grid.
    pub fn new(axis: &AxisExpression, grid: &TileGrid) -> Self {
        let pieces = |dim: Dim| (dim, grid.pieces[dim as usize].len());
        Self { dims: axis.terms.iter().map(|term| pieces(term.0)).collect() }
    }

    /// Number of combinations of pieces.
    pub fn count(&self) -> usize {
        self.dims.iter().map(|dim| dim.1).product()
    }

    /// The number of the combination that a tile has.
    pub fn index(&self, position: &TilePosition) -> usize {
        self.dims.iter().fold(0, |index, &(dim, pieces)| index * pieces + position[dim as usize] as usize)
    }

    /// A position with each combination, in the order of their numbers.
    pub fn positions(&self) -> impl Iterator<Item = TilePosition> {
        (0..self.count()).map(|mut index| {
            let mut position = [0; 8];
            for &(dim, pieces) in self.dims.iter().rev() {
                position[dim as usize] = (index % pieces) as u32;
                index /= pieces;
            }
            position
        })
    }
}
