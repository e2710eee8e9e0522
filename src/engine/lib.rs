//! The engine: from documents ([`fusescape_spec`]) to mappings, schedules and their cost.
//!
//! A package of its own because it is built for speed, and what shows its results for size. Its rooms, from the roof down;
//! imports only ever point down this list:
//!
//! - [`explore`]: a sweep: points -> unique problems -> solutions -> results
//! - [`depth_first`]: DeFiNES: stacks, tiles, placement, data copies, accumulation
//! - [`fusion`]: Optimus: which operators to run together
//! - [`hierarchy`]: the architecture generator: all memory hierarchies from a pool, and the best of them
//! - [`interlayer`]: HW-Flow-Fusion: chains of layers fused on a spatial array, by the paper's own model
//! - [`multicore`]: Stream: computation tiles on many cores, and what travels between them
//! - [`search`]: the best temporal mapping of a layer-tile
//! - [`cost`]: one mapped layer on one core: accesses, energy, latency
//! - [`mapping`]: loops in space and time, and their allocation to memory levels
//! - [`hardware`], [`workload`]: the validated model
//! - [`rules`]: where the public tools and what is right differ
//! - [`ids`]: typed indices, and lists that take no other
//!
//! It is pure: no clock, no I/O, no globals, no randomness. The same input gives the same bits natively and in WebAssembly.

pub mod cost;
pub mod depth_first;
pub mod explore;
pub mod fusion;
pub mod hardware;
pub mod hierarchy;
pub mod ids;
pub mod interlayer;
pub mod mapping;
pub mod multicore;
pub mod rules;
pub mod search;
pub mod workload;

use fusescape_spec as spec;
use fusescape_spec::sorting;
