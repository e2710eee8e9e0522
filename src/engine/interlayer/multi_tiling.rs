//! Multi-tiling (Section 4.2): tiles of different sizes, so that fused layers compute every pixel exactly once.
//!
//! Columns and rows are independent of each other, so tiles are found along one axis at a time.
//!
//! This is not [`crate::depth_first`]'s fully cached mode, which computes only pixels that a later layer reads: here pixels that no layer
//! below reads are computed, too, with the last tile, so that the operations are those of the untiled layer (eq. 13).

use super::chain::LayerAxis;

/// Neighbouring tiles of equal size along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualTiles {
    /// Columns (or rows) of output that each computes and no other does; may be 0.
    pub size: u64,
    /// Number of tiles, at least 1.
    pub count: u64,
}

/// The columns that each layer, top first, newly computes with every tile of `tile` columns (at least 1) of the bottom
/// layer.
///
/// A layer computes up to the last column that the layer below reads so far, and the rest with the last tile. This
/// holds for any kernel, stride and padding, where [`closed_form`] fails if a halo reaches the border before the last
/// tile.
pub fn unique_tiles(axes: &[LayerAxis], tile: u64) -> Vec<Vec<EqualTiles>> {
    let Some(bottom) = axes.last() else { return Vec::new() };
    let tiles = bottom.output.div_ceil(tile);
    let mut done = vec![0; axes.len()];
    let mut runs: Vec<Vec<EqualTiles>> = vec![Vec::new(); axes.len()];
    for index in 1..=tiles {
        let mut needed = index.saturating_mul(tile);
        for (layer, axis) in axes.iter().enumerate().rev() {
            let frontier = if index == tiles { axis.output } else { needed.min(axis.output) };
            push(&mut runs[layer], frontier - done[layer]);
            done[layer] = frontier;
            needed = if frontier == 0 { 0 } else { axis.window(frontier).saturating_sub(axis.padding) };
        }
    }
    runs
}

fn push(runs: &mut Vec<EqualTiles>, size: u64) {
    match runs.last_mut() {
        Some(run) if run.size == size => run.count += 1,
        _ => runs.push(EqualTiles { size, count: 1 }),
    }
}

/// The three sizes of tiles along one axis (eq. 10): one of the first, some of the second, one of the third.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreeSizes {
    /// X1.
    pub first: i64,
    /// X2; 0 if there is only one tile.
    pub middle: i64,
    /// X3; 0 if there is only one tile, and negative where the formula fails.
    pub last: i64,
    /// Xreps: number of tiles of the second size.
    pub repetitions: i64,
}

impl ThreeSizes {
    /// Whether these are `tiles` of [`unique_tiles`].
    pub fn is_exact(&self, tiles: &[EqualTiles]) -> bool {
        let expected = [(self.first, 1), (self.middle, self.repetitions), (self.last, i64::from(self.middle != 0))];
        let mut runs = Vec::new();
        for (size, count) in expected {
            let Ok(size) = u64::try_from(size) else { return false };
            for _ in 0..count {
                push(&mut runs, size);
            }
        }
        runs == tiles
    }
}

/// The sizes of eq. 10 for each layer, top first, corrected in two places.
///
/// As printed, X3 starts from Tix; it has to start from the size of the map. And Tix has to be the unique tile of the
/// layer below, not that of eq. 4, which has its halo. With padding as printed, the result of every intermediate layer
/// is wrong.
pub fn closed_form(axes: &[LayerAxis], tile: u64) -> Vec<ThreeSizes> {
    let signed = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
    let Some(bottom) = axes.last() else { return Vec::new() };
    let tiles = bottom.output.div_ceil(tile);
    if tiles == 1 {
        let whole = |axis: &LayerAxis| ThreeSizes { first: signed(axis.output), middle: 0, last: 0, repetitions: 0 };
        return axes.iter().map(whole).collect();
    }
    let repetitions = signed(tiles - 2);
    let (mut first, mut middle) = (signed(tile), signed(tile));
    let mut sizes: Vec<ThreeSizes> = axes
        .iter()
        .rev()
        .map(|axis| {
            let last = signed(axis.output).saturating_sub(first).saturating_sub(middle.saturating_mul(repetitions));
            let sizes = ThreeSizes { first, middle, last, repetitions };
            let (stride, kernel) = (signed(axis.stride), signed(axis.kernel));
            first = (first - 1).saturating_mul(stride).saturating_add(kernel - signed(axis.padding));
            middle = middle.saturating_mul(stride);
            sizes
        })
        .collect();
    sizes.reverse();
    sizes
}
