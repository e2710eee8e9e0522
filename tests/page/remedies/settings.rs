//! Settings of studies: refusals, and the effect of following their remedies. A text here is settings in JSON, as sent
//! to workers.

use super::{Case, Grown, Read, Room, preset};
use fusescape::explore::{Request, Sweep};
use fusescape::hierarchy::{HierarchyProblem, HierarchyRequest};
use fusescape::multicore::{CoresProblem, CoresRequest};
use fusescape::spec::{Diagnostics, find_preset, pool_presets, system_presets, workload_presets};

pub const ROOM: Room = Room {
    sources: &["src/engine/hierarchy/study.rs"],
    no_remedies: &[
        "Generated from the pool {} for the array of {}: {}.{estimated}",
        // For a pool that would take minutes to multiply out.
        "There are more than {MOST_HIERARCHIES} hierarchies",
        "Allow less area or fewer levels, raise the ratio of sizes, or take memories out of the pool",
    ],
    tables: &[(sweep, SWEEP, SWEEP_CASES), (cores, CORES, CORES_CASES), (hierarchies, HIERARCHIES, HIERARCHY_CASES)],
    grown,
};

fn network(name: &str) -> String {
    find_preset(workload_presets(), name).unwrap().text.to_owned()
}

fn sweep(text: &str) -> Result<(), Diagnostics> {
    let settings = serde_json::from_str(text).unwrap();
    let request =
        Request { hardware: preset("meta-proto-like-df").to_owned(), workload: network("resnet18"), settings };
    let sweep = Sweep::new(&request)?;
    let plan = sweep.plan();
    plan.points.into_iter().try_for_each(|point| point.map(drop))
}

fn cores(text: &str) -> Result<(), Diagnostics> {
    let settings = serde_json::from_str(text).unwrap();
    let system = find_preset(system_presets(), "ws-pair").unwrap().text.to_owned();
    CoresProblem::new(&CoresRequest {
        hardware: preset("tpu-like").to_owned(),
        workload: network("three-convs"),
        system,
        settings,
    })
    .map(drop)
}

/// Hierarchies for an array, by default that of Eyeriss.
fn hierarchies_of(hardware: &str, settings: &str) -> Result<(), Diagnostics> {
    HierarchyProblem::new(&HierarchyRequest {
        pool: find_preset(pool_presets(), "zigzag-65nm").unwrap().text.to_owned(),
        hardware: hardware.to_owned(),
        workload: network("alexnet-eyeriss"),
        settings: serde_json::from_str(settings).unwrap(),
    })
    .map(drop)
}

fn hierarchies(text: &str) -> Result<(), Diagnostics> {
    hierarchies_of(preset("eyeriss-like"), text)
}

/// Hierarchies for an accelerator, whose first line may be a budget, um2.
fn array(text: &str) -> Result<(), Diagnostics> {
    let budget = text.lines().next().and_then(|line| line.strip_prefix("# "));
    hierarchies_of(text, &HIERARCHIES.replace("null", budget.unwrap_or("null")))
}

const SWEEP: &str = r#"{"tiles_x":[4],"tiles_y":[18],"modes":["FullyCached"],"fuse":[{"Cuts":["block1_1_add"]}],
"objective":{"MemoryAccesses":"sram_1MB_A"},"lpf_limit":6}"#;

