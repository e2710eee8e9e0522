//! Operators for a whole attention: `Attention` of ONNX, and those of ONNX Runtime, some with projections and caches.

use super::arrange;
use super::builder::{NetworkBuilder, title};
use super::features::{Features, TensorValue};
use super::layout::{AxisRole, Layout};
use super::model::OnnxNode;
use super::product::{of_two, trained, with_weights};
use super::shapes::elements;
use crate::report::Severity;

/// Queries, keys and values of an attention, each with axes for heads, positions, and elements.
struct Attended {
    queries: Features,
    keys: Features,
    values: Features,
    /// Whether the output has an axis for heads.
    keeps_heads: bool,
}

/// Indices of the inputs that hold keys and values of earlier calls.
type Past = (usize, usize);

/// Any of the operators.
pub fn attention(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let (attended, past) = match node.op.as_str() {
        "GroupQueryAttention" => (separate(builder, node, "num_heads", "kv_num_heads")?, (3, 4)),
        "MultiHeadAttention" => (separate(builder, node, "num_heads", "num_heads")?, (6, 7)),
        "QAttention" => (projected(builder, node)?, (8, 8)),
        // The one of ONNX Runtime has another attribute for the number of heads.
        _ if node.int("num_heads").is_some() => (projected(builder, node)?, (4, 4)),
        _ => (separate(builder, node, "q_num_heads", "kv_num_heads")?, (4, 5)),
    };
    attend(builder, node, attended, past)
}

/// Queries, keys and values as separate inputs, or as one tensor.
fn separate(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    of_queries: &str,
    of_keys: &str,
) -> Result<Attended, String> {
    let x = builder.features(node, 0).cloned().ok_or("its queries are not known")?;
    let count = |name: &str| node.int(name).and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0);
    let keeps_heads = x.dims.len() == 4;
    let heads = match count(of_queries) {
        Some(heads) => heads,
        None if keeps_heads => x.dims[1],
        None => return Err("it does not state its number of heads".to_owned()),
    };
    let shared = count(of_keys);
    let (keys, values) = (builder.features(node, 1).cloned(), builder.features(node, 2).cloned());
    let [queries, keys, values] = match (keys, values) {
        (Some(keys), Some(values)) => {
            let shared = shared.unwrap_or(if keys.dims.len() == 4 { keys.dims[1] } else { heads });
            [by_head(builder, &x, heads)?, by_head(builder, &keys, shared)?, by_head(builder, &values, shared)?]
        }
        (None, None) if x.dims.len() == 3 => {
            let shared = shared.unwrap_or(heads);
            let all = shared.checked_mul(2).and_then(|more| heads.checked_add(more));
            let size = all.and_then(|all| x.dims[2].checked_div(all)).unwrap_or(0);
            in_one(builder, node, &x, [heads, shared, shared], [size; 3])?
        }
        _ => return Err("it holds queries, keys or values in one tensor with an axis for these".to_owned()),
    };
    Ok(Attended { queries, keys, values, keeps_heads })
}

