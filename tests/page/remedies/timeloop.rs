//! Files of Timeloop: refusals, and the effect of following their remedies.

use super::imports::{Files, MARK, changed, exchanged, joined};
use super::{Case, Grown, Room};
use crate::timeloop_files::{
    ARCHITECTURE, BY_HAND, ENERGIES, HARDWARE, MAPPING, PROBLEM, WORKLOAD as CONVOLVED, request,
};
use fusescape::explore::{DesignLayer, LayerRequest, user_mappings};
use fusescape::hardware::Core;
use fusescape::import::timeloop;
use fusescape::spec::Diagnostics;
use fusescape::workload::Network;

pub const ROOM: Room = Room {
    sources: &["src/import/timeloop", "src/import/places.rs"],
    no_remedies: &[
        "Imported from the Timeloop problem `{}`.",
        "Imported from the Timeloop architecture `{}`.",
        "Imported from a Timeloop mapping.",
        "Timeloop architecture",
        "Timeloop problem",
        "Timeloop mapping",
        // Notes of a report.
        "Timeloop has no time in which an array fills and drains",
        "Timeloop reads it as a part of the input",
        "ERT:\n  version: '0.4'\n  tables:\n",
    ],
    tables: &[],
    grown,
};

/// For an architecture, a problem and a mapping.
const RUN_CASES: &[Case] = &[
    (
        "version: 0.4\n  nodes:",
        "version: 0.4\n  parts:",
        "List its containers and components under `nodes`",
        "version: 0.4\n  nodes:",
    ),
    (
        "width: 32, datawidth: 8, type: sram",
        "width: 32, datawidth: 12, type: sram",
        "Make the width a multiple of datawidth",
        "width: 36, datawidth: 12, type: sram",
    ),
    ("depth: 8 * 16", "depth: lines", "Write the number, or import `parsed-processed-input.yaml`", "depth: 8 * 16"),
    ("meshX: 4", "meshX: 4.5", "Write for example `64`", "meshX: 64"),
    ("\nproblem:", "\n{{include('x')}}\nproblem:", "Import `parsed-processed-input.yaml` instead", "\nproblem:"),
    ("{ target: outside, type", "{ type", "Name the level or the mesh", "{ target: outside, type"),
    (
        "target: registers, type: temporal",
        "target: registers, type: dynamic",
        "Use temporal, spatial and dataspace",
        "target: registers, type: temporal",
    ),
    (
        "'C=4,P=3'",
        "'C=4,P=3,2'",
        "Write for example `P=16`; factors with a remainder and bounds such as `P<=4` are not taken",
        "'C=4,P=3'",
    ),
    ("'C=4,P=3'", "'C=2,P=3'", "Let them multiply to 4", "'C=4,P=3'"),
    ("keep: [Weights,", "keep: [Wights,", "The data spaces are Weights, Inputs, Outputs", "keep: [Weights,"),
    ("permutation: PCK", "permutation: PCX", "Its dimensions are K, C, P", "permutation: PCK"),
    (
        "target: buffer, type: temporal",
        "target: cache, type: temporal",
        "Its memories and meshes are outside, buffer, lane, registers",
        "target: buffer, type: temporal",
    ),
    ("split: 3", "split: 0", "or let `split` send some of them the other way", "split: 3"),
];

/// For a problem alone.
const PROBLEM_CASES: &[Case] = &[
    (
        "  shape:\n    name: product",
        "  form:\n    name: product",
        "State its dimensions and data spaces",
        "  shape:\n    name: product",
    ),
    ("{ K: 8, C: 4, P: 6 }", "{ K: 8, C: 4 }", "Write for example `P: 16` in `instance`", "{ K: 8, C: 4, P: 16 }"),
    ("[[[C]], [[P]]]", "[[[C]], [[P, step]]]", "State it under `coefficients`", "[[[C]], [[P]]]"),
    (
        "[[[C]], [[P]]]",
        "[[[C]], [[P, K]]]",
        "Write for example `[P, Wstride]`, with names out of `dimensions` and `coefficients`",
        "[[[C]], [[P]]]",
    ),
    (
        "    - { name: Weights, projection: [[[K]], [[C]]] }\n",
        "",
        PRODUCTS,
        "    - { name: Weights, projection: [[[K]], [[C]]] }\n",
    ),
    ("[[[K]], [[C]]] }", "[[[K], [P]], [[C]]] }", "Import convolutions", "[[[K]], [[C]]] }"),
    ("[[[C]], [[P]]]", "[[[C], [P], [K]]]", "windows of one dimension that is summed up", "[[[C], [P]]]"),
    // An index that no other data space has.
    (
        "dimensions: [K, C, P]\n    data_spaces:\n    - { name: Weights, projection: [[[K]], [[C]]] }",
        "dimensions: [K, C, P]\n    data_spaces:\n    - { name: Weights, projection: [[[C]]] }",
        PRODUCTS,
        "dimensions: [K, C, P]\n    data_spaces:\n    - { name: Weights, projection: [[[K]], [[C]]] }",
    ),
];

