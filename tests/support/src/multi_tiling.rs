//! Tile sets of HW-Flow-Fusion's multi-tiling (Section 4.2), to compare with.

use fusescape_engine::interlayer::{ChainLayer, EqualTiles};

/// Tiles of one size, anywhere on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileSet {
    /// Columns.
    pub columns: u64,
    /// Rows.
    pub rows: u64,
    /// Number of these tiles.
    pub repetitions: u64,
}

/// The tile sets of a layer (eqs. 11 and 12), row by row: nine where each axis has its three sizes. Empty tiles are left out.
pub fn tile_sets(columns: &[EqualTiles], rows: &[EqualTiles]) -> Vec<TileSet> {
    let real = |runs: &[EqualTiles]| -> Vec<EqualTiles> { runs.iter().copied().filter(|run| run.size > 0).collect() };
    let columns = real(columns);
    let across = |row: EqualTiles| {
        let set = move |column: EqualTiles| TileSet {
            columns: column.size,
            rows: row.size,
            repetitions: column.count * row.count,
        };
        columns.iter().copied().map(set).collect::<Vec<_>>()
    };
    real(rows).into_iter().flat_map(across).collect()
}

/// Multiply-accumulates of a layer in tile sets (eq. 13); none for pooling.
pub fn multi_tiled_macs(layer: &ChainLayer, sets: &[TileSet]) -> u64 {
    let outputs: u64 = sets.iter().map(|set| set.columns * set.rows * set.repetitions).sum();
    outputs * layer.weights(layer.input_maps, layer.output_maps)
}
