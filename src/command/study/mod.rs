//! Studies on all cores that may be killed at any moment and resumed: rows are written to part files, then to one file.
//!
//! - `parquet.rs`: rows in files; `csv.rs`: rows as text; `unfinished.rs`: files that get their names when they are
//!   complete
//! - `parts.rs`: the folder of part files beside the results; `shard.rs`: parts of a study for several machines;
//!   `merge.rs`: results of shards as one file
//! - `front.rs`: the Pareto front of a result file; `failure.rs`: why a study has no results
//! - `estimate.rs`: estimate of a study's time, from measuring some of its designs

mod csv;
mod estimate;
mod failure;
mod front;
mod merge;
mod parquet;
mod parts;
mod shard;
mod unfinished;

pub use csv::CsvFile;
#[cfg(feature = "schema")]
pub(crate) use estimate::StudyFound;
pub use estimate::{StudyEstimate, estimate, study_json};
pub use failure::StudyFailure;
pub use front::front_of_file;
pub use merge::{MergeReport, merge};
pub use parquet::{ResultWriter, StudyFile, open, open_part};
pub use parts::has_begun;
pub use shard::{Shard, parse_shard};

use super::files::read_text;
use super::run::run_and_tell;
use super::{CommandError, ProgressMonitor, wrong};
use fusescape_engine::explore::study::{
    DesignEvaluator, DesignRow, DesignSampler, DesignSpace, StudyCosts, StudyRequest,
};
use fusescape_spec::{Diagnostics, MAX_BYTES, Preset, find_preset, hardware_presets, system_presets, workload_presets};
use parts::PartFiles;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use unfinished::folder_of;

/// The outcome of a complete run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Number of designs by status, as named in results.
    pub designs: BTreeMap<&'static str, u64>,
    /// Number of different mapping problems whose cost this process knows.
    pub problems: usize,
    /// Whether the results existed before, without digests.
    pub is_unchecked: bool,
}

/// A study with its documents: given ones by name and text, files with paths relative to `folder`, and presets.
///
/// # Errors
/// All errors in it.
pub fn read(text: String, folder: &Path, given: &[(String, String)]) -> Result<DesignSpace, Diagnostics> {
    let text_of = |presets: &'static [Preset], name: &str| {
        let known = given.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        let beside = || Some(folder.join(name)).filter(|path| path.is_file());
        known.or_else(|| match beside() {
            Some(path) => read_text(&path, MAX_BYTES).ok(),
            None => find_preset(presets, name).ok().map(|preset| preset.text.to_owned()),
        })
    };
    let documents = |presets: &'static [Preset], names: Vec<String>| -> Vec<(String, String)> {
        names.into_iter().filter_map(|name| text_of(presets, &name).map(|text| (name, text))).collect()
    };
    let [hardware, networks, systems] = StudyRequest::names(&text);
    DesignSpace::new(StudyRequest {
        hardware: documents(hardware_presets(), hardware),
        networks: documents(workload_presets(), networks),
        systems: documents(system_presets(), systems),
        text,
    })
}

/// Checks that the folder of `out` exists. It is not created, as its name may be mistyped.
///
/// # Errors
/// If it does not exist.
pub fn check_folder(out: &Path) -> Result<(), StudyFailure> {
    let folder = folder_of(out);
    if folder.is_dir() {
        return Ok(());
    }
    let reason = format!("There is no folder `{}`", folder.display());
    Err(wrong("--out", reason, "Make it, or name a file in a folder that is there").into())
}

/// The outcome of a complete earlier run, which may have been killed before it removed its parts; `None` if `out` does
/// not have its results.
fn finished(study: &DesignSpace, shard: Shard, out: &Path) -> Result<Option<RunReport>, StudyFailure> {
    let Some(file) = out.exists().then(|| open_part(study, out).ok()).flatten() else { return Ok(None) };
    if study.shard(shard.index, shard.count).is_some_and(|tasks| tasks != file.note.tasks) {
        return Ok(None);
    }
    let mut report = RunReport { is_unchecked: !file.is_checked(), ..RunReport::default() };
    file.rows(study, &mut |rows| -> Result<(), StudyFailure> {
        rows.iter().for_each(|row| report.count(row));
        Ok(())
    })?;
    PartFiles::remove(out)?;
    Ok(Some(report))
}

