//! Products of matrices: with trained weights, and of two computed tensors.

use super::builder::{Builder, Features, Value, weight_bits};
use super::convolution::note_fractions;
use super::layout::{Layout, Role};
use super::model::Node;
use super::shapes::elements;
use crate::import::report::Severity;
use crate::spec::{LayerSpec, PrecisionSpec};

/// The inputs of a node that are the matrices of a product, and whether they are transposed.
#[derive(Debug, Clone, Copy)]
pub struct Operands {
    /// Index of the first matrix.
    pub a: usize,
    /// Index of the second.
    pub b: usize,
    /// Whether the last two axes of the first one are exchanged.
    pub turns_a: bool,
    /// Whether those of the second one are.
    pub turns_b: bool,
}

/// Any product: what is trained becomes weights.
pub fn product(builder: &mut Builder, node: &Node, operands: Operands) -> Result<(), String> {
    let Operands { a, b, turns_a, turns_b } = operands;
    match (builder.features(node, a).cloned(), builder.features(node, b).cloned()) {
        (Some(x), None) => {
            let x = if turns_a { turned(&x, builder.batch)? } else { x };
            with_weights(builder, node, x, b, turns_b)
        }
        // W x: the transposed product x' W' has the same loops.
        (None, Some(x)) => {
            let x = if turns_b { x } else { turned(&x, builder.batch)? };
            let transposed = with_weights(builder, node, x, a, !turns_a);
            let output = node.outputs[0].clone();
            if let Some(Value::Features(features)) = builder.value(&output).cloned() {
                let turned = turned(&features, builder.batch)?;
                builder.set(&output, Value::Features(turned));
            }
            transposed
        }
        (Some(x), Some(y)) => {
            let x = if turns_a { turned(&x, builder.batch)? } else { x };
            let y = if turns_b { turned(&y, builder.batch)? } else { y };
            of_two(builder, node, x, y)
        }
        (None, None) => Err("neither of its matrices is known".to_owned()),
    }
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

/// Rows of x times trained weights: a pointwise layer over all rows, or a fully connected one where each image is one row.
fn with_weights(builder: &mut Builder, node: &Node, x: Features, weights: usize, turned: bool) -> Result<(), String> {
    let constant = builder.constant(node, weights).ok_or("its second matrix is not known")?;
    let mut shape = constant.dims.clone().ok_or("the shape of its weights is not known")?;
    let precision = PrecisionSpec { w: weight_bits(constant), ..PrecisionSpec::default() };
    if shape.len() == 1 {
        shape.push(1);
    } else if turned {
        let rank = shape.len();
        shape.swap(rank - 1, rank - 2);
    }
    let [matrices @ .., inputs, outputs] = &shape[..] else { return Err("its weights are no matrix".to_owned()) };
    let rank = x.dims.len();
    let last = *x.dims.last().ok_or("its input has no dimension")?;
    if last != *inputs {
        return Err(format!("its weights have {inputs} rows, its input {last} columns"));
    }
    if elements(matrices).unwrap_or(1) > 1 {
        return Err(
            "it has a matrix of weights for each of several parts of its input, which no layer here can express"
                .to_owned(),
        );
    }
    note_fractions(builder, node, weights);
    let mut dims = x.dims.clone();
    dims[rank - 1] = *outputs;
    let one_row = elements(&x.dims) == last.checked_mul(builder.batch);
    let layer = LayerSpec { channels: Some(*outputs), precision, ..LayerSpec::default() };
    let (name, layout) = if one_row {
        let from = builder.read_whole(&x);
        let layer = LayerSpec { kind: "fully-connected".to_owned(), from: vec![from], ..layer };
        (builder.add(node, layer), Layout::tokens(&dims, builder.batch))
    } else {
        let batch = builder.batch;
        let (from, layout) = builder.read(&x, |layout| is_rows(layout, rank), || Layout::tokens(&x.dims, batch));
        let layer = LayerSpec { kind: "pointwise".to_owned(), from: vec![from], ..layer };
        (builder.add(node, layer), layout.with_last(*outputs))
    };
    let features = Features { dims, layers: [name].into(), layout, is_direct: true, is_linear: true, unpadded: None };
    builder.set(&node.outputs[0], Value::Features(features));
    Ok(())
}

/// Whether the last axis holds all channels, and all others rows of a matrix.
fn is_rows(layout: &Layout, rank: usize) -> bool {
    layout.holds(rank - 1, &[Role::K]) && (0..rank - 1).all(|axis| layout.holds(axis, &[Role::B, Role::X, Role::Y]))
}

/// A product of two computed tensors: for each image and group (head) a pair of matrices.
fn of_two(builder: &mut Builder, node: &Node, x: Features, y: Features) -> Result<(), String> {
    let (rank, batch) = (x.dims.len(), builder.batch);
    if rank < 2 || y.dims.len() < 2 {
        return Err("a product of two computed vectors is not counted".to_owned());
    }
    let inner = x.dims[rank - 1];
    let [others @ .., depth, columns] = &y.dims[..] else { return Err("its second matrix has no columns".to_owned()) };
    if *depth != inner {
        return Err(format!("its matrices do not fit: {inner} columns, {depth} rows"));
    }
    let outer = elements(&x.dims[..rank - 2]).ok_or("it is too large to count")?;
    let groups = outer.checked_div(batch).filter(|groups| groups * batch == outer);
    let groups = groups.ok_or("its matrices cannot be told apart by image")?;
    let pairs = elements(others).ok_or("it is too large to count")?;
    // One second matrix for all: then the first ones are rows of one.
    let (groups, is_shared) = if pairs == outer { (groups, false) } else { (1, true) };
    if is_shared && (pairs != 1 || batch != 1) {
        return Err(format!("it multiplies {outer} matrices with {pairs}, which no layer here can express"));
    }
    let fits = |layout: &Layout| {
        let leading = (0..rank - 2)
            .all(|axis| layout.holds(axis, if is_shared { &[Role::B, Role::X, Role::Y] } else { &[Role::B, Role::K] }));
        leading && layout.holds(rank - 2, &[Role::X, Role::Y]) && layout.holds(rank - 1, &[Role::K])
    };
    let otherwise = || {
        let mut layout = Layout::tokens(&x.dims, batch);
        if !is_shared {
            for part in layout.axes.iter_mut().take(rank - 2).flatten().filter(|part| part.role == Role::X) {
                part.role = Role::K;
            }
        }
        layout
    };
    let (from, layout) = builder.read(&x, fits, otherwise);
    let matrix = builder.read_whole(&y);
    let layer = LayerSpec {
        kind: "matmul".to_owned(),
        from: vec![from, matrix],
        groups: (groups > 1).then_some(groups),
        channels: groups.checked_mul(*columns),
        ..LayerSpec::default()
    };
    let name = builder.add(node, layer);
    builder.note(
        Severity::Expressed,
        node,
        "the second matrix is read as weights, all of it after it is computed: depth-first tiling ends there",
    );
    let mut dims = x.dims.clone();
    dims[rank - 1] = *columns;
    let features = Features {
        dims,
        layers: [name].into(),
        layout: layout.with_last(*columns),
        is_direct: true,
        is_linear: true,
        unpadded: None,
    };
    builder.set(&node.outputs[0], Value::Features(features));
    Ok(())
}
