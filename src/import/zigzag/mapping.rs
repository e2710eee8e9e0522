//! A mapping file: the loops unrolled on the array, and the order of temporal loops.

use super::ordering::read_order;
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};
use fusescape_spec::{Diagnostics, HardwareSpec, LayerSpec, OrderSpec, UnrollSpec};

const ENTRY: [&str; 5] =
    ["name", "spatial_mapping", "spatial_mapping_hint", "temporal_ordering", "memory_operand_links"];
/// Limit on the entries of a mapping file.
const MAX_ENTRIES: usize = 4096;
/// Names of loops, the same in ZigZag and here.
const LOOPS: [&str; 8] = ["B", "G", "K", "C", "OY", "OX", "FY", "FX"];
/// The dataflow that layers refer to.
const DATAFLOW: &str = "zigzag";
/// Our types of layers for ZigZag's types of operators; `default` stands for all others.
pub const OPERATORS: [(&str, &[&str]); 10] = [
    ("default", &["conv", "pointwise", "depthwise", "pooling", "fully-connected", "matmul", "add"]),
    ("Conv", &["conv", "pointwise", "depthwise"]),
    ("Gemm", &["fully-connected", "matmul"]),
    ("MatMul", &["fully-connected", "matmul"]),
    ("Add", &["add"]),
    ("Pooling", &["pooling"]),
    ("Pool", &["pooling"]),
    ("MaxPool", &["pooling"]),
    ("AveragePool", &["pooling"]),
    ("GlobalAveragePool", &["pooling"]),
];

/// The unrolling on the array for a layer, a type of operator, or by default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MappingEntry {
    /// Name of the layer or the type.
    pub name: String,
    pub loops: Vec<UnrollSpec>,
    /// The order of temporal loops, innermost first.
    pub order: Vec<OrderSpec>,
}

/// Reads a mapping: its contents as far as they can be read, remarks for the user, and all errors.
pub fn read_mapping(text: &str) -> (Vec<MappingEntry>, ImportReport, Diagnostics) {
    let (root, mut reader) = Reader::open_foreign(text);
    let mut report = ImportReport::default();
    let entries = LocatedNode::root(&root).list(&mut reader, MAX_ENTRIES);
    let entries = entries.iter().map(|entry| read_entry(entry, &mut reader, &mut report)).collect();
    super::note_cleaned(&reader, &mut report);
    (entries, report, reader.finish())
}

fn read_entry(place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) -> MappingEntry {
    let fields = place.fields(reader, &ENTRY);
    let name = fields.name(reader, "name", "default");
    let stated = |field: &str| fields.get(field).filter(|place| !place.is_scalar() && !place.is_empty());
    if stated("spatial_mapping_hint").is_some() {
        let reason = "not taken: what is left of the array stays empty, or choose the unrolling by a search";
        report.note(Severity::Assumed, "spatial_mapping_hint", reason, &name);
    }
    let order = stated("temporal_ordering").map(|place| read_order(place, reader)).unwrap_or_default();
    if let Some(links) = fields.get("memory_operand_links").filter(|place| place.is_map()) {
        for (operand, memory) in links.entries(reader) {
            let usual = [("O", "O"), ("W", "I2"), ("I", "I1")].into_iter().find(|(known, _)| *known == operand);
            let linked = memory.name(reader);
            if let (Some((_, usual)), Some(linked)) = (usual, linked)
                && linked != usual
            {
                let reason = format!("{operand} is kept as {linked} instead of {usual}, which is not taken over");
                memory.reject(
                    reader,
                    ValueError::new(
                        reason,
                        format!("Write `{operand}: {usual}`, and exchange I1 and I2 in the accelerator"),
                    ),
                );
            }
        }
    }
    let loops = fields.get("spatial_mapping").filter(|place| place.is_map()).map(|place| read_loops(place, reader));
    MappingEntry { name, loops: loops.unwrap_or_default(), order }
}

/// `{ D1: ["K, 32", "C, 2"] }`.
pub fn read_loops(place: &LocatedNode, reader: &mut Reader) -> Vec<UnrollSpec> {
    let mut loops = Vec::new();
    for (array_dimension, unrolled) in place.entries(reader) {
        for item in unrolled.list(reader, 16) {
            let unrolled = item.value(reader, "a loop and its size, for example `K, 32`", |text| {
                let wrong = || ValueError::new(format!("`{text}` is no loop with a size"), "Write for example `K, 32`");
                let (name, size) = text.split_once(',').ok_or_else(wrong)?;
                let size: f64 = size.trim().parse().map_err(|_| wrong())?;
                if !(1.0..1e15).contains(&size) {
                    return Err(wrong());
                }
                Ok((name.trim().to_owned(), size.ceil() as u64))
            });
            if let Some((loop_dimension, limit)) = unrolled {
                let array_dimension = array_dimension.to_owned();
                loops.push(UnrollSpec { array_dimension, loop_dimension, limit: Some(limit) });
            }
        }
    }
    loops
}

