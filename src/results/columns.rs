//! Results as columns of a table.

use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::explore::study::{DesignRow, DesignSpace, DesignStatus, PathRoot};

/// The type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Integers.
    Count,
    /// Numbers, or empty.
    Number,
    /// Texts, or empty.
    Text,
}

/// The value of one column in one row.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// An integer.
    Count(u64),
    /// A number, or empty.
    Number(Option<f64>),
    /// A text, or empty.
    Text(Option<String>),
}

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Design,
    /// A value as written: indices of axis and path.
    Axis(usize, usize),
    /// A value in its base unit: indices of axis and path.
    Measured(usize, usize),
    Mode,
    Columns,
    Rows,
    Tiles,
    Quantity(usize),
    Status,
    Reason,
}

/// A column of a study's results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Name with unit: `energy_pj`.
    pub name: String,
    pub kind: ColumnKind,
    content: Content,
}

/// The error of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongCell {
    /// Name of its column.
    pub column: String,
    /// The reason why it is invalid.
    pub why: String,
}

/// All columns of a study's results: index, axes, schedule, quantities, status.
pub fn columns(study: &DesignSpace) -> Vec<ResultColumn> {
    let column = |name: &str, kind, content| ResultColumn { name: name.to_owned(), kind, content };
    let mut columns = vec![column("design", ColumnKind::Count, Content::Design)];
    for (index, axis) in study.axes.iter().enumerate() {
        for (path, name) in axis.names.iter().enumerate() {
            columns.push(column(name, ColumnKind::Text, Content::Axis(index, path)));
            if let Some((measure, _)) = axis.measured(path) {
                let unit = measure.unit();
                let name = format!("{name} [{}]", if unit.is_empty() { "number" } else { unit });
                columns.push(column(&name, ColumnKind::Number, Content::Measured(index, path)));
            }
        }
    }
    if has_several_schedules(study) && study.has(PathRoot::System) {
        columns.push(column("tile_size", ColumnKind::Text, Content::Tiles));
    } else if has_several_schedules(study) {
        columns.push(column("mode", ColumnKind::Text, Content::Mode));
        columns.push(column("tile_x_columns", ColumnKind::Number, Content::Columns));
        columns.push(column("tile_y_rows", ColumnKind::Number, Content::Rows));
    }
    for (index, quantity) in study.quantities.iter().enumerate() {
        columns.push(column(&quantity.column(), ColumnKind::Number, Content::Quantity(index)));
    }
    columns.push(column("status", ColumnKind::Text, Content::Status));
    columns.push(column("reason", ColumnKind::Text, Content::Reason));
    columns
}

/// Whether each design is the best of several schedules.
fn has_several_schedules(study: &DesignSpace) -> bool {
    let varies = study.axes.iter().flat_map(|axis| &axis.targets).any(|target| target.part == PathRoot::Schedule);
    let first = study.schedule(&study.sampled(0));
    varies || first.is_ok_and(|schedule| schedule.is_chosen())
}

/// The value of a path of an axis at these coordinates, as written.
fn value_at<'s>(study: &'s DesignSpace, coordinates: &[u32], axis: usize, path: usize) -> Option<&'s str> {
    let at = *coordinates.get(axis)? as usize;
    Some(study.axes.get(axis)?.values.get(at)?.get(path)?.text())
}

