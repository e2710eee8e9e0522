//! Matrix products: with trained weights, and of two computed tensors.

use super::builder::{NetworkBuilder, unusual, weight_bits};
use super::convolution::note_fractions;
use super::features::{Features, TensorValue};
use super::layout::{AxisPart, AxisRole, Layout};
use super::model::OnnxNode;
use super::shapes::{broadcast, elements};
use crate::report::Severity;
use fusescape_spec::{LayerSpec, PrecisionSpec};

/// The inputs of a node that are the matrices of a product, and whether they are transposed.
#[derive(Debug, Clone, Copy)]
pub struct Operands {
    /// Index of the first matrix.
    pub a: usize,
    /// Index of the second.
    pub b: usize,
    /// Whether the last two axes of the first matrix are transposed.
    pub turns_a: bool,
    /// Whether those of the second matrix are.
    pub turns_b: bool,
}

#[derive(Debug, Clone)]
pub struct TrainedMatrices {
    /// Shape; the last two axes are those of a matrix: input channels, then output channels.
    pub dims: Vec<u64>,
    /// Bits of an element, unless the default of 8.
    pub bits: Option<u64>,
}

/// Any product: a trained operand becomes weights.
pub fn product(builder: &mut NetworkBuilder, node: &OnnxNode, operands: Operands) -> Result<(), String> {
    let Operands { a, b, turns_a, turns_b } = operands;
    let product = match (builder.features(node, a).cloned(), builder.features(node, b).cloned()) {
        (Some(x), None) => {
            let x = if turns_a { turned(&x, builder.batch)? } else { x };
            let weights = trained(builder, node, b, turns_b)?;
            with_weights(builder, node, &x, &weights)?
        }
        // W x is converted to the transposed product x' W', which has the same loops.
        (None, Some(x)) => {
            let x = if turns_b { x } else { turned(&x, builder.batch)? };
            let weights = trained(builder, node, a, !turns_a)?;
            turned(&with_weights(builder, node, &x, &weights)?, builder.batch)?
        }
        (Some(x), Some(y)) => {
            let x = if turns_a { turned(&x, builder.batch)? } else { x };
            let y = if turns_b { turned(&y, builder.batch)? } else { y };
            of_two(builder, node, &x, &y)?
        }
        (None, None) => return Err("neither of its matrices is known".to_owned()),
    };
    builder.set(&node.outputs[0], TensorValue::Features(product));
    Ok(())
}

fn turned(x: &Features, batch: u64) -> Result<Features, String> {
    let rank = x.dims.len();
    if rank < 2 {
        return Err("a matrix that is to be transposed has one dimension".to_owned());
    }
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 1, rank - 2);
    let dims = order.iter().map(|&axis| x.dims[axis]).collect();
    Ok(x.moved(dims, Some(x.layout.transposed(&order)), batch))
}

/// The matrices in a constant input.
pub fn trained(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    index: usize,
    turned: bool,
) -> Result<TrainedMatrices, String> {
    let constant = builder.constant(node, index).ok_or("its second matrix is not known")?;
    let mut dims = constant.dims.clone().ok_or("the shape of its weights is not known")?;
    let bits = weight_bits(constant);
    let rank = dims.len();
    match rank {
        0 => return Err("its weights are no matrix".to_owned()),
        1 => dims.push(1),
        _ if turned => dims.swap(rank - 1, rank - 2),
        _ => {}
    }
    note_fractions(builder, node, index);
    Ok(TrainedMatrices { dims, bits })
}

/// Rows of x times trained weights: a pointwise layer over all rows, or a fully connected one if each image has one
/// row.
pub fn with_weights(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    weights: &TrainedMatrices,
) -> Result<Features, String> {
    let [matrices @ .., inputs, outputs] = &weights.dims[..] else {
        return Err("its weights are no matrix".to_owned());
    };
    let rank = x.dims.len();
    let last = *x.dims.last().ok_or("its input has no dimension")?;
    if last != *inputs {
        return Err(format!("its weights have {inputs} rows, its input {last} columns"));
    }
    if elements(matrices) != Some(1) {
        return with_matrices(builder, node, x, weights);
    }
    let x = &x.spread();
    let mut dims = x.dims.clone();
    dims[rank - 1] = *outputs;
    let one_row = elements(&x.dims) == last.checked_mul(builder.batch);
    let precision = PrecisionSpec { w: weights.bits, i: unusual(x.bits), ..PrecisionSpec::default() };
    let layer = LayerSpec { channels: Some(*outputs), precision, ..LayerSpec::default() };
    let batch = builder.batch;
    let (kind, from, layout) = if one_row {
        ("fully-connected", builder.read_whole(x), Layout::tokens(&dims, batch))
    } else {
        let (from, layout) = builder.read(x, |layout| is_rows(layout, rank), || Layout::tokens(&x.dims, batch));
        ("pointwise", from, layout.with_last(*outputs))
    };
    let name = builder.add(node, LayerSpec { kind: kind.to_owned(), from: vec![from], ..layer });
    Ok(Features::direct(name, dims, layout).linear())
}

