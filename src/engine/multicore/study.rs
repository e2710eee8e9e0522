//! A network on a system of cores: how its layers are cut, what is to be solved for that, and what a choice of cores comes to.

use super::account::SystemAccount;
use super::build::{TiledLayer, TiledNetwork, tile_graph};
use super::coala::{Job, Order, schedule};
use super::costs::{Solved, TileCosts, TileProblem, solve, tile_shape, too_large};
use super::document::CoreSystem;
use super::genetic::{Evolution, Genes, evolve};
use super::granularity::{Cuts, stacks};
use super::graph::Tile;
use super::nest::{LoopNest, Part};
use super::network::NetworkNests;
use super::request::{Aim, CoresRequest, CoresSettings, Scheduler};
use super::schedule::{Overfull, Placed, Schedule};
use super::steady_state::{SteadyState, steady_state};
use super::system::System;
use super::tiling::{Grid, Split};
use super::waco::{Allocation, Found, Instance, MOST, allocate};
use crate::hardware::{Core, Operand};
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerShape, Network};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// More tiles than this are not scheduled.
pub const MOST_TILES: u64 = 500_000;

/// Tiles are allocated as so many times as large ones at most.
const MOST_COARSENED: u64 = 64;

/// A search over the cores of a stack ends after so many choices, if nobody says otherwise.
pub const MOST_CHOICES: u64 = 50_000;

/// For each layer the cores that share it.
pub type CoreChoice = Vec<Vec<usize>>;

/// A validated request.
pub struct CoresStudy {
    /// The network.
    pub network: Network,
    /// Its layers as loops.
    pub nests: NetworkNests,
    /// The cores and what lies between them.
    pub system: CoreSystem,
    /// How layers are cut and scheduled.
    pub settings: CoresSettings,
    /// Which layers take turns, tile by tile.
    pub stacks: Vec<Vec<usize>>,
    /// How each layer is cut.
    cuts: Vec<Cuts>,
    wiring: System,
    /// Tiles of layers that nobody shares yet.
    unshared: TiledNetwork,
}

/// What a person sees of a request before anything is solved.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CoresOutline {
    /// Names of the layers.
    pub layers: Vec<String>,
    /// Names of the cores.
    pub cores: Vec<String>,
    /// For each layer the cores that may compute it.
    pub able: Vec<Vec<usize>>,
    /// For each layer on how many cores at once it may be computed.
    pub most_shared: Vec<usize>,
    /// Which layers take turns.
    pub stacks: Vec<Vec<usize>>,
    /// How many tiles there are before layers are shared.
    pub tiles: usize,
    /// How many different tiles are to be solved, cores told apart.
    pub problems: usize,
}

/// What a search over the cores of a stack found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StackAllocation {
    /// Its layers.
    pub layers: Vec<usize>,
    /// Tiles so many times as large as the schedule's were allocated, as an iteration has too many of those.
    pub coarsened: u64,
    /// Tiles of an iteration.
    pub tiles: usize,
    /// How often the iteration is computed.
    pub iterations: usize,
    /// Its share of the stack's multiply-accumulates.
    pub mac_share: f64,
    /// What was found; nothing where an iteration has too many tiles.
    pub found: Found,
    /// The cores of each layer.
    pub cores: CoreChoice,
}

/// Which tile is taken next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderRule {
    /// That of the deepest layer.
    Deepest,
    /// By the slots of the allocation.
    Slots,
    /// That which could start first.
    Earliest,
}

/// A choice of cores, and what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The choice.
    pub choice: CoreChoice,
    /// The order that suits it best.
    pub order: OrderRule,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles.
    pub latency_cycles: f64,
}

impl Judged {
    /// What it is judged by; less is better.
    pub fn score(&self, aim: Aim) -> f64 {
        aim.score(self.energy_pj, self.latency_cycles)
    }
}

/// A choice in tiles.
struct Cast {
    tiled: TiledNetwork,
    placed: Vec<Placed>,
    computing: Vec<f64>,
}

