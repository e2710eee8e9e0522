//! A core and a network as ZigZag's three files.

use crate::left_out::note_left_out;
use crate::report::{ImportReport, Severity};
use fusescape_engine::hardware::{
    ArrayDimId, Core, DoubleBuffering, InMemory, InMemoryKind, Memory, Movement, Operand, Unroll,
};
use fusescape_engine::mapping::SpatialMapping;
use fusescape_engine::mapping::spatial_generation::narrowed;
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, Layer, LayerId, LayerKind, Network};
use std::fmt::Write;

/// ZigZag's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZigzagFiles {
    pub accelerator: String,
    /// The unrolling on the array.
    pub mapping: String,
    pub workload: String,
    /// Properties that the files cannot express.
    pub report: ImportReport,
}

/// Writes a core and a network.
pub fn write(core: &Core, network: &Network) -> ZigzagFiles {
    let mut report = ImportReport { title: format!("{} and {}", core.name, network.name), ..ImportReport::default() };
    let network = &network.clone().without_vector_unit();
    let accelerator = write_accelerator(core, "", &core.memories.raw[core.register_count()..], &mut report);
    let workload = write_network(network, &mut report);
    let mapping = write_mapping(core, network, &mut report);
    report.result =
        format!("{} memories, {} layers", core.memories.len() - core.register_count(), network.computing().count());
    ZigzagFiles { accelerator, mapping, workload, report }
}

/// The dimensions of the array in ZigZag's order. If it computes in memory, ZigZag takes the first for columns and the
/// second for rows.
fn dimensions(core: &Core) -> Vec<ArrayDimId> {
    let first = core.in_memory.as_ref().map_or_else(Vec::new, |array| vec![array.columns, array.rows]);
    let others = core.array.keys().filter(|dim| !first.contains(dim));
    first.iter().copied().chain(others).collect()
}

/// ZigZag's name of an array dimension: D1, D2 and so on.
fn dimension(core: &Core, dim: ArrayDimId) -> String {
    let place = dimensions(core).into_iter().position(|known| known == dim);
    format!("D{}", place.unwrap_or_default() + 1)
}

/// Writes a core of a system, without its highest memory, which belongs to the system; `kind` is its type there.
pub fn write_core(core: &Core, kind: &str, report: &mut ImportReport) -> String {
    let of_array = &core.memories.raw[core.register_count()..];
    let inside = of_array.split_last().map_or(&[] as &[Memory], |(_, inside)| inside);
    write_accelerator(core, &format!("type: {kind}\n"), inside, report)
}

fn write_accelerator(core: &Core, head: &str, memories: &[Memory], report: &mut ImportReport) -> String {
    let mut text = String::new();
    let dims = dimensions(core);
    let names: Vec<String> = dims.iter().map(|dim| dimension(core, *dim)).collect();
    let sizes: Vec<String> = dims.iter().map(|dim| core.array[*dim].1.to_string()).collect();
    let is_systolic = |index: &&ArrayDimId| core.systolic.contains(**index);
    let systolic: Vec<String> = dims.iter().filter(is_systolic).map(|dim| dimension(core, *dim)).collect();
    note_left_out(core, "ZigZag's", report);
    if core.mac_energy.precision.is_some() || !core.mac_energy.stated.is_empty() {
        let reason = "ZigZag has one energy for all precisions: `mac_energy` as it is stated";
        report.note(Severity::Assumed, "unit_energy", reason, &core.name);
    }
    if core.vector_unit.is_some() {
        let reason = "ZigZag has none: additions and pooling run on the array, what else it computes is left out";
        report.note(Severity::NotCounted, "vector_unit", reason, &core.name);
    }
    if !systolic.is_empty() {
        report.note(Severity::Assumed, "systolic_dimensions", NEWER, &core.name);
    }
    let renamed = core.array.iter_enumerated().filter(|(index, (name, _))| *name != dimension(core, *index));
    for (index, (name, _)) in renamed {
        report.note(
            Severity::Expressed,
            "array",
            "ZigZag numbers the dimensions of an array",
            &format!("{name} is {}", dimension(core, index)),
        );
    }
    let _ = write!(
        text,
        "name: {}\n{head}operational_array:\n{}  dimensions: [{}]\n  sizes: [{}]\n{}memories:\n",
        quoted(&core.name),
        operations(core, report),
        names.join(", "),
        sizes.join(", "),
        newer(&systolic, "  systolic_dimensions")
    );
    for memory in memories {
        write_memory(&mut text, memory, core, report);
    }
    text
}

