//! The dimensions of an array, and loops unrolled over them.

use crate::declare_ids;
use crate::ids::{IdSet, TiSlice};
use crate::workload::Dim;
use serde::{Deserialize, Serialize};

declare_ids! {
    /// A dimension of the array, by its place in [`Core::array`](super::Core::array).
    ArrayDimId,
}

/// Name and size of each dimension of an array, or of the lanes of a vector unit.
pub type ArraySizes = TiSlice<ArrayDimId, (String, u64)>;

/// A set of array dimensions.
pub type ArrayDims = IdSet<ArrayDimId>;

/// One array dimension unrolls one loop dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unroll {
    /// As the document names it.
    pub array_dim: ArrayDimId,
    /// The loop dimension it unrolls.
    pub dim: Dim,
    /// Limit on the PEs along the dimension that are used.
    pub limit: u64,
}

/// A loop that is stated wider than its array dimension; it is unrolled as wide as that dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WideUnroll {
    /// As the document names it.
    pub array_dimension: String,
    /// PEs along it.
    pub size: u64,
    /// `K`, `C`, `OX` and so on.
    pub loop_dimension: String,
    /// PEs that are stated.
    pub limit: u64,
}
