//! Fusescape: scheduling deep neural networks on accelerators.
//!
//! The rooms of the house; imports only ever point down this list.




pub mod cost;
pub mod hardware;
pub mod mapping;
pub mod workload;
pub mod rules;
pub mod search;
pub mod spec;
