//! Rows of a result for data frames, through the Arrow C stream interface: pandas, polars, DuckDB and others read them
//! without a copy.
//!
//! The columns of a kind of result are fixed, so that tables of several runs can be concatenated.

use crate::errors::failed;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray, UInt64Array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use fusescape_command::study::{StudyFailure, open};
use fusescape_engine::cost::{EnergyCause, LatencyCause};
use fusescape_results::{CellValue, ColumnKind as CellKind, Designs, ResultColumn, UnreadFile, row_cells};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The type of a column. Any value may be missing.
#[derive(Clone, Copy)]
enum ArrowType {
    /// Text; a list is joined by commas, sentences by spaces.
    Words,
    /// Integers.
    Count,
    /// Numbers.
    Real,
    /// Booleans.
    Flag,
}

/// A column: its name, its type, and its place in a row, as a JSON pointer.
struct ArrowColumn {
    name: String,
    kind: ArrowType,
    pointer: String,
}

/// A column with the name of the field.
fn field(name: &str, kind: ArrowType) -> ArrowColumn {
    ArrowColumn { name: name.to_owned(), kind, pointer: format!("/{name}") }
}

/// The place of the rows in a kind of result, and their columns.
fn layout(kind: &str) -> Option<(&'static str, Vec<ArrowColumn>)> {
    use ArrowType::{Count, Flag, Real, Words};
    let schedule = [("mode", Words), ("tile_x_columns", Count), ("tile_y_rows", Count)];
    let costs = [("energy_pj", Real), ("latency_cycles", Count), ("dram_words", Real), ("score", Real)];
    let all = |parts: &[&[(&str, ArrowType)]]| -> Vec<ArrowColumn> {
        parts.iter().copied().flatten().map(|&(name, kind)| field(name, kind)).collect()
    };
    Some(match kind {
        "depth-first" => {
            let flags = [("stacks", Words), ("macs", Count), ("is_best", Flag), ("is_pareto_optimal", Flag)];
            let mut columns = all(&[&schedule, &costs, &flags]);
            let energy = EnergyCause::ALL.map(|cause| (format!("{}_pj", cause.key()), Real, "energy"));
            let latency = LatencyCause::ALL.map(|cause| (cause.key(), Count, "latency"));
            let latency = latency.map(|(key, kind, of)| (format!("{key}_cycles"), kind, of));
            columns.extend(energy.into_iter().chain(latency).map(|(key, kind, of)| ArrowColumn {
                pointer: format!("/{of}/{key}"),
                name: format!("{of}.{key}"),
                kind,
            }));
            columns.push(field("impossible", Words));
            ("points", columns)
        }
        "optimal" => ("stacks", all(&[&[("layers", Words)], &schedule, &[("tiles", Count)], &costs])),
        "fuse" => {
            let figures = [("energy_pj", Real), ("latency_cycles", Count), ("dram_words", Real)];
            let optimus = [("optimus_dram_bytes", Count), ("impossible", Words)];
            ("methods", all(&[&[("method", Words)], &figures, &optimus]))
        }
        "layer" => {
            let figures = [("layer", Words), ("macs", Count), ("energy_pj", Real), ("latency_cycles", Count)];
            ("layers", all(&[&figures, &[("impossible", Words)]]))
        }
        "hierarchy" => {
            let figures = [("name", Words), ("energy_pj", Real), ("latency_cycles", Count), ("area_um2", Real)];
            ("front", all(&[&figures, &[("estimated", Flag)]]))
        }
        "attention" => {
            let costs = [("energy_pj", Real), ("latency_cycles", Count), ("dram_bits", Count), ("macs", Count)];
            let of_best =
                |(name, kind): (&str, ArrowType)| ArrowColumn { pointer: format!("/best/{name}"), ..field(name, kind) };
            let tiles = [("queries", Count), ("heads", Count), ("keys", Count), ("held", Words)];
            let of_tiles = |(name, kind): (&str, ArrowType)| ArrowColumn {
                pointer: format!("/best/schedule/{name}"),
                ..field(name, kind)
            };
            let mut columns = vec![field("fusion", Words)];
            columns.extend(tiles.map(of_tiles).into_iter().chain(costs.map(of_best)));
            columns.push(of_best(("bound_by", Words)));
            ("schedules", columns)
        }
        "divided-attention" => {
            let parts = ["heads", "queries", "keys", "sequences", "layers"];
            let of_split = |name: &str| ArrowColumn { pointer: format!("/split/{name}"), ..field(name, Count) };
            let figures = [
                ("energy_pj", Real),
                ("link_energy_pj", Real),
                ("latency_cycles", Count),
                ("interval_cycles", Count),
                ("link_cycles", Count),
                ("link_bits", Count),
                ("dram_bits", Count),
                ("macs", Count),
                ("cache_bytes_of_a_core", Real),
                ("keys_in", Words),
            ];
            ("divided", parts.map(of_split).into_iter().chain(all(&[&figures])).collect())
        }
        "published-attention" => {
            let figures = [("dataflow", Words), ("latency_s", Real), ("energy_pj", Real), ("dram_bytes", Real)];
            let used = [("utilisation_2d", Real), ("utilisation_1d", Real)];
            ("published", all(&[&figures, &used]))
        }
        "cores" => ("layers", all(&[&[("name", Words), ("cores", Words)]])),
        _ => return None,
    })
}

