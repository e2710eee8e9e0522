//! ONNX models as transformers: equal layers, each of attention and a feed-forward part.
//!
//! The graph is first imported as a network ([`super::walked`]), which finds shapes and products. [`flow`] traces the
//! origins of tensors; [`blocks`] finds attention (two products of computed matrices with a softmax between, or one
//! operator for all of it), the products with weights before and after it, and the feed-forward part after these;
//! [`lanes`] finds norms, rotary embeddings and activations, [`mask`] the masks. All blocks must be equal. Parts before
//! and after the blocks are left out, and reported. Finally the multiply-accumulates of the document are compared with
//! those of the network.

mod blocks;
mod flow;
mod lanes;
mod mask;
mod refusals;

use super::builder::clean;
use super::model::OnnxModel;
use super::{Options, finish, title, walked};
use crate::report::{ImportReport, Severity};
use blocks::{BlockSizes, TransformerBlock, blocks};
use flow::{FlowGraph, Id, ProductKind, TensorOrigin};
use fusescape_engine::attention::{Step, TransformerWork};
use fusescape_engine::transformer::Transformer;
use fusescape_engine::workload::Network;
use fusescape_spec::{Diagnostics, TransformerSpec, write_transformer};
use refusals::{AS_A_NETWORK, Refusals};
use std::collections::BTreeSet;

/// The transformer of a model, with a report.
pub fn transformer(
    model: &OnnxModel,
    name: &str,
    options: &Options,
) -> Result<(TransformerSpec, ImportReport), Diagnostics> {
    let options = Options { has_vector_unit: false, ..options.clone() };
    let mut builder = walked(model, name, &options)?;
    let sizes: Vec<_> = builder.report.findings.iter().filter(|finding| finding.what == "size").cloned().collect();
    let layers = builder.layers.clone();
    let (spec, _) = finish(model, &mut builder, name)?;
    builder.layers = layers;
    let network = Network::new(&spec)?;
    let flow = FlowGraph::new(model, &builder, &network);
    let mut refusals = Refusals::default();
    let found = blocks(&flow, &mut refusals);
    let parts: BTreeSet<Id> = found.iter().flat_map(|block| block.parts.iter().copied()).collect();
    let Some(first) = found.first().filter(|_| refusals.is_empty()) else { return Err(refusals.into_diagnostics()) };
    alike(&flow, &found, &mut refusals);
    let outside = outside(&flow, &parts, &mut refusals);
    if !refusals.is_empty() {
        return Err(refusals.into_diagnostics());
    }
    let step = step(&first.sizes, builder.batch);
    let spec = document(model, name, &first.sizes, found.len(), step.cached > 0);
    let text = write_transformer(&spec);
    let transformer = Transformer::from_text(&text)?;
    let mut report = ImportReport { title: title(model, name), ..ImportReport::default() };
    report.findings.extend(sizes);
    for (severity, what, node) in found.iter().flat_map(|block| &block.notes) {
        report.note(*severity, "block", what, &flow.place(*node));
    }
    // The document computes the same as the network, except for the parts that are left out.
    let all = network_macs(&flow, flow.origins.iter().enumerate().map(|(id, _)| id));
    let left_out = network_macs(&flow, outside.iter().copied());
    let own = dense_macs(&transformer, &step);
    if own.checked_add(left_out) != Some(all) {
        let reason = format!(
            "A transformer of {} layers would take {own} multiply-accumulates for {} tokens, the network of this model {}",
            transformer.layers,
            step.tokens,
            all - left_out
        );
        let mut wrong = Diagnostics::default();
        wrong.add("", reason, AS_A_NETWORK);
        return Err(wrong);
    }
    note_left_out(&flow, &outside, &parts, &mut report);
    report.result = format!(
        "a transformer of {} layers, {} heads and {} channels; {} new tokens{} of {} {} take {own} MACs, as many as in the network of the \
         same model{}",
        transformer.layers,
        transformer.heads,
        transformer.width,
        step.tokens,
        if step.cached > 0 { format!(" behind {} cached ones", step.cached) } else { String::new() },
        step.batch,
        if step.batch == 1 { "sequence" } else { "sequences" },
        if left_out > 0 { format!(", which has {left_out} more, in what is left out") } else { String::new() },
    );
    Ok((spec, report))
}

/// Refuses blocks of different sizes.
fn alike(flow: &FlowGraph, blocks: &[TransformerBlock], refusals: &mut Refusals) {
    let Some((first, rest)) = blocks.split_first() else { return };
    for block in rest {
        let (one, other) = (&first.sizes, &block.sizes);
        let mut unlike = Vec::new();
        let mut compare = |what: &str, one: String, other: String| {
            if one != other {
                unlike.push(format!("{what} {other}, not {one}"));
            }
        };
        let word = |is: bool| if is { "true" } else { "false" }.to_owned();
        compare("width", one.width.to_string(), other.width.to_string());
        compare("heads", one.heads.to_string(), other.heads.to_string());
        compare("key_heads", one.key_heads.to_string(), other.key_heads.to_string());
        compare("head_size", one.head_size.to_string(), other.head_size.to_string());
        compare("feed_forward.width", one.hidden.to_string(), other.hidden.to_string());
        compare("feed_forward.gated", word(one.gated), word(other.gated));
        compare("feed_forward.activation", one.activation.to_owned(), other.activation.to_owned());
        compare("norm", one.norm.to_owned(), other.norm.to_owned());
        compare("post_norm", word(one.post_norm), word(other.post_norm));
        compare("rotary", word(one.rotary), word(other.rotary));
        compare("decoder", word(one.mask.is_causal), word(other.mask.is_causal));
        let window =
            |sizes: &BlockSizes| sizes.mask.window.map_or_else(|| "none".to_owned(), |window| window.to_string());
        compare("window", window(one), window(other));
        compare("tokens", one.rows.to_string(), other.rows.to_string());
        compare("keys", one.keys.to_string(), other.keys.to_string());
        if !unlike.is_empty() {
            let reason = format!("A block is not like the first one: {}", unlike.join("; "));
            refusals.add(
                flow.place(block.node),
                reason,
                "Export a part of the model of which all blocks are alike, or import it as a network",
            );
        }
    }
}

