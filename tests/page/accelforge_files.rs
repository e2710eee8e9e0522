//! AccelForge's files: documents made from them, with transfers and costs as counted by AccelForge itself.

use crate::properties;
use crate::timeloop_files::{import_texts, imports, moved, request};
use fusescape::explore::{DesignLayer, MappedLayer, user_mappings};
use fusescape::hardware::{Core, Movement};
use fusescape::import::{Imported, Severity};
use fusescape::spec::{read_hardware, read_workload};
use fusescape::workload::{LayerKind, Network};

/// Eight multipliers with registers for weights, a buffer for the other operands, and an outer memory.
pub const ARCHITECTURE: &str = "
variables: { clock: 1e9 }
arch:
  nodes:
  - !Memory
    name: Outside
    size: inf
    leak_power: 0
    area: 0
    tensors: { keep: ~Intermediates, may_keep: All }
    actions:
    - { name: read, energy: 4e-12, throughput: 64 * clock }
    - { name: write, energy: 5e-12, throughput: 64 * clock }
  - !Memory
    name: Buffer
    size: 4 * 1024 * 8
    leak_power: 0
    area: 2e-9
    tensors: { keep: input | output }
    total_latency: max(a.n_calls / a.throughput for a in actions)
    actions:
    - { name: read, energy: 6.4e-12, throughput: 2 * clock, bits_per_action: 32 }
    - { name: write, energy: 8e-12, throughput: clock, bits_per_action: 32 }
  - !Container
    name: Grid
    spatial:
    - { name: rows, fanout: 4, reuse: output }
    - { name: columns, fanout: 2, reuse: input }
  - !Memory
    name: Register
    size: 2 * weight.bits_per_value if weight else 0
    leak_power: 0
    area: 0
    tensors: { keep: weight }
    actions:
    - { name: read, energy: 0.01e-12, throughput: inf }
    - { name: write, energy: 0.02e-12, throughput: inf }
  - !Compute
    name: Multiplier
    leak_power: 0
    area: 1e-10
    actions:
    - { name: compute, energy: 0.5e-12, throughput: clock }
";

/// Two matrix products, one after another, in the short and in the long notation.
pub const WORKLOAD: &str = "
workload:
  rank_sizes: { M: 6, A: 8, B: 4, C: 10 }
  bits_per_value: { All: 8 }
  einsums:
  - einsum: 'First[m, b] = In[m, a] * WA[a, b]'
    renames: { input: In, weight: WA, output: First }
  - name: Second
    tensor_accesses:
    - { name: First, projection: [m, b] }
    - { name: WB, projection: { B: b, C: c } }
    - { name: Second, projection: [m, c], output: True, bits_per_value: 16 }
    renames: { input: First, weight: WB, output: Second }
";

pub const MAPPING: &str = "
mapping:
  nodes:
  - !Storage { component: Outside, tensors: [In, WA, First, WB, Second] }
  - !Sequential
    nodes:
    - !Nested
      nodes:
      - !Temporal { rank_variable: m, tile_shape: 3 }
      - !Storage { component: Buffer, tensors: [In, First] }
      - !Temporal { rank_variable: b, tile_shape: 2 }
      - !Spatial { rank_variable: a, tile_shape: 2, name: rows, component: Grid }
      - !Spatial { rank_variable: b, tile_shape: 1, name: columns, component: Grid }
      - !Storage { component: Register, tensors: [WA] }
      - !Temporal { rank_variable: m, tile_shape: 1 }
      - !Temporal { rank_variable: a, tile_shape: 1 }
      - !Compute { einsum: First, component: Multiplier }
    - !Nested
      nodes:
      - !Storage { component: Buffer, tensors: [First] }
      - !Temporal { rank_variable: c, tile_shape: 2 }
      - !Storage { component: Buffer, tensors: [Second] }
      - !Spatial { rank_variable: b, tile_shape: 1, name: rows, component: Grid }
      - !Spatial { rank_variable: c, tile_shape: 1, name: columns, component: Grid }
      - !Storage { component: Register, tensors: [WB] }
      - !Temporal { rank_variable: m, tile_shape: 1 }
      - !Compute { einsum: Second, component: Multiplier }
