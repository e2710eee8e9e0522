//! The allocation of the layers of each stack to cores, without regard to transfers.

use super::super::build::tile_graph;
use super::super::costs::{TileCosts, tile_shape};
use super::super::granularity::LayerCuts;
use super::super::ids::{IterationTile, NestId, StackId, TileId};
use super::super::steady_state::{SteadyState, steady_state};
use super::super::waco::{AllocationOutcome, AllocationProblem, MOST, TileAllocation, allocate};
use super::{CoreAllocation, CoresProblem, tiled_layers};
use crate::hardware::Operand;
use crate::ids::{TiVec, ti_vec};
use crate::system::CoreId;
use crate::workload::{Dim, LayerShape};
use serde::{Deserialize, Serialize};

/// Limit on the coarsening of tiles for an allocation.
const MOST_COARSENED: u64 = 64;

/// Default limit on the states that a search over the cores of a stack visits.
pub const MOST_CHOICES: u64 = 50_000;

/// The allocation of a stack to cores, with the outcome of its search.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StackAllocation {
    /// The layers of the stack, in topological order.
    pub layers: Vec<NestId>,
    /// The factor by which tiles are larger in the allocation than in the schedule, as an iteration has too many of those.
    pub coarsened: u64,
    /// Tiles of an iteration.
    pub tiles: usize,
    /// Number of iterations.
    pub iterations: usize,
    /// Its share of the stack's multiply-accumulates.
    pub mac_share: f64,
    /// The outcome of WACO; the default where an iteration has too many tiles.
    pub found: AllocationOutcome,
    /// The cores of each of its layers.
    pub cores: Vec<Vec<CoreId>>,
}

impl CoresProblem {
    /// The iteration that a stack repeats.
    pub fn steady_state(&self, stack: StackId) -> SteadyState {
        let macs = |tile: TileId| {
            let layer = self.unshared.graph.tiles[tile].layer;
            self.nests.nests[layer].macs(&self.unshared.part(tile))
        };
        steady_state(&self.unshared.graph, &self.stacks[stack], &macs)
    }

    /// The allocation problem of a stack's iteration; each tile on one core unless `shares`.
    pub fn instance(&self, costs: &mut TileCosts, steady: &SteadyState, shares: bool) -> AllocationProblem {
        let cores = self.system.cores.len();
        let place = |tile: TileId| steady.tiles.position(|&other| other == tile);
        let layer_of = |tile: TileId| self.unshared.graph.tiles[tile].layer;
        let mut instance =
            AllocationProblem { cores, iterations: steady.iterations as u64, ..AllocationProblem::default() };
        for (index, &tile) in steady.tiles.iter_enumerated() {
            let layer = layer_of(tile);
            let cuts = &self.cuts[layer];
            let mut cycles: TiVec<CoreId, Vec<Option<f64>>> = ti_vec![vec![None; cores]; cores];
            let most = if shares { cuts.most_shared } else { 1 };
            for shared in 1..=most {
                // The largest of the parts decides.
                let mut part = self.unshared.part(tile);
                if let Some(dim) = cuts.share.filter(|_| shared > 1) {
                    let range = &mut part[dim as usize];
                    range.end = range.start + (range.end - range.start).div_ceil(shared as u64);
                }
                let facts = self.network.layer(self.nests.layers[layer]);
                let shape = tile_shape(facts, &part, self.settings.scheduler.tiling());
                for &core in &cuts.able {
                    let problem = self.problem(layer, core, shape, self.bits_of(&shape));
                    let cost = self.cost(costs, problem).as_ref().ok().copied();
                    cycles[core][shared - 1] = cost.map(|cost| self.cycles(&cost).0);
                }
            }
            instance.cycles.push(cycles);
            let before = self.unshared.graph.predecessors(tile).filter(|edge| edge.operand.is_some());
            let mut before: Vec<IterationTile> = before.filter_map(|edge| place(edge.from)).collect();
            before.dedup();
            instance.order.extend(before.into_iter().map(|first| (first, index)));
            let first = steady.tiles.position(|&other| layer_of(other) == layer).unwrap_or(index);
            // Tiles of a layer have the same weights.
            let bits = self.network.layer(self.nests.layers[layer]).shape.weight_bits();
            // A core that shares columns needs all weights. The search divides them among cores, so they count as often
            // as they may be divided.
            let copies = if cuts.share == Some(Dim::OX) && shares { cuts.most_shared as u64 } else { 1 };
            instance.weights.push(if first == index { bits * copies } else { 0 });
            match instance.groups.iter_mut().find(|group| group[0] == first) {
                Some(group) => group.push(index),
                None => instance.groups.push(vec![index]),
            }
        }
        let alone = steady.tiles.len() == 1;
        let capacity = |core: CoreId| {
            let memory = self.wiring.memory_of[core][Operand::W as usize];
            if alone { u64::MAX } else { self.wiring.memories[memory].capacity.0 }
        };
        instance.capacity = CoreId::first(cores).map(capacity).collect();
        instance
    }

