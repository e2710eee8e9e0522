//! Errors, as the one exception of the package.

use fusescape_command::CommandError;
use fusescape_command::study::StudyFailure;
use fusescape_spec::{Diagnostic, Diagnostics};
use pyo3::PyErr;

pyo3::import_exception!(fusescape._errors, FusescapeError);

/// Path, line, reason, remedy.
pub type DiagnosticFields = (String, Option<usize>, String, String);

/// The fields of Python's `Diagnostic`.
pub fn fields(diagnostic: &Diagnostic) -> DiagnosticFields {
    let Diagnostic { path, line, reason, remedy, .. } = diagnostic;
    (path.clone(), *line, reason.clone(), remedy.clone())
}

pub fn all_fields(diagnostics: &Diagnostics) -> Vec<DiagnosticFields> {
    diagnostics.0.iter().map(fields).collect()
}

/// The exception that carries all diagnostics.
pub fn error(diagnostics: &Diagnostics) -> PyErr {
    FusescapeError::new_err((all_fields(diagnostics),))
}

/// The reason why a study has no results; an error of a file becomes its only diagnostic.
pub fn no_result(failure: StudyFailure) -> CommandError {
    match failure {
        StudyFailure::NoResult(why) => why,
        StudyFailure::Files(why) => {
            let mut wrong = Diagnostics::default();
            wrong.add("", why, "");
            CommandError::Wrong(wrong)
        }
    }
}

/// The same as an exception.
pub fn failed(failure: StudyFailure) -> PyErr {
    match no_result(failure) {
        CommandError::Wrong(wrong) => error(&wrong),
        CommandError::Stopped => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
    }
}
