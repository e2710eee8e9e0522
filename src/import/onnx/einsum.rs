//! `Einsum`: equations that are matrix products, with any indices.

use super::builder::{NetworkBuilder, weight_bits};
use super::convolution::note_fractions;
use super::features::{Features, TensorValue};
use super::model::OnnxNode;
use super::product::{TrainedMatrices, of_two, with_weights};
use super::shapes::elements;

/// An index: a letter, or one of those that an ellipsis stands for, counted from the end.
type Index = u32;

/// Larger than any letter.
const ELLIPSIS: Index = 0x0011_0000;
/// Limit on the indices of an operand.
const MAX_INDICES: usize = 16;

/// The indices of two operands and of the output.
struct EinsumEquation {
    a: Vec<Index>,
    b: Vec<Index>,
    output: Vec<Index>,
}

/// The indices of a matrix product by role.
struct ProductIndices {
    /// In both operands and the output: a batch of matrices.
    pairs: Vec<Index>,
    /// In the first operand and the output.
    rows: Vec<Index>,
    /// In the second operand and the output.
    columns: Vec<Index>,
    /// In both operands only: summed up.
    inner: Vec<Index>,
}

/// A product of two tensors.
pub fn einsum(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let [a, b] = [0, 1].map(|index| builder.features(node, index).cloned());
    let shape = |index: usize, features: &Option<Features>| match features {
        Some(features) => Some(features.dims.clone()),
        None => builder.constant(node, index)?.dims.clone(),
    };
    let (Some(of_a), Some(of_b), 2) = (shape(0, &a), shape(1, &b), node.inputs.len()) else {
        return Err("it is no product of two tensors of known shape; write it as several such".to_owned());
    };
    let text = node.text("equation").ok_or("it states no equation")?;
    let EinsumEquation { a: of_first, b: of_second, output } = equation(text, of_a.len(), of_b.len())?;
    let sizes = sizes(&[(&of_first, &of_a), (&of_second, &of_b)])?;
    // Trained weights are the second matrix.
    let (x, y, of_x, of_y) = match (a, b) {
        (Some(x), y) => (x, y, of_first, of_second),
        (None, Some(x)) => (x, None, of_second, of_first),
        (None, None) => return Err("neither of its tensors is computed".to_owned()),
    };
    let parts = parts(&of_x, &of_y, &output)?;
    let size = |list: &[Index]| elements(&list.iter().map(|index| size_of(&sizes, *index)).collect::<Vec<_>>());
    let each = |list: &[Index]| list.iter().map(|index| size_of(&sizes, *index)).collect::<Vec<u64>>();
    let all = [&parts.rows, &parts.columns, &parts.inner].map(|list| size(list));
    let [Some(rows), Some(columns), Some(inner)] = all else { return Err("it is too large to count".to_owned()) };
    let pairs = each(&parts.pairs);
    let x = as_matrices(
        builder,
        &x,
        &of_x,
        [&parts.pairs, &parts.rows, &parts.inner],
        &[&pairs[..], &[rows, inner]].concat(),
    )?;
    let product = match y {
        Some(y) => {
            let dims = [&pairs[..], &[inner, columns]].concat();
            let y = as_matrices(builder, &y, &of_y, [&parts.pairs, &parts.inner, &parts.columns], &dims)?;
            of_two(builder, node, &x, &y)?
        }
        None => {
            let index = if builder.features(node, 0).is_some() { 1 } else { 0 };
            let bits = builder.constant(node, index).and_then(weight_bits);
            note_fractions(builder, node, index);
            with_weights(builder, node, &x, &TrainedMatrices { dims: [&pairs[..], &[inner, columns]].concat(), bits })?
        }
    };
    let made = [&parts.pairs[..], &parts.rows, &parts.columns].concat();
    let dims = each(&made);
    let split = product.moved(dims.clone(), product.layout.reshaped(&dims), builder.batch);
    let order: Option<Vec<usize>> = output.iter().map(|index| made.iter().position(|known| known == index)).collect();
    let order = order.ok_or("its output has an index that none of its inputs has")?;
    let dims = order.iter().map(|&axis| dims[axis]).collect();
    let product = split.moved(dims, Some(split.layout.transposed(&order)), builder.batch);
    builder.set(&node.outputs[0], TensorValue::Features(product));
    Ok(())
}

