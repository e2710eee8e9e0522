//! A system file: cores, connections, and the memory off the chip among the cores.

use crate::report::{ImportReport, Severity};
use crate::zigzag::{ZigzagAccelerator, fraction, note_cleaned, number, read_core};
use fusescape_spec::Diagnostics;
use fusescape_spec::reader::{Fields, LocatedNode, Reader, ValueError};

const SOC: [&str; 13] = [
    "name",
    "cores",
    "offchip_core",
    "offchip_core_id",
    "core_connectivity",
    "core_memory_sharing",
    "core_coordinates",
    "bandwidth",
    "unit_energy_cost",
    "technology_node",
    "memory_aliases",
    "graph",
    "about",
];
const CONNECTION: [&str; 4] = ["type", "cores", "bandwidth", "unit_energy_cost"];
const GRAPH: [&str; 8] = [
    "type",
    "nb_rows",
    "nb_cols",
    "bandwidth",
    "unit_energy_cost",
    "pooling_core_id",
    "simd_core_id",
    "offchip_core_id",
];
/// Limit on the cores of a system, as in documents.
const MAX_CORES: usize = 64;
/// Limit on the connections.
const MAX_CONNECTIONS: usize = 256;
/// Width of a link without a limit.
const WIDE: u64 = 1 << 30;

/// The place where a core is described.
#[derive(Debug, Clone)]
pub enum Described {
    /// In a file of this name.
    File(String),
    /// In the system file.
    Here(Box<ZigzagAccelerator>),
}

/// A core of the system.
#[derive(Debug, Clone)]
pub struct SocCore {
    pub id: u64,
    pub described: Described,
    /// The line on which the system names it.
    pub line: usize,
}

/// A link between two cores, or a bus of several.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    /// Numbers of the cores.
    pub cores: Vec<u64>,
    /// Whether all of them share it.
    pub is_bus: bool,
    /// Bits per cycle.
    pub width_bits: u64,
    /// Energy per cycle, pJ.
    pub energy_pj: f64,
}

/// A system as in the file.
#[derive(Debug, Clone, Default)]
pub struct Soc {
    /// Name of its file.
    pub file: String,
    /// Name of the system.
    pub name: String,
    /// The cores, including the memory off the chip.
    pub cores: Vec<SocCore>,
    /// The number of the memory off the chip.
    pub offchip: Option<u64>,
    /// Whether every core has its own link to the memory off the chip, as wide as the memory: in the older layouts.
    pub has_offchip_links: bool,
    /// The energy of a cycle of these links, pJ.
    pub offchip_energy_pj: f64,
    /// Links and buses; of several between two cores the last counts.
    pub connections: Vec<Connection>,
    /// Groups of cores that share their highest memories.
    pub sharing: Vec<Vec<u64>>,
}

impl Soc {
    /// A place in its file, for messages.
    pub fn place(&self, path: &str) -> String {
        if self.file.is_empty() { path.to_owned() } else { format!("{}: {path}", self.file) }
    }

    /// Names of the files of its cores.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.cores.iter().filter_map(|core| match &core.described {
            Described::File(name) => Some(name.as_str()),
            Described::Here(_) => None,
        })
    }
}

/// Reads a system: its contents as far as they can be read, remarks for the user, and all errors.
pub fn read_soc(text: &str) -> (Soc, ImportReport, Diagnostics) {
    let (root, mut reader) = Reader::open_foreign(text);
    let reader = &mut reader;
    let mut report = ImportReport::default();
    let fields = LocatedNode::root(&root).fields(reader, &SOC);
    let mut soc = Soc { name: fields.name(reader, "name", "my_system"), ..Soc::default() };
    read_cores(&fields, &mut soc, reader);
    match fields.get("graph") {
        Some(graph) => read_graph(graph, &mut soc, reader, &mut report),
        None => read_connections(&fields, &mut soc, reader),
    }
    for group in fields.get("core_memory_sharing").map(|place| place.list(reader, MAX_CORES)).unwrap_or_default() {
        let ids = read_ids(&group, &soc, reader);
        soc.sharing.extend((ids.len() > 1).then_some(ids));
    }
    for (field, reason) in [
        ("core_coordinates", "not taken: where a core lies has no effect on cost here"),
        ("technology_node", "not taken: energies are those of the core files"),
        ("memory_aliases", "not taken: several views of one memory count as so many in the area of the cores"),
    ] {
        if fields.get(field).is_some_and(|place| !place.is_empty()) {
            report.note(Severity::Assumed, field, reason, "");
        }
    }
    note_cleaned(reader, &mut report);
    for path in reader.repeated() {
        report.note(Severity::Assumed, "field", "stated twice: the last one counts, as in Stream", path);
    }
    (soc, report, super::finish(reader))
}

