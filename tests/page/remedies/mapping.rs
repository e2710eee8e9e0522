//! Mappings and constraints: refusals, and the effect of following their remedies.

use super::{Case, Room, constraints, deep_constraints, mapping, narrow_mapping};

pub const ROOM: Room = Room {
    sources: &[
        "src/spec/mapping.rs",
        "src/spec/constraints.rs",
        "src/engine/explore/user_mappings.rs",
        "src/engine/explore/own_constraints",
        "src/engine/search/constraints",
    ],
    no_remedies: &[
        "My mapping",
        "My constraints",
        "Constraints on {}",
        // Only if the memories have no space for any mapping of the layer, which other constraints cannot change.
        "The array can unroll nothing like this",
        "Allow other loops, or other widths",
    ],
    tables: &[
        (mapping, MAPPING, MAPPING_CASES),
        (narrow_mapping, ORDER, ORDER_CASES),
        (constraints, CONSTRAINTS, CONSTRAINTS_CASES),
        (constraints, STATED, STATED_CASES),
        (deep_constraints, DEEP, DEEP_CASES),
    ],
    grown: Vec::new,
};

/// For conv3 of AlexNet on Eyeriss.
const MAPPING: &str = "\
name: Base
layers:
  - layer: conv3
    unroll: { rows: [FY 3, K 4], columns: OY 13 }
    loops: # innermost first
      - { loop: K 8, W: spad_W, I: spad_I, O: spad_O }
      - { loop: FX 3, W: spad_W, I: spad_I, O: spad_O }
      - { loop: C 2, W: spad_W, I: spad_I, O: spad_O }
      - { loop: C 4, W: spad_W, I: global_buffer, O: spad_O }
      - { loop: OX 13, W: spad_W, I: global_buffer, O: global_buffer }
      - { loop: K 6, W: dram, I: global_buffer, O: global_buffer }
      - { loop: C 32, W: dram, I: dram, O: global_buffer }
      - { loop: K 2, W: dram, I: dram, O: dram }
";

const MAPPING_CASES: &[Case] = &[
    ("name: Base\n", "", "Write for example `name: My mapping`", "name: My mapping\n"),
    ("layers:\n  - layer", "layers: []\nabout:\n  - layer", "List at least one", "layers:\n  - layer"),
    (
        "  - layer: conv3\n",
        "  - { layer: conv3, loops: [] }\n  - layer: conv3\n",
        "Keep one of the two",
        "  - layer: conv3\n",
    ),
    ("layer: conv3", "layer: conv33", "Did you mean `conv3`?", "layer: conv3"),
    ("layer: conv3", "layer: qwertz", "Use one of conv1, conv2, ", "layer: conv3"),
    ("rows: [FY 3, K 4]", "row: [FY 3, K 4]", "Did you mean `rows`?", "rows: [FY 3, K 4]"),
    ("rows: [FY 3, K 4]", "rows: [FY 3, M 4]", "Use one of B, G, K, C, OY, OX, FY, FX", "rows: [FY 3, K 4]"),
    ("rows: [FY 3, K 4]", "rows: [FY 3, K 8]", "Write widths whose product is at most 12", "rows: [FY 3, K 4]"),
    ("loop: K 2,", "loop: K,", "Write a dimension and a size, for example `K 2`", "loop: K 2,"),
    ("loop: K 2,", "loop: K two,", "Write for example `64`", "loop: K 2,"),
    ("loop: K 2,", "loop: M 2,", "Use one of B, G, K, C, OY, OX, FY, FX", "loop: K 2,"),
    ("loop: K 2,", "loop: K 1,", "Leave it out, or write a size of 2 at least", "loop: K 2,"),
    ("loop: K 2,", "loop: K 3,", "Let the sizes of K multiply to 96", "loop: K 2,"),
    (
        "      - { loop: K 2, W: dram",
        "      - { loop: OX 1, W: dram",
        "Leave it out, or write a size of 2 at least",
        "      - { loop: K 2, W: dram",
    ),
    (
        "{ loop: K 2, W: dram, I: dram, O: dram }",
        "{ loop: K 2, W: dram, O: dram }",
        "State one, for example `I: dram`",
        "{ loop: K 2, W: dram, I: dram, O: dram }",
    ),
    (
        "{ loop: K 2, W: dram, I: dram, O: dram }",
        "{ loop: K 2, W: dram, X: dram, I: dram, O: dram }",
        "Its operands are I, O, W",
        "{ loop: K 2, W: dram, I: dram, O: dram }",
    ),
    ("W: dram, I: global_buffer", "W: dran, I: global_buffer", "Did you mean `dram`?", "W: dram, I: global_buffer"),
    (
        "W: dram, I: global_buffer",
        "W: global_buffer, I: global_buffer",
        "Use one of spad_W, dram",
        "W: dram, I: global_buffer",
    ),
    ("{ loop: K 2, W: dram", "{ loop: K 2, W: spad_W", "Write `dram`, or a memory above it", "{ loop: K 2, W: dram"),
    (
        "{ loop: C 4, W: spad_W, I: global_buffer,",
        "{ loop: C 4, W: spad_W, I: spad_I,",
        "Let memories above `spad_I` hold some of the loops that it holds, or those below",
        "{ loop: C 4, W: spad_W, I: global_buffer,",
    ),
];

