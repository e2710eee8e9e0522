//! All memory hierarchies from a pool, searched on all cores.

use super::run::run;
use super::{CommandError, ProgressMonitor, Report, wrong};
use fusescape_engine::hierarchy::{Exploration, ExplorationCounts, HierarchyCost, HierarchyProblem, HierarchyRequest};
use serde::Serialize;
use serde_json::{Error, Value};
use std::sync::Arc;
use web_time::{Duration, Instant};

/// The best hierarchies, with the effort that they took.
pub struct HierarchyReport {
    /// The validated request.
    pub study: Arc<HierarchyProblem>,
    /// All results.
    pub exploration: Exploration,
    /// The best hierarchy by the objective.
    pub best: HierarchyCost,
    /// Total time.
    pub elapsed: Duration,
}

/// Searches the hierarchies of a pool: all, or all except those known to be dominated.
///
/// # Errors
/// All errors of documents and settings, reasons why no hierarchy fits; or it was stopped.
// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn hierarchies(
    request: &HierarchyRequest,
    everything: bool,
    monitor: &dyn ProgressMonitor,
) -> Result<HierarchyReport, CommandError> {
    let study = Arc::new(HierarchyProblem::new(request)?);
    let started = Instant::now();
    let mut exploration = Exploration::of(&study);
    if everything {
        exploration = exploration.of_everything();
    }
    run(&mut exploration, || Arc::clone(&study), monitor)?;
    let elapsed = started.elapsed();
    let Some(best) = exploration.best() else {
        let reason = format!("None of {} hierarchies fits", exploration.counts().generated);
        return Err(wrong("", reason, exploration.reason().unwrap_or("Allow more of them")));
    };
    Ok(HierarchyReport { study, exploration, best, elapsed })
}

impl HierarchyReport {
    /// The hardware document of the best hierarchy.
    pub fn best_document(&self) -> String {
        self.study.document(&self.study.hierarchies[self.best.hierarchy as usize])
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let Self { study, exploration, best, elapsed } = self;
        let hierarchy = |point: &HierarchyCost| {
            let hierarchy = &study.hierarchies[point.hierarchy as usize];
            Hierarchy {
                name: study.name(hierarchy),
                energy_pj: point.energy_pj,
                latency_cycles: point.latency_cycles,
                area_um2: point.area_um2,
                estimated: study.is_estimated(hierarchy),
            }
        };
        let layers = study.layer_results(&study.hierarchies[best.hierarchy as usize]).unwrap_or_default();
        let layers = layers.into_iter().map(|layer| EqualLayers {
            title: layer.title,
            count: layer.count,
            energy_pj: layer.solution.energy_pj,
            latency_cycles: layer.solution.latency_cycles,
        });
        let found = HierarchiesFound {
            counts: exploration.counts(),
            seconds: elapsed.as_secs_f64(),
            best: hierarchy(best),
            best_layers: layers.collect(),
            front: exploration.front().points().iter().map(hierarchy).collect(),
        };
        found.json()
    }
}

/// What `fusescape hierarchy --format json` prints: memory hierarchies generated from a pool (ZigZag, Section V).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct HierarchiesFound {
    /// Numbers of hierarchies by state.
    counts: ExplorationCounts,
    /// How long the search took, s.
    seconds: f64,
    /// The best hierarchy by the objective.
    best: Hierarchy,
    /// What each different layer costs on the best hierarchy.
    best_layers: Vec<EqualLayers>,
    /// Hierarchies that none beats in energy, latency and area alike.
    front: Vec<Hierarchy>,
}

impl Report for HierarchiesFound {
    const KIND: &'static str = "hierarchy";
}

/// A memory hierarchy, and what the network costs on it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Hierarchy {
    /// Its memories.
    name: String,
    /// Energy, pJ.
    energy_pj: f64,
    /// Sum over all layers, cycles.
    latency_cycles: u64,
    /// Area of all that has a stated area, um2.
    area_um2: f64,
    /// Whether some figure comes from a fit to published ones.
    estimated: bool,
}

/// Layers that are equal, and so cost the same.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct EqualLayers {
    /// Names of the layers.
    title: String,
    /// Number of equal layers.
    count: u64,
    /// Energy of one of them, pJ.
    energy_pj: f64,
    /// Latency of one of them, cycles.
    latency_cycles: u64,
}
