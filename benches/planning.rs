//! Planning alone, on one thread: figures beside their goals.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use fusescape::depth_first::{Planner, Verdict};
use fusescape::explore::{Request, Settings, Sweep};
use fusescape::search::{Limits, Strategy};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use std::time::Instant;

fn main() {
    let every_ten = |past: u64| (1..=past / 10).map(|step| step * 10).collect::<Vec<_>>();
    let full = Settings { tiles_x: every_ten(960), tiles_y: every_ten(540), ..Settings::default() };
    run("108 points", Settings::default(), 5.0);
    run("15,552 points", full, 400.0);
}

/// Tile types, levels and copies of all points, without asking whether problems have a mapping.
fn run(title: &str, settings: Settings, goal_ms: f64) {
    let request = Request {
        hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "fsrcnn-defines").unwrap().text.to_owned(),
        settings,
    };
    let start = Instant::now();
    let sweep = Sweep::new(&request).unwrap();
    let mut planner =
        Planner::new(&sweep.core, &sweep.network, sweep.settings.rules, Limits::default(), Strategy::default());
    let strategies = sweep.settings.strategies();
    let (mut types, mut layer_tiles) = (0, 0);
    for strategy in &strategies {
        let plan = planner.plan_judged(strategy, &mut |_| Verdict::Mappable).unwrap();
        types += plan.stacks.iter().map(|stack| stack.types.len()).sum::<usize>();
        layer_tiles += plan.stacks.iter().flat_map(|stack| &stack.types).map(|tile| tile.layers.len()).sum::<usize>();
    }
    println!(
        "planning, native, one thread: {title}: {types} tile types, {layer_tiles} layer-tiles, {} problems: {:.1} ms \
         (goal {goal_ms} ms)",
        planner.memory.problems.list.len(),
        start.elapsed().as_secs_f64() * 1e3,
    );
}
