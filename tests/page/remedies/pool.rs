//! Pools of memories: refusals, and the effect of following their remedies.

use super::{Case, Room, pool};

pub const ROOM: Room = Room {
    sources: &["src/spec/pool.rs", "src/model/pool.rs"],
    no_remedies: &[
        "My pool",
        // For a text, an earlier check reports it.
        "Write a positive number with a unit, for example `4 KiB`",
        "Write a positive number, for example `32 bit`",
    ],
    tables: &[(pool, BASE, CASES), (pool, ONE, ONE_CASES)],
    grown: Vec::new,
};

const BASE: &str = "\
name: Base
memories:
  - name: register
    size: 64 B
    replication: [per_pe, per_dimension]
    variants:
      - { width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, area: 100 um2 }
      - { read_width: 16 bit, write_width: 8 bit, read_energy: 0.2 pJ, write_energy: 0.2 pJ, area: 120 um2 }
  - name: sram
    size: 32 KiB
    replication: [shared]
    variants: [{ width: 64 bit, estimate: sram-65nm }]
";

const CASES: &[Case] = &[
    ("name: Base\n", "", "Write for example `name: My pool`", "name: My pool\n"),
    ("name: sram", "name: ''", "Give it one, for example `sram`", "name: sram"),
    ("name: sram", "name: register", "Rename this one or that of `memories[0]`", "name: sram"),
    (
        "name: sram",
        "name: sramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsramsram",
        "Shorten it",
        "name: sram",
    ),
    ("size: 32 KiB", "size: 200000 GiB", "Write at most 131072 GiB (2^50 bit)", "size: 16 MiB"),
    (
        "replication: [shared]",
        "replication: []",
        "Use per_pe, per_dimension, shared",
        "replication: [per_pe, per_dimension, shared]",
    ),
    ("replication: [shared]", "replication: [share]", "Did you mean `shared`?", "replication: [shared]"),
    (
        "replication: [shared]",
        "replication: [everywhere]",
        "Use per_pe, per_dimension, shared",
        "replication: [per_pe]",
    ),
    ("replication: [shared]", "replication: [shared, shared]", "Keep one", "replication: [shared]"),
    (
        "variants: [{ width: 64 bit, estimate: sram-65nm }]",
        "variants: []",
        "List at least one, for example `{ width: 32 bit, estimate: sram-65nm }`",
        "variants: [{ width: 32 bit, estimate: sram-65nm }]",
    ),
    ("read_width: 16 bit", "read_width: 8 bit", "Keep one of them", "read_width: 16 bit"),
    (
        "{ width: 8 bit, read_energy",
        "{ read_energy",
        "Write for example `width: 32 bit`",
        "{ width: 32 bit, read_energy",
    ),
    (
        "{ width: 64 bit, estimate: sram-65nm }",
        "{ width: 64 bit, estimate: sram-65nm, area: 1 um2 }",
        "Keep the one or the other",
        "{ width: 64 bit, estimate: sram-65nm }",
    ),
    ("estimate: sram-65nm", "estimate: sram-66nm", "Did you mean `sram-65nm`?", "estimate: sram-65nm"),
    ("{ width: 64 bit,", "{ width: 64 bit, read_width: 8 bit,", "Keep the one or the others", "{ width: 64 bit,"),
    (
        "area: 120 um2",
        "area: 2000000 mm2",
        "Write at most 1000000000000 um2 (1 square metre)",
        "area: 1000000000000 um2",
    ),
];

const ONE: &str = "\
name: One
memories:
  - { name: sram, size: 32 KiB, replication: [shared], variants: [{ width: 64 bit, estimate: sram-65nm }] }
";

const ONE_CASES: &[Case] = &[(
    "\n  - { name: sram, size: 32 KiB, replication: [shared], variants: [{ width: 64 bit, estimate: sram-65nm }] }",
    " []",
    "List at least one",
    "\n  - { name: sram, size: 64 KiB, replication: [shared], variants: [{ width: 64 bit, estimate: sram-65nm }] }",
)];