    /// This study with tiles `times` as large.
    fn coarser(&self, times: u64) -> Self {
        let larger = |cuts: &LayerCuts| LayerCuts {
            in_time: cuts.in_time.iter().map(|&(dim, pieces)| (dim, pieces.div_ceil(times))).collect(),
            ..cuts.clone()
        };
        let cuts: TiVec<NestId, LayerCuts> = self.cuts.iter().map(larger).collect();
        let unshared = tile_graph(&tiled_layers(&self.nests, &cuts, |_| 1), self.settings.scheduler.tiling());
        Self {
            network: self.network.clone(),
            nests: self.nests.clone(),
            system: self.system.clone(),
            settings: self.settings.clone(),
            stacks: self.stacks.clone(),
            cuts,
            wiring: self.wiring.clone(),
            unshared,
        }
    }

    /// Allocates a stack's layers to cores by WACO, without regard to transfers (Stream, Section 5.3). `goes_on` is asked from time to time
    /// with the number of states so far.
    pub fn allocate(
        &self,
        costs: &mut TileCosts,
        stack: StackId,
        shares: bool,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> StackAllocation {
        let layers = self.stacks[stack].clone();
        let mut coarser = None;
        let mut coarsened = 1;
        let mut steady = self.steady_state(stack);
        // An iteration of too many tiles is allocated in larger ones.
        while steady.tiles.len() > MOST && coarsened < MOST_COARSENED {
            coarsened *= 2;
            let next = self.coarser(coarsened);
            steady = next.steady_state(stack);
            coarser = Some(next);
        }
        let study = coarser.as_ref().unwrap_or(self);
        let instance = study.instance(costs, &steady, shares);
        let found = allocate(&instance, goes_on);
        let cores = layers.iter().map(|&layer| study.cores_of(&steady, found.best.as_ref(), layer, shares)).collect();
        StackAllocation {
            coarsened,
            tiles: steady.tiles.len(),
            iterations: steady.iterations,
            mac_share: steady.mac_share,
            found,
            cores,
            layers,
        }
    }

    /// The cores that an allocation gives a layer; all that it may have where the allocation leaves it out.
    fn cores_of(
        &self,
        steady: &SteadyState,
        found: Option<&TileAllocation>,
        layer: NestId,
        shares: bool,
    ) -> Vec<CoreId> {
        let of_layer = |tile: &TileId| self.unshared.graph.tiles[*tile].layer == layer;
        let mut cores: Vec<CoreId> = found
            .map(|found| steady.tiles.iter().zip(&found.tiles).filter(|(tile, _)| of_layer(tile)))
            .into_iter()
            .flatten()
            .flat_map(|(_, place)| place.1.iter().copied())
            .collect();
        cores.sort_unstable();
        cores.dedup();
        if cores.is_empty() {
            let cuts = &self.cuts[layer];
            cores = cuts.able[..if shares { cuts.most_shared } else { 1 }].to_vec();
        }
        cores
    }

    /// Candidate allocations for the scheduler: that of WACO; and, where each layer has one core, a balanced one, as WACO counts slot by
    /// slot and ignores transfers, and each core alone, as transfers may cost more than other cores save.
    pub fn candidates(&self, costs: &mut TileCosts, stacks: &[StackAllocation]) -> Vec<CoreAllocation> {
        let mut candidates = vec![self.choice(stacks)];
        if candidates[0].iter().all(|cores| cores.len() == 1) {
            candidates.push(self.balanced(costs));
            candidates.extend(self.alone().into_iter().map(|(_, choice)| choice));
            candidates.dedup();
        }
        candidates
    }

    /// Each core that runs all layers, with all of them on it.
    pub fn alone(&self) -> Vec<(CoreId, CoreAllocation)> {
        let runs_all = |core: &CoreId| self.cuts.iter().all(|cuts| cuts.able.contains(core));
        let choice = |core: CoreId| (core, self.cuts.iter().map(|_| vec![core]).collect());
        self.system.cores.keys().filter(runs_all).map(choice).collect()
    }

    /// A greedy allocation with each layer on one core: first the fastest one; then layers of a stack move to other cores as long as the
    /// load of its busiest core decreases.
    fn balanced(&self, costs: &mut TileCosts) -> CoreAllocation {
        let work: TiVec<NestId, Vec<(CoreId, f64)>> = self.cuts.keys().map(|layer| self.work(costs, layer)).collect();
        let fastest =
            |of: &Vec<(CoreId, f64)>| of.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        let mut choice: TiVec<NestId, (CoreId, f64)> = work.iter().map(fastest).collect();
        for stack in &self.stacks {
            let mut loads: TiVec<CoreId, f64> = ti_vec![0.0; self.system.cores.len()];
            stack.iter().for_each(|&layer| loads[choice[layer].0] += choice[layer].1);
            loop {
                let busiest = |loads: &TiVec<CoreId, f64>| loads.iter().copied().fold(0.0, f64::max);
                let moves = stack.iter().flat_map(|&layer| work[layer].iter().map(move |&to| (layer, to)));
                let moved = moves.map(|(layer, to)| {
                    let (from, mut loads) = (choice[layer], loads.clone());
                    loads[from.0] -= from.1;
                    loads[to.0] += to.1;
                    (busiest(&loads), layer, to, loads)
                });
                let best = moved.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0 < busiest(&loads));
                let Some((_, layer, to, next)) = best else { break };
                (choice[layer], loads) = (to, next);
            }
        }
        choice.into_iter().map(|(core, _)| vec![core]).collect()
    }

