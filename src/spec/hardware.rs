//! Reading a hardware document.

use super::Reading;
use super::document::{
    ArraySpec, DoubleBuffering, HardwareSpec, InMemorySpec, MacEnergySpec, MemorySpec, OperationSpec, PortSpec,
    UnrollSpec, VectorUnitSpec,
};
use super::estimate::{read_energy_or_estimate, read_estimate};
use super::quantity::{area_um2, bits, cycles, energy_pj, frequency_mhz, power_mw};
use super::reader::{Fields, LocatedNode, Reader, ValueError, count};

/// Limit on the memories of a core.
const MAX_MEMORIES: usize = 256;
/// The form of a precision, for a person.
const BITS: &str = "the bits of W x I, for example `8 x 8`";
/// Limit on the loops of one array dimension.
const MAX_LOOPS: usize = 16;
const HARDWARE: [&str; 8] = ["name", "about", "clock", "array", "dataflow", "unroll", "memories", "vector_unit"];
const VECTOR_UNIT: [&str; 5] = ["lanes", "memory", "registers", "operations", "source"];
const OPERATION: [&str; 2] = ["energy", "cycles"];
/// Name of the one dimension of a vector unit.
pub const LANES: &str = "lanes";
const ARRAY: [&str; 9] = [
    "dimensions",
    "systolic",
    "in_memory",
    "mac_energy",
    "mac_precision",
    "mac_energies",
    "pe_area",
    "leakage",
    "source",
];
const IN_MEMORY: [&str; 6] = ["type", "columns", "rows", "precision", "input_bits", "adc_resolution"];
/// Fields that are not stated for an array that computes in memory, as they follow from it.
const FOLLOWS: [&str; 4] = ["mac_energy", "mac_precision", "mac_energies", "pe_area"];
const MEMORY: [&str; 20] = [
    "name",
    "size",
    "operands",
    "width",
    "read_width",
    "write_width",
    "granularity",
    "read_granularity",
    "write_granularity",
    "read_energy",
    "write_energy",
    "area",
    "estimate",
    "shared_over",
    "ports",
    "latency",
    "burst",
    "double_buffered",
    "leakage",
    "source",
];
const PORT: [&str; 3] = ["serves", "width", "granularity"];

/// The fields of the part at `path`, in their usual order; none where names are free to choose.
pub(super) fn field_order(path: &str) -> &'static [&'static str] {
    match path.split_once('[') {
        Some(("memories" | "vector_unit.registers", rest)) if rest.contains("ports[") => &PORT,
        Some(("memories" | "vector_unit.registers", rest)) if rest.ends_with(']') => &MEMORY,
        None if path == "array" => &ARRAY,
        None if path == "array.in_memory" => &IN_MEMORY,
        None if path == "vector_unit" => &VECTOR_UNIT,
        None if path.starts_with("vector_unit.operations.") => &OPERATION,
        None if path.is_empty() => &HARDWARE,
        _ => &[],
    }
}

/// Reads a hardware document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read have their defaults, so the document means something only if nothing is wrong.
/// `Core::from_text` of the model reads and validates in one step.
pub fn read_hardware(text: &str) -> Reading<HardwareSpec> {
    let (root, mut reader) = Reader::open(text);
    let spec = read_core(&LocatedNode::root(&root), &mut reader);
    Reading::new(spec, reader.finish())
}

pub(super) fn read_core(place: &LocatedNode, reader: &mut Reader) -> HardwareSpec {
    let fields = place.fields(reader, &HARDWARE);
    let array = fields
        .need(reader, "array", "{ dimensions: { D1: 32, D2: 2 }, mac_energy: 0.04 pJ }")
        .map(|place| read_array(place, reader))
        .unwrap_or_default();
    let memories = match fields.need(reader, "memories", "[{ name: dram, size: 1 GiB, ... }]") {
        Some(place) => {
            place.list(reader, MAX_MEMORIES).iter().map(|memory| read_memory(memory, &array, reader)).collect()
        }
        None => Vec::new(),
    };
    HardwareSpec {
        name: fields.name(reader, "name", "My accelerator"),
        about: fields.text(reader, "about"),
        clock_mhz: fields
            .get("clock")
            .and_then(|place| place.figure(reader, "a frequency with its unit", frequency_mhz)),
        dataflow: fields.get("dataflow").and_then(|place| place.name(reader)).unwrap_or_default(),
        unroll: fields.get("unroll").map(|place| read_unrolls(place, reader)).unwrap_or_default(),
        vector_unit: fields.get("vector_unit").map(|place| read_vector_unit(place, reader)),
        array,
        memories,
    }
}

