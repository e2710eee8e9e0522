//! Writing documents: canonical YAML that reads back to the same.

use super::document::{
    CoreHardware, CoreSpec, DensitySpec, DoubleBuffering, HardwareSpec, InMemorySpec, KernelSpec, LatentSpec,
    LayerSpec, LinkEnds, LinkSpec, MacEnergySpec, MemorySpec, OffchipPortSpec, OperationSpec, PaddingSpec, PortSpec,
    PrecisionSpec, StateSpaceSpec, SystemSpec, TransformerSpec, UnrollSpec, VectorUnitSpec, ViewSpec, WorkloadSpec,
};
use super::hardware::LANES;
use super::mapping::{MappedLoopSpec, MappingSpec};
use super::quantity::{write_area, write_cycles, write_frequency, write_power, write_size};
use super::quotes::{is_special, plain_or_quoted, quoted, scalar};
use std::fmt::Write;

/// Width at which prose is wrapped.
const WIDTH: usize = 100;

/// Writes a hardware document.
pub fn write_hardware(spec: &HardwareSpec) -> String {
    let mut text = head(&spec.name, &spec.about);
    let dimensions: Vec<String> =
        spec.array.dimensions.iter().map(|(name, size)| format!("{}: {size}", scalar(name))).collect();
    if let Some(mhz) = spec.clock_mhz {
        line(&mut text, "clock", &write_frequency(mhz));
    }
    line(&mut text, "array", "");
    line(&mut text, "  dimensions", &braces(&dimensions));
    if !spec.array.systolic.is_empty() {
        line(&mut text, "  systolic", &dimension_names(&spec.array.systolic, &spec.array.dimensions));
    }
    let bits = |(w, i): (u64, u64)| format!("{w} x {i}");
    match &spec.array.in_memory {
        None => line(&mut text, "  mac_energy", &energy(spec.array.mac_energy_pj)),
        Some(InMemorySpec { kind, columns, rows, precision, input_bits, adc_bits }) => {
            line(&mut text, "  in_memory", "");
            line(&mut text, "    type", &scalar(kind));
            line(&mut text, "    columns", &scalar(columns));
            line(&mut text, "    rows", &scalar(rows));
            line(&mut text, "    precision", &bits(*precision));
            line(&mut text, "    input_bits", &format!("{input_bits} bit"));
            if let Some(bits) = adc_bits {
                line(&mut text, "    adc_resolution", &format!("{bits} bit"));
            }
        }
    }
    if let Some(precision) = spec.array.mac_precision {
        line(&mut text, "  mac_precision", &bits(precision));
    }
    if !spec.array.mac_energies.is_empty() {
        let each = |stated: &MacEnergySpec| format!("{}: {}", bits(stated.precision), energy(stated.energy_pj));
        line(&mut text, "  mac_energies", &braces(&spec.array.mac_energies.iter().map(each).collect::<Vec<_>>()));
    }
    if let Some(um2) = spec.array.pe_area_um2 {
        line(&mut text, "  pe_area", &write_area(um2));
    }
    if spec.array.leakage_mw != 0.0 {
        line(&mut text, "  leakage", &write_power(spec.array.leakage_mw));
    }
    optional(&mut text, "  source", &spec.array.source);
    optional(&mut text, "dataflow", &spec.dataflow);
    if !spec.unroll.is_empty() {
        line(&mut text, "unroll", "");
        for (kind, unroll) in &spec.unroll {
            line(&mut text, &format!("  {}", scalar(kind)), &unrolling(unroll));
        }
    }
    line(&mut text, "memories", if spec.memories.is_empty() { "[]" } else { "" });
    for memory in &spec.memories {
        write_memory(&mut text, "  ", memory, &spec.array.dimensions);
    }
    if let Some(unit) = &spec.vector_unit {
        write_vector_unit(&mut text, unit);
    }
    text
}

