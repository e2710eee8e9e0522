//! Files or code of the page that could not be fetched.

use std::rc::Rc;

/// A failed fetch of files or of a piece of code, as a person is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchFailure {
    /// What is missing, in a sentence.
    pub what: &'static str,
    /// Files that may be to blame, or the name of a piece of code (`crate::pieces`), with blanks between.
    pub files: Rc<str>,
    /// Number of the failure, as one may follow the other before anything is drawn.
    pub number: u32,
}
