//! How many loops LOMA orders.

use crate::spec::Diagnostics;

/// Orderings of more loops than this do not end in a person's lifetime.
const MOST_LPFS: usize = 12;

fn mistake(limit: &str) -> (String, String) {
    (
        format!("An LPF limit of {limit}"),
        format!("Write 1 to {MOST_LPFS}: the time grows with the factorial of the limit"),
    )
}

/// Notes an LPF limit that no search takes; `path` is where it stands.
pub fn check_lpf_limit(path: &str, limit: usize, diagnostics: &mut Diagnostics) {
    if !(1..=MOST_LPFS).contains(&limit) {
        let (reason, remedy) = mistake(&limit.to_string());
        diagnostics.add(path, reason, remedy);
    }
}

/// An LPF limit as a person writes it.
///
/// # Errors
/// It is none that a search takes; reason and remedy.
pub fn lpf_limit_from(text: &str) -> Result<usize, (String, String)> {
    text.parse().ok().filter(|limit| (1..=MOST_LPFS).contains(limit)).ok_or_else(|| mistake(text))
}
