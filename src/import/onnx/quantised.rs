//! Quantised forms: weights of few bits in blocks, changes of precision, and integer arithmetic.

use super::builder::{NetworkBuilder, unusual};
use super::features::{Features, TensorValue};
use super::model::{OnnxNode, types};
use super::product::{TrainedMatrices, with_weights};
use super::shapes::elements;
use crate::report::Severity;
use fusescape_engine::workload::MAX_EXTENT;

/// Products with weights of few bits in blocks, each with a scale (operators of ONNX Runtime).
pub const IN_BLOCKS: [&str; 3] = ["MatMulNBits", "MatMulBnb4", "MatMulFpQ4"];
/// Operators with sums of 32-bit integers, as defined by ONNX.
const OF_INTEGERS: [&str; 8] = [
    "ConvInteger",
    "QLinearConv",
    "MatMulInteger",
    "MatMulIntegerToFloat",
    "DynamicQuantizeMatMul",
    "QLinearMatMul",
    "QGemm",
    "QLinearConvTranspose",
];
/// Bits of such a sum.
const SUM_BITS: u64 = 32;

/// The matrix of a product with weights in blocks: rows are its inputs, columns its outputs.
pub fn matrix(builder: &NetworkBuilder, node: &OnnxNode) -> Option<TrainedMatrices> {
    let count = |number: i64| u64::try_from(number).ok().filter(|count| (1..=MAX_EXTENT).contains(count));
    let (rows, columns) = match node.op.as_str() {
        "MatMulFpQ4" => match builder.ints(node, 2)?[..] {
            [rows, columns] => (rows, columns),
            _ => return None,
        },
        _ => (node.int("K")?, node.int("N")?),
    };
    let bits = if node.op == "MatMulNBits" { count(node.int("bits").unwrap_or(4))? } else { 4 };
    let is_sensible = bits <= 32;
    is_sensible.then_some(TrainedMatrices { dims: vec![count(rows)?, count(columns)?], bits: unusual(Some(bits)) })
}

/// A product with weights in blocks.
pub fn in_blocks(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let weights = matrix(builder, node).ok_or("it does not state the size of its weights")?;
    let product = with_weights(builder, node, &x, &weights)?;
    let first = if node.op == "MatMulFpQ4" { node.inputs.len() } else { 2 };
    let bits_of = |index: usize| {
        let constant = builder.constant(node, index)?;
        let bits = types::bits(constant.data_type).or(types::fraction_bits(constant.data_type))?;
        elements(constant.dims.as_ref()?)?.checked_mul(bits)
    };
    let scales: u64 = (first..node.inputs.len().min(4)).filter_map(bits_of).fold(0, u64::saturating_add);
    if scales > 0 {
        let all = elements(&weights.dims).unwrap_or(1).saturating_mul(weights.bits.unwrap_or(8));
        let share = 100.0 * scales as f64 / all as f64;
        let reason =
            format!("scales and zero points of its blocks, which have {share:.1} % of the bits of its weights");
        builder.note(Severity::NotCounted, node, &reason);
    }
    builder.set(&node.outputs[0], TensorValue::Features(product));
    Ok(())
}

/// A change of precision: the bits of the stored elements are those in the file.
pub fn change(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    for output in node.outputs.iter().skip(1) {
        builder.set(output, TensorValue::Constant(super::shapes::Constant::default()));
    }
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    builder.note(Severity::Merged, node, "a change of precision, made as data is written");
    builder.set(&node.outputs[0], TensorValue::Features(x));
    match node.op.as_str() {
        "QuantizeLinear" => {
            let zero = builder.constant(node, 2).map(|zero| zero.data_type);
            let stated = node.int("output_dtype").and_then(|kind| u64::try_from(kind).ok()).filter(|kind| *kind > 0);
            store(builder, node, zero.or(stated).map_or(Some(8), types::bits));
        }
        "DynamicQuantizeLinear" => store(builder, node, Some(8)),
        _ => {}
    }
    Ok(())
}

/// Sets the bits of sums and of stored elements of an integer operator.
pub fn note_integers(builder: &mut NetworkBuilder, node: &OnnxNode) {
    let made = match builder.value(&node.outputs[0]) {
        Some(TensorValue::Features(features)) if OF_INTEGERS.contains(&node.op.as_str()) => {
            features.layers.first().cloned()
        }
        _ => None,
    };
    if let Some(last) = builder.layers.last_mut().filter(|last| made.as_ref() == Some(&last.name)) {
        last.precision.o_partial = Some(SUM_BITS);
    }
    let zero_point = match node.op.as_str() {
        "QLinearConv" | "QLinearConvTranspose" | "QLinearMatMul" | "QLinearAdd" | "QLinearMul" => 7,
        "QGemm" => 8,
        "QLinearAveragePool" | "QLinearGlobalAveragePool" | "QLinearSigmoid" | "QLinearLeakyRelu" => 4,
        "QLinearConcat" => 1,
        _ => return,
    };
    let bits = builder.constant(node, zero_point).and_then(|zero| types::bits(zero.data_type));
    if bits.is_some() {
        store(builder, node, bits);
    }
}

/// Sets the bits of the first output of a node.
fn store(builder: &mut NetworkBuilder, node: &OnnxNode, bits: Option<u64>) {
    let Some(TensorValue::Features(features)) = builder.value(&node.outputs[0]).cloned() else { return };
    if let (true, [layer]) = (features.is_direct, &features.layers[..]) {
        builder.store_with(layer, bits);
    }
    builder.set(&node.outputs[0], TensorValue::Features(Features { bits, ..features }));
}
