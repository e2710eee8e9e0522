//! Estimated numbers of memories, wherever they are shown, written or edited.

use fusescape_engine::explore::{DesignLayer, LayerRequest};
use fusescape_engine::hardware::{Core, SRAM_65NM, estimate};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_engine::workload::Network;
use fusescape_form::{FieldTarget, MEMORY_FIELDS, add_memory, estimated_figure, repair};
use fusescape_import::{File, import, timeloop, zigzag};
use fusescape_spec::edit::Outline;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

const HARDWARE: &str = "name: x
array:
  dimensions: { D1: 4 }
  mac_energy: 1 pJ
unroll:
  conv: { D1: K }
memories:
  - { name: sram, size: 64 KiB, operands: [W, I, O], width: 128 bit, area: 5 um2, estimate: sram-28nm, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";
const WORKLOAD: &str = "name: conv
layers:
  - { name: input, type: input, K: 8, size: 8 x 8 }
  - { name: conv, type: conv, K: 16, kernel: 3 x 3 }
";
const NOTE: &str = "Energies of accesses that are estimates: sram (sram-28nm)\n";

fn printed(arguments: &str) -> String {
    // Tests run in parallel: each call has files of its own.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let file = |name: &str, text: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{call}-{name}"));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let hardware = file("estimates-hardware.yaml", HARDWARE);
    let workload = file("estimates-workload.yaml", WORKLOAD);
    let stated = file(
        "estimates-stated.yaml",
        &HARDWARE.replace("area: 5 um2, estimate: sram-28nm", "read_energy: 9 pJ, write_energy: 9 pJ"),
    );
    let arguments = arguments.replace("ESTIMATED", &format!("--hardware {hardware} --workload {workload}"));
    let arguments = arguments.replace("STATED", &format!("--hardware {stated} --workload {workload}"));
    let output = crate::program().args(arguments.split(' ')).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn reports_name_the_memories_whose_energies_are_estimates() {
    for command in [
        "layer KIND --strategy loma --lpf-limit 3",
        "depth-first KIND --grid 3,6x3,6 --strategy loma --lpf-limit 3",
        "depth-first KIND --tile 3x3 --stacks optimal --strategy loma --lpf-limit 3",
        "fuse KIND --tile 3x3 --strategy loma --lpf-limit 3",
    ] {
        let text = printed(&command.replace("KIND", "ESTIMATED"));
        assert!(text.contains(&format!(" on x\n{NOTE}\n")), "{command}:\n{text}");
        assert!(!printed(&command.replace("KIND", "STATED")).contains("estimates"), "{command}");
    }
}

#[test]
fn json_says_which_figures_are_estimates() {
    for command in [
        "layer KIND --strategy loma --lpf-limit 3 --json",
        "depth-first KIND --grid 3,6x3,6 --strategy loma --lpf-limit 3 --format json",
        "depth-first KIND --tile 3x3 --stacks optimal --strategy loma --lpf-limit 3 --format json",
    ] {
        let found: Value = serde_json::from_str(&printed(&command.replace("KIND", "ESTIMATED"))).unwrap();
        let one = json!({ "memory": "sram", "estimator": "sram-28nm", "read_energy": true, "write_energy": true, "area": false });
        assert_eq!(found["estimates"], json!([one]), "{command}");
        let found: Value = serde_json::from_str(&printed(&command.replace("KIND", "STATED"))).unwrap();
        assert_eq!(found["estimates"], json!([]), "{command}");
    }
}

#[test]
fn files_of_other_tools_have_the_numbers() {
    let (core, network) = (Core::from_text(HARDWARE).unwrap(), Network::from_text(WORKLOAD).unwrap());
    let figures = estimate("sram-28nm", 64 << 13, 128).unwrap();
    let expected = (figures.read_energy_pj, figures.write_energy_pj, None);
    let request = LayerRequest {
        hardware: HARDWARE.to_owned(),
        workload: WORKLOAD.to_owned(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 3,
        rules: Rules::CORRECTED,
        unroll: None,
    };
    let design_layer = DesignLayer::new(&request).unwrap();
    let theirs = timeloop::write(&design_layer, &design_layer.best().unwrap().mapping).unwrap();
    let zigzag = vec![zigzag::write(&core, &network).accelerator];
    for texts in [zigzag, vec![theirs.architecture, theirs.problem, theirs.mapping, theirs.energies]] {
        let files = texts.iter().map(|text| File { name: "a.yaml".to_owned(), source: Box::new(text.as_bytes()) });
        let imported = import(files.collect(), &Default::default()).unwrap();
        let back = Core::from_text(&imported.hardware.unwrap()).unwrap();
        let sram = back.memories.iter().find(|memory| memory.name.starts_with("sram")).unwrap();
        let found = (sram.read_energy_pj, sram.write_energy_pj, sram.estimate.clone());
        assert_eq!(found, expected);
    }
}

#[test]
fn a_form_shows_what_is_left_to_an_estimator_and_says_that_it_is_an_estimate() {
    let document = Outline::read(HARDWARE).unwrap();
    assert!(MEMORY_FIELDS.iter().any(|field| field.name == "estimate" && field.is_optional));
    let figures = estimate("sram-28nm", 64 << 13, 128).unwrap();
    let shown = estimated_figure(&document, 0, "read_energy").unwrap();
    let (number, rest) = shown.split_once(' ').unwrap();
    assert_eq!(rest, "pJ, an estimate");
    assert!((number.parse::<f64>().unwrap() / figures.read_energy_pj - 1.0).abs() < 0.01, "{shown}");
    assert!(estimated_figure(&document, 0, "area").unwrap().ends_with("um2, an estimate"));
    assert_eq!(estimated_figure(&document, 0, "latency"), None);
    assert_eq!(estimated_figure(&document, 1, "read_energy"), None, "dram states its figures");
    // A stated number has priority; removing the estimator makes the numbers required again.
    let stated = FieldTarget::optional("memories[0].read_energy").write(&document, "3 pJ").unwrap();
    assert_eq!(Core::from_text(stated.text()).unwrap().memories.raw[0].read_energy_pj, 3.0);
    let without = FieldTarget::optional("memories[0].estimate").write(&document, "").unwrap();
    assert_eq!(Core::from_text(without.text()).unwrap_err().0.len(), 2);
}

#[test]
fn a_new_memory_costs_what_an_estimator_says() {
    let added = add_memory(&Outline::read(HARDWARE).unwrap(), Some(0)).unwrap();
    let core = Core::from_text(added.text()).unwrap();
    let memory = &core.memories.raw[1];
    assert_eq!((&*memory.name, &*memory.estimate.as_ref().unwrap().estimator), ("memory", SRAM_65NM));
    assert_eq!(memory.read_energy_pj, estimate(SRAM_65NM, 64 << 13, 64).unwrap().read_energy_pj);
}

#[test]
fn an_estimate_that_is_wrong_is_repaired_by_one_click() {
    let cases = [
        ("sram-28nm", "sram-29nm", "sram-28nm"),
        (
            "area: 5 um2",
            "area: 5 um2, read_energy: 1 pJ, write_energy: 1 pJ",
            "read_energy: 1 pJ, write_energy: 1 pJ, shared_over",
        ),
    ];
    for (right, wrong, part) in cases {
        let document = Outline::read(&HARDWARE.replacen(right, wrong, 1)).unwrap();
        let said = Core::from_text(document.text()).unwrap_err();
        let repaired = repair(&document, &said.0[0]).unwrap();
        assert!(repaired.text().contains(part), "{}", repaired.text());
        assert!(Core::from_text(repaired.text()).is_ok(), "{}", repaired.text());
    }
}
