//! Any text as a link, and any bytes as what a link holds: an answer, never a panic; and what opens is kept.

use super::check_state;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fusescape::link::{fingerprint, from_link};
use fusescape::state::State;
use miniz_oxide::deflate::compress_to_vec;

/// Panics where that is not so.
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

/// A link that holds these bytes. No mutation would come by the compression and the checksum.
fn sealed(bytes: &[u8]) -> String {
    let [a, b, c, d] = bytes.iter().fold(fingerprint(""), |hash, byte| {
        (u32::from_le_bytes(hash) ^ u32::from(*byte)).wrapping_mul(0x0100_0193).to_le_bytes()
    });
    let mut packed = compress_to_vec(bytes, 1);
    packed.extend([a ^ c, b ^ d]);
    format!("1{}", URL_SAFE_NO_PAD.encode(packed))
}

fn check(state: &State) {
    check_state(state);
    let _ = (state.design.request(), state.layer_request());
}
