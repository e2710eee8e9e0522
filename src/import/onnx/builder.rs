//! Tensors and the layers that make them, while a graph is walked through.

use super::features::{Features, Value};
use super::layout::{Layout, Map};
use super::model::{Node, types};
use super::shapes::{Constant, elements};
use crate::coverage::Coverage;
use crate::report::{CLEANED, Report, Severity};
use fusescape_spec::{LayerSpec, MAX_LAYERS, PaddingSpec, ViewSpec, is_hidden};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Most layers of one view; more are collected in views of views.
const MAX_SOURCES: usize = 60;
/// Most layers of all tensors that are joined out of others; a network that joins everything with everything has some thousands.
const MAX_JOINED: usize = 1 << 20;
/// Longest name of a layer.
const MAX_NAME: usize = 80;

/// The network so far.
pub struct Builder {
    /// Images at once.
    pub batch: u64,
    /// Whether zeros between the inputs of transposed convolutions are multiplied.
    pub counts_zeros: bool,
    /// Whether what a vector unit computes becomes layers.
    pub has_vector_unit: bool,
    /// Whether nothing spoke against that number so far.
    pub batch_fits: bool,
    /// The layers.
    pub layers: Vec<LayerSpec>,
    /// What happened.
    pub report: Report,
    /// Steps of recurrent layers that were unrolled.
    pub steps: u64,
    /// How much of what multiplies is counted.
    pub coverage: Coverage,
    /// For each layer that a node made the number of the node.
    pub origins: HashMap<String, usize>,
    /// Layers of which the origin is known.
    traced: usize,
    values: HashMap<String, Value>,
    /// Shapes that the file states.
    stated: HashMap<String, Vec<u64>>,
    /// Names of layers, each with the number that the next one like it gets.
    names: HashMap<String, u32>,
    views: BTreeMap<(Rc<[String]>, Map), String>,
    /// Layers of all tensors that were joined out of others.
    joined: usize,
    /// Layers that are inputs of the network.
    inputs: HashSet<String>,
    /// Inputs that stand for other inputs in another layout, and these.
    laid_anew: Vec<(String, String)>,
}