fn read_cores(fields: &Fields, soc: &mut Soc, reader: &mut Reader) {
    let Some(place) = fields.need(reader, "cores", "{ 0: tpu_like.yaml, 1: offchip.yaml }") else { return };
    let numbered: Vec<(Option<u64>, LocatedNode)> = if place.is_map() {
        place.entries(reader).into_iter().map(|(id, core)| (id.parse().ok(), core)).collect()
    } else {
        place.list(reader, MAX_CORES).into_iter().enumerate().map(|(id, core)| (Some(id as u64), core)).collect()
    };
    for (id, core) in numbered {
        let Some(id) = id else {
            core.reject(reader, ValueError::new("A core of Stream has a number", "Number the cores from 0 on"));
            continue;
        };
        push_core(id, &core, soc, reader);
    }
    if let Some(place) = fields.get("offchip_core") {
        let id = soc.cores.iter().map(|core| core.id).max().map_or(0, |most| most.saturating_add(1));
        push_core(id, place, soc, reader);
        (soc.offchip, soc.has_offchip_links) = (Some(id), true);
    }
    if let Some(place) = fields.get("offchip_core_id") {
        soc.offchip = read_id(place, soc, reader);
    }
}

fn push_core(id: u64, place: &LocatedNode, soc: &mut Soc, reader: &mut Reader) {
    let described = if place.is_map() {
        Some(Described::Here(Box::new(read_core(place, reader))))
    } else {
        place.name(reader).map(Described::File)
    };
    if soc.cores.iter().any(|core| core.id == id) {
        return place.reject(reader, ValueError::new(format!("There are two cores {id}"), "Number each core once"));
    }
    soc.cores.extend(described.map(|described| SocCore { id, described, line: place.line() }));
}

fn read_id(place: &LocatedNode, soc: &Soc, reader: &mut Reader) -> Option<u64> {
    let id = number(place, reader)?;
    if soc.cores.iter().all(|core| core.id != id) {
        let ids: Vec<String> = soc.cores.iter().map(|core| core.id.to_string()).collect();
        let remedy = format!("Use one of {}", ids.join(", "));
        place.reject(reader, ValueError::new(format!("There is no core {id}"), remedy));
        return None;
    }
    Some(id)
}

/// `[0, 1]`, or the text `0, 1`.
fn read_ids(place: &LocatedNode, soc: &Soc, reader: &mut Reader) -> Vec<u64> {
    if !place.is_scalar() {
        return place.list(reader, MAX_CORES).iter().filter_map(|item| read_id(item, soc, reader)).collect();
    }
    let ids = place.value(reader, "numbers of cores", |text| {
        let ids: Result<Vec<u64>, _> = text.split(',').map(|id| id.trim().parse()).collect();
        let known = ids.ok().filter(|ids| ids.iter().all(|id| soc.cores.iter().any(|core| core.id == *id)));
        let wrong = || ValueError::new(format!("`{text}` does not name cores"), "Write numbers of cores: `0, 1`");
        known.ok_or_else(wrong)
    });
    ids.unwrap_or_default()
}

