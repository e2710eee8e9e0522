//! Vector operations as layers of their own, on request: functions, softmax, normalisations and reductions over
//! channels.
//! A tensor must be a whole map for that, and reductions and repetitions must be over the innermost channels; other
//! operations are passed on as without a vector unit.

use super::builder::{NetworkBuilder, unusual};
use super::features::{Features, TensorValue};
use super::layout::{AxisRole, Layout};
use super::model::OnnxNode;
use super::shapes::axis;
use crate::report::Severity;
use fusescape_spec::{LayerSpec, PrecisionSpec};

/// Operations per element: names and counts.
type LaneOperations = &'static [(&'static str, u64)];

/// Operations of a function per element. GELU is `x * sigmoid(1.702 x)`; the error function is that of Abramowitz and
/// Stegun, 7.1.26.
fn of_function(op: &str) -> Option<LaneOperations> {
    Some(match op {
        "Sigmoid" | "QLinearSigmoid" => &[("add", 1), ("divide", 1), ("exp", 1)],
        "Tanh" => &[("add", 2), ("divide", 1), ("exp", 1)],
        "Gelu" | "FastGelu" | "QuickGelu" => &[("add", 1), ("multiply", 2), ("divide", 1), ("exp", 1)],
        "BiasGelu" => &[("add", 2), ("multiply", 2), ("divide", 1), ("exp", 1)],
        "Swish" => &[("add", 1), ("multiply", 1), ("divide", 1), ("exp", 1)],
        "HardSigmoid" => &[("max", 2), ("multiply", 1)],
        "HardSwish" => &[("max", 2), ("multiply", 2)],
        "Elu" | "Selu" | "Celu" => &[("add", 1), ("max", 1), ("multiply", 1), ("exp", 1)],
        "Erf" => &[("add", 1), ("multiply", 6), ("divide", 1), ("exp", 1)],
        "Exp" => &[("exp", 1)],
        "Sqrt" | "Reciprocal" => &[("divide", 1)],
        "Softsign" => &[("add", 1), ("max", 1), ("divide", 1)],
        "Neg" | "Floor" | "Ceil" | "Round" => &[("add", 1)],
        "Abs" | "QLinearLeakyRelu" => &[("max", 1)],
        "RotaryEmbedding" => &[("multiply", 2)],
        _ => return None,
    })
}

/// Operations per element of an operator of two tensors.
fn of_pair(op: &str) -> LaneOperations {
    match op {
        "Mul" | "Pow" | "QLinearMul" => &[("multiply", 1)],
        "Div" | "Mod" => &[("divide", 1)],
        "Max" | "Min" => &[("max", 1)],
        _ => &[("add", 1)],
    }
}

/// The operations of an operator of two tensors, for a document.
pub fn operations_of(op: &str) -> Vec<(String, u64)> {
    written(of_pair(op))
}