/// A trained matrix for each part of the input, or several matrices for all of it.
fn with_matrices(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    weights: &TrainedMatrices,
) -> Result<Features, String> {
    let [matrices @ .., inputs, outputs] = &weights.dims[..] else {
        return Err("its weights are no matrix".to_owned());
    };
    if builder.batch > 1 {
        builder.batch_fits = false;
        return Err("it has several matrices of weights, which each of several images would count anew".to_owned());
    }
    let rank = x.dims.len();
    if rank >= 2 && elements(&x.dims[..rank - 2]) == Some(1) {
        // If all matrices have the same rows, they are one matrix with the columns of all.
        let count = elements(matrices).ok_or("it is too large to count")?;
        let rows = x.dims[rank - 2];
        let all = TrainedMatrices { dims: vec![*inputs, count.saturating_mul(*outputs)], bits: weights.bits };
        let flat = x.moved(vec![rows, *inputs], x.layout.reshaped(&[rows, *inputs]), builder.batch);
        let product = with_weights(builder, node, &flat, &all)?;
        let split = product.layout.reshaped(&[&[rows][..], matrices, &[*outputs]].concat());
        let order: Vec<usize> = (1..=matrices.len()).chain([0, matrices.len() + 1]).collect();
        let dims = [matrices, &[rows, *outputs]].concat();
        return Ok(product.moved(dims, split.map(|layout| layout.transposed(&order)), builder.batch));
    }
    let stacked = Features::scattered(std::rc::Rc::new([]), weights.dims.clone(), Layout::usual(&weights.dims, 1));
    let precision = PrecisionSpec { w: weights.bits, ..PrecisionSpec::default() };
    of_matrices(builder, node, x, &stacked, precision)
}

/// Whether the last axis is all channels, and all others are rows of a matrix.
fn is_rows(layout: &Layout, rank: usize) -> bool {
    layout.holds(rank - 1, &[AxisRole::K])
        && (0..rank - 1).all(|axis| layout.holds(axis, &[AxisRole::B, AxisRole::X, AxisRole::Y]))
}

/// A product of two computed tensors: a pair of matrices for each image and group (head). If one second matrix is
/// shared by several first ones (query heads that share a head of keys), the first ones are rows of a single one, so
/// that the second is read once for all of them.
pub fn of_two(builder: &mut NetworkBuilder, node: &OnnxNode, x: &Features, y: &Features) -> Result<Features, String> {
    let product = of_matrices(builder, node, x, y, PrecisionSpec { w: unusual(y.bits), ..PrecisionSpec::default() })?;
    builder.note(
        Severity::Expressed,
        node,
        "the second matrix is read as weights, all of it after it is computed: depth-first tiling ends there",
    );
    Ok(product)
}

/// A factor of the leading axes of a product: a number of pairs of matrices, or of first matrices per second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leading {
    size: u64,
    is_shared: bool,
}

/// The roles of the axes before the last two of `y` for those of `x`.
fn leading(x: &[u64], y: &Features) -> Result<Vec<Leading>, String> {
    let own = &y.dims[..y.dims.len().saturating_sub(2)];
    if broadcast(x, own).as_deref() != Some(x) {
        let [x, y] = [x, own].map(|dims| elements(dims).unwrap_or(0));
        return Err(format!("it multiplies {x} matrices with {y}, which no layer here can express"));
    }
    let mut factors: Vec<Leading> = Vec::new();
    let mut push = |size: u64, is_shared: bool| match factors.last_mut() {
        _ if size == 1 => {}
        Some(last) if last.is_shared == is_shared => last.size = last.size.saturating_mul(size),
        _ => factors.push(Leading { size, is_shared }),
    };
    let new = x.len() - own.len();
    for (axis, &size) in x.iter().enumerate() {
        let of_y = axis.checked_sub(new);
        match of_y.and_then(|axis| y.layout.axes.get(axis)) {
            Some(parts) if of_y.is_some_and(|axis| own[axis] == size) => {
                parts.iter().for_each(|part| push(part.size, part.role == AxisRole::Copies));
            }
            _ => push(size, true),
        }
    }
    Ok(factors)
}

