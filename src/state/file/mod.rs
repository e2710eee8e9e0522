//! A state as a file to read, keep and edit: YAML with its documents verbatim, and its choices by name.
//!
//! A file contains the effective state, like a link. Missing fields have the defaults of a new session. All errors are
//! reported at once. [`is_state`](fusescape_spec::is_state) distinguishes it from documents, so that it can be opened
//! like any other file.

mod item;
mod kinds;
mod read;
mod values;
mod write;

/// The version written, and the newest one read.
const VERSION: u64 = 1;
/// Limit on the size, bytes; a state holds at most six documents of a MiB each.
pub const MOST_BYTES: usize = 8 << 20;
