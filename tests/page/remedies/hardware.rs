//! Hardware: refusals, and the effect of following their remedies.

use super::{Case, Grown, Room, hardware};

pub const ROOM: Room = Room {
    sources: &[
        "src/spec/hardware.rs",
        "src/spec/quantity.rs",
        "src/spec/reader.rs",
        "src/spec/tree.rs",
        "src/spec/diagnostic.rs",
        "src/model/hardware",
    ],
    no_remedies: &[
        "My accelerator",
        // For a text, an earlier check reports it.
        "This dimension is stated twice",
        "Write the bits of one transfer, for example `512 bit`, or leave it out",
        "Write a number of {unit} that is not negative",
        "Write a positive number with a unit, for example `64 bit`, or leave it out for that of the memory",
        // A note of reports.
        "Energies of accesses that are estimates: {}",
    ],
    tables: &[(hardware, BASE, CASES), (hardware, IN_MEMORY, IN_MEMORY_CASES), (hardware, ESTIMATED, ESTIMATED_CASES)],
    grown,
};

/// Refusals of huge documents only.
fn grown() -> Vec<Grown> {
    let with = |about: &str| BASE.replace("about: A core with everything.", about);
    let right = with("about: Short.");
    let many = |count: usize, part: &str| vec![part; count].join(", ");
    let wrong = [
        (with(&format!("about: {}", "a".repeat(1 << 20))), "Split the design, or leave out what is not needed"),
        (with(&format!("about: [{}]", many(200_001, "1"))), "Leave out what is not needed"),
        (with(&format!("dataflow: {}\nabout: x", "a".repeat(500))).replace("dataflow: mine\n", ""), "Write a name"),
        (BASE.replace("operands: [W]", &format!("operands: [{}]", many(65, "W"))), "Leave some out"),
    ];
    let level = "  - { name: sram, size: 32 KiB, operands: [W, I, O], width: 256 bit, estimate: sram-65nm, shared_over: all }\n";
    let levels = |count: usize| {
        let named = |number: usize| level.replace("name: sram", &format!("name: sram{number}"));
        ESTIMATED.replace(level, &(0..count).map(named).collect::<String>())
    };
    let highest = "operands: [W, I, O], width: 64 bit";
    let without_weights = ESTIMATED.replace("[W, I, O]", "[I, O]");
    let with_weights = without_weights.replace("operands: [I, O], width: 64 bit", highest);
    let told = vec![
        (hardware as super::Read, String::new(), "Write `{ name: value }`", right.clone()),
        (hardware, without_weights, "Add W to one of them", with_weights),
        (hardware, levels(40), "Take W off some of them", levels(4)),
    ];
    let mistakes: String = (0..120).map(|number| format!("unknown{number}: 1\n")).collect();
    let wrong = wrong.into_iter().chain([(format!("{BASE}{mistakes}"), "Correct these first")]);
    wrong.map(|(wrong, remedy)| (hardware as super::Read, wrong, remedy, right.clone())).chain(told).collect()
}

const BASE: &str = "\
name: Base
about: A core with everything.
clock: 200 MHz
array:
  dimensions: { D1: 8, D2: 4 }
  mac_energy: 0.5 pJ
  mac_precision: 8 x 8
  mac_energies: { 4 x 4: 0.1 pJ }
  pe_area: 100 um2
  leakage: 0.1 mW
dataflow: mine
unroll:
  conv: { D1: K, D2: [C 2, FX 2] }
memories:
  - name: reg
    size: 8 B
    operands: [W]
    width: 16 bit
    read_energy: 0.01 pJ
    write_energy: 0.02 pJ
    shared_over: []
  - name: sram
    size: 64 KiB
    operands: [W, I, O]
    read_width: 512 bit
    write_width: 256 bit
    granularity: 64 bit
    read_energy: 30 pJ
    write_energy: 31 pJ
    area: 0.25 mm2
    shared_over: [D1, D2]
    latency: 3 cycles
    double_buffered: true
    ports:
      left: { serves: [W.read_to_low, W.write_from_high], width: 128 bit, granularity: 32 bit }
      middle: [I.read_to_low, I.write_from_high]
      right: [O.read_to_low, O.write_from_low, O.read_to_high, O.write_from_high]
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ,
      shared_over: all, burst: 512 bit }