fn write_vector_unit(text: &mut String, unit: &VectorUnitSpec) {
    line(text, "vector_unit", "");
    line(text, "  lanes", &unit.lanes.to_string());
    line(text, "  memory", &scalar(&unit.memory));
    if !unit.registers.is_empty() {
        line(text, "  registers", "");
        for memory in &unit.registers {
            write_memory(text, "    ", memory, &[(LANES.to_owned(), unit.lanes)]);
        }
    }
    if !unit.operations.is_empty() {
        let each = |operation: &OperationSpec| {
            let figures = [
                operation.energy_pj.map(|pj| format!("energy: {}", energy(pj))),
                operation.cycles.map(|cycles| format!("cycles: {cycles}")),
            ];
            format!("{}: {}", scalar(&operation.name), braces(&figures.into_iter().flatten().collect::<Vec<_>>()))
        };
        line(text, "  operations", &braces(&unit.operations.iter().map(each).collect::<Vec<_>>()));
    }
    optional(text, "  source", &unit.source);
}

fn write_memory(text: &mut String, indent: &str, memory: &MemorySpec, dimensions: &[(String, u64)]) {
    let mut line = |name: &str, value: &str| line(text, &format!("{indent}{name}"), value);
    line("- name", &scalar(&memory.name));
    line("  size", &write_size(memory.size_bits));
    line("  operands", &list(&memory.operands));
    let widths = (memory.read_width_bits, memory.write_width_bits);
    let granularities = (memory.read_granularity_bits, memory.write_granularity_bits);
    write_both(&mut line, "width", widths);
    if granularities != widths {
        write_both(&mut line, "granularity", granularities);
    }
    let estimate = memory.estimate.as_ref();
    if !estimate.is_some_and(|estimate| estimate.read_energy) {
        line("  read_energy", &energy(memory.read_energy_pj));
    }
    if !estimate.is_some_and(|estimate| estimate.write_energy) {
        line("  write_energy", &energy(memory.write_energy_pj));
    }
    if let Some(um2) = memory.area_um2 {
        line("  area", &write_area(um2));
    }
    if let Some(estimate) = estimate {
        line("  estimate", &scalar(&estimate.estimator));
    }
    line("  shared_over", &dimension_names(&memory.shared_over, dimensions));
    if !memory.ports.is_empty() {
        line("  ports", "");
        for port in &memory.ports {
            line(&format!("    {}", scalar(&port.name)), &port_text(port));
        }
    }
    if memory.latency_cycles != 1 {
        line("  latency", &write_cycles(memory.latency_cycles));
    }
    if let Some(bits) = memory.burst_bits {
        line("  burst", &format!("{bits} bit"));
    }
    match memory.double_buffered {
        DoubleBuffering::WhereItFits => {}
        DoubleBuffering::Always => line("  double_buffered", "true"),
        DoubleBuffering::Never => line("  double_buffered", "never"),
    }
    if memory.leakage_mw != 0.0 {
        line("  leakage", &write_power(memory.leakage_mw));
    }
    optional(text, &format!("{indent}  source"), &memory.source);
}

/// `[D1, D2]`, or `all` where these are all dimensions of the array.
fn dimension_names(names: &[String], dimensions: &[(String, u64)]) -> String {
    let every = !names.is_empty() && names.iter().eq(dimensions.iter().map(|(name, _)| name));
    if every { "all".to_owned() } else { list(names) }
}

/// `[I.read_to_low]`, or `{ serves: [I.read_to_low], width: 512 bit }` of a port with a width of its own.
fn port_text(port: &PortSpec) -> String {
    let serves = list(&port.serves);
    let own: Vec<String> = [("width", port.width_bits), ("granularity", port.granularity_bits)]
        .into_iter()
        .filter_map(|(name, bits)| bits.map(|bits| format!("{name}: {bits} bit")))
        .collect();
    if own.is_empty() { serves } else { braces(&[vec![format!("serves: {serves}")], own].concat()) }
}

fn write_both(line: &mut impl FnMut(&str, &str), name: &str, (read, write): (u64, u64)) {
    if read == write {
        line(&format!("  {name}"), &format!("{read} bit"));
    } else {
        line(&format!("  read_{name}"), &format!("{read} bit"));
        line(&format!("  write_{name}"), &format!("{write} bit"));
    }
}

