//! Whole networks end to end, layer by layer: the energy and latency that the tool reports.

use super::comparison::{FIELDS, items, results, with_item};
use super::{Layer, V3_8, V3_9, Version, reference};
use crate::Report;
use fusescape_engine::cost::LayerCost;
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Strategy, find_best};
use fusescape_test_support::{number, text};
use serde_json::{Value, json};

const EXACT: f64 = 1e-9;

pub fn check() -> Report {
    let mut report = Report::new();
    check_runs(V3_8, &mut report);
    check_winners(&reference("zigzag/hardware.json")["meta_prototype"], &reference("zigzag/network.json"), &mut report);
    report
}

pub fn check_3_9() -> Report {
    let mut report = Report::new();
    check_runs(V3_9, &mut report);
    report.of_cases(2)
}

fn check_runs(version: Version, report: &mut Report) {
    let (hardware, workloads) = (version.reference("hardware"), reference("zigzag/workloads.json"));
    let data = version.reference("network");
    for run in data["runs_here"].as_array().unwrap() {
        let options = &run["options"];
        let accelerator = text(&run["accelerator"]).replace(".yaml", "");
        // Not modelled: data that stays on chip between layers, and orders that a mapping file fixes in part.
        if options["exploit_data_locality"] == true || accelerator.starts_with("gemm_l1") {
            report.remarks.push(format!("{} on {accelerator}, {options}: left out", text(&run["workload"])));
            continue;
        }
        let workload = text(&run["workload"]);
        let id = format!("{workload} on {accelerator}, {options}");
        let core = super::core(&hardware[&accelerator]);
        let objective = if options["opt"] == "energy" { Objective::Energy } else { Objective::Latency };
        let lpf_limit = options["lpf_limit"].as_u64().unwrap_or(6) as usize;
        report.cases += 1;
        let (mut energy, mut latency) = (0.0, 0.0);
        let mut costs = Vec::new();
        for layer in workloads[&workload]["layers"].as_array().unwrap() {
            let cost = best(version.rules, &core, &accelerator, layer, &objective, lpf_limit);
            energy += cost.energy_pj();
            latency += cost.latency.exact_cycles();
            costs.push((text(&layer["name"]), cost));
        }
        report.close(energy, number(&run["energy_pJ"]), EXACT, || format!("{id}: energy"));
        report.close(latency, number(&run["latency_total2"]), EXACT, || format!("{id}: latency"));
        for layer in run["layers"].as_array().into_iter().flatten() {
            let name = text(&layer["name"]);
            let (_, cost) = costs.iter().find(|(other, _)| *other == name).unwrap();
            report.close(cost.energy_pj(), number(&layer["energy"]), EXACT, || format!("{id}: energy of {name}"));
            let latency = cost.latency.exact_cycles();
            report.close(latency, number(&layer["latency2"]), EXACT, || format!("{id}: latency of {name}"));
        }
    }
}

/// The winning mappings of ResNet18, evaluated again with single items as in DeFiNES.
fn check_winners(accelerator: &Value, data: &Value, report: &mut Report) {
    let core = super::core(accelerator);
    let items = items(&reference("zigzag/comparison.json"));
    let workload = &reference("zigzag/workloads.json")["resnet18.onnx"];
    let theirs = data["effect_of_items_on_resnet18_onnx_on_meta_prototype"]["totals"].as_object().unwrap();
    for (name, theirs) in theirs {
        let old = |items: &[&String]| {
            items.iter().fold(Rules::ZIGZAG_3_8, |rules, item| with_item(rules, item, &Rules::DEFINES_2022))
        };
        let rules = match name.as_str() {
            "corrected loading reduction (no tool does this)" => {
                Rules { loading_reduction_repeats: false, ..Rules::ZIGZAG_3_8 }
            }
            "all old but padding limit kept" => old(&items.iter().filter(|item| *item != "clip").collect::<Vec<_>>()),
            name if name.starts_with("all old") => old(&items.iter().collect::<Vec<_>>()),
            name => old(&items.iter().filter(|item| name == format!("old rule for {item}")).collect::<Vec<_>>()),
        };
        let mut totals = [0.0; 4];
        for winner in data["resnet18_onnx_on_meta_prototype"]["layers"].as_array().unwrap() {
            let input = workload["layers"].as_array().unwrap().iter().find(|layer| layer["id"] == winner["layer"]);
            let (layer, problem) = on_core(&core, &Rules::ZIGZAG_3_8, "meta_prototype", input.unwrap());
            let order = layer.loops(&winner["temporal_loop_order_inner_to_outer"]);
            let of_layer = results(&LayerOnCore::new(&core, rules, &problem), &order);
            for (total, value) in totals.iter_mut().zip(of_layer) {
                *total += value;
            }
        }
        for (field, ours) in FIELDS.into_iter().zip(totals) {
            let field = field.trim_start_matches("total_");
            report.close(ours, number(&theirs[field]), EXACT, || format!("ResNet18, {name}: {field}"));
        }
    }
}

fn on_core(core: &Core, rules: &Rules, accelerator: &str, input: &Value) -> (Layer, LayerProblem) {
    let layer = Layer::new(input);
    let given = layer.unroll(core, &spatial_mapping(accelerator, input));
    let problem = layer.problem(core, layer.reduced(core, rules, &given));
    (layer, problem)
}

fn best(
    rules: Rules,
    core: &Core,
    accelerator: &str,
    input: &Value,
    objective: &Objective,
    lpf_limit: usize,
) -> LayerCost {
    let (_, problem) = on_core(core, &rules, accelerator, input);
    let on_core = LayerOnCore::new(core, rules, &problem);
    let limits = Limits { lpf_limit, ..Limits::default() };
    let solution = find_best(&on_core, objective, &limits, Strategy::Loma).best.unwrap();
    solution.cost(&on_core).unwrap()
}

/// The tool's mapping files, by type of operator; loops that a layer does not have are dropped.
fn spatial_mapping(accelerator: &str, layer: &Value) -> Value {
    let is = |operator: &str| text(&layer["operator_type"]) == operator;
    let (adds, matrices) = (is("Add"), is("Gemm"));
    match accelerator {
        "meta_prototype" if adds => json!({"D1": [["G", 32]]}),
        "meta_prototype" if matrices => {
            json!({"D1": [["K", 32]], "D2": [["C", 2]], "D3": [["D", 4]], "D4": [["D", 4]]})
        }
        "meta_prototype" => json!({"D1": [["K", 32]], "D2": [["C", 2]], "D3": [["OX", 4]], "D4": [["OY", 4]]}),
        "tpu_like" => json!({"D1": [["K", 32]], "D2": [["C", 32]]}),
        "tesla_npu_like" if matrices => json!({"D1": [["K", 32]], "D2": [["D", 8]], "D3": [["D", 4]]}),
        "tesla_npu_like" => json!({"D1": [["K", 32]], "D2": [["OX", 8]], "D3": [["OY", 4]]}),
        other => panic!("no mapping for {other}"),
    }
}
