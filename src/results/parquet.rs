//! Results in Parquet files: one row per design, and in the file's metadata the study with everything that it depends
//! on.

use super::claims::{columns_are_sound, end_is_sound};
use super::columns::{CellValue, ColumnKind, ResultColumn, columns, row_of_cells};
use super::designs::Designs;
use super::digest::{Digests, GroupDigest, digest_of};
use fusescape_engine::explore::study::{DesignRow, DesignSpace, StudyRequest};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::{Type, TypePtr};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Rows that are written and read at a time.
pub const ROWS: usize = 1 << 14;
/// Key of the metadata with the [`ResultNote`].
pub const STUDY: &str = "fusescape.study";
/// Key of the metadata with the [`Digests`].
pub const DIGESTS: &str = "fusescape.digests";
/// The first bytes of every Parquet file.
const MAGIC: &[u8] = b"PAR1";
/// Remedy for a file that is not as it was written.
const ANEW: &str = "Remove it, and run the study again.";
/// Limit on the length of a text in a cell, bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// The reason why a result file cannot be read, in a sentence that begins with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile(pub String);

fn failure(name: &str, why: impl Display) -> UnreadFile {
    UnreadFile(format!("{name}: {why}"))
}

/// The result of `read`. The Parquet library may panic on a damaged file, which is turned into an error.
fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T, UnreadFile>) -> Result<T, UnreadFile> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(name)))
}

fn damaged(name: &str) -> UnreadFile {
    failure(name, format!("The file is damaged. {ANEW}"))
}

/// Checks that each column has a supported compression. Zstandard is not supported in WebAssembly, where its C library
/// cannot be built.
fn check_compression(name: &str, file: &ParquetMetaData) -> Result<(), UnreadFile> {
    let columns = file.row_groups().iter().flat_map(RowGroupMetaData::columns);
    for compression in columns.map(ColumnChunkMetaData::compression) {
        let remedy = match compression {
            Compression::UNCOMPRESSED | Compression::SNAPPY => continue,
            Compression::ZSTD(_) if cfg!(target_arch = "wasm32") => "Write it without compression, or with Snappy",
            Compression::ZSTD(_) => continue,
            _ => "Write it with Snappy or Zstandard",
        };
        return Err(failure(name, format!("It is compressed by {compression}, which cannot be read here. {remedy}.")));
    }
    Ok(())
}

/// The metadata of a result file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultNote {
    /// A hash of the study.
    pub key: String,
    /// The study; `None` in part files, which are stored with others of the same study.
    pub study: Option<StudyRequest>,
    /// The tasks whose rows are all in the file, in order; from the first on if the number of tasks of the study is not
    /// known.
    pub tasks: Range<u64>,
    /// Program that made it: version and commit.
    pub made_by: String,
}

impl ResultNote {
    /// For some tasks of a study, made by this program.
    pub fn new(study: &DesignSpace, tasks: Range<u64>, is_part: bool) -> Self {
        let commit = fusescape_version::COMMIT.unwrap_or("unknown");
        Self {
            key: key_of(study),
            study: (!is_part).then(|| study.request.clone()),
            tasks,
            made_by: format!("fusescape {} ({commit})", fusescape_version::RELEASE),
        }
    }
}

/// A hash that only equal studies share.
pub fn key_of(study: &DesignSpace) -> String {
    format!("{:016x}", study.request.key())
}

/// The schema of a file.
///
/// # Errors
/// Never for columns of a study.
pub fn schema(columns: &[ResultColumn]) -> Result<TypePtr, ParquetError> {
    let field = |column: &ResultColumn| {
        let (kind, repetition) = match column.kind {
            ColumnKind::Count => (PhysicalType::INT64, Repetition::REQUIRED),
            ColumnKind::Number => (PhysicalType::DOUBLE, Repetition::OPTIONAL),
            ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Repetition::OPTIONAL),
        };
        let builder = Type::primitive_type_builder(&column.name, kind).with_repetition(repetition);
        let logical = (column.kind == ColumnKind::Text).then_some(LogicalType::String);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("study").with_fields(fields).build().map(Arc::new)
}

/// An open result file.
pub struct ResultFile<R: ChunkReader + 'static> {
    /// Its metadata.
    pub note: ResultNote,
    digests: Option<Digests>,
    reader: SerializedFileReader<R>,
    columns: Vec<ResultColumn>,
    name: String,
}

/// An opened file without its checked metadata.
struct OpenedFile<R: ChunkReader + 'static> {
    note: ResultNote,
    digests: Option<Digests>,
    reader: SerializedFileReader<R>,
}

