//! The conversion of each type of operator.

use super::builder::NetworkBuilder;
use super::features::TensorValue;
use super::model::{Attribute, OnnxNode};
use super::product::Operands;
use super::shapes::{self, Constant, elements};
use super::{
    arrange, attention, convolution, einsum, elementwise, lanes, missing, product, quantised, recurrent, transposed,
};
use crate::report::Severity;

/// Thresholds, which arrays apply to outputs for free.
const THRESHOLDS: [&str; 6] = ["Relu", "LeakyRelu", "PRelu", "Clip", "ThresholdedRelu", "Sign"];
/// Operators without an effect on cost.
const NOTHING: [&str; 5] = ["Identity", "Dropout", "Cast", "CastLike", "OptionalGetElement"];
/// Multiplying operators that are not counted.
const MULTIPLYING_UNKNOWN: [&str; 3] = ["PackedMultiHeadAttention", "DeformConv", "QMoE"];
/// Multiplying operators that become layers, except for those of [`quantised::IN_BLOCKS`].
const MULTIPLYING: [&str; 25] = [
    "Conv",
    "FusedConv",
    "ConvInteger",
    "NhwcFusedConv",
    "QLinearConv",
    "ConvTranspose",
    "QLinearConvTranspose",
    "Gemm",
    "FusedGemm",
    "QGemm",
    "MatMul",
    "FusedMatMul",
    "MatMulInteger",
    "MatMulIntegerToFloat",
    "DynamicQuantizeMatMul",
    "QLinearMatMul",
    "Einsum",
    "LSTM",
    "GRU",
    "RNN",
    "DynamicQuantizeLSTM",
    "Attention",
    "QAttention",
    "MultiHeadAttention",
    "GroupQueryAttention",
];
/// Changes of precision.
const PRECISION: [&str; 3] = ["QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"];
/// Operators that handle tensors with repeated elements; for others these are stored physically.
const KEEPING_COPIES: [&str; 13] = [
    "Identity",
    "Dropout",
    "Cast",
    "Shape",
    "Reshape",
    "Squeeze",
    "Unsqueeze",
    "Transpose",
    "Expand",
    "Tile",
    "MatMul",
    "FusedMatMul",
    "Einsum",
];
/// Elementwise operators of one tensor.
const FUNCTIONS: [&str; 37] = [
    "RotaryEmbedding",
    "Sigmoid",
    "Tanh",
    "HardSigmoid",
    "HardSwish",
    "Swish",
    "Mish",
    "Gelu",
    "FastGelu",
    "QuickGelu",
    "BiasGelu",
    "Elu",
    "Selu",
    "Celu",
    "Softplus",
    "Softsign",
    "Erf",
    "Exp",
    "Log",
    "Sqrt",
    "Reciprocal",
    "Abs",
    "Neg",
    "Floor",
    "Ceil",
    "Round",
    "Sin",
    "Cos",
    "Not",
    "IsNaN",
    "Softmax",
    "LogSoftmax",
    "Hardmax",
    "CumSum",
    "Trilu",
    "QLinearSigmoid",
    "QLinearLeakyRelu",
];
/// Elementwise operators of two tensors.
const BINARY: [&str; 16] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Max",
    "Min",
    "Mod",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "And",
    "Or",
    "Xor",
];

