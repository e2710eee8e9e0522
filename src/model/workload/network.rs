//! The graph of layers.

use super::layer::{Dim, LayerKind, LayerShape, Padding};
use super::sizing::map_size;
use super::view::{MapSize, Read, View};
use crate::declare_ids;
use crate::hardware::{Core, Unroll};
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::rules::Rules;
use crate::sorting::sort_by_key;
use crate::spec::UnrollSpec;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::BTreeSet;

declare_ids! {
    /// A layer of a network, in topological order: a layer's inputs have lower ids than the layer. Not its place in the document.
    LayerId,
}

impl LayerId {
    fn node(self) -> NodeIndex {
        NodeIndex::new(self.index())
    }
}

impl From<NodeIndex> for LayerId {
    fn from(node: NodeIndex) -> Self {
        Self::from(node.index())
    }
}

/// One layer of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Unique name.
    pub name: String,
    /// Its loop nest.
    pub shape: LayerShape,
    /// Zeros around its input.
    pub padding: Padding,
    /// Columns and rows of its input map.
    pub input_size: (u64, u64),
    /// Spatial mapping of its own, per dataflow.
    pub unroll: Vec<(String, Vec<UnrollSpec>)>,
    /// How a view arranges the maps that it shows; `None` for a view of maps that are complete in the highest memory,
    /// and for all other layers.
    pub view: Option<View>,
}

impl Layer {
    /// Whether this computes nothing, as it is an input of the network or a view of maps of earlier layers.
    pub fn is_input(&self) -> bool {
        matches!(self.shape.kind, LayerKind::Input | LayerKind::View)
    }

    /// The loops that the array of a core is to unroll for this layer: those stated for it, else those of the core for
    /// its kind, with the rows of a product where it has no such loop ([`Rules::rows_left_unfolded`]). On a vector unit,
    /// the lanes share the loops.
    pub fn unroll_on(&self, core: &Core, rules: &Rules) -> Vec<Unroll> {
        if let Some(unit) = core.vector_unit_for(self.shape.kind) {
            return unit.unroll(&self.shape);
        }
        if let Some((_, stated)) = self.unroll.iter().find(|(dataflow, _)| *dataflow == core.dataflow) {
            return core.unroll_stated(stated);
        }
        let mut unroll = core.unroll(self.shape.kind).to_vec();
        if let Some(rows) = self.rows().filter(|_| !rules.rows_left_unfolded) {
            let is_idle = |part: &&mut Unroll| PIXELS.contains(&part.dim) && self.shape.size(part.dim) == 1;
            unroll.iter_mut().filter(is_idle).for_each(|part| part.dim = rows);
        }
        unroll
    }

    /// The largest loop over pixels that all meet the same weights; `None` where windows make pixels differ.
    fn rows(&self) -> Option<Dim> {
        use LayerKind::{Conv, FullyConnected, MatMul, Pointwise};
        let shape = &self.shape;
        let is_product = matches!(shape.kind, Conv | Pointwise | FullyConnected | MatMul)
            && [Dim::FX, Dim::FY].iter().all(|&dim| shape.size(dim) == 1)
            && (shape.stride, self.padding) == ((1, 1), Padding::default());
        // The batches of a `matmul` have weights of their own.
        let is_row = |dim: &Dim| shape.size(*dim) > 1 && (*dim != Dim::B || shape.kind != MatMul);
        PIXELS.into_iter().filter(is_row).max_by_key(|dim| shape.size(*dim)).filter(|_| is_product)
    }
}

/// Loops over the pixels of a map, and over maps.
const PIXELS: [Dim; 3] = [Dim::B, Dim::OY, Dim::OX];

/// How a layer reads another's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerLink {
    /// As its feature map, which may come tile by tile.
    Features,
    /// Out of the highest memory, where it has to be complete first: weights that another layer computes, or a map that
    /// a view shows.
    Stored,
}

