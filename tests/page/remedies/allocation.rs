//! Schedules on many cores: refusals while tiles are made or scheduled, and the effect of following their remedies. A
//! text here is settings, the cores of each layer or `null`, a system and a network, separated by `---`.

use super::{Case, Grown, Room};
use fusescape::multicore::{CoreAllocation, CoresProblem, CoresRequest, TileCosts};
use fusescape::spec::Diagnostics;

pub const ROOM: Room = Room {
    sources: &["src/engine/multicore/study", "src/engine/multicore/costs.rs"],
    no_remedies: &[
        // No request here leads to it: tensors that are too large for a memory are streamed.
        "Make tiles smaller, or the memory larger",
    ],
    tables: &[(scheduled, BASE, CASES)],
    grown,
};

/// A study, and the cores of each layer.
fn study(text: &str) -> Result<(CoresProblem, Option<CoreAllocation>), Diagnostics> {
    let parts: Vec<&str> = text.split("---\n").collect();
    let [settings, cores, system, workload] = parts[..] else { panic!("{text}") };
    let (hardware, system, workload) = (String::new(), system.to_owned(), workload.to_owned());
    let settings = serde_json::from_str(settings).unwrap();
    let study = CoresProblem::new(&CoresRequest { hardware, workload, system, settings })?;
    Ok((study, serde_json::from_str(cores).unwrap()))
}

fn cut(text: &str) -> Result<(), Diagnostics> {
    study(text).map(drop)
}

fn scheduled(text: &str) -> Result<(), Diagnostics> {
    let (study, cores) = study(text)?;
    let costs = &mut TileCosts::default();
    match cores {
        Some(cores) => study.evaluate(costs, &[], &cores, None).map(drop),
        None => study.best(costs).map(drop),
    }
}

const BASE: &str = r#"{"granularity":"LayerByLayer","strategy":"Loma","lpf_limit":6,"rules":{}}
---
[[0],[0]]
---
name: Two
cores:
  - name: c0
    hardware:
      name: First
      array: { dimensions: { D1: 4, D2: 4 }, mac_energy: 1 pJ }
      unroll: { conv: { D1: K, D2: C }, pointwise: { D1: K, D2: C } }
      memories:
        - { name: reg, size: 2 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [D2] }
        - { name: w, size: 8 KiB, operands: [W], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
        - { name: act, size: 32 KiB, operands: [I, O], width: 64 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all }
        - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }
  - name: c1
    runs: [conv]
    hardware:
      name: Second
      array: { dimensions: { D1: 4, D2: 4 }, mac_energy: 1 pJ }
      unroll: { conv: { D1: K, D2: C }, pointwise: { D1: K, D2: C } }
      memories:
        - { name: reg1, size: 2 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [D2] }
        - { name: w1, size: 8 KiB, operands: [W], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
        - { name: act1, size: 32 KiB, operands: [I, O], width: 64 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all }
        - { name: dram1, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }
links:
  - { between: [c0, c1], width: 64 bit, energy: 0.5 pJ }
offchip: { width: 64 bit, read_energy: 1000 pJ, write_energy: 1000 pJ, ports: [{ name: DRAM, energy: 0.5 pJ }] }
---
name: Two layers
layers:
  - { name: image, type: input, K: 4, size: 16 x 16 }
  - { name: a, type: conv, K: 32, kernel: 3 x 3, padding: 1 }
  - { name: b, type: pointwise, K: 32 }
"#;

const CASES: &[Case] = &[
    ("[[0],[0]]", "[[],[0]]", "Choose at least one", "[[1],[0]]"),
    ("[[0],[0]]", "[[0],[1]]", "Choose another core", "[[0],[0]]"),
    ("[[0],[0]]", "[[0],[0,0,0]]", "Choose fewer: more would leave parts of their arrays idle", "[[0],[0]]"),
    ("name: reg, size: 2 B", "name: reg, size: 1 B", "the core's memories larger", "name: reg, size: 2 B"),
    (
        r#""lpf_limit":6,"rules":{}"#,
        r#""lpf_limit":1,"rules":{"lpf_limit_below_dimensions_fails":true}"#,
        "Set the LPF limit to",
        r#""lpf_limit":7,"rules":{"lpf_limit_below_dimensions_fails":true}"#,
    ),
];

fn grown() -> Vec<Grown> {
    let sized = |granularity: &str, size: &str| {
        BASE.replace(r#""LayerByLayer""#, granularity).replace("size: 16 x 16", &format!("size: {size}"))
    };
    let by_hand =
        |side: u64| sized(&format!(r#"{{"ByHand":"OY {side}, OX {side}, K 32"}}"#), &format!("{side} x {side}"));
    let convolutions = |text: String| text.replace("pointwise, K: 32", "conv, K: 32, kernel: 3 x 3, padding: 1");
    let exact = |size: &str| BASE.replace("Loma", "Exact").replace("name: reg, size: 2 B", size);
    vec![
        (cut, by_hand(128), "Make tiles larger", sized(r#"{"Rows":1}"#, "128 x 128")),
        (cut, convolutions(by_hand(48)), "Make tiles larger", convolutions(sized(r#"{"Rows":1}"#, "48 x 48"))),
        (
            scheduled,
            exact("name: reg, size: 1 B"),
            "Make tiles smaller, the core's memories larger, or choose another core",
            exact("name: reg, size: 2 B"),
        ),
    ]
}
