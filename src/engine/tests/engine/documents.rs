//! Documents: the presets, messages about mistakes, and writing them again.

use fusescape_engine::hardware::{Core, Movement, Operand, Unroll};
use fusescape_engine::workload::{Dim, Layer, LayerId, LayerKind, Network};
use fusescape_spec::{
    Diagnostics, PortSpec, Preset, find_preset, hardware_presets, read_hardware, read_workload, workload_presets,
    write_hardware, write_workload,
};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::{entries, integer, reference, text};

/// Hardware preset and its name in `hardware.json`.
const ACCELERATORS: [(&str, &str); 10] = [
    ("meta-proto-like", "Meta_prototype"),
    ("meta-proto-like-df", "Meta_prototype_DF"),
    ("tpu-like", "TPU_like"),
    ("tpu-like-df", "TPU_like_DF"),
    ("edge-tpu-like", "Edge_TPU_like"),
    ("edge-tpu-like-df", "Edge_TPU_like_DF"),
    ("ascend-like", "Ascend_like"),
    ("ascend-like-df", "Ascend_like_DF"),
    ("tesla-npu-like", "Tesla_NPU_like"),
    ("tesla-npu-like-df", "Tesla_NPU_like_DF"),
];

/// Workload preset and its name in `workloads.json`.
const NETWORKS: [(&str, &str); 5] = [
    ("fsrcnn-defines", "fsrcnn"),
    ("dmcnn-vd-defines", "dmcnnvd"),
    ("mccnn-defines", "mccnn"),
    ("mobilenet-v1-defines", "mobilenetv1"),
    ("resnet18-defines", "resnet18"),
];

fn preset_core(id: &str) -> Core {
    let preset = find_preset(hardware_presets(), id).unwrap_or_else(|wrong| panic!("{wrong}"));
    Core::from_text(preset.text).unwrap_or_else(|wrong| panic!("{id}:\n{wrong}"))
}

fn preset_network(id: &str) -> Network {
    let preset = find_preset(workload_presets(), id).unwrap_or_else(|wrong| panic!("{wrong}"));
    Network::from_text(preset.text).unwrap_or_else(|wrong| panic!("{id}:\n{wrong}"))
}

#[test]
fn every_preset_loads_and_has_its_title() {
    for preset in hardware_presets() {
        assert_eq!(preset_core(preset.id).name, preset.title);
    }
    for preset in workload_presets() {
        assert_eq!(preset_network(preset.id).name, preset.title);
    }
}

/// ZigZag, Figs. 3 and 6.
#[test]
fn alexnet_on_eyeriss_has_the_sizes_and_the_unrolling_of_the_paper() {
    use Dim::{FY, OY};
    let (core, network) = (preset_core("eyeriss-like"), preset_network("alexnet-eyeriss"));
    let conv2 = network.ids().map(|id| network.layer(id)).find(|layer| layer.name == "conv2").unwrap();
    assert_eq!(conv2.shape.macs(), 207_667_200);
    assert_eq!([Operand::W, Operand::I, Operand::O].map(|o| conv2.shape.elements(o)), [307_200, 43_200, 173_056]);
    let unroll = core.unroll_stated(&conv2.unroll[0].1);
    let unrolled: Vec<_> = unroll.iter().map(|unroll| (unroll.array_dim.index(), unroll.dim, unroll.limit)).collect();
    assert_eq!(unrolled, [(0, FY, 5), (0, OY, 2), (1, OY, 13)]);
    assert_eq!([Operand::W, Operand::I, Operand::O].map(|o| core.levels(o).len()), [2, 3, 3]);
}

#[test]
fn a_loop_without_a_number_takes_what_the_others_leave_of_the_array_dimension() {
    let preset = find_preset(hardware_presets(), "eyeriss-like").unwrap().text;
    let core = Core::from_text(&preset.replace("[FY 5, OY 2]", "[FY 5, OY]")).unwrap();
    let limits: Vec<u64> = core.unroll(LayerKind::Conv).iter().map(|unroll| unroll.limit).collect();
    assert_eq!(limits, [5, 2, 13]);
}

