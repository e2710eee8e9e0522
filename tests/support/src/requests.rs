//! Requests for presets.

use fusescape_engine::explore::LayerRequest;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

/// The mapping of least energy of a layer; without a name, of the heaviest.
pub fn layer_request(hardware: &str, workload: &str, layer: Option<&str>) -> LayerRequest {
    let text = |list, id| find_preset(list, id).unwrap().text.to_owned();
    LayerRequest {
        hardware: text(hardware_presets(), hardware),
        workload: text(workload_presets(), workload),
        layer: layer.map(str::to_owned),
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 5,
        rules: Rules::CORRECTED,
        unroll: None,
    }
}
