//! Ids of the things that are numbered in a network on many cores.

use fusescape_model::declare_ids;
use std::iter::Sum;
use std::ops::AddAssign;

declare_ids! {
    /// A layer that computes something, by its place in [`super::NetworkNests`]. Not to be mixed up with
    /// [`crate::workload::LayerId`], which counts inputs and views, too.
    NestId,
    /// Layers that run fused, tile by tile.
    StackId,
    /// A tile of a network, by layer and number.
    TileId,
    /// The place of a tile among those of its layer.
    TileNumber,
    /// A part of the loops of a layer that are split over cores: its tiles are computed on one core.
    GroupId,
    /// A tensor that tiles read or write.
    TensorId,
    /// A tile of an iteration that a stack repeats, by its place in it.
    IterationTile,
    /// A slot of an iteration: each core computes at most one tile in it.
    SlotId,
    /// Tiles of an iteration that have the same weights.
    WeightGroup,
    /// A transfer of a schedule, by start.
    TransferId,
    /// One of the different costs of tiles.
    CostId,
}

/// Tiles are a grid: each piece of a loop adds something to the numbers of the tiles that compute it.
impl AddAssign for TileNumber {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for TileNumber {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        Self(numbers.map(|number| number.0).sum())
    }
}
