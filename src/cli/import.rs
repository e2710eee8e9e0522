//! Documents out of other programs' files, and back.

use super::documents::load;
use super::files::{open, shown};
use super::{Failure, print};
use fusescape::hardware::Core;
use fusescape::import::{self, Coverage, Report, Seekable, zigzag};
use fusescape::spec::{hardware_presets, workload_presets};
use fusescape::state::{Design, State};
use fusescape::workload::Network;
use std::path::{Path, PathBuf};

/// Imports files that belong together.
///
/// # Errors
/// What is wrong with the files; [`Incomplete`](super::Incomplete) where too little of a model is counted and `partial` does not allow it.
pub fn import(files: &[PathBuf], out: Option<&Path>, sizes: &[(String, u64)], partial: bool) -> Result<(), Failure> {
    let mut sources = Vec::new();
    for path in files {
        let source = Seekable::new(open(path)?).map_err(|error| format!("{}: {error}", shown(path)))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        sources.push(import::File { name, source: Box::new(source) });
    }
    let mut imported = import::import(sources, sizes)?;
    if let Some(text) = &imported.state {
        let Design { hardware, workload, .. } = State::from_yaml(text)?.design;
        (imported.hardware, imported.workload) = (Some(hardware.text), Some(workload.text));
    }
    imported.reports.iter().for_each(tell);
    let is_whole = |report: &Report| report.coverage.as_ref().is_none_or(Coverage::is_whole);
    if !partial && !imported.reports.iter().all(is_whole) {
        let text = "Nothing was written, as much of the model is not counted. With --partial its document is written all the same";
        return Err(super::Incomplete(text.to_owned()).into());
    }
    let documents: Vec<(&str, &String)> =
        [("hardware.yaml", &imported.hardware), ("workload.yaml", &imported.workload)]
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.as_ref()?)))
            .collect();
    match (&documents[..], out) {
        (documents, None) => print(&documents.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("---\n")),
        (&[(_, text)], Some(file)) if !file.is_dir() => write(file, text),
        (documents, Some(folder)) => {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", shown(folder)))?;
            documents.iter().try_for_each(|(name, text)| write(&folder.join(name), text))
        }
    }
}

/// Writes a core and a network as ZigZag's files.
pub fn export_zigzag(hardware: &str, workload: &str, folder: &Path) -> Result<(), Failure> {
    let core = Core::from_text(&load(hardware, hardware_presets())?)?;
    let network = Network::from_text(&load(workload, workload_presets())?)?;
    let files = zigzag::write(&core, &network);
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", shown(folder)))?;
    write(&folder.join("accelerator.yaml"), &files.accelerator)?;
    write(&folder.join("mapping.yaml"), &files.mapping)?;
    write(&folder.join("workload.yaml"), &files.workload)?;
    tell(&files.report);
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", shown(path)).into())
}

fn tell(report: &Report) {
    for line in report.lines() {
        super::tell(&line);
    }
}
