//! The pool of workers, and what they are asked: a sweep, and the questions of views.

pub mod answers;
#[cfg(target_arch = "wasm32")]
pub mod ask;
#[cfg(target_arch = "wasm32")]
pub mod coordinator;
#[cfg(target_arch = "wasm32")]
pub mod handle;
pub mod open_questions;
#[cfg(target_arch = "wasm32")]
pub mod pool;
pub mod results;
#[cfg(target_arch = "wasm32")]
pub mod spawn;
pub mod sweep_work;
