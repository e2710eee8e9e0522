//! The array dimensions that unroll the rows of a product, which have only one loop.

use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{DesignLayer, LayerRequest, Request, Settings, Sweep, solve_all};
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::{LayerProblem, UnrollingOptions};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Strategy, UnrolledLayer, UnrolledSearch};
use fusescape_engine::workload::Network;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

const UNFOLDED: Rules = Rules { rows_left_unfolded: true, ..Rules::CORRECTED };

fn core(unroll: &str) -> String {
    format!(
        "name: four
dataflow: map
array: {{ dimensions: {{ D1: 2, D2: 4, D3: 4, D4: 2 }}, mac_energy: 1 pJ }}
unroll: {{ {unroll} }}
memories:
  - {{ name: w, size: 1 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [D2, D3] }}
  - {{ name: o, size: 2 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [D4] }}
  - {{ name: sram, size: 2 KiB, operands: [W, I, O], width: 512 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 256 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }}
"
    )
}

const ALL_KINDS: &str = "conv: { D1: K, D2: OX, D3: OY, D4: C }, pointwise: { D1: K, D2: OX, D3: OY, D4: C }, \
    fully-connected: { D1: K, D2: OX, D3: OY, D4: C }, depthwise: { D1: G, D2: OX, D3: OY }";

#[test]
fn rows_lie_where_the_array_would_unroll_what_a_product_has_not() {
    let unrolled = |unroll: &str, batch: u64, input: &str, layer: &str, rules: &Rules| {
        let core = Core::from_text(&core(unroll)).unwrap();
        let text = format!(
            "name: one\nbatch: {batch}\nlayers:\n  - {{ name: in, type: input, {input} }}\n  - {{ name: a, type: {layer} }}"
        );
        let network = Network::from_text(&text).unwrap();
        let unroll = network.layer(1.into()).unroll_on(&core, rules);
        unroll.iter().map(|part| format!("{} {}", part.dim, part.limit)).collect::<Vec<_>>().join(", ")
    };
    let matmul = "pointwise: { D1: K, D2: OX, D3: B, D4: C }";
    for (unroll, batch, input, layer, expected) in [
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "pointwise, K: 8", "K 2, OX 4, OX 4, C 2"),
        (ALL_KINDS, 1, "K: 8, size: 1 x 64", "pointwise, K: 8", "K 2, OY 4, OY 4, C 2"),
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "matmul, K: 8", "K 2, OX 4, OX 4, C 2"),
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "conv, kernel: 1 x 1, K: 8", "K 2, OX 4, OX 4, C 2"),
        // A batch of vectors; a batch of products has rows on both sides.
        (ALL_KINDS, 9, "K: 8, size: 1 x 1", "fully-connected, K: 8", "K 2, B 4, B 4, C 2"),
        (ALL_KINDS, 9, "K: 8, size: 64 x 1", "pointwise, K: 8", "K 2, OX 4, OX 4, C 2"),
        (matmul, 1, "K: 8, size: 64 x 1", "matmul, K: 8", "K 2, OX 4, OX 4, C 2"),
        // Each batch has weights of its own.
        (matmul, 9, "K: 8, size: 64 x 1", "matmul, K: 8", "K 2, OX 4, B 4, C 2"),
        (matmul, 9, "K: 8, size: 1 x 1", "matmul, K: 8", "K 2, OX 4, B 4, C 2"),
        // A map has both loops, a vector none.
        (ALL_KINDS, 1, "K: 8, size: 8 x 8", "pointwise, K: 8", "K 2, OX 4, OY 4, C 2"),
        (ALL_KINDS, 1, "K: 8, size: 1 x 1", "pointwise, K: 8", "K 2, OX 4, OY 4, C 2"),
        // Windows, strides, zeros around the map and channels of their own make pixels differ.
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "conv, kernel: 3 x 1, K: 8", "K 2, OX 4, OY 4, C 2"),
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "conv, kernel: 1 x 1, stride: 2, K: 8", "K 2, OX 4, OY 4, C 2"),
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "depthwise, kernel: 1 x 1", "G 2, OX 4, OY 4"),
        // Stated for the layer, or for its kind.
        (ALL_KINDS, 1, "K: 8, size: 64 x 1", "pointwise, K: 8, unroll: { map: { D2: OX, D3: OY } }", "OX 4, OY 4"),
        ("pointwise: { D2: OX 2 }", 1, "K: 8, size: 64 x 1", "pointwise, K: 8", "OX 2"),
    ] {
        assert_eq!(unrolled(unroll, batch, input, layer, &Rules::CORRECTED), expected, "{layer} of {input}, {batch}");
        for rules in [Rules::DEFINES_2022, Rules::ZIGZAG_3_8, Rules::ZIGZAG_3_9] {
            let stated = unrolled(unroll, batch, input, layer, &rules);
            assert_eq!(stated, unrolled(unroll, batch, input, layer, &UNFOLDED), "{layer} of {input}, {batch}");
        }
    }
}