/// Writes a system document.
pub fn write_system(spec: &SystemSpec) -> String {
    let mut text = head(&spec.name, &spec.about);
    line(&mut text, "cores", if spec.cores.is_empty() { "[]" } else { "" });
    for core in &spec.cores {
        write_core(&mut text, core);
    }
    if !spec.shared.is_empty() {
        line(&mut text, "shared", "");
        for shared in &spec.shared {
            let fields = [format!("memory: {}", scalar(&shared.memory)), format!("cores: {}", list(&shared.cores))];
            let _ = writeln!(text, "  - {}", braces(&fields));
        }
    }
    if !spec.links.is_empty() {
        line(&mut text, "links", "");
        for link in &spec.links {
            let _ = writeln!(text, "  - {}", braces(&link_fields(link)));
        }
    }
    line(&mut text, "offchip", "");
    line(&mut text, "  width", &format!("{} bit", spec.offchip.width_bits));
    line(&mut text, "  read_energy", &energy(spec.offchip.read_energy_pj));
    line(&mut text, "  write_energy", &energy(spec.offchip.write_energy_pj));
    if !spec.offchip.ports.is_empty() {
        line(&mut text, "  ports", "");
        for port in &spec.offchip.ports {
            let _ = writeln!(text, "    - {}", braces(&offchip_port(port)));
        }
    }
    text
}

fn write_core(text: &mut String, core: &CoreSpec) {
    line(text, "  - name", &scalar(&core.name));
    if !core.runs.is_empty() {
        line(text, "    runs", &list(&core.runs));
    }
    match &core.hardware {
        CoreHardware::Beside => {}
        CoreHardware::Preset(name) => line(text, "    hardware", &scalar(name)),
        CoreHardware::Own(own) => {
            line(text, "    hardware", "");
            for inside in write_hardware(own).lines() {
                let indent = if inside.is_empty() { "" } else { "      " };
                let _ = writeln!(text, "{indent}{inside}");
            }
        }
    }
}

fn link_fields(link: &LinkSpec) -> Vec<String> {
    let mut fields = match &link.ends {
        LinkEnds::OneWay(from, to) => vec![format!("from: {}", scalar(from)), format!("to: {}", scalar(to))],
        LinkEnds::BothWays(one, other) => vec![format!("between: {}", list(&[one.clone(), other.clone()]))],
        LinkEnds::Bus(names) => vec![format!("bus: {}", list(names))],
        LinkEnds::Mesh(rows) => {
            let rows: Vec<String> = rows.iter().map(|row| list(row)).collect();
            vec![format!("mesh: [{}]", rows.join(", "))]
        }
    };
    fields.extend([format!("width: {} bit", link.width_bits), format!("energy: {}", energy(link.energy_pj))]);
    fields
}

