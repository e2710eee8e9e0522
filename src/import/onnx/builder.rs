//! The tensors and layers of a network while a graph is being converted.

use super::features::{Features, TensorValue};
use super::layout::{Layout, MapAxes};
use super::model::{OnnxNode, types};
use super::shapes::{Constant, elements};
use crate::coverage::Coverage;
use crate::report::{CLEANED, ImportReport, Severity};
use fusescape_spec::{LayerSpec, MAX_LAYERS, PaddingSpec, ViewSpec, is_hidden};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Limit on the sources of one view; more are collected by views of views.
const MAX_SOURCES: usize = 60;
/// Limit on the layers of all concatenated tensors; densely connected networks have some thousands.
const MAX_JOINED: usize = 1 << 20;
/// Limit on the length of a layer name.
const MAX_NAME: usize = 80;

/// The network so far.
pub struct NetworkBuilder {
    /// Images per batch.
    pub batch: u64,
    /// Whether the zeros between inputs of transposed convolutions are multiplied.
    pub counts_zeros: bool,
    /// Whether operations of a vector unit become layers.
    pub has_vector_unit: bool,
    /// Whether all tensors so far agree with `batch`.
    pub batch_fits: bool,
    /// In topological order.
    pub layers: Vec<LayerSpec>,
    pub report: ImportReport,
    /// Number of unrolled steps of recurrent layers.
    pub steps: u64,
    /// The counted share of the model.
    pub coverage: Coverage,
    /// For each layer of a node, the index of the node.
    pub origins: HashMap<String, usize>,
    /// Number of layers with a recorded origin.
    traced: usize,
    values: HashMap<String, TensorValue>,
    /// Shapes stated by the file.
    stated: HashMap<String, Vec<u64>>,
    /// Names of layers, each with the number for the next duplicate.
    names: HashMap<String, u32>,
    views: BTreeMap<(Rc<[String]>, MapAxes), String>,
    /// Number of layers of all concatenated tensors.
    joined: usize,
    /// Layers that are inputs of the network.
    inputs: HashSet<String>,
    /// Inputs that are copies of other inputs in another layout: copy and original.
    laid_anew: Vec<(String, String)>,
}

impl NetworkBuilder {
    /// A network without layers.
    pub fn new(batch: u64) -> Self {
        Self {
            batch,
            counts_zeros: false,
            has_vector_unit: false,
            batch_fits: true,
            layers: Vec::new(),
            report: ImportReport::default(),
            steps: 0,
            coverage: Coverage::default(),
            origins: HashMap::new(),
            traced: 0,
            values: HashMap::new(),
            stated: HashMap::new(),
            names: HashMap::new(),
            views: BTreeMap::new(),
            joined: 0,
            inputs: HashSet::new(),
            laid_anew: Vec::new(),
        }
    }

    /// The value of a tensor; `None` for an omitted optional input, whose name is empty.
    pub fn value(&self, name: &str) -> Option<&TensorValue> {
        if name.is_empty() { None } else { Some(self.values.get(name).unwrap_or(&TensorValue::Lost)) }
    }

    /// Input `index` of a node, if layers compute it.
    pub fn features(&self, node: &OnnxNode, index: usize) -> Option<&Features> {
        match self.value(node.inputs.get(index)?)? {
            TensorValue::Features(features) => Some(features),
            _ => None,
        }
    }

