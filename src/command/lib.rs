//! What commands do, whoever gives them: the command line (`src/cli/`), the Python package (`src/python/`), JavaScript (`src/npm/`).
//!
//! A command takes validated documents and options, works on all cores of this machine, and describes what it found as JSON, laid out as
//! `docs/schema/` says. So both print the same numbers. Whoever gives a command may watch it and stop it ([`Watch`]).
//!
//! - `words.rs`: words that options take, and what they mean; `names.rs`: what is said of a name that is none
//! - `options/`: options of every command, whoever gives them, and their schema; `documents.rs`: documents as other programs give them
//! - `files.rs`: files that a person names
//! - `depth_first.rs`, `optimal.rs`, `fuse.rs`, `layer.rs`, `hierarchy.rs`, `cores.rs`, `attention.rs`, `study/`: a command each;
//!   `study_front.rs`: the best designs of a study
//! - `sweep_report.rs`, `layer_report.rs`, `cores_report.rs`, `attention_report.rs`, `estimates.rs`, `in_memory.rs`: their JSON;
//!   `compare.rs`, `sequences.rs`: that of commands of the command line alone
//! - `report.rs`, `schema.rs`: what all reports have in common, and their schemas, made of their types
//!
//! In WebAssembly, which has neither threads nor files, a command runs on the one thread that there is, and finds the same. The page is not
//! made of commands, as it shows what is found while it is.

pub mod attention;
mod attention_report;
pub mod compare;
pub mod cores;
mod cores_report;
pub mod depth_first;
pub mod documents;
mod estimates;
#[cfg(not(target_arch = "wasm32"))]
pub mod files;
pub mod fuse;
pub mod hierarchy;
mod in_memory;
pub mod layer;
mod layer_constraints;
mod layer_report;
mod names;
pub mod optimal;
pub mod options;
mod report;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;
pub mod sequences;
#[cfg(not(target_arch = "wasm32"))]
pub mod study;
pub mod study_front;
mod sweep_report;
pub mod words;

pub use estimates::estimate_line;
pub use names::{one_of, or_word, unknown};
pub use report::{Report, written};

use fusescape_spec::Diagnostics;
use std::fmt;

/// Who looks on while a command works, from any of its threads.
pub trait Watch: Sync {
    /// A stage of the work begins: `count` parts, of which none is done. `what` names them: "mapping problems".
    fn begin(&self, count: usize, what: &str);
    /// The same of parts that take about equally long, so that the time to come follows from the time so far.
    fn begin_alike(&self, count: usize, what: &str) {
        self.begin(count, what);
    }
    /// So many parts more are done.
    fn advance(&self, parts: usize);
    /// The stage has another number of parts than was thought.
    fn recount(&self, count: usize);
    /// The stage is over.
    fn end(&self);
    /// Whether to go on. It is asked before each search; where it says no, the command ends with [`NoResult::Stopped`].
    fn goes_on(&self) -> bool;
}

/// Nobody looks on.
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _: usize, _: &str) {}
    fn advance(&self, _: usize) {}
    fn recount(&self, _: usize) {}
    fn end(&self) {}
    fn goes_on(&self) -> bool {
        true
    }
}

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoResult {
    /// All that is wrong with documents and options, or why nothing fits.
    Wrong(Diagnostics),
    /// Who watches stopped it.
    Stopped,
}

impl std::error::Error for NoResult {}

impl fmt::Display for NoResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(diagnostics) => diagnostics.fmt(f),
            Self::Stopped => f.write_str("It was stopped."),
        }
    }
}

impl From<Diagnostics> for NoResult {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Wrong(diagnostics)
    }
}

/// One thing that is wrong.
fn wrong(path: &str, reason: impl Into<String>, remedy: impl Into<String>) -> NoResult {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(path, reason, remedy);
    NoResult::Wrong(diagnostics)
}

/// `Ok`, unless who watches wants no more.
fn unless_stopped<T>(watch: &dyn Watch, found: T) -> Result<T, NoResult> {
    if watch.goes_on() { Ok(found) } else { Err(NoResult::Stopped) }
}
