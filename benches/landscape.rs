//! The 108 points of DeFiNES, Fig. 12, on one thread: figures beside their goals, and as JSON in `target/bench/`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use fusescape::explore::{Request, Settings, Sweep};
use fusescape::rules::Rules;
use fusescape::search::Solution;
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use serde_json::{Value, json};
use std::time::Instant;

/// Goal of the first issue: seconds for all points on two cores.
const GOAL_SECONDS: f64 = 5.0;

fn main() {
    let runs: Vec<Value> = [
        ("as published", "fsrcnn-defines", Rules::DEFINES_2022),
        ("corrected", "fsrcnn-defines", Rules::CORRECTED),
        ("corrected", "fsrcnn", Rules::CORRECTED),
    ]
    .into_iter()
    .map(|(title, workload, rules)| run(title, workload, rules))
    .collect();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/target/bench");
    std::fs::create_dir_all(directory).unwrap();
    let path = format!("{directory}/native.json");
    std::fs::write(&path, serde_json::to_string_pretty(&json!({ "landscape": runs })).unwrap()).unwrap();
    println!("written to target/bench/native.json");
}

fn run(title: &str, workload: &str, rules: Rules) -> Value {
    let request = Request {
        hardware: find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings: Settings { rules, ..Settings::default() },
    };
    let start = Instant::now();
    let sweep = Sweep::new(&request).unwrap();
    let plan = sweep.plan();
    let planned = start.elapsed().as_secs_f64();
    let outcomes: Vec<_> = (0..plan.problems.list.len()).map(|problem| sweep.solve(&plan, problem)).collect();
    let solved = start.elapsed().as_secs_f64() - planned;
    let solution = |problem: usize| -> Option<&Solution> { outcomes[problem].best.as_ref() };
    let mut assembler = sweep.assembler(&plan);
    let points = plan.points.iter().filter(|point| assembler.assemble(point.as_ref().unwrap(), &solution).is_some());
    let points = points.count();
    let total = start.elapsed().as_secs_f64();
    let orders: u64 = outcomes.iter().map(|outcome| outcome.orders).sum();
    println!(
        "native, one thread: {workload}, {title}: {points} points, {} problems, {orders} orders: \
         plan {planned:.3} s, search {solved:.3} s, assemble {:.3} s, total {total:.3} s (goal on 2 cores: {GOAL_SECONDS} s)",
        plan.problems.list.len(),
        total - planned - solved,
    );
    json!({
        "workload": workload,
        "rules": title,
        "points": points,
        "problems": plan.problems.list.len(),
        "orders": orders,
        "plan_seconds": planned,
        "search_seconds": solved,
        "total_seconds": total,
        "goal_seconds_on_2_cores": GOAL_SECONDS,
    })
}
