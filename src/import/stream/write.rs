//! A system as files of Stream, in the layout of its public repository since version 1.0: a system file, one file for
//! each different core and for the memory off the chip, and the mapping of operators to cores.

use crate::report::{ImportReport, Severity};
use crate::zigzag::{OPERATORS, write_core};
use fusescape_engine::hardware::{Core, Operand, Unroll};
use fusescape_engine::system::CoreSystem;
use fusescape_engine::workload::LayerKind;
use fusescape_spec::{LinkEnds, OffchipPortSpec, OffchipSpec, SystemSpec, scalar};
use std::fmt::Write;

/// Types of operators that a mapping names.
const NAMED: [&str; 7] = ["Conv", "Gemm", "Pool", "MaxPool", "AveragePool", "GlobalAveragePool", "Add"];

/// Stream's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamFiles {
    /// The system file.
    pub soc: String,
    /// Files of cores, the memory off the chip last: name and text.
    pub cores: Vec<(String, String)>,
    /// The mapping of operators to cores.
    pub mapping: String,
    /// Properties that the files express otherwise, or not at all.
    pub report: ImportReport,
}

/// A connection of the system file.
#[derive(Debug, Clone, PartialEq)]
struct WrittenConnection {
    is_bus: bool,
    /// Indices of cores; the memory off the chip comes last.
    cores: Vec<usize>,
    width_bits: u64,
    energy_pj: f64,
}

/// Writes a system; `spec` is its document.
pub fn write(system: &CoreSystem, spec: &SystemSpec) -> StreamFiles {
    let mut report = ImportReport { title: system.name.clone(), ..ImportReport::default() };
    let names: Vec<&str> = spec.cores.iter().map(|core| core.name.as_str()).collect();
    let (files, mut cores) = write_cores(system, &mut report);
    let size_bits =
        system.cores.iter().next().and_then(|core| core.core.memories.iter().last().map(|top| top.size_bits));
    cores.push(("offchip.yaml".to_owned(), write_offchip(&spec.offchip, size_bits.unwrap_or(1 << 40))));
    let mut connections = read_links(spec, &names, &mut report);
    add_ports(&mut connections, spec, &names, &mut report);
    if joins_twice(&connections) {
        // Of several connections of two cores the first counts here, the last in Stream.
        connections.reverse();
    }
    let mut soc = format!("name: {}\ncores:\n", scalar(&system.name));
    for (id, file) in files.iter().enumerate() {
        let _ = writeln!(soc, "  {id}: ./cores/{file}");
    }
    let outside = files.len();
    let _ = write!(soc, "  {outside}: ./cores/offchip.yaml\noffchip_core_id: {outside}\nunit_energy_cost: 0\n");
    soc.push_str(&write_sharing(system, spec, &names, &mut report));
    soc.push_str("core_connectivity:\n");
    for WrittenConnection { is_bus, cores, width_bits, energy_pj } in &connections {
        let kind = if *is_bus { "bus" } else { "link" };
        let ids: Vec<String> = cores.iter().map(usize::to_string).collect();
        let _ = writeln!(
            soc,
            "  - {{type: {kind}, cores: [{}], bandwidth: {width_bits}, unit_energy_cost: {energy_pj}}}",
            ids.join(", ")
        );
    }
    let mapping = write_mapping(spec, &mut report);
    report.result = format!("{} cores in {} files, {} connections", names.len(), cores.len(), connections.len());
    StreamFiles { soc, cores, mapping, report }
}

/// The name of the file of each core, and the files; equal cores share one.
fn write_cores(system: &CoreSystem, report: &mut ImportReport) -> (Vec<String>, Vec<(String, String)>) {
    let mut known: Vec<(&Core, String)> = Vec::new();
    let mut files = Vec::new();
    let mut written: Vec<(String, String)> = Vec::new();
    for (id, compute) in system.cores.iter().enumerate() {
        if let Some((_, file)) = known.iter().find(|(core, _)| **core == compute.core) {
            files.push(file.clone());
            continue;
        }
        let own = compute.name.strip_suffix(&format!(" {id}")).unwrap_or(&compute.name);
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
        let mut stem: String = own.chars().map(plain).collect();
        while stem.is_empty() || stem == "offchip" || written.iter().any(|(file, _)| *file == format!("{stem}.yaml")) {
            stem.push('_');
        }
        let file = format!("{stem}.yaml");
        written.push((
            file.clone(),
            write_core(&compute.core, "zigzag.compute", report) + &dataflows(&compute.core, report),
        ));
        known.push((&compute.core, file.clone()));
        files.push(file);
    }
    (files, written)
}