fn written(operations: LaneOperations) -> Vec<(String, u64)> {
    operations.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

/// Whether a tensor is a whole map of some layer, in its order.
fn is_map(features: &Features) -> bool {
    let is_whole = features.is_direct && features.layers.len() == 1;
    is_whole && !features.layout.is_shuffled && !features.layout.repeats()
}

/// Whether axes are exactly the innermost channels: if they are reduced or repeated, groups of channels are left.
fn are_innermost_channels(layout: &Layout, axes: &[usize]) -> bool {
    let is_one = |&axis: &usize| layout.axes.get(axis).is_none_or(Vec::is_empty);
    let has_channels = |axis: &usize| layout.axes[*axis].iter().any(|part| part.role == AxisRole::K);
    let outermost = axes.iter().copied().filter(|axis| !is_one(axis)).min();
    let inside = |axis: &usize| Some(*axis) >= outermost;
    !axes.iter().all(is_one)
        && axes.iter().all(|&axis| layout.holds(axis, &[AxisRole::K]))
        && (0..layout.axes.len()).filter(has_channels).filter(inside).all(|axis| axes.contains(&axis))
}

/// A layer of the vector unit that reads some maps.
fn add(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    kind: &str,
    read: &[&Features],
    operations: LaneOperations,
) -> LayerOf {
    let from: Vec<String> = read.iter().map(|features| features.layers[0].clone()).collect();
    let bits = read.iter().filter_map(|features| features.bits).max();
    let precision = PrecisionSpec { i: unusual(bits), ..PrecisionSpec::default() };
    let operations = written(operations);
    let layer = LayerSpec { kind: kind.to_owned(), from, precision, operations, ..LayerSpec::default() };
    LayerOf(builder.add(node, layer))
}

/// The name of a layer that was added.
struct LayerOf(String);

impl LayerOf {
    /// Its whole output, laid out as its input.
    fn like(self, features: &Features) -> Features {
        Features { bits: features.bits, ..Features::direct(self.0, features.dims.clone(), features.layout.clone()) }
    }
}

/// A reduction of the innermost channels to one number.
fn reduction(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    axes: &[usize],
    operations: LaneOperations,
) -> Features {
    let name = add(builder, node, "reduction", &[x], operations).0;
    let is_gone = |axis: usize| axes.contains(&axis);
    let mut layout = x.layout.clone();
    let mut dims = x.dims.clone();
    for axis in (0..dims.len()).filter(|&axis| is_gone(axis)) {
        layout.axes[axis].clear();
        dims[axis] = 1;
    }
    if let Some(layer) = builder.layers.iter_mut().rev().find(|layer| layer.name == name) {
        layer.groups = Some(layout.map().channels).filter(|groups| *groups > 1);
    }
    Features { bits: x.bits, ..Features::direct(name, dims, layout) }
}

/// Sets the last output of the node, the only one that counts.
fn finish(builder: &mut NetworkBuilder, node: &OnnxNode, features: Features) {
    builder.set(&node.outputs[0], TensorValue::Features(features));
}

/// A function of each element of a map.
pub fn function(builder: &mut NetworkBuilder, node: &OnnxNode) -> bool {
    let (Some(x), Some(operations)) = (builder.features(node, 0).cloned(), of_function(&node.op)) else { return false };
    if !builder.has_vector_unit || !is_map(&x) {
        return false;
    }
    let features = add(builder, node, "elementwise", &[&x], operations).like(&x);
    finish(builder, node, features);
    true
}

/// An operation of a map and a constant, element by element.
pub fn with_constant(builder: &mut NetworkBuilder, node: &OnnxNode, x: &Features) -> bool {
    if !builder.has_vector_unit || !is_map(x) {
        return false;
    }
    let features = add(builder, node, "elementwise", &[x], of_pair(&node.op)).like(x);
    finish(builder, node, features);
    true
}

/// An operation of two maps, the second of which may have one channel for several channels of the first.
pub fn pair(builder: &mut NetworkBuilder, node: &OnnxNode, large: &Features, small: &Features) -> bool {
    if !builder.has_vector_unit || !is_map(large) || !is_map(small) {
        return false;
    }
    let Some(new) = large.dims.len().checked_sub(small.dims.len()) else { return false };
    let own = |axis: usize| axis.checked_sub(new).map_or(&[][..], |axis| &small.layout.axes[axis]);
    let repeated: Vec<usize> = (0..large.dims.len()).filter(|&axis| own(axis) != large.layout.axes[axis]).collect();
    let is_repeated = repeated.iter().all(|&axis| own(axis).is_empty());
    if !repeated.is_empty() && (!is_repeated || !are_innermost_channels(&large.layout, &repeated)) {
        return false;
    }
    let features = add(builder, node, "pairwise", &[large, small], of_pair(&node.op)).like(large);
    finish(builder, node, features);
    true
}

/// Reductions such as sums and averages over channels; `axes` are the reduced ones.
pub fn reduce(builder: &mut NetworkBuilder, node: &OnnxNode, x: &Features, axes: &[usize], keeps: bool) -> bool {
    if !builder.has_vector_unit || !is_map(x) || !are_innermost_channels(&x.layout, axes) {
        return false;
    }
    let operations: LaneOperations = match node.op.as_str() {
        "ReduceMax" | "ReduceMin" => &[("max", 1)],
        "ReduceL2" | "ReduceSumSquare" => &[("multiply", 1)],
        _ => &[("add", 1)],
    };
    let mut features = reduction(builder, node, x, axes, operations);
    if !keeps {
        let kept = |axis: &usize| !axes.contains(axis);
        let kept: Vec<usize> = (0..x.dims.len()).filter(kept).collect();
        features.dims = kept.iter().map(|&axis| features.dims[axis]).collect();
        features.layout.axes = kept.iter().map(|&axis| features.layout.axes[axis].clone()).collect();
    }
    finish(builder, node, features);
    true
}

/// Softmax in three passes: maximum, exponential functions and their sum, quotients (FuseMax, 3-pass cascade).
pub fn softmax(builder: &mut NetworkBuilder, node: &OnnxNode) -> bool {
    let Some(x) = builder.features(node, 0).cloned() else { return false };
    let Some(along) = axis(node.int("axis").unwrap_or(-1), x.dims.len()) else { return false };
    if !builder.has_vector_unit || !is_map(&x) || !are_innermost_channels(&x.layout, &[along]) {
        return false;
    }
    let part = |name: &str| OnnxNode { name: format!("{}_{name}", super::builder::title(node)), ..node.clone() };
    let max = reduction(builder, &part("max"), &x, &[along], &[("max", 1)]);
    let exp = add(builder, &part("exp"), "pairwise", &[&x, &max], &[("add", 1), ("exp", 1)]).like(&x);
    let sum = reduction(builder, &part("sum"), &exp, &[along], &[("add", 1)]);
    let features = add(builder, node, "pairwise", &[&exp, &sum], &[("divide", 1)]).like(&x);
    finish(builder, node, features);
    builder.note(Severity::Expressed, node, "in three passes: maximum, exponential functions and their sum, quotients");
    true
}

/// A normalisation over the channels of each pixel: layer normalisation, or by the root mean square.
pub fn normalisation(builder: &mut NetworkBuilder, node: &OnnxNode) -> bool {
    let Some(x) = builder.features(node, 0).cloned() else { return false };
    let centres = match node.op.as_str() {
        "LayerNormalization" => true,
        "SimplifiedLayerNormalization" | "RMSNormalization" => false,
        _ => return false,
    };
    let Some(first) = axis(node.int("axis").unwrap_or(-1), x.dims.len()) else { return false };
    let axes: Vec<usize> = (first..x.dims.len()).collect();
    if !builder.has_vector_unit || !is_map(&x) || !are_innermost_channels(&x.layout, &axes) {
        return false;
    }
    let part = |name: &str| OnnxNode { name: format!("{}_{name}", super::builder::title(node)), ..node.clone() };
    let centred = if centres {
        let mean = reduction(builder, &part("mean"), &x, &axes, &[("add", 1)]);
        add(builder, &part("centred"), "pairwise", &[&x, &mean], &[("add", 1)]).like(&x)
    } else {
        x.clone()
    };
    let squares = reduction(builder, &part("squares"), &centred, &axes, &[("multiply", 1)]);
    let root = add(builder, &part("root"), "elementwise", &[&squares], &[("divide", 1)]).like(&squares);
    // Multiplied by the inverse root and by a weight, plus a bias.
    let features = add(builder, node, "pairwise", &[&centred, &root], &[("multiply", 2)]).like(&x);
    finish(builder, node, features);
    builder.note(
        Severity::Expressed,
        node,
        "sums, squares and products of a vector unit; what it reads of weights has no cost",
    );
    true
}
