//! Functions between products: norms, rotary embeddings, activations.

use super::flow::{FlowGraph, Id};
use crate::onnx::model::OnnxNode;

/// A kind of normalisation, as named in documents.
pub type NormName = &'static str;

/// The norm among some nodes; an error names one that documents cannot express.
pub fn norm(flow: &FlowGraph, nodes: &[usize]) -> Result<Option<NormName>, String> {
    let of = |index: &usize| &flow.nodes[*index];
    let has = |ops: &[&str]| nodes.iter().map(of).any(|node| ops.contains(&node.op.as_str()));
    if has(&["LayerNormalization"]) {
        return Ok(Some("layer"));
    }
    if has(&["SimplifiedLayerNormalization", "RMSNormalization", "LpNormalization"]) {
        return Ok(Some("rms"));
    }
    if let Some(other) = nodes.iter().map(of).find(|node| node.op.ends_with("Normalization") || node.op == "LRN") {
        return Err(other.op.clone());
    }
    let is_reduced = has(&["ReduceMean", "ReduceSumSquare", "ReduceL2", "ReduceSum"]);
    Ok(is_reduced.then(|| if has(&["Sub"]) { "layer" } else { "rms" }))
}

/// Whether queries or keys have rotary embeddings: pairs of channels are multiplied by cosines and sines, and added.
pub fn is_rotary(flow: &FlowGraph, nodes: &[usize], product: Id) -> bool {
    let reads = |name: &String| flow.of(name).is_some_and(|own| own.contains(&product));
    let is_product = |name: &String| {
        let maker = flow.maker(flow.unshaped(name)).and_then(|index| flow.nodes.get(index));
        maker.is_some_and(|node| node.op == "Mul") && reads(name)
    };
    nodes.iter().map(|index| &flow.nodes[*index]).any(|node| match node.op.as_str() {
        "RotaryEmbedding" => true,
        "Add" | "Sub" => node.inputs.len() == 2 && node.inputs.iter().all(is_product),
        _ => false,
    })
}

/// The activation between the products of the feed-forward part; an error names one that documents cannot express.
pub fn activation(
    flow: &FlowGraph,
    nodes: &[usize],
    expansions: &[&OnnxNode],
    is_gated: bool,
) -> Result<&'static str, String> {
    let of = |index: &usize| &flow.nodes[*index];
    let has = |op: &str| nodes.iter().map(of).any(|node| node.op == op);
    let is_computed = |name: &String| flow.of(name).is_some();
    let products = nodes.iter().map(of).filter(|node| node.op == "Mul" && node.inputs.iter().all(is_computed)).count();
    // Some products include it.
    let applied = expansions.iter().filter_map(|node| node.text("activation"));
    let mut found: Vec<&'static str> = applied.filter_map(|name| known(name).ok()).collect();
    for node in nodes.iter().map(of) {
        match known(&node.op) {
            Ok(name) => found.push(name),
            Err(true) => return Err(node.op.clone()),
            Err(false) => {}
        }
    }
    let own = usize::from(is_gated);
    if has("Sigmoid") {
        // `x * sigmoid(1.702 x)` is also GELU.
        let scales = nodes.iter().map(of).any(|node| node.op == "Mul" && !node.inputs.iter().all(is_computed));
        match products {
            count if count <= own => return Err("Sigmoid".to_owned()),
            _ => found.push(if scales { "gelu" } else { "silu" }),
        }
    }
    if has("Tanh") {
        // GELU by the tangent of a cubic function of its argument.
        match has("Pow") || products > own + 1 {
            true => found.push("gelu"),
            false => return Err("Tanh".to_owned()),
        }
    }
    found.sort_unstable();
    found.dedup();
    match found[..] {
        [] => Ok("none"),
        [one] => Ok(one),
        _ => Err(found.join(" and ")),
    }
}

/// The name of an activation operator in documents; the error says whether it is a function without such a name.
fn known(op: &str) -> Result<&'static str, bool> {
    match op {
        "Gelu" | "FastGelu" | "QuickGelu" | "BiasGelu" | "Erf" => Ok("gelu"),
        "Swish" | "Silu" => Ok("silu"),
        "Relu" => Ok("relu"),
        "LeakyRelu" | "PRelu" | "Elu" | "Selu" | "Celu" | "Mish" | "HardSwish" | "HardSigmoid" | "Softplus"
        | "Softsign" | "ThresholdedRelu" | "Softmax" | "Exp" | "Log" => Err(true),
        _ => Err(false),
    }
}
