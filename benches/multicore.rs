//! Many cores: the time to cut networks into tiles, to schedule them, and to prove the best allocation.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "common/cores.rs"]
mod cores;
#[path = "common/mod.rs"]
mod measure;

use cores::{
    AMPLE_BITS, CUT_LAYERS, CUTS, GRAPHS, MESHES, Question, chain, chip, deepest_first, mesh, placed, questions,
};
use fusescape_engine::multicore::{
    NestId, SchedulingProblem, SchedulingRules, TileId, TilePriority, TilingRules, TransferReason, allocate, schedule,
    steady_state, tile_graph,
};
use fusescape_test_support::stream::Case;
use fusescape_test_support::{reference, reference_text, stream_cases};
use measure::quickest;
use measure::report::{Goal, Report};
use serde_json::{Value, json};

/// Least number of tiles placed by COALA per second.
const TILES_A_SECOND: f64 = 200_000.0;
const RULES: [(&str, SchedulingRules); 3] = [
    ("right", SchedulingRules::CORRECTED),
    ("December 2024", SchedulingRules::STREAM_2024),
    ("June 2023", SchedulingRules::STREAM_2023),
];

/// The name of a part on the command line, and its measurement.
type Part = (&'static str, fn(&mut Report));

fn main() {
    let mut report = Report::new("multicore");
    let parts: [Part; 4] = [("graphs", graphs), ("chip", depfin), ("meshes", meshes), ("allocations", allocations)];
    // The named parts, or all.
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (_, measure) in parts.iter().filter(|(name, _)| named.is_empty() || named.iter().any(|one| one == name)) {
        measure(&mut report);
    }
    report.write();
}

/// The tile graph of a network.
fn graphs(report: &mut Report) {
    for (name, layers, pieces) in GRAPHS {
        let network = chain(layers, pieces);
        let (ms, built) = quickest(|| tile_graph(&network, TilingRules::CORRECTED));
        let tiles = built.graph.tiles.len();
        let details =
            json!({ "tiles": tiles, "edges": built.graph.edges().count(), "tensors": built.graph.tensors.len() });
        report.figure(&format!("tiles {name}, with dependencies"), ms, "ms", Goal::at_most(1000.0), details);
        let all: Vec<NestId> = network.keys().collect();
        let macs = |tile: TileId| network[built.graph.tiles[tile].layer].nest.macs(&built.part(tile));
        let (ms, steady) = quickest(|| steady_state(&built.graph, &all, &macs));
        let details = json!({ "iterations": steady.iterations, "tiles": steady.tiles.len() });
        report.figure(&format!("tiles {name}, steady state"), ms, "ms", Goal::None, details);
    }
}

/// FSRCNN on DepFiN, line by line.
fn depfin(report: &mut Report) {
    let Case { graph, system, placed, prefetched, .. } = &chip(&reference_text("stream/validation/v_depfin.json"));
    let ranks = deepest_first(graph);
    for (name, rules) in RULES {
        let job = SchedulingProblem { graph, system, placed, order: TilePriority::Ranks(&ranks), prefetched, rules };
        let (ms, schedule) = quickest(|| schedule(job).unwrap());
        let details = json!({ "tiles": graph.tiles.len(), "cycles": schedule.latency.0 });
        report.figure(&format!("FSRCNN on DepFiN, {name}"), ms, "ms", Goal::at_most(50.0), details);
    }
}

/// Chains of layers on cores in a mesh: fused with memory for everything that can be fetched early, and layer by layer
/// with far less than a layer needs.
fn meshes(report: &mut Report) {
    let ways = [("fused", true, AMPLE_BITS), ("layer by layer", false, 1 << 16)];
    for ((columns, rows), (how, is_fused, capacity_bits)) in
        MESHES.into_iter().flat_map(|mesh| ways.map(|way| (mesh, way)))
    {
        let (cores, system) = (columns * rows, &mesh(columns, rows, capacity_bits));
        for (cut, pieces) in CUTS {
            let built = tile_graph(&chain(CUT_LAYERS, pieces), TilingRules::CORRECTED);
            let graph = &built.graph;
            let placed = placed(graph, cores);
            let ranks = if is_fused { deepest_first(graph) } else { (0..graph.tiles.len()).collect() };
            for (name, rules) in RULES {
                let job = SchedulingProblem {
                    graph,
                    system,
                    placed: &placed,
                    order: TilePriority::Ranks(&ranks),
                    prefetched: &[],
                    rules,
                };
                let (ms, schedule) = quickest(|| schedule(job).unwrap());
                let evicted = schedule.transfers.iter().filter(|transfer| transfer.reason == TransferReason::Eviction);
                let details = json!({
                    "tiles": graph.tiles.len(),
                    "transfers": schedule.transfers.len(),
                    "evictions": evicted.count(),
                    "cycles": schedule.latency.0,
                });
                let what = format!("{cores} cores, {how}, {cut}, {name}");
                let per_second = graph.tiles.len() as f64 / ms * 1e3;
                // If nearly every tensor is evicted and fetched again, a tile is more work.
                let goal = if is_fused { Goal::AtLeast(TILES_A_SECOND) } else { Goal::None };
                report.figure(&what, per_second, "tiles/s", goal, details);
            }
        }
    }
}

/// WACO on the instances of the reference.
fn allocations(report: &mut Report) {
    let mut small = (0.0, String::new());
    for name in stream_cases("waco_units") {
        for question in questions(&reference(&format!("stream/waco_units/{name}.json"))) {
            let ms = allocation(&question).0;
            if ms > small.0 {
                small = (ms, question.name);
            }
        }
    }
    report.figure("slowest small instance", small.0, "ms", Goal::at_most(50.0), json!({ "instance": small.1 }));
    for name in stream_cases("waco_e2e") {
        let stacks = questions(&reference(&format!("stream/waco_e2e/{name}.json")));
        for question in stacks.iter().filter(|question| question.instance.cycles.len() > 1) {
            let goal = match name.as_str() {
                name if name.contains("resnet18") => Goal::at_most(10_000.0),
                name if name.contains("fsrcnn") => Goal::at_most(200.0),
                _ => Goal::at_most(50.0),
            };
            let (ms, details) = allocation(question);
            report.figure(&format!("{name}, {}", question.name), ms, "ms", goal, details);
        }
    }
}

fn allocation(question: &Question) -> (f64, Value) {
    let (ms, found) = quickest(|| allocate(&question.instance, &mut |_| true));
    assert!(question.is_answered_by(&found));
    (ms, json!({ "tiles": question.instance.cycles.len(), "choices": found.nodes, "cycles": found.bound }))
}
