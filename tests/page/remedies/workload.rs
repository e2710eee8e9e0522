//! Networks: refusals, and the effect of following their remedies.

use super::{Case, Room, network};

pub const ROOM: Room = Room {
    sources: &["src/spec/workload.rs", "src/model/workload/build.rs", "src/model/workload/sizing.rs"],
    no_remedies: &[
        "My network",
        // For a text, an earlier check reports that an input has no such field.
        "Leave `from` out: an input reads nothing",
    ],
    tables: &[(network, BASE, CASES), (network, VIEWS, VIEW_CASES), (network, NOTHING, NOTHING_CASES)],
    grown: Vec::new,
};

const BASE: &str = "\
name: Base
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
density: { W: 0.5 }
layers:
  - { name: image, type: input, K: 6, size: 31 x 23 }
  - { name: conv1, type: conv, K: 12, kernel: 3 x 3, padding: same, groups: 2 }
  - { name: conv2, type: conv, from: image, K: 12, kernel: 5 x 5, stride: 1, dilation: 2, padding: 4, unroll: { mine: { D1: K 4 } } }
  - { name: sum, type: add, from: [conv1, conv2] }
  - { name: scale, type: pointwise, K: 4 }
  - { name: kernels, type: conv, from: sum, K: 12, kernel: global }
  - { name: excite, type: depthwise, from: [sum, kernels], kernel: 1 x 1 }
  - { name: max, type: reduction, groups: 3, operations: { max: 1 } }
  - { name: exp, type: pairwise, from: [excite, max], operations: { add: 1, exp: 1 } }
  - { name: relu, type: elementwise, operations: { max: 1 } }
  - { name: scores, type: matmul, from: [relu, exp], groups: 4 }
  - { name: classes, type: fully-connected, K: 10 }
";

