//! The neighbours of a point, and the changes towards each: the next tile sizes, the other storing modes, the other
//! fuse depths, the best of one cut more and of one fewer.

use super::best::best_strategy;
use super::cost_store::CostStore;
use super::incremental_sweep::IncrementalSweep;
use super::request::{Request, Settings};
use super::sweep::{PointSummary, Sweep};
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount, Stack, StoringMode, cut};
use crate::spec::Diagnostics;
use crate::workload::LayerId;
use serde::{Deserialize, Serialize};

/// In which direction a neighbour lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// One more cut, after this layer.
    Cut(String),
    /// One cut fewer: two stacks become one over this layer, which ended the first.
    Join(String),
}

/// The direction in which the cuts of neighbours differ from those of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CutChange {
    /// The neighbours have one cut more.
    More,
    /// The neighbours have one cut fewer.
    Fewer,
}

impl CutChange {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 2] = [Self::More, Self::Fewer];
}

/// The best of all points that differ by one cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestCut {
    /// The best of them by the objective of the request.
    pub neighbour: Neighbour,
    /// Number of such neighbours.
    pub count: usize,
    /// Number of these that cannot be scheduled, as cuts through a branch.
    pub impossible: usize,
}

/// Limit on the points that are tried for one cut more or fewer. Larger networks are a case for a search of stacks.
pub const MOST_CUTS: usize = 256;

/// A fuse depth that needs no list of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FuseKind {
    /// As many layers as have weights that fit on the chip together.
    Automatic,
    /// Every layer is a stack.
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
    /// The point in that direction.
    pub strategy: DepthFirstStrategy,
}

/// The neighbours of a point of a sweep with these settings. Tile sizes are those of the sweep; where it has only one,
/// half and twice that size. Layer-by-layer has no tile and no overlap, so its neighbours are fuse depths only.
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
        // Layer-by-layer has a tile of its own, from which the previous one cannot be recovered.
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

/// The best point that has one cut more, or one cut fewer; `None` where there is none, or none can be scheduled.
/// Storing mode and tile stay. Layer-by-layer has no cuts, so it has no such neighbours.
///
/// # Errors
/// Why the design makes no sense; or that there are more than [`MOST_CUTS`] such points.
pub fn best_cut(
    request: &Request,
    from: &DepthFirstStrategy,
    change: CutChange,
    store: &mut CostStore,
) -> Result<Option<BestCut>, Diagnostics> {
    if from.fuse == FuseDepth::LayerByLayer {
        return Ok(None);
    }
    let settings = |fuse| Settings {
        tiles_x: vec![from.tile.0],
        tiles_y: vec![from.tile.1],
        modes: vec![from.mode],
        fuse,
        ..request.settings.clone()
    };
    let here = Sweep::new(&Request { settings: settings(vec![from.fuse.clone()]), ..request.clone() })?;
    let Sweep { core, network, .. } = &here;
    let rules = &request.settings.rules;
    let stacks = cut(network, core, &from.fuse, rules)?;
    let last_of = |stack: &Stack| stack.layers().last().copied();
    let last = stacks.last().and_then(last_of);
    let ends: Vec<LayerId> = stacks.iter().filter_map(last_of).filter(|&id| Some(id) != last).collect();
    let cut_or_joined: Vec<LayerId> = match change {
        CutChange::Fewer => ends.clone(),
        CutChange::More => network.computing().filter(|&id| Some(id) != last && !ends.contains(&id)).collect(),
    };
    if cut_or_joined.len() > MOST_CUTS {
        return Err(too_many_cuts(cut_or_joined.len()));
    }
    let name = |id: LayerId| network.layer(id).name.clone();
    // As the page writes them: in the order of the layers, and where no cut is left the last layer ends the only stack.
    let with = |layer: &LayerId| {
        let is_end = |id: &LayerId| ends.contains(id) != (id == layer);
        let names: Vec<String> = network.computing().filter(is_end).map(name).collect();
        FuseDepth::Cuts(if names.is_empty() { last.map(name).into_iter().collect() } else { names })
    };
    let fuse: Vec<(LayerId, FuseDepth)> = cut_or_joined.iter().map(|layer| (*layer, with(layer))).collect();
    let count = fuse.len();
    // One cut through a branch would make all of them fail.
    let possible: Vec<(LayerId, FuseDepth)> =
        fuse.into_iter().filter(|(_, fuse)| cut(network, core, fuse, rules).is_ok()).collect();
    if possible.is_empty() {
        return Ok(None);
    }
    let fuse = possible.iter().map(|(_, fuse)| fuse.clone()).collect();
    let mut incremental = IncrementalSweep::new(Sweep::new(&Request { settings: settings(fuse), ..request.clone() })?);
    let points = (0..possible.len()).filter_map(|point| incremental.point(store, point, &mut || true).ok());
    let points: Vec<PointSummary> = points.collect();
    let found = points.len();
    let best = best_strategy(&incremental.sweep().settings, incremental.strategies(), &points);
    Ok(best.map(|PointSummary { point, .. }| {
        let layer = name(possible[*point].0);
        let direction = match change {
            CutChange::More => Direction::Cut(layer),
            CutChange::Fewer => Direction::Join(layer),
        };
        let neighbour = Neighbour { direction, strategy: incremental.strategies()[*point].clone() };
        BestCut { neighbour, count, impossible: count - found }
    }))
}

fn too_many_cuts(count: usize) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let reason = format!("A cut may change after {count} layers, and at most {MOST_CUTS} are tried");
    diagnostics.add("workload.layers", reason, "Search for stacks on Fusion");
    diagnostics
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
    IncrementalSweep::new(sweep).account(store, 0)
}
