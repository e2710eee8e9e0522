//! What the browser gives: time, storage, and code that is fetched when it is first needed.

pub mod missing;
pub mod pieces;
pub mod storage;
pub mod timer;
