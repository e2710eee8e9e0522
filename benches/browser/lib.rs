//! Many cores and attention in the browser: the measurements of `benches/multicore.rs` and `benches/attention.rs`,
//! without those that need not be repeated in the browser. Every function returns rows in JSON, which
//! `tests/browser/bench.mjs` compares with its goals.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "../common/attention.rs"]
mod attention;
#[path = "../common/cores.rs"]
mod cores;
#[path = "../common/quickest.rs"]
mod quickest;

use cores::{
    AMPLE_BITS, CUT_LAYERS, CUTS, GRAPHS, MESHES, Question, chain, chip, deepest_first, mesh, placed, questions,
};
use fusescape_engine::multicore::{
    SchedulingProblem, SchedulingRules, TilePriority, TilingRules, allocate, schedule, tile_graph,
};
use fusescape_test_support::stream::Case;
use quickest::{quickest, timed};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use web_time::Instant;

/// The tile graph of a network: `ms`, `tiles`, and `first_ms` of a run before the browser has optimised the code and
/// allocated memory.
#[wasm_bindgen]
pub fn graph(name: &str) -> String {
    let row = |(_, layers, pieces)| {
        let network = chain(layers, pieces);
        let cut = || tile_graph(&network, TilingRules::CORRECTED);
        let first_ms = timed(cut).0;
        let (ms, built) = quickest(cut);
        json!({ "first_ms": first_ms, "ms": ms, "tiles": built.graph.tiles.len() })
    };
    GRAPHS.into_iter().filter(|graph| graph.0 == name).map(row).collect::<Value>().to_string()
}

/// A chip, from the text of its file: `ms`, `tiles`.
#[wasm_bindgen]
pub fn scheduled_chip(written: &str) -> String {
    let Case { graph, system, placed, prefetched, .. } = &chip(written);
    let ranks = &deepest_first(graph);
    let rules = SchedulingRules::CORRECTED;
    let job = SchedulingProblem { graph, system, placed, order: TilePriority::Ranks(ranks), prefetched, rules };
    let ms = quickest(|| schedule(job).unwrap()).0;
    json!([{ "ms": ms, "tiles": graph.tiles.len() }]).to_string()
}

/// Chains of layers, fused, on cores in a mesh: `cores`, `cut`, `ms`, `tiles`.
#[wasm_bindgen]
pub fn scheduled_meshes() -> String {
    let row = |((columns, rows), (cut, pieces))| {
        let cores = columns * rows;
        let (system, built) =
            (&mesh(columns, rows, AMPLE_BITS), tile_graph(&chain(CUT_LAYERS, pieces), TilingRules::CORRECTED));
        let graph = &built.graph;
        let (placed, ranks) = (&placed(graph, cores), &deepest_first(graph));
        let rules = SchedulingRules::CORRECTED;
        let job =
            SchedulingProblem { graph, system, placed, order: TilePriority::Ranks(ranks), prefetched: &[], rules };
        let ms = quickest(|| schedule(job).unwrap()).0;
        json!({ "cores": cores, "cut": cut, "ms": ms, "tiles": graph.tiles.len() })
    };
    MESHES.into_iter().flat_map(|mesh| CUTS.map(|cut| (mesh, cut))).map(row).collect::<Value>().to_string()
}

/// The allocations in a file, from its text: `name`, `ms`, `tiles`, and whether the optimum `is_proved`.
#[wasm_bindgen]
pub fn allocations(written: &str) -> String {
    let row = |question: &Question| {
        let (ms, found) = quickest(|| allocate(&question.instance, &mut |_| true));
        let (tiles, is_proved) = (question.instance.cycles.len(), question.is_answered_by(&found));
        json!({ "name": question.name, "ms": ms, "tiles": tiles, "is_proved": is_proved })
    };
    questions(&serde_json::from_str(written).unwrap()).iter().map(row).collect::<Value>().to_string()
}

/// Steps of whole models, and all rows of the FuseMax artifact: `name`, `ms`, and the `goal_ms`.
#[wasm_bindgen]
pub fn scheduled_attention() -> String {
    let step = |case: &attention::Case| {
        let ms = quickest(|| attention::scheduled(case)).0;
        json!({ "name": case.0, "ms": ms, "goal_ms": 1e3 * case.3 })
    };
    let ms = quickest(attention::replayed).0;
    let rows = json!({ "name": "attention of the FuseMax artifact", "ms": ms, "goal_ms": 1e3 * attention::ROWS_GOAL });
    attention::STEPS.iter().map(step).chain([rows]).collect::<Value>().to_string()
}
