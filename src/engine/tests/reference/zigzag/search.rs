//! LOMA over all orders: least energy, latency or product of both, and the best of tied orders.

use super::{Layer, V3_8, V3_9};
use crate::Report;
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, StopReason, Strategy, find_best};
use fusescape_test_support::{integer, number, text};
use serde_json::Value;

pub fn check() -> Report {
    V3_8.check_cases(&["search"], check_case)
}

pub fn check_3_9() -> Report {
    V3_9.check_cases(&["search"], check_case).of_cases(86)
}

fn check_case(rules: Rules, core: &Core, case: &Value, report: &mut Report) {
    let (id, input, output) = (text(&case["id"]), &case["input"], &case["output"]);
    let layer = Layer::new(input);
    let problem = layer.problem(core, layer.unroll(core, &input["spatial_mapping_reduced"]));
    let on_core = LayerOnCore::new(core, rules, &problem);
    let limits = Limits { lpf_limit: integer(&input["lpf_limit"]) as usize, ..Limits::default() };
    let product = |winner: &Value| number(&winner["energy_pJ"]) * number(&winner["latency_total2"]);
    // Where no ordering fits there is no winner.
    let is_feasible = integer(&output["feasible_orderings"]) > 0;
    let field = |name: &str| if is_feasible { number(&output[name]) } else { f64::NAN };
    for (objective, score, energy, latency) in [
        (Objective::Energy, field("min_energy_pJ"), None, Some(field("best_latency_total2_among_min_energy"))),
        (Objective::Latency, field("min_latency_total2_over_all"), Some(field("best_energy_among_min_latency2")), None),
        (
            Objective::EnergyDelayProduct,
            if is_feasible { product(&output["tool_winner_EDP"]) } else { f64::NAN },
            None,
            None,
        ),
    ] {
        let what = |field: &str| format!("{id} {objective:?}: {field}");
        let outcome = find_best(&on_core, &objective, &limits, Strategy::Loma);
        report.same(&outcome.stopped, &StopReason::Exhausted, || what("stop reason"));
        report.same(&outcome.orders, &integer(&output["orderings"]), || what("orderings"));
        report.same(&outcome.feasible, &integer(&output["feasible_orderings"]), || what("feasible orderings"));
        report.same(&outcome.best.is_some(), &(outcome.feasible > 0), || what("whether there is a mapping"));
        let Some(best) = outcome.best else { continue };
        let cost = best.cost(&on_core).unwrap();
        let of = |theirs: Option<f64>, ours: f64| theirs.unwrap_or(ours);
        report.close(objective.score(&on_core, &cost), score, 1e-9, || what("score"));
        report.close(cost.energy_pj(), of(energy, cost.energy_pj()), 1e-9, || what("energy"));
        let ours = cost.latency.exact_cycles();
        report.close(ours, of(latency, ours), 1e-9, || what("latency"));
    }
}
