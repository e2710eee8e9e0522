//! Systems of Stream: refusals, and the effect of following their remedies.

use super::imports::{Files, changed, exchanged, files, joined};
use super::{Case, Grown, Room};
use crate::stream_files::{CORE, DRAM};

pub const ROOM: Room = Room {
    sources: &[
        "src/import/lib.rs",
        "src/import/stream/assemble.rs",
        "src/import/stream/mapping.rs",
        "src/import/stream/soc.rs",
    ],
    no_remedies: &[
        "Timeloop problem",
        "Timeloop mapping",
        "Stream core",
        "ZigZag accelerator",
        "ZigZag workload",
        "Imported from the Stream system `{}`.",
        "Orders of the mapping",
    ],
    tables: &[],
    grown,
};

/// Two cores, a link between them, and the memory off the chip.
const SYSTEM: &str = "
name: two
cores: { 0: core.yaml, 1: core.yaml }
offchip_core: far.yaml
core_connectivity: [\"0, 1\"]
bandwidth: 32
unit_energy_cost: 2
";

/// The current layout.
const NEWER: &str = "
name: two
cores: { 0: core.yaml, 1: core.yaml, 2: far.yaml }
offchip_core_id: 2
core_connectivity:
  - { type: link, cores: [0, 1], bandwidth: 32 }
  - { type: bus, cores: [0, 1, 2], bandwidth: 128 }
";

/// The oldest layout.
const MESH: &str = "
name: mesh
cores: [core.yaml, core.yaml, far.yaml]
graph: { type: 2d_mesh, nb_rows: 1, nb_cols: 2, bandwidth: 32, unit_energy_cost: 0, offchip_core_id: 2 }
";

/// Memories that are cores, each of two cores.
const GROUPS: &str = "
name: groups
cores: { 0: core.yaml, 1: core.yaml, 2: vmem.yaml, 3: core.yaml, 4: vmem.yaml, 5: far.yaml }
offchip_core_id: 5
core_connectivity:
  - { type: bus, cores: [0, 1, 2], bandwidth: 64 }
  - { type: link, cores: [3, 4], bandwidth: 64 }
  - { type: bus, cores: [2, 4, 5], bandwidth: 32 }
";

const VMEM: &str = "
name: vmem
type: zigzag.memory
memories:
  vmem:
    size: 4000000
    r_cost: 3000
    w_cost: 4000
    operands: [I1, I2, O]
    ports:
      - { name: rw_port_1, type: read_write, bandwidth_min: 64, bandwidth_max: 64, allocation: [
          \"I1, fh\", \"I1, tl\", \"I2, fh\", \"I2, tl\", \"O, fh\", \"O, tl\", \"O, fl\", \"O, th\"] }
    served_dimensions: [D1, D2]
operational_array: { unit_energy: 0, unit_area: 0, dimensions: [D1, D2], sizes: [0, 0] }
";

const MAPPING: &str = "- { name: Conv, core_allocation: [0] }\n";
const STATE: &str = "fusescape: state\n";

const SYSTEM_CASES: &[Case] = &[
    (
        "1: core.yaml }\noffchip_core: far.yaml",
        "1: absent.yaml }\noffchip_core: far.yaml",
        "Choose the files of all cores together with the system",
        "1: core.yaml }\noffchip_core: far.yaml",
    ),
    (
        "offchip_core: far.yaml\n",
        "",
        "State it: `offchip_core_id`, or `offchip_core: offchip.yaml`",
        "offchip_core: far.yaml\n",
    ),
    ("{ 0: core.yaml, 1:", "{ 0: core.yaml, one:", "Number the cores from 0 on", "{ 0: core.yaml, 1:"),
    ("[\"0, 1\"]", "[\"0, 7\"]", "Write numbers of cores: `0, 1`", "[\"0, 1\"]"),
];

const NEWER_CASES: &[Case] = &[
    ("offchip_core_id: 2", "offchip_core_id: 3", "Use one of 0, 1, 2", "offchip_core_id: 2"),
    (
        "{ type: link, cores: [0, 1], ",
        "{ type: link, cores: [0, 1, 2], ",
        "Name two, or write `type: bus`",
        "{ type: bus, cores: [0, 1, 2], ",
    ),
    (
        "cores: { 0: core.yaml, 1: core.yaml,",
        "cores: { 0: core.yaml, 01: core.yaml, 1: core.yaml,",
        "Number each core once",
        "cores: { 0: core.yaml, 1: core.yaml,",
    ),
];

const MESH_CASES: &[Case] =
    &[("nb_cols: 2", "nb_cols: 3", "Write as many rows and columns as there are cores", "nb_cols: 2")];

const GROUP_CASES: &[Case] = &[
    (
        "  - { type: link, cores: [3, 4], bandwidth: 64 }\n",
        "",
        "Connect it to the cores that it serves",
        "  - { type: link, cores: [3, 4], bandwidth: 64 }\n",
    ),
    (
        "{ type: link, cores: [3, 4], ",
        "{ type: bus, cores: [1, 3, 4], ",
        "Connect every core to one memory core",
        "{ type: bus, cores: [3, 4], ",
    ),
];

/// Files that do not belong together, a part of the remedy, and files that do.
const TOGETHER: [(Files, &str, Files); 6] = [
    (
        &[("map.yaml", MAPPING)],
        "Import it together with its system and the files of the cores",
        &[("map.yaml", MAPPING), ("s.yaml", SYSTEM), ("core.yaml", CORE), ("far.yaml", DRAM)],
    ),
    (
        &[("far.yaml", DRAM)],
        "Import it together with one core, or with its system and all its cores",
        &[("far.yaml", DRAM), ("core.yaml", CORE)],
    ),
    (
        &[("vmem.yaml", VMEM)],
        "Import it together with its system and all its cores",
        &[("s.yaml", GROUPS), ("core.yaml", CORE), ("vmem.yaml", VMEM), ("far.yaml", DRAM)],
    ),
    (
        &[("s.yaml", SYSTEM), ("t.yaml", SYSTEM), ("core.yaml", CORE), ("far.yaml", DRAM)],
        "Import them one after the other",
        &[("t.yaml", SYSTEM), ("core.yaml", CORE), ("far.yaml", DRAM)],
    ),
    (&[("a.yaml", STATE), ("core.yaml", CORE)], "Open the state first, then import the others", &[("a.yaml", STATE)]),
    (
        &[("notes.txt", "hello")],
        "a system of Stream with its cores",
        &[("s.yaml", NEWER), ("core.yaml", CORE), ("far.yaml", DRAM)],
    ),
];

/// A text that exceeds the limit on documents.
fn too_long() -> Grown {
    let long = format!("{CORE}{}", "# a remark\n".repeat(100_000));
    (files, joined(&[("core.yaml", &long)]), "Choose a smaller or another file", joined(&[("core.yaml", CORE)]))
}

fn grown() -> Vec<Grown> {
    let with = |system: &'static str| [("s.yaml", system), ("core.yaml", CORE), ("far.yaml", DRAM)];
    let groups = [("s.yaml", GROUPS), ("core.yaml", CORE), ("vmem.yaml", VMEM), ("far.yaml", DRAM)];
    [
        changed(&with(SYSTEM), SYSTEM_CASES),
        changed(&with(NEWER), NEWER_CASES),
        changed(&with(MESH), MESH_CASES),
        changed(&groups, GROUP_CASES),
        exchanged(&TOGETHER),
        vec![too_long()],
    ]
    .concat()
}
