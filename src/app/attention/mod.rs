//! The view Attention: a transformer on the accelerator, fused or not, and generation with a cache.

mod cores;
mod form;
mod generation;
mod published;
mod step;
mod trace;
mod trace_steps;
pub mod view;

pub use view::view;
