//! Documents and presets.

use crate::errors::error;
use fusescape_command::documents::{self, DocumentKind};
use fusescape_command::written;
use fusescape_import as import;
use fusescape_spec::edit::Outline;
use fusescape_spec::{Diagnostics, find_preset};
use pyo3::prelude::*;
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;

/// Names of the presets of a kind, with their titles.
#[pyfunction]
pub fn presets(kind: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(documents::presets(of(kind)?).iter().map(|preset| (preset.id, preset.title)).collect())
}

/// Text of a preset.
#[pyfunction]
pub fn preset(kind: &str, name: &str) -> PyResult<&'static str> {
    find_preset(documents::presets(of(kind)?), name).map(|preset| preset.text).map_err(|unknown| error(&unknown))
}

/// Text of a file, from its bytes.
#[pyfunction]
pub fn text_of(name: &str, bytes: Vec<u8>) -> PyResult<String> {
    import::text_of(name, bytes).map_err(|wrong| error(&wrong))
}

/// A summary of a document as JSON; an error if the document is invalid.
#[pyfunction]
pub fn facts(kind: &str, text: &str) -> PyResult<String> {
    let facts = documents::facts(of(kind)?, text).and_then(|facts| written(serde_json::to_value(facts)));
    facts.map(|facts| facts.to_string()).map_err(|wrong| error(&wrong))
}

fn of(kind: &str) -> PyResult<DocumentKind> {
    DocumentKind::named(kind).map_err(|wrong| error(&wrong))
}

/// The document with some values replaced, each given as JSON; the rest of its text stays the same.
#[pyfunction]
pub fn replaced(text: &str, changes: Vec<(String, String)>) -> PyResult<String> {
    let mut outline = Outline::read(text).map_err(|wrong| error(&wrong))?;
    let mut wrong = Diagnostics::default();
    for (path, json) in changes {
        let changed = match serde_json::from_str(&json) {
            Ok(Value::String(word)) => outline.write(&path, &word),
            Ok(value @ (Value::Number(_) | Value::Bool(_))) => outline.write(&path, &value.to_string()),
            Ok(value) => outline.put(&path, &value.to_string()),
            Err(_) => None,
        };
        match changed {
            Some(changed) => outline = changed,
            None => {
                wrong.add(path, "Nothing can be written here", "Name a place as diagnostics do: `memories[1].size`")
            }
        }
    }
    wrong.or(outline.into_text()).map_err(|wrong| error(&wrong))
}

/// Documents by kind, and remarks on each file.
type ImportedTexts = (Vec<(&'static str, String)>, Vec<String>);

/// Documents in files of other programs, such as ONNX models, and remarks on each file. `sizes` are those of dimensions
/// that a model leaves open; `as_transformer`: read a model as the transformer whose blocks it repeats, not as a
/// network.
#[pyfunction]
pub fn import_files(paths: Vec<PathBuf>, sizes: Vec<(String, u64)>, as_transformer: bool) -> PyResult<ImportedTexts> {
    let source = |path: PathBuf| -> std::io::Result<import::File<'static>> {
        let source = File::open(&path).and_then(import::Seekable::new);
        let source = source.map_err(|why| std::io::Error::new(why.kind(), format!("{}: {why}", path.display())))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(import::File { name, source: Box::new(source) })
    };
    let sources = paths.into_iter().map(source).collect::<std::io::Result<Vec<_>>>()?;
    let options = import::onnx::Options { sizes, as_transformer, ..Default::default() };
    let imported = import::import(sources, &options).map_err(|wrong| error(&wrong))?;
    let lines = imported.reports.iter().flat_map(import::ImportReport::lines).collect();
    let documents = [
        ("hardware", imported.hardware),
        ("network", imported.workload),
        ("system", imported.system),
        ("transformer", imported.transformer),
    ];
    Ok((documents.into_iter().filter_map(|(kind, text)| Some((kind, text?))).collect(), lines))
}
