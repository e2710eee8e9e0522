//! What could not be fetched.

use std::rc::Rc;

/// What could not be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Lack {
    /// What is missing, in a sentence.
    pub what: &'static str,
    /// Files that may be to blame, or the name of a piece of code (`wasm_split`), with blanks between.
    pub files: Rc<str>,
    /// Counts lacks, as one may follow the other before anything is drawn.
    pub number: u32,
}
