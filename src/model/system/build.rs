//! From a system document to a [`CoreSystem`].

use super::core_system::{ComputeCore, CoreLink, CoreSystem, CoreTopMemory, LinkHop};
use super::ids::{CoreId, LinkId, TopMemoryId};
use crate::hardware::{Core, MAX_SIZE, MemoryId, Operand, check_bits, check_energy};
use crate::ids::{TiSlice, TiVec};
use crate::spec::{
    Consequences, CoreHardware, CoreSpec, Diagnostics, HardwareSpec, LinkEnds, OffchipPortSpec, OffchipSpec,
    SystemSpec, closest, find_preset, hardware_presets, read_hardware, read_system,
};
use crate::units::{Bits, BitsPerCycle};
use crate::workload::LayerKind;
use rustc_hash::FxHashSet;

/// Limit on the hops of a system, more than a full mesh of the largest number of cores has.
const MAX_HOPS: usize = 1 << 14;

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences =
    &[("cores", &["cores", "shared", "links", "offchip"]), ("links", &["links"]), ("cores[*].name", &["links"])];

impl CoreSystem {
    /// Reads and validates a system document. `beside` is the hardware document of the cores that name none.
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with its line, path, reason and remedy. Mistakes in `beside` are
    /// only reported as such, where a core needs it: `Core::from_text` lists them.
    pub fn from_text(text: &str, beside: &str) -> Result<Self, Diagnostics> {
        let beside = read_hardware(beside).whole().ok();
        read_system(text).validated(text, CONSEQUENCES, |spec| Self::new(&spec, beside.as_ref()))
    }

    /// Reads and validates a system document and the hardware document beside it.
    ///
    /// # Errors
    /// Everything that is wrong with the system, and with the hardware where some core is described by it; paths begin with `system.` and
    /// `hardware.`.
    pub fn with_hardware(text: &str, hardware: &str) -> Result<Self, Diagnostics> {
        Self::from_text(text, hardware).map_err(|wrong| {
            let hardware = Core::from_text(hardware).err().filter(|_| !hardware.is_empty()).unwrap_or_default();
            Diagnostics([hardware.under("hardware").0, wrong.under("system").0].concat())
        })
    }

    /// Validates a document. `beside` is the hardware of the cores that name none, if it could be read.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its path in the document, the reason and a remedy.
    pub fn new(spec: &SystemSpec, beside: Option<&HardwareSpec>) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        if spec.cores.is_empty() {
            diagnostics.add("cores", "The system has no cores", "List at least one");
        }
        check_width("offchip.width", spec.offchip.width_bits, &mut diagnostics);
        let mut wiring = Wiring::new(spec);
        wiring.check_ports(&spec.offchip, &mut diagnostics);
        wiring.check_links(spec, &mut diagnostics);
        let mut kinds: Vec<(HardwareSpec, Vec<LayerKind>)> = Vec::new();
        let mut cores: TiVec<CoreId, ComputeCore> = TiVec::new();
        for (index, core) in spec.cores.iter().enumerate() {
            let path = format!("cores[{index}]");
            wiring.check_name(index, core, &path, &mut diagnostics);
            let runs = read_runs(core, &path, &mut diagnostics);
            let source = source_of(index, &spec.cores);
            let Some(hardware) = hardware_of(source, beside, &path, &mut diagnostics) else { continue };
            let outside = with_outside(hardware, &spec.offchip, wiring.port_width(CoreId::from(index), &spec.offchip));
            let built = match Core::new(&outside) {
                Ok(built) => built,
                Err(wrong) => {
                    // Mistakes in the document beside, or in that of another core, are reported there.
                    if source.hardware != CoreHardware::Beside && std::ptr::eq(source, core) {
                        diagnostics.0.extend(wrong.under(&format!("{path}.hardware")).0);
                    }
                    continue;
                }
            };
            check_levels(&built, &path, &mut diagnostics);
            let kind = (HardwareSpec { name: String::new(), about: String::new(), ..outside }, runs);
            let known = kinds.iter().position(|known| *known == kind).unwrap_or(index);
            kinds.push(kind.clone());
            cores.push(ComputeCore { name: core.name.clone(), core: built, runs: kind.1, kind: CoreId::from(known) });
        }
        if cores.len() < spec.cores.len() || !diagnostics.is_empty() {
            if diagnostics.is_empty() {
                diagnostics.add(
                    "cores",
                    "The accelerator beside this is not valid yet",
                    "Correct the hardware document",
                );
            }
            return Err(diagnostics);
        }
        let is_beside = |index: usize| source_of(index, &spec.cores).hardware == CoreHardware::Beside;
        let takes_beside = (0..spec.cores.len()).any(is_beside);
        let (memories, memory_of) = memories(spec, &cores, &mut diagnostics);
        let Wiring { links, mut hops, .. } = wiring;
        // Of two routes of the same length, the one on the chip comes first.
        hops.sort_by_key(|hop| hop.from.max(hop.to) == cores.next_key());
        let system = Self { name: spec.name.clone(), cores, takes_beside, memories, memory_of, links, hops };
        system.check_routes(&mut diagnostics);
        diagnostics.or(system)
    }

    /// Checks that every core reaches every other one, by shared memories or by links.
    fn check_routes(&self, diagnostics: &mut Diagnostics) {
        let name = |core: CoreId| self.cores[core].name.as_str();
        for from in self.cores.keys() {
            let routes = self.routes_from(from, false);
            for to in self.cores.keys().filter(|&to| to != from && routes[to].is_empty()) {
                // Without a link, a core still reads a memory that it shares with the other one.
                let [_, inputs, _] = self.memory_of[to];
                if self.memories[inputs].cores.contains(&from) {
                    continue;
                }
                let reason = format!("No links lead from `{}` to `{}`", name(from), name(to));
                let remedy = format!(
                    "Add `{{ between: [{}, {}], width: 128 bit, energy: 8 pJ }}`, or a `bus`",
                    name(from),
                    name(to)
                );
                diagnostics.add("links", reason, remedy);
            }
        }
    }
}

