//! Loops in space and time, and their allocation to memory levels.
//!
//! A layer is mapped in three steps: some loops are unrolled over the PE array ([`SpatialMapping`]), the rest is cut
//! into loop prime factors and ordered in time ([`temporal`]), and every operand's memory levels each take a
//! contiguous part of that order ([`allocate`]).

mod allocation;
mod capacity;
mod operands;
mod spatial;
pub mod spatial_generation;
pub mod temporal;
mod unrolling;

pub(crate) use allocation::operands_in;
pub use allocation::{Allocation, Allocator, allocate, smallest_demand};
pub use capacity::{slice_bits, slice_elements};
pub use operands::{LayerOnCore, LayerProblem, OPERANDS, OperandView, Relevance};
pub use spatial::{SpatialLoop, SpatialMapping};
pub use temporal::TemporalLoop;
pub use unrolling::{Coverage, Unrolling, UnrollingOptions, Unrollings, unrollings};
