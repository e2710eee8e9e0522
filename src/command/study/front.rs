//! The Pareto front of a result file.

use super::failure::StudyFailure;
use super::parquet::open;
use crate::study_front::{FrontRows, StudyFront};
use std::path::Path;
use std::sync::Arc;

/// Reads a result file and finds its front.
///
/// # Errors
/// If the file cannot be read.
pub fn front_of_file(path: &Path) -> Result<StudyFront, StudyFailure> {
    let (study, file) = open(path)?;
    let (mut front, mut count) = (FrontRows::default(), 0);
    file.rows(&study, &mut |rows| -> Result<(), StudyFailure> {
        count += rows.len() as u64;
        front.add(&study, rows);
        Ok(())
    })?;
    // The number of designs of a study that refines its front is known to its run only.
    let missing = study.tasks().map_or(0, |_| study.designs().saturating_sub(count));
    Ok(StudyFront { missing, is_checked: file.is_checked(), ..front.end(Arc::new(study)) })
}
