//! Results as CSV, for spreadsheets. It says nothing of the study, so that it is the end of a run and never its middle.

use super::parquet::unfinished;
use super::{StudyFailure, at};
use fusescape_engine::explore::study::{DesignRow, Study};
use fusescape_results::{ResultColumn, columns, csv_head, csv_line, row_cells};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes rows as CSV. The file has its name only when it is whole.
pub struct CsvFile<'s> {
    study: &'s Study,
    columns: Vec<ResultColumn>,
    file: BufWriter<File>,
    path: PathBuf,
}

impl<'s> CsvFile<'s> {
    /// A file with a line of names.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(study: &'s Study, path: &Path) -> Result<Self, StudyFailure> {
        let columns = columns(study);
        let mut file = BufWriter::new(File::create(unfinished(path)).map_err(at(path))?);
        writeln!(file, "{}", csv_head(&columns)).map_err(at(path))?;
        Ok(Self { study, columns, file, path: path.to_owned() })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, rows: &[DesignRow]) -> Result<(), StudyFailure> {
        for row in rows {
            let line = csv_line(&row_cells(self.study, &self.columns, row));
            writeln!(self.file, "{line}").map_err(at(&self.path))?;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), StudyFailure> {
        let file = self.file.into_inner().map_err(|error| at(&self.path)(error.into_error()))?;
        file.sync_all().map_err(at(&self.path))?;
        std::fs::rename(unfinished(&self.path), &self.path).map_err(at(&self.path))
    }
}
