//! Results in Parquet files: a row a design, and in the file's own metadata the study with everything that it depends on.

use super::columns::{Cell, Kind, ResultColumn, columns, row_cells, row_of_cells};
use super::{StudyFailure, at};
use crate::explore::study::{DesignRow, Study, StudyRequest};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are written, and read, together.
const ROWS: usize = 1 << 14;
/// Name of the metadata.
const STUDY: &str = "fusescape.study";
/// Longest text of a cell that is read, bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// What a result file says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultNote {
    /// A number that only results of one study share.
    pub key: String,
    /// The study; part files leave it out, which stand beside others of their kind.
    pub study: Option<StudyRequest>,
    /// The tasks of which it has all rows, in order; of a study whose number of tasks is not known: from the first on.
    pub tasks: Range<u64>,
    /// What it was made by: version and commit.
    pub made_by: String,
}

impl ResultNote {
    /// Of some tasks of a study, by this program.
    fn new(study: &Study, tasks: Range<u64>, is_part: bool) -> Self {
        let commit = option_env!("FUSESCAPE_COMMIT").unwrap_or("unknown");
        Self {
            key: key_of(study),
            study: (!is_part).then(|| study.request.clone()),
            tasks,
            made_by: format!("fusescape {} ({commit})", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// A number that only equal studies share.
pub fn key_of(study: &Study) -> String {
    format!("{:016x}", study.request.key())
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

fn schema(columns: &[ResultColumn]) -> Result<TypePtr, ParquetError> {
    let field = |column: &ResultColumn| {
        let (kind, repetition) = match column.kind {
            Kind::Count => (PhysicalType::INT64, Repetition::REQUIRED),
            Kind::Number => (PhysicalType::DOUBLE, Repetition::OPTIONAL),
            Kind::Text => (PhysicalType::BYTE_ARRAY, Repetition::OPTIONAL),
        };
        let builder = Type::primitive_type_builder(&column.name, kind).with_repetition(repetition);
        let logical = (column.kind == Kind::Text).then_some(LogicalType::String);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("study").with_fields(fields).build().map(Arc::new)
}

/// Takes rows, some thousand at a time.
pub type TakeRows<'a> = &'a mut dyn FnMut(Vec<DesignRow>) -> Result<(), StudyFailure>;

/// A result file that is read.
pub struct ResultFile {
    /// What it says of itself.
    pub note: ResultNote,
    reader: SerializedFileReader<File>,
    columns: Vec<ResultColumn>,
    path: PathBuf,
}

impl ResultFile {
    /// Opens a file of anybody's, and the study of which it has results.
    ///
    /// # Errors
    /// It is no result file, or none that this program can read.
    pub fn open(path: &Path) -> Result<(Study, Self), StudyFailure> {
        let (note, reader) = Self::opened(path)?;
        let missing = "The file does not say of which study it is. Name the results of a whole run.";
        let request = note.study.clone().ok_or_else(|| failure(path, missing))?;
        let study = Study::new(request).map_err(|wrong| failure(path, wrong))?;
        let file = Self::of(&study, note, reader, path)?;
        Ok((study, file))
    }

    /// Opens a part file of a study.
    ///
    /// # Errors
    /// It is no result file, or of another study.
    pub fn open_part(study: &Study, path: &Path) -> Result<Self, StudyFailure> {
        let (note, reader) = Self::opened(path)?;
        Self::of(study, note, reader, path)
    }

    fn opened(path: &Path) -> Result<(ResultNote, SerializedFileReader<File>), StudyFailure> {
        let file = File::open(path).map_err(at(path))?;
        guarded(path, || {
            let reader = SerializedFileReader::new(file).map_err(|why| failure(path, why))?;
            let notes = reader.metadata().file_metadata().key_value_metadata().into_iter().flatten();
            let note = notes.into_iter().find(|entry| entry.key == STUDY).and_then(|entry| entry.value.clone());
            let missing = "The file has no study. Name one that `fusescape study run` wrote.";
            let note = note.ok_or_else(|| failure(path, missing))?;
            Ok((serde_json::from_str(&note).map_err(|why| failure(path, why))?, reader))
        })
    }

    fn of(
        study: &Study,
        note: ResultNote,
        reader: SerializedFileReader<File>,
        path: &Path,
    ) -> Result<Self, StudyFailure> {
        let columns = columns(study);
        let expected = schema(&columns).map_err(|why| failure(path, why))?;
        if note.key != key_of(study) {
            return Err(failure(path, "These are results of another study."));
        }
        if reader.metadata().file_metadata().schema().get_fields() != expected.get_fields() {
            return Err(failure(path, "Its columns are not those of its study. It was written by another version."));
        }
        Ok(Self { note, reader, columns, path: path.to_owned() })
    }

    /// Gives all rows, in order, some thousand at a time.
    ///
    /// # Errors
    /// The file is damaged, or `take` fails.
    pub fn rows(&self, study: &Study, take: TakeRows<'_>) -> Result<(), StudyFailure> {
        for group in 0..self.reader.num_row_groups() {
            let mut readers = guarded(&self.path, || {
                let group = self.reader.get_row_group(group).map_err(|why| failure(&self.path, why))?;
                let column = |index: usize| group.get_column_reader(index).map_err(|why| failure(&self.path, why));
                (0..self.columns.len()).map(column).collect::<Result<Vec<ColumnReader>, _>>()
            })?;
            loop {
                let rows = guarded(&self.path, || self.some_rows(study, &mut readers))?;
                if rows.is_empty() {
                    break;
                }
                take(rows)?;
            }
        }
        Ok(())
    }

    fn some_rows(&self, study: &Study, readers: &mut [ColumnReader]) -> Result<Vec<DesignRow>, StudyFailure> {
        let damaged = || failure(&self.path, "The file is damaged. Write it anew.");
        let mut columns = Vec::with_capacity(readers.len());
        for (reader, column) in readers.iter_mut().zip(&self.columns) {
            let cells = read_cells(reader, column.kind).map_err(|why| failure(&self.path, why))?;
            columns.push(cells.ok_or_else(damaged)?.into_iter());
        }
        let count = columns.first().map_or(0, ExactSizeIterator::len);
        if columns.iter().any(|column| column.len() != count) {
            return Err(damaged());
        }
        let mut rows = Vec::with_capacity(count);
        for _ in 0..count {
            let cells: Vec<Cell> = columns.iter_mut().filter_map(Iterator::next).collect();
            rows.push(row_of_cells(study, &self.columns, &cells).ok_or_else(damaged)?);
        }
        Ok(rows)
    }
}

/// The next cells of a column; `None` where they are not of its kind.
fn read_cells(reader: &mut ColumnReader, kind: Kind) -> Result<Option<Vec<Cell>>, ParquetError> {
    let mut levels = Vec::new();
    Ok(match (reader, kind) {
        (ColumnReader::Int64ColumnReader(reader), Kind::Count) => {
            let mut values = Vec::new();
            reader.read_records(ROWS, None, None, &mut values)?;
            values.into_iter().map(|value| u64::try_from(value).ok().map(Cell::Count)).collect()
        }
        (ColumnReader::DoubleColumnReader(reader), Kind::Number) => {
            let mut values = Vec::new();
            reader.read_records(ROWS, Some(&mut levels), None, &mut values)?;
            let values = values.into_iter().map(Cell::from_number);
            spread(&levels, values, &Cell::Number(None))
        }
        (ColumnReader::ByteArrayColumnReader(reader), Kind::Text) => {
            let mut values = Vec::new();
            reader.read_records(ROWS, Some(&mut levels), None, &mut values)?;
            let text = |bytes: ByteArray| {
                let text = std::str::from_utf8(bytes.data()).ok().filter(|text| text.len() <= LONGEST_TEXT)?;
                Some(Cell::Text(Some(text.to_owned())))
            };
            let values: Option<Vec<Cell>> = values.into_iter().map(text).collect();
            values.and_then(|values| spread(&levels, values.into_iter(), &Cell::Text(None)))
        }
        _ => None,
    })
}

impl Cell {
    fn from_number(value: f64) -> Self {
        Self::Number(Some(value))
    }
}

/// Values with nothing in between, where their levels say so.
fn spread(levels: &[i16], mut values: impl Iterator<Item = Cell>, nothing: &Cell) -> Option<Vec<Cell>> {
    levels.iter().map(|&level| if level == 0 { Some(nothing.clone()) } else { values.next() }).collect()
}

fn failure(path: &Path, why: impl std::fmt::Display) -> StudyFailure {
    StudyFailure::Files(format!("{}: {why}", path.display()))
}

/// What `read` finds. The library that reads Parquet may panic on a file that somebody damaged; that is an error of the file.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, StudyFailure>) -> Result<T, StudyFailure> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(failure(path, "The file is damaged. Write it anew.")))
}
