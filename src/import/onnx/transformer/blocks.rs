//! The repeated blocks of a graph: attention, followed by a feed-forward part.

use super::flow::{FlowGraph, INPUTS, Id, Origins, ProductKind, TensorOrigin};
use super::lanes::{NormName, activation, is_rotary, norm};
use super::mask::Mask;
use super::refusals::{AS_A_NETWORK, Refusals};
use crate::report::Severity;
use std::collections::BTreeSet;

/// The parameters of one block that a document can express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSizes {
    /// Channels of a token between blocks.
    pub width: u64,
    /// Query heads.
    pub heads: u64,
    /// Heads of keys and values.
    pub key_heads: u64,
    /// Elements of a query, key or value.
    pub head_size: u64,
    /// Channels within the feed-forward part.
    pub hidden: u64,
    /// Whether a third matrix gates the hidden channels.
    pub gated: bool,
    /// Activation function of the hidden channels.
    pub activation: &'static str,
    /// Kind of normalisation.
    pub norm: NormName,
    /// Whether the norm follows the residual sum.
    pub post_norm: bool,
    /// Whether queries and keys have rotary embeddings.
    pub rotary: bool,
    /// The keys that are hidden from queries.
    pub mask: Mask,
    /// Tokens of all sequences.
    pub rows: u64,
    /// Keys of a sequence.
    pub keys: u64,
}

