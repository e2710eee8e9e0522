//! What fuzzing begins with: small inputs of every kind, which are read without a complaint. `tools/fuzz` has them written into the
//! folder that FUSESCAPE_SEEDS names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[allow(dead_code)]
#[path = "common/onnx.rs"]
mod writer;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fusescape::hardware::Core;
use fusescape::import::{File, import, zigzag};
use fusescape::link::from_link;
use fusescape::spec::{gallery_presets, hardware_presets, pool_presets, workload_presets};
use fusescape::workload::Network;
use miniz_oxide::inflate::decompress_to_vec;
use writer::Is::{Int, Ints, Text};
use writer::{FLOAT, Graph, INT8};

/// Where seeds of this kind go, if anybody wants them.
fn save(kind: &str, seeds: &[(String, Vec<u8>)]) {
    let Ok(folder) = std::env::var("FUSESCAPE_SEEDS") else { return };
    let folder = std::path::Path::new(&folder).join(kind);
    std::fs::create_dir_all(&folder).unwrap();
    seeds.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
}

fn imports(name: &str, bytes: &[u8]) {
    let file = File { name: name.to_owned(), source: Box::new(bytes) };
    let imported = import(vec![file], &[]).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    assert!(!imported.reports.is_empty());
}

#[test]
fn documents() {
    let mut seeds = Vec::new();
    for presets in [hardware_presets(), workload_presets(), pool_presets(), gallery_presets()] {
        seeds.extend(presets.iter().map(|preset| (preset.id.to_owned(), preset.text.as_bytes().to_vec())));
    }
    for (hardware, workload) in [("tpu-like", "fsrcnn"), ("eyeriss-like", "bert-base-block")] {
        let text = |presets: &'static [fusescape::spec::Preset], id| {
            presets.iter().find(|preset| preset.id == id).unwrap().text
        };
        let core = Core::from_text(text(hardware_presets(), hardware)).unwrap();
        let network = Network::from_text(text(workload_presets(), workload)).unwrap();
        let files = zigzag::write(&core, &network);
        imports("accelerator.yaml", files.accelerator.as_bytes());
        imports("layers.yaml", files.workload.as_bytes());
        for (name, file) in [("accelerator", files.accelerator), ("mapping", files.mapping), ("layers", files.workload)]
        {
            seeds.push((format!("{workload}-{name}"), file.into_bytes()));
        }
    }
    save("yaml", &seeds);
}

#[test]
fn links() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/links/links.txt");
    let (mut seeds, mut states) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let (name, link) = line.split_once(' ').unwrap();
        let state = from_link(link).unwrap();
        states.push((format!("{name}-state"), state.to_yaml().into_bytes()));
        // The target packs what it is given.
        let packed = URL_SAFE_NO_PAD.decode(&link[1..]).unwrap();
        seeds.push((name.to_owned(), decompress_to_vec(&packed[..packed.len() - 2]).unwrap()));
        seeds.push((format!("{name}-link"), link.as_bytes().to_vec()));
    }
    save("link", &seeds);
    save("yaml", &states);
}

#[test]
fn models_of_all_operators() {
    let seeds: Vec<(String, Vec<u8>)> =
        models().iter().enumerate().map(|(index, graph)| (format!("model{index}"), graph.model())).collect();
    seeds.iter().for_each(|(name, bytes)| imports(name, bytes));
    save("onnx", &seeds);
}

/// Small models that contain every operator.
fn models() -> Vec<Graph> {
    let image = || Graph::default().input("x", &[-1, 4, 8, 8]);
    let pads = ("pads", Ints(&[1, 1, 1, 1]));
    let convolutions = image()
        .conv("x", "a", [4, 4, 3, 3], &[pads, ("strides", Ints(&[2, 2])), ("dilations", Ints(&[1, 1]))])
        .conv("a", "b", [4, 1, 3, 3], &[("group", Int(4)), ("auto_pad", Text("SAME_UPPER"))])
        .node("BatchNormalization", &["b", "a", "a", "a", "a"], &["c"], &[])
        .node("Relu", &["c"], &["d"], &[])
        .node("Add", &["a", "d"], &["e"], &[])
        .node("MaxPool", &["e"], &["f"], &[("kernel_shape", Ints(&[2, 2])), ("ceil_mode", Int(1))])
        .weights("t", FLOAT, &[4, 2, 4, 4])
        .node("ConvTranspose", &["f", "t"], &["g"], &[("strides", Ints(&[2, 2]))])
        .node("GlobalAveragePool", &["g"], &["h"], &[])
        .node("Flatten", &["h"], &["i"], &[])
        .dense("i", "j", 2, 3);
    let arranging = image()
        .ints("p", &[0, 0, 1, 1, 0, 0, 1, 1])
        .node("Pad", &["x", "p"], &["a"], &[])
        .conv("a", "b", [4, 4, 3, 3], &[])
        .node("Concat", &["x", "b"], &["c"], &[("axis", Int(1))])
        .ints("s", &[3, 5])
        .node("Split", &["c", "s"], &["d", "e"], &[("axis", Int(1))])
        .floats("z", &[1.0, 1.0, 2.0, 2.0])
        .node("Resize", &["d", "", "z"], &["f"], &[])
        .ints("n", &[0])
        .ints("m", &[2])
        .node("Slice", &["f", "n", "m", "m"], &["g"], &[])
        .conv("g", "h", [4, 3, 1, 1], &[])
        .node("DepthToSpace", &["h"], &["i"], &[("blocksize", Int(2))])
        .node("Transpose", &["i"], &["j"], &[("perm", Ints(&[0, 2, 3, 1]))])
        .node("ReduceMean", &["j"], &["k"], &[("axes", Ints(&[1, 2])), ("keepdims", Int(0))])
        .dense("k", "l", 1, 2);
    let attention = Graph::default()
        .input("x", &[1, 6, 8])
        .dense("x", "q", 8, 8)
        .dense("x", "k", 8, 8)
        .node("Shape", &["x"], &["shape"], &[])
        .ints("one", &[1])
        .node("Gather", &["shape", "one"], &["t"], &[])
        .ints("heads", &[2, 4])
        .node("Concat", &["one", "t", "heads"], &["split"], &[("axis", Int(0))])
        .node("Reshape", &["q", "split"], &["qh"], &[])
        .node("Reshape", &["k", "split"], &["kh"], &[])
        .node("Transpose", &["qh"], &["qt"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .node("Transpose", &["kh"], &["kt"], &[("perm", Ints(&[0, 2, 3, 1]))])
        .node("MatMul", &["qt", "kt"], &["scores"], &[])
        .node("Softmax", &["scores"], &["soft"], &[])
        .node("Sigmoid", &["x"], &["gate"], &[])
        .node("Mul", &["x", "gate"], &["gated"], &[])
        .weights("w", INT8, &[8, 3])
        .node("MatMulInteger", &["gated", "w"], &["y"], &[]);
    vec![convolutions, arranging, attention]
}
