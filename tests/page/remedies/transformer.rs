//! Transformers: what is refused, and what its remedy makes of it.

use super::{Case, Room, transformer};

pub const ROOM: Room = Room {
    sources: &["src/spec/transformer.rs", "src/engine/attention/transformer.rs"],
    no_remedies: &[
        "My transformer",
        // Of a step, which is no part of the document.
        "Take fewer sequences, or fewer tokens",
        "The step has more than 2^52 multiply-accumulates",
    ],
    tables: &[(transformer, BASE, CASES)],
    grown: Vec::new,
};

const BASE: &str = "\
name: Base
layers: 12
width: 768
heads: 12
key_heads: 4
head_size: 64
feed_forward: { width: 3072, gated: true, experts: 8, active: 2 }
";

const CASES: &[Case] = &[
    ("name: Base\n", "", "Write for example `name: My transformer`", "name: My transformer\n"),
    ("layers: 12\n", "", "Write for example `layers: 12`", "layers: 12\n"),
    ("layers: 12\n", "layers: 0\n", "Write 1 to 16777216", "layers: 1\n"),
    ("heads: 12\n", "heads: 20000000\n", "Write 1 to 16777216", "heads: 16\n"),
    ("key_heads: 4", "key_heads: 5", "Write a divisor of `heads`", "key_heads: 6"),
    ("active: 2", "active: 9", "Write at most the number of experts", "active: 8"),
    (
        "layers: 12\nwidth: 768",
        "layers: 16777216\nwidth: 768",
        "Take fewer layers, or narrower ones",
        "layers: 100\nwidth: 768",
    ),
    ("gated: true", "gated: perhaps", "Write one of them", "gated: false"),
];
