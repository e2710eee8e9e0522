//! An architecture: memories and the meshes between them, from the outside in.
//!
//! Two layouts are read: `nodes` as written by users for version 4, and `subtree` with `local` and numbers of
//! instances, as written by the front end and by older versions. `!Parallel` nodes are levels one after another, as in
//! Timeloop.

use super::memories::{is_memory, read_memory};
use crate::nest::{FanOut, NestNode};
use crate::places::{Entries, find, text, whole_of, without_range};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on the nodes of a list.
const MAX_NODES: usize = 256;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeloopArchitecture {
    /// Name of the outermost node.
    pub name: String,
    /// Memories and meshes, outermost first.
    pub nodes: Vec<NestNode<MemoryNode>>,
    /// The name of the compute component.
    pub compute: String,
}

/// A memory as stated by an architecture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryNode {
    pub name: String,
    /// `None` for no limit.
    pub size_bits: Option<u64>,
    /// Bits of an access; energies are those of one access.
    pub width_bits: u64,
    pub element_bits: u64,
    /// Elements read per cycle; `None` for no limit.
    pub read_elements: Option<f64>,
    /// Elements written per cycle; `None` for no limit.
    pub write_elements: Option<f64>,
    /// Elements read or written per cycle through a single port.
    pub shared_elements: Option<f64>,
    /// Whether half of it holds the next tile.
    pub is_double_buffered: bool,
    /// Data spaces that its constraints keep here.
    pub keep: Vec<String>,
    /// Data spaces that its constraints bypass.
    pub bypass: Vec<String>,
}

/// State of the walk through the nodes.
#[derive(Default)]
struct TimeloopWalk {
    architecture: TimeloopArchitecture,
    /// Components that are not memories, with their classes.
    others: Vec<(String, String)>,
    /// Instances along X and Y so far, where they are stated as totals.
    instances: [u64; 2],
    /// The node that the next mesh belongs to, named by the front end's placeholder.
    announced: Option<String>,
}

/// Reads an architecture; `None` if it lacks a memory or a compute component.
pub fn read(place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) -> Option<TimeloopArchitecture> {
    let entries = place.entries(reader);
    let mut walk = TimeloopWalk { instances: [1, 1], ..TimeloopWalk::default() };
    if let Some(nodes) = find(&entries, "nodes") {
        walk.read_nodes(nodes, reader, report);
    } else if let Some(subtree) = find(&entries, "subtree") {
        walk.read_subtree(subtree, 1, reader, report);
    } else {
        let wrong =
            ValueError::new("The architecture has no `nodes`", "List its containers and components under `nodes`");
        place.reject(reader, wrong);
        return None;
    }
    let TimeloopWalk { mut architecture, mut others, .. } = walk;
    if let Some((compute, _)) = others.pop() {
        architecture.compute = compute;
    }
    for (name, class) in others {
        report.note(Severity::NotCounted, &class, "a component that stores nothing has no counterpart here", &name);
    }
    Some(architecture)
}

impl TimeloopWalk {
    fn read_nodes(&mut self, place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) {
        for node in place.list(reader, MAX_NODES) {
            let fields = node.entries(reader);
            if let Some(inside) = find(&fields, "nodes") {
                self.read_nodes(inside, reader, report);
                continue;
            }
            let Some(name) = text(&fields, "name", reader) else { continue };
            self.name_after(&name);
            if let Some(mesh) = find(&fields, "spatial").map(|place| place.entries(reader)) {
                let mesh = ["meshX", "meshY"].map(|axis| whole_of(&mesh, axis, reader).unwrap_or(1).max(1));
                self.fan_out(name.clone(), mesh);
            }
            if find(&fields, "class").or_else(|| find(&fields, "subclass")).is_some() {
                self.read_component(&name, &node, &fields, reader, report);
            } else if find(&fields, "constraints").is_some_and(|constraints| !constraints.is_empty()) {
                note_constraints(&name, report);
            }
        }
    }

