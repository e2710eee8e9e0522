//! The work of an operator that is not counted, as far as the file states shapes.

use super::builder::NetworkBuilder;
use super::features::TensorValue;
use super::model::OnnxNode;
use super::shapes::elements;

/// Bits of an element where a document states none.
const USUAL_BITS: u64 = 8;

/// MACs of a multiplying operator, for the whole batch; `None` if a necessary shape is unknown.
pub fn macs(builder: &NetworkBuilder, node: &OnnxNode) -> Option<u64> {
    let dims = |index: usize| dims(builder, node.inputs.get(index)?);
    let output = || elements(&self::dims(builder, node.outputs.first()?)?);
    match node.op.as_str() {
        "Conv" | "FusedConv" | "ConvInteger" | "NhwcFusedConv" | "QLinearConv" => {
            let weights = dims(if node.op == "QLinearConv" { 3 } else { 1 })?;
            output()?.checked_mul(elements(weights.get(1..)?)?)
        }
        "ConvTranspose" | "QLinearConvTranspose" => {
            let weights = dims(if node.op == "ConvTranspose" { 1 } else { 3 })?;
            elements(&dims(0)?)?.checked_mul(elements(weights.get(1..)?)?)
        }
        "Gemm" | "FusedGemm" | "QGemm" => {
            let rows_first = node.int("transA").unwrap_or(0) == 0;
            output()?.checked_mul(*dims(0)?.get(usize::from(rows_first))?)
        }
        "MatMul"
        | "FusedMatMul"
        | "MatMulInteger"
        | "MatMulIntegerToFloat"
        | "DynamicQuantizeMatMul"
        | "QLinearMatMul"
        | "MatMulNBits"
        | "MatMulBnb4"
        | "MatMulFpQ4" => output()?.checked_mul(*dims(0)?.last()?),
        "LSTM" | "GRU" | "RNN" | "DynamicQuantizeLSTM" => {
            let (steps, weights) = (elements(dims(0)?.get(..2)?)?, elements(&dims(1)?)?);
            steps.checked_mul(weights.checked_add(elements(&dims(2)?)?)?)
        }
        _ => None,
    }
}

/// Bits of a tensor that is not counted.
pub fn map_bits(builder: &NetworkBuilder, tensor: &str) -> Option<u64> {
    elements(&builder.stated(tensor)?)?.checked_mul(USUAL_BITS)
}

fn dims(builder: &NetworkBuilder, tensor: &str) -> Option<Vec<u64>> {
    match builder.value(tensor)? {
        TensorValue::Features(features) => Some(features.dims.clone()),
        TensorValue::Constant(constant) => constant.dims.clone(),
        TensorValue::Lost => builder.stated(tensor),
    }
}
