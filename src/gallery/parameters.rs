//! Words in a document, with their possible values.

use fusescape_spec::{Diagnostics, Preset, closest, find_preset};

/// Parameters of a measure, taken one by one; a parameter that is left over is an error.
pub struct MeasureParameters<'a> {
    path: String,
    left: Vec<&'a (String, Vec<String>)>,
    known: Vec<&'static str>,
    pub diagnostics: &'a mut Diagnostics,
}

impl<'a> MeasureParameters<'a> {
    pub fn new(path: String, all: &'a [(String, Vec<String>)], diagnostics: &'a mut Diagnostics) -> Self {
        Self { path, left: all.iter().collect(), known: Vec::new(), diagnostics }
    }

    /// The place of a parameter in the document.
    pub fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// All words of a parameter; empty if it is missing.
    pub fn words(&mut self, name: &'static str) -> Vec<String> {
        self.known.push(name);
        match self.left.iter().position(|(other, _)| other == name) {
            Some(index) => {
                let words = self.left.remove(index).1.clone();
                if words.is_empty() {
                    self.diagnostics.add(self.path_of(name), "The list is empty", "Write a value, or leave it out");
                }
                words
            }
            None => Vec::new(),
        }
    }

    /// A single word; `None` if the parameter is missing.
    pub fn word(&mut self, name: &'static str) -> Option<String> {
        let mut words = self.words(name);
        if words.len() > 1 {
            self.diagnostics.add(self.path_of(name), "There is more than one value", "Keep one");
        }
        words.drain(..).next()
    }

    /// The value of an optional parameter; `None` if it is missing or invalid.
    pub fn optional<T>(&mut self, name: &'static str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let path = self.path_of(name);
        let word = self.word(name)?;
        parse(&word).map_err(|remedy| self.diagnostics.add(path, format!("`{word}` cannot be used here"), remedy)).ok()
    }

    /// A required word that `parse` accepts; otherwise `None`, and an error is added.
    pub fn need<T>(&mut self, name: &'static str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let path = self.path_of(name);
        let Some(word) = self.word(name) else {
            self.diagnostics.add(&self.path, format!("`{name}` is missing"), format!("Add `{name}`"));
            return None;
        };
        parse(&word).map_err(|remedy| self.diagnostics.add(path, format!("`{word}` cannot be used here"), remedy)).ok()
    }

    /// Presets by name; `otherwise` if none is named.
    pub fn presets(
        &mut self,
        name: &'static str,
        presets: &'static [Preset],
        otherwise: Option<&'static Preset>,
    ) -> Vec<&'static Preset> {
        let path = self.path_of(name);
        let words = self.words(name);
        if words.is_empty() {
            return otherwise.into_iter().collect();
        }
        words.iter().filter_map(|id| find(presets, id, &path, self.diagnostics)).collect()
    }

    /// Adds an error for every parameter that was not taken.
    pub fn finish(self) {
        for (name, _) in self.left {
            let remedy = match self.known.as_slice() {
                [] => "This measure has none".to_owned(),
                known => format!("Use {}", known.join(", ")),
            };
            self.diagnostics.add(format!("{}.{name}", self.path), format!("There is no parameter `{name}`"), remedy);
        }
    }
}

/// The preset called `id`; otherwise `None`, and an error is added.
pub fn find(
    presets: &'static [Preset],
    id: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<&'static Preset> {
    let found = find_preset(presets, id);
    if let Err(wrong) = &found {
        wrong.0.iter().for_each(|wrong| diagnostics.add(path, &wrong.reason, &wrong.remedy));
    }
    found.ok()
}

/// The value with this name.
///
/// # Errors
/// A remedy.
pub fn choose<T: Clone>(word: &str, all: &[(&'static str, T)]) -> Result<T, String> {
    let names = || all.iter().map(|(name, _)| *name);
    all.iter().find(|(name, _)| *name == word).map(|(_, value)| value.clone()).ok_or_else(|| {
        closest(word, names()).map_or_else(
            || format!("Use one of {}", names().collect::<Vec<_>>().join(", ")),
            |meant| format!("Did you mean `{meant}`?"),
        )
    })
}
