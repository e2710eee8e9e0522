//! Spatial mappings: reduced to the unrollings that the core supports, made fractional, assigned to levels; and the
//! remaining temporal loops.

use super::{Layer, V3_8, V3_9};
use crate::Report;
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::{LayerOnCore, TemporalLoop, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::Dim;
use fusescape_test_support::{number, text};
use serde_json::Value;

const EXACT: f64 = 1e-9;

pub fn check() -> Report {
    V3_8.check_cases(&["single_layer", "search"], check_case)
}

pub fn check_3_9() -> Report {
    V3_9.check_cases(&["single_layer", "search"], check_case).of_cases(198 + 86)
}

fn check_case(rules: Rules, core: &Core, case: &Value, report: &mut Report) {
    let (id, input, output) = (text(&case["id"]), &case["input"], &case["output"]);
    let layer = Layer::new(input);
    let given = layer.unroll(core, &input["spatial_mapping_given"]);
    let reduced = layer.reduced(core, &rules, &given);
    report.same(&reduced, &layer.unroll(core, &input["spatial_mapping_reduced"]), || format!("{id}: reduced"));
    let problem = layer.problem(core, reduced);
    let on_core = LayerOnCore::new(core, rules, &problem);
    check_levels(&id, core, &layer, &on_core, input, report);
    check_factors(&id, &layer, &on_core, input, output, report);
}

/// Unrolled loops by level: fractional, and rounded down for latency.
fn check_levels(id: &str, core: &Core, layer: &Layer, on_core: &LayerOnCore<'_>, input: &Value, report: &mut Report) {
    for (operand, view) in on_core.each_operand() {
        let name = on_core.operand_name(operand);
        let theirs = input["spatial_mapping_used_per_level"][name].as_array().unwrap();
        let whole = input["spatial_mapping_integer_per_level"][name].as_array().unwrap();
        report.same(&view.unrolled.len(), &theirs.len(), || format!("{id} {name}: levels"));
        for (level, unrolled) in view.unrolled.iter().enumerate() {
            // Loops of one level are multiplied in the tool; loops of size 1 have no effect.
            let width = |dim: Dim| -> f64 {
                unrolled.iter().filter(|(of, ..)| *of == dim).map(|(_, average, _)| average).product()
            };
            let their_width = |list: &Value, dim: Dim| -> f64 {
                let pairs = list.as_array().unwrap().iter();
                pairs.filter(|pair| layer.dim(&pair[0]) == dim).map(|pair| number(&pair[1])).product()
            };
            for dim in Dim::ALL {
                let what = || format!("{id} {name} level {level}: {dim} over {:?}", core.array);
                report.close(width(dim), their_width(&theirs[level], dim), EXACT, what);
                // The tool rounds every array dimension down separately.
                let parts = unrolled.iter().filter(|(of, ..)| *of == dim).map(|(_, average, _)| average.floor());
                report.close(parts.product(), their_width(&whole[level], dim), EXACT, what);
            }
        }
    }
}

/// Temporal loops: prime factors, merged down to the limit.
fn check_factors(
    id: &str,
    layer: &Layer,
    on_core: &LayerOnCore<'_>,
    input: &Value,
    output: &Value,
    report: &mut Report,
) {
    let factors = |limit: usize| {
        let sizes = &on_core.spatial.temporal_sizes;
        let strict = on_core.rules.lpf_limit_below_dimensions_fails;
        temporal::limited_factors(sizes, &on_core.shape.dim_order, limit, strict).unwrap()
    };
    let sorted = |value: &Value| {
        let mut loops: Vec<TemporalLoop> = layer.loops(value).into_iter().filter(|next| next.size > 1).collect();
        loops.sort_unstable();
        loops
    };
    let limit = |field: &str| input[field].as_u64().map(|limit| limit as usize);
    if let Some(limit) = limit("lpf_limit_used_to_form_loops") {
        let theirs = sorted(&input["temporal_loop_order_inner_to_outer"]);
        report.same(&factors(limit), &theirs, || format!("{id}: loops of limit {limit}"));
    }
    if let Some(limit) = limit("lpf_limit") {
        let theirs = sorted(&output["loop_prime_factors_before_limit"]);
        report.same(&factors(usize::MAX), &theirs, || format!("{id}: prime factors"));
        let theirs = sorted(&output["loop_prime_factors_after_limit"]);
        report.same(&factors(limit), &theirs, || format!("{id}: loops of limit {limit}"));
    }
}