/// Converts one node: sets the values of its outputs, and adds layers that compute them.
pub fn take(builder: &mut NetworkBuilder, node: &OnnxNode) {
    if node.outputs.iter().all(String::is_empty) {
        return;
    }
    let is_unknown = MULTIPLYING_UNKNOWN.contains(&node.op.as_str());
    let multiplies = multiplies(node) && !is_constant(builder, node);
    // A factor for all elements keeps the layout.
    let scales = matches!(node.op.as_str(), "Mul" | "Div") && has_number(builder, node);
    if !scales && !KEEPING_COPIES.contains(&node.op.as_str()) {
        builder.spread_inputs(node);
    }
    let missing = node.inputs.iter().find(|name| matches!(builder.value(name), Some(TensorValue::Lost)));
    let result = if is_constant(builder, node) {
        fold(builder, node);
        Ok(())
    } else if let Some(missing) = missing.filter(|_| node.op != "Shape") {
        Err(format!("its input {} is not known", super::builder::clean(missing)))
    } else {
        dispatch(builder, node)
    };
    if result.is_ok() {
        quantised::note_integers(builder, node);
    }
    if multiplies {
        let weights = weights(builder, node);
        let is_counted = result.is_ok() && !is_unknown;
        builder.cover(weights, is_counted);
        if !is_counted {
            builder.miss_macs(missing::macs(builder, node));
        }
    }
    if let Err(reason) = result {
        builder.note(Severity::NotCounted, node, &reason);
        // Others would not store a map of their own.
        let stores = multiplies || BINARY.contains(&node.op.as_str()) || node.op.ends_with("Pool");
        let lost = node.outputs.iter().filter(|_| stores).filter(|output| !output.is_empty() && !builder.knows(output));
        let sizes: Vec<Option<u64>> = lost.map(|output| missing::map_bits(builder, output)).collect();
        sizes.into_iter().for_each(|bits| builder.miss_map(bits));
    }
    for output in node.outputs.iter().filter(|output| !output.is_empty()) {
        if !builder.knows(output) {
            builder.set(output, TensorValue::Lost);
        }
    }
}

/// Whether a node multiplies, counted or not.
pub fn multiplies(node: &OnnxNode) -> bool {
    let op = node.op.as_str();
    MULTIPLYING_UNKNOWN.contains(&op) || MULTIPLYING.contains(&op) || quantised::IN_BLOCKS.contains(&op)
}

/// Number of weights of a multiplying node: its constants of at least two dimensions, without biases and tables.
fn weights(builder: &NetworkBuilder, node: &OnnxNode) -> u64 {
    if let Some(matrix) = quantised::matrix(builder, node).filter(|_| quantised::IN_BLOCKS.contains(&node.op.as_str()))
    {
        return elements(&matrix.dims).unwrap_or(0);
    }
    let inputs = match node.op.as_str() {
        "LSTM" | "GRU" | "RNN" | "DynamicQuantizeLSTM" => 1..3,
        "Attention" | "QAttention" => 1..2,
        "GroupQueryAttention" | "MultiHeadAttention" => 0..0,
        _ => 0..node.inputs.len(),
    };
    let constants = inputs.filter_map(|index| builder.constant(node, index)?.dims.as_deref());
    constants.filter(|dims| dims.len() > 1).filter_map(elements).fold(0_u64, u64::saturating_add)
}

/// Whether a node depends on no input of the network.
pub fn is_constant(builder: &NetworkBuilder, node: &OnnxNode) -> bool {
    node.inputs.iter().filter_map(|name| builder.value(name)).all(|value| matches!(value, TensorValue::Constant(_)))
}

/// Whether one of two inputs is a number.
fn has_number(builder: &NetworkBuilder, node: &OnnxNode) -> bool {
    let shape = |index: usize| builder.constant(node, index)?.dims.as_deref();
    (0..2).filter_map(shape).any(|dims| elements(dims) == Some(1))
}

fn fold(builder: &mut NetworkBuilder, node: &OnnxNode) {
    let folded = if node.op == "Constant" {
        constant(node)
    } else {
        let inputs: Vec<Option<&Constant>> =
            (0..node.inputs.len()).map(|index| builder.constant(node, index)).collect();
        shapes::fold(node, &inputs)
    };
    for output in &node.outputs {
        builder.set(output, TensorValue::Constant(folded.clone()));
    }
}

