//! Merges the results of shards into one file.

use super::check_folder;
use super::csv::CsvFile;
use super::failure::StudyFailure;
use super::parquet::{ResultWriter, open, open_part};
use super::unfinished::folder_of;
use crate::wrong;
use fusescape_engine::explore::study::DesignSpace;
use std::ops::Range;
use std::path::{Path, PathBuf};

const ITS_FILE: &str =
    "Use its file as it is: one run has all results. For CSV, run it with an `--out` that ends with .csv";

/// The outcome of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeReport {
    /// Number of designs of the study.
    pub designs: u64,
    /// Whether each shard has digests. If not, the merged results have none.
    pub is_checked: bool,
}

/// Writes the results of all shards of a study into one file, equal to that of a single run.
///
/// # Errors
/// If a file cannot be read or written; shards are missing, occur twice, or belong to different studies.
pub fn merge(shards: &[PathBuf], out: &Path) -> Result<MergeReport, StudyFailure> {
    let Some(first) = shards.first() else {
        return Err(wrong("", "There is nothing to merge", "Name result files").into());
    };
    let (study, _) = open(first)?;
    // Only one file is open at a time: a study may have more shards than a process may have open files.
    let mut files: Vec<(&PathBuf, Range<u64>)> = Vec::new();
    let mut is_checked = true;
    for path in shards {
        let file = open_part(&study, path)?;
        is_checked &= file.is_checked();
        files.push((path, file.note.tasks));
    }
    files.sort_by_key(|(_, tasks)| (tasks.start, tasks.end));
    check_cover(&study, &files)?;
    if out.exists() {
        let reason = format!("There is a file `{}` already", out.display());
        return Err(wrong("--out", reason, "Name another file, or remove this one").into());
    }
    check_folder(out)?;
    let tasks = files.first().map_or(0, |(_, tasks)| tasks.start)..files.last().map_or(0, |(_, tasks)| tasks.end);
    let mut expected = 0;
    let mut check = |path: &Path, designs: &mut dyn Iterator<Item = u64>| -> Result<(), StudyFailure> {
        for design in designs {
            if design != expected {
                let why = format!(
                    "{}: Design {design} stands where design {expected} belongs. Run this shard again.",
                    path.display()
                );
                return Err(StudyFailure::Files(why));
            }
            expected += 1;
        }
        Ok(())
    };
    if out.extension().is_some_and(|ending| ending == "csv") {
        let mut writer = CsvFile::new(&study, out, folder_of(out))?;
        for (path, _) in &files {
            open_part(&study, path)?.rows(&study, &mut |rows| {
                check(path, &mut rows.iter().map(|row| row.design))?;
                writer.add(&rows)
            })?;
        }
        check_end(&study, expected)?;
        writer.finish()?;
    } else {
        let mut writer = ResultWriter::new(&study, tasks, out, folder_of(out))?;
        if !is_checked {
            writer.leave_unchecked();
        }
        for (path, _) in &files {
            open_part(&study, path)?.rows(&study, &mut |rows| {
                check(path, &mut rows.iter().map(|row| row.design))?;
                writer.add(rows)
            })?;
        }
        check_end(&study, expected)?;
        writer.end_checked()?.persist_new()?;
    }
    Ok(MergeReport { designs: expected, is_checked })
}

fn check_end(study: &DesignSpace, rows: u64) -> Result<(), StudyFailure> {
    if rows == study.designs() {
        return Ok(());
    }
    let why = format!("The shards have {rows} of {} designs. Run those again that were ended.", study.designs());
    Err(StudyFailure::Files(why))
}

/// Checks that every task occurs exactly once.
fn check_cover(study: &DesignSpace, files: &[(&PathBuf, Range<u64>)]) -> Result<(), StudyFailure> {
    let Some(tasks) = study.tasks() else {
        return Err(wrong("", "A study that refines a front has no shards", ITS_FILE).into());
    };
    let mut next = 0;
    for (path, range) in files {
        if range.start > next {
            let reason = format!("Tasks {next} to {} of {tasks} are in none of these files", range.start - 1);
            return Err(wrong("", reason, "Name the results of all shards").into());
        }
        if range.start < next && !range.is_empty() {
            let reason = format!("`{}` has tasks that another file has, too", path.display());
            return Err(wrong("", reason, "Name each shard once, all of one division").into());
        }
        next = next.max(range.end);
    }
    if next < tasks {
        let reason = format!("Tasks {next} to {} of {tasks} are in none of these files", tasks - 1);
        return Err(wrong("", reason, "Name the results of all shards").into());
    }
    Ok(())
}
