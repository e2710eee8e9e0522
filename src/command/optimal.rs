//! Jointly optimal stacks, tile sizes and modes, searched on all cores.

use super::estimates::EstimatedMemory;
use super::run::run;
use super::{CommandError, ProgressMonitor, Report};
use fusescape_engine::depth_first::StackEnumeration;
#[cfg(feature = "schema")]
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::explore::{
    CostStore, OptimalStacks, SearchEffort, Settings, SharedCosts, StackAim, StackBench, StackLimits, StackProblem,
    StackRun, StackSearch, StrategyEffort, Sweep,
};
use fusescape_engine::hardware::Power;
use serde::Serialize;
use serde_json::{Error, Value};
use std::sync::Arc;

/// The optimum of a sweep, with the effort of the search.
pub struct OptimalReport {
    /// The validated request.
    pub sweep: Sweep,
    /// Every evaluated stack.
    pub study: StackProblem,
    /// The best of all.
    pub optimal: OptimalStacks,
    /// Effort of the searches for mappings.
    pub effort: SearchEffort,
    /// Effort of the search for strategies of stacks.
    pub tried: StrategyEffort,
}

/// Finds the jointly optimal stacks, tile sizes and modes. The fuse depths of the sweep are ignored.
///
/// # Errors
/// Reasons why there are none; or it was stopped.
pub fn optimal(
    sweep: &Sweep,
    limits: StackLimits,
    monitor: &dyn ProgressMonitor,
) -> Result<OptimalReport, CommandError> {
    let study = StackProblem::new(sweep.clone(), limits)?;
    let search = search(&study, StackAim::Optimum, monitor)?;
    let optimal = search.optimum().map(|optimum| (**optimum).clone()).ok_or(CommandError::Stopped)?;
    Ok(OptimalReport { sweep: sweep.clone(), study, optimal, effort: search.effort, tried: search.tried })
}

/// Limit on stacks times strategies that are searched beside a sweep: some seconds.
const MOST_BESIDE: usize = 150_000;

/// The jointly optimal stacks beside a sweep with others; `None` where not all are listed or can be searched within
/// seconds, or there are none.
///
/// # Errors
/// If it was stopped.
pub fn optimal_beside(sweep: &Sweep, monitor: &dyn ProgressMonitor) -> Result<Option<OptimalStacks>, CommandError> {
    let Ok(study) = StackProblem::new(sweep.clone(), StackLimits::default()) else { return Ok(None) };
    let strategies = study.stacks().len().saturating_mul(sweep.settings.strategies().len());
    if strategies > MOST_BESIDE || study.listed().scope().is_some() {
        return Ok(None);
    }
    Ok(search(&study, StackAim::Optimum, monitor)?.optimum().map(|optimum| (**optimum).clone()))
}

/// Searches the best strategies of all stacks on all cores, and the best combination.
pub(super) fn search(
    study: &StackProblem,
    aim: StackAim,
    monitor: &dyn ProgressMonitor,
) -> Result<StackSearch, CommandError> {
    let mut search = StackSearch::new(aim);
    let costs: Arc<SharedCosts> = Arc::default();
    run(&mut search, || StackBench::new(study.anew(), CostStore::sharing(Arc::clone(&costs))), monitor)?;
    Ok(search)
}

/// One fused stack as it runs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Stack {
    /// Layers of the stack, by name.
    layers: Vec<String>,
    /// Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "mode_names"))]
    mode: &'static str,
    /// Width of a tile of the last feature map, columns.
    tile_x_columns: u64,
    /// Height of a tile of the last feature map, rows.
    tile_y_rows: u64,
    /// Number of tiles.
    tiles: u64,
    /// Energy, pJ.
    energy_pj: f64,
    /// Stalls included, cycles.
    latency_cycles: u64,
    /// Accesses to the highest memory, full words.
    dram_words: f64,
    /// What is minimised, in the units of the objective.
    score: f64,
}

