//! All memory hierarchies from a pool, searched on all cores.

use super::{NoResult, Watch, stamped, unless_stopped, wrong};
use fusescape_engine::hierarchy::{Exploration, HierarchyRequest, Point, Stage, Study};
use rayon::prelude::*;
use serde_json::{Value, json};
use web_time::{Duration, Instant};

/// Hierarchies a thread searches before it looks at the front again.
const SLICE: usize = 16;

/// The best hierarchies, with the effort that they took.
pub struct HierarchyReport {
    /// What was asked.
    pub study: Study,
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
    let study = Study::new(request)?;
    let started = Instant::now();
    let exploration = explore(&study, everything, watch)?;
    let elapsed = started.elapsed();
    let Some(best) = exploration.best() else {
        let reason = format!("None of {} hierarchies fits", exploration.counts().generated);
        return Err(wrong("", reason, exploration.reason().unwrap_or("Allow more of them")));
    };
    Ok(HierarchyReport { study, exploration, best, elapsed })
}

fn explore(study: &Study, everything: bool, watch: &dyn Watch) -> Result<Exploration, NoResult> {
    let mut exploration = study.exploration();
    if everything {
        exploration = exploration.of_everything();
    }
    watch.begin(study.hierarchies.len(), "hierarchies");
    let all = exploration.next_to_bound(study.hierarchies.len());
    let bounds = all.into_par_iter().map(|index| study.bound(&study.hierarchies[index])).collect::<Vec<_>>();
    exploration.record_bounds(0, bounds);
    let mut done = 0;
    while exploration.stage() == Stage::Searching {
        unless_stopped(watch, ())?;
        let count = SLICE * rayon::current_num_threads();
        let slice = exploration.next_to_search(count);
        let front = exploration.pruning_front();
        let verdicts: Vec<_> =
            slice.into_par_iter().map(|hierarchy| study.search(hierarchy as usize, &front)).collect();
        verdicts.into_iter().for_each(|verdict| exploration.record_outcome(verdict));
        let counts = exploration.counts();
        let now = counts.searched + counts.pruned + counts.infeasible;
        watch.advance(now - done);
        done = now;
    }
    watch.end();
    Ok(exploration)
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
