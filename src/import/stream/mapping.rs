//! A mapping file of Stream: the cores for each operator.

use crate::report::{ImportReport, Severity};
use crate::zigzag::{MappingEntry, OPERATORS, note_cleaned, number, read_loops};
use fusescape_spec::Diagnostics;
use fusescape_spec::reader::{LocatedNode, Reader};

const FILE: [&str; 3] = ["layers", "fused_groups", "runtime_args"];
const ENTRY: [&str; 10] = [
    "name",
    "core_allocation",
    "core_allocation_is_fixed",
    "intra_core_tiling",
    "inter_core_tiling",
    "spatial_mapping",
    "spatial_mapping_hint",
    "memory_operand_links",
    "temporal_ordering",
    "kernel",
];
/// Limit on the entries.
const MAX_ENTRIES: usize = 4096;
/// Operators that are merged into the layer before them, so that no core runs them here.
const MERGED: [&str; 14] = [
    "Relu",
    "Silu",
    "Sigmoid",
    "Gelu",
    "Tanh",
    "Exp",
    "Pow",
    "Sub",
    "Mul",
    "Div",
    "Softmax",
    "simd",
    "LayerNorm",
    "Clip",
];

/// The cores for a type of operator, or for a single layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OperatorCores {
    /// The type of operator, `default`, or the name of a layer.
    pub operator: String,
    /// Numbers of the cores.
    pub cores: Vec<u64>,
    /// The unrolling on the arrays of these cores, if stated.
    pub unrolled: MappingEntry,
}

impl OperatorCores {
    /// The types of layers; empty for a single layer.
    pub fn kinds(&self) -> &'static [&'static str] {
        let operator = if self.operator == "pooling" { "Pool" } else { self.operator.as_str() };
        OPERATORS.iter().find(|(known, _)| *known == operator).map_or(&[], |(_, kinds)| *kinds)
    }
}

/// Reads a mapping: the cores for each type of operator, remarks for the user, and all errors.
pub fn read_allocations(text: &str) -> (Vec<OperatorCores>, ImportReport, Diagnostics) {
    let (root, mut reader) = Reader::open_foreign(text);
    let reader = &mut reader;
    let mut report = ImportReport::default();
    let root = LocatedNode::root(&root);
    let entries = if root.is_map() {
        let fields = root.fields(reader, &FILE);
        if let Some(groups) = fields.get("fused_groups").filter(|place| !place.is_empty()) {
            let count = groups.list(reader, MAX_ENTRIES).len();
            let reason = format!("{count} groups are not taken: say by `cores --stacks` after which layers stacks end");
            report.note(Severity::Assumed, "fused_groups", &reason, "");
        }
        if fields.get("runtime_args").is_some_and(|place| !place.is_empty()) {
            report.note(Severity::Assumed, "runtime_args", "not taken: it has no effect on cost", "");
        }
        fields
            .need(reader, "layers", "[{ name: Conv, core_allocation: [0] }]")
            .map(|place| place.list(reader, MAX_ENTRIES))
    } else {
        Some(root.list(reader, MAX_ENTRIES))
    };
    let mut allocations = Vec::new();
    for place in entries.unwrap_or_default() {
        let Some(allocation) = read_entry(&place, reader, &mut report) else { continue };
        if MERGED.contains(&allocation.operator.as_str()) {
            let reason = "part of the layer that makes its input: no core runs it by itself";
            report.note(Severity::Merged, &allocation.operator, reason, "");
        } else {
            allocations.push(allocation);
        }
    }
    note_cleaned(reader, &mut report);
    let layers = allocations.iter().filter(|allocation| allocation.kinds().is_empty()).count();
    report.result = format!("{} types of operators, {layers} single layers", allocations.len() - layers);
    (allocations, report, super::finish(reader))
}

fn read_entry(place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) -> Option<OperatorCores> {
    let fields = place.fields(reader, &ENTRY);
    let name = fields.name(reader, "name", "Conv");
    for (field, reason) in [
        ("intra_core_tiling", "not taken: `cores --tiles` says how large tiles are"),
        ("inter_core_tiling", "not taken: layers are split over several cores by `cores --allocation`"),
        ("spatial_mapping_hint", "not taken: arrays unroll what the core states"),
        ("temporal_ordering", "not taken: the order of loops is searched"),
        ("kernel", "not taken: times follow from the mapping of the layer, not from a measured kernel"),
    ] {
        if fields.get(field).is_some_and(|place| !place.is_empty()) {
            report.note(Severity::Assumed, field, reason, &name);
        }
    }
    if fields.get("core_allocation_is_fixed").is_some_and(|place| place.text(reader).is_some_and(|text| is_true(&text)))
    {
        report.note(
            Severity::Assumed,
            "core_allocation_is_fixed",
            "a core of one type always runs it, others are chosen",
            &name,
        );
    }
    let mut cores = Vec::new();
    if let Some(place) = fields.get("core_allocation") {
        read_cores(place, reader, &mut cores);
    }
    let loops = fields.get("spatial_mapping").filter(|place| place.is_map()).map(|place| read_loops(place, reader));
    let unrolled = MappingEntry { name: name.clone(), loops: loops.unwrap_or_default(), order: Vec::new() };
    (!name.is_empty()).then_some(OperatorCores { operator: name, cores, unrolled })
}

fn is_true(text: &str) -> bool {
    matches!(text, "true" | "True" | "TRUE" | "yes")
}

/// `[0, 1]`, a single number, or lists of these.
fn read_cores(place: &LocatedNode, reader: &mut Reader, cores: &mut Vec<u64>) {
    if place.is_scalar() {
        cores.extend(number(place, reader));
        return;
    }
    for item in place.list(reader, 64) {
        if item.is_scalar() {
            cores.extend(number(&item, reader));
        } else {
            cores.extend(item.list(reader, 64).iter().filter_map(|item| number(item, reader)));
        }
    }
}
