//! The Pareto front of a result file.

use super::StudyFailure;
use super::parquet::open;
use crate::study_front::{FrontRows, StudyFront};
use std::path::Path;

/// Reads a result file and finds its front.
///
/// # Errors
/// The file cannot be read.
pub fn front_of_file(path: &Path) -> Result<StudyFront, StudyFailure> {
    let (study, file) = open(path)?;
    let mut front = FrontRows::default();
    file.rows(&study, &mut |rows| -> Result<(), StudyFailure> {
        front.add(&study, rows);
        Ok(())
    })?;
    Ok(front.end(study))
}
