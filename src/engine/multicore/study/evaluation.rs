//! The evaluation of allocations by the scheduler, and the searches for better ones.

use super::super::account::CoresAccount;
use super::super::build::{CutLayer, TiledNetwork, tile_graph};
use super::super::coala::{SchedulingProblem, TilePriority, schedule, schedule_with_contents};
use super::super::costs::{NoMapping, TileCosts, tile_shape};
use super::super::genetic::{Evolution, Genes, Individual, evolve};
use super::super::granularity::LayerCuts;
use super::super::graph::{Tile, TileGraph};
use super::super::ids::{NestId, TileId};
use super::super::nest::LoopNest;
use super::super::request::{OrderRule, ScheduleObjective};
use super::super::schedule::{CoresSchedule, MemoryOverflow, PlacedTile};
use super::{CoreAllocation, CoresProblem, MOST_CHOICES, StackAllocation};
use crate::cost::LatencyCause;
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec};
use crate::spec::{Diagnostics, MAX_DIAGNOSTICS};
use crate::system::CoreId;
use crate::ties::{self, Contenders, Figures, is_clearly_less};
use crate::units::{Bits, Cycles};
use crate::workload::LayerShape;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// An allocation with its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedAllocation {
    /// The cores of each layer.
    pub choice: CoreAllocation,
    /// The order of tiles with the best schedule.
    pub order: OrderRule,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency of the best schedule, cycles.
    pub latency_cycles: f64,
}

impl EvaluatedAllocation {
    /// The value of an objective, which is minimised.
    pub fn score(&self, objective: ScheduleObjective) -> f64 {
        objective.score(self.energy_pj, Cycles(self.latency_cycles))
    }

    /// The figures by which it is compared with others.
    pub fn figures(&self, objective: ScheduleObjective) -> Figures {
        objective.figures(self.energy_pj, Cycles(self.latency_cycles))
    }
}

/// The tiles of an allocation, placed on its cores.
struct TiledAllocation {
    tiled: TiledNetwork,
    placed: TiVec<TileId, PlacedTile>,
    computing: TiVec<TileId, f64>,
}

/// The cost of a tile on its core, and the cycles in which the array works; or why it has no mapping there.
type PricedTile = Result<(PlacedTile, f64), NoMapping>;

