//! Services of the browser: time, storage, and code that is fetched when it is first needed.
//!
//! Every view except the landscape, the dialogs, the code that answers their questions, the importers, and the code
//! that reads and writes links are split off the module of the published page (`crate::pieces`), at functions of
//! `app/shell/pieces.rs`, `app/shell/links.rs`, `worker.rs` and `worker/import.rs`. `lazy_modules` declares the tables
//! of functions for such code.
//!
//! Any of these files may fail to arrive. `www/main.js`, which waits for nothing, starts the page; until it arrives, a
//! sentence of the document itself is shown, which the style hides for the first seconds. Missing files are shown by an
//! element `missing-files`: `www/missing.js`, fetched then, requests each file that may be to blame, says which one is
//! and why, and offers to try again. `missing` shows that element in place of a view, in front of the page for an
//! action of a person, and above the view if workers lack files ([`fetch_failure`]). Text files of the page end with
//! `--whole`, which shows that they are complete. `loading.test.mjs` breaks every file in every way, and fails for a
//! new one without a test case.

pub mod fetch_failure;
#[cfg(target_arch = "wasm32")]
pub mod lazy_modules;
#[cfg(target_arch = "wasm32")]
pub mod missing;
#[cfg(target_arch = "wasm32")]
pub mod root;
#[cfg(target_arch = "wasm32")]
pub mod storage;
#[cfg(target_arch = "wasm32")]
pub mod timer;
