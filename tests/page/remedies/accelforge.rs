//! Files of AccelForge: refusals, and the effect of following their remedies.

use super::imports::{Files, changed, exchanged};
use super::{Case, Grown, Room};
use crate::accelforge_files::{ARCHITECTURE, MAPPING, WORKLOAD};

pub const ROOM: Room = Room {
    sources: &["src/import/accelforge"],
    no_remedies: &[
        "Imported from a mapping of AccelForge.",
        "Imported from a workload of AccelForge.",
        "Imported from an architecture of AccelForge.",
        // More steps than a document of its size can hold.
        "The mapping has too many loops and storages",
        "Import it in parts",
    ],
    tables: &[],
    grown,
};

const ARCHITECTURE_CASES: &[Case] = &[
    (
        "  nodes:\n  - !Memory\n    name: Outside",
        "  parts:\n  - !Memory\n    name: Outside",
        "List its memories, containers and what computes under `nodes`",
        "  nodes:\n  - !Memory\n    name: Outside",
    ),
    ("!Compute", "!Container", "End the list of nodes with a `!Compute`", "!Compute"),
    (
        "  - !Container\n",
        "  - !Array\n",
        "List them one after the other, each with the tensors that it keeps",
        "  - !Container\n",
    ),
    (
        "name: columns, fanout: 2,",
        "name: columns,",
        "Write for example `{ name: X, fanout: 4 }`",
        "name: columns, fanout: 4,",
    ),
    ("fanout: 4", "fanout: 2.5", "Write for example `64`", "fanout: 64"),
    ("    name: Buffer\n", "", "Write for example `name: GlobalBuffer`", "    name: GlobalBuffer\n"),
    ("4 * 1024 * 8", "min(4, 8)", "Write its bits, for example `64 * 1024 * 8`", "64 * 1024 * 8"),
    (
        "energy: 4e-12",
        "energy: cheap",
        "Write the number it comes to, or plain arithmetic",
        "energy: 2 * (1 + 1) * 1e-12",
    ),
];

const WORKLOAD_CASES: &[Case] = &[
    ("M: 6, A: 8", "M: {{TOKENS}}, A: 8", "Write the values in their places", "M: 6, A: 8"),
    (
        "  einsums:\n  - einsum: 'First[m, b] = In[m, a] * WA[a, b]'\n",
        "  einsums: # none\n  products:\n  - einsum: 'First[m, b] = In[m, a] * WA[a, b]'\n",
        "Write for example `C[m, n] = A[m, k] * B[k, n]`",
        "  einsums:\n  - einsum: 'First[m, b] = In[m, a] * WA[a, b]'\n",
    ),
    ("M: 6, ", "", "Write `0 <= m < 16` under `iteration_space_shape`, or its rank under `rank_sizes`", "M: 16, "),
    (
        "  einsums:\n",
        "  iteration_space_shape: [m < 128]\n  einsums:\n",
        "Write for example `0 <= m < 128`",
        "  iteration_space_shape: [0 <= m < 128]\n  einsums:\n",
    ),
    (
        "[m, c], output: True, ",
        "[m, c], ",
        "State `output: True` for the one tensor that it writes",
        "[m, c], output: True, ",
    ),
    (
        "projection: [m, c]",
        "projection: [m, 4]",
        "Write for example `C[m, n] = A[m, k] * B[k, n]`",
        "projection: [m, c]",
    ),
    ("In[m, a] * WA[a, b]", "In[m, a] - WA[a, b]", "with sums such as `P: 2*p + r` as indices", "In[m, a] * WA[a, b]"),
    ("In[m, a] * WA[a, b]", "In[m, a] * WA[a, b] * X[b]", "write others as several of these", "In[m, a] * WA[a, b]"),
    (
        "In[m, a] * WA[a, b]",
        "In[A: m + a + b] * WA[a, b]",
        "Import products of two tensors: convolutions",
        "In[A: m + a] * WA[a, b]",
    ),
];

const MAPPING_CASES: &[Case] = &[
    (
        "[In, WA, First, WB, Second] }\n  - !Sequential",
        "[In, WA, First, WB, Second] }\n  - !Parallel",
        "Use Storage, Temporal, Spatial, Sequential, Nested and Compute",
        "[In, WA, First, WB, Second] }\n  - !Sequential",
    ),
    (
        "!Compute { einsum: Second, component: Multiplier }",
        "!Compute { component: Multiplier }",
        "Write for example `einsum: Matmul`",
        "!Compute { einsum: Second, component: Multiplier }",
    ),
    (
        "rank_variable: b, tile_shape: 2",
        "rank_variable: b",
        "Write for example `{ rank_variable: m, tile_shape: 1 }`",
        "rank_variable: b, tile_shape: 1",
    ),
    (
        "rank_variable: c, tile_shape: 2",
        "tile_shape: 2",
        "Write for example `{ rank_variable: m, tile_shape: 1 }`",
        "rank_variable: c, tile_shape: 2",
    ),
    (
        "m, tile_shape: 3",
        "m, tile_shape: 3, initial_tile_shape: 2",
        "Leave `initial_tile_shape` out",
        "m, tile_shape: 3",
    ),
    ("m, tile_shape: 3", "m, tile_shape: 4", "Choose a `tile_shape` that divides 6", "m, tile_shape: 2"),
    (
        "{ rank_variable: a, tile_shape: 1 }",
        "{ rank_variable: a, tile_shape: 2 }",
        "End with a loop over `a` with `tile_shape: 1`",
        "{ rank_variable: a, tile_shape: 1 }",
    ),
    ("m, tile_shape: 3", "z, tile_shape: 3", "Its rank variables are", "m, tile_shape: 3"),
    (
        "tensors: [WA] }",
        "tensors: [WA] }\n      - !Storage { component: Cache, tensors: [WA] }",
        "Its memories are Outside, Buffer, Register",
        "tensors: [WA] }",
    ),
    (
        "a, tile_shape: 2, name: rows",
        "a, tile_shape: 2, name: lanes",
        "Its fan-outs are rows, columns",
        "a, tile_shape: 2, name: rows",
    ),
    (
        "a, tile_shape: 2, name: rows",
        "a, tile_shape: 1, name: rows",
        "Choose a larger `tile_shape`",
        "a, tile_shape: 2, name: rows",
    ),
];

