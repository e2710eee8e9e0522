//! What people write: raw documents, and what is wrong with them.
//!
//! A document is YAML (so JSON too). Reading one never stops at the first mistake: every problem becomes a
//! [`Diagnostic`], and what could be read is kept. The structs here mirror the documents one to one and may
//! describe nonsense; [`crate::hardware::Core`] and [`crate::workload::Network`] are built from them and cannot.

mod diagnostic;
mod document;

pub use diagnostic::{Diagnostic, Diagnostics, closest};
pub use document::{
    ArraySpec, HardwareSpec, KernelSpec, LayerSpec, MemorySpec, PaddingSpec, PortSpec, PrecisionSpec, UnrollSpec,
    WorkloadSpec,
};
