//! Arrays that compute in memory: their parts, and layers in a fixed temporal order on them.

use super::{Layer, core, reference};
use crate::Report;
use crate::single_layer::EXACT;
use fusescape_engine::cost::{EnergyCause, Evaluator, accesses};
use fusescape_engine::hardware::{Core, MacroPart};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, allocate};
use fusescape_engine::rules::Rules;
use fusescape_test_support::{entries, number, text};
use serde_json::Value;

/// Parts under the tool's names; its areas and delays do not include bit lines.
const PARTS: [(MacroPart, &str, &str); 7] = [
    (MacroPart::Dac, "dacs", "dacs"),
    (MacroPart::Adc, "adcs", "adcs"),
    (MacroPart::Multipliers, "mults", "mults"),
    (MacroPart::BitLines, "analog_bl_addition", ""),
    (MacroPart::AdderTrees, "adders_regular", "adders_regular"),
    (MacroPart::PlaceAdders, "adders_pv", "adders_pv"),
    (MacroPart::Accumulators, "accumulators", "accumulators"),
];

/// Eleven times 5.818 channels come to a little less than 64 there, so that 11 transfers seem to beat one.
const DECIDED_BY_ROUNDING: &str = "ZI111";

pub fn check() -> Report {
    let mut report = Report::new();
    let data = reference("zigzag/in_memory.json");
    for (name, array) in entries(&data["arrays"]) {
        check_array(name, &core(&data["hardware"][name]), array, &mut report);
    }
    let cases = data["cases"].as_array().unwrap();
    for case in cases.iter().filter(|case| text(&case["id"]) != DECIDED_BY_ROUNDING) {
        report.cases += 1;
        check_case(&core(&data["hardware"][text(&case["input"]["accelerator"])]), case, &mut report);
    }
    report
        .remarks
        .push(format!("{DECIDED_BY_ROUNDING}: a tie of two allocations that the tool's rounding decides, left out"));
    report.of_cases(153)
}

fn check_array(name: &str, core: &Core, theirs: &Value, report: &mut Report) {
    let array = core.in_memory.as_ref().expect("it computes in memory");
    let (area, delay) = (array.area_um2(), array.delay_ns());
    for (part, _, field) in PARTS.into_iter().filter(|(.., field)| !field.is_empty()) {
        let mm2 = number(&theirs["area_mm2"][field]);
        report.close(area[part] / 1e6, mm2, EXACT, || format!("{name}: area of {field}"));
        report.close(delay[part], number(&theirs["period_ns"][field]), EXACT, || format!("{name}: delay of {field}"));
    }
    report.close(array.peak_tops(), number(&theirs["peak_tops"]), EXACT, || format!("{name}: peak"));
    let efficiency = number(&theirs["peak_tops_per_watt"]);
    report.close(array.peak_tops_per_watt(), efficiency, EXACT, || format!("{name}: peak efficiency"));
}

fn check_case(core: &Core, case: &Value, report: &mut Report) {
    let (id, input, output) = (text(&case["id"]), &case["input"], &case["output"]);
    let layer = Layer::new(input);
    let problem = layer.problem(core, layer.unroll(core, &input["spatial_mapping"]));
    let on_core = LayerOnCore::new(core, Rules::ZIGZAG_3_8, &problem);
    let order = layer.loops(&input["temporal_loop_order_inner_to_outer"]);
    let allocation = allocate(&on_core, &order).unwrap_or_else(|| panic!("{id}: does not fit"));
    let evaluator = Evaluator::new(&on_core);
    let cost = evaluator.evaluate(&order, &allocation).expect("ZigZag checks no capacity");

    let parts = &on_core.in_memory.as_ref().expect("it computes in memory").energy_pj;
    let theirs = &output["operation_energy_pJ"];
    for (part, field, _) in PARTS {
        report.close(parts[part], number(&theirs[field]), EXACT, || format!("{id}: energy of {field}"));
    }
    // The tool counts precharging as an operation, here it is an access of the cells.
    let precharging: f64 = accesses(&evaluator, &cost).iter().map(|access| access.precharge_pj).sum();
    let their_precharging = number(&theirs["local_bl_precharging"]);
    report.close(precharging, their_precharging, EXACT, || format!("{id}: precharging"));
    for operand in LayerOperand::ALL {
        let name = on_core.operand_name(operand);
        let levels = output["memory_energy_by_level_pJ"][name].as_array().unwrap();
        for (level, pj) in levels.iter().enumerate() {
            let is_cells = name == "W" && level == 0;
            let beside = if is_cells { precharging } else { 0.0 };
            let ours = cost.energy.energy_pj[operand][level].iter().sum::<f64>() - beside;
            let scale = number(pj).max(if is_cells { precharging } else { 0.0 });
            if scale == 0.0 {
                report.close(ours, number(pj), EXACT, || format!("{id} {name} level {level}"));
            } else {
                report.close(ours / scale + 1.0, number(pj) / scale + 1.0, EXACT, || {
                    format!("{id} {name} level {level}")
                });
            }
        }
    }
    let latency = &cost.latency;
    let computing = latency.computing_cycles() as f64;
    for (field, ours) in [
        ("MAC_energy_pJ", cost.energy.fixed[EnergyCause::Mac] + precharging),
        ("total_energy_pJ", cost.energy_pj()),
        ("ideal_cycles", latency.ideal_cycles),
        ("temporal_cycles", latency.temporal_cycles as f64),
        ("temporal_stall_cycles", latency.stall_cycles as f64),
        ("data_loading_cycles", latency.loading_cycles),
        ("data_offloading_cycles", latency.offloading_cycles),
        ("latency_total0", computing),
        ("latency_total1", computing + latency.loading_cycles),
        ("latency_total2", latency.exact_cycles()),
    ] {
        report.close(ours, number(&output[field]), EXACT, || format!("{id} {field}"));
    }
}