fn read_vector_unit(place: &LocatedNode, reader: &mut Reader) -> VectorUnitSpec {
    let fields = place.fields(reader, &VECTOR_UNIT);
    let lanes = fields.need(reader, "lanes", "64").and_then(|place| place.count(reader)).unwrap_or(1);
    let array = ArraySpec { dimensions: vec![(LANES.to_owned(), lanes)], ..ArraySpec::default() };
    let registers = fields.get("registers").map(|place| {
        let list = place.list(reader, MAX_MEMORIES);
        list.iter().map(|memory| read_memory(memory, &array, reader)).collect()
    });
    VectorUnitSpec {
        lanes,
        memory: fields.name(reader, "memory", "gb"),
        registers: registers.unwrap_or_default(),
        operations: fields.get("operations").map(|place| read_operations(place, reader)).unwrap_or_default(),
        source: fields.text(reader, "source"),
    }
}

fn read_operations(place: &LocatedNode, reader: &mut Reader) -> Vec<OperationSpec> {
    let mut operations = Vec::new();
    for (name, place) in place.entries(reader) {
        let fields = place.fields(reader, &OPERATION);
        operations.push(OperationSpec {
            name: name.to_owned(),
            energy_pj: fields
                .get("energy")
                .and_then(|place| place.figure(reader, "an energy with its unit", energy_pj)),
            cycles: fields.get("cycles").and_then(|place| place.count(reader)),
        });
    }
    operations
}

fn read_array(place: &LocatedNode, reader: &mut Reader) -> ArraySpec {
    let fields = place.fields(reader, &ARRAY);
    let dimensions = fields
        .need(reader, "dimensions", "{ D1: 32, D2: 2 }")
        .map(|place| place.entries(reader))
        .unwrap_or_default()
        .into_iter()
        // A dimension without a size still exists, so that naming it is no mistake.
        .map(|(name, size)| (name.to_owned(), size.count(reader).unwrap_or(1)))
        .collect::<Vec<_>>();
    let systolic = fields.get("systolic").map(|place| place.names(reader)).unwrap_or_default();
    let in_memory = fields.get("in_memory").map(|place| read_in_memory(place, reader));
    if in_memory.is_some() {
        for (name, place) in FOLLOWS.into_iter().filter_map(|name| Some((name, fields.get(name)?))) {
            let reason = format!("`{name}` of an array that computes in memory follows from `in_memory`");
            place.reject(reader, ValueError::new(reason, format!("Leave out `{name}`, or `in_memory`")));
        }
    }
    ArraySpec {
        systolic: all_or(systolic, &dimensions),
        dimensions,
        mac_energy_pj: if in_memory.is_some() { 0.0 } else { read_energy(&fields, "mac_energy", reader) },
        mac_precision: fields.get("mac_precision").and_then(|place| place.value(reader, BITS, bit_widths)),
        mac_energies: fields.get("mac_energies").map(|place| read_mac_energies(place, reader)).unwrap_or_default(),
        pe_area_um2: read_area(&fields, "pe_area", reader),
        leakage_mw: read_leakage(&fields, reader),
        in_memory,
        source: fields.text(reader, "source"),
    }
}

fn read_in_memory(place: &LocatedNode, reader: &mut Reader) -> InMemorySpec {
    const WHAT: &str = "a number of bits with its unit";
    let fields = place.fields(reader, &IN_MEMORY);
    InMemorySpec {
        kind: fields.name(reader, "type", "analog"),
        columns: fields.name(reader, "columns", "D1"),
        rows: fields.name(reader, "rows", "D2"),
        precision: fields
            .need(reader, "precision", "8 x 8")
            .and_then(|place| place.value(reader, BITS, bit_widths))
            .unwrap_or_default(),
        input_bits: fields
            .need(reader, "input_bits", "1 bit")
            .and_then(|place| place.value(reader, WHAT, bits))
            .unwrap_or_default(),
        adc_bits: fields.get("adc_resolution").and_then(|place| place.value(reader, WHAT, bits)),
    }
}

