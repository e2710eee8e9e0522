//! A network on a system of cores: cuts of its layers, mapping problems of their tiles, and allocations; the searches
//! for the best allocation (`search.rs`) and for the best tile size (`tile_search.rs`) are jobs.

mod allocation;
mod evaluation;
mod order;
mod search;
mod tile_search;

pub use allocation::{MOST_CHOICES, StackAllocation};
pub use evaluation::EvaluatedAllocation;
pub use search::{
    CoresBench, CoresDone, CoresEvaluation, CoresImprovement, CoresSearch, CoresStage, CoresTask, ImprovementStep,
    StackAllocations,
};
pub use tile_search::{
    SingleCore, TileBench, TileDone, TileOutcome, TilePoint, TileSearch, TileSizeCandidate, TileSizeRange, TileTask,
};

use super::build::{CutLayer, TiledNetwork, count_edges, tile_graph};
use super::costs::{TileCost, TileCosts, TileProblem, TileSolution, solve, tile_shape, too_large, unrolled_loops};
use super::granularity::{LayerCuts, stacks};
use super::ids::{NestId, StackId};
use super::nest::{LoopNest, LoopRanges};
use super::network::NetworkNests;
use super::request::{CoresRequest, CoresSettings, Scheduler};
use super::system::System;
use super::tiling::TileGrid;
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec};
use crate::search::check_lpf_limit;
use crate::spec::Diagnostics;
use crate::system::{CoreId, CoreSystem};
use crate::units::{BitsPerCycle, Cycles};
use crate::workload::{Dim, LayerShape, Network};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Limit on the tiles of a schedule.
pub const MOST_TILES: u64 = 500_000;

/// Limit on the dependencies between tiles of layers that cores do not share.
pub const MOST_EDGES: u64 = 10_000_000;

/// Limit on the dependencies between tiles where every layer is shared by as many cores as may share it.
pub const MOST_SHARED_EDGES: u64 = 50_000_000;

/// An allocation of layers to cores: for each layer the cores that share it.
pub type CoreAllocation = TiVec<NestId, Vec<CoreId>>;

/// A validated request.
pub struct CoresProblem {
    /// The network that is scheduled.
    pub network: Network,
    /// Its layers as loops.
    pub nests: NetworkNests,
    /// The cores with their memories and links.
    pub system: CoreSystem,
    /// Granularity and scheduler.
    pub settings: CoresSettings,
    /// Which layers run fused, tile by tile.
    pub stacks: TiVec<StackId, Vec<NestId>>,
    /// How each layer is cut.
    cuts: TiVec<NestId, LayerCuts>,
    wiring: System,
    /// The tile graph before layers are shared by cores.
    unshared: TiledNetwork,
}

/// The facts of a request that are known before any mapping problem is solved.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CoresOverview {
    /// Name of the system.
    pub system: String,
    /// Whether any of its cores is described by the hardware document beside it.
    pub takes_beside: bool,
    /// Names of the layers.
    pub layers: TiVec<NestId, String>,
    /// Names of the cores.
    pub cores: TiVec<CoreId, String>,
    /// For each layer the cores that may compute it.
    pub able: TiVec<NestId, Vec<CoreId>>,
    /// For each layer, the largest number of cores that may compute it at once.
    pub most_shared: TiVec<NestId, usize>,
    /// The rule that divides layers into stacks on many cores.
    pub stacks: TiVec<StackId, Vec<NestId>>,
    /// Number of tiles before layers are shared.
    pub tiles: usize,
    /// Number of different tiles to be solved, with different cores counted separately.
    pub problems: usize,
}

impl CoresProblem {
    /// Validates a request.
    ///
    /// # Errors
    /// Everything that is wrong with it; paths begin with `hardware.`, `workload.`, `system.` or `settings.`.
    pub fn new(request: &CoresRequest) -> Result<Self, Diagnostics> {
        let network = Network::from_text(&request.workload).map_err(|wrong| wrong.under("workload"));
        match (CoreSystem::with_hardware(&request.system, &request.hardware), network) {
            (Ok(system), Ok(network)) => Self::of(network, system, request.settings.clone()),
            (system, network) => {
                let wrong = [system.err(), network.err()].map(|wrong| wrong.unwrap_or_default().0);
                Err(Diagnostics(wrong.concat()))
            }
        }
    }

