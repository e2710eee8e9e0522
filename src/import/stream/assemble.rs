//! A system and the files of its cores as one document.

use super::mapping::OperatorCores;
use super::soc::{Connection, Described, Soc};
use super::stem;
use super::unrolling::{unroll_channels, unroll_like_registers};
use crate::report::{ImportReport, Severity};
use crate::zigzag::{FileRole, OPERATORS, ZigzagAccelerator, apply_to_hardware};
use fusescape_engine::system::CoreSystem;
use fusescape_spec::{
    CoreHardware, CoreSpec, Diagnostic, Diagnostics, HardwareSpec, LinkEnds, LinkSpec, MemorySpec, OffchipPortSpec,
    OffchipSpec, SharedSpec, SystemSpec, line_of,
};
use rustc_hash::FxHashSet;

#[derive(Debug, Clone)]
pub struct CoreFile {
    pub name: String,
    pub accelerator: ZigzagAccelerator,
    pub text: String,
}

/// A compute core, while the system is put together.
struct StreamCore {
    id: u64,
    name: String,
    /// Index of its file; `None` if the system file describes the core.
    file: Option<usize>,
    hardware: HardwareSpec,
    runs: Vec<String>,
}

/// Assembles a system.
///
/// # Errors
/// Missing files, and everything that a system document cannot express.
pub fn assemble(
    soc: &Soc,
    files: &[CoreFile],
    allocations: &[OperatorCores],
    report: &mut ImportReport,
) -> Result<SystemSpec, Diagnostics> {
    let found = find_cores(soc, files)?;
    let mut diagnostics = Diagnostics::default();
    let role = |id: u64| {
        let known = found.iter().find(|(known, ..)| *known == id).map(|(_, accelerator, _)| accelerator.role);
        if soc.offchip == Some(id) { FileRole::Offchip } else { known.unwrap_or_default() }
    };
    let outside = soc.offchip.and_then(|id| found.iter().find(|(known, ..)| *known == id));
    let Some(dram) = outside.and_then(|(_, accelerator, _)| accelerator.spec.memories.last()) else {
        let reason = "The system names no memory off the chip, which a system has here";
        diagnostics.add(
            soc.place("offchip_core_id"),
            reason,
            "State it: `offchip_core_id`, or `offchip_core: offchip.yaml`",
        );
        return Err(diagnostics);
    };
    let groups = memory_groups(soc, &role, &mut diagnostics);
    let mut cores = Vec::new();
    for &(id, accelerator, file) in found.iter().filter(|(id, ..)| role(*id) == FileRole::Compute) {
        let called = file.map_or(accelerator.spec.name.as_str(), |file| stem(&files[file].name));
        let name: String = called.chars().take(80).collect();
        let mut hardware = accelerator.spec.clone();
        let mut own = ImportReport::default();
        give_unrolling(id, &mut hardware, allocations, &mut own);
        for group in groups.iter().filter(|group| group.cores.contains(&id)) {
            if let Some((_, memory, _)) = found.iter().find(|(known, ..)| *known == group.memory) {
                hardware.memories.extend(memory.spec.memories.last().map(|memory| over_all(memory, &hardware)));
            }
        }
        let highest = over_all(dram, &hardware);
        hardware.memories.push(highest);
        let runs = read_runs(id, accelerator, allocations, &mut own);
        take_findings(&own, &name, report);
        take_findings(&accelerator.report, &name, report);
        cores.push(StreamCore { id, name: format!("{name} {id}"), file, hardware, runs });
    }
    note_single_layers(allocations, &cores, report);
    let shared = share(soc, &groups, &found, &mut cores);
    let Wires { links, ports } = wire(soc, &groups, &cores, dram, report);
    let share = dram.read_width_bits as f64 / dram.write_width_bits.max(1) as f64;
    let spec = SystemSpec {
        name: soc.name.clone(),
        about: format!("Imported from the Stream system `{}`.", soc.name),
        cores: equal_once(&cores),
        shared,
        links,
        offchip: OffchipSpec {
            width_bits: dram.read_width_bits,
            read_energy_pj: dram.read_energy_pj,
            write_energy_pj: dram.write_energy_pj * share,
            ports,
        },
    };
    if let Err(wrong) = CoreSystem::new(&spec, None) {
        diagnostics.0.extend(wrong.0.into_iter().map(|wrong| in_file(wrong, soc, &cores, files)));
    }
    diagnostics.or(spec)
}

