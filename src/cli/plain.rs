//! A table for a terminal.

use fusescape_chart::{Quantity, Table, TableCell, Unit};

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

/// A common unit for several numbers, chosen for the largest.
pub fn unit_of(quantity: Quantity, values: impl IntoIterator<Item = f64>) -> Unit {
    quantity.unit(values.into_iter().fold(0.0, f64::max))
}

/// A number in a unit of its own.
pub fn with_unit(quantity: Quantity, value: f64) -> String {
    let unit = quantity.unit(value);
    format!("{} {}", in_unit(unit, value), unit.name)
}

/// A number in a unit that is printed elsewhere; a count has no digits behind the point.
pub fn in_unit(unit: Unit, value: f64) -> String {
    let digits = if unit.factor == 1.0 && value.fract() == 0.0 { 0 } else { 4 };
    format!("{:.digits$}", value / unit.factor)
}