/// Names, links and hops while they are checked.
struct Wiring<'a> {
    names: TiVec<CoreId, &'a str>,
    links: TiVec<LinkId, CoreLink>,
    hops: Vec<LinkHop>,
    /// From and to of all hops.
    connected: FxHashSet<(CoreId, CoreId)>,
}

impl<'a> Wiring<'a> {
    fn new(spec: &'a SystemSpec) -> Self {
        Self {
            names: spec.cores.iter().map(|core| core.name.as_str()).collect(),
            links: TiVec::new(),
            hops: Vec::new(),
            connected: FxHashSet::default(),
        }
    }

    fn check_name(&self, index: usize, core: &CoreSpec, path: &str, diagnostics: &mut Diagnostics) {
        if core.name.is_empty() {
            diagnostics.add(format!("{path}.name"), "This core has no name", "Give it one, for example `core 0`");
        } else if self.names.raw[..index].contains(&core.name.as_str()) {
            diagnostics.add(
                format!("{path}.name"),
                format!("Two cores are called `{}`", core.name),
                "Rename one of them",
            );
        }
    }

    /// The core of a name; `path` is where the name stands.
    fn find(&self, name: &str, path: &str, diagnostics: &mut Diagnostics) -> Option<CoreId> {
        let found = self.names.position(|known| *known == name);
        if found.is_none() && !diagnostics.is_full() {
            let remedy = closest(name, self.names.iter().copied()).map_or_else(
                || format!("Use one of {}", self.names.raw.join(", ")),
                |meant| format!("Did you mean `{meant}`?"),
            );
            diagnostics.add(path, format!("There is no core `{name}`"), remedy);
        }
        found
    }

    fn find_all(&self, names: &[String], path: &str, diagnostics: &mut Diagnostics) -> Vec<CoreId> {
        let found = |(index, name): (usize, &String)| self.find(name, &format!("{path}[{index}]"), diagnostics);
        names.iter().enumerate().filter_map(found).collect()
    }

    fn add(&mut self, name: String, width_bits: u64, energy_pj: f64) -> LinkId {
        self.links.push_and_get_key(CoreLink {
            name,
            bandwidth: BitsPerCycle(width_bits as f64),
            pj_per_cycle: energy_pj,
        })
    }

    /// Connects two cores. Of several links between them the first is kept.
    fn connect(&mut self, from: CoreId, to: CoreId, link: LinkId) {
        if self.connected.insert((from, to)) {
            self.hops.push(LinkHop { from, to, link });
        }
    }