/// A mapping with these nodes.
macro_rules! tree {
    (FIRST) => {
        tree!(
            "- !Storage { component: Outside, tensors: [In, WA, First] }\n  - !Temporal { rank_variable: m, tile_shape: 1 }\n  \
             - !Temporal { rank_variable: a, tile_shape: 1 }\n  - !Temporal { rank_variable: b, tile_shape: 1 }\n  \
             - !Compute { einsum: First }"
        )
    };
    ($nodes:literal) => {
        concat!("mapping:\n  nodes:\n  ", $nodes, "\n")
    };
}

/// Files that do not belong together or have another layout, a part of the remedy, and the corrected files.
const OTHERS: [(Files, &str, Files); 8] = [
    (
        &[("map.yaml", MAPPING)],
        "Import it together with both",
        &[("map.yaml", MAPPING), ("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD)],
    ),
    (&[("a.yaml", WORKLOAD), ("b.yaml", WORKLOAD)], "Import them one after the other", &[("a.yaml", WORKLOAD)]),
    (
        &[("a.yaml", MAPPING), ("b.yaml", MAPPING), ("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD)],
        "Import them one after the other",
        &[("a.yaml", MAPPING), ("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD)],
    ),
    (
        &[("a.yaml", ARCHITECTURE), ("b.yaml", ARCHITECTURE)],
        "Import them one after the other",
        &[("a.yaml", ARCHITECTURE)],
    ),
    (
        &[("arch.yaml", "arch:\n  nodes:\n  - !Compute { name: Unit, actions: [{ name: compute, energy: 1e-12 }] }\n")],
        "Begin the list of nodes with the `!Memory` outside of the chip",
        &[(
            "arch.yaml",
            "arch:\n  nodes:\n  - !Memory { name: Outside, size: inf, tensors: { keep: All } }\n  \
             - !Compute { name: Unit, actions: [{ name: compute, energy: 1e-12 }] }\n",
        )],
    ),
    (
        &[
            ("map.yaml", tree!("- !Storage { component: Outside, tensors: [In] }")),
            ("arch.yaml", ARCHITECTURE),
            ("net.yaml", WORKLOAD),
        ],
        "End each branch with `!Compute` and its `einsum`",
        &[("map.yaml", tree!(FIRST)), ("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD)],
    ),
    (
        &[
            ("map.yaml", tree!("- !Sequential { nodes: [!Storage { component: Outside, tensors: [In] }] }")),
            ("arch.yaml", ARCHITECTURE),
            ("net.yaml", WORKLOAD),
        ],
        "Write each branch as `!Nested` with its `nodes`",
        &[("map.yaml", MAPPING), ("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD)],
    ),
    (
        &[
            ("map.yaml", tree!("- !Nested { component: Outside }\n  - !Compute { einsum: First }")),
            ("arch.yaml", ARCHITECTURE),
            ("net.yaml", WORKLOAD),
        ],
        "List loops and storages under `nodes`, from the outermost",
        &[("map.yaml", MAPPING), ("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD)],
    ),
];

fn grown() -> Vec<Grown> {
    let run = [("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD), ("map.yaml", MAPPING)];
    [
        changed(&[("arch.yaml", ARCHITECTURE)], ARCHITECTURE_CASES),
        changed(&[("net.yaml", WORKLOAD)], WORKLOAD_CASES),
        changed(&run, MAPPING_CASES),
        exchanged(&OTHERS),
        vec![twice()],
    ]
    .concat()
}

/// A mapping with the same product in two branches.
fn twice() -> Grown {
    let files = |mapping: &str| {
        super::imports::joined(&[("arch.yaml", ARCHITECTURE), ("net.yaml", WORKLOAD), ("map.yaml", mapping)])
    };
    let second =
        MAPPING.split_once("    - !Nested\n").and_then(|(_, rest)| rest.split_once("    - !Nested\n")).unwrap().0;
    let wrong = format!("{MAPPING}    - !Nested\n{second}");
    (super::imports::files, files(&wrong), "Keep one of the two", files(MAPPING))
}
