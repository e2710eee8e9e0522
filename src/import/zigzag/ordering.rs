//! `temporal_ordering` of a mapping file, as a constraint document.
//!
//! ZigZag lists loops from the innermost: `[K, 4]` is one loop, `[K, "*"]` one loop prime factor, `["*", "*"]` all
//! factors not stated elsewhere. Loops that a layer does not have are ignored. (Version 3.8 ignores `["*", "*"]` as
//! well, against its own engine, and so places the following loops innermost, too. Here it has the meaning of the
//! engine.)

use super::mapping::{MappingEntry, NamedLoops, OPERATORS, our_name};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};
use fusescape_spec::{BoundSpec, ConstraintsSpec, LayerConstraintsSpec, LayerSpec, LoopBoundSpec, OrderSpec};

/// Limit on the loops of an order.
const MAX_LOOPS: usize = 128;

/// Reads the loop order of an entry, with the names of the file.
pub fn read_order(place: &LocatedNode, reader: &mut Reader) -> Vec<OrderSpec> {
    let mut order = Vec::new();
    for place in place.list(reader, MAX_LOOPS) {
        let [name, size] = &place.list(reader, 2)[..] else {
            let remedy = "Write for example `[K, 4]`, `[K, \"*\"]` or `[\"*\", \"*\"]`";
            place.reject(reader, ValueError::new("This is no loop with a size", remedy));
            continue;
        };
        let (Some(name), Some(size)) = (name.name(reader), read_size(size, reader)) else { continue };
        let next = match (name.as_str(), size) {
            (_, BoundSpec::Exactly(1)) => continue,
            ("*", _) => OrderSpec::Rest,
            _ => OrderSpec::Loop(LoopBoundSpec { dimension: name, bound: size }),
        };
        if next != OrderSpec::Rest || !order.contains(&next) {
            order.push(next);
        }
    }
    order
}

fn read_size(place: &LocatedNode, reader: &mut Reader) -> Option<BoundSpec> {
    place.value(reader, "a whole number or `\"*\"`", |text| match text {
        "*" => Ok(BoundSpec::Any),
        _ => fusescape_spec::reader::count(text).map(|size| BoundSpec::Exactly(size.max(1))),
    })
}

/// The loop orders of a mapping file as constraints on layers; `None` if there are none. `layers` are those of the
/// workload, if there is one.
pub fn constraints(
    entries: &[MappingEntry],
    named: &[NamedLoops],
    layers: Option<&[LayerSpec]>,
    report: &mut ImportReport,
) -> Option<ConstraintsSpec> {
    if entries.iter().all(|entry| entry.order.is_empty()) {
        return None;
    }
    let mut constrained = by_type(entries);
    match layers {
        Some(layers) => {
            let own: Vec<LayerConstraintsSpec> =
                layers.iter().filter_map(|layer| by_name(layer, entries, named, &constrained)).collect();
            constrained.splice(0..0, own);
        }
        None => {
            let is_type = |name: &str| OPERATORS.iter().any(|(operator, _)| *operator == name);
            let own = entries.iter().filter(|entry| !is_type(&entry.name));
            constrained.extend(own.map(|entry| LayerConstraintsSpec {
                layer: Some(entry.name.clone()),
                ..ordered(&entry.order, |name| our_name(name, ""))
            }));
        }
    }
    let is_known = |place: &OrderSpec| match place {
        OrderSpec::Loop(next) => our_name(&next.dimension, "matmul").is_some(),
        OrderSpec::Rest => true,
    };
    if layers.is_none() && !entries.iter().flat_map(|entry| &entry.order).all(is_known) {
        let reason = "not taken for loops that only a workload gives a meaning: import it together with the mapping";
        report.note(Severity::Assumed, "temporal_ordering", reason, "");
    }
    if constrained.iter().all(|entry| entry.order.is_empty()) {
        return None;
    }
    let reason = "is a document of constraints, for `layer --constraints`";
    report.note(Severity::Expressed, "temporal_ordering", reason, "");
    Some(ConstraintsSpec {
        name: "Orders of a ZigZag mapping".to_owned(),
        about: "Imported from the `temporal_ordering` of a ZigZag mapping.".to_owned(),
        layers: constrained,
    })
}

/// The constraints for kinds of layers, and for all others. A kind whose entry states no order is unconstrained.
fn by_type(entries: &[MappingEntry]) -> Vec<LayerConstraintsSpec> {
    let mut constrained: Vec<LayerConstraintsSpec> = Vec::new();
    let mut default = None;
    for (operator, kinds) in OPERATORS {
        let Some(entry) = entries.iter().find(|entry| entry.name == operator) else { continue };
        if operator == "default" {
            default = Some(ordered(&entry.order, |name| our_name(name, "")));
            continue;
        }
        for kind in kinds {
            let next = LayerConstraintsSpec {
                kind: Some((*kind).to_owned()),
                ..ordered(&entry.order, |name| our_name(name, kind))
            };
            constrained.retain(|earlier| earlier.kind != next.kind);
            constrained.push(next);
        }
    }
    constrained.extend(default.filter(|all| !all.order.is_empty()));
    constrained
}

/// The constraint for one layer, if it differs from that of its kind.
fn by_name(
    layer: &LayerSpec,
    entries: &[MappingEntry],
    named: &[NamedLoops],
    by_type: &[LayerConstraintsSpec],
) -> Option<LayerConstraintsSpec> {
    let find = |name: &str| entries.iter().find(|entry| entry.name == name);
    let names = named.iter().find(|names| names.layer == layer.name);
    let own = find(&layer.name);
    let entry = own.or_else(|| names.and_then(|names| find(&names.operator).or_else(|| find("default"))));
    let in_workload = |name: &str| match names {
        Some(names) => names.loops.iter().find(|(theirs, _)| theirs == name).map(|(_, ours)| *ours),
        None => our_name(name, &layer.kind),
    };
    let next = ordered(entry.map_or(&[], |entry| &entry.order), in_workload);
    let of_kind = by_type.iter().find(|entry| entry.kind.as_ref() == Some(&layer.kind));
    let general = of_kind.or_else(|| by_type.iter().find(|entry| entry.kind.is_none()));
    let is_computed = !matches!(layer.kind.as_str(), "input" | "view");
    let differs = general.map_or(!next.order.is_empty(), |general| general.order != next.order);
    (is_computed && differs).then(|| LayerConstraintsSpec { layer: Some(layer.name.clone()), ..next })
}

/// An order with our names, without unknown loops.
fn ordered(order: &[OrderSpec], ours: impl Fn(&str) -> Option<&'static str>) -> LayerConstraintsSpec {
    let renamed = |place: &OrderSpec| match place {
        OrderSpec::Rest => Some(OrderSpec::Rest),
        OrderSpec::Loop(next) => {
            let dimension = ours(&next.dimension)?.to_owned();
            Some(OrderSpec::Loop(LoopBoundSpec { dimension, ..next.clone() }))
        }
    };
    LayerConstraintsSpec { order: order.iter().filter_map(renamed).collect(), ..LayerConstraintsSpec::default() }
}
