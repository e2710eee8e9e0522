//! What the browser gives: time, storage, and code that is fetched when it is first needed.

pub mod lack;
#[cfg(target_arch = "wasm32")]
pub mod missing;
#[cfg(target_arch = "wasm32")]
pub mod pieces;
#[cfg(target_arch = "wasm32")]
pub mod place;
#[cfg(target_arch = "wasm32")]
pub mod storage;
#[cfg(target_arch = "wasm32")]
pub mod timer;
