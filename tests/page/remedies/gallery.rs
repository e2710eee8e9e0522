//! Entries of the gallery: refusals, and the effect of following their remedies.

use super::{Case, Room};
use fusescape::gallery::Entry;
use fusescape::spec::Diagnostics;

pub const ROOM: Room = Room {
    sources: &[
        "src/gallery/claim.rs",
        "src/gallery/entry.rs",
        "src/gallery/opening.rs",
        "src/gallery/parameters.rs",
        "src/gallery/run_strategy.rs",
        "src/spec/gallery.rs",
    ],
    no_remedies: &[
        // A remark of a claim.
        "Not published: {}. {why}",
        // Examples of missing fields.
        "The landscape of FSRCNN",
        "Neither small nor large tiles are best.",
        "Fig. 12",
        // For steps of lessons, tested with those.
        "Begin with `hardware.` or `workload.`",
    ],
    tables: &[(read, BASE, CASES)],
    grown: Vec::new,
};

fn read(text: &str) -> Result<(), Diagnostics> {
    Entry::from_text("mine", text).map(drop)
}

const BASE: &str = "\
title: A landscape
paper: DeFiNES
place: Fig. 12
lesson: Tiles matter.
opens:
  view: landscape
  hardware: eyeriss-like
  workload: alexnet-eyeriss
  rules: [corrected, array_keeps_inputs=false]
  strategy: loma
  lpf_limit: 6
  tiles_x: [4]
  point: 4x72 fully-cached
  layer: conv2
  order: [K 8, C 2, FX 5, OX 2, C 2, OX 13, C 12, K 32]
  ends: { O: [5, 7, 8], W: [6, 8], I: [3, 7, 8] }
  cores: { system: ws-pair, stacks: one, order: deepest, allocation: 'conv1: 0', weights_first: true }
claims:
  - { what: energy, published: 5, unit: mJ, measure: { energy: { of: best } }, deviation: 5 %, tolerance: 1 %, why: Other tiles. }
  - { what: MACs, published: 207667200, measure: layer-macs }
";

const CASES: &[Case] = &[
    ("view: landscape", "view: landscap", "Did you mean `landscape`?", "view: landscape"),
    ("view: landscape", "view: x", "Use one of landscape, schedule", "view: schedule"),
    ("strategy: loma", "strategy: lomma", "Did you mean `loma`?", "strategy: loma"),
    ("lpf_limit: 6", "lpf_limit: 11", "Write 1 to 10", "lpf_limit: 10"),
    (
        "array_keeps_inputs=false",
        "array_keeps_inputs",
        "Write a switch and its value, for example `array_keeps_inputs=false`",
        "array_keeps_inputs=false",
    ),
    ("4x72 fully-cached", "small", "Write a tile and a mode, for example `4x72 fully-cached`", "4x72 fully-cached"),
    (
        "{ of: best }",
        "{ of: 0x72 fully-cached }",
        "Write a size of 1 or more instead of `0`",
        "{ of: 1x72 fully-cached }",
    ),
    (
        "unit: mJ, measure: { energy: { of: best } }",
        "unit: \"%\", measure: { fused-volume-saved: { layers: [], of-first: 2 } }",
        "Write a value, or leave it out",
        "unit: \"%\", measure: { fused-volume-saved: { layers: [conv1, conv2], of-first: 2 } }",
    ),
    ("[K 8,", "[K eight,", "Write a loop and its size, for example `K 8`", "[K 8,"),
    ("O: [5, 7, 8]", "O: [five, 7, 8]", "Write after how many loops the level ends", "O: [5, 7, 8]"),
    ("{ O: [5", "{ Q: [5", "Use one of O, W, I", "{ O: [5"),
    ("stacks: one", "stacks: on", "Did you mean `one`?", "stacks: one"),
    ("weights_first: true", "weights_first: perhaps", "Write `true` or `false`", "weights_first: true"),
    (
        "weights_first: true",
        "weights: true",
        "Use `system`, `tiles`, `stacks`, `allocation`, `scheduler`, `order` or `weights_first`",
        "scheduler: stream-2024",
    ),
    (
        "allocation: 'conv1: 0'",
        "allocation: conv1",
        "Write layers and numbers of their cores, for example `conv1: 0; conv2: 1 2`",
        "allocation: 'conv1: 0; conv2: 1 2'",
    ),
    ("system: ws-pair", "system: ws-pear", "Did you mean `ws-pair`?", "system: ws-pair"),
    ("unit: mJ", "unit: mj", "Did you mean `mJ`?", "unit: mJ"),
    ("unit: mJ", "unit: cycles", "Use ", "unit: mJ"),
    ("published: 5,", "published: 0,", "Claim another number", "published: 5,"),
    (
        "published: 5,",
        "published: five,",
        "Write for example `1.8`, a range `17..18` or a bound `..1.2`",
        "published: 1.8,",
    ),
    ("deviation: 5 %", "deviation: some", "Write for example `0.5 %`", "deviation: 0.5 %"),
    (", why: Other tiles.", "", "Write one sentence", ", why: Other tiles."),
    ("measure: layer-macs", "measure: layer-mac", "Did you mean `layer-macs`?", "measure: layer-macs"),
    ("measure: layer-macs", "measure: { layer-macs: { of: best } }", "This measure has none", "measure: layer-macs"),
    (
        "measure: layer-macs",
        "measure: { layer-macs: {}, active-pes: {} }",
        "Write one, with its parameters in braces: `energy: { of: best }`",
        "measure: layer-macs",
    ),
    ("{ of: best }", "{ at: best, of: best }", "Use of", "{ of: best }"),
    ("{ of: best }", "{ of: [best, best] }", "Keep one", "{ of: best }"),
    ("{ of: best }", "{}", "Add `of`", "{ of: best }"),
    ("paper: DeFiNES\n", "", "Write for example `paper: DeFiNES`", "paper: DeFiNES\n"),
    (
        "claims:\n  - { what: energy, published: 5, unit: mJ, measure: { energy: { of: best } }, deviation: 5 %, tolerance: 1 %, \
         why: Other tiles. }\n  - { what: MACs, published: 207667200, measure: layer-macs }\n",
        "claims: []\n",
        "List at least one",
        "claims:\n  - { what: MACs, published: 207667200, measure: layer-macs }\n",
    ),
];
