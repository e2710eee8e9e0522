//! Lessons: refusals, and the effect of following their remedies.

use super::{Case, Grown, Room, lesson};

pub const ROOM: Room = Room {
    sources: &["src/spec/lesson.rs", "src/lesson/document.rs"],
    no_remedies: &[
        "Why fuse layers?",
        "What stays on the chip need not be fetched again.",
        "One layer at a time",
        "Every map goes to DRAM and comes back.",
        "Where does the energy go?",
        "DRAM takes {dram} of it.",
        "About ten times",
        "Count DRAM, too.",
    ],
    tables: &[(lesson, BASE, CASES)],
    grown,
};

/// A task with too many designs, and a lesson without steps.
fn grown() -> Vec<Grown> {
    let sizes: Vec<String> = (1..=64).map(|size| format!("{size} KiB")).collect();
    let task = |cut: usize| {
        let values = format!("values: [{}]", sizes[..cut].join(", "));
        let other = format!("{{ field: hardware.sram_1MB_A.size, {values} }}");
        let base = BASE.replace("{ field: cut.conv, values: [fused, cut] }", &other);
        base.replace("values: [16 KiB, 64 KiB]", &values)
    };
    let steps = BASE.find("steps:").unwrap();
    let none = format!("{}steps: []\n", &BASE[..steps]);
    vec![(lesson, task(64), "List fewer values", task(32)), (lesson, none, "Write at least one", BASE.to_owned())]
}

const BASE: &str = "\
title: Base
about: A step of each kind.
parameters:
  - { name: size, values: [32 KiB, 64 KiB] }
  - { name: columns, from: 4, to: 16, step: 4 }
steps:
  - title: A choice
    text: The memory has $size, and tiles have $columns columns.
    opens: { view: schedule, hardware: meta-proto-like-df, workload: fsrcnn, set: { hardware.sram_64KB.size: $size } }
    question: Which share goes to DRAM?
    numbers:
      - { name: dram, unit: '%', measure: { memory-share: { of: opened, memory: dram } } }
    answers:
      - { text: Little, when: [dram 0..50] }
      - { text: Much, when: [dram 50..] }
    explains: DRAM takes {dram}.
    marks: 2
    tries: 3
  - title: A number
    text: The same.
    opens: { view: schedule, hardware: meta-proto-like-df, workload: fsrcnn }
    question: How much energy?
    numbers:
      - { name: energy, unit: mJ, measure: { energy: { of: opened } } }
      - { name: single, unit: mJ, measure: { energy: { of: single-layer } } }
    number: { is: energy, tolerance: 2 % }
    hints: [{ near: single, text: One layer at a time. }]
    explains: It takes {energy}.
  - title: A curve
    text: Draw it.
    opens: { view: schedule, hardware: meta-proto-like-df, workload: fsrcnn }
    question: How does it change?
    numbers: [{ name: joules, unit: mJ, measure: { energy: { of: opened } } }]
    predict: { number: joules, field: hardware.sram_64KB.size, values: [8 KiB, 16 KiB], axis: 0..6, tolerance: 25 % }
    explains: More room.
  - title: A task
    text: Choose.
    opens: { view: schedule, hardware: meta-proto-like-df, workload: fsrcnn }
    question: Find the least.
    numbers: [{ name: least, unit: mJ, measure: { energy: { of: opened } } }]
    task:
      fields:
        - { field: hardware.sram_64KB.size, values: [16 KiB, 64 KiB] }
        - { field: cut.conv, values: [fused, cut] }
      minimise: least
      goals: [least ..9]
      within: 1 %
    explains: All designs are computed.
";

