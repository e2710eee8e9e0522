//! Costs that the designs of a study share: of mapping problems of layers on one core, and of tiles on many.

use crate::explore::SharedCosts;
use crate::explore::cost_store::hash;
use crate::hardware::{Core, Memory};
use crate::ids::TiVec;
use crate::multicore::{CoreId, CoresProblem, TileCosts, TileProblem, TileSolution};
use rustc_hash::FxHashMap;
use std::sync::{Arc, RwLock};

/// Limit on the tiles, above which they are forgotten: some 100 MiB.
const TILES_LIMIT: usize = 400_000;

/// Costs that all evaluators of a study find together. The key of each is its content, so it is the same whichever
/// evaluator finds it.
#[derive(Default)]
pub struct StudyCosts {
    /// Of layers on single cores.
    pub(super) layers: Arc<SharedCosts>,
    tiles: RwLock<FxHashMap<[u64; 2], TileSolution>>,
}

impl StudyCosts {
    /// Number of problems whose cost is known.
    pub fn len(&self) -> usize {
        self.layers.len() + self.tiles.read().map_or(0, |tiles| tiles.len())
    }

    /// Whether no cost is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The result of `work`, which is given the costs of tiles that others found, and shares those that it solves.
    pub(super) fn with_tiles<T>(&self, study: &CoresProblem, work: impl FnOnce(&mut TileCosts) -> T) -> T {
        let fingerprints = TileFingerprints::new(study);
        let mut costs = TileCosts::default();
        if let Ok(tiles) = self.tiles.read()
            && !tiles.is_empty()
        {
            let known = |problem: TileProblem| {
                let solved = tiles.get(&fingerprints.of(&problem))?.clone();
                Some((problem, solved))
            };
            costs.extend(study.problems().into_iter().filter_map(known));
        }
        let known = costs.len();
        let found = work(&mut costs);
        if costs.len() > known
            && let Ok(mut tiles) = self.tiles.write()
        {
            if tiles.len() >= TILES_LIMIT {
                tiles.clear();
            }
            tiles.extend(costs.into_iter().map(|(problem, solved)| (fingerprints.of(&problem), solved)));
        }
        found
    }
}

/// Numbers that only equal tile problems share, on cores that are equal as far as a problem may use them, under the same settings.
struct TileFingerprints<'s> {
    study: &'s CoresProblem,
    /// Of each core, without the memory off the chip and with it.
    cores: TiVec<CoreId, [u64; 2]>,
}

impl<'s> TileFingerprints<'s> {
    fn new(study: &'s CoresProblem) -> Self {
        let of = |core: &Core| {
            let mut core = core.clone();
            core.name = String::new();
            for memory in &mut core.memories {
                // Area, leakage and their estimates do not affect mappings.
                *memory = Memory { area_um2: None, leakage_mw: 0.0, estimate: None, ..memory.clone() };
            }
            let whole = hash(&format!("{core:?}"));
            if let Some(outside) = core.memories.iter_mut().next_back() {
                (outside.read_width_bits, outside.write_width_bits) = (0, 0);
                (outside.read_energy_pj, outside.write_energy_pj) = (0.0, 0.0);
                (outside.size_bits, outside.ports) = (0, TiVec::new());
            }
            [hash(&format!("{core:?}")), whole]
        };
        Self { study, cores: study.system.cores.iter().map(|core| of(&core.core)).collect() }
    }

    fn of(&self, problem: &TileProblem) -> [u64; 2] {
        let TileProblem { kind, shape, unroll, too_large } = problem;
        let settings = &self.study.settings;
        let streams = too_large.contains(&true);
        let core = self.cores[*kind][usize::from(streams)];
        let objective = format!("{:?}", settings.tile_objective(streams));
        let search = (objective, settings.strategy, settings.lpf_limit, settings.rules);
        [0_u8, 1].map(|half| hash(&(half, core, &search, shape, unroll, too_large)))
    }
}
