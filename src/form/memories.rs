//! Edits of memories and their ports.

use fusescape_chart::three_digits;
use fusescape_engine::hardware::{Movement, Operand, SRAM_65NM, estimate, movements};
use fusescape_spec::edit::{Outline, flow_list, flow_map, free_name};
use fusescape_spec::read_hardware;

const MEMORIES: &str = "memories";

/// Paths of all memories.
pub(super) fn memories(document: &Outline) -> impl Iterator<Item = String> + use<> {
    (0..document.len(MEMORIES)).map(memory)
}

fn memory(index: usize) -> String {
    format!("{MEMORIES}[{index}]")
}

/// Adds a memory for I and O above number `below`, or as the lowest. Its costs are estimates, and marked as such.
pub fn add_memory(document: &Outline, below: Option<usize>) -> Option<Outline> {
    let fields = [
        ("name", document.free_name(MEMORIES, "memory")),
        ("size", "64 KiB".to_owned()),
        ("operands", "[I, O]".to_owned()),
        ("width", "64 bit".to_owned()),
        ("estimate", SRAM_65NM.to_owned()),
        ("shared_over", "all".to_owned()),
    ];
    let count = document.len(MEMORIES);
    if count == 0 {
        return document.put(MEMORIES, &format!("[{}]", flow_map(&fields)));
    }
    document.insert_fields(MEMORIES, below.map_or(0, |below| below + 1).min(count), &fields)
}

/// The default of a number of a memory that is not stated: `13.0 pJ, an estimate`. `None` if the memory has no such
/// number, or no estimator for it.
pub fn estimated_figure(document: &Outline, index: usize, name: &str) -> Option<String> {
    document.value(&format!("{}.estimate", memory(index)))?;
    let (spec, _) = read_hardware(document.text()).both();
    let memory = spec.memories.get(index)?;
    let width_bits = memory.read_width_bits.max(memory.write_width_bits);
    let figures = estimate(&memory.estimate.as_ref()?.estimator, memory.size_bits, width_bits)?;
    let (figure, unit) = match name {
        "read_energy" => (figures.read_energy_pj, "pJ"),
        "write_energy" => (figures.write_energy_pj, "pJ"),
        "area" => (figures.area_um2, "um2"),
        _ => return None,
    };
    Some(format!("{} {unit}, an estimate", three_digits(figure)))
}

/// Adds a copy of a memory above it, with a new name.
pub fn duplicate_memory(document: &Outline, index: usize) -> Option<Outline> {
    let name = document.value(&format!("{}.name", memory(index))).unwrap_or_default();
    let name = document.free_name(MEMORIES, if name.is_empty() { "memory" } else { &name });
    document.copy(MEMORIES, index)?.write(&format!("{}.name", memory(index + 1)), &name)
}

/// Removes a memory, and the comment lines right above it.
pub fn remove_memory(document: &Outline, index: usize) -> Option<Outline> {
    document.remove(&memory(index))
}

/// A number for reading and writing: a common one, or one each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWriteNumber {
    /// Not stated.
    Unstated,
    /// A common number.
    Common,
    /// One for each, or for one of them.
    Separate,
}

/// How a memory states its `width` or `granularity`.
pub fn read_write_number(document: &Outline, index: usize, name: &str) -> ReadWriteNumber {
    let has = |name: &str| document.has(&format!("{}.{name}", memory(index)));
    if has(name) {
        ReadWriteNumber::Common
    } else if has(&format!("read_{name}")) || has(&format!("write_{name}")) {
        ReadWriteNumber::Separate
    } else {
        ReadWriteNumber::Unstated
    }
}

/// Replaces a common number by one for reading and one for writing.
pub fn split(document: &Outline, index: usize, name: &str) -> Option<Outline> {
    let [one, read, write] = [name.to_owned(), format!("read_{name}"), format!("write_{name}")]
        .map(|field| format!("{}.{field}", memory(index)));
    let value = document.value(&one)?;
    document.rename(&one, &format!("read_{name}"))?.write(&write, &value).filter(|next| next.has(&read))
}

/// Replaces numbers for reading and for writing by a common one, that for reading.
pub fn merge(document: &Outline, index: usize, name: &str) -> Option<Outline> {
    let [read, write] = ["read", "write"].map(|side| format!("{}.{side}_{name}", memory(index)));
    match (document.has(&read), document.has(&write)) {
        (true, true) => document.remove(&write)?.rename(&read, name),
        (true, false) => document.rename(&read, name),
        _ => document.rename(&write, name),
    }
}

/// Whether an instance of a memory is shared over an array dimension.
pub fn is_shared_over(document: &Outline, index: usize, dimension: &str) -> bool {
    let names = document.names(&format!("{}.shared_over", memory(index)));
    names == ["all"] || names.iter().any(|name| name == dimension)
}

/// Shares each instance of a memory over an array dimension, or has one for each position along it.
pub fn set_shared_over(document: &Outline, index: usize, dimension: &str, on: bool) -> Option<Outline> {
    let path = format!("{}.shared_over", memory(index));
    let dimensions = document.keys("array.dimensions");
    let shared: Vec<&str> = dimensions
        .iter()
        .map(String::as_str)
        .filter(|name| if *name == dimension { on } else { is_shared_over(document, index, name) })
        .collect();
    let every = shared.len() == dimensions.len() && !shared.is_empty();
    document.put(&path, &if every { "all".to_owned() } else { flow_list(&shared) })
}

