//! An accelerator file.

use super::mapping::read_loops;
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{Fields, LocatedNode, Reader, ValueError};
use fusescape_spec::{ArraySpec, Diagnostics, DoubleBuffering, HardwareSpec, InMemorySpec, MemorySpec, PortSpec};

const ACCELERATOR: [&str; 11] = [
    "name",
    "operational_array",
    "multipliers",
    "memories",
    "dataflows",
    "type",
    "operator_types",
    "operand_precision",
    "utilization",
    "max_object_fifo_depth",
    "memory",
];
const ARRAY: [&str; 10] = [
    "dimensions",
    "sizes",
    "unit_energy",
    "unit_area",
    "input_precision",
    "is_imc",
    "imc_type",
    "adc_resolution",
    "bit_serial_precision",
    "systolic_dimensions",
];
/// The fields from `r_bw` on are from files before ZigZag 3.8.
const MEMORY: [&str; 18] = [
    "size",
    "r_cost",
    "w_cost",
    "area",
    "latency",
    "mem_type",
    "auto_cost_extraction",
    "operands",
    "served_dimensions",
    "force_double_buffering",
    "ports",
    "r_bw",
    "w_bw",
    "min_r_granularity",
    "min_w_granularity",
    "r_port",
    "w_port",
    "rw_port",
];
const PORT: [&str; 5] = ["name", "type", "bandwidth_min", "bandwidth_max", "allocation"];
/// Largest number accepted.
const MAX_NUMBER: u64 = 1 << 50;

/// The role of a core file: in files of Stream not all of them compute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileRole {
    /// A core with an array.
    #[default]
    Compute,
    /// A memory on the chip, for cores beside it.
    Memory,
    /// The memory off the chip.
    Offchip,
}

/// An accelerator, or a core of Stream, as read.
#[derive(Debug, Clone, Default)]
pub struct ZigzagAccelerator {
    pub spec: HardwareSpec,
    /// Remarks for the user.
    pub report: ImportReport,
    pub role: FileRole,
    /// Types of operators that it runs, if stated.
    pub operators: Vec<String>,
    /// Whether the file is in a dialect of Stream, where the tool finds the unrolling of each layer unless the core
    /// states one.
    pub is_stream: bool,
}

/// Reads an accelerator: its contents as far as they can be read, and all errors.
pub fn read_accelerator(text: &str) -> (ZigzagAccelerator, Diagnostics) {
    let (root, mut reader) = Reader::open_foreign(text);
    let mut accelerator = read_core(&LocatedNode::root(&root), &mut reader);
    super::note_cleaned(&reader, &mut accelerator.report);
    for path in reader.repeated() {
        accelerator.report.note(Severity::Assumed, "field", "stated twice: the last one counts, as in ZigZag", path);
    }
    (accelerator, reader.finish())
}

/// Reads an accelerator within a file.
pub fn read_core(place: &LocatedNode, reader: &mut Reader) -> ZigzagAccelerator {
    let mut report = ImportReport::default();
    let fields = place.fields(reader, &ACCELERATOR);
    let name = fields.name(reader, "name", "my_accelerator");
    let kind = fields.get("type").and_then(|place| place.name(reader)).unwrap_or_default();
    if kind.starts_with("aie2.") || fields.get("memory").is_some() {
        let reason = "An AIE2 tile states neither an array nor energies: Stream takes its times from measured kernels";
        let remedy = "Describe it as a core `zigzag.compute`, with `operational_array` and `memories`";
        fields.get("type").unwrap_or(place).reject(reader, ValueError::new(reason, remedy));
        return ZigzagAccelerator::default();
    }
    let array = read_array(&fields, reader, &mut report);
    let is_empty = !array.dimensions.is_empty() && array.dimensions.iter().all(|(_, size)| *size == 0);
    let role = match kind.rsplit('.').next().unwrap_or_default() {
        "compute" => FileRole::Compute,
        "memory" => FileRole::Memory,
        "offchip" | "shim" => FileRole::Offchip,
        _ if is_empty => FileRole::Offchip,
        _ => FileRole::Compute,
    };
    let mut spec = HardwareSpec {
        about: format!("Imported from the ZigZag accelerator `{name}`."),
        name,
        array,
        ..HardwareSpec::default()
    };
    let mut is_stream = fields.get("type").is_some();
    if let Some(place) = fields.need(reader, "memories", "{ dram: { size: 10000000000, ... } }") {
        for (name, memory) in place.entries(reader) {
            let unit = if spec.array.in_memory.is_some() { AreaUnit::Mm2 } else { AreaUnit::Um2 };
            spec.memories.push(read_memory(name, &memory, unit, reader, (&mut report, &mut is_stream)));
        }
    }
    if let Some(place) = fields.get("dataflows").filter(|place| place.is_map()) {
        let loops = read_loops(place, reader);
        super::apply_to_hardware(
            &mut spec,
            &[super::MappingEntry { name: "default".to_owned(), loops, order: Vec::new() }],
        );
    }
    let operators = fields.get("operator_types").map(|place| place.names(reader)).unwrap_or_default();
    for (field, reason) in [
        ("operand_precision", "not taken: precisions are those of the network"),
        ("utilization", "not taken: how much of the array is used follows from the mapping"),
        ("max_object_fifo_depth", "not taken: it has no effect on cost here"),
    ] {
        if fields.get(field).is_some() {
            report.note(Severity::Assumed, field, reason, &spec.name);
        }
    }
    share_as_lower_memories(&mut spec, &mut report);
    ZigzagAccelerator { spec, report, role, operators, is_stream }
}

