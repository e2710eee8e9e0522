//! A state as a file that a person can read, keep and edit: YAML that holds its documents as they stand, and its choices by name.
//!
//! What stands in a file is what is in force, as in a link. Fields that are left out are as in a new session. A file is read with all that
//! is wrong at once. [`is_state`](fusescape_spec::is_state) tells it from documents, so whatever takes files takes it, too.

mod item;
mod kinds;
mod read;
mod values;
mod write;

/// The version that is written, and the newest that is read.
const VERSION: u64 = 1;
/// A longer file is not looked at, bytes; a state holds at most six documents of a MiB each.
pub const MOST_BYTES: usize = 8 << 20;