const PRODUCTS: &str = "Import convolutions and products of matrices: two inputs, one output";

/// A problem of these dimensions, each of four iterations.
macro_rules! problem {
    ($dimensions:literal, $weights:literal, $inputs:literal, $outputs:literal) => {
        concat!(
            "problem:\n  shape:\n    name: any\n    dimensions: [",
            $dimensions,
            "]\n    data_spaces:\n    - { name: Weights, projection: ",
            $weights,
            " }\n    - { name: Inputs, projection: ",
            $inputs,
            " }\n    - { name: Outputs, projection: ",
            $outputs,
            ", read_write: true }\n  instance: { A: 4, B: 4, C: 4, D: 4, E: 4, F: 4, H: 4, K: 4 }\n"
        )
    };
}

/// An architecture as written by the front end.
macro_rules! subtree {
    ($registers:literal) => {
        concat!(
            "architecture:\n  subtree:\n  - name: chip\n    local:\n",
            "    - { name: 'outside[1..1]', class: DRAM, attributes: { width: 64, datawidth: 8 } }\n",
            "    - { name: 'buffer[1..4]', class: SRAM, attributes: { depth: 128, width: 32, datawidth: 8, meshX: 4 } }\n",
            "    - { name: '",
            $registers,
            "', class: regfile, attributes: { depth: 1, width: 8, datawidth: 8, meshX: 8 } }\n",
            "    - { name: 'multiplier[1..16]', class: intmac, attributes: { meshX: 8 } }\n"
        )
    };
}

const CONVOLUTION: &str = problem!("K, C, E, F", "[[[K]], [[C]], [[F]]]", "[[[C]], [[E], [F]]]", "[[[K]], [[E]]]");

/// Files that do not belong together or hold another problem, a part of the remedy, and the corrected files.
const OTHERS: [(Files, &str, Files); 12] = [
    (
        &[("map.yaml", MAPPING)],
        "Import it together with both",
        &[("map.yaml", MAPPING), ("hw.yaml", ARCHITECTURE), ("net.yaml", PROBLEM)],
    ),
    (
        &[("ert.yaml", ENERGIES)],
        "Import it together with its architecture",
        &[("ert.yaml", ENERGIES), ("hw.yaml", ARCHITECTURE)],
    ),
    (
        &[("a.yaml", ARCHITECTURE), ("b.yaml", ARCHITECTURE)],
        "Import them one after the other",
        &[("a.yaml", ARCHITECTURE)],
    ),
    (
        &[("hw.yaml", subtree!("registers[1..15]"))],
        "State a number of instances that those outside divide, along X and along Y",
        &[("hw.yaml", subtree!("registers[1..16]"))],
    ),
    (
        &[("net.yaml", "problem:\n  shape: gemm\n  instance: { K: 8, C: 4, P: 6 }\n")],
        "Write the shape out: `dimensions` and `data_spaces`",
        &[("net.yaml", PROBLEM)],
    ),
    (
        &[("net.yaml", problem!("K, C, E, F", "[[[K], [F]], [[C]]]", "[[[C]], [[E], [F]]]", "[[[K]], [[E]]]"))],
        PRODUCTS,
        &[("net.yaml", CONVOLUTION)],
    ),
    (
        &[("net.yaml", problem!("K, C, E, F", "[[[K]], [[C]], [[F]]]", "[[[C]], [[E], [F]]]", "[[[K], [E]]]"))],
        PRODUCTS,
        &[("net.yaml", CONVOLUTION)],
    ),
    (
        &[(
            "net.yaml",
            problem!(
                "K, A, B, C, D, E",
                "[[[K]], [[A]], [[B]], [[C]], [[D]]]",
                "[[[A]], [[B]], [[C]], [[D]], [[E]]]",
                "[[[K]], [[E]]]"
            ),
        )],
        "windows of one dimension that is summed up",
        &[(
            "net.yaml",
            problem!("K, A, B, C, E", "[[[K]], [[A]], [[B]], [[C]]]", "[[[A]], [[B]], [[C]], [[E]]]", "[[[K]], [[E]]]"),
        )],
    ),
    (
        &[(
            "net.yaml",
            problem!(
                "K, C, A, D, E, F",
                "[[[K]], [[C]]]",
                "[[[C]], [[A]], [[D]], [[E]], [[F]]]",
                "[[[K]], [[A]], [[D]], [[E]], [[F]]]"
            ),
        )],
        PRODUCTS,
        &[("net.yaml", problem!("K, C, D, E", "[[[K]], [[C]]]", "[[[C]], [[D]], [[E]]]", "[[[K]], [[D]], [[E]]]"))],
    ),
    (
        &[("net.yaml", problem!("K, H, C, E", "[[[K]], [[H]], [[C]]]", "[[[C]], [[E]]]", "[[[K]], [[H]], [[E]]]"))],
        "at most one dimension each for groups, for output channels and for input channels",
        &[("net.yaml", problem!("K, C, E", "[[[K]], [[C]]]", "[[[C]], [[E]]]", "[[[K]], [[E]]]"))],
    ),
    (
        &[(
            "net.yaml",
            problem!(
                "K, C, E, F, H",
                "[[[K]], [[C]], [[F]], [[H]]]",
                "[[[C]], [[E], [F]], [[E], [H]]]",
                "[[[K]], [[E]]]"
            ),
        )],
        PRODUCTS,
        &[(
            "net.yaml",
            problem!(
                "K, C, D, E, F, H",
                "[[[K]], [[C]], [[F]], [[H]]]",
                "[[[C]], [[E], [F]], [[D], [H]]]",
                "[[[K]], [[D]], [[E]]]"
            ),
        )],
    ),
    (
        &[("net.yaml", "problem:\n  instance: { K: 8 }\n")],
        "State its dimensions and data spaces",
        &[("net.yaml", PROBLEM)],
    ),
];

