//! What the documents promise: one file per subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod decimal;
mod edits;