    /// The cores that may compute a layer, and the cycles of each for all its tiles if all were as slow as the slowest.
    fn work(&self, costs: &mut TileCosts, layer: NestId) -> Vec<(CoreId, f64)> {
        let shapes = self.shapes(layer, 1);
        let tiles = self.unshared.tiles_of(layer).len() as f64;
        let mut cycles = |core: CoreId| {
            let of_shape = |shape: &LayerShape| {
                let problem = self.problem(layer, core, *shape, self.bits_of(shape));
                let cost = self.cost(costs, problem);
                cost.as_ref().map_or(f64::INFINITY, |cost| self.cycles(cost).0)
            };
            shapes.iter().map(of_shape).fold(0.0, f64::max)
        };
        self.cuts[layer].able.iter().map(|&core| (core, tiles * cycles(core))).collect()
    }

    /// The allocation of all layers that the allocations of the stacks make up.
    pub fn choice(&self, stacks: &[StackAllocation]) -> CoreAllocation {
        let mut choice: CoreAllocation = self.cuts.iter().map(|cuts| cuts.able[..1].to_vec()).collect();
        for stack in stacks {
            for (layer, cores) in stack.layers.iter().zip(&stack.cores) {
                if let Some(chosen) = choice.get_mut(*layer).filter(|_| !cores.is_empty()) {
                    chosen.clone_from(cores);
                }
            }
        }
        choice
    }
}
