//! Any text as a link, and any bytes as its content: an answer, never a panic. A state that opens can be kept.

use super::check_state;
use fusescape::link::from_link;
use fusescape::state::State;
use fusescape_test_support::links::sealed;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    if let Ok(state) = from_link(&sealed(bytes)) {
        check(&state);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(state) = from_link(text)
    {
        check(&state);
    }
}

fn check(state: &State) {
    check_state(state);
    let _ = (state.design.request(), state.layer_request());
}
