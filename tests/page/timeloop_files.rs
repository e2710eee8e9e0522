//! Timeloop's files: documents made from them, transfers as counted by Timeloop itself, and the way back.

use crate::properties;
use fusescape::explore::{DesignLayer, LayerRequest, MappedLayer, user_mappings};
use fusescape::hardware::{Core, Movement};
use fusescape::import::{File, Imported, Severity, import, timeloop};
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{
    Diagnostics, find_preset, hardware_presets, read_hardware, read_mapping, read_workload, workload_presets,
};
use fusescape::state::{Action, ImportedDocuments, State, Tab};
use fusescape::workload::{Dim, LayerId, LayerKind, Network};

/// Four lanes with registers, a buffer, and an outer memory.
pub const ARCHITECTURE: &str = "
architecture:
  version: 0.4
  nodes:
  - !Container
    name: lanes_of_four
    attributes: { technology: 45nm }
  - !Component
    name: outside
    class: DRAM
    attributes: { width: 64, datawidth: 8, read_bandwidth: 8, write_bandwidth: 8 }
  - !Component
    name: buffer
    class: SRAM
    attributes: { depth: 8 * 16, width: 32, datawidth: 8, type: sram }
  - !Container
    name: lane
    spatial: { meshX: 4 }
    constraints: { spatial: { factors: [P=1] } }
  - !Parallel
    nodes:
    - !Component
      name: registers
      class: regfile
      attributes: { depth: 16, width: 8, datawidth: 8 }
  - !Component
    name: multiplier
    class: intmac
";

/// A matrix product with the names of layer dimensions.
pub const PROBLEM: &str = "
problem:
  version: 0.4
  shape:
    name: product
    dimensions: [K, C, P]
    data_spaces:
    - { name: Weights, projection: [[[K]], [[C]]] }
    - { name: Inputs, projection: [[[C]], [[P]]] }
    - { name: Outputs, projection: [[[K]], [[P]]], read_write: true }
  instance: { K: 8, C: 4, P: 6 }
";

pub const MAPPING: &str = "
mapping:
- { target: outside, type: temporal, factors: K=2 C=1 P=1, permutation: KCP }
- { target: buffer, type: temporal, factors: 'C=4,P=3', permutation: PCK }
- { target: lane, type: spatial, factors: [K4, C1, P1], permutation: [K, C, P], split: 3 }
- { target: registers, type: temporal, factors: P=0, permutation: PKC }
- { target: buffer, type: dataspace, keep: [Weights, Inputs, Outputs], bypass: [] }
";

pub const ENERGIES: &str = "
ERT:
  version: '0.4'
  tables:
  - name: lanes_of_four_top_level.outside[1..1]
    actions: [{ name: read, energy: 512 }, { name: write, energy: 480 }, { name: leak, energy: 0 }]
  - name: lanes_of_four_top_level.buffer[1..1]
    actions: [{ name: read, energy: 8 }, { name: write, energy: 10 }, { name: update, energy: 10 }]
  - name: lanes_of_four_top_level.lane[1..4].registers[1..4]
    actions: [{ name: read, energy: 0.5 }, { name: write, energy: 0.25 }, { name: leak, energy: 0.1 }]
  - name: lanes_of_four_top_level.multiplier[1..4]
    actions: [{ name: compute, energy: 0.75 }]
";

