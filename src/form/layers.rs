//! Edits of layers. A layer without `from` reads the one before it in the document, so adding and removing layers
//! changes connections: these edits keep the network connected.

use fusescape_spec::edit::{Outline, between_brackets, flow_list, flow_map};
use fusescape_spec::layer_fields;
use std::collections::HashMap;

const LAYERS: &str = "layers";
/// Output channels of a new layer if nothing suggests others.
const CHANNELS: u64 = 16;

fn field(layer: usize, name: &str) -> String {
    format!("{LAYERS}[{layer}].{name}")
}

fn name_of(document: &Outline, layer: usize) -> Option<String> {
    document.value(&field(layer, "name")).filter(|name| !name.is_empty())
}

/// The input of a layer without `from`: the layer before it.
fn implicit_input(document: &Outline, layer: usize) -> Option<String> {
    let is_input = document.value(&field(layer, "type")).is_some_and(|kind| kind == "input");
    if is_input || document.has(&field(layer, "from")) {
        return None;
    }
    name_of(document, layer.checked_sub(1)?)
}

/// The inputs of a layer, stated or not.
pub fn layer_inputs(document: &Outline, layer: usize) -> Vec<String> {
    let stated = document.names(&field(layer, "from"));
    if stated.is_empty() { implicit_input(document, layer).into_iter().collect() } else { stated }
}

/// Sets the inputs of a layer; none for the layer before it.
pub fn set_inputs(document: &Outline, layer: usize, inputs: &[String]) -> Option<Outline> {
    let path = field(layer, "from");
    match inputs {
        _ if *inputs == layer_inputs(document, layer) => Some(document.clone()),
        [] if document.has(&path) => document.remove(&path),
        [] => Some(document.clone()),
        [one] => document.put(&path, &between_brackets(one)),
        several => document.put(&path, &flow_list(&several.iter().map(String::as_str).collect::<Vec<_>>())),
    }
}

/// Renames a layer, also in the inputs of others, if the new name is free.
pub fn rename_layer(document: &Outline, layer: usize, name: &str) -> Option<Outline> {
    let old = document.value(&field(layer, "name")).unwrap_or_default();
    let renamed = document.write(&field(layer, "name"), name)?;
    let named = |name: &str| {
        (0..document.len(LAYERS)).filter(|&other| name_of(document, other).is_some_and(|other| other == name)).count()
    };
    if old.is_empty() || name.is_empty() || named(&old) != 1 || named(name) > 0 {
        return Some(renamed);
    }
    redirect(&renamed, &old, name, |_| true)
}

/// Replaces a name in the stated inputs of all layers.
fn redirect(document: &Outline, old: &str, new: &str, who: impl Fn(usize) -> bool) -> Option<Outline> {
    let readers = (0..document.len(LAYERS)).filter(|&layer| who(layer));
    readers
        .map(|layer| field(layer, "from"))
        .filter(|path| document.has(path))
        .try_fold(document.clone(), |next, path| next.replace_name(&path, old, new))
}

/// Changes the type of a layer: removes fields that the type does not have, and adds those that it needs.
pub fn set_layer_type(document: &Outline, layer: usize, kind: &str, channels: Option<u64>) -> Option<Outline> {
    let old = document.value(&field(layer, "type")).unwrap_or_default();
    let mut next = document.write(&field(layer, "type"), kind)?;
    let (had, has) = (layer_fields(&old), layer_fields(kind));
    let input_has_none: &[&str] = if kind == "input" { &["from", "unroll", "loop_order"] } else { &[] };
    for name in had.iter().filter(|name| !has.contains(name)).chain(input_has_none) {
        if next.has(&field(layer, name)) {
            next = next.remove(&field(layer, name))?;
        }
    }
    let channels = channels.unwrap_or(CHANNELS).to_string();
    let needed: &[(&str, &str)] = match kind {
        "input" => &[("K", "3"), ("size", "224 x 224")],
        "conv" => &[("K", &channels), ("kernel", "3 x 3"), ("padding", "same")],
        "depthwise" | "pooling" => &[("kernel", "3 x 3"), ("padding", "same")],
        "pointwise" | "fully-connected" | "matmul" => &[("K", &channels)],
        _ => &[],
    };
    // Padding is only added together with a kernel.
    let has_kernel = next.has(&field(layer, "kernel"));
    for (name, text) in needed {
        if !next.has(&field(layer, name)) && (*name != "padding" || !has_kernel) {
            next = next.write(&field(layer, name), text)?;
        }
    }
    let inputs = layer_inputs(&next, layer);
    let is_one_too_many = !matches!(kind, "add" | "matmul" | "input") && inputs.len() > 1;
    if is_one_too_many { set_inputs(&next, layer, &inputs[..1]) } else { Some(next) }
}