    /// A network on a system.
    ///
    /// # Errors
    /// Everything that is wrong with the settings for these two; paths begin with `system.` or `settings.`.
    pub fn of(network: Network, system: CoreSystem, settings: CoresSettings) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        check_lpf_limit("settings.lpf_limit", settings.lpf_limit, &mut diagnostics);
        let CutLayers { network, nests, stacks, cuts } = CutLayers::new(network, &system, &settings, &mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let wiring = System::new(&system, settings.scheduler.rules());
        let rules = settings.scheduler.tiling();
        let unshared = tiled_layers(&nests, &cuts, |_| 1);
        let shared = tiled_layers(&nests, &cuts, |cuts| cuts.most_shared);
        for (tiled, how, most) in
            [(&unshared, "", MOST_EDGES), (&shared, ", once cores share layers,", MOST_SHARED_EDGES)]
        {
            let edges = count_edges(tiled, rules);
            if edges > most {
                let reason = format!("Tiles would wait for others{how} {edges} times, more than {most}");
                diagnostics.add("settings.granularity", reason, "Make tiles larger");
                return Err(diagnostics);
            }
        }
        let unshared = tile_graph(&unshared, rules);
        Ok(Self { network, nests, system, settings, stacks, cuts, wiring, unshared })
    }

    /// Everything that is wrong with settings for a network on a system, as far as layers, stacks and numbers of tiles go; paths as in
    /// [`Self::of`].
    pub fn check_settings(network: Network, system: &CoreSystem, settings: &CoresSettings) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        check_lpf_limit("settings.lpf_limit", settings.lpf_limit, &mut diagnostics);
        CutLayers::new(network, system, settings, &mut diagnostics);
        diagnostics
    }

    /// The same with links that take no time, so that cores wait for nothing but each other (Stream, Table 2, "Intra-core").
    #[must_use]
    pub fn with_instant_links(mut self) -> Self {
        self.wiring.links.iter_mut().for_each(|link| link.bandwidth = BitsPerCycle(f64::INFINITY));
        self
    }

    /// Names and sizes that the results of a study begin with.
    pub fn overview(&self) -> CoresOverview {
        CoresOverview {
            system: self.system.name.clone(),
            takes_beside: self.system.takes_beside,
            layers: self.layer_names(),
            cores: self.system.cores.iter().map(|core| core.name.clone()).collect(),
            able: self.cuts.iter().map(|cuts| cuts.able.clone()).collect(),
            most_shared: self.cuts.iter().map(|cuts| cuts.most_shared).collect(),
            stacks: self.stacks.clone(),
            tiles: self.unshared.graph.tiles.len(),
            problems: self.problems().len(),
        }
    }

    /// Names of the layers that are computed.
    pub fn layer_names(&self) -> TiVec<NestId, String> {
        self.nests.nests.iter().map(|nest| nest.name.clone()).collect()
    }

    /// The cores that may compute a layer.
    pub fn able(&self, layer: NestId) -> &[CoreId] {
        &self.cuts[layer].able
    }

    /// The largest number of cores that may compute a layer at once.
    pub fn most_shared(&self, layer: NestId) -> usize {
        self.cuts[layer].most_shared
    }

    /// The mapping problems of all allocations, each once: tiles of which all operands fit on the chip.
    pub fn problems(&self) -> Vec<TileProblem> {
        let mut known = FxHashSet::default();
        let mut problems = Vec::new();
        for layer in self.cuts.keys() {
            let shared: Vec<usize> = (1..=self.cuts[layer].most_shared).collect();
            for shape in shared.into_iter().flat_map(|shared| self.shapes(layer, shared)) {
                for &core in &self.cuts[layer].able {
                    let problem = self.problem(layer, core, shape, self.bits_of(&shape));
                    if known.insert(problem.clone()) {
                        problems.push(problem);
                    }
                }
            }
        }
        problems
    }

    /// Finds the best mapping of a tile, and its cost.
    pub fn solve(&self, problem: &TileProblem) -> TileSolution {
        solve(&self.system.cores[problem.kind], problem, &self.settings)
    }

    /// The different tiles of a layer that so many cores share.
    fn shapes(&self, layer: NestId, shared: usize) -> Vec<LayerShape> {
        let nest = &self.nests.nests[layer];
        let rules = self.settings.scheduler.tiling();
        let grid = TileGrid::new(nest, &self.cuts[layer].split(shared), rules);
        let facts = self.network.layer(self.nests.layers[layer]);
        let mut parts: Vec<LoopRanges> = vec![nest.whole()];
        for dim in Dim::ALL {
            // Pieces that make the same tile of the whole rest.
            let mut known = FxHashSet::default();
            let mut of_dim = Vec::new();
            for piece in &grid.pieces[dim as usize] {
                let mut part = nest.whole();
                part[dim as usize] = piece.clone();
                if known.insert(tile_shape(facts, &part, rules)) {
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
        parts.iter().map(|part| tile_shape(facts, part, rules)).filter(|shape| known.insert(*shape)).collect()
    }

    fn problem(&self, layer: NestId, core: CoreId, shape: LayerShape, bits: [u64; 3]) -> TileProblem {
        let kind = self.system.cores[core].kind;
        let core = &self.system.cores[kind];
        let scheduler = self.settings.scheduler;
        let unroll = unrolled_loops(self.network.layer(self.nests.layers[layer]), &core.core, &self.settings);
        TileProblem { kind, shape, unroll, too_large: too_large(core, bits, scheduler.rules()) }
    }

    /// Bits of W, I and O of a tile, as it is mapped.
    fn bits_of(&self, shape: &LayerShape) -> [u64; 3] {
        let is_sum_of_both = shape.kind.reads_two_maps() && self.nests.adds_as_weights;
        let output_bits = match self.settings.scheduler.rules().stores_partial_sums {
            true => shape.elements(Operand::O) * shape.precision.o_partial,
            false => shape.output_bits(),
        };
        match is_sum_of_both {
            true => [shape.input_bits(), shape.input_bits(), output_bits],
            false => [shape.weight_bits(), shape.all_input_bits(), output_bits],
        }
    }

    fn cost<'c>(&self, costs: &'c mut TileCosts, problem: TileProblem) -> &'c TileSolution {
        costs.entry(problem).or_insert_with_key(|problem| self.solve(problem))
    }

    /// The time that a tile counts by the rules of the scheduler.
    fn cycles(&self, cost: &TileCost) -> Cycles<f64> {
        match self.settings.scheduler {
            Scheduler::Stream2024 => cost.cycles_without_offloading(),
            Scheduler::Corrected | Scheduler::Stream2023 => cost.cycles(),
        }
    }
}

