//! Fixed temporal orders, no search: every allocation, energy, word count and cycle count.

use super::{Layer, V3_8, V3_9};
use crate::Report;
use crate::single_layer::{EXACT, check_level};
use fusescape_engine::cost::{EnergyCause, Evaluator, LayerCost, PortStall};
use fusescape_engine::hardware::{Core, Movement};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, allocate};
use fusescape_engine::rules::Rules;
use fusescape_test_support::{entries, integer, number, text};
use serde_json::Value;

pub fn check() -> Report {
    V3_8.check_cases(&["single_layer"], check_case)
}

pub fn check_3_9() -> Report {
    V3_9.check_cases(&["single_layer"], check_case).of_cases(198)
}

fn check_case(rules: Rules, core: &Core, case: &Value, report: &mut Report) {
    let (id, input, output) = (text(&case["id"]), &case["input"], &case["output"]);
    let layer = Layer::new(input);
    let problem = layer.problem(core, layer.unroll(core, &input["spatial_mapping_reduced"]));
    let on_core = LayerOnCore::new(core, rules, &problem);
    let order = layer.loops(&input["temporal_loop_order_inner_to_outer"]);
    let allocation = allocate(&on_core, &order);
    report.same(&allocation.is_some(), &output.is_object(), || format!("{id}: whether it fits"));
    let Some(allocation) = allocation.filter(|_| output.is_object()) else { return };
    let cost = Evaluator::new(&on_core).evaluate(&order, &allocation).expect("ZigZag checks no capacity");
    for operand in LayerOperand::ALL {
        let name = on_core.operand_name(operand);
        let levels = output["operands"][name].as_array().unwrap();
        report.same(&on_core.operands[operand].memories.len(), &levels.len(), || format!("{id} {name}: levels"));
        for (level, theirs) in levels.iter().enumerate() {
            let what = |field: &str| format!("{id} {name} level {level}: {field}");
            for (field, allocation) in [("loops", &allocation), ("loops_after_stationary_merge", &cost.merged)] {
                let ours = order[allocation.range(operand, level)].to_vec();
                report.same(&ours, &layer.loops(&theirs[field]), || what(field));
            }
            check_level(&cost, operand, level, theirs, &what, report);
            check_amounts(&cost, operand, level, theirs, &what, report);
        }
        if operand != LayerOperand::Output {
            let theirs = integer(&output["MAC_level_stationary_cycles"][name]);
            report.same(&cost.amounts.cycles[operand][0], &theirs, || format!("{id} {name}: stationary in the array"));
        }
    }
    check_totals(&id, core, &cost, output, report);
}

/// Numbers that only this tool records: the amounts behind the energy.
fn check_amounts(
    cost: &LayerCost,
    operand: LayerOperand,
    level: usize,
    theirs: &Value,
    what: &dyn Fn(&str) -> String,
    report: &mut Report,
) {
    for (index, movement) in Movement::ALL.into_iter().enumerate() {
        let link = &cost.amounts.links[operand][level][index];
        for (field, ours) in [("energy_period_count", link.count as f64), ("energy_elements_per_period", link.elements)]
        {
            report.close(ours, number(&theirs[field][index]), EXACT, || what(&format!("{field} {movement}")));
        }
    }
}

fn check_totals(id: &str, core: &Core, cost: &LayerCost, output: &Value, report: &mut Report) {
    let latency = &cost.latency;
    let computing = latency.computing_cycles() as f64;
    for (field, ours) in [
        ("MAC_energy_pJ", cost.energy.fixed[EnergyCause::Mac]),
        ("memory_energy_pJ", cost.energy.memory_pj),
        ("total_energy_pJ", cost.energy_pj()),
        ("ideal_cycles", latency.ideal_cycles),
        ("temporal_cycles", latency.temporal_cycles as f64),
        ("temporal_stall_cycles", latency.stall_cycles as f64),
        ("data_loading_cycles", latency.loading_cycles),
        ("data_offloading_cycles", latency.offloading_cycles),
        ("latency_total0", computing),
        ("latency_total1", computing + latency.loading_cycles),
        ("latency_total2", latency.exact_cycles()),
        ("systolic_drain_cycles", latency.drain_cycles as f64),
    ] {
        if field == "systolic_drain_cycles" && output[field].is_null() {
            // The earlier version has none.
            report.close(ours, 0.0, 0.0, || format!("{id} {field}"));
            continue;
        }
        report.close(ours, number(&output[field]), EXACT, || format!("{id} {field}"));
    }
    // With any fractions, the causes in whole cycles add up to the total.
    for (loading, offloading) in [(latency.loading_cycles.max(0.0), latency.offloading_cycles.max(0.0)), (1.5, 1.5)] {
        let mut latency = latency.clone();
        (latency.loading_cycles, latency.offloading_cycles) = (loading, offloading);
        report.same(&latency.split().total_cycles(), &latency.total_cycles(), || format!("{id}: cycles by cause"));
    }
    for (memory, ports) in entries(&output["stall_per_port"]) {
        for (port, theirs) in entries(ports) {
            let is_this = |stall: &&PortStall| {
                let of = &core.memories[stall.memory];
                of.name == *memory && of.ports[stall.port].name == *port
            };
            // The tool also lists ports without traffic.
            let ours = latency.ports.iter().find(is_this).map_or(0, |stall| stall.cycles);
            report.close(ours as f64, number(theirs), EXACT, || format!("{id} stall of {memory} {port}"));
        }
    }
}
