//! Data flow of a graph: the origins of every tensor, which are products, and sums with the residual stream.
//!
//! A product multiplies: weights with a tensor, or two tensors. Other nodes (views, norms, activations) pass on the
//! origins of their inputs. A residual sum adds the output of a branch to the stream: one of its inputs has products as
//! origins; the other has earlier sums, the inputs of the model, or the origins of these products.

use super::mask::Mask;
use crate::onnx::builder::{NetworkBuilder, place_of};
use crate::onnx::features::TensorValue;
use crate::onnx::model::{Attribute, OnnxModel, OnnxNode};
use crate::onnx::operators::{is_constant, multiplies};
use fusescape_engine::hardware::Operand;

use fusescape_engine::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Index of an [`TensorOrigin`].
pub type Id = usize;
/// The index of [`TensorOrigin::Inputs`].
pub const INPUTS: Id = 0;
/// Limit on the origins of a tensor; with more, the inputs of the model are taken as its origin.
const MOST_ORIGINS: usize = 32;
/// Limit on the products between two sums.
const MOST_BETWEEN: usize = 256;

/// The origins of a tensor, ascending.
pub type Origins = Rc<[Id]>;

/// A point of the graph that the data flow is traced back to.
#[derive(Debug)]
pub enum TensorOrigin {
    Inputs,
    Product(MatrixProduct),
    Sum(ResidualSum),
}

/// A multiplication.
#[derive(Debug)]
pub struct MatrixProduct {
    /// Index of the node.
    pub node: usize,
    /// Kind and sizes of the computation.
    pub work: ProductKind,
    /// Names and origins of its operands: one, two, or queries, keys and values.
    pub reads: Vec<(String, Origins)>,
    /// Its layers in the network.
    pub layers: Vec<LayerId>,
}

/// The computation of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductKind {
    /// A tensor times weights.
    Weighted {
        /// Rows of the tensor, in all images.
        rows: u64,
        /// Input channels.
        reads: u64,
        /// Output channels.
        columns: u64,
    },
    /// Two computed tensors.
    Pair {
        /// Channels over which it sums.
        depth: u64,
        /// Columns of the second matrix.
        columns: u64,
    },
    /// A whole attention.
    Attention {
        /// Elements of a query.
        depth: u64,
        /// Elements of a value.
        value_depth: u64,
        /// Number of scores, in all images.
        scores: u64,
    },
    /// Grouped convolutions, recurrent layers and the like.
    Other,
    /// A product that the network does not count.
    Missed,
}

#[derive(Debug)]
pub struct ResidualSum {
    /// Index of the node.
    pub node: usize,
    /// The tensor of the residual stream, and its origins.
    pub stream: (String, Origins),
    /// The tensor of the branch, and its origins.
    pub branch: (String, Origins),
}

/// The traced graph.
pub struct FlowGraph<'m> {
    /// The nodes, each with its index in the model; a node with a sum and a norm is split in two.
    pub nodes: Vec<Cow<'m, OnnxNode>>,
    /// Products and sums, in the order of the nodes.
    pub origins: Vec<TensorOrigin>,
    /// The origins of tensors, except for constants.
    tensors: HashMap<String, Origins>,
    /// The nodes that compute them.
    makers: HashMap<String, usize>,
    masks: HashMap<String, Mask>,
    builder: &'m NetworkBuilder,
    network: &'m Network,
}

impl<'m> FlowGraph<'m> {
    /// Traces a graph; `network` is the network made from it.
    pub fn new(model: &'m OnnxModel, builder: &'m NetworkBuilder, network: &'m Network) -> Self {
        let mut layers: HashMap<usize, Vec<LayerId>> = HashMap::new();
        for id in network.computing() {
            let layer = network.layer(id);
            let origin = builder.origins.get(&layer.name);
            if let Some(&node) = origin.filter(|_| is_product(&layer.shape)) {
                layers.entry(node).or_default().push(id);
            }
        }
        let mut flow = Self {
            nodes: Vec::new(),
            origins: vec![TensorOrigin::Inputs],
            tensors: HashMap::new(),
            makers: HashMap::new(),
            masks: HashMap::new(),
            builder,
            network,
        };
        for tensor in &model.constants {
            if let Some(triangle) = tensor.mask {
                flow.masks.insert(tensor.name.clone(), Mask::of(triangle));
            }
        }
        for (index, node) in model.nodes.iter().enumerate() {
            let made = layers.remove(&index).unwrap_or_default();
            for node in taken_apart(node) {
                flow.take(node, &made);
            }
        }
        flow
    }

