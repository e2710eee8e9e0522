//! What every view is given: the state of the page, and what stands behind it.

#[cfg(target_arch = "wasm32")]
pub mod handle;
#[cfg(target_arch = "wasm32")]
pub mod hook;
#[cfg(target_arch = "wasm32")]
pub mod state;