impl ArrowColumn {
    fn field(&self) -> Field {
        let kind = match self.kind {
            ArrowType::Words => DataType::Utf8,
            ArrowType::Count => DataType::UInt64,
            ArrowType::Real => DataType::Float64,
            ArrowType::Flag => DataType::Boolean,
        };
        Field::new(&self.name, kind, true)
    }

    fn array(&self, rows: &[Value]) -> ArrayRef {
        let cells = rows.iter().map(|row| row.pointer(&self.pointer));
        match self.kind {
            ArrowType::Words => Arc::new(cells.map(|cell| cell.and_then(words)).collect::<StringArray>()),
            ArrowType::Count => Arc::new(cells.map(|cell| cell?.as_u64()).collect::<UInt64Array>()),
            ArrowType::Real => Arc::new(cells.map(|cell| cell?.as_f64()).collect::<Float64Array>()),
            ArrowType::Flag => Arc::new(cells.map(|cell| cell?.as_bool()).collect::<BooleanArray>()),
        }
    }
}

/// A text, or several joined ones.
fn words(cell: &Value) -> Option<String> {
    match cell {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            Some(words.join(if words.iter().any(|word| word.ends_with(['.', '?'])) { " " } else { ", " }))
        }
        _ => None,
    }
}

/// Rows of a result, for any library that reads the Arrow C stream interface: `polars.DataFrame(rows)`.
#[pyclass(frozen, module = "fusescape._fusescape")]
pub struct Rows {
    schema: SchemaRef,
    count: usize,
    source: RowSource,
}

enum RowSource {
    Memory(RecordBatch),
    /// A result file of a study.
    File(PathBuf),
}

impl Rows {
    fn of_batch(batch: RecordBatch) -> Self {
        Self { schema: batch.schema(), count: batch.num_rows(), source: RowSource::Memory(batch) }
    }

    /// Rows of a study, given as cells.
    ///
    /// # Errors
    /// Never for cells of these columns.
    pub fn of_cells(columns: &[ResultColumn], rows: Vec<Vec<CellValue>>) -> PyResult<Self> {
        let mut cells: Vec<Vec<CellValue>> = columns.iter().map(|_| Vec::with_capacity(rows.len())).collect();
        for row in rows {
            for (column, cell) in cells.iter_mut().zip(row) {
                column.push(cell);
            }
        }
        study_batch(&study_schema(columns), &cells).map(Self::of_batch).map_err(wrong)
    }

    /// Rows of a study's result file, read on demand.
    ///
    /// # Errors
    /// If it is not a result file.
    pub fn of_file(path: PathBuf) -> Result<Self, StudyFailure> {
        let (_, file) = open(&path)?;
        let count = usize::try_from(file.count()).unwrap_or(usize::MAX);
        Ok(Self { schema: study_schema(file.columns()), count, source: RowSource::File(path) })
    }
}