    /// The origins of a tensor; `None` if it is constant.
    pub fn of(&self, tensor: &str) -> Option<Origins> {
        match self.tensors.get(tensor) {
            Some(known) => Some(Rc::clone(known)),
            None if tensor.is_empty() || matches!(self.builder.value(tensor), Some(TensorValue::Constant(_))) => None,
            None => Some([INPUTS].into()),
        }
    }

    /// The index of the node that computes a tensor.
    pub fn maker(&self, tensor: &str) -> Option<usize> {
        self.makers.get(tensor).copied()
    }

    /// The known part of the mask in a tensor.
    pub fn mask(&self, tensor: &str) -> Mask {
        self.masks.get(tensor).copied().unwrap_or_default()
    }

    /// Place of a node, for messages.
    pub fn place(&self, node: usize) -> String {
        self.nodes.get(node).map(|node| place_of(node)).unwrap_or_default()
    }

    pub fn product(&self, id: Id) -> Option<&MatrixProduct> {
        match self.origins.get(id)? {
            TensorOrigin::Product(product) => Some(product),
            _ => None,
        }
    }

    /// The first tensor that a product reads.
    pub fn read_by(&self, product: Id) -> &str {
        let read = self.product(product).and_then(|product| product.reads.first());
        read.map_or("", |(tensor, _)| tensor.as_str())
    }

    pub fn sum(&self, id: Id) -> Option<&ResidualSum> {
        match self.origins.get(id)? {
            TensorOrigin::Sum(sum) => Some(sum),
            _ => None,
        }
    }

    /// Shape of a tensor.
    pub fn dims(&self, tensor: &str) -> Option<Vec<u64>> {
        match self.builder.value(tensor)? {
            TensorValue::Features(features) => Some(features.dims.clone()),
            TensorValue::Constant(constant) => constant.dims.clone(),
            TensorValue::Lost => None,
        }
    }

    /// The elements of a tensor, if they are few integers.
    pub fn ints(&self, tensor: &str) -> Option<&[i64]> {
        match self.builder.value(tensor)? {
            TensorValue::Constant(constant) => constant.ints.as_deref(),
            _ => None,
        }
    }

