//! Transformers: refusals, and the effect of following their remedies.

use super::{Case, Room, transformer};

pub const ROOM: Room = Room {
    sources: &["src/spec/transformer.rs", "src/model/transformer.rs", "src/engine/attention/transformer.rs"],
    no_remedies: &[
        "My transformer",
        "My model",
        // For a step, which is not part of the document.
        "Take fewer sequences, or fewer tokens",
        "The step has more than 2^52 multiply-accumulates",
    ],
    tables: &[
        (transformer, BASE, CASES),
        (transformer, LATENT, LATENT_CASES),
        (transformer, WINDOW, WINDOW_CASES),
        (transformer, BLOCK, BLOCK_CASES),
    ],
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

/// Keys and values computed from a latent.
const LATENT: &str = "\
name: Latent
layers: 12
width: 768
heads: 12
head_size: 64
latent: { rank: 128, rotary: 16, absorbed: true }
feed_forward: { width: 3072 }
";

const LATENT_CASES: &[Case] = &[("heads: 12\n", "heads: 12\nkey_heads: 4\n", "Take `key_heads` off", "heads: 12\n")];

const WINDOW: &str = "\
name: Window
layers: 12
width: 768
heads: 12
head_size: 64
decoder: true
window: 128
feed_forward: { width: 3072 }
";

const WINDOW_CASES: &[Case] = &[
    ("window: 128", "window: 0", "Write at least 1", "window: 1"),
    ("decoder: true\n", "decoder: false\n", "Take the window off, or make it a decoder", "decoder: true\n"),
    ("decoder: true\nwindow: 128\n", "decoder: false\nwindow: 128\n", "Take the window off", "decoder: false\n"),
];

/// State-space blocks.
const BLOCK: &str = "\
name: Blocks
layers: 24
width: 768
state_space: { channels: 1536, states: 16, rank: 48, kernel: 4 }
";

const BLOCK_CASES: &[Case] = &[
    ("width: 768\n", "width: 768\nheads: 12\n", "Take `heads` off", "width: 768\n"),
    ("name: Blocks\n", "", "Write for example `name: My model`", "name: My model\n"),
    ("kernel: 4", "kernel: 0", "Write 1 to 16777216", "kernel: 1"),
];

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
