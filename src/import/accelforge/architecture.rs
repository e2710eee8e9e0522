//! An architecture: memories and fan-outs from the outside in, the compute unit last.
//! Nodes are recognised by their tags, or, where those are missing, as in files that AccelForge writes, by fields that
//! only one kind has.

use super::expression::{self, Names, number, whole};
use crate::nest::{FanOut, NestNode};
use crate::places::{Entries, find, text};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on the nodes of a list, and on the fan-outs of a node.
const MAX_NODES: usize = 256;
/// Fields that have an effect in AccelForge and none here, each with the values that have no effect there either.
const NOT_COUNTED: [(&str, &[&str]); 6] = [
    ("leak_power", &["0", "0.0"]),
    ("total_leak_power", &["0", "0.0"]),
    ("actions_scale", &["1"]),
    ("bits_per_value", &[]),
    ("values_per_action", &[]),
    ("skip_initial_output_write", &["true", "True"]),
];

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Architecture {
    /// Memories and fan-outs, outermost first.
    pub nodes: Vec<NestNode<AccelforgeMemory>>,
    /// What computes.
    pub compute: Compute,
    /// Names for use in expressions.
    pub names: Names,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccelforgeMemory {
    pub name: String,
    /// Capacity, bits: an expression, which may contain `weight.bits_per_value` of the workload.
    pub size: Option<String>,
    pub read: MemoryAction,
    pub write: MemoryAction,
    /// Whether reads and writes can be simultaneous.
    pub has_two_ports: bool,
    /// Set expressions of the tensors that it must keep or may keep.
    pub keeps: Vec<String>,
    /// Area of an instance, m².
    pub area: Option<f64>,
}

/// Size, energy and speed of one action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryAction {
    /// Bits moved.
    pub bits: f64,
    /// Energy, J; `None` if the file states none.
    pub energy: Option<f64>,
    /// Actions per second; `None` for no limit.
    pub throughput: Option<f64>,
}

/// The unit that computes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compute {
    pub name: String,
    /// A single computation.
    pub action: MemoryAction,
    /// Area of an instance, m².
    pub area: Option<f64>,
    /// Its own fan-outs.
    fan_out: Vec<FanOut>,
}

/// Reads an architecture; `None` if it lacks a memory or a compute unit.
pub fn read(
    place: &LocatedNode,
    names: &Names,
    reader: &mut Reader,
    report: &mut ImportReport,
) -> Option<Architecture> {
    let entries = place.entries(reader);
    let Some(nodes) = find(&entries, "nodes") else {
        let remedy = "List its memories, containers and what computes under `nodes`";
        place.reject(reader, ValueError::new("The architecture has no `nodes`", remedy));
        return None;
    };
    let mut walk = ArchitectureWalk { nodes: Vec::new(), computes: Vec::new(), names };
    walk.read_nodes(nodes, reader, report);
    let ArchitectureWalk { mut nodes, mut computes, .. } = walk;
    let Some(compute) = computes.pop() else {
        let remedy = "End the list of nodes with a `!Compute`";
        place.reject(reader, ValueError::new("The architecture has nothing that computes", remedy));
        return None;
    };
    for other in computes {
        let reason = "computes on a path of its own: only the last one of the list is taken";
        report.note(Severity::NotCounted, "Compute", reason, &other.name);
    }
    nodes.extend(compute.fan_out.iter().cloned().map(NestNode::FanOut));
    if !nodes.iter().any(|node| matches!(node, NestNode::Memory(_))) {
        let remedy = "Begin the list of nodes with the `!Memory` outside of the chip";
        place.reject(reader, ValueError::new("The architecture has no memory", remedy));
    }
    Some(Architecture { nodes, compute, names: names.clone() })
}

/// State of the walk through the nodes.
struct ArchitectureWalk<'a> {
    nodes: Vec<NestNode<AccelforgeMemory>>,
    computes: Vec<Compute>,
    names: &'a Names,
}