const CASES: &[Case] = &[
    ("title: Base\n", "", "Write for example `title: Why fuse layers?`", "title: Why fuse layers?\n"),
    // Parameters.
    ("tiles have $columns", "tiles have $column", "Did you mean `$columns`?", "tiles have $columns"),
    (
        "tiles have $columns",
        "tiles cost $qwertz",
        "Add `qwertz` to `parameters`, or write `$$` for a dollar",
        "tiles cost $$qwertz",
    ),
    ("name: columns,", "name: size,", "Write another name, for example `size`", "name: columns,"),
    ("name: columns,", "name: the columns,", "Write another name, for example `size`", "name: columns,"),
    (
        "values: [32 KiB, 64 KiB] }\n  - {",
        "values: [] }\n  - {",
        "List those that may be drawn: `[32 KiB, 64 KiB]`",
        "values: [32 KiB, 64 KiB] }\n  - {",
    ),
    (
        "from: 4, to: 16, step: 4",
        "from: 4, to: 2",
        "Write `values: [4, 8, 16]`, or `from: 4`, `to: 16`, `step: 4`",
        "from: 4, to: 16, step: 4",
    ),
    (
        "from: 4, to: 16, step: 4",
        "from: 4",
        "Write `values: [4, 8, 16]`, or `from: 4`, `to: 16`, `step: 4`",
        "values: [4, 8, 16]",
    ),
    // Steps.
    ("marks: 2", "marks: many", "Write 0 to 1000", "marks: 1000"),
    ("tries: 3", "tries: 0", "Write 1 to 20", "tries: 1"),
    (
        "    number: { is: energy, tolerance: 2 % }\n",
        "    number: { is: energy, tolerance: 2 % }\n    answers: []\n",
        "Keep one of answers, number, predict, task",
        "    number: { is: energy, tolerance: 2 % }\n",
    ),
    (
        "    number: { is: energy, tolerance: 2 % }\n",
        "",
        "Write for example `answers: ",
        "    number: { is: energy, tolerance: 2 % }\n",
    ),
    ("name: single,", "name: energy,", "Write another name", "name: single,"),
    ("unit: '%'", "unit: 'mJ'", "Use ", "unit: '%'"),
    ("unit: '%'", "unit: 'percents'", "Use ", "unit: '%'"),
    (
        "explains: DRAM takes {dram}.",
        "explains: DRAM takes {share}.",
        "Add a number called `share`",
        "explains: DRAM takes {dram}.",
    ),
    (
        "{ memory-share: { of: opened, memory: dram } }",
        "{ memory-share: { of: opened, memory: dram }, energy: { of: opened } }",
        "Write one, with its parameters in braces",
        "{ memory-share: { of: opened, memory: dram } }",
    ),
    ("memory: dram }", "memory: drum }", "Did you mean `dram`?", "memory: dram }"),
    (
        "    marks: 2\n",
        "    hints: [{ near: dram, text: no }]\n",
        "Write a condition on a number of the step, for example `when: [gain 8..14]`",
        "    hints: [{ when: [dram 8..14], text: no }]\n",
    ),
    // Answers.
    (
        "      - { text: Much, when: [dram 50..] }\n",
        "",
        "Write at least two answers",
        "      - { text: Much, when: [dram 50..] }\n",
    ),
    ("when: [dram 50..]", "when: []", "Write for example `[gain 8..14]`", "when: [dram 50..]"),
    (
        "when: [dram 50..]",
        "when: [DRAM more]",
        "Write the name of a number and its limits, for example `gain 8..14`",
        "when: [dram 50..]",
    ),
    ("is: energy,", "is: joule,", "Add it to `numbers`, or write `energy` or `single`", "is: energy,"),
    ("when: [dram 50..]", "when: [dram 90..50]", "Write an upper limit above the lower one", "when: [dram 50..90]"),
    ("tolerance: 2 %", "tolerance: 200 %", "Write for example `2 %`", "tolerance: 2 %"),
    ("tolerance: 2 %", "tolerance: 0 %", "Write for example `2 %`", "tolerance: 2 %"),
    ("tolerance: 2 %", "tolerance: some", "Write for example `0.5 %`", "tolerance: 0.5 %"),
    ("tolerance: 25 %", "tolerance: 0 %", "Write for example `25 %`", "tolerance: 25 %"),
    ("axis: 0..6", "axis: 6", "Write for example `0..12`", "axis: 0..12"),
    ("minimise: least", "minimise: energy", "Add it to `numbers`, or write `least`", "minimise: least"),
    ("within: 1 %", "within: 100 %", "Write for example `2 %`", "within: 2 %"),
    (
        "      minimise: least",
        "      mapping: true\n      minimise: least",
        "Keep `fields` or `mapping`",
        "      minimise: least",
    ),
    ("values: [8 KiB, 16 KiB]", "values: [8 KiB]", "List at least two values", "values: [8 KiB, 16 KiB]"),
    (
        "field: cut.conv, values: [fused, cut]",
        "field: cut.conv, values: [yes, no]",
        "Write `[fused, cut]`",
        "field: cut.conv, values: [fused, cut]",
    ),
    (
        "field: cut.conv, values: [fused, cut]",
        "field: colour, values: [fused, cut]",
        "Write `hardware.` or `workload.` and a field of that document",
        "field: cut.conv, values: [fused, cut]",
    ),
];