/// One cell per column.
pub fn row_cells(study: &DesignSpace, columns: &[ResultColumn], row: &DesignRow) -> Vec<CellValue> {
    let value = |axis: usize, path: usize| value_at(study, &row.coordinates, axis, path);
    let tile = |of: fn((u64, u64)) -> u64| {
        // A tile beyond every map is the whole map.
        row.schedule.map(|(_, tile)| of(tile)).filter(|&size| size < u64::MAX).map(|size| size as f64)
    };
    let cell = |column: &ResultColumn| match column.content {
        Content::Design => CellValue::Count(row.design),
        Content::Axis(axis, path) => CellValue::Text(value(axis, path).map(str::to_owned)),
        Content::Measured(axis, path) => {
            CellValue::Number(value(axis, path).and_then(fusescape_spec::measure).map(|(_, value)| value))
        }
        Content::Mode => CellValue::Text(row.schedule.map(|(mode, _)| mode.name().to_owned())),
        Content::Columns => CellValue::Number(tile(|tile| tile.0)),
        Content::Rows => CellValue::Number(tile(|tile| tile.1)),
        Content::Tiles => CellValue::Text(row.tiles.clone()),
        Content::Quantity(index) => CellValue::Number(row.values.get(index).copied().flatten()),
        Content::Status => CellValue::Text(Some(row.status.name().to_owned())),
        Content::Reason => CellValue::Text(Some(row.reason.clone()).filter(|reason| !reason.is_empty())),
    };
    columns.iter().map(cell).collect()
}

/// The row with these cells.
///
/// # Errors
/// The first cell that [`row_cells`] could not have made.
pub fn row_of_cells(
    study: &DesignSpace,
    columns: &[ResultColumn],
    cells: &[CellValue],
) -> Result<DesignRow, WrongCell> {
    let mut row = DesignRow {
        design: 0,
        coordinates: Vec::new(),
        status: DesignStatus::Wrong,
        values: vec![None; study.quantities.len()],
        schedule: None,
        tiles: None,
        reason: String::new(),
    };
    let (mut mode, mut tile) = (None, (u64::MAX, u64::MAX));
    let whole = |size: f64| (size >= 1.0 && size.fract() == 0.0).then_some(size as u64);
    for (column, cell) in columns.iter().zip(cells) {
        let wrong = |why: String| WrongCell { column: column.name.clone(), why };
        match (column.content, cell) {
            (Content::Design, CellValue::Count(design)) => {
                let count = study.combinations().max(study.designs());
                if *design >= count {
                    return Err(wrong(format!("there is no design {design}, the last is {}", count.saturating_sub(1))));
                }
                row.design = *design;
                row.coordinates = study.sampled(*design);
            }
            (Content::Axis(axis, path), CellValue::Text(text)) => {
                let known = value_at(study, &row.coordinates, axis, path);
                if known != text.as_deref() {
                    let [found, known] = [text.as_deref(), known].map(Option::unwrap_or_default);
                    return Err(wrong(format!("`{found}` stands where design {} has `{known}`", row.design)));
                }
            }
            (Content::Mode, CellValue::Text(Some(name))) => {
                let known = StoringMode::from_name(name);
                mode = Some(known.ok_or_else(|| wrong(format!("`{name}` is no overlap storing mode")))?);
            }
            (Content::Columns | Content::Rows, CellValue::Number(Some(size))) => {
                let size = whole(*size).ok_or_else(|| wrong(format!("no tile has a size of {size}")))?;
                *(if column.content == Content::Columns { &mut tile.0 } else { &mut tile.1 }) = size;
            }
            (Content::Tiles, CellValue::Text(tiles)) => row.tiles.clone_from(tiles),
            (Content::Quantity(index), CellValue::Number(value)) => {
                if let Some(value) = value.filter(|value| !value.is_finite() || *value < 0.0) {
                    return Err(wrong(format!("no design has {value} there")));
                }
                if let Some(place) = row.values.get_mut(index) {
                    *place = *value;
                }
            }
            (Content::Status, CellValue::Text(Some(name))) => {
                let known = DesignStatus::ALL.into_iter().find(|status| status.name() == name);
                row.status = known.ok_or_else(|| wrong(format!("`{name}` is no status")))?;
            }
            (Content::Reason, CellValue::Text(reason)) => row.reason = reason.clone().unwrap_or_default(),
            (Content::Design | Content::Status, _) => return Err(wrong("nothing stands there".to_owned())),
            _ => {}
        }
    }
    row.schedule = mode.map(|mode| (mode, tile));
    Ok(row)
}