/// The layers of a network, cut into tiles and grouped into stacks.
struct CutLayers {
    network: Network,
    nests: NetworkNests,
    stacks: TiVec<StackId, Vec<NestId>>,
    cuts: TiVec<NestId, LayerCuts>,
}

impl CutLayers {
    fn new(network: Network, system: &CoreSystem, settings: &CoresSettings, diagnostics: &mut Diagnostics) -> Self {
        let has_vector_unit = system.cores.iter().any(|core| core.core.vector_unit.is_some());
        let plain = system.cores.iter().find(|core| core.core.in_memory.is_none()).or(system.cores.first());
        let network = match plain.filter(|_| !has_vector_unit) {
            Some(core) => network.on(&core.core),
            None => network,
        };
        let nests = NetworkNests::new(&network, settings.rules.additions_read_weight_memories && !has_vector_unit);
        let stacks = stacks(&nests, system, &settings.stacks, diagnostics);
        let cuts = LayerCuts::of_all(&network, &nests, system, &stacks, settings, diagnostics);
        let total: u64 = cuts.iter().map(|cuts| cuts.tiles(system.cores.len() as u64)).fold(0, u64::saturating_add);
        if total > MOST_TILES {
            let reason = format!("There would be {total} tiles, more than {MOST_TILES}");
            diagnostics.add("settings.granularity", reason, "Make tiles larger");
        }
        Self { network, nests, stacks, cuts }
    }
}

/// Layers, each shared by so many cores.
fn tiled_layers(
    nests: &NetworkNests,
    cuts: &TiSlice<NestId, LayerCuts>,
    shared: impl Fn(&LayerCuts) -> usize,
) -> TiVec<NestId, CutLayer> {
    let layer = |(nest, cuts): (&LoopNest, &LayerCuts)| {
        let cores = shared(cuts).max(1);
        CutLayer { nest: nest.clone(), split: cuts.split(cores), cores }
    };
    nests.nests.iter().zip(cuts).map(layer).collect()
}
