//! The form of the view of studies.

use super::fields::fields;

fields! {
    /// A study document, as written.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    StudyForm set by StudyField {
        /// The document; empty for the one that the page suggests for the current design.
        text(typed Text): String = String::new() => Text, 67, ["text"];
    }
}
