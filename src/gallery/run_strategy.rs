//! Strategies for a whole network that papers compare.

use super::parameters::choose;
use fusescape_engine::depth_first::StoringMode;
use std::fmt;

/// A strategy for a network, named by how it is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStrategy {
    /// One layer per stack, features through DRAM.
    SingleLayer,
    /// One layer after another, features in the lowest memory that they fit.
    LayerByLayer,
    /// This tile and mode for all stacks.
    Tile((u64, u64), StoringMode),
    /// The strategy of the sweep with the least energy, the same for all stacks; of one mode, or of all.
    Best(Option<StoringMode>),
    /// Each stack with its own strategy of the sweep.
    BestCombination,
    /// Of the strategies with the fewest DRAM accesses, the one that results if on-chip memories are ignored: the
    /// largest tile, and the least stored overlap.
    LeastDramAccesses,
    /// Of the strategies with the fewest DRAM accesses, the one with the least energy.
    BestOfLeastDram,
    /// Of the strategies with the fewest DRAM accesses, the one with the most energy.
    WorstOfLeastDram,
    /// The strategy with the least energy for features, including copies, ignoring weights.
    LeastFeatureEnergy,
    /// The strategy with the least latency.
    Fastest,
    /// The opened point; the best if none is opened.
    Opened,
    /// The strategy with the least energy if features may bypass only DRAM, not on-chip memories.
    SkippingDramOnly,
}

impl RunStrategy {
    const WORDS: [(&'static str, Self); 11] = [
        ("single-layer", Self::SingleLayer),
        ("layer-by-layer", Self::LayerByLayer),
        ("best", Self::Best(None)),
        ("best-combination", Self::BestCombination),
        ("least-dram-accesses", Self::LeastDramAccesses),
        ("best-of-least-dram", Self::BestOfLeastDram),
        ("worst-of-least-dram", Self::WorstOfLeastDram),
        ("least-feature-energy", Self::LeastFeatureEnergy),
        ("fastest", Self::Fastest),
        ("opened", Self::Opened),
        ("skipping-dram-only", Self::SkippingDramOnly),
    ];

    /// Reads `layer-by-layer`, `best`, `best fully-cached` or `4x72 fully-cached`.
    ///
    /// # Errors
    /// A remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let modes = StoringMode::ALL.map(|mode| (mode.name(), mode));
        match text.split_once(' ') {
            None => choose(text, &Self::WORDS),
            Some(("best", mode)) => Ok(Self::Best(Some(choose(mode.trim(), &modes)?))),
            Some((tile, mode)) => {
                let (x, y) = tile.split_once('x').ok_or("Write a tile and a mode, for example `4x72 fully-cached`")?;
                let size = |text: &str| match text.parse() {
                    Ok(size) if size > 0 => Ok(size),
                    _ => Err(format!("Write a size of 1 or more instead of `{text}`")),
                };
                Ok(Self::Tile((size(x)?, size(y)?), choose(mode.trim(), &modes)?))
            }
        }
    }
}

impl fmt::Display for RunStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Best(Some(mode)) => write!(f, "best {}", mode.name()),
            Self::Tile((x, y), mode) => write!(f, "{x}x{y} {}", mode.name()),
            word => f.write_str(Self::WORDS.iter().find(|(_, way)| way == word).map_or("", |(name, _)| *name)),
        }
    }
}
