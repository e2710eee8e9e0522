//! Words in a document, and what they may be.

use fusescape_spec::{Diagnostics, Preset, closest, find_preset};

/// Parameters of a measure, taken out one by one; what is left over is a mistake.
pub struct Parameters<'a> {
    path: String,
    left: Vec<&'a (String, Vec<String>)>,
    known: Vec<&'static str>,
    pub diagnostics: &'a mut Diagnostics,
}

impl<'a> Parameters<'a> {
    pub fn new(path: String, all: &'a [(String, Vec<String>)], diagnostics: &'a mut Diagnostics) -> Self {
        Self { path, left: all.iter().collect(), known: Vec::new(), diagnostics }
    }

    /// Where a parameter stands in the document.
    pub fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// All words of a parameter; none where it is left out.
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

    /// One word, or nothing where the parameter is left out.
    pub fn word(&mut self, name: &'static str) -> Option<String> {
        let mut words = self.words(name);
        if words.len() > 1 {
            self.diagnostics.add(self.path_of(name), "There is more than one value", "Keep one");
        }
        words.drain(..).next()
    }

    /// The value of a parameter that may be left out: `None` then, or where it is wrong.
    pub fn optional<T>(&mut self, name: &'static str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let path = self.path_of(name);
        let word = self.word(name)?;
        parse(&word).map_err(|remedy| self.diagnostics.add(path, format!("`{word}` cannot be used here"), remedy)).ok()
    }

    /// One word that `parse` understands; nothing, noted, where there is none.
    pub fn need<T>(&mut self, name: &'static str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let path = self.path_of(name);
        let Some(word) = self.word(name) else {
            self.diagnostics.add(&self.path, format!("`{name}` is missing"), format!("Add `{name}`"));
            return None;
        };
        parse(&word).map_err(|remedy| self.diagnostics.add(path, format!("`{word}` cannot be used here"), remedy)).ok()
    }

    /// Identifiers of presets; `otherwise` where none is named.
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

    /// Notes every parameter that was not taken as an error.
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

/// The preset called `id`; nothing, noted, where there is none.
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
/// What to write instead.
pub fn choose<T: Clone>(word: &str, all: &[(&'static str, T)]) -> Result<T, String> {
    let names = || all.iter().map(|(name, _)| *name);
    all.iter().find(|(name, _)| *name == word).map(|(_, value)| value.clone()).ok_or_else(|| {
        closest(word, names()).map_or_else(
            || format!("Use one of {}", names().collect::<Vec<_>>().join(", ")),
            |meant| format!("Did you mean `{meant}`?"),
        )
    })
}
