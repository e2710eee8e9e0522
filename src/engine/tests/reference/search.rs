//! LOMA over all orders: least energy, and a latency of one of the tied orders of the tool.

use crate::Report;
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, StopReason, Strategy, find_best};
use fusescape_test_support::{core, integer, number, problem, reference, text};

pub fn check() -> Report {
    let mut report = Report::new();
    let hardware = reference("define/hardware.json");
    for case in reference("define/search.json")["cases"].as_array().unwrap() {
        report.cases += 1;
        let (id, input, output) = (text(&case["id"]), &case["input"], &case["output"]);
        let core = core(&hardware[text(&input["accelerator"])]);
        let problem = problem(&core, input);
        let layer = LayerOnCore::new(&core, Rules::DEFINES_2022, &problem);
        let limits = Limits { lpf_limit: integer(&input["lpf_limit"]) as usize, ..Limits::default() };
        let outcome = find_best(&layer, &Objective::Energy, &limits, Strategy::Loma);
        if output.get("crash").is_some() {
            let refused = matches!(outcome.stopped, StopReason::LpfLimitTooLow { .. });
            report.same(&refused, &true, || format!("{id}: refuses the LPF limit"));
            continue;
        }
        report.same(&outcome.stopped, &StopReason::Exhausted, || format!("{id}: stop reason"));
        report.same(&outcome.orders, &integer(&output["orderings"]), || format!("{id}: orderings"));
        report.same(&outcome.feasible, &integer(&output["feasible_orderings"]), || format!("{id}: feasible orderings"));
        let Some(best) = outcome.best else {
            report.same(&integer(&output["feasible_orderings"]), &0, || format!("{id}: infeasible"));
            continue;
        };
        report.close(best.energy_pj, number(&output["min_energy_pJ"]), 1e-9, || format!("{id}: energy"));
        let latency = best.latency_cycles as f64;
        // Ours is the best of the tied orders; the tool's winner is any of them.
        report.close(latency, number(&output["best_latency_total1_among_min_energy"]), 0.0, || {
            format!("{id}: least latency of the tied orders")
        });
        let worst = number(&output["worst_latency_total1_among_min_energy"]);
        report.same(&(latency <= worst), &true, || format!("{id}: latency within the tie"));
    }
    report
}
