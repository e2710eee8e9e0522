//! A table of designs: the best schedule for each pair of an accelerator and a network.

use crate::kit::{Column, Quantity, Table, TableCell};
use crate::maps::Matrix;
use fusescape_engine::explore::OptimalStacks;

/// One accelerator and one network.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedDesign {
    /// Name of the accelerator.
    pub hardware: String,
    /// Name of the network.
    pub workload: String,
    /// Its jointly optimal stacks, tile sizes and modes, or the reason why there are none; `None` while unknown.
    pub best: Option<Result<OptimalStacks, String>>,
}

impl ComparedDesign {
    /// Its best schedule, if one is known.
    pub fn optimum(&self) -> Option<&OptimalStacks> {
        self.best.as_ref()?.as_ref().ok()
    }
}

/// For a spreadsheet: one row per design, numbers with all digits.
pub fn designs_table(designs: &[ComparedDesign]) -> Table {
    let row = |design: &ComparedDesign| {
        let mut row: Vec<TableCell> = vec![design.workload.as_str().into(), design.hardware.as_str().into()];
        match &design.best {
            Some(Ok(best)) => row.extend([
                TableCell::full(best.energy_pj),
                TableCell::full(best.latency_cycles),
                TableCell::full(best.score),
                TableCell::full(best.runs.len()),
                best.fuse().to_string().into(),
                "".into(),
            ]),
            Some(Err(why)) => row.extend(["", "", "", "", "", why.as_str()].map(TableCell::from)),
            None => row.extend(["", "", "", "", "", "not computed"].map(TableCell::from)),
        }
        row
    };
    let numbers = ["energy_pj", "latency_cycles", "score", "stacks"];
    let (first, last) = (["workload", "hardware"], ["cuts", "impossible"]);
    Table {
        caption: "Every accelerator and network with its best schedule".to_owned(),
        columns: first
            .map(Column::words)
            .into_iter()
            .chain(numbers.map(Column::numbers))
            .chain(last.map(Column::words))
            .collect(),
        rows: designs.iter().map(row).collect(),
    }
}

/// A matrix of a quantity, accelerators by networks.
pub fn designs_matrix(
    quantity: Quantity,
    (hardware, networks): (&[String], &[String]),
    designs: &[ComparedDesign],
    value: impl Fn(&OptimalStacks) -> f64,
) -> Matrix {
    let cell = |core: &String, network: &String| {
        let design = designs.iter().find(|design| design.hardware == *core && design.workload == *network)?;
        Some(design.best.as_ref()?.as_ref().ok().map(&value))
    };
    let cells = hardware.iter().flat_map(|core| networks.iter().map(move |network| (core, network)));
    Matrix {
        chosen: None,
        marks_best: false,
        quantity,
        row_title: "hardware".to_owned(),
        column_title: "network".to_owned(),
        rows: hardware.to_vec(),
        columns: networks.iter().map(|name| (name.clone(), name.clone())).collect(),
        cells: cells.map(|(core, network)| cell(core, network)).collect(),
    }
}
