//! What the browser gives: time, storage, and code that is fetched when it is first needed.
//!
//! Every view but the landscape, the dialogs, what answers their questions, the importers, and what reads and writes links are cut out of
//! the module of the published page (`crate::pieces`), at functions of `app/shell/pieces.rs`, `app/shell/links.rs`, `worker.rs` and
//! `worker/import.rs`. `pieces` declares the tables of functions behind which such code is.
//!
//! Any of these files may fail to come. `www/main.js`, which waits for nothing, starts the page; until it is here a sentence of the
//! document itself speaks, which the style hides for the first seconds. What is missing is an element `missing-files`: `www/missing.js`,
//! fetched then, asks for each file that may be to blame, says which is and why, and offers to try again. `missing` shows that element in
//! place of a view, before the page for what a person asked for, and above the view where workers lack files ([`fetch_failure`]). Text
//! files of the page end with `--whole`, by which one that was cut off is told. `loading.test.mjs` breaks every file in every
//! way, and fails for a new one that it has no case for.

pub mod fetch_failure;
#[cfg(target_arch = "wasm32")]
pub mod missing;
#[cfg(target_arch = "wasm32")]
pub mod pieces;
#[cfg(target_arch = "wasm32")]
pub mod root;
#[cfg(target_arch = "wasm32")]
pub mod storage;
#[cfg(target_arch = "wasm32")]
pub mod timer;
