//! Planning alone, and points evaluated one at a time, on one thread: figures beside their goals.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use fusescape::depth_first::{Planner, StoringMode, Verdict};
use fusescape::explore::{CostStore, Request, Settings, Survey, Sweep};
use fusescape::search::{Limits, Strategy};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use std::time::Instant;

fn main() {
    let every_ten = |past: u64| (1..=past / 10).map(|step| step * 10).collect::<Vec<_>>();
    let full = Settings { tiles_x: every_ten(960), tiles_y: every_ten(540), ..Settings::default() };
    plan("108 points", &Settings::default(), 5.0);
    plan("15,552 points", &full, 400.0);
    // The goals are those of two workers in Chromium.
    survey("108 points", Settings::default(), 300.0);
    survey("15,552 points", full, 20_000.0);
    edit();
}

fn request(settings: Settings) -> Request {
    Request {
        hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "fsrcnn-defines").unwrap().text.to_owned(),
        settings,
    }
}

/// Every point planned, solved and added up.
fn survey(title: &str, settings: Settings, goal_ms: f64) {
    let start = Instant::now();
    let (mut survey, mut store) = (Survey::new(Sweep::new(&request(settings)).unwrap()), CostStore::default());
    for point in 0..survey.strategies().len() {
        survey.point(&mut store, point, &mut || true).unwrap();
    }
    println!(
        "survey, native, one thread: {title}: {} searches: {:.0} ms (goal {goal_ms} ms)",
        survey.effort.searched,
        start.elapsed().as_secs_f64() * 1e3,
    );
}

/// One point again, after the size of one memory has changed.
fn edit() {
    let settings =
        Settings { tiles_x: vec![60], tiles_y: vec![72], modes: vec![StoringMode::FullyCached], ..Settings::default() };
    let before = request(settings);
    let mut store = CostStore::default();
    Survey::new(Sweep::new(&before).unwrap()).point(&mut store, 0, &mut || true).unwrap();
    for (memory, size) in [("sram_64KB", "size: 64 KiB"), ("sram_1MB_A", "size: 1 MiB")] {
        let at = before.hardware.find(&format!("name: {memory}")).unwrap();
        let (head, tail) = before.hardware.split_at(at);
        let hardware = format!("{head}{}", tail.replacen(size, "size: 96 KiB", 1));
        assert_ne!(hardware, before.hardware);
        let start = Instant::now();
        let mut survey = Survey::new(Sweep::new(&Request { hardware, ..before.clone() }).unwrap());
        survey.point(&mut store, 0, &mut || true).unwrap();
        println!(
            "survey, native, one thread: one point after a change of {memory}: {} searched, {} known: {:.2} ms (goal 5 ms)",
            survey.effort.searched,
            survey.effort.reused,
            start.elapsed().as_secs_f64() * 1e3,
        );
    }
}

/// Tile types, levels and copies of all points, without asking whether problems have a mapping.
fn plan(title: &str, settings: &Settings, goal_ms: f64) {
    let start = Instant::now();
    let sweep = Sweep::new(&request(settings.clone())).unwrap();
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
