//! Sizes of computation tiles: rows, columns and output channels instead of pieces.

use crate::workload::{Dim, LayerShape};
use serde::{Deserialize, Serialize};

/// Size of the tiles of a layer's output; `None`: all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TileSize {
    /// Rows; columns, where a layer has one row.
    pub rows: Option<u64>,
    /// Columns of layers of several rows.
    pub columns: Option<u64>,
    /// Output channels; groups, where a layer has several.
    pub channels: Option<u64>,
}

/// Names of the three, as people write them.
pub const SIZES: [&str; 3] = ["rows", "columns", "channels"];

impl TileSize {
    /// The number of pieces into which it cuts each loop of a layer; loops that stay whole are left out.
    pub fn pieces(&self, shape: &LayerShape) -> Vec<(Dim, u64)> {
        let (rows, columns) = if shape.size(Dim::OY) > 1 { (Dim::OY, Some(Dim::OX)) } else { (Dim::OX, None) };
        let channels = if shape.size(Dim::G) > 1 { Dim::G } else { Dim::K };
        let cuts = [(Some(rows), self.rows), (columns, self.columns), (Some(channels), self.channels)];
        let pieces = cuts.into_iter().filter_map(|(dim, size)| {
            let dim = dim?;
            Some((dim, shape.size(dim).div_ceil(size?.max(1))))
        });
        pieces.filter(|(_, pieces)| *pieces > 1).collect()
    }

    /// Its number of rows, columns or channels, by the place in `SIZES`.
    pub fn size_mut(&mut self, which: usize) -> Option<&mut Option<u64>> {
        [&mut self.rows, &mut self.columns, &mut self.channels].into_iter().nth(which)
    }

    /// As people write it: `rows 4, columns 240`; `whole` where nothing is cut.
    pub fn text(&self) -> String {
        let sizes = SIZES.iter().zip([self.rows, self.columns, self.channels]);
        let words: Vec<String> = sizes.filter_map(|(name, size)| Some(format!("{name} {}", size?))).collect();
        if words.is_empty() { "whole".to_owned() } else { words.join(", ") }
    }
}
