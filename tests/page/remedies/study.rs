//! Studies: refusals, and the effect of following their remedies.

use super::{Case, Grown, Room, study};

pub const ROOM: Room = Room {
    sources: &[
        "src/spec/study.rs",
        "src/engine/explore/study/axis.rs",
        "src/engine/explore/study/constraint.rs",
        "src/engine/explore/study/document.rs",
        "src/engine/explore/study/schedule.rs",
    ],
    no_remedies: &[
        "My study",
        // Validation rejects such names before any design is made.
        "There is no such document",
        "Name one that the study knows",
        // Every value of a preset can be edited in place.
        "Name a single value of a document that is written as documents usually are",
        // A document cannot have that many axes.
        "Tie some axes together",
    ],
    tables: &[(study, BASE, CASES), (study, WHOLE, WHOLE_CASES), (study, ON_CORES, CASES_ON_CORES)],
    grown,
};

const BASE: &str = "\
name: Base
hardware: meta-proto-like-df
network: three-convs
schedule: { columns: 16, rows: [4, 16], modes: fully-cached, stacks: auto, search: loma, lpf_limit: 3, rules: corrected }
axes:
  - { vary: hardware.memories.sram_32KB.size, values: [8 KiB, 24 KiB] }
  - { vary: 'hardware.memories[3].size', from: 16 KiB, to: 64 KiB, count: 3, scale: log }
  - { vary: [hardware.memories.dram.read_energy, hardware.memories.dram.write_energy], values: [[100 pJ, 110 pJ], 90 pJ] }
  - { vary: schedule.objective, values: [energy, latency] }
constraints: capacity <= 6 MiB
record: [energy]
objectives: [latency]
sampling: grid
beaten: skip
";

const CASES: &[Case] = &[
    ("name: Base\n", "", "Write for example `name: My study`", "name: My study\n"),
    (
        "hardware: meta-proto-like-df\n",
        "",
        "Write for example `hardware: meta-proto-like-df`",
        "hardware: meta-proto-like-df\n",
    ),
    ("network: three-convs", "network: []", "Write for example `resnet18`", "network: three-convs"),
    ("network: three-convs", "network: four-convs", "Name a preset or a file", "network: three-convs"),
    (
        "hardware: meta-proto-like-df",
        "hardware: [meta-proto-like-df, broken.yaml]",
        "Write for example `memories: ",
        "hardware: [meta-proto-like-df]",
    ),
    ("columns: 16,", "colums: 16,", "Did you mean `columns`?", "columns: 16,"),
    (
        "columns: 16,",
        "columns: wide,",
        "Write for example 60, [4, 60], 10..960:10, or `whole`",
        "columns: [4, 60, whole],",
    ),
    ("columns: 16,", "columns: [8, {}],", "Write for example `[4, 60]`", "columns: [4, 60],"),
    ("modes: fully-cached", "modes: fully-cashed", "Did you mean `fully-cached`?", "modes: fully-cached"),
    ("search: loma", "search: quick", "Use one of exact, loma", "search: exact"),
    ("lpf_limit: 3", "lpf_limit: few", "Write 1 to 12: the time grows", "lpf_limit: 6"),
    ("rules: corrected", "rules: corected", "Did you mean `corrected`?", "rules: corrected"),
    ("vary: schedule.objective", "vary: schedul.objective", "Did you mean `schedule`?", "vary: schedule.objective"),
    (
        "vary: schedule.objective",
        "vary: x.objective",
        "Begin with `hardware`, `network`, `system` or `schedule`, as in `hardware.memories[1].size`",
        "vary: schedule.objective",
    ),
    (
        "vary: schedule.objective",
        "vary: schedule.objectiv",
        "Did you mean `schedule.objective`?",
        "vary: schedule.objective",
    ),
    (
        "vary: schedule.objective",
        "vary: schedule.qwertz",
        "Use one of columns, rows, modes, tiles, stacks, order, objective, scheduler, search, lpf_limit, rules",
        "vary: schedule.objective",
    ),
    (
        "vary: schedule.objective, values: [energy, latency]",
        "vary: schedule, values: [4, 8]",
        "Write for example `schedule.columns`",
        "vary: schedule.columns, values: [4, 8]",
    ),
    (
        "values: [energy, latency]",
        "values: [energy, speed]",
        "Use one of energy, latency, edp, dram-accesses",
        "values: [energy, edp]",
    ),
    ("values: [8 KiB, 24 KiB]", "values: []", "Write at least one", "values: [8 KiB]"),
    (
        "sram_32KB.size, values: [8 KiB, 24 KiB]",
        "sram_32KB.size",
        "Write for example `values: [8 KiB, 16 KiB, 32 KiB]`",
        "sram_32KB.size, values: [8 KiB, 16 KiB, 32 KiB]",
    ),
    ("values: [8 KiB, 24 KiB]", "values: [8 KiB, 24 KB]", "Use `KiB` (1024 B)", "values: [8 KiB, 24 KiB]"),
    ("memories.sram_32KB.size", "memories.sram_33KB.size", "Did you mean `sram_32KB`?", "memories.sram_32KB.size"),
    ("memories.sram_32KB.size", "memories.zzz.size", "There are ", "memories.sram_32KB.size"),
    ("memories.sram_32KB.size", "name.size", "Add this field to the document, or shorten the path", "memories.1.size"),
    (
        "memories.sram_32KB.size",
        "memories.sram_32KB.operands.x",
        "Name a place as diagnostics do: `memories[1].size`",
        "memories.1.size",
    ),
    ("columns: 16,", "tiles: 4,", "Write some of columns, rows, ", "columns: 16,"),
    (
        "vary: schedule.objective, values: [energy, latency]",
        "vary: system.links.0.width, values: [8 bit]",
        "Write for example `system: tpu-quad`",
        "vary: schedule.objective, values: [energy]",
    ),
    ("record: [energy]", "record: [links_energy]", "Use some of energy, latency, ", "record: [dram_words]"),
    ("memories[3]", "memories[30]", "Write memories[0] to memories[", "memories[3]"),
    (
        "hardware.memories.sram_32KB.size",
        "'hardware.memories[3].size'",
        "Keep one of them",
        "hardware.memories.sram_32KB.size",
    ),
    ("from: 16 KiB", "from: some", "Write for example `8 KiB`", "from: 8 KiB"),
    ("from: 16 KiB", "from: 16 pJ", "Write both in units of one kind, such as `8 KiB` and `2 MiB`", "from: 8 KiB"),
    ("from: 16 KiB", "from: 0 KiB", "Write two numbers above 0", "from: 1 KiB"),
    ("from: 16 KiB, ", "", "Write for example `from: 8 KiB`", "from: 8 KiB, "),
    ("count: 3", "count: 0", "Write 1 to 10000", "count: 1"),
    ("scale: log", "scale: logarithmic", "Write `linear` or `log`", "scale: log"),
    ("scale: log", "scale: log, values: [1 KiB]", "Remove one of them", "scale: log"),
    (
        "[100 pJ, 110 pJ]",
        "[100 pJ, 110 pJ, 120 pJ]",
        "Write 2 values in a list, or a single one for all paths",
        "[100 pJ, 120 pJ]",
    ),
    (
        "capacity <= 6 MiB",
        "capacity = 6 MiB",
        "Write for example `area <= 2 mm2` or `utilization >= 0.5`",
        "capacity <= 6 MiB",
    ),
    ("capacity <= 6 MiB", "capcity <= 6 MiB", "Did you mean `capacity`?", "capacity <= 6 MiB"),
    ("capacity <= 6 MiB", "capacity <= 6 pJ", "Write a number of ", "capacity <= 6 MiB"),
    ("record: [energy]", "record: [xyz]", "Use one of energy, ", "record: [energy]"),
    (
        "sampling: grid",
        "sampling: sobl",
        "Write `grid`, `{ sobol: 1000 }` or `{ refine: 1000 }`",
        "sampling: { sobol: 1000 }",
    ),
    (
        "sampling: grid",
        "sampling: {}",
        "Write `grid`, `{ sobol: 1000 }` or `{ refine: 1000 }`",
        "sampling: { refine: 1000 }",
    ),
    ("sampling: grid", "sampling: { sobol: 0 }", "Write 1 or more", "sampling: { sobol: 1 }"),
    (
        "sampling: grid",
        "sampling: { sobol: 9, refine: 9 }",
        "Write `grid`, `{ sobol: 1000 }` or `{ refine: 1000 }`",
        "sampling: grid",
    ),
    ("beaten: skip", "beaten: leave", "Write one of them", "beaten: record"),
];

