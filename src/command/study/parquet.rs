//! Result files on disk: writing row by row, and opening by path.

use super::failure::{StudyFailure, at, not_kept};
use super::unfinished::{Unfinished, folder_of};
use fusescape_engine::explore::study::{DesignRow, DesignSpace};
use fusescape_results::parquet::{DIGESTS, ROWS, STUDY, schema};
use fusescape_results::{
    CellValue, ColumnKind, Digests, GroupDigest, ResultColumn, ResultFile, ResultNote, UnreadFile, columns, digest_of,
    row_cells,
};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use std::fs::File;
use std::ops::Range;
use std::path::Path;
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

/// Opens a file from any source, and the study of its results.
///
/// # Errors
/// If it is not a result file, or this program cannot read it.
pub fn open(path: &Path) -> Result<(DesignSpace, StudyFile), StudyFailure> {
    Ok(ResultFile::open(&path.display().to_string(), File::open(path).map_err(at(path))?)?)
}

/// Opens a part file of a study.
///
/// # Errors
/// If it is not a result file, or of another study.
pub fn open_part(study: &DesignSpace, path: &Path) -> Result<StudyFile, StudyFailure> {
    Ok(ResultFile::open_part(study, &path.display().to_string(), File::open(path).map_err(at(path))?)?)
}

fn failure(path: &Path) -> impl Fn(ParquetError) -> StudyFailure {
    move |why| match why {
        ParquetError::External(why) => match why.downcast::<std::io::Error>() {
            Ok(error) => at(path)(*error),
            Err(why) => StudyFailure::Files(format!("{}: {why}", path.display())),
        },
        why => StudyFailure::Files(format!("{}: {why}", path.display())),
    }
}

/// Writes a result file, which gets its name when it is complete.
pub struct ResultWriter<'s> {
    study: &'s DesignSpace,
    columns: Vec<ResultColumn>,
    writer: SerializedFileWriter<File>,
    waiting: Vec<DesignRow>,
    rows: u64,
    digests: Digests,
    is_checked: bool,
    file: Unfinished,
}

impl<'s> ResultWriter<'s> {
    /// A file with the rows of some tasks, in `folder` while it is being written.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(study: &'s DesignSpace, tasks: Range<u64>, path: &Path, folder: &Path) -> Result<Self, StudyFailure> {
        Self::noted(study, &ResultNote::new(study, tasks, false), path, folder)
    }

    /// A part file with the rows of one task.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn part(study: &'s DesignSpace, task: u64, path: &Path) -> Result<Self, StudyFailure> {
        Self::noted(study, &ResultNote::new(study, task..task + 1, true), path, folder_of(path))
    }

    fn noted(study: &'s DesignSpace, note: &ResultNote, path: &Path, folder: &Path) -> Result<Self, StudyFailure> {
        let columns = columns(study);
        let note = serde_json::to_string(note).map_err(|why| at(path)(why.into()))?;
        let digests = Digests { note: digest_of(&note), groups: Vec::new() };
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![KeyValue::new(STUDY.to_owned(), note)]))
            .build();
        let schema = schema(&columns).map_err(failure(path))?;
        let file = Unfinished::new(path, folder)?;
        let writer = SerializedFileWriter::new(file.open()?, schema, Arc::new(properties)).map_err(failure(path))?;
        Ok(Self { study, columns, writer, waiting: Vec::new(), rows: 0, digests, is_checked: true, file })
    }

    /// Leaves out the digests, as some rows come from an unchecked source.
    pub fn leave_unchecked(&mut self) {
        self.is_checked = false;
    }

    /// Adds rows.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, rows: Vec<DesignRow>) -> Result<(), StudyFailure> {
        self.waiting.extend(rows);
        while self.waiting.len() >= ROWS {
            let rest = self.waiting.split_off(ROWS);
            let rows = std::mem::replace(&mut self.waiting, rest);
            self.group(&rows).map_err(failure(self.file.path()))?;
        }
        Ok(())
    }

    /// Completes the file, and verifies it by reading it back.
    ///
    /// # Errors
    /// If the file cannot be written, or does not contain the written data.
    pub fn end_checked(self) -> Result<Unfinished, StudyFailure> {
        let (study, rows) = (self.study, self.rows + self.waiting.len() as u64);
        let file = self.end()?;
        file.sync()?;
        let mut kept = 0;
        let back = ResultFile::open_part(study, &file.path().display().to_string(), file.open()?);
        let read = back.and_then(|back| {
            back.rows(study, &mut |rows| -> Result<(), UnreadFile> {
                kept += rows.len() as u64;
                Ok(())
            })
        });
        if read.is_ok() && kept == rows { Ok(file) } else { Err(not_kept(file.path())) }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(mut self) -> Result<Unfinished, StudyFailure> {
        let rows = std::mem::take(&mut self.waiting);
        if !rows.is_empty() {
            self.group(&rows).map_err(failure(self.file.path()))?;
        }
        if self.is_checked {
            let digests = serde_json::to_string(&self.digests).map_err(|why| at(self.file.path())(why.into()))?;
            self.writer.append_key_value_metadata(KeyValue::new(DIGESTS.to_owned(), digests));
        }
        self.writer.finish().map_err(failure(self.file.path()))?;
        Ok(self.file)
    }

    fn group(&mut self, rows: &[DesignRow]) -> Result<(), ParquetError> {
        self.rows += rows.len() as u64;
        let rows: Vec<Vec<CellValue>> = rows.iter().map(|row| row_cells(self.study, &self.columns, row)).collect();
        let mut digest = GroupDigest::new(self.columns.len());
        let mut group = self.writer.next_row_group()?;
        for (index, column) in self.columns.iter().enumerate() {
            digest.add(index, rows.iter().filter_map(|cells| cells.get(index)));
            write_column(&mut group, column.kind, rows.iter().filter_map(|cells| cells.get(index)))?;
        }
        group.close()?;
        self.digests.groups.push(digest.end());
        Ok(())
    }
}

fn write_column<'c>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    kind: ColumnKind,
    cells: impl Iterator<Item = &'c CellValue>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Err(ParquetError::General("A column too many".into())) };
    let cells: Vec<&CellValue> = cells.collect();
    match kind {
        ColumnKind::Count => {
            let of = |cell: &&CellValue| if let CellValue::Count(count) = cell { *count as i64 } else { 0 };
            let values: Vec<i64> = cells.iter().map(of).collect();
            column.typed::<Int64Type>().write_batch(&values, None, None)?;
        }
        ColumnKind::Number => {
            let of = |cell: &&CellValue| if let CellValue::Number(number) = cell { *number } else { None };
            let values: Vec<Option<f64>> = cells.iter().map(of).collect();
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<f64> = values.into_iter().flatten().collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnKind::Text => {
            let of = |cell: &&CellValue| if let CellValue::Text(text) = cell { text.clone() } else { None };
            let values: Vec<Option<String>> = cells.iter().map(of).collect();
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            let values: Vec<ByteArray> =
                values.into_iter().flatten().map(|text| ByteArray::from(text.into_bytes())).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    column.close()
}