fn constant(node: &OnnxNode) -> Constant {
    node.attributes
        .iter()
        .find_map(|(_, attribute)| match attribute {
            Attribute::Tensor(tensor) => Some(Constant {
                dims: Some(tensor.dims.clone()),
                data_type: tensor.data_type,
                ints: tensor.ints.clone(),
                floats: tensor.floats.clone(),
            }),
            Attribute::Int(number) => Some(Constant { dims: Some(Vec::new()), ..Constant::list(vec![*number]) }),
            Attribute::Ints(numbers) => Some(Constant::list(numbers.clone())),
            Attribute::Float(number) => {
                Some(Constant { dims: Some(Vec::new()), floats: Some(vec![*number]), ..Constant::default() })
            }
            Attribute::Floats(numbers) => Some(Constant {
                dims: Some(vec![numbers.len() as u64]),
                floats: Some(numbers.clone()),
                ..Constant::default()
            }),
            Attribute::Text(_) => None,
        })
        .unwrap_or_default()
}

fn dispatch(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let matrices = |a, b| Operands { a, b, turns_a: false, turns_b: false };
    let op = node.op.as_str();
    match op {
        "Conv" | "FusedConv" | "ConvInteger" | "NhwcFusedConv" => convolution::convolution(builder, node, 1),
        "QLinearConv" => convolution::convolution(builder, node, 3),
        "ConvTranspose" => transposed::transposed(builder, node, 1),
        "QLinearConvTranspose" => transposed::transposed(builder, node, 3),
        "MaxPool" | "AveragePool" | "LpPool" | "QLinearAveragePool" => convolution::pooling(builder, node, false),
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" | "QLinearGlobalAveragePool" => {
            convolution::pooling(builder, node, true)
        }
        "Gemm" | "FusedGemm" | "FusedMatMul" => {
            let turns = |name: &str| node.int(name) == Some(1);
            product::product(builder, node, Operands { a: 0, b: 1, turns_a: turns("transA"), turns_b: turns("transB") })
        }
        "QGemm" => {
            let turns = |name: &str| node.int(name) == Some(1);
            product::product(builder, node, Operands { a: 0, b: 3, turns_a: turns("transA"), turns_b: turns("transB") })
        }
        "MatMul" | "MatMulInteger" | "MatMulIntegerToFloat" | "DynamicQuantizeMatMul" => {
            product::product(builder, node, matrices(0, 1))
        }
        "QLinearMatMul" => product::product(builder, node, matrices(0, 3)),
        _ if quantised::IN_BLOCKS.contains(&op) => quantised::in_blocks(builder, node),
        "LSTM" | "GRU" | "RNN" | "DynamicQuantizeLSTM" => recurrent::recurrent(builder, node),
        "Einsum" => einsum::einsum(builder, node),
        "Attention" | "QAttention" | "MultiHeadAttention" | "GroupQueryAttention" => {
            attention::attention(builder, node)
        }
        "SkipLayerNormalization" | "SkipSimplifiedLayerNormalization" => elementwise::skip(builder, node),
        "BatchNormalization" => elementwise::affine(builder, node),
        "Sum" => elementwise::sum(builder, node),
        "QLinearAdd" | "QLinearMul" => elementwise::binary(builder, node, 0, 3),
        "ReduceMean" | "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceL2" | "ReduceSumSquare" | "ReduceL1" => {
            elementwise::reduce(builder, node)
        }
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" => arrange::reshape(builder, node),
        "Transpose" => arrange::transpose(builder, node),
        "Concat" => arrange::concat(builder, node, 0, 1),
        "QLinearConcat" => arrange::concat(builder, node, 2, 3),
        "Slice" => arrange::slice(builder, node),
        "Split" => arrange::split(builder, node),
        "Gather" | "GatherBlockQuantized" => arrange::gather(builder, node),
        "Pad" => convolution::pad(builder, node),
        "Shape" | "Size" => {
            let x = builder.features(node, 0).ok_or("its input is not known")?;
            let shape = shapes::shape_of(node, &x.dims.clone());
            builder.set(&node.outputs[0], TensorValue::Constant(shape));
            Ok(())
        }
        "Expand" | "Tile" => arrange::repeat(builder, node),
        "DepthToSpace" | "SpaceToDepth" => {
            let block = node.int("blocksize").and_then(|block| u64::try_from(block).ok()).unwrap_or(0);
            let x = builder.features(node, 0).map(|x| x.dims.clone());
            let dims = x.and_then(|dims| arrange::depth_to_space(&dims, block, op == "DepthToSpace"));
            let x = builder.features(node, 0).cloned().filter(|_| op == "DepthToSpace" && block > 0 && dims.is_some());
            match x.and_then(|x| arrange::blocks(builder, node, &x, (block, block))) {
                Some(blocks) => {
                    builder.set(&node.outputs[0], TensorValue::Features(blocks));
                    Ok(())
                }
                None => arrange::spread(builder, node, dims),
            }
        }
        "Resize" | "Upsample" => {
            let dims = arrange::resized(builder, node).ok_or("the size that it makes is not known")?;
            if let Some(scaled) = arrange::scaled(builder, node, &dims) {
                builder.set(&node.outputs[0], TensorValue::Features(scaled));
                return Ok(());
            }
            elementwise::not_counted(
                builder,
                node,
                Some(dims),
                "its interpolation costs nothing here; what it makes is a view of its input",
            )
        }
        "Where" => {
            let shape = |index: usize| match builder.value(node.inputs.get(index)?)? {
                TensorValue::Features(features) => Some(features.dims.clone()),
                TensorValue::Constant(constant) => constant.dims.clone(),
                TensorValue::Lost => None,
            };
            let dims = shape(1).zip(shape(2)).and_then(|(yes, no)| shapes::broadcast(&yes, &no));
            let dims = dims.zip(shape(0)).and_then(|(dims, choice)| shapes::broadcast(&dims, &choice));
            elementwise::not_counted(builder, node, dims, "chooses element by element")
        }
        _ if NOTHING.contains(&op) => {
            let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
            builder.set(&node.outputs[0], TensorValue::Features(x));
            Ok(())
        }
        _ if THRESHOLDS.contains(&op) => {
            elementwise::passed_on(builder, node, Severity::Merged, "applied to outputs as they leave the array")
        }
        _ if PRECISION.contains(&op) => quantised::change(builder, node),
        _ if BINARY.contains(&op) => elementwise::binary(builder, node, 0, 1),
        "Softmax" if lanes::softmax(builder, node) => Ok(()),
        _ if FUNCTIONS.contains(&op) && lanes::function(builder, node) => Ok(()),
        _ if op.ends_with("Normalization") && lanes::normalisation(builder, node) => Ok(()),
        _ if FUNCTIONS.contains(&op) => elementwise::passed_on(
            builder,
            node,
            Severity::NotCounted,
            "its arithmetic has no cost here; data passes through",
        ),
        _ if op.ends_with("Normalization") || op == "LRN" => elementwise::passed_on(
            builder,
            node,
            Severity::NotCounted,
            "its arithmetic has no cost here; data passes through",
        ),
        _ => unknown(builder, node),
    }
}

/// An unknown operator: its outputs have the shapes stated by the file, if any.
fn unknown(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let mut known = false;
    for output in &node.outputs {
        let Some(dims) = builder.stated(output).filter(|dims| elements(dims).is_some()) else { continue };
        let part = OnnxNode { outputs: vec![output.clone()], ..node.clone() };
        let reason = "there is no such layer; its outputs have the shapes that the file states";
        let before = builder.report.clone();
        elementwise::not_counted(builder, &part, Some(dims), reason)?;
        if known {
            builder.report = before;
        }
        known = true;
    }
    if known { Ok(()) } else { Err("there is no such layer, and the file does not state what it makes".to_owned()) }
}
