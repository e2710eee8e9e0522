//! Requests of sweeps.

use crate::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::rules::Rules;
use crate::search::{Objective, Strategy};
use serde::{Deserialize, Serialize};

/// Everything that a sweep depends on: two documents and the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Hardware document.
    pub hardware: String,
    /// Workload document.
    pub workload: String,
    /// The points of the sweep, and their objective.
    pub settings: Settings,
}

/// The points of a sweep, and their objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Settings {
    /// Tile widths, columns of the last feature map; a width beyond the map means the whole map.
    pub tiles_x: Vec<u64>,
    /// Tile heights, rows.
    pub tiles_y: Vec<u64>,
    /// Overlap storing modes.
    pub modes: Vec<StoringMode>,
    /// Fuse depths.
    pub fuse: Vec<FuseDepth>,
    /// The objective that is minimised.
    pub objective: Objective,
    /// How the best mapping of every layer-tile is searched.
    pub strategy: Strategy,
    /// LPF limit, of strategies that try orders.
    pub lpf_limit: usize,
    /// Rules of the model.
    pub rules: Rules,
}

impl Default for Settings {
    /// Take the sweep of DeFiNES, Fig. 12.
    fn default() -> Self {
        Self {
            tiles_x: vec![1, 4, 16, 60, 240, 960],
            tiles_y: vec![1, 4, 18, 72, 270, 540],
            modes: StoringMode::ALL.to_vec(),
            fuse: vec![FuseDepth::Automatic],
            objective: Objective::Energy,
            strategy: Strategy::default(),
            lpf_limit: 6,
            rules: Rules::CORRECTED,
        }
    }
}

impl Settings {
    /// All strategies of the sweep: for every fuse depth and mode the tile heights, for every height the widths.
    ///
    /// Layer-by-layer has one tile, so that it is one point.
    pub fn strategies(&self) -> Vec<DepthFirstStrategy> {
        let mut strategies = Vec::new();
        for fuse in &self.fuse {
            if *fuse == FuseDepth::LayerByLayer {
                let mode = StoringMode::FullyRecompute;
                strategies.push(DepthFirstStrategy { tile: (u64::MAX, u64::MAX), mode, fuse: fuse.clone() });
                continue;
            }
            for &mode in &self.modes {
                for &y in &self.tiles_y {
                    for &x in &self.tiles_x {
                        strategies.push(DepthFirstStrategy { tile: (x, y), mode, fuse: fuse.clone() });
                    }
                }
            }
        }
        strategies
    }
}
