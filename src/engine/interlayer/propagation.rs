//! Tiles of fused layers that keep their halo: the part that a tile of the bottom layer needs of every layer above it,
//! and the room that this takes in the buffer.

use super::chain::{ChainLayer, LayerAxis};
use super::cost::Volume;
use serde::{Deserialize, Serialize};

/// A tile of the output of the bottom layer; every size is at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BottomTile {
    /// Columns (Tox).
    pub columns: u64,
    /// Rows (Toy).
    pub rows: u64,
    /// Output maps (Tof); layers above have all of theirs.
    pub output_maps: u64,
}

/// The part of its output that one layer computes for a tile, and the part of its input that it reads, padding
/// included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerExtent {
    /// Columns of output (Tox).
    pub columns: u64,
    /// Rows of output (Toy).
    pub rows: u64,
    /// Columns of input (Tix).
    pub input_columns: u64,
    /// Rows of input (Tiy).
    pub input_rows: u64,
}

/// Where the next tile lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileDirection {
    /// To the right, row by row of tiles.
    Horizontal,
    /// Below, column by column of tiles.
    Vertical,
}

/// The extents of every layer, top first, for a tile of the bottom one (eq. 4).
///
/// Unlike [`crate::depth_first`], which clips tiles at the border of a map, the paper sizes buffers and traffic for the
/// largest tile, padding included.
pub fn propagate(layers: &[ChainLayer], tile: &BottomTile) -> Vec<LayerExtent> {
    let (mut columns, mut rows) = (tile.columns, tile.rows);
    let mut extents: Vec<LayerExtent> = layers
        .iter()
        .rev()
        .map(|layer| {
            let (input_columns, input_rows) = (layer.x.window(columns), layer.y.window(rows));
            let extent = LayerExtent { columns, rows, input_columns, input_rows };
            (columns, rows) = (input_columns, input_rows);
            extent
        })
        .collect();
    extents.reverse();
    extents
}

/// Data of fused layers in the on-chip buffer, in words, each list top first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FusionBuffers {
    /// Input tile of every layer.
    pub inputs: Vec<u64>,
    /// Weights of every layer: all of them, but of the bottom layer those of the tile's output maps.
    ///
    /// Section 5.1 states that all weights are on chip, but then four of the published pairs would not fit.
    pub weights: Vec<u64>,
    /// Output tile of the bottom layer.
    pub outputs: u64,
    /// Inputs that wait for the next row (or column) of tiles (eq. 8); none for the top layer, which fetches its halo again.
    pub reuse: Vec<u64>,
}

impl FusionBuffers {
    /// The buffers for a tile whose next one is in `direction`.
    pub fn new(layers: &[ChainLayer], tile: &BottomTile, direction: TileDirection) -> Self {
        let extents = propagate(layers, tile);
        let pairs = || layers.iter().zip(&extents);
        let bottom = layers.len().saturating_sub(1);
        let maps = |index, layer: &ChainLayer| if index == bottom { tile.output_maps } else { layer.output_maps };
        Self {
            inputs: pairs()
                .map(|(layer, extent)| extent.input_columns * extent.input_rows * layer.input_maps)
                .collect(),
            weights: layers
                .iter()
                .enumerate()
                .map(|(index, layer)| layer.weights(layer.input_maps, maps(index, layer)))
                .collect(),
            outputs: tile.columns * tile.rows * tile.output_maps,
            reuse: pairs()
                .enumerate()
                .map(|(index, (layer, extent))| if index == 0 { 0 } else { reuse_buffer(layer, extent, direction) })
                .collect(),
        }
    }

    /// The fusion buffer (eq. 5).
    pub fn fusion(&self) -> u64 {
        self.inputs.iter().chain(&self.weights).sum::<u64>() + self.outputs
    }

    /// The fusion buffer and all reuse buffers together, which have to fit.
    pub fn total(&self) -> u64 {
        self.fusion() + self.reuse.iter().sum::<u64>()
    }
}

/// Words of input that wait until the next row (or column) of tiles (eq. 8).
///
/// Input that the very next tile needs again stays in the tile's own buffer.
pub fn reuse_buffer(layer: &ChainLayer, extent: &LayerExtent, direction: TileDirection) -> u64 {
    reuse_factors(layer, extent, direction).into_iter().product()
}

/// The factors of [`reuse_buffer`]: columns (or rows) that the tile does not cover, rows (or columns) that tiles share, input maps.
pub fn reuse_factors(layer: &ChainLayer, extent: &LayerExtent, direction: TileDirection) -> [u64; 3] {
    let (along, across, length, _) = oriented(layer, extent, direction);
    [along.input.saturating_sub(length), across.overlap(), layer.input_maps]
}

/// Words that the reuse model of Alwani et al. (MICRO 2016) needs in addition, for input that the very next tile needs
/// again (eq. 9).
pub fn reuse_overhead(layer: &ChainLayer, extent: &LayerExtent, direction: TileDirection) -> u64 {
    overhead_factors(layer, extent, direction).into_iter().product()
}

/// The factors of [`reuse_overhead`]: rows (or columns) that only the very next tile needs, columns (or rows) that it shares, input maps.
pub fn overhead_factors(layer: &ChainLayer, extent: &LayerExtent, direction: TileDirection) -> [u64; 3] {
    let (along, across, _, breadth) = oriented(layer, extent, direction);
    [breadth.saturating_sub(across.overlap()), along.overlap(), layer.input_maps]
}

/// The axis along which tiles follow each other and the other one, with the tile's extent of input on each.
fn oriented<'a>(
    layer: &'a ChainLayer,
    extent: &LayerExtent,
    direction: TileDirection,
) -> (&'a LayerAxis, &'a LayerAxis, u64, u64) {
    match direction {
        TileDirection::Horizontal => (&layer.x, &layer.y, extent.input_columns, extent.input_rows),
        TileDirection::Vertical => (&layer.y, &layer.x, extent.input_rows, extent.input_columns),
    }
}

/// Number of tiles that cover the output of the bottom layer, not counting its blocks of output maps.
pub fn tile_count(bottom: &ChainLayer, tile: &BottomTile) -> u64 {
    bottom.x.output.div_ceil(tile.columns) * bottom.y.output.div_ceil(tile.rows)
}

/// Words between DRAM and buffer (eq. 6): the top layer's input with its halo for every tile, all weights and the bottom layer's
/// output once.
///
/// Weights count once even where the bottom layer holds only some of its output maps at a time;
/// [`bottom_weight_refetches`] returns the difference.
pub fn fused_volume(layers: &[ChainLayer], tile: &BottomTile) -> Volume {
    let ([top, ..], [.., bottom], Some(extent)) = (layers, layers, propagate(layers, tile).first().copied()) else {
        return Volume::default();
    };
    Volume {
        inputs: extent.input_columns * extent.input_rows * top.input_maps * tile_count(bottom, tile),
        weights: layers.iter().map(|layer| layer.weights(layer.input_maps, layer.output_maps)).sum(),
        outputs: bottom.outputs(),
    }
}

/// Words of weights that eq. 6 leaves out: a bottom layer that holds only some of its output maps fetches all of its weights for
/// every tile anew.
pub fn bottom_weight_refetches(bottom: &ChainLayer, tile: &BottomTile) -> u64 {
    if tile.output_maps == bottom.output_maps {
        return 0;
    }
    bottom.weights(bottom.input_maps, bottom.output_maps) * (tile_count(bottom, tile) - 1)
}