impl RunReport {
    fn count(&mut self, row: &DesignRow) {
        *self.designs.entry(row.status.name()).or_default() += 1;
    }
}

fn sampler(study: &Arc<DesignSpace>, shard: Shard) -> Result<DesignSampler, CommandError> {
    if shard == Shard::WHOLE {
        return Ok(DesignSampler::new(Arc::clone(study)));
    }
    let tasks = study.shard(shard.index, shard.count).ok_or_else(|| {
        let reason = "A study that refines a front cannot be divided: what is next depends on all that was found";
        wrong("--shard", reason, "Sample by `grid` or `sobol`, or run it on one machine")
    })?;
    Ok(DesignSampler::of_tasks(Arc::clone(study), tasks))
}

/// Runs a study, or a shard of it, on all cores, and writes its results to `out`. Resumes an interrupted run; the
/// results of a complete run are kept. Costs of mapping problems are read from `costs`, and added to it.
///
/// # Errors
/// If the study cannot be divided, a file cannot be written, or other results exist already; or it was stopped.
pub fn run(
    study: &Arc<DesignSpace>,
    shard: Shard,
    out: &Path,
    costs: &Arc<StudyCosts>,
    monitor: &dyn ProgressMonitor,
) -> Result<RunReport, StudyFailure> {
    let is_csv = out.extension().is_some_and(|ending| ending == "csv");
    if is_csv && shard != Shard::WHOLE {
        let remedy = "Name a file that ends with .parquet; `study merge` writes CSV as well";
        return Err(
            wrong("--out", "The results of a shard cannot be CSV, which says nothing of the study", remedy).into()
        );
    }
    let mut sampler = sampler(study, shard)?;
    check_folder(out)?;
    if let Some(report) = finished(study, shard, out)? {
        return Ok(report);
    }
    let parts = PartFiles::open(study, shard, out)?;
    let mut report = RunReport::default();
    // Reads tasks that an earlier run has left as parts, from the current task on.
    let read = |sampler: &mut DesignSampler, report: &mut RunReport| {
        while let Some(rows) = sampler.task().and_then(|task| parts.read(task)) {
            rows.iter().for_each(|row| report.count(row));
            sampler.know(rows);
            sampler.completed();
        }
    };
    read(&mut sampler, &mut report);
    run_and_tell(
        &mut sampler,
        || DesignEvaluator::new(Arc::clone(study), Arc::clone(costs)),
        monitor,
        |sampler| {
            let Some((task, rows)) = sampler.completed() else { return Ok(()) };
            parts.write(&task, &rows)?;
            rows.iter().for_each(|row| report.count(row));
            read(sampler, &mut report);
            Ok::<(), StudyFailure>(())
        },
    )?;
    parts.finish(out, is_csv)?;
    report.problems = costs.len();
    Ok(report)
}

/// The rows of some designs, in order.
///
/// # Errors
/// If it was stopped.
pub fn rows(
    study: &Arc<DesignSpace>,
    designs: Vec<u64>,
    costs: &Arc<StudyCosts>,
    monitor: &dyn ProgressMonitor,
) -> Result<Vec<DesignRow>, CommandError> {
    let mut rows = Vec::new();
    let mut sampler = DesignSampler::of_designs(Arc::clone(study), designs);
    run_and_tell(
        &mut sampler,
        || DesignEvaluator::new(Arc::clone(study), Arc::clone(costs)),
        monitor,
        |sampler| {
            rows.extend(sampler.completed().into_iter().flat_map(|(_, rows)| rows));
            Ok::<(), CommandError>(())
        },
    )?;
    Ok(rows)
}
