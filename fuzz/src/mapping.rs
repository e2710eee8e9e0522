//! Any text as a mapping by hand: an answer, never a panic. A mapping with costs is written and read back unchanged.

use super::{HARDWARE, WORKLOAD, check_wrong};
use fusescape::explore::{LayerRequest, mapping_document, user_mappings};
use fusescape::hardware::Core;
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::write_mapping;
use fusescape::workload::Network;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let core = Core::from_text(HARDWARE).expect("a core");
    let network = Network::from_text(WORKLOAD).expect("a network");
    let request = LayerRequest {
        hardware: String::new(),
        workload: String::new(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::Loma,
        lpf_limit: 2,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    match user_mappings(text, &core, &network, &request) {
        Ok(priced) => {
            let document =
                mapping_document("again", priced.iter().map(|(design_layer, mapped)| (design_layer, &mapped.mapping)));
            let again = user_mappings(&write_mapping(&document), &core, &network, &request).expect("what was priced");
            assert!(priced.iter().zip(&again).all(|((_, before), (_, after))| before == after));
        }
        Err(wrong) => check_wrong(text, &wrong),
    }
}
