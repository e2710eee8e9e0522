//! Names that an option takes.

use crate::spec::closest;

/// What `text` names among `known`.
///
/// # Errors
/// The name that was most likely meant, and all names.
pub fn one_of<T>(text: &str, known: impl IntoIterator<Item = (&'static str, T)>) -> Result<T, String> {
    let mut names = Vec::new();
    for (name, value) in known {
        if name == text {
            return Ok(value);
        }
        names.push(name);
    }
    Err(unknown(text, &names))
}

/// Says of which names `text` is none, and which of them was most likely meant.
pub fn unknown(text: &str, names: &[&str]) -> String {
    let meant = closest(text, names.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
    format!("use one of {}{}", names.join(", "), meant.unwrap_or_default())
}