/// For AlexNet on Eyeriss.
const CONSTRAINTS: &str = "\
name: Base
layers:
  - layer: conv3
    unroll: { rows: [FY 3, K <= 4], columns: OY any }
    order: [K 2, FX 3, rest, K 2]
    levels:
      - { memory: spad_W, operand: W, holds: [K <= 8, FX 3], order: [K, FX] }
      - { memory: global_buffer, operand: [I, O], within: [FX all] }
  - kind: depthwise
    order: [FX all, FY all]
  - order: [rest, B all]
";

const CONSTRAINTS_CASES: &[Case] = &[
    (
        "  - order: [rest, B all]",
        "  - { kind: depthwise, order: [rest, B all] }",
        "Put them together, or say which layer each is for",
        "  - { kind: pointwise, order: [rest, B all] }",
    ),
    ("name: Base\n", "", "Write for example `name: My constraints`", "name: My constraints\n"),
    ("layers:\n  - layer", "layers: []\nabout:\n  - layer", "List at least one", "layers:\n  - layer"),
    (
        "  - kind: depthwise\n",
        "  - layer: conv3\n",
        "Put them together, or say which layer each is for",
        "  - layer: conv2\n",
    ),
    ("  - kind: depthwise\n", "  -\n", "Put them together, or say which layer each is for", "  - layer: conv2\n"),
    ("  - layer: conv3\n", "  - layer: conv3\n    kind: conv\n", "Leave one of the two out", "  - layer: conv3\n"),
    ("  - layer: conv3\n", "  - layer: conv33\n", "Did you mean `conv3`?", "  - layer: conv3\n"),
    (
        "kind: depthwise\n",
        "kind: depthwise\n    even: yes\n",
        "Write `stationary` or `strict`",
        "kind: depthwise\n    even: strict\n",
    ),
    ("kind: depthwise", "kind: depthwis", "Did you mean `depthwise`?", "kind: depthwise"),
    ("rows: [FY 3, K <= 4]", "row: [FY 3, K <= 4]", "Did you mean `rows`?", "rows: [FY 3, K <= 4]"),
    ("rows: [FY 3, K <= 4]", "rows: [FY 3, M <= 4]", "Use one of B, G, K, C, OY, OX, FY, FX", "rows: [FY 3, K <= 4]"),
    ("rows: [FY 3, K <= 4]", "rows: [FY 3, K 5]", "Write widths whose product is at most 12", "rows: [FY 3, K 4]"),
    ("rows: [FY 3, K <= 4]", "rows: [FY 3, K 0]", "Leave it out, or write a width", "rows: [FY 3]"),
    ("rows: [FY 3, K <= 4]", "rows: [FY 3, FY 2]", "Leave it out, or write a width", "rows: [FY 3]"),
    ("columns: OY any", "columns: OY many", "Write for example `K 16` or `K <= 16` or `K any`", "columns: OY <= 16"),
    ("columns: OY any", "columns: OY all", "Write for example `K 16` or `K <= 16` or `K any`", "columns: OY any"),
    (
        "order: [K 2, FX 3, rest, K 2]",
        "order: [K 2, FX <= 3, rest, K 2]",
        "Write for example `K 4` or `K any` or `K all` or `rest`",
        "order: [K 2, FX all, rest, K 2]",
    ),
    (
        "order: [K 2, FX 3, rest, K 2]",
        "order: [K 2, rest, FX 3, rest]",
        "Leave all but one out",
        "order: [K 2, rest, K 2]",
    ),
    (
        "order: [K 2, FX 3, rest, K 2]",
        "order: [FX all, FX all, rest]",
        "Leave all but one out",
        "order: [FX all, rest]",
    ),
    (
        "order: [K 2, FX 3, rest, K 2]",
        "order: [K 1, FX 3, rest, K 2]",
        "Leave it out, or write a size of 2 at least",
        "order: [FX 3, rest, K 2]",
    ),
    (
        "order: [K 2, FX 3, rest, K 2]",
        "order: [K 2, M 3, rest, K 2]",
        "Use one of B, G, K, C, OY, OX, FY, FX",
        "order: [K 2, FX 3, rest, K 2]",
    ),
    ("memory: spad_W", "memory: spad_X", "Did you mean `spad_O`?", "memory: spad_W"),
    ("operand: W,", "operand: Z,", "Use one of W, I, O, X, Y", "operand: W,"),
    ("operand: W,", "operand: X,", "Its operands are W, I, O", "operand: W,"),
    ("operand: W,", "operand: I,", "Take one of spad_I, global_buffer, dram", "operand: W,"),
    (
        "operand: [I, O], within: [FX all]",
        "operand: [I, O]",
        "Write `holds: [K <= 4]`, `within: [K <= 4]` or `order: [C, K]`, or leave it out",
        "operand: [I, O], within: [K <= 32]",
    ),
    ("holds: [K <= 8, FX 3]", "holds: [K 0, FX 3]", "Write `K 1` for no loop", "holds: [K >= 1, FX 3]"),
    (
        "holds: [K <= 8, FX 3]",
        "holds: [K any, FX 3]",
        "Write for example `K 4` or `K <= 4` or `K >= 4` or `K all`",
        "holds: [K <= 4, FX 3]",
    ),
    ("order: [K, FX] }", "order: [K, FX, K] }", "Leave one of the two out", "order: [K, FX] }"),
    (
        "unroll: { rows: [FY 3, K <= 4], columns: OY any }\n    order: [K 2, FX 3, rest, K 2]",
        "unroll: { rows: K any, columns: OY any }\n    order: [K 384, rest]",
        "Leave one of layers[0].order, layers[0].levels[0].holds[1] out, or ask for less there",
        "unroll: { rows: K any, columns: OY any }\n    order: [K 2, rest]",
    ),
];