vector_unit:
  lanes: 16
  memory: sram
  registers:
    - { name: lane, size: 96 bit, operands: [I, O], width: 48 bit, read_energy: 2 pJ, write_energy: 1 pJ, shared_over: [] }
  operations: { exp: { energy: 9 pJ, cycles: 6 } }
";

const CASES: &[Case] = &[
    // The text.
    ("name: Base", "name: [Base", "Look for brackets, quotes and indentation that do not match", "name: Base"),
    ("A core with everything.", "A core\0 with everything.", "Remove it", "A core with everything."),
    (
        "name: Base",
        "name: [[[[[[[[[[[[[[[[[[[[[[[[[[Base]]]]]]]]]]]]]]]]]]]]]]]]]]",
        "Remove brackets or indentation",
        "name: Base",
    ),
    ("name: Base", "---\nname: Base\n---\n", "Keep one document in a text", "name: Base"),
    ("dataflow: mine", "dataflow: *mine", "a leading `*` needs quotes", "dataflow: '*mine'"),
    (
        "dataflow: mine\nunroll",
        "dataflow: &mine x\nabout: *mine\nunroll",
        "Write out what it stands for",
        "dataflow: mine\nunroll",
    ),
    // Fields and values.
    ("about: A core", "about: A \u{202e}core", "Write it anew, without that character", "about: A core"),
    ("name: Base", "name: Base\nname: Other", "Keep one of them", "name: Base"),
    ("name: Base\n", "", "Write for example `name: My accelerator`", "name: My accelerator\n"),
    ("name: Base", "name:", "Write a name", "name: Base"),
    (
        "about: A core with everything.",
        "about: [a]",
        "Write a text; in quotes if it starts with a special character",
        "about: '[a]'",
    ),
    ("about: A core", "about: A \u{202e}core", "Write it anew, without that character", "about: A core"),
    ("name: Base", "name: Ba\u{202e}se", "Write it anew, without that character", "name: Base"),
    ("exp: {", "exp\u{202e}: {", "Write it anew, without that character", "exp: {"),
    ("clock: 200 MHz", "clocks: 200 MHz", "Did you mean `clock`?", "clock: 200 MHz"),
    ("dataflow: mine", "dataflow: mine\nqwertz: 3", "Remove it; the fields here are", "dataflow: mine"),
    (
        "dataflow: mine",
        "dataflow: minemineminemineminemineminemineminemineminemineminemineminemineminemineminemineminemineminemineminemine",
        "Shorten it",
        "dataflow: minemine",
    ),
    (
        "exp: {",
        "expexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexpexp: {",
        "Shorten it",
        "exp: {",
    ),
    ("lanes: 16", "lanes: sixteen", "Write for example `64`", "lanes: 64"),
    ("lanes: 16", "lanes: [16]", "Write a whole number", "lanes: 16"),
    (
        "operations: { exp: { energy: 9 pJ, cycles: 6 } }",
        "operations: exp",
        "Write `{ name: value }`",
        "operations:\n    exp: { energy: 9 pJ }",
    ),
    (
        "operands: [W]",
        "operands: { W: 1 }",
        "Write a list: `[a, b]`, or one line with a leading `-` for each item",
        "operands: [W]",
    ),
    // Numbers with units.
    ("size: 64 KiB", "size: 64", "Write for example `64 bit`, `8 B` or `32 KiB` (1 KiB = 1024 B)", "size: 32 KiB"),
    ("size: 64 KiB", "size: large", "Write for example `64 bit`, `8 B` or `32 KiB` (1 KiB = 1024 B)", "size: 32 KiB"),
    ("size: 64 KiB", "size: 0 KiB", "Write for example `64 bit`, `8 B` or `32 KiB` (1 KiB = 1024 B)", "size: 32 KiB"),
    ("size: 64 KiB", "size: 1.3 bit", "Write for example `64 bit`, `8 B` or `32 KiB` (1 KiB = 1024 B)", "size: 32 KiB"),
    ("size: 64 KiB", "size: -64 KiB", "It must be positive: write for example `64 bit`", "size: 64 KiB"),
    ("size: 64 KiB", "size: 64 KB", "Use `KiB` (1024 B)", "size: 64 KiB"),
    ("size: 64 KiB", "size: 1 MB", "Use `MiB` (1024 KiB)", "size: 1 MiB"),
    ("size: 1 GiB", "size: 1 GB", "Use `GiB` (1024 MiB)", "size: 1 GiB"),
    ("size: 64 KiB", "size: 64 Kb", "Write `8 KiB`, or `64 KiB` if bytes were meant", "size: 8 KiB"),
    ("size: 64 KiB", "size: 64 kb", "Write `8 KiB`, or `64 KiB` if bytes were meant", "size: 64 KiB"),
    ("size: 64 KiB", "size: 64 Mbit", "Write `8 MiB`, or `64 MiB` if bytes were meant", "size: 8 MiB"),
    ("size: 64 KiB", "size: 64 bytes", "Use `bit` or, for bytes, `B`", "size: 64 B"),
    ("size: 64 KiB", "size: 64 words", "Use bit, B, KiB, MiB or GiB", "size: 64 B"),
    ("size: 1 GiB", "size: 131073 GiB", "Write at most 131072 GiB (2^50 bit)", "size: 131072 GiB"),
    ("size: 1 GiB", "size: 1e400 GiB", "Write at most 131072 GiB (2^50 bit)", "size: 131072 GiB"),
    ("mac_energy: 0.5 pJ", "mac_energy: 0.5", "Write for example `26.56 pJ`", "mac_energy: 26.56 pJ"),
    ("mac_energy: 0.5 pJ", "mac_energy: 0.5 J", "Use pJ, fJ or nJ", "mac_energy: 0.5 nJ"),
    (
        "mac_energy: 0.5 pJ",
        "mac_energy: 1e400 pJ",
        "Write at most 10000000000 pJ (10 mJ)",
        "mac_energy: 10000000000 pJ",
    ),
    (
        "mac_energy: 0.5 pJ",
        "mac_energy: 20000000000 pJ",
        "Write at most 10000000000 pJ (10 mJ)",
        "mac_energy: 10000000000 pJ",
    ),
    (
        "mac_energy: 0.5 pJ",
        "mac_energy: -0.5 pJ",
        "It must be positive: write for example `26.56 pJ`",
        "mac_energy: 26.56 pJ",
    ),
    ("pe_area: 100 um2", "pe_area: 100", "Write for example `4740 um2` or `0.5 mm2`", "pe_area: 0.5 mm2"),
    ("pe_area: 100 um2", "pe_area: 100 cm2", "Use um2 or mm2 (1 mm2 = 1000000 um2)", "pe_area: 100 mm2"),
    ("pe_area: 100 um2", "pe_area: 1e400 um2", "Write at most 1000000 mm2", "pe_area: 1000000 mm2"),
    (
        "pe_area: 100 um2",
        "pe_area: 2000000 mm2",
        "Write at most 1000000000000 um2 (1 square metre)",
        "pe_area: 1000000000000 um2",
    ),
    ("  leakage: 0.1 mW", "  leakage: 0.1", "Write for example `1.2 mW` or `80 uW`", "  leakage: 80 uW"),
    ("  leakage: 0.1 mW", "  leakage: 0.1 pJ", "Use mW, uW, nW or W", "  leakage: 0.1 W"),
    ("  leakage: 0.1 mW", "  leakage: 1e400 mW", "Write at most 1000000000 mW (1 MW)", "  leakage: 1000000000 mW"),
    ("  leakage: 0.1 mW", "  leakage: 2000000000 mW", "Write at most 1000000000 mW (1 MW)", "  leakage: 1000000000 mW"),
    ("clock: 200 MHz", "clock: 200", "Write for example `200 MHz` or `1.4 GHz`", "clock: 1.4 GHz"),
    ("clock: 200 MHz", "clock: 0 MHz", "Write for example `200 MHz` or `1.4 GHz`", "clock: 1.4 GHz"),
    ("clock: 200 MHz", "clock: 200 Hz", "Use MHz, GHz or kHz", "clock: 200 kHz"),
    ("clock: 200 MHz", "clock: 1e400 MHz", "Write at most 1000000 MHz (1 THz)", "clock: 1000000 MHz"),
    ("clock: 200 MHz", "clock: 2000 GHz", "Write 0.001 kHz to 1000 GHz", "clock: 1000 GHz"),
    ("clock: 200 MHz", "clock: 0.0001 kHz", "Write 0.001 kHz to 1000 GHz", "clock: 0.001 kHz"),
    ("clock: 200 MHz\n", "", "State it, for example `clock: 200 MHz`", "clock: 200 MHz\n"),
    ("latency: 3 cycles", "latency: 3", "Write for example `1 cycle` or `10 cycles`", "latency: 10 cycles"),
    ("latency: 3 cycles", "latency: 1.5 cycles", "Write for example `1 cycle` or `10 cycles`", "latency: 1 cycle"),
    ("latency: 3 cycles", "latency: 3 ns", "Use cycle or cycles", "latency: 3 cycles"),
    (
        "latency: 3 cycles",
        "latency: 2000000000000000 cycles",
        "Write at most 1125899906842624 cycles from a request to its first word, for example `1 cycle`",
        "latency: 1125899906842624 cycles",
    ),
    // The array.
    (
        "dimensions: { D1: 8, D2: 4 }",
        "dimensions: {}",
        "Give it 1 to 16, for example `{ D1: 32, D2: 2 }`",
        "dimensions: { D1: 32, D2: 4 }",
    ),
    ("D1: 8,", "D1: 0,", "State how many PEs lie along this dimension", "D1: 8,"),
    ("D1: 8, D2: 4", "D1: 1000000000, D2: 1000000000", "Make its dimensions smaller", "D1: 1000, D2: 1000"),
    ("dataflow: mine", "dataflow: mine\nunrolls: 2", "Did you mean `unroll`?", "dataflow: mine"),
    (
        "mac_precision: 8 x 8",
        "mac_precision: 8",
        "Write the bits of W x I, for example `8 x 8`",
        "mac_precision: 8 x 8",
    ),
    (
        "mac_precision: 8 x 8",
        "mac_precision: 8 x 2000",
        "Write 1 to 1024 for each, for example `8 x 8`",
        "mac_precision: 8 x 1024",
    ),
    ("4 x 4: 0.1 pJ", "4: 0.1 pJ", "Write the bits of W x I, for example `8 x 8`", "4 x 4: 0.1 pJ"),
    // The unrolling of the array.
    ("  conv: {", "  konv: {", "Did you mean `conv`?", "  conv: {"),
    ("  conv: {", "  qwertz: {", "Use one of input, view, conv, ", "  conv: {"),
    ("{ D1: K,", "{ D7: K,", "Use one of D1, D2", "{ D1: K,"),
    ("{ D1: K,", "{ D1: M,", "Use one of B, G, K, C, OY, OX, FY, FX", "{ D1: K,"),
    ("{ D1: K,", "{ D1: K 0,", "Write at least 1, or leave the number out", "{ D1: K 1,"),
    ("{ D1: K,", "{ D1: K 4 2,", "Write for example `K`, `K 16` to use at most 16 PEs, or `[K 8, C 4]`", "{ D1: K 16,"),
    ("{ D1: K,", "{ D1: { K: 4 },", "Write a list", "{ D1: [K 4],"),
    ("[C 2, FX 2]", "[C, FX]", "State the number of PEs of all but one, for example `[FY 5, OY 2]`", "[C 2, FX]"),
    ("[C 2, FX 2]", "[C 4, FX 2]", "Make their numbers smaller, so that their product fits", "[C 2, FX 2]"),
    // Memories.
    ("  - name: sram\n", "  - name: ''\n", "Give it one, for example `lb`", "  - name: sram\n"),
    ("    size: 64 KiB\n", "", "Write for example `size: 64 KiB`", "    size: 64 KiB\n"),
    ("    width: 16 bit\n", "", "Write for example `width: 64 bit`", "    width: 16 bit\n"),
    ("    write_width: 256 bit\n", "", "Write for example `write_width: 64 bit`", "    write_width: 64 bit\n"),
    (
        "    read_width: 512 bit\n",
        "    read_width: 512 bit\n    width: 512 bit\n",
        "Keep the one or the others",
        "    read_width: 512 bit\n",
    ),
    (
        "    granularity: 64 bit\n",
        "    granularity: 512 bit\n",
        "Make the granularity at most the width",
        "    granularity: 256 bit\n",
    ),
    ("operands: [W]", "operands: []", "List what it holds, for example `[I, O]`", "operands: [W]"),
    ("operands: [W]", "operands: [W, W]", "Keep one", "operands: [W]"),
    ("operands: [W]", "operands: [X]", "Use W, I and O", "operands: [W]"),
    (
        "shared_over: [D1, D2]",
        "shared_over: [D1, D3]",
        "Use the names in `array.dimensions`, or `all`",
        "shared_over: all",
    ),
    (
        "shared_over: []\n  - name: sram",
        "shared_over: some\n  - name: sram",
        "Use the names in `array.dimensions`, or `all`",
        "shared_over: D1\n  - name: sram",
    ),
    (
        "double_buffered: true",
        "double_buffered: yes",
        "Write `true` (always), `false` (where it fits) or `never`",
        "double_buffered: never",
    ),
    ("burst: 512 bit", "burst: 32 bit", "Write at least 64 bit, or leave it out", "burst: 64 bit"),
    (
        "serves: [W.read_to_low, W.write_from_high], ",
        "",
        "Write for example `serves: [I.read_to_low]`",
        "serves: [W.read_to_low, W.write_from_high], ",
    ),
    ("width: 128 bit", "width: 200000 GiB", "Write at most 131072 GiB (2^50 bit)", "width: 131072 GiB"),
    ("width: 128 bit", "width: 16 bit", "Make the granularity at most the width", "width: 32 bit"),
    ("middle: [I.read_to_low,", "middle: [I.read_tolow,", "Did you mean `I.read_to_low`?", "middle: [I.read_to_low,"),
    ("middle: [I.read_to_low,", "middle: [I.qwertz, I.read_to_low,", "Use one of ", "middle: [I.read_to_low,"),
    (
        "middle: [I.read_to_low,",
        "middle: [W.read_to_low, I.read_to_low,",
        "Leave it to one port",
        "middle: [I.read_to_low,",
    ),
    ("middle: [I.read_to_low,", "middle: [", "Add it to one of the ports", "middle: [I.read_to_low,"),
    (
        "operands: [W, I, O]\n",
        "operands: [I, O]\n",
        "Add W to its operands, or take it off the port",
        "operands: [I, O, W]\n",
    ),
    (
        "operands: [W, I, O], width: 64 bit",
        "operands: [W, O], width: 64 bit",
        "Let one memory, the DRAM, be the highest of both",
        "operands: [W, I, O], width: 64 bit",
    ),
    (
        "shared_over: all, burst",
        "shared_over: [D1], burst",
        "Let it be shared over at least the same",
        "shared_over: all, burst",
    ),
    // The vector unit.
    ("lanes: 16", "lanes: 0", "Write 1 to ", "lanes: 1"),
    ("memory: sram", "memory: sran", "Did you mean `sram`?", "memory: sram"),
    ("memory: sram", "memory: buffer", "Use one of reg, sram, dram", "memory: dram"),
    (
        "memory: sram",
        "memory: reg",
        "Name a memory that holds I and O and is shared over the whole array",
        "memory: sram",
    ),
    (
        "{ name: lane, size: 96 bit, operands: [I, O],",
        "{ name: lane, size: 96 bit, operands: [I],",
        "Add a memory that holds O, for example `{ name: lane-registers, size: 512 bit, operands: [I, O], \
         width: 16 bit, read_energy: 2.19 pJ, write_energy: 1.91 pJ, shared_over: [] }`",
        "{ name: lane-registers, size: 512 bit, operands: [I, O], width: 16 bit, read_energy: 2.19 pJ, \
         write_energy: 1.91 pJ, shared_over: [] }\n    - { name: lane, size: 96 bit, operands: [I],",
    ),
    ("exp: {", "expo: {", "Did you mean `exp`?", "exp: {"),
    ("exp: {", "qwertz: {", "Use one of add, ", "exp: {"),
    ("cycles: 6", "cycles: 0", "Write 1 to ", "cycles: 1"),
];

