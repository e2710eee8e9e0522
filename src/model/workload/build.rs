//! From a raw workload document to a [`Network`]: layers are checked, ordered and sized.

use super::layer::{Dim, LayerKind};
use super::network::{Layer, LayerId, Network};
use super::sizing::{MAX_EXTENT, Sizing};
use crate::ids::TiVec;
use crate::sorting::sort_by_key;
use crate::spec::{Diagnostics, LayerSpec, UnrollSpec, WorkloadSpec, closest};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Limit on the names that are compared with names that do not exist.
const MOST_COMPARED: usize = 50_000;

impl Network {
    /// Validates a document and infers every size that follows from others.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its path in the document, the reason and a remedy.
    pub fn new(spec: &WorkloadSpec) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let kinds = check_layers(spec, &mut diagnostics);
        let inputs = resolve_inputs(spec, &kinds, &mut diagnostics);
        check_cycles(spec, &inputs, &mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let order = topological_order(&inputs);
        let mut position = vec![LayerId::default(); order.len()];
        for (new, &old) in order.iter_enumerated() {
            position[old] = new;
        }
        let sorted_inputs: TiVec<LayerId, Vec<LayerId>> =
            order.iter().map(|&old| inputs[old].iter().map(|&input| position[input]).collect()).collect();
        let mut layers: TiVec<LayerId, Option<Layer>> = TiVec::with_capacity(order.len());
        for (&old, inputs) in order.iter().zip(&sorted_inputs) {
            // A layer whose input could not be sized is not judged itself: its problem is its input's.
            let producers: Option<Vec<&Layer>> = inputs.iter().map(|&input| layers[input].as_ref()).collect();
            let layer = producers.and_then(|producers| {
                Sizing { spec, layer: &spec.layers[old], kind: kinds[old]?, path: format!("layers[{old}]"), producers }
                    .build(&mut diagnostics)
            });
            layers.push(layer);
        }
        let layers = layers.into_iter().flatten().collect();
        diagnostics.or(()).map(|()| Self::from_sorted(spec.name.clone(), layers, &sorted_inputs))
    }
}

fn check_layers(spec: &WorkloadSpec, diagnostics: &mut Diagnostics) -> Vec<Option<LayerKind>> {
    if spec.batch == 0 {
        diagnostics.add("batch", "The batch is 0", "Write 1 or more");
    } else if spec.batch > MAX_EXTENT {
        diagnostics.add("batch", format!("A batch of {} is too large", spec.batch), format!("Write 1 to {MAX_EXTENT}"));
    }
    let named = spec.layers.iter().enumerate().map(|(index, layer)| (format!("layers[{index}]"), &*layer.name));
    diagnostics.add_namesakes("layers", &named.collect::<Vec<_>>());
    let mut kinds = Vec::new();
    for (index, layer) in spec.layers.iter().enumerate() {
        let path = format!("layers[{index}]");
        if layer.name.is_empty() {
            diagnostics.add(format!("{path}.name"), "This layer has no name", "Give it one, for example `conv1`");
        }
        let kind = LayerKind::from_name(&layer.kind);
        if kind.is_none() {
            let reason = format!("There is no layer type `{}`", layer.kind);
            diagnostics.add_unknown(format!("{path}.type"), reason, &layer.kind, &LayerKind::ALL.map(LayerKind::name));
        }
        kinds.push(kind);
        check_unrolls(&path, layer, diagnostics);
        for name in layer.loop_order.iter().filter(|name| Dim::from_name(name).is_none()) {
            diagnostics.add(
                format!("{path}.loop_order"),
                format!("There is no loop dimension `{name}`"),
                format!("Use one of {}", Dim::ALL.map(Dim::name).join(", ")),
            );
        }
    }
    if !kinds.is_empty() && !kinds.contains(&Some(LayerKind::Input)) {
        diagnostics.add(
            "layers",
            "The network has no input",
            "Add a layer such as `{ name: image, type: input, K: 3, size: 224 x 224 }`",
        );
    }
    if !kinds.iter().any(|kind| *kind != Some(LayerKind::Input)) {
        diagnostics.add("layers", "The network computes nothing", "Add at least one layer that is not an input");
    }
    kinds
}

/// A layer's own spatial mapping; its array dimensions are those of whichever core it meets.
fn check_unrolls(path: &str, layer: &LayerSpec, diagnostics: &mut Diagnostics) {
    for (dataflow, unroll) in &layer.unroll {
        for UnrollSpec { array_dimension, loop_dimension, limit } in unroll {
            let path = format!("{path}.unroll.{dataflow}.{array_dimension}");
            if Dim::from_name(loop_dimension).is_none() {
                diagnostics.add(
                    path,
                    format!("There is no loop dimension `{loop_dimension}`"),
                    format!("Use one of {}", Dim::ALL.map(Dim::name).join(", ")),
                );
            } else if *limit == Some(0) {
                diagnostics.add(path, "The loop is limited to 0 PEs", "Write at least 1, or leave the number out");
            }
        }
    }
}

