//! The validated system of cores. A [`CoreSystem`] cannot be built wrong.

mod build;
mod core_system;
mod ids;

pub use core_system::{ComputeCore, CoreLink, CoreSystem, CoreTopMemory};
pub use ids::{CoreId, LinkId, TopMemoryId};