/// An array that computes in memory.
const IN_MEMORY: &str = "\
name: In memory
array:
  dimensions: { D1: 32, D2: 64, D3: 2 }
  in_memory: { type: analog, columns: D1, rows: D2, precision: 8 x 8, input_bits: 2 bit, adc_resolution: 8 bit }
unroll:
  conv: { D1: K, D2: C }
memories:
  - { name: cells, size: 8 bit, operands: [W], width: 8 bit, read_energy: 0 pJ, write_energy: 0.1 pJ, shared_over: [] }
  - { name: sram, size: 32 KiB, operands: [I, O], width: 512 bit, read_energy: 400 pJ, write_energy: 380 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";

const IN_MEMORY_CASES: &[Case] = &[
    ("array:\n", "array:\n  mac_energy: 1 pJ\n", "Leave out `mac_energy`, or `in_memory`", "array:\n"),
    ("rows: D2", "rows: D1", "Name another dimension of the array", "rows: D2"),
    (
        "D2: 64, D3: 2 }\n  in_memory: { type: analog",
        "D2: 50, D3: 2 }\n  in_memory: { type: digital",
        "Give `D2` a power of 2, for example 64",
        "D2: 64, D3: 2 }\n  in_memory: { type: analog",
    ),
    ("adc_resolution: 8 bit", "adc_resolution: 800 bit", "Write 1 bit to ", "adc_resolution: 1 bit"),
    (", adc_resolution: 8 bit", "", "State it, for example `adc_resolution: 8 bit`", ", adc_resolution: 8 bit"),
    ("type: analog", "type: digital", "Leave it out, or write `type: analog`", "type: analog"),
    ("type: analog", "type: analogue", "Did you mean `analog`?", "type: analog"),
    ("type: analog", "type: optical", "Use one of analog, digital", "type: analog"),
    ("columns: D1", "columns: D9", "D1", "columns: D1"),
    ("D1: 32,", "D1: 100000000,", "Write at most ", "D1: 32,"),
    ("precision: 8 x 8", "precision: 6 x 8", "Write powers of 2 up to ", "precision: 8 x 8"),
    ("input_bits: 2 bit", "input_bits: 3 bit", "Write a power of 2, for example `1 bit`", "input_bits: 1 bit"),
    ("input_bits: 2 bit", "input_bits: 16 bit", "Write at most 8 bit", "input_bits: 8 bit"),
    (", input_bits: 2 bit", "", "Write for example `input_bits: 1 bit`", ", input_bits: 1 bit"),
    (
        "operands: [W], width: 8 bit,",
        "operands: [W, I], width: 8 bit,",
        "Put a memory below it, which holds `[W]` only",
        "operands: [W], width: 8 bit, read_energy: 0 pJ, write_energy: 0.1 pJ, shared_over: [] }\n  \
         - { name: buffer, size: 16 bit, operands: [W, I], width: 8 bit,",
    ),
    (
        "write_energy: 0.1 pJ, shared_over: []",
        "write_energy: 0.1 pJ, shared_over: all",
        "Write `shared_over: []`",
        "write_energy: 0.1 pJ, shared_over: []",
    ),
    ("size: 8 bit", "size: 12 bit", "Write a multiple of 8 bit", "size: 16 bit"),
];

/// A core whose buffer is estimated.
const ESTIMATED: &str = "\
name: Estimated
array: { dimensions: { D1: 8 }, mac_energy: 1 pJ }
memories:
  - { name: sram, size: 32 KiB, operands: [W, I, O], width: 256 bit, estimate: sram-65nm, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";

const ESTIMATED_CASES: &[Case] = &[
    (
        "estimate: sram-65nm",
        "read_energy: 1 pJ, write_energy: 1 pJ, area: 1 um2, estimate: sram-65nm",
        "Take `estimate` out, or a figure that it is to replace",
        "read_energy: 1 pJ, area: 1 um2, estimate: sram-65nm",
    ),
    (
        "size: 32 KiB",
        "size: 4 bit",
        "State its energies, and its area if you know it, or give it such a size",
        "size: 1 KiB",
    ),
    (
        "width: 256 bit",
        "width: 1000000 bit",
        "State its energies, and its area if you know it, or make the word narrower",
        "width: 512 bit",
    ),
    ("estimate: sram-65nm", "estimate: sram-19nm", "Did you mean `sram-20nm`?", "estimate: sram-20nm"),
    ("estimate: sram-65nm", "estimate: cacti", "Use one of ", "estimate: sram-65nm"),
];
