//! The architecture generator on one layer and one thread: hierarchies a second beside the goal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use fusescape::hierarchy::{Front, HierarchyRequest, HierarchySettings, Stage, Study, Verdict};
use fusescape::spec::{find_preset, hardware_presets, pool_presets, workload_presets};
use std::time::Instant;

/// Goal of the mapping engine's issue: hierarchies with their best mapping a second, on one layer.
const GOAL: f64 = 200.0;
/// Hierarchies searched without a front to compare with, spread over all.
const SAMPLE: usize = 500;

fn main() {
    for layer in ["L13", "L15", "L39", "L46"] {
        run(layer);
    }
}

fn run(layer: &str) {
    let request = HierarchyRequest {
        pool: find_preset(pool_presets(), "zigzag-65nm").unwrap().text.to_owned(),
        hardware: find_preset(hardware_presets(), "zigzag-8x8").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "mobilenet-v2-study").unwrap().text.to_owned(),
        settings: HierarchySettings {
            layers: vec![layer.to_owned()],
            budget_um2: Some(1.2e6),
            ..HierarchySettings::default()
        },
    };
    let start = Instant::now();
    let study = Study::new(&request).unwrap();
    let generated = start.elapsed().as_secs_f64();
    let mut exploration = study.exploration();
    let range = exploration.next_to_bound(study.hierarchies.len());
    let bounds = range.map(|index| study.bound(&study.hierarchies[index])).collect();
    exploration.take_bounds(0, bounds);
    let bounded = start.elapsed().as_secs_f64() - generated;
    while exploration.stage() == Stage::Searching {
        for hierarchy in exploration.next_to_search(16) {
            let verdict = study.search(hierarchy as usize, exploration.front());
            exploration.take_verdict(verdict);
        }
    }
    let total = start.elapsed().as_secs_f64();
    let counts = exploration.counts();
    let searching = total - generated - bounded;
    let (mapped, alone) = without_pruning(&study);
    println!(
        "native, one thread: {layer}: {} hierarchies: generate {generated:.3} s, bound {bounded:.3} s, search {} and prune {} \
         in {searching:.3} s: {:.0} hierarchies/s decided, {:.0} searched (goal {GOAL}); each searched alone: {:.0}/s",
        counts.generated,
        counts.searched,
        counts.pruned,
        counts.generated as f64 / total,
        counts.searched as f64 / searching,
        mapped as f64 / alone,
    );
}

/// How many of a sample have a mapping, and the seconds it took to find the best of each.
fn without_pruning(study: &Study) -> (usize, f64) {
    let start = Instant::now();
    let step = (study.hierarchies.len() / SAMPLE).max(1);
    let found = |index: &usize| matches!(study.search(*index, &Front::default()), Verdict::Found(_));
    let mapped = (0..study.hierarchies.len()).step_by(step).filter(found).count();
    (mapped, start.elapsed().as_secs_f64())
}
