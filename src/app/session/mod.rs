//! State common to all views: the state of the page, and the session behind it.
//!
//! - `state`: `PageState`, the one value that drives the page, and the events that change it
//! - `handle`: `Session`, parsed documents, the workers, the opened point. A choice is swept at once, and so is a first
//!   keystroke; further ones after a pause
//! - `hierarchies`: `Explorer`, the exploration of memory hierarchies, which continues while other views are shown;
//!   `hierarchy_results`: its results
//! - `design_history`: `DesignHistory`, the last designs with their results, to compare with and to go back to
//! - `hook`: the interface of end-to-end tests
//!
//! A design that is pinned for comparison ([`crate::state::Pinned`]) keeps its results (`state::PinnedResults`). One
//! that came with a link, or was restored by undo, has none: it is swept first, then the current design
//! (`PageState::wanted`).

pub mod design_history;
#[cfg(target_arch = "wasm32")]
pub mod handle;
#[cfg(target_arch = "wasm32")]
pub mod hierarchies;
pub mod hierarchy_results;
#[cfg(target_arch = "wasm32")]
pub mod hook;
pub mod state;
