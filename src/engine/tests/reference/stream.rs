//! Stream: tile graphs, schedules, steady states and allocations of the public tool.

pub mod coala;
pub mod genetic;
pub mod steady;
pub mod systems;
pub mod tiles;
pub mod validation;
pub mod waco;