fn read_mac_energies(place: &LocatedNode, reader: &mut Reader) -> Vec<MacEnergySpec> {
    let entries = place.entries(reader);
    let read = |(name, place): (&str, LocatedNode)| match bit_widths(name) {
        Ok(precision) => {
            let energy_pj = place.figure(reader, "an energy with its unit", energy_pj)?;
            Some(MacEnergySpec { precision, energy_pj })
        }
        Err(wrong) => {
            place.reject(reader, wrong);
            None
        }
    };
    entries.into_iter().filter_map(read).collect()
}

/// The bits of W and of I: `8 x 4`.
fn bit_widths(text: &str) -> Result<(u64, u64), ValueError> {
    let wrong = || ValueError::new(format!("`{text}` is no precision"), "Write the bits of W x I, for example `8 x 8`");
    let (w, i) = text.split_once('x').ok_or_else(wrong)?;
    let bits = |text: &str| count(text.trim()).ok().filter(|bits| *bits > 0).ok_or_else(wrong);
    Ok((bits(w)?, bits(i)?))
}

fn read_memory(place: &LocatedNode, array: &ArraySpec, reader: &mut Reader) -> MemorySpec {
    let fields = place.fields(reader, &MEMORY);
    let (read_width_bits, write_width_bits) = read_both(&fields, "width", reader);
    if fields.get("width").is_none() {
        for (side, width) in [("read_width", read_width_bits), ("write_width", write_width_bits)] {
            if width.is_none() && fields.get(side).is_none() {
                let name = if read_width_bits.is_none() && write_width_bits.is_none() { "width" } else { side };
                fields.missing(reader, name, "64 bit");
            }
        }
    }
    let (read_granularity_bits, write_granularity_bits) = read_both(&fields, "granularity", reader);
    let (read_width_bits, write_width_bits) = (read_width_bits.unwrap_or(0), write_width_bits.unwrap_or(0));
    MemorySpec {
        name: fields.name(reader, "name", "lb"),
        size_bits: fields
            .need(reader, "size", "64 KiB")
            .and_then(|place| place.value(reader, "a size with its unit", bits))
            .unwrap_or(0),
        operands: fields.need(reader, "operands", "[I, O]").map(|place| place.names(reader)).unwrap_or_default(),
        read_width_bits,
        write_width_bits,
        read_granularity_bits: read_granularity_bits.unwrap_or(read_width_bits),
        write_granularity_bits: write_granularity_bits.unwrap_or(write_width_bits),
        read_energy_pj: read_energy_or_estimate(&fields, "read_energy", reader),
        write_energy_pj: read_energy_or_estimate(&fields, "write_energy", reader),
        area_um2: read_area(&fields, "area", reader),
        estimate: read_estimate(&fields, reader),
        shared_over: fields
            .need(reader, "shared_over", "all")
            .map(|place| all_or(place.names(reader), &array.dimensions))
            .unwrap_or_default(),
        ports: fields.get("ports").map(|place| read_ports(place, reader)).unwrap_or_default(),
        latency_cycles: fields
            .get("latency")
            .map_or(Some(1), |place| place.value(reader, "a number of cycles", cycles))
            .unwrap_or(1),
        burst_bits: fields.get("burst").and_then(|place| place.value(reader, "a number of bits with its unit", bits)),
        double_buffered: fields
            .get("double_buffered")
            .and_then(|place| place.value(reader, "`true`, `false` or `never`", double_buffering))
            .unwrap_or_default(),
        leakage_mw: read_leakage(&fields, reader),
        source: fields.text(reader, "source"),
    }
}

fn double_buffering(text: &str) -> Result<DoubleBuffering, ValueError> {
    match text {
        "true" => Ok(DoubleBuffering::Always),
        "false" => Ok(DoubleBuffering::WhereItFits),
        "never" => Ok(DoubleBuffering::Never),
        _ => Err(ValueError::new(
            format!("`{text}` does not say whether data is held twice"),
            "Write `true` (always), `false` (where it fits) or `never`",
        )),
    }
}

/// A leakage that may be left out: there is none then.
fn read_leakage(fields: &Fields, reader: &mut Reader) -> f64 {
    let place = fields.get("leakage");
    place.and_then(|place| place.figure(reader, "a power with its unit", power_mw)).unwrap_or(0.0)
}

