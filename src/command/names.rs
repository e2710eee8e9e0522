//! Names as values of an option.

use fusescape_spec::{Diagnostics, closest};

/// The value with the name `text`.
///
/// # Errors
/// The closest name, and all names.
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

/// An error about an unknown name, with the closest existing one.
pub fn unknown(text: &str, names: &[&str]) -> String {
    let meant = closest(text, names.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
    format!("use one of {}{}", names.join(", "), meant.unwrap_or_default())
}

/// Errors of an option at `path` that takes words or names of a network; if its `text` is similar to one of the words,
/// the word is suggested as well.
pub fn or_word(mut wrong: Diagnostics, path: &str, text: &str, words: &[&str]) -> Diagnostics {
    if let Some(meant) = closest(text, words.iter().copied()) {
        let remedies = wrong.0.iter_mut().filter(|diagnostic| diagnostic.path == path);
        remedies
            .for_each(|diagnostic| diagnostic.remedy = format!("Did you mean `{meant}`? Else: {}", diagnostic.remedy));
    }
    wrong
}