    fn check_links(&mut self, spec: &SystemSpec, diagnostics: &mut Diagnostics) {
        for (index, link) in spec.links.iter().enumerate() {
            let path = format!("links[{index}]");
            check_width(&format!("{path}.width"), link.width_bits, diagnostics);
            check_energy(&format!("{path}.energy"), link.energy_pj, diagnostics);
            let mut pairs = Vec::new();
            match &link.ends {
                LinkEnds::OneWay(from, to) => {
                    let ends = (
                        self.find(from, &format!("{path}.from"), diagnostics),
                        self.find(to, &format!("{path}.to"), diagnostics),
                    );
                    pairs.extend(ends.0.zip(ends.1));
                }
                LinkEnds::BothWays(one, other) => {
                    let ends = self.find_all(&[one.clone(), other.clone()], &format!("{path}.between"), diagnostics);
                    if let [one, other] = ends[..] {
                        pairs.extend([(one, other), (other, one)]);
                    }
                }
                LinkEnds::Bus(names) => {
                    let mut ends = self.find_all(names, &format!("{path}.bus"), diagnostics);
                    ends.sort_unstable();
                    ends.dedup();
                    if names.len() < 2 || names.len() != ends.len() && ends.len() < 2 {
                        diagnostics.add(format!("{path}.bus"), "A bus connects two cores at least", "Name more cores");
                    }
                    let bus = self.add(format!("bus of {}", names.join(", ")), link.width_bits, link.energy_pj);
                    for &from in &ends {
                        ends.iter().filter(|to| **to != from).for_each(|&to| self.connect(from, to, bus));
                    }
                }
                LinkEnds::Mesh(rows) => {
                    let places: Vec<Vec<Option<CoreId>>> = rows
                        .iter()
                        .enumerate()
                        .map(|(row, names)| {
                            let path = |column: usize| format!("{path}.mesh[{row}][{column}]");
                            let find = |(column, name): (usize, &String)| self.find(name, &path(column), diagnostics);
                            names.iter().enumerate().map(find).collect()
                        })
                        .collect();
                    let at = |row: usize, column: usize| places.get(row)?.get(column).copied().flatten();
                    for (row, columns) in places.iter().enumerate() {
                        for column in 0..columns.len() {
                            for other in [at(row, column + 1), at(row + 1, column)] {
                                if let Some((one, other)) = at(row, column).zip(other) {
                                    pairs.extend([(one, other), (other, one)]);
                                }
                            }
                        }
                    }
                }
            }
            for (from, to) in pairs {
                if from == to && diagnostics.is_full() {
                    break;
                } else if from == to {
                    diagnostics.add(
                        &path,
                        format!("`{}` is connected with itself", self.names[from]),
                        "Name another core",
                    );
                } else {
                    let name = format!("{} to {}", self.names[from], self.names[to]);
                    let link = self.add(name, link.width_bits, link.energy_pj);
                    self.connect(from, to, link);
                }
            }
            if self.links.len() > MAX_HOPS {
                let reason = format!("There are more than {MAX_HOPS} links between neighbours");
                diagnostics.add(path, reason, "Name each core at one place of a mesh");
                break;
            }
        }
    }

    /// Ways between the cores and the memory off the chip; each core needs one each way.
    fn check_ports(&mut self, offchip: &OffchipSpec, diagnostics: &mut Diagnostics) {
        let dram = self.names.next_key();
        let one = [OffchipPortSpec { direction: "both".to_owned(), ..OffchipPortSpec::default() }];
        let ports = if offchip.ports.is_empty() { &one[..] } else { &offchip.ports };
        check_energy("offchip.read_energy", offchip.read_energy_pj, diagnostics);
        check_energy("offchip.write_energy", offchip.write_energy_pj, diagnostics);
        for (index, port) in ports.iter().enumerate() {
            let path = format!("offchip.ports[{index}]");
            if let Some(width) = port.width_bits {
                check_width(&format!("{path}.width"), width, diagnostics);
            }
            check_energy(&format!("{path}.energy"), port.energy_pj, diagnostics);
            let (reads, writes) = match port.direction.as_str() {
                "both" => (true, true),
                "read" => (true, false),
                "write" => (false, true),
                other => {
                    let path = format!("{path}.direction");
                    diagnostics.add_unknown(
                        path,
                        format!("There is no direction `{other}`"),
                        other,
                        &["both", "read", "write"],
                    );
                    (true, true)
                }
            };
            let cores = match port.cores.is_empty() {
                true => self.names.keys().collect(),
                false => self.find_all(&port.cores, &format!("{path}.cores"), diagnostics),
            };
            let name = match (port.name.is_empty(), port.direction.as_str()) {
                (false, _) => port.name.clone(),
                (true, "read") => "DRAM, read".to_owned(),
                (true, "write") => "DRAM, write".to_owned(),
                (true, _) => "DRAM".to_owned(),
            };
            let link = self.add(name, port.width_bits.unwrap_or(offchip.width_bits), port.energy_pj);
            for core in cores {
                if reads {
                    self.connect(dram, core, link);
                }
                if writes {
                    self.connect(core, dram, link);
                }
            }
        }
        for (core, name) in self.names.iter_enumerated() {
            for (hop, what) in [((dram, core), "reads"), ((core, dram), "writes")] {
                if !self.connected.contains(&hop) {
                    let reason = format!("No port {what} for `{name}`");
                    diagnostics.add("offchip.ports", reason, format!("Add `{name}` to one that {what}"));
                }
            }
        }
    }

