//! Files or code of the page that could not be fetched.

use std::rc::Rc;

/// A failed fetch of files or of a piece of code, as shown to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchFailure {
    /// A sentence that says what is missing.
    pub what: &'static str,
    /// Files that may be to blame, or the name of a piece of code (`crate::pieces`), separated by spaces.
    pub files: Rc<str>,
    /// Distinguishes failures, as one may follow another before anything is drawn.
    pub number: u32,
}
