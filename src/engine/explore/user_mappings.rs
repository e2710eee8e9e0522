//! Mapping documents: layers that a person mapped by hand, priced; and the mappings of a search as such a document.

use super::layer::{DesignLayer, LayerRequest, MappedLayer, TemporalMapping, check_unroll};
use crate::cost::MappingError;
use crate::hardware::{ArraySizes, Core, Unroll, unroll_over};
use crate::mapping::{LayerOnCore, LayerOperand, TemporalLoop, allocate};
use crate::spec::{
    Consequences, Diagnostics, LayerMappingSpec, MappedLoopSpec, MappingSpec, UnrollSpec, closest, read_mapping,
};
use crate::workload::{Dim, Network};

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences = &[
    ("layers[*].layer", &["layers[=].loops", "layers[=].unroll"]),
    ("layers[*].unroll", &["layers[=].loops"]),
    ("layers[*].loops[*].loop", &["layers[*].loops"]),
];

/// Layers mapped by hand, each with its cost.
///
/// # Errors
/// Everything that is wrong with the text for this core and network, each with its line, path, reason and remedy.
pub fn user_mappings(
    text: &str,
    core: &Core,
    network: &Network,
    request: &LayerRequest,
) -> Result<Vec<(DesignLayer, MappedLayer)>, Diagnostics> {
    read_mapping(text).validated(text, CONSEQUENCES, |spec| map_layers(&spec, core, network, request))
}

fn map_layers(
    spec: &MappingSpec,
    core: &Core,
    network: &Network,
    request: &LayerRequest,
) -> Result<Vec<(DesignLayer, MappedLayer)>, Diagnostics> {
    let mut found = Diagnostics::default();
    let mut mapped = Vec::new();
    if spec.layers.is_empty() {
        found.add("layers", "The document maps no layer", "List at least one");
    }
    for (index, layer) in spec.layers.iter().enumerate() {
        if found.is_full() {
            break;
        }
        let path = format!("layers[{index}]");
        if spec.layers[..index].iter().any(|earlier| earlier.layer == layer.layer) {
            let reason = format!("`{}` is mapped twice", layer.layer);
            found.add(format!("{path}.layer"), reason, "Keep one of the two");
            continue;
        }
        mapped.extend(map_layer(layer, &path, core, network, request, &mut found));
    }
    found.or(mapped)
}

/// Mappings as a document that [`user_mappings`] reads to the same costs.
pub fn mapping_document<'a>(
    name: &str,
    mapped: impl IntoIterator<Item = (&'a DesignLayer, &'a TemporalMapping)>,
) -> MappingSpec {
    let layers = mapped.into_iter().map(|(design_layer, mapping)| describe(design_layer, mapping)).collect();
    MappingSpec { name: name.to_owned(), about: String::new(), layers }
}

fn map_layer(
    spec: &LayerMappingSpec,
    path: &str,
    core: &Core,
    network: &Network,
    request: &LayerRequest,
    found: &mut Diagnostics,
) -> Option<(DesignLayer, MappedLayer)> {
    let unroll = match &spec.unroll {
        Some(stated) => {
            let layer = network.computing().find(|&id| network.layer(id).name == spec.layer);
            let array = layer.map_or(&*core.array, |id| core.array_for(network.layer(id).shape.kind));
            Some(read_unroll(stated, array, &format!("{path}.unroll"), found)?)
        }
        None => None,
    };
    let request = LayerRequest { layer: Some(spec.layer.clone()), unroll, ..request.clone() };
    let design_layer = match DesignLayer::of(core.clone(), network, &request) {
        Ok(design_layer) => design_layer,
        Err(wrong) => {
            found.0.extend(wrong.under(path).0);
            return None;
        }
    };
    let path = format!("{path}.loops");
    let before = found.0.len();
    let order = read_order(spec, &path, found)?;
    let ends = {
        let problem = design_layer.on_core();
        let is_placed = spec.loops.iter().any(|stated| !stated.memories.is_empty());
        if is_placed || spec.loops.is_empty() {
            read_ends(spec, &problem, core, &path, found)
        } else {
            place(&problem, &order, &path, found)
        }
    };
    let is_placed = found.0.len() == before;
    match design_layer.cost(&TemporalMapping { order, ends }) {
        Ok(mapped) => is_placed.then_some((design_layer, mapped)),
        Err(wrong) => {
            for flaw in wrong {
                // Amounts mean nothing before loops and memories are right.
                let remedy = match &flaw {
                    MappingError::Size { dim, wanted, .. } => format!("Let the sizes of {dim} multiply to {wanted}"),
                    MappingError::Overflow { memory, .. } if is_placed => {
                        format!("Let memories above `{memory}` hold some of the loops that it holds, or those below")
                    }
                    _ => continue,
                };
                found.add(&path, flaw.to_string(), remedy);
            }
            None
        }
    }
}