    /// Bandwidth of a core's link from the memory off the chip, bits per cycle.
    fn port_width(&self, core: CoreId, offchip: &OffchipSpec) -> u64 {
        let dram = self.names.next_key();
        let hop = self.hops.iter().find(|hop| (hop.from, hop.to) == (dram, core));
        hop.map_or(offchip.width_bits, |hop| (self.links[hop.link].bandwidth.0 as u64).min(offchip.width_bits))
    }
}

fn check_width(path: &str, bits: u64, diagnostics: &mut Diagnostics) {
    check_bits(path.to_owned(), "Here stands a width", bits, "State the bits of one cycle", diagnostics);
}

fn read_runs(core: &CoreSpec, path: &str, diagnostics: &mut Diagnostics) -> Vec<LayerKind> {
    let mut runs = Vec::new();
    for (index, name) in core.runs.iter().enumerate() {
        match LayerKind::from_name(name) {
            Some(kind) => runs.push(kind),
            None => {
                let reason = format!("There is no layer type `{name}`");
                diagnostics.add_unknown(
                    format!("{path}.runs[{index}]"),
                    reason,
                    name,
                    &LayerKind::ALL.map(LayerKind::name),
                );
            }
        }
    }
    runs
}

/// The core that describes the hardware of a core: itself, or an earlier one that it names.
fn source_of(index: usize, cores: &[CoreSpec]) -> &CoreSpec {
    let named = match &cores[index].hardware {
        CoreHardware::Preset(name) => cores[..index].iter().position(|earlier| earlier.name == *name),
        _ => None,
    };
    named.map_or(&cores[index], |earlier| source_of(earlier, cores))
}