/// Queries, keys and values as products of an input with trained weights.
fn projected(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<Attended, String> {
    let x = builder.features(node, 0).cloned().filter(|x| x.dims.len() == 3).ok_or("its input is not known")?;
    let heads = node.int("num_heads").and_then(|heads| u64::try_from(heads).ok()).filter(|heads| *heads > 0);
    let heads = heads.ok_or("it does not state its number of heads")?;
    let weights = trained(builder, node, 1, false)?;
    let outputs = *weights.dims.last().ok_or("its weights are no matrix")?;
    let stated = node.ints("qkv_hidden_sizes").map(<[i64]>::to_vec);
    let widths = match stated.as_deref() {
        Some(&[q, k, v]) => [q, k, v].map(|width| u64::try_from(width).unwrap_or(0)),
        _ => [outputs / 3; 3],
    };
    let all = widths.iter().try_fold(0_u64, |all, width| all.checked_add(*width));
    if all != Some(outputs) {
        return Err("its weights do not fit its heads".to_owned());
    }
    let product = with_weights(builder, &named(node, "project"), &x, &weights)?;
    let [queries, keys, values] = in_one(builder, node, &product, [heads; 3], widths.map(|width| width / heads))?;
    Ok(Attended { queries, keys, values, keeps_heads: false })
}

/// A node of the same kind with a name of its own.
fn named(node: &OnnxNode, what: &str) -> OnnxNode {
    OnnxNode { name: format!("{}/{what}", title(node)), ..node.clone() }
}

/// Queries, keys and values that are concatenated in the last axis.
fn in_one(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    heads: [u64; 3],
    sizes: [u64; 3],
) -> Result<[Features; 3], String> {
    let widths = [0, 1, 2].map(|part| heads[part].checked_mul(sizes[part]).unwrap_or(0));
    let last = x.dims.len() - 1;
    if widths.contains(&0) || widths.iter().try_fold(0_u64, |all, width| all.checked_add(*width)) != Some(x.dims[last])
    {
        return Err("its heads do not fit its input".to_owned());
    }
    let mut first = 0;
    let mut parts = Vec::new();
    for ((width, heads), what) in widths.into_iter().zip(heads).zip(["queries", "keys", "values"]) {
        let (mut firsts, mut dims) = (vec![0; x.dims.len()], x.dims.clone());
        (firsts[last], dims[last]) = (first, width);
        let part = arrange::part(builder, &named(node, what), x, &firsts, &dims);
        let cut = || Features::scattered(x.layers.clone(), dims.clone(), x.layout.fitted(&dims));
        let part = part.unwrap_or_else(cut);
        parts.push(by_head(builder, &part, heads)?);
        first += width;
    }
    parts.try_into().map_err(|_| "its heads do not fit its input".to_owned())
}

/// A tensor of positions with all heads, transposed to heads with positions.
fn by_head(builder: &NetworkBuilder, x: &Features, heads: u64) -> Result<Features, String> {
    match x.dims[..] {
        [_, known, _, _] if known == heads => Ok(x.clone()),
        [batch, positions, width] if width.is_multiple_of(heads) && width > 0 => {
            let dims = vec![batch, positions, heads, width / heads];
            let split = x.moved(dims.clone(), x.layout.reshaped(&dims), builder.batch);
            Ok(turned(builder, &split, &[0, 2, 1, 3]))
        }
        _ => Err("its heads do not fit its input".to_owned()),
    }
}

/// The axes in another order.
fn turned(builder: &NetworkBuilder, x: &Features, order: &[usize]) -> Features {
    let dims = order.iter().map(|&axis| x.dims[axis]).collect();
    x.moved(dims, Some(x.layout.transposed(order)), builder.batch)
}

/// The products for scores and for the weighted sum of values.
fn attend(builder: &mut NetworkBuilder, node: &OnnxNode, attended: Attended, past: Past) -> Result<(), String> {
    let Attended { queries, keys, values, keeps_heads } = attended;
    let keys = behind_past(builder, node, past.0, "keys", keys)?;
    let values = behind_past(builder, node, past.1, "values", values)?;
    let heads = queries.dims[1];
    let shared = [&keys, &values].map(|all| repeated(builder, all, heads));
    let [Some(all_keys), Some(all_values)] = shared else {
        return Err(format!("its {heads} heads do not share {} heads of keys evenly", keys.dims[1]));
    };
    let all_keys = turned(builder, &all_keys, &[0, 1, 3, 2]);
    let scores = of_two(builder, &named(node, "scores"), &queries, &all_keys)?;
    let context = of_two(builder, &named(node, "context"), &scores, &all_values)?;
    builder.note(Severity::NotCounted, node, "its scaling, mask and softmax have no cost here");
    let output = if keeps_heads {
        context
    } else {
        let rows = turned(builder, &context, &[0, 2, 1, 3]);
        let dims = vec![rows.dims[0], rows.dims[1], rows.dims[2].saturating_mul(rows.dims[3])];
        rows.moved(dims.clone(), rows.layout.reshaped(&dims), builder.batch)
    };
    builder.set(&node.outputs[0], TensorValue::Features(output));
    for (output, present) in node.outputs.iter().skip(1).zip([keys, values]) {
        builder.set(output, TensorValue::Features(present));
    }
    Ok(())
}

/// Each head of keys or values, repeated for all heads of queries that share it.
fn repeated(builder: &NetworkBuilder, x: &Features, heads: u64) -> Option<Features> {
    let &[batch, own, positions, size] = &x.dims[..] else { return None };
    let group = heads.checked_div(own).filter(|group| group.checked_mul(own) == Some(heads))?;
    let (alone, many) = ([batch, own, 1, positions, size], [batch, own, group, positions, size]);
    let layout = x.layout.reshaped(&alone)?.repeated(&alone, &many)?;
    let dims = vec![batch, heads, positions, size];
    Some(x.moved(dims.clone(), Some(layout.reshaped(&dims)?), builder.batch))
}

/// Keys or values appended to those of earlier calls, if the node reads such.
fn behind_past(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    index: usize,
    what: &str,
    new: Features,
) -> Result<Features, String> {
    let Some(mut past) = builder.features(node, index).cloned() else { return Ok(new) };
    if let [2, rest @ ..] = &past.dims.clone()[..]
        && rest.len() == 4
    {
        past = half(builder, &format!("{}/{what}", node.inputs[index]), &past, rest);
    }
    let fits = |axis: usize| past.dims[axis] == new.dims[axis];
    if past.dims.len() != 4 || !(fits(0) && fits(1) && fits(3)) {
        return Err("its cache does not fit its keys and values".to_owned());
    }
    let mut dims = new.dims.clone();
    dims[2] = dims[2].checked_add(past.dims[2]).filter(|_| elements(&past.dims).is_some()).ok_or("it is too large")?;
    arrange::joined_along(builder, &named(node, &format!("all_{what}")), &[past, new], 2, dims)
}

/// The keys or the values of a tensor that contains both.
fn half(builder: &mut NetworkBuilder, name: &str, both: &Features, dims: &[u64]) -> Features {
    if builder.is_of_inputs(both) {
        builder.add_input(name, dims.to_vec(), both.bits);
        if let Some(TensorValue::Features(half)) = builder.value(name) {
            return half.clone();
        }
    }
    let roles = [AxisRole::B, AxisRole::K, AxisRole::X, AxisRole::K];
    let layout = Layout::new(&roles.into_iter().zip(dims.iter().copied()).collect::<Vec<_>>());
    Features::scattered(both.layers.clone(), dims.to_vec(), layout)
}
