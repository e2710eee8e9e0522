//! The maintained ZigZag's results (3.8.5 and 3.9.1): models built from its data, whose layers are einsums with names of their own.

pub mod comparison;
pub mod in_memory;
pub mod network;
pub mod search;
pub mod single_layer;
pub mod spatial;
pub mod spatial_generation;

use crate::Report;
use fusescape_engine::hardware::{Core, Operand, Unroll};
use fusescape_engine::mapping::spatial_generation::{fit_capacity, reduce, width_bounds};
use fusescape_engine::mapping::{LayerProblem, TemporalLoop};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Precision};
use fusescape_spec::{ArraySpec, DoubleBuffering, HardwareSpec, InMemorySpec, MemorySpec, PortSpec};
use fusescape_test_support::{entries, integer, number, pair, reference_text, text, texts};
use serde_json::Value;

/// One reference file, with loop dimensions as a list of pairs: their order matters, and objects have none.
pub fn reference(path: &str) -> Value {
    let text = reference_text(path);
    let mut parts = text.split("\"dims\": {");
    let mut ordered = parts.next().unwrap().to_owned();
    for part in parts {
        let (dims, rest) = part.split_once('}').unwrap();
        let pairs: Vec<String> = dims.split(',').map(|pair| format!("[{}]", pair.replace(':', ","))).collect();
        ordered += &format!("\"dims\": [{}]{rest}", pairs.join(", "));
    }
    serde_json::from_str(&ordered).unwrap()
}

/// A version of the tool: its rules, and the ending of its file names.
#[derive(Clone, Copy)]
pub struct Version {
    rules: Rules,
    suffix: &'static str,
}

pub const V3_8: Version = Version { rules: Rules::ZIGZAG_3_8, suffix: "" };
pub const V3_9: Version = Version { rules: Rules::ZIGZAG_3_9, suffix: "_3_9" };

impl Version {
    /// A file of this version: `single_layer`.
    fn reference(self, name: &str) -> Value {
        reference(&format!("zigzag/{name}{}.json", self.suffix))
    }

    /// Checks every case of some files, each with its accelerator.
    fn check_cases(self, files: &[&str], check: fn(Rules, &Core, &Value, &mut Report)) -> Report {
        let mut report = Report::new();
        let hardware = self.reference("hardware");
        for file in files {
            for case in self.reference(file)["cases"].as_array().unwrap() {
                report.cases += 1;
                check(self.rules, &core(&hardware[text(&case["input"]["accelerator"])]), case, &mut report);
            }
        }
        report
    }
}

