//! The spatial mappings that the tool considers, and its choice among them.

use super::{Layer, V3_8, V3_9, Version};
use crate::Report;
use fusescape_engine::hardware::{ArrayDimId, Core, Unroll};
use fusescape_engine::mapping::spatial_generation::{
    GenerationRequest, SpatialGeneration, fit_capacity, generate, width_bounds,
};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LoopSizes};
use fusescape_spec::{ArraySpec, HardwareSpec, MemorySpec};
use fusescape_test_support::{entries, integer, number, reference, text, texts};
use serde_json::Value;

/// Number of generated spatial mappings that ZigZag searches.
const GENERATED: usize = 3;

pub fn check() -> Report {
    check_version(V3_8, |workloads, case| {
        let layers = workloads[text(&case["workload"])]["layers"].as_array().unwrap();
        let mut layer = layers.iter().find(|layer| layer["id"] == case["layer"]).unwrap().clone();
        layer["dims"] = case["dims"].clone();
        Layer::new(&layer)
    })
}

pub fn check_3_9() -> Report {
    let mut report = check_version(V3_9, |_, case| Layer::new(&case["input"]));
    let hardware = V3_9.reference("hardware");
    for case in V3_9.reference("spatial_generation")["capacity"].as_array().unwrap() {
        report.cases += 1;
        check_capacity(&super::core(&hardware[text(&case["accelerator"])]), case, &mut report);
    }
    report.of_cases(41 + 28)
}

/// An unrolling reduced to the sizes of the innermost memories.
fn check_capacity(core: &Core, case: &Value, report: &mut Report) {
    let layer = Layer::new(&case["input"]);
    let limited = fit_capacity(core, &V3_9.rules, &layer.shape, &layer.unroll(core, &case["given"]));
    report.same(&limited, &layer.unroll(core, &case["limited"]), || format!("{}: limited", text(&case["id"])));
}

/// Checks every case of a version; `layer` reads the layer of a case.
fn check_version(version: Version, layer: fn(&Value, &Value) -> Layer) -> Report {
    let mut report = Report::new();
    let hardware = version.reference("hardware");
    let workloads = reference("zigzag/workloads.json");
    for case in version.reference("spatial_generation")["cases"].as_array().unwrap() {
        report.cases += 1;
        check_case(version.rules, &hardware, &layer(&workloads, case), case, &mut report);
    }
    report
}

fn check_case(rules: Rules, hardware: &Value, layer: &Layer, case: &Value, report: &mut Report) {
    let id = text(&case["id"]);
    let dim = |name: &str| layer.dims.iter().find(|(known, _)| known == name).map(|(_, dim)| *dim);
    let dims: Vec<Dim> = layer.dims.iter().map(|(_, dim)| *dim).collect();
    let accelerator = &hardware[text(&case["accelerator"])];
    let core = if accelerator.is_null() {
        report.remarks.push(format!("{id}: no hardware in the data, so bounds are taken as given"));
        array_of(case)
    } else {
        super::core(accelerator)
    };
    let given: Vec<(ArrayDimId, LoopSizes)> = entries(&case["max_unrolling"])
        .map(|(name, widths)| {
            let mut bounds = [1; 8];
            for (loop_name, width) in entries(widths) {
                bounds[dim(loop_name).unwrap() as usize] = integer(width);
            }
            (array_dim(&core, name), bounds)
        })
        .collect();
    let mut bounds = width_bounds(&core, &rules, &layer.shape);
    for (array_dim, theirs) in given {
        if accelerator.is_null() {
            bounds[array_dim] = theirs;
        }
        for &dim in &dims {
            let what = || format!("{id}: bound of {dim} on dimension {}", array_dim.index() + 1);
            report.same(&bounds[array_dim][dim as usize], &theirs[dim as usize], what);
        }
    }
    let hints = entries(&case["hint"])
        .filter_map(|(name, loops)| {
            let array_dim = core.array.position(|(known, _)| known == name)?;
            Some((array_dim, texts(loops).iter().filter_map(|name| dim(name)).collect()))
        })
        .collect();
    let provided = layer.unroll(&core, &case["provided"]);
    let request = GenerationRequest { provided, hints, mixed: case["mixed"].as_bool().unwrap() };
    let generation = generate(&core, &layer.shape, &dims, &bounds, &request);
    check_generation(&id, &core, layer, case, &generation, report);
}

