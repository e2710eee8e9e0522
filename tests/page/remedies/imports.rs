//! Files of other programs: refusals, and the effect of following their remedies.

use super::{Case, Grown, Room};
use crate::stream_files::OLDER_CORE;
use crate::zigzag_files::{ACCELERATOR, MAPPING, WORKLOAD};
use fusescape::import::{File, import};
use fusescape::spec::Diagnostics;

pub const ROOM: Room = Room {
    sources: &[
        "src/import/zigzag/equation.rs",
        "src/import/zigzag/hardware.rs",
        "src/import/zigzag/mapping.rs",
        "src/import/zigzag/ordering.rs",
        "src/import/zigzag/workload.rs",
    ],
    no_remedies: &[
        "Imported from the ZigZag accelerator `{name}`.",
        "Imported from the ZigZag workload `{name}`.",
        "Imported from the `temporal_ordering` of a ZigZag mapping.",
        "Orders of a ZigZag mapping",
        // Notes of a report.
        "ZigZag states no unit of areas; taken as um2",
        "ZigZag before 3.9 reads it but never uses it",
    ],
    tables: &[],
    grown,
};

/// Marks the name of each of several files.
pub const MARK: &str = "=== ";

/// Imports files together, each after a line with its name.
pub fn files(text: &str) -> Result<(), Diagnostics> {
    let files = text.split(MARK).filter_map(|file| file.split_once('\n'));
    let files = files.map(|(name, text)| File { name: name.to_owned(), source: Box::new(text.as_bytes()) });
    import(files.collect(), &Default::default()).map(drop)
}

/// For the three files of a run of ZigZag.
const ZIGZAG_CASES: &[Case] = &[
    ("sizes: [4, 4]", "sizes: [4]", "Write one size for each dimension, in the same order", "sizes: [4, 4]"),
    ("sizes: [4, 4]", "sizes: [4, four]", "Write for example `64`", "sizes: [4, 64]"),
    ("unit_energy: 0.05", "unit_energy: few", "Write for example `1.5`", "unit_energy: 1.5"),
    ("r_cost: 8.0", "r_coast: 8.0", "Did you mean `r_cost`?", "r_cost: 8.0"),
    (
        "    size: 131072\n",
        "    size: 131072\n    auto_cost_extraction: true\n",
        "Write `r_cost` and `w_cost` (pJ a word) and `auto_cost_extraction: false`",
        "    size: 131072\n    auto_cost_extraction: false\n",
    ),
    (
        "\"I1, tl\", \"I2, tl\", \"O, tl\", \"O, th\"]}\n      - {name: w_port_1, type: write, bandwidth_min: 32",
        "\"I1, tl\", \"I2, tl\", \"O, tx\", \"O, th\"]}\n      - {name: w_port_1, type: write, bandwidth_min: 32",
        "Write one of I1, I2 and O, a comma, and one of fh, fl, tl and th",
        "\"I1, tl\", \"I2, tl\", \"O, tl\", \"O, th\"]}\n      - {name: w_port_1, type: write, bandwidth_min: 32",
    ),
    ("type: read_write", "type: readwrite", "Write `read`, `write` or `read_write`", "type: read_write"),
    ("operands: [I2]", "operands: [W]", "Use I1, I2 and O", "operands: [I2]"),
    (
        "unit_energy: 0.05\n  unit_area: 1",
        "is_imc: true\n  imc_type: digital\n  input_precision: [8]\n  bit_serial_precision: 1\n  adc_resolution: 0",
        "Write for example `[8, 8]`",
        "unit_energy: 0.05\n  unit_area: 1",
    ),
    (
        "name: toy_4x4\n",
        "name: toy_4x4\ntype: aie2.compute\n",
        "Describe it as a core `zigzag.compute`, with `operational_array` and `memories`",
        "name: toy_4x4\ntype: zigzag.compute\n",
    ),
    (
        "D1: [\"K, 4\"]\n    D2: [\"C, 2\", \"FX, 2\"]",
        "D1: [K]\n    D2: [\"C, 2\", \"FX, 2\"]",
        "Write for example `K, 32`",
        "D1: [\"K, 32\"]\n    D2: [\"C, 2\", \"FX, 2\"]",
    ),
    (
        "D2: [C]\n  memory_operand_links: {O: O, W: I2, I: I1}",
        "D2: [C]\n  memory_operand_links: {O: O, W: I1, I: I1}",
        "Write `W: I2`, and exchange I1 and I2 in the accelerator",
        "D2: [C]\n  memory_operand_links: {O: O, W: I2, I: I1}",
    ),
    ("- [OX, 8]", "- [OX]", "Write for example `[K, 4]`, `[K, \"*\"]` or `[\"*\", \"*\"]`", "- [K, 4]"),
    (
        "loop_sizes: [1, 16, 8, 8, 8, 3, 3]",
        "loop_sizes: [2, 16, 8, 8, 8, 3, 3]",
        "Give all layers the same B: a network here has one batch",
        "loop_sizes: [1, 16, 8, 8, 8, 3, 3]",
    ),
    (
        "loop_sizes: [1, 16, 8, 8, 8, 3, 3]",
        "loop_sizes: [1, 16, 8, 8, 8, 3]",
        "Write one size for each of `loop_dims`, in the same order",
        "loop_sizes: [1, 16, 8, 8, 8, 3, 3]",
    ),
    ("loop_sizes: [1024, 1, 10]", "loop_sizes: [1024, 0, 10]", "Write 1 to ", "loop_sizes: [1024, 1, 10]"),
    (
        "O[d][k]+=I[d][c]*W[c][k]",
        "O[d][k]=softmax(I)",
        "Write for example `O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]`; split a product of more",
        "O[d][k]+=I[d][c]*W[c][k]",
    ),
    ("ix=2*ox+1*fx", "ix=two*ox", "Write for example `ix=2*ox+1*fx`", "ix=2*ox+1*fx"),
    (
        "O[d][k]+=I[d][c]*W[c][k]",
        "O[d][k]+=I[d][d]*W[c][k]",
        "Use B, G, K, C, OY, OX, FY and FX, or a product of matrices, whose loops each index two operands or all",
        "O[d][k]+=I[d][c]*W[c][k]",
    ),
    (
        "dimensions: [D1, D2]\n  sizes: [4, 4]\n  unit_energy: 0.05\n  unit_area: 1",
        "dimensions: [D1]\n  sizes: [4]\n  is_imc: true\n  imc_type: digital\n  input_precision: [8, 8]\n  bit_serial_precision: 1\n  \
         adc_resolution: 0",
        "Write `[D1, D2]`",
        "dimensions: [D1, D2]\n  sizes: [4, 4]\n  unit_energy: 0.05\n  unit_area: 1",
    ),
    (
        "name: conv_fixed\n  operator_type: Conv\n  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]\n  \
         dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]\n  loop_dims: [B, K, C, OY, OX, FY, FX]\n  \
         loop_sizes: [1, 16, 8, 8, 8, 3, 3]",
        "name: conv_fixed\n  operator_type: Conv\n  equation: O[b][k][p][q][r]+=W[k][c][u][v][w]*I[b][c][x][y][z]\n  \
         dimension_relations: [x=1*p+1*u, y=1*q+1*v, z=1*r+1*w]\n  loop_dims: [B, K, C, P, Q, R, U, V, W]\n  \
         loop_sizes: [1, 16, 8, 4, 8, 8, 3, 3, 3]",
        "Take windows over two of them, and count the others as input channels",
        "name: conv_fixed\n  operator_type: Conv\n  equation: O[b][k][q][r]+=W[k][c][v][w]*I[b][c][y][z]\n  \
         dimension_relations: [y=1*q+1*v, z=1*r+1*w]\n  loop_dims: [B, K, C, Q, R, V, W]\n  \
         loop_sizes: [1, 16, 24, 8, 8, 3, 3]",
    ),
];