/// GEMM accelerators feed their output registers through wider ports than their inputs.
#[test]
fn a_port_may_have_a_width_of_its_own() {
    let preset = find_preset(hardware_presets(), "eyeriss-like").unwrap().text;
    let (mut spec, _) = read_hardware(preset).both();
    let dram = spec.memories.last_mut().unwrap();
    let all = |operand: &str, movements: &[&str]| -> Vec<String> {
        movements.iter().map(|movement| format!("{operand}.{movement}")).collect()
    };
    let inputs = [all("W", &["read_to_low"]), all("I", &["read_to_low"])].concat();
    let outputs = all("O", &["read_to_low", "write_from_low"]);
    dram.ports = vec![
        PortSpec { name: "r".into(), serves: inputs, ..PortSpec::default() },
        PortSpec { name: "rw".into(), serves: outputs, width_bits: Some(2048), granularity_bits: Some(8) },
    ];
    let text = write_hardware(&spec);
    assert!(
        text.contains("rw: { serves: [O.read_to_low, O.write_from_low], width: 2048 bit, granularity: 8 bit }"),
        "{text}"
    );
    let core = Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let dram = core.memories.last().unwrap();
    assert_eq!(dram.width_bits(Operand::O, Movement::WriteFromLow), 2048);
    assert_eq!(dram.granularity_bits(Operand::O, Movement::ReadToLow), 8);
    assert_eq!(dram.width_bits(Operand::I, Movement::ReadToLow), dram.read_width_bits);
    spec.memories.last_mut().unwrap().ports[1].granularity_bits = Some(4096);
    let wrong = Core::new(&spec).unwrap_err().to_string();
    assert!(wrong.contains("no less than 4096 bit"), "{wrong}");
}

#[test]
fn matrices_of_a_product_are_indexed_by_batch_and_head() {
    let network = Network::from_text(
        "name: attention
batch: 2
layers:
  - { name: tokens, type: input, K: 192, size: 50 x 1 }
  - { name: scores, type: matmul, K: 150, groups: 3 }",
    );
    let shape = network.unwrap_or_else(|wrong| panic!("{wrong}")).layer(1.into()).shape;
    assert_eq!(shape.macs(), 2 * 3 * 50 * 50 * 64);
    assert_eq!(
        [Operand::W, Operand::I, Operand::O].map(|o| shape.elements(o)),
        [2 * 3 * 64 * 50, 2 * 192 * 50, 2 * 150 * 50]
    );
}

#[test]
fn an_unknown_preset_is_answered_with_the_closest() {
    let wrong = find_preset(workload_presets(), "resnet-18").unwrap_err();
    assert!(wrong.to_string().contains("Did you mean `resnet18`?"), "{wrong}");
    assert!(find_preset(hardware_presets(), "").is_err());
}

#[test]
fn hardware_presets_are_those_of_the_defines_tool() {
    let all = reference("define/hardware.json");
    for (id, name) in ACCELERATORS {
        let (mut ours, mut theirs) = (preset_core(id), fusescape_test_support::core(&all[name]));
        for memory in ours.memories.iter_mut().chain(&mut theirs.memories) {
            memory.ports.iter_mut().for_each(|port| port.serves.sort_unstable());
        }
        // serde_json rounds some decimals to a neighbouring f64.
        for (ours, theirs) in ours.memories.iter().zip(&mut theirs.memories) {
            for (ours, theirs) in
                [(ours.read_energy_pj, &mut theirs.read_energy_pj), (ours.write_energy_pj, &mut theirs.write_energy_pj)]
            {
                if (ours - *theirs).abs() <= f64::EPSILON * ours {
                    *theirs = ours;
                }
            }
        }
        assert_eq!(ours.array, theirs.array, "{id}");
        assert_eq!(ours.mac_energy, theirs.mac_energy, "{id}");
        assert_eq!(ours.memories, theirs.memories, "{id}");
        assert_eq!(ours.pe_count(), integer(&all[name]["total_PEs"]), "{id}");
        for operand in Operand::ALL {
            let levels: Vec<&str> = ours.levels(operand).iter().map(|&id| ours.memories[id].name.as_str()).collect();
            let hierarchy =
                fusescape_test_support::texts(&all[name]["hierarchy_per_operand_bottom_up"][operand.to_string()]);
            assert_eq!(levels, hierarchy, "{id} {operand}");
        }
        for (ours, theirs) in ours.memories.iter().zip(all[name]["memories"].as_array().unwrap()) {
            assert_eq!(ours.instances, integer(&theirs["instances"]), "{id} {}", ours.name);
        }
    }
}

#[test]
fn workload_presets_are_those_of_the_defines_tool() {
    let all = reference("define/workloads.json");
    for (id, name) in NETWORKS {
        let (ours, theirs) = (preset_network(id), fusescape_test_support::network(&all[name]));
        assert_eq!(ours.len(), theirs.len(), "{id}");
        for (index, given) in all[name]["layers"].as_array().unwrap().iter().enumerate() {
            let index = LayerId::from(index);
            let (layer, other) = (ours.layer(index), theirs.layer(index));
            assert_eq!(layer.shape, other.shape, "{id} {}", layer.name);
            assert_eq!((layer.padding, layer.input_size), (other.padding, other.input_size), "{id} {}", layer.name);
            assert_eq!(ours.inputs(index), theirs.inputs(index), "{id} {}", layer.name);
            for (dim, size) in entries(&given["dims"]) {
                assert_eq!(layer.shape.size(Dim::from_name(dim).unwrap()), integer(size), "{id} {} {dim}", layer.name);
            }
            if !layer.is_input() {
                assert_eq!(layer.shape.macs(), integer(&given["MACs"]), "{id} {}", layer.name);
            }
        }
        assert_eq!(ours.macs(), integer(&all[name]["total_MACs"]), "{id}");
        let weights: u64 = ours.computing().map(|layer| ours.layer(layer).shape.weight_bits()).sum();
        assert_eq!(weights, integer(&all[name]["total_weight_bits"]), "{id}");
    }
}