/// Exports hardware, a layer and its mapping, each after a line with its name, as files of Timeloop; without a mapping
/// the best that it can express.
fn export(text: &str) -> Result<(), Diagnostics> {
    let parts: Vec<&str> = text.split(MARK).filter_map(|file| file.split_once('\n')).map(|(_, text)| text).collect();
    let (core, network) = (Core::from_text(parts[0])?, Network::from_text(parts[1])?);
    if let Some(mapping) = parts.get(2) {
        let (design_layer, mapped) = user_mappings(mapping, &core, &network, &request())?.remove(0);
        return timeloop::write(&design_layer, &mapped.mapping).map(drop);
    }
    let layer = network.layer(network.computing().last().unwrap()).name.clone();
    let design_layer = DesignLayer::of(core, &network, &LayerRequest { layer: Some(layer), ..request() })?;
    timeloop::write_best(design_layer, &network).map(drop)
}

/// Mappings that Timeloop cannot express, and ones that it can.
fn exports() -> Vec<Grown> {
    let of = |hardware: &str, network: &str, mapping: &str| {
        let mapping = ("map.yaml", mapping);
        let files = [("hw.yaml", hardware), ("net.yaml", network), mapping];
        joined(if mapping.1.is_empty() { &files[..2] } else { &files })
    };
    let shared = HARDWARE.replace("shared_over: []", "shared_over: [columns]").replace("size: 2 B", "size: 8 B");
    let even = shared
        .replace("shared_over: [lanes]", "shared_over: [columns, lanes]")
        .replace("name: psum_reg, size: 8 B", "name: psum_reg, size: 32 B");
    let uneven = BY_HAND.replace("loop: K 4", "loop: K 6").replace("columns: K 4", "columns: K 3");
    let pooled = CONVOLVED.replace("type: conv, K: 16, kernel", "type: pooling, kernel");
    // The register of weights, inside of that of sums, holds a loop over output channels that the other does not hold.
    let crossed = BY_HAND
        .replace("    loops:\n", "    loops:\n      - { loop: K 2, W: weight_reg, I: buffer, O: buffer }\n")
        .replace("O: psum_reg", "O: buffer")
        .replace("OX 2, W: weight_reg", "OX 2, W: dram")
        .replace("loop: K 4,", "loop: K 2,");
    let outermost =
        "      - { loop: K 4, W: dram, I: buffer, O: dram }\n      - { loop: OY 2, W: dram, I: dram, O: dram }\n";
    let apart = "      - { loop: K 2, W: dram, I: buffer, O: dram }\n      - { loop: OY 2, W: dram, I: dram, O: dram }\n      \
                 - { loop: K 2, W: dram, I: dram, O: dram }\n";
    assert!(BY_HAND.contains(outermost));
    let apart = BY_HAND.replace(outermost, apart);
    let cases = [
        (
            of(&shared, CONVOLVED, BY_HAND),
            "Let one of them be shared over all dimensions that the other is shared over",
            of(&even, CONVOLVED, BY_HAND),
        ),
        (
            of(HARDWARE, CONVOLVED, &uneven),
            "State an unrolling in the mapping whose sizes divide the loops",
            of(HARDWARE, CONVOLVED, BY_HAND),
        ),
        (of(HARDWARE, CONVOLVED, &crossed), "or leave `--mapping` out", of(HARDWARE, CONVOLVED, "")),
        (
            of(HARDWARE, CONVOLVED, &apart),
            "Let loops of one dimension in `dram` stand side by side in the mapping",
            of(HARDWARE, CONVOLVED, BY_HAND),
        ),
        (
            of(HARDWARE, &pooled, ""),
            "Choose a convolution, a fully connected layer or a product of matrices",
            of(HARDWARE, CONVOLVED, ""),
        ),
    ];
    cases.into_iter().map(|(wrong, remedy, followed)| -> Grown { (export, wrong, remedy, followed) }).collect()
}

fn grown() -> Vec<Grown> {
    let run = [("hw.yaml", ARCHITECTURE), ("net.yaml", PROBLEM), ("map.yaml", MAPPING)];
    [changed(&run, RUN_CASES), changed(&[("net.yaml", PROBLEM)], PROBLEM_CASES), exchanged(&OTHERS), exports()].concat()
}
