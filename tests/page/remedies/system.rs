//! Systems of cores: refusals, and the effect of following their remedies.

use super::{Case, Grown, Room, beside, system};

pub const ROOM: Room = Room {
    sources: &["src/spec/system.rs", "src/model/system/build.rs"],
    no_remedies: &[
        "My system",
        "DRAM, read",
        "DRAM, write",
        // For a text, an earlier check reports it.
        "State the bits of one cycle",
    ],
    tables: &[(system, BASE, CASES), (beside, BESIDE, BESIDE_CASES), (system, ONE, ONE_CASES)],
    grown,
};

/// A mesh with too many links.
fn grown() -> Vec<Grown> {
    let row = |first: &str, second: &str| format!("[{}]", vec![[first, second].join(", "); 32].join(", "));
    let rows = [row("first", "second"), row("second", "first")].join(", ");
    let mesh = format!("  - {{ mesh: [{}], width: 64 bit, energy: 9 pJ }}\n", vec![rows; 32].join(", "));
    let wrong = BASE.replace("offchip:\n", &(mesh.repeat(2) + "offchip:\n"));
    let right = "  - { mesh: [[first, second], [third, own]], width: 64 bit, energy: 9 pJ }\noffchip:\n";
    vec![(system, wrong, "Name each core at one place of a mesh", BASE.replace("offchip:\n", right))]
}

const BASE: &str = "\
name: Base
cores:
  - { name: first, hardware: tpu-like }
  - { name: second, hardware: first, runs: [conv, pointwise, fully-connected] }
  - { name: third, hardware: tpu-like, runs: [pooling, add] }
  - name: own
    hardware:
      name: Own
      array: { dimensions: { D1: 4 }, mac_energy: 1 pJ }
      memories:
        - { name: sram_2MB, size: 2 MiB, operands: [W, I, O], width: 256 bit, read_energy: 20 pJ, write_energy: 20 pJ, shared_over: all }
        - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
shared:
  - { memory: sram_2MB, cores: [first, second, own] }
links:
  - { between: [first, second], width: 128 bit, energy: 8 pJ }
  - { from: first, to: third, width: 128 bit, energy: 8 pJ }
  - { from: third, to: first, width: 128 bit, energy: 8 pJ }
  - { mesh: [[second, third]], width: 128 bit, energy: 8 pJ }
  - { bus: [first, second], width: 64 bit, energy: 9 pJ }
  - { between: [third, own], width: 64 bit, energy: 9 pJ }
offchip:
  width: 64 bit
  read_energy: 700 pJ
  write_energy: 750 pJ
  ports:
    - { cores: [first, second, third, own], direction: read, energy: 1 pJ }
    - { cores: [first, second, third, own], direction: write, energy: 1 pJ, width: 32 bit }
";

