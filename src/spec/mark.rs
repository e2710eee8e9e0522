//! What tells a state of the page from a document.

/// The field that a state begins with: the version of the file.
pub const MARK: &str = "fusescape";

/// Whether a text that begins so is a state, not a document.
pub fn is_state(beginning: &str) -> bool {
    let mut lines = beginning.trim_start_matches('\u{feff}').lines();
    let first = lines.find(|line| !line.starts_with('#') && !line.trim().is_empty());
    first.and_then(|line| line.strip_prefix(MARK)).is_some_and(|rest| rest.trim_start().starts_with(':'))
}
