//! A table for a terminal.

use fusescape_chart::{Table, TableCell};

/// Its columns side by side, numbers at the right.
pub fn plain(table: &Table) -> String {
    let mut widths: Vec<usize> = table.columns.iter().map(|column| column.title.chars().count()).collect();
    for row in &table.rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.text().chars().count().max(*width);
        }
    }
    let line = |cells: Vec<&str>| {
        let cells = cells.iter().zip(&widths).zip(&table.columns).map(|((cell, &width), column)| {
            if column.numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let heading = line(table.columns.iter().map(|column| column.title.as_str()).collect());
    table.rows.iter().fold(heading, |text, row| text + &line(row.iter().map(TableCell::text).collect()))
}