/// A property that a document cannot express, with the index of its node.
pub type Note = (Severity, &'static str, usize);

/// Attention and feed-forward part of one layer.
#[derive(Debug)]
pub struct TransformerBlock {
    /// Index of the node that weights the values.
    pub node: usize,
    /// All of its products and sums.
    pub parts: BTreeSet<Id>,
    pub sizes: BlockSizes,
    /// Properties that are left out or expressed otherwise, with the index of the node.
    pub notes: Vec<Note>,
}

/// Attention in the graph.
#[derive(Debug, Clone)]
struct AttentionCore {
    /// Two products of computed matrices, or a single node for the whole attention.
    products: Vec<Id>,
    /// The product that weights the values, whose output is the result.
    context: Id,
    /// Tensors of queries, keys and values, and their origins.
    reads: [(String, Origins); 3],
    depth: u64,
    value_depth: u64,
    /// Number of scores, in all images.
    scores: u64,
    mask: Mask,
}

/// The blocks, in order. Reasons why the model is not a transformer are added to the refusals.
pub fn blocks(flow: &FlowGraph, refusals: &mut Refusals) -> Vec<TransformerBlock> {
    let cores = cores(flow, refusals);
    if cores.is_empty() && refusals.is_empty() {
        refusals.add(
            "",
            "There is no attention in it: no softmax stands between two products of computed matrices".to_owned(),
            AS_A_NETWORK,
        );
    }
    let mut blocks = Vec::new();
    let mut before: Option<Id> = None;
    for core in &cores {
        let found = BlockFinder { flow, core, refusals, notes: Vec::new() }.block(before);
        before = found.as_ref().and_then(|block| block.parts.iter().rev().find(|id| flow.sum(**id).is_some()).copied());
        blocks.extend(found);
    }
    if blocks.len() < cores.len() && refusals.is_empty() {
        refusals.add("", "Its attention stands in blocks of a form that is not known here".to_owned(), AS_A_NETWORK);
    }
    blocks
}

/// All attention in the graph.
fn cores(flow: &FlowGraph, refusals: &mut Refusals) -> Vec<AttentionCore> {
    let mut cores = Vec::new();
    let mut scores_of_cores = BTreeSet::new();
    for (id, origin) in flow.origins.iter().enumerate() {
        let TensorOrigin::Product(product) = origin else { continue };
        let node = &flow.nodes[product.node];
        match (product.work, &product.reads[..]) {
            (ProductKind::Attention { depth, value_depth, scores }, [queries, keys, values, ..]) => {
                let reads = [queries.clone(), keys.clone(), values.clone()];
                let mask = Mask::of_operator(flow, node);
                cores.push(AttentionCore { products: vec![id], context: id, reads, depth, value_depth, scores, mask });
            }
            (ProductKind::Pair { columns, .. }, [first, second, ..]) => {
                let is_pair = |origins: &Origins| match origins[..] {
                    [one] => flow.product(one).filter(|one| matches!(one.work, ProductKind::Pair { .. })).map(|_| one),
                    _ => None,
                };
                let (shares, values, scored) = match (is_pair(&first.1), is_pair(&second.1)) {
                    (Some(scored), _) => (first, second, scored),
                    (None, Some(scored)) => (second, first, scored),
                    (None, None) => continue,
                };
                let Some(scores) = flow.product(scored) else { continue };
                let (ProductKind::Pair { depth, .. }, [queries, keys, ..]) = (scores.work, &scores.reads[..]) else {
                    continue;
                };
                scores_of_cores.insert(scored);
                let between = flow.between(&shares.0, &[scored], |_| false);
                let weighs = |index: &usize| matches!(flow.nodes[*index].op.as_str(), "Softmax" | "Exp");
                if !between.iter().any(weighs) {
                    let reason = "No softmax stands between the two products of computed matrices: this is no attention that is known here";
                    refusals.add(flow.place(product.node), reason.to_owned(), AS_A_NETWORK);
                    continue;
                }
                let mask = Mask::between(flow, &between, scored);
                let scores = scores.macs(flow) / depth.max(1);
                let reads = [queries.clone(), keys.clone(), values.clone()];
                cores.push(AttentionCore {
                    products: vec![scored, id],
                    context: id,
                    reads,
                    depth,
                    value_depth: columns,
                    scores,
                    mask,
                });
            }
            _ => {}
        }
    }
    for (id, origin) in flow.origins.iter().enumerate() {
        let TensorOrigin::Product(product) = origin else { continue };
        let is_known = scores_of_cores.contains(&id) || cores.iter().any(|core| core.context == id);
        if matches!(product.work, ProductKind::Pair { .. }) && !is_known {
            let reason = "It multiplies two computed matrices, and is no part of attention";
            refusals.add(flow.place(product.node), reason.to_owned(), AS_A_NETWORK);
        }
    }
    cores
}

/// Finds the block around an attention.
struct BlockFinder<'a, 'm> {
    flow: &'a FlowGraph<'m>,
    core: &'a AttentionCore,
    refusals: &'a mut Refusals,
    notes: Vec<Note>,
}

impl BlockFinder<'_, '_> {
    fn refuse<T>(&mut self, node: usize, reason: impl Into<String>) -> Option<T> {
        let place = self.flow.place(node);
        self.refusals.add(place, reason.into(), AS_A_NETWORK);
        None
    }

    /// The block; `before` is the sum at the end of the previous one.
    fn block(&mut self, before: Option<Id>) -> Option<TransformerBlock> {
        let flow = self.flow;
        let node = flow.product(self.core.context)?.node;
        let projected = self.projections(node)?;
        let projections: BTreeSet<Id> = projected.iter().copied().collect();
        let stream = self.stream(&projections, node)?;
        if before.is_some_and(|before| stream[..] != [before]) {
            return self.refuse(node, "Attention reads something else than what the block before it computes");
        }
        let (output, sum) = self.output(node)?;
        let Heads { width, rows, heads, key_heads } = self.heads(&projected, output, node)?;
        let FeedForward { contraction, expansions, end, hidden } = self.feed_forward(&stream, sum, node)?;
        let gated = self.gate(contraction, &expansions, hidden)?;
        let products = Products { projected, output, sum, expansions, contraction, end };
        let (norm, post_norm) = self.norms(&products, &stream, node)?;
        let rotary = self.is_rotary(&products, node);
        let activation = self.activation(&products, gated, node)?;
        let Products { projected, output, sum, expansions, contraction, end } = products;
        let parts = [&self.core.products, &projected, &expansions].into_iter().flatten().copied();
        let parts = parts.chain([output, contraction, sum, end]).collect();
        let head_size = self.core.depth;
        let keys = self.core.scores.checked_div(heads * rows)?;
        let sizes = BlockSizes {
            width,
            heads,
            key_heads,
            head_size,
            hidden,
            gated,
            activation,
            norm,
            post_norm,
            rotary,
            mask: self.core.mask,
            rows,
            keys,
        };
        Some(TransformerBlock { node, parts, sizes, notes: std::mem::take(&mut self.notes) })
    }

    /// The kind and the place of normalisation: before products, on the residual stream, or at the end of branches.
    fn norms(&mut self, products: &Products, stream: &Origins, node: usize) -> Option<(NormName, bool)> {
        let flow = self.flow;
        let Products { output, sum, contraction, end, .. } = *products;
        let [of_sum, of_end] = [flow.sum(sum)?, flow.sum(end)?];
        let expansion = *products.expansions.first()?;
        let is_parallel = flow.product(expansion)?.reads.first()?.1 == *stream;
        let before = |product: Id, origins: &[Id], passing: &str| {
            let passing = flow.unshaped(passing);
            flow.between(flow.read_by(product), origins, |tensor| flow.unshaped(tensor) == passing)
        };
        let is_alone = |nodes: Vec<usize>| if is_parallel { Vec::new() } else { nodes };
        let places = [
            before(*products.projected.first()?, stream, &of_sum.stream.0),
            is_alone(before(expansion, &[sum], &of_end.stream.0)),
            is_alone(flow.between(&of_end.stream.0, &[sum], |_| false)),
            flow.between(&of_sum.branch.0, &[output], |_| false),
            flow.between(&of_end.branch.0, &[contraction], |_| false),
        ];
        let mut found = [None; 5];
        for (found, nodes) in found.iter_mut().zip(&places) {
            match norm(flow, nodes) {
                Ok(kind) => *found = kind,
                Err(op) => {
                    let place = nodes.iter().copied().find(|index| flow.nodes[*index].op == op).unwrap_or(node);
                    return self.refuse(place, format!("`{op}` is no norm that a transformer document has a word for"));
                }
            }
        }
        if found.iter().flatten().collect::<BTreeSet<_>>().len() > 1 {
            return self.refuse(node, "It has norms of two kinds");
        }
        let [first, second, passing, behind, last] = found;
        if is_parallel {
            self.note(
                Severity::Expressed,
                "attention and the feed-forward part read the same tokens; in the document one follows the other",
                node,
            );
        } else if first.is_none() != second.is_none() {
            self.note(
                Severity::Expressed,
                "only one of attention and the feed-forward part has a norm; both have one in the document",
                node,
            );
        }
        match (first.or(second), passing, behind.or(last)) {
            (Some(norm), None, after) => {
                if after.is_some() {
                    self.note(
                        Severity::NotCounted,
                        "norms behind attention and the feed-forward part, before the sums, are left out",
                        node,
                    );
                }
                Some((norm, false))
            }
            (None, Some(norm), None) => Some((norm, true)),
            (None, None, Some(norm)) => {
                self.note(Severity::Expressed, "norms stand before the sums; in the document they follow these", node);
                Some((norm, true))
            }
            (None, None, None) => Some(("none", false)),
            _ => self.refuse(node, "It has norms both before products and on the way of the residual stream"),
        }
    }

    /// Whether queries and keys have rotary embeddings.
    fn is_rotary(&mut self, products: &Products, node: usize) -> bool {
        let mut rotary = self.flow.nodes[node].int("do_rotary") == Some(1);
        for ((tensor, origins), product) in self.core.reads.iter().take(2).zip(&products.projected) {
            let nodes = self.flow.between(tensor, origins, |_| false);
            rotary |= is_rotary(self.flow, &nodes, *product);
            if norm(self.flow, &nodes) != Ok(None) {
                self.note(Severity::NotCounted, "norms of queries and keys are left out", node);
            }
        }
        rotary
    }

    /// The activation function of the hidden channels.
    fn activation(&mut self, products: &Products, gated: bool, node: usize) -> Option<&'static str> {
        let flow = self.flow;
        let nodes = flow.between(flow.read_by(products.contraction), &products.expansions, |_| false);
        if norm(flow, &nodes) != Ok(None) {
            self.note(Severity::NotCounted, "norms within the feed-forward part are left out", node);
        }
        let of_expansions = products.expansions.iter().filter_map(|id| Some(&*flow.nodes[flow.product(*id)?.node]));
        match activation(flow, &nodes, &of_expansions.collect::<Vec<_>>(), gated) {
            Ok(activation) => Some(activation),
            Err(op) => {
                let reason = format!(
                    "The activation, `{op}`, is none that a transformer document has a word for: gelu, silu, relu"
                );
                self.refuse(flow.product(products.contraction)?.node, reason)
            }
        }
    }

    fn note(&mut self, severity: Severity, what: &'static str, node: usize) {
        if !self.notes.contains(&(severity, what, node)) {
            self.notes.push((severity, what, node));
        }
    }

    /// The products that compute queries, keys and values: one, two or three.
    fn projections(&mut self, node: usize) -> Option<Vec<Id>> {
        let mut found = Vec::new();
        for ((_, origins), what) in self.core.reads.clone().iter().zip(["Queries", "Keys", "Values"]) {
            let one = match origins[..] {
                [one] => self
                    .flow
                    .product(one)
                    .filter(|product| matches!(product.work, ProductKind::Weighted { .. }))
                    .map(|_| one),
                _ => None,
            };
            match one {
                Some(one) => found.push(one),
                None if origins[..] == [INPUTS] => {
                    return self
                        .refuse(node, format!("{what} are inputs of the model, and not made of tokens by weights"));
                }
                None => return self.refuse(node, format!("{what} do not come out of one product with weights")),
            }
        }
        Some(found)
    }

    /// The origins of queries, keys and values.
    fn stream(&mut self, projections: &BTreeSet<Id>, node: usize) -> Option<Origins> {
        let mut read = projections.iter().filter_map(|id| self.flow.product(*id)?.reads.first());
        let (tensor, stream) = read.next()?.clone();
        // Inputs of the model are distinguished by their tensors.
        let is_input = stream[..] == [INPUTS];
        let is_same = |name: &str| !is_input || self.flow.unshaped(name) == self.flow.unshaped(&tensor);
        if read.any(|(name, origins)| *origins != stream || !is_same(name)) {
            let reason = "Keys and values come out of other tokens than queries: attention to another sequence";
            return self.refuse(node, reason);
        }
        let reads_product = stream.iter().any(|id| self.flow.product(*id).is_some());
        let is_first = |id: &Id| {
            let product = self.flow.product(*id);
            product.is_some_and(|product| product.reads.iter().all(|(_, origins)| origins[..] == [INPUTS]))
        };
        if reads_product && !stream.iter().all(is_first) {
            return self.refuse(node, "Queries, keys or values come out of several products in a row, as with latents");
        }
        Some(stream)
    }

    /// The product with the results of attention, and the residual sum after it.
    fn output(&mut self, node: usize) -> Option<(Id, Id)> {
        let context = self.core.context;
        let readers: Vec<Id> = self
            .products()
            .filter(|(_, reads)| reads.iter().any(|(_, origins)| origins.contains(&context)))
            .map(|(id, _)| id)
            .collect();
        let [output] = readers[..] else {
            return self.refuse(node, format!("{} products read the results of attention, not one", readers.len()));
        };
        let of_output = self.flow.product(output)?;
        if !matches!(of_output.work, ProductKind::Weighted { .. }) || of_output.reads.first()?.1[..] != [context] {
            return self.refuse(
                of_output.node,
                "It reads the results of attention, and is no product of these alone with weights",
            );
        }
        match self.sum_of(output) {
            Some(sum) => Some((output, sum)),
            None => self.refuse(of_output.node, "No residual sum adds the results of attention to what it read"),
        }
    }

    fn products(&self) -> impl Iterator<Item = (Id, &[(String, Origins)])> {
        self.flow.origins.iter().enumerate().filter_map(|(id, origin)| match origin {
            TensorOrigin::Product(product) => Some((id, &product.reads[..])),
            _ => None,
        })
    }

    /// The residual sum that adds the output of a product.
    fn sum_of(&self, product: Id) -> Option<Id> {
        let adds = |origin: &TensorOrigin| matches!(origin, TensorOrigin::Sum(sum) if sum.branch.1.contains(&product));
        self.flow.origins.iter().position(adds)
    }

    /// Channels, heads and rows of the projections.
    fn heads(&mut self, projected: &[Id], output: Id, node: usize) -> Option<Heads> {
        let AttentionCore { depth, value_depth, .. } = *self.core;
        let shape = |id: Id| match self.flow.product(id)?.work {
            ProductKind::Weighted { rows, reads, columns } => Some((rows, reads, columns)),
            _ => None,
        };
        let (rows, joined, width) = shape(output)?;
        if depth != value_depth {
            let reason = format!(
                "Values have {value_depth} elements, queries and keys {depth}; a document has one size of a head"
            );
            return self.refuse(node, reason);
        }
        let distinct: BTreeSet<Id> = projected.iter().copied().collect();
        let all: Vec<(u64, u64, u64)> = distinct.iter().filter_map(|id| shape(*id)).collect();
        if let Some((_, reads, _)) = all.iter().find(|(_, reads, _)| *reads != width) {
            return self.refuse(node, format!("It reads {reads} channels of a token, and its results have {width}"));
        }
        if all.iter().any(|(own, ..)| *own != rows) {
            return self.refuse(node, "Queries and keys are of unlike numbers of tokens");
        }
        let columns = all.iter().fold(0_u64, |sum, (_, _, columns)| sum.saturating_add(*columns));
        let heads = joined.checked_div(depth)?;
        let of_keys = columns.checked_div(depth)?.checked_sub(heads).map(|both| both / 2);
        let key_heads = of_keys.filter(|key_heads| {
            let fits = joined == heads * depth && columns == (heads + 2 * key_heads) * depth && *key_heads > 0;
            let each = [heads, *key_heads, *key_heads].map(|heads| heads * depth);
            fits && (distinct.len() < 3
                || projected.iter().zip(each).all(|(id, own)| shape(*id).is_some_and(|(_, _, columns)| columns == own)))
        });
        match key_heads {
            Some(key_heads) => Some(Heads { width, rows, heads, key_heads }),
            None => {
                let reason = format!(
                    "{columns} channels of queries, keys and values, and {joined} of results, do not divide into heads of {depth}"
                );
                self.refuse(node, reason)
            }
        }
    }

    /// The feed-forward part that reads the output of attention, or (in parallel) its input.
    fn feed_forward(&mut self, stream: &Origins, sum: Id, node: usize) -> Option<FeedForward> {
        let flow = self.flow;
        let made_of = |id: Id| flow.product(id).and_then(|product| Some(&product.reads.first()?.1));
        let mut found = Vec::new();
        for (end, origin) in flow.origins.iter().enumerate().skip(sum) {
            let TensorOrigin::Sum(last) = origin else { continue };
            for &contraction in last.branch.1.iter() {
                let Some(expansions) = made_of(contraction) else { continue };
                let reads =
                    |expected: &[Id]| expansions.iter().all(|id| made_of(*id).is_some_and(|own| own[..] == *expected));
                // A sum that also adds attention belongs to the next block.
                let is_behind = end != sum && last.stream.1[..] == [sum] && last.branch.1.len() == 1;
                if (is_behind && reads(&[sum]))
                    || ((is_behind || end == sum)
                        && reads(stream)
                        && expansions.iter().all(|id| flow.product(*id).is_some()))
                {
                    found.push((contraction, expansions.clone(), end));
                }
            }
        }
        let [(contraction, expansions, end)] = &found[..] else {
            return match found.len() {
                0 => self.refuse(
                    node,
                    "No feed-forward part of two products with weights follows attention and is added to its sum",
                ),
                count => self.refuse(node, format!("{count} feed-forward parts follow attention")),
            };
        };
        let ProductKind::Weighted { reads: hidden, .. } = flow.product(*contraction)?.work else { return None };
        Some(FeedForward { contraction: *contraction, expansions: expansions.to_vec(), end: *end, hidden })
    }

    /// Whether hidden channels are gated; `None` if the products do not match either form.
    fn gate(&mut self, contraction: Id, expansions: &[Id], hidden: u64) -> Option<bool> {
        let columns: Vec<u64> = expansions
            .iter()
            .filter_map(|id| match self.flow.product(*id)?.work {
                ProductKind::Weighted { columns, .. } => Some(columns),
                _ => None,
            })
            .collect();
        let node = self.flow.product(contraction)?.node;
        match columns[..] {
            [own] if own == hidden && expansions.len() == 1 => Some(false),
            [both] if hidden.checked_mul(2) == Some(both) && expansions.len() == 1 => Some(true),
            [one, other] if one == hidden && other == hidden && expansions.len() == 2 => Some(true),
            _ => {
                let told: Vec<String> = columns.iter().map(u64::to_string).collect();
                let reason = format!(
                    "It reads {hidden} channels that {} products with weights make, of {} channels",
                    expansions.len(),
                    told.join(", ")
                );
                self.refuse(node, reason)
            }
        }
    }
}

/// The products of a block with weights, and its sums.
struct Products {
    /// Those that compute queries, keys and values; may be a single one.
    projected: Vec<Id>,
    output: Id,
    /// The residual sum after attention.
    sum: Id,
    expansions: Vec<Id>,
    contraction: Id,
    /// The residual sum after the feed-forward part.
    end: Id,
}

/// Sizes of the projections.
struct Heads {
    width: u64,
    rows: u64,
    heads: u64,
    key_heads: u64,
}

/// The products of the feed-forward part, and the residual sum after it.
struct FeedForward {
    contraction: Id,
    expansions: Vec<Id>,
    end: Id,
    hidden: u64,
}