/// The unrolling that is used: at most as wide as array and layer, and empty where it has no effect.
fn clipped(unroll: &[Unroll], core: &Core, layer: &Layer) -> Vec<(usize, Dim, u64)> {
    let mut clipped: Vec<_> = unroll
        .iter()
        .map(|u| (u.array_dim.index(), u.dim, u.limit.min(core.array[u.array_dim].1).min(layer.shape.size(u.dim))))
        .filter(|(.., used)| *used > 1)
        .collect();
    clipped.sort_unstable();
    clipped
}

#[test]
fn spatial_mappings_are_those_of_the_defines_tool() {
    let (accelerators, workloads) = (reference("define/hardware.json"), reference("define/workloads.json"));
    for (hardware, accelerator) in ACCELERATORS {
        let core = preset_core(hardware);
        let folder = text(&accelerators[accelerator]["mapping_folder"]);
        for (id, name) in NETWORKS {
            let network = preset_network(id);
            for layer in network.computing() {
                let given =
                    &workloads[name]["layers"][layer.index()]["spatial_mapping_per_accelerator_folder"][&folder];
                let layer = network.layer(layer);
                let own = layer.unroll.iter().find(|(dataflow, _)| *dataflow == core.dataflow);
                let ours = own
                    .map_or_else(|| core.unroll(layer.shape.kind).to_vec(), |(_, unroll)| core.unroll_stated(unroll));
                let theirs = core.unroll_stated(&fusescape_test_support::unroll_spec(given));
                assert_eq!(
                    clipped(&ours, &core, layer),
                    clipped(&theirs, &core, layer),
                    "{id} {} on {hardware}",
                    layer.name
                );
            }
        }
    }
}

#[test]
fn networks_of_the_authors_have_the_well_known_numbers_of_operations_and_weights() {
    let kinds = |network: &Network, kinds: &[LayerKind]| -> (u64, u64) {
        let layers = network.computing().map(|id| network.layer(id).shape).filter(|shape| kinds.contains(&shape.kind));
        layers.fold((0, 0), |(macs, weights), shape| (macs + shape.macs(), weights + shape.elements(Operand::W)))
    };
    let with_weights = [LayerKind::Conv, LayerKind::Pointwise, LayerKind::Depthwise, LayerKind::FullyConnected];
    for (id, macs, weights, output) in [
        // torchvision: 1.814 GMAC, 11 689 512 parameters of which 9600 in batch norm and 1000 biases.
        ("resnet18", 1_814_073_344, 11_678_912, (1000, 1, 1)),
        // Table 8: 569 million, 4.2 million.
        ("mobilenet-v1", 568_740_352, 4_209_088, (1000, 1, 1)),
        // torchvision: 0.301 GMAC, 3 504 872 parameters of which 34 112 in batch norm and 1000 biases.
        ("mobilenet-v2", 300_774_272, 3_469_760, (1000, 1, 1)),
        // 12 464 parameters (Table 1), with 8064 instead of 4536 in the last layer.
        ("fsrcnn", 15_992 * 960 * 540, 12_464 - 4536 + 8064, (16, 960, 540)),
        ("dmcnn-vd", 667_008 * 768 * 512, 667_008, (3, 768, 512)),
        ("mccnn", 111_168 * 1242 * 376, 111_168, (64, 1242, 376)),
    ] {
        let network = preset_network(id);
        assert_eq!(kinds(&network, &with_weights), (macs, weights), "{id}");
        let last = network.layer(network.ids().next_back().unwrap()).shape;
        assert_eq!((last.output_channels(), last.size(Dim::OX), last.size(Dim::OY)), output, "{id}");
    }
}