/// With a stated unrolling, so that only loops in time are searched.
const STATED: &str = "\
name: Base
layers:
  - layer: conv3
    unroll: { rows: [FY 3, K 4], columns: OY 13 }
    order: [K 2, rest]
    levels:
      - { memory: spad_O, operand: O, holds: [K <= 8] }
";

const STATED_CASES: &[Case] = &[
    (
        "order: [K 2, rest]",
        "order: [OX any, OX any, rest]",
        "Write a size that divides what is left of OX, `OX all`, or leave the loop out",
        "order: [OX any, rest]",
    ),
    (
        "order: [K 2, rest]",
        "order: [K 7, rest]",
        "Write a size that divides what is left of K, `K all`, or leave the loop out",
        "order: [K 2, rest]",
    ),
    (
        "order: [K 2, rest]",
        "order: [K 7, rest]",
        "Write a size that divides what is left of K, `K all`, or leave the loop out",
        "order: [K all, rest]",
    ),
    (
        "order: [K 2, rest]",
        "order: [B any, rest]",
        "Write a size that divides what is left of B, `B all`, or leave the loop out",
        "order: [B all, rest]",
    ),
    (
        "order: [K 2, rest]",
        "order: [B any, rest]",
        "Write a size that divides what is left of B, `B all`, or leave the loop out",
        "order: [rest]",
    ),
    ("holds: [K <= 8]", "holds: [K 1000000]", "Leave it out, or ask for less", "holds: [K 4]"),
    (
        "order: [K 2, rest]\n    levels:\n      - { memory: spad_O, operand: O, holds: [K <= 8] }",
        "order: [OX 13, rest]\n    levels:\n      - { memory: spad_O, operand: O, holds: [OX 1, C 2] }",
        "Leave one of layers[0].order, layers[0].levels[0].holds[0], layers[0].levels[0].holds[1] out",
        "order: [rest]\n    levels:\n      - { memory: spad_O, operand: O, holds: [OX 1, C 2] }",
    ),
];

