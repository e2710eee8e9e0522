//! Common parts of the tests of several packages: the reference data, models made from it, and random models.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod csv;
pub mod fusion;
pub mod links;
pub mod multi_tiling;
pub mod nests;
pub mod onnx;
pub mod random;
pub mod requests;
pub mod sample;
pub mod stream;
pub mod transformers;
mod values;

pub use values::{integer, number, text, texts};

use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::mapping::LayerProblem;
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Network, Operations, Precision};
use fusescape_spec::{
    ArraySpec, DensitySpec, HardwareSpec, KernelSpec, LayerSpec, MemorySpec, PortSpec, PrecisionSpec, UnrollSpec,
    WorkloadSpec,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;

/// The directory of reference data: `FUSESCAPE_REFERENCE`, else the copy in the repository.
pub fn reference_directory() -> PathBuf {
    std::env::var_os("FUSESCAPE_REFERENCE").map_or_else(repository_reference, PathBuf::from)
}

fn repository_reference() -> PathBuf {
    root().join("tests/reference")
}

/// The root of the repository. Tests of a package run in the folder of that package.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// One reference file, plain or compressed.
pub fn reference(path: &str) -> Value {
    serde_json::from_str(&reference_text(path)).unwrap()
}

/// The text of one reference file, plain or compressed. A file missing in a given directory is taken from the copy in
/// the repository.
pub fn reference_text(path: &str) -> String {
    let plain = reference_directory().join(path);
    if plain.exists() {
        return std::fs::read_to_string(&plain).unwrap();
    }
    let name = format!("{path}.gz");
    let named = reference_directory().join(&name);
    let compressed = if named.exists() { named } else { repository_reference().join(name) };
    let file = std::fs::File::open(&compressed).unwrap_or_else(|error| panic!("{}: {error}", plain.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// Names of all cases of Stream in a directory, without their extensions.
pub fn stream_cases(directory: &str) -> Vec<String> {
    let path = reference_directory().join("stream").join(directory);
    let files = std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names = files.filter_map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        Some(name.strip_suffix(".gz").unwrap_or(&name).strip_suffix(".json")?.to_owned())
    });
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Entries of an object in file order.
pub fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().unwrap().iter()
}

/// An accelerator of `hardware.json`.
pub fn core(accelerator: &Value) -> Core {
    Core::new(&hardware_spec(accelerator)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

pub fn hardware_spec(accelerator: &Value) -> HardwareSpec {
    HardwareSpec {
        name: String::new(),
        about: String::new(),
        clock_mhz: None,
        array: ArraySpec {
            dimensions: entries(&accelerator["array_dimensions"]).map(|(n, s)| (n.clone(), integer(s))).collect(),
            mac_energy_pj: number(&accelerator["MAC_energy_pJ"]),
            ..ArraySpec::default()
        },
        dataflow: text(&accelerator["mapping_folder"]),
        unroll: Vec::new(),
        memories: accelerator["memories"].as_array().unwrap().iter().map(memory_spec).collect(),
        vector_unit: None,
    }
}

fn memory_spec(memory: &Value) -> MemorySpec {
    MemorySpec {
        name: text(&memory["name"]),
        size_bits: integer(&memory["size_bits"]),
        operands: texts(&memory["operands"]),
        read_width_bits: integer(&memory["read_bandwidth_bits_per_cycle"]),
        write_width_bits: integer(&memory["write_bandwidth_bits_per_cycle"]),
        read_granularity_bits: integer(&memory["min_read_granularity_bits"]),
        write_granularity_bits: integer(&memory["min_write_granularity_bits"]),
        read_energy_pj: number(&memory["read_energy_pJ_per_full_width_access"]),
        write_energy_pj: number(&memory["write_energy_pJ_per_full_width_access"]),
        shared_over: texts(&memory["served_array_dimensions"]),
        ports: memory["ports"]
            .as_array()
            .unwrap()
            .iter()
            .map(|port| PortSpec {
                name: text(&port["name"]),
                serves: port["serves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|served| format!("{}.{}", text(&served["operand"]), text(&served["direction"])))
                    .collect(),
                ..PortSpec::default()
            })
            .collect(),
        latency_cycles: integer(&memory["latency_cycles"]),
        ..MemorySpec::default()
    }
}

/// The loop nest of a case of `single_layer.json` or `search.json`.
pub fn shape(input: &Value) -> LayerShape {
    let mut sizes = [1; 8];
    for (name, size) in entries(&input["dims"]) {
        sizes[Dim::from_name(name).unwrap() as usize] = integer(size);
    }
    let operands = texts(&input["operands"]);
    let windowed = !input["input_window_relations"].as_array().unwrap().is_empty();
    let precision = &input["precision_bits"];
    let bits = |name: &str| precision[name].as_u64();
    let kind = if operands.contains(&"X".to_owned()) {
        LayerKind::Add
    } else if bits("W") == Some(0) {
        LayerKind::Pooling
    } else if sizes[Dim::G as usize] > 1 {
        LayerKind::Depthwise
    } else if windowed {
        LayerKind::Conv
    } else {
        LayerKind::Pointwise
    };
    LayerShape {
        kind,
        sizes,
        dim_order: kind.dim_order(),
        stride: pair(&input["stride"]),
        dilation: (1, 1),
        input_limit: (u64::MAX, u64::MAX),
        untouched: (0, 0),
        precision: Precision {
            w: bits("W").unwrap_or(0),
            i: bits("I").or(bits("X")).unwrap(),
            o_partial: bits("O_partial").unwrap(),
            o: bits("O_final").unwrap(),
        },
        sparsity: None,
        operations: Operations::default(),
    }
}

pub fn pair(value: &Value) -> (u64, u64) {
    (integer(&value["X"]), integer(&value["Y"]))
}

/// The mapping problem of a case of `single_layer.json` or `search.json`.
pub fn problem(core: &Core, input: &Value) -> LayerProblem {
    let shape = shape(input);
    let level_count = |operand: Operand| {
        let name = match (operand, shape.kind) {
            (Operand::I, LayerKind::Add) => "X".to_owned(),
            _ => operand.to_string(),
        };
        input["levels_available"][name].as_array().map_or(1, Vec::len)
    };
    let unroll = unroll_spec(&input["spatial_mapping_given"]);
    LayerProblem::new(shape, Operand::ALL.map(level_count), core.unroll_stated(&unroll))
}

/// `{"D1": ["K", 32]}`.
pub fn unroll_spec(value: &Value) -> Vec<UnrollSpec> {
    entries(value)
        .map(|(array_dimension, unrolled)| UnrollSpec {
            array_dimension: array_dimension.clone(),
            loop_dimension: text(&unrolled[0]),
            limit: Some(integer(&unrolled[1])),
        })
        .collect()
}

/// A network of `workloads.json`, with the sizes that the tool uses; layer `id` becomes layer `id + 1`.
pub fn network(workload: &Value) -> Network {
    Network::new(&workload_spec(workload)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

pub fn workload_spec(workload: &Value) -> WorkloadSpec {
    WorkloadSpec {
        name: String::new(),
        about: String::new(),
        batch: 1,
        density: DensitySpec::default(),
        precision: PrecisionSpec::default(),
        layers: workload["layers"].as_array().unwrap().iter().map(layer_spec).collect(),
    }
}

fn layer_spec(layer: &Value) -> LayerSpec {
    let dims = &layer["dims"];
    let dim = |name: &str| dims[name].as_u64();
    let windowed = layer["input_window_relations"].as_array().is_some_and(|relations| !relations.is_empty());
    let kind = match text(&layer["type"]).as_str() {
        "pointwise_conv" if windowed => "conv",
        "pointwise_conv" => "pointwise",
        "depthwise_conv" => "depthwise",
        "fully_connected" => "fully-connected",
        "input" => "input",
        "add" => "add",
        "pooling" => "pooling",
        "conv" => "conv",
        other => panic!("unknown layer type {other}"),
    };
    let is_input = kind == "input";
    LayerSpec {
        name: layer["id"].to_string(),
        kind: kind.to_owned(),
        from: layer["inputs_from"]
            .as_object()
            .map(|inputs| ["I", "X", "Y"].iter().filter_map(|name| inputs.get(*name)).map(Value::to_string).collect())
            .unwrap_or_default(),
        channels: dim("K").or(dim("G")),
        size: is_input.then(|| (dim("OX").unwrap(), dim("OY").unwrap())),
        kernel: KernelSpec::Size(dim("FX").unwrap_or(1), dim("FY").unwrap_or(1)),
        stride: (!is_input).then(|| pair(&layer["stride"])),
        crop: kind == "add",
        unroll: layer["spatial_mapping_per_accelerator_folder"]
            .as_object()
            .map(|folders| folders.iter().map(|(name, given)| (name.clone(), unroll_spec(given))).collect())
            .unwrap_or_default(),
        ..LayerSpec::default()
    }
}