/// Names of array dimensions, of which `all` stands for every one.
fn all_or(names: Vec<String>, dimensions: &[(String, u64)]) -> Vec<String> {
    if names == ["all"] { dimensions.iter().map(|(name, _)| name.clone()).collect() } else { names }
}

/// A figure for reading and one for writing: `width`, or `read_width` and `write_width`.
pub(super) fn read_both(fields: &Fields, name: &str, reader: &mut Reader) -> (Option<u64>, Option<u64>) {
    let what = "a number of bits with its unit";
    let both = fields.get(name);
    let value = both.and_then(|place| place.value(reader, what, bits));
    let [read, write] = [format!("read_{name}"), format!("write_{name}")].map(|side| {
        let place = fields.get(&side)?;
        if both.is_some() {
            let reason = format!("There is already a `{name}`, which stands for reading and writing");
            place.reject(reader, ValueError::new(reason, "Keep the one or the others"));
        }
        place.value(reader, what, bits)
    });
    (value.or(read), value.or(write))
}

pub(super) fn read_energy(fields: &Fields, name: &str, reader: &mut Reader) -> f64 {
    fields
        .need(reader, name, "0.04 pJ")
        .and_then(|place| place.figure(reader, "an energy with its unit", energy_pj))
        .unwrap_or(0.0)
}

/// An area that may be left out.
pub(super) fn read_area(fields: &Fields, name: &str, reader: &mut Reader) -> Option<f64> {
    fields.get(name).and_then(|place| place.figure(reader, "an area with its unit", area_um2))
}

fn read_ports(place: &LocatedNode, reader: &mut Reader) -> Vec<PortSpec> {
    let mut ports = Vec::new();
    for (index, (name, port)) in place.entries(reader).into_iter().enumerate() {
        let port = port.at(format!("{}[{index}]", place.path()));
        ports.push(read_port(name, &port, reader));
    }
    ports
}

/// The movements that a port serves, or `{ serves: [...], width: 512 bit, granularity: 64 bit }`.
fn read_port(name: &str, place: &LocatedNode, reader: &mut Reader) -> PortSpec {
    let name = name.to_owned();
    if !place.is_map() {
        return PortSpec { name, serves: place.names(reader), ..PortSpec::default() };
    }
    let fields = place.fields(reader, &PORT);
    let mut figure = |name: &str| fields.get(name)?.value(reader, "a number of bits with its unit", bits);
    let (width_bits, granularity_bits) = (figure("width"), figure("granularity"));
    let serves = fields.need(reader, "serves", "[I.read_to_low]").map(|place| place.names(reader)).unwrap_or_default();
    PortSpec { name, serves, width_bits, granularity_bits }
}

/// Spatial mappings by name of a layer type or a dataflow.
pub(super) fn read_unrolls(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, Vec<UnrollSpec>)> {
    let entries = place.entries(reader);
    entries.into_iter().map(|(name, unroll)| (name.to_owned(), read_unroll(&unroll, reader))).collect()
}

pub(super) fn read_unroll(place: &LocatedNode, reader: &mut Reader) -> Vec<UnrollSpec> {
    let mut unroll = Vec::new();
    for (array_dimension, unrolled) in place.entries(reader) {
        let loops = if unrolled.is_scalar() { vec![unrolled] } else { unrolled.list(reader, MAX_LOOPS) };
        for place in loops {
            if let Some((loop_dimension, limit)) =
                place.value(reader, "a loop dimension, for example `K` or `K 16`", read_loop)
            {
                unroll.push(UnrollSpec { array_dimension: array_dimension.to_owned(), loop_dimension, limit });
            }
        }
    }
    unroll
}

fn read_loop(text: &str) -> Result<(String, Option<u64>), ValueError> {
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(dimension), None, _) => Ok((dimension.to_owned(), None)),
        (Some(dimension), Some(limit), None) => Ok((dimension.to_owned(), Some(count(limit)?))),
        _ => Err(ValueError::new(
            format!("`{text}` is not a loop dimension"),
            "Write for example `K`, `K 16` to use at most 16 PEs, or `[K 8, C 4]` for two loops on one array dimension",
        )),
    }
}
