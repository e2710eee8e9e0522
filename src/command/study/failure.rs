//! Why a study has no results.

use crate::CommandError;
use crate::files::failed;
use fusescape_spec::Diagnostics;
use std::io;
use std::path::Path;

/// The reason why a study has no results.
#[derive(Debug)]
pub enum StudyFailure {
    /// Errors of the study, or of files.
    NoResult(CommandError),
    /// A file could not be read or written.
    Files(String),
}

impl std::error::Error for StudyFailure {}

impl std::fmt::Display for StudyFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoResult(why) => why.fmt(f),
            Self::Files(why) => f.write_str(why),
        }
    }
}

impl From<CommandError> for StudyFailure {
    fn from(why: CommandError) -> Self {
        Self::NoResult(why)
    }
}

impl From<Diagnostics> for StudyFailure {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::NoResult(CommandError::Wrong(diagnostics))
    }
}

/// A failure at a file.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> StudyFailure {
    let failed = failed(path);
    move |error| StudyFailure::Files(failed(error))
}

/// The error of a file that does not contain the written data.
pub(super) fn not_kept(path: &Path) -> StudyFailure {
    StudyFailure::Files(format!(
        "{}: What is read back is not what was written. Name a file on another disk.",
        path.display()
    ))
}