/// A scheduler: with the contents of memories, or without.
type Scheduled = fn(SchedulingProblem<'_>) -> Result<CoresSchedule, MemoryOverflow>;

/// The best result, of equals the first; the last error if there is no result.
pub(super) fn best_scored<T, E>(
    found: impl Iterator<Item = Result<T, E>>,
    figures: impl Fn(&T) -> Figures,
) -> Option<Result<T, E>> {
    let mut contenders = Contenders::default();
    let mut wrong = None;
    for (place, found) in found.enumerate() {
        match found {
            Ok(found) => {
                contenders.offer(figures(&found), place, || found);
            }
            Err(why) => wrong = Some(Err(why)),
        }
    }
    contenders.into_best().map(Ok).or(wrong)
}

impl CoresProblem {
    /// The best allocation, and the stack allocations of which it consists: every stack is allocated with and without
    /// sharing tiles, and the scheduler decides.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn best(&self, costs: &mut TileCosts) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), Diagnostics> {
        self.best_of(costs, &[true, false])
    }

    /// As [`Self::best`], with each tile on one core.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn best_single(
        &self,
        costs: &mut TileCosts,
    ) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), Diagnostics> {
        self.best_of(costs, &[false])
    }

    fn best_of(
        &self,
        costs: &mut TileCosts,
        sharing: &[bool],
    ) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), Diagnostics> {
        let objective = self.settings.objective;
        let of_sharing = sharing.iter().map(|&shares| {
            let allocate = |stack| self.allocate(costs, stack, shares, &mut |done| done < MOST_CHOICES);
            let stacks: Vec<StackAllocation> = self.stacks.keys().map(allocate).collect();
            let candidates = self.candidates(costs, &stacks);
            let evaluated = candidates.iter().map(|choice| self.evaluate(costs, &stacks, choice, None));
            Ok((best_scored(evaluated, |best| best.figures(objective)).unwrap_or(Err(Diagnostics::default()))?, stacks))
        });
        best_scored(of_sharing, |(best, _)| best.figures(objective)).unwrap_or(Err(Diagnostics::default()))
    }

    /// A choice with other cores for the layers of these names; `None` if it has no such layer.
    pub fn with(&self, choice: &CoreAllocation, layers: &[(String, Vec<CoreId>)]) -> Option<CoreAllocation> {
        let mut choice = choice.clone();
        let mut is_any = false;
        for (layer, cores) in layers {
            if let Some(index) = self.nests.nests.position(|nest| nest.name == *layer) {
                choice[index].clone_from(cores);
                is_any = true;
            }
        }
        is_any.then_some(choice)
    }

    /// Everything that is wrong with an allocation.
    pub fn check(&self, choice: &CoreAllocation) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        for (layer, cuts) in self.cuts.iter_enumerated() {
            let name = &self.nests.nests[layer].name;
            let cores = choice.get(layer).map_or(&[][..], Vec::as_slice);
            let path = format!("allocation.{name}");
            if cores.is_empty() {
                diagnostics.add(&path, format!("No core computes `{name}`"), "Choose at least one");
            }
            if diagnostics.is_full() {
                break;
            }
            for &core in cores.iter().filter(|core| !cuts.able.contains(core)).take(MAX_DIAGNOSTICS) {
                let other = self.system.cores.get(core).map_or("this core", |core| core.name.as_str());
                let kind = self.network.layer(self.nests.layers[layer]).shape.kind.name();
                let reason = format!("`{other}` does not run layers of the type {kind}, as `{name}` is one");
                diagnostics.add(&path, reason, "Choose another core");
            }
            if cores.len() > cuts.most_by_hand.max(1) {
                let reason = format!("At most {} cores can share `{name}`", cuts.most_by_hand);
                diagnostics.add(&path, reason, "Choose fewer: more would leave parts of their arrays idle");
            }
        }
        diagnostics
    }

    /// The cost of an allocation, with tiles in a given order, or else as the settings say.
    ///
    /// # Errors
    /// A core that cannot compute a layer, a tile without a mapping, a memory that is too small even after all
    /// evictions.
    pub fn evaluate(
        &self,
        costs: &mut TileCosts,
        stacks: &[StackAllocation],
        choice: &CoreAllocation,
        order: Option<OrderRule>,
    ) -> Result<EvaluatedAllocation, Diagnostics> {
        let cast = self.cast(costs, choice)?;
        Ok(self.schedule(&cast, stacks, choice, order, schedule)?.0)
    }

    /// The cost of an allocation, and the account of its schedule.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn account(
        &self,
        costs: &mut TileCosts,
        stacks: &[StackAllocation],
        choice: &CoreAllocation,
        order: Option<OrderRule>,
    ) -> Result<(EvaluatedAllocation, CoresAccount), Diagnostics> {
        let cast = self.cast(costs, choice)?;
        let (evaluated, found) = self.schedule(&cast, stacks, choice, order, schedule_with_contents)?;
        Ok((evaluated, self.account_of(&cast, &found)))
    }

    fn account_of(&self, cast: &TiledAllocation, found: &CoresSchedule) -> CoresAccount {
        let problem = self.scheduling_problem(cast, TiSlice::from_ref(&[]), OrderRule::Earliest);
        let mut account = CoresAccount::new(problem, found, self.layer_names(), &cast.computing);
        (account.macs, account.peak_macs_per_cycle) = (self.network.macs(), self.peak_macs_per_cycle());
        account
    }

    /// The best of some allocations, and the account of its schedule.
    ///
    /// # Errors
    /// As [`Self::evaluate`] of the last one, if none has a schedule.
    pub fn account_of_best(
        &self,
        costs: &mut TileCosts,
        stacks: &[StackAllocation],
        choices: &[CoreAllocation],
    ) -> Result<(EvaluatedAllocation, CoresAccount), Diagnostics> {
        let found = choices.iter().map(|choice| {
            let cast = self.cast(costs, choice)?;
            let (evaluated, found) = self.schedule(&cast, stacks, choice, None, schedule_with_contents)?;
            Ok((cast, evaluated, found))
        });
        let best = best_scored(found, |(_, evaluated, _)| evaluated.figures(self.settings.objective))
            .unwrap_or(Err(Diagnostics::default()));
        best.map(|(cast, evaluated, found)| (evaluated, self.account_of(&cast, &found)))
    }

    /// The best schedule of a choice in a given order, or else in those that the settings allow.
    fn schedule(
        &self,
        cast: &TiledAllocation,
        stacks: &[StackAllocation],
        choice: &CoreAllocation,
        order: Option<OrderRule>,
        schedule: Scheduled,
    ) -> Result<(EvaluatedAllocation, CoresSchedule), Diagnostics> {
        let order = order.or(self.settings.order);
        let is_tried = |tried: &OrderRule| match order {
            Some(order) => order == *tried,
            // Without slots that is the order of the deepest layer.
            None => *tried != OrderRule::Slots || !stacks.is_empty(),
        };
        let tried = OrderRule::ALL.into_iter().filter(is_tried);
        let found = tried.map(|order| {
            let found = self.run(cast, stacks, order, schedule)?;
            let (energy_pj, latency_cycles) = (found.energy.total_pj(), found.latency.0);
            Ok((EvaluatedAllocation { choice: choice.clone(), order, energy_pj, latency_cycles }, found))
        });
        match best_scored(found, |(evaluated, _)| evaluated.figures(self.settings.objective)) {
            Some(Ok(best)) => Ok(best),
            none => Err(self.explain(cast, none.and_then(Result::err))),
        }
    }

    /// The best of an allocation and its neighbours, which differ in the cores of one layer: a step of a local search.
    pub fn improve(
        &self,
        costs: &mut TileCosts,
        stacks: &[StackAllocation],
        from: &EvaluatedAllocation,
        layer: NestId,
    ) -> EvaluatedAllocation {
        let objective = self.settings.objective;
        let moved = self.moves(&from.choice[layer], layer).into_iter().filter_map(|cores| {
            let mut choice = from.choice.clone();
            choice[layer] = cores;
            self.evaluate(costs, stacks, &choice, Some(from.order)).ok()
        });
        // Steps between ties might never end.
        let better = moved.filter(|evaluated| is_clearly_less(evaluated.score(objective), from.score(objective)));
        ties::best(better, |evaluated| (evaluated.figures(objective), ())).unwrap_or_else(|| from.clone())
    }

    /// The neighbourhood of a layer's cores: one core replaced, one more, one less.
    fn moves(&self, cores: &[CoreId], layer: NestId) -> Vec<Vec<CoreId>> {
        let LayerCuts { able, most_shared, .. } = &self.cuts[layer];
        let others = || able.iter().copied().filter(|core| !cores.contains(core));
        let mut moves = Vec::new();
        for place in 0..cores.len() {
            for other in others() {
                let mut next = cores.to_vec();
                next[place] = other;
                moves.push(next);
            }
            if cores.len() > 1 {
                let mut next = cores.to_vec();
                next.remove(place);
                moves.push(next);
            }
        }
        if cores.len() < *most_shared {
            moves.extend(others().map(|other| [cores, &[other]].concat()));
        }
        moves.iter_mut().for_each(|cores| cores.sort_unstable());
        moves.sort();
        moves.dedup();
        moves
    }

    /// The Pareto front of a genetic search (Stream, Section 6): allocations with each layer on one core, by energy, each in the order of
    /// the settings, or whichever is better.
    pub fn evolve(&self, costs: &mut TileCosts, evolution: Evolution) -> Vec<EvaluatedAllocation> {
        let genes = Genes { choices: self.cuts.iter().map(|cuts| cuts.able.clone()).collect() };
        let mut evaluate = |genes: &TiSlice<NestId, CoreId>| {
            let choice: CoreAllocation = genes.iter().map(|&core| vec![core]).collect();
            self.evaluate(costs, &[], &choice, None).ok()
        };
        let mut objectives = |genes: &TiSlice<NestId, CoreId>| {
            let evaluated = evaluate(genes);
            evaluated.map_or((f64::INFINITY, f64::INFINITY), |one| (one.energy_pj, one.latency_cycles))
        };
        let front: Vec<Individual> = evolve(&genes, evolution, &mut objectives).into_iter().map(|one| one.0).collect();
        front.iter().filter_map(|genes| evaluate(genes)).collect()
    }

    /// Multiply-accumulates of all tiles of an allocation.
    pub fn macs(&self, choice: &CoreAllocation) -> u64 {
        let tiled = self.tiles(choice);
        let macs = |(index, tile): (TileId, &Tile)| self.nests.nests[tile.layer].macs(&tiled.part(index));
        tiled.graph.tiles.iter_enumerated().map(macs).sum()
    }

    /// Number of tiles of an allocation.
    pub fn count_tiles(&self, choice: &CoreAllocation) -> usize {
        self.tiles(choice).graph.tiles.len()
    }

    /// The tiles of an allocation, placed on its cores.
    fn cast(&self, costs: &mut TileCosts, choice: &CoreAllocation) -> Result<TiledAllocation, Diagnostics> {
        let wrong = self.check(choice);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let tiled = self.tiles(choice);
        let (mut placed, mut computing) = (TiVec::with_capacity(tiled.graph.tiles.len()), TiVec::new());
        let mut diagnostics = Diagnostics::default();
        for layer in choice.keys() {
            let facts = self.network.layer(self.nests.layers[layer]);
            // Most tiles of a layer are equal.
            let mut known: FxHashMap<(CoreId, LayerShape, [u64; 3]), PricedTile> = FxHashMap::default();
            for tile in tiled.tiles_of(layer) {
                let core = choice[layer][tiled.graph.tiles[tile].group.index() % choice[layer].len()];
                let shape = tile_shape(facts, &tiled.part(tile), self.settings.scheduler.tiling());
                let key = (core, shape, self.bits_read(&tiled.graph, tile, &shape));
                let priced = known.entry(key).or_insert_with(|| self.price(costs, layer, key));
                match priced {
                    Ok((place, works)) => {
                        placed.push(place.clone());
                        computing.push(*works);
                    }
                    Err(why) => {
                        let core = &self.system.cores[core].name;
                        diagnostics.add(
                            format!("allocation.{}", facts.name),
                            format!("A tile of `{}` has no mapping on `{core}`: {why}", facts.name),
                            why.remedy(),
                        );
                        break;
                    }
                }
            }
        }
        diagnostics.or(TiledAllocation { tiled, placed, computing })
    }

    /// The cost of a tile of a layer on a core that reads and writes so many bits of each operand.
    fn price(
        &self,
        costs: &mut TileCosts,
        layer: NestId,
        (core, shape, bits): (CoreId, LayerShape, [u64; 3]),
    ) -> PricedTile {
        let problem = self.problem(layer, core, shape, bits);
        let too_large = Operand::ALL.into_iter().filter(|&operand| problem.too_large[operand as usize]).collect();
        let cost = self.cost(costs, problem).clone()?;
        let placed = PlacedTile {
            core,
            cycles: self.cycles(&cost),
            onchip_pj: cost.onchip_pj,
            offchip_pj: cost.offchip_pj,
            too_large,
            offchip: cost.offchip,
        };
        Ok((placed, cost.latency[LatencyCause::Computing].0))
    }

    /// The tiles of a choice.
    fn tiles(&self, choice: &CoreAllocation) -> TiledNetwork {
        let layer = |(index, nest): (NestId, &LoopNest)| CutLayer {
            nest: nest.clone(),
            split: self.cuts[index].split(choice[index].len()),
            cores: choice[index].len(),
        };
        let layers: TiVec<NestId, CutLayer> = self.nests.nests.iter_enumerated().map(layer).collect();
        tile_graph(&layers, self.settings.scheduler.tiling())
    }

    fn run(
        &self,
        cast: &TiledAllocation,
        stacks: &[StackAllocation],
        order: OrderRule,
        schedule: Scheduled,
    ) -> Result<CoresSchedule, MemoryOverflow> {
        let ranks = if order == OrderRule::Earliest { TiVec::new() } else { self.ranks(&cast.tiled, stacks, order) };
        schedule(self.scheduling_problem(cast, &ranks, order))
    }

    fn scheduling_problem<'a>(
        &'a self,
        cast: &'a TiledAllocation,
        ranks: &'a TiSlice<TileId, usize>,
        order: OrderRule,
    ) -> SchedulingProblem<'a> {
        SchedulingProblem {
            graph: &cast.tiled.graph,
            system: &self.wiring,
            placed: &cast.placed,
            order: if order == OrderRule::Earliest { TilePriority::EarliestReady } else { TilePriority::Ranks(ranks) },
            prefetched: if self.settings.prefetches_weights { &[Operand::W] } else { &[] },
            rules: self.settings.scheduler.rules(),
        }
    }

    /// Bits of each operand that a tile reads or writes.
    fn bits_read(&self, graph: &TileGraph, tile: TileId, shape: &LayerShape) -> [u64; 3] {
        let mut computed = [0; 3];
        for edge in graph.predecessors(tile) {
            if let Some(operand) = edge.operand {
                computed[operand as usize] += graph.bits(edge).0;
            }
        }
        let mapped = self.settings.scheduler.rules().stores_partial_sums.then(|| self.bits_of(shape));
        Operand::ALL.map(|operand| {
            let moved = || graph.tensor(tile, operand).map_or(0, |tensor| graph.tensors[tensor].bits.0);
            mapped.map_or_else(moved, |mapped| mapped[operand as usize]).max(computed[operand as usize])
        })
    }

    fn explain(&self, cast: &TiledAllocation, overfull: Option<MemoryOverflow>) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let Some(MemoryOverflow { memory, tensor }) = overfull else { return diagnostics };
        let memory = &self.wiring.memories[memory];
        let of = cast.tiled.graph.tiles.iter().find(|tile| tile.tensors.contains(&Some(tensor)));
        let layer = of.map_or("?", |tile| self.nests.nests[tile.layer].name.as_str());
        let bytes = |bits: Bits| bits.0.div_ceil(8);
        let reason = format!(
            "`{}` holds {} bytes: what a tile of `{layer}` needs at the same time, {} bytes of it one tensor, does not fit together",
            memory.name,
            bytes(memory.capacity),
            bytes(cast.tiled.graph.tensors[tensor].bits),
        );
        diagnostics.add("settings.granularity", reason, "Make tiles smaller, or the memory larger");
        diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_scores_that_differ_by_rounding_the_faster_result_is_better() {
        let objective = ScheduleObjective::Energy;
        let costs = [(2_671_372.607_999_999, 9857.0), (2_671_372.608, 9376.0), (2_671_372.608, 9376.0), (3e6, 1.0)];
        let figures = |place: &usize| objective.figures(costs[*place].0, Cycles(costs[*place].1));
        let best = |order: [usize; 4]| best_scored::<usize, ()>(order.into_iter().map(Ok), figures);
        assert_eq!(best([0, 1, 2, 3]), Some(Ok(1)));
        assert_eq!(best([3, 2, 0, 1]), Some(Ok(2)), "of equals the first");
        assert_eq!(best_scored::<usize, _>([Err(1), Err(2)].into_iter(), figures), Some(Err(2)));
        assert_eq!(best_scored::<usize, ()>(std::iter::empty(), figures), None);
    }
}