/// For a core of Stream before ZigZag 3.8.
const CORE_CASES: &[Case] = &[
    (
        "      - { fh: w_port_1, tl: r_port_1 }\n      - { fh: w_port_1, tl: r_port_1 }\n",
        "      - { fh: w_port_1, tl: r_port_1 }\n",
        "Write one entry for each of `operands`, in the same order",
        "      - { fh: w_port_1, tl: r_port_1 }\n      - { fh: w_port_1, tl: r_port_1 }\n",
    ),
    ("[{ fh: w_port_1, tl:", "[{ fx: w_port_1, tl:", "Use fh, fl, tl and th", "[{ fh: w_port_1, tl:"),
];

/// Names and contents of files.
pub type Files = &'static [(&'static str, &'static str)];

/// Files that do not belong together, a part of the remedy, and files that do.
const TOGETHER: [(Files, &str, Files); 4] = [
    (
        &[("map.yaml", MAPPING)],
        "Import it together with its accelerator",
        &[("map.yaml", MAPPING), ("hw.yaml", ACCELERATOR)],
    ),
    (
        &[("a.yaml", ACCELERATOR), ("b.yaml", ACCELERATOR)],
        "Import them one after the other",
        &[("a.yaml", ACCELERATOR)],
    ),
    (
        &[("notes.txt", "hello")],
        "Choose an ONNX model, a hardware, workload, transformer, system, mapping, constraint or study document",
        &[("net.yaml", WORKLOAD)],
    ),
    (
        &[("rows.parquet", "PAR1")],
        "Open it in the view Study of the page, or read it by `fusescape study front`",
        &[("net.yaml", WORKLOAD)],
    ),
];

/// Files in one text.
pub fn joined(files: &[(&str, &str)]) -> String {
    files.iter().map(|(name, text)| format!("{MARK}{name}\n{text}")).collect()
}

/// Cases made from valid files.
pub fn changed(right: &[(&str, &str)], cases: &[Case]) -> Vec<Grown> {
    let base = joined(right);
    assert_eq!(files(&base), Ok(()));
    let grown = |&(right, wrong, remedy, followed): &Case| -> Grown {
        assert_eq!(base.matches(right).count(), 1, "`{right}` stands in the files once");
        (files, base.replace(right, wrong), remedy, base.replace(right, followed))
    };
    cases.iter().map(grown).collect()
}

/// Files that are replaced as a whole.
pub fn exchanged(cases: &[(Files, &'static str, Files)]) -> Vec<Grown> {
    cases
        .iter()
        .map(|(wrong, remedy, followed)| -> Grown { (files, joined(wrong), remedy, joined(followed)) })
        .collect()
}

fn grown() -> Vec<Grown> {
    let run = [("hw.yaml", ACCELERATOR), ("map.yaml", MAPPING), ("net.yaml", WORKLOAD)];
    [changed(&run, ZIGZAG_CASES), changed(&[("core.yaml", OLDER_CORE)], CORE_CASES), exchanged(&TOGETHER)].concat()
}