fn read_connections(fields: &Fields, soc: &mut Soc, reader: &mut Reader) {
    let energy = fields.get("unit_energy_cost").and_then(|place| fraction(place, reader)).unwrap_or(0.0);
    soc.offchip_energy_pj = energy;
    let width = fields.get("bandwidth").and_then(|place| number(place, reader));
    let Some(place) = fields.get("core_connectivity") else { return };
    for item in place.list(reader, MAX_CONNECTIONS) {
        let connection = if item.is_map() {
            let own = item.fields(reader, &CONNECTION);
            let kind = own.get("type").and_then(|place| place.name(reader)).unwrap_or_else(|| "link".to_owned());
            let cores = own.need(reader, "cores", "[0, 1]").map(|place| read_ids(place, soc, reader));
            Connection {
                cores: cores.unwrap_or_default(),
                is_bus: kind == "bus",
                width_bits: own.need(reader, "bandwidth", "64").and_then(|place| number(place, reader)).unwrap_or(0),
                energy_pj: own.get("unit_energy_cost").and_then(|place| fraction(place, reader)).unwrap_or(energy),
            }
        } else {
            let width_bits = width.unwrap_or_else(|| {
                fields.missing(reader, "bandwidth", "32");
                0
            });
            let cores = read_ids(&item, soc, reader);
            Connection { is_bus: cores.len() > 2, cores, width_bits, energy_pj: energy }
        };
        if !connection.is_bus && connection.cores.len() != 2 && !connection.cores.is_empty() {
            let reason = format!("A link connects two cores, and here are {}", connection.cores.len());
            item.reject(reader, ValueError::new(reason, "Name two, or write `type: bus`"));
        }
        soc.connections.push(connection);
    }
}

/// The oldest layout: a mesh, column by column, or a bus; and the cores for pooling and sums beside it.
fn read_graph(place: &LocatedNode, soc: &mut Soc, reader: &mut Reader, report: &mut ImportReport) {
    let fields = place.fields(reader, &GRAPH);
    let kind = fields.name(reader, "type", "2d_mesh");
    let width_bits = fields.need(reader, "bandwidth", "64").and_then(|place| number(place, reader)).unwrap_or(0);
    let energy_pj = fields.get("unit_energy_cost").and_then(|place| fraction(place, reader)).unwrap_or(0.0);
    let mut special = |name: &str| fields.get(name).and_then(|place| read_id(place, soc, reader));
    let (pooling, simd, offchip) = (special("pooling_core_id"), special("simd_core_id"), special("offchip_core_id"));
    (soc.offchip, soc.has_offchip_links, soc.offchip_energy_pj) = (offchip, true, energy_pj);
    let ids = soc.cores.iter().map(|core| core.id);
    let plain: Vec<u64> = ids.filter(|id| ![pooling, simd, offchip].contains(&Some(*id))).collect();
    let link = |one: u64, other: u64| Connection { cores: vec![one, other], is_bus: false, width_bits, energy_pj };
    if kind == "bus" {
        soc.connections.push(Connection { cores: plain.clone(), is_bus: true, width_bits, energy_pj });
    } else {
        let mut count =
            |name: &str| fields.need(reader, name, "2").and_then(|place| number(place, reader)).unwrap_or(0) as usize;
        let (rows, columns) = (count("nb_rows"), count("nb_cols"));
        if rows.checked_mul(columns) != Some(plain.len()) {
            let reason = format!("{rows} rows of {columns} columns are not the {} cores of the mesh", plain.len());
            place.reject(reader, ValueError::new(reason, "Write as many rows and columns as there are cores"));
            return;
        }
        for (index, &core) in plain.iter().enumerate() {
            let below = ((index + 1) % rows != 0).then(|| plain.get(index + 1)).flatten();
            let beside = plain.get(index + rows);
            soc.connections.extend([beside, below].into_iter().flatten().map(|&other| link(core, other)));
        }
    }
    for &core in &plain {
        soc.connections.extend(pooling.map(|pooling| link(core, pooling)));
    }
    for core in plain.iter().copied().chain(pooling) {
        soc.connections.extend(simd.map(|simd| Connection { width_bits: WIDE, energy_pj: 0.0, ..link(core, simd) }));
    }
    if simd.is_some() {
        let reason = "its links have no limit in the tool: as wide as nothing fills, and without energy";
        report.note(Severity::Expressed, "simd_core_id", reason, "");
    }
}