pub fn import_texts(files: &[&str]) -> Result<Imported, Diagnostics> {
    let name = |index: usize| format!("file{index}.yaml");
    let file = |(index, text): (usize, &&'static str)| File { name: name(index), source: Box::new(text.as_bytes()) };
    let files: Vec<&'static str> = files.iter().map(|text| &*Box::leak(text.to_string().into_boxed_str())).collect();
    import(files.iter().enumerate().map(file).collect(), &Default::default())
}

pub fn imports(files: &[&str]) -> Imported {
    import_texts(files).unwrap_or_else(|wrong| panic!("{wrong}"))
}

pub fn request() -> LayerRequest {
    LayerRequest {
        hardware: String::new(),
        workload: String::new(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 4,
        rules: Rules::CORRECTED,
        unroll: None,
    }
}

fn priced(imported: &Imported) -> (DesignLayer, MappedLayer) {
    let Imported { hardware, workload, mapping, .. } = imported;
    mapped(hardware.as_ref().unwrap(), workload.as_ref().unwrap(), mapping.as_ref().unwrap())
}

/// The first layer that a mapping document maps.
fn mapped(hardware: &str, workload: &str, mapping: &str) -> (DesignLayer, MappedLayer) {
    let core = Core::from_text(hardware).unwrap_or_else(|wrong| panic!("{wrong}"));
    let network = Network::from_text(workload).unwrap_or_else(|wrong| panic!("{wrong}"));
    user_mappings(mapping, &core, &network, &request()).unwrap_or_else(|wrong| panic!("{wrong}\n{mapping}")).remove(0)
}

/// Elements moved by one data movement of an operand at a memory.
pub fn moved(design_layer: &DesignLayer, mapped: &MappedLayer, memory: &str, operand: &str, movement: Movement) -> f64 {
    let is_it = |access: &&fusescape::cost::Access| {
        design_layer.core.memories[access.memory].name == memory
            && access.operand == operand
            && access.movement == movement
    };
    mapped.accesses.iter().filter(is_it).map(fusescape::cost::Access::all_elements).sum()
}

#[test]
fn a_mapping_moves_what_timeloop_counts() {
    let (design_layer, mapped) = priced(&imports(&[ARCHITECTURE, PROBLEM, MAPPING, ENERGIES]));
    // Counted by Timeloop: reads, fills and updates of all instances. Transfers to the next outer level are not reads
    // there.
    let cases = [
        ("registers", "W", 192, 32, 0),
        ("registers", "I", 192, 192, 0),
        ("registers", "O", 144, 144, 192),
        ("buffer", "W", 32, 32, 0),
        ("buffer", "I", 48, 24, 0),
        ("buffer", "O", 144, 0, 192),
        ("outside", "W", 32, 0, 0),
        ("outside", "I", 24, 0, 0),
        ("outside", "O", 0, 0, 48),
    ];
    for (memory, operand, reads, fills, updates) in cases {
        let count = |movement| moved(&design_layer, &mapped, memory, operand, movement);
        let found = [Movement::ReadToLow, Movement::WriteFromHigh, Movement::WriteFromLow].map(count);
        assert_eq!(found, [reads, fills, updates].map(f64::from), "{memory} {operand}");
    }
    // The energy in a table is that of an access of the full width: 8 B for the outer memory, 4 B for the buffer.
    let of = |name: &str| {
        let memory = design_layer.core.memories.iter().find(|memory| memory.name == name).unwrap();
        memory.read_energy_pj / memory.read_width_bits as f64
    };
    assert_eq!([of("outside"), of("buffer"), of("registers")], [512.0 / 64.0, 8.0 / 32.0, 0.5 / 8.0]);
    assert_eq!(design_layer.core.mac_energy.energy_pj, 0.75);
    assert!((mapped.memory_pj[1][0] - (192.0 * 0.5 + 32.0 * 0.25)).abs() < 1e-9, "{:?}", mapped.memory_pj);
}

#[test]
fn documents_say_what_the_files_say() {
    let imported = imports(&[ARCHITECTURE, PROBLEM, MAPPING, ENERGIES]);
    let (hardware, wrong) = read_hardware(imported.hardware.as_ref().unwrap()).both();
    assert!(wrong.is_empty());
    assert_eq!(hardware.array.dimensions, [("lane".to_owned(), 4)]);
    let names: Vec<&str> = hardware.memories.iter().map(|memory| memory.name.as_str()).collect();
    assert_eq!(names, ["registers", "buffer", "outside"]);
    assert_eq!(hardware.memories[1].size_bits, 8 * 16 * 32);
    assert_eq!((hardware.memories[2].read_width_bits, hardware.memories[2].read_granularity_bits), (64, 8));
    let shared: Vec<usize> = hardware.memories.iter().map(|memory| memory.shared_over.len()).collect();
    assert_eq!(shared, [0, 1, 1]);
    let (workload, _) = read_workload(imported.workload.as_ref().unwrap()).both();
    assert_eq!((workload.layers[0].channels, workload.layers[0].size), (Some(4), Some((6, 1))));
    assert_eq!((workload.layers[1].channels, workload.layers[1].kind.as_str()), (Some(8), "conv"));
    let report = &imported.reports[0];
    let said = |severity: Severity, what: &str| report.of(severity).any(|finding| finding.what == what);
    assert!(said(Severity::Assumed, "constraints") && said(Severity::Assumed, "bandwidth"), "{report:?}");
    assert!(said(Severity::Assumed, "size") && said(Severity::NotCounted, "leak"), "{report:?}");
    assert!(report.result.contains("a mapping, to be priced"), "{}", report.result);
}

#[test]
fn parts_are_imported_alone_where_they_say_enough() {
    let imported = imports(&[ARCHITECTURE]);
    assert!(imported.hardware.is_some() && imported.workload.is_none() && imported.mapping.is_none());
    let imported = imports(&[PROBLEM]);
    assert!(imported.hardware.is_none() && imported.workload.is_some());
    let all = [ARCHITECTURE, PROBLEM, MAPPING, ENERGIES].concat();
    assert_eq!(priced(&imports(&[&all])).1, priced(&imports(&[ARCHITECTURE, PROBLEM, MAPPING, ENERGIES])).1);
}

#[test]
fn the_front_ends_own_layout_is_the_same_architecture() {
    let written_out = "
architecture:
  version: '0.4'
  subtree:
  - name: lanes_of_four
    local:
    - { name: 'outside[1..1]', class: DRAM, attributes: { width: 64, datawidth: 8, read_bandwidth: 8, write_bandwidth: 8, meshX: 1 } }
    - { name: 'buffer[1..1]', class: SRAM, attributes: { depth: 128, width: 32, datawidth: 8, meshX: 1, cluster_size: 1 } }
    - { name: 'inter_lane_spatial[1..1]', class: dummy_storage, attributes: { width: 1, depth: 1, meshX: 1 } }
    - { name: 'registers[1..4]', class: regfile, attributes: { depth: 16, width: 8, datawidth: 8, meshX: 4 } }
    - { name: 'multiplier[1..4]', class: intmac, attributes: { meshX: 4 } }
architecture_constraints: { targets: [] }
";
    let mapping = MAPPING.replace("target: lane,", "target: inter_lane_spatial,");
    let (_, theirs) = priced(&imports(&[written_out, PROBLEM, &mapping, ENERGIES]));
    assert_eq!(theirs, priced(&imports(&[ARCHITECTURE, PROBLEM, MAPPING, ENERGIES])).1);
}

#[test]
fn windows_strides_and_batches_are_found_by_what_they_index() {
    let problem = "
problem:
  shape:
    name: windowed
    dimensions: [A, B, D, E, F, H, J]
    coefficients: [{ name: step, default: 1 }, { name: gap, default: 2 }]
    data-spaces:
    - { name: Filter, projection: [[[A]], [[B]], [[D]], [[E]]] }
    - { name: Image, projection: [[[J]], [[B]], [[D, gap], [F, step]], [[E], [H]]] }
    - { name: Result, projection: [[[J]], [[A]], [[F]], [[H]]], read-write: true }
  instance: { A: 16, B: 3, D: 3, E: 5, F: 7, H: 9, J: 2, step: 2, densities: { Filter: 0.5 } }
";
    let imported = imports(&[problem]);
    let network = Network::from_text(imported.workload.as_ref().unwrap()).unwrap();
    let shape = network.layer(network.computing().next().unwrap()).shape;
    let sizes = [Dim::B, Dim::K, Dim::C, Dim::OX, Dim::OY, Dim::FX, Dim::FY].map(|dim| shape.size(dim));
    assert_eq!(sizes, [2, 16, 3, 7, 9, 3, 5]);
    assert_eq!((shape.stride, shape.dilation), ((2, 1), (2, 1)));
    assert!(imported.reports[0].of(Severity::NotCounted).any(|finding| finding.what == "densities"));
}

#[test]
fn what_cannot_be_taken_is_refused_with_a_remedy() {
    let broken = |from: &str, to: &str| MAPPING.replace(from, to);
    let cases: [(&[&str], &str, &str); 13] = [
        (&[MAPPING], "which loops of a problem lie where", "together with both"),
        (&[ENERGIES], "alone describes no accelerator", "together with its architecture"),
        (&[ARCHITECTURE, ARCHITECTURE], "More than one of the files is a Timeloop architecture", "one after the other"),
        (&[ARCHITECTURE, PROBLEM, &broken("C=4", "C=2")], "The factors of C multiply to 2, not to 4", "multiply to 4"),
        (&[ARCHITECTURE, PROBLEM, &broken("K4", "K8")], "The factors of K multiply to 16", "multiply to 8"),
        (
            &[ARCHITECTURE, PROBLEM, &broken("target: buffer", "target: cache")],
            "has no `cache`",
            "outside, buffer, lane",
        ),
        (&[ARCHITECTURE, PROBLEM, &broken("keep: [Weights", "keep: [Wights")], "no data space `Wights`", "Weights"),
        (&[ARCHITECTURE, PROBLEM, &broken("'C=4,P=3'", "'C=4,P=3,2'")], "`2` is no dimension", "a remainder"),
        (&[ARCHITECTURE, PROBLEM, &broken("PCK", "PCX")], "no dimension `X`", "K, C, P"),
        (&[ARCHITECTURE, PROBLEM, &broken("split: 3", "split: 0")], "unrolls 4 along Y, where 1 are", "split"),
        (&[&ARCHITECTURE.replace("8 * 16", "lines")], "`lines` is no number", "parsed-processed-input.yaml"),
        (
            &[&PROBLEM.replace("problem:", "{{include('x')}}\nproblem:")],
            "Line 2 is a template",
            "parsed-processed-input",
        ),
        (&[&PROBLEM.replace("[[[C]], [[P]]]", "[[[C], [P], [K]]]")], "is none that layers have", "convolutions"),
    ];
    for (files, reason, remedy) in cases {
        let wrong = import_texts(files).err().unwrap_or_else(|| panic!("{reason}: imported"));
        let found = wrong.0.iter().any(|wrong| wrong.reason.contains(reason) && wrong.remedy.contains(remedy));
        assert!(found, "{reason}: {wrong}");
    }
}

/// A core whose memories all have one boundary for their operands, so that Timeloop can express its mappings.
pub const HARDWARE: &str = "
name: rows
array:
  dimensions: { columns: 4, lanes: 2 }
  mac_energy: 0.5 pJ
unroll:
  conv: { columns: K 4, lanes: C 2 }
memories:
  - { name: weight_reg, size: 2 B, operands: [W], width: 8 bit, read_energy: 0.01 pJ, write_energy: 0.02 pJ, shared_over: [] }
  - { name: psum_reg, size: 8 B, operands: [O], width: 16 bit, read_energy: 0.05 pJ, write_energy: 0.06 pJ, shared_over: [lanes] }
  - { name: buffer, size: 4 KiB, operands: [I, O], width: 64 bit, granularity: 8 bit, read_energy: 3 pJ, write_energy: 4 pJ,
      shared_over: all, double_buffered: true }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, granularity: 8 bit, read_energy: 500 pJ, write_energy: 600 pJ,
      shared_over: all }
";
pub const WORKLOAD: &str = "
name: conv
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: input, type: input, K: 8, size: 17 x 10 }
  - { name: conv, type: conv, K: 16, kernel: 3 x 3, stride: 2 x 1 }