/// The columns of a study's results.
fn study_schema(columns: &[ResultColumn]) -> SchemaRef {
    let field = |column: &ResultColumn| match column.kind {
        CellKind::Count => Field::new(&column.name, DataType::UInt64, false),
        CellKind::Number => Field::new(&column.name, DataType::Float64, true),
        CellKind::Text => Field::new(&column.name, DataType::Utf8, true),
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Cells, column by column, as a batch.
fn study_batch(schema: &SchemaRef, columns: &[Vec<CellValue>]) -> Result<RecordBatch, ArrowError> {
    let array = |(field, cells): (&Arc<Field>, &Vec<CellValue>)| -> ArrayRef {
        let count = |cell: &CellValue| if let CellValue::Count(count) = cell { *count } else { 0 };
        let number = |cell: &CellValue| if let CellValue::Number(number) = cell { *number } else { None };
        fn text(cell: &CellValue) -> Option<&str> {
            if let CellValue::Text(text) = cell { text.as_deref() } else { None }
        }
        match field.data_type() {
            DataType::UInt64 => Arc::new(cells.iter().map(count).collect::<UInt64Array>()),
            DataType::Float64 => Arc::new(cells.iter().map(number).collect::<Float64Array>()),
            _ => Arc::new(cells.iter().map(text).collect::<StringArray>()),
        }
    };
    RecordBatch::try_new(Arc::clone(schema), schema.fields().iter().zip(columns).map(array).collect())
}

/// The batches of a result file: one per group of rows.
fn batches(
    schema: &SchemaRef,
    path: &Path,
) -> Result<impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static, StudyFailure> {
    let (study, file) = open(path)?;
    let (schema, groups, mut known) = (Arc::clone(schema), file.groups(), Designs::default());
    let batch = move |group: usize| {
        let mut all: Vec<Vec<CellValue>> = vec![Vec::new(); schema.fields().len()];
        file.rows_of_group(&study, group, &mut known, &mut |rows| -> Result<(), UnreadFile> {
            for row in rows {
                all.iter_mut().zip(row_cells(&study, file.columns(), &row)).for_each(|(all, cell)| all.push(cell));
            }
            Ok(())
        })
        .map_err(|why| ArrowError::ExternalError(Box::new(StudyFailure::from(why))))?;
        study_batch(&schema, &all)
    };
    Ok((0..groups).map(batch))
}

#[pymethods]
impl Rows {
    /// Rows of a result, from its JSON. `kind` is the attribute `kind` of its class.
    #[new]
    fn new(kind: &str, json: &str) -> PyResult<Self> {
        let (rows, columns) =
            layout(kind).ok_or_else(|| PyValueError::new_err(format!("There is no kind of result `{kind}`.")))?;
        let value: Value = serde_json::from_str(json).map_err(wrong)?;
        let rows = value[rows].as_array().map_or(&[][..], Vec::as_slice);
        let schema = Schema::new(columns.iter().map(ArrowColumn::field).collect::<Vec<_>>());
        let arrays = columns.iter().map(|column| column.array(rows)).collect();
        Ok(Self::of_batch(RecordBatch::try_new(Arc::new(schema), arrays).map_err(wrong)?))
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.count
    }

    /// Number of rows, and names of the columns.
    fn __repr__(&self) -> String {
        let names = self.columns().join(", ");
        format!("<Rows: {} rows of {} columns: {names}>", self.count, self.schema.fields().len())
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A capsule `arrow_array_stream`. The requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to keep its schema if it has no other.
        drop(requested_schema);
        let schema = Arc::clone(&self.schema);
        let reader: Box<dyn RecordBatchReader + Send> = match &self.source {
            RowSource::Memory(batch) => {
                Box::new(RecordBatchIterator::new([Ok::<_, ArrowError>(batch.clone())], schema))
            }
            RowSource::File(path) => {
                Box::new(RecordBatchIterator::new(batches(&schema, path).map_err(failed)?, schema))
            }
        };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    /// A capsule `arrow_schema`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(wrong)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

fn wrong(why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}
