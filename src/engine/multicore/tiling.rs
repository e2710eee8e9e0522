//! Layers cut into computation tiles.

use super::nest::{LoopNest, Part};
use super::rules::TilingRules;
use crate::workload::Dim;

/// How a layer is cut: for each loop listed into how many pieces. The first one listed runs fastest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// Cuts in time, which let tiles of several layers take turns.
    pub in_time: Vec<(Dim, u64)>,
    /// Cuts that share a layer among cores.
    pub over_cores: Vec<(Dim, u64)>,
}

impl Split {
    /// All cuts.
    pub fn cuts(&self) -> impl Iterator<Item = (Dim, u64)> + '_ {
        self.in_time.iter().chain(&self.over_cores).copied()
    }

    /// How many tiles they make.
    pub fn tiles(&self) -> u64 {
        self.cuts().map(|(_, pieces)| pieces).product()
    }
}

/// The tiles of a layer: a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// How many there are.
    pub count: usize,
    /// Ranges into which each loop is cut, by [`Dim`].
    pub pieces: [Vec<std::ops::Range<u64>>; 8],
    /// For each piece of a loop what it adds to the number of a tile.
    pub places: [Vec<usize>; 8],
}

impl Grid {
    /// The grid of a layer.
    pub fn new(nest: &LoopNest, split: &Split, rules: TilingRules) -> Self {
        let mut pieces: [Vec<std::ops::Range<u64>>; 8] = Default::default();
        let mut places: [Vec<usize>; 8] = Default::default();
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
            places[dim as usize] = vec![0; cuts as usize];
        }
        let mut inner = [1_usize; 8];
        let mut count = 1;
        for (dim, cuts) in split.cuts() {
            let cuts = cuts as usize;
            for (piece, place) in places[dim as usize].iter_mut().enumerate() {
                *place += piece / inner[dim as usize] % cuts * count;
            }
            inner[dim as usize] *= cuts;
            count *= cuts;
        }
        Self { count, pieces, places }
    }

    /// Part of the loops that each tile computes, by number.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = vec![std::array::from_fn(|_| 0..1); self.count];
        let mut at = [0; 8];
        for _ in 0..self.count {
            let number: usize = (0..8).map(|dim| self.places[dim][at[dim]]).sum();
            parts[number] = std::array::from_fn(|dim| self.pieces[dim][at[dim]].clone());
            for (piece, pieces) in at.iter_mut().zip(&self.pieces) {
                *piece = (*piece + 1) % pieces.len();
                if *piece > 0 {
                    break;
                }
            }
        }
        parts
    }
}
