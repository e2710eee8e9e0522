//! The numbers of a step as a table: the part of each operand in each memory, and the data that crosses the boundary
//! below.

use super::{LoopStep, axis_name, range_text};
use crate::kit::{Column, Quantity, Table, TableCell};
use crate::mapping::layer::OPERAND_ORDER;

pub(super) fn table(of: &LoopStep) -> Table {
    let bytes = |title: &str| Column::measured(title, Quantity::Bytes.base());
    let energy = |title: &str| Column::measured(title, Quantity::Energy.base());
    let mut columns: Vec<Column> = ["operand", "memory", "what lies there"].map(Column::words).into();
    columns.extend([Column::plain("came in this step", "elements"), Column::plain("lay there before", "elements")]);
    columns.extend([bytes("held by each"), bytes("capacity")]);
    columns.extend([bytes("goes down"), bytes("goes up"), energy("energy of both")]);
    let size = |bits: f64| if bits > 0.0 { TableCell::of(Quantity::Bytes, bits / 8.0) } else { TableCell::Nothing };
    let mut rows = Vec::new();
    for operand in OPERAND_ORDER {
        let traced = &of.trace.operands[operand];
        for (level, at) in traced.levels.iter().enumerate().rev() {
            let lit = of.lit(operand, level);
            let ranges: Vec<String> = of
                .axes(operand)
                .into_iter()
                .filter_map(|(index, axis, _)| {
                    Some(format!("{} {}", axis_name(axis), range_text(lit.now.ranges.get(index)?)))
                })
                .collect();
            let crossed = of.crossed(operand, level);
            let kept = if lit.kept.ranges.is_empty() { 0 } else { lit.kept.elements() };
            let mut row: Vec<TableCell> =
                [traced.name.clone(), at.name.clone(), ranges.join(", ")].map(TableCell::from).into();
            row.extend([TableCell::count(lit.now.elements().saturating_sub(kept)), TableCell::count(kept)]);
            row.extend([size(at.bits), size(at.capacity_bits as f64)]);
            row.extend([size(crossed.down_bits), size(crossed.up_bits)]);
            row.push(TableCell::of(Quantity::Energy, crossed.down_pj + crossed.up_pj));
            rows.push(row);
        }
    }
    Table { caption: format!("What lies where ({})", of.title()), columns, rows }
}
