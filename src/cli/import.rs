//! Documents from other programs' files.

use super::{Failure, print};
use fusescape_command::files::{failed, open, write};
use fusescape_import::{self as import, Coverage, ImportReport, Seekable, onnx, stream};
use fusescape_state::{Design, State};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Limit on the size of a system of Stream whose files are searched, bytes.
const MOST_REFERENCES: u64 = 1 << 20;
/// Limits on the folders above a system in which its cores are searched, and on the folders in each of them.
const MOST_ABOVE: usize = 6;
const MOST_BESIDE: usize = 256;

/// The function that imports files.
///
/// # Errors
/// Errors of the files; [`Incomplete`](super::Incomplete) if too little of a model is counted, unless `partial`.
pub fn import(files: &[PathBuf], out: Option<&Path>, options: &onnx::Options, partial: bool) -> Result<(), Failure> {
    let mut sources = Vec::new();
    for path in &with_cores(files)? {
        let source = Seekable::new(open(path)?).map_err(failed(path))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        sources.push(import::File { name, source: Box::new(source) });
    }
    let mut imported = import::import(sources, options)?;
    if let Some(text) = &imported.state {
        let Design { hardware, workload, .. } = State::from_yaml(text)?.design;
        (imported.hardware, imported.workload) = (Some(hardware.text), Some(workload.text));
    }
    imported.reports.iter().for_each(tell);
    let is_whole = |report: &ImportReport| report.coverage.as_ref().is_none_or(Coverage::is_whole);
    if !partial && !imported.reports.iter().all(is_whole) {
        let text = "Nothing was written, as much of the model is not counted. With --partial its document is written all the same";
        return Err(super::Incomplete(text.to_owned()).into());
    }
    let documents: Vec<(&str, &String)> = [
        ("hardware.yaml", &imported.hardware),
        ("workload.yaml", &imported.workload),
        ("transformer.yaml", &imported.transformer),
        ("system.yaml", &imported.system),
        ("constraints.yaml", &imported.constraints),
        ("mapping.yaml", &imported.mapping),
        ("study.yaml", &imported.study),
    ]
    .into_iter()
    .filter_map(|(name, text)| Some((name, text.as_ref()?)))
    .collect();
    match (&documents[..], out) {
        (documents, None) => print(&documents.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("---\n")),
        (&[(_, text)], Some(file)) if !file.is_dir() => Ok(write(file, text)?),
        (documents, Some(folder)) => {
            std::fs::create_dir_all(folder).map_err(failed(folder))?;
            Ok(documents.iter().try_for_each(|(name, text)| write(&folder.join(name), text))?)
        }
    }
}

/// The files, and the cores named by systems of Stream among them, if they are beside the systems or in the tool's
/// folder for them.
fn with_cores(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = files.to_vec();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")) {
        let mut start = Vec::new();
        open(path)?.take(MOST_REFERENCES).read_to_end(&mut start).map_err(failed(path))?;
        for name in stream::references(&String::from_utf8_lossy(&start)) {
            let is_known = all.iter().any(|known| stream::stem(&known.to_string_lossy()) == stream::stem(&name));
            if let Some(found) = find_core(path, &name).filter(|_| !is_known) {
                all.push(found);
            }
        }
    }
    Ok(all)
}

/// A file named by a system, searched in the order of the tool: beside it, in `cores` beside it, relative to a folder
/// above it, or among the cores of another hardware folder nearby.
fn find_core(system: &Path, name: &str) -> Option<PathBuf> {
    let system = system.canonicalize().ok()?;
    let folder = system.parent()?;
    let above: Vec<&Path> = folder.ancestors().take(MOST_ABOVE).collect();
    let near = above.iter().flat_map(|above| {
        let mut beside: Vec<PathBuf> = std::fs::read_dir(above)
            .into_iter()
            .flat_map(|inside| inside.flatten().take(MOST_BESIDE).map(|entry| entry.path()))
            .collect();
        beside.sort_unstable();
        beside.insert(0, above.to_path_buf());
        beside.into_iter().map(|beside| beside.join("hardware").join("cores").join(name))
    });
    let named = above.iter().map(|above| above.join(name));
    [folder.join("cores").join(name), folder.join(name)]
        .into_iter()
        .chain(named)
        .chain(near)
        .find(|place| place.is_file())
}

/// Prints a report to standard error.
pub(super) fn tell(report: &ImportReport) {
    for line in report.lines() {
        super::tell(&line);
    }
}