/// The cost of an operation: numbers, or the macros from which they follow.
fn operations(core: &Core, report: &mut ImportReport) -> String {
    let Some(array) = &core.in_memory else {
        let (pj, um2) = (core.mac_energy.energy_pj, core.pe_area_um2.unwrap_or(0.0));
        return format!("  is_imc: false\n  unit_energy: {pj}\n  unit_area: {um2}\n");
    };
    if array.group_depth > 1 {
        let reason =
            "ZigZag 3.8.5 stops where cells hold more than one weight: it asks for a field that does not exist";
        report.note(Severity::Assumed, CELLS, reason, &core.name);
    }
    let InMemory { kind, weight_bits, activation_bits, input_bits, .. } = array;
    let (kind, converters) = match kind {
        InMemoryKind::Analog { adc_bits } => ("analog", format!("  adc_resolution: {adc_bits}\n")),
        InMemoryKind::Digital => ("digital", String::new()),
    };
    format!(
        "  is_imc: true\n  imc_type: {kind}\n  input_precision: [{activation_bits}, {weight_bits}]\n  \
         bit_serial_precision: {input_bits}\n{converters}"
    )
}

/// ZigZag's name of the memory of weights in an array that computes in memory.
const CELLS: &str = "cells";

/// ZigZag's name of a memory.
fn memory_name<'a>(core: &'a Core, memory: &'a Memory) -> &'a str {
    let cells = core.in_memory.as_ref().and_then(|_| core.levels(Operand::W).first());
    if cells.is_some_and(|&id| core.memories[id].name == memory.name) { CELLS } else { &memory.name }
}

/// A list that ZigZag before 3.9 does not know; nothing if it is empty.
fn newer(names: &[String], field: &str) -> String {
    if names.is_empty() { String::new() } else { format!("{field}: [{}]\n", names.join(", ")) }
}

const NEWER: &str = "only ZigZag 3.9 and later read it";

fn write_memory(text: &mut String, memory: &Memory, core: &Core, report: &mut ImportReport) {
    let operands: Vec<&str> = memory.operands.iter().map(|operand| theirs(*operand)).collect();
    let served: Vec<String> = dimensions(core)
        .into_iter()
        .filter(|dim| memory.shared_over.contains(*dim))
        .map(|dim| dimension(core, dim))
        .collect();
    // In square millimetres if ZigZag adds them to others.
    let unit = if core.in_memory.is_some() { 1e6 } else { 1.0 };
    let _ = write!(
        text,
        "  {}:\n    size: {}\n    r_cost: {}\n    w_cost: {}\n    area: {}\n    latency: {}\n    auto_cost_extraction: false\n    \
         operands: [{}]\n    served_dimensions: [{}]\n{}    ports:\n",
        quoted(memory_name(core, memory)),
        memory.size_bits,
        memory.read_energy_pj,
        memory.write_energy_pj,
        memory.area_um2.unwrap_or(0.0) / unit,
        memory.latency_cycles,
        operands.join(", "),
        served.join(", "),
        if memory.double_buffered == DoubleBuffering::Always { "    force_double_buffering: true\n" } else { "" }
    );
    if memory.double_buffered == DoubleBuffering::Always {
        report.note(Severity::Assumed, "force_double_buffering", NEWER, &memory.name);
    }
    let mut counts = [0; 3];
    for port in memory.ports.iter().filter(|port| !port.serves.is_empty()) {
        let reads = port.serves.iter().any(|(_, movement)| movement.is_read());
        let writes = port.serves.iter().any(|(_, movement)| !movement.is_read());
        let (kind, prefix, index) = match (reads, writes) {
            (true, true) => ("read_write", "rw", 0),
            (true, false) => ("read", "r", 1),
            _ => ("write", "w", 2),
        };
        counts[index] += 1;
        let name = format!("{prefix}_port_{}", counts[index]);
        let bits = |of: fn(&Memory, Operand, Movement) -> u64| {
            port.serves.iter().map(|(operand, movement)| of(memory, *operand, *movement)).max().unwrap_or(1)
        };
        let (width, granularity) = (bits(Memory::width_bits), bits(Memory::granularity_bits));
        if port.serves.iter().any(|(operand, movement)| memory.width_bits(*operand, *movement) != width) {
            let reason = "a port of ZigZag is as wide for reading as for writing: the wider side counts";
            report.note(Severity::Assumed, "port", reason, &format!("{} {}", memory.name, port.name));
        }
        let allocation: Vec<String> = port
            .serves
            .iter()
            .map(|(operand, movement)| format!("\"{}, {}\"", theirs(*operand), direction(*movement)))
            .collect();
        let _ = writeln!(
            text,
            "      - {{name: {name}, type: {kind}, bandwidth_min: {granularity}, bandwidth_max: {width}, allocation: [{}]}}",
            allocation.join(", ")
        );
    }
}