fn offchip_port(port: &OffchipPortSpec) -> Vec<String> {
    let stated = |text: &str| (!text.is_empty()).then(|| scalar(text));
    [
        ("name", stated(&port.name)),
        ("cores", (!port.cores.is_empty()).then(|| list(&port.cores))),
        ("direction", stated(&port.direction)),
        ("width", port.width_bits.map(|bits| format!("{bits} bit"))),
        ("energy", (port.energy_pj != 0.0).then(|| energy(port.energy_pj))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(format!("{name}: {}", value?)))
    .collect()
}

/// Writes a mapping document.
pub fn write_mapping(spec: &MappingSpec) -> String {
    let mut text = head(&spec.name, &spec.about);
    line(&mut text, "layers", if spec.layers.is_empty() { "[]" } else { "" });
    for layer in &spec.layers {
        line(&mut text, "  - layer", &scalar(&layer.layer));
        if let Some(unroll) = &layer.unroll {
            line(&mut text, "    unroll", &unrolling(unroll));
        }
        line(&mut text, "    loops", if layer.loops.is_empty() { "[]" } else { "# innermost first" });
        for MappedLoopSpec { dimension, size, memories } in &layer.loops {
            let mut fields = vec![format!("loop: {dimension} {size}")];
            fields.extend(memories.iter().map(|(operand, memory)| format!("{operand}: {}", scalar(memory))));
            let _ = writeln!(text, "      - {}", braces(&fields));
        }
    }
    text
}

/// Writes a transformer document: fields with their usual values are left out.
pub fn write_transformer(spec: &TransformerSpec) -> String {
    let mut text = head(&spec.name, &spec.about);
    line(&mut text, "layers", &spec.layers.to_string());
    line(&mut text, "width", &spec.width.to_string());
    if let Some(StateSpaceSpec { channels, states, rank, kernel }) = spec.state_space {
        let sizes = [("channels", channels), ("states", states), ("rank", rank), ("kernel", kernel)];
        line(&mut text, "state_space", &braces(&sizes.map(|(name, size)| format!("{name}: {size}"))));
        if spec.norm != "rms" {
            line(&mut text, "norm", &scalar(&spec.norm));
        }
        return text;
    }
    line(&mut text, "heads", &spec.heads.to_string());
    if spec.key_heads != spec.heads {
        line(&mut text, "key_heads", &spec.key_heads.to_string());
    }
    line(&mut text, "head_size", &spec.head_size.to_string());
    if let Some(LatentSpec { rank, rotary, absorbed }) = spec.latent {
        line(&mut text, "latent", &format!("{{ rank: {rank}, rotary: {rotary}, absorbed: {absorbed} }}"));
    }
    let mut parts = vec![format!("width: {}", spec.hidden)];
    if spec.gated {
        parts.push("gated: true".to_owned());
    }
    parts.push(format!("activation: {}", scalar(&spec.activation)));
    for (name, count, usual) in [("experts", spec.experts, 1), ("active", spec.active, 1), ("shared", spec.shared, 0)] {
        if count != usual {
            parts.push(format!("{name}: {count}"));
        }
    }
    line(&mut text, "feed_forward", &braces(&parts));
    line(&mut text, "norm", &scalar(&spec.norm));
    for (name, is, usual) in
        [("post_norm", spec.post_norm, false), ("rotary", spec.rotary, false), ("decoder", spec.decoder, true)]
    {
        if is != usual {
            line(&mut text, name, &is.to_string());
        }
    }
    if let Some(window) = spec.window {
        line(&mut text, "window", &window.to_string());
    }
    text
}

/// Writes a workload document.
pub fn write_workload(spec: &WorkloadSpec) -> String {
    let mut text = head(&spec.name, &spec.about);
    line(&mut text, "batch", &spec.batch.to_string());
    if let Some(precision) = precision(&spec.precision) {
        line(&mut text, "precision", &precision);
    }
    if let Some(density) = density(&spec.density) {
        line(&mut text, "density", &density);
    }
    line(&mut text, "layers", if spec.layers.is_empty() { "[]" } else { "" });
    for layer in &spec.layers {
        let _ = writeln!(text, "  - {}", braces(&layer_fields(layer)));
    }
    text
}

fn layer_fields(layer: &LayerSpec) -> Vec<String> {
    let pair = |(columns, rows): (u64, u64)| format!("{columns} x {rows}");
    let both = |(columns, rows): (u64, u64)| if columns == rows { columns.to_string() } else { pair((columns, rows)) };
    let kernel = match layer.kernel {
        // Documents must state the kernel of a layer that can have one.
        KernelSpec::Unstated => {
            matches!(layer.kind.as_str(), "conv" | "depthwise" | "pooling").then(|| "1 x 1".to_owned())
        }
        KernelSpec::Size(columns, rows) => Some(pair((columns, rows))),
        KernelSpec::Global => Some("global".to_owned()),
    };
    let padding = match layer.padding {
        PaddingSpec::None => None,
        PaddingSpec::Same => Some("same".to_owned()),
        PaddingSpec::Sides(left, right, top, bottom) if left == right && top == bottom => Some(both((left, top))),
        PaddingSpec::Sides(left, right, top, bottom) => {
            Some(format!("{{ left: {left}, right: {right}, top: {top}, bottom: {bottom} }}"))
        }
    };
    let range = |(first, end): (u64, u64)| format!("{first}..{end}");
    let (mut joined, mut part, mut scale, mut blocks) = (None, [None; 3], None, None);
    match layer.shows {
        None => {}
        Some(ViewSpec::Join(axis)) => joined = Some(axis.name().to_owned()),
        Some(ViewSpec::Part(ranges)) => part = ranges,
        Some(ViewSpec::Scale(columns, rows)) => scale = Some((columns, rows)),
        Some(ViewSpec::Blocks(columns, rows)) => blocks = Some((columns, rows)),
    }
    let [channels, columns, rows] = part;
    let from = match &layer.from[..] {
        [] => None,
        [one] => Some(scalar(one)),
        several => Some(list(several)),
    };
    let operations: Vec<String> =
        layer.operations.iter().map(|(name, count)| format!("{}: {count}", scalar(name))).collect();
    let unroll: Vec<String> =
        layer.unroll.iter().map(|(dataflow, unroll)| format!("{}: {}", scalar(dataflow), unrolling(unroll))).collect();
    [
        ("name", Some(scalar(&layer.name))),
        ("type", Some(scalar(&layer.kind))),
        ("from", from),
        ("K", layer.channels.map(|channels| channels.to_string())),
        ("size", layer.size.map(pair)),
        ("kernel", kernel),
        ("groups", layer.groups.map(|groups| groups.to_string())),
        ("stride", layer.stride.map(both)),
        ("dilation", layer.dilation.map(both)),
        ("padding", padding),
        ("crop", layer.crop.then(|| "true".to_owned())),
        ("join", joined),
        ("channels", channels.map(range)),
        ("columns", columns.map(range)),
        ("rows", rows.map(range)),
        ("scale", scale.map(both)),
        ("blocks", blocks.map(both)),
        ("operations", (!operations.is_empty()).then(|| braces(&operations))),
        ("precision", precision(&layer.precision)),
        ("density", density(&layer.density)),
        ("loop_order", (!layer.loop_order.is_empty()).then(|| list(&layer.loop_order))),
        ("input_counted", layer.input_counted.map(pair)),
        ("unroll", (!unroll.is_empty()).then(|| braces(&unroll))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(format!("{name}: {}", value?)))
    .collect()
}

fn precision(precision: &PrecisionSpec) -> Option<String> {
    let bits = [("W", precision.w), ("I", precision.i), ("O_partial", precision.o_partial), ("O", precision.o)];
    of_operands(bits.map(|(operand, bits)| Some(format!("{operand}: {}", bits?))))
}

fn density(density: &DensitySpec) -> Option<String> {
    let shares = [("W", density.w), ("I", density.i), ("O", density.o)];
    of_operands(shares.map(|(operand, share)| Some(format!("{operand}: {}", share?))))
}

fn of_operands<const N: usize>(fields: [Option<String>; N]) -> Option<String> {
    let fields: Vec<String> = fields.into_iter().flatten().collect();
    (!fields.is_empty()).then(|| braces(&fields))
}

/// `{ D1: K 16, D2: [OX 4, OY 2] }`: loops on the same array dimension stand together.
fn unrolling(unroll: &[UnrollSpec]) -> String {
    let mut fields: Vec<(&str, Vec<String>)> = Vec::new();
    for UnrollSpec { array_dimension, loop_dimension, limit } in unroll {
        let text = scalar(&limit.map_or(loop_dimension.clone(), |limit| format!("{loop_dimension} {limit}")));
        match fields.iter_mut().find(|(dimension, _)| dimension == array_dimension) {
            Some((_, loops)) => loops.push(text),
            None => fields.push((array_dimension, vec![text])),
        }
    }
    let fields: Vec<String> = fields
        .into_iter()
        .map(|(dimension, loops)| match loops.as_slice() {
            [only] => format!("{}: {only}", scalar(dimension)),
            several => format!("{}: [{}]", scalar(dimension), several.join(", ")),
        })
        .collect();
    braces(&fields)
}

pub(super) fn head(name: &str, about: &str) -> String {
    let mut text = String::new();
    line(&mut text, "name", &scalar(name));
    if about.is_empty() {
        return text;
    }
    if !is_prose(about) {
        line(&mut text, "about", &quoted(about));
        return text;
    }
    text.push_str("about: >-\n");
    for (index, paragraph) in about.split('\n').enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let mut column = 0;
        for word in paragraph.split(' ') {
            if column > 0 && column + word.len() >= WIDTH {
                text.push('\n');
                column = 0;
            }
            text.push_str(if column == 0 { "  " } else { " " });
            text.push_str(word);
            column += word.len() + 1;
        }
        text.push('\n');
    }
    text
}

/// Whether a folded block of YAML keeps this text as it is: words with single blanks, lines that are not empty.
fn is_prose(text: &str) -> bool {
    text.split('\n').all(|paragraph| {
        paragraph.split(' ').all(|word| !word.is_empty() && !word.chars().any(|c| c.is_whitespace() || is_special(c)))
    })
}

pub(super) fn line(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "{}", format!("{name}: {value}").trim_end());
}

fn optional(text: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        line(text, name, &plain_or_quoted(value, ",;<>=&*'\"[]{}|!?×"));
    }
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
    format!("[{}]", items.join(", "))
}

pub(super) fn braces(fields: &[String]) -> String {
    if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
}

fn energy(pj: f64) -> String {
    format!("{pj} pJ")
}
