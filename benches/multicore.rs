//! Many cores: how long it takes to cut networks into tiles, to schedule them, and to prove the best allocation.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "common/mod.rs"]
mod measure;
#[path = "../tests/common/nests.rs"]
mod nests;
#[path = "../tests/reference/stream/read.rs"]
mod read;

use common::{number, reference, reference_text, text};
use fusescape_engine::multicore::{
    Job, Link, Order, Placed, Reason, SchedulingRules, Split, System, TileGraph, TiledLayer, TilingRules, TopMemory,
    allocate, schedule, steady_state, tile_graph,
};
use fusescape_engine::workload::Dim;
use measure::quickest;
use measure::report::{Goal, Report};
use read::{Case, case, cases, instance, list, renamed};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Tiles that COALA places in a second, at least.
const TILES_A_SECOND: f64 = 200_000.0;
const RULES: [(&str, SchedulingRules); 3] = [
    ("right", SchedulingRules::CORRECTED),
    ("December 2024", SchedulingRules::STREAM_2024),
    ("June 2023", SchedulingRules::STREAM_2023),
];

/// What the command line may name, and what measures it.
type Part = (&'static str, fn(&mut Report));

fn main() {
    let mut report = Report::new("multicore");
    let parts: [Part; 4] = [("graphs", graphs), ("chip", chip), ("meshes", meshes), ("allocations", allocations)];
    // Those that the command line names, or all.
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (_, measure) in parts.iter().filter(|(name, _)| named.is_empty() || named.iter().any(|one| one == name)) {
        measure(&mut report);
    }
    report.write();
}

/// Tiles of a network, and who waits for whom.
fn graphs(report: &mut Report) {
    for (name, layers, pieces) in [("of pixels", 8, (500, 250)), ("of rows", 100, (10_000, 1))] {
        let network = chain(layers, pieces);
        let (ms, built) = quickest(|| tile_graph(&network, TilingRules::CORRECTED));
        let tiles = built.graph.tiles.len();
        let details =
            json!({ "tiles": tiles, "edges": built.graph.edges().len(), "tensors": built.graph.tensors.len() });
        report.figure(&format!("tiles {name}, with dependencies"), ms, "ms", Goal::at_most(1000.0), details);
        let all: Vec<usize> = (0..layers).collect();
        let macs = |tile: usize| network[built.graph.tiles[tile].layer].nest.macs(&built.parts[tile]);
        let (ms, steady) = quickest(|| steady_state(&built.graph, &all, &macs));
        let details = json!({ "iterations": steady.iterations, "tiles": steady.tiles.len() });
        report.figure(&format!("tiles {name}, steady state"), ms, "ms", Goal::None, details);
    }
}

/// FSRCNN on DepFiN, line by line.
fn chip(report: &mut Report) {
    let written = reference_text("stream/validation/v_depfin.json").replace(":Infinity", ":0");
    let Case { graph, system, placed, prefetched, .. } = &case(&renamed(&serde_json::from_str(&written).unwrap()));
    let ranks = deepest_first(graph);
    for (name, rules) in RULES {
        let job = Job { graph, system, placed, order: Order::Ranks(&ranks), prefetched, rules };
        let (ms, schedule) = quickest(|| schedule(job).unwrap());
        let details = json!({ "tiles": graph.tiles.len(), "cycles": schedule.latency_cycles });
        report.figure(&format!("FSRCNN on DepFiN, {name}"), ms, "ms", Goal::at_most(50.0), details);
    }
}

/// Chains of layers on cores in a mesh: fused with memory for all that can be fetched early, and layer by layer with far less than a layer needs.
fn meshes(report: &mut Report) {
    let ways = [("fused", true, 1 << 26), ("layer by layer", false, 1 << 16)];
    for ((columns, rows), (how, is_fused, capacity_bits)) in
        [(2, 2), (4, 2)].into_iter().flat_map(|mesh| ways.map(|way| (mesh, way)))
    {
        let (cores, system) = (columns * rows, &mesh(columns, rows, capacity_bits));
        for (cut, pieces) in [("pixels", (250, 20)), ("rows", (5000, 1))] {
            let built = tile_graph(&chain(20, pieces), TilingRules::CORRECTED);
            let graph = &built.graph;
            let place = |tile: usize| Placed {
                core: graph.tiles[tile].layer * 3 % cores,
                cycles: 100.0 + (tile % 7) as f64,
                onchip_pj: 1.0,
                ..Placed::default()
            };
            let placed: Vec<Placed> = (0..graph.tiles.len()).map(place).collect();
            let ranks = if is_fused { deepest_first(graph) } else { (0..graph.tiles.len()).collect() };
            for (name, rules) in RULES {
                let job = Job { graph, system, placed: &placed, order: Order::Ranks(&ranks), prefetched: &[], rules };
                let (ms, schedule) = quickest(|| schedule(job).unwrap());
                let evicted = schedule.transfers.iter().filter(|transfer| transfer.reason == Reason::Eviction);
                let details = json!({
                    "tiles": graph.tiles.len(),
                    "transfers": schedule.transfers.len(),
                    "evictions": evicted.count(),
                    "cycles": schedule.latency_cycles,
                });
                let what = format!("{cores} cores, {how}, {cut}, {name}");
                let per_second = graph.tiles.len() as f64 / ms * 1e3;
                // Where next to every tensor is evicted and fetched again, a tile is more work.
                let goal = if is_fused { Goal::AtLeast(TILES_A_SECOND) } else { Goal::None };
                report.figure(&what, per_second, "tiles/s", goal, details);
            }
        }
    }
}

/// WACO on the instances of the reference.
fn allocations(report: &mut Report) {
    let mut small = (0.0, String::new());
    for name in cases("waco_units") {
        for file in list(&reference(&format!("stream/waco_units/{name}.json"))) {
            let ms = allocation(file, false).0;
            if ms > small.0 {
                small = (ms, text(&file["instance"]["name"]));
            }
        }
    }
    report.figure("slowest small instance", small.0, "ms", Goal::at_most(50.0), json!({ "instance": small.1 }));
    for name in cases("waco_e2e") {
        let file = reference(&format!("stream/waco_e2e/{name}.json"));
        let is_alone = file["input"]["p_fixed_to_1"] == true;
        for file in list(&file["waco_instances"]).filter(|file| list(&file["instance"]["nodes"]).count() > 1) {
            let goal = match name.as_str() {
                name if name.contains("resnet18") => Goal::at_most(10_000.0),
                name if name.contains("fsrcnn") => Goal::at_most(200.0),
                _ => Goal::at_most(50.0),
            };
            let (ms, details) = allocation(file, is_alone);
            let stack = text(&file["instance"]["name"]);
            report.figure(&format!("{name}, {stack}"), ms, "ms", goal, details);
        }
    }
}

fn allocation(file: &Value, is_alone: bool) -> (f64, Value) {
    let mut instance = instance(&file["instance"]);
    if is_alone {
        instance.cycles.iter_mut().flatten().for_each(|shared| shared.truncate(1));
    }
    let (ms, found) = quickest(|| allocate(&instance, &mut |_| true));
    assert!(found.is_proved() && (found.bound / number(&file["optimum"]) - 1.0).abs() < 1e-12);
    (ms, json!({ "tiles": instance.cycles.len(), "choices": found.nodes, "cycles": found.bound }))
}

/// Convolutions one after the other, each cut into so many rows and columns.
fn chain(layers: usize, (rows, columns): (u64, u64)) -> Vec<TiledLayer> {
    let layer = |index: usize| {
        let source = index.checked_sub(1);
        let nest = nests::convolution(source, (4, rows, columns.max(8)), 4, 1, (1, (3, 1)));
        let split = Split { in_time: vec![(Dim::OX, columns), (Dim::OY, rows)], over_cores: Vec::new() };
        TiledLayer { nest, split, cores: 1 }
    };
    (0..layers).map(layer).collect()
}

/// Cores in a mesh, links between neighbours, data in rows first; DRAM at one port.
fn mesh(columns: usize, rows: usize, capacity_bits: u64) -> System {
    let count = columns * rows;
    let memory = |name: String, capacity_bits: u64, core: usize| TopMemory {
        name,
        capacity_bits,
        read_bits: 128,
        write_bits: 128,
        read_pj: 1.0,
        write_pj: 1.0,
        cores: vec![core],
    };
    let mut memories: Vec<TopMemory> =
        (0..count).map(|core| memory(format!("memory {core}"), capacity_bits, core)).collect();
    memories.push(memory("dram".to_owned(), 1 << 50, count));
    let mut links = vec![Link { name: "port".to_owned(), bandwidth: 64.0, pj_per_cycle: 1.0 }];
    let mut hops = HashMap::new();
    for core in 0..count {
        let (right, below) = ((core % columns + 1 < columns).then_some(core + 1), core + columns);
        for next in right.into_iter().chain((below < count).then_some(below)) {
            for (from, to) in [(core, next), (next, core)] {
                hops.insert((from, to), links.len());
                links.push(Link { name: format!("{from} to {to}"), bandwidth: 64.0, pj_per_cycle: 1.0 });
            }
        }
    }
    let route = |from: usize, to: usize| {
        let (mut at, mut route) = (from, Vec::new());
        while at != to {
            let next = match (at % columns).cmp(&(to % columns)) {
                std::cmp::Ordering::Less => at + 1,
                std::cmp::Ordering::Greater => at - 1,
                std::cmp::Ordering::Equal if at < to => at + columns,
                std::cmp::Ordering::Equal => at - columns,
            };
            route.push(hops[&(at, next)]);
            at = next;
        }
        route
    };
    let routes = (0..=count).map(|from| {
        let to = |to: usize| match (from, to) {
            _ if from == to => Vec::new(),
            _ if from == count || to == count => vec![0],
            _ => route(from, to),
        };
        (0..=count).map(to).collect()
    });
    let cores = (0..count).map(|core| format!("core {core}")).chain(["dram".to_owned()]);
    System {
        cores: cores.collect(),
        memory_of: (0..=count).map(|core| [core; 3]).collect(),
        routes: routes.collect(),
        memories,
        links,
        dram: count,
    }
}

/// Ranks of tiles: those of later layers first.
fn deepest_first(graph: &TileGraph) -> Vec<usize> {
    let mut deepest: Vec<usize> = (0..graph.tiles.len()).collect();
    deepest.sort_by_key(|&tile| Reverse((graph.tiles[tile].layer, Reverse(graph.tiles[tile].number))));
    let mut ranks = vec![0; deepest.len()];
    deepest.iter().enumerate().for_each(|(rank, &tile)| ranks[tile] = rank);
    ranks
}