/// The accelerators of all cores: number, description, and index of its file.
type FoundAccelerators<'a> = Vec<(u64, &'a ZigzagAccelerator, Option<usize>)>;

fn find_cores<'a>(soc: &'a Soc, files: &'a [CoreFile]) -> Result<FoundAccelerators<'a>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut found = Vec::new();
    for core in &soc.cores {
        match &core.described {
            Described::Here(accelerator) => found.push((core.id, &**accelerator, None)),
            Described::File(name) => match files.iter().position(|file| stem(&file.name) == stem(name)) {
                Some(file) => found.push((core.id, &files[file].accelerator, Some(file))),
                None => {
                    let known = |known: &Diagnostic| known.reason.contains(&format!("`{name}`"));
                    if !diagnostics.0.iter().any(known) {
                        let reason = format!("The file `{name}` of this core is not among those imported");
                        let remedy = "Choose the files of all cores together with the system";
                        diagnostics.add(soc.place(&format!("cores.{}", core.id)), reason, remedy);
                        if let Some(last) = diagnostics.0.last_mut() {
                            last.line = Some(core.line);
                        }
                    }
                }
            },
        }
    }
    diagnostics.or(found)
}

/// A memory that is a core of its own in Stream, and the cores that it serves.
struct SharedMemory {
    memory: u64,
    cores: Vec<u64>,
}

/// The cores of each memory core: those on its bus, unless that is the way off the chip.
fn memory_groups(soc: &Soc, role: &dyn Fn(u64) -> FileRole, diagnostics: &mut Diagnostics) -> Vec<SharedMemory> {
    let mut groups: Vec<SharedMemory> = Vec::new();
    for memory in soc.cores.iter().map(|core| core.id).filter(|id| role(*id) == FileRole::Memory) {
        let mut cores: Vec<u64> = Vec::new();
        let has_it = |connection: &&Connection| connection.cores.contains(&memory);
        let inside = |connection: &&Connection| connection.cores.iter().all(|id| role(*id) != FileRole::Offchip);
        for connection in soc.connections.iter().filter(has_it).filter(inside) {
            cores.extend(connection.cores.iter().filter(|id| role(**id) == FileRole::Compute));
        }
        cores.sort_unstable();
        cores.dedup();
        let other = groups.iter().find(|other| other.cores.iter().any(|core| cores.contains(core)));
        if cores.is_empty() {
            let reason = format!("The memory core {memory} is on no bus with a core that computes");
            diagnostics.add(soc.place("core_connectivity"), reason, "Connect it to the cores that it serves");
        } else if let Some(other) = other {
            let reason =
                format!("A core reads two memory cores, {} and {memory}: here one is its highest memory", other.memory);
            diagnostics.add(soc.place("core_connectivity"), reason, "Connect every core to one memory core");
        } else {
            groups.push(SharedMemory { memory, cores });
        }
    }
    groups
}

/// A memory that serves the whole array of a core.
fn over_all(memory: &MemorySpec, hardware: &HardwareSpec) -> MemorySpec {
    let mut memory = memory.clone();
    memory.shared_over = hardware.array.dimensions.iter().map(|(name, _)| name.clone()).collect();
    let taken = |name: &str| hardware.memories.iter().any(|known| known.name == name);
    while taken(&memory.name) {
        memory.name.push_str("_above");
    }
    memory
}