fn check_generation(
    id: &str,
    core: &Core,
    layer: &Layer,
    case: &Value,
    generation: &SpatialGeneration,
    report: &mut Report,
) {
    let filled: Vec<&str> = generation.filled.iter().map(|&index| core.array[index].0.as_str()).collect();
    report.same(&filled, &texts(&case["array_dims_to_fill"]).iter().map(String::as_str).collect(), || {
        format!("{id}: dimensions to fill")
    });
    report.same(&generation.candidates, &integer(&case["candidates"]), || format!("{id}: candidates"));
    let top = case["top_indicators"].as_array().unwrap();
    if !filled.is_empty() {
        let valid = generation.ranked.len() as u64;
        report.same(&valid, &integer(&case["valid_candidates"]), || format!("{id}: valid candidates"));
    }
    for (rank, theirs) in top.iter().enumerate() {
        let ours = generation.ranked.get(rank).map_or(f64::NAN, |(indicator, _)| *indicator);
        report.close(ours, number(theirs), 0.0, || format!("{id}: indicator {rank}"));
    }
    // The tool's choice among equals is random; but each is one of ours, with the same indicator.
    let generated = case["generated"].as_array().unwrap();
    report.same(&generated.len(), &generation.ranked.len().min(GENERATED), || format!("{id}: mappings generated"));
    for (rank, (theirs, indicator)) in generated.iter().zip(case["indicators"].as_array().unwrap()).enumerate() {
        let theirs = sorted(layer.unroll(core, theirs));
        let ours = generation.ranked.iter().find(|(_, unroll)| sorted(unroll.clone()) == theirs);
        match ours {
            Some((ours, _)) => {
                report.close(*ours, number(indicator), 0.0, || format!("{id}: indicator of pick {rank}"))
            }
            None => report.failures.push(format!("{id}: pick {rank}, {theirs:?}, is none of ours")),
        }
        let at_rank = generation.ranked[rank].0;
        report.close(at_rank, number(indicator), 0.0, || format!("{id}: pick {rank} is among the best"));
    }
}

fn sorted(mut unroll: Vec<Unroll>) -> Vec<(ArrayDimId, Dim, u64)> {
    unroll.sort_by_key(|unroll| (unroll.array_dim, unroll.dim));
    unroll.into_iter().map(|unroll| (unroll.array_dim, unroll.dim, unroll.limit)).collect()
}

fn array_dim(core: &Core, name: &str) -> ArrayDimId {
    core.array.position(|(known, _)| known == name).unwrap()
}

/// A core with only the array of a case: each dimension as wide as the widest that was generated.
fn array_of(case: &Value) -> Core {
    let dimensions = entries(&case["max_unrolling"])
        .map(|(name, _)| {
            let width = |generated: &Value| -> u64 {
                generated[name].as_array().map_or(1, |loops| loops.iter().map(|pair| integer(&pair[1])).product())
            };
            (name.clone(), case["generated"].as_array().unwrap().iter().map(width).max().unwrap())
        })
        .collect::<Vec<_>>();
    let dram = MemorySpec {
        name: "dram".into(),
        size_bits: 1 << 40,
        operands: ["W", "I", "O"].map(String::from).into(),
        read_width_bits: 64,
        write_width_bits: 64,
        read_granularity_bits: 64,
        write_granularity_bits: 64,
        shared_over: dimensions.iter().map(|(name, _)| name.clone()).collect(),
        ..MemorySpec::default()
    };
    let spec = HardwareSpec {
        array: ArraySpec { dimensions, ..ArraySpec::default() },
        memories: vec![dram],
        ..HardwareSpec::default()
    };
    Core::new(&spec).unwrap_or_else(|wrong| panic!("{wrong}"))
}
