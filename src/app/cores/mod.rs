//! The view Cores: the allocation of layers to cores and the schedule.
//!
//! - `form`, `allocation`: system, tiles, stacks, objective; cores chosen by hand
//! - `core_search`: the search for the best cores, and a local search over single layers; `tile_search`: the search for
//!   the best tiles
//! - `system_card`: the system beside the network, in place of an accelerator that it does not use
//! - `tiles`: the curve over tile sizes, and the best single core
//! - `timeline`: a window of the schedule's time ([`crate::chart`] draws it: lanes are images of one row, so that a
//!   hundred thousand tiles cost no more than a few, and the item at a place is found by binary search);
//!   `timeline_handlers`: pointers, keys and the wheel; `cursor`: the state at a cycle
//! - `numbers`: explanations of the numbers shown
//! - `compared`: other allocations, and other systems, as lists of questions (`crate::app::workers::wanted`)

pub mod allocation;
pub mod compared;
pub mod core_search;
mod cursor;
pub mod form;
mod numbers;
pub mod system_card;
mod tile_search;
mod tiles;
pub mod timeline;
pub mod timeline_handlers;
pub mod view;

pub use view::view;
