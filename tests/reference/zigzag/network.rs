//! Whole networks end to end, layer by layer: what the tool reports as energy and latency.

use super::{Layer, reference};
use crate::Report;
use crate::common::{number, text};
use fusescape::cost::LayerCost;
use fusescape::hardware::Core;
use fusescape::mapping::LayerOnCore;
use fusescape::rules::Rules;
use fusescape::search::{Limits, Objective, Strategy, find_best};
use serde_json::{Value, json};

const EXACT: f64 = 1e-9;

pub fn check() -> Report {
    let mut report = Report::new();
    let (hardware, workloads) = (reference("zigzag/hardware.json"), reference("zigzag/workloads.json"));
    let data = reference("zigzag/network.json");
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
            let cost = best(&core, &accelerator, layer, &objective, lpf_limit);
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
    report
}

fn best(core: &Core, accelerator: &str, input: &Value, objective: &Objective, lpf_limit: usize) -> LayerCost {
    let layer = Layer::new(input);
    let given = layer.unroll(core, &spatial_mapping(accelerator, input));
    let rules = Rules::ZIGZAG_3_8;
    let problem = layer.problem(core, layer.reduced(core, &given));
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