fn theirs(operand: Operand) -> &'static str {
    match operand {
        Operand::W => "I2",
        Operand::I => "I1",
        Operand::O => "O",
    }
}

fn direction(movement: Movement) -> &'static str {
    match movement {
        Movement::ReadToLow => "tl",
        Movement::WriteFromLow => "fl",
        Movement::ReadToHigh => "th",
        Movement::WriteFromHigh => "fh",
    }
}

/// One entry per type of operator, and one per layer. If an entry does not mention a dimension of the array, or only
/// loops that the layer lacks, ZigZag searches the best unrolling of that dimension; so every layer states every
/// dimension.
fn write_mapping(core: &Core, network: &Network, report: &mut ImportReport) -> String {
    let mut text = String::new();
    write_entry(&mut text, core, "default", core.unroll(LayerKind::Conv), Dim::B);
    for kind in [LayerKind::Conv, LayerKind::MatMul, LayerKind::Add, LayerKind::Pooling] {
        write_entry(&mut text, core, operator(kind), core.unroll(kind), Dim::B);
    }
    for id in network.computing() {
        let layer = network.layer(id);
        let dims = loop_dims(layer);
        // Unrolling a loop of one iteration has no effect.
        let single = dims.iter().copied().find(|dim| layer.shape.size(*dim) == 1).unwrap_or(Dim::B);
        let rules = Rules::ZIGZAG_3_8;
        let asked = layer.unroll_on(core, &rules);
        let folded = layer.unroll_on(core, &Rules::CORRECTED);
        if folded != asked {
            let reason = format!(
                "ZigZag leaves PEs for the other side of a map idle, as its rules do here; others unroll rows there, too. All compute \
                 the same where the document states `unroll: {}` for the layer",
                unroll_text(core, &folded)
            );
            report.note(Severity::Assumed, "spatial_mapping", &reason, &layer.name);
        }
        let stated: Vec<Unroll> = asked.into_iter().filter(|part| dims.contains(&part.dim)).collect();
        let unroll = within_layer(&stated, layer);
        let is_narrower = unroll.iter().any(|(part, asked)| part.limit != *asked);
        let unroll: Vec<Unroll> = unroll.into_iter().map(|(part, _)| part).collect();
        let mut shape = layer.shape;
        shape.precision.w = second_bits(layer);
        let loops = |unroll: &[Unroll]| SpatialMapping::new(&shape, unroll, &rules).loops;
        if is_narrower || loops(&stated) != loops(&unroll) {
            let reason = "ZigZag unrolls no loop over several dimensions of the array wider than it is: the later ones are narrower";
            report.note(Severity::Assumed, "spatial_mapping", reason, &layer.name);
        }
        let fitted = narrowed(core, &rules, &shape, &unroll);
        if fitted != unroll {
            let reason = format!(
                "ZigZag narrows it to what the lowest memories serve and hold at once, as its rules do here; by others it stays as \
                 stated. All compute the same where the document states `unroll: {}` for the layer",
                unroll_text(core, &fitted)
            );
            report.note(Severity::Assumed, "spatial_mapping", &reason, &layer.name);
        }
        write_entry(&mut text, core, &layer.name, &unroll, single);
    }
    text
}

