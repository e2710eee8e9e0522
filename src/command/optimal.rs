//! Stacks, tile sizes and modes that are jointly optimal, found on all cores.

use super::estimates::estimates_json;
use super::run::run;
use super::{NoResult, Watch, stamped};
use fusescape_engine::explore::{
    OptimalStacks, SearchEffort, StackAim, StackBench, StackLimits, StackRun, StackSearch, StackStudy, StrategyEffort,
    Sweep,
};
use fusescape_engine::hardware::Power;
use serde_json::{Value, json};

/// The optimum of a sweep, and the effort that it took.
pub struct OptimalReport {
    /// What was asked.
    pub sweep: Sweep,
    /// Every stack that was looked at.
    pub study: StackStudy,
    /// The best of all.
    pub optimal: OptimalStacks,
    /// Searches of mappings.
    pub effort: SearchEffort,
    /// Strategies of stacks.
    pub tried: StrategyEffort,
}

/// Finds the jointly optimal stacks, tile sizes and modes. The fuse depths of the sweep do not count.
///
/// # Errors
/// Why there are none, or it was stopped.
pub fn optimal(sweep: &Sweep, limits: StackLimits, watch: &dyn Watch) -> Result<OptimalReport, NoResult> {
    let study = StackStudy::new(sweep.clone(), limits)?;
    let search = search(&study, StackAim::Optimum, watch)?;
    let optimal = search.optimum().map(|optimum| (**optimum).clone()).ok_or(NoResult::Stopped)?;
    Ok(OptimalReport { sweep: sweep.clone(), study, optimal, effort: search.effort, tried: search.tried })
}

/// Finds the best strategies of all stacks on all cores, and what comes of them.
pub(super) fn search(study: &StackStudy, aim: StackAim, watch: &dyn Watch) -> Result<StackSearch, NoResult> {
    let mut search = StackSearch::new(aim);
    run(&mut search, || StackBench::new(study.anew()), watch)?;
    Ok(search)
}

/// One stack as it runs, with its layers' names.
pub(super) fn run_json(run: &StackRun, layers: &[&str]) -> Value {
    json!({
        "layers": layers,
        "mode": run.mode.name(),
        "tile_x_columns": run.tile.0,
        "tile_y_rows": run.tile.1,
        "tiles": run.tiles,
        "energy_pj": run.energy_pj,
        "latency_cycles": run.latency_cycles,
        "dram_words": run.dram_words.total(),
        "score": run.score,
    })
}

impl OptimalReport {
    /// Time and power of the whole network.
    pub fn power(&self) -> Option<Power> {
        let Self { sweep, optimal, .. } = self;
        sweep.core.power(optimal.energy_pj, optimal.latency_cycles as f64, sweep.network.macs())
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let Self { sweep, study, optimal, effort, tried } = self;
        let stacks: Vec<Value> = optimal.runs.iter().map(|run| run_json(run, &self.layers(run))).collect();
        let found = json!({
            "hardware": sweep.core.name,
            "estimates": estimates_json(&sweep.core),
            "workload": sweep.network.name,
            "settings": sweep.settings,
            "energy_pj": optimal.energy_pj,
            "latency_cycles": optimal.latency_cycles,
            "score": optimal.score,
            "power": self.power(),
            "cuts": optimal.fuse().to_string(),
            "stacks": stacks,
            "stacks_considered": study.stacks().len(),
            "proved_among": study.listed(),
            "ways_to_cut": study.cuttings().to_string(),
            "strategies": tried.compared,
            "strategies_ruled_out_by_bounds": tried.compared - tried.planned,
            "mapping_problems_searched": effort.searched,
        });
        stamped("optimal", found)
    }

    /// Names of the layers of a stack.
    pub fn layers(&self, run: &StackRun) -> Vec<&str> {
        let stacks = self.study.stacks();
        let layers = stacks.get(run.arc).map(|arc| arc.stack.layers()).unwrap_or_default();
        layers.iter().map(|&layer| self.sweep.network.layer(layer).name.as_str()).collect()
    }
}
