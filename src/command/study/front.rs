//! The Pareto front of a result file.

use super::StudyFailure;
use super::parquet::open;
use crate::command::stamped;
use crate::explore::study::{DesignRow, ParetoFront, Study};
use crate::results::{Cell, ResultColumn, columns, csv_head, csv_line, row_cells};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The front of a file's rows.
pub struct FrontOfFile {
    /// The study.
    pub study: Study,
    /// Rows on the front, in the order of their designs.
    pub rows: Vec<DesignRow>,
    /// Designs in the file by their status.
    pub designs: BTreeMap<&'static str, u64>,
}

/// Reads a result file and finds its front.
///
/// # Errors
/// The file cannot be read.
pub fn front_of_file(path: &Path) -> Result<FrontOfFile, StudyFailure> {
    let (study, file) = open(path)?;
    let mut front = ParetoFront::default();
    let mut kept: BTreeMap<u64, DesignRow> = BTreeMap::new();
    let mut designs: BTreeMap<&'static str, u64> = BTreeMap::new();
    // Samples may repeat a design; rows are told apart by their place in the file.
    let mut place = 0;
    file.rows(&study, &mut |rows| -> Result<(), StudyFailure> {
        for row in rows {
            *designs.entry(row.status.name()).or_default() += 1;
            if let Some(objectives) = study.objectives_of(&row) {
                if !front.dominates(&objectives) {
                    front.add(place, &objectives);
                    kept.insert(place, row);
                }
                place += 1;
            }
        }
        let on_front: std::collections::BTreeSet<u64> = front.rows().collect();
        kept.retain(|place, _| on_front.contains(place));
        Ok(())
    })?;
    Ok(FrontOfFile { study, rows: kept.into_values().collect(), designs })
}

impl FrontOfFile {
    /// Names of the columns, and the cells of each row.
    pub fn cells(&self) -> (Vec<ResultColumn>, Vec<Vec<Cell>>) {
        let columns = columns(&self.study);
        let cells = self.rows.iter().map(|row| row_cells(&self.study, &columns, row)).collect();
        (columns, cells)
    }

    /// For a spreadsheet.
    pub fn csv(&self) -> String {
        let (columns, rows) = self.cells();
        let lines: Vec<String> = rows.iter().map(|cells| csv_line(cells)).collect();
        std::iter::once(csv_head(&columns)).chain(lines).map(|line| line + "\n").collect()
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let (columns, rows) = self.cells();
        let value = |cell: &Cell| match cell {
            Cell::Count(count) => json!(count),
            Cell::Number(number) => json!(number),
            Cell::Text(text) => json!(text),
        };
        let row = |cells: &Vec<Cell>| {
            let fields = columns.iter().zip(cells).map(|(column, cell)| (column.name.clone(), value(cell)));
            Value::Object(fields.collect::<Map<_, _>>())
        };
        let objectives: Vec<String> = self.study.objectives.iter().map(|objective| objective.column()).collect();
        let found = json!({
            "study": self.study.spec.name,
            "objectives": objectives,
            "designs": self.designs,
            "front": rows.iter().map(row).collect::<Vec<_>>(),
        });
        stamped("study-front", found)
    }
}