#[test]
fn every_preset_can_be_written_and_read_again() {
    for Preset { id, text, .. } in hardware_presets() {
        let (spec, _) = read_hardware(text).both();
        let written = write_hardware(&spec);
        let (again, wrong) = read_hardware(&written).both();
        assert_eq!((&again, wrong), (&spec, Diagnostics::default()), "{id}:\n{written}");
        assert_eq!(write_hardware(&again), written, "{id}");
    }
    for Preset { id, text, .. } in workload_presets() {
        let (spec, _) = read_workload(text).both();
        let written = write_workload(&spec);
        let (again, wrong) = read_workload(&written).both();
        assert_eq!((&again, wrong), (&spec, Diagnostics::default()), "{id}:\n{written}");
        assert_eq!(write_workload(&again), written, "{id}");
    }
}

/// A valid core, in which mistakes are made.
const CORE: &str = "\
name: small
array:
  dimensions: { D1: 4, D2: 2 }
  mac_energy: 0.04 pJ
unroll:
  conv: { D1: K, D2: C 2 }
memories:
  - name: rf
    size: 2 B
    operands: [W, O]
    width: 16 bit
    read_energy: 0.02 pJ
    write_energy: 0.02 pJ
    shared_over: []
  - name: dram
    size: 1 GiB
    operands: [W, I, O]
    width: 64 bit
    read_energy: 700 pJ
    write_energy: 750 pJ
    shared_over: all
";

/// A valid network, in which mistakes are made.
const NETWORK: &str = "\
name: small
batch: 1
layers:
  - { name: image, type: input, K: 3, size: 16 x 8 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: same }
  - { name: b, type: conv, K: 4, kernel: 1 x 1 }
  - { name: c, type: add, from: [a, b] }
  - { name: d, type: pooling, kernel: global }
";

/// An expected message: line, path, part of the text.
type Expected = &'static [(usize, &'static str, &'static str)];

/// Makes the replacements in `text` and compares all messages of `load` with the expected ones.
fn check(text: &str, replace: &[(&str, &str)], load: fn(&str) -> Result<(), Diagnostics>, expected: Expected) {
    let mut text = text.to_owned();
    for (right, wrong) in replace {
        assert!(text.contains(right), "{right}");
        text = text.replacen(right, wrong, 1);
    }
    let said = load(&text).err().unwrap_or_default();
    let all = expected.len() == said.0.len()
        && said.0.iter().zip(expected).all(|(said, (line, path, part))| {
            said.line == Some(*line) && said.path == *path && said.to_string().contains(part)
        });
    assert!(all, "in\n{text}\nwas said\n{said}\ninstead of\n{expected:#?}");
}

