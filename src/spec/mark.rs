//! How to tell a state of the page from a document.

/// The field that a state begins with: the version of the file.
pub const MARK: &str = "fusescape";

/// Whether a text that begins so is a state, not a document: its first field is the mark, after anything that YAML
/// allows before it.
pub fn is_state(beginning: &str) -> bool {
    let mut rest = beginning.trim_start_matches('\u{feff}').trim_start();
    loop {
        // Comments and directives end with their line; a document's start and the bracket of JSON do not.
        let next = match rest.get(..1) {
            Some("#" | "%") => rest.split_once('\n').map_or("", |(_, next)| next),
            Some("{") => &rest[1..],
            _ if rest.starts_with("---") => &rest[3..],
            _ => break,
        };
        rest = next.trim_start();
    }
    let named = rest.strip_prefix(['"', '\'']).unwrap_or(rest).strip_prefix(MARK);
    named.is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
}
