//! ZigZag's YAML, both ways, checked with the accelerators and networks of its reference data.

use fusescape::explore::{DesignLayer, LayerRequest, user_constraints};
use fusescape::hardware::{Core, DoubleBuffering};
use fusescape::import::{File, Imported, Severity, import, zigzag};
use fusescape::rules::Rules;
use fusescape::search::{Objective, Strategy};
use fusescape::spec::{
    BoundSpec, Diagnostics, LoopBoundSpec, OrderSpec, find_preset, hardware_presets, read_constraints, read_hardware,
    read_workload, workload_presets, write_hardware,
};
use fusescape::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use fusescape_test_support::{entries, integer, number, reference, text, texts};
use serde_json::Value;

pub fn import_texts(files: &[(&str, &str)]) -> Result<Imported, Diagnostics> {
    let files = files.iter().map(|&(name, text)| File { name: name.to_owned(), source: Box::new(text.as_bytes()) });
    import(files.collect(), &Default::default())
}

pub fn imports(files: &[(&str, &str)]) -> Imported {
    import_texts(files).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn core_of(imported: &Imported) -> Core {
    Core::from_text(imported.hardware.as_ref().unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn network_of(imported: &Imported) -> Network {
    Network::from_text(imported.workload.as_ref().unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

pub const ACCELERATOR: &str = r#"
name: toy_4x4
operational_array:
  dimensions: [D1, D2]
  sizes: [4, 4]
  unit_energy: 0.05
  unit_area: 1
memories:
  reg_w:
    size: 64
    r_cost: 0.02
    w_cost: 0.02
    area: 0
    latency: 1
    operands: [I2]
    ports:
      - {name: r_port_1, type: read, bandwidth_min: 8, bandwidth_max: 8, allocation: ["I2, tl"]}
      - {name: w_port_1, type: write, bandwidth_min: 8, bandwidth_max: 8, allocation: ["I2, fh"]}
    served_dimensions: []
  buffer:
    size: 131072
    r_cost: 8.0
    w_cost: 9.0
    area: 0
    latency: 1
    operands: [I1, I2, O]
    ports:
      - {name: r_port_1, type: read, bandwidth_min: 32, bandwidth_max: 128, allocation: ["I1, tl", "I2, tl", "O, tl", "O, th"]}
      - {name: w_port_1, type: write, bandwidth_min: 32, bandwidth_max: 64, allocation: ["I1, fh", "I2, fh", "O, fl", "O, fh"]}
    served_dimensions: [D1, D2]
  dram:
    size: 10000000000
    r_cost: 500
    w_cost: 550
    area: 0
    latency: 1
    operands: [I1, I2, O]
    ports:
      - {name: rw_port_1, type: read_write, bandwidth_min: 64, bandwidth_max: 64, 
         allocation: ["I1, fh", "I1, tl", "I2, fh", "I2, tl", "O, fh", "O, tl", "O, fl", "O, th"]}
    served_dimensions: [D1, D2]
"#;

pub const MAPPING: &str = r#"
- name: default
  spatial_mapping:
    D1: ["K, 4"]
    D2: ["C, 2", "FX, 2"]
  memory_operand_links: {O: O, W: I2, I: I1}
- name: Gemm
  spatial_mapping:
    D1: ["K, 4"]
    D2: ["D, 2"]
  spatial_mapping_hint:
    D2: [C]
  memory_operand_links: {O: O, W: I2, I: I1}
- name: conv_fixed
  spatial_mapping:
    D1: ["K, 4"]
    D2: ["C, 4"]
  temporal_ordering:
    - [OX, 8]
  memory_operand_links: {O: O, W: I2, I: I1}
"#;

pub const WORKLOAD: &str = r"
- id: 0
  name: conv_a
  operator_type: Conv
  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
  dimension_relations: [ix=2*ox+1*fx, iy=2*oy+1*fy]
  loop_dims: [B, K, C, OY, OX, FY, FX]
  loop_sizes: [1, 8, 4, 8, 8, 3, 3]
  pr_loop_dims: [IX, IY]
  pr_loop_sizes: [16, 16]
  padding: [[1, 0], [1, 0]]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 0}
- id: 1
  name: conv_fixed
  operator_type: Conv
  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
  dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]
  loop_dims: [B, K, C, OY, OX, FY, FX]
  loop_sizes: [1, 16, 8, 8, 8, 3, 3]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 1}
- id: 2
  operator_type: Gemm
  equation: O[d][k]+=I[d][c]*W[c][k]
  dimension_relations: []
  loop_dims: [C, D, K]
  loop_sizes: [1024, 1, 10]
  operand_precision: {W: 4, I: 8, O: 16, O_final: 8}
  operand_source: {I: 1, W: 2}
";

#[test]
fn the_three_files_of_a_run_become_two_documents() {
    let imported = imports(&[("hw.yaml", ACCELERATOR), ("map.yaml", MAPPING), ("net.yaml", WORKLOAD)]);
    let (core, network) = (core_of(&imported), network_of(&imported));
    assert_eq!(core.array.raw, [("D1".to_owned(), 4), ("D2".to_owned(), 4)]);
    assert_eq!(core.memories.iter().map(|memory| memory.size_bits).collect::<Vec<_>>(), [64, 131_072, 10_000_000_000]);
    let buffer = &core.memories.raw[1];
    assert_eq!((buffer.read_width_bits, buffer.write_width_bits, buffer.write_granularity_bits), (128, 64, 32));
    assert_eq!((buffer.read_energy_pj, buffer.write_energy_pj, buffer.instances), (8.0, 9.0, 1));
    let unrolled =
        |kind| core.unroll(kind).iter().map(|part| (part.array_dim.index(), part.dim, part.limit)).collect::<Vec<_>>();
    assert_eq!(unrolled(LayerKind::Conv), [(0, Dim::K, 4), (1, Dim::C, 2), (1, Dim::FX, 2)]);
    assert_eq!(unrolled(LayerKind::MatMul), [(0, Dim::K, 4), (1, Dim::OX, 2)]);
    let shape = |id: LayerId| network.layer(id).shape;
    let layers: Vec<LayerId> = network.computing().collect();
    assert_eq!(shape(layers[0]).sizes, [1, 1, 8, 4, 8, 8, 3, 3]);
    assert_eq!((shape(layers[0]).stride, shape(layers[0]).input_limit), ((2, 2), (16, 16)));
    assert_eq!(network.layer(layers[0]).padding.left, 1);
    // ZigZag's second layer reads 10 x 10 pixels, of which the first layer computes 8 x 8.
    assert_eq!((shape(layers[1]).sizes, shape(layers[1]).input_limit), ([1, 1, 16, 8, 8, 8, 3, 3], (10, 10)));
    assert_eq!((shape(layers[2]).kind, shape(layers[2]).sizes), (LayerKind::MatMul, [1, 1, 10, 1024, 1, 1, 1, 1]));
    assert_eq!((shape(layers[2]).precision.w, shape(layers[2]).precision.o_partial), (4, 16));
    assert_eq!(network.sources(layers[1]), [layers[0]]);
    let own = &network.layer(layers[1]).unroll[0];
    assert_eq!(own.0, core.dataflow);
    assert_eq!(core.unroll_stated(&own.1).len(), 2);
    let said: Vec<String> = imported.reports.iter().flat_map(|report| report.lines()).collect();
    let (orders, wrong) = read_constraints(imported.constraints.as_ref().unwrap()).both();
    assert!(wrong.is_empty(), "{wrong}");
    let own = orders.layers.iter().find(|entry| entry.layer.as_deref() == Some("conv_fixed")).unwrap();
    let loops = LoopBoundSpec { dimension: "OX".to_owned(), bound: BoundSpec::Exactly(8) };
    assert_eq!(own.order, [OrderSpec::Loop(loops)]);
    user_constraints(imported.constraints.as_ref().unwrap(), &core, &network).unwrap_or_else(|wrong| panic!("{wrong}"));
    for part in ["spatial_mapping_hint: not taken", "temporal_ordering: is a document", "not those of what it reads"] {
        assert!(said.iter().any(|line| line.contains(part)), "{part}: {said:#?}");
    }
}

/// An accelerator of the reference data as a file of ZigZag.
fn accelerator_file(name: &str, accelerator: &Value) -> String {
    let dimensions: Vec<(&String, u64)> =
        entries(&accelerator["array_dimensions"]).map(|(name, size)| (name, integer(size))).collect();
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let theirs = |operand: &str| match operand {
        "I" => "I1".to_owned(),
        "W" => "I2".to_owned(),
        other => other.to_owned(),
    };
    let mut file = format!(
        "name: {name}\noperational_array:\n  unit_energy: {}\n  unit_area: 0\n  dimensions: {}\n  sizes: {}\nmemories:\n",
        number(&accelerator["MAC_energy_pJ"]),
        list(dimensions.iter().map(|(name, _)| (*name).clone()).collect()),
        list(dimensions.iter().map(|(_, size)| size.to_string()).collect())
    );
    for memory in accelerator["memories"].as_array().unwrap() {
        file += &format!(
            "  {}:\n    size: {}\n    r_cost: {}\n    w_cost: {}\n    area: 0\n    latency: {}\n    operands: {}\
             \n    served_dimensions: {}\n    ports:\n",
            text(&memory["name"]),
            integer(&memory["size_bits"]),
            number(&memory["read_energy_pJ_per_access"]),
            number(&memory["write_energy_pJ_per_access"]),
            integer(&memory["latency_cycles"]),
            list(texts(&memory["operands"]).iter().map(|operand| theirs(operand)).collect()),
            list(texts(&memory["served_array_dimensions"])),
        );
        for port in memory["ports"].as_array().unwrap() {
            let allocation = port["serves"].as_array().unwrap().iter().map(|served| {
                let direction = match text(&served["direction"]).as_str() {
                    "read_to_low" => "tl",
                    "write_from_low" => "fl",
                    "read_to_high" => "th",
                    _ => "fh",
                };
                format!("\"{}, {direction}\"", theirs(&text(&served["operand"])))
            });
            file += &format!(
                "      - {{name: {}, type: read_write, bandwidth_min: {}, bandwidth_max: {}, allocation: {}}}\n",
                text(&port["name"]),
                integer(&port["min_granularity_bits"]),
                integer(&port["bandwidth_bits_per_cycle"]),
                list(allocation.collect())
            );
        }
    }
    file
}

#[test]
fn accelerators_of_the_reference_data_are_read_and_written_again() {
    let hardware = reference("zigzag/hardware.json");
    let network = Network::from_text(find_preset(workload_presets(), "fsrcnn").unwrap().text).unwrap();
    let mut count = 0;
    for (name, accelerator) in entries(&hardware).filter(|(_, value)| value["memories"].is_array()) {
        let imported = imports(&[("a.yaml", &accelerator_file(name, accelerator))]);
        let core = core_of(&imported);
        for memory in accelerator["memories"].as_array().unwrap() {
            let ours = core.memories.iter().find(|ours| ours.name == text(&memory["name"])).unwrap();
            assert_eq!(ours.size_bits, integer(&memory["size_bits"]));
            for port in memory["ports"].as_array().unwrap() {
                for served in port["serves"].as_array().unwrap() {
                    let served = format!("{}.{}", text(&served["operand"]), text(&served["direction"]));
                    let (operand, movement) = ours
                        .ports
                        .iter()
                        .flat_map(|port| port.serves.iter())
                        .find(|(operand, movement)| format!("{operand}.{movement}") == served)
                        .unwrap_or_else(|| panic!("{name} {}: {served} is lost", ours.name));
                    assert_eq!(ours.width_bits(*operand, *movement), integer(&port["bandwidth_bits_per_cycle"]));
                    assert_eq!(ours.granularity_bits(*operand, *movement), integer(&port["min_granularity_bits"]));
                }
            }
        }
        let again = core_of(&imports(&[("b.yaml", &zigzag::write(&core, &network).accelerator)]));
        assert_eq!(without_port_names(again), without_port_names(core), "{name}");
        count += 1;
    }
    assert_eq!(count, 9);
}

/// ZigZag numbers ports by kind, and has no names of dataflows.
fn without_port_names(mut core: Core) -> Core {
    core.dataflow.clear();
    for port in core.memories.iter_mut().flat_map(|memory| &mut memory.ports) {
        port.name.clear();
    }
    core
}

#[test]
fn every_preset_survives_a_visit_to_zigzag() {
    for hardware in hardware_presets() {
        let core = Core::from_text(hardware.text).unwrap();
        for workload in workload_presets() {
            let network = Network::from_text(workload.text).unwrap();
            let files = zigzag::write(&core, &network);
            let imported =
                imports(&[("a.yaml", &files.accelerator), ("m.yaml", &files.mapping), ("w.yaml", &files.workload)]);
            let (core_again, again) = (core_of(&imported), network_of(&imported));
            let what = format!("{} on {}", workload.id, hardware.id);
            // ZigZag has no vector unit, whose registers come first.
            let is_register = |id| core.vector_unit.as_ref().is_some_and(|unit| unit.is_register(id));
            let memories = core.memories.iter_enumerated().filter(|(id, _)| !is_register(*id));
            let memories: Vec<_> = memories.map(|(_, memory)| memory).collect();
            assert_eq!(core_again.memories.len(), memories.len());
            for (ours, theirs) in memories.into_iter().zip(&core_again.memories) {
                assert_eq!(
                    (ours.size_bits, ours.instances, ours.shared_over),
                    (theirs.size_bits, theirs.instances, theirs.shared_over)
                );
                assert_eq!(
                    (ours.read_energy_pj, ours.write_energy_pj),
                    (theirs.read_energy_pj, theirs.write_energy_pj)
                );
            }
            for id in network.computing() {
                let ours = network.layer(id);
                let theirs =
                    again.computing().map(|id| again.layer(id)).find(|theirs| theirs.name == ours.name).unwrap();
                assert_eq!(theirs.shape.sizes, ours.shape.sizes, "{what}: {}", ours.name);
                assert_eq!(theirs.shape.input_limit, ours.shape.input_limit, "{what}: {}", ours.name);
                assert_eq!((theirs.shape.stride, theirs.shape.dilation), (ours.shape.stride, ours.shape.dilation));
                assert_eq!(theirs.shape.precision, ours.shape.precision, "{what}: {}", ours.name);
                assert_eq!(theirs.padding, ours.padding, "{what}: {}", ours.name);
            }
            assert_eq!(again.macs(), network.macs(), "{what}");
        }
    }
}

#[test]
fn files_in_flow_style_are_read_as_others() {
    let workload = "- {id: 0, name: lay, operator_type: Gemm, equation: 'O[d][k]+=I[d][c]*W[c][k]', dimension_relations: [], \
        loop_dims: [C, D, K], loop_sizes: [3, 4, 5], operand_precision: {W: 8, I: 8, O: 16, O_final: 8}}\n";
    let mapping = "- {name: default, spatial_mapping: {D1: ['K, 4'], D2: ['C, 2']}}\n";
    let imported = imports(&[("a.yaml", ACCELERATOR), ("w.yaml", workload), ("m.yaml", mapping)]);
    let (core, network) = (core_of(&imported), network_of(&imported));
    let layer = network.layer(network.computing().next().unwrap());
    let size = |dim: Dim| layer.shape.size(dim);
    assert_eq!((size(Dim::C), size(Dim::OX), size(Dim::K)), (3, 4, 5));
    let unrolled: Vec<(Dim, u64)> =
        layer.unroll_on(&core, &Rules::ZIGZAG_3_9).iter().map(|part| (part.dim, part.limit)).collect();
    assert_eq!(unrolled, [(Dim::K, 4), (Dim::C, 2)]);
}

#[test]
fn the_order_of_loops_and_the_bits_of_both_maps_are_kept() {
    let layers = |rest: &str| {
        format!(
            "- id: 0\n  name: conv\n  operator_type: Conv\n  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]\n  \
             dimension_relations: [ix=3*ox+2*fx, iy=1*oy+1*fy]\n  loop_dims: [OX, FX, K, C, OY, B, FY]\n  \
             loop_sizes: [6, 2, 4, 1, 5, 1, 1]\n  pr_loop_dims: [IX, IY]\n  padding: [[1, 0], [0, 0]]\n{rest}"
        )
    };
    let add = "- id: 1\n  name: sum\n  operator_type: Add\n  equation: O[b][g][oy][ox]=W[b][g][oy][ox]+I[b][g][oy][ox]\n  \
        loop_dims: [B, OX, OY, G]\n  loop_sizes: [1, 6, 5, 4]\n  operand_precision: {W: 16, I: 8, O: 32, O_final: 8}\n";
    let network = network_of(&imports(&[("w.yaml", &layers(add))]));
    let shapes: Vec<_> = network.computing().map(|id| network.layer(id).shape).collect();
    let [conv, sum] = &shapes[..] else { panic!("two layers") };
    let order = |shape: &LayerShape| shape.dim_order.into_iter().filter(|dim| shape.size(*dim) > 1).collect::<Vec<_>>();
    assert_eq!(order(conv), [Dim::OX, Dim::FX, Dim::K, Dim::OY]);
    assert_eq!(order(sum), [Dim::OX, Dim::OY, Dim::G]);
    assert_eq!((sum.precision.i, sum.second_map_bits()), (8, 16));
    // 11 of 17 columns are touched, which ZigZag counts unless the 17 are stated.
    assert_eq!((conv.input_limit.0, conv.untouched.0), (11, 0));
    let stated = layers(add).replacen("  padding:", "  pr_loop_sizes: [17, 5]\n  padding:", 1);
    let network = network_of(&imports(&[("w.yaml", &stated)]));
    let conv = network.layer(network.computing().next().unwrap()).shape;
    assert_eq!((conv.input_limit.0, conv.untouched.0), (11, 6));
}

/// Layers of the reference data as a file keep their loops.
#[test]
fn layers_of_the_reference_data_keep_their_loops() {
    let cases = reference("zigzag/single_layer.json");
    let mut count = 0;
    for case in cases["cases"].as_array().unwrap() {
        let input = &case["input"];
        let dims: Vec<(String, u64)> =
            entries(&input["dims"]).map(|(name, size)| (name.clone(), integer(size))).collect();
        let windows: Vec<String> = input["input_window_relations"].as_array().unwrap().iter().map(text).collect();
        let limit = &input["input_extent_limit"];
        let mut file = format!(
            "- id: 0\n  name: layer\n  operator_type: Whatever\n  equation: \"{}\"\n  dimension_relations: [{}]\
             \n  loop_dims: [{}]\n  loop_sizes: [{}]\n",
            text(&input["equation"]),
            windows.iter().map(|relation| format!("\"{relation}\"")).collect::<Vec<_>>().join(", "),
            dims.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", "),
            dims.iter().map(|(_, size)| size.to_string()).collect::<Vec<_>>().join(", ")
        );
        if let (Some(x), Some(y)) = (limit["IX"].as_u64(), limit["IY"].as_u64()) {
            file += &format!("  pr_loop_dims: [IX, IY]\n  pr_loop_sizes: [{x}, {y}]\n");
        }
        let imported = imports(&[("layers.yaml", &file)]);
        let network = network_of(&imported);
        let layer = network.layer(network.computing().next().unwrap());
        assert_eq!(layer.shape.macs(), dims.iter().map(|(_, size)| size).product::<u64>(), "{file}");
        if let Some(x) = limit["IX"].as_u64() {
            // ZigZag counts the existing input, touched or not.
            let shape = &layer.shape;
            assert_eq!(shape.input_limit.0.saturating_add_signed(shape.untouched.0), x, "{file}");
        }
        count += 1;
    }
    assert!(count > 50);
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_its_line() {
    let broken = ACCELERATOR
        .replace("sizes: [4, 4]", "sizes: [4, four]")
        .replace("r_cost: 8.0", "r_coast: 8.0")
        .replace("\"I2, tl\", \"O, tl\"", "\"I3, tl\", \"O, tx\"")
        .replace("type: read_write", "type: readwrite");
    let wrong = import_texts(&[("hw.yaml", &broken)]).unwrap_err();
    for (part, line) in
        [("`four`", 5), ("Did you mean `r_cost`?", 22), ("`I3, tl`", 28), ("`O, tx`", 28), ("`readwrite`", 39)]
    {
        let found = wrong.0.iter().find(|found| found.to_string().contains(part));
        assert_eq!(found.and_then(|found| found.line), Some(line), "{part}:\n{wrong}");
    }
    // An error of the document as a whole still has a line.
    let wrong = import_texts(&[("hw.yaml", &ACCELERATOR.replace("\"I2, fh\", \"O, fl\"", "\"O, fl\""))]).unwrap_err();
    assert!(
        wrong.0.iter().any(|found| found.line == Some(27) && found.reason.contains("W.write_from_high")),
        "{wrong}"
    );
    let broken = WORKLOAD
        .replace("loop_sizes: [1, 16, 8, 8, 8, 3, 3]", "loop_sizes: [2, 16, 8, 8, 8, 3, 3]")
        .replace("O[d][k]+=I[d][c]*W[c][k]", "O[d][k]=softmax(I)");
    let wrong = import_texts(&[("net.yaml", &broken)]).unwrap_err().to_string();
    for part in ["line 17: [1].loop_sizes: `conv_a`", "no equation of an output and two inputs"] {
        assert!(
            wrong.contains(part) || part.contains("conv_a") && wrong.contains("has a batch of"),
            "{part}:\n{wrong}"
        );
    }
    for (files, part) in [
        (vec![("map.yaml", MAPPING)], "together with its accelerator"),
        (vec![("a.yaml", ACCELERATOR), ("b.yaml", ACCELERATOR)], "More than one of the files is a hardware"),
        (vec![("notes.txt", "hello")], "neither an ONNX model nor a document"),
        (vec![("a.yaml", &ACCELERATOR.replace("unit_area: 1", "is_imc: true"))], "`input_precision` is missing"),
        (
            vec![("a.yaml", &ACCELERATOR.replace("    size: 64\n", "    size: 64\n    auto_cost_extraction: true\n"))],
            "CACTI",
        ),
    ] {
        let wrong = import_texts(&files).unwrap_err().to_string();
        assert!(wrong.contains(part), "{part}:\n{wrong}");
    }
}

#[test]
fn a_field_stated_twice_counts_as_zigzag_counts_it() {
    let twice = ACCELERATOR.replace("    size: 64\n", "    size: 32\n    size: 64\n");
    let imported = imports(&[("tpu.yaml", &twice)]);
    assert_eq!(core_of(&imported).memories.raw[0].size_bits, 64);
    assert!(imported.reports[0].of(Severity::Assumed).any(|finding| finding.reason.contains("stated twice")));
}

#[test]
fn own_documents_are_taken_as_they_are() {
    let (hardware, workload) = (hardware_presets()[0].text, workload_presets()[0].text);
    let imported = imports(&[("a.yaml", hardware), ("b.yaml", workload)]);
    assert_eq!((imported.hardware.as_deref(), imported.workload.as_deref()), (Some(hardware), Some(workload)));
    // A document with errors is still imported: a person sees them beside the text.
    let broken = hardware.replace("mac_energy", "mac_enrgy");
    assert_eq!(imports(&[("a.yaml", &broken)]).hardware, Some(broken));
    // An imported document states its source, and can be read.
    let imported = imports(&[("hw.yaml", ACCELERATOR), ("net.yaml", WORKLOAD)]);
    assert!(imported.hardware.as_ref().unwrap().starts_with("# hw.yaml, a ZigZag accelerator: 16 PEs"));
    assert!(read_hardware(imported.hardware.as_ref().unwrap()).both().1.is_empty());
    assert!(read_workload(imported.workload.as_ref().unwrap()).both().1.is_empty());
}

/// Additions of version 3.9: systolic arrays, and memories that are double-buffered by design.
#[test]
fn what_version_3_9_added_is_read_and_written() {
    let newer = ACCELERATOR
        .replace("  unit_area: 1\n", "  unit_area: 1\n  systolic_dimensions: [D2]\n")
        .replace("    size: 131072\n", "    size: 131072\n    force_double_buffering: true\n");
    let core = core_of(&imports(&[("toy.yaml", &newer)]));
    let systolic: Vec<bool> = core.array.keys().map(|dim| core.systolic.contains(dim)).collect();
    assert_eq!(systolic, [false, true]);
    let doubled: Vec<bool> =
        core.memories.iter().map(|memory| memory.double_buffered == DoubleBuffering::Always).collect();
    assert_eq!(doubled, [false, true, false]);
    let network = Network::from_text(
        "name: one\nlayers: [{ name: in, type: input, K: 4, size: 6 x 7 }, { name: a, type: conv, K: 8, kernel: 3 x 3 }]",
    );
    let written = zigzag::write(&core, &network.unwrap());
    let again = core_of(&imports(&[("toy.yaml", &written.accelerator)]));
    assert_eq!((again.systolic, &again.memories), (core.systolic, &core.memories));
}

/// ZigZag searches the unrolling of a dimension of the array that a mapping does not state for a layer.
#[test]
fn an_export_says_for_every_layer_what_every_dimension_unrolls() {
    for hardware in ["tpu-like", "meta-proto-like", "eyeriss-like"] {
        let core = Core::from_text(find_preset(hardware_presets(), hardware).unwrap().text).unwrap();
        for workload in ["mobilenet-v1", "bert-base-block", "resnet18"] {
            let network = Network::from_text(find_preset(workload_presets(), workload).unwrap().text).unwrap();
            let mapping = zigzag::write(&core, &network).mapping;
            let entries: Vec<&str> = mapping.split("- name: ").skip(1).collect();
            for id in network.computing() {
                let layer = network.layer(id);
                let entry = entries.iter().find(|entry| entry.starts_with(&format!("\"{}\"", layer.name)));
                let entry = entry.unwrap_or_else(|| panic!("{}: {mapping}", layer.name));
                for index in 1..=core.array.len() {
                    let line =
                        entry.lines().find(|line| line.trim_start().starts_with(&format!("D{index}: "))).unwrap();
                    let loops: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
                    assert!(!loops.is_empty(), "{entry}");
                    for stated in loops {
                        let (name, width) = stated.split_once(", ").unwrap();
                        let dim = Dim::from_name(name).unwrap();
                        let size = layer.shape.size(dim);
                        assert!(width.parse::<u64>().unwrap() <= size, "{}: {stated} of {size}", layer.name);
                    }
                }
            }
        }
    }
}

/// Loops with other names in a workload than in ZigZag's parser of models, as in its `gemm_l1`.
#[test]
fn a_mapping_may_name_the_loops_of_a_workload_whatever_they_are_called() {
    let mapping = "
- name: default
  spatial_mapping: { D1: [\"D1, 4\"], D2: [\"D2, 2\"] }
  temporal_ordering: [[D1, \"*\"], [N, 4], [\"*\", \"*\"], [D0, 2]]
";
    let layers = "
- id: 0
  name: product
  operator_type: Gemm
  equation: O[d0][d1]+=I[d0][d2]*W[d2][d1]
  loop_dims: [D0, D1, D2]
  loop_sizes: [6, 8, 10]
  operand_precision: { O: 16, O_final: 8, W: 8, I: 8 }
  operand_source: { W: 0, I: 0 }
";
    let whole = imports(&[("a.yaml", ACCELERATOR), ("m.yaml", mapping), ("w.yaml", layers)]);
    let (core, network) = (core_of(&whole), network_of(&whole));
    let layer = network.computing().map(|id| network.layer(id)).next().unwrap();
    let unrolled: Vec<(Dim, u64)> =
        layer.unroll_on(&core, &Rules::ZIGZAG_3_9).iter().map(|part| (part.dim, part.limit)).collect();
    assert_eq!(unrolled, [(Dim::K, 4), (Dim::C, 2)]);
    let orders = whole.constraints.as_ref().unwrap();
    assert!(orders.contains("order: [K any, rest, OX 2]"), "{orders}");
    user_constraints(orders, &core, &network).unwrap_or_else(|wrong| panic!("{wrong}"));
    // Without the workload their meaning is unknown, which is reported.
    let alone = imports(&[("a.yaml", ACCELERATOR), ("m.yaml", mapping)]);
    core_of(&alone);
    let told: Vec<String> = alone.reports.iter().flat_map(|report| &report.findings).map(ToString::to_string).collect();
    for part in ["D1, D2: loops that only a workload", "temporal_ordering: not taken"] {
        assert!(told.iter().any(|finding| finding.contains(part)), "{part}: {told:#?}");
    }
}

/// Products of two operands with any names of dimensions and operands keep their loops and elements.
#[test]
fn products_with_any_names_are_the_layers_of_their_indices() {
    use LayerKind::{Conv, Depthwise, MatMul};
    // Equation, relations, loops; then B G K C OY OX FY FX.
    let cases = [
        // Attention, in which groups of query heads share keys.
        ("O[g][h][m][n]+=Q[g][h][m][k]*KT[g][k][n]", "", "G:2 H:3 M:10 N:12 K:8", MatMul, [1, 2, 12, 8, 1, 30, 1, 1]),
        ("S[row][col]+=A[row][depth]*B[depth][col]", "", "ROW:6 COL:8 DEPTH:10", MatMul, [1, 1, 8, 10, 1, 6, 1, 1]),
        ("O[a][b2]+=W[b2][c2]*I[a][c2]", "", "A:6 B2:8 C2:10", MatMul, [1, 1, 8, 10, 1, 6, 1, 1]),
        ("O[d0][d1][d2]+=I1[d0][d1][d3]*I2[d0][d3][d2]", "", "D0:4 D1:6 D2:8 D3:10", MatMul, [1, 4, 8, 10, 1, 6, 1, 1]),
        // Convolutions.
        (
            "O[n][m][p][q]+=W[m][c][r][s]*I[n][c][y][x]",
            "\"y=2*p+1*r\", \"x=1*q+1*s\"",
            "M:16 C:8 P:10 Q:12 R:3 S:5",
            Conv,
            [1, 1, 16, 8, 10, 12, 3, 5],
        ),
        ("out[c][t]+=filter[c][f]*map[c][u]", "\"u=t+2*f\"", "C:16 T:20 F:3", Depthwise, [1, 16, 1, 1, 1, 20, 1, 3]),
    ];
    for (equation, relations, loops, kind, expected) in cases {
        let loops: Vec<(&str, &str)> = loops.split(' ').map(|part| part.split_once(':').unwrap()).collect();
        let [names, sizes] = [0, 1]
            .map(|which| loops.iter().map(|part| [part.0, part.1][which].to_owned()).collect::<Vec<_>>().join(", "));
        let operands: Vec<&str> =
            equation.split(['=', '*', '+']).filter_map(|part| Some(part.split_once('[')?.0)).collect();
        let file = format!(
            "- id: 0\n  name: layer\n  operator_type: Whatever\n  equation: \"{equation}\"\n  dimension_relations: [{relations}]\
             \n  loop_dims: [{names}]\n  loop_sizes: [{sizes}]\
             \n  operand_precision: {{ {}: 24, {}_final: 8, {}: 4, {}: 4 }}\n",
            operands[0], operands[0], operands[1], operands[2]
        );
        let network = network_of(&imports(&[("layers.yaml", &file)]));
        let shape = network.layer(network.computing().next().unwrap()).shape;
        assert_eq!((shape.kind, shape.sizes), (kind, expected), "{equation}");
        let precision = shape.precision;
        assert_eq!((precision.w, precision.i, precision.o_partial, precision.o), (4, 4, 24, 8), "{equation}");
    }
    let refused = |equation: &str, loops: &str, relations: &str| {
        let sizes = loops.split(", ").map(|_| "3").collect::<Vec<_>>().join(", ");
        let file = format!(
            "- id: 0\n  name: layer\n  operator_type: Whatever\n  equation: \"{equation}\"\n  dimension_relations: [{relations}]\
             \n  loop_dims: [{loops}]\n  loop_sizes: [{sizes}]\n"
        );
        import_texts(&[("layers.yaml", &file)]).unwrap_err().to_string()
    };
    for (equation, loops, relations, part) in [
        ("O[a]+=A[a][b]*B[b]*C[a]", "A, B", "", "split a product of more"),
        ("O[a]+=A[a][b]*B[a]", "A, B", "", "whose loops each index two operands or all"),
        ("O[a]+=A*B[a]", "A, B", "", "no equation of an output and two inputs"),
        (
            "O[z][p][q]+=W[t][r][s]*I[u][y][x]",
            "Z, P, Q, T, R, S",
            "u=z+t, y=p+r, x=q+s",
            "A window of 3 loops has no layer here",
        ),
    ] {
        let wrong = refused(equation, loops, relations);
        assert!(wrong.contains(part), "{equation}: {wrong}");
    }
}

/// A file of an array that computes in memory, based on one of ZigZag: `OTHERS` is replaced by further fields of the
/// array.
const IN_MEMORY: &str = r#"
name: macros
memories:
  cells:
    size: 16
    r_cost: 0
    w_cost: 0.095
    area: 0.0000005
    latency: 0
    operands: [I2]
    ports:
      - {name: rw_port_1, type: read_write, bandwidth_min: 8, bandwidth_max: 8, allocation: ["I2, fh", "I2, tl"]}
    served_dimensions: []
  dram:
    size: 10000000000
    r_cost: 700
    w_cost: 750
    area: 0
    latency: 1
    operands: [I1, I2, O]
    ports:
      - {name: rw_port_1, type: read_write, bandwidth_min: 64, bandwidth_max: 64,
         allocation: ["I1, fh", "I1, tl", "I2, fh", "I2, tl", "O, fh", "O, tl", "O, fl", "O, th"]}
    served_dimensions: [D1, D2, D3]
operational_array:
  is_imc: True
  OTHERS
  dimensions: [D3, D1, D2]
  sizes: [4, 24, 32]
"#;

const MACROS: &str = "imc_type: analog\n  input_precision: [4, 8]\n  bit_serial_precision: 2\n  adc_resolution: 6";

#[test]
fn arrays_that_compute_in_memory_go_both_ways() {
    let digital = "imc_type: digital\n  input_precision: [8, 8]\n  bit_serial_precision: 1";
    for others in [MACROS, digital] {
        let imported = imports(&[("macros.yaml", &IN_MEMORY.replace("OTHERS", others))]);
        let core = core_of(&imported);
        let array = core.in_memory.as_ref().unwrap();
        // Columns and rows are the first two dimensions by name, in any order.
        assert_eq!((array.column_count, array.row_count, array.macros, array.group_depth), (24, 32, 4, 2));
        assert_eq!(array.cycles(), if others == MACROS { 2 } else { 8 });
        assert_eq!(core.memories.raw[0].area_um2, Some(0.5));
        let network = find_preset(workload_presets(), "resnet18").unwrap();
        let written = zigzag::write(&core, &Network::from_text(network.text).unwrap());
        let again = core_of(&imports(&[("macros.yaml", &written.accelerator)]));
        let same = again.in_memory.as_ref().unwrap();
        assert_eq!(
            (same.kind, same.weight_bits, same.activation_bits, same.input_bits),
            (array.kind, array.weight_bits, array.activation_bits, array.input_bits)
        );
        assert_eq!((same.column_count, same.row_count, same.macros), (24, 32, 4));
        assert_eq!((same.area_um2(), again.memories.len()), (array.area_um2(), core.memories.len()));
        assert!(
            written.report.findings.iter().any(|finding| finding.reason.contains("more than one weight")),
            "{:?}",
            written.report
        );
        // The same in our document.
        let text = imported.hardware.as_ref().unwrap();
        assert!(text.ends_with(&write_hardware(&read_hardware(text).both().0)), "{text}");
    }
}

#[test]
fn cells_are_called_as_zigzag_calls_them() {
    for preset in ["zigzag-aimc", "zigzag-dimc"] {
        let text = find_preset(hardware_presets(), preset).unwrap().text.replace("name: cells", "name: sram");
        let core = Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
        let network = Network::from_text(workload_presets()[0].text).unwrap();
        let written = zigzag::write(&core, &network).accelerator;
        assert!(written.contains("  \"cells\":\n") && written.contains("  is_imc: true\n"), "{written}");
    }
}

#[test]
fn what_is_wrong_with_an_array_that_computes_in_memory_is_said_where_it_stands() {
    for (from, to, part) in [
        ("imc_type: analog\n  ", "", "`imc_type` is missing"),
        ("input_precision: [4, 8]", "input_precision: [8]", "not the bits of an input and of a weight"),
        ("bit_serial_precision: 2\n  ", "", "`bit_serial_precision` is missing"),
    ] {
        let text = IN_MEMORY.replace("OTHERS", &MACROS.replacen(from, to, 1));
        let wrong = import_texts(&[("macros.yaml", &text)]).unwrap_err().to_string();
        assert!(wrong.contains(part), "{part}:\n{wrong}");
    }
    // Errors found by ZigZag's own check are errors of the document.
    for (from, to, part) in [
        ("adc_resolution: 6", "adc_resolution: 0", "array.in_memory.adc_resolution"),
        ("[4, 8]", "[4, 6]", "array.in_memory.precision"),
        ("bit_serial_precision: 2", "bit_serial_precision: 8", "array.in_memory.input_bits"),
    ] {
        let text = IN_MEMORY.replace("OTHERS", &MACROS.replacen(from, to, 1));
        let wrong = match import_texts(&[("macros.yaml", &text)]) {
            Ok(imported) => Core::from_text(imported.hardware.as_ref().unwrap()).unwrap_err(),
            Err(wrong) => wrong,
        };
        assert!(wrong.to_string().contains(part), "{part}:\n{wrong}");
    }
}

/// ZigZag's results for exports of all kinds of layers (`how` in the file describes the runs): the import of an export
/// costs the same here, to the digit, in as many cycles, rounded up. If ZigZag unrolls differently from an export, the
/// report names the layer. the digit, in as many cycles, rounded up. Where ZigZag unrolls otherwise than an export
/// says, the report names the layer.
#[test]
fn zigzag_runs_exports_to_the_same_costs() {
    let reference = reference("zigzag/exports.json");
    let (mut equal, mut otherwise) = (0, Vec::new());
    for (hardware, runs) in entries(&reference["runs"]) {
        let core = Core::from_text(find_preset(hardware_presets(), hardware).unwrap().text).unwrap();
        for (name, layers) in entries(runs) {
            let network = Network::from_text(&text(&reference["networks"][name])).unwrap();
            let files = zigzag::write(&core, &network);
            let narrowed = files.report.of(Severity::Assumed).filter(|note| note.reason.starts_with("ZigZag narrows"));
            let narrowed: Vec<&String> = narrowed.flat_map(|note| &note.places).collect();
            let imported =
                imports(&[("a.yaml", &files.accelerator), ("m.yaml", &files.mapping), ("w.yaml", &files.workload)]);
            for (layer, found) in entries(layers) {
                if narrowed.contains(&layer) {
                    otherwise.push(format!("{layer} on {hardware}"));
                    continue;
                }
                let request = LayerRequest {
                    hardware: imported.hardware.clone().unwrap(),
                    workload: imported.workload.clone().unwrap(),
                    layer: Some(layer.clone()),
                    objective: Objective::Energy,
                    strategy: Strategy::Loma,
                    lpf_limit: 6,
                    rules: Rules::ZIGZAG_3_8,
                    unroll: None,
                };
                let best = DesignLayer::new(&request).unwrap().best().unwrap();
                let deviation = best.energy_pj() / number(&found[0]) - 1.0;
                assert!(deviation.abs() < 1e-9, "{layer} on {hardware}: {deviation}");
                assert_eq!(best.cycles.total, number(&found[1]).ceil() as u64, "{layer} on {hardware}");
                equal += 1;
            }
        }
    }
    assert_eq!(otherwise, ["sum on meta-proto-like", "sum on tesla-npu-like"]);
    assert_eq!(equal, 102);
}

/// The array cannot unroll all of OY twice: the rules of ZigZag make another unrolling of that than stated in the
/// export.
#[test]
fn an_export_names_the_layers_that_are_unrolled_otherwise() {
    let reference = reference("zigzag/exports.json");
    let network = Network::from_text(&text(&reference["networks"]["many"])).unwrap();
    let core = Core::from_text(find_preset(hardware_presets(), "eyeriss-like").unwrap().text).unwrap();
    let report = zigzag::write(&core, &network).report;
    let narrower =
        report.of(Severity::Assumed).find(|note| note.reason.ends_with("the later ones are narrower")).unwrap();
    // It names the first four.
    assert_eq!(
        (narrower.count, &narrower.places[..]),
        (5, &["depthwise", "dwstrided", "pool", "third"].map(String::from)[..])
    );
}

/// Rows of a product lie on both sides of the array by the corrected rules only, unless the layer states so.
#[test]
fn an_export_says_how_a_product_is_unrolled_alike_by_all_rules() {
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like").unwrap().text).unwrap();
    let network = |own: &str| {
        let layer = format!("{{ name: product, type: pointwise, K: 64{own} }}");
        let text = format!("name: one\nlayers: [{{ name: in, type: input, K: 64, size: 64 x 1 }}, {layer}]");
        Network::from_text(&text).unwrap()
    };
    let told = |network: &Network| {
        let report = zigzag::write(&core, network).report;
        let note = report.of(Severity::Assumed).find(|note| note.reason.starts_with("ZigZag leaves PEs")).cloned();
        note.map(|note| note.reason.split('`').nth(1).unwrap().to_owned())
    };
    let stated = told(&network("")).unwrap();
    assert_eq!(stated, "unroll: { meta-proto: { D1: [K 32], D2: [C 2], D3: [OX 4], D4: [OX 4] } }");
    let own = network(&format!(", {stated}"));
    assert_eq!(told(&own), None);
    let unroll = |rules: &Rules| own.layer(1.into()).unroll_on(&core, rules);
    assert_eq!(unroll(&Rules::CORRECTED), unroll(&Rules::ZIGZAG_3_8));
    let mapping = zigzag::write(&core, &own).mapping;
    assert!(mapping.contains("D3: [\"OX, 4\"]") && mapping.contains("D4: [\"OX, 4\"]"), "{mapping}");
}
