//! Any text as constraints: an answer, never a panic. Valid constraints are written and read back unchanged, and
//! mappings found under them are legal.

use super::{HARDWARE, WORKLOAD, check_wrong};
use fusescape::explore::{DesignLayer, LayerRequest, user_constraints};
use fusescape::hardware::Core;
use fusescape::rules::Rules;
use fusescape::search::{Limits, Objective, Strategy, find_best_under};
use fusescape::spec::{read_constraints, write_constraints};
use fusescape::workload::Network;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let core = Core::from_text(HARDWARE).expect("a core");
    let network = Network::from_text(WORKLOAD).expect("a network");
    let constraints = match user_constraints(text, &core, &network) {
        Ok(constraints) => constraints,
        Err(wrong) => return check_wrong(text, &wrong),
    };
    let (spec, _) = read_constraints(text).both();
    let (again, wrong) = read_constraints(&write_constraints(&spec)).both();
    assert!(wrong.is_empty() && again == spec, "{wrong}");
    let request = LayerRequest {
        hardware: HARDWARE.to_owned(),
        workload: WORKLOAD.to_owned(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::Exact,
        lpf_limit: 2,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    let design_layer = DesignLayer::new(&request).expect("a layer");
    let Some(constraints) = constraints.of(&design_layer) else { return };
    let (problem, limits) = (design_layer.on_core(), Limits { max_states: 2000, ..Limits::default() });
    let outcome =
        find_best_under(&constraints.temporal, &problem, &request.objective, &limits, request.strategy, &|| true);
    let Some(best) = outcome.ok().and_then(|outcome| outcome.best) else { return };
    assert!(constraints.temporal.allow(&problem, &best.order, &best.allocation));
}
