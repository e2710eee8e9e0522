//! Elementwise operators, and those that no layer counts.

use super::builder::{NetworkBuilder, unusual};
use super::features::{Features, TensorValue};
use super::lanes;
use super::layout::{AxisRole, Layout};
use super::model::OnnxNode;
use super::shapes::{broadcast, elements};
use crate::report::Severity;
use fusescape_spec::{KernelSpec, LayerSpec, PrecisionSpec};
use std::collections::HashSet;

/// Passes elements on unchanged, with a finding: an operator without an effect on cost.
pub fn passed_on(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    severity: Severity,
    reason: &str,
) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    builder.note(severity, node, reason);
    builder.set(&node.outputs[0], TensorValue::Features(Features { is_linear: false, ..x }));
    Ok(())
}

/// Scaling and shifting by constants: merged into the preceding weights if the tensor is linear.
pub fn affine(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let (severity, reason) = if x.is_linear {
        (Severity::Merged, "scales and shifts channels: part of the weights before it")
    } else {
        (Severity::NotCounted, "scales and shifts what no weights come before")
    };
    builder.note(severity, node, reason);
    builder.set(&node.outputs[0], TensorValue::Features(x));
    Ok(())
}

/// An elementwise operator of two tensors; `a` and `b` are the indices of its inputs.
pub fn binary(builder: &mut NetworkBuilder, node: &OnnxNode, a: usize, b: usize) -> Result<(), String> {
    let is_affine = matches!(node.op.as_str(), "Add" | "Sub" | "Mul" | "Div" | "Sum" | "QLinearAdd" | "QLinearMul");
    match (builder.features(node, a).cloned(), builder.features(node, b).cloned()) {
        (Some(x), Some(y)) if x.dims == y.dims => of_equal_shape(builder, node, &x, &y),
        (Some(x), Some(y)) => {
            let (large, small) = if elements(&x.dims) >= elements(&y.dims) { (x, y) } else { (y, x) };
            of_unequal_shape(builder, node, &large, &small)
        }
        (Some(x), None) | (None, Some(x)) => {
            let index = if builder.features(node, a).is_some() { b } else { a };
            let other = builder.constant(node, index).and_then(|constant| constant.dims.clone());
            let dims = other.as_ref().map_or_else(|| Some(x.dims.clone()), |other| broadcast(&x.dims, other));
            if dims.as_ref() != Some(&x.dims) {
                return not_counted(builder, node, dims, "its other input is constant and larger");
            }
            let merges = is_affine && x.is_linear && other.is_some();
            if !merges && lanes::with_constant(builder, node, &x) {
                return Ok(());
            }
            let (severity, reason) = if merges {
                (Severity::Merged, "scales or shifts by constants: part of the weights before it")
            } else {
                (Severity::NotCounted, "works element by element with constants")
            };
            builder.note(severity, node, reason);
            builder.set(&node.outputs[0], TensorValue::Features(Features { is_linear: merges, ..x }));
            Ok(())
        }
        (None, None) => Err("its inputs are not known".to_owned()),
    }
}

/// A sum of several tensors, two at a time.
pub fn sum(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    if node.inputs.len() == 1 {
        return passed_on(builder, node, Severity::Merged, "adds a single tensor");
    }
    let last = node.inputs.len() - 1;
    let mut part =
        OnnxNode { outputs: vec![format!("{}\u{0}sum", node.outputs[0])], inputs: Vec::new(), ..node.clone() };
    let mut first = node.inputs[0].clone();
    for (index, input) in node.inputs.iter().enumerate().skip(1) {
        part.inputs = vec![first, input.clone()];
        if index == last {
            part.outputs.clone_from(&node.outputs);
        }
        binary(builder, &part, 0, 1)?;
        first = part.outputs[0].clone();
    }
    Ok(())
}

/// A normalisation of the sum of two tensors; the sum may be an output as well (operators of ONNX Runtime).
pub fn skip(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let sum = OnnxNode { op: "Add".to_owned(), outputs: vec![node.outputs[0].clone()], ..node.clone() };
    binary(builder, &sum, 0, 1)?;
    builder.note(Severity::NotCounted, node, "its arithmetic has no cost here; data passes through");
    if let (Some(output), Some(sum)) = (node.outputs.get(3), builder.value(&node.outputs[0]).cloned()) {
        builder.set(output, sum);
    }
    Ok(())
}

fn of_equal_shape(builder: &mut NetworkBuilder, node: &OnnxNode, x: &Features, y: &Features) -> Result<(), String> {
    let adds = matches!(node.op.as_str(), "Add" | "Sum" | "QLinearAdd");
    if (x.layers == y.layers || !adds) && lanes::pair(builder, node, x, y) {
        return Ok(());
    }
    if x.layers == y.layers {
        builder.note(Severity::NotCounted, node, "combines a map with what element by element became of it");
        builder.set(&node.outputs[0], TensorValue::Features(Features { is_linear: false, ..x.clone() }));
        return Ok(());
    }
    let layout = if x.is_direct || !y.is_direct { x.layout.clone() } else { y.layout.clone() };
    let [first, second] = [x, y].map(|tensor| builder.read(tensor, |own| *own == layout, || layout.clone()).0);
    let precision = PrecisionSpec { i: unusual(x.bits.max(y.bits)), ..PrecisionSpec::default() };
    let from = vec![first, second];
    let operations = if builder.has_vector_unit { lanes::operations_of(&node.op) } else { Vec::new() };
    let layer = LayerSpec { kind: "add".to_owned(), from, precision, operations, ..LayerSpec::default() };
    let name = builder.add(node, layer);
    if !adds {
        builder.note(Severity::Expressed, node, "counted as an addition: two maps read, one operation an element");
    }
    let features = Features::direct(name, x.dims.clone(), layout);
    builder.set(&node.outputs[0], TensorValue::Features(features));
    Ok(())
}

