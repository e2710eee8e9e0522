//! Attention without a schedule: refusals, and the effect of following their remedies. A text here is hardware, or a
//! problem as JSON.

use super::{Case, Grown, Room};
use fusescape::attention::{Machine, Problem};
use fusescape::hardware::Core;
use fusescape::spec::Diagnostics;

pub const ROOM: Room = Room {
    sources: &["src/engine/attention/machine.rs", "src/engine/attention/problem.rs", "src/engine/attention/shape.rs"],
    no_remedies: &[],
    tables: &[(machine, HARDWARE, HARDWARE_CASES), (problem, PROBLEM, PROBLEM_CASES)],
    grown,
};

fn machine(text: &str) -> Result<(), Diagnostics> {
    Machine::of(&Core::from_text(text)?).map(drop)
}

fn problem(text: &str) -> Result<(), Diagnostics> {
    serde_json::from_str::<Problem>(text).unwrap().check()
}

const HARDWARE: &str = "\
name: Base
array: { dimensions: { D1: 4, D2: 4 }, mac_energy: 1 pJ }
unroll: { matmul: { D1: K, D2: C } }
memories:
  - { name: weights, size: 64 KiB, operands: [W], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
  - { name: sram, size: 64 KiB, operands: [I, O], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";

const HARDWARE_CASES: &[Case] = &[
    (
        "name: dram, size: 1 GiB, operands: [W, I, O]",
        "name: dram, size: 1 GiB, operands: [I, O]",
        "Let the highest memory hold W, I and O",
        "name: dram, size: 1 GiB, operands: [W, I, O]",
    ),
    (
        "  - { name: sram, size: 64 KiB, operands: [I, O], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }\n",
        "",
        "Add a memory below the highest with `operands: [I, O]` and `shared_over: all`",
        "  - { name: new, size: 1 KiB, operands: [I, O], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }\n",
    ),
    (
        "  - { name: weights, size: 64 KiB, operands: [W], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
  - { name: sram, size: 64 KiB, operands: [I, O]",
        "  - { name: sram, size: 64 KiB, operands: [I, O]",
        "Add W to the `operands` of a memory with `shared_over: all`",
        "  - { name: sram, size: 64 KiB, operands: [I, O, W]",
    ),
];

const PROBLEM: &str = r#"{"shape":{"batch":1,"heads":4,"key_heads":2,"depth":64,"value_depth":48,"values_in_keys":true,
"queries":8,"keys":12},"causal":true,"window":6,"bits":{"activations":8,"keys":8,"sums":16,"weights":8},"keys_on_chip":false}"#;

const PROBLEM_CASES: &[Case] = &[
    (r#""batch":1"#, r#""batch":0"#, "Write at least 1", r#""batch":1"#),
    (r#""key_heads":2"#, r#""key_heads":3"#, "Write a divisor of the query heads", r#""key_heads":4"#),
    (r#""batch":1"#, r#""batch":576460752303423488"#, "Take fewer or shorter sequences", r#""batch":2"#),
    (r#""batch":1"#, r#""batch":8796093022208"#, "Take fewer or shorter sequences", r#""batch":2"#),
    (r#""heads":4,"#, r#""heads":576460752303423488,"#, "or fewer or smaller heads", r#""heads":6,"#),
    (r#""depth":64,"#, r#""depth":576460752303423488,"#, "or fewer or smaller heads", r#""depth":100,"#),
    (r#""value_depth":48"#, r#""value_depth":65"#, "Write at most `depth`", r#""value_depth":64"#),
    (r#""keys":12"#, r#""keys":14"#, "Write at most 13", r#""keys":13"#),
    (r#""window":6"#, r#""window":4"#, "or a window of at least 5", r#""window":5"#),
    (r#""window":6"#, r#""window":0"#, "Take a window of at least 5", r#""window":5"#),
    (r#""causal":true,"#, r#""causal":false,"#, "or set the mask", r#""causal":true,"#),
    (
        r#""causal":true,"window":6"#,
        r#""causal":false,"window":6"#,
        "Take the window off",
        r#""causal":false,"window":null"#,
    ),
    (r#""queries":8"#, r#""queries":13"#, "Write at least as many keys as queries", r#""queries":12"#),
    (r#""sums":16"#, r#""sums":0"#, "Write 1 to 64", r#""sums":1"#),
    (r#""weights":8"#, r#""weights":65"#, "Write 1 to 64", r#""weights":64"#),
];

fn grown() -> Vec<Grown> {
    let whole = PROBLEM.replace(r#""window":6"#, r#""window":null"#).replace(r#""queries":8"#, r#""queries":13"#);
    let unmasked = whole.replace("true,\"window", "false,\"window");
    vec![(problem, whole, "or take the causal mask off", unmasked)]
}
