//! What the documents promise: one file per subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod decimal;
mod edits;