/// For each leading factor of a product, its parts in the layout of the first matrices.
fn leading_parts(factors: &[Leading], batch: u64) -> Result<Vec<AxisPart>, String> {
    let mut parts = Vec::new();
    let mut rest = factors.iter();
    if batch > 1 {
        let images = rest.next().filter(|first| !first.is_shared && first.size.is_multiple_of(batch));
        let images = images.ok_or("its matrices cannot be told apart by image")?;
        parts.push(AxisPart { role: AxisRole::B, size: batch });
        parts.extend((images.size > batch).then_some(AxisPart { role: AxisRole::K, size: images.size / batch }));
    }
    parts.extend(
        rest.map(|factor| AxisPart {
            role: if factor.is_shared { AxisRole::X } else { AxisRole::K },
            size: factor.size,
        }),
    );
    Ok(parts)
}

/// The parts of the leading axes of a layout; rows count as columns.
fn flattened(layout: &Layout, axes: usize) -> Vec<AxisPart> {
    let mut flat: Vec<AxisPart> = Vec::new();
    for part in layout.axes.iter().take(axes).flatten() {
        let role = if part.role == AxisRole::Y { AxisRole::X } else { part.role };
        match flat.last_mut() {
            Some(last) if last.role == role => last.size = last.size.saturating_mul(part.size),
            _ => flat.push(AxisPart { role, size: part.size }),
        }
    }
    flat
}

/// Matrix products whose second matrices are the layers of `y`, or trained if there are none.
fn of_matrices(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    y: &Features,
    precision: PrecisionSpec,
) -> Result<Features, String> {
    let (rank, batch) = (x.dims.len(), builder.batch);
    if rank < 2 || y.dims.len() < 2 {
        return Err("a product of two computed vectors is not counted".to_owned());
    }
    let x = &x.spread();
    let inner = x.dims[rank - 1];
    let [.., depth, columns] = &y.dims[..] else { return Err("its second matrix has no columns".to_owned()) };
    if *depth != inner {
        return Err(format!("its matrices do not fit: {inner} columns, {depth} rows"));
    }
    let factors = leading(&x.dims[..rank - 2], y)?;
    let parts = leading_parts(&factors, batch).inspect_err(|_| builder.batch_fits = false)?;
    let groups =
        parts.iter().filter(|part| part.role == AxisRole::K).fold(1, |all: u64, part| all.saturating_mul(part.size));
    let is_shared = factors.iter().any(|factor| factor.is_shared);
    let wanted = Layout { axes: vec![parts.clone()], is_shuffled: false };
    let wanted = wanted.reshaped(&x.dims[..rank - 2]).ok_or("its matrices cannot be told apart by image")?;
    let fits = |layout: &Layout| {
        let pairs = !is_shared && (0..rank - 2).all(|axis| layout.holds(axis, &[AxisRole::B, AxisRole::K]));
        (pairs || flattened(layout, rank - 2) == flattened(&wanted, rank - 2))
            && layout.holds(rank - 2, &[AxisRole::X, AxisRole::Y])
            && layout.holds(rank - 1, &[AxisRole::K])
    };
    let otherwise = || {
        let matrix = Layout::new(&[(AxisRole::X, x.dims[rank - 2]), (AxisRole::K, inner)]);
        Layout { axes: wanted.axes.iter().cloned().chain(matrix.axes).collect(), is_shuffled: false }
    };
    let (from, layout) = builder.read(x, fits, otherwise);
    let mut from = vec![from];
    if !y.layers.is_empty() {
        from.push(builder.read_whole(y));
    }
    let layer = LayerSpec {
        kind: "matmul".to_owned(),
        from,
        groups: (groups > 1).then_some(groups),
        channels: groups.checked_mul(*columns),
        precision: PrecisionSpec { i: unusual(x.bits), ..precision },
        ..LayerSpec::default()
    };
    let name = builder.add(node, layer);
    let mut dims = x.dims.clone();
    dims[rank - 1] = *columns;
    Ok(Features::direct(name, dims, layout.with_last(*columns)).linear())
}
