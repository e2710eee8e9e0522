//! What flows from where to where: of every tensor the products, and sums with the stream between layers, that it comes out of.
//!
//! A product is what multiplies: weights with a tensor, or two tensors. All else (views, norms, activations) passes on what it reads. A
//! residual sum adds to the stream what a branch made of it: one of its inputs comes out of products, the other one out of earlier sums, of
//! the inputs of the model, or of what these products come out of, too.

use super::mask::Mask;
use crate::onnx::builder::{Builder, place_of};
use crate::onnx::features::Value;
use crate::onnx::model::{Attribute, Model, Node};
use crate::onnx::operators::{is_constant, multiplies};
use fusescape_engine::hardware::Operand;

use fusescape_engine::workload::{Dim, LayerId, LayerKind, LayerShape, Network};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Number of an [`Origin`].
pub type Id = usize;
/// The inputs of the model.
pub const INPUTS: Id = 0;
/// Most origins of a tensor; one of more comes out of [`INPUTS`] as far as anybody looks.
const MOST_ORIGINS: usize = 32;
/// Most products between two sums that are looked at.
const MOST_BETWEEN: usize = 256;

/// What a tensor comes out of, in rising order.
pub type Origins = Rc<[Id]>;

/// Where tensors begin.
#[derive(Debug)]
pub enum Origin {
    /// Inputs of the model.
    Inputs,
    /// A product.
    Product(Product),
    /// A sum with the stream.
    Sum(Sum),
}

/// What multiplies.
#[derive(Debug)]
pub struct Product {
    /// Number of the node.
    pub node: usize,
    /// What.
    pub work: Work,
    /// What its tensors come out of, by name: one, two, or queries, keys and values.
    pub reads: Vec<(String, Origins)>,
    /// Its layers in the network.
    pub layers: Vec<LayerId>,
}

/// What a product computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// So many rows times weights, of so many rows and columns.
    Weighted {
        /// Rows of what it reads, in all images.
        rows: u64,
        /// Channels that it reads.
        reads: u64,
        /// Channels that it computes.
        columns: u64,
    },
    /// Two computed tensors: the channels over which it adds up, and columns of the second matrix.
    Pair {
        /// Channels over which it adds up.
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
        /// Scores, in all images.
        scores: u64,
    },
    /// Convolutions in groups, recurrent layers and the like.
    Other,
    /// A product that the network does not count.
    Missed,
}

/// A residual sum.
#[derive(Debug)]
pub struct Sum {
    /// Number of the node.
    pub node: usize,
    /// The tensor that passes by, and what it comes out of.
    pub stream: (String, Origins),
    /// The tensor that is added, and what it comes out of.
    pub branch: (String, Origins),
}

/// All that flows.
pub struct Flow<'m> {
    /// The nodes; those that hold a sum and a norm are two. With each the number of the node in the model.
    pub nodes: Vec<Cow<'m, Node>>,
    /// Products and sums, in the order of the nodes.
    pub origins: Vec<Origin>,
    /// What tensors come out of, but for constants.
    tensors: HashMap<String, Origins>,
    /// The nodes that make them.
    makers: HashMap<String, usize>,
    masks: HashMap<String, Mask>,
    builder: &'m Builder,
    network: &'m Network,
}

