//! Masks of attention: the keys that are hidden from a query.

use super::flow::{FlowGraph, Id, stated_mask};
use crate::onnx::model::OnnxNode;
use crate::onnx::triangle::Triangle;

/// The known properties of a mask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mask {
    /// Whether positions are compared, so that a query does not see later keys.
    pub is_causal: bool,
    /// Number of keys that a query sees, up to its own.
    pub window: Option<u64>,
}

impl Mask {
    /// The mask of a constant.
    pub fn of(triangle: Triangle) -> Self {
        Self { is_causal: true, window: triangle.window }
    }

    /// The combination of two masks.
    pub fn and(self, other: Self) -> Self {
        let window = [self.window, other.window].into_iter().flatten().min();
        Self { is_causal: self.is_causal || other.is_causal, window }
    }

    /// The mask of an operator for a whole attention.
    pub fn of_operator(flow: &FlowGraph, node: &OnnxNode) -> Self {
        let stated = |name: &str| node.int(name) == Some(1);
        let is_causal = node.op == "GroupQueryAttention" || stated("is_causal") || stated("unidirectional");
        let window = node.int("local_window_size").and_then(|size| u64::try_from(size).ok()).filter(|size| *size > 0);
        node.inputs.iter().skip(1).map(|name| flow.mask(name)).fold(Self { is_causal, window }, Self::and)
    }

    /// The mask of scores: from the other inputs of nodes between the scores and the values.
    pub fn between(flow: &FlowGraph, nodes: &[usize], scores: Id) -> Self {
        let besides = |name: &&String| flow.of(name).is_none_or(|own| !own.contains(&scores));
        let read = nodes.iter().flat_map(|index| flow.nodes[*index].inputs.iter().filter(besides));
        read.map(|name| flow.mask(name)).fold(Self::default(), Self::and)
    }

    /// The mask in the output of a node.
    pub fn after(flow: &FlowGraph, node: &OnnxNode) -> Self {
        let own = match node.op.as_str() {
            "Trilu" => Self { is_causal: true, window: None },
            "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" => compared(flow, node),
            _ => stated_mask(node).unwrap_or_default(),
        };
        // Products and sums of tokens hide nothing.
        node.inputs.iter().map(|name| flow.mask(name)).fold(own, Self::and)
    }
}

/// A comparison of query and key positions, possibly with an offset for a window.
fn compared(flow: &FlowGraph, node: &OnnxNode) -> Mask {
    let is_list = |name: &String| flow.dims(name).is_none_or(|dims| dims.iter().product::<u64>() > 1);
    let [one, other] = &node.inputs[..] else { return Mask::default() };
    if !is_list(one) || !is_list(other) || flow.dims(one).is_some_and(|dims| flow.dims(other) == Some(dims)) {
        return Mask::default();
    }
    let moved = |name: &String| {
        let maker = &flow.nodes[flow.maker(name)?];
        let by = match (maker.op.as_str(), &maker.inputs[..]) {
            ("Sub", [_, by]) => *flow.ints(by)?.first()?,
            ("Add", [_, by]) => flow.ints(by)?.first()?.checked_neg()?,
            _ => return None,
        };
        u64::try_from(by).ok().filter(|by| *by > 1)
    };
    let window = moved(one).or_else(|| moved(other));
    Mask { is_causal: true, window }
}
