//! Importing and exporting on the command line.

use fusescape_engine::hardware::Core;
use fusescape_engine::workload::Network;
use fusescape_spec::{find_preset, workload_presets};
use fusescape_state::{Action, Half, State};
use fusescape_test_support::onnx::{Graph, Is::Int};
use std::path::PathBuf;
use std::process::Output;

fn fusescape(arguments: &[&str]) -> Output {
    crate::program().args(arguments).output().unwrap()
}

/// An empty folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_model_is_imported_to_a_file_with_its_report() {
    let folder = folder("import-onnx");
    let graph = Graph::default().input("image", &[-1, 3, -2, -2]).conv("image", "conv", [8, 3, 3, 3], &[]).node(
        "Softmax",
        &["conv"],
        &["soft"],
        &[],
    );
    let (model, document) = (folder.join("net.onnx"), folder.join("net.yaml"));
    std::fs::write(&model, graph.model()).unwrap();
    let (model, document) = (model.to_str().unwrap(), document.to_str().unwrap());
    let output = fusescape(&["import", model, "--out", document, "--size", "open2=32"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    for part in ["net.onnx, written by test 1.0: 1 layers", "Not counted:", "Softmax", "`open1` open; taken as 1"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let network = Network::from_text(&std::fs::read_to_string(document).unwrap()).unwrap();
    assert_eq!(network.macs(), 8 * 3 * 9 * 30 * 30);
    let printed = String::from_utf8(fusescape(&["import", model, "--size", "open2=32"]).stdout).unwrap();
    assert_eq!(printed, std::fs::read_to_string(document).unwrap());
}

#[test]
fn a_model_that_repeats_blocks_is_scheduled_as_the_document_that_is_made_of_it() {
    let folder = folder("import-transformer");
    let (model, document) = (folder.join("my-gpt.onnx"), folder.join("my-gpt.yaml"));
    std::fs::write(&model, fusescape_test_support::transformers::gpt().model()).unwrap();
    let (model, document) = (model.to_str().unwrap(), document.to_str().unwrap());
    let output = fusescape(&["import", model, "--as", "transformer", "--out", document]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("as many as in the network of the same model") && said.contains("behind the blocks"),
        "{said}"
    );
    let step = |model: &str| fusescape(&["attention", "--model", model, "--tokens", "32", "--format", "json"]);
    let (of_model, of_document) = (step(model), step(document));
    assert!(of_model.status.success());
    assert_eq!(of_model.stdout, of_document.stdout);
    assert_eq!(String::from_utf8(of_model.stderr).unwrap(), said);
    assert!(fusescape(&["validate", document]).status.success());
    // A document, like a preset, has no open sizes.
    for other in [document, "gpt2-small"] {
        let output = fusescape(&["attention", "--model", other, "--size", "sequence=8"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("Only an ONNX model leaves sizes open"), "{said}");
    }
}

#[test]
fn a_model_of_which_much_is_missing_is_written_only_if_a_part_will_do() {
    let folder = folder("import-partial");
    let graph = Graph::default().input("x", &[1, 16, 64]).dense("x", "a", 64, 32);
    let graph = graph.node("LSTM", &["a"], &["b"], &[]).dense("b", "c", 32, 1000);
    let (model, document) = (folder.join("net.onnx"), folder.join("net.yaml"));
    std::fs::write(&model, graph.model()).unwrap();
    let (model, out) = (model.to_str().unwrap(), document.to_str().unwrap());
    let output = fusescape(&["import", model, "--out", out]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("by 1 of 3 operators that multiply") && said.contains("--partial"), "{said}");
    assert!(!document.exists());
    assert!(fusescape(&["import", model, "--out", out, "--partial"]).status.success());
    assert!(std::fs::read_to_string(document).unwrap().contains("# INCOMPLETE."));
}

#[test]
fn what_is_missing_of_a_model_is_told_in_macs_and_bytes_of_maps() {
    let folder = folder("import-missing");
    // Two layers of 16 x 64 x 32 and 16 x 32 x 8 MACs, and a recurrent one whose weights are not constant: 16 steps of
    // 40 x (8 + 10).
    let graph = Graph::default().input("x", &[1, 16, 64]).dense("x", "a", 64, 32).dense("a", "b", 32, 8);
    let of = |graph: Graph| {
        let graph = graph.node("LSTM", &["b", "W", "R"], &["c"], &[("hidden_size", Int(10))]).dense("c", "d", 10, 100);
        let model = folder.join("net.onnx");
        std::fs::write(&model, graph.model()).unwrap();
        let output = fusescape(&["import", model.to_str().unwrap()]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        said
    };
    let known = graph.clone().input("W", &[1, 40, 8]).input("R", &[1, 40, 10]);
    let said = of(known);
    assert!(
        said.contains("36.86 of more than 48.38 kMAC and 1.62 of more than 1.62 KiB of maps are counted"),
        "{said}"
    );
    assert!(said.contains("by 2 of 4 operators that multiply"), "{said}");
}

#[test]
fn a_design_goes_to_zigzag_and_back() {
    let folder = folder("export-zigzag");
    let out = folder.to_str().unwrap();
    let design = ["--hardware", "tpu-like", "--workload", "resnet18"];
    assert!(fusescape(&[&["export-zigzag", "--out", out], &design[..]].concat()).status.success());
    let files: Vec<String> = ["accelerator.yaml", "mapping.yaml", "workload.yaml"]
        .iter()
        .map(|name| folder.join(name).to_str().unwrap().to_owned())
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let output = fusescape(&[&["import", "--out", out], &files[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(Core::from_text(&read("hardware.yaml")).is_ok());
    let theirs = Network::from_text(find_preset(workload_presets(), "resnet18").unwrap().text).unwrap();
    assert_eq!(Network::from_text(&read("workload.yaml")).unwrap().macs(), theirs.macs());
}

#[test]
fn the_cores_of_a_stream_system_are_found_beside_it() {
    let folder = folder("import-stream");
    let cores = folder.join("hardware/cores");
    std::fs::create_dir_all(&cores).unwrap();
    let array = |sizes: &str| format!("operational_array: {{ unit_energy: 1, dimensions: [D1], sizes: [{sizes}] }}\n");
    let memory = |name: &str| {
        let ports = "[{ fh: rw_1, tl: rw_1 }, { fh: rw_1, tl: rw_1 }, { fh: rw_1, tl: rw_1, fl: rw_1, th: rw_1 }]";
        let fields = format!("r_bw: 64, w_bw: 64, r_cost: 1, w_cost: 1, operands: [I1, I2, O], ports: {ports}");
        format!("name: {name}\nmemories:\n  {name}: {{ size: 1_000_000, {fields}, served_dimensions: [D1] }}\n")
    };
    std::fs::write(cores.join("pe.yaml"), memory("sram") + &array("8")).unwrap();
    std::fs::write(cores.join("dram.yaml"), memory("dram") + &array("0")).unwrap();
    let soc = "name: s\ncores: { 0: hardware/cores/pe.yaml, 1: pe.yaml }\noffchip_core: dram.yaml\nbandwidth: 8\n\
               core_connectivity: [\"0, 1\"]\n";
    let (system, out) = (folder.join("hardware/soc.yaml"), folder.join("system.yaml"));
    std::fs::write(&system, soc).unwrap();
    let output = fusescape(&["import", system.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let valid = fusescape(&["validate", out.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&valid.stdout).contains("the system `s`: 2 cores"), "{valid:?}");
}

#[test]
fn what_cannot_be_imported_is_explained() {
    let folder = folder("import-wrong");
    let path = folder.join("cut.onnx");
    let model = Graph::default().input("x", &[1, 3, 8, 8]).conv("x", "y", [4, 3, 3, 3], &[]).model();
    std::fs::write(&path, &model[..model.len() / 2]).unwrap();
    for (file, part) in
        [(path.to_str().unwrap(), "is no complete ONNX model: at byte"), ("absent.onnx", "absent.onnx: ")]
    {
        let output = fusescape(&["import", file]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(part), "{said}");
    }
}

#[test]
fn a_saved_state_is_imported_alone_and_gives_both_documents() {
    let folder = folder("import-state");
    let mut state = State::first();
    state.apply(Action::preset(Half::Hardware, "tpu-like").unwrap());
    state.apply(Action::Write(Half::Workload, "name: mine\nlayers: []\n".to_owned()));
    let (saved, hardware) = (folder.join("mine.yaml"), folder.join("core.yaml"));
    std::fs::write(&saved, state.to_yaml()).unwrap();
    std::fs::write(&hardware, &state.design.hardware.text).unwrap();
    let (saved, out) = (saved.to_str().unwrap(), folder.join("out"));
    let output = fusescape(&["import", saved, "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(out.join("hardware.yaml")).unwrap(), state.design.hardware.text);
    assert_eq!(std::fs::read_to_string(out.join("workload.yaml")).unwrap(), "name: mine\nlayers: []\n");
    let output = fusescape(&["import", saved, hardware.to_str().unwrap()]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("A saved state holds both documents"));
}

#[test]
fn a_layer_goes_to_timeloop_and_back() {
    let folder = folder("export-timeloop");
    let out = folder.join("files");
    let arguments =
        ["export-timeloop", "--hardware", "eyeriss-like", "--workload", "alexnet-eyeriss", "--layer", "conv3"];
    let output = fusescape(&[&arguments[..], &["--out", out.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files: Vec<PathBuf> =
        ["architecture", "problem", "mapping", "ERT"].iter().map(|name| out.join(format!("{name}.yaml"))).collect();
    let back = folder.join("back");
    let mut arguments = vec!["import", "--out", back.to_str().unwrap()];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = fusescape(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document = |name: &str| back.join(name).to_str().unwrap().to_owned();
    let (hardware, workload, mapping) =
        (document("hardware.yaml"), document("workload.yaml"), document("mapping.yaml"));
    let output = fusescape(&["layer", "--hardware", &hardware, "--workload", &workload, "--mapping", &mapping]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_system_goes_to_stream_and_back() {
    let folder = folder("export-stream");
    let out = folder.join("files");
    let arguments = ["export-stream", "--system", "simba-quad", "--workload", "fsrcnn", "--out", out.to_str().unwrap()];
    let output = fusescape(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let back = folder.join("back");
    let (system, mapping, network) = (path("system.yaml"), path("mapping.yaml"), path("workload.yaml"));
    let output = fusescape(&["import", &system, &mapping, &network, "--out", back.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(back.join("system.yaml").is_file() && back.join("workload.yaml").is_file());
}