/// No loop over kernel rows for outputs below the highest memory.
const DEEP: &str = "\
# exact
name: Base
layers:
  - levels:
      - { memory: glb, operand: O, within: [FY 1] }
";

const DEEP_CASES: &[Case] = &[
    ("# exact", "# loma", "Search exactly, which places loops anywhere", "# exact"),
    (
        "# exact\nname: Base\nlayers:\n  - levels:\n      - { memory: glb, operand: O, within: [FY 1] }",
        "# loma\nname: Base\nlayers:\n  - unroll: { P: [K <= 4] }\n    \
         levels:\n      - { memory: glb, operand: O, within: [FY 1] }",
        "Allow other unrollings, or ask for less of orders and memories",
        "# loma\nname: Base\nlayers:\n  - unroll: { P: [K <= 4] }",
    ),
    (
        "      - { memory: glb, operand: O, within: [FY 1] }",
        "      - { memory: reg, operand: [W, I, O], holds: [FX 1, FY 1] }\n      \
         - { memory: glb, operand: [W, I, O], holds: [FX 1, FY 1] }\n      \
         - { memory: dram, operand: [W, I, O], holds: [FX 1, FY 1] }",
        "Leave one of layers[0].levels[0].holds[0], layers[0].levels[1].holds[0], layers[0].levels[2].holds[0] out",
        "      - { memory: reg, operand: [W, I, O], holds: [FX 1, FY 1] }\n      \
         - { memory: glb, operand: [W, I, O], holds: [FY 1] }\n      \
         - { memory: dram, operand: [W, I, O], holds: [FX 1] }",
    ),
    (
        "      - { memory: glb, operand: O, within: [FY 1] }",
        "      - { memory: glb, operand: [W, O], order: [K, C, OY, OX, FY, FX], holds: [FX 3, FY 3, OX >= 2] }\n      \
         - { memory: glb, operand: I, order: [OX, FX, FY], holds: [FX 3, FY 3, OX >= 2] }",
        "Ask for less, so that more mappings are left",
        "      - { memory: glb, operand: [W, O], holds: [FX 3, FY 3, OX >= 2] }",
    ),
];

/// Only an order, for the narrow core and its layer.
const ORDER: &str = "\
name: Base
layers:
  - layer: a
    loops: [{ loop: C 8 }, { loop: K 4 }, { loop: FX 3 }, { loop: FY 3 }, { loop: OY 8 }, { loop: OX 8 }]
";

const ORDER_CASES: &[Case] = &[(
    "[{ loop: C 8 }, { loop: K 4 }, { loop: FX 3 }, { loop: FY 3 }, { loop: OY 8 }, { loop: OX 8 }]",
    "[{ loop: OX 8 }, { loop: K 4 }, { loop: FY 3 }, { loop: OY 8 }, { loop: FX 3 }, { loop: C 8 }]",
    "Let loops of fewer data be inside, or use larger memories",
    "[{ loop: C 8 }, { loop: K 4 }, { loop: FX 3 }, { loop: FY 3 }, { loop: OY 8 }, { loop: OX 8 }]",
)];