/// A network: layers in topological order, and their reads.
#[derive(Debug, Clone)]
pub struct Network {
    /// Name of the network, as its document states it.
    pub name: String,
    graph: DiGraph<Layer, LayerLink>,
    tiled: Tiled,
    pub(super) left_out: Vec<(LayerId, LayerShape)>,
}

/// The reads of features, through all views that tiles reach through.
#[derive(Debug, Clone)]
struct Tiled {
    /// The reads of each layer that computes something.
    reads: TiVec<LayerId, Vec<Read>>,
    /// The readers of each layer, once for each read.
    readers: TiVec<LayerId, Vec<LayerId>>,
    /// By layer, whether a reader needs its whole output before it can begin.
    whole: TiVec<LayerId, bool>,
}

/// Limit on the reads through all views of a network; beyond it, maps are read from the highest memory.
const MOST_READS: usize = 1 << 17;

impl Network {
    pub(super) fn from_sorted(name: String, layers: Vec<Layer>, inputs: &TiSlice<LayerId, Vec<LayerId>>) -> Self {
        let link = |layer: &Layer, place: usize| match layer.shape.kind {
            LayerKind::View => LayerLink::Stored,
            LayerKind::MatMul | LayerKind::Depthwise if place > 0 => LayerLink::Stored,
            _ => LayerLink::Features,
        };
        let mut graph = DiGraph::with_capacity(layers.len(), layers.len());
        for layer in layers {
            graph.add_node(layer);
        }
        for (consumer, producers) in inputs.iter_enumerated() {
            for (place, &producer) in producers.iter().enumerate() {
                let link = link(&graph[consumer.node()], place);
                graph.add_edge(producer.node(), consumer.node(), link);
            }
        }
        let tiled = Tiled::new(&graph);
        Self { name, graph, tiled, left_out: Vec::new() }
    }

    /// Number of layers, network inputs included.
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether there is no layer; never true of a validated network.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All layer ids in topological order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LayerId> + ExactSizeIterator + Clone + use<> {
        LayerId::first(self.len())
    }

    /// The layer with this index.
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.graph[id.node()]
    }

    /// The layers whose outputs a layer reads as feature maps, in the order of its inputs (X before Y).
    pub fn inputs(&self, id: LayerId) -> Vec<LayerId> {
        self.read_by(id, LayerLink::Features)
    }

    /// The layers whose outputs have to be complete in the highest memory before a layer begins: weights that another
    /// layer computes, or maps that a view shows.
    pub fn stored_inputs(&self, id: LayerId) -> Vec<LayerId> {
        self.read_by(id, LayerLink::Stored)
    }

    /// The layers whose outputs some layer needs complete in the highest memory, lowest id first.
    pub fn stored(&self) -> impl Iterator<Item = LayerId> + '_ {
        let is_stored = |id: &LayerId| self.graph.edges(id.node()).any(|edge| *edge.weight() == LayerLink::Stored);
        self.computing().filter(is_stored)
    }

    /// The feature maps that a layer that computes something reads, through views: those of its first input, then of
    /// its second.
    pub fn reads(&self, id: LayerId) -> &[Read] {
        &self.tiled.reads[id]
    }

    /// The layers that read a layer's output as a feature map, straight or through views, lowest id first, once for each read.
    pub fn readers(&self, id: LayerId) -> &[LayerId] {
        &self.tiled.readers[id]
    }

    /// The layers whose whole output a reader needs before it can begin, though tiles reach through views: lowest id
    /// first.
    pub fn needed_whole(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.tiled.whole.iter_enumerated().filter(|(_, is_whole)| **is_whole).map(|(id, _)| id)
    }

    /// The layers whose outputs reach a layer, straight or through views, lowest id first.
    pub fn sources(&self, id: LayerId) -> Vec<LayerId> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(reader) = open.pop() {
            for source in self.inputs(reader).into_iter().chain(self.stored_inputs(reader)) {
                if seen.insert(source) && self.layer(source).shape.kind == LayerKind::View {
                    open.push(source);
                }
            }
        }
        seen.retain(|&source| self.layer(source).shape.kind != LayerKind::View);
        seen.into_iter().collect()
    }

    fn read_by(&self, id: LayerId, link: LayerLink) -> Vec<LayerId> {
        read_by(&self.graph, id, link)
    }

    /// The layers that read a layer's output as a feature map, lowest id first.
    pub fn consumers(&self, id: LayerId) -> Vec<LayerId> {
        let readers = self.graph.edges(id.node()).filter(|edge| *edge.weight() == LayerLink::Features);
        let mut ids: Vec<LayerId> = readers.map(|edge| LayerId::from(edge.target())).collect();
        sort_by_key(&mut ids, |id| *id);
        ids
    }

    /// Multiply-accumulates of all layers.
    pub fn macs(&self) -> u64 {
        self.computing().map(|id| self.layer(id).shape.macs()).sum()
    }

    /// The layers that compute something: all but the network's inputs and views.
    pub fn computing(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.ids().filter(|&id| !self.layer(id).is_input())
    }
}

