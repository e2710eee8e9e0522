//! Systems of Stream in the three layouts of its repository, compared with documents written by hand.

use crate::properties;
use crate::zigzag_files::{import_texts, imports};
use fusescape::hardware::Core;
use fusescape::import::{ImportReport, Imported, Severity, stream};
use fusescape::spec::{
    Diagnostics, LinkEnds, LinkSpec, SystemSpec, hardware_presets, read_system, system_presets, write_system,
};
use fusescape::state::{Action, ImportedDocuments, State, Tab};
use fusescape::system::CoreSystem;
use fusescape::workload::{LayerKind, Network};

fn system_of(imported: &Imported) -> CoreSystem {
    CoreSystem::from_text(imported.system.as_ref().unwrap(), "").unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// A core from before ZigZag 3.8: ports by operand, widths by memory.
pub const OLDER_CORE: &str = "
name: anything
memories:
  reg:
    size: 16
    r_bw: 16
    w_bw: 16
    r_cost: 0.02
    w_cost: 0.03
    area: 0
    r_port: 2
    w_port: 2
    rw_port: 0
    latency: 1
    operands: [O]
    ports: [{ fh: w_port_1, tl: r_port_1, fl: w_port_2, th: r_port_2 }]
    served_dimensions: [D2]
  sram:
    size: 1_048_576
    r_bw: 256
    w_bw: 128
    r_cost: 1_0.5
    w_cost: 12
    min_r_granularity: 64
    min_w_granularity: 64
    operands: [I1, I2, O]
    ports:
      - { fh: w_port_1, tl: r_port_1 }
      - { fh: w_port_1, tl: r_port_1 }
      - { fh: w_port_1, tl: r_port_1, fl: w_port_1, th: r_port_1 }
    served_dimensions: [D1, D2]
multipliers: { unit_energy: 0.5, unit_area: 0, dimensions: [D1, D2], sizes: [8, 4] }
dataflows: { D1: [\"K, 8\"], D2: [\"C, 4\"] }
";

const OLDER_DRAM: &str = "
name: far
memories:
  dram:
    size: 100000000000000000
    r_bw: 64
    w_bw: 64
    r_cost: 3_000
    w_cost: 4000
    r_port: 0
    w_port: 0
    rw_port: 1
    operands: [I1, I2, O]
    ports:
      - { fh: rw_port_1, tl: rw_port_1 }
      - { fh: rw_port_1, tl: rw_port_1 }
      - { fh: rw_port_1, tl: rw_port_1, fl: rw_port_1, th: rw_port_1 }
    served_dimensions: [D1, D2]
operational_array: { unit_energy: 0, unit_area: 0, dimensions: [D1, D2], sizes: [0, 0] }
";

/// The current layout of ports, without a dataflow.
pub const CORE: &str = "
name: anything
type: zigzag.compute
memories:
  reg:
    size: 16
    r_cost: 0.02
    w_cost: 0.03
    latency: 1
    operands: [O]
    ports:
      - { name: w_port_1, type: write, bandwidth_min: 16, bandwidth_max: 16, allocation: [\"O, fh\"] }
      - { name: r_port_1, type: read, bandwidth_min: 16, bandwidth_max: 16, allocation: [\"O, tl\"] }
      - { name: w_port_2, type: write, bandwidth_min: 16, bandwidth_max: 16, allocation: [\"O, fl\"] }
      - { name: r_port_2, type: read, bandwidth_min: 16, bandwidth_max: 16, allocation: [\"O, th\"] }
    served_dimensions: [D2]
  sram:
    size: 1048576
    r_cost: 10.5
    w_cost: 12
    operands: [I1, I2, O]
    ports:
      - { name: w_port_1, type: write, bandwidth_min: 64, bandwidth_max: 128, allocation: [\"I1, fh\", \"I2, fh\", \"O, fh\", \"O, fl\"] }
      - { name: r_port_1, type: read, bandwidth_min: 64, bandwidth_max: 256, allocation: [\"I1, tl\", \"I2, tl\", \"O, tl\", \"O, th\"] }
    served_dimensions: [D1, D2]
operational_array: { unit_energy: 0.5, unit_area: 0, dimensions: [D1, D2], sizes: [8, 4] }
";

pub const DRAM: &str = "
name: far
type: zigzag.offchip
memories:
  dram:
    size: 8000000
    r_cost: 3000
    w_cost: 4000
    operands: [I1, I2, O]
    ports:
      - { name: rw_port_1, type: read_write, bandwidth_min: 64, bandwidth_max: 64, allocation: [
          \"I1, fh\", \"I1, tl\", \"I2, fh\", \"I2, tl\", \"O, fh\", \"O, tl\", \"O, fl\", \"O, th\"] }
    served_dimensions: [D1, D2]
operational_array: { unit_energy: 0, unit_area: 0, dimensions: [D1, D2], sizes: [0, 0] }
";

/// The content of the core files, as our document.
const BY_HAND: &str = "
name: two
cores:
  - name: core 0
    hardware:
      name: anything
      array: { dimensions: { D1: 8, D2: 4 }, mac_energy: 0.5 pJ }
      dataflow: zigzag
      unroll:
        conv: { D1: K 8, D2: C 4 }
        pointwise: { D1: K 8, D2: C 4 }
        depthwise: { D1: G 8 }
        pooling: { D1: G 8 }
        fully-connected: { D1: K 8, D2: C 4 }
        matmul: { D1: K 8, D2: C 4 }
        add: { D1: G 8 }
      memories:
        - { name: reg, size: 16 bit, operands: [O], width: 16 bit, read_energy: 0.02 pJ, write_energy: 0.03 pJ, shared_over: [D2],
            ports: { w_port_1: [O.write_from_high], r_port_1: [O.read_to_low], w_port_2: [O.write_from_low], r_port_2: [O.read_to_high] } }
        - { name: sram, size: 128 KiB, operands: [I, W, O], read_width: 256 bit, write_width: 128 bit, granularity: 64 bit,
            read_energy: 10.5 pJ, write_energy: 12 pJ, shared_over: all, ports: {
            w_port_1: [I.write_from_high, W.write_from_high, O.write_from_high, O.write_from_low],
            r_port_1: [I.read_to_low, W.read_to_low, O.read_to_low, O.read_to_high] } }
        - { name: dram, size: DRAM bit, operands: [I, W, O], width: 64 bit, read_energy: 3000 pJ, write_energy: 4000 pJ, shared_over: all,
            ports: { rw_port_1: [I.write_from_high, I.read_to_low, W.write_from_high, W.read_to_low,
              O.write_from_high, O.read_to_low, O.write_from_low, O.read_to_high] } }
  - { name: core 1, hardware: core 0 }
LINKS
offchip: { width: 64 bit, read_energy: 3000 pJ, write_energy: 4000 pJPORTS }
";

fn by_hand(dram_bits: &str, links: &str, ports: &str) -> CoreSystem {
    let text = BY_HAND.replace("DRAM", dram_bits).replace("LINKS", links).replace("PORTS", ports);
    CoreSystem::from_text(&text, "").unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// 2^50 bit, the largest size.
const MOST: &str = "1125899906842624";

#[test]
fn the_layout_of_2024_is_what_a_person_would_write() {
    let soc = "
name: two
cores: { 0: core.yaml, 1: core.yaml }
offchip_core: ./cores/dram.yaml
core_connectivity: [\"0, 1\"]
bandwidth: 32
unit_energy_cost: 2
";
    let files = [("two.yaml", soc), ("core.yaml", OLDER_CORE), ("dram.yaml", OLDER_DRAM)];
    let links = "links: [{ between: [core 0, core 1], width: 32 bit, energy: 2 pJ }]";
    let port = ", ports: [{ direction: both, energy: 2 pJ }]";
    assert_eq!(system_of(&imports(&files)), by_hand(MOST, links, port));
    // The order of files does not matter, and a file that is not named is reported.
    let shuffled = imports(&[files[2], ("other.yaml", OLDER_CORE), files[1], files[0]]);
    assert_eq!(system_of(&shuffled), by_hand(MOST, links, port));
    let told =
        shuffled.reports.iter().flat_map(|report| report.of(Severity::Assumed)).any(|one| one.places == ["other.yaml"]);
    assert!(told, "{:#?}", shuffled.reports);
}

#[test]
fn the_oldest_layout_is_a_mesh_column_by_column() {
    let soc = |rows: u64, columns: u64, cores: &str, more: &str| {
        let graph = format!("type: 2d_mesh, nb_rows: {rows}, nb_cols: {columns}, bandwidth: 32, unit_energy_cost: 0");
        format!("name: two\ncores: {cores}\ngraph: {{ {graph}, {more} }}\n")
    };
    let files = |soc: &str| imports(&[("s.yaml", soc), ("core.yaml", OLDER_CORE), ("far.yaml", OLDER_DRAM)]);
    let two = soc(1, 2, "[core.yaml, core, far.yaml]", "offchip_core_id: 2");
    let links = "links: [{ between: [core 0, core 1], width: 32 bit, energy: 0 pJ }]";
    assert_eq!(system_of(&files(&two)), by_hand(MOST, links, ""));
    let six = soc(2, 3, "[core, core, core, core, core, core, core, far]", "pooling_core_id: 6, offchip_core_id: 7");
    let (spec, wrong) = read_system(files(&six).system.as_ref().unwrap()).both();
    assert_eq!(wrong, Diagnostics::default());
    let ends: Vec<String> = spec.links.iter().map(|link| format!("{:?}", link.ends)).collect();
    let expected: Vec<String> = [(0, 2), (0, 1), (1, 3), (2, 4), (2, 3), (3, 5), (4, 5)]
        .into_iter()
        .chain((0..6).map(|core| (core, 6)))
        .map(|(one, other)| format!("BothWays(\"core {one}\", \"core {other}\")"))
        .collect();
    assert_eq!(ends, expected);
}

#[test]
fn the_layout_of_today_has_a_bus_to_the_memory_off_the_chip() {
    let soc = "
name: two
cores: { 0: core.yaml, 1: core.yaml, 2: far.yaml }
offchip_core_id: 2
unit_energy_cost: 1
core_connectivity:
  - { type: link, cores: [0, 1], bandwidth: 32 }
  - { type: bus, cores: [0, 1, 2], bandwidth: 128, unit_energy_cost: 3 }
";
    let imported = imports(&[("s.yaml", soc), ("core.yaml", CORE), ("far.yaml", DRAM)]);
    // The registers sum along D2 and are private along D1, as stated by the core in the older layout. The bus comes
    // first, as it is stated last.
    let links = "links: [{ bus: [core 0, core 1], width: 128 bit, energy: 3 pJ }, \
                 { between: [core 0, core 1], width: 32 bit, energy: 1 pJ }]";
    let ours = by_hand("8000000", links, ", ports: [{ direction: both, width: 128 bit, energy: 3 pJ }]");
    assert_eq!(system_of(&imported), ours);
    let told: Vec<String> = imported.reports[0].findings.iter().map(ToString::to_string).collect();
    for part in ["unroll: the tool searches", "connected twice", "a port and a bus here"] {
        assert!(told.iter().any(|finding| finding.contains(part)), "{part}: {told:#?}");
    }
    // A core that is described in the system file, for a system in a single file.
    let indented = |text: &str| text.trim_start().lines().map(|line| format!("    {line}\n")).collect::<String>();
    let cores = format!("cores:\n  0:\n{}  1: {{}}\n  2:\n{}", indented(CORE), indented(DRAM));
    let whole = soc.replace("cores: { 0: core.yaml, 1: core.yaml, 2: far.yaml }\n", &cores);
    let whole = whole.replace("  1: {}\n", &format!("  1:\n{}", indented(CORE)));
    let system = system_of(&imports(&[("s.yaml", &whole)]));
    assert_eq!(system.cores.raw[0].core, ours.cores.raw[0].core);
    properties::yaml::holds(whole.as_bytes());
}

#[test]
fn a_memory_that_is_a_core_is_the_highest_memory_of_the_cores_on_its_bus() {
    let memory =
        DRAM.replace("zigzag.offchip", "zigzag.memory").replace("dram:", "vmem:").replace("8000000", "4000000");
    let soc = "
name: groups
cores: { 0: core, 1: core, 2: vmem, 3: core, 4: vmem, 5: far }
offchip_core_id: 5
core_connectivity:
  - { type: bus, cores: [0, 1, 2], bandwidth: 64 }
  - { type: link, cores: [3, 4], bandwidth: 64 }
  - { type: link, cores: [2, 4], bandwidth: 16 }
  - { type: bus, cores: [2, 4, 5], bandwidth: 32 }
";
    let files = [("s.yaml", soc), ("core.yaml", CORE), ("vmem.yaml", &*memory), ("far.yaml", DRAM)];
    let imported = imports(&files);
    let (spec, _) = read_system(imported.system.as_ref().unwrap()).both();
    assert_eq!(spec.shared.len(), 1);
    assert_eq!(
        (&*spec.shared[0].memory, &spec.shared[0].cores),
        ("vmem", &vec!["core 0".to_owned(), "core 1".to_owned()])
    );
    let system = system_of(&imported);
    for core in &system.cores {
        let names: Vec<&str> = core.core.memories.iter().map(|memory| memory.name.as_str()).collect();
        assert_eq!(names, ["reg", "sram", "vmem", "dram"]);
    }
    // Between groups by the link of their memories, whichever core of the group uses it.
    assert_eq!(format!("{:?}", spec.links[1].ends), r#"Bus(["core 0", "core 1", "core 3"])"#);
    let alone = import_texts(&[("vmem.yaml", &*memory)]).unwrap_err().to_string();
    assert!(alone.contains("a memory that other cores share"), "{alone}");
}

#[test]
fn cores_that_share_memory_have_it_in_common() {
    let other = CORE.replace("  sram:", "  buffer:");
    let soc = "
name: shared
cores: { 0: a.yaml, 1: b.yaml }
offchip_core: far.yaml
core_connectivity: []
core_memory_sharing: [\"0, 1\"]
bandwidth: 8
";
    let imported = imports(&[("s.yaml", soc), ("a.yaml", CORE), ("b.yaml", &other), ("far.yaml", DRAM)]);
    let (spec, _) = read_system(imported.system.as_ref().unwrap()).both();
    assert_eq!(spec.shared.len(), 1);
    assert_eq!((&*spec.shared[0].memory, spec.shared[0].cores.len()), ("sram", 2));
    system_of(&imported);
}

#[test]
fn a_mapping_says_which_core_runs_what() {
    let soc = "
name: s
cores: { 0: core, 1: core, 2: core }
offchip_core: far
core_connectivity: [\"0, 1\", \"1, 2\"]
bandwidth: 8
";
    let mapping = "
- name: default
  core_allocation: [0]
- name: Conv
  core_allocation: [0, 1]
  intra_core_tiling: [\"OY, 4\"]
- name: Pool
  core_allocation: 2
- name: Relu
  core_allocation: [2]
- name: conv5
  core_allocation: [1]
  core_allocation_is_fixed: True
";
    let newer = "
layers:
- { name: default, core_allocation: [[0]] }
- { name: Conv, core_allocation: [[0, 1]], inter_core_tiling: [[{ dim: D6, split: 2 }]] }
- { name: Pool, core_allocation: [[2]] }
- { name: conv5, core_allocation: [[1]] }
fused_groups: [{ name: one, layers: [Conv] }]
";
    for mapping in [mapping, newer] {
        let files = [("s.yaml", soc), ("core.yaml", CORE), ("far.yaml", DRAM), ("mapping.yaml", mapping)];
        let imported = imports(&files);
        let system = system_of(&imported);
        let runs: Vec<&[LayerKind]> = system.cores.iter().map(|core| &core.runs[..]).collect();
        use LayerKind::{Add, Conv, Depthwise, FullyConnected, MatMul, Pointwise, Pooling};
        assert_eq!(runs[1], [Conv, Pointwise, Depthwise]);
        assert_eq!(runs[2], [Pooling]);
        for kind in [Conv, Pointwise, Depthwise, FullyConnected, MatMul, Add] {
            assert!(runs[0].contains(&kind), "{kind:?}");
        }
        let told: Vec<String> =
            imported.reports.iter().flat_map(|report| &report.findings).map(ToString::to_string).collect();
        for part in ["cores --allocation \"conv5: core 1\"", "tiling"] {
            assert!(told.iter().any(|finding| finding.contains(part)), "{part}: {told:#?}");
        }
    }
    // Without a mapping, the types of operators stated by a core.
    let adds = CORE.replace("type: zigzag.compute", "type: zigzag.compute\noperator_types: [Add, Silu]");
    let system = system_of(&imports(&[("s.yaml", soc), ("core.yaml", &adds), ("far.yaml", DRAM)]));
    assert_eq!(system.cores.raw[0].runs, [LayerKind::Add]);
}

#[test]
fn a_core_alone_is_an_accelerator_with_the_memory_beside_it() {
    let alone = imports(&[("core.yaml", OLDER_CORE)]);
    assert_eq!(alone.reports[0].result, "32 PEs, 2 memories");
    assert!(alone.reports[0].of(Severity::NotCounted).any(|finding| finding.what == "offchip"));
    let both = imports(&[("far.yaml", DRAM), ("core.yaml", CORE)]);
    let core = Core::from_text(both.hardware.as_ref().unwrap()).unwrap();
    assert_eq!(core.memories.iter().map(|memory| memory.size_bits).collect::<Vec<_>>(), [16, 1 << 20, 8_000_000]);
}

#[test]
fn what_cannot_be_a_system_is_said_with_its_place() {
    let soc = "name: s\ncores:\n  0: core\n  1: absent.yaml\noffchip_core: far\ncore_connectivity: [\"0, 1\"]\nbandwidth: 8\n";
    let tile = "name: tile\ntype: aie2.compute\nmax_object_fifo_depth: 4\nmemory: { capacity: 8, bandwidth_min: 1, bandwidth_max: 1 }\n";
    let broken = OLDER_CORE.replace("size: 16\n", "size: 0\n");
    let few = OLDER_CORE.replace(
        "      - { fh: w_port_1, tl: r_port_1 }\n      - { fh: w_port_1, tl: r_port_1 }\n",
        "      - { fx: w_port_1 }\n",
    );
    let (core, far, mapping) = (("core.yaml", CORE), ("far.yaml", DRAM), "- { name: Conv, core_allocation: [0] }");
    for (files, part) in [
        (vec![("s.yaml", soc), core, far], "line 4: s.yaml: cores.1: The file `absent.yaml` of this core is not among"),
        (
            vec![("s.yaml", &soc.replace("absent", "core").replace("0, 1", "0, 7")), core, far],
            "`0, 7` does not name cores",
        ),
        (
            vec![("s.yaml", &soc.replace("offchip_core: far\n", "").replace("absent", "core")), core, far],
            "no memory off the chip",
        ),
        (
            vec![("s.yaml", &soc.replace("absent", "core").replace("bandwidth: 8\n", "")), core, far],
            "`bandwidth` is missing",
        ),
        (
            vec![("s.yaml", &soc.replace("absent", "core")), ("core.yaml", &*broken), far],
            "line 5: core.yaml: memories[0].size: `reg` has a size of 0 bit",
        ),
        (vec![("core.yaml", &*few)], "There are 3 operands but ports of 2"),
        (vec![("core.yaml", &*few)], "There is no direction `fx`"),
        (vec![("tile.yaml", tile)], "An AIE2 tile states neither an array nor energies"),
        (vec![far], "is the memory off the chip, and no core that computes"),
        (vec![("m.yaml", mapping)], "Import it together with its system"),
        (vec![("s.yaml", soc), ("t.yaml", soc)], "More than one of the files is a system"),
    ] {
        let wrong = import_texts(&files).unwrap_err().to_string();
        assert!(wrong.contains(part), "{part}:\n{wrong}");
    }
}

#[test]
fn a_system_is_written_as_it_reads() {
    for preset in system_presets() {
        let (spec, wrong) = read_system(preset.text).both();
        assert_eq!(wrong, Diagnostics::default());
        assert_eq!(read_system(&write_system(&spec)).both(), (spec, wrong), "{}", preset.id);
    }
}

#[test]
fn an_imported_system_is_shown_with_the_rest_of_the_design_as_it_was() {
    let preset = system_presets()[0].text;
    let imported = imports(&[("mine.yaml", preset)]);
    assert_eq!(imported.system.as_deref(), Some(preset));
    let mut state = State::first();
    let before = state.design.clone();
    state.apply(Action::Import(ImportedDocuments { system: imported.system, ..ImportedDocuments::default() }));
    assert_eq!((state.cores.system(), state.view.tab, &state.design), (preset, Tab::Cores, &before));
}

#[test]
fn layers_that_stream_pads_by_more_than_their_kernels_are_read() {
    let layers = "
- id: 0
  name: one
  operator_type: Conv
  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
  dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]
  loop_dims: [B, K, C, OY, OX, FY, FX]
  loop_sizes: [1, 4, 3, 5, 5, 1, 3]
  operand_precision: { O: 16, O_final: 8, W: 8, I: 8 }
  operand_source: { W: 0, I: 0 }
  constant_operands: [\"W\"]
  pr_loop_dims: [IY, IX]
  padding: [[1, 1], [1, 1]]
";
    let imported = imports(&[("layers.yaml", layers)]);
    let network = Network::from_text(imported.workload.as_ref().unwrap()).unwrap();
    assert_eq!(network.macs(), 4 * 3 * 25 * 3);
    let told: Vec<&str> = imported.reports[0].findings.iter().map(|finding| &*finding.what).collect();
    assert!(told.contains(&"padding") && told.contains(&"constant_operands"), "{told:?}");
}

/// A system as Stream's files, and the import of these.
fn there_and_back(text: &str) -> (stream::StreamFiles, SystemSpec) {
    let system = CoreSystem::from_text(text, hardware_presets()[0].text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let written = stream::write(&system, &read_system(text).both().0);
    let mut files: Vec<(&str, &str)> =
        written.cores.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.extend([("system.yaml", written.soc.as_str()), ("mapping.yaml", written.mapping.as_str())]);
    let imported = imports(&files);
    let (spec, wrong) = read_system(imported.system.as_ref().unwrap()).both();
    assert!(wrong.is_empty(), "{wrong}");
    (written, spec)
}

#[test]
fn systems_that_came_from_files_of_stream_go_there_and_back() {
    for preset in system_presets() {
        let (_, first) = there_and_back(preset.text);
        let (_, second) = there_and_back(&write_system(&first));
        assert_eq!((&first.cores, &first.shared), (&second.cores, &second.shared), "{}", preset.id);
        assert_eq!((&first.links, &first.offchip), (&second.links, &second.offchip), "{}", preset.id);
    }
}

#[test]
fn an_exported_system_has_the_links_and_memories_of_the_document() {
    let preset = system_presets().iter().find(|preset| preset.id == "tpu-quad").unwrap();
    let (written, spec) = there_and_back(preset.text);
    let before = read_system(preset.text).both().0;
    let pairs = |links: &[LinkSpec]| -> Vec<(u64, f64)> {
        let is_pair = |link: &&LinkSpec| matches!(link.ends, LinkEnds::BothWays(..));
        links.iter().filter(is_pair).map(|link| (link.width_bits, link.energy_pj)).collect()
    };
    assert_eq!(pairs(&spec.links), pairs(&before.links));
    let system = |spec: &SystemSpec| CoreSystem::from_text(&write_system(spec), "").unwrap();
    for (theirs, ours) in system(&spec).cores.iter().zip(&system(&before).cores) {
        assert_eq!(theirs.core.array, ours.core.array);
        let figures = |core: &Core| -> Vec<(String, u64, u64, f64, f64)> {
            let figures = core.memories.iter().map(|memory| {
                (
                    memory.name.clone(),
                    memory.size_bits,
                    memory.read_width_bits,
                    memory.read_energy_pj,
                    memory.write_energy_pj,
                )
            });
            figures.collect()
        };
        assert_eq!(figures(&theirs.core), figures(&ours.core));
    }
    // One file for each different core, including the memory off the chip.
    assert_eq!(written.cores.len(), 4);
    let runs = |report: &ImportReport| report.findings.iter().any(|finding| finding.what == "runs");
    assert!(!runs(&written.report), "{:?}", written.report);
    // In Stream, products of computed matrices have the same type as fully connected layers.
    let (without, _) = there_and_back(&preset.text.replace("matmul, ", ""));
    assert!(runs(&without.report), "{:?}", without.report);
}