impl<'m> Flow<'m> {
    /// Follows a graph through; `network` is what was made of it.
    pub fn new(model: &'m Model, builder: &'m Builder, network: &'m Network) -> Self {
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
            origins: vec![Origin::Inputs],
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

    /// What a tensor comes out of; nothing where it is constant.
    pub fn of(&self, tensor: &str) -> Option<Origins> {
        match self.tensors.get(tensor) {
            Some(known) => Some(Rc::clone(known)),
            None if tensor.is_empty() || matches!(self.builder.value(tensor), Some(Value::Constant(_))) => None,
            None => Some([INPUTS].into()),
        }
    }

    /// The number of the node that makes a tensor.
    pub fn maker(&self, tensor: &str) -> Option<usize> {
        self.makers.get(tensor).copied()
    }

    /// What hides elements of a tensor, as far as it is known.
    pub fn mask(&self, tensor: &str) -> Mask {
        self.masks.get(tensor).copied().unwrap_or_default()
    }

    /// Where a node is.
    pub fn place(&self, node: usize) -> String {
        self.nodes.get(node).map(|node| place_of(node)).unwrap_or_default()
    }

    /// A product.
    pub fn product(&self, id: Id) -> Option<&Product> {
        match self.origins.get(id)? {
            Origin::Product(product) => Some(product),
            _ => None,
        }
    }

    /// The first tensor that a product reads.
    pub fn read_by(&self, product: Id) -> &str {
        let read = self.product(product).and_then(|product| product.reads.first());
        read.map_or("", |(tensor, _)| tensor.as_str())
    }

    /// A sum.
    pub fn sum(&self, id: Id) -> Option<&Sum> {
        match self.origins.get(id)? {
            Origin::Sum(sum) => Some(sum),
            _ => None,
        }
    }

    /// Shape of a tensor.
    pub fn dims(&self, tensor: &str) -> Option<Vec<u64>> {
        match self.builder.value(tensor)? {
            Value::Features(features) => Some(features.dims.clone()),
            Value::Constant(constant) => constant.dims.clone(),
            Value::Lost => None,
        }
    }

    /// Few whole numbers that a tensor holds.
    pub fn ints(&self, tensor: &str) -> Option<&[i64]> {
        match self.builder.value(tensor)? {
            Value::Constant(constant) => constant.ints.as_deref(),
            _ => None,
        }
    }

    fn take(&mut self, node: Cow<'m, Node>, made: &[LayerId]) {
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
                // Of positions.
                "Sin" | "Cos" => [INPUTS].into(),
                "Add" => self.added(index, &read),
                _ => union(read.iter().map(|(_, origins)| origins)),
            })
        };
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            // Shapes of computed tensors are constant.
            let is_fixed = matches!(self.builder.value(output), Some(Value::Constant(_)));
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

    /// A product.
    fn multiplied(&mut self, index: usize, node: &Node, read: Vec<(String, Origins)>, made: &[LayerId]) -> Origins {
        let network = self.network;
        let shape = |id: &LayerId| &network.layer(*id).shape;
        let is_whole =
            matches!(node.op.as_str(), "Attention" | "QAttention" | "MultiHeadAttention" | "GroupQueryAttention");
        let (layers, mut reads) = (made.to_vec(), read);
        let work = match (made, is_whole) {
            ([], _) => Work::Missed,
            ([rest @ .., scores, context], true) => {
                let own: Vec<&String> = node.inputs.iter().take(3).collect();
                reads.retain(|(name, _)| own.contains(&name));
                if !rest.is_empty() {
                    reads.truncate(1);
                    let work = rest.first().map_or(Work::Other, |id| weighted(shape(id)));
                    let product = Product { node: index, work, reads, layers: rest.to_vec() };
                    self.origins.push(Origin::Product(product));
                    let projected: Origins = [self.origins.len() - 1].into();
                    reads = vec![(String::new(), projected); 3];
                }
                // One tensor may hold all three.
                if let [all] = &reads[..] {
                    reads = vec![all.clone(); 3];
                }
                reads.truncate(3);
                let depth = shape(scores).size(Dim::C);
                let scores_macs = shape(scores).macs();
                let work = Work::Attention {
                    depth,
                    value_depth: shape(context).macs() / (scores_macs / depth.max(1)).max(1),
                    scores: scores_macs / depth.max(1),
                };
                let product = Product { node: index, work, reads, layers: vec![*scores, *context] };
                self.origins.push(Origin::Product(product));
                return [self.origins.len() - 1].into();
            }
            ([one], _) if reads.len() > 1 && shape(one).kind == LayerKind::MatMul => {
                Work::Pair { depth: shape(one).size(Dim::C), columns: shape(one).size(Dim::K) }
            }
            ([one], _) => weighted(shape(one)),
            _ => Work::Other,
        };
        self.origins.push(Origin::Product(Product { node: index, work, reads, layers }));
        [self.origins.len() - 1].into()
    }

    /// A sum of two tensors.
    fn added(&mut self, index: usize, read: &[(String, Origins)]) -> Origins {
        let together = || union(read.iter().map(|(_, origins)| origins));
        let [one, other] = read else { return together() };
        let unlike = || self.dims(&one.0).zip(self.dims(&other.0)).is_some_and(|(one, other)| one != other);
        if one.1 == other.1 || unlike() {
            return together();
        }
        let is_stream = |origins: &Origins| origins.iter().all(|id| self.product(*id).is_none());
        let is_attention =
            |id: &Id| self.product(*id).is_some_and(|product| !matches!(product.work, Work::Weighted { .. }));
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
        self.origins.push(Origin::Sum(Sum { node: index, stream: stream.clone(), branch: branch.clone() }));
        [self.origins.len() - 1].into()
    }

    /// Whether some products come out of all of others.
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

    /// The nodes between a tensor and others that it comes out of: those that pass on what these origins make, up to products, sums and
    /// tensors that `is_end` knows.
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

    /// Whether the node that makes a tensor is a product or a sum.
    fn is_origin(&self, tensor: &str, node: usize) -> bool {
        let own = self.of(tensor);
        own.is_some_and(|own| {
            own.iter().any(|id| match self.origins.get(*id) {
                Some(Origin::Product(product)) => product.node == node,
                Some(Origin::Sum(sum)) => sum.node == node,
                _ => false,
            })
        })
    }

    /// A tensor without what only casts and shapes it.
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

