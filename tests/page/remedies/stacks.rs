//! Schedules of stacks: refusals while tiles are planned or stacks compared, and the effect of following their
//! remedies. A text here is settings, limits of a stack, hardware and a network, separated by `---`.

use super::{Case, Grown, Room};
use fusescape::explore::{CostStore, Request, StackProblem, Sweep};
use fusescape::spec::Diagnostics;

pub const ROOM: Room = Room {
    sources: &[
        "src/engine/explore/stacks.rs",
        "src/engine/depth_first/planner.rs",
        "src/engine/depth_first/stack_planner.rs",
    ],
    no_remedies: &[
        // For layers without a feasible mapping by LOMA, though one exists.
        "No choice of stacks can be scheduled within the limits",
        "Allow more layers or tiles in a stack, smaller tiles, or larger memories",
        // For networks so wide that even their short stacks cannot be listed.
        "No stacks of at most {most_layers} layers compute {name}: what branches off inside a stack has to join there",
        "Allow more layers in a stack",
        // For deep stacks with thousands of different strips.
        "Nearly every tile differs from its neighbours: more than {kinds} kinds of {strips} of tiles, each through {} layers",
        "Choose larger tiles, or cut the stack",
        // For millions of tiles, which `limits.rs` plans.
        "The kinds of tiles of this point have more than {MOST_LAYER_TILES} layers in all",
        "Choose larger tiles, or cut the network into more stacks",
    ],
    tables: &[(stacks, BASE, CASES)],
    grown,
};

/// A sweep, and limits of stacks.
fn parts(text: &str) -> Result<(Sweep, &str), Diagnostics> {
    let parts: Vec<&str> = text.split("---\n").collect();
    let [settings, limits, hardware, workload] = parts[..] else { panic!("{text}") };
    let settings = serde_json::from_str(settings).unwrap();
    Ok((Sweep::new(&Request { hardware: hardware.to_owned(), workload: workload.to_owned(), settings })?, limits))
}

fn points(text: &str) -> Result<(), Diagnostics> {
    parts(text)?.0.plan().points.into_iter().try_for_each(|point| point.map(drop))
}

fn study(text: &str) -> Result<StackProblem, Diagnostics> {
    let (sweep, limits) = parts(text)?;
    StackProblem::new(sweep, serde_json::from_str(limits).unwrap())
}

fn listed(text: &str) -> Result<(), Diagnostics> {
    study(text).map(drop)
}

fn stacks(text: &str) -> Result<(), Diagnostics> {
    let mut study = study(text)?;
    let mut store = CostStore::default();
    let runs: Vec<_> = (0..study.parts()).flat_map(|part| study.part(&mut store, part)).collect();
    study.combine(&runs).map(drop)
}

const BASE: &str = r#"{"tiles_x":[4],"tiles_y":[4],"modes":["FullyCached"],"fuse":["Automatic"],"lpf_limit":4}
---
{"most_layers":2,"most_tiles":16}
---
name: Small
array: { dimensions: { D1: 4 }, mac_energy: 1 pJ }
unroll: { conv: { D1: K } }
memories:
  - { name: reg, size: 2 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: low, size: 24 B, operands: [W], width: 64 bit, read_energy: 2 pJ, write_energy: 2 pJ, shared_over: all }
  - { name: lb, size: 4 KiB, operands: [W, I, O], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }
---
name: Two layers
layers:
  - { name: image, type: input, K: 4, size: 16 x 16 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
"#;

const CASES: &[Case] = &[
    (r#""most_layers":2"#, r#""most_layers":0"#, "Write 1 or more", r#""most_layers":1"#),
    (r#""most_tiles":16"#, r#""most_tiles":0"#, "Write 1 or more", r#""most_tiles":1"#),
    ("name: reg, size: 2 B", "name: reg, size: 1 B", "Make `reg` larger", "name: reg, size: 2 B"),
];

fn grown() -> Vec<Grown> {
    let wide = |columns: &str| BASE.replace("size: 16 x 16", "size: 100000 x 4").replace(r#""tiles_x":[4]"#, columns);
    // All stacks of many layers, with many tile sizes.
    let deep = |most_layers: usize, most_tile: usize| {
        let layers: String =
            (0..64).map(|layer| format!("  - {{ name: l{layer}, type: conv, K: 4, kernel: 1 x 1 }}\n")).collect();
        let sizes: Vec<usize> = (1..=most_tile).collect();
        let text = BASE.split_once("  - { name: a, ").unwrap().0.to_owned() + &layers;
        text.replace(r#""tiles_x":[4],"tiles_y":[4]"#, &format!(r#""tiles_x":{sizes:?},"tiles_y":{sizes:?}"#))
            .replace(r#""most_layers":2"#, &format!(r#""most_layers":{most_layers}"#))
    };
    // Maps in which every column is made from other columns than its neighbours.
    let uneven = |tile: &str| {
        let layers = "  - { name: u, type: view, scale: 29 x 29 }
  - { name: a, type: conv, K: 4, kernel: 1 x 1, stride: 31 }
  - { name: v, type: view, scale: 17 x 17 }
  - { name: b, type: conv, K: 4, kernel: 1 x 1, stride: 13 }
";
        let tiles = format!(r#""tiles_x":[{tile}],"tiles_y":[{tile}]"#);
        let text = BASE.split_once("  - { name: a, ").unwrap().0.to_owned() + layers;
        text.replace("size: 16 x 16", "size: 150 x 150").replace(r#""tiles_x":[4],"tiles_y":[4]"#, &tiles)
    };
    vec![
        (points, uneven("1"), "Choose larger tiles", uneven("2")),
        (points, wide(r#""tiles_x":[1]"#), "Choose tiles of at least 2", wide(r#""tiles_x":[2]"#)),
        (listed, deep(64, 40), "Choose fewer tile sizes or modes, for at most 961 strategies", deep(64, 30)),
        (listed, deep(64, 40), "or allow fewer layers in a stack", deep(2, 40)),
    ]
}
