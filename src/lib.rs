//! Fusescape: scheduling deep neural networks on accelerators.
//!
//! The rooms of the house, from the roof down; imports only ever point down this list:
//!
//! - `app`: the page, in WebAssembly only
//! - `worker`: the engine in a web worker, in WebAssembly only
//! - [`embed`]: one view inside another page: its address, and messages to and fro
//! - [`link`]: a state as a text for the address, and back
//! - [`state`]: what a person chose or wrote, and every change of it
//! - [`form`]: documents as forms, whose edits change the text in place
//! - [`chart`]: every figure, drawn on any plotters backend
//! - [`question`]: what the views ask of a worker besides a sweep
//! - [`gallery`]: published figures and tables, each a state to open, with their numbers beside ours
//! - [`explore`]: a sweep: points -> unique problems -> solutions -> results
//! - [`import`]: files of other programs as documents
//! - [`depth_first`]: DeFiNES: stacks, tiles, placement, data copies, accumulation
//! - [`hierarchy`]: the architecture generator: all memory hierarchies from a pool, and the best of them
//! - [`search`]: the best temporal mapping of a layer-tile
//! - [`cost`]: one mapped layer on one core: accesses, energy, latency
//! - [`mapping`]: loops in space and time, and their allocation to memory levels
//! - [`hardware`], [`workload`]: the validated model
//! - [`rules`]: where the public tools and what is right differ
//! - [`spec`]: what people write: documents, diagnostics, presets
//! - `sorting`: stable sorting in little room
//!
//! From `mapping` up to `explore` the engine is pure: no clock, no I/O, no globals, no randomness. The same input gives
//! the same bits natively and in WebAssembly.

#[cfg(target_arch = "wasm32")]
pub mod app;
pub mod chart;
pub mod cost;
pub mod depth_first;
pub mod embed;
pub mod explore;
pub mod form;
pub mod gallery;
pub mod hardware;
pub mod hierarchy;
pub mod import;
pub mod link;
pub mod mapping;
pub mod question;
pub mod rules;
pub mod search;
mod sorting;
pub mod spec;
pub mod state;
#[cfg(target_arch = "wasm32")]
pub mod worker;
pub mod workload;
