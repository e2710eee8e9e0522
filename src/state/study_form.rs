//! What a person wrote for the view of studies.

use super::fields::fields;

/// A study document, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyForm {
    /// The document; empty where it is the one that the page suggests for the design at hand.
    pub text: String,
}

fields! {
    StudyForm {
        text: Text = String::new(), 67, ["text"];
    }
}

impl Default for StudyForm {
    fn default() -> Self {
        super::fields::Form::baseline()
    }
}

/// A change of the study.
#[derive(Debug, Clone)]
pub enum StudyChange {
    /// Replace the document, letter by letter.
    Write(String),
    /// Take a document that the page composed.
    Take(String),
}

impl StudyForm {
    /// Makes a change.
    pub fn change(&mut self, change: StudyChange) {
        let (StudyChange::Write(text) | StudyChange::Take(text)) = change;
        self.text = text;
    }
}