impl Stack {
    /// A stack with the names of its layers.
    pub fn new(run: &StackRun, layers: &[&str]) -> Self {
        Self {
            layers: layers.iter().map(|&layer| layer.to_owned()).collect(),
            mode: run.mode.name(),
            tile_x_columns: run.tile.0,
            tile_y_rows: run.tile.1,
            tiles: run.tiles,
            energy_pj: run.energy_pj,
            latency_cycles: run.latency_cycles,
            dram_words: run.dram_words.total(),
            score: run.score,
        }
    }
}

/// Overlap storing modes as reports write them.
#[cfg(feature = "schema")]
pub(crate) fn mode_names(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&StoringMode::ALL.map(StoringMode::name))
}

impl OptimalReport {
    /// Time and power of the whole network.
    pub fn power(&self) -> Option<Power> {
        let Self { sweep, optimal, .. } = self;
        sweep.core.power(optimal.energy_pj, optimal.latency_cycles as f64, sweep.network.macs())
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let Self { sweep, study, optimal, effort, tried } = self;
        let found = OptimumFound {
            hardware: &sweep.core.name,
            estimates: EstimatedMemory::of(&sweep.core),
            workload: &sweep.network.name,
            settings: &sweep.settings,
            energy_pj: optimal.energy_pj,
            latency_cycles: optimal.latency_cycles,
            score: optimal.score,
            power: self.power(),
            cuts: optimal.fuse().to_string(),
            stacks: optimal.runs.iter().map(|run| Stack::new(run, &self.layers(run))).collect(),
            proved_among: study.listed(),
            stacks_considered: study.stacks().len(),
            ways_to_cut: study.cuttings().to_string(),
            strategies: tried.compared,
            strategies_ruled_out_by_bounds: tried.compared - tried.planned,
            mapping_problems_searched: effort.searched,
        };
        found.json()
    }

    /// Names of the layers of a stack.
    pub fn layers(&self, run: &StackRun) -> Vec<&str> {
        let stacks = self.study.stacks();
        let layers = stacks.get(run.arc).map(|arc| arc.stack.layers()).unwrap_or_default();
        layers.iter().map(|&layer| self.sweep.network.layer(layer).name.as_str()).collect()
    }
}

/// What `fusescape depth-first --stacks optimal --format json` prints: stacks, tile sizes and modes that are jointly
/// optimal.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct OptimumFound<'a> {
    /// Name of the core, as its document has it.
    hardware: &'a str,
    /// Memories with figures that an estimator stands for, the lowest first; all other figures are stated in the
    /// document.
    estimates: Vec<EstimatedMemory>,
    /// Name of the network, as its document has it.
    workload: &'a str,
    /// What was explored.
    settings: &'a Settings,
    /// Energy, pJ.
    energy_pj: f64,
    /// Stalls included, cycles.
    latency_cycles: u64,
    /// What is minimised, in the units of the objective.
    score: f64,
    /// Time, power and leakage; null where no clock is stated.
    power: Option<Power>,
    /// Stacks, as --stacks takes them.
    cuts: String,
    /// The stacks in the order in which they run.
    stacks: Vec<Stack>,
    /// Stacks that the jointly optimal ones are proved to be the best of: all within the limits; all of at most so many
    /// layers and those that other methods choose; or those alone.
    proved_among: StackEnumeration,
    /// Number of different stacks that were considered.
    stacks_considered: usize,
    /// Number of ways to cut the network into these stacks, as decimal digits, for it may exceed 2^64.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9]+$")))]
    ways_to_cut: String,
    /// Number of stacks times their tile sizes and storing modes: all that were compared.
    strategies: u64,
    /// Of these strategies, those that were not planned, as a lower bound proves another one of the stack better.
    strategies_ruled_out_by_bounds: u64,
    /// Number of mapping problems that were searched.
    mapping_problems_searched: u32,
}

impl Report for OptimumFound<'_> {
    const KIND: &'static str = "optimal";
}