/// An operand with its indices in the order of matrices; indices of one role are merged to one axis.
fn as_matrices(
    builder: &NetworkBuilder,
    x: &Features,
    indices: &[Index],
    order: [&[Index]; 3],
    dims: &[u64],
) -> Result<Features, String> {
    let order: Vec<usize> =
        order.concat().iter().filter_map(|index| indices.iter().position(|known| known == index)).collect();
    if order.len() != indices.len() {
        return Err("it sums over an index of one tensor alone; sum before the product".to_owned());
    }
    let turned = order.iter().map(|&axis| x.dims[axis]).collect();
    let turned = x.moved(turned, Some(x.layout.transposed(&order)), builder.batch);
    Ok(turned.moved(dims.to_vec(), turned.layout.reshaped(dims), builder.batch))
}

/// Reads `bhid,bhjd->bhij` for operands of these ranks.
fn equation(text: &str, rank_a: usize, rank_b: usize) -> Result<EinsumEquation, String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (text.as_str(), None),
    };
    let (a, b) = inputs.split_once(',').ok_or("its equation has one operand")?;
    let (a, b) = (indices(a, Some(rank_a))?, indices(b, Some(rank_b))?);
    let ellipsis = a.iter().chain(&b).filter(|index| **index >= ELLIPSIS).max().map_or(0, |last| last - ELLIPSIS + 1);
    let output = match output {
        Some(output) => {
            let named = output.replace("...", "").chars().count();
            indices(output, output.contains("...").then_some(named + ellipsis as usize))?
        }
        // Without an output: indices that occur once, in alphabetical order, after the ellipsis.
        None => {
            let once = |index: &&Index| a.iter().chain(&b).filter(|known| known == index).count() == 1;
            let mut named: Vec<Index> =
                a.iter().chain(&b).filter(|index| **index < ELLIPSIS).filter(once).copied().collect();
            named.sort_unstable();
            (0..ellipsis).rev().map(|place| ELLIPSIS + place).chain(named).collect()
        }
    };
    Ok(EinsumEquation { a, b, output })
}

/// The indices of one operand; an ellipsis stands for the rest of the rank.
fn indices(text: &str, rank: Option<usize>) -> Result<Vec<Index>, String> {
    let wrong = || format!("its equation has {text}, which does not fit its tensor");
    let (before, after) = text.split_once("...").map_or((text, None), |(before, after)| (before, Some(after)));
    let letters = |part: &str| part.chars().map(|letter| letter as Index).collect::<Vec<_>>();
    let mut all = letters(before);
    if let Some(after) = after {
        let named = before.chars().count() + after.chars().count();
        let count =
            rank.and_then(|rank| rank.checked_sub(named)).filter(|count| *count <= MAX_INDICES).ok_or_else(wrong)?;
        all.extend((0..count as Index).rev().map(|place| ELLIPSIS + place));
        all.extend(letters(after));
    }
    let is_letter = |index: &Index| *index >= ELLIPSIS || char::from_u32(*index).is_some_and(char::is_alphabetic);
    let mut sorted = all.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(format!("its equation has {text}, with an index twice: a diagonal"));
    }
    let fits = rank.is_none_or(|rank| rank == all.len()) && all.len() <= MAX_INDICES && all.iter().all(is_letter);
    if fits { Ok(all) } else { Err(wrong()) }
}

/// The size of every index.
fn sizes(operands: &[(&Vec<Index>, &Vec<u64>); 2]) -> Result<Vec<(Index, u64)>, String> {
    let mut sizes: Vec<(Index, u64)> = Vec::new();
    for (indices, dims) in operands {
        for (&index, &size) in indices.iter().zip(*dims) {
            match sizes.iter().find(|(known, _)| *known == index) {
                Some((_, known)) if *known != size => {
                    return Err(format!("an index of its equation is {known} in one tensor and {size} in the other"));
                }
                Some(_) => {}
                None => sizes.push((index, size)),
            }
        }
    }
    Ok(sizes)
}

fn size_of(sizes: &[(Index, u64)], index: Index) -> u64 {
    sizes.iter().find(|(known, _)| *known == index).map_or(1, |(_, size)| *size)
}

/// The role of each index in a matrix product.
fn parts(x: &[Index], y: &[Index], output: &[Index]) -> Result<ProductIndices, String> {
    let of = |list: &[Index], in_other: bool, is_out: bool| -> Vec<Index> {
        let other = if std::ptr::eq(list, x) { y } else { x };
        let fits = |index: &&Index| other.contains(index) == in_other && output.contains(index) == is_out;
        list.iter().filter(fits).copied().collect()
    };
    let parts = ProductIndices {
        pairs: of(x, true, true),
        rows: of(x, false, true),
        columns: of(y, false, true),
        inner: of(x, true, false),
    };
    if parts.inner.is_empty() && (parts.rows.is_empty() || parts.columns.is_empty()) {
        return Err("it multiplies element by element, which no layer here can express".to_owned());
    }
    Ok(parts)
}