impl Builder {
    /// A network without layers.
    pub fn new(batch: u64) -> Self {
        Self {
            batch,
            counts_zeros: false,
            has_vector_unit: false,
            batch_fits: true,
            layers: Vec::new(),
            report: Report::default(),
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

    /// What is known of a tensor; an optional one that is left out has no name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        if name.is_empty() { None } else { Some(self.values.get(name).unwrap_or(&Value::Lost)) }
    }

    /// Input number `index` of a node, if layers compute it.
    pub fn features(&self, node: &Node, index: usize) -> Option<&Features> {
        match self.value(node.inputs.get(index)?)? {
            Value::Features(features) => Some(features),
            _ => None,
        }
    }

    /// Input number `index` of a node, if it is constant.
    pub fn constant(&self, node: &Node, index: usize) -> Option<&Constant> {
        match self.value(node.inputs.get(index)?)? {
            Value::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// Whole numbers of a constant input.
    pub fn ints(&self, node: &Node, index: usize) -> Option<Vec<i64>> {
        self.constant(node, index)?.ints.clone()
    }

    /// Says what a tensor is. One that cannot be counted is none.
    pub fn set(&mut self, name: &str, value: Value) {
        let value = match value {
            Value::Features(features) if elements(&features.dims).is_none() => Value::Lost,
            value => value,
        };
        if !name.is_empty() {
            self.values.insert(name.to_owned(), value);
        }
    }

    /// Stores elements of what a node reads as often as they stand there, for an operator that does not know of copies.
    pub fn spread_inputs(&mut self, node: &Node) {
        for name in &node.inputs {
            if let Some(Value::Features(features)) = self.values.get_mut(name) {
                *features = features.spread();
            }
        }
    }

    /// Says that a node made all layers that came last.
    pub fn set_origin(&mut self, node: usize) {
        let new = self.layers.iter().skip(self.traced).map(|layer| (layer.name.clone(), node));
        self.origins.extend(new);
        self.traced = self.layers.len();
    }

    /// Says which shape the file states of a tensor.
    pub fn state(&mut self, name: &str, dims: Vec<u64>) {
        self.stated.insert(name.to_owned(), dims);
    }

    /// The shape that the file states of a tensor.
    pub fn stated(&self, name: &str) -> Option<Vec<u64>> {
        self.stated.get(name).cloned()
    }

    /// Whether a tensor is known already.
    pub fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Notes whether an operator that multiplies is counted, with the elements of its weights.
    pub fn cover(&mut self, weights: u64, is_counted: bool) {
        self.coverage.operators.add(1, is_counted);
        self.coverage.weights.add(weights, is_counted);
    }

    /// Notes that an operator that multiplies is not counted, with its MACs where they are known.
    pub fn miss_macs(&mut self, macs: Option<u64>) {
        match macs {
            Some(macs) => self.coverage.missing.macs = self.coverage.missing.macs.saturating_add(macs),
            None => self.coverage.unknown_operators += 1,
        }
    }

    /// Notes that a map is not counted, with its bits where they are known.
    pub fn miss_map(&mut self, bits: Option<u64>) {
        match bits {
            Some(bits) => self.coverage.missing.map_bits = self.coverage.missing.map_bits.saturating_add(bits),
            None => self.coverage.unknown_maps += 1,
        }
    }

    /// Notes what happened to a node.
    pub fn note(&mut self, severity: Severity, node: &Node, reason: &str) {
        self.report.note(severity, &clean(&node.op), reason, &place_of(node));
    }

    /// An input of the network, with the bits of an element where the file states them.
    pub fn add_input(&mut self, tensor: &str, dims: Vec<u64>, bits: Option<u64>) {
        let layout = Layout::usual(&dims, self.batch);
        let name = self.input_layer(tensor, layout.map());
        self.store_with(&name, bits);
        self.set(tensor, Value::Features(Features { bits, ..Features::direct(name, dims, layout) }));
    }

    /// Says how many bits the elements have that a layer stores.
    pub fn store_with(&mut self, layer: &str, bits: Option<u64>) {
        if let Some(bits) = unusual(bits)
            && let Some(layer) = self.layers.iter_mut().rev().find(|known| known.name == layer)
        {
            layer.precision.o = Some(bits);
            layer.precision.o_partial = layer.precision.o_partial.max((bits > 16).then_some(bits));
        }
    }

    /// Weights that several layers read: an input of the network.
    pub fn add_weights(&mut self, wanted: &str, map: Map, bits: Option<u64>) -> String {
        let name = self.input_layer(wanted, map);
        self.store_with(&name, bits);
        name
    }

    /// An input of the network that is no tensor of the model.
    pub fn input_layer(&mut self, wanted: &str, map: Map) -> String {
        let name = self.free_name(wanted);
        self.inputs.insert(name.clone());
        self.layers.push(map_layer(&name, "input", map));
        name
    }

    /// Adds a layer for a node, and gives its name.
    pub fn add(&mut self, node: &Node, layer: LayerSpec) -> String {
        let name = self.free_name(title(node));
        self.layers.push(LayerSpec { name: name.clone(), ..layer });
        name
    }

    /// The layer to read a tensor from as a feature map in which the axes have the roles that `fits` asks for, and the layout it has
    /// then: its own if that fits, else `otherwise`, by a view.
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

    /// A view of a map with zeros around it, laid out as usual.
    fn padded(&mut self, features: &Features, layout: &Layout) -> Option<String> {
        let (inner, sides) = features.unpadded.as_ref()?;
        let [left, right, top, bottom] = *sides;
        let Map { channels, columns, rows } = inner.layout.map();
        let is_around = layout.map() == Map { channels, columns: columns + left + right, rows: rows + top + bottom };
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

    /// The layer to read a tensor from, whatever its layout, if only it has all elements of the tensor and no others.
    pub fn read_whole(&mut self, features: &Features) -> String {
        let map = features.layout.map();
        match &features.layers[..] {
            [layer] if features.is_direct || self.elements_of(layer) == elements_of_map(map) => layer.clone(),
            _ => self.view(&features.layers, map),
        }
    }

    fn elements_of(&self, layer: &str) -> Option<u64> {
        // Only of what states its size: others are read as they are if they are direct.
        let layer = self.layers.iter().find(|known| known.name == layer)?;
        let ((columns, rows), channels) = (layer.size?, layer.channels?);
        elements_of_map(Map { channels, columns, rows })
    }

    /// A view of what layers stored, or of an input of the network another input.
    fn view(&mut self, layers: &Rc<[String]>, map: Map) -> String {
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

    /// A view of the highest memory that shows what layers stored in another arrangement, some of it perhaps several times.
    pub fn rearranged(&mut self, layers: &Rc<[String]>, map: Map) -> String {
        let first = layers.first().cloned().unwrap_or_else(|| "view".to_owned());
        let mut from = layers.to_vec();
        while from.len() > MAX_SOURCES {
            let rest = from.split_off(from.len() - MAX_SOURCES);
            from.push(self.push_view(&first, rest, map));
        }
        self.push_view(&first, from, map)
    }

    /// Whether all of it is in inputs of the network, which may as well have another size.
    pub fn is_of_inputs(&self, features: &Features) -> bool {
        features.layers.iter().all(|layer| self.inputs.contains(layer))
    }

    /// A view of some layers that tiles reach through.
    pub fn arranged(&mut self, node: &Node, mut from: Vec<String>, shows: ViewSpec) -> String {
        let view =
            |from: Vec<String>| LayerSpec { kind: "view".to_owned(), from, shows: Some(shows), ..LayerSpec::default() };
        // Many are joined some at a time.
        while from.len() > MAX_SOURCES {
            let rest = from.split_off(MAX_SOURCES);
            let first = self.add(node, view(from));
            from = std::iter::once(first).chain(rest).collect();
        }
        self.add(node, view(from))
    }

    fn push_view(&mut self, first: &str, from: Vec<String>, map: Map) -> String {
        let name = self.free_name(&format!("{first}_view"));
        self.layers.push(LayerSpec { from, ..map_layer(&name, "view", map) });
        name
    }

    /// The layers of several tensors, each once; nothing where they are more than any network joins.
    pub fn join(&mut self, parts: &[Features]) -> Option<Rc<[String]>> {
        let mut seen = HashSet::new();
        let all = parts.iter().flat_map(|part| part.layers.iter()).filter(|layer| seen.insert(*layer));
        let layers: Rc<[String]> = all.cloned().collect();
        self.joined += layers.len();
        (self.joined <= MAX_JOINED && layers.len() <= MAX_LAYERS).then_some(layers)
    }

    /// Removes inputs and views without readers.
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

    /// An input of which only one layout is read has its own name.
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

    /// Takes off layers' names the path that all which compute something have in common.
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

    /// A name like the wanted one that no layer has.
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

fn elements_of_map(map: Map) -> Option<u64> {
    elements(&[map.channels, map.columns, map.rows])
}

fn map_layer(name: &str, kind: &str, map: Map) -> LayerSpec {
    LayerSpec {
        name: name.to_owned(),
        kind: kind.to_owned(),
        channels: Some(map.channels),
        size: Some((map.columns, map.rows)),
        ..LayerSpec::default()
    }
}

/// What people call a node: its name or that of its output.
pub fn title(node: &Node) -> &str {
    let output = node.outputs.first().map_or("", String::as_str);
    if node.name.is_empty() { output } else { &node.name }
}

/// Where a node is; of a long path the end.
pub fn place_of(node: &Node) -> String {
    let place = clean(title(node));
    let start = place.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    place.get(start..).unwrap_or(&place).to_owned()
}

/// A name that fits into lists and messages: no blanks, commas and the like, and not too long; of a path the end.
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

/// Bits of an element, if they are not the usual 8.
pub fn unusual(bits: Option<u64>) -> Option<u64> {
    bits.filter(|bits| *bits != 8)
}

/// Bits per weight, where the file says so and they are not the usual 8.
pub fn weight_bits(weights: &Constant) -> Option<u64> {
    unusual(types::bits(weights.data_type))
}