    fn read_subtree(&mut self, place: &LocatedNode, outside: u64, reader: &mut Reader, report: &mut ImportReport) {
        for node in place.list(reader, MAX_NODES) {
            let fields = node.entries(reader);
            let Some(stated) = text(&fields, "name", reader) else { continue };
            let (name, count) = without_range(&stated);
            self.name_after(name);
            let outside = outside.saturating_mul(count.unwrap_or(1));
            if let Some(local) = find(&fields, "local") {
                for component in local.list(reader, MAX_NODES) {
                    self.read_local(&component, outside, reader, report);
                }
            }
            if let Some(inside) = find(&fields, "subtree") {
                self.read_subtree(inside, outside, reader, report);
            }
        }
    }

    /// A component that states its total number of instances.
    fn read_local(&mut self, place: &LocatedNode, outside: u64, reader: &mut Reader, report: &mut ImportReport) {
        let fields = place.entries(reader);
        let Some(stated) = text(&fields, "name", reader) else { return };
        let (name, count) = without_range(&stated);
        let total = outside.saturating_mul(count.unwrap_or(1)).max(1);
        let attributes = find(&fields, "attributes").map(|place| place.entries(reader)).unwrap_or_default();
        let columns = whole_of(&attributes, "meshX", reader).unwrap_or(total).clamp(1, total);
        let totals = [columns, total / columns];
        let [x, y] = [0, 1].map(|axis| totals[axis] / self.instances[axis].max(1));
        if total % columns != 0 || x * self.instances[0] != totals[0] || y * self.instances[1] != totals[1] {
            let [rows, across] = [self.instances[1], self.instances[0]];
            let reason =
                format!("There are {total} of `{name}`, {columns} in a row, inside of {rows} rows of {across}");
            let remedy = "State a number of instances that those outside divide, along X and along Y";
            place.reject(reader, ValueError::new(reason, remedy));
            return;
        }
        if x * y > 1 {
            let above = self.architecture.nodes.iter().rev().find_map(|node| match node {
                NestNode::Memory(memory) => Some(memory.name.clone()),
                NestNode::FanOut(_) => None,
            });
            let name = self.announced.take().or(above).unwrap_or_else(|| name.to_owned());
            self.fan_out(name, [x, y]);
            self.instances = totals;
        }
        if let Some(announced) = name.strip_prefix("inter_").and_then(|name| name.strip_suffix("_spatial")) {
            self.announced = Some(announced.to_owned());
            return;
        }
        self.read_component(name, place, &fields, reader, report);
    }

    fn read_component(
        &mut self,
        name: &str,
        place: &LocatedNode,
        fields: &Entries,
        reader: &mut Reader,
        report: &mut ImportReport,
    ) {
        let class = text(fields, "class", reader).or_else(|| text(fields, "subclass", reader)).unwrap_or_default();
        if class == "dummy_storage" {
            return;
        }
        let attributes = find(fields, "attributes").map(|place| place.entries(reader)).unwrap_or_default();
        if !is_memory(&class, &attributes) {
            self.others.push((name.to_owned(), class));
            return;
        }
        // Components outside of a memory do not compute, as they would have no operands.
        for (name, class) in std::mem::take(&mut self.others) {
            report.note(Severity::NotCounted, &class, "a component that stores nothing has no counterpart here", &name);
        }
        let mut memory = read_memory(name, &class, place, &attributes, reader, report);
        if let Some(constraints) = find(fields, "constraints").map(|place| place.entries(reader)) {
            if let Some(spaces) = find(&constraints, "dataspace").map(|place| place.entries(reader)) {
                let mut names = |field: &str| find(&spaces, field).map(|place| place.names(reader)).unwrap_or_default();
                memory.keep = [names("keep"), names("keep_only")].concat();
                memory.bypass = names("bypass");
            }
            if constraints.iter().any(|(name, place)| *name != "dataspace" && !place.is_empty()) {
                note_constraints(name, report);
            }
        }
        self.architecture.nodes.push(NestNode::Memory(memory));
    }

    fn fan_out(&mut self, name: String, mesh: [u64; 2]) {
        if mesh != [1, 1] {
            self.architecture.nodes.push(NestNode::FanOut(FanOut { name, mesh, reuse: None }));
        }
    }

    fn name_after(&mut self, name: &str) {
        if self.architecture.name.is_empty() {
            name.clone_into(&mut self.architecture.name);
        }
    }
}

fn note_constraints(name: &str, report: &mut ImportReport) {
    let reason = "not taken: they limit what Timeloop searches, and a mapping says all of itself";
    report.note(Severity::Assumed, "constraints", reason, name);
}