fn hardware_of(
    core: &CoreSpec,
    beside: Option<&HardwareSpec>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<HardwareSpec> {
    match &core.hardware {
        CoreHardware::Beside => beside.cloned(),
        CoreHardware::Own(own) => Some((**own).clone()),
        CoreHardware::Preset(id) => match find_preset(hardware_presets(), id) {
            Ok(preset) => read_hardware(preset.text).whole().ok(),
            Err(wrong) => {
                diagnostics.0.extend(wrong.under(&format!("{path}.hardware")).0);
                None
            }
        },
    }
}

/// The document of a core with the system's memory off the chip in the place of its highest one.
fn with_outside(mut hardware: HardwareSpec, offchip: &OffchipSpec, width_bits: u64) -> HardwareSpec {
    if let Some(highest) = hardware.memories.last_mut() {
        let share = width_bits as f64 / offchip.width_bits.max(1) as f64;
        (highest.read_width_bits, highest.write_width_bits) = (width_bits, width_bits);
        highest.read_granularity_bits = highest.read_granularity_bits.min(width_bits);
        highest.write_granularity_bits = highest.write_granularity_bits.min(width_bits);
        (highest.read_energy_pj, highest.write_energy_pj) =
            (offchip.read_energy_pj * share, offchip.write_energy_pj * share);
        // All cores share it, and the system states all of its figures.
        (highest.burst_bits, highest.leakage_mw) = (None, 0.0);
        // Nothing of it is left to estimate.
        highest.estimate = None;
        for port in &mut highest.ports {
            (port.width_bits, port.granularity_bits) = (None, None);
        }
    }
    hardware
}

/// Each operand has a memory on the chip, below the one that stands for the memory off it.
fn check_levels(core: &Core, path: &str, diagnostics: &mut Diagnostics) {
    let Some(outside) = core.memories.last_key() else { return };
    for operand in Operand::ALL {
        if core.top(operand) != outside {
            let (highest, last) = (&core.memories[core.top(operand)].name, &core.memories[outside].name);
            let reason = format!("The highest memory of {operand} is `{highest}`, and not the last one, `{last}`");
            let remedy = format!("Let `{last}` hold {operand}, too: it stands for the memory off the chip");
            diagnostics.add(format!("{path}.hardware"), reason, remedy);
        } else if core.levels(operand).len() < 2 {
            let reason = format!("No memory on the chip holds {operand}");
            let remedy = format!(
                "Let one below `{}` hold it, which stands for the memory off the chip",
                core.memories[outside].name
            );
            diagnostics.add(format!("{path}.hardware"), reason, remedy);
        }
    }
}

/// The highest memories on the chip, each once, then the one off it; and which of them each core uses.
fn memories(
    spec: &SystemSpec,
    cores: &TiSlice<CoreId, ComputeCore>,
    diagnostics: &mut Diagnostics,
) -> (TiVec<TopMemoryId, CoreTopMemory>, TiVec<CoreId, [TopMemoryId; 3]>) {
    let mut memories: TiVec<TopMemoryId, CoreTopMemory> = TiVec::new();
    // Core and its memory, and which of the system's it is.
    let mut known: Vec<((CoreId, MemoryId), TopMemoryId)> = Vec::new();
    let mut memory_of = TiVec::new();
    for (index, shared) in spec.shared.iter().enumerate() {
        check_shared(index, shared, cores, diagnostics);
    }
    for (index, core) in cores.iter_enumerated() {
        let of = Operand::ALL.map(|operand| {
            let id = core.top(operand);
            if let Some((_, found)) = known.iter().find(|(place, _)| *place == (index, id)) {
                return *found;
            }
            let memory = &core.core.memories[id];
            let is_shared =
                |shared: &&crate::spec::SharedSpec| shared.memory == memory.name && shared.cores.contains(&core.name);
            let partners = spec.shared.iter().find(is_shared).map_or(&[][..], |shared| &shared.cores);
            let found = memories.position(|other: &CoreTopMemory| {
                other.name == memory.name && other.cores.iter().any(|core| partners.contains(&cores[*core].name))
            });
            let found = found.unwrap_or_else(|| {
                memories.push_and_get_key(CoreTopMemory {
                    name: memory.name.clone(),
                    capacity: Bits(memory.size_bits.saturating_mul(memory.instances)),
                    read_width: Bits(memory.read_width_bits.saturating_mul(memory.instances)),
                    write_width: Bits(memory.write_width_bits.saturating_mul(memory.instances)),
                    read_pj: memory.read_energy_pj * memory.instances as f64,
                    write_pj: memory.write_energy_pj * memory.instances as f64,
                    cores: Vec::new(),
                })
            });
            memories[found].cores.push(index);
            known.push(((index, id), found));
            found
        });
        memory_of.push(of);
    }
    let dram = memories.push_and_get_key(CoreTopMemory {
        name: "DRAM".to_owned(),
        capacity: Bits(MAX_SIZE * 8),
        read_width: Bits(spec.offchip.width_bits),
        write_width: Bits(spec.offchip.width_bits),
        read_pj: spec.offchip.read_energy_pj,
        write_pj: spec.offchip.write_energy_pj,
        cores: vec![cores.next_key()],
    });
    memory_of.push([dram; 3]);
    (memories, memory_of)
}

/// A shared memory is a highest one of each of its cores, and the same for all.
fn check_shared(
    index: usize,
    shared: &crate::spec::SharedSpec,
    cores: &TiSlice<CoreId, ComputeCore>,
    diagnostics: &mut Diagnostics,
) {
    let path = format!("shared[{index}]");
    let mut first = None;
    for (place, name) in shared.cores.iter().enumerate() {
        if diagnostics.is_full() {
            return;
        }
        let path = format!("{path}.cores[{place}]");
        let Some(core) = cores.iter().find(|core| core.name == *name) else {
            let names: Vec<&str> = cores.iter().map(|core| core.name.as_str()).collect();
            diagnostics.add_unknown(path, format!("There is no core `{name}`"), name, &names);
            continue;
        };
        let tops = Operand::ALL.map(|operand| &core.core.memories[core.top(operand)]);
        let Some(memory) = tops.into_iter().find(|memory| memory.name == shared.memory) else {
            let mut names = tops.map(|memory| format!("`{}`", memory.name)).to_vec();
            names.dedup();
            let reason = format!("`{}` is no highest memory of `{name}` on the chip", shared.memory);
            diagnostics.add(path, reason, format!("Its highest are {}", names.join(", ")));
            continue;
        };
        let size = memory.size_bits.saturating_mul(memory.instances);
        if *first.get_or_insert(size) != size {
            let reason = format!("`{}` of `{name}` has another size than that of `{}`", shared.memory, shared.cores[0]);
            diagnostics.add(path, reason, "Give it the same size in the documents of all its cores");
        }
    }
}
