//! Any text as a saved state: an answer, never a panic. A state that opens can be kept as a file and as a link.

use super::{check_state, check_wrong};
use fusescape::spec::is_state;
use fusescape::state::State;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match State::from_yaml(text) {
        Ok(state) => {
            assert!(is_state(&state.to_yaml()));
            check_state(&state);
            ask(&state);
        }
        Err(wrong) => check_wrong(text, &wrong),
    }
}

/// Requests that the page makes by itself when a state is shown. Workers check the documents.
fn ask(state: &State) {
    let design = &state.design;
    let (hardware, workload) = (design.hardware.text.as_str(), design.workload.text.as_str());
    let how = (design.schedule.strategy, design.schedule.lpf_limit);
    let _ = (design.request(), state.layer_request(), design.grid());
    let _ = state.cores.request(hardware, workload, how, design.schedule.rules);
    let _ = state.hierarchy.request(hardware, workload, how, design.schedule.rules);
    let _ = (state.is_edited(), state.cores.described());
}
