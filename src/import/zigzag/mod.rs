//! ZigZag 3.x: accelerator, mapping and workload files, both ways.
//!
//! Its operands I1 and I2 are the inputs and the weights here, its `D1` to `D4` the dimensions of the array, its
//! directions fh, fl, tl and th the movements write_from_high, write_from_low, read_to_low and read_to_high.

mod equation;
mod hardware;
mod mapping;
mod ordering;
mod workload;
mod write;

use super::report::{CLEANED, ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader};
pub use hardware::{FileRole, ZigzagAccelerator, fraction, number, read_accelerator, read_core};
pub use mapping::{
    MappingEntry, NamedLoops, OPERATORS, apply_to_hardware, apply_to_layers, foreign_loops, read_loops, read_mapping,
};
pub use ordering::constraints;
pub use workload::{ZigzagWorkload, read_layers};
pub use write::{ZigzagFiles, write, write_core, write_network};

/// Reports the lines where invisible characters were replaced.
pub(super) fn note_cleaned(reader: &Reader, report: &mut ImportReport) {
    for line in reader.cleaned() {
        report.note(Severity::Expressed, "text", CLEANED, &format!("line {line}"));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZigzagFileKind {
    Accelerator,
    /// Spatial mappings.
    Mapping,
    /// Layers.
    Workload,
}

/// The kind of a file, by its fields.
pub fn recognise(text: &str) -> Option<ZigzagFileKind> {
    let begins_line = |name: &str| {
        let stands = |line: &str| {
            let line = line.trim_start_matches([' ', '-', '{', '"']);
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start_matches('"').starts_with(':'))
        };
        text.lines().any(stands)
    };
    of_fields(begins_line).or_else(|| {
        // In flow style, fields follow each other on one line.
        let (root, mut reader) = Reader::open_foreign(text);
        let root = LocatedNode::root(&root);
        let entries = if root.is_list() { root.list(&mut reader, 1) } else { Vec::new() };
        of_fields(|name| root.has(name) || entries.iter().any(|entry| entry.has(name)))
    })
}

/// The kind of a file that has some of these fields.
fn of_fields(has: impl Fn(&str) -> bool) -> Option<ZigzagFileKind> {
    if has("operational_array") || has("multipliers") || has("max_object_fifo_depth") {
        Some(ZigzagFileKind::Accelerator)
    } else if has("equation") || has("loop_dims") {
        Some(ZigzagFileKind::Workload)
    } else if has("spatial_mapping") || has("memory_operand_links") || has("temporal_ordering") {
        Some(ZigzagFileKind::Mapping)
    } else {
        None
    }
}
