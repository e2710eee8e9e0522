//! Any text as a file of AccelForge: documents or an answer, never a panic; and what is imported reads back.

use super::timeloop::imports_or_answers;
use fusescape::import::accelforge;

/// Panics where that is not so.
pub fn holds(bytes: &[u8]) {
    if std::str::from_utf8(bytes).is_ok_and(accelforge::recognise) {
        imports_or_answers(bytes);
    }
}
