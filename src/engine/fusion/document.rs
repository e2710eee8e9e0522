//! The operators of a network that a person wrote, and the accelerator that they run on.

use super::graph::{FeatureMap, Operator, OperatorGraph, OperatorKind};
use super::ids::{MapId, NETWORK_INPUT, OperatorId};
use super::setting::{Residency, Setting, Throughput};
use crate::hardware::{Core, Operand};
use crate::ids::{TiSlice, TiVec};
use crate::spec::{Diagnostics, MapAxis};
use crate::workload::{Dim, Layer, LayerId, LayerKind, Network, View};

/// The operators of a network: operator `i` is the `i`-th of [`Network::computing`].
///
/// Views become part of storing and loading maps, as splits and reshapes are in Optimus, Section 3: an operator reads
/// the maps that its views show, with all their channels. Channels that are joined are several inputs of an operator. A
/// map that is shown larger (resizing, depth to space, padding) counts with the rows that are shown, which are no fewer
/// than those that are read. Where a view moves rows or columns otherwise, and where other layers compute the weights,
/// the window of the operator is the whole map, as that of a fully connected operator is: in a group it waits until the
/// map is complete. Maps of further inputs of the network are loaded as parameters are.
///
/// # Errors
/// Layers that the paper's operators cannot express.
pub fn operators_of(network: &Network) -> Result<OperatorGraph, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let is_image = |&id: &LayerId| network.layer(id).shape.kind == LayerKind::Input;
    let Some(input) = network.ids().find(is_image) else {
        diagnostics.add("workload", "The network reads nothing", "Add an input");
        return Err(diagnostics);
    };
    let layers: TiVec<OperatorId, LayerId> = network.computing().collect();
    let reader = OperatorReader { network, layers: &layers, input };
    let operators: Vec<Operator> = layers.iter().map(|&id| reader.operator(id)).collect();
    let apart: Vec<&str> = operators.iter().filter(|one| one.inputs.is_empty()).map(|one| one.name.as_str()).collect();
    if let Some((first, others)) = apart.split_first() {
        let reason = match others.len() {
            0 => format!("`{first}` reads no map but those of further inputs of the network"),
            more => format!("`{first}` and {more} more layers read no map but those of further inputs of the network"),
        };
        let reason = reason + ", and Optimus' networks read one map";
        diagnostics.add(format!("workload.layers.{first}"), reason, "Compare the other methods");
        return Err(diagnostics);
    }
    OperatorGraph::new(network.name.clone(), feature_map(network.layer(input)), operators).map_err(|errors| {
        for error in errors {
            diagnostics.add("workload", error.to_string(), "Compare the other methods");
        }
        diagnostics
    })
}

/// Translates the reads of layers into the inputs of operators.
struct OperatorReader<'n> {
    network: &'n Network,
    layers: &'n TiSlice<OperatorId, LayerId>,
    /// The input that is the map of the network; others are read as parameters.
    input: LayerId,
}

impl OperatorReader<'_> {
    fn operator(&self, id: LayerId) -> Operator {
        let (network, layer) = (self.network, self.network.layer(id));
        let (features, weights) = (self.shown(network.inputs(id)), self.shown(network.stored_inputs(id)));
        let maps = |shown: &[LayerId]| shown.iter().filter_map(|&id| self.map(id)).collect::<Vec<MapId>>();
        let (read, computed) = (maps(&features), maps(&weights));
        let loaded = |shown: &[LayerId]| -> u64 {
            let further = shown.iter().filter(|&&id| self.map(id).is_none());
            further.map(|&id| feature_map(network.layer(id)).elements()).fold(0, u64::saturating_add)
        };
        // An addition reads its second map as weights, and pooling has none.
        let own = match (layer.shape.kind.is_for_vector_unit(), computed.is_empty()) {
            (true, _) => 0,
            (false, true) => layer.shape.elements(Operand::W),
            (false, false) => loaded(&weights),
        };
        let needs_whole = !computed.is_empty() || network.inputs(id).into_iter().any(|input| self.is_rearranged(input));
        let mut inputs = [read, computed].concat();
        inputs.sort_unstable();
        inputs.dedup();
        let mut operator = operator(layer, inputs, own.saturating_add(loaded(&features)));
        if needs_whole {
            let sizes = features.iter().chain(&weights).map(|&id| feature_map(network.layer(id)));
            operator.kernel = sizes.fold(operator.kernel, |most, map| (most.0.max(map.columns), most.1.max(map.rows)));
        }
        operator
    }

    /// The layers that some layers show: views of views lead to their sources.
    fn shown(&self, ids: Vec<LayerId>) -> Vec<LayerId> {
        let is_view = |id: LayerId| self.network.layer(id).shape.kind == LayerKind::View;
        let mut shown: Vec<LayerId> =
            ids.into_iter().flat_map(|id| if is_view(id) { self.network.sources(id) } else { vec![id] }).collect();
        shown.sort_unstable();
        shown.dedup();
        shown
    }

    /// The map that a layer writes; none for further inputs of the network.
    fn map(&self, id: LayerId) -> Option<MapId> {
        if id == self.input {
            return Some(NETWORK_INPUT);
        }
        self.layers.binary_search(&id).ok().map(OperatorId::output)
    }

    /// Whether a view moves columns or rows of the maps that it shows.
    fn is_rearranged(&self, id: LayerId) -> bool {
        let (network, layer) = (self.network, self.network.layer(id));
        if layer.shape.kind != LayerKind::View {
            return false;
        }
        let mut parts = network.inputs(id).into_iter().chain(network.stored_inputs(id));
        let extent = |id: LayerId| [Dim::OX, Dim::OY].map(|dim| network.layer(id).shape.size(dim));
        match layer.view {
            // A map that is shown larger needs no more rows than are shown.
            Some(View::Join(MapAxis::Channels) | View::Scale(..) | View::Blocks(..) | View::Padded(_)) => {
                parts.any(|part| self.is_rearranged(part))
            }
            Some(View::Part(_)) => parts.any(|part| extent(part) != extent(id) || self.is_rearranged(part)),
            _ => true,
        }
    }
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
    /// The accelerator in Optimus' terms: one buffer for all, which is as large as the highest memories on the chip
    /// together, and an array that computes as many channels and rows at once as it unrolls for convolutions. Precision
    /// and batch are the network's.
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

fn operator(layer: &Layer, inputs: Vec<MapId>, parameters: u64) -> Operator {
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
        parameters,
    }
}
