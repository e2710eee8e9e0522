//! Tests of the engine by its rooms, one file per subject. One program, as each takes seconds to link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

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
