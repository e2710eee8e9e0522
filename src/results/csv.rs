//! Results as CSV, for spreadsheets, without the study.

use super::columns::{CellValue, ColumnKind, ResultColumn, columns, row_cells, row_of_cells};
use super::designs::Designs;
use fusescape_engine::explore::study::{DesignRow, DesignSpace};
use fusescape_spec::{csv_words, words_of_csv};

/// The header line.
pub fn csv_head(columns: &[ResultColumn]) -> String {
    columns.iter().map(|column| csv_words(&column.name)).collect::<Vec<_>>().join(",")
}

/// The line of a row.
pub fn csv_line(cells: &[CellValue]) -> String {
    let cell = |cell: &CellValue| match cell {
        CellValue::Count(count) => count.to_string(),
        CellValue::Number(number) => number.map_or_else(String::new, |number| number.to_string()),
        CellValue::Text(text) => text.as_deref().map_or_else(String::new, csv_words),
    };
    cells.iter().map(cell).collect::<Vec<_>>().join(",")
}

/// Some rows as a file.
pub fn csv_of<'r>(study: &DesignSpace, rows: impl Iterator<Item = &'r DesignRow>) -> String {
    let columns = columns(study);
    let mut text = csv_head(&columns);
    text.push('\n');
    for row in rows {
        text.push_str(&csv_line(&row_cells(study, &columns, row)));
        text.push('\n');
    }
    text
}

/// The rows of such a file.
///
/// # Errors
/// If it is not a file of results of this study; reason and remedy.
pub fn rows_of_csv(study: &DesignSpace, text: &str) -> Result<Vec<DesignRow>, (String, String)> {
    let columns = columns(study);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().map(|names| names.iter().map(str::to_owned).collect::<Vec<_>>()).unwrap_or_default();
    if let Some(missing) = columns.iter().find(|column| !names.contains(&column.name)) {
        let reason = format!("The file has no column `{}`: it has no results of this study", missing.name);
        return Err((reason, "Write the study of which it has results, then open the file again".to_owned()));
    }
    let place = |column: &ResultColumn| names.iter().position(|name| *name == column.name).unwrap_or(0);
    let places: Vec<usize> = columns.iter().map(place).collect();
    let (mut rows, mut known) = (Vec::new(), Designs::default());
    for (index, record) in reader.records().enumerate() {
        let line = index + 2;
        let cells = record.ok().and_then(|record| {
            let cell = |(column, place): (&ResultColumn, &usize)| cell(column.kind, record.get(*place)?);
            columns.iter().zip(&places).map(cell).collect::<Option<Vec<CellValue>>>()
        });
        let row = match cells {
            Some(cells) => row_of_cells(study, &columns, &cells)
                .map_err(|wrong| format!("Line {line}, column `{}`: {}", wrong.column, wrong.why)),
            None => Err(format!("Line {line} has no design of this study")),
        };
        let row = row.and_then(|row| match known.add(row.design) {
            true => Ok(row),
            false => Err(format!("Line {line} has design {}, which is there already", row.design)),
        });
        let remedy = || "Open the file as `fusescape study run` or the page wrote it".to_owned();
        rows.push(row.map_err(|reason| (reason, remedy()))?);
    }
    Ok(rows)
}

fn cell(kind: ColumnKind, text: &str) -> Option<CellValue> {
    let said = (!text.is_empty()).then_some(text);
    Some(match kind {
        ColumnKind::Count => CellValue::Count(text.parse().ok()?),
        ColumnKind::Number => CellValue::Number(said.map(str::parse).transpose().ok()?),
        ColumnKind::Text => CellValue::Text(said.map(|said| words_of_csv(said).to_owned())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula_to_a_spreadsheet() {
        let cells = [
            CellValue::Text(Some("=1+1".to_owned())),
            CellValue::Text(Some("a, \"b\"".to_owned())),
            CellValue::Number(Some(-1.5)),
        ];
        assert_eq!(csv_line(&cells), "\"'=1+1\",\"a, \"\"b\"\"\",-1.5");
    }
}