/// Limit on the array dimensions that a file of a core may unroll.
const MAX_DIMENSIONS: usize = 4;

/// The unrolling of the array: the file of a core has a single one for all types of layers.
fn dataflows(core: &Core, report: &mut ImportReport) -> String {
    let kinds = LayerKind::ALL.into_iter().filter(|kind| !core.unroll(*kind).is_empty());
    let stated: Vec<(LayerKind, &[Unroll])> = kinds.map(|kind| (kind, core.unroll(kind))).collect();
    let Some((_, unroll)) = stated.iter().find(|(kind, _)| *kind == LayerKind::Conv).or(stated.first()) else {
        return String::new();
    };
    if stated.iter().any(|(_, other)| other != unroll) {
        let reason = "Stream searches an unrolling for each layer; stated is that of convolutions, or the first";
        report.note(Severity::Expressed, "unroll", reason, &core.name);
    }
    let mut text = "dataflows:\n".to_owned();
    for dim in core.array.keys() {
        let loops: Vec<String> = unroll
            .iter()
            .filter(|part| part.array_dim == dim)
            .map(|part| format!("\"{}, {}\"", part.dim, part.limit))
            .collect();
        if dim.index() >= MAX_DIMENSIONS && !loops.is_empty() {
            let reason = "not written: Stream unrolls D1 to D4, so that this dimension of the array stays empty";
            report.note(Severity::NotCounted, "unroll", reason, &core.array[dim].0);
        } else if !loops.is_empty() {
            let _ = writeln!(text, "  D{}: [{}]", dim.index() + 1, loops.join(", "));
        }
    }
    text
}

fn write_offchip(offchip: &OffchipSpec, size_bits: u64) -> String {
    format!(
        "name: offchip\ntype: zigzag.offchip\noperational_array:\n  unit_energy: 0\n  unit_area: 0\n  dimensions: [D1, D2]\n  \
         sizes: [0, 0]\nmemories:\n  dram:\n    size: {size_bits}\n    r_cost: {}\n    w_cost: {}\n    area: 0\n    latency: 1\n    \
         auto_cost_extraction: false\n    operands: [I1, I2, O]\n    served_dimensions: [D1, D2]\n    ports:\n      \
         - {{name: rw_port_1, type: read_write, bandwidth_min: {width}, bandwidth_max: {width}, allocation: [\"I1, fh\", \"I1, tl\", \
         \"I2, fh\", \"I2, tl\", \"O, fh\", \"O, tl\", \"O, fl\", \"O, th\"]}}\n",
        offchip.read_energy_pj,
        offchip.write_energy_pj,
        width = offchip.width_bits
    )
}

fn ids(names: &[&str], of: &[String]) -> Vec<usize> {
    of.iter().filter_map(|name| names.iter().position(|known| known == name)).collect()
}

fn read_links(spec: &SystemSpec, names: &[&str], report: &mut ImportReport) -> Vec<WrittenConnection> {
    let mut connections = Vec::new();
    for link in &spec.links {
        let mut add = |is_bus: bool, cores: Vec<usize>| {
            let (width_bits, energy_pj) = (link.width_bits, link.energy_pj);
            connections.push(WrittenConnection { is_bus, cores, width_bits, energy_pj });
        };
        match &link.ends {
            LinkEnds::BothWays(one, other) => add(false, ids(names, &[one.clone(), other.clone()])),
            LinkEnds::OneWay(from, to) => {
                let reason = "links of Stream lead both ways";
                report.note(Severity::Expressed, "link", reason, &format!("{from} to {to}"));
                add(false, ids(names, &[from.clone(), to.clone()]));
            }
            LinkEnds::Bus(of) => add(true, ids(names, of)),
            LinkEnds::Mesh(rows) => {
                for (index, row) in rows.iter().enumerate() {
                    let beside = row.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
                    let below = rows.get(index + 1).into_iter().flat_map(|next| row.iter().zip(next));
                    let below = below.map(|(one, other)| [one.clone(), other.clone()]);
                    beside.chain(below).for_each(|pair| add(false, ids(names, &pair)));
                }
            }
        }
    }
    connections
}

