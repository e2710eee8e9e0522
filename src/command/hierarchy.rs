//! All memory hierarchies from a pool, searched on all cores.

use super::run::run;
use super::{NoResult, Watch, stamped, wrong};
use fusescape_engine::hierarchy::{Exploration, HierarchyRequest, Point, Study};
use serde_json::{Value, json};
use std::sync::Arc;
use web_time::{Duration, Instant};

/// The best hierarchies, with the effort that they took.
pub struct HierarchyReport {
    /// What was asked.
    pub study: Arc<Study>,
    /// What was found.
    pub exploration: Exploration,
    /// The best by the objective.
    pub best: Point,
    /// How long the search took.
    pub elapsed: Duration,
}

/// Searches the hierarchies of a pool: all, or all but those that are known to be beaten.
///
/// # Errors
/// All that is wrong with documents and settings, why no hierarchy fits, or it was stopped.
// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn hierarchies(
    request: &HierarchyRequest,
    everything: bool,
    watch: &dyn Watch,
) -> Result<HierarchyReport, NoResult> {
    let study = Arc::new(Study::new(request)?);
    let started = Instant::now();
    let mut exploration = Exploration::of(&study);
    if everything {
        exploration = exploration.of_everything();
    }
    run(&mut exploration, || Arc::clone(&study), watch)?;
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

    /// For a program.
    pub fn json(&self) -> Value {
        let Self { study, exploration, best, elapsed } = self;
        let counts = exploration.counts();
        let point = |point: &Point| {
            let hierarchy = &study.hierarchies[point.hierarchy as usize];
            json!({
                "name": study.name(hierarchy),
                "energy_pj": point.energy_pj,
                "latency_cycles": point.latency_cycles,
                "area_um2": point.area_um2,
                "estimated": study.is_estimated(hierarchy),
            })
        };
        let layers = study.layer_results(&study.hierarchies[best.hierarchy as usize]).unwrap_or_default();
        let found = json!({
            "counts": counts,
            "seconds": elapsed.as_secs_f64(),
            "best": point(best),
            "best_layers": layers.iter().map(|layer| json!({
                "title": layer.title,
                "count": layer.count,
                "energy_pj": layer.solution.energy_pj,
                "latency_cycles": layer.solution.latency_cycles,
            })).collect::<Vec<_>>(),
            "front": exploration.front().points().iter().map(point).collect::<Vec<_>>(),
        });
        stamped("hierarchy", found)
    }
}