/// An accelerator of `zigzag/hardware.json`.
pub fn core(accelerator: &Value) -> Core {
    let mut spec = HardwareSpec {
        array: ArraySpec {
            dimensions: entries(&accelerator["array_dimensions"]).map(|(n, s)| (n.clone(), integer(s))).collect(),
            // The earlier version has none.
            systolic: accelerator.get("systolic_array_dimensions").map(texts).unwrap_or_default(),
            mac_energy_pj: number(&accelerator["MAC_energy_pJ"]),
            in_memory: accelerator.get("in_memory").map(in_memory_spec),
            ..ArraySpec::default()
        },
        memories: accelerator["memories"].as_array().unwrap().iter().map(memory_spec).collect(),
        ..HardwareSpec::default()
    };
    share_as_lower_memories(&mut spec);
    Core::new(&spec).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The tool takes D1 for columns, D2 for rows.
fn in_memory_spec(array: &Value) -> InMemorySpec {
    let bits = &array["input_precision_bits"];
    InMemorySpec {
        kind: text(&array["type"]),
        columns: "D1".to_owned(),
        rows: "D2".to_owned(),
        precision: (integer(&bits[1]), integer(&bits[0])),
        input_bits: integer(&array["bit_serial_precision_bits"]),
        adc_bits: array["adc_resolution_bits"].as_u64(),
    }
}

fn memory_spec(memory: &Value) -> MemorySpec {
    let ports = memory["ports"].as_array().unwrap();
    let widest = |field: &str| ports.iter().map(|port| integer(&port[field])).max().unwrap();
    let (width, granularity) = (widest("bandwidth_bits_per_cycle"), widest("min_granularity_bits"));
    MemorySpec {
        name: text(&memory["name"]),
        size_bits: integer(&memory["size_bits"]),
        operands: texts(&memory["operands"]),
        read_width_bits: width,
        write_width_bits: width,
        read_granularity_bits: granularity,
        write_granularity_bits: granularity,
        read_energy_pj: number(&memory["read_energy_pJ_per_access"]),
        write_energy_pj: number(&memory["write_energy_pJ_per_access"]),
        shared_over: texts(&memory["served_array_dimensions"]),
        ports: ports.iter().map(port_spec).collect(),
        latency_cycles: integer(&memory["latency_cycles"]),
        double_buffered: match memory["force_double_buffering"].as_bool() {
            Some(true) => DoubleBuffering::Always,
            _ => DoubleBuffering::WhereItFits,
        },
        ..MemorySpec::default()
    }
}

fn port_spec(port: &Value) -> PortSpec {
    let served = |served: &Value| format!("{}.{}", text(&served["operand"]), text(&served["direction"]));
    PortSpec {
        name: text(&port["name"]),
        serves: port["serves"].as_array().unwrap().iter().map(served).collect(),
        width_bits: Some(integer(&port["bandwidth_bits_per_cycle"])),
        granularity_bits: Some(integer(&port["min_granularity_bits"])),
    }
}

/// The tool treats array dimensions that a lower memory serves as served above as well (ascend_like's DRAM lists two of
/// four).
fn share_as_lower_memories(spec: &mut HardwareSpec) {
    for index in 1..spec.memories.len() {
        let (below, above) = spec.memories.split_at_mut(index);
        let high = &mut above[0];
        for low in below.iter().filter(|low| low.operands.iter().any(|held| high.operands.contains(held))) {
            let missing = low.shared_over.iter().filter(|dim| !high.shared_over.contains(dim));
            high.shared_over.extend(missing.cloned().collect::<Vec<_>>());
        }
    }
}

/// A layer of the data, with its loop dimensions under our names.
pub struct Layer {
    pub shape: LayerShape,
    dims: Vec<(String, Dim)>,
}

impl Layer {
    pub fn new(input: &Value) -> Self {
        let dims = dims(input);
        let mut sizes = [1; 8];
        for (name, dim) in &dims {
            let size = input["dims"].as_array().unwrap().iter().find(|pair| text(&pair[0]) == *name).unwrap();
            sizes[*dim as usize] = integer(&size[1]);
        }
        let precision = &input["precision_bits"];
        let bits = |name: &str| precision[name].as_u64();
        let limit = |axis: &str| input["input_extent_limit"][axis].as_u64().unwrap_or(u64::MAX);
        let shape = LayerShape {
            kind: kind(input),
            sizes,
            dim_order: dim_order(&dims),
            stride: pair(&input["stride"]),
            dilation: if input["dilation"].is_null() { (1, 1) } else { pair(&input["dilation"]) },
            input_limit: (limit("IX"), limit("IY")),
            untouched: (0, 0),
            precision: Precision {
                w: bits("W").unwrap_or(0),
                i: bits("I").or(bits("X")).unwrap(),
                o_partial: bits("O_partial").unwrap(),
                o: bits("O_final").unwrap(),
            },
            sparsity: None,
            operations: Default::default(),
        };
        Self { shape, dims }
    }

    fn dim(&self, name: &Value) -> Dim {
        let name = text(name);
        self.dims.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no dimension {name}")).1
    }

    /// `[["K", 2], ...]`.
    pub fn loops(&self, value: &Value) -> Vec<TemporalLoop> {
        let pairs = value.as_array().unwrap().iter();
        pairs.map(|pair| TemporalLoop { dim: self.dim(&pair[0]), size: integer(&pair[1]) }).collect()
    }

    /// `{"D1": [["K", 32], ["C", 2]], ...}`.
    pub fn unroll(&self, core: &Core, value: &Value) -> Vec<Unroll> {
        let mut unroll = Vec::new();
        for (array_dimension, loops) in entries(value) {
            let array_dim = core.array.position(|(name, _)| name == array_dimension).unwrap();
            // A loop that the layer does not have is no part of its mapping.
            let known = |pair: &&Value| self.dims.iter().any(|(name, _)| *name == text(&pair[0]));
            for pair in loops.as_array().unwrap().iter().filter(known) {
                unroll.push(Unroll { array_dim, dim: self.dim(&pair[0]), limit: integer(&pair[1]) });
            }
        }
        unroll
    }

    /// A stated spatial mapping as the tool reduces it.
    pub fn reduced(&self, core: &Core, rules: &Rules, given: &[Unroll]) -> Vec<Unroll> {
        let bounds = width_bounds(core, rules, &self.shape);
        let reduced = reduce(core, &self.shape, &bounds, given);
        fit_capacity(core, rules, &self.shape, &reduced)
    }

    /// The mapping problem with the spatial mapping given.
    pub fn problem(&self, core: &Core, unroll: Vec<Unroll>) -> LayerProblem {
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        LayerProblem::new(self.shape, levels, unroll)
    }
}

fn kind(input: &Value) -> LayerKind {
    let equation = text(&input["equation"]);
    let windowed = !input["input_window_relations"].as_array().unwrap().is_empty();
    if equation.contains('+') {
        LayerKind::Add
    } else if !equation.contains("[ox]") {
        LayerKind::MatMul
    } else if input["precision_bits"]["W"].as_u64() == Some(0) {
        LayerKind::Pooling
    } else if windowed {
        LayerKind::Conv
    } else {
        LayerKind::Pointwise
    }
}

/// The layer's loop dimensions in its own order. Those of matrix products have any name: the operands that they index
/// identify them.
fn dims(input: &Value) -> Vec<(String, Dim)> {
    let equation = text(&input["equation"]);
    let names = input["dims"].as_array().unwrap().iter().map(|pair| text(&pair[0]));
    if equation.contains("[ox]") {
        return names.map(|name| (name.clone(), Dim::from_name(&name).unwrap())).collect();
    }
    let terms: Vec<&str> = equation.split(['=', '*']).collect();
    let term = |operand: &str| *terms.iter().find(|term| term.trim().starts_with(operand)).unwrap();
    let (o, w, i) = (term("O"), term("W"), term("I"));
    let mut taken = Vec::new();
    names
        .map(|name| {
            let index = format!("[{}]", name.to_lowercase());
            let candidates: &[Dim] = match (o.contains(&index), w.contains(&index), i.contains(&index)) {
                (true, true, true) => &[Dim::B, Dim::G],
                (true, true, false) => &[Dim::K],
                (false, true, true) => &[Dim::C],
                _ => &[Dim::OX, Dim::OY],
            };
            let dim = *candidates.iter().find(|dim| !taken.contains(*dim)).unwrap();
            taken.push(dim);
            (name, dim)
        })
        .collect()
}

fn dim_order(dims: &[(String, Dim)]) -> [Dim; 8] {
    let mut order: Vec<Dim> = dims.iter().map(|(_, dim)| *dim).collect();
    order.extend(Dim::ALL.into_iter().filter(|dim| !dims.iter().any(|(_, known)| known == dim)));
    order.try_into().unwrap()
}