fn give_unrolling(id: u64, hardware: &mut HardwareSpec, allocations: &[OperatorCores], report: &mut ImportReport) {
    let stated = allocations.iter().filter(|entry| entry.cores.contains(&id) && !entry.unrolled.loops.is_empty());
    let entries: Vec<_> = stated.map(|entry| entry.unrolled.clone()).collect();
    if !entries.is_empty() {
        apply_to_hardware(hardware, &entries);
    }
    unroll_like_registers(hardware, report);
    unroll_channels(hardware, report);
}

/// Types of layers that a core runs: by the mapping, else as stated by the core; empty for all.
fn read_runs(
    id: u64,
    core: &ZigzagAccelerator,
    allocations: &[OperatorCores],
    report: &mut ImportReport,
) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut add = |kinds: &[&str]| {
        for kind in kinds {
            if !runs.iter().any(|known| known == kind) {
                runs.push((*kind).to_owned());
            }
        }
    };
    if allocations.iter().all(|entry| entry.kinds().is_empty()) {
        for operator in &core.operators {
            match OPERATORS.iter().find(|(known, _)| known == operator) {
                Some((_, kinds)) => add(kinds),
                None => report.note(Severity::Merged, "operator_types", "no layer of its own here", operator),
            }
        }
        return runs;
    }
    let named: Vec<&str> = allocations
        .iter()
        .filter(|entry| entry.operator != "default")
        .flat_map(|entry| entry.kinds().iter().copied())
        .collect();
    for entry in allocations.iter().filter(|entry| entry.cores.contains(&id)) {
        if entry.operator == "default" {
            let rest: Vec<&str> = entry.kinds().iter().copied().filter(|kind| !named.contains(kind)).collect();
            add(&rest);
        } else {
            add(entry.kinds());
        }
    }
    if runs.is_empty() {
        let reason = "the mapping gives it no type of layer, so it may run all: state `runs`, or take it out";
        report.note(Severity::Assumed, "runs", reason, "");
    }
    // An empty list stands for all types.
    if OPERATORS[0].1.iter().all(|kind| runs.iter().any(|known| known == kind)) { Vec::new() } else { runs }
}

/// Notes allocations of single layers: a system states the types of layers that a core runs, not the layers.
fn note_single_layers(allocations: &[OperatorCores], cores: &[StreamCore], report: &mut ImportReport) {
    let name = |id: &u64| cores.iter().find(|core| core.id == *id).map(|core| core.name.as_str());
    let said = |entry: &OperatorCores| {
        let names: Vec<&str> = entry.cores.iter().filter_map(name).collect();
        format!("{}: {}", entry.operator, names.join(", "))
    };
    let singles: Vec<String> = allocations.iter().filter(|entry| entry.kinds().is_empty()).map(said).collect();
    if !singles.is_empty() {
        let reason = format!(
            "a system says which types of layers a core runs, not which layers: say it by `cores --allocation \"{}\"`",
            singles.join("; ")
        );
        report.note(Severity::Assumed, "core_allocation of single layers", &reason, "");
    }
}

/// Adds the findings about a core to those about the system.
fn take_findings(of: &ImportReport, core: &str, report: &mut ImportReport) {
    for finding in &of.findings {
        let place = finding.places.first().map_or(core.to_owned(), |place| format!("{core}: {place}"));
        let known = report
            .findings
            .iter()
            .any(|known| known.what == finding.what && known.reason == finding.reason && known.places.contains(&place));
        if !known {
            report.note(finding.severity, &finding.what, &finding.reason, &place);
        }
    }
}