const CASES: &[Case] = &[
    // The network.
    ("batch: 1\n", "batch: 0\n", "Write 1 or more", "batch: 1\n"),
    ("batch: 1\n", "batch: 100000000000\n", "Write 1 to ", "batch: 1\n"),
    ("batch: 1\n", "batch: 2\n", "Write `batch: 1`, or name one layer only", "batch: 1\n"),
    ("W: 0.5", "W: 1.5", "Write more than 0, and at most 1", "W: 1"),
    ("O: 8 }", "O: 2000 }", "Write 1 to 1024", "O: 16 }"),
    ("O_partial: 16", "O_partial: 4", "Make O_partial at least O", "O_partial: 8"),
    (
        "name: image, type: input, K: 6, size: 31 x 23",
        "name: image, type: conv, K: 6, kernel: 1 x 1",
        "Add a layer such as `{ name: image, type: input, K: 3, size: 224 x 224 }`",
        "name: image, type: input, K: 6, size: 224 x 224",
    ),
    ("name: conv1", "name: ''", "Give it one, for example `conv1`", "name: conv1"),
    ("name: scale", "name: sum", "Rename this one or that of `layers[3]`", "name: sum2"),
    ("name: classes", "name: image, qwertz: 3", "Remove it; the fields here are", "name: classes"),
    ("type: add", "type: ad", "Did you mean `add`?", "type: add"),
    ("type: add", "type: softmax", "Use one of input, view, conv, ", "type: add"),
    (
        "{ mine: { D1: K 4 } }",
        "{ mine: { D1: M 4 } }",
        "Use one of B, G, K, C, OY, OX, FY, FX",
        "{ mine: { D1: C 4 } }",
    ),
    (
        "{ mine: { D1: K 4 } }",
        "{ mine: { D1: K 0 } }",
        "Write at least 1, or leave the number out",
        "{ mine: { D1: K } }",
    ),
    // Connections.
    ("from: [conv1, conv2]", "from: [conv1, convv2]", "Did you mean `conv2`?", "from: [conv1, conv2]"),
    (
        "from: [conv1, conv2]",
        "from: []",
        "Name a layer, or leave `from` out for the layer before",
        "from: [conv1, conv2]",
    ),
    (
        "from: [conv1, conv2]",
        "from: conv1",
        "Name two layers, for example `from: [conv1, conv2]`",
        "from: [conv1, conv2]",
    ),
    (
        "name: scale, type: pointwise",
        "name: scale, type: pointwise, from: [sum, sum]",
        "Name the one layer whose output it reads",
        "name: scale, type: pointwise, from: sum",
    ),
    (
        "name: image, type: input",
        "name: image, type: input, from: sum",
        "Remove it; a layer of this type has K, size",
        "name: image, type: input",
    ),
    (
        "from: [sum, kernels]",
        "from: [sum, kernels, sum]",
        "Name the layer whose output it reads, and the one whose output are its weights, if any",
        "from: [sum, kernels]",
    ),
    (
        "from: [relu, exp]",
        "from: [relu, exp, exp]",
        "Name the layer whose rows it reads, and the one whose output is the other matrix, if any",
        "from: [relu, exp]",
    ),
    (
        "name: conv1, type: conv,",
        "name: conv1, from: scale, type: conv,",
        "Let one of them read another layer",
        "name: conv1, from: image, type: conv,",
    ),
    // Fields and their values.
    (
        "name: scale, type: pointwise",
        "name: scale, type: pointwise, kernel: 1 x 1",
        "Remove it, or use `type: conv` with `kernel: 1 x 1`",
        "name: scale, type: conv, kernel: 1 x 1",
    ),
    ("type: add,", "type: add, kernel: 1 x 1,", "Remove it; a layer of this type has ", "type: add,"),
    ("kernel: 5 x 5,", "kernel: 5 by 5,", "Write for example `5 x 3`", "kernel: 5 x 5,"),
    ("kernel: 5 x 5,", "", "Write for example `kernel: 3 x 3`", "kernel: 5 x 5,"),
    ("kernel: 5 x 5,", "kernel: 0 x 5,", "Write 1 to ", "kernel: 5 x 5,"),
    ("stride: 1", "stride: 0", "Write 1 to ", "stride: 1"),
    (
        "padding: same",
        "padding: valid",
        "Write `same`, `none`, a number, `columns x rows`, or `{ left: 1, right: 1, top: 1, bottom: 1 }`",
        "padding: { left: 1, right: 1, top: 1, bottom: 1 }",
    ),
    ("padding: same", "padding: 7", "Write less than the kernel spans, at most 2", "padding: 1"),
    ("padding: 4,", "padding: 0,", "Make them equal, or write `crop: true` to cut the larger down", "padding: 4,"),
    (
        "K: 12, kernel: 5 x 5",
        "K: 6, kernel: 5 x 5",
        "Make them equal, or write `crop: true` to cut the larger down",
        "K: 12, kernel: 5 x 5",
    ),
    (
        "kernel: 5 x 5, stride: 1, dilation: 2, padding: 4,",
        "kernel: 50 x 5, stride: 1, dilation: 2, padding: 4,",
        "Make the kernel or the dilation smaller, or add padding",
        "kernel: 5 x 5, stride: 1, dilation: 2, padding: 4,",
    ),
    (
        "kernel: 5 x 5, stride: 1, dilation: 2, padding: 4,",
        "kernel: 2 x 2, stride: 1, dilation: 40, padding: 36,",
        "Make the dilation or the padding smaller",
        "kernel: 3 x 3, stride: 1, dilation: 4, padding: 4,",
    ),
    ("K: 6, size: 31 x 23", "K: 6", "Write columns x rows, for example `size: 224 x 224`", "K: 6, size: 224 x 224"),
    ("K: 6, size: 31 x 23", "K: 6, size: 32000000 x 24", "Write at most ", "K: 6, size: 320 x 24"),
    ("K: 6, size: 31 x 23", "size: 31 x 23", "Write for example `K: 3`", "K: 6, size: 31 x 23"),
    ("type: pointwise, K: 4", "type: pointwise", "Write for example `K: 64`", "type: pointwise, K: 64"),
    ("type: pointwise, K: 4", "type: pointwise, K: 0", "Write 1 to ", "type: pointwise, K: 1"),
    (
        "type: pointwise, K: 4",
        "type: pointwise, K: 4, groups: 5",
        "Choose a number of groups that divides both",
        "type: pointwise, K: 4, groups: 2",
    ),
    ("groups: 3", "groups: 5", "Choose a number of groups that divides them", "groups: 3"),
    ("type: add,", "type: add, K: 7,", "Leave K out, or write `K: 12`", "type: add, K: 12,"),
    (
        "from: sum, K: 12, kernel: global",
        "from: sum, K: 7, kernel: global",
        "Read a layer with as many elements, such as one for each channel",
        "from: sum, K: 12, kernel: global",
    ),
    (
        "from: [relu, exp], groups: 4",
        "from: [relu, scale], groups: 1",
        "Read another layer, or change `groups`",
        "from: [relu, exp], groups: 4",
    ),
    (
        "from: [relu, exp], groups: 4",
        "from: [relu, exp], K: 7, groups: 4",
        "Leave K out, or write `K: 2852`",
        "from: [relu, exp], K: 2852, groups: 4",
    ),
    (
        "from: [excite, max]",
        "from: [excite, kernels]",
        "Make columns and rows equal, and the first's channels a multiple of the second's",
        "from: [excite, max]",
    ),
    ("exp: 1 }", "expo: 1 }", "Did you mean `exp`?", "exp: 1 }"),
    ("exp: 1 }", "exp: 100000000 }", "Write at most ", "exp: 1 }"),
    (
        "type: elementwise, operations: { max: 1 }",
        "type: elementwise, operations: { max: 0 }",
        "Write for example `operations: { exp: 1 }`",
        "type: elementwise, operations: { exp: 1 }",
    ),
    (
        "K: 6, size: 31 x 23",
        "K: 6000000, size: 32000 x 24000",
        "Make its map, kernel, channels or the batch smaller",
        "K: 6, size: 320 x 240",
    ),
];