fn read_array(fields: &Fields, reader: &mut Reader, report: &mut ImportReport) -> ArraySpec {
    let stated = fields.get("operational_array").or_else(|| fields.get("multipliers"));
    let example = "{ dimensions: [D1], sizes: [32], unit_energy: 0.04 }";
    let Some(place) = stated.or_else(|| fields.need(reader, "operational_array", example)) else {
        return ArraySpec::default();
    };
    let array = place.fields(reader, &ARRAY);
    let names = array.need(reader, "dimensions", "[D1, D2]").map(|place| place.names(reader)).unwrap_or_default();
    let sizes = array.need(reader, "sizes", "[32, 2]");
    let sizes: Vec<u64> = sizes.map_or_else(Vec::new, |place| {
        let items = place.list(reader, 16);
        let sizes: Vec<u64> = items.iter().filter_map(|item| number(item, reader)).collect();
        if items.len() != names.len() {
            let reason = format!("There are {} dimensions but {} sizes", names.len(), items.len());
            place.reject(reader, ValueError::new(reason, "Write one size for each dimension, in the same order"));
        }
        sizes
    });
    let dimensions = names.into_iter().zip(sizes.into_iter().chain(std::iter::repeat(1))).collect();
    if array.get("is_imc").is_some_and(|place| flag(place, reader)) {
        return read_in_memory(&array, place, dimensions, reader, report);
    }
    let area = array.get("unit_area").and_then(|place| fraction(place, reader)).filter(|area| *area > 0.0);
    note_area(area, "array", AreaUnit::Um2, report);
    ArraySpec {
        systolic: array.get("systolic_dimensions").map(|place| place.names(reader)).unwrap_or_default(),
        dimensions,
        mac_energy_pj: array
            .need(reader, "unit_energy", "0.04")
            .and_then(|place| fraction(place, reader))
            .unwrap_or(0.0),
        pe_area_um2: area,
        ..ArraySpec::default()
    }
}

/// An array that computes in memory. ZigZag takes the first of its dimensions, ordered by name, for columns and the
/// second for rows.
fn read_in_memory(
    array: &Fields,
    place: &LocatedNode,
    dimensions: Vec<(String, u64)>,
    reader: &mut Reader,
    report: &mut ImportReport,
) -> ArraySpec {
    let mut names: Vec<&String> = dimensions.iter().map(|(name, _)| name).collect();
    names.sort();
    let [columns, rows] = [0, 1].map(|at| names.get(at).map_or_else(String::new, |name| (*name).clone()));
    if names.len() < 2 {
        let reason = "An array that computes in memory has columns and rows";
        array.get("dimensions").unwrap_or(place).reject(reader, ValueError::new(reason, "Write `[D1, D2]`"));
    }
    let bits = array.need(reader, "input_precision", "[8, 8]").map(|place| {
        let list = place.list(reader, 2);
        let bits: Vec<u64> = list.iter().filter_map(|item| number(item, reader)).collect();
        if list.len() != 2 {
            let reason = "These are not the bits of an input and of a weight";
            place.reject(reader, ValueError::new(reason, "Write for example `[8, 8]`"));
        }
        bits
    });
    let (i, w) = match bits.as_deref() {
        Some(&[i, w]) => (i, w),
        _ => (0, 0),
    };
    let kind = array.name(reader, "imc_type", "analog");
    let converters = array.get("adc_resolution").and_then(|place| number(place, reader)).filter(|bits| *bits > 0);
    for field in ["unit_energy", "unit_area"].into_iter().filter(|field| array.get(field).is_some()) {
        report.note(Severity::Assumed, field, "not taken: it follows from the macros, as in ZigZag", "array");
    }
    ArraySpec {
        in_memory: Some(InMemorySpec {
            columns,
            rows,
            precision: (w, i),
            input_bits: array
                .need(reader, "bit_serial_precision", "1")
                .and_then(|place| number(place, reader))
                .unwrap_or(0),
            adc_bits: converters,
            kind,
        }),
        dimensions,
        ..ArraySpec::default()
    }
}