    fn take(&mut self, node: Cow<'m, OnnxNode>, made: &[LayerId]) {
        let index = self.nodes.len();
        let mask = Mask::after(self, &node);
        let read: Vec<(String, Origins)> =
            node.inputs.iter().filter_map(|name| Some((name.clone(), self.of(name)?))).collect();
        let is_fixed = is_constant(self.builder, &node) && read.is_empty();
        let origins: Option<Origins> = if is_fixed {
            None
        } else if multiplies(&node) || !made.is_empty() {
            Some(self.multiplied(index, &node, read, made))
        } else {
            Some(match node.op.as_str() {
                // Of positions, so no product is an origin.
                "Sin" | "Cos" => [INPUTS].into(),
                "Add" => self.added(index, &read),
                _ => union(read.iter().map(|(_, origins)| origins)),
            })
        };
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            // Shapes of computed tensors are constant.
            let is_fixed = matches!(self.builder.value(output), Some(TensorValue::Constant(_)));
            if let Some(origins) = origins.as_ref().filter(|_| !is_fixed) {
                self.tensors.insert(output.clone(), Rc::clone(origins));
            }
            self.makers.insert(output.clone(), index);
            if mask != Mask::default() {
                self.masks.insert(output.clone(), mask);
            }
        }
        self.nodes.push(node);
    }

    /// Adds a product, and returns the origins of its output.
    fn multiplied(&mut self, index: usize, node: &OnnxNode, read: Vec<(String, Origins)>, made: &[LayerId]) -> Origins {
        let network = self.network;
        let shape = |id: &LayerId| &network.layer(*id).shape;
        let is_whole =
            matches!(node.op.as_str(), "Attention" | "QAttention" | "MultiHeadAttention" | "GroupQueryAttention");
        let (layers, mut reads) = (made.to_vec(), read);
        let work = match (made, is_whole) {
            ([], _) => ProductKind::Missed,
            ([rest @ .., scores, context], true) => {
                let own: Vec<&String> = node.inputs.iter().take(3).collect();
                reads.retain(|(name, _)| own.contains(&name));
                if !rest.is_empty() {
                    reads.truncate(1);
                    let work = rest.first().map_or(ProductKind::Other, |id| weighted(shape(id)));
                    let product = MatrixProduct { node: index, work, reads, layers: rest.to_vec() };
                    self.origins.push(TensorOrigin::Product(product));
                    let projected: Origins = [self.origins.len() - 1].into();
                    reads = vec![(String::new(), projected); 3];
                }
                // One tensor may contain queries, keys and values.
                if let [all] = &reads[..] {
                    reads = vec![all.clone(); 3];
                }
                reads.truncate(3);
                let depth = shape(scores).size(Dim::C);
                let scores_macs = shape(scores).macs();
                let work = ProductKind::Attention {
                    depth,
                    value_depth: shape(context).macs() / (scores_macs / depth.max(1)).max(1),
                    scores: scores_macs / depth.max(1),
                };
                let product = MatrixProduct { node: index, work, reads, layers: vec![*scores, *context] };
                self.origins.push(TensorOrigin::Product(product));
                return [self.origins.len() - 1].into();
            }
            ([one], _) if reads.len() > 1 && shape(one).kind == LayerKind::MatMul => {
                ProductKind::Pair { depth: shape(one).size(Dim::C), columns: shape(one).size(Dim::K) }
            }
            ([one], _) => weighted(shape(one)),
            _ => ProductKind::Other,
        };
        self.origins.push(TensorOrigin::Product(MatrixProduct { node: index, work, reads, layers }));
        [self.origins.len() - 1].into()
    }

    /// Adds a sum of two tensors, if it is a residual one, and returns the origins of its output.
    fn added(&mut self, index: usize, read: &[(String, Origins)]) -> Origins {
        let together = || union(read.iter().map(|(_, origins)| origins));
        let [one, other] = read else { return together() };
        let unlike = || self.dims(&one.0).zip(self.dims(&other.0)).is_some_and(|(one, other)| one != other);
        if one.1 == other.1 || unlike() {
            return together();
        }
        let is_stream = |origins: &Origins| origins.iter().all(|id| self.product(*id).is_none());
        let is_attention =
            |id: &Id| self.product(*id).is_some_and(|product| !matches!(product.work, ProductKind::Weighted { .. }));
        if one.1.iter().chain(other.1.iter()).any(is_attention) {
            return together();
        }
        let (stream, branch) = match (is_stream(&one.1), is_stream(&other.1)) {
            (true, _) => (one, other),
            (_, true) => (other, one),
            _ if self.comes_before(&one.1, &other.1) => (one, other),
            _ if self.comes_before(&other.1, &one.1) => (other, one),
            _ => return together(),
        };
        self.origins.push(TensorOrigin::Sum(ResidualSum {
            node: index,
            stream: stream.clone(),
            branch: branch.clone(),
        }));
        [self.origins.len() - 1].into()
    }

    /// Whether all of the earlier products are among the origins of the later ones.
    fn comes_before(&self, earlier: &Origins, later: &Origins) -> bool {
        let mut missing: HashSet<Id> = earlier.iter().copied().collect();
        let mut open: Vec<Id> = later.to_vec();
        let mut seen: HashSet<Id> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            let before = self.product(id).into_iter().flat_map(|product| &product.reads);
            for id in before.flat_map(|(_, origins)| origins.iter().copied()) {
                missing.remove(&id);
                if seen.len() < MOST_BETWEEN && seen.insert(id) {
                    open.push(id);
                }
            }
        }
        missing.is_empty()
    }

    /// The nodes between a tensor and its given origins; stops at products, sums and tensors accepted by `is_end`.
    pub fn between(&self, tensor: &str, origins: &[Id], is_end: impl Fn(&str) -> bool) -> Vec<usize> {
        let mut nodes = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![tensor];
        while let Some(tensor) = open.pop() {
            let Some(index) = self.maker(tensor).filter(|_| !is_end(tensor)) else { continue };
            if self.is_origin(tensor, index) || !seen.insert(index) {
                continue;
            }
            nodes.push(index);
            let passes = |name: &&String| self.of(name).is_some_and(|own| own.iter().any(|id| origins.contains(id)));
            open.extend(self.nodes[index].inputs.iter().filter(passes).map(String::as_str));
        }
        nodes.sort_unstable();
        nodes
    }

    /// Whether the node that computes a tensor is a product or a sum.
    fn is_origin(&self, tensor: &str, node: usize) -> bool {
        let own = self.of(tensor);
        own.is_some_and(|own| {
            own.iter().any(|id| match self.origins.get(*id) {
                Some(TensorOrigin::Product(product)) => product.node == node,
                Some(TensorOrigin::Sum(sum)) => sum.node == node,
                _ => false,
            })
        })
    }

    /// The tensor before casts and reshapes.
    pub fn unshaped<'t>(&'t self, tensor: &'t str) -> &'t str {
        const SHAPING: [&str; 7] = ["Identity", "Cast", "Dropout", "Reshape", "Squeeze", "Unsqueeze", "Flatten"];
        let mut tensor = tensor;
        while let Some(node) = self.maker(tensor).map(|index| &self.nodes[index])
            && SHAPING.contains(&node.op.as_str())
            && let Some(before) = node.inputs.first()
        {
            tensor = before;
        }
        tensor
    }
}