impl ArchitectureWalk<'_> {
    fn read_nodes(&mut self, place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) {
        for node in place.list(reader, MAX_NODES) {
            let fields = node.entries(reader);
            let name = text(&fields, "name", reader).unwrap_or_default();
            match kind_of(&node, &fields) {
                "Fork" => {
                    let reason = "a branch with a computation of its own: only the main path is taken";
                    report.note(Severity::NotCounted, "Fork", reason, &place_of(&name, &node));
                }
                "Array" => {
                    let reason = "Nodes side by side of which each serves different tensors have no counterpart here";
                    let remedy = "List them one after the other, each with the tensors that it keeps";
                    node.reject(reader, ValueError::new(reason, remedy));
                }
                "Hierarchical" => {
                    if let Some(inside) = find(&fields, "nodes") {
                        self.read_nodes(inside, reader, report);
                    }
                }
                "Memory" => {
                    let fan_outs = self.fan_outs(&fields, reader, report);
                    self.nodes.extend(fan_outs.into_iter().map(NestNode::FanOut));
                    let memory = self.memory(&name, &node, &fields, reader, report);
                    self.nodes.push(NestNode::Memory(memory));
                }
                "Compute" => {
                    let fan_out = self.fan_outs(&fields, reader, report);
                    let action = self.actions(&name, &fields, ["compute"], reader, report);
                    note_fields(&name, &fields, reader, report);
                    let [action] = action;
                    let area = self.scaled(&fields, "area", "area_scale", reader);
                    self.computes.push(Compute { name, action, area, fan_out });
                }
                kind => {
                    let fan_outs = self.fan_outs(&fields, reader, report);
                    self.nodes.extend(fan_outs.into_iter().map(NestNode::FanOut));
                    if kind != "Container" {
                        let reason =
                            "what passes through it costs nothing here: it stores nothing and computes nothing";
                        report.note(Severity::NotCounted, kind, reason, &place_of(&name, &node));
                    }
                }
            }
        }
    }

    fn fan_outs(&self, fields: &Entries, reader: &mut Reader, report: &mut ImportReport) -> Vec<FanOut> {
        let Some(spatial) = find(fields, "spatial").filter(|place| !place.is_empty()) else { return Vec::new() };
        let mut fan_outs = Vec::new();
        for place in spatial.list(reader, MAX_NODES) {
            let fields = place.entries(reader);
            let name = text(&fields, "name", reader).unwrap_or_else(|| "fanout".to_owned());
            let count = find(&fields, "fanout").and_then(|place| whole(place, self.names, reader));
            let Some(count) = count else {
                let remedy = "Write for example `{ name: X, fanout: 4 }`";
                place.reject(reader, ValueError::new(format!("`{name}` has no `fanout`"), remedy));
                continue;
            };
            let set = |name: &str, reader: &mut Reader| {
                let place = find(&fields, name).filter(|place| !place.is_empty())?;
                place.text(reader).filter(|text| !text.starts_with('<'))
            };
            let (reuse, may_reuse) = (set("reuse", reader), set("may_reuse", reader));
            if may_reuse.is_some_and(|may| may != "All" && reuse.as_deref() != Some(&may)) {
                let reason = "what several instances have in common is read once for all of them here";
                report.note(Severity::Expressed, "may_reuse", reason, &name);
            }
            if ["loop_bounds", "min_usage"]
                .iter()
                .any(|name| find(&fields, name).is_some_and(|place| !place.is_empty()))
            {
                let reason = "not taken: it limits what AccelForge searches, and a mapping says all of itself";
                report.note(Severity::Assumed, "loop_bounds, min_usage", reason, &name);
            }
            fan_outs.push(FanOut { name, mesh: [count, 1], reuse });
        }
        fan_outs
    }

    fn memory(
        &self,
        name: &str,
        place: &LocatedNode,
        fields: &Entries,
        reader: &mut Reader,
        report: &mut ImportReport,
    ) -> AccelforgeMemory {
        if name.is_empty() {
            place
                .reject(reader, ValueError::new("This memory has no `name`", "Write for example `name: GlobalBuffer`"));
        }
        let size = find(fields, "size").and_then(|place| {
            let named = |name: &str| self.names.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
            let bits = |name: &str| if name.ends_with(".bits_per_value") { Some(8.0) } else { named(name) };
            place.value(reader, "a number of bits", |text| {
                let is_size = expression::value(text, &bits).is_some_and(|value| value >= 0.0);
                let reason = || format!("The size `{}` cannot be worked out", crate::places::short(text));
                let remedy = "Write its bits, for example `64 * 1024 * 8`";
                is_size.then(|| text.to_owned()).ok_or_else(|| ValueError::new(reason(), remedy))
            })
        });
        let [read, write] = self.actions(name, fields, ["read", "write"], reader, report);
        let total_latency = find(fields, "total_latency").and_then(|place| place.text(reader)).unwrap_or_default();
        let has_two_ports = total_latency.starts_with("max(");
        if !has_two_ports && !matches!(total_latency.as_str(), "" | "sum(a.n_calls / a.throughput for a in actions)") {
            let reason = "an expression of its own is not taken: an action takes what its `throughput` says";
            report.note(Severity::NotCounted, "total_latency", reason, name);
        }
        let tensors = find(fields, "tensors").filter(|place| !place.is_empty()).map(|place| place.entries(reader));
        let mut keeps = Vec::new();
        for field in ["keep", "may_keep", "back"] {
            let place = tensors.as_ref().and_then(|tensors| find(tensors, field)).filter(|place| !place.is_empty());
            keeps.extend(place.and_then(|place| place.text(reader)).filter(|text| !text.starts_with('<')));
        }
        note_fields(name, fields, reader, report);
        let area = self.scaled(fields, "area", "area_scale", reader);
        AccelforgeMemory { name: name.to_owned(), size, read, write, has_two_ports, keeps, area }
    }

    /// A number times its scale; `None` if it is not stated.
    fn scaled(&self, fields: &Entries, name: &str, scale: &str, reader: &mut Reader) -> Option<f64> {
        let stated = |name: &str, reader: &mut Reader| {
            find(fields, name).filter(|place| !place.is_empty()).and_then(|place| number(place, self.names, reader))
        };
        let scale = stated(scale, reader).unwrap_or(1.0);
        stated(name, reader).map(|value| value * scale)
    }

    /// The named actions; those of a component without a list of actions are only known to AccelForge's component
    /// model.
    fn actions<const N: usize>(
        &self,
        component: &str,
        fields: &Entries,
        names: [&str; N],
        reader: &mut Reader,
        report: &mut ImportReport,
    ) -> [MemoryAction; N] {
        let own_bits = self.scaled(fields, "bits_per_action", "", reader);
        let one = Some(1.0);
        let [energy_scale, speed] =
            [["energy_scale", ""], ["throughput_scale", "n_parallel_instances"]].map(|scales| {
                let scale = |name: &str, reader: &mut Reader| {
                    if name.is_empty() { one } else { self.scaled(fields, name, "", reader) }
                };
                scales.iter().map(|name| scale(name, reader).unwrap_or(1.0)).product::<f64>()
            });
        let bits = own_bits.filter(|bits| *bits > 0.0).unwrap_or(1.0);
        let mut all = std::array::from_fn(|_| MemoryAction { bits, energy: None, throughput: None });
        let list = find(fields, "actions").filter(|place| !place.is_empty());
        for place in list.map(|place| place.list(reader, MAX_NODES)).unwrap_or_default() {
            let fields = place.entries(reader);
            let name = text(&fields, "name", reader).unwrap_or_default();
            let Some(index) = names.iter().position(|known| *known == name) else { continue };
            // Files written by AccelForge refer to the component's own number.
            let stated = find(&fields, "bits_per_action")
                .filter(|place| place.text(reader).is_some_and(|text| !text.contains(" if ")));
            let stated = stated.and_then(|place| number(place, self.names, reader)).filter(|bits| *bits > 0.0);
            let latency = self.scaled(&fields, "latency", "latency_scale", reader).filter(|latency| *latency > 0.0);
            let throughput = self.scaled(&fields, "throughput", "throughput_scale", reader);
            let throughput = throughput.or(latency.map(f64::recip)).map(|throughput| throughput * speed);
            all[index] = MemoryAction {
                bits: stated.unwrap_or(bits),
                energy: self.scaled(&fields, "energy", "energy_scale", reader).map(|energy| energy * energy_scale),
                throughput: throughput.filter(|throughput| throughput.is_finite() && *throughput > 0.0),
            };
        }
        if all.iter().any(|action| action.energy.is_none()) {
            let class = text(fields, "component_class", reader).unwrap_or_default();
            let reason = match class.as_str() {
                "Dummy" | "" => "no energy is stated: 0".to_owned(),
                class => format!("the file leaves it to a model of `{class}`: 0 here. State `energy` of its actions"),
            };
            report.note(Severity::NotCounted, "energy", &reason, component);
        }
        all
    }
}

/// The kind of a node.
fn kind_of<'t>(place: &LocatedNode<'t>, fields: &Entries) -> &'t str {
    let has = |name: &str| find(fields, name).is_some();
    match place.tag() {
        Some(tag) => tag,
        None if has("nodes") => "Hierarchical",
        None if has("size") => "Memory",
        None if has("direction") => "Toll",
        None if has("topology") => "Network",
        None if has("actions") || has("component_class") => "Compute",
        None => "Container",
    }
}

fn place_of(name: &str, place: &LocatedNode) -> String {
    if name.is_empty() { format!("line {}", place.line()) } else { name.to_owned() }
}

fn note_fields(name: &str, fields: &Entries, reader: &mut Reader, report: &mut ImportReport) {
    for (field, usual) in NOT_COUNTED {
        let Some(place) = find(fields, field).filter(|place| !place.is_empty()) else { continue };
        let value = if place.is_scalar() { place.text(reader).unwrap_or_default() } else { String::new() };
        if !usual.contains(&value.as_str()) {
            report.note(Severity::NotCounted, field, "has no counterpart here", name);
        }
    }
}