/// Inserts a convolution between a layer and its readers.
pub fn add_layer(document: &Outline, after: usize, channels: Option<u64>) -> Option<Outline> {
    if document.is_empty(LAYERS) {
        let input = [("name", "image"), ("type", "input"), ("K", "3"), ("size", "224 x 224")];
        let fields: Vec<(&str, String)> = input.map(|(name, value)| (name, value.to_owned())).into();
        return document.put(LAYERS, &format!("[{}]", flow_map(&fields)));
    }
    let before = name_of(document, after)?;
    let name = document.free_name(LAYERS, "conv1");
    let fields = [
        ("name", name.clone()),
        ("type", "conv".to_owned()),
        ("K", channels.unwrap_or(CHANNELS).to_string()),
        ("kernel", "3 x 3".to_owned()),
        ("padding", "same".to_owned()),
    ];
    let next = document.insert_fields(LAYERS, after + 1, &fields)?;
    redirect(&next, &before, &name, |layer| layer != after + 1)
}

/// Removes a layer; its readers read its inputs instead.
pub fn remove_layer(document: &Outline, layer: usize) -> Option<Outline> {
    let mut next = document.clone();
    if let Some(source) = layer_inputs(document, layer).into_iter().next() {
        if let Some(name) = name_of(document, layer) {
            next = redirect(&next, &name, &source, |_| true)?;
        }
        let before = layer.checked_sub(1).and_then(|before| name_of(document, before));
        let follows = layer + 1 < document.len(LAYERS) && implicit_input(document, layer + 1).is_some();
        if follows && before.as_ref() != Some(&source) {
            next = next.put(&field(layer + 1, "from"), &between_brackets(&source))?;
        }
    }
    next.remove(&format!("{LAYERS}[{layer}]"))
}

/// Adds a copy of a layer beside it, and the sum of both, which its readers read instead.
pub fn branch(document: &Outline, layer: usize) -> Option<Outline> {
    let name = name_of(document, layer)?;
    let inputs = layer_inputs(document, layer);
    let copy = document.free_name(LAYERS, &format!("{name}_b"));
    let mut next = document.copy(LAYERS, layer)?.write(&field(layer + 1, "name"), &copy)?;
    if !inputs.is_empty() {
        next = set_inputs(&next, layer + 1, &inputs)?;
    }
    let sum = next.free_name(LAYERS, &format!("{name}_add"));
    let fields = [("name", between_brackets(&sum)), ("type", "add".to_owned()), ("from", flow_list(&[&name, &copy]))];
    let next = next.insert_fields(LAYERS, layer + 2, &fields)?;
    redirect(&next, &name, &sum, |reader| !(layer..=layer + 2).contains(&reader))
}

/// A layer in the drawing of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerNode {
    pub name: String,
    /// Type, as written.
    pub kind: String,
}

/// The layers of a document and the edges from inputs to readers, by index, as far as they are known.
pub fn layer_graph(document: &Outline) -> (Vec<LayerNode>, Vec<(usize, usize)>) {
    let node = |layer: usize| LayerNode {
        name: document.value(&field(layer, "name")).unwrap_or_default(),
        kind: document.value(&field(layer, "type")).unwrap_or_default(),
    };
    let nodes: Vec<LayerNode> = (0..document.len(LAYERS)).map(node).collect();
    // Of equal names the first counts.
    let by_name: HashMap<&str, usize> =
        nodes.iter().enumerate().rev().map(|(index, node)| (node.name.as_str(), index)).collect();
    let edges = (0..nodes.len()).flat_map(|layer| {
        let stated = document.names(&field(layer, "from"));
        let implicit = (stated.is_empty() && layer > 0 && nodes[layer].kind != "input").then(|| layer - 1);
        let from = stated.iter().filter_map(|name| by_name.get(name.as_str()).copied()).chain(implicit);
        from.map(move |from| (from, layer)).collect::<Vec<_>>()
    });
    let edges = edges.collect();
    (nodes, edges)
}
