//! The DeFiNES tool's cases in ZigZag, and the contribution of each difference between the two.

use crate::Report;
use crate::single_layer::loops;
use fusescape_engine::cost::Evaluator;
use fusescape_engine::mapping::{LayerOnCore, TemporalLoop, allocate};
use fusescape_engine::rules::Rules;
use fusescape_test_support::{core, number, problem, reference, text};
use serde_json::Value;

const EXACT: f64 = 1e-9;
pub const FIELDS: [&str; 4] = ["total_energy_pJ", "latency_total0", "latency_total1", "latency_total2"];

pub fn check() -> Report {
    let mut report = Report::new();
    let hardware = reference("define/hardware.json");
    let comparison = reference("zigzag/comparison.json");
    let items = items(&comparison);
    for case in comparison["cases"].as_array().unwrap() {
        report.cases += 1;
        check_case(&hardware, &items, case, &mut report);
    }
    report
}

/// The differences between the tools, in the order in which the cases change them.
pub fn items(comparison: &Value) -> Vec<String> {
    comparison["item_order"].as_array().unwrap().iter().map(|item| text(&item["item"])).collect()
}

fn check_case(hardware: &Value, items: &[String], case: &Value, report: &mut Report) {
    let (id, input) = (text(&case["id"]), &case["input"]);
    let core = core(&hardware[text(&input["accelerator"])]);
    let problem = problem(&core, input);
    let order = loops(&input["temporal_loop_order_inner_to_outer"]);
    let under = |rules: Rules| results(&LayerOnCore::new(&core, rules, &problem), &order);
    let mut rules = Rules { latency_without_offloading: false, ..Rules::DEFINES_2022 };
    let mut before = under(rules);
    for (field, ours) in FIELDS.into_iter().zip(before) {
        report.close(ours, number(&case["defines"][field]), EXACT, || format!("{id}: DeFiNES {field}"));
    }
    for item in items {
        rules = with_item(rules, item, &Rules::ZIGZAG_3_8);
        let after = under(rules);
        let step = case["differences_by_item"].as_array().unwrap().iter().find(|step| step["item"] == item.as_str());
        for ((field, before), after) in FIELDS.into_iter().zip(before).zip(after) {
            let field = field.trim_start_matches("total_");
            let theirs = step.map_or(0.0, |step| number(&step[field]));
            report.close(after, before + theirs, EXACT, || format!("{id}: {field} with {item}"));
        }
        before = after;
    }
    // Both inputs of an addition came from the memories of features here, and unrollings were unchanged.
    let zigzag = under(Rules {
        additions_read_weight_memories: false,
        unrolling_narrowed_to_lowest_memories: false,
        ..Rules::ZIGZAG_3_8
    });
    for ((field, ours), stepwise) in FIELDS.into_iter().zip(zigzag).zip(before) {
        report.close(ours, number(&case["zigzag"][field]), EXACT, || format!("{id}: ZigZag {field}"));
        report.same(&ours, &stepwise, || format!("{id}: ZigZag {field} step by step"));
    }
}

/// Energy and the three latencies of the tools.
pub fn results(layer: &LayerOnCore<'_>, order: &[TemporalLoop]) -> [f64; 4] {
    let allocation = allocate(layer, order).unwrap();
    let cost = Evaluator::new(layer).evaluate(order, &allocation).unwrap();
    let computing = cost.latency.computing_cycles() as f64;
    let loaded = computing + cost.latency.loading_cycles;
    [cost.energy_pj(), computing, loaded, loaded + cost.latency.offloading_cycles]
}

/// The rules with one item as in `from`.
pub fn with_item(rules: Rules, item: &str, from: &Rules) -> Rules {
    let switches: &[&str] = match item {
        "clip" => &["input_beyond_border_counted"],
        "print" => &["truncate_fractional_extents", "truncate_fractional_windows"],
        "boost" => &["truncate_bandwidth_ratio", "round_bandwidth_ratio"],
        "unit" => &["round_instances_by_agreement"],
        "intfloor" => &["latency_unrolling_rounded_down"],
        "allocfrac" => &["allocate_by_fractional_sizes"],
        "allocstrict" => &["lowest_memory_may_overflow", "mappings_fit_unchecked"],
        "precspatial" => &["allocation_ignores_spatial_sums", "unrolling_by_one_makes_partial_sums"],
        "macst" => &["array_keeps_inputs"],
        "nochunk" => &["narrow_side_ignored", "last_chunk_charged_in_full"],
        "trunc" => &["fractions_of_words_free"],
        "overlap" => &["loading_overlaps_computation", "loading_reduction_repeats"],
        "offsum" => &["offloading_pays_top_link_only"],
        other => panic!("unknown item {other}"),
    };
    let values = from.switches().into_iter().filter(|(name, ..)| switches.contains(name));
    values.fold(rules, |rules, (name, _, value)| rules.with(name, value).unwrap())
}