#[test]
fn wrong_hardware_is_answered_with_place_reason_and_remedy() {
    let cases: &[(&[(&str, &str)], Expected)] = &[
        (&[], &[]),
        (&[("size: 2 B", "size: 2")], &[(9, "memories[0].size", "`2` has no unit. Write for example `64 bit`")]),
        (&[("size: 2 B", "size: 2 KB")], &[(9, "memories[0].size", "no unit `KB` here. Use `KiB` (1024 B)")]),
        (
            &[("size: 2 B", "size: 64 Kb")],
            &[(
                9,
                "memories[0].size",
                "`Kb` are kilobits, which are no unit here. Write `8 KiB`, or `64 KiB` if bytes",
            )],
        ),
        (&[("size: 2 B", "size: 0.5 mb")], &[(9, "memories[0].size", "Write `bit`, or `0.5 MiB` if bytes were meant")]),
        (
            &[("size: 2 B", "size: -1")],
            &[(9, "memories[0].size", "`-1` is negative. It must be positive: write for example")],
        ),
        (&[("size: 2 B", "size: -1 KiB")], &[(9, "memories[0].size", "`-1` is negative. It must be positive")]),
        (&[("size: 2 B", "size: 0.3 B")], &[(9, "memories[0].size", "not a whole number of bits")]),
        (&[("size: 2 B", "size: 0 B")], &[(9, "memories[0].size", "`0 B` is nothing")]),
        (
            &[("size: 2 B", "size: 9999999999 GiB")],
            &[(9, "memories[0].size", "too large to be counted. Write at most 131072 GiB")],
        ),
        (
            &[("size: 2 B", "size: 2 B\n    area: 12")],
            &[(10, "memories[0].area", "`12` has no unit. Write for example `4740 um2`")],
        ),
        (&[("size: 2 B", "size: 2 B\n    area: 12 nm2")], &[(10, "memories[0].area", "Use um2 or mm2")]),
        (&[("size: 2 B", "size: 2 B\n    area: -1 mm2")], &[(10, "memories[0].area", "negative")]),
        (&[("size: 2 B", "sise: 2 B")], &[(9, "memories[0].sise", "Did you mean `size`?")]),
        (
            &[("size: 2 B", "colour: red")],
            &[
                (8, "memories[0].size", "`size` is missing. Write for example `size: 64 KiB`"),
                (9, "memories[0].colour", "There is no field `colour` here. Remove it; the fields here are name, size"),
            ],
        ),
        (&[("size: 2 B", "size: 2 B\n    size: 4 B")], &[(10, "memories[0].size", "stated twice, first in line 9")]),
        (&[("size: 2 B", "size: [2 B]")], &[(9, "memories[0].size", "Here stands a list instead of a size")]),
        (&[("size: 2 B", "size:")], &[(9, "memories[0].size", "There is no value here")]),
        (&[("    width: 16 bit\n", "")], &[(8, "memories[0].width", "`width` is missing")]),
        (&[("width: 16", "read_width: 16")], &[(8, "memories[0].write_width", "`write_width` is missing")]),
        (
            &[("width: 16 bit", "width: 8 bit\n    granularity: 16 bit")],
            &[(12, "memories[0].granularity", "only 8 bit")],
        ),
        (
            &[("width: 16 bit", "width: 8 bit\n    read_width: 16 bit")],
            &[(12, "memories[0].read_width", "There is already a `width`")],
        ),
        (&[("energy: 0.02 pJ", "energy: 0.02")], &[(12, "memories[0].read_energy", "`0.02` has no unit")]),
        (&[("energy: 0.02 pJ", "energy: -1 pJ")], &[(12, "memories[0].read_energy", "negative")]),
        (&[("energy: 0.02 pJ", "energy: nan pJ")], &[(12, "memories[0].read_energy", "does not start with a number")]),
        (&[("mac_energy: 0.04 pJ", "mac_energy: 1e999 pJ")], &[(4, "array.mac_energy", "too large")]),
        (&[("mac_energy: 0.04 pJ", "mac_energy: 1e306 nJ")], &[(4, "array.mac_energy", "too large to be counted")]),
        // The sum is too large for any number.
        (&[("mac_energy: 0.04 pJ", "mac_energy: 1e300 pJ")], &[(4, "array.mac_energy", "at most 10000000000 pJ")]),
        (
            &[("read_energy: 700 pJ", "read_energy: 2e30 pJ\n    area: 2e30 um2")],
            &[
                (19, "memories[1].read_energy", "Write at most 10000000000 pJ (10 mJ)"),
                (20, "memories[1].area", "Write at most 1000000000000 um2 (1 square metre)"),
            ],
        ),
        (
            &[(
                "shared_over: all",
                "shared_over: all\n    ports:\n      p: { serves: [I.read_to_low, W.read_to_low, O.read_to_low, \
                 O.write_from_low], width: 8 }",
            )],
            &[(23, "memories[1].ports[0].width", "`8` has no unit")],
        ),
        (
            &[("shared_over: all", "shared_over: all\n    ports:\n      p: { width: 8 bit, speed: 2 }")],
            &[
                (23, "memories[1].ports[0].speed", "There is no field `speed`"),
                (23, "memories[1].ports[0].serves", "`serves` is missing"),
            ],
        ),
        (&[("shared_over: []", "shared_over: [D3]")], &[(14, "memories[0].shared_over", "has no dimension `D3`")]),
        (&[("operands: [W, O]", "operands: [W, Q]")], &[(10, "memories[0].operands", "There is no operand `Q`")]),
        // Consequences of an unreadable field are not reported, too: no `No memory holds O`.
        (&[("operands: [W, I, O]", "operands: { W: 1 }")], &[(17, "memories[1].operands", "instead of a list")]),
        (&[("dimensions: { D1: 4, D2: 2 }", "dimensions: 8")], &[(3, "array.dimensions", "instead of fields")]),
        (&[("D2: 2", "D2: two")], &[(3, "array.dimensions.D2", "`two` is not a whole number")]),
        (&[("D2: C 2", "D2: C two")], &[(6, "unroll.conv.D2", "`two` is not a whole number")]),
        (&[("D2: C 2", "D2: [C 2, K 2]")], &[(6, "unroll.conv.D2", "need 4 PEs along it, which has 2")]),
        (&[("D2: C 2", "D2: [C, K]")], &[(6, "unroll.conv.D2", "more than one does not say")]),
        (&[("D2: C 2", "D2: { C: 2 }")], &[(6, "unroll.conv.D2", "instead of a list")]),
        (
            &[("D2: C 2", "D3: X")],
            &[
                (6, "unroll.conv.D3", "The array has no dimension `D3`"),
                (6, "unroll.conv.D3", "There is no loop dimension `X`"),
            ],
        ),
        (
            &[("shared_over: all", "shared_over: all\n    ports:\n      rw: [I.read_to_lo, W.read_to_low]")],
            &[
                (22, "memories[1].ports", "I.read_to_low"),
                (22, "memories[1].ports", "O.read_to_low"),
                (22, "memories[1].ports", "O.write_from_low"),
                (23, "memories[1].ports[0]", "Did you mean `I.read_to_low`?"),
            ],
        ),
        // Mistakes in reading and in validating are found in one run.
        (
            &[
                ("mac_energy", "mac_enrgy"),
                ("name: dram", "name: rf"),
                ("width: 64 bit", "width: 64"),
                ("over: all", "over: [D1]"),
            ],
            &[
                (4, "array.mac_enrgy", "Did you mean `mac_energy`?"),
                (8, "memories[0].name", "Two memories are called `rf`. Rename this one or that of `memories[1]`"),
                (15, "memories[1].name", "Two memories are called `rf`. Rename this one or that of `memories[0]`"),
                (18, "memories[1].width", "`64` has no unit"),
                (21, "memories[1].shared_over", "exists 2 times"),
            ],
        ),
        (
            &[("memories:", "memories: {}\nmore:")],
            &[(7, "memories", "instead of a list"), (8, "more", "There is no field `more` here")],
        ),
    ];
    for (replace, expected) in cases {
        check(CORE, replace, |text| Core::from_text(text).map(drop), expected);
    }
}

