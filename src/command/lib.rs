//! Commands, independent of their caller: the command line (`src/cli/`), the Python package (`src/python/`), JavaScript
//! (`src/npm/`).
//!
//! A command takes validated documents and options, runs on all cores of this machine, and returns a report, whose JSON
//! is described in `docs/schema/`. So all callers print the same numbers. A caller may watch a command and stop it
//! ([`ProgressMonitor`]).
//!
//! - `run.rs`: the driver of jobs on all cores
//! - `parse.rs`: words that options take, and what they mean; `names.rs`: what is said of a name that is none
//! - `options/`: options of every command, for all callers, and their schema; `documents.rs`: documents as other
//!   programs give them
//! - `files.rs`: files that a person names
//! - `depth_first.rs`, `optimal.rs`, `fuse.rs`, `layer.rs`, `hierarchy.rs`, `cores.rs`, `attention.rs`, `study/`: one command
//!   each; `study_front.rs`: the best designs of a study; `layer_constraints.rs`: layers under constraints;
//!   `layer_searches.rs`: several layers on all cores
//! - `sweep_report.rs`, `layer_report.rs`, `cores_report.rs`, `attention_report.rs`, `estimates.rs`, `in_memory.rs`: their JSON;
//!   `compare.rs`, `sequences.rs`: that of commands of the command line alone
//! - `report.rs`, `schema.rs`: what all reports have in common, and their schemas, made of their types
//!
//! In WebAssembly, without threads and files, a command runs on the single thread, with the same result. The page does
//! not use commands, as it shows results while they are computed.

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
mod layer_searches;
mod names;
pub mod optimal;
pub mod options;
pub mod parse;
mod report;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;
pub mod sequences;
#[cfg(not(target_arch = "wasm32"))]
pub mod study;
pub mod study_front;
mod sweep_report;

pub use estimates::estimate_line;
pub use names::{one_of, or_word, unknown};
pub use report::{Report, written};

use fusescape_spec::Diagnostics;
use std::fmt;

/// Watches a command from any of its threads: progress, and stop.
pub trait ProgressMonitor: Sync {
    /// A stage with `count` parts begins. `what` names the parts: "mapping problems".
    fn begin(&self, count: usize, what: &str);
    /// Like [`Self::begin`] for parts that take about equally long, so that the remaining time can be estimated.
    fn begin_alike(&self, count: usize, what: &str) {
        self.begin(count, what);
    }
    /// Another `parts` parts are done.
    fn advance(&self, parts: usize);
    /// The number of parts of the stage has changed.
    fn recount(&self, count: usize);
    /// The stage has ended.
    fn end(&self);
    /// Whether to continue. Asked before each search; if not, the command ends with [`CommandError::Stopped`].
    fn goes_on(&self) -> bool;
}

/// Watches nothing and never stops.
pub struct Unmonitored;

impl ProgressMonitor for Unmonitored {
    fn begin(&self, _: usize, _: &str) {}
    fn advance(&self, _: usize) {}
    fn recount(&self, _: usize) {}
    fn end(&self) {}
    fn goes_on(&self) -> bool {
        true
    }
}

/// The reason why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandError {
    /// All errors of documents and options, or reasons why nothing fits.
    Wrong(Diagnostics),
    /// It was stopped by its watcher.
    Stopped,
}

impl std::error::Error for CommandError {}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(diagnostics) => diagnostics.fmt(f),
            Self::Stopped => f.write_str("It was stopped."),
        }
    }
}

impl From<Diagnostics> for CommandError {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Wrong(diagnostics)
    }
}

/// A single error.
fn wrong(path: &str, reason: impl Into<String>, remedy: impl Into<String>) -> CommandError {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(path, reason, remedy);
    CommandError::Wrong(diagnostics)
}

/// `Ok`, unless the watcher stops the command.
fn unless_stopped<T>(monitor: &dyn ProgressMonitor, found: T) -> Result<T, CommandError> {
    if monitor.goes_on() { Ok(found) } else { Err(CommandError::Stopped) }
}
