//! The pool of workers, and what they are asked: a sweep, and the questions of views.

pub mod coordinator;
pub mod handle;
pub mod open_questions;
pub mod pool;
pub mod results;
pub mod spawn;
pub mod sweep_work;
