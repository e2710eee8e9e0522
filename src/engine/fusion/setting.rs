//! The setting for which a network is fused: the accelerator, as far as the memory cost uses it, and the batch.

use crate::workload::Dim;

/// The accelerator and the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Setting {
    /// Capacity of the on-chip buffer, in bytes.
    pub buffer_bytes: u64,
    /// Precision of features and parameters, in bits per element.
    pub bits: u64,
    /// Images that are computed one after another, or share one loading of the parameters.
    pub batch: u64,
    /// Least tile that keeps the array busy.
    pub throughput: Throughput,
    /// When parameters stay on chip.
    pub residency: Residency,
}

impl Setting {
    /// The paper's configuration (Optimus, Table 2): 128 KB, 16 bits, batch 4, 16 x 16 PEs that unroll output columns and channels.
    pub fn paper() -> Self {
        Self {
            buffer_bytes: 128 << 10,
            bits: 16,
            batch: 4,
            throughput: Throughput::new(16, [Dim::OX, Dim::K]),
            residency: Residency::SmallestTile,
        }
    }

    /// Capacity of the buffer, in elements.
    pub fn capacity(&self) -> u64 {
        self.buffer_bytes.saturating_mul(8) / self.bits.max(1)
    }

    /// Whether parameters stay in the buffer of a group that needs `smallest` elements for the smallest tile of one image.
    pub(super) fn is_resident(&self, smallest: u64, parameters: u64) -> bool {
        match self.residency {
            Residency::SmallestTile => smallest.saturating_add(parameters) <= self.capacity(),
            Residency::ParametersAlone => parameters <= self.capacity(),
            Residency::Never => false,
        }
    }

    /// Elements as bytes, rounded up; saturates.
    pub fn bytes(&self, elements: u64) -> u64 {
        u64::try_from((u128::from(elements) * u128::from(self.bits)).div_ceil(8)).unwrap_or(u64::MAX)
    }
}

/// The T of Optimus, Section 5.1: the sizes that the array computes at once. Columns are left out, as tiles are as wide
/// as the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Throughput {
    /// Output channels computed at once.
    pub channels: u64,
    /// Rows of the output.
    pub rows: u64,
}

impl Throughput {
    /// Of `side` x `side` PEs, along which two loops of the output are unrolled.
    pub fn new(side: u64, unrolled: [Dim; 2]) -> Self {
        let along = |dim: Dim| if unrolled.contains(&dim) { side.max(1) } else { 1 };
        Self { channels: along(Dim::K), rows: along(Dim::OY) }
    }
}

/// The condition under which a group's parameters are loaded only once. The paper says "large enough to keep all the
/// parameters", without the data that has to fit beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Residency {
    /// Where they fit beside the smallest legal tile of one image.
    SmallestTile,
    /// Where they would fit alone, as if features needed no room.
    ParametersAlone,
    /// Never: eq. 3 as printed.
    Never,
}
