//! The page.
//!
//! One [`session::state::PageState`] drives everything: components show it, a person's [`crate::state::Action`]s change it.
//! [`workers::handle::Workers`] turn every new design into a sweep and report what they find, which is an event too. Nothing here
//! computes a cost.
//!
//! Imports only point down this list; a view knows no other view:
//!
//! - `shell`: the page around the views, the one list of views, dialogs, the address, the embedded page
//! - `landscape`, `schedule`, `mapping`, `fusion`, `cores`, `hierarchy`, `compare`, `gallery`, `lessons`: a view each
//! - `design`: the cards of hardware, network and schedule
//! - [`session`]: what every view is given
//! - [`studies`]: work of several questions that more than one view asks for
//! - [`widgets`]: fields, figures, tables, dialogs, numbers that unfold
//! - [`workers`]: the pool of workers, the sweep, and questions
//! - [`platform`]: what the browser gives
//!
//! What draws or touches the browser is compiled for WebAssembly only; what is pure has its unit tests beside it, which run natively.

#[cfg(target_arch = "wasm32")]
mod compare;
#[cfg(target_arch = "wasm32")]
mod cores;
#[cfg(target_arch = "wasm32")]
mod design;
#[cfg(target_arch = "wasm32")]
mod entry;
#[cfg(target_arch = "wasm32")]
mod fusion;
#[cfg(target_arch = "wasm32")]
mod gallery;
#[cfg(target_arch = "wasm32")]
mod hierarchy;
#[cfg(target_arch = "wasm32")]
mod landscape;
#[cfg(target_arch = "wasm32")]
mod lessons;
#[cfg(target_arch = "wasm32")]
mod mapping;
pub mod platform;
#[cfg(target_arch = "wasm32")]
mod schedule;
pub mod session;
#[cfg(target_arch = "wasm32")]
mod shell;
pub mod studies;
pub mod widgets;
pub mod workers;