/// Adds the entries for types of operators to a hardware document, with a dataflow that layers can refer to.
pub fn apply_to_hardware(spec: &mut HardwareSpec, entries: &[MappingEntry]) {
    spec.dataflow = DATAFLOW.to_owned();
    for (operator, kinds) in OPERATORS {
        let Some(entry) = entries.iter().find(|entry| entry.name == operator) else { continue };
        for kind in kinds {
            let loops = renamed(&entry.loops, &spec.array.dimensions, kind);
            match spec.unroll.iter_mut().find(|(known, _)| known == kind) {
                Some((_, known)) => *known = loops,
                None => spec.unroll.push(((*kind).to_owned(), loops)),
            }
        }
    }
    spec.unroll.retain(|(_, loops)| !loops.is_empty());
}

/// The names by which a mapping refers to a layer: its own, its type of operator, and its loops, each with our name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedLoops {
    pub layer: String,
    pub operator: String,
    /// The file's name, and ours.
    pub loops: Vec<(String, &'static str)>,
}

/// Adds the entries for single layers to these, and those for types of operators if a layer names its loops
/// differently.
pub fn apply_to_layers(layers: &mut [LayerSpec], entries: &[MappingEntry], named: &[NamedLoops]) {
    for layer in layers.iter_mut().filter(|layer| !matches!(layer.kind.as_str(), "input" | "view")) {
        let find = |name: &str| entries.iter().find(|entry| entry.name == name);
        let names = named.iter().find(|names| names.layer == layer.name);
        let by_type = || names.and_then(|names| find(&names.operator).or_else(|| find("default")));
        let (entry, is_own) = match find(&layer.name) {
            Some(entry) => (entry, true),
            None => match by_type() {
                Some(entry) => (entry, false),
                None => continue,
            },
        };
        let of_kind = renamed(&entry.loops, &[], &layer.kind);
        let own = names.map_or_else(|| of_kind.clone(), |names| named_loops(&entry.loops, names));
        if is_own || own.iter().any(|unrolled| !of_kind.contains(unrolled)) {
            layer.unroll = vec![(DATAFLOW.to_owned(), own)];
        }
    }
}

/// The loops of an entry that a layer has; others have no effect, as in ZigZag.
fn named_loops(loops: &[UnrollSpec], names: &NamedLoops) -> Vec<UnrollSpec> {
    let ours = |unrolled: &UnrollSpec| {
        let (_, ours) = names.loops.iter().find(|(name, _)| *name == unrolled.loop_dimension)?;
        Some(UnrollSpec { loop_dimension: (*ours).to_owned(), ..unrolled.clone() })
    };
    loops.iter().filter_map(ours).collect()
}

/// Names of loops in entries that only a workload defines.
pub fn foreign_loops(entries: &[MappingEntry]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for unrolled in entries.iter().flat_map(|entry| &entry.loops) {
        let name = &unrolled.loop_dimension;
        if !LOOPS.contains(&name.as_str()) && !matches!(name.as_str(), "D" | "H") && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Our name of a loop in layers of a kind; `None` if there is none.
pub fn our_name(name: &str, kind: &str) -> Option<&'static str> {
    let is_product = matches!(kind, "matmul" | "fully-connected" | "pointwise");
    match name {
        "D" if is_product => Some("OX"),
        "H" if is_product => Some("G"),
        _ => LOOPS.into_iter().find(|ours| *ours == name),
    }
}

/// The loops with our names, as many as the array has room for.
fn renamed(loops: &[UnrollSpec], array: &[(String, u64)], kind: &str) -> Vec<UnrollSpec> {
    let ours = |unrolled: &UnrollSpec| {
        let loop_dimension = our_name(&unrolled.loop_dimension, kind)?;
        let size = array.iter().find(|(name, _)| *name == unrolled.array_dimension).map(|(_, size)| *size);
        let limit = unrolled.limit.map(|limit| size.map_or(limit, |size| limit.min(size)));
        Some(UnrollSpec { loop_dimension: loop_dimension.to_owned(), limit, ..unrolled.clone() })
    };
    loops.iter().filter_map(ours).collect()
}