#[test]
fn wrong_networks_are_answered_with_place_reason_and_remedy() {
    let cases: &[(&[(&str, &str)], Expected)] = &[
        (&[], &[]),
        (&[("type: conv", "type: convolution")], &[(5, "layers[1].type", "Did you mean `conv`?")]),
        (&[("K: 4, ", "")], &[(5, "layers[1].K", "does not say how many output channels")]),
        (&[("K: 4, kernel: 3 x 3", "K: 4")], &[(5, "layers[1].kernel", "`kernel` is missing")]),
        (&[("kernel: 3 x 3", "kernel: 3 by 3")], &[(5, "layers[1].kernel", "not a number of columns and rows")]),
        (&[("kernel: 3 x 3", "kernel: 30 x 3")], &[]), // `padding: same` makes room
        (&[("kernel: 3 x 3, padding: same", "kernel: 30 x 3")], &[(5, "layers[1].kernel", "spans 30 columns")]),
        (&[("padding: same", "padding: some")], &[(5, "layers[1].padding", "`some` is not a padding. Write `same`")]),
        (&[("padding: same", "padding: { lft: 1 }")], &[(5, "layers[1].padding.lft", "Did you mean `left`?")]),
        (
            &[("padding: same", "size: 3 x 3")],
            &[(5, "layers[1].size", "A layer of type `conv` has no `size`. Remove it")],
        ),
        (
            &[("type: conv, K: 4, kernel: 1 x 1", "type: pointwise, K: 4, kernel: 1 x 1")],
            &[(6, "layers[2].kernel", "use `type: conv`")],
        ),
        (&[("from: [a, b]", "from: [a, bb]")], &[(7, "layers[3].from", "There is no layer `bb`")]),
        (&[("from: [a, b]", "from: a")], &[(7, "layers[3].from", "reads 1 feature maps instead of 2")]),
        (&[("global }", "global, from: [] }")], &[(8, "layers[4].from", "This list is empty")]),
        (&[("kernel: 1 x 1", "kernel: 1 x 1, stride: 2")], &[(7, "layers[3].from", "maps of different sizes")]),
        (
            &[("kernel: 1 x 1", "kernel: 1 x 1, unroll: { tpu: { D1: Z } }")],
            &[(6, "layers[2].unroll.tpu.D1", "There is no loop dimension `Z`")],
        ),
        (&[("batch: 1", "batch: 0")], &[(2, "batch", "The batch is 0")]),
        (&[("batch: 1", "batch: 99999999999999999999")], &[(2, "batch", "is too large")]),
        (
            &[("kernel: 1 x 1", "kernel: 1 x 1, precision: { O: 8 bit, I: 0 }")],
            &[(6, "layers[2].precision", "I of `b` has 0 bits")],
        ),
        (
            &[("name: b", "name: a")],
            &[
                (5, "layers[1].name", "Two layers are called `a`"),
                (6, "layers[2].name", "Two layers are called `a`"),
                (7, "layers[3].from", "There is no layer `b`"),
            ],
        ),
        (
            &[("K: 3", "K: three"), ("K: 4", "K: -4"), ("global", "globe"), ("batch", "bach")],
            &[
                (2, "bach", "Did you mean `batch`?"),
                (4, "layers[0].K", "`three`"),
                (5, "layers[1].K", "`-4`"),
                (8, "layers[4].kernel", "`globe`"),
            ],
        ),
        (&[("  - { name: d", "  - oops\n  - { name: d")], &[(8, "layers[4]", "Here stands a single value")]),
    ];
    for (replace, expected) in cases {
        check(NETWORK, replace, |text| Network::from_text(text).map(drop), expected);
    }
}

