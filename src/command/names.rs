//! Names that an option takes.

use fusescape_spec::{Diagnostics, closest};

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

/// What is wrong with an option at `path` that takes words or names of a network: where its `text` is like one of the words, that was
/// perhaps meant, too.
pub fn or_word(mut wrong: Diagnostics, path: &str, text: &str, words: &[&str]) -> Diagnostics {
    if let Some(meant) = closest(text, words.iter().copied()) {
        let remedies = wrong.0.iter_mut().filter(|diagnostic| diagnostic.path == path);
        remedies
            .for_each(|diagnostic| diagnostic.remedy = format!("Did you mean `{meant}`? Else: {}", diagnostic.remedy));
    }
    wrong
}
