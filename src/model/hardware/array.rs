//! The dimensions of an array, and loops unrolled over them.

use crate::declare_ids;
use crate::ids::TiSlice;
use crate::workload::Dim;
use serde::{Deserialize, Serialize};

declare_ids! {
    /// A dimension of the array, by its place in [`Core::array`](super::Core::array).
    ArrayDimId,
}

/// Name and size of each dimension of an array, or of the lanes of a vector unit.
pub type ArraySizes = TiSlice<ArrayDimId, (String, u64)>;

/// A set of array dimensions, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ArrayDims(pub u32);

impl ArrayDims {
    /// Whether a dimension is in the set.
    pub fn contains(self, dim: ArrayDimId) -> bool {
        self.0 >> dim.index() & 1 == 1
    }

    /// Whether all of `other` is in the set.
    pub fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One array dimension unrolls one loop dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unroll {
    /// The array dimension.
    pub array_dim: ArrayDimId,
    /// The loop dimension it unrolls.
    pub dim: Dim,
    /// Limit on the PEs along the dimension that are used.
    pub limit: u64,
}

/// A loop that is unrolled wider than its array dimension is, which takes no more than it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WideUnroll {
    /// The array dimension.
    pub array_dimension: String,
    /// PEs along it.
    pub size: u64,
    /// The loop dimension.
    pub loop_dimension: String,
    /// PEs that are stated.
    pub limit: u64,
}
