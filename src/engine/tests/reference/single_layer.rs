//! Fixed temporal orders, no search: every energy, word count and cycle count.

use crate::Report;
use fusescape_engine::cost::{EnergyCause, Evaluator, LayerCost};
use fusescape_engine::hardware::Movement;
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, TemporalLoop, allocate};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::Dim;
use fusescape_test_support::{core, integer, number, problem, reference, text};
use serde_json::Value;

pub const EXACT: f64 = 1e-9;

pub fn check() -> Report {
    let mut report = Report::new();
    let hardware = reference("define/hardware.json");
    for case in reference("define/single_layer.json")["cases"].as_array().unwrap() {
        report.cases += 1;
        check_case(&hardware, case, &mut report);
    }
    report
}

fn check_case(hardware: &Value, case: &Value, report: &mut Report) {
    let (id, input, output) = (text(&case["id"]), &case["input"], &case["output"]);
    let core = core(&hardware[text(&input["accelerator"])]);
    let problem = problem(&core, input);
    let layer = LayerOnCore::new(&core, Rules::DEFINES_2022, &problem);
    let order = loops(&input["temporal_loop_order_inner_to_outer"]);
    let Some(allocation) = allocate(&layer, &order) else {
        report.failures.push(format!("{id}: no allocation"));
        return;
    };
    let Some(cost) = Evaluator::new(&layer).evaluate(&order, &allocation) else {
        report.failures.push(format!("{id}: a memory overflows"));
        return;
    };
    for operand in LayerOperand::ALL {
        let name = layer.operand_name(operand);
        let levels = output["operands"][name].as_array().unwrap();
        report.same(&layer.operands[operand].memories.len(), &levels.len(), || format!("{id} {name}: levels"));
        for (level, theirs) in levels.iter().enumerate() {
            let what = |field: &str| format!("{id} {name} level {level}: {field}");
            for (field, allocation) in [("loops", &allocation), ("loops_after_stationary_merge", &cost.merged)] {
                let ours = order[allocation.range(operand, level)].to_vec();
                report.same(&ours, &loops(&theirs[field]), || what(field));
            }
            check_level(&cost, operand, level, theirs, &what, report);
        }
    }
    check_totals(&id, &core, &cost, output, report);
}

/// All numbers of one memory level of one operand that both tools record.
pub fn check_level(
    cost: &LayerCost,
    operand: LayerOperand,
    level: usize,
    theirs: &Value,
    what: &dyn Fn(&str) -> String,
    report: &mut Report,
) {
    let held = cost.amounts.held[operand][level + 1];
    report.close(held, number(&theirs["data_elements_per_instance"]), EXACT, || what("elements"));
    report.close(cost.amounts.bits_held(operand, level), number(&theirs["data_bits_per_instance"]), EXACT, || {
        what("bits")
    });
    report.same(&cost.latency.double_buffered[operand][level], &theirs["double_buffered"].as_bool().unwrap(), || {
        what("double_buffered")
    });
    for (index, movement) in Movement::ALL.into_iter().enumerate() {
        let link = &cost.amounts.links[operand][level][index];
        for (field, ours) in [
            ("word_accesses", cost.energy.words[operand][level][index]),
            ("energy_pJ", cost.energy.energy_pj[operand][level][index]),
            ("allowed_cycles", cost.latency.allowed_cycles[operand][level][index] as f64),
            ("real_cycles", cost.latency.real_cycles[operand][level][index] as f64),
            ("latency_period", link.period as f64),
            ("latency_period_count", link.count as f64),
        ] {
            report.close(ours, number(&theirs[field][index]), EXACT, || what(&format!("{field} {movement}")));
        }
    }
}

fn check_totals(
    id: &str,
    core: &fusescape_engine::hardware::Core,
    cost: &LayerCost,
    output: &Value,
    report: &mut Report,
) {
    let latency = &cost.latency;
    for (field, ours) in [
        ("MAC_energy_pJ", cost.energy.fixed[EnergyCause::Mac]),
        ("memory_energy_pJ", cost.energy.memory_pj),
        ("total_energy_pJ", cost.energy_pj()),
        ("ideal_cycles", latency.ideal_cycles),
        ("temporal_cycles", latency.temporal_cycles as f64),
        ("temporal_stall_cycles", latency.stall_cycles as f64),
        ("data_loading_cycles", latency.loading_cycles),
        ("data_offloading_cycles", latency.offloading_cycles),
        ("latency_total0", latency.computing_cycles() as f64),
        ("latency_total1", latency.exact_cycles()),
        ("latency_total2", latency.exact_cycles() + latency.offloading_cycles),
    ] {
        report.close(ours, number(&output[field]), EXACT, || format!("{id} {field}"));
    }
    let mut ports = 0;
    for stall in &latency.ports {
        let memory = &core.memories[stall.memory];
        let port = &memory.ports[stall.port].name;
        let theirs = &output["stall_per_port"][&memory.name][port];
        ports += 1;
        report.close(stall.cycles as f64, theirs.as_f64().unwrap_or(f64::NAN), EXACT, || {
            format!("{id} stall of {} {port}", memory.name)
        });
    }
    let theirs: usize =
        output["stall_per_port"].as_object().unwrap().values().map(|p| p.as_object().unwrap().len()).sum();
    report.same(&ports, &theirs, || format!("{id}: ports in use"));
}

pub fn loops(value: &Value) -> Vec<TemporalLoop> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| TemporalLoop { dim: Dim::from_name(&text(&pair[0])).unwrap(), size: integer(&pair[1]) })
        .collect()
}
