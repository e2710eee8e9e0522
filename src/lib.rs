//! Fusescape: scheduling deep neural networks on accelerators.
//!
//! The rooms of the house, from the roof down; imports only ever point down this list:
//!
//! - `app`: the page, in WebAssembly only
//! - `worker`: the page's engine in a web worker, in WebAssembly only
//! - [`command`]: what the command line does, and other programs by the packages for Python and JavaScript
//! - [`embed`]: one view inside another page: its address, and messages to and fro
//! - [`report`]: one design as a text
//! - [`trace`]: a schedule on many cores as a file for viewers of traces
//! - [`link`]: a state as a text for the address, and back
//! - [`state`]: what a person chose or wrote, and every change of it
//! - [`form`]: documents as forms, whose edits change the text in place
//! - [`explain`]: what made a number: formulas with the values put in
//! - [`glossary`]: the words of the papers, from the one list in `docs/`
//! - [`chart`]: every figure, drawn on any plotters backend
//! - [`question`]: what the views ask of a worker besides a sweep
//! - [`results`]: results of studies in files: Parquet and CSV
//! - [`lesson`]: lessons and exercises: documents, answers, marks, receipts
//! - [`gallery`]: published figures and tables, each a state to open, with their numbers beside ours
//! - [`import`]: files of other programs as documents
//! - [`fusescape_engine`]: the model, the cost of a mapping, the search and the schedules; its rooms are these too
//! - [`spec`]: what people write: documents, diagnostics, presets

#[cfg(any(feature = "page", not(target_arch = "wasm32")))]
pub mod app;
pub mod chart;
pub mod command;
pub mod embed;
pub mod explain;
pub mod form;
pub mod gallery;
pub mod glossary;
pub mod import;
pub mod lesson;
pub mod link;
pub mod question;
pub mod report;
pub mod results;
pub mod state;
pub mod trace;
#[cfg(all(feature = "page", target_arch = "wasm32"))]
pub mod worker;

pub use fusescape_engine::{
    attention, cost, depth_first, explore, fusion, hardware, hierarchy, ids, interlayer, mapping, multicore, rules,
    search, units, workload,
};
pub use fusescape_spec as spec;
use fusescape_spec::sorting;
