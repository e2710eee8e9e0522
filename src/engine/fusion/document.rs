//! The operators of a network that a person wrote, and the accelerator that they run on.

use super::graph::{FeatureMap, Operator, OperatorGraph, OperatorKind};
use super::ids::{MapId, NETWORK_INPUT, OperatorId};
use super::setting::{Residency, Setting, Throughput};
use crate::hardware::{Core, Operand};
use crate::ids::TiVec;
use crate::spec::Diagnostics;
use crate::workload::{Dim, Layer, LayerId, LayerKind, Network};

/// The operators of a network: operator `i` is the `i`-th of [`Network::computing`].
///
/// # Errors
/// What the paper's operators cannot express.
pub fn operators_of(network: &Network) -> Result<OperatorGraph, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let inputs: Vec<LayerId> = network.ids().filter(|&id| network.layer(id).is_input()).collect();
    for &id in inputs.iter().skip(1) {
        let reason = match network.layer(id).view {
            None => "Optimus' networks read one map, and every operator reads its inputs tile by tile",
            Some(_) => "It shows several maps as one, or a part of one, which Optimus' operators do not know",
        };
        let path = format!("workload.layers.{}", network.layer(id).name);
        diagnostics.add(path, reason, "Compare the other methods");
    }
    for id in network.needed_whole() {
        diagnostics.add(
            format!("workload.layers.{}", network.layer(id).name),
            "All of its output has to be there before the next layer begins, which Optimus' operators do not know",
            "Compare the other methods",
        );
    }
    let Some(&input) = inputs.first().filter(|_| diagnostics.is_empty()) else { return Err(diagnostics) };
    let layers: TiVec<OperatorId, LayerId> = network.computing().collect();
    let map_of = |id: LayerId| layers.binary_search(&id).map_or(NETWORK_INPUT, OperatorId::output);
    let operator = |&id: &LayerId| operator(network.layer(id), network.inputs(id).into_iter().map(map_of).collect());
    let graph = OperatorGraph::new(
        network.name.clone(),
        feature_map(network.layer(input)),
        layers.iter().map(operator).collect(),
    );
    graph.map_err(|errors| {
        for error in errors {
            diagnostics.add("workload", error.to_string(), "Compare the other methods");
        }
        diagnostics
    })
}

/// The layers of a group.
pub fn layers_of(network: &Network, group: &[OperatorId]) -> Vec<LayerId> {
    let layers: TiVec<OperatorId, LayerId> = network.computing().collect();
    group.iter().filter_map(|&operator| layers.get(operator).copied()).collect()
}

/// The operators of some layers, in ascending order.
pub fn operators_in(network: &Network, layers: &[LayerId]) -> Vec<OperatorId> {
    let all: TiVec<OperatorId, LayerId> = network.computing().collect();
    all.iter_enumerated().filter(|(_, layer)| layers.contains(layer)).map(|(operator, _)| operator).collect()
}

impl Setting {
    /// The accelerator as Optimus knows it: one buffer for all, which is as large as the highest memories on the chip together, and
    /// an array that keeps as many channels and rows busy as it unrolls for convolutions. Precision and batch are the network's.
    pub fn of(core: &Core, network: &Network) -> Self {
        let first = network.computing().next().map(|id| network.layer(id).shape);
        let unrolled = |dim: Dim| {
            let along =
                core.unroll(LayerKind::Conv).iter().filter(|unroll| unroll.dim == dim).map(|unroll| unroll.limit);
            along.product::<u64>().max(1)
        };
        Self {
            buffer_bytes: core.on_chip_bytes(),
            bits: first.map_or(8, |shape| shape.precision.i.max(1)),
            batch: first.map_or(1, |shape| shape.size(Dim::B).max(1)),
            throughput: Throughput { channels: unrolled(Dim::K), rows: unrolled(Dim::OY) },
            residency: Residency::SmallestTile,
        }
    }
}

fn feature_map(layer: &Layer) -> FeatureMap {
    let size = |dim: Dim| layer.shape.size(dim);
    FeatureMap { channels: size(Dim::K).saturating_mul(size(Dim::G)), columns: size(Dim::OX), rows: size(Dim::OY) }
}

fn operator(layer: &Layer, inputs: Vec<MapId>) -> Operator {
    let shape = &layer.shape;
    let kind = match shape.kind {
        LayerKind::Depthwise => OperatorKind::Depthwise,
        LayerKind::Pooling | LayerKind::Elementwise => OperatorKind::Pooling,
        LayerKind::Add | LayerKind::Pairwise => OperatorKind::Add,
        LayerKind::FullyConnected => OperatorKind::FullyConnected,
        LayerKind::Conv
        | LayerKind::Pointwise
        | LayerKind::MatMul
        | LayerKind::Reduction
        | LayerKind::Input
        | LayerKind::View => OperatorKind::Conv,
    };
    let spans = |dim: Dim, dilation: u64| (shape.size(dim) - 1).saturating_mul(dilation).saturating_add(1);
    Operator {
        name: layer.name.clone(),
        kind,
        inputs,
        kernel: (spans(Dim::FX, shape.dilation.0), spans(Dim::FY, shape.dilation.1)),
        stride: shape.stride,
        output: feature_map(layer),
        // An addition reads its second map as weights, and pooling has none.
        parameters: if shape.kind.is_for_vector_unit() { 0 } else { shape.elements(Operand::W) },
    }
}
