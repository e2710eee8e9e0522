//! HW-Flow-Fusion: the paper's equations and tables, as NOTES of the reference data resolve them.

pub mod fused;

use crate::Report;
use fusescape_engine::interlayer::{
    Accelerator, BottomTile, Chain, ChainEnergyCause, ChainLayer, EqualTiles, FusionBuffers, LayerTile, Parameters,
    RowStationary, SingleLayerSchedule, TileDirection, closed_form, fused_volume, propagate, reuse_overhead,
    tile_count, unique_tiles,
};
use fusescape_engine::workload::Network;
use fusescape_spec::{find_preset, workload_presets};
use fusescape_test_support::multi_tiling::{multi_tiled_macs, tile_sets};
use fusescape_test_support::{entries, integer, number, reference, text};
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
    chain(preset(&text(name)))
}

/// Its document.
fn preset(name: &str) -> &'static str {
    let id = if name == "VGG16-E" { "vgg16-e" } else { "resnet18-main-path" };
    find_preset(workload_presets(), id).unwrap().text
}

fn layer(chain: &Chain, name: &Value) -> ChainLayer {
    chain.layers()[chain.position(&text(name)).unwrap()].clone()
}

/// The layers that a case names, top first.
fn sequence(chain: &Chain, names: &Value) -> Vec<ChainLayer> {
    names.as_array().unwrap().iter().map(|name| layer(chain, name)).collect()
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
        let schedule = SingleLayerSchedule::new(&layer, tile, &accelerator(&case)).unwrap();
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
        let schedule = SingleLayerSchedule::best(&layer, &accelerator, &PARAMETERS).unwrap();
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
            "mac": energy.picojoules_of(ChainEnergyCause::Mac),
            "dram": energy.picojoules_of(ChainEnergyCause::Dram),
            "buf_dram_side": energy.picojoules_of(ChainEnergyCause::BufferToDram),
            "buf_array_side": energy.picojoules_of(ChainEnergyCause::BufferToArray),
        });
        compare(&mut report, &by_cause, &expected["energy"], &format!("{what}: energy"));
    }
    report
}

/// The column "Single" of Table 7 as printed: every convolution with the networks unchanged, every pooling with the
/// kernels of the other network, which the authors seem to have used.
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

/// Table 7 to the printed digit, except for one pooling.
pub fn table_7() -> Report {
    let mut report = Report::new();
    for (network, name, printed) in TABLE_7 {
        report.cases += 1;
        let chain = if name.contains("POOL") { chain(&swapped_poolings(network)) } else { published(&json!(network)) };
        let layer = layer(&chain, &json!(name));
        let schedule = SingleLayerSchedule::best(&layer, &Accelerator::PUBLISHED[0], &PARAMETERS).unwrap();
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
        preset(network).replace(two, three)
    } else {
        preset(network).replace(&format!("type: pooling, {three}"), &format!("type: pooling, {two}"))
    }
}