fn read_by(graph: &DiGraph<Layer, LayerLink>, id: LayerId, link: LayerLink) -> Vec<LayerId> {
    let mut edges: Vec<_> = graph
        .edges_directed(id.node(), petgraph::Incoming)
        .filter(|edge| *edge.weight() == link)
        .map(|edge| (edge.id(), edge.source()))
        .collect();
    sort_by_key(&mut edges, |edge| *edge);
    edges.into_iter().map(|(_, source)| LayerId::from(source)).collect()
}

impl Tiled {
    fn new(graph: &DiGraph<Layer, LayerLink>) -> Self {
        let count = graph.node_count();
        let mut tiled = Self {
            reads: ti_vec![Vec::new(); count],
            readers: ti_vec![Vec::new(); count],
            whole: ti_vec![false; count],
        };
        // By layer, the reads of a view that tiles reach through; for any other layer, the layer itself.
        let mut shown: TiVec<LayerId, Vec<Read>> = ti_vec![Vec::new(); count];
        let mut reads = 0;
        for id in LayerId::first(count) {
            let layer = &graph[id.node()];
            let inputs = read_by(graph, id, LayerLink::Features);
            let stored = read_by(graph, id, LayerLink::Stored);
            if let Some(view) = layer.view {
                let parts: Vec<(MapSize, &[Read])> =
                    stored.iter().map(|&part| (map_size(&graph[part.node()]), &shown[part][..])).collect();
                let readers = graph.edges(id.node()).count();
                reads += parts.iter().map(|(_, parts)| parts.len()).sum::<usize>() * (1 + readers);
                let through = if reads > MOST_READS { Vec::new() } else { view.reads(&parts) };
                if !through.is_empty() {
                    if readers == 0 {
                        through.iter().for_each(|read| tiled.needs_whole(graph, read.layer));
                    }
                    shown[id] = through;
                    continue;
                }
            }
            for &whole in &stored {
                shown[whole].iter().for_each(|read| tiled.needs_whole(graph, read.layer));
            }
            shown[id].push(Read::whole(id, map_size(layer)));
            // An addition may cut its inputs down; of one with fewer channels it reads as many as of the other.
            let (columns, rows) = layer.input_size;
            let mut own: Vec<Read> = Vec::new();
            for (place, &input) in inputs.iter().enumerate() {
                let channels = layer.shape.channels_of_input(place);
                let seen = [channels, columns, rows].map(|size| (0, size));
                match graph[input.node()].view {
                    None => own.push(Read::whole(input, MapSize { columns, rows, channels })),
                    Some(_) => own.extend(shown[input].iter().filter_map(|read| read.part(seen))),
                }
            }
            own.iter().for_each(|read| tiled.readers[read.layer].push(id));
            tiled.reads[id] = own;
        }
        tiled
    }

    fn needs_whole(&mut self, graph: &DiGraph<Layer, LayerLink>, id: LayerId) {
        if !graph[id.node()].is_input() {
            self.whole[id] = true;
        }
    }
}