/// Shared memories: those of memory cores, and the highest ones of cores that share them.
fn share(soc: &Soc, groups: &[SharedMemory], found: &FoundAccelerators, cores: &mut [StreamCore]) -> Vec<SharedSpec> {
    let mut shared = Vec::new();
    let names = |cores: &[StreamCore], ids: &[u64]| -> Vec<String> {
        cores.iter().filter(|core| ids.contains(&core.id)).map(|core| core.name.clone()).collect()
    };
    for group in groups.iter().filter(|group| group.cores.len() > 1) {
        let memory = found.iter().find(|(id, ..)| *id == group.memory);
        if let Some(memory) = memory.and_then(|(_, accelerator, _)| accelerator.spec.memories.last()) {
            shared.push(SharedSpec { memory: memory.name.clone(), cores: names(cores, &group.cores) });
        }
    }
    for group in &soc.sharing {
        let Some(first) = cores.iter().find(|core| group.contains(&core.id)) else { continue };
        let tops = highest(&first.hardware);
        for core in cores.iter_mut().filter(|core| group.contains(&core.id)) {
            // A shared memory has the same name in all cores.
            for (name, theirs) in tops.iter().zip(highest(&core.hardware)) {
                if let Some(memory) = core.hardware.memories.iter_mut().find(|memory| memory.name == theirs) {
                    memory.name.clone_from(name);
                }
            }
        }
        shared.extend(tops.into_iter().map(|memory| SharedSpec { memory, cores: names(cores, group) }));
    }
    shared
}

/// Names of the highest memories on the chip, for W, I and O, without duplicates.
fn highest(hardware: &HardwareSpec) -> Vec<String> {
    let Some((_, inside)) = hardware.memories.split_last() else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for operand in ["W", "I", "O"] {
        let top = inside.iter().rev().find(|memory| memory.operands.iter().any(|held| held == operand));
        names.extend(top.map(|memory| memory.name.clone()).filter(|name| !names.contains(name)));
    }
    names
}

struct Wires {
    links: Vec<LinkSpec>,
    ports: Vec<OffchipPortSpec>,
}

/// Links between cores, and ways off the chip.
fn wire(
    soc: &Soc,
    groups: &[SharedMemory],
    cores: &[StreamCore],
    dram: &MemorySpec,
    report: &mut ImportReport,
) -> Wires {
    let (mut links, mut ports): (Vec<LinkSpec>, Vec<OffchipPortSpec>) = (Vec::new(), Vec::new());
    let name = |id: u64| cores.iter().find(|core| core.id == id).map(|core| core.name.clone());
    let mut reaches: Vec<String> = Vec::new();
    let mut pairs = FxHashSet::default();
    let mut is_overlapping = false;
    // Of several connections of two cores the first is used here, the last in Stream.
    for connection in soc.connections.iter().rev() {
        let (width_bits, energy_pj) = (connection.width_bits, connection.energy_pj);
        let is_outside = soc.offchip.is_some_and(|id| connection.cores.contains(&id));
        let memories = || groups.iter().filter(|group| connection.cores.contains(&group.memory));
        let is_inside_group =
            !is_outside && memories().count() == 1 && connection.cores.iter().any(|id| name(*id).is_some());
        if is_inside_group {
            let reason = "a memory that is a core in Stream is the highest memory of the cores on its bus, which they share: \
                          its own width counts, and they do not wait for each other";
            for group in memories() {
                report.note(Severity::Expressed, "memory core", reason, &format!("core {}", group.memory));
            }
            continue;
        }
        let mut ends: Vec<u64> = connection.cores.iter().copied().filter(|id| name(*id).is_some()).collect();
        ends.extend(memories().flat_map(|group| group.cores.iter().copied()));
        ends.sort_unstable();
        ends.dedup();
        let names: Vec<String> = ends.iter().filter_map(|id| name(*id)).collect();
        if is_outside && !names.is_empty() {
            let is_all = names.len() == cores.len();
            reaches.extend(names.iter().cloned());
            let listed = if is_all { Vec::new() } else { names.clone() };
            let wider = (width_bits != dram.read_width_bits).then_some(width_bits);
            ports.push(OffchipPortSpec {
                name: String::new(),
                cores: listed,
                direction: "both".to_owned(),
                width_bits: wider,
                energy_pj,
            });
        }
        if is_outside && names.len() > 1 {
            let reason = "a bus that leads off the chip, too, is a port and a bus here: transfers of the one do not wait for the other";
            report.note(Severity::Expressed, "core_connectivity", reason, "");
        }
        for (place, &one) in ends.iter().enumerate() {
            for &other in &ends[place + 1..] {
                if !pairs.insert((one, other)) {
                    is_overlapping = true;
                    let reason = "connected twice: the connection that the file states last counts, as in Stream";
                    report.note(Severity::Assumed, "core_connectivity", reason, &format!("{one}, {other}"));
                }
            }
        }
        let ends = match <[String; 2]>::try_from(names) {
            Ok([one, other]) if !connection.is_bus => LinkEnds::BothWays(one, other),
            Ok(both) => LinkEnds::Bus(both.to_vec()),
            Err(names) if names.len() > 2 => LinkEnds::Bus(names),
            Err(_) => continue,
        };
        links.push(LinkSpec { ends, width_bits, energy_pj });
    }
    if !is_overlapping {
        links.reverse();
        ports.reverse();
    }
    if soc.has_offchip_links {
        ports = older_ports(dram, soc.offchip_energy_pj);
    } else if let Some(first) = ports.first() {
        // A core without a port of its own gets one like the first, as a route off the chip has one hop here.
        let far: Vec<String> =
            cores.iter().map(|core| core.name.clone()).filter(|name| !reaches.contains(name)).collect();
        if !far.is_empty() {
            let reason = "they reach the memory off the chip over other cores; here over its port at once, without the hops before it";
            report.note(Severity::NotCounted, "core_connectivity", reason, &far.join(", "));
            let mut cores_of = first.cores.clone();
            cores_of.extend(far);
            ports[0].cores = cores_of;
        }
    }
    Wires { links, ports }
}

