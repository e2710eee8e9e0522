//! ZigZag's searches of one layer side by side, and even mappings beside uneven ones (ZigZag, Sections IV and VII-A).

use super::layer::{DesignLayer, MappedLayer};
use crate::search::space::{MappingSpace, Pruning, SpaceOptions, SpaceRefusal, SpaceSearch, Trajectory, explore_space};
use serde::{Deserialize, Serialize};

/// LPF limit of ZigZag's strategies, so that an answer comes within a second or two.
pub const MOST_STRATEGY_LPFS: usize = 8;
/// Limit on the blockings that are visited.
const MOST_BLOCKINGS: u64 = 1_000_000;
/// Even and uneven mappings, each, that are kept as points.
const SAMPLES: usize = 600;

/// How ZigZag generates mappings (ZigZag, Section IV-B to D).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ZigZagStrategy {
    /// All blockings and orders.
    Exhaustive,
    /// Without blockings whose intermediate levels reuse nothing.
    Heuristic,
    /// The best set of loops for one level after the other.
    Iterative,
}

impl ZigZagStrategy {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Exhaustive, Self::Heuristic, Self::Iterative];

    /// For a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::Heuristic => "heuristic",
            Self::Iterative => "iterative",
        }
    }
}

/// The outcome of one of ZigZag's search strategies on a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyFindings {
    /// Its best mapping; `None` where it found none.
    pub best: Option<MappedLayer>,
    /// Its energy while its loops are placed.
    pub trajectory: Option<Trajectory>,
    /// Blockings (of the iterative search: partial mappings) whose energy was computed.
    pub looked_at: u64,
    /// Mappings that these stand for; `None` for the iterative search.
    pub mappings: Option<u64>,
    /// Whether the strategy's whole space was searched.
    pub is_complete: bool,
    /// The whole space, of the exhaustive strategy only: a sample of it, and the best even mapping.
    pub space: Option<(MappingSpace, Option<MappedLayer>)>,
}

impl DesignLayer {
    /// Searches as ZigZag does, by energy.
    ///
    /// # Errors
    /// Why the space cannot be searched.
    pub fn strategy(&self, strategy: ZigZagStrategy) -> Result<StrategyFindings, SpaceRefusal> {
        let layer = self.on_core();
        let pruning = match strategy {
            ZigZagStrategy::Heuristic => Pruning::Heuristic,
            ZigZagStrategy::Exhaustive | ZigZagStrategy::Iterative => Pruning::None,
        };
        let options = SpaceOptions {
            pruning,
            lpf_limit: self.lpf_limit().min(MOST_STRATEGY_LPFS),
            samples: if strategy == ZigZagStrategy::Exhaustive { SAMPLES } else { 0 },
            max_blockings: MOST_BLOCKINGS,
            ..SpaceOptions::default()
        };
        let search = SpaceSearch::new(&layer, options)?;
        if strategy == ZigZagStrategy::Iterative {
            let found = search.iterative();
            return Ok(StrategyFindings {
                best: self.mapped_or(found.best.as_ref(), Default::default).ok(),
                trajectory: found.trajectory,
                looked_at: found.partial,
                mappings: None,
                is_complete: true,
                space: None,
            });
        }
        let space = explore_space(&search, |_, _| true);
        let mapped = |solution| self.mapped_or(solution, Default::default).ok();
        let even = mapped(space.best_even.as_ref());
        Ok(StrategyFindings {
            best: mapped(space.best.as_ref()),
            trajectory: space.trajectories.first().filter(|_| space.best.is_some()).cloned(),
            looked_at: space.blockings,
            mappings: Some(space.mappings),
            is_complete: space.is_complete,
            space: (strategy == ZigZagStrategy::Exhaustive).then_some((space, even)),
        })
    }
}