/// Sixteen rows at a time where there were four, and the search for unrollings finds nothing worse.
#[test]
fn the_search_for_unrollings_includes_rows_on_both_sides() {
    let text = core(ALL_KINDS);
    let workload =
        "name: one\nlayers: [{ name: in, type: input, K: 4, size: 32 x 1 }, { name: a, type: pointwise, K: 4 }]";
    for objective in [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct] {
        let best = |rules: Rules| {
            let request = LayerRequest {
                hardware: text.clone(),
                workload: workload.to_owned(),
                layer: None,
                objective: objective.clone(),
                strategy: Strategy::Exact,
                lpf_limit: 6,
                rules,
                unroll: None,
            };
            DesignLayer::new(&request).unwrap()
        };
        let folded = best(Rules::CORRECTED);
        let unfolded = best(UNFOLDED);
        let steps = |layer: &DesignLayer| layer.on_core().temporal_cycles();
        assert_eq!((steps(&folded), steps(&unfolded)), (8, 32));
        let score = |layer: &DesignLayer| {
            let best = layer.search().best.unwrap();
            objective.score(&layer.on_core(), &best.cost(&layer.on_core()).unwrap())
        };
        assert!(score(&folded) <= score(&unfolded), "{objective:?}");
        let core = Core::from_text(&text).unwrap();
        let LayerProblem { shape, levels, .. } = folded.problem;
        let layer = UnrolledLayer { core: &core, rules: Rules::CORRECTED, shape, levels };
        let options = UnrollingOptions { loops_per_dimension: 1, ..UnrollingOptions::default() };
        let search = UnrolledSearch::new(layer, &options, objective.clone(), Limits::default(), Strategy::Exact);
        let mut search = search.without_alike();
        let mut index = 0;
        while index < search.end() {
            let outcome = search.solve(index).unwrap();
            search.offer(index, &outcome);
            index += 1;
        }
        let found = search.outcome();
        assert!(found.best.unwrap().score <= score(&folded), "{objective:?}");
    }
}

/// Whole transformer blocks in tiles of rows, some of which are fewer than the array takes at once.
#[test]
fn tiles_of_products_cost_no_more_with_rows_on_both_sides() {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let (mut points, mut better) = (0, 0);
    for (hardware, workload) in [
        ("meta-proto-like-df", "bert-base-block"),
        ("ascend-like-df", "attention-head"),
        ("tesla-npu-like-df", "gpt2-block"),
        ("edge-tpu-like-df", "gpt2-block-decode"),
    ] {
        for objective in [Objective::Energy, Objective::Latency] {
            let scores = |rules: Rules| {
                let settings = Settings {
                    tiles_x: vec![1, 6, 16, 100, u64::MAX],
                    tiles_y: vec![1],
                    modes: vec![StoringMode::FullyCached],
                    fuse: vec![FuseDepth::Automatic, FuseDepth::SingleLayer],
                    objective: objective.clone(),
                    rules,
                    ..Settings::default()
                };
                let (hardware, workload) = (text(hardware_presets(), hardware), text(workload_presets(), workload));
                let sweep = Sweep::new(&Request { hardware, workload, settings }).unwrap();
                let plan = sweep.plan();
                let solutions = solve_all(&sweep, &plan, |_| {});
                let mut assembler = sweep.assembler(&plan);
                let score = |point| {
                    let account = assembler.assemble(point, &|problem| solutions[problem].as_ref())?;
                    Some(if objective == Objective::Energy { account.energy_pj } else { account.latency_cycles as f64 })
                };
                plan.points.iter().flatten().map(score).collect::<Vec<_>>()
            };
            let (folded, unfolded) = (scores(Rules::CORRECTED), scores(UNFOLDED));
            assert_eq!(folded.len(), unfolded.len(), "{workload} on {hardware}");
            for (folded, unfolded) in folded.into_iter().zip(unfolded) {
                let what = || format!("{workload} on {hardware}, {objective:?}: {folded:?}, {unfolded:?}");
                assert_eq!(folded.is_some(), unfolded.is_some(), "{}", what());
                let Some((folded, unfolded)) = folded.zip(unfolded) else { continue };
                assert!(folded <= unfolded * (1.0 + 1e-9), "{}", what());
                points += 1;
                better += usize::from(folded < unfolded * 0.99);
            }
        }
    }
    assert!(points > 40 && better > 10, "{points} points, {better} better");
}

/// Dense products by `pointwise`, products of two maps by `matmul`, and one of the latter as it states for itself.
#[test]
fn each_kind_of_product_has_an_unrolling_of_its_own() {
    let kinds = "pointwise: { D1: K, D2: OX, D4: C }, matmul: { D2: K, D3: OX }";
    let network = "name: attention
layers:
  - { name: tokens, type: input, K: 8, size: 16 x 1 }
  - { name: query, type: pointwise, K: 8 }
  - { name: key, type: pointwise, from: tokens, K: 8 }
  - { name: value, type: pointwise, from: tokens, K: 8 }
  - { name: scores, type: matmul, from: [query, key] }
  - { name: context, type: matmul, from: [scores, value], unroll: { map: { D2: C, D3: OX } } }";
    let network = Network::from_text(network).unwrap();
    let unrolled = |kinds: &str, name: &str| {
        let core = Core::from_text(&core(kinds)).unwrap();
        let layer = network.computing().map(|id| network.layer(id)).find(|layer| layer.name == name).unwrap();
        let unroll = layer.unroll_on(&core, &Rules::CORRECTED);
        unroll.iter().map(|part| format!("{} {}", part.dim, part.limit)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(unrolled(kinds, "query"), "K 2, OX 4, C 2");
    assert_eq!(unrolled(kinds, "scores"), "K 4, OX 4");
    assert_eq!(unrolled(kinds, "context"), "C 4, OX 4");
    // A core that states nothing for products of two maps unrolls them as dense ones.
    assert_eq!(unrolled(ALL_KINDS, "scores"), unrolled(ALL_KINDS, "query"));
}
