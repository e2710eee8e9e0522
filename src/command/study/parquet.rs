//! Result files: written row by row, and opened by their paths.

use super::{StudyFailure, at};
use fusescape_engine::explore::study::{DesignRow, Study};
use fusescape_results::parquet::{ROWS, STUDY, schema};
use fusescape_results::{Cell, Kind, ResultColumn, ResultFile, ResultNote, UnreadFile, columns, row_cells};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A result file on disk.
pub type StudyFile = ResultFile<File>;

/// Takes rows, some thousand at a time.
pub type TakeRows<'a> = &'a mut dyn FnMut(Vec<DesignRow>) -> Result<(), StudyFailure>;

impl From<UnreadFile> for StudyFailure {
    fn from(why: UnreadFile) -> Self {
        Self::Files(why.0)
    }
}

/// Opens a file of anybody's, and the study of which it has results.
///
/// # Errors
/// It is no result file, or none that this program can read.
pub fn open(path: &Path) -> Result<(Study, StudyFile), StudyFailure> {
    Ok(ResultFile::open(&path.display().to_string(), File::open(path).map_err(at(path))?)?)
}

/// Opens a part file of a study.
///
/// # Errors
/// It is no result file, or of another study.
pub fn open_part(study: &Study, path: &Path) -> Result<StudyFile, StudyFailure> {
    Ok(ResultFile::open_part(study, &path.display().to_string(), File::open(path).map_err(at(path))?)?)
}

fn failure(path: &Path, why: impl std::fmt::Display) -> StudyFailure {
    StudyFailure::Files(format!("{}: {why}", path.display()))
}

/// Writes a result file. It has its name only when it is whole: before, it is called `NAME.tmp`.
pub struct ResultWriter<'s> {
    study: &'s Study,
    columns: Vec<ResultColumn>,
    writer: SerializedFileWriter<File>,
    waiting: Vec<DesignRow>,
    path: PathBuf,
}

/// The name of a file while it is written.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    name.push(".tmp");
    path.with_file_name(name)
}

impl<'s> ResultWriter<'s> {
    /// A file with the rows of some tasks.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(study: &'s Study, tasks: Range<u64>, path: &Path) -> Result<Self, StudyFailure> {
        Self::noted(study, &ResultNote::new(study, tasks, false), path)
    }

    /// A part file with the rows of one task.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn part(study: &'s Study, task: u64, path: &Path) -> Result<Self, StudyFailure> {
        Self::noted(study, &ResultNote::new(study, task..task + 1, true), path)
    }

    fn noted(study: &'s Study, note: &ResultNote, path: &Path) -> Result<Self, StudyFailure> {
        let columns = columns(study);
        let note = serde_json::to_string(note).map_err(|why| failure(path, why))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![KeyValue::new(STUDY.to_owned(), note)]))
            .build();
        let schema = schema(&columns).map_err(|why| failure(path, why))?;
        let file = File::create(unfinished(path)).map_err(at(path))?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(|why| failure(path, why))?;
        Ok(Self { study, columns, writer, waiting: Vec::new(), path: path.to_owned() })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, rows: Vec<DesignRow>) -> Result<(), StudyFailure> {
        self.waiting.extend(rows);
        while self.waiting.len() >= ROWS {
            let rest = self.waiting.split_off(ROWS);
            let rows = std::mem::replace(&mut self.waiting, rest);
            self.group(&rows).map_err(|why| failure(&self.path, why))?;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<(), StudyFailure> {
        let rows = std::mem::take(&mut self.waiting);
        let path = self.path.clone();
        if !rows.is_empty() {
            self.group(&rows).map_err(|why| failure(&path, why))?;
        }
        let file = self.writer.into_inner().map_err(|why| failure(&path, why))?;
        file.sync_all().map_err(at(&path))?;
        std::fs::rename(unfinished(&path), &path).map_err(at(&path))
    }

    fn group(&mut self, rows: &[DesignRow]) -> Result<(), ParquetError> {
        let rows: Vec<Vec<Cell>> = rows.iter().map(|row| row_cells(self.study, &self.columns, row)).collect();
        let mut group = self.writer.next_row_group()?;
        for (index, column) in self.columns.iter().enumerate() {
            write_column(&mut group, column.kind, rows.iter().filter_map(|cells| cells.get(index)))?;
        }
        group.close()?;
        Ok(())
    }
}

fn write_column<'c>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    kind: Kind,
    cells: impl Iterator<Item = &'c Cell>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Err(ParquetError::General("A column too many".into())) };
    let cells: Vec<&Cell> = cells.collect();
    match kind {
        Kind::Count => {
            let of = |cell: &&Cell| if let Cell::Count(count) = cell { *count as i64 } else { 0 };
            let values: Vec<i64> = cells.iter().map(of).collect();
            column.typed::<Int64Type>().write_batch(&values, None, None)?;
        }
        Kind::Number => {
            let of = |cell: &&Cell| if let Cell::Number(number) = cell { *number } else { None };
            let values: Vec<Option<f64>> = cells.iter().map(of).collect();
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<f64> = values.into_iter().flatten().collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
        Kind::Text => {
            let of = |cell: &&Cell| if let Cell::Text(text) = cell { text.clone() } else { None };
            let values: Vec<Option<String>> = cells.iter().map(of).collect();
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<ByteArray> =
                values.into_iter().flatten().map(|text| ByteArray::from(text.into_bytes())).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    column.close()
}
