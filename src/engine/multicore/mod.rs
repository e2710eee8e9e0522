//! Stream: computation tiles of a network on many cores, with what travels between them.
//!
//! - [`TileGraph`]: tiles, tensors, and who waits for whom
//! - [`System`]: cores, their highest memories, and links
//! - `schedule`: COALA

mod coala;
mod graph;
mod occupancy;
mod rules;
mod schedule;
mod system;
mod traffic;

pub use coala::{Job, Order, schedule};
pub use graph::{Edge, Tensor, Tile, TileGraph};
pub use rules::SchedulingRules;
pub use schedule::{Overfull, Placed, Reason, Schedule, Stream, SystemEnergy, Transfer};
pub use system::{Link, System, TopMemory};
pub use traffic::Span;
