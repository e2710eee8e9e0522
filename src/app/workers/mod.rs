//! The pool of workers and their tasks: a sweep, jobs, and the questions of views.
//!
//! - `handle`: [`Workers`](handle::Workers), what the page holds: starts sweeps, asks questions, tells the page what is known. While a
//!   sweep runs the page draws for a tenth of the time, but for the first picture and the end, which are shown at once
//! - `job`: runs jobs: each worker has a lane of tasks; `stacks`: the search for stacks, which several views ask for
//! - `ask`: how views ask: a list of questions on a channel; `wanted`: the same once a person wants it
//! - `coordinator`: drives the sweep's job ([`SweepJob`](crate::explore::SweepJob)), and gives workers its tasks and
//!   questions of views. A worker that fails, or is too slow after an edit, is replaced
//! - [`open_questions`], [`answers`]: questions that wait or are at a worker; the replies to a view. New questions on a
//!   channel replace the earlier ones, and a worker that is still at one of these is replaced
//! - [`results`]: what a sweep found so far, as the page shows it
//! - `pool`, `spawn`: starting workers, talking to them, noticing their end
//!
//! Workers exchange nothing, as solving a problem again takes less time than sending it. A worker answers every 20 ms
//! with its results (`worker.rs`), and caches costs of problems by content. The account of a point is computed when it
//! is opened. Messages are bytes (`postcard`); only messages of a worker's script, while its engine is not running, are
//! objects (`worker::Notice`). If workers lack files, their questions wait, and the page shows that
//! ([`results::SweepResults::fetch_failure`]).

pub mod answers;
#[cfg(target_arch = "wasm32")]
pub mod ask;
#[cfg(target_arch = "wasm32")]
pub mod coordinator;
#[cfg(target_arch = "wasm32")]
pub mod handle;
#[cfg(target_arch = "wasm32")]
pub mod job;
pub mod open_questions;
#[cfg(target_arch = "wasm32")]
pub mod pool;
pub mod results;
#[cfg(target_arch = "wasm32")]
pub mod spawn;
#[cfg(target_arch = "wasm32")]
pub mod stacks;
#[cfg(target_arch = "wasm32")]
pub mod wanted;