impl MatrixProduct {
    /// Its multiply-accumulates.
    pub fn macs(&self, flow: &FlowGraph) -> u64 {
        self.layers.iter().map(|id| flow.network.layer(*id).shape.macs()).sum()
    }
}

/// Whether a layer multiplies, unlike sums and pooling.
pub fn is_product(shape: &LayerShape) -> bool {
    use LayerKind::{Conv, Depthwise, FullyConnected, MatMul, Pointwise};
    matches!(shape.kind, Conv | Depthwise | FullyConnected | MatMul | Pointwise)
}

/// Rows times weights, unless it has several matrices of weights.
fn weighted(shape: &LayerShape) -> ProductKind {
    let columns = shape.size(Dim::K);
    let reads = [Dim::C, Dim::FX, Dim::FY].into_iter().map(|dim| shape.size(dim)).product::<u64>();
    let rows = [Dim::B, Dim::OX, Dim::OY].into_iter().map(|dim| shape.size(dim)).product();
    let is_one = shape.size(Dim::G) == 1 && shape.elements(Operand::W) == reads * columns;
    if is_one { ProductKind::Weighted { rows, reads, columns } } else { ProductKind::Other }
}

/// The union of origins; the inputs of the model only if there are no others.
fn union<'o>(all: impl Iterator<Item = &'o Origins> + Clone) -> Origins {
    let mut distinct = all.clone();
    if let Some(first) = distinct.next()
        && distinct.all(|other| other == first)
    {
        return Rc::clone(first);
    }
    let mut origins: Vec<Id> = all.flat_map(|origins| origins.iter().copied()).filter(|id| *id != INPUTS).collect();
    origins.sort_unstable();
    origins.dedup();
    if origins.is_empty() || origins.len() > MOST_ORIGINS { [INPUTS].into() } else { origins.into() }
}

/// A node with a sum and a further function, split in two.
fn taken_apart(node: &OnnxNode) -> Vec<Cow<'_, OnnxNode>> {
    let norm = match node.op.as_str() {
        "SkipLayerNormalization" => "LayerNormalization",
        "SkipSimplifiedLayerNormalization" => "SimplifiedLayerNormalization",
        "Sum" if node.inputs.len() > 1 => return sums(node),
        _ => return vec![Cow::Borrowed(node)],
    };
    let added = node.outputs.get(3).filter(|name| !name.is_empty()).cloned();
    let added = added.unwrap_or_else(|| format!("{}\u{0}sum", node.outputs.first().map_or("", String::as_str)));
    let part = |op: &str, inputs: Vec<String>, output: String| {
        Cow::Owned(OnnxNode {
            op: op.to_owned(),
            inputs,
            outputs: vec![output],
            attributes: Vec::new(),
            ..node.clone()
        })
    };
    let read = node.inputs.iter().take(2).cloned().collect();
    let normal = node.outputs.first().cloned().unwrap_or_default();
    vec![part("Add", read, added.clone()), part(norm, vec![added], normal)]
}

/// A sum of several tensors, two at a time.
fn sums(node: &OnnxNode) -> Vec<Cow<'_, OnnxNode>> {
    let (last, mut nodes) = (node.inputs.len() - 1, Vec::new());
    let mut first = node.inputs.first().cloned().unwrap_or_default();
    for (place, input) in node.inputs.iter().enumerate().skip(1) {
        let output = node.outputs.first().cloned().unwrap_or_default();
        let output = if place == last { output } else { format!("{output}\u{0}{place}") };
        let inputs = vec![std::mem::replace(&mut first, output.clone()), input.clone()];
        nodes.push(Cow::Owned(OnnxNode { op: "Add".to_owned(), inputs, outputs: vec![output], ..node.clone() }));
    }
    nodes
}

/// The mask that a node holds as a constant.
pub fn stated_mask(node: &OnnxNode) -> Option<Mask> {
    let tensors = node.attributes.iter().filter_map(|(_, value)| match value {
        Attribute::Tensor(tensor) => tensor.mask,
        _ => None,
    });
    (node.op == "Constant").then(|| tensors.map(Mask::of).next()).flatten()
}
