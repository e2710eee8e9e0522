//! The fields of forms, with names and hints.

use fusescape_spec::edit::Outline;
use fusescape_spec::layer_fields;

/// One field of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name in documents.
    pub name: &'static str,
    /// Label on the form.
    pub label: &'static str,
    pub hint: &'static str,
    /// An example value; for an optional field, its default.
    pub example: &'static str,
    /// Whether it may be left out.
    pub is_optional: bool,
}

const fn needed(name: &'static str, label: &'static str, example: &'static str, hint: &'static str) -> Field {
    Field { name, label, hint, example, is_optional: false }
}

const fn optional(name: &'static str, label: &'static str, example: &'static str, hint: &'static str) -> Field {
    Field { name, label, hint, example, is_optional: true }
}

/// Numbers of the PE array that a document may state: with computing in memory, operations follow from the macros.
pub fn array_fields(document: &Outline) -> impl Iterator<Item = &'static Field> {
    let in_memory = document.has("array.in_memory");
    let follows = move |field: &&Field| in_memory && ["mac_energy", "mac_precision", "pe_area"].contains(&field.name);
    ARRAY_FIELDS.iter().filter(move |field| !follows(field))
}

/// Single numbers of the PE array.
pub const ARRAY_FIELDS: [Field; 5] = [
    needed("mac_energy", "MAC energy", "0.04 pJ", "Energy of one multiply-accumulate, in pJ, fJ or nJ."),
    optional(
        "mac_precision",
        "MAC precision",
        "any",
        "Bits of W x I at which that energy holds: `8 x 8`. At others it grows with the product of both.",
    ),
    optional("pe_area", "PE area", "not stated", "Area of one PE without its memories, in um2 or mm2."),
    optional(
        "leakage",
        "Leakage",
        "none",
        "Power that the whole array leaks, without its memories, in mW, uW, nW or W.",
    ),
    optional("source", "Source", "where the figures come from", "Where the figures of the array come from."),
];

/// Single numbers of the vector unit.
pub const VECTOR_UNIT_FIELDS: [Field; 3] = [
    needed("lanes", "Lanes", "64", "Each does one operation on one element at a time."),
    needed(
        "memory",
        "Fed by",
        "sram",
        "Name of the memory that feeds the lanes: it holds I and O, for the whole array.",
    ),
    optional("source", "Source", "where the figures come from", "Where the figures of the vector unit come from."),
];

/// Single numbers of a memory, except for widths and granularities.
pub const MEMORY_FIELDS: [Field; 10] = [
    needed("size", "Size", "64 KiB", "Capacity of one instance, in bit, B, KiB (1024 B), MiB or GiB."),
    optional("area", "Area", "not stated", "Area of one instance, in um2 or mm2."),
    needed("read_energy", "Read energy", "26.56 pJ", "Energy of reading one full word, in pJ, fJ or nJ."),
    needed("write_energy", "Write energy", "30.72 pJ", "Energy of writing one full word, in pJ, fJ or nJ."),
    optional(
        "estimate",
        "Estimate",
        "none",
        "`sram-65nm`, or another node down to `sram-7nm`: stands for the energies and the area that are not stated.",
    ),
    optional(
        "latency",
        "Latency",
        "1 cycle",
        "Cycles from a request to its first word: counts when the first inputs come, the last outputs go, or data is copied.",
    ),
    optional(
        "burst",
        "Burst",
        "one access",
        "The least that one transfer moves, in bit or B: a burst of a DRAM, or a row where each transfer opens one.",
    ),
    optional(
        "double_buffered",
        "Double-buffered",
        "false",
        "Holds twice what is replaced during a layer: `false` where that fits, `true` always, `never`.",
    ),
    optional("leakage", "Leakage", "none", "Power that one instance leaks, in mW, uW, nW or W. It needs a clock."),
    optional("source", "Source", "where the figures come from", "Where the figures of this memory come from."),
];

/// The fields of layers of any type.
pub const LAYER_FIELDS: [Field; 14] = [
    optional("K", "Channels K", "from the input", "Output channels; of an input, the channels of the map."),
    needed("size", "Map size", "224 x 224", "Columns x rows of the input map."),
    needed("kernel", "Kernel", "3 x 3", "Columns x rows of the window; `global`: as large as the map."),
    optional("stride", "Stride", "1", "Steps of the window: columns x rows, or one number for both."),
    optional(
        "padding",
        "Padding",
        "none",
        "Zeros around the input: `same`, one number, columns x rows, or `{ left: 0, right: 1, top: 0, bottom: 1 }`.",
    ),
    optional("dilation", "Dilation", "1", "Distance of neighbouring kernel elements: columns x rows, or one number."),
    optional(
        "groups",
        "Groups",
        "1",
        "Groups of a convolution, which share no channels; heads of a product of matrices.",
    ),
    optional("crop", "Crop", "false", "`true`: cut larger inputs down to the smallest instead of rejecting them."),
    optional(
        "join",
        "Join",
        "none",
        "`channels`, `columns` or `rows`: shows several maps one after the other along that axis.",
    ),
    optional("channels", "Channels", "all", "Shows a part of the channels: `0..32` are the first 32."),
    optional("columns", "Columns", "all", "Shows a part of the columns: `0..32` are the first 32."),
    optional("rows", "Rows", "all", "Shows a part of the rows: `0..32` are the first 32."),
    optional("scale", "Scale", "1", "Shows every column and row so many times, as nearest-neighbour resizing does."),
    optional("blocks", "Blocks", "1", "Shows channels as blocks of columns x rows (depth to space)."),
];

/// Bits per element, for a layer or for the whole network.
pub const PRECISION_FIELDS: [Field; 4] = [
    optional("W", "W", "8", "Bits of a weight."),
    optional("I", "I", "8", "Bits of an input feature."),
    optional("O_partial", "O partial", "16", "Bits of a partial sum."),
    optional("O", "O", "8", "Bits of a finished output."),
];

/// The fields of a layer of type `kind`; all fields for an unknown type.
pub fn layer_field_list(kind: &str) -> Vec<&'static Field> {
    let known = layer_fields(kind);
    LAYER_FIELDS.iter().filter(|field| known.is_empty() || known.contains(&field.name)).collect()
}