/// The layers of the document that each layer reads.
fn resolve_inputs(spec: &WorkloadSpec, kinds: &[Option<LayerKind>], diagnostics: &mut Diagnostics) -> Vec<Vec<usize>> {
    let by_name: HashMap<&str, usize> =
        spec.layers.iter().enumerate().rev().map(|(index, layer)| (layer.name.as_str(), index)).collect();
    let mut all = Vec::new();
    for (index, layer) in spec.layers.iter().enumerate() {
        let path = format!("layers[{index}].from");
        let mut inputs = Vec::new();
        for name in &layer.from {
            match by_name.get(name.as_str()) {
                Some(&input) => inputs.push(input),
                None => {
                    let reason = format!("There is no layer `{name}`");
                    // Looking for the closest name takes its time: not for the thousandth mistake, nor for many of a huge network.
                    let compared = (diagnostics.0.len() + 1) * by_name.len();
                    let likely = (compared < MOST_COMPARED).then(|| closest(name, by_name.keys().copied())).flatten();
                    match likely {
                        Some(meant) => diagnostics.add_unknown(&path, reason, name, &[meant]),
                        None => diagnostics.add(&path, reason, "Use the name of a layer"),
                    }
                }
            }
        }
        let Some(kind) = kinds[index] else {
            all.push(inputs);
            continue;
        };
        if layer.from.is_empty() && kind != LayerKind::Input && index > 0 {
            inputs.push(index - 1);
        }
        let (wanted, example) = match kind {
            LayerKind::Input => (0..=0, "Leave `from` out: an input reads nothing"),
            LayerKind::View => (1..=usize::MAX, "Name the layers whose outputs it shows"),
            kind if kind.reads_two_maps() => (2..=2, "Name two layers, for example `from: [conv1, conv2]`"),
            LayerKind::Depthwise => {
                (1..=2, "Name the layer whose output it reads, and the one whose output are its weights, if any")
            }
            LayerKind::MatMul => {
                (1..=2, "Name the layer whose rows it reads, and the one whose output is the other matrix, if any")
            }
            _ => (1..=1, "Name the one layer whose output it reads"),
        };
        if !wanted.contains(&inputs.len()) && layer.from.iter().all(|name| by_name.contains_key(name.as_str())) {
            diagnostics.add(
                &path,
                format!(
                    "`{}` ({}) reads {} feature maps instead of {}",
                    layer.name,
                    kind.name(),
                    inputs.len(),
                    match wanted.end() - wanted.start() {
                        0 => wanted.start().to_string(),
                        1 => format!("{} or {}", wanted.start(), wanted.end()),
                        _ => format!("{} or more", wanted.start()),
                    }
                ),
                example,
            );
        }
        all.push(inputs);
    }
    all
}

fn check_cycles(spec: &WorkloadSpec, inputs: &[Vec<usize>], diagnostics: &mut Diagnostics) {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = inputs.iter().map(|_| graph.add_node(())).collect();
    for (consumer, producers) in inputs.iter().enumerate() {
        for &producer in producers {
            graph.add_edge(nodes[producer], nodes[consumer], ());
        }
    }
    // Not Tarjan's algorithm: petgraph's recurses as deep as the network.
    for component in kosaraju_scc(&graph) {
        let first = component[0];
        if component.len() > 1 || graph.contains_edge(first, first) {
            let mut members: Vec<usize> = component.iter().map(|node| node.index()).collect();
            sort_by_key(&mut members, |member| *member);
            let names: Vec<&str> = members.iter().map(|&index| spec.layers[index].name.as_str()).collect();
            diagnostics.add(
                format!("layers[{}].from", members[0]),
                format!("These layers wait for each other in a circle: {}", names.join(", ")),
                "Let one of them read another layer",
            );
        }
    }
}

/// Topological order in which a layer comes as early as its place in the document allows: places in the document.
fn topological_order(inputs: &[Vec<usize>]) -> TiVec<LayerId, usize> {
    let mut missing: Vec<usize> = inputs.iter().map(Vec::len).collect();
    let mut consumers = vec![Vec::new(); inputs.len()];
    for (consumer, producers) in inputs.iter().enumerate() {
        for &producer in producers {
            consumers[producer].push(consumer);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..inputs.len()).filter(|&id| missing[id] == 0).map(Reverse).collect();
    let mut order = TiVec::with_capacity(inputs.len());
    while let Some(Reverse(id)) = ready.pop() {
        order.push(id);
        for &consumer in &consumers[id] {
            missing[consumer] -= 1;
            if missing[consumer] == 0 {
                ready.push(Reverse(consumer));
            }
        }
    }
    order
}
