//! Problems of documents: their place, reason and remedy.

use super::hidden::visible;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Limit on the complaints: a person reads no more at once.
pub const MAX_DIAGNOSTICS: usize = 100;

/// One problem in one place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Where in the document, as a path: `memories[2].size`; empty for the document as a whole.
    pub path: String,
    /// Line in the text, counted from 1, where the document has a text.
    pub line: Option<usize>,
    /// The problem, in words for a person.
    pub reason: String,
    /// The way to remove it, in words for a person.
    pub remedy: String,
    /// The edit that would make it right, where only one can be meant.
    #[serde(default)]
    pub fix: Option<Fix>,
}

/// An edit of the value at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fix {
    /// Write something else in the place of a word, which is the value or one of a list.
    Replace {
        /// The word as it is in the document.
        word: String,
        /// The word that was meant.
        meant: String,
    },
    /// Give the field another name.
    Rename(String),
    /// Take it out.
    Remove,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.sentences())
    }
}

impl Diagnostic {
    /// A problem; hidden characters of quotations are made visible.
    pub fn new(path: String, line: Option<usize>, reason: String, remedy: String, fix: Option<Fix>) -> Self {
        let [path, reason, remedy] = [path, reason, remedy].map(|text| match visible(&text) {
            Cow::Owned(shown) => shown,
            Cow::Borrowed(_) => text,
        });
        Self { path, line, reason, remedy, fix }
    }

    /// Reason and remedy, without the place.
    pub fn sentences(&self) -> String {
        format!("{} {}", sentence(&self.reason), sentence(&self.remedy))
    }
}

/// The text with a full stop, where nothing ends it yet.
pub fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

/// All problems found so far; collecting goes on after each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Notes a problem at `path`.
    #[cold]
    #[inline(never)]
    pub fn add(&mut self, path: impl Into<String>, reason: impl Into<String>, remedy: impl Into<String>) {
        self.push(path.into(), reason.into(), remedy.into(), None);
    }

    // Once in the page's module, not wherever something may be wrong.
    #[cold]
    #[inline(never)]
    fn push(&mut self, path: String, reason: String, remedy: String, fix: Option<Fix>) {
        self.0.push(Diagnostic::new(path, None, reason, remedy, fix));
    }

    /// Notes that `word` at `path` is none of `names`, and the one that was most likely meant.
    pub fn add_unknown(&mut self, path: impl Into<String>, reason: impl Into<String>, word: &str, names: &[&str]) {
        let (remedy, fix) = match closest(word, names.iter().copied()) {
            Some(meant) => {
                (format!("Did you mean `{meant}`?"), Some(Fix::Replace { word: word.into(), meant: meant.into() }))
            }
            None => (format!("Use one of {}", names.join(", ")), None),
        };
        self.push(path.into(), reason.into(), remedy, fix);
    }

    /// Notes the things of a list that share a name; `all` has the path of each, and its name unless that is missing.
    /// Every one of them is named, as it is unknown which was added last.
    pub fn add_namesakes(&mut self, things: &str, all: &[(String, &str)]) {
        for (index, (path, name)) in all.iter().enumerate() {
            let mut others = all.iter().enumerate().filter(|(other, (_, own))| *other != index && own == name);
            let Some((_, (first, _))) = others.next().filter(|_| !name.is_empty() && !self.is_full()) else { continue };
            let (count, remedy) = match others.count() {
                0 => ("Two".to_owned(), format!("Rename this one or that of `{first}`")),
                more => ((more + 2).to_string(), "Rename all of them but one".to_owned()),
            };
            self.add(format!("{path}.name"), format!("{count} {things} are called `{name}`"), remedy);
        }
    }

    /// Whether the limit on diagnostics is reached, so that a check of a long list may stop.
    pub fn is_full(&self) -> bool {
        self.0.len() > MAX_DIAGNOSTICS
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These diagnostics with every path below the name of a document: `hardware.memories[2].size`.
    #[must_use]
    pub fn under(mut self, document: &str) -> Self {
        for diagnostic in &mut self.0 {
            let dot = if diagnostic.path.is_empty() { "" } else { "." };
            diagnostic.path = format!("{document}{dot}{}", diagnostic.path);
        }
        self
    }

    /// `Ok(value)` if it is empty, else itself as the error.
    ///
    /// # Errors
    /// The diagnostics collected, where there are any.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Limit on the length of a name, bytes; a longer word was not meant as one.
const LONGEST_WORD: usize = 400;

/// The candidate that `word` was most likely meant to be, for a did-you-mean.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let likeness = |candidate: &'a str| {
        let lower = candidate.to_ascii_lowercase();
        (strsim::levenshtein(&word, &lower), strsim::jaro_winkler(&word, &lower), candidate)
    };
    candidates
        .into_iter()
        .map(likeness)
        .filter(|(_, likeness, _)| *likeness > 0.75)
        // The fewest letters that differ; a word that only begins like another may be likelier by the other measure.
        .max_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)))
        .map(|(.., candidate)| candidate)
}

/// The parts of a text, and whether each stood in backticks: a word of a document, a name, a file. Backticks without a partner belong
/// to such a word, and then nothing is set apart.
pub fn quoted_parts(text: &str) -> Vec<(bool, &str)> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return vec![(false, text)];
    }
    let parts = parts.into_iter().enumerate().map(|(index, part)| (index % 2 == 1, part));
    parts.filter(|(_, part)| !part.is_empty()).collect()
}

/// The text with quotation marks where it has backticks, for a place that shows nothing but letters.
pub fn in_quotes(text: &str) -> String {
    let part = |(is_quoted, part)| if is_quoted { format!("“{part}”") } else { String::from(part) };
    quoted_parts(text).into_iter().map(part).collect()
}

/// Stands for all complaints after the first ones.
pub(super) fn more() -> Diagnostic {
    let (reason, remedy) = ("There are more problems than these", "Correct these first");
    Diagnostic { path: String::new(), line: None, reason: reason.into(), remedy: remedy.into(), fix: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_ends_without_a_full_stop() {
        let mut wrong = Diagnostics::default();
        wrong.add_unknown("view", "`landscap` cannot be used here", "landscap", &["landscape"]);
        assert_eq!(wrong.to_string(), "view: `landscap` cannot be used here. Did you mean `landscape`?");
    }

    #[test]
    fn a_misspelt_word_is_taken_for_the_one_with_the_fewest_other_letters() {
        assert_eq!(closest("mac_energi", ["mac_energies", "mac_energy", "area"]), Some("mac_energy"));
        assert_eq!(closest("mac_energie", ["mac_energies", "mac_energy"]), Some("mac_energies"));
        assert_eq!(closest("clock", ["mac_energies", "area"]), None);
    }

    #[test]
    fn what_stands_in_backticks_is_set_apart() {
        for (text, quoted) in [
            ("", ""),
            ("plain", "plain"),
            ("Write `64 bit`, or `8 B`", "Write “64 bit”, or “8 B”"),
            ("`a``b`", "“a”“b”"),
            ("a name like `it`s`", "a name like `it`s`"),
        ] {
            assert_eq!(in_quotes(text), quoted);
            let all: String = quoted_parts(text).into_iter().map(|(_, part)| part).collect();
            assert!(all == text || all == text.replace('`', ""), "{all}");
        }
    }
}