/// Ways off the chip: a port of several cores becomes a bus with the memory on it, which in Stream also connects these
/// cores.
fn add_ports(connections: &mut Vec<WrittenConnection>, spec: &SystemSpec, names: &[&str], report: &mut ImportReport) {
    let all = OffchipPortSpec { direction: "both".to_owned(), ..OffchipPortSpec::default() };
    let ports = if spec.offchip.ports.is_empty() { std::slice::from_ref(&all) } else { &spec.offchip.ports };
    for port in ports {
        let mut cores = if port.cores.is_empty() { (0..names.len()).collect() } else { ids(names, &port.cores) };
        let (width_bits, energy_pj) = (port.width_bits.unwrap_or(spec.offchip.width_bits), port.energy_pj);
        if matches!(port.direction.as_str(), "read" | "write") {
            let reason = "a way off the chip is one for both directions in Stream";
            report.note(Severity::Expressed, "offchip port", reason, &port.name);
            let is_written =
                |known: &WrittenConnection| known.cores.len() == cores.len() + 1 && known.cores.starts_with(&cores);
            if connections.iter().any(is_written) {
                continue;
            }
        }
        let mut sorted = cores.clone();
        sorted.sort_unstable();
        let is_same_bus = |known: &WrittenConnection| {
            let mut own = known.cores.clone();
            own.sort_unstable();
            known.is_bus && own == sorted && (known.width_bits, known.energy_pj) == (width_bits, energy_pj)
        };
        match connections.iter().position(is_same_bus).filter(|_| cores.len() > 1) {
            Some(bus) => connections[bus].cores.push(names.len()),
            None => {
                if cores.len() > 1 {
                    let reason = "several cores share this way off the chip: in Stream it joins these cores, too";
                    report.note(Severity::Expressed, "offchip port", reason, &port.name);
                }
                let is_bus = cores.len() > 1;
                cores.push(names.len());
                connections.push(WrittenConnection { is_bus, cores, width_bits, energy_pj });
            }
        }
    }
}

/// Whether two cores are on several connections.
fn joins_twice(connections: &[WrittenConnection]) -> bool {
    let shares = |one: &WrittenConnection, other: &WrittenConnection| {
        one.cores.iter().filter(|core| other.cores.contains(core)).count() > 1
    };
    connections.iter().enumerate().any(|(place, one)| connections[place + 1..].iter().any(|other| shares(one, other)))
}

/// Cores with shared memories: in Stream they share all of their highest ones.
fn write_sharing(system: &CoreSystem, spec: &SystemSpec, names: &[&str], report: &mut ImportReport) -> String {
    let highest = |id: usize| -> Vec<String> {
        let Some(compute) = system.cores.raw.get(id) else { return Vec::new() };
        let inside = |operand: Operand| compute.core.levels(operand).iter().rev().nth(1).copied();
        let memories = Operand::ALL.into_iter().filter_map(inside);
        memories.map(|memory| compute.core.memories[memory].name.clone()).collect()
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for shared in &spec.shared {
        let group = ids(names, &shared.cores);
        if groups.contains(&group) {
            continue;
        }
        let is_shared =
            |name: &String| spec.shared.iter().any(|other| other.memory == *name && ids(names, &other.cores) == group);
        if group.iter().flat_map(|id| highest(*id)).all(|name| is_shared(&name)) {
            groups.push(group);
        } else {
            let reason = "not written: cores of Stream share all of their highest memories or none, so that each has one of its own";
            report.note(Severity::NotCounted, "shared", reason, &shared.memory);
        }
    }
    let line = |group: &Vec<usize>| {
        let ids: Vec<String> = group.iter().map(usize::to_string).collect();
        format!("  - \"{}\"\n", ids.join(", "))
    };
    let lines: String = groups.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("core_memory_sharing:\n{lines}") }
}

fn write_mapping(spec: &SystemSpec, report: &mut ImportReport) -> String {
    let mut text = "layers:\n".to_owned();
    for operator in NAMED {
        let kinds = OPERATORS.iter().find(|(known, _)| *known == operator).map_or(&[] as &[&str], |(_, kinds)| kinds);
        let mut ids = Vec::new();
        for (id, core) in spec.cores.iter().enumerate() {
            let run =
                kinds.iter().filter(|kind| core.runs.is_empty() || core.runs.iter().any(|run| run == *kind)).count();
            if run > 0 {
                ids.push(id.to_string());
            }
            if run > 0 && run < kinds.len() {
                let reason = format!("all of {} are one type of operator in Stream", kinds.join(", "));
                report.note(Severity::Expressed, "runs", &reason, &core.name);
            }
        }
        if !ids.is_empty() {
            let _ = writeln!(text, "  - {{name: {operator}, core_allocation: [[{}]]}}", ids.join(", "));
        }
    }
    text
}
