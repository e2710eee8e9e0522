//! The cost of an edit: planning alone, and one point again after the size of one memory has changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::quickest;
use common::report::{Goal, Report};
use common::sweeps::{full_resolution, request};
use fusescape::depth_first::{Feasibility, Planner, StoringMode};
use fusescape::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
use fusescape::search::{Limits, Strategy};
use serde_json::{Value, json};
use std::time::Instant;

const EDIT_MS: Goal = Goal::AtMost { must: 5.0, stretch: 1.0 };
/// An edit without cached results costs as much as the first time.
const REPEATS: usize = 5;

fn main() {
    let mut report = Report::new("editing");
    for (memory, size) in [("sram_64KB", "64 KiB"), ("sram_1MB_A", "1 MiB")] {
        let (ms, details) = (0..REPEATS).map(|_| edit(memory, size)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        report.figure(&format!("one point after {memory} was {size} and is 96 KiB"), ms, "ms", EDIT_MS, details);
    }
    for (title, settings, goal_ms) in
        [("108 points", Settings::default(), 5.0), ("15,552 points", full_resolution(), 400.0)]
    {
        let (ms, details) = quickest(|| plan(&settings));
        report.figure(&format!("planning alone, {title}"), ms, "ms", Goal::at_most(goal_ms), details);
    }
    report.write();
}

/// One point of FSRCNN, fully cached tiles of 60 x 72, with the costs of the unchanged machine cached.
fn edit(memory: &str, size: &str) -> (f64, Value) {
    let settings =
        Settings { tiles_x: vec![60], tiles_y: vec![72], modes: vec![StoringMode::FullyCached], ..Settings::default() };
    let before = request("meta-proto-like-df", "fsrcnn", settings);
    let mut store = CostStore::default();
    IncrementalSweep::new(Sweep::new(&before).unwrap()).point(&mut store, 0, &mut || true).unwrap();
    let at = before.hardware.find(&format!("name: {memory}")).unwrap();
    let (head, tail) = before.hardware.split_at(at);
    let hardware = format!("{head}{}", tail.replacen(&format!("size: {size}"), "size: 96 KiB", 1));
    assert_ne!(hardware, before.hardware);
    let start = Instant::now();
    let mut incremental = IncrementalSweep::new(Sweep::new(&Request { hardware, ..before }).unwrap());
    incremental.point(&mut store, 0, &mut || true).unwrap();
    let ms = start.elapsed().as_secs_f64() * 1e3;
    (ms, json!({ "searched": incremental.effort.searched, "known": incremental.effort.reused }))
}

/// Tile types, levels and copies of all points, without checking whether problems have a mapping.
fn plan(settings: &Settings) -> Value {
    let sweep = Sweep::new(&request("meta-proto-like-df", "fsrcnn", settings.clone())).unwrap();
    let mut planner =
        Planner::new(&sweep.core, &sweep.network, sweep.settings.rules, Limits::default(), Strategy::default());
    let (mut types, mut layer_tiles) = (0, 0);
    for strategy in &sweep.settings.strategies() {
        let plan = planner.plan_checked(strategy, &mut |_| Feasibility::Mappable).unwrap();
        for tile in plan.stacks.iter().flat_map(|stack| &stack.types) {
            types += 1;
            layer_tiles += tile.layers.len();
        }
    }
    json!({ "tile_types": types, "layer_tiles": layer_tiles, "problems": planner.memory.problems.list.len() })
}
