//! The graph of layers.

use super::layer::{LayerKind, LayerShape, Padding};
use crate::spec::UnrollSpec;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// Index of a layer in the network; a layer's inputs have lower indices than the layer.
pub type LayerId = usize;

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
}

impl Layer {
    /// Whether this is an input of the network, which computes nothing.
    pub fn is_input(&self) -> bool {
        self.shape.kind == LayerKind::Input
    }
}

/// A network: layers in topological order, and who reads whose output.
#[derive(Debug, Clone)]
pub struct Network {
    /// What people call it.
    pub name: String,
    graph: DiGraph<Layer, ()>,
}

impl Network {
    pub(super) fn from_sorted(name: String, layers: Vec<Layer>, inputs: &[Vec<LayerId>]) -> Self {
        let mut graph = DiGraph::with_capacity(layers.len(), layers.len());
        for layer in layers {
            graph.add_node(layer);
        }
        for (consumer, producers) in inputs.iter().enumerate() {
            for &producer in producers {
                graph.add_edge(NodeIndex::new(producer), NodeIndex::new(consumer), ());
            }
        }
        Self { name, graph }
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
    pub fn ids(&self) -> std::ops::Range<LayerId> {
        0..self.len()
    }

    /// One layer.
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.graph[NodeIndex::new(id)]
    }

    /// Whose outputs a layer reads, in the order of its inputs (X before Y).
    pub fn inputs(&self, id: LayerId) -> Vec<LayerId> {
        let mut edges: Vec<_> = self
            .graph
            .edges_directed(NodeIndex::new(id), petgraph::Incoming)
            .map(|edge| (edge.id(), edge.source()))
            .collect();
        edges.sort_unstable();
        edges.into_iter().map(|(_, source)| source.index()).collect()
    }

    /// Who reads a layer's output, lowest id first.
    pub fn consumers(&self, id: LayerId) -> Vec<LayerId> {
        let mut ids: Vec<LayerId> = self.graph.neighbors(NodeIndex::new(id)).map(NodeIndex::index).collect();
        ids.sort_unstable();
        ids
    }

    /// Multiply-accumulates of all layers.
    pub fn macs(&self) -> u64 {
        self.computing().map(|id| self.layer(id).shape.macs()).sum()
    }

    /// The layers that compute something: all but the network's inputs.
    pub fn computing(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.ids().filter(|&id| !self.layer(id).is_input())
    }
}