#[test]
fn texts_that_are_no_document_are_refused() {
    let deep = "[".repeat(100_000);
    let deeper = "- ".repeat(100_000);
    let deepest = "{a: ".repeat(200_000);
    let keys = "? ".repeat(100_000);
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n";
    let long = format!("name: {}", "x".repeat(1 << 20));
    let wide = format!("layers: [{}]", "a,".repeat(400_000));
    let many = format!("{{{}}}", (0..50_000).map(|i| format!("f{i}: 1, ")).collect::<String>());
    for (text, part) in [
        ("", "line 1: The document is empty"),
        ("[1, 2]", "line 1: Here stands a list instead of fields"),
        ("hello", "line 1: Here stands a single value instead of fields"),
        ("name: x\nabout: [a, b\nlayers: []", "The text is not YAML"),
        ("name: 'x", "line 1: The text is not YAML"),
        ("name: x\n---\nname: y", "line 2: A second document starts here"),
        // The end of a text without a line break is on its last line.
        ("name: x\nabout", "line 2: The text is not YAML"),
        ("--- # only", "line 1: The document is empty"),
        ("name: x\rabout: y\r\nlayers", "line 3: The text is not YAML"),
        (bomb, "line 2: Aliases (`*name`) are not read"),
        (&deep, "nested deeper"),
        (&deeper, "nested deeper"),
        (&deepest, "nested deeper"),
        (&keys, "nested deeper"),
        (&long, "The text has 1048582 bytes, more than 1048576"),
        (&wide, "There are more than 200000 values"),
        (&many, "There are more problems than these"),
    ] {
        let said = Network::from_text(text).unwrap_err();
        assert!(said.to_string().contains(part), "{said}");
        assert!(said.0.len() < 110, "{}", said.0.len());
        assert!(Core::from_text(text).is_err());
    }
}

/// Similar names take time: in a large network they are looked for only for the first mistakes.
#[test]
fn the_first_of_many_mistakes_have_a_likely_meaning() {
    let layers = |count: usize| -> String {
        let layer = |index| format!("  - {{ name: layer{index}, type: pointwise, K: 1, from: [leyer{index}] }}\n");
        format!(
            "name: many\nlayers:\n  - {{ name: image, type: input, K: 1, size: 1 x 1 }}\n{}",
            (0..count).map(layer).collect::<String>()
        )
    };
    let meant = |count| {
        let wrong = Network::from_text(&layers(count)).unwrap_err();
        wrong.0.iter().filter(|wrong| wrong.remedy.starts_with("Did you mean `layer")).count()
    };
    assert_eq!((meant(50), meant(400)), (50, 100));
    assert!((1..20).contains(&meant(4000)), "{}", meant(4000));
}

#[test]
fn what_could_be_read_is_kept() {
    let broken = format!("{NETWORK}  - {{ name: e, type: add, from: [a");
    let (spec, said) = read_workload(&broken).both();
    assert_eq!((spec.layers.len(), spec.layers[4].name.as_str(), said.0.len()), (6, "d", 1), "{said}");
    let (spec, said) = read_hardware(&CORE.replace("2 B", "two bytes")).both();
    assert_eq!((spec.memories.len(), spec.memories[0].operands.len(), said.0.len()), (2, 2, 1), "{said}");
}

#[test]
fn json_is_a_document_too() {
    let network = r#"{"name": "j", "layers": [{"name": "image", "type": "input", "K": 3, "size": "16 x 8"},
        {"name": "a", "type": "conv", "K": 4, "kernel": "3 x 3", "from": ["image"]}]}"#;
    assert_eq!(Network::from_text(network).unwrap().macs(), 14 * 6 * 3 * 4 * 9);
}

#[test]
fn a_network_may_be_as_deep_as_its_list_is_long() {
    let layers = |count: usize| {
        let layer = |i| format!("  - {{ name: l{i}, type: conv, K: 1, kernel: 1 x 1 }}\n");
        format!(
            "name: deep\nlayers:\n  - {{ name: image, type: input, K: 1, size: 1 x 1 }}\n{}",
            (1..count).map(layer).collect::<String>()
        )
    };
    assert_eq!(Network::from_text(&layers(4096)).unwrap().len(), 4096);
    let said = Network::from_text(&layers(4097)).unwrap_err();
    assert!(said.to_string().contains("There are 4097 entries, more than 4096"), "{said}");
}

