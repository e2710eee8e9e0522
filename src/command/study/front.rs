//! The Pareto front of a result file.

use super::StudyFailure;
use super::parquet::open;
use crate::study_front::{FrontRows, StudyFront};
use std::collections::BTreeSet;
use std::path::Path;

/// Reads a result file and finds its front.
///
/// # Errors
/// The file cannot be read, or has a design twice.
pub fn front_of_file(path: &Path) -> Result<StudyFront, StudyFailure> {
    let (study, file) = open(path)?;
    let mut front = FrontRows::default();
    let mut known = BTreeSet::new();
    file.rows(&study, &mut |rows| -> Result<(), StudyFailure> {
        if let Some(twice) = rows.iter().find(|row| !known.insert(row.design)) {
            let why = format!("{}: Design {} is there twice. Write the file anew.", path.display(), twice.design);
            return Err(StudyFailure::Files(why));
        }
        front.add(&study, rows);
        Ok(())
    })?;
    // How many designs a study has that refines its front, only its run knows.
    let missing = study.tasks().map_or(0, |_| study.designs().saturating_sub(known.len() as u64));
    Ok(StudyFront { missing, is_checked: file.is_checked(), ..front.end(study) })
}