/// An unrolling as in a layer's document.
fn unroll_text(core: &Core, unroll: &[Unroll]) -> String {
    let on = |index: ArrayDimId| {
        let mut loops = unroll.iter().filter(|part| part.array_dim == index);
        let loops: Vec<String> = loops.by_ref().map(|part| format!("{} {}", part.dim, part.limit)).collect();
        (!loops.is_empty()).then(|| format!("{}: [{}]", core.array[index].0, loops.join(", ")))
    };
    format!("{{ {}: {{ {} }} }}", core.dataflow, core.array.keys().filter_map(on).collect::<Vec<_>>().join(", "))
}

fn write_entry(text: &mut String, core: &Core, name: &str, unroll: &[Unroll], single: Dim) {
    let _ = write!(text, "- name: {}\n  spatial_mapping:\n", quoted(name));
    for index in dimensions(core) {
        let on_this: Vec<String> = unroll
            .iter()
            .filter(|part| part.array_dim == index)
            .map(|part| format!("\"{}, {}\"", part.dim, part.limit))
            .collect();
        let on_this = if on_this.is_empty() { format!("\"{single}, 1\"") } else { on_this.join(", ") };
        let _ = writeln!(text, "    {}: [{on_this}]", dimension(core, index));
    }
    text.push_str("  memory_operand_links: {O: O, W: I2, I: I1}\n");
}

/// Bits of the operand that ZigZag reads as weights: for an addition the second map, with the precision of the first.
fn second_bits(layer: &Layer) -> u64 {
    if layer.shape.kind == LayerKind::Add { layer.shape.second_map_bits() } else { layer.shape.precision.w }
}

/// The unrolling of a layer, limited by its loops, and the width without ZigZag's limit.
fn within_layer(unroll: &[Unroll], layer: &Layer) -> Vec<(Unroll, u64)> {
    let mut left = layer.shape.sizes;
    let mut steps = layer.shape.sizes;
    let mut parts = Vec::new();
    for part in unroll {
        let (left, steps) = (&mut left[part.dim as usize], &mut steps[part.dim as usize]);
        let (width, asked) = (part.limit.clamp(1, (*left).max(1)), part.limit.clamp(1, (*steps).max(1)));
        (*left, *steps) = (*left / width, steps.div_ceil(asked));
        parts.push((Unroll { limit: width, ..*part }, asked));
    }
    parts
}

/// ZigZag's type of operator.
fn operator(kind: LayerKind) -> &'static str {
    match kind {
        LayerKind::Add => "Add",
        LayerKind::Pooling | LayerKind::Elementwise => "Pooling",
        LayerKind::MatMul => "Gemm",
        _ => "Conv",
    }
}

/// Writes the layers of a network.
pub fn write_network(network: &Network, report: &mut ImportReport) -> String {
    let mut text = String::new();
    for id in network.computing() {
        write_layer(&mut text, network, id, report);
    }
    text
}

/// The equation of a type of layers.
fn equation(kind: LayerKind) -> &'static str {
    match kind {
        LayerKind::Add => "O[b][g][oy][ox]=W[b][g][oy][ox]+I[b][g][oy][ox]",
        LayerKind::MatMul => "O[b][g][k][oy][ox]+=W[b][g][k][c]*I[b][g][c][oy][ox]",
        LayerKind::Pointwise => "O[b][g][k][oy][ox]+=W[g][k][c]*I[b][g][c][oy][ox]",
        LayerKind::Pooling => "O[b][g][oy][ox]+=W[fy][fx]*I[b][g][iy][ix]",
        _ => "O[b][g][k][oy][ox]+=W[g][k][c][fy][fx]*I[b][g][c][iy][ix]",
    }
}