impl<R: ChunkReader + 'static> ResultFile<R> {
    /// Opens a file from any source, and the study of its results; errors begin with `name`.
    ///
    /// # Errors
    /// If it is not a result file, or this program cannot read it.
    pub fn open(name: &str, file: R) -> Result<(DesignSpace, Self), UnreadFile> {
        let opened = Self::opened(name, file)?;
        let missing = "The file does not say of which study it is. Name the results of a whole run.";
        let request = opened.note.study.clone().ok_or_else(|| failure(name, missing))?;
        let study = DesignSpace::new(request).map_err(|wrong| failure(name, wrong))?;
        let file = Self::of(&study, opened, name)?;
        Ok((study, file))
    }

    /// Opens a part file of a study.
    ///
    /// # Errors
    /// If it is not a result file, or of another study.
    pub fn open_part(study: &DesignSpace, name: &str, file: R) -> Result<Self, UnreadFile> {
        Self::of(study, Self::opened(name, file)?, name)
    }

    fn opened(name: &str, file: R) -> Result<OpenedFile<R>, UnreadFile> {
        guarded(name, || {
            let begins = file.get_bytes(0, MAGIC.len());
            if begins.is_ok_and(|begin| *begin != *MAGIC) {
                let remedy = "Name one that `fusescape study run` wrote; its CSV cannot be read back";
                return Err(failure(name, format!("This is no Parquet file. {remedy}.")));
            }
            if !end_is_sound(&file) {
                return Err(damaged(name));
            }
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(|_| damaged(name))?;
            check_compression(name, &metadata)?;
            if !columns_are_sound(&file, &metadata) {
                return Err(damaged(name));
            }
            let reader = SerializedFileReader::new(file).map_err(|_| damaged(name))?;
            let entries = reader.metadata().file_metadata().key_value_metadata();
            let entry = |key: &str| {
                let found = entries.into_iter().flatten().find(|entry| entry.key == key);
                found.and_then(|entry| entry.value.clone())
            };
            let missing = "The file has no study. Name one that `fusescape study run` wrote.";
            let note = entry(STUDY).ok_or_else(|| failure(name, missing))?;
            let digests: Option<Digests> = match entry(DIGESTS) {
                Some(text) => Some(serde_json::from_str(&text).map_err(|_| damaged(name))?),
                None => None,
            };
            if digests.as_ref().is_some_and(|known| known.note != digest_of(&note)) {
                return Err(damaged(name));
            }
            let note = serde_json::from_str(&note).map_err(|why| failure(name, why))?;
            Ok(OpenedFile { note, digests, reader })
        })
    }

    fn of(study: &DesignSpace, opened: OpenedFile<R>, name: &str) -> Result<Self, UnreadFile> {
        let OpenedFile { note, digests, reader } = opened;
        let columns = columns(study);
        let expected = schema(&columns).map_err(|why| failure(name, why))?;
        if note.key != key_of(study) {
            return Err(failure(name, "These are results of another study. Name results of one study."));
        }
        if reader.metadata().file_metadata().schema().get_fields() != expected.get_fields() {
            return Err(failure(name, "Its columns are not those of its study. It was written by another version."));
        }
        if digests.as_ref().is_some_and(|digests| digests.groups.len() != reader.num_row_groups()) {
            return Err(damaged(name));
        }
        Ok(Self { note, digests, reader, columns, name: name.to_owned() })
    }

    /// Whether the file has digests, by which everything that is read is checked. Files of older versions and of other
    /// programs have none.
    pub fn is_checked(&self) -> bool {
        self.digests.is_some()
    }

    pub fn count(&self) -> u64 {
        self.reader.metadata().file_metadata().num_rows().try_into().unwrap_or(0)
    }

    pub fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    /// Passes all rows to `take`, in order, some thousand at a time.
    ///
    /// # Errors
    /// If the file is damaged, has values that no design of the study has, or a design twice; or if `take` fails.
    pub fn rows<E: From<UnreadFile>>(
        &self,
        study: &DesignSpace,
        take: &mut dyn FnMut(Vec<DesignRow>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut known = Designs::default();
        (0..self.groups()).try_for_each(|group| self.rows_of_group(study, group, &mut known, take))
    }

    /// Passes the rows of a group to `take`; `known` are the designs of the groups before it.
    ///
    /// # Errors
    /// Those of [`Self::rows`].
    pub fn rows_of_group<E: From<UnreadFile>>(
        &self,
        study: &DesignSpace,
        group: usize,
        known: &mut Designs,
        take: &mut dyn FnMut(Vec<DesignRow>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut number = 0_u64;
        self.cells(group, &mut |columns| {
            let count = columns.first().map_or(0, Vec::len);
            let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
            let row = |_| {
                number += 1;
                let cells: Vec<CellValue> = columns.iter_mut().filter_map(Iterator::next).collect();
                let row = row_of_cells(study, &self.columns, &cells)
                    .map_err(|wrong| format!("column `{}`: {}", wrong.column, wrong.why));
                let row = row.and_then(|row| match known.add(row.design) {
                    true => Ok(row),
                    false => Err(format!("design {} is there twice", row.design)),
                });
                row.map_err(|why| {
                    let place = if self.groups() > 1 { format!("Group {}, row", group + 1) } else { "Row".to_owned() };
                    failure(&self.name, format!("{place} {number}: {why}. {ANEW}"))
                })
            };
            take((0..count).map(row).collect::<Result<_, _>>()?)
        })
    }

    /// Number of groups of rows.
    pub fn groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// Passes the cells of a group of rows to `take`, column by column, some thousand rows at a time.
    ///
    /// # Errors
    /// If the file is damaged, or `take` fails.
    fn cells<E: From<UnreadFile>>(
        &self,
        group: usize,
        take: &mut dyn FnMut(Vec<Vec<CellValue>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut readers = guarded(&self.name, || {
            let group = self.reader.get_row_group(group).map_err(|_| damaged(&self.name))?;
            let column = |index: usize| group.get_column_reader(index).map_err(|_| damaged(&self.name));
            (0..self.columns.len()).map(column).collect::<Result<Vec<ColumnReader>, _>>()
        })?;
        let mut digest = GroupDigest::new(self.columns.len());
        loop {
            let columns = guarded(&self.name, || self.some_cells(&mut readers))?;
            if columns.first().is_none_or(Vec::is_empty) {
                break;
            }
            columns.iter().enumerate().for_each(|(column, cells)| digest.add(column, cells));
            take(columns)?;
        }
        let known = self.digests.as_ref().and_then(|digests| digests.groups.get(group));
        if known.is_some_and(|known| *known != digest.end()) { Err(damaged(&self.name).into()) } else { Ok(()) }
    }

    fn some_cells(&self, readers: &mut [ColumnReader]) -> Result<Vec<Vec<CellValue>>, UnreadFile> {
        let mut columns = Vec::with_capacity(readers.len());
        for (reader, column) in readers.iter_mut().zip(&self.columns) {
            let cells = read_cells(reader, column.kind).map_err(|_| damaged(&self.name))?;
            columns.push(cells.ok_or_else(|| damaged(&self.name))?);
        }
        let count = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != count) { Err(damaged(&self.name)) } else { Ok(columns) }
    }
}

/// The next cells of a column; `None` if they are not of its kind.
fn read_cells(reader: &mut ColumnReader, kind: ColumnKind) -> Result<Option<Vec<CellValue>>, ParquetError> {
    let mut levels = Vec::new();
    Ok(match (reader, kind) {
        (ColumnReader::Int64ColumnReader(reader), ColumnKind::Count) => {
            let mut values = Vec::new();
            reader.read_records(ROWS, None, None, &mut values)?;
            values.into_iter().map(|value| u64::try_from(value).ok().map(CellValue::Count)).collect()
        }
        (ColumnReader::DoubleColumnReader(reader), ColumnKind::Number) => {
            let mut values = Vec::new();
            reader.read_records(ROWS, Some(&mut levels), None, &mut values)?;
            let values = values.into_iter().map(CellValue::from_number);
            spread(&levels, values, &CellValue::Number(None))
        }
        (ColumnReader::ByteArrayColumnReader(reader), ColumnKind::Text) => {
            let mut values = Vec::new();
            reader.read_records(ROWS, Some(&mut levels), None, &mut values)?;
            let text = |bytes: ByteArray| {
                let text = std::str::from_utf8(bytes.data()).ok().filter(|text| text.len() <= LONGEST_TEXT)?;
                Some(CellValue::Text(Some(text.to_owned())))
            };
            let values: Option<Vec<CellValue>> = values.into_iter().map(text).collect();
            values.and_then(|values| spread(&levels, values.into_iter(), &CellValue::Text(None)))
        }
        _ => None,
    })
}

impl CellValue {
    fn from_number(value: f64) -> Self {
        Self::Number(Some(value))
    }
}

/// Values with empty cells inserted by their definition levels.
fn spread(levels: &[i16], mut values: impl Iterator<Item = CellValue>, nothing: &CellValue) -> Option<Vec<CellValue>> {
    levels.iter().map(|&level| if level == 0 { Some(nothing.clone()) } else { values.next() }).collect()
}
