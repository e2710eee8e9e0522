//! ZigZag's strategies on AlexNet, conv1 to conv5, on Eyeriss (ZigZag, Table V): every mapping of at most 8 loop
//! factors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::report::{Goal, Report};
use common::{on_threads, quickest};
use fusescape::explore::{DesignLayer, LayerRequest};
use fusescape::rules::Rules;
use fusescape::search::space::{Pruning, SpaceOptions, SpacePart, SpaceSearch};
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use rayon::prelude::*;
use serde_json::json;

const LPF_LIMIT: usize = 8;
/// All five layers, exhaustively.
const ALL_MS: Goal = Goal::AtMost { must: 5000.0, stretch: 5000.0 };

fn main() {
    let mut report = Report::new("strategies");
    let design_layers = ["conv1", "conv2", "conv3", "conv4", "conv5"].map(design_layer);
    for (title, pruning) in [("exhaustive", Pruning::None), ("heuristic", Pruning::Heuristic)] {
        for (threads_title, threads) in [("one thread", Some(1)), ("all cores", None)] {
            let work = || {
                design_layers
                    .iter()
                    .map(|design_layer| explore(design_layer, pruning))
                    .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
            };
            let (ms, (blockings, mappings)) = on_threads(threads, || quickest(work));
            let details = json!({ "blockings": blockings, "mappings": mappings, "mappings_in_the_paper": 4_887_334 });
            report.figure(&format!("AlexNet conv1-5, {title}, {threads_title}"), ms, "ms", ALL_MS, details);
        }
    }
    let work = || {
        design_layers
            .iter()
            .map(|design_layer| search(design_layer, Pruning::None, |search| search.iterative().partial))
            .sum::<u64>()
    };
    let (ms, partial) = quickest(work);
    report.figure(
        "AlexNet conv1-5, iterative, one thread",
        ms,
        "ms",
        Goal::None,
        json!({ "partial_mappings": partial }),
    );
    report.write();
}

fn design_layer(layer: &str) -> DesignLayer {
    DesignLayer::new(&LayerRequest {
        hardware: find_preset(hardware_presets(), "eyeriss-like").unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), "alexnet-eyeriss").unwrap().text.to_owned(),
        layer: Some(layer.to_owned()),
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: LPF_LIMIT,
        rules: Rules::CORRECTED,
        unroll: None,
    })
    .unwrap()
}

fn search<T>(design_layer: &DesignLayer, pruning: Pruning, run: impl FnOnce(&SpaceSearch<'_>) -> T) -> T {
    let problem = design_layer.on_core();
    let options = SpaceOptions { pruning, lpf_limit: LPF_LIMIT, ..SpaceOptions::default() };
    run(&SpaceSearch::new(&problem, options).unwrap())
}

/// Counts blockings and mappings of the whole space.
fn explore(design_layer: &DesignLayer, pruning: Pruning) -> (u64, u64) {
    search(design_layer, pruning, |search| {
        let parts: Vec<SpacePart> = (0..search.parts()).into_par_iter().map(|part| search.part(part)).collect();
        let mut all = search.start();
        parts.iter().for_each(|part| all.merge(part));
        let space = search.space(&all, true);
        (space.blockings, space.mappings)
    })
}
