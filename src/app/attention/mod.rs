//! The view Attention: a transformer on the accelerator, fused or not, and generation with a cache.

mod cores;
mod form;
mod generation;
mod motion;
mod motion_steps;
mod published;
mod step;
pub mod view;

pub use view::view;