";
pub const BY_HAND: &str = "
name: by hand
layers:
  - layer: conv
    unroll: { columns: K 4, lanes: C 2 }
    loops:
      - { loop: OX 2, W: weight_reg, I: buffer, O: psum_reg }
      - { loop: FX 3, W: dram, I: buffer, O: psum_reg }
      - { loop: FY 3, W: dram, I: buffer, O: psum_reg }
      - { loop: C 4, W: dram, I: buffer, O: psum_reg }
      - { loop: OY 4, W: dram, I: buffer, O: buffer }
      - { loop: OX 4, W: dram, I: buffer, O: buffer }
      - { loop: K 4, W: dram, I: buffer, O: dram }
      - { loop: OY 2, W: dram, I: dram, O: dram }
";

#[test]
fn what_is_exported_is_imported_as_it_was() {
    let (design_layer, mapped) = mapped(HARDWARE, WORKLOAD, BY_HAND);
    let files = timeloop::write(&design_layer, &mapped.mapping).unwrap_or_else(|wrong| panic!("{wrong}"));
    let imported = imports(&[&files.architecture, &files.problem, &files.mapping, &files.energies]);
    let (back, again) = priced(&imported);
    assert_eq!(back.core.array, design_layer.core.array);
    for (theirs, ours) in back.core.memories.iter().zip(&design_layer.core.memories) {
        assert_eq!(
            (&theirs.name, theirs.size_bits, theirs.read_width_bits, theirs.write_width_bits, theirs.shared_over),
            (&ours.name, ours.size_bits, ours.read_width_bits, ours.write_width_bits, ours.shared_over)
        );
        assert_eq!(
            (theirs.read_energy_pj, theirs.write_energy_pj, theirs.double_buffered),
            (ours.read_energy_pj, ours.write_energy_pj, ours.double_buffered)
        );
    }
    assert_eq!(back.problem.shape, design_layer.problem.shape);
    let (stated, _) = read_mapping(imported.mapping.as_ref().unwrap()).both();
    let (before, _) = read_mapping(BY_HAND).both();
    assert_eq!(stated.layers[0].loops.len(), before.layers[0].loops.len());
    assert_eq!(again.cycles.total, mapped.cycles.total);
    assert_eq!(again.memory_pj, mapped.memory_pj);
    assert_eq!(again.energy_pj(), mapped.energy_pj());
    // The page opens the mapping for editing, with the same cost.
    let Imported { hardware, workload, mapped: opened, .. } = imported;
    let opened = opened.unwrap();
    let mapping = Some((opened.layer, opened.unroll, opened.mapping));
    let mut state = State::first();
    state.apply(Action::Import(ImportedDocuments { hardware, workload, mapping, ..ImportedDocuments::default() }));
    assert_eq!((state.view.tab, state.own_mapping()), (Tab::Mapping, Some(&again.mapping)));
    let shown = DesignLayer::new(&state.layer_request().unwrap()).unwrap();
    assert_eq!(shown.cost(&again.mapping).unwrap().energy_pj(), mapped.energy_pj());
}

