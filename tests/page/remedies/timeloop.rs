//! Files of Timeloop: what is refused, and what its remedy makes of it.

use super::imports::{Files, changed, exchanged};
use super::{Case, Grown, Room};
use crate::timeloop_files::{ARCHITECTURE, ENERGIES, MAPPING, PROBLEM};

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
    ],
    tables: &[],
    grown,
};

/// Of an architecture, a problem and a mapping.
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
    (
        "depth: 8 * 16",
        "depth: lines",
        "Write the number, or import `parsed-processed-input.yaml`",
        "depth: 8 * 16",
    ),
    ("meshX: 4", "meshX: 4.5", "Write for example `64`", "meshX: 64"),
    (
        "\nproblem:",
        "\n{{include('x')}}\nproblem:",
        "Import `parsed-processed-input.yaml` instead",
        "\nproblem:",
    ),
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

/// Of a problem alone.
const PROBLEM_CASES: &[Case] = &[
    ("  shape:\n    name: product", "  form:\n    name: product", "State its dimensions and data spaces", "  shape:\n    name: product"),
    ("{ K: 8, C: 4, P: 6 }", "{ K: 8, C: 4 }", "Write for example `P: 16` in `instance`", "{ K: 8, C: 4, P: 16 }"),
    ("[[[C]], [[P]]]", "[[[C]], [[P, step]]]", "State it under `coefficients`", "[[[C]], [[P]]]"),
    (
        "[[[C]], [[P]]]",
        "[[[C]], [[P, K]]]",
        "Write for example `[P, Wstride]`, with names out of `dimensions` and `coefficients`",
        "[[[C]], [[P]]]",
    ),
    ("    - { name: Weights, projection: [[[K]], [[C]]] }\n", "", PRODUCTS, "    - { name: Weights, projection: [[[K]], [[C]]] }\n"),
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

/// An architecture as the front end writes it out.
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

/// Files that do not belong together or hold another problem, a part of the remedy, and files as that has them.
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
        &[("net.yaml", problem!("K, A, B, C, D, E", "[[[K]], [[A]], [[B]], [[C]], [[D]]]", "[[[A]], [[B]], [[C]], [[D]], [[E]]]", "[[[K]], [[E]]]"))],
        "windows of one dimension that is summed up",
        &[("net.yaml", problem!("K, A, B, C, E", "[[[K]], [[A]], [[B]], [[C]]]", "[[[A]], [[B]], [[C]], [[E]]]", "[[[K]], [[E]]]"))],
    ),
    (
        &[("net.yaml", problem!("K, C, A, D, E, F", "[[[K]], [[C]]]", "[[[C]], [[A]], [[D]], [[E]], [[F]]]", "[[[K]], [[A]], [[D]], [[E]], [[F]]]"))],
        PRODUCTS,
        &[("net.yaml", problem!("K, C, D, E", "[[[K]], [[C]]]", "[[[C]], [[D]], [[E]]]", "[[[K]], [[D]], [[E]]]"))],
    ),
    (
        &[("net.yaml", problem!("K, H, C, E", "[[[K]], [[H]], [[C]]]", "[[[C]], [[E]]]", "[[[K]], [[H]], [[E]]]"))],
        "at most one dimension each for groups, for output channels and for input channels",
        &[("net.yaml", problem!("K, C, E", "[[[K]], [[C]]]", "[[[C]], [[E]]]", "[[[K]], [[E]]]"))],
    ),
    (
        &[("net.yaml", problem!("K, C, E, F, H", "[[[K]], [[C]], [[F]], [[H]]]", "[[[C]], [[E], [F]], [[E], [H]]]", "[[[K]], [[E]]]"))],
        PRODUCTS,
        &[("net.yaml", problem!("K, C, D, E, F, H", "[[[K]], [[C]], [[F]], [[H]]]", "[[[C]], [[E], [F]], [[D], [H]]]", "[[[K]], [[D]], [[E]]]"))],
    ),
    (
        &[("net.yaml", "problem:\n  instance: { K: 8 }\n")],
        "State its dimensions and data spaces",
        &[("net.yaml", PROBLEM)],
    ),
];

fn grown() -> Vec<Grown> {
    let run = [("hw.yaml", ARCHITECTURE), ("net.yaml", PROBLEM), ("map.yaml", MAPPING)];
    [changed(&run, RUN_CASES), changed(&[("net.yaml", PROBLEM)], PROBLEM_CASES), exchanged(&OTHERS)].concat()
}
