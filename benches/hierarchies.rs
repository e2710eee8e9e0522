//! The architecture generator on one layer: hierarchies decided and searched per second on one thread, and the best of
//! a million on all cores.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::report::{Goal, Report};
use fusescape::command::Unmonitored;
use fusescape::command::hierarchy::hierarchies;
use fusescape::hierarchy::{
    Exploration, Front, HierarchyProblem, HierarchyRequest, HierarchySettings, HierarchyTask, SearchOutcome, Sought,
};
use fusescape::job::{Job, Worker};
use fusescape::search::Strategy;
use fusescape::spec::{find_preset, hardware_presets, pool_presets, workload_presets};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// Hierarchies per second.
const GOAL: Goal = Goal::AtLeast(200.0);
/// Number of hierarchies searched without a front to compare with, evenly spread.
const SAMPLE: usize = 100;
/// A million hierarchies per minute.
const MILLION: Goal = Goal::AtLeast(1e6 / 60.0);
/// Time after which an exploration is stopped.
const EXPLORED_SECONDS: f64 = 5.0;

fn main() {
    let mut report = Report::new("hierarchies");
    for (title, strategy) in [("exact", Strategy::Exact), ("LOMA of limit 6", Strategy::Loma)] {
        for layer in ["L13", "L15", "L39", "L46"] {
            let study = study(layer, strategy);
            let (decided, details) = explore(&study);
            report.figure(&format!("{layer}, {title}, decided"), decided, "hierarchies/s", GOAL, details);
            let (searched, details) = without_pruning(&study);
            report.figure(&format!("{layer}, {title}, each searched alone"), searched, "hierarchies/s", GOAL, details);
        }
    }
    for (layer, min_ratio, budget_um2) in [("L13", 4, None), ("L39", 8, None), ("L39", 2, Some(1.2e6))] {
        let max_levels = if min_ratio == 8 { 2 } else { 3 };
        let settings = HierarchySettings { max_levels, min_ratio, budget_um2, sought: Sought::Best, ..of(layer) };
        let found = hierarchies(&request(settings), false, &Unmonitored).map_err(|_| "nothing fits").unwrap();
        let counts = found.exploration.counts();
        let rate = counts.generated as f64 / found.elapsed.as_secs_f64();
        let title = format!("{layer}, only the best of {}, all cores", counts.generated);
        report.figure(&title, rate, "hierarchies/s", MILLION, json!({ "counts": counts }));
    }
    report.write();
}

fn study(layer: &str, strategy: Strategy) -> Arc<HierarchyProblem> {
    Arc::new(
        HierarchyProblem::new(&request(HierarchySettings { budget_um2: Some(1.2e6), strategy, ..of(layer) })).unwrap(),
    )
}

fn of(layer: &str) -> HierarchySettings {
    HierarchySettings { layers: vec![layer.to_owned()], ..HierarchySettings::default() }
}

fn request(settings: HierarchySettings) -> HierarchyRequest {
    HierarchyRequest {
        pool: find_preset(pool_presets(), "zigzag-65nm").unwrap().text.to_owned(),
        hardware: find_preset(hardware_presets(), "zigzag-8x8").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "mobilenet-v2-study").unwrap().text.to_owned(),
        settings,
    }
}

/// Number of hierarchies decided per second, by bounds or by a search. If there is no time for all, the number is too
/// low: the most promising come first, and those ruled out at once by bounds come last.
fn explore(study: &Arc<HierarchyProblem>) -> (f64, Value) {
    let start = Instant::now();
    let mut exploration = Exploration::of(study);
    let mut bench = Arc::clone(study);
    let mut bounded = 0.0;
    while start.elapsed().as_secs_f64() < EXPLORED_SECONDS
        && let Some(task) = exploration.next(Worker::ALONE)
    {
        let is_bound = matches!(task, HierarchyTask::Bound(_));
        let done = Exploration::run(&mut bench, &task, &mut || true).unwrap();
        exploration.take(task, done);
        if is_bound {
            bounded = start.elapsed().as_secs_f64();
        }
    }
    let total = start.elapsed().as_secs_f64();
    let counts = exploration.counts();
    let decided = counts.pruned + counts.searched + counts.infeasible;
    let details = json!({
        "generated": counts.generated,
        "pruned": counts.pruned,
        "searched": counts.searched,
        "unproved": counts.unproved,
        "infeasible": counts.infeasible,
        "bound_ms": bounded * 1e3,
        "search_ms": (total - bounded) * 1e3,
        "searched_a_second": counts.searched as f64 / (total - bounded),
    });
    (decided as f64 / total, details)
}

/// Number of hierarchies of a sample searched per second without pruning; those without a mapping do not count.
fn without_pruning(study: &HierarchyProblem) -> (f64, Value) {
    let start = Instant::now();
    let step = (study.hierarchies.len() / SAMPLE).max(1);
    let (mut mapped, mut proved, mut worst_ms) = (0, 0, 0.0_f64);
    for index in (0..study.hierarchies.len()).step_by(step) {
        let before = start.elapsed();
        if let SearchOutcome::Found(point) = study.search(index, &Front::default()) {
            mapped += 1;
            proved += usize::from(point.proved);
            worst_ms = worst_ms.max((start.elapsed() - before).as_secs_f64() * 1e3);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    (f64::from(mapped) / seconds, json!({ "mapped": mapped, "proved": proved, "worst_ms": worst_ms }))
}
