//! A point of the depth-first design space (DeFiNES, Section II).

use crate::spec::listed_name;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The treatment of the features that neighbouring tiles share (DeFiNES, Fig. 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum StoringMode {
    /// Computed again by every tile that needs them.
    FullyRecompute,
    /// Columns are cached, rows computed again.
    HCachedVRecompute,
    /// Columns and rows are cached.
    FullyCached,
}

impl StoringMode {
    /// All of them, from the least to the most cached.
    pub const ALL: [Self; 3] = [Self::FullyRecompute, Self::HCachedVRecompute, Self::FullyCached];

    /// As written on the command line: `fully-cached`.
    pub fn name(self) -> &'static str {
        match self {
            Self::FullyRecompute => "fully-recompute",
            Self::HCachedVRecompute => "h-cached-v-recompute",
            Self::FullyCached => "fully-cached",
        }
    }

    /// For a person: `H-cached, V-recompute`.
    pub fn title(self) -> &'static str {
        match self {
            Self::FullyRecompute => "fully-recompute",
            Self::HCachedVRecompute => "H-cached, V-recompute",
            Self::FullyCached => "fully-cached",
        }
    }

    /// The mode called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether columns are cached.
    pub fn caches_columns(self) -> bool {
        self != Self::FullyRecompute
    }

    /// Whether rows are cached.
    pub fn caches_rows(self) -> bool {
        self == Self::FullyCached
    }
}

impl fmt::Display for StoringMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// Which layers share a stack (DeFiNES, Section II, third axis).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum FuseDepth {
    /// As many as have weights that fit on the chip together.
    Automatic,
    /// Every layer is a stack; features between layers go through DRAM.
    SingleLayer,
    /// One stack of all layers and one tile: each layer completes before the next, features stay as low as they fit.
    LayerByLayer,
    /// A stack ends after each of these layers.
    Cuts(Vec<String>),
}

impl fmt::Display for FuseDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Automatic => f.write_str("auto"),
            Self::SingleLayer => f.write_str("single-layer"),
            Self::LayerByLayer => f.write_str("layer-by-layer"),
            Self::Cuts(layers) => {
                let names: Vec<String> = layers.iter().map(|name| listed_name(name)).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

/// One way to run a network: a point of the design space.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DepthFirstStrategy {
    /// Columns and rows of the last feature map of each stack that are computed atomically.
    pub tile: (u64, u64),
    /// The treatment of the overlap of tiles.
    pub mode: StoringMode,
    /// The rule that divides layers into stacks.
    pub fuse: FuseDepth,
}