/// Ways off the chip before version 1.0: a single one if the memory has one port, else one for reading and one for
/// writing.
fn older_ports(dram: &MemorySpec, energy_pj: f64) -> Vec<OffchipPortSpec> {
    let port = |direction: &str, width: u64| OffchipPortSpec {
        name: String::new(),
        cores: Vec::new(),
        direction: direction.to_owned(),
        width_bits: (width != dram.read_width_bits).then_some(width),
        energy_pj,
    };
    match dram.ports.len() {
        0 | 1 => vec![port("both", dram.read_width_bits)],
        _ => vec![port("read", dram.read_width_bits), port("write", dram.write_width_bits)],
    }
}

/// The cores; equal hardware is written once.
fn equal_once(cores: &[StreamCore]) -> Vec<CoreSpec> {
    let spec = |(index, core): (usize, &StreamCore)| {
        let same = cores[..index].iter().find(|earlier| earlier.hardware == core.hardware);
        CoreSpec {
            name: core.name.clone(),
            hardware: same.map_or_else(
                || CoreHardware::Own(Box::new(core.hardware.clone())),
                |same| CoreHardware::Preset(same.name.clone()),
            ),
            runs: core.runs.clone(),
        }
    };
    cores.iter().enumerate().map(spec).collect()
}

/// An error in the hardware of a core, moved to its place in the file of that core.
fn in_file(wrong: Diagnostic, soc: &Soc, cores: &[StreamCore], files: &[CoreFile]) -> Diagnostic {
    let split = wrong.path.strip_prefix("cores[").and_then(|rest| rest.split_once(']'));
    let Some((core, inside)) = split.and_then(|(index, rest)| Some((cores.get(index.parse::<usize>().ok()?)?, rest)))
    else {
        return Diagnostic { path: soc.place(&wrong.path), ..wrong };
    };
    let inside = inside.trim_start_matches(".hardware").trim_start_matches('.').to_owned();
    match core.file.and_then(|file| files.get(file)) {
        Some(file) => {
            let line = line_of(&file.text, &inside);
            Diagnostic { path: format!("{}: {inside}", file.name), line, ..wrong }
        }
        None => Diagnostic { path: soc.place(&format!("cores.{}.{inside}", core.id)), ..wrong },
    }
}