impl Product {
    /// Its multiply-accumulates.
    pub fn macs(&self, flow: &Flow) -> u64 {
        self.layers.iter().map(|id| flow.network.layer(*id).shape.macs()).sum()
    }
}

/// Whether a layer multiplies; sums and windows of pooling do not.
pub fn is_product(shape: &LayerShape) -> bool {
    use LayerKind::{Conv, Depthwise, FullyConnected, MatMul, Pointwise};
    matches!(shape.kind, Conv | Depthwise | FullyConnected | MatMul | Pointwise)
}

/// Rows times weights, unless it has several matrices of these.
fn weighted(shape: &LayerShape) -> Work {
    let columns = shape.size(Dim::K);
    let reads = [Dim::C, Dim::FX, Dim::FY].into_iter().map(|dim| shape.size(dim)).product::<u64>();
    let rows = [Dim::B, Dim::OX, Dim::OY].into_iter().map(|dim| shape.size(dim)).product();
    let is_one = shape.size(Dim::G) == 1 && shape.elements(Operand::W) == reads * columns;
    if is_one { Work::Weighted { rows, reads, columns } } else { Work::Other }
}

/// All origins of some tensors; the inputs of the model only where there are no others.
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

/// A node that adds and then does something else as two nodes.
fn taken_apart(node: &Node) -> Vec<Cow<'_, Node>> {
    let norm = match node.op.as_str() {
        "SkipLayerNormalization" => "LayerNormalization",
        "SkipSimplifiedLayerNormalization" => "SimplifiedLayerNormalization",
        "Sum" if node.inputs.len() > 1 => return sums(node),
        _ => return vec![Cow::Borrowed(node)],
    };
    let added = node.outputs.get(3).filter(|name| !name.is_empty()).cloned();
    let added = added.unwrap_or_else(|| format!("{}\u{0}sum", node.outputs.first().map_or("", String::as_str)));
    let part = |op: &str, inputs: Vec<String>, output: String| {
        Cow::Owned(Node { op: op.to_owned(), inputs, outputs: vec![output], attributes: Vec::new(), ..node.clone() })
    };
    let read = node.inputs.iter().take(2).cloned().collect();
    let normal = node.outputs.first().cloned().unwrap_or_default();
    vec![part("Add", read, added.clone()), part(norm, vec![added], normal)]
}

/// A sum of several tensors, two at a time.
fn sums(node: &Node) -> Vec<Cow<'_, Node>> {
    let (last, mut nodes) = (node.inputs.len() - 1, Vec::new());
    let mut first = node.inputs.first().cloned().unwrap_or_default();
    for (place, input) in node.inputs.iter().enumerate().skip(1) {
        let output = node.outputs.first().cloned().unwrap_or_default();
        let output = if place == last { output } else { format!("{output}\u{0}{place}") };
        let inputs = vec![std::mem::replace(&mut first, output.clone()), input.clone()];
        nodes.push(Cow::Owned(Node { op: "Add".to_owned(), inputs, outputs: vec![output], ..node.clone() }));
    }
    nodes
}

/// The mask that a node holds as a constant.
pub fn stated_mask(node: &Node) -> Option<Mask> {
    let tensors = node.attributes.iter().filter_map(|(_, value)| match value {
        Attribute::Tensor(tensor) => tensor.mask,
        _ => None,
    });
    (node.op == "Constant").then(|| tensors.map(Mask::of).next()).flatten()
}