/// A map times one number per channel (as in squeeze and excitation): a depthwise layer with computed weights.
fn of_unequal_shape(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    large: &Features,
    small: &Features,
) -> Result<(), String> {
    if broadcast(&large.dims, &small.dims).as_ref() != Some(&large.dims) {
        let dims = broadcast(&large.dims, &small.dims);
        return not_counted(builder, node, dims, "both of its inputs are repeated to fit each other");
    }
    if lanes::pair(builder, node, large, small) {
        return Ok(());
    }
    let data: HashSet<&String> = large.layers.iter().collect();
    let same_data = small.layers.iter().all(|layer| data.contains(layer));
    let per_channel = small.is_direct && elements(&small.dims) == Some(large.layout.map().channels);
    if same_data || !per_channel || builder.batch > 1 || large.dims.len() < 3 {
        let reason = if same_data {
            "combines a map with a summary of itself, as in a normalisation"
        } else {
            "combines a map with a smaller one that is repeated, as a mask"
        };
        builder.note(Severity::NotCounted, node, reason);
        builder.set(&node.outputs[0], TensorValue::Features(Features { is_linear: false, ..large.clone() }));
        return Ok(());
    }
    let (from, layout) = builder.read(large, |_| true, Layout::default);
    let weights = builder.read_whole(small);
    let layer = LayerSpec {
        kind: "depthwise".to_owned(),
        from: vec![from, weights],
        kernel: KernelSpec::Size(1, 1),
        ..LayerSpec::default()
    };
    let name = builder.add(node, layer);
    builder.note(
        Severity::Expressed,
        node,
        "one computed number a channel: a depthwise layer that reads them as weights",
    );
    let features = Features::direct(name, large.dims.clone(), layout);
    builder.set(&node.outputs[0], TensorValue::Features(features));
    Ok(())
}

/// An operator that is not counted. Its output has the shape `dims`, or that of its largest input.
pub fn not_counted(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    dims: Option<Vec<u64>>,
    reason: &str,
) -> Result<(), String> {
    let inputs: Vec<Features> =
        (0..node.inputs.len()).filter_map(|index| builder.features(node, index).cloned()).collect();
    let largest = inputs.iter().max_by_key(|features| elements(&features.dims)).ok_or("its inputs are not known")?;
    builder.note(Severity::NotCounted, node, reason);
    let dims = dims.unwrap_or_else(|| largest.dims.clone());
    let features = if dims == largest.dims {
        Features { is_linear: false, ..largest.clone() }
    } else {
        let layout = if dims.len() == largest.dims.len() {
            largest.layout.fitted(&dims)
        } else {
            Layout::usual(&dims, builder.batch)
        };
        Features::scattered(largest.layers.clone(), dims, layout)
    };
    builder.set(&node.outputs[0], TensorValue::Features(features));
    Ok(())
}

/// Reductions such as averages: over whole maps a pooling layer, over channels part of a normalisation.
pub fn reduce(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let rank = x.dims.len();
    let stated = node.ints("axes").map(<[i64]>::to_vec).or_else(|| builder.ints(node, 1));
    let axes: Vec<usize> = match stated {
        Some(axes) => axes.iter().filter_map(|&axis| super::shapes::axis(axis, rank)).collect(),
        None => (0..rank).collect(),
    };
    let keeps = node.int("keepdims") != Some(0);
    let is_gone = |axis: usize| axes.contains(&axis);
    let kept = |axis: &usize| keeps || !is_gone(*axis);
    let dims: Vec<u64> = (0..rank).filter(kept).map(|axis| if is_gone(axis) { 1 } else { x.dims[axis] }).collect();
    let pixels = |axis: usize| x.layout.holds(axis, &[AxisRole::X, AxisRole::Y]);
    let whole_maps = x.is_direct
        && axes.iter().all(|&axis| pixels(axis))
        && (0..rank).all(|axis| is_gone(axis) || x.layout.holds(axis, &[AxisRole::B, AxisRole::K]));
    if !whole_maps && lanes::reduce(builder, node, &x, &axes, keeps) {
        return Ok(());
    }
    if !whole_maps || x.layout.map().columns * x.layout.map().rows == 1 {
        return not_counted(
            builder,
            node,
            Some(dims),
            "reduces a map along its channels or a part of it, as in a normalisation",
        );
    }
    let from = builder.read_whole(&x);
    let layer =
        LayerSpec { kind: "pooling".to_owned(), from: vec![from], kernel: KernelSpec::Global, ..LayerSpec::default() };
    let name = builder.add(node, layer);
    let gone = Layout {
        axes: (0..rank)
            .filter(kept)
            .map(|axis| if is_gone(axis) { Vec::new() } else { x.layout.axes[axis].clone() })
            .collect(),
        is_shuffled: x.layout.is_shuffled,
    };
    builder.set(&node.outputs[0], TensorValue::Features(Features::direct(name, dims, gone)));
    Ok(())
}