fn read_memory(
    name: &str,
    place: &LocatedNode,
    unit: AreaUnit,
    reader: &mut Reader,
    (report, is_stream): (&mut ImportReport, &mut bool),
) -> MemorySpec {
    let fields = place.fields(reader, &MEMORY);
    let is_older = fields.get("r_bw").is_some() || fields.get("w_bw").is_some();
    *is_stream |= is_older;
    if let Some(automatic) = fields.get("auto_cost_extraction")
        && flag(automatic, reader)
    {
        let remedy = "Write `r_cost` and `w_cost` (pJ a word) and `auto_cost_extraction: false`";
        automatic.reject(reader, ValueError::new("ZigZag asks CACTI for these costs, which is not here", remedy));
    }
    let double_buffered = fields.get("force_double_buffering").is_some_and(|buffering| flag(buffering, reader));
    if double_buffered {
        report.note(
            Severity::Expressed,
            "force_double_buffering",
            "ZigZag before 3.9 reads it but never uses it",
            name,
        );
    }
    let cost = |field: &str, reader: &mut Reader| {
        let place = if fields.get("auto_cost_extraction").is_some() {
            fields.get(field)
        } else {
            fields.need(reader, field, "1.5")
        };
        place.and_then(|place| fraction(place, reader)).unwrap_or(0.0)
    };
    let (read_energy_pj, write_energy_pj) = (cost("r_cost", reader), cost("w_cost", reader));
    let area = fields.get("area").and_then(|place| fraction(place, reader)).filter(|area| *area > 0.0);
    note_area(area, name, unit, report);
    let area_um2 = area.map(|area| area * unit.um2());
    let mut memory = MemorySpec {
        name: name.to_owned(),
        size_bits: fields.need(reader, "size", "65536").map_or(0, |place| read_size(place, name, reader, report)),
        operands: fields
            .need(reader, "operands", "[I1, I2, O]")
            .map(|place| read_operands(place, reader))
            .unwrap_or_default(),
        read_energy_pj,
        write_energy_pj,
        area_um2,
        shared_over: fields
            .need(reader, "served_dimensions", "[D1]")
            .map(|place| place.names(reader))
            .unwrap_or_default(),
        latency_cycles: fields.get("latency").and_then(|place| number(place, reader)).unwrap_or(1),
        double_buffered: if double_buffered { DoubleBuffering::Always } else { DoubleBuffering::WhereItFits },
        ..MemorySpec::default()
    };
    let ports = fields.need(reader, "ports", "[{ name: r_port_1, type: read, ... }]");
    if is_older {
        let mut bits = |field: &str| fields.get(field).and_then(|place| number(place, reader));
        let (read, write) = (bits("r_bw").unwrap_or(0), bits("w_bw").unwrap_or(0));
        (memory.read_width_bits, memory.write_width_bits) = (read, write);
        memory.read_granularity_bits = bits("min_r_granularity").map_or(read, |least| least.min(read));
        memory.write_granularity_bits = bits("min_w_granularity").map_or(write, |least| least.min(write));
        memory.ports = ports.map(|place| read_older_ports(place, &memory, reader)).unwrap_or_default();
    } else {
        let ports = ports.map(|place| place.list(reader, 64).iter().map(|port| read_port(port, reader)).collect());
        set_widths(&mut memory, ports.unwrap_or_default(), report);
    }
    memory
}

/// A size. Memories off the chip often have a stated size beyond any number, which means no limit.
fn read_size(place: &LocatedNode, memory: &str, reader: &mut Reader, report: &mut ImportReport) -> u64 {
    let mut is_cut = false;
    let size = place.value(reader, "a whole number", |text| match text.replace('_', "").parse::<u64>() {
        Ok(size) if size > MAX_NUMBER => {
            is_cut = true;
            Ok(Some(MAX_NUMBER))
        }
        _ => Ok(None),
    });
    if is_cut {
        report.note(Severity::Expressed, "size", "larger than can be counted: 128 TiB", memory);
    }
    size.and_then(|cut| cut.or_else(|| number(place, reader))).unwrap_or(0)
}

