//! What every view is given: the state of the page, and what stands behind it.
//!
//! - `state`: `PageState`, the one value that drives the page, and the events that change it
//! - `handle`: `Session`, documents that are read, the workers, the opened point. What is chosen is swept at once, and so is a first
//!   keystroke; what follows it after a pause
//! - `hierarchies`: `Explorer`, the exploration of memory hierarchies, which goes on while other views are shown; `hierarchy_results`:
//!   what is known of it
//! - `film`: `Film`, the last designs with their results, to compare with and to go back to
//! - `hook`: what end-to-end tests may look at and do
//!
//! A design that is pinned to be compared with ([`crate::state::Pinned`]) keeps the results that it had (`state::PinnedResults`). One that
//! came with a link, or is put back by undo, has none: it is swept first, then the design at hand (`PageState::wanted`).

pub mod film;
#[cfg(target_arch = "wasm32")]
pub mod handle;
#[cfg(target_arch = "wasm32")]
pub mod hierarchies;
pub mod hierarchy_results;
#[cfg(target_arch = "wasm32")]
pub mod hook;
pub mod state;
