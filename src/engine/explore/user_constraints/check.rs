//! Validation of a constraint document for a core and a network.

use super::has_operand;
use crate::explore::user_mappings::check_array_names;
use crate::hardware::{Core, Operand};
use crate::spec::{
    BoundSpec, ConstraintsSpec, Diagnostics, LayerConstraintsSpec, LevelConstraintsSpec, LoopBoundSpec, OrderSpec,
};
use crate::workload::{Dim, LayerKind, Network};

/// Names of operands in documents, with the operands as which memories store them.
const OPERANDS: [(&str, Operand); 5] =
    [("W", Operand::W), ("I", Operand::I), ("O", Operand::O), ("X", Operand::I), ("Y", Operand::I)];

/// Notes everything that is wrong with a document.
pub(super) fn check(spec: &ConstraintsSpec, core: &Core, network: &Network, wrong: &mut Diagnostics) {
    if spec.layers.is_empty() {
        wrong.add("layers", "The document constrains no layer", "List at least one");
    }
    for (index, entry) in spec.layers.iter().enumerate() {
        if wrong.is_full() {
            return;
        }
        let path = format!("layers[{index}]");
        let whose = |entry: &LayerConstraintsSpec| (entry.layer.clone(), entry.kind.clone());
        if spec.layers[..index].iter().any(|earlier| whose(earlier) == whose(entry)) {
            let reason = match whose(entry) {
                (Some(layer), _) => format!("`{layer}` is constrained twice"),
                (None, Some(kind)) => format!("Layers of kind `{kind}` are constrained twice"),
                (None, None) => "There are two entries for all layers".to_owned(),
            };
            wrong.add(&path, reason, "Put them together, or say which layer each is for");
        }
        let kind = check_whose(entry, &path, network, wrong);
        check_unroll(entry, &path, core, wrong);
        check_order(&entry.order, &format!("{path}.order"), wrong);
        for (number, level) in entry.levels.iter().enumerate() {
            check_level(level, &format!("{path}.levels[{number}]"), core, kind, wrong);
        }
    }
}

/// Checks for which layers an entry is; returns their kind.
fn check_whose(
    entry: &LayerConstraintsSpec,
    path: &str,
    network: &Network,
    wrong: &mut Diagnostics,
) -> Option<LayerKind> {
    let layers = || network.computing().map(|id| network.layer(id));
    match (&entry.layer, &entry.kind) {
        (Some(_), Some(_)) => {
            wrong.add(
                format!("{path}.kind"),
                "An entry is for a layer or for a kind of layers",
                "Leave one of the two out",
            );
            None
        }
        (Some(name), None) => {
            let layer = layers().find(|layer| layer.name == *name);
            if layer.is_none() {
                let names: Vec<&str> = layers().map(|layer| layer.name.as_str()).collect();
                wrong.add_unknown(
                    format!("{path}.layer"),
                    format!("The network computes no layer `{name}`"),
                    name,
                    &names,
                );
            }
            layer.map(|layer| layer.shape.kind)
        }
        (None, Some(name)) => {
            let computes = |kind: &LayerKind| !matches!(kind, LayerKind::Input | LayerKind::View);
            let kind = LayerKind::from_name(name).filter(computes);
            if kind.is_none() {
                let names: Vec<&str> =
                    LayerKind::ALL.iter().filter(|kind| computes(kind)).map(|kind| kind.name()).collect();
                wrong.add_unknown(
                    format!("{path}.kind"),
                    format!("No layer that computes is of kind `{name}`"),
                    name,
                    &names,
                );
            }
            kind
        }
        (None, None) => None,
    }
}

fn check_unroll(entry: &LayerConstraintsSpec, path: &str, core: &Core, wrong: &mut Diagnostics) {
    for unrolled in &entry.unroll {
        let (name, loops) = (&unrolled.array_dimension, unrolled.loops.as_deref().unwrap_or_default());
        let path = format!("{path}.unroll");
        let is_known =
            check_array_names(&core.array, name, loops.iter().map(|next| next.dimension.as_str()), &path, wrong);
        let fixed = loops.iter().filter_map(|next| match next.bound {
            BoundSpec::Exactly(width) => Some(width),
            _ => None,
        });
        let size = core.array.iter().find(|(known, _)| known == name).map_or(u64::MAX, |(_, size)| *size);
        if is_known && fixed.fold(1, u64::saturating_mul) > size {
            let reason = format!("More than the {size} PEs of `{name}` would be unrolled over");
            wrong.add(format!("{path}.{name}"), reason, format!("Write widths whose product is at most {size}"));
        }
        for (index, next) in loops.iter().enumerate() {
            let is_none = matches!(next.bound, BoundSpec::Exactly(0) | BoundSpec::AtMost(0));
            if is_none || loops[..index].iter().any(|earlier| earlier.dimension == next.dimension) {
                let reason = if is_none { "has no width" } else { "is unrolled twice here" };
                wrong.add(
                    format!("{path}.{name}"),
                    format!("{} {reason}", next.dimension),
                    "Leave it out, or write a width",
                );
            }
        }
    }
}

