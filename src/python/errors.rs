//! What is wrong, as the one exception of the package.

use fusescape::spec::{Diagnostic, Diagnostics};
use pyo3::PyErr;

pyo3::import_exception!(fusescape._errors, FusescapeError);

/// Path, line, reason, remedy.
pub type DiagnosticFields = (String, Option<usize>, String, String);

/// A diagnostic as Python's `Diagnostic` takes it.
pub fn fields(diagnostic: &Diagnostic) -> DiagnosticFields {
    let Diagnostic { path, line, reason, remedy, .. } = diagnostic;
    (path.clone(), *line, reason.clone(), remedy.clone())
}

/// All of them.
pub fn all_fields(diagnostics: &Diagnostics) -> Vec<DiagnosticFields> {
    diagnostics.0.iter().map(fields).collect()
}

/// The exception that carries all diagnostics.
pub fn error(diagnostics: &Diagnostics) -> PyErr {
    FusescapeError::new_err((all_fields(diagnostics),))
}
