//! Results as CSV, for spreadsheets. It does not contain the study, so it is the end of a run and never an intermediate
//! file.

use super::failure::{StudyFailure, at, not_kept};
use super::unfinished::Unfinished;
use fusescape_engine::explore::study::{DesignRow, DesignSpace};
use fusescape_results::{ResultColumn, columns, csv_head, csv_line, row_cells};
use std::fs::File;
use std::hash::Hasher;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use twox_hash::XxHash64;

/// Writes rows as CSV. The file gets its name when it is complete.
pub struct CsvFile<'s> {
    study: &'s DesignSpace,
    columns: Vec<ResultColumn>,
    written: BufWriter<File>,
    digest: XxHash64,
    file: Unfinished,
}

impl<'s> CsvFile<'s> {
    /// A file with a header line, in `folder` while it is being written.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(study: &'s DesignSpace, path: &Path, folder: &Path) -> Result<Self, StudyFailure> {
        let (columns, file) = (columns(study), Unfinished::new(path, folder)?);
        let written = BufWriter::new(file.open()?);
        let head = csv_head(&columns);
        let mut all = Self { study, columns, written, digest: XxHash64::with_seed(0), file };
        all.line(&head)?;
        Ok(all)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, rows: &[DesignRow]) -> Result<(), StudyFailure> {
        for row in rows {
            self.line(&csv_line(&row_cells(self.study, &self.columns, row)))?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), StudyFailure> {
        let line = format!("{line}\n");
        self.digest.write(line.as_bytes());
        self.written.write_all(line.as_bytes()).map_err(at(self.file.path()))
    }

    /// Completes the file, verifies it by reading it back, and gives it its name.
    ///
    /// # Errors
    /// If the file cannot be written, or does not contain the written text.
    pub fn finish(mut self) -> Result<(), StudyFailure> {
        self.written.flush().map_err(at(self.file.path()))?;
        self.file.sync()?;
        let mut back = BufReader::new(self.file.open()?);
        let mut digest = XxHash64::with_seed(0);
        loop {
            let bytes = back.fill_buf().map_err(at(self.file.path()))?;
            if bytes.is_empty() {
                break;
            }
            digest.write(bytes);
            let count = bytes.len();
            back.consume(count);
        }
        if digest.finish() != self.digest.finish() {
            return Err(not_kept(self.file.path()));
        }
        self.file.persist_new()
    }
}
