//! A core straight from the text that a person wrote.

use super::core::Core;
use crate::spec::{Consequences, Diagnostics, read_hardware};

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences = &[
    ("array", &["unroll.*.*", "memories[*].shared_over"]),
    ("array.dimensions", &["array.systolic", "unroll.*.*", "memories[*].shared_over"]),
    ("array.systolic", &["array.systolic"]),
    ("memories", &["memories"]),
    ("memories[*].operands", &["memories", "memories[*].ports", "memories[*].shared_over"]),
    ("memories[*].shared_over", &["memories[*].shared_over"]),
    ("memories[*].ports", &["memories[=].ports"]),
    ("memories[*].ports[*].serves", &["memories[=].ports"]),
    ("memories[*].width", &["memories[=].read_width", "memories[=].write_width"]),
    ("memories[*].width", &["memories[=].read_granularity", "memories[=].write_granularity"]),
    ("memories[*].read_width", &["memories[=].read_granularity"]),
    ("memories[*].write_width", &["memories[=].write_granularity"]),
    ("vector_unit.lanes", &["vector_unit.registers[*].shared_over"]),
    ("vector_unit.registers", &["vector_unit.registers"]),
    ("vector_unit.registers[*].operands", &["vector_unit.registers", "vector_unit.registers[*].ports"]),
    ("memories", &["vector_unit.memory"]),
    ("memories[*].granularity", &["memories[=].read_granularity", "memories[=].write_granularity"]),
];

impl Core {
    /// Reads and validates a hardware document.
    ///
    /// # Errors
    /// All errors of the text, each with its line, path, reason and remedy.
    pub fn from_text(text: &str) -> Result<Self, Diagnostics> {
        read_hardware(text).validated(text, CONSEQUENCES, |spec| Self::new(&spec))
    }
}
