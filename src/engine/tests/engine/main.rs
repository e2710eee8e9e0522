//! What the engine promises, by its rooms, a subject a file. One program, as each takes seconds to link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod attention;
mod cost;
mod depth_first;
mod documents;
mod explore;
mod fusion;
mod hierarchy;
mod interlayer;
mod mapping;
mod multicore;
mod search;
