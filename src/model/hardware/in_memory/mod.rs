//! Arrays that compute in memory: weights stay in the cells of macros, inputs come down the rows a few bits at a time, and each column
//! adds up what its cells multiply: as charge on a bit line before a converter (analog), or in a tree of adders (digital).
//!
//! The cost of an operation depends on how many rows and columns a layer uses. The model is that of ZigZag 3.8.5 (its
//! classes of IMC units and arrays, whose converters are fitted to published macros in 28 nm), without memories, whose
//! costs are stated in their documents.
//!
//! - `build.rs`: from a document to an [`InMemory`]
//! - `circuit.rs`: gates and converters: area, delay and energy of one
//! - `adders.rs`: which adders of a tree work when only some of its inputs do
//! - `cost.rs`: parts of a macro ([`MacroPart`]): area, delay, and energy of an activation

mod adders;
mod build;
mod circuit;
mod cost;

pub use cost::{ByPart, MacroActivation, MacroPart};

use super::array::ArrayDimId;
use serde::{Deserialize, Serialize};

/// How a macro multiplies and adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum InMemoryKind {
    /// As charge: a converter at the end of each bit line reads the sum of its cells.
    Analog {
        /// Bits of a converter.
        adc_bits: u64,
    },
    /// By gates beside the cells, and a tree of adders for each column.
    Digital,
}

/// An array that computes in memory. Its dimensions other than rows and columns count macros.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InMemory {
    /// How it computes.
    pub kind: InMemoryKind,
    /// The array dimension along a word line: columns.
    pub columns: ArrayDimId,
    /// The array dimension along a bit line: rows.
    pub rows: ArrayDimId,
    /// Columns of a macro.
    pub column_count: u64,
    /// Rows of a macro.
    pub row_count: u64,
    /// Number of macros of the core.
    pub macros: u64,
    /// Bits of a weight that a row and a column hold at a time.
    pub weight_bits: u64,
    /// Bits of an input.
    pub activation_bits: u64,
    /// Bits of it that enter in one cycle.
    pub input_bits: u64,
    /// Weights that a row and a column hold: one of them computes at a time.
    pub group_depth: u64,
}

impl InMemory {
    /// Cycles in which all bits of an input have entered.
    pub fn cycles(&self) -> u64 {
        self.activation_bits / self.input_bits
    }

    /// Multiply-accumulates of all macros in one cycle, when all rows and columns are in use.
    pub fn macs_per_cycle(&self) -> f64 {
        (self.column_count * self.row_count * self.macros) as f64 / self.cycles() as f64
    }

    /// Energy of a multiply-accumulate when all rows and columns are in use, pJ; without memories.
    pub fn peak_mac_pj(&self) -> f64 {
        self.peak_cycle_pj().total() / self.macs_per_cycle()
    }

    /// Operations per second, in 10^12, when all rows and columns are in use; a multiply-accumulate is two.
    pub fn peak_tops(&self) -> f64 {
        2e-3 * self.macs_per_cycle() / self.period_ns()
    }

    /// Operations per joule, in 10^12, when all rows and columns are in use; without memories.
    pub fn peak_tops_per_watt(&self) -> f64 {
        2.0 / self.peak_mac_pj()
    }
}
