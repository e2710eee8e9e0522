//! Figures of many designs: scatter of two dimensions, parallel coordinates of all, heatmap of the best over two axes.

use super::brush::Brush;
use super::design_scatter::{DesignMark, DesignScatter};
use super::dimension::Dimension;
use super::parallel::{DesignLine, Parallel};
use super::table::StudyTable;
use crate::kit::{Column, Table, TableCell};
use crate::maps::Matrix;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Grid of a scatter in both directions: one design is drawn per cell.
const PLACES: f64 = 220.0;
/// Limit on the lines; more cannot be told apart.
const MOST_LINES: usize = 1200;
/// Limit on the columns and rows of a heatmap; beyond it several values share a cell.
const MOST_CELLS: usize = 16;

/// Two dimensions of all designs found.
pub fn design_scatter(
    table: &StudyTable,
    (x, y): (usize, usize),
    brush: &Brush,
    opened: Option<usize>,
) -> Option<DesignScatter> {
    let front: BTreeSet<usize> = table.front().into_iter().collect();
    let ends = |dimension: usize| {
        let values = table.found().map(|row| table.value(dimension, row)).filter(|value| value.is_finite());
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ends = [ends(x), ends(y)];
    let place = |value: f64, (low, high): (f64, f64)| {
        let share =
            if low > 0.0 && high > low { (value / low).ln() / (high / low).ln() } else { (value - low) / (high - low) };
        if share.is_finite() { (share * PLACES) as i32 } else { 0 }
    };
    let mut places: FxHashMap<(i32, i32, bool), ()> = FxHashMap::default();
    let mut marks = Vec::new();
    for row in table.found() {
        let (at_x, at_y) = (table.value(x, row), table.value(y, row));
        if !(at_x.is_finite() && at_y.is_finite()) {
            continue;
        }
        let (on_front, is_within) = (front.contains(&row), brush.holds(table, row));
        let is_new = places.insert((place(at_x, ends[0]), place(at_y, ends[1]), is_within), ()).is_none();
        if is_new || on_front || opened == Some(row) {
            let design = table.design(row).unwrap_or(0);
            marks.push(DesignMark { row, design, x: at_x, y: at_y, on_front, is_within });
        }
    }
    let objectives: Vec<usize> = table.objectives().iter().filter(|(_, gain)| !gain).map(|(index, _)| *index).collect();
    let joins_front = x != y && table.study.objectives.len() == 2 && objectives.contains(&x) && objectives.contains(&y);
    Some(DesignScatter {
        x: table.dimension(x)?.clone(),
        y: table.dimension(y)?.clone(),
        marks,
        designs: table.found().count(),
        opened,
        joins_front,
    })
}

/// All dimensions of the designs found: those of the front, and evenly sampled ones of the selection and of the rest.
pub fn design_lines(table: &StudyTable, dimensions: &[usize], brush: &Brush, opened: Option<usize>) -> Parallel {
    let front: BTreeSet<usize> = table.front().into_iter().collect();
    let found: Vec<usize> = table.found().collect();
    let (within, others): (Vec<usize>, Vec<usize>) =
        found.iter().copied().filter(|row| !front.contains(row)).partition(|&row| brush.holds(table, row));
    let some = |rows: Vec<usize>, most: usize| {
        let step = rows.len().div_ceil(most.max(1)).max(1);
        rows.into_iter().step_by(step)
    };
    let drawn = some(others, MOST_LINES / 3).chain(some(within, MOST_LINES)).chain(front.iter().copied()).chain(opened);
    let line = |row: usize| DesignLine {
        row,
        design: table.design(row).unwrap_or(0),
        values: dimensions.iter().map(|&dimension| table.value(dimension, row)).collect(),
        on_front: front.contains(&row),
        is_within: brush.holds(table, row),
    };
    let range = |&dimension: &usize| {
        let values = found.iter().map(|&row| table.value(dimension, row)).filter(|value| value.is_finite());
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if ends.0 <= ends.1 { ends } else { (0.0, 1.0) }
    };
    Parallel {
        dimensions: dimensions.iter().filter_map(|&index| table.dimension(index).cloned()).collect(),
        ranges: dimensions.iter().map(range).collect(),
        lines: drawn.map(line).collect(),
        designs: found.len(),
        selected: dimensions.iter().map(|&dimension| brush.range(dimension)).collect(),
        opened,
    }
}

/// The dimensions of a heatmap: two axes of the study, and the dimension whose best value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeatmapAxes {
    /// Index of an axis of the study.
    pub x: usize,
    /// Index of an axis of the study.
    pub y: usize,
    /// Index of the dimension whose best value is shown.
    pub shown: usize,
    /// Whether larger is better.
    pub is_gain: bool,
}