impl CoresStudy {
    /// Validates a request.
    ///
    /// # Errors
    /// Everything that is wrong with it; paths begin with `hardware.`, `workload.`, `system.` or `settings.`.
    pub fn new(request: &CoresRequest) -> Result<Self, Diagnostics> {
        let network = Network::from_text(&request.workload);
        let hardware = Core::from_text(&request.hardware);
        let system = CoreSystem::from_text(&request.system, &request.hardware);
        let mut diagnostics = Diagnostics::default();
        // A system that says itself what its cores are does without the document beside it.
        let hardware_wrong = hardware.err().filter(|_| system.is_err());
        let found = [
            ("hardware", hardware_wrong.as_ref()),
            ("workload", network.as_ref().err()),
            ("system", system.as_ref().err()),
        ];
        for (document, wrong) in found {
            diagnostics.0.append(&mut wrong.cloned().unwrap_or_default().under(document).0);
        }
        let (Ok(network), Ok(system)) = (network, system) else { return Err(diagnostics) };
        let settings = request.settings.clone();
        let nests = NetworkNests::new(&network);
        let stacks = stacks(&nests, &system, &settings.stacks, &mut diagnostics);
        let cuts = Cuts::of_all(&network, &nests, &system, &stacks, &settings.granularity, &mut diagnostics);
        let total: u64 = cuts.iter().map(|cuts| cuts.tiles(system.cores.len() as u64)).fold(0, u64::saturating_add);
        if total > MOST_TILES {
            let reason = format!("There would be {total} tiles, more than {MOST_TILES}");
            diagnostics.add("settings.granularity", reason, "Make tiles larger");
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let wiring = system.system(settings.scheduler.rules());
        let unshared = unshared(&nests, &cuts, settings.scheduler);
        Ok(Self { network, nests, system, settings, stacks, cuts, wiring, unshared })
    }

    /// What there is to know before anything is solved.
    pub fn outline(&self) -> CoresOutline {
        CoresOutline {
            layers: self.layer_names(),
            cores: self.system.cores.iter().map(|core| core.name.clone()).collect(),
            able: self.cuts.iter().map(|cuts| cuts.able.clone()).collect(),
            most_shared: self.cuts.iter().map(|cuts| cuts.most_shared).collect(),
            stacks: self.stacks.clone(),
            tiles: self.unshared.graph.tiles.len(),
            problems: self.problems().len(),
        }
    }

    /// The whole way: every stack allocated, with and without sharing tiles, and the better of both by the scheduler; and the allocations that it is
    /// made of.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn best(&self, costs: &mut TileCosts) -> Result<(Judged, Vec<StackAllocation>), Diagnostics> {
        self.best_of(costs, &[true, false])
    }

