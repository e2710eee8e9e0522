//! Documents and presets.

use crate::errors::error;
use fusescape::hardware::Core;
use fusescape::hierarchy::Pool;
use fusescape::import;
use fusescape::multicore::CoreSystem;
use fusescape::spec::edit::Outline;
use fusescape::spec::{
    Diagnostics, Preset, find_preset, hardware_presets, pool_presets, system_presets, workload_presets,
};
use fusescape::workload::Network;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::fs::File;
use std::path::PathBuf;

/// Presets of a kind of document.
fn of_kind(kind: &str) -> PyResult<&'static [Preset]> {
    match kind {
        "hardware" => Ok(hardware_presets()),
        "network" => Ok(workload_presets()),
        "system" => Ok(system_presets()),
        "pool" => Ok(pool_presets()),
        _ => Err(PyValueError::new_err(format!("There is no kind of document `{kind}`."))),
    }
}

/// Names of the presets of a kind, with their titles.
#[pyfunction]
pub fn presets(kind: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(of_kind(kind)?.iter().map(|preset| (preset.id, preset.title)).collect())
}

/// Text of a preset.
#[pyfunction]
pub fn preset(kind: &str, name: &str) -> PyResult<&'static str> {
    let presets = of_kind(kind)?;
    find_preset(presets, name).map(|preset| preset.text).map_err(|unknown| error(&unknown))
}

/// Text of a file of which the bytes are given.
#[pyfunction]
pub fn text_of(name: &str, bytes: Vec<u8>) -> PyResult<String> {
    import::text_of(name, bytes).map_err(|wrong| error(&wrong))
}

/// What is in a document, as JSON; an error where anything is wrong with it.
#[pyfunction]
pub fn facts(kind: &str, text: &str) -> PyResult<String> {
    let found = match kind {
        "hardware" => Core::from_text(text).map(|core| core_facts(&core)),
        "network" => Network::from_text(text).map(|network| network_facts(&network)),
        "pool" => Pool::from_text(text).map(|pool| {
            let memories = pool.memories.iter().map(|memory| memory.name.as_str());
            json!({ "name": pool.name, "memories": memories.collect::<Vec<_>>() })
        }),
        "system" => {
            // Cores of which it says nothing are the accelerator beside it: any.
            let beside = hardware_presets().first().map_or("", |preset| preset.text);
            CoreSystem::from_text(text, beside).map(|system| {
                let cores = system.cores.iter().map(|core| core.name.as_str());
                json!({ "name": system.name, "cores": cores.collect::<Vec<_>>() })
            })
        }
        _ => of_kind(kind).map(|_| Ok(Value::Null))?,
    };
    found.map(|facts| facts.to_string()).map_err(|wrong| error(&wrong))
}

fn core_facts(core: &Core) -> Value {
    let memory = |memory: &fusescape::hardware::Memory| json!({ "name": memory.name, "size_bits": memory.size_bits });
    json!({
        "name": core.name,
        "pe_count": core.pe_count(),
        "array": core.array.iter().map(|(name, size)| json!([name, size])).collect::<Vec<_>>(),
        "memories": core.memories.iter().map(memory).collect::<Vec<_>>(),
        "clock_mhz": core.clock_mhz,
    })
}

fn network_facts(network: &Network) -> Value {
    let layer = |id| {
        let layer = network.layer(id);
        json!({ "name": layer.name, "macs": layer.shape.macs() })
    };
    json!({
        "name": network.name,
        "macs": network.macs(),
        "layers": network.computing().map(layer).collect::<Vec<_>>(),
    })
}

/// A document with other values at some places, each given as JSON; all else stays as it is written.
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

/// Documents by kind, and lines about each file.
type Documents = (Vec<(&'static str, String)>, Vec<String>);

/// Documents out of files of other programs, such as ONNX models, and what is good to know of each file. `sizes` are those of dimensions
/// that a model leaves open.
#[pyfunction]
pub fn import_files(paths: Vec<PathBuf>, sizes: Vec<(String, u64)>) -> PyResult<Documents> {
    let source = |path: PathBuf| -> std::io::Result<import::File<'static>> {
        let source = File::open(&path).and_then(import::Seekable::new);
        let source = source.map_err(|why| std::io::Error::new(why.kind(), format!("{}: {why}", path.display())))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(import::File { name, source: Box::new(source) })
    };
    let sources = paths.into_iter().map(source).collect::<std::io::Result<Vec<_>>>()?;
    let options = import::onnx::Options { sizes, ..Default::default() };
    let imported = import::import(sources, &options).map_err(|wrong| error(&wrong))?;
    let lines = imported.reports.iter().flat_map(import::Report::lines).collect();
    let documents = [("hardware", imported.hardware), ("network", imported.workload), ("system", imported.system)];
    Ok((documents.into_iter().filter_map(|(kind, text)| Some((kind, text?))).collect(), lines))
}