/// Whole documents vary.
const WHOLE: &str = "\
name: Whole
network: three-convs
axes:
  - { vary: hardware, values: [meta-proto-like-df, tpu-like-df] }
";

const WHOLE_CASES: &[Case] = &[(
    "network: three-convs\n",
    "network: three-convs\nhardware: tpu-like-df\n",
    "Leave out the field `hardware`",
    "network: three-convs\n",
)];

/// Designs are systems of cores.
const ON_CORES: &str = "\
name: On cores
hardware: tpu-like
system: quad-beside
network: three-convs
schedule: { tiles: 4, order: best }
axes:
  - { vary: system.links.0.width, values: [32 bit, 64 bit] }
record: [energy]
";

const CASES_ON_CORES: &[Case] = &[
    ("hardware: tpu-like\n", "", "Write for example `hardware: tpu-like`", "hardware: tpu-like\n"),
    ("system: quad-beside", "system: []", "Write for example `tpu-quad`", "system: quad-beside"),
    (
        "hardware: tpu-like\nsystem: quad-beside",
        "hardware: [tpu-like, tpu-like-df]\nsystem: stream-2ws",
        "Vary `system.cores.0.hardware`, or leave it out",
        "hardware: tpu-like\nsystem: stream-2ws",
    ),
    ("tiles: 4,", "tiles: 0,", "Write 1 row or more", "tiles: 1,"),
    ("tiles: 4,", "tiles: [4, 8],", "Write one, and vary `schedule.tiles` for others", "tiles: 8,"),
    ("record: [energy]", "record: [dram_words]", "Use some of energy, latency, ", "record: [peak_on_chip]"),
    ("order: best", "order: deep", "Did you mean `deepest`?", "order: deepest"),
    ("order: best", "columns: 4", "Write some of tiles, stacks, order, ", "stacks: one"),
];

/// Four axes of ten thousand values each.
fn grown() -> Vec<Grown> {
    let paths = ["sram_32KB.read_energy", "sram_32KB.write_energy", "sram_64KB.read_energy", "sram_64KB.write_energy"];
    let with = |count: u64| {
        let axis =
            |path: &str| format!("  - {{ vary: hardware.memories.{path}, from: 1 pJ, to: 2 pJ, count: {count} }}\n");
        format!("name: Many\nhardware: meta-proto-like-df\nnetwork: three-convs\naxes:\n{}", paths.map(axis).concat())
    };
    vec![(study, with(10_000), "Leave out values, or axes", with(100))]
}
