//! A document as far as its text could be read.

use super::{Consequences, Diagnostics, merge};

/// A document as far as its text could be read, and everything that is wrong with the text.
///
/// Parts that could not be read have their defaults in the document, which therefore means something only if nothing is
/// wrong. So neither is to be had without the other.
///
/// ```
/// let (document, mistakes) = fusescape_spec::read_pool("name: small\nmemorys: []").both();
/// assert!(document.name == "small" && mistakes.to_string().contains("memorys"));
/// ```
///
/// ```compile_fail,E0616
/// let document = fusescape_spec::read_pool("memories: []").document;
/// ```
///
/// ```compile_fail,E0308
/// let document: fusescape_spec::PoolSpec = fusescape_spec::read_pool("memories: []");
/// ```
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<T> {
    document: T,
    mistakes: Diagnostics,
}

impl<T> Reading<T> {
    pub(super) fn new(document: T, mistakes: Diagnostics) -> Self {
        Self { document, mistakes }
    }

    /// The document as far as it could be read, and its mistakes.
    pub fn both(self) -> (T, Diagnostics) {
        (self.document, self.mistakes)
    }

    /// The document, if nothing is wrong with its text.
    ///
    /// # Errors
    /// The mistakes.
    pub fn whole(self) -> Result<T, Diagnostics> {
        self.mistakes.or(self.document)
    }

    /// The validated document, which was read of `text`.
    ///
    /// # Errors
    /// All mistakes of the text and of its content, each with its line and once ([`merge`]).
    pub fn validated<M>(
        self,
        text: &str,
        consequences: &Consequences,
        validate: impl FnOnce(T) -> Result<M, Diagnostics>,
    ) -> Result<M, Diagnostics> {
        match validate(self.document) {
            Ok(model) => self.mistakes.or(model),
            Err(found) => Err(merge(text, self.mistakes, found, consequences)),
        }
    }
}
