//! The attributes of a memory of an architecture.

use super::architecture::MemoryNode;
use crate::places::{Entries, amount, find, whole_of};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Classes of components that store data, besides those with a depth.
const STORES: [&str; 6] = ["DRAM", "SRAM", "regfile", "storage", "register", "buffer"];
/// Default bits of an element, as in Timeloop.
const ELEMENT_BITS: u64 = 16;
/// Attributes that are read, or that only affect cost through the energy tables.
const TAKEN: [&str; 40] = [
    "depth",
    "width",
    "datawidth",
    "word_bits",
    "block_size",
    "entries",
    "sizeKB",
    "memory_depth",
    "memory_width",
    "read_bandwidth",
    "write_bandwidth",
    "shared_bandwidth",
    "rw_bandwidth",
    "multiple_buffering",
    "type",
    "technology",
    "global_cycle_seconds",
    "global_cycle_period",
    "n_banks",
    "meshX",
    "meshY",
    "n_rdwr_ports",
    "n_rd_ports",
    "n_wr_ports",
    "n_ports",
    "version",
    "latency",
    "action_latency_cycles",
    "has_power_gating",
    "power_gated_at",
    "cell_type",
    "instances",
    "subclass",
    "class",
    "cluster_size",
    "reduction_supported",
    "min_utilization",
    "allow_overbooking",
    "update_fifo_depth",
    "area_scale",
];
/// Attributes without an effect at their default value; other values are reported.
const USUAL: [(&str, &[&str]); 5] = [
    ("cluster_size", &["1"]),
    ("reduction_supported", &["true", "True"]),
    ("min_utilization", &["0", "0.0"]),
    ("allow_overbooking", &["false", "False"]),
    ("has_power_gating", &["false", "False"]),
];

/// Whether a component stores data.
pub fn is_memory(class: &str, attributes: &Entries) -> bool {
    let stores = |known: &&str| class.to_ascii_lowercase().contains(&known.to_ascii_lowercase());
    STORES.iter().any(stores) || ["depth", "entries", "sizeKB"].iter().any(|name| find(attributes, name).is_some())
}

/// Reads the attributes of a memory, as the architecture states them.
pub fn read_memory(
    name: &str,
    class: &str,
    place: &LocatedNode,
    attributes: &Entries,
    reader: &mut Reader,
    report: &mut ImportReport,
) -> MemoryNode {
    let mut number = |name: &str| whole_of(attributes, name, reader).filter(|number| *number > 0);
    let (depth, entries, kilobytes) = (number("depth"), number("entries"), number("sizeKB"));
    let (width, block) = (number("width").or(number("memory_width")), number("block_size"));
    let stated = number("datawidth").or(number("word_bits"));
    let buffers = number("multiple_buffering");
    let element_bits = match (stated, width, block) {
        (Some(bits), ..) => bits,
        (None, Some(width), Some(block)) => (width / block).max(1),
        (None, Some(width), None) => width,
        _ => {
            let reason =
                format!("neither width nor datawidth is stated: {ELEMENT_BITS} bit an element, as in Timeloop");
            report.note(Severity::Assumed, "datawidth", &reason, name);
            ELEMENT_BITS
        }
    };
    let width_bits = width.unwrap_or_else(|| element_bits.saturating_mul(block.unwrap_or(1)));
    if width_bits % element_bits != 0 {
        let reason = format!("A width of {width_bits} bit holds no whole number of elements of {element_bits} bit");
        place.reject(reader, ValueError::new(reason, "Make the width a multiple of datawidth"));
    }
    let is_outside = class.to_ascii_uppercase().contains("DRAM");
    let product = |one: u64, other: u64| one.saturating_mul(other).min(1 << 50);
    let size_bits = match (depth, entries, kilobytes) {
        (Some(depth), ..) => Some(product(depth, width_bits)),
        (None, Some(entries), _) => Some(product(entries, element_bits)),
        (None, None, Some(kilobytes)) => Some(product(kilobytes, 8 << 10)),
        _ => None,
    };
    if size_bits.is_none() && !is_outside {
        report.note(Severity::Assumed, "depth", "not stated: as large as a memory can be here", name);
    }
    let mut elements = |name: &str| find(attributes, name).and_then(|place| amount(place, reader)).filter(|n| *n > 0.0);
    let memory = MemoryNode {
        name: name.to_owned(),
        size_bits,
        width_bits,
        element_bits,
        read_elements: elements("read_bandwidth"),
        write_elements: elements("write_bandwidth"),
        shared_elements: elements("shared_bandwidth").or(elements("rw_bandwidth")),
        is_double_buffered: buffers.is_some_and(|buffers| buffers > 1),
        ..MemoryNode::default()
    };
    note_attributes(name, attributes, reader, report);
    memory
}

/// Reports attributes that count in Timeloop but not here.
fn note_attributes(name: &str, attributes: &Entries, reader: &mut Reader, report: &mut ImportReport) {
    for (stated, place) in attributes {
        let attribute = stated.replace('-', "_");
        let usual = USUAL.iter().find(|(known, _)| *known == attribute);
        if let Some((_, usual)) = usual {
            let value = if place.is_scalar() { place.text(reader).unwrap_or_default() } else { String::new() };
            if !usual.contains(&value.as_str()) {
                report.note(Severity::NotCounted, &attribute, &format!("`{value}` has no counterpart here"), name);
            }
        } else if !TAKEN.contains(&attribute.as_str()) {
            let reason = "not taken: if it changes energies, it does so in the energy reference table";
            report.note(Severity::Merged, &attribute, reason, name);
        }
    }
}
