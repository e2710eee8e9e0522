//! The cost of fusion methods by dataflow and by array size (Optimus, Figs. 17 and 18).

use super::fusion_map::fusion_table;
use crate::bars::Breakdown;
use crate::kit::{Column, Table, TableCell};
use fusescape_engine::explore::{FusionComparison, FusionMethod, FusionResult};
use std::sync::Arc;

/// Every method on one array.
#[derive(Debug, Clone, PartialEq)]
pub struct FusionsOnArray {
    /// The dataflow of the array, by name.
    pub dataflow: &'static str,
    /// Rows and columns of PEs: `32 × 32`.
    pub array: String,
    /// The groups that the methods choose.
    pub fusions: Arc<FusionComparison>,
}

fn of_method(arrays: &[FusionsOnArray], wanted: FusionMethod) -> impl Iterator<Item = (String, &FusionResult)> {
    arrays.iter().filter_map(move |array| {
        let (_, result) = array.fusions.results.iter().find(|(method, _)| *method == wanted)?;
        Some((format!("{}, {}", array.array, array.dataflow), result.as_ref().ok()?))
    })
}

/// Energy of a method by cause, one bar per array.
pub fn dataflow_energy(arrays: &[FusionsOnArray], method: FusionMethod) -> Breakdown {
    let splits = of_method(arrays, method).map(|(name, result)| (name, result.stacks.energy()));
    Breakdown::energy_splits("array", splits.collect())
}

/// Latency of a method by cause, one bar per array.
pub fn dataflow_latency(arrays: &[FusionsOnArray], method: FusionMethod) -> Breakdown {
    let splits = of_method(arrays, method).map(|(name, result)| (name, result.stacks.latency()));
    Breakdown::latency_splits("array", splits.collect())
}

/// The cost of every method on every array.
pub fn dataflow_table(arrays: &[FusionsOnArray]) -> Table {
    let mut all = Table { caption: "Methods by dataflow and array".to_owned(), ..Table::default() };
    for array in arrays {
        let table = fusion_table(&array.fusions);
        all.columns = [Column::words("PEs"), Column::words("dataflow")].into_iter().chain(table.columns).collect();
        let head = || [TableCell::from(array.array.as_str()), TableCell::from(array.dataflow)].into_iter();
        all.rows.extend(table.rows.into_iter().map(|row| head().chain(row).collect()));
    }
    all
}
