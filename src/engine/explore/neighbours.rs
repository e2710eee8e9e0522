//! The neighbours of a point, and what changes towards each: the next tile sizes, the other storing modes, the other fuse depths.

use super::request::{Request, Settings};
use super::survey::{CostStore, Survey};
use super::sweep::Sweep;
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount, StoringMode};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// In which direction a neighbour lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// The next smaller tile width.
    Narrower,
    /// The next larger tile width.
    Wider,
    /// The next smaller tile height.
    Lower,
    /// The next larger tile height.
    Higher,
    /// Another overlap storing mode.
    Mode(StoringMode),
    /// Another fuse depth.
    Fuse(FuseKind),
}

/// A fuse depth that needs no list of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FuseKind {
    /// As many layers as have weights that fit on the chip together.
    Automatic,
    /// A stack a layer.
    SingleLayer,
    /// One stack, one tile.
    LayerByLayer,
}

impl FuseKind {
    const ALL: [Self; 3] = [Self::Automatic, Self::SingleLayer, Self::LayerByLayer];

    fn depth(self) -> FuseDepth {
        match self {
            Self::Automatic => FuseDepth::Automatic,
            Self::SingleLayer => FuseDepth::SingleLayer,
            Self::LayerByLayer => FuseDepth::LayerByLayer,
        }
    }
}

/// A neighbour of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Where it lies.
    pub direction: Direction,
    /// The neighbour.
    pub strategy: DepthFirstStrategy,
}

/// The neighbours of a point of a sweep with these settings. Tile sizes are those of the sweep; of a size that is alone there, the half
/// and the double. Layer-by-layer has no tile and no overlap, so only fuse depths are beside it.
pub fn neighbours(settings: &Settings, of: &DepthFirstStrategy) -> Vec<Neighbour> {
    let mut all = Vec::new();
    if of.fuse != FuseDepth::LayerByLayer {
        let (x, y) = of.tile;
        let (narrower, wider) = beside(&settings.tiles_x, x);
        let (lower, higher) = beside(&settings.tiles_y, y);
        let tiles = [
            (Direction::Narrower, narrower.map(|x| (x, y))),
            (Direction::Wider, wider.map(|x| (x, y))),
            (Direction::Lower, lower.map(|y| (x, y))),
            (Direction::Higher, higher.map(|y| (x, y))),
        ];
        all.extend(tiles.into_iter().filter_map(|(direction, tile)| {
            Some(Neighbour { direction, strategy: DepthFirstStrategy { tile: tile?, ..of.clone() } })
        }));
        let modes = StoringMode::ALL.into_iter().filter(|mode| *mode != of.mode);
        all.extend(modes.map(|mode| Neighbour {
            direction: Direction::Mode(mode),
            strategy: DepthFirstStrategy { mode, ..of.clone() },
        }));
    }
    for kind in FuseKind::ALL.into_iter().filter(|kind| kind.depth() != of.fuse) {
        // Layer-by-layer has a tile of its own, from which no other comes back.
        let tile = match (kind, &of.fuse) {
            (FuseKind::Automatic, FuseDepth::LayerByLayer) => continue,
            (FuseKind::SingleLayer | FuseKind::LayerByLayer, _) => (u64::MAX, u64::MAX),
            (FuseKind::Automatic, _) => of.tile,
        };
        let mode = if kind == FuseKind::Automatic { of.mode } else { StoringMode::FullyRecompute };
        let strategy = DepthFirstStrategy { tile, mode, fuse: kind.depth() };
        if strategy != *of {
            all.push(Neighbour { direction: Direction::Fuse(kind), strategy });
        }
    }
    all
}

/// The sizes next to one in a list, below and above it.
fn beside(sizes: &[u64], size: u64) -> (Option<u64>, Option<u64>) {
    let below = sizes.iter().copied().filter(|&other| other < size).max();
    let above = sizes.iter().copied().filter(|&other| other > size).min();
    let is_alone = below.is_none() && above.is_none();
    let half = Some(size / 2).filter(|&half| half > 0 && size != u64::MAX);
    match is_alone {
        true => (half, size.checked_mul(2)),
        false => (below, above),
    }
}

/// The whole account of one point of a design, whether or not its sweep has it.
///
/// # Errors
/// Why the design makes no sense, or the point cannot be scheduled.
pub fn account_of_strategy(
    request: &Request,
    strategy: &DepthFirstStrategy,
    store: &mut CostStore,
) -> Result<PointAccount, Diagnostics> {
    let settings = Settings {
        tiles_x: vec![strategy.tile.0],
        tiles_y: vec![strategy.tile.1],
        modes: vec![strategy.mode],
        fuse: vec![strategy.fuse.clone()],
        ..request.settings.clone()
    };
    let sweep = Sweep::new(&Request { settings, ..request.clone() })?;
    Survey::new(sweep).account(store, 0)
}
