//! The LPF limit of LOMA as a person may write it.

use crate::spec::Diagnostics;

/// Limit on the LPF limit: more loops have too many orders to enumerate.
const MOST_LPFS: usize = 12;

/// Reason and remedy for an LPF limit out of range.
fn mistake(limit: &str) -> (String, String) {
    (
        format!("An LPF limit of {limit}"),
        format!("Write 1 to {MOST_LPFS}: the time grows with the factorial of the limit"),
    )
}

/// Reports an LPF limit out of range; `path` is its place in the document.
pub fn check_lpf_limit(path: &str, limit: usize, diagnostics: &mut Diagnostics) {
    if !(1..=MOST_LPFS).contains(&limit) {
        let (reason, remedy) = mistake(&limit.to_string());
        diagnostics.add(path, reason, remedy);
    }
}

/// An LPF limit from text.
///
/// # Errors
/// It is no number, or out of range: the reason and a remedy.
pub fn lpf_limit_from(text: &str) -> Result<usize, (String, String)> {
    text.parse().ok().filter(|limit| (1..=MOST_LPFS).contains(limit)).ok_or_else(|| mistake(text))
}