/// Ports before ZigZag 3.8: for each operand in order the port of each direction, as `{ fh: w_port_1, tl: r_port_1 }`.
fn read_older_ports(place: &LocatedNode, memory: &MemorySpec, reader: &mut Reader) -> Vec<PortSpec> {
    let mut ports: Vec<PortSpec> = Vec::new();
    let items = place.list(reader, 16);
    if items.len() != memory.operands.len() {
        let reason = format!("There are {} operands but ports of {}", memory.operands.len(), items.len());
        place.reject(reader, ValueError::new(reason, "Write one entry for each of `operands`, in the same order"));
    }
    for (operand, item) in memory.operands.iter().zip(&items) {
        for (direction, port) in item.entries(reader) {
            let Some(movement) = movement(direction) else {
                let reason = format!("There is no direction `{direction}`");
                port.reject(reader, ValueError::new(reason, "Use fh, fl, tl and th"));
                continue;
            };
            let Some(name) = port.name(reader) else { continue };
            let service = format!("{operand}.{movement}");
            match ports.iter_mut().find(|known| known.name == name) {
                Some(known) => known.serves.push(service),
                None => ports.push(PortSpec { name, serves: vec![service], ..PortSpec::default() }),
            }
        }
    }
    ports
}

/// A port as in the file.
struct ZigzagPort {
    name: String,
    serves: Vec<String>,
    width: u64,
    granularity: u64,
}

fn read_port(place: &LocatedNode, reader: &mut Reader) -> ZigzagPort {
    let fields = place.fields(reader, &PORT);
    let kind = fields.name(reader, "type", "read");
    if !matches!(kind.as_str(), "read" | "write" | "read_write" | "") {
        let reason = format!("There is no type of port `{kind}`");
        if let Some(place) = fields.get("type") {
            place.reject(reader, ValueError::new(reason, "Write `read`, `write` or `read_write`"));
        }
    }
    let allocation = fields.need(reader, "allocation", "[\"I1, tl\"]");
    let serves = allocation.map_or_else(Vec::new, |place| {
        let items = place.list(reader, 64);
        items
            .iter()
            .filter_map(|item| item.value(reader, "an operand and a direction, for example `I1, tl`", service))
            .collect()
    });
    ZigzagPort {
        name: fields.name(reader, "name", "r_port_1"),
        serves,
        width: fields.need(reader, "bandwidth_max", "64").and_then(|place| number(place, reader)).unwrap_or(0),
        granularity: fields.need(reader, "bandwidth_min", "64").and_then(|place| number(place, reader)).unwrap_or(0),
    }
}

/// `I1, fh` is `I.write_from_high`.
fn service(text: &str) -> Result<String, ValueError> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let (operand, direction) = match parts[..] {
        [operand, direction] => (ours(operand), direction),
        _ => (None, ""),
    };
    match operand.zip(movement(direction)) {
        Some((operand, movement)) => Ok(format!("{operand}.{movement}")),
        _ => Err(ValueError::new(
            format!("`{text}` is no operand with a direction"),
            "Write one of I1, I2 and O, a comma, and one of fh, fl, tl and th",
        )),
    }
}

fn movement(direction: &str) -> Option<&'static str> {
    match direction {
        "fh" => Some("write_from_high"),
        "fl" => Some("write_from_low"),
        "tl" => Some("read_to_low"),
        "th" => Some("read_to_high"),
        _ => None,
    }
}

fn read_operands(place: &LocatedNode, reader: &mut Reader) -> Vec<String> {
    let items = place.list(reader, 16);
    let operand = |text: &str| {
        let reason = || ValueError::new(format!("There is no operand `{text}`"), "Use I1, I2 and O");
        ours(text).map(str::to_owned).ok_or_else(reason)
    };
    items.iter().filter_map(|item| item.value(reader, "an operand", operand)).collect()
}

fn ours(operand: &str) -> Option<&'static str> {
    match operand {
        "I1" => Some("I"),
        "I2" => Some("W"),
        "O" => Some("O"),
        _ => None,
    }
}