fn read_unroll(stated: &[UnrollSpec], array: &ArraySizes, path: &str, found: &mut Diagnostics) -> Option<Vec<Unroll>> {
    let before = found.0.len();
    for UnrollSpec { array_dimension, loop_dimension, .. } in stated {
        check_array_names(array, array_dimension, [loop_dimension.as_str()], path, found);
    }
    for (name, size) in array {
        let on_it = stated.iter().filter(|part| part.array_dimension == *name).filter_map(|part| part.limit);
        if on_it.fold(1, u64::saturating_mul) > *size {
            let reason = format!("More than the {size} PEs of `{name}` would be unrolled over");
            found.add(format!("{path}.{name}"), reason, format!("Write widths whose product is at most {size}"));
        }
    }
    if found.0.len() > before {
        return None;
    }
    match check_unroll(array, &unroll_over(array, stated)) {
        Ok(unroll) => Some(unroll),
        Err(wrong) => {
            for wrong in wrong.0 {
                found.add(path, wrong.reason, wrong.remedy);
            }
            None
        }
    }
}

/// Whether the array has a dimension, and there are the loops that it is to unroll.
pub(super) fn check_array_names<'s>(
    array: &ArraySizes,
    array_dimension: &str,
    loops: impl IntoIterator<Item = &'s str>,
    path: &str,
    found: &mut Diagnostics,
) -> bool {
    let before = found.0.len();
    let path = format!("{path}.{array_dimension}");
    let dimensions: Vec<&str> = array.iter().map(|(name, _)| name.as_str()).collect();
    if !dimensions.contains(&array_dimension) {
        let reason = format!("The array has no dimension `{array_dimension}`");
        found.add_unknown(path, reason, array_dimension, &dimensions);
        return false;
    }
    for unknown in loops.into_iter().filter(|name| Dim::from_name(name).is_none()) {
        let reason = format!("There is no loop dimension `{unknown}`");
        found.add_unknown(&path, reason, unknown, &Dim::ALL.map(Dim::name));
    }
    found.0.len() == before
}

/// The loops; `None` where some entry is no loop.
fn read_order(spec: &LayerMappingSpec, path: &str, found: &mut Diagnostics) -> Option<Vec<TemporalLoop>> {
    let before = found.0.len();
    let mut order = Vec::new();
    for (place, MappedLoopSpec { dimension, size, .. }) in spec.loops.iter().enumerate() {
        let path = format!("{path}[{place}].loop");
        match Dim::from_name(dimension) {
            None => {
                let reason = format!("There is no loop dimension `{dimension}`");
                found.add_unknown(path, reason, dimension, &Dim::ALL.map(Dim::name));
            }
            Some(_) if *size < 2 => {
                found.add(path, format!("A loop of {size} is none"), "Leave it out, or write a size of 2 at least");
            }
            Some(dim) => order.push(TemporalLoop { dim, size: *size }),
        }
    }
    (found.0.len() == before).then_some(order)
}

