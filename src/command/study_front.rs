//! The Pareto front of the rows of a study.

use super::Report;
use fusescape_engine::explore::study::{DesignRow, DesignSpace, ParetoFront};
use fusescape_results::{CellValue, ResultColumn, columns, csv_head, csv_line, row_cells};
use serde::Serialize;
use serde_json::{Error, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A remark on rows from a file without digests.
pub const UNCHECKED: &str = "the file has no digests, so that a damaged row would not be noticed";

/// The front of a study's rows.
pub struct StudyFront {
    pub study: Arc<DesignSpace>,
    /// In the order of their designs.
    pub rows: Vec<DesignRow>,
    /// Number of designs by status.
    pub designs: BTreeMap<&'static str, u64>,
    /// Number of designs of the study without a row, such as those of other shards.
    pub missing: u64,
    /// Whether the rows were checked by digests.
    pub is_checked: bool,
}

/// Rows that no other one dominates so far.
#[derive(Default)]
pub struct FrontRows {
    front: ParetoFront,
    kept: BTreeMap<u64, DesignRow>,
    designs: BTreeMap<&'static str, u64>,
    /// Number of rows so far: samples may repeat a design, so rows are identified by their order.
    place: u64,
}

impl FrontRows {
    /// Adds rows of a study.
    pub fn add(&mut self, study: &DesignSpace, rows: Vec<DesignRow>) {
        for row in rows {
            *self.designs.entry(row.status.name()).or_default() += 1;
            if let Some(objectives) = study.objectives_of(&row) {
                if !self.front.dominates(&objectives) {
                    self.front.add(self.place, &objectives);
                    self.kept.insert(self.place, row);
                }
                self.place += 1;
            }
        }
        let on_front: BTreeSet<u64> = self.front.rows().collect();
        self.kept.retain(|place, _| on_front.contains(place));
    }

    /// The front of all added rows.
    pub fn end(self, study: Arc<DesignSpace>) -> StudyFront {
        let rows = self.kept.into_values().collect();
        StudyFront { study, rows, designs: self.designs, missing: 0, is_checked: true }
    }
}

impl StudyFront {
    /// The columns, and the cells of each row.
    pub fn cells(&self) -> (Vec<ResultColumn>, Vec<Vec<CellValue>>) {
        let columns = columns(&self.study);
        let cells = self.rows.iter().map(|row| row_cells(&self.study, &columns, row)).collect();
        (columns, cells)
    }

    /// Remarks on the rows.
    pub fn notes(&self) -> Vec<String> {
        let missing = format!(
            "{} of {} designs are missing: this is the front of the others",
            self.missing,
            self.study.designs()
        );
        let all = [(self.missing > 0).then_some(missing), (!self.is_checked).then(|| UNCHECKED.to_owned())];
        all.into_iter().flatten().collect()
    }

    pub fn csv(&self) -> String {
        let (columns, rows) = self.cells();
        let lines: Vec<String> = rows.iter().map(|cells| csv_line(cells)).collect();
        std::iter::once(csv_head(&columns)).chain(lines).map(|line| line + "\n").collect()
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let found = FrontFound {
            study: &self.study.spec.name,
            objectives: self.study.objectives.iter().map(|objective| objective.column()).collect(),
            designs: &self.designs,
            missing: self.missing,
            is_checked: self.is_checked,
            front: rows_by_column(&self.study, &self.rows),
        };
        found.json()
    }
}

/// What `fusescape study front --format json` prints: the Pareto front of the results of a study. The columns of
/// results are described in docs/studies.md.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FrontFound<'a> {
    /// Name of the study.
    study: &'a str,
    /// Columns that the front is about.
    objectives: Vec<String>,
    /// Designs in the file by their status: found, outside, beaten, impossible, wrong.
    designs: &'a BTreeMap<&'static str, u64>,
    /// Designs of the study that are not in the file, as of the other shards.
    missing: u64,
    /// Whether the file has digests, which say that its rows are those that were written.
    is_checked: bool,
    /// Rows that no other one dominates, in the order of their designs: every column by its name.
    front: Vec<RowByColumn>,
}

impl Report for FrontFound<'_> {
    const KIND: &'static str = "study-front";
}

type RowByColumn = BTreeMap<String, CellFound>;

/// A cell of a row.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum CellFound {
    /// A number of things.
    Count(u64),
    /// A number, where there is one.
    Number(Option<f64>),
    /// A text, where there is one.
    Text(Option<String>),
}

impl From<CellValue> for CellFound {
    fn from(cell: CellValue) -> Self {
        match cell {
            CellValue::Count(count) => Self::Count(count),
            CellValue::Number(number) => Self::Number(number),
            CellValue::Text(text) => Self::Text(text),
        }
    }
}

/// Rows of a study as JSON: every column by its name.
pub fn rows_by_column(study: &DesignSpace, rows: &[DesignRow]) -> Vec<RowByColumn> {
    let columns = columns(study);
    let row = |row: &DesignRow| {
        let cells = row_cells(study, &columns, row).into_iter().map(CellFound::from);
        columns.iter().map(|column| column.name.clone()).zip(cells).collect()
    };
    rows.iter().map(row).collect()
}
