//! Fusescape: scheduling deep neural networks on accelerators. This is the page, with all rooms below it under their
//! own names.
//!
//! A room is a package; imports only ever point down, which Cargo enforces (ARCHITECTURE.md):
//!
//! - [`app`]: the page
//! - `worker`: the page's engine in a web worker, in WebAssembly only
//! - `pieces`: the split points of the module of both, in WebAssembly only

pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod pieces;
#[cfg(target_arch = "wasm32")]
pub mod worker;

pub use fusescape_chart as chart;
pub use fusescape_command as command;
pub use fusescape_embed as embed;
pub use fusescape_engine::{
    attention, cost, depth_first, explore, fusion, hardware, hierarchy, ids, interlayer, job, mapping, multicore, pool,
    rules, search, system, ties, transformer, units, workload,
};
pub use fusescape_explain as explain;
pub use fusescape_form as form;
pub use fusescape_gallery as gallery;
pub use fusescape_glossary as glossary;
pub use fusescape_import as import;
pub use fusescape_lesson as lesson;
pub use fusescape_link as link;
pub use fusescape_question as question;
pub use fusescape_report::{self as report, trace};
pub use fusescape_results as results;
pub use fusescape_spec::{self as spec, sorting};
pub use fusescape_state as state;