const SWEEP_CASES: &[Case] = &[
    (r#""tiles_x":[4]"#, r#""tiles_x":[]"#, "Write at least one, for example `60`", r#""tiles_x":[60]"#),
    (r#""tiles_y":[18]"#, r#""tiles_y":[0]"#, "Write 1 or more", r#""tiles_y":[1]"#),
    (r#"["FullyCached"]"#, "[]", "Choose at least one", r#"["FullyRecompute"]"#),
    (r#"[{"Cuts":["block1_1_add"]}]"#, "[]", "Choose at least one", r#"["Automatic"]"#),
    (
        r#""lpf_limit":6"#,
        r#""lpf_limit":13"#,
        "Write 1 to 12: the time grows with the factorial of the limit",
        r#""lpf_limit":12"#,
    ),
    (r#"["block1_1_add"]"#, r#"["block1_1_ad"]"#, "Did you mean `block1_1_add`?", r#"["block1_1_add"]"#),
    (
        r#"["block1_1_add"]"#,
        r#"["block1_1_conv1"]"#,
        "Cut after `pool1` too, or not between it and",
        r#"["pool1","block1_1_conv1"]"#,
    ),
    (r#""sram_1MB_A""#, r#""sram_1MB_B""#, "Did you mean `sram_1MB_A`?", r#""sram_1MB_A""#),
    (
        r#"{"MemoryAccesses":"sram_1MB_A"}"#,
        r#"{"Weighted":{"energy":-1}}"#,
        "Write for example 1 for energy and 0 for the others",
        r#"{"Weighted":{"energy":1}}"#,
    ),
];

const CORES: &str = r#"{"granularity":{"ByHand":"OY 4, OX 2; conv1: K 4"}}"#;

const CORES_CASES: &[Case] = &[
    ("OY 4, OX 2; conv1: K 4", "OY four", "Write for example `OY 14, OX 2; conv1: K 4`", "OY 14, OX 2; conv1: K 4"),
    ("OY 4, OX 2; conv1: K 4", "OY 4, OY 2", "or `rows 4, columns 60; stack 2: rows 8`", "rows 4, columns 60"),
    ("conv1: K 4", "conv1: C 4", "Cut B, G, K, OY or OX", "conv1: K 4"),
    ("conv1: K 4", "conv11: K 4", "Did you mean `conv1`?", "conv1: K 4"),
    ("conv1: K 4", "unheard of: K 4", "Use the name of a layer", "conv2: K 4"),
    ("OY 4, OX 2; conv1: K 4", " ", "or choose whole layers", "whole"),
    (
        "conv1: K 4",
        "conv1: K 99999999999999999999",
        "Larger than every layer: write a smaller number, or `whole`",
        "conv1: K 32",
    ),
];

const HIERARCHIES: &str = r#"{"layers":["conv1"],"budget_um2":null,"max_levels":2,"lpf_limit":6,"objective":"Energy"}"#;

const HIERARCHY_CASES: &[Case] = &[
    (r#"["conv1"]"#, r#"["conv11"]"#, "Did you mean `conv1`?", r#"["conv1"]"#),
    (r#"["conv1"]"#, r#"["unheard of"]"#, "Use conv1", r#"["conv1"]"#),
    (
        r#""budget_um2":null"#,
        r#""budget_um2":-1"#,
        "Write for example `1 mm2`, or leave it out for no limit",
        r#""budget_um2":1e7"#,
    ),
    (r#""max_levels":2"#, r#""max_levels":99"#, "Write 0 to ", r#""max_levels":1"#),
    (r#""lpf_limit":6"#, r#""lpf_limit":0"#, "Write 1 to 12", r#""lpf_limit":12"#),
    (r#""Energy""#, r#""DramAccesses""#, "Choose energy, latency or their product", r#""EnergyDelayProduct""#),
];

fn grown() -> Vec<Grown> {
    let eyeriss = preset("eyeriss-like").to_owned();
    let apart = "\
name: Apart
array: { dimensions: { D1: 4, D2: 4 }, mac_energy: 1 pJ }
unroll: { conv: { D1: K, D2: C } }
memories:
  - { name: sram, size: 64 KiB, operands: [W, I, O], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";
    let read: Read = array;
    let large = apart.replace("operands: [I, O]", "operands: [W, I, O]").replace("1 pJ }", "1 pJ, pe_area: 5 um2 }");
    vec![
        (read, format!("# 79\n{large}"), "Allow more area", format!("# 1e7\n{large}")),
        (read, preset("zigzag-dimc").to_owned(), "Take an array that states `mac_energy`", eyeriss),
        (
            read,
            apart.to_owned(),
            "Let one memory be the highest of all, as every generated hierarchy ends there",
            apart.replace("operands: [I, O]", "operands: [W, I, O]"),
        ),
    ]
}