#[test]
fn an_export_refuses_what_timeloop_cannot_say() {
    let cases = [
        (
            HARDWARE.replace("shared_over: []", "shared_over: [columns]").replace("size: 2 B", "size: 8 B"),
            BY_HAND.to_owned(),
            "different dimensions",
        ),
        (
            HARDWARE.to_owned(),
            BY_HAND.replace("loop: K 4", "loop: K 6").replace("columns: K 4", "columns: K 3"),
            "does not divide it",
        ),
    ];
    for (hardware, mapping, reason) in cases {
        let (design_layer, mapped) = mapped(&hardware, WORKLOAD, &mapping);
        let wrong =
            timeloop::write(&design_layer, &mapped.mapping).err().unwrap_or_else(|| panic!("{reason}: written"));
        assert!(wrong.0.iter().any(|wrong| wrong.reason.contains(reason) && !wrong.remedy.is_empty()), "{wrong}");
    }
}

#[test]
fn a_memory_whose_operands_hold_different_loops_is_a_level_for_each() {
    let hardware = HARDWARE.replace("operands: [I, O], width: 64", "operands: [W, I, O], width: 64");
    let mapping = BY_HAND.replace("W: dram, I: buffer", "W: buffer, I: buffer");
    let (design_layer, mapped) = mapped(&hardware, WORKLOAD, &mapping);
    let files = timeloop::write(&design_layer, &mapped.mapping).unwrap_or_else(|wrong| panic!("{wrong}"));
    let (back, again) = priced(&imports(&[&files.architecture, &files.problem, &files.mapping, &files.energies]));
    assert!(again.energy_pj() > 0.0 && back.core.memories.len() >= design_layer.core.memories.len());
    assert!(
        (again.energy_pj() / mapped.energy_pj() - 1.0).abs() < 1e-9,
        "{} {}",
        again.energy_pj(),
        mapped.energy_pj()
    );
}

