//! Any text as a file of AccelForge: it gives documents or diagnostics, never a panic; imported documents can be read
//! again.

use super::timeloop::imports_or_answers;
use fusescape::import::accelforge;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    if std::str::from_utf8(bytes).is_ok_and(accelforge::recognise) {
        imports_or_answers(bytes);
    }
}