/// All movements at a memory that holds an operand, as named in ports: `I.read_to_low`.
pub fn services(operand: Operand) -> impl Iterator<Item = String> {
    movements(operand).iter().map(move |movement| format!("{operand}.{movement}"))
}

/// Adds an operand to a memory, or removes it. Stated ports follow, so that they serve the movements of exactly these
/// operands.
pub fn set_operand(document: &Outline, index: usize, operand: Operand, on: bool) -> Option<Outline> {
    let mut next = document.set_name(&format!("{}.operands", memory(index)), &operand.to_string(), on)?;
    if next.is_empty(&ports(index)) {
        return Some(next);
    }
    for service in services(operand) {
        let port = on.then(|| port_like(&next, index, &service)).flatten();
        if !on || port.is_some() {
            next = serve(&next, index, &service, port)?;
        }
    }
    Some(next)
}

/// The port that serves most movements in the same direction.
fn port_like(document: &Outline, index: usize, service: &str) -> Option<usize> {
    let is_read = |service: &str| service.contains(".read_");
    let alike = |port: &usize| {
        let serves = document.names(&serves(document, index, *port));
        serves.iter().filter(|other| is_read(other) == is_read(service)).count()
    };
    // The first of equals.
    (0..document.len(&ports(index))).rev().max_by_key(alike)
}

fn ports(index: usize) -> String {
    format!("{}.ports", memory(index))
}

/// The path of the services of a port.
fn serves(document: &Outline, index: usize, port: usize) -> String {
    let path = format!("{}[{port}]", ports(index));
    if document.is_map(&path) { format!("{path}.serves") } else { path }
}

/// One port as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortRow {
    pub name: String,
    /// Services: `I.read_to_low`.
    pub serves: Vec<String>,
    /// Its own width, if stated.
    pub width: String,
    /// Its own granularity, if stated.
    pub granularity: String,
}

/// The ports that a memory states.
pub fn port_names(document: &Outline, index: usize) -> Vec<PortRow> {
    let row = |(port, name): (usize, String)| {
        let figure = |field: &str| document.value(&format!("{}[{port}].{field}", ports(index))).unwrap_or_default();
        let serves = document.names(&serves(document, index, port));
        PortRow { name, serves, width: figure("width"), granularity: figure("granularity") }
    };
    document.keys(&ports(index)).into_iter().enumerate().map(row).collect()
}

/// The two ports of a memory that states none.
pub fn default_ports(document: &Outline, index: usize) -> Vec<PortRow> {
    let operands = document.names(&format!("{}.operands", memory(index)));
    let held = || Operand::ALL.into_iter().filter(|operand| operands.contains(&operand.to_string()));
    let port = |(name, reads): (&str, bool)| PortRow {
        name: name.to_owned(),
        serves: held()
            .flat_map(|operand| movements(operand).iter().map(move |movement| (operand, movement)))
            .filter(|(_, movement): &(Operand, &Movement)| movement.is_read() == reads)
            .map(|(operand, movement)| format!("{operand}.{movement}"))
            .collect(),
        width: String::new(),
        granularity: String::new(),
    };
    [("r_port_1", true), ("w_port_1", false)].map(port).into()
}

/// Writes the default ports of a memory that states none, so that they can be edited.
pub fn state_ports(document: &Outline, index: usize) -> Option<Outline> {
    let rows = default_ports(document, index);
    let fields: Vec<(&str, String)> = rows
        .iter()
        .map(|row| (row.name.as_str(), flow_list(&row.serves.iter().map(String::as_str).collect::<Vec<_>>())))
        .collect();
    document.put(&ports(index), &flow_map(&fields))
}

/// Assigns a service to one port, or to none.
pub fn serve(document: &Outline, index: usize, service: &str, port: Option<usize>) -> Option<Outline> {
    let mut next = document.clone();
    for other in 0..document.len(&ports(index)) {
        let path = serves(&next, index, other);
        next = next.set_name(&path, service, Some(other) == port)?;
    }
    Some(next)
}

/// Adds a port without services.
pub fn add_port(document: &Outline, index: usize) -> Option<Outline> {
    let path = ports(index);
    if document.is_empty(&path) {
        return add_port(&state_ports(document, index)?, index);
    }
    document.add(&path, &free_name(&document.keys(&path), "rw_port_1"), "[]")
}

/// Removes a port; the first of the others takes over its services. Without any port the default ones apply again.
pub fn remove_port(document: &Outline, index: usize, port: usize) -> Option<Outline> {
    let path = ports(index);
    if document.len(&path) <= 1 {
        return document.remove(&path);
    }
    let mut next = document.clone();
    for service in document.names(&serves(document, index, port)) {
        next = serve(&next, index, &service, Some(usize::from(port == 0)))?;
    }
    next.remove(&format!("{path}[{port}]"))
}

/// Writes a port's own `width` or `granularity`; removes it if `text` is empty.
pub fn set_port_figure(document: &Outline, index: usize, port: usize, name: &str, text: &str) -> Option<Outline> {
    let path = format!("{}[{port}]", ports(index));
    if document.is_map(&path) {
        return super::write_field(document, &format!("{path}.{name}"), text, true);
    }
    if text.is_empty() {
        return Some(document.clone());
    }
    let served = document.names(&path);
    let serves = flow_list(&served.iter().map(String::as_str).collect::<Vec<_>>());
    document.put(&path, &flow_map(&[("serves", serves)]))?.write(&format!("{path}.{name}"), text)
}