#[test]
fn cut_and_changed_files_never_panic() {
    let whole = [ARCHITECTURE, PROBLEM, MAPPING, ENERGIES].concat();
    for end in (0..whole.len()).step_by(37) {
        properties::timeloop::holds(&whole.as_bytes()[..end]);
    }
    for (from, to) in
        [("4", "0"), ("8", "18446744073709551615"), ("class", "clazz"), ("[", "]"), ("1", "1e400"), ("P", "")]
    {
        properties::timeloop::holds(whole.replace(from, to).as_bytes());
    }
}

/// The reported excess energy of an exported mapping, percent; `None` for the best.
fn said_of_the_best(files: &timeloop::TimeloopFiles) -> Option<f64> {
    files.report.of(Severity::Expressed).find_map(|finding| {
        let (costs, than) = finding.reason.split_once("it costs ")?.1.split_once(" %")?;
        let more: f64 = costs.parse().ok()?;
        Some(if than.starts_with(" less") { -more } else { more })
    })
}

/// If Timeloop cannot express the best mapping, the best expressible one is exported.
#[test]
fn every_product_of_a_network_can_be_exported() {
    let preset = |presets, name: &str| find_preset(presets, name).unwrap().text.to_owned();
    let network = Network::from_text(&preset(workload_presets(), "resnet18")).unwrap();
    let multiplies = |&id: &LayerId| !matches!(network.layer(id).shape.kind, LayerKind::Pooling | LayerKind::Add);
    let (mut best, mut otherwise) = (0, 0);
    for name in ["tpu-like", "eyeriss-like"] {
        let core = Core::from_text(&preset(hardware_presets(), name)).unwrap();
        for id in network.computing().filter(multiplies) {
            let layer = Some(network.layer(id).name.clone());
            let design_layer = DesignLayer::of(core.clone(), &network, &LayerRequest { layer, ..request() }).unwrap();
            let layer = design_layer.layer.clone();
            let files = timeloop::write_best(design_layer, &network).unwrap_or_else(|wrong| panic!("{layer}: {wrong}"));
            *(if said_of_the_best(&files).is_some() { &mut otherwise } else { &mut best }) += 1;
            // Rows and columns of padding are part of the input there, so that not all of it may fit in the memory that
            // holds it here.
            let back = imports(&[&files.architecture, &files.problem, &files.mapping, &files.energies]);
            assert!(back.hardware.is_some() && back.workload.is_some() && back.mapping.is_some(), "{layer}");
        }
    }
    assert!(best > 20 && otherwise > 3, "{best} as they are best, {otherwise} otherwise");
}