/// Sets the widths of a memory to those of the widest ports; other ports keep their own.
fn set_widths(memory: &mut MemorySpec, mut ports: Vec<ZigzagPort>, report: &mut ImportReport) {
    // Of two ports with the same service, ZigZag takes the last.
    for index in (1..ports.len()).rev() {
        let (earlier, later) = ports.split_at_mut(index);
        for port in earlier {
            let before = port.serves.len();
            port.serves.retain(|service| !later[0].serves.contains(service));
            if port.serves.len() < before {
                report.note(
                    Severity::Assumed,
                    "port",
                    "two ports serve the same: the last one does, as in ZigZag",
                    &memory.name,
                );
            }
        }
    }
    let is_read = |service: &String| service.contains(".read_");
    let widest = |reads: bool, of: fn(&ZigzagPort) -> u64| {
        let serving = ports.iter().filter(|port| port.serves.iter().any(|service| is_read(service) == reads));
        serving.map(of).max().or(ports.iter().map(of).max()).unwrap_or(0)
    };
    (memory.read_width_bits, memory.write_width_bits) =
        (widest(true, |port| port.width), widest(false, |port| port.width));
    let granularities = (widest(true, |port| port.granularity), widest(false, |port| port.granularity));
    memory.read_granularity_bits = granularities.0.min(memory.read_width_bits);
    memory.write_granularity_bits = granularities.1.min(memory.write_width_bits);
    let own = |port: &ZigzagPort, own: u64, read: u64, write: u64| {
        let same = port.serves.iter().all(|service| own == if is_read(service) { read } else { write });
        (!same).then_some(own)
    };
    memory.ports = ports
        .iter()
        .filter(|port| !port.serves.is_empty())
        .map(|port| PortSpec {
            name: port.name.clone(),
            serves: port.serves.clone(),
            width_bits: own(port, port.width, memory.read_width_bits, memory.write_width_bits),
            granularity_bits: own(port, port.granularity, memory.read_granularity_bits, memory.write_granularity_bits),
        })
        .collect();
}

/// Array dimensions served by a lower memory are also served by the memories above, as in ZigZag.
fn share_as_lower_memories(spec: &mut HardwareSpec, report: &mut ImportReport) {
    for index in 1..spec.memories.len() {
        let (below, above) = spec.memories.split_at_mut(index);
        let Some(high) = above.first_mut() else { continue };
        for low in below.iter().filter(|low| low.operands.iter().any(|held| high.operands.contains(held))) {
            let missing: Vec<String> =
                low.shared_over.iter().filter(|dim| !high.shared_over.contains(dim)).cloned().collect();
            if !missing.is_empty() {
                let reason = format!("shared over {}, too, as memories below it are", missing.join(", "));
                report.note(Severity::Assumed, "served_dimensions", &reason, &high.name);
            }
            high.shared_over.extend(missing);
        }
    }
}

/// The unit of areas in a file: ZigZag states none, except for arrays that compute in memory, whose areas it adds to
/// them.
#[derive(Clone, Copy)]
enum AreaUnit {
    Um2,
    Mm2,
}

impl AreaUnit {
    fn um2(self) -> f64 {
        match self {
            Self::Um2 => 1.0,
            Self::Mm2 => 1e6,
        }
    }
}

fn note_area(area: Option<f64>, of: &str, unit: AreaUnit, report: &mut ImportReport) {
    if area.is_some() {
        let taken = match unit {
            AreaUnit::Um2 => "ZigZag states no unit of areas; taken as um2",
            AreaUnit::Mm2 => "taken as mm2, as that of arrays that compute in memory is",
        };
        report.note(Severity::Assumed, "area", taken, of);
    }
}

/// A whole number.
pub fn number(place: &LocatedNode, reader: &mut Reader) -> Option<u64> {
    place.value(reader, "a whole number", |text| {
        let wrong =
            || ValueError::new(format!("`{text}` is no whole number that can be counted"), "Write for example `64`");
        let exact = text.replace('_', "").parse::<u64>().ok();
        let number = exact.or_else(|| {
            text.replace('_', "").parse::<f64>().ok().filter(|number| number.fract() == 0.0).map(|number| number as u64)
        });
        number.filter(|number| *number <= MAX_NUMBER).ok_or_else(wrong)
    })
}

/// A number, with `_` between its digits as YAML 1.1 allows.
pub fn fraction(place: &LocatedNode, reader: &mut Reader) -> Option<f64> {
    place.value(reader, "a number", |text| {
        let wrong = || ValueError::new(format!("`{text}` is no number, 0 or more"), "Write for example `1.5`");
        let number = text.replace('_', "").parse::<f64>().ok();
        number.filter(|number| number.is_finite() && *number >= 0.0).ok_or_else(wrong)
    })
}

/// `true`, in any of YAML's spellings.
fn flag(place: &LocatedNode, reader: &mut Reader) -> bool {
    place
        .value(reader, "`true` or `false`", |text| Ok(matches!(text, "true" | "True" | "TRUE" | "yes")))
        .unwrap_or(false)
}