fn tile_numbers(layer: &ChainLayer, schedule: &SingleLayerSchedule) -> Value {
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

/// Eqs. 4 to 6, and the numbers of Fig. 12.
pub fn fusion_buffers() -> Report {
    let mut report = Report::new();
    for case in cases("eq4-9") {
        report.cases += 1;
        let (input, expected, what) = (&case["input"], &case["expected"], text(&case["id"]));
        let layers = sequence(&published(&input["network"]), &input["layers"]);
        let tile = bottom_tile(&layers, input);
        let tiles: Vec<Value> = propagate(&layers, &tile)
            .iter()
            .map(|of| json!({ "Tix": of.input_columns, "Tiy": of.input_rows, "Tox": of.columns, "Toy": of.rows }))
            .collect();
        report.same(&json!(tiles), &expected["tiles_top_to_bottom"], || format!("{what}: tiles"));
        let buffers = FusionBuffers::new(&layers, &tile, TileDirection::Horizontal);
        report.same(&json!(buffers.inputs), &expected["input_buffer_words"], || format!("{what}: inputs"));
        report.same(&json!(buffers.weights), &expected["weight_buffer_words"], || format!("{what}: weights"));
        report.same(&json!(buffers.reuse), &expected["reuse_buffer_x_words"], || format!("{what}: reuse"));
        let mut overhead = overheads(&layers, &tile);
        overhead[0] = 0;
        report.same(&json!(overhead), &expected["alwani_overhead_words"], || format!("{what}: overhead"));
        let volume = fused_volume(&layers, &tile);
        let ours = json!({
            "output_buffer_words": buffers.outputs, "eq5_words": buffers.fusion(),
            "total_bytes": buffers.total() * integer(&input["bytes"]), "n_tiles": tile_count(layers.last().unwrap(), &tile),
            "eq6_in": volume.inputs, "eq6_w": volume.weights, "eq6_out": volume.outputs, "eq6_V": volume.total(),
        });
        compare(&mut report, &ours, expected, &what);
    }
    for case in cases("min_storage") {
        report.cases += 1;
        let (input, expected, what) = (&case["input"], &case["expected"], text(&case["id"]));
        let chain = published(&input["network"]);
        let layers = sequence(&chain, &input["layers"]);
        let buffers = FusionBuffers::new(&layers, &bottom_tile(&layers, input), TileDirection::Horizontal);
        let bytes = integer(&input["bytes"]);
        // No map between two fused layers is written or read.
        let pixels = |layers: &[ChainLayer]| -> u64 {
            layers.iter().map(|layer| layer.outputs() + layer.x.input * layer.y.input * layer.input_maps).sum()
        };
        let saved = 2 * layers.iter().rev().skip(1).map(ChainLayer::outputs).sum::<u64>();
        let ours = json!({
            "total_bytes": buffers.total() * bytes, "weights_bytes": buffers.weights.iter().sum::<u64>() * bytes,
            "volume_saved_words": saved, "pixels_7_layers": pixels(&chain.layers()[..7]),
            "pixels_first6": pixels(&chain.layers()[..6]),
            "saved_over_6": saved as f64 / pixels(&chain.layers()[..6]) as f64,
        });
        compare(&mut report, &ours, expected, &what);
    }
    report
}

/// Eqs. 7 to 9, and the numbers of Fig. 13.
pub fn reuse_buffers() -> Report {
    let mut report = Report::new();
    for case in cases("eq7") {
        report.cases += 1;
        let (kernel, stride) = (integer(&case["input"]["Nk"]), integer(&case["input"]["S"]));
        let document = format!(
            "name: one\nlayers:\n  - {{ name: in, type: input, K: 1, size: 9 x 9 }}\n  \
             - {{ name: a, type: conv, K: 1, kernel: {kernel} x {kernel}, stride: {stride} }}"
        );
        let overlap = chain(&document).layers()[0].x.overlap();
        report.same(&overlap, &integer(&case["expected"]["O"]), || text(&case["id"]));
    }
    for case in cases("reuse_vs_alwani") {
        report.cases += 1;
        let (input, expected, what) = (&case["input"], &case["expected"], text(&case["id"]));
        let layers = sequence(&published(&input["network"]), &input["layers"]);
        let tile = bottom_tile(&layers, input);
        let reuse = &FusionBuffers::new(&layers, &tile, TileDirection::Horizontal).reuse[1..];
        let overhead = &overheads(&layers, &tile)[1..];
        report.same(&json!(reuse), &expected["reuse_words"], || format!("{what}: reuse"));
        report.same(&json!(overhead), &expected["overhead_words"], || format!("{what}: overhead"));
        let bytes = integer(&input["bytes"]);
        let ours = reuse.iter().sum::<u64>() * bytes;
        let theirs = ours + overhead.iter().sum::<u64>() * bytes;
        let numbers =
            json!({ "reuse_bytes": ours, "alwani_bytes": theirs, "saving": 1.0 - ours as f64 / theirs as f64 });
        compare(&mut report, &numbers, expected, &what);
    }
    report
}

/// Eqs. 10 to 13.
pub fn multi_tiling() -> Report {
    let mut report = Report::new();
    for case in cases("eq10-13") {
        report.cases += 1;
        let (input, what) = (&case["input"], text(&case["id"]));
        let layers = match input["network"].as_str() {
            Some(_) => sequence(&published(&input["network"]), &input["layers"]),
            None => chain(&document(&input["layers"])).layers().to_vec(),
        };
        let (x, y): (Vec<_>, Vec<_>) = layers.iter().map(|layer| (layer.x, layer.y)).unzip();
        let tile = (integer(&input["Tox"]), integer(&input["Toy"]));
        let (columns, rows) = (unique_tiles(&x, tile.0), unique_tiles(&y, tile.1));
        let (three_columns, three_rows) = (closed_form(&x, tile.0), closed_form(&y, tile.1));
        for (index, expected) in case["expected"]["layers"].as_array().unwrap().iter().enumerate() {
            let what = format!("{what} {}", layers[index].name);
            report.same(&json!(sizes(&columns[index])), &expected["x_sizes"], || format!("{what}: columns"));
            report.same(&json!(sizes(&rows[index])), &expected["y_sizes"], || format!("{what}: rows"));
            let exact = three_columns[index].is_exact(&columns[index]) && three_rows[index].is_exact(&rows[index]);
            report.same(&json!(exact), &expected["closed_form_exact"], || format!("{what}: whether eq. 10 holds"));
            for (ours, name) in [(three_columns[index], "X"), (three_rows[index], "Y")] {
                let ours = json!([ours.first, ours.middle, ours.last, ours.repetitions]);
                report.same(&ours, &expected[name], || format!("{what}: {name}"));
            }
            let sets = tile_sets(&columns[index], &rows[index]);
            let pixels: u64 = sets.iter().map(|set| set.columns * set.rows * set.repetitions).sum();
            report.same(&json!(pixels), &expected["unique_pixels"], || format!("{what}: pixels"));
            let macs = multi_tiled_macs(&layers[index], &sets);
            report.same(&json!(macs), &expected["macs"], || format!("{what}: MACs"));
        }
    }
    report
}

/// The workload document of layers of a case.
fn document(layers: &Value) -> String {
    let layers = layers.as_array().unwrap();
    let top = &layers[0];
    let mut text = format!(
        "name: case\nlayers:\n  - {{ name: in, type: input, K: {}, size: {} x {} }}\n",
        top["Nif"], top["Nix"], top["Niy"]
    );
    for layer in layers {
        let kind = if layer["type"] == "pool" { "pooling".to_owned() } else { format!("conv, K: {}", layer["Nof"]) };
        assert_eq!((&layer["Sx"], &layer["Px"]), (&layer["Sy"], &layer["Py"]));
        text += &format!(
            "  - {{ name: {}, type: {kind}, kernel: {} x {}, stride: {}, padding: {} }}\n",
            layer["name"], layer["Nkx"], layer["Nky"], layer["Sx"], layer["Px"]
        );
    }
    text
}

fn sizes(runs: &[EqualTiles]) -> Vec<u64> {
    runs.iter().flat_map(|run| (0..run.count).map(|_| run.size)).collect()
}

/// The tile of a case, by default with all output maps.
fn bottom_tile(layers: &[ChainLayer], input: &Value) -> BottomTile {
    BottomTile {
        columns: integer(&input["Tox"]),
        rows: integer(&input["Toy"]),
        output_maps: input["Tof_bottom"].as_u64().unwrap_or(layers.last().unwrap().output_maps),
    }
}

fn overheads(layers: &[ChainLayer], tile: &BottomTile) -> Vec<u64> {
    let extents = propagate(layers, tile);
    layers
        .iter()
        .zip(&extents)
        .map(|(layer, extent)| reuse_overhead(layer, extent, TileDirection::Horizontal))
        .collect()
}