/// A register shared by PEs that have separate registers of sums becomes one per PE.
#[test]
fn memories_of_inputs_beside_those_of_sums_are_copied() {
    let hardware = HARDWARE
        .replace("columns: K 4, lanes: C 2", "columns: OX 4, lanes: C 2")
        .replace("shared_over: []", "shared_over: [columns]");
    let mapping = BY_HAND.replace("columns: K 4", "columns: OX 4").replace("OX 4, W: dram", "K 4, W: dram");
    let (design_layer, mapped) = mapped(&hardware, WORKLOAD, &mapping);
    let files = timeloop::write(&design_layer, &mapped.mapping).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(files.report.of(Severity::Expressed).any(|finding| finding.reason.contains("one for each of 4 PEs")));
    let (back, again) = priced(&imports(&[&files.architecture, &files.problem, &files.mapping, &files.energies]));
    let shared: Vec<usize> = back.core.memories.iter().map(|memory| memory.shared_over.len()).collect();
    assert_eq!(shared, [0, 1, 2, 2]);
    let (ours, theirs) = (mapped.energy_pj(), again.energy_pj());
    assert!((theirs / ours - 1.0).abs() < 1e-9, "{theirs} {ours}");
}

/// On a core that Timeloop can express, an exported mapping costs the same after import.
#[test]
fn the_best_that_timeloop_can_say_costs_what_is_said() {
    let network = "
name: small
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: input, type: input, K: 8, size: 17 x 11 }
  - { name: conv, type: conv, K: 16, kernel: 3 x 3 }
  - { name: step, type: conv, K: 18, kernel: 1 x 1, stride: 2 }
  - { name: point, type: conv, K: 32, kernel: 1 x 1 }
  - { name: fc, type: fully-connected, K: 42 }
";
    let (core, network) = (Core::from_text(HARDWARE).unwrap(), Network::from_text(network).unwrap());
    for id in network.computing() {
        let layer = Some(network.layer(id).name.clone());
        let design_layer = DesignLayer::of(core.clone(), &network, &LayerRequest { layer, ..request() }).unwrap();
        let (layer, best) = (design_layer.layer.clone(), design_layer.best().unwrap().energy_pj());
        let files = timeloop::write_best(design_layer, &network).unwrap_or_else(|wrong| panic!("{layer}: {wrong}"));
        let all = [&*files.architecture, &files.problem, &files.mapping, &files.energies];
        let more = 100.0 * (priced(&imports(&all)).1.energy_pj() / best - 1.0);
        let said = said_of_the_best(&files).unwrap_or(0.0);
        assert!((more - said).abs() < 0.006, "{layer}: {more} {said}");
    }
}