/// Number of values of an axis per cell.
fn stride(values: usize) -> usize {
    values.div_ceil(MOST_CELLS).max(1)
}

/// The best of the selected designs for each pair of values of two axes, over all other axes.
pub fn heatmap(table: &StudyTable, axes: HeatmapAxes, brush: &Brush) -> Option<Matrix> {
    let (x, y) = (table.of_axis(axes.x)?, table.of_axis(axes.y)?);
    let strides = [axes.x, axes.y].map(|axis| stride(table.axis_values(axis).len()));
    let counts = [axes.x, axes.y].map(|axis| table.axis_values(axis).len());
    let cells = [0, 1].map(|at| counts[at].div_ceil(strides[at]));
    let mut best: Vec<Option<Option<f64>>> = vec![None; cells[0] * cells[1]];
    for row in table.found().filter(|&row| brush.holds(table, row)) {
        let coordinates = table.study.sampled(table.design(row)?);
        let at = [axes.x, axes.y].map(|axis| coordinates.get(axis).map_or(0, |&at| at as usize));
        let value = table.value(axes.shown, row);
        let place = (at[1] / strides[1]) * cells[0] + at[0] / strides[0];
        if let Some(cell) = best.get_mut(place).filter(|_| value.is_finite()) {
            let is_better = |old: f64| if axes.is_gain { value > old } else { value < old };
            if cell.flatten().is_none_or(is_better) {
                *cell = Some(Some(value));
            }
        }
    }
    let names = |axis: usize, dimension: usize, stride: usize| -> Vec<String> {
        let values = table.axis_values(axis);
        let name = |group: &[f64]| {
            let text = |value: &f64| table.dimension(dimension).map_or_else(String::new, |shown| shown.text(*value));
            let (first, last) = (group.first().map(text), group.last().map(text));
            match (first, last) {
                (Some(first), Some(last)) if group.len() > 1 => format!("{first} to {last}"),
                (first, _) => first.unwrap_or_default(),
            }
        };
        values.chunks(stride).map(name).collect()
    };
    let title = |dimension: usize| table.dimension(dimension).map_or_else(String::new, |shown| shown.name.clone());
    Some(Matrix {
        chosen: None,
        marks_best: false,
        quantity: table.dimension(axes.shown)?.quantity,
        row_title: title(y),
        column_title: title(x),
        rows: names(axes.y, y, strides[1]),
        columns: names(axes.x, x, strides[0]).into_iter().map(|name| (first_of(&name), name)).collect(),
        cells: best,
    })
}

/// The first value of a cell.
fn first_of(name: &str) -> String {
    name.split(" to ").next().unwrap_or_default().to_owned()
}

/// A selection of exactly the values of a heatmap cell.
pub fn heatmap_selection(table: &StudyTable, axes: HeatmapAxes, (column, row): (usize, usize), brush: &Brush) -> Brush {
    let mut next = brush.clone();
    for (axis, cell) in [(axes.x, column), (axes.y, row)] {
        let values = table.axis_values(axis);
        let group = values.chunks(stride(values.len())).nth(cell).unwrap_or_default();
        let low = group.iter().copied().fold(f64::INFINITY, f64::min);
        let high = group.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if let Some(dimension) = table.of_axis(axis).filter(|_| low <= high) {
            next = next.with(dimension, (low, high));
        }
    }
    next
}

/// Rows with all their dimensions.
pub fn designs_listed(table: &StudyTable, rows: &[usize]) -> Table {
    let cells = |&row: &usize| {
        let numbers = table.dimensions().enumerate().map(|(index, shown)| shown.cell(table.value(index, row)));
        std::iter::once(TableCell::full(table.design(row).unwrap_or(0))).chain(numbers).collect()
    };
    let columns = table.dimensions().map(Dimension::column);
    Table {
        caption: "Designs of the study".to_owned(),
        columns: std::iter::once(Column::numbers("design")).chain(columns).collect(),
        rows: rows.iter().map(cells).collect(),
    }
}