#[test]
fn any_text_survives_writing_and_reading() {
    let pieces = [
        "a",
        "B 7",
        ": ",
        " #",
        "#",
        "- ",
        "'",
        "\"",
        "\\",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&x",
        "*x",
        "!t",
        "|",
        ">",
        "%",
        "@",
        "~",
        "null",
        "true",
        "é",
        "×",
        "\u{a0}",
        "\u{feff}",
        "\u{1f600}",
        "0x1",
        "1e3",
        "...",
        "---",
    ];
    let mut random = Lcg(1);
    for _ in 0..3000 {
        let word: String = (0..1 + random.index(4)).map(|_| random.of(&pieces)).collect();
        let word = word.trim().to_owned();
        let about = [word.clone(), "two words".into(), word.clone()]
            .join(random.of(&["\n", " ", "\n\n", "  "]))
            .trim()
            .to_owned();
        let (mut core, _) = read_hardware(CORE).both();
        (core.name, core.about, core.dataflow) = (word.clone(), about.clone(), word.clone());
        (core.memories[0].name, core.memories[1].source, core.array.source) =
            (word.clone(), word.clone(), about.clone());
        core.array.dimensions[0].0 = format!("{word}1");
        core.memories[1].shared_over[0] = format!("{word}1");
        let written = write_hardware(&core);
        assert_eq!(read_hardware(&written).both(), (core, Diagnostics::default()), "{written}");
        let (mut network, _) = read_workload(NETWORK).both();
        (network.name, network.about, network.layers[1].name) = (word.clone(), about, word.clone());
        network.layers[3].from = vec![word.clone(), format!("{word}2")];
        let written = write_workload(&network);
        assert_eq!(read_workload(&written).both(), (network, Diagnostics::default()), "{written}");
    }
}

#[test]
fn mutated_documents_never_panic() {
    let rounds = std::env::var("FUSESCAPE_FUZZ").map_or(3000, |rounds| rounds.parse().unwrap());
    let texts: Vec<&str> = hardware_presets().iter().chain(workload_presets()).map(|preset| preset.text).collect();
    let pieces = [
        "0",
        "-1",
        "18446744073709551615",
        "1e308",
        " ",
        "\n",
        "\n  - ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "'",
        "#",
        "&a ",
        "*a",
        "!!int ",
        "? ",
        "|",
        ">",
        "\t",
        "~",
        "é",
        "\0",
        "---\n",
        "KiB",
        "global",
        "same",
        "%YAML 1.2\n",
        "<<: ",
        "x",
        "add",
        "input",
        "1125899906842624",
        "from: [conv1, conv1]",
        "stride: 0",
        "dilation: 99999999999",
    ];
    let mut random = Lcg(7);
    for _ in 0..rounds {
        let mut characters: Vec<char> = random.of(&texts).chars().collect();
        // Near the end of a short document, a mistake is more likely to be reached.
        characters.truncate(200 + random.index(characters.len()));
        for _ in 0..1 + random.index(4) {
            let at = random.index(characters.len());
            let until = (at + random.index(12)).min(characters.len());
            match random.index(3) {
                0 => drop(characters.drain(at..until)),
                1 => drop(characters.splice(at..until, random.of(&pieces).chars())),
                _ => {
                    let copied = characters[at..until].to_vec();
                    let to = random.index(characters.len());
                    characters.splice(to..to, copied);
                }
            }
        }
        let text: String = characters.into_iter().collect();
        for said in [Core::from_text(&text).err(), Network::from_text(&text).err()].into_iter().flatten() {
            assert!(!said.is_empty());
            assert!(said.0.iter().all(|one| one.line != Some(0) && !one.reason.is_empty() && !one.remedy.is_empty()));
        }
    }
}

#[test]
fn the_area_of_a_core_counts_every_instance_and_names_what_is_unknown() {
    let text = find_preset(hardware_presets(), "tpu-like").unwrap().text;
    assert_eq!(Core::from_text(text).unwrap().area().known_um2(), None);
    // 32 x 32 registers of weights, 32 of outputs, one SRAM; the size of DRAM is not stated.
    let stated = text
        .replace("    size: 128 B\n", "    size: 128 B\n    area: 100.5 um2\n")
        .replace("    size: 2 B\n", "    size: 2 B\n    area: 10 µm²\n")
        .replace("    size: 2 MiB\n", "    size: 2 MiB\n    area: 0.5 mm2\n")
        .replace("  mac_energy: 0.04 pJ\n", "  mac_energy: 0.04 pJ\n  pe_area: 2 um2\n");
    let area = Core::from_text(&stated).unwrap().area();
    assert_eq!(area.memories_um2, Some(1024.0 * 100.5 + 32.0 * 10.0 + 500_000.0));
    assert_eq!(area.pes_um2, Some(2048.0));
    assert_eq!(area.unknown, ["dram"]);
    let (spec, wrong) = read_hardware(&stated).both();
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(read_hardware(&write_hardware(&spec)).both().0, spec);
}