const VIEWS: &str = "\
name: Views
layers:
  - { name: image, type: input, K: 8, size: 16 x 16 }
  - { name: a, type: pointwise, K: 8 }
  - { name: b, type: pointwise, K: 8, from: image }
  - { name: both, type: view, from: [a, b], join: channels }
  - { name: c, type: pointwise, K: 8 }
  - { name: part, type: view, channels: 0..4 }
  - { name: d, type: pointwise, K: 8 }
  - { name: blocks, type: view, blocks: 2 }
  - { name: e, type: pointwise, K: 8 }
  - { name: larger, type: view, scale: 2 }
  - { name: f, type: pointwise, K: 8 }
";

const VIEW_CASES: &[Case] = &[
    ("join: channels", "join: depth", "Write `channels`, `columns` or `rows`", "join: channels"),
    (
        "join: channels",
        "join: channels, scale: 2",
        "Write a view of this view for the other",
        "join: channels }\n  - { name: twice, type: view, scale: 2",
    ),
    ("channels: 0..4", "channels: 4", "Write for example `0..32` for the first 32", "channels: 0..4"),
    ("channels: 0..4", "channels: 0..9", "Write a range within `0..8`", "channels: 0..8"),
    ("blocks: 2", "blocks: 3", "Choose blocks that divide the channels", "blocks: 2"),
    ("scale: 2", "scale: 0", "Show 1 to ", "scale: 1"),
    ("scale: 2", "scale: 2, K: 3", "Leave it out, or write `K: 8`", "scale: 2, K: 8"),
    ("scale: 2", "scale: 2, size: 3 x 3", "Leave it out, or write `size: 64 x 64`", "scale: 2, size: 64 x 64"),
    (
        "from: [a, b], join: channels",
        "from: [a, b], scale: 2",
        "Name one layer, or join them by a view first",
        "from: a, scale: 2",
    ),
    (
        "name: b, type: pointwise, K: 8, from: image",
        "name: b, type: conv, K: 8, kernel: 3 x 3, from: image",
        "Join maps that are equal but for that",
        "name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1, from: image",
    ),
    (
        "type: view, blocks: 2",
        "type: view, from: [], blocks: 2",
        "Name a layer, or leave `from` out for the layer before",
        "type: view, blocks: 2",
    ),
];

const NOTHING: &str = "\
name: Nothing
layers:
  - { name: image, type: input, K: 8, size: 16 x 16 }
  - { name: a, type: pointwise, K: 8 }
";

const NOTHING_CASES: &[Case] = &[
    (
        "{ name: a, type: pointwise, K: 8 }",
        "{ name: a, type: pointwise, K: 8 }\n  - { name: a, type: pointwise, K: 8 }\n  - { name: a, type: pointwise, K: 8 }",
        "Rename all of them but one",
        "{ name: a, type: pointwise, K: 8 }\n  - { name: b, type: pointwise, K: 8 }\n  - { name: c, type: pointwise, K: 8 }",
    ),
    (
        "\n  - { name: a, type: pointwise, K: 8 }",
        "",
        "Add at least one layer that is not an input",
        "\n  - { name: a, type: pointwise, K: 8 }",
    ),
    (
        "image, type: input, K: 8, size: 16 x 16",
        "image, type: view, K: 8, size: 16 x 16",
        "Name the layers whose outputs it shows",
        "first, type: input, K: 8, size: 16 x 16 }\n  - { name: image, type: view, K: 8, size: 16 x 16, from: first",
    ),
    (
        "K: 8, size: 16 x 16",
        "K: 8, size: 16 x 16, from: a",
        "Remove it; a layer of this type has K, size",
        "K: 8, size: 16 x 16",
    ),
    (
        "name: a, type: pointwise, K: 8",
        "name: a, type: pointwise, K: 8, from: qwertz",
        "Use the name of a layer",
        "name: a, type: pointwise, K: 8, from: image",
    ),
];