    /// Input `index` of a node, if it is constant.
    pub fn constant(&self, node: &OnnxNode, index: usize) -> Option<&Constant> {
        match self.value(node.inputs.get(index)?)? {
            TensorValue::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// The integers of a constant input.
    pub fn ints(&self, node: &OnnxNode, index: usize) -> Option<Vec<i64>> {
        self.constant(node, index)?.ints.clone()
    }

    /// Sets the value of a tensor. One that is too large to count is lost.
    pub fn set(&mut self, name: &str, value: TensorValue) {
        let value = match value {
            TensorValue::Features(features) if elements(&features.dims).is_none() => TensorValue::Lost,
            value => value,
        };
        if !name.is_empty() {
            self.values.insert(name.to_owned(), value);
        }
    }

    /// Stores repeated elements of a node's inputs physically, for an operator that does not handle copies.
    pub fn spread_inputs(&mut self, node: &OnnxNode) {
        for name in &node.inputs {
            if let Some(TensorValue::Features(features)) = self.values.get_mut(name) {
                *features = features.spread();
            }
        }
    }

    /// Records the node as the origin of all layers added since the last call.
    pub fn set_origin(&mut self, node: usize) {
        let new = self.layers.iter().skip(self.traced).map(|layer| (layer.name.clone(), node));
        self.origins.extend(new);
        self.traced = self.layers.len();
    }

    /// Sets the shape that the file states for a tensor.
    pub fn state(&mut self, name: &str, dims: Vec<u64>) {
        self.stated.insert(name.to_owned(), dims);
    }

    /// The shape that the file states for a tensor.
    pub fn stated(&self, name: &str) -> Option<Vec<u64>> {
        self.stated.get(name).cloned()
    }

    pub fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Records a multiplying operator with the size of its weights, and whether it is counted.
    pub fn cover(&mut self, weights: u64, is_counted: bool) {
        self.coverage.operators.add(1, is_counted);
        self.coverage.weights.add(weights, is_counted);
    }

    /// Records a multiplying operator that is not counted, with its MACs if known.
    pub fn miss_macs(&mut self, macs: Option<u64>) {
        match macs {
            Some(macs) => self.coverage.missing.macs = self.coverage.missing.macs.saturating_add(macs),
            None => self.coverage.unknown_operators += 1,
        }
    }

    /// Records a map that is not counted, with its bits if known.
    pub fn miss_map(&mut self, bits: Option<u64>) {
        match bits {
            Some(bits) => self.coverage.missing.map_bits = self.coverage.missing.map_bits.saturating_add(bits),
            None => self.coverage.unknown_maps += 1,
        }
    }

    /// Adds a finding about a node to the report.
    pub fn note(&mut self, severity: Severity, node: &OnnxNode, reason: &str) {
        self.report.note(severity, &clean(&node.op), reason, &place_of(node));
    }

    /// Adds an input of the network, with the bits of an element if stated.
    pub fn add_input(&mut self, tensor: &str, dims: Vec<u64>, bits: Option<u64>) {
        let layout = Layout::usual(&dims, self.batch);
        let name = self.input_layer(tensor, layout.map());
        self.store_with(&name, bits);
        self.set(tensor, TensorValue::Features(Features { bits, ..Features::direct(name, dims, layout) }));
    }

    /// Sets the bits of the elements that a layer stores.
    pub fn store_with(&mut self, layer: &str, bits: Option<u64>) {
        if let Some(bits) = unusual(bits)
            && let Some(layer) = self.layers.iter_mut().rev().find(|known| known.name == layer)
        {
            layer.precision.o = Some(bits);
            layer.precision.o_partial = layer.precision.o_partial.max((bits > 16).then_some(bits));
        }
    }

    /// Adds weights that several layers read, as an input of the network.
    pub fn add_weights(&mut self, wanted: &str, map: MapAxes, bits: Option<u64>) -> String {
        let name = self.input_layer(wanted, map);
        self.store_with(&name, bits);
        name
    }

    /// Adds an input of the network that is not a tensor of the model.
    pub fn input_layer(&mut self, wanted: &str, map: MapAxes) -> String {
        let name = self.free_name(wanted);
        self.inputs.insert(name.clone());
        self.layers.push(map_layer(&name, "input", map));
        name
    }

    /// Adds a layer for a node, and returns its name.
    pub fn add(&mut self, node: &OnnxNode, layer: LayerSpec) -> String {
        let name = self.free_name(title(node));
        self.layers.push(LayerSpec { name: name.clone(), ..layer });
        name
    }

    /// The layer from which to read a tensor as a feature map whose axes have roles accepted by `fits`, and its layout:
    /// its own layout if it fits, else a view with the layout `otherwise`.
    pub fn read(
        &mut self,
        features: &Features,
        fits: impl Fn(&Layout) -> bool,
        otherwise: impl FnOnce() -> Layout,
    ) -> (String, Layout) {
        let own_fits = fits(&features.layout);
        if let ([layer], true, true) = (&features.layers[..], features.is_direct, own_fits) {
            return (layer.clone(), features.layout.clone());
        }
        let layout = if own_fits { features.layout.clone() } else { otherwise() };
        if let Some(name) = self.padded(features, &layout) {
            return (name, layout);
        }
        (self.view(&features.layers, layout.map()), layout)
    }

    /// A view of a map with stored padding, in the usual layout.
    fn padded(&mut self, features: &Features, layout: &Layout) -> Option<String> {
        let (inner, sides) = features.unpadded.as_ref()?;
        let [left, right, top, bottom] = *sides;
        let MapAxes { channels, columns, rows } = inner.layout.map();
        let is_around =
            layout.map() == MapAxes { channels, columns: columns + left + right, rows: rows + top + bottom };
        let [from] = &inner.layers[..] else { return None };
        if !inner.is_direct || !is_around || inner.layout.is_shuffled || self.is_of_inputs(inner) {
            return None;
        }
        let (from, padding) = (vec![from.clone()], self::sides(*sides));
        let name = self.free_name(&format!("{}_padded", from[0]));
        let (kind, name) = ("view".to_owned(), name);
        self.layers.push(LayerSpec { name: name.clone(), kind, from, padding, ..LayerSpec::default() });
        Some(name)
    }

    /// The layer from which to read a tensor in any layout, provided that it has exactly the elements of the tensor.
    pub fn read_whole(&mut self, features: &Features) -> String {
        let map = features.layout.map();
        match &features.layers[..] {
            [layer] if features.is_direct || self.elements_of(layer) == elements_of_map(map) => layer.clone(),
            _ => self.view(&features.layers, map),
        }
    }

    fn elements_of(&self, layer: &str) -> Option<u64> {
        // Only layers with stated sizes are checked: others are read as they are if they are direct.
        let layer = self.layers.iter().find(|known| known.name == layer)?;
        let ((columns, rows), channels) = (layer.size?, layer.channels?);
        elements_of_map(MapAxes { channels, columns, rows })
    }

    /// A view of layers; for an input of the network, another input.
    fn view(&mut self, layers: &Rc<[String]>, map: MapAxes) -> String {
        let key = (Rc::clone(layers), map);
        if let Some(known) = self.views.get(&key) {
            return known.clone();
        }
        let first = layers.first().cloned().unwrap_or_else(|| "view".to_owned());
        let name = if layers.iter().all(|layer| self.inputs.contains(layer)) {
            let bits = self.layers.iter().find(|known| known.name == first).and_then(|known| known.precision.o);
            let name = self.input_layer(&first, map);
            self.store_with(&name, bits);
            self.laid_anew.push((name.clone(), first));
            name
        } else {
            let name = self.rearranged(layers, map);
            let reason =
                "its input is arranged anew in the highest memory, by addressing alone; depth-first tiling ends there";
            self.report.note(Severity::Expressed, "view", reason, &name);
            name
        };
        self.views.insert(key, name.clone());
        name
    }

    /// A view of the highest memory with the elements of layers in another arrangement, some possibly repeated.
    pub fn rearranged(&mut self, layers: &Rc<[String]>, map: MapAxes) -> String {
        let first = layers.first().cloned().unwrap_or_else(|| "view".to_owned());
        let mut from = layers.to_vec();
        while from.len() > MAX_SOURCES {
            let rest = from.split_off(from.len() - MAX_SOURCES);
            from.push(self.push_view(&first, rest, map));
        }
        self.push_view(&first, from, map)
    }

    /// Whether all elements are inputs of the network, whose shape is free.
    pub fn is_of_inputs(&self, features: &Features) -> bool {
        features.layers.iter().all(|layer| self.inputs.contains(layer))
    }

    /// A view of some layers through which tiles are read.
    pub fn arranged(&mut self, node: &OnnxNode, mut from: Vec<String>, shows: ViewSpec) -> String {
        let view =
            |from: Vec<String>| LayerSpec { kind: "view".to_owned(), from, shows: Some(shows), ..LayerSpec::default() };
        // More sources are joined in groups.
        while from.len() > MAX_SOURCES {
            let rest = from.split_off(MAX_SOURCES);
            let first = self.add(node, view(from));
            from = std::iter::once(first).chain(rest).collect();
        }
        self.add(node, view(from))
    }

    fn push_view(&mut self, first: &str, from: Vec<String>, map: MapAxes) -> String {
        let name = self.free_name(&format!("{first}_view"));
        self.layers.push(LayerSpec { from, ..map_layer(&name, "view", map) });
        name
    }

    /// The layers of several tensors without duplicates; `None` if there are too many.
    pub fn join(&mut self, parts: &[Features]) -> Option<Rc<[String]>> {
        let mut seen = HashSet::new();
        let all = parts.iter().flat_map(|part| part.layers.iter()).filter(|layer| seen.insert(*layer));
        let layers: Rc<[String]> = all.cloned().collect();
        self.joined += layers.len();
        (self.joined <= MAX_JOINED && layers.len() <= MAX_LAYERS).then_some(layers)
    }

    /// Removes inputs and views that are not read.
    pub fn prune(&mut self) {
        loop {
            let read: HashSet<String> = self.layers.iter().flat_map(|layer| layer.from.clone()).collect();
            let before = self.layers.len();
            self.layers.retain(|layer| !matches!(layer.kind.as_str(), "input" | "view") || read.contains(&layer.name));
            if self.layers.len() == before {
                break;
            }
        }
        self.restore_names();
    }

    /// Inputs that are read in a single layout get their original names.
    fn restore_names(&mut self) {
        let mut used: HashSet<&str> = self.layers.iter().map(|layer| layer.name.as_str()).collect();
        let mut new: HashMap<&str, &str> = HashMap::new();
        for (name, first) in &self.laid_anew {
            if used.contains(name.as_str()) && used.insert(first) {
                new.insert(name, first);
            }
        }
        for layer in &mut self.layers {
            for name in std::iter::once(&mut layer.name).chain(&mut layer.from) {
                if let Some(first) = new.get(name.as_str()) {
                    self.inputs.insert((*first).to_owned());
                    *name = (*first).to_owned();
                }
            }
        }
    }

    /// Removes the common path prefix from the names of layers that compute.
    pub fn shorten_names(&mut self) {
        let mut names = self.layers.iter().filter(|layer| !self.inputs.contains(&layer.name)).map(|layer| &layer.name);
        let Some(first) = names.next().cloned() else { return };
        let mut prefix = first.rfind('/').map_or("", |end| &first[..=end]);
        for name in names {
            while !name.starts_with(prefix) {
                let shorter = prefix.trim_end_matches('/').rfind('/').map_or(0, |end| end + 1);
                prefix = &prefix[..shorter];
            }
        }
        let taken: HashSet<&String> = self.inputs.iter().collect();
        let short = |name: &String| {
            let rest =
                name.strip_prefix(prefix).filter(|rest| !rest.is_empty() && !taken.contains(&(*rest).to_owned()));
            rest.filter(|_| !taken.contains(name)).unwrap_or(name).to_owned()
        };
        for layer in &mut self.layers {
            layer.name = short(&layer.name);
            layer.from.iter_mut().for_each(|name| *name = short(name));
        }
    }

    /// A unique name similar to the wanted one.
    fn free_name(&mut self, wanted: &str) -> String {
        let is_cleaned = wanted.contains(is_hidden);
        let wanted = clean(wanted);
        if is_cleaned {
            self.report.note(Severity::Expressed, "name", CLEANED, &wanted);
        }
        let mut name = wanted.clone();
        while self.names.contains_key(&name) {
            let number = self.names.entry(wanted.clone()).or_insert(2);
            name = format!("{wanted}_{number}");
            *number += 1;
        }
        self.names.insert(name.clone(), 2);
        name
    }
}

fn elements_of_map(map: MapAxes) -> Option<u64> {
    elements(&[map.channels, map.columns, map.rows])
}

fn map_layer(name: &str, kind: &str, map: MapAxes) -> LayerSpec {
    LayerSpec {
        name: name.to_owned(),
        kind: kind.to_owned(),
        channels: Some(map.channels),
        size: Some((map.columns, map.rows)),
        ..LayerSpec::default()
    }
}

/// Display name of a node: its name, or that of its output.
pub fn title(node: &OnnxNode) -> &str {
    let output = node.outputs.first().map_or("", String::as_str);
    if node.name.is_empty() { output } else { &node.name }
}

/// Place of a node for messages; the end of a long path.
pub fn place_of(node: &OnnxNode) -> String {
    let place = clean(title(node));
    let start = place.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    place.get(start..).unwrap_or(&place).to_owned()
}

/// A name fit for lists and messages: without spaces, commas and the like, and short; the end of a long path.
pub fn clean(name: &str) -> String {
    let name = name.trim_matches('/');
    let keep = |c: char| if c.is_alphanumeric() || "_-./:".contains(c) { c } else { '_' };
    let count = name.chars().count();
    let name: String = name.chars().skip(count.saturating_sub(MAX_NAME)).map(keep).collect();
    let name = name.trim_matches('/').to_owned();
    if name.is_empty() { "layer".to_owned() } else { name }
}

/// Padding as documents state it.
pub fn sides([left, right, top, bottom]: [u64; 4]) -> PaddingSpec {
    if [left, right, top, bottom] == [0; 4] { PaddingSpec::None } else { PaddingSpec::Sides(left, right, top, bottom) }
}

/// Bits of an element, unless they are the default of 8.
pub fn unusual(bits: Option<u64>) -> Option<u64> {
    bits.filter(|bits| *bits != 8)
}

/// Bits per weight, if stated and not the default of 8.
pub fn weight_bits(weights: &Constant) -> Option<u64> {
    unusual(types::bits(weights.data_type))
}