/// The loops of a layer in ZigZag's files.
fn loop_dims(layer: &Layer) -> Vec<Dim> {
    let equation = equation(layer.shape.kind);
    let indexes = |dim: &Dim| equation.contains(&format!("[{}]", dim.name().to_lowercase()));
    layer.shape.dim_order.into_iter().filter(indexes).collect()
}

fn write_layer(text: &mut String, network: &Network, id: LayerId, report: &mut ImportReport) {
    let layer = network.layer(id);
    let shape = &layer.shape;
    let kind = shape.kind;
    let windowed = !matches!(kind, LayerKind::Pointwise | LayerKind::MatMul | LayerKind::Add);
    let equation = equation(kind);
    let dims = loop_dims(layer);
    let names: Vec<&str> = dims.iter().map(|dim| dim.name()).collect();
    let sizes: Vec<String> = dims.iter().map(|dim| shape.size(*dim).to_string()).collect();
    let relations = if windowed {
        format!(
            "[\"ix={}*ox+{}*fx\", \"iy={}*oy+{}*fy\"]",
            shape.stride.0, shape.dilation.0, shape.stride.1, shape.dilation.1
        )
    } else {
        "[]".to_owned()
    };
    let _ = write!(
        text,
        "- id: {id}\n  name: {}\n  operator_type: {}\n  equation: \"{equation}\"\n  dimension_relations: {relations}\
         \n  loop_dims: [{}]\n  loop_sizes: [{}]\n",
        quoted(&layer.name),
        operator(kind),
        names.join(", "),
        sizes.join(", ")
    );
    if windowed {
        let padding = layer.padding;
        let counted = |limit: u64, untouched: i64| limit.saturating_add_signed(untouched);
        let counted =
            (counted(shape.input_limit.0, shape.untouched.0), counted(shape.input_limit.1, shape.untouched.1));
        let _ = writeln!(text, "  pr_loop_dims: [IX, IY]");
        // ZigZag computes another size of the input unless it is stated.
        if counted == layer.input_size {
            let _ = writeln!(text, "  pr_loop_sizes: [{}, {}]", layer.input_size.0, layer.input_size.1);
        }
        let _ =
            writeln!(text, "  padding: [[{}, {}], [{}, {}]]", padding.left, padding.right, padding.top, padding.bottom);
    }
    let precision = shape.precision;
    let w = second_bits(layer);
    let _ = writeln!(
        text,
        "  operand_precision: {{W: {w}, I: {}, O: {}, O_final: {}}}",
        precision.i, precision.o_partial, precision.o
    );
    let (input, weights) = sources(network, id, layer, report);
    let _ = writeln!(text, "  operand_source: {{I: {}, W: {}}}", input.unwrap_or(id), weights.unwrap_or(id));
}

/// The layers that produce I and W, if any.
fn sources(
    network: &Network,
    id: LayerId,
    layer: &Layer,
    report: &mut ImportReport,
) -> (Option<LayerId>, Option<LayerId>) {
    let mut made_by = |read: LayerId| {
        if !network.layer(read).is_input() {
            return Some(read);
        }
        let shown = network.sources(read);
        if shown.len() > 1 {
            report.note(
                Severity::NotCounted,
                "view",
                "ZigZag allows one source per operand; only the first is written",
                &layer.name,
            );
        }
        shown.into_iter().find(|shown| !network.layer(*shown).is_input())
    };
    let inputs = network.inputs(id);
    let first = inputs.first().and_then(|&read| made_by(read));
    let second = inputs.get(1).copied().or_else(|| network.stored_inputs(id).first().copied());
    (first, second.and_then(made_by))
}

/// A name in quotes, for YAML.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
