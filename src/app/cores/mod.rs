//! The view Cores: which core computes what, and when.
//!
//! - `form`, `allocation`: system, tiles, stacks, aim; cores chosen by hand
//! - `study`: the questions stage by stage: what every different tile costs, which cores compute each stack best, what that comes to,
//!   and whether other cores for single layers are better
//! - `system_card`: the system beside the network, in place of an accelerator that it does not use
//! - `tiles`: the search for the tile size, and the best single core
//! - `timeline`: a window of the schedule's time ([`crate::chart`] draws it: lanes are images of one row, so that a hundred thousand
//!   tiles cost no more than a few, and what is at a place is found by halving); `timeline_moves`: pointers, keys and the wheel;
//!   `cursor`: what happens at a cycle
//! - `numbers`: what explains what is shown
//! - `compared`: other allocations, and other systems, as lists of questions ([`crate::app::studies`])

pub mod allocation;
pub mod compared;
mod cursor;
pub mod form;
mod numbers;
pub mod study;
pub mod system_card;
mod tiles;
pub mod timeline;
pub mod timeline_moves;
pub mod view;