    /// The same with each tile on one core.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn best_single(&self, costs: &mut TileCosts) -> Result<(Judged, Vec<StackAllocation>), Diagnostics> {
        self.best_of(costs, &[false])
    }

    fn best_of(&self, costs: &mut TileCosts, sharing: &[bool]) -> Result<(Judged, Vec<StackAllocation>), Diagnostics> {
        let allocations = |shares: bool, costs: &mut TileCosts| -> Vec<StackAllocation> {
            let mut goes_on = |done: u64| done < MOST_CHOICES;
            (0..self.stacks.len()).map(|stack| self.allocate(costs, stack, shares, &mut goes_on)).collect()
        };
        let mut best: Result<(Judged, Vec<StackAllocation>), Diagnostics> = Err(Diagnostics::default());
        for &shares in sharing {
            let stacks = allocations(shares, costs);
            match self.judge(costs, &stacks, &self.choice(&stacks), None) {
                Ok(judged) => {
                    let aim = self.settings.aim;
                    if best.as_ref().ok().is_none_or(|best| judged.score(aim) < best.0.score(aim)) {
                        best = Ok((judged, stacks));
                    }
                }
                Err(wrong) if best.is_err() => best = Err(wrong),
                Err(_) => {}
            }
        }
        best
    }

    /// What evolution finds (Stream, Section 6): each layer on one core, from the same seed.
    pub fn evolve(&self, costs: &mut TileCosts, individuals: usize, generations: usize) -> Vec<Judged> {
        let genes = Genes { choices: self.cuts.iter().map(|cuts| cuts.able.clone()).collect() };
        let evolution = Evolution { individuals, generations, seed: 1 };
        let choice = |genes: &[usize]| -> CoreChoice { genes.iter().map(|&core| vec![core]).collect() };
        let mut judge = |genes: &[usize]| {
            let judged = self.judge(costs, &[], &choice(genes), Some(OrderRule::Deepest));
            judged.map_or((f64::INFINITY, f64::INFINITY), |judged| (judged.energy_pj, judged.latency_cycles))
        };
        let front = evolve(&genes, evolution, &mut judge);
        let judged = |(genes, (energy_pj, latency_cycles)): (Vec<usize>, (f64, f64))| Judged {
            choice: choice(&genes),
            order: OrderRule::Deepest,
            energy_pj,
            latency_cycles,
        };
        front.into_iter().filter(|one| one.1.0.is_finite()).map(judged).collect()
    }

    /// Names of the layers that are computed.
    pub fn layer_names(&self) -> Vec<String> {
        self.nests.nests.iter().map(|nest| nest.name.clone()).collect()
    }

    /// The cores that may compute a layer.
    pub fn able(&self, layer: usize) -> &[usize] {
        &self.cuts[layer].able
    }

    /// On how many cores at once a layer may be computed.
    pub fn most_shared(&self, layer: usize) -> usize {
        self.cuts[layer].most_shared
    }

    /// Everything that any choice of cores may have to know the cost of, each once: tiles that all fit on the chip.
    pub fn problems(&self) -> Vec<TileProblem> {
        let mut known = FxHashSet::default();
        let mut problems = Vec::new();
        for layer in 0..self.cuts.len() {
            let shared: Vec<usize> = (1..=self.cuts[layer].most_shared).collect();
            for shape in shared.into_iter().flat_map(|shared| self.shapes(layer, shared)) {
                for &core in &self.cuts[layer].able {
                    let bits = Operand::ALL.map(|operand| bits_of(&shape, operand));
                    let problem = self.problem(layer, core, shape, bits);
                    if known.insert(problem.clone()) {
                        problems.push(problem);
                    }
                }
            }
        }
        problems
    }

    /// Solves a problem.
    pub fn solve(&self, problem: &TileProblem) -> Solved {
        solve(&self.system.cores[problem.kind], problem, &self.settings)
    }

    /// How a layer is cut where so many cores share it.
    fn split(&self, layer: usize, shared: usize) -> Split {
        let Cuts { in_time, share, .. } = &self.cuts[layer];
        let over_cores = share.filter(|_| shared > 1).map(|dim| vec![(dim, shared as u64)]).unwrap_or_default();
        Split { in_time: in_time.clone(), over_cores }
    }

    /// The different tiles of a layer that so many cores share.
    fn shapes(&self, layer: usize, shared: usize) -> Vec<LayerShape> {
        let nest = &self.nests.nests[layer];
        let grid = Grid::new(nest, &self.split(layer, shared), self.settings.scheduler.tiling());
        let facts = self.network.layer(self.nests.layers[layer]);
        let mut parts: Vec<Part> = vec![nest.whole()];
        for dim in Dim::ALL {
            // Pieces that make the same tile of the whole rest.
            let mut known = FxHashSet::default();
            let mut of_dim = Vec::new();
            for piece in &grid.pieces[dim as usize] {
                let mut part = nest.whole();
                part[dim as usize] = piece.clone();
                if known.insert(tile_shape(facts, &part)) {
                    of_dim.push(piece.clone());
                }
            }
            parts = parts
                .into_iter()
                .flat_map(|part| {
                    of_dim.iter().map(move |piece| {
                        let mut part = part.clone();
                        part[dim as usize] = piece.clone();
                        part
                    })
                })
                .collect();
        }
        let mut known = FxHashSet::default();
        parts.iter().map(|part| tile_shape(facts, part)).filter(|shape| known.insert(*shape)).collect()
    }

    fn problem(&self, layer: usize, core: usize, shape: LayerShape, bits: [u64; 3]) -> TileProblem {
        let kind = self.system.cores[core].kind;
        let core = &self.system.cores[kind];
        let unroll = self.network.layer(self.nests.layers[layer]).unroll_on(&core.core);
        TileProblem { kind, shape, unroll, too_large: too_large(core, bits) }
    }

    fn cost<'c>(&self, costs: &'c mut TileCosts, problem: TileProblem) -> &'c Solved {
        costs.entry(problem).or_insert_with_key(|problem| self.solve(problem))
    }

    /// The cycles that a tile counts by the rules of the scheduler.
    fn cycles(&self, cost: &super::costs::TileCost) -> f64 {
        match self.settings.scheduler {
            Scheduler::Stream2024 => cost.cycles_without_offloading,
            Scheduler::Corrected | Scheduler::Stream2023 => cost.cycles,
        }
    }

    /// The iteration that a stack repeats.
    pub fn steady_state(&self, stack: usize) -> SteadyState {
        let macs = |tile: usize| {
            let layer = self.unshared.graph.tiles[tile].layer;
            self.nests.nests[layer].macs(&self.unshared.part(tile))
        };
        steady_state(&self.unshared.graph, &self.stacks[stack], &macs)
    }

    /// The problem of sharing a stack's iteration among the cores; a tile on one core only unless `shares`.
    pub fn instance(&self, costs: &mut TileCosts, steady: &SteadyState, shares: bool) -> Instance {
        let cores = self.system.cores.len();
        let place = |tile: usize| steady.tiles.iter().position(|&other| other == tile);
        let layer_of = |tile: usize| self.unshared.graph.tiles[tile].layer;
        let mut instance = Instance { cores, iterations: steady.iterations as u64, ..Instance::default() };
        for (index, &tile) in steady.tiles.iter().enumerate() {
            let layer = layer_of(tile);
            let cuts = &self.cuts[layer];
            let mut cycles = vec![vec![None; cores]; cores];
            let most = if shares { cuts.most_shared } else { 1 };
            for shared in 1..=most {
                // The largest of the parts decides.
                let mut part = self.unshared.part(tile);
                if let Some(dim) = cuts.share.filter(|_| shared > 1) {
                    let range = &mut part[dim as usize];
                    range.end = range.start + (range.end - range.start).div_ceil(shared as u64);
                }
                let shape = tile_shape(self.network.layer(self.nests.layers[layer]), &part);
                for &core in &cuts.able {
                    let bits = Operand::ALL.map(|operand| bits_of(&shape, operand));
                    let problem = self.problem(layer, core, shape, bits);
                    let cost = self.cost(costs, problem).as_ref().ok().copied();
                    cycles[core][shared - 1] = cost.map(|cost| self.cycles(&cost));
                }
            }
            instance.cycles.push(cycles);
            let before = self.unshared.graph.predecessors(tile).filter(|edge| edge.operand.is_some());
            let mut before: Vec<usize> = before.filter_map(|edge| place(edge.from)).collect();
            before.dedup();
            instance.order.extend(before.into_iter().map(|first| (first, index)));
            let first = steady.tiles.iter().position(|&other| layer_of(other) == layer).unwrap_or(index);
            // Tiles of a layer have the same weights.
            let bits = self.network.layer(self.nests.layers[layer]).shape.weight_bits();
            // Who shares columns needs all of them; the search divides them among cores, so that they count as often as they may be divided.
            let copies = if cuts.share == Some(Dim::OX) && shares { cuts.most_shared as u64 } else { 1 };
            instance.weights.push(if first == index { bits * copies } else { 0 });
            match instance.groups.iter_mut().find(|group| group[0] == first) {
                Some(group) => group.push(index),
                None => instance.groups.push(vec![index]),
            }
        }
        let alone = steady.tiles.len() == 1;
        let capacity = |core: usize| {
            let memory = self.wiring.memory_of[core][Operand::W as usize];
            if alone { u64::MAX } else { self.wiring.memories[memory].capacity_bits }
        };
        instance.capacity = (0..cores).map(capacity).collect();
        instance
    }

    /// The same with tiles so many times as large.
    fn coarser(&self, times: u64) -> Self {
        let larger = |cuts: &Cuts| Cuts {
            in_time: cuts.in_time.iter().map(|&(dim, pieces)| (dim, pieces.div_ceil(times))).collect(),
            ..cuts.clone()
        };
        let cuts: Vec<Cuts> = self.cuts.iter().map(larger).collect();
        let unshared = unshared(&self.nests, &cuts, self.settings.scheduler);
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

    /// Which cores compute a stack's layers best, if nothing had to travel (Stream, Section 5.3). `goes_on` is asked now and then.
    pub fn allocate(
        &self,
        costs: &mut TileCosts,
        stack: usize,
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

    /// The cores that an allocation gives a layer; all that it may have where it says nothing.
    fn cores_of(&self, steady: &SteadyState, found: Option<&Allocation>, layer: usize, shares: bool) -> Vec<usize> {
        let of_layer = |tile: &usize| self.unshared.graph.tiles[*tile].layer == layer;
        let mut cores: Vec<usize> = found
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

    /// The choice that the allocations of all stacks make.
    pub fn choice(&self, stacks: &[StackAllocation]) -> CoreChoice {
        let mut choice: CoreChoice = self.cuts.iter().map(|cuts| cuts.able[..1].to_vec()).collect();
        for stack in stacks {
            for (layer, cores) in stack.layers.iter().zip(&stack.cores) {
                if let Some(chosen) = choice.get_mut(*layer).filter(|_| !cores.is_empty()) {
                    chosen.clone_from(cores);
                }
            }
        }
        choice
    }

    /// What is wrong with a choice.
    pub fn check(&self, choice: &CoreChoice) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        for (layer, cuts) in self.cuts.iter().enumerate() {
            let name = &self.nests.nests[layer].name;
            let cores = choice.get(layer).map_or(&[][..], Vec::as_slice);
            let path = format!("allocation.{name}");
            if cores.is_empty() {
                diagnostics.add(&path, format!("No core computes `{name}`"), "Choose at least one");
            }
            for &core in cores.iter().filter(|core| !cuts.able.contains(core)) {
                let other = self.system.cores.get(core).map_or("this core", |core| core.name.as_str());
                let kind = self.network.layer(self.nests.layers[layer]).shape.kind.name();
                let reason = format!("`{other}` does not run layers of the type {kind}, as `{name}` is one");
                diagnostics.add(&path, reason, "Choose another core");
            }
            if cores.len() > cuts.most_shared.max(1) {
                let reason = format!("At most {} cores can share `{name}`", cuts.most_shared);
                diagnostics.add(&path, reason, "Choose fewer: more would leave parts of their arrays idle");
            }
        }
        diagnostics
    }

    /// The tiles of a choice, and what each costs where it is computed.
    fn cast(&self, costs: &mut TileCosts, choice: &CoreChoice) -> Result<Cast, Diagnostics> {
        let wrong = self.check(choice);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let tiled = self.tiles(choice);
        let (mut placed, mut computing) = (Vec::new(), Vec::new());
        let mut diagnostics = Diagnostics::default();
        let mut last: Option<(TileProblem, super::costs::TileCost)> = None;
        for (tile, facts) in tiled.graph.tiles.iter().enumerate() {
            let core = choice[facts.layer][facts.group % choice[facts.layer].len()];
            let layer = self.network.layer(self.nests.layers[facts.layer]);
            let mut bits = [0; 3];
            for operand in Operand::ALL {
                let own = tiled.graph.tensor(tile, operand).map_or(0, |tensor| tiled.graph.tensors[tensor].bits);
                let from_others = tiled.graph.predecessors(tile).filter(|edge| edge.operand == Some(operand));
                bits[operand as usize] = own.max(from_others.map(|edge| tiled.graph.bits(edge)).sum());
            }
            let problem = self.problem(facts.layer, core, tile_shape(layer, &tiled.part(tile)), bits);
            let cost = match &last {
                Some((known, cost)) if *known == problem => Ok(*cost),
                _ => self.cost(costs, problem.clone()).clone(),
            };
            match cost {
                Ok(cost) => {
                    let wide = Operand::ALL.into_iter().filter(|&operand| problem.too_large[operand as usize]);
                    placed.push(Placed {
                        core,
                        cycles: self.cycles(&cost),
                        onchip_pj: cost.onchip_pj,
                        offchip_pj: cost.offchip_pj,
                        too_large: wide.collect(),
                        offchip_bits: cost.offchip_bits,
                    });
                    computing.push(cost.computing);
                    last = Some((problem, cost));
                }
                Err(reason) => {
                    let (layer, core) = (&layer.name, &self.system.cores[core].name);
                    let path = format!("allocation.{layer}");
                    if !diagnostics.0.iter().any(|known| known.path == path) {
                        let reason = format!("A tile of `{layer}` has no mapping on `{core}`: {reason}");
                        diagnostics.add(
                            path,
                            reason,
                            "Make tiles smaller, the core's memories larger, or choose another core",
                        );
                    }
                }
            }
        }
        diagnostics.or(Cast { tiled, placed, computing })
    }

    /// The rank of every tile: by stack, then as the rule says.
    fn ranks(&self, tiled: &TiledNetwork, stacks: &[StackAllocation], order: OrderRule) -> Vec<usize> {
        let graph = &self.unshared.graph;
        // By tile of the layers that nobody shares.
        let mut rank = vec![0; graph.tiles.len()];
        let mut next = 0;
        for (stack, layers) in self.stacks.iter().enumerate() {
            let known = stacks.iter().find(|known| known.layers == *layers && known.coarsened == 1);
            let slots = known.and_then(|known| known.found.best.as_ref());
            let tiles: Vec<usize> = match (order, slots) {
                (OrderRule::Slots, Some(found)) => self.by_slots(&self.steady_state(stack), found),
                _ => (0..graph.tiles.len()).rev().filter(|&tile| layers.contains(&graph.tiles[tile].layer)).collect(),
            };
            for tile in tiles {
                rank[tile] = next;
                next += 1;
            }
        }
        let place = |tile: usize| {
            let facts = &tiled.graph.tiles[tile];
            let first = self.unshared.first[facts.layer];
            let count = self.unshared.first[facts.layer + 1] - first;
            (rank[first + facts.number % count.max(1)], tile)
        };
        let mut order: Vec<usize> = (0..tiled.graph.tiles.len()).collect();
        order.sort_by_key(|&tile| place(tile));
        let mut ranks = vec![0; order.len()];
        for (place, tile) in order.into_iter().enumerate() {
            ranks[tile] = place;
        }
        ranks
    }

    /// The tiles of a stack, iteration by iteration; in those that repeat by slot, in the others the deepest layer first.
    fn by_slots(&self, steady: &SteadyState, found: &Allocation) -> Vec<usize> {
        let layer_of = |tile: usize| self.unshared.graph.tiles[tile].layer;
        let layers = |tiles: &[usize]| -> Vec<usize> { tiles.iter().map(|&tile| layer_of(tile)).collect() };
        let repeated = layers(&steady.tiles);
        let mut all = Vec::new();
        for iteration in &steady.all {
            let mut tiles = iteration.clone();
            if layers(&tiles) == repeated {
                let mut by_slot: Vec<usize> = (0..tiles.len()).collect();
                by_slot.sort_by_key(|&place| (found.tiles[place].0, tiles[place]));
                tiles = by_slot.into_iter().map(|place| iteration[place]).collect();
            } else {
                tiles.reverse();
            }
            all.extend(tiles);
        }
        all
    }

    fn run(&self, cast: &Cast, stacks: &[StackAllocation], order: OrderRule) -> Result<Schedule, Overfull> {
        let ranks = if order == OrderRule::Earliest { Vec::new() } else { self.ranks(&cast.tiled, stacks, order) };
        schedule(self.job(cast, &ranks, order))
    }

    fn job<'a>(&'a self, cast: &'a Cast, ranks: &'a [usize], order: OrderRule) -> Job<'a> {
        Job {
            graph: &cast.tiled.graph,
            system: &self.wiring,
            placed: &cast.placed,
            order: if order == OrderRule::Earliest { Order::EarliestReady } else { Order::Ranks(ranks) },
            prefetched: if self.settings.prefetches_weights { &[Operand::W] } else { &[] },
            rules: self.settings.scheduler.rules(),
        }
    }

    /// Multiply-accumulates of all tiles of a choice.
    pub fn macs(&self, choice: &CoreChoice) -> u64 {
        let tiled = self.tiles(choice);
        let macs = |(index, tile): (usize, &Tile)| self.nests.nests[tile.layer].macs(&tiled.part(index));
        tiled.graph.tiles.iter().enumerate().map(macs).sum()
    }

    /// The tiles of a choice.
    fn tiles(&self, choice: &CoreChoice) -> TiledNetwork {
        let layer = |(index, nest): (usize, &LoopNest)| TiledLayer {
            nest: nest.clone(),
            split: self.split(index, choice[index].len()),
            cores: choice[index].len(),
        };
        let layers: Vec<TiledLayer> = self.nests.nests.iter().enumerate().map(layer).collect();
        tile_graph(&layers, self.settings.scheduler.tiling())
    }

    /// What a choice comes to, in the order of tiles that suits it best, or in a given one.
    ///
    /// # Errors
    /// A core that cannot compute a layer, a tile without a mapping, a memory that is too small whatever leaves it.
    pub fn judge(
        &self,
        costs: &mut TileCosts,
        stacks: &[StackAllocation],
        choice: &CoreChoice,
        order: Option<OrderRule>,
    ) -> Result<Judged, Diagnostics> {
        let cast = self.cast(costs, choice)?;
        let orders = [OrderRule::Deepest, OrderRule::Slots, OrderRule::Earliest];
        let tried = orders.into_iter().filter(|tried| order.is_none_or(|order| order == *tried));
        let tried = tried.filter(|tried| *tried != OrderRule::Slots || !stacks.is_empty());
        let mut best: Option<Judged> = None;
        let mut wrong = None;
        for order in tried {
            match self.run(&cast, stacks, order) {
                Ok(found) => {
                    let (energy_pj, latency_cycles) = (found.energy.total_pj(), found.latency_cycles);
                    let judged = Judged { choice: choice.clone(), order, energy_pj, latency_cycles };
                    let aim = self.settings.aim;
                    if best.as_ref().is_none_or(|best| judged.score(aim) < best.score(aim)) {
                        best = Some(judged);
                    }
                }
                Err(overfull) => wrong = Some(overfull),
            }
        }
        best.ok_or_else(|| self.explain(&cast, wrong))
    }

    /// All about a choice.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn account(
        &self,
        costs: &mut TileCosts,
        stacks: &[StackAllocation],
        judged: &Judged,
    ) -> Result<SystemAccount, Diagnostics> {
        let cast = self.cast(costs, &judged.choice)?;
        let found = self.run(&cast, stacks, judged.order).map_err(|overfull| self.explain(&cast, Some(overfull)))?;
        Ok(SystemAccount::new(self.job(&cast, &[], OrderRule::Earliest), &found, self.layer_names(), &cast.computing))
    }

    fn explain(&self, cast: &Cast, overfull: Option<Overfull>) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let Some(Overfull { memory, tensor }) = overfull else { return diagnostics };
        let memory = &self.wiring.memories[memory];
        let of = cast.tiled.graph.tiles.iter().find(|tile| tile.tensors.contains(&Some(tensor)));
        let layer = of.map_or("?", |tile| self.nests.nests[tile.layer].name.as_str());
        let bytes = |bits: u64| bits.div_ceil(8);
        let reason = format!(
            "`{}` holds {} bytes: what a tile of `{layer}` needs at the same time, {} bytes of it one tensor, does not fit together",
            memory.name,
            bytes(memory.capacity_bits),
            bytes(cast.tiled.graph.tensors[tensor].bits),
        );
        diagnostics.add("settings.granularity", reason, "Make tiles smaller, or the memory larger");
        diagnostics
    }

    /// The best choice among a choice and all that give one layer other cores.
    pub fn improve(&self, costs: &mut TileCosts, stacks: &[StackAllocation], from: &Judged, layer: usize) -> Judged {
        let mut best = from.clone();
        for cores in self.moves(&from.choice[layer], layer) {
            let mut choice = from.choice.clone();
            choice[layer] = cores;
            if let Ok(judged) = self.judge(costs, stacks, &choice, Some(from.order))
                && judged.score(self.settings.aim) < best.score(self.settings.aim)
            {
                best = judged;
            }
        }
        best
    }

    /// Other cores for a layer: one instead of another, one more, one less.
    fn moves(&self, cores: &[usize], layer: usize) -> Vec<Vec<usize>> {
        let Cuts { able, most_shared, .. } = &self.cuts[layer];
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
}

/// The tiles of layers that nobody shares.
fn unshared(nests: &NetworkNests, cuts: &[Cuts], scheduler: Scheduler) -> TiledNetwork {
    let whole = |(nest, cuts): (&LoopNest, &Cuts)| TiledLayer {
        nest: nest.clone(),
        split: Split { in_time: cuts.in_time.clone(), over_cores: Vec::new() },
        cores: 1,
    };
    let layers: Vec<TiledLayer> = nests.nests.iter().zip(cuts).map(whole).collect();
    tile_graph(&layers, scheduler.tiling())
}

fn bits_of(shape: &LayerShape, operand: Operand) -> u64 {
    match operand {
        Operand::W => shape.weight_bits(),
        Operand::I => shape.input_bits() * shape.input_count() as u64,
        Operand::O => shape.output_bits(),
    }
}