const CASES: &[Case] = &[
    ("name: Base\n", "", "Write for example `name: My system`", "name: My system\n"),
    // Cores.
    ("name: first,", "name: '',", "Give it one, for example `core 0`", "name: first,"),
    ("name: third,", "name: second,", "Rename one of them", "name: third,"),
    ("hardware: first,", "hardware: firs,", "Use one of ", "hardware: first,"),
    (
        "{ name: third, hardware: tpu-like,",
        "{ name: third, hardware: tpu-lik,",
        "Did you mean `tpu-like`?",
        "{ name: third, hardware: tpu-like,",
    ),
    ("runs: [pooling, add]", "runs: [pooling, ad]", "Did you mean `add`?", "runs: [pooling, add]"),
    (
        "operands: [W, I, O], width: 64 bit",
        "operands: [I, O], width: 64 bit",
        "Let `dram` hold W, too: it stands for the memory off the chip",
        "operands: [I, O, W], width: 64 bit",
    ),
    (
        "operands: [W, I, O], width: 256 bit",
        "operands: [I, O], width: 256 bit",
        "Let one below `dram` hold it, which stands for the memory off the chip",
        "operands: [I, O, W], width: 256 bit",
    ),
    // Shared memories.
    (
        "memory: sram_2MB, cores: [first, second,",
        "memory: sram_2MB, cores: [first, secund,",
        "Did you mean `second`?",
        "memory: sram_2MB, cores: [first, second,",
    ),
    (
        "memory: sram_2MB, cores: [first, second,",
        "memory: sram_1MB, cores: [first, second,",
        "Its highest are `rf_128B`, `sram_2MB`",
        "memory: sram_2MB, cores: [first, second,",
    ),
    ("size: 2 MiB", "size: 32 KiB", "Give it the same size in the documents of all its cores", "size: 2 MiB"),
    // Links.
    (
        "{ between: [first, second], width",
        "{ width",
        "Write `from` and `to`, or one of `between: [a, b]`, `bus: [a, b, c]`, `mesh: [[a, b], [c, d]]`",
        "{ between: [first, second], width",
    ),
    (
        "{ between: [first, second], width",
        "{ between: [first, second], bus: [first, second], width",
        "Write `from` and `to`, or one of `between: [a, b]`, `bus: [a, b, c]`, `mesh: [[a, b], [c, d]]`",
        "{ bus: [first, second], width",
    ),
    (
        "{ between: [first, second], width",
        "{ between: [first, second], to: third, width",
        "Remove it",
        "{ between: [first, second], width",
    ),
    (
        "{ between: [first, second], width",
        "{ between: [first, second, third], width",
        "Name two, or make it a `bus`",
        "{ bus: [first, second, third], width",
    ),
    (
        "{ between: [first, second], width",
        "{ between: [first, first], width",
        "Name another core",
        "{ between: [first, second], width",
    ),
    (
        "{ between: [first, second], width",
        "{ between: [first, secon], width",
        "Did you mean `second`?",
        "{ between: [first, second], width",
    ),
    (
        "{ between: [first, second], width",
        "{ between: [first, gpu], width",
        "Use one of first, second, third, own",
        "{ between: [first, own], width",
    ),
    ("from: first, to: third", "to: third", "Write for example `from: core 0`", "from: first, to: third"),
    ("bus: [first, second]", "bus: [first]", "Name more cores", "bus: [first, second]"),
    (
        "  - { between: [third, own], width: 64 bit, energy: 9 pJ }\n",
        "",
        "Add `{ between: [third, own], width: 128 bit, energy: 8 pJ }`, or a `bus`",
        "  - { between: [third, own], width: 128 bit, energy: 8 pJ }\n",
    ),
    (
        "bus: [first, second], width: 64 bit",
        "bus: [first, second], width: 200000 GiB",
        "Write at most 131072 GiB (2^50 bit)",
        "bus: [first, second], width: 131072 GiB",
    ),
    // Off the chip.
    ("  width: 64 bit\n", "", "Write for example `width: 128 bit`", "  width: 128 bit\n"),
    ("direction: read,", "direction: reads,", "Did you mean `read`?", "direction: read,"),
    (
        "cores: [first, second, third, own], direction: read,",
        "cores: [first, second, third], direction: read,",
        "Add `own` to one that reads",
        "cores: [first, second, third, own], direction: read,",
    ),
    (
        "cores: [first, second, third, own], direction: write,",
        "cores: [first, second, third], direction: write,",
        "Add `own` to one that writes",
        "cores: [first, second, third, own], direction: write,",
    ),
];

/// The hardware beside a system whose cores it is.
const BESIDE: &str = "\
name: Beside
array: { dimensions: { D1: 4 }, mac_energy: 1 pJ }
memories:
  - { name: sram, size: 32 KiB, operands: [W, I, O], width: 256 bit, read_energy: 20 pJ, write_energy: 20 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";

const BESIDE_CASES: &[Case] = &[("D1: 4", "D1: 0", "Correct the hardware document", "D1: 4")];

const ONE: &str = "\
name: One
cores: [{ name: core 0, hardware: tpu-like }]
offchip: { width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ }
";

const ONE_CASES: &[Case] =
    &[("[{ name: core 0, hardware: tpu-like }]", "[]", "List at least one", "[{ name: core 0, hardware: tpu-like }]")];
