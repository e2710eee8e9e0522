//! A network as tiles see it: a loop nest for each layer that computes something.

use super::ids::NestId;
use super::nest::{AccessFunction, AxisExpression, LoopNest};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec};
use crate::workload::{Dim, Layer, LayerId, LayerKind, Network};

/// The loop nests of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkNests {
    /// The layers that compute something, in topological order.
    pub layers: TiVec<NestId, LayerId>,
    /// Their loops.
    pub nests: TiVec<NestId, LoopNest>,
    /// Whether additions read one of their inputs out of the memories of weights (`Rules::additions_read_weight_memories`).
    pub adds_as_weights: bool,
}

impl NetworkNests {
    /// The nests of a network.
    ///
    /// Maps that a view shows are read from the layers that compute them: channel by channel where the view puts maps
    /// of one size on top of each other, else as a whole, as the document does not say which part goes where.
    pub fn new(network: &Network, adds_as_weights: bool) -> Self {
        let layers: TiVec<NestId, LayerId> = network.computing().collect();
        let nests = layers.iter().map(|&id| nest(network, &layers, (id, adds_as_weights))).collect();
        Self { layers, nests, adds_as_weights }
    }
}

/// Rows and columns count from before the padding.
fn nest(network: &Network, layers: &TiSlice<NestId, LayerId>, (id, adds_as_weights): (LayerId, bool)) -> LoopNest {
    let Layer { name, shape, padding, input_size, .. } = network.layer(id);
    let size = |dim: Dim| shape.size(dim);
    let channels = |inner: Dim| AxisExpression {
        terms: match (size(Dim::G), size(inner)) {
            (1, _) => vec![(inner, 1)],
            (_, 1) => vec![(Dim::G, 1)],
            (_, inner_size) => vec![(Dim::G, inner_size), (inner, 1)],
        },
        offset: 0,
        size: size(Dim::G) * size(inner),
    };
    let window = |outer: Dim, stride: u64, inner: Dim, dilation: u64, before: u64, size_: u64| AxisExpression {
        terms: if size(inner) == 1 { vec![(outer, stride)] } else { sorted([(outer, stride), (inner, dilation)]) },
        offset: -(before as i64),
        size: size_,
    };
    let batch = AxisExpression::of(Dim::B, size(Dim::B));
    let output = AccessFunction {
        operand: Operand::O,
        source: None,
        input: None,
        axes: vec![
            batch.clone(),
            channels(Dim::K),
            AxisExpression::of(Dim::OY, size(Dim::OY)),
            AxisExpression::of(Dim::OX, size(Dim::OX)),
        ],
        bits: shape.precision.o,
    };
    // Of each input: those of a pair have K channels to each of Y.
    let features = |place: usize| {
        vec![
            batch.clone(),
            channels(match (shape.kind, place) {
                (LayerKind::Pairwise, 0) => Dim::K,
                _ => Dim::C,
            }),
            window(Dim::OY, shape.stride.1, Dim::FY, shape.dilation.1, padding.top, input_size.1),
            window(Dim::OX, shape.stride.0, Dim::FX, shape.dilation.0, padding.left, input_size.0),
        ]
    };
    let bits = shape.precision.i;
    let mut inputs = Vec::new();
    let stored = network.stored_inputs(id);
    if shape.precision.w > 0 && !shape.kind.reads_two_maps() {
        let weights = [Dim::B, Dim::G, Dim::K, Dim::C, Dim::FY, Dim::FX];
        let is_indexed = |dim: &Dim| *dim != Dim::B || shape.kind == LayerKind::MatMul;
        let axes = weights.into_iter().filter(is_indexed).map(|dim| AxisExpression::of(dim, size(dim))).collect();
        let weights = AccessFunction { operand: Operand::W, source: None, input: None, axes, bits: shape.precision.w };
        match stored.is_empty() {
            true => inputs.push(weights),
            false => stored.iter().for_each(|&id| read(network, layers, id, &weights, false, &mut inputs)),
        }
    }
    for (place, source) in network.inputs(id).into_iter().enumerate() {
        let is_first = adds_as_weights && place == 0 && shape.kind.reads_two_maps();
        let operand = if is_first { Operand::W } else { Operand::I };
        let access = AccessFunction { operand, source: None, input: None, axes: features(place), bits };
        read(network, layers, source, &access, true, &mut inputs);
    }
    LoopNest { name: name.clone(), sizes: shape.sizes, output, inputs, partial_bits: shape.precision.o_partial }
}

fn sorted(mut terms: [(Dim, u64); 2]) -> Vec<(Dim, u64)> {
    if terms[0].1 < terms[1].1 {
        terms.swap(0, 1);
    }
    terms.to_vec()
}

/// Adds the accesses to a layer's output: those to the layers that compute it, if any do, with the axes of `access`.
/// Only features keep these axes.
fn read(
    network: &Network,
    layers: &TiSlice<NestId, LayerId>,
    id: LayerId,
    access: &AccessFunction,
    is_features: bool,
    inputs: &mut Vec<AccessFunction>,
) {
    let shape = &network.layer(id).shape;
    // Channels, rows, columns.
    let map = |id: LayerId| {
        let shape = &network.layer(id).shape;
        [shape.output_channels(), shape.size(Dim::OY), shape.size(Dim::OX)]
    };
    let is_same = is_features
        && access.axes.len() == 4
        && access.axes[1..].iter().map(|axis| axis.size).eq(map(id))
        && access.axes[0].size == shape.size(Dim::B);
    // Without axes all of a source is read.
    let whole = |source: Option<NestId>| AccessFunction {
        source,
        axes: if source.is_some() { Vec::new() } else { access.axes.clone() },
        ..access.clone()
    };
    match shape.kind {
        // Through other views its elements have other coordinates.
        LayerKind::Input => inputs.push(AccessFunction { input: is_same.then_some(id), ..access.clone() }),
        LayerKind::View => {
            let shown: Vec<LayerId> = network.stored_inputs(id);
            let [channels, rows, columns] = map(id);
            let is_stacked = is_same
                && shown.iter().all(|&part| map(part)[1..] == [rows, columns])
                && shown.iter().map(|&part| map(part)[0]).sum::<u64>() == channels;
            let mut before = 0;
            for part in shown {
                let size = map(part)[0];
                if is_stacked {
                    let mut slice = access.clone();
                    slice.axes[1].offset -= before as i64;
                    slice.axes[1].size = size;
                    read(network, layers, part, &slice, true, inputs);
                } else {
                    read(network, layers, part, &whole(None), false, inputs);
                }
                before += size;
            }
        }
        _ => {
            let source = layers.position(|&layer| layer == id);
            inputs.push(if is_same { AccessFunction { source, ..access.clone() } } else { whole(source) });
        }
    }
}