/// Products outside of blocks; those between blocks are refused.
fn outside(flow: &FlowGraph, parts: &BTreeSet<Id>, refusals: &mut Refusals) -> Vec<Id> {
    let reads = |id: Id| -> Vec<Id> {
        match flow.origins.get(id) {
            Some(TensorOrigin::Product(product)) => {
                product.reads.iter().flat_map(|(_, own)| own.iter().copied()).collect()
            }
            Some(TensorOrigin::Sum(sum)) => sum.stream.1.iter().chain(sum.branch.1.iter()).copied().collect(),
            _ => Vec::new(),
        }
    };
    let count = flow.origins.len();
    let (mut follows, mut precedes) = (vec![false; count], vec![false; count]);
    for id in 0..count {
        follows[id] = reads(id).into_iter().any(|before| parts.contains(&before) || follows[before]);
    }
    for id in (0..count).rev() {
        let leads = parts.contains(&id) || precedes[id];
        for before in reads(id).into_iter().filter(|_| leads) {
            precedes[before] = true;
        }
    }
    let others = (1..count).filter(|id| !parts.contains(id)).collect::<Vec<_>>();
    for &id in others.iter().filter(|id| follows[**id] && precedes[**id]) {
        let (node, reason) = match &flow.origins[id] {
            TensorOrigin::Product(product) => (product.node, "It multiplies within the blocks, and is no part of them"),
            TensorOrigin::Sum(sum) => (sum.node, "It adds to the residual stream, and is no part of a block"),
            TensorOrigin::Inputs => continue,
        };
        refusals.add(flow.place(node), reason.to_owned(), AS_A_NETWORK);
    }
    others.into_iter().filter(|id| flow.product(*id).is_some()).collect()
}

/// Multiply-accumulates of products in the network.
fn network_macs(flow: &FlowGraph, products: impl Iterator<Item = Id>) -> u64 {
    products.filter_map(|id| flow.product(id)).map(|product| product.macs(flow)).fold(0, u64::saturating_add)
}

/// The step that the graph computes.
fn step(sizes: &BlockSizes, batch: u64) -> Step {
    let batch = if sizes.rows.is_multiple_of(batch.max(1)) { batch.max(1) } else { 1 };
    let tokens = sizes.rows / batch;
    Step { batch, tokens, cached: sizes.keys.saturating_sub(tokens), sees_itself: true }
}

/// Multiply-accumulates of a step of all layers, including masked scores, as a graph computes them.
fn dense_macs(transformer: &Transformer, step: &Step) -> u64 {
    let scores = step.batch * transformer.heads * step.tokens * step.keys();
    transformer.layers * (transformer.weighted_macs(step) + 2 * scores * transformer.depth)
}

fn document(model: &OnnxModel, name: &str, sizes: &BlockSizes, layers: usize, has_cache: bool) -> TransformerSpec {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    TransformerSpec {
        name: clean(stem),
        about: format!(
            "The blocks of {}. Embeddings, heads behind the blocks and biases are not counted.",
            title(model, name)
        ),
        layers: layers as u64,
        width: sizes.width,
        heads: sizes.heads,
        key_heads: sizes.key_heads,
        head_size: sizes.head_size,
        hidden: sizes.hidden,
        gated: sizes.gated,
        experts: 1,
        active: 1,
        decoder: sizes.mask.is_causal || has_cache,
        window: sizes.mask.window,
        norm: sizes.norm.to_owned(),
        post_norm: sizes.post_norm,
        activation: sizes.activation.to_owned(),
        rotary: sizes.rotary,
        ..TransformerSpec::default()
    }
}

/// Reports the parts before and after the blocks.
fn note_left_out(flow: &FlowGraph, outside: &[Id], parts: &BTreeSet<Id>, report: &mut ImportReport) {
    let (first, last) = (parts.first().copied().unwrap_or(0), parts.last().copied().unwrap_or(0));
    for product in outside.iter() {
        let place = if *product < first {
            "before the blocks"
        } else if *product > last {
            "behind the blocks"
        } else {
            "beside the blocks"
        };
        let Some(product) = flow.product(*product) else { continue };
        let what = match product.work {
            ProductKind::Weighted { rows, reads, columns } => format!("{reads} x {columns} weights for {rows} rows"),
            ProductKind::Missed => "which the network does not count either".to_owned(),
            _ => "a product".to_owned(),
        };
        let reason = format!("{place}, {what}: {} MACs, left out", product.macs(flow));
        report.note(Severity::NotCounted, &flow.nodes[product.node].op, &reason, &flow.place(product.node));
    }
    for (index, node) in flow.nodes.iter().enumerate() {
        let table = (node.op == "Gather").then(|| flow.dims(node.inputs.first()?)).flatten();
        let is_looked_up = node.inputs.first().is_some_and(|name| flow.of(name).is_none())
            && node.outputs.first().is_some_and(|name| flow.of(name).is_some());
        if let (Some([rows, columns]), true) = (table.as_deref(), is_looked_up) {
            let reason = format!("a table of {rows} x {columns}, of which rows are looked up, left out");
            report.note(Severity::NotCounted, "embedding", &reason, &flow.place(index));
        }
    }
}