";

fn priced(imported: &Imported) -> Vec<(DesignLayer, MappedLayer)> {
    let core = Core::from_text(imported.hardware.as_ref().unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let network = Network::from_text(imported.workload.as_ref().unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let text = imported.mapping.as_ref().unwrap();
    user_mappings(text, &core, &network, &request()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

#[test]
fn a_mapping_moves_and_costs_what_accelforge_counts() {
    let priced = priced(&imports(&[ARCHITECTURE, WORKLOAD, MAPPING]));
    // Actions counted by AccelForge 1.0.467 for these files, in bits: by Einsum, memory and operand the reads and the
    // writes.
    let cases = [
        (0, "Buffer", "I", 24 * 32, 12 * 32),
        (0, "Buffer", "O", 12 * 32, 12 * 32),
        (0, "Outside", "I", 384, 0),
        (0, "Outside", "O", 0, 192),
        (0, "Outside", "W", 512, 0),
        (0, "Register", "W", 1536, 512),
        (1, "Buffer", "I", 30 * 32, 6 * 32),
        (1, "Buffer", "O", 30 * 32, 30 * 32),
        (1, "Outside", "I", 192, 0),
        (1, "Outside", "O", 0, 960),
        (1, "Outside", "W", 320, 0),
        (1, "Register", "W", 1920, 320),
    ];
    for (layer, memory, operand, read, written) in cases {
        let (design_layer, mapped) = &priced[layer];
        let bits = if (layer, operand) == (1, "O") { 16.0 } else { 8.0 };
        let count = |movement| moved(design_layer, mapped, memory, operand, movement) * bits;
        let found = [
            count(Movement::ReadToLow) + count(Movement::ReadToHigh),
            count(Movement::WriteFromHigh) + count(Movement::WriteFromLow),
        ];
        assert_eq!(found, [read, written].map(f64::from), "{layer} {memory} {operand}");
    }
    // Its energies, for the buffer, the multipliers, the outer memory and the registers, pJ.
    let energies = [[422.4, 96.0, 4544.0, 25.6], [672.0, 120.0, 6848.0, 25.6]];
    for ((_, mapped), parts) in priced.iter().zip(energies) {
        let sum: f64 = parts.iter().sum();
        assert!((mapped.energy_pj() / sum - 1.0).abs() < 1e-9, "{} {sum}", mapped.energy_pj());
    }
}

#[test]
fn documents_say_what_the_files_say() {
    let imported = imports(&[ARCHITECTURE, WORKLOAD]);
    assert!(imported.mapping.is_none());
    let (hardware, wrong) = read_hardware(imported.hardware.as_ref().unwrap()).both();
    assert!(wrong.is_empty());
    assert_eq!(hardware.array.dimensions, [("rows".to_owned(), 4), ("columns".to_owned(), 2)]);
    let told: Vec<(&str, String, usize, u64)> = hardware
        .memories
        .iter()
        .map(|memory| (&*memory.name, memory.operands.concat(), memory.shared_over.len(), memory.size_bits))
        .collect();
    let expected = [("Register", "W", 0, 16), ("Buffer", "IO", 2, 4 << 13), ("Outside", "WIO", 2, 1 << 43)]
        .map(|(name, operands, shared, size)| (name, operands.to_owned(), shared, size));
    assert_eq!(told, expected);
    // A cycle is the time of one computation: 1 ns, in which the buffer reads two words and writes one.
    let buffer = &hardware.memories[1];
    assert_eq!((buffer.read_width_bits, buffer.write_width_bits, buffer.ports.len()), (64, 32, 0));
    assert_eq!((buffer.area_um2, hardware.array.mac_energy_pj), (Some(2000.0), 0.5));
    assert_eq!(hardware.memories[2].ports.len(), 1, "reads and writes wait for each other");
    let unrolled: Vec<&str> = hardware.unroll[0].1.iter().map(|one| one.loop_dimension.as_str()).collect();
    assert_eq!(unrolled, ["C", "K"]);
    let report = &imported.reports[0];
    assert_eq!(report.result, "8 PEs, 3 memories, 2 layers, 0.432 kMAC");
    let said = |severity: Severity, what: &str| report.of(severity).any(|finding| finding.what == what);
    assert!(said(Severity::Assumed, "cycle") && said(Severity::Assumed, "unroll"), "{report:?}");
    let (workload, _) = read_workload(imported.workload.as_ref().unwrap()).both();
    let names: Vec<&str> = workload.layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["In", "First", "Second"]);
}

#[test]
fn one_file_and_what_accelforge_writes_out_are_the_same_as_parts() {
    let parts = imports(&[ARCHITECTURE, WORKLOAD, MAPPING]);
    let whole = imports(&[&[ARCHITECTURE, WORKLOAD, MAPPING].concat()]);
    assert_eq!((&whole.workload, &whole.mapping), (&parts.workload, &parts.mapping));
    // Without tags and without a top-level field.
    let written_out = "
nodes:
- { tensors: [In, WA, First, WB, Second], component: Outside, component_object: null, persistent: false }
- nodes:
  - nodes:
    - { rank_variable: m, tile_shape: 3, initial_tile_shape: null }
    - { tensors: [In, First], component: Buffer }
    - { rank_variable: b, tile_shape: 2 }
    - { rank_variable: a, tile_shape: 2, name: rows, component: Grid }
    - { rank_variable: b, tile_shape: 1, name: columns, component: Grid }
    - { tensors: [WA], component: Register }
    - { rank_variable: m, tile_shape: 1 }
    - { rank_variable: a, tile_shape: 1 }
    - { einsum: First, component: Multiplier, component_object: null }
";
    let imported = imports(&[ARCHITECTURE, WORKLOAD, written_out]);
    let (one, other) = (priced(&imported), priced(&parts));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].1, other[0].1);
}

#[test]
fn convolutions_attention_and_softmax_become_layers() {
    let workload = "
workload:
  iteration_space_shape: { p: 0 <= p < 7, q: 0 <= q <= 8 }
  rank_sizes: { N: 2 }
  einsums:
  - einsum: 'Out[n, p, q, m] = Image[n, H: 2*p + r, W: q + 2 * s, c] * Filter[r, s, c, m]'
    iteration_space_shape: [0 <= r < 3, 0 <= s < 5, 0 <= c < 3, 0 <= m < 16]
";
    let network = Network::from_text(imports(&[workload]).workload.as_ref().unwrap()).unwrap();
    let shape = network.layer(network.computing().next().unwrap()).shape;
    assert_eq!((shape.stride, shape.dilation, network.macs()), ((2, 1), (1, 2), 2 * 7 * 9 * 3 * 5 * 3 * 16));

    let attention = "
workload:
  rank_sizes: { B: 1, M: 8, P: 8, H: 2, E: 4, F: 4, D: 8, G: 8 }
  einsums:
  - { einsum: 'I[b, m, d] = Source[b, m, d]', is_copy_operation: True }
  - 'V[b, m, h, e] = I[b, m, d] * WV[h, e, d]'
  - 'K[b, m, h, e] = I[b, m, d] * WK[h, e, d]'
  - 'Q[b, m, h, e] = I[b, m, d] * WQ[h, e, d]'
  - einsum: 'QK[b, m, p, h] = Q[b, m, h, e] * K[b, M: p, h, e]'
    renames: { input: Q }
  - 'SM[b, m, p, h] = QK[b, m, p, h]'
  - einsum: 'AV[b, m, h, f] = SM[b, m, p, h] * V[b, M: p, h, E: f]'
    renames: [{ name: input, source: SM }]
  - 'Z[b, m, g] = AV[b, m, h, f] * WZ[h, f, g]'
  - 'Gate[b, m, g] = Z[b, m, g] * I2[b, m, g]'
";
    let short = attention.replace("  - 'Gate[b, m, g] = Z[b, m, g] * I2[b, m, g]'\n", "");
    let imported = imports(&[&short]);
    let network = Network::from_text(imported.workload.as_ref().unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let kinds: Vec<LayerKind> = network.computing().map(|id| network.layer(id).shape.kind).collect();
    use LayerKind::{Conv, Elementwise, MatMul};
    assert_eq!(kinds, [Conv, Conv, Conv, MatMul, Elementwise, MatMul, Conv]);
    assert_eq!(network.macs(), 4 * 8 * 8 * 8 + 2 * 8 * 8 * 8);
    // Copies cost nothing: all three layers read the original.
    let (workload, _) = read_workload(imported.workload.as_ref().unwrap()).both();
    assert_eq!(workload.layers.iter().filter(|layer| layer.from == ["Source"]).count(), 3);
}

#[test]
fn windows_beyond_a_tensor_read_zeros_and_other_arrangements_are_views() {
    let workload = "
workload:
  rank_sizes: { P: 6, Q: 6, C: 4, T: 8, U: 4 }
  einsums:
  - 'T0[p, q, t] = In[p, q, c] * W0[c, t]'
  - einsum: 'T1[i, j, t] = T0[P: i + r, Q: j + s, t] * W1[r, s, t]'
    iteration_space_shape: [0 <= i < 6, 0 <= j < 6, 0 <= r < 3, 0 <= s < 3]
  - einsum: 'T2[t, u] = T1[i, j, t] * W2[i, j, u]'
    iteration_space_shape: [0 <= i < 6, 0 <= j < 6]
";
    let imported = imports(&[workload]);
    let (spec, _) = read_workload(imported.workload.as_ref().unwrap()).both();
    let kinds: Vec<&str> = spec.layers.iter().map(|layer| layer.kind.as_str()).collect();
    assert_eq!(kinds, ["input", "conv", "conv", "view", "conv"]);
    assert_eq!(spec.layers[2].groups, Some(8));
    let network = Network::from_text(imported.workload.as_ref().unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(network.macs(), 36 * 4 * 8 + 36 * 8 * 9 + 36 * 8 * 4);
    let report = &imported.reports[0];
    assert!(report.of(Severity::Expressed).any(|finding| finding.what == "padding"), "{report:?}");
}

#[test]
fn fused_mappings_are_left_out_with_a_reason() {
    let fused = "
mapping:
  nodes:
  - !Storage { component: Outside, tensors: [In, WA, WB, Second] }
  - !Temporal { rank_variable: m, tile_shape: 1 }
  - !Storage { component: Buffer, tensors: [First] }
  - !Sequential
    nodes:
    - !Nested
      nodes: [!Temporal { rank_variable: a, tile_shape: 1 }, !Temporal { rank_variable: b, tile_shape: 1 }, !Compute { einsum: First }]
    - !Nested
      nodes: [!Temporal { rank_variable: b, tile_shape: 1 }, !Temporal { rank_variable: c, tile_shape: 1 }, !Compute { einsum: Second }]
";
    let kept = fused.replace("  - !Temporal { rank_variable: m, tile_shape: 1 }\n", "");
    for (text, reason) in [(fused, "shares loops with other Einsums"), (&kept, "`First` stays in `Buffer`")] {
        let imported = imports(&[ARCHITECTURE, WORKLOAD, text]);
        assert!(imported.hardware.is_some() && imported.workload.is_some() && imported.mapping.is_none());
        let report = &imported.reports[0];
        let said =
            report.of(Severity::NotCounted).any(|finding| finding.what == "mapping" && finding.reason.contains(reason));
        assert!(said, "{report:?}");
    }
}

#[test]
fn units_of_their_own_branches_and_models_of_components_are_reported() {
    let joules = ARCHITECTURE.replace("e-12", "");
    let imported = imports(&[&joules]);
    let (hardware, _) = read_hardware(imported.hardware.as_ref().unwrap()).both();
    assert_eq!((hardware.array.mac_energy_pj, hardware.memories[1].read_energy_pj), (0.5, 12.8));
    let branched = ARCHITECTURE
        .replace(
            "  - !Container\n    name: Grid",
            "  - !Toll\n    name: Quantize\n    direction: up\n  - !Fork\n    \
            nodes: [!Compute { name: Scalar }]\n  - !Container\n    name: Grid",
        )
        .replace("energy: 0.5e-12, ", "")
        .replace("    name: Multiplier\n", "    name: Multiplier\n    component_class: IntMAC\n");
    let report = &imports(&[&branched]).reports[0];
    let said = |what: &str, part: &str| {
        report.of(Severity::NotCounted).any(|finding| finding.what == what && finding.reason.contains(part))
    };
    assert!(said("Toll", "costs nothing") && said("Fork", "main path") && said("energy", "`IntMAC`"), "{report:?}");
}

#[test]
fn what_cannot_be_taken_is_refused_with_a_remedy_that_works() {
    let of = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    // An error, its text, and the file after following the remedy.
    let cases: [(Vec<String>, &str, &str, Vec<String>); 16] = [
        (
            vec![MAPPING.into()],
            "how a workload is computed on an architecture",
            "together with both",
            vec![ARCHITECTURE.into(), WORKLOAD.into(), MAPPING.into()],
        ),
        (
            vec![WORKLOAD.into(), WORKLOAD.into()],
            "More than one of the files is a workload of AccelForge",
            "one after the other",
            vec![WORKLOAD.into()],
        ),
        (
            vec![of(WORKLOAD, "M: 6", "M: {{TOKENS}}")],
            "Line 3 is a template",
            "Write the values",
            vec![WORKLOAD.into()],
        ),
        (
            vec![of(ARCHITECTURE, "4 * 1024 * 8", "min(4, 8)")],
            "`min(4, 8)` cannot be worked out",
            "64 * 1024 * 8",
            vec![of(ARCHITECTURE, "4 * 1024 * 8", "64 * 1024 * 8")],
        ),
        (
            vec![of(ARCHITECTURE, "64 * clock", "64 * speed")],
            "`64 * speed` is no number",
            "under `variables`",
            vec![of(&of(ARCHITECTURE, "64 * clock", "64 * speed"), "clock: 1e9", "clock: 1e9, speed: (1e9 + 1e9) / 2")],
        ),
        (
            vec![of(ARCHITECTURE, "fanout: 4", "fanout: 2.5")],
            "2.5 is no whole number",
            "`64`",
            vec![of(ARCHITECTURE, "fanout: 4", "fanout: 64")],
        ),
        (
            vec![of(ARCHITECTURE, "!Compute", "!Container")],
            "nothing that computes",
            "`!Compute`",
            vec![ARCHITECTURE.into()],
        ),
        (
            vec![of(ARCHITECTURE, "!Container", "!Array")],
            "side by side",
            "one after the other",
            vec![ARCHITECTURE.into()],
        ),
        (
            vec![of(WORKLOAD, "M: 6, ", "")],
            "Nothing says how large `m` is in `First`",
            "`0 <= m < 16`",
            vec![of(
                &of(WORKLOAD, "M: 6, ", ""),
                "  einsums:",
                "  iteration_space_shape: { m: 0 <= m < 16 }\n  einsums:",
            )],
        ),
        (
            vec![of(WORKLOAD, "In[m, a] * WA[a, b]", "In[m, a] - WA[a, b]")],
            "is no Einsum",
            "C[m, n]",
            vec![WORKLOAD.into()],
        ),
        (
            vec![of(WORKLOAD, "In[m, a] * WA[a, b]", "In[m, a] * WA[a, b] * X[b]")],
            "it reads 3 tensors",
            "several",
            vec![of(WORKLOAD, "  - name: Second", "  - einsum: 'Scaled[m, b] = First[m, b] * X[b]'\n  - name: Second")],
        ),
        (
            vec![of(WORKLOAD, "In[m, a]", "In[A: m + a + b]")],
            "a window over m and a and b",
            "convolutions",
            vec![of(WORKLOAD, "In[m, a]", "In[A: m + a]")],
        ),
        (
            vec![ARCHITECTURE.into(), WORKLOAD.into(), of(MAPPING, "tile_shape: 3", "tile_shape: 4")],
            "Tiles of 4 leave a rest of 6 iterations of `m`",
            "divides 6",
            vec![ARCHITECTURE.into(), WORKLOAD.into(), of(MAPPING, "tile_shape: 3", "tile_shape: 2")],
        ),
        (
            vec![ARCHITECTURE.into(), WORKLOAD.into(), of(MAPPING, "a, tile_shape: 1", "a, tile_shape: 2")],
            "No loop of `First` runs over 2 iterations of `a`",
            "`tile_shape: 1`",
            vec![ARCHITECTURE.into(), WORKLOAD.into(), MAPPING.into()],
        ),
        (
            vec![ARCHITECTURE.into(), WORKLOAD.into(), of(MAPPING, "component: Register", "component: Cache")],
            "no memory `Cache`",
            "Outside, Buffer, Register",
            vec![ARCHITECTURE.into(), WORKLOAD.into(), MAPPING.into()],
        ),
        (
            vec![
                ARCHITECTURE.into(),
                WORKLOAD.into(),
                of(MAPPING, "a, tile_shape: 2, name: rows", "a, tile_shape: 1, name: rows"),
            ],
            "unrolls 8 along `rows`, where 4 are",
            "larger `tile_shape`",
            vec![ARCHITECTURE.into(), WORKLOAD.into(), MAPPING.into()],
        ),
    ];
    for (files, reason, remedy, followed) in cases {
        let texts: Vec<&str> = files.iter().map(String::as_str).collect();
        let wrong = import_texts(&texts).err().unwrap_or_else(|| panic!("{reason}: imported"));
        let found = wrong.0.iter().any(|wrong| wrong.reason.contains(reason) && wrong.remedy.contains(remedy));
        assert!(found, "{reason}: {wrong}");
        imports(&followed.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let broken = WORKLOAD
        .replace("M: 6, ", "")
        .replace("All: 8", "All: many")
        .replace("projection: [m, c]", "projection: [m, 4]");
    let wrong = import_texts(&[&broken]).err().unwrap();
    assert!(wrong.0.len() >= 3, "{wrong}");
    assert!(wrong.0.iter().all(|one| one.line.is_some()), "{wrong}");
}

#[test]
fn cut_and_changed_files_never_panic() {
    let whole = [ARCHITECTURE, WORKLOAD, MAPPING].concat();
    for end in (0..whole.len()).step_by(37) {
        properties::accelforge::holds(&whole.as_bytes()[..end]);
    }
    let changes = [
        ("4", "0"),
        ("8", "1125899906842624"),
        ("!", "?"),
        ("[", "]"),
        ("1", "1e400"),
        ("m", "a"),
        ("*", "**"),
        ("(", "(((("),
    ];
    for (from, to) in changes {
        properties::accelforge::holds(whole.replace(from, to).as_bytes());
    }
    let deep = format!("64 * {}clock{}", "(".repeat(150), ")".repeat(150));
    properties::accelforge::holds(whole.replace("64 * clock", &deep).as_bytes());
    let signs = whole.replace("64 * clock", &"-".repeat(390)).replace("~Intermediates", &"~".repeat(5000));
    properties::accelforge::holds(signs.as_bytes());
}