/// The number of loops after which each memory level ends, from the memory that each loop states.
fn read_ends(
    spec: &LayerMappingSpec,
    problem: &LayerOnCore<'_>,
    core: &Core,
    path: &str,
    found: &mut Diagnostics,
) -> [Vec<usize>; 3] {
    let operands = LayerOperand::ALL.map(|operand| problem.operand_name(operand));
    for (place, stated) in spec.loops.iter().enumerate() {
        for (operand, _) in stated.memories.iter().filter(|(operand, _)| !operands.contains(&operand.as_str())) {
            let reason = format!("This layer has no operand {operand}");
            let mut names = operands;
            names.sort_unstable();
            found.add(format!("{path}[{place}].{operand}"), reason, format!("Its operands are {}", names.join(", ")));
        }
    }
    LayerOperand::ALL.map(|operand| {
        let name = problem.operand_name(operand);
        let levels: Vec<&str> =
            problem.operands[operand].memories.iter().map(|id| core.memories[*id].name.as_str()).collect();
        let mut ends = vec![0; levels.len()];
        let mut lowest = 0;
        for (place, stated) in spec.loops.iter().enumerate() {
            let path = format!("{path}[{place}]");
            let Some((_, memory)) = stated.memories.iter().find(|(operand, _)| operand == name) else {
                let remedy = format!("State one, for example `{name}: {}`", levels[lowest]);
                found.add(path, format!("No memory holds this loop for {name}"), remedy);
                continue;
            };
            match levels.iter().position(|level| level == memory) {
                None => {
                    let remedy = closest(memory, levels.iter().copied()).map_or_else(
                        || format!("Use one of {}", levels.join(", ")),
                        |meant| format!("Did you mean `{meant}`?"),
                    );
                    found.add(format!("{path}.{name}"), format!("{name} has no memory `{memory}`"), remedy);
                }
                Some(level) if level < lowest => {
                    let above = levels[lowest];
                    let reason = format!("`{memory}` lies below `{above}`, which holds a loop inside of this one");
                    found.add(format!("{path}.{name}"), reason, format!("Write `{above}`, or a memory above it"));
                }
                Some(level) => {
                    lowest = level;
                    ends[level..].iter_mut().for_each(|end| *end = place + 1);
                }
            }
        }
        if let Some(last) = ends.last_mut() {
            *last = spec.loops.len();
        }
        ends
    })
}

/// Where no memory is stated, loops are placed as LOMA does for a given order.
fn place(problem: &LayerOnCore<'_>, order: &[TemporalLoop], path: &str, found: &mut Diagnostics) -> [Vec<usize>; 3] {
    let top = |operand: LayerOperand| problem.operands[operand].memories.len();
    let has_all = order.iter().try_fold([1_u64; 8], |mut sizes, next| {
        sizes[next.dim as usize] = sizes[next.dim as usize].checked_mul(next.size)?;
        Some(sizes)
    }) == Some(problem.spatial.temporal_sizes);
    let placed = has_all.then(|| allocate(problem, order)).flatten();
    if has_all && placed.is_none() {
        let reason = "Loops in this order fit into no memories";
        found.add(path, reason, "Let loops of fewer data be inside, or use larger memories");
    }
    LayerOperand::ALL.map(|operand| match &placed {
        Some(allocation) => (0..top(operand)).map(|level| allocation.range(operand, level).end).collect(),
        None => {
            let mut ends = vec![0; top(operand)];
            ends.iter_mut().last().into_iter().for_each(|last| *last = order.len());
            ends
        }
    })
}

fn describe(design_layer: &DesignLayer, mapping: &TemporalMapping) -> LayerMappingSpec {
    let facts = design_layer.facts();
    let array = design_layer.core.array_for(facts.shape.kind);
    let unroll = |part: &Unroll| UnrollSpec {
        array_dimension: array[part.array_dim].0.clone(),
        loop_dimension: part.dim.name().to_owned(),
        limit: Some(part.limit),
    };
    // As tables have them: both inputs, then the output.
    let columns = [1, 2, 0];
    let held = |place: usize, operand: usize| {
        let (name, memories) = &facts.operands[operand];
        let level = mapping.ends[operand].iter().position(|&end| place < end);
        let memory = level.and_then(|level| memories.get(level)).or(memories.last())?;
        Some((name.clone(), memory.clone()))
    };
    let described = |(place, next): (usize, &TemporalLoop)| MappedLoopSpec {
        dimension: next.dim.name().to_owned(),
        size: next.size,
        memories: columns.into_iter().filter_map(|operand| held(place, operand)).collect(),
    };
    LayerMappingSpec {
        layer: design_layer.layer.clone(),
        unroll: Some(design_layer.problem.unroll.iter().map(unroll).collect()),
        loops: mapping.order.iter().enumerate().map(described).collect(),
    }
}
