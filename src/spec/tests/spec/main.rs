//! What the documents promise, a subject a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod decimal;
mod edits;