fn check_order(order: &[OrderSpec], path: &str, wrong: &mut Diagnostics) {
    for (index, place) in order.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let is_repeated = order[..index].contains(place);
        match place {
            OrderSpec::Rest if is_repeated => {
                wrong.add(path, "`rest` stands for all other loops, so there is one", "Leave all but one out");
            }
            OrderSpec::Rest => {}
            OrderSpec::Loop(LoopBoundSpec { dimension, bound }) => {
                check_dimension(dimension, &path, wrong);
                match bound {
                    BoundSpec::Exactly(size) if *size < 2 => {
                        wrong.add(
                            path,
                            format!("A loop of {size} is none"),
                            "Leave it out, or write a size of 2 at least",
                        );
                    }
                    BoundSpec::All if is_repeated => {
                        let reason = format!("`{dimension} all` is all that is left of {dimension}, so there is one");
                        wrong.add(path, reason, "Leave all but one out");
                    }
                    _ => {}
                }
            }
        }
    }
}

fn check_level(
    level: &LevelConstraintsSpec,
    path: &str,
    core: &Core,
    kind: Option<LayerKind>,
    wrong: &mut Diagnostics,
) {
    let names: Vec<&str> = core.memories.iter().map(|memory| memory.name.as_str()).collect();
    let memory = core.memories.iter().find(|memory| memory.name == level.memory);
    if memory.is_none() {
        let reason = format!("The hardware has no memory `{}`", level.memory);
        wrong.add_unknown(format!("{path}.memory"), reason, &level.memory, &names);
    }
    for name in &level.operands {
        let path = format!("{path}.operand");
        let Some((_, stored_as)) = OPERANDS.iter().find(|(known, _)| known == name) else {
            wrong.add_unknown(path, format!("There is no operand `{name}`"), name, &OPERANDS.map(|(known, _)| known));
            continue;
        };
        if kind.is_some_and(|kind| !has_operand(kind, name)) {
            let names: Vec<&str> = OPERANDS
                .iter()
                .map(|(known, _)| *known)
                .filter(|name| kind.is_some_and(|kind| has_operand(kind, name)))
                .collect();
            let reason = format!("This layer has no operand {name}");
            wrong.add(path, reason, format!("Its operands are {}", names.join(", ")));
        } else if let Some(memory) = memory.filter(|memory| !memory.operands.contains(stored_as)) {
            let holds: Vec<&str> = core
                .memories
                .iter()
                .filter(|memory| memory.operands.contains(stored_as))
                .map(|memory| memory.name.as_str())
                .collect();
            let reason = format!("`{}` does not hold {name}", memory.name);
            wrong.add(path, reason, format!("Take one of {}", holds.join(", ")));
        }
    }
    if level.holds.is_empty() && level.within.is_empty() && level.order.is_empty() {
        let remedy = "Write `holds: [K <= 4]`, `within: [K <= 4]` or `order: [C, K]`, or leave it out";
        wrong.add(path, "Nothing is demanded of this memory", remedy);
    }
    for (field, bounds) in [("holds", &level.holds), ("within", &level.within)] {
        for (index, next) in bounds.iter().enumerate() {
            let path = format!("{path}.{field}[{index}]");
            check_dimension(&next.dimension, &path, wrong);
            if matches!(next.bound, BoundSpec::Exactly(0) | BoundSpec::AtMost(0)) {
                wrong.add(
                    path,
                    "A product of loops is 1 at least",
                    format!("Write `{} 1` for no loop", next.dimension),
                );
            }
        }
    }
    for (index, name) in level.order.iter().enumerate() {
        let path = format!("{path}.order[{index}]");
        check_dimension(name, &path, wrong);
        if level.order[..index].contains(name) {
            wrong.add(path, format!("{name} stands in this order twice"), "Leave one of the two out");
        }
    }
}

fn check_dimension(name: &str, path: &str, wrong: &mut Diagnostics) {
    if Dim::from_name(name).is_none() {
        wrong.add_unknown(path, format!("There is no loop dimension `{name}`"), name, &Dim::ALL.map(Dim::name));
    }
}
