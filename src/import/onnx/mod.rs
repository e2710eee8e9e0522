//! ONNX models as networks.
//!
//! The graph is converted in one pass in its order. Every tensor is a [`features::TensorValue`]: a constant, of which
//! only the shape and few numbers are known, or computed features, with the roles of their axes (channel, row, column)
//! in a feature map ([`layout`]). So reshaping and transposing for the heads of attention moves nothing; where it does,
//! the reader gets a view. Concatenation, slicing, repetition and padding along axes of a map are views through which
//! tiles are read. Operators that cost something add a layer; those that only rearrange data change a layout. Work that
//! is not counted goes into the report. Repeated blocks of a graph may be a transformer, too ([`transformer`]).
//! `proto.rs` reads protocol buffers without reading weights. An operator is one arm of `operators.rs`.

mod arrange;
mod attention;
mod builder;
mod caches;
mod convolution;
mod einsum;
mod elementwise;
mod features;
mod lanes;
mod layout;
mod missing;
mod model;
mod operators;
mod product;
mod proto;
mod quantised;
mod recurrent;
mod shapes;
mod transformer;
mod transposed;
mod triangle;
mod volume;
mod window;

use super::report::{ImportReport, Severity};
use super::source::ByteSource;
use builder::{NetworkBuilder, clean};
use features::TensorValue;
use fusescape_engine::workload::MAX_EXTENT;
use fusescape_spec::{
    DensitySpec, Diagnostics, MAX_BYTES, MAX_LAYERS, PrecisionSpec, TransformerSpec, WorkloadSpec, closest, is_hidden,
};
use model::{Extent, Info, OnnxModel, types};
use shapes::{Constant, MAX_ELEMENTS, elements};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Default sizes of open dimensions: columns and rows of images, and others.
const USUAL_IMAGE: u64 = 224;
const USUAL_OTHER: u64 = 128;

/// Limit on the open dimensions named in a message.
const MOST_NAMES: usize = 8;

/// Remedy for a model that is too large.
const TAKE_A_PART: &str = "Import a part of it, such as one of the blocks that it repeats";

/// Settings for the import of a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Sizes of open dimensions, by name.
    pub sizes: Vec<(String, u64)>,
    /// Whether a transposed convolution multiplies the zeros between its inputs; else only operations without such
    /// zeros count.
    pub counts_zeros: bool,
    /// Whether softmax, normalisations and activations become layers of a vector unit.
    pub has_vector_unit: bool,
    /// Whether a model is imported as a transformer instead of a network.
    pub as_transformer: bool,
}

/// Reads a model from a file called `name`.
///
/// # Errors
/// The file is no ONNX model, or nothing of it can be counted.
pub fn import(
    source: &mut dyn ByteSource,
    name: &str,
    options: &Options,
) -> Result<(WorkloadSpec, ImportReport), Diagnostics> {
    network(&read(source, name)?, name, options)
}

/// Reads a model from a file called `name` as a transformer: equal layers, each of attention and a feed-forward part.
///
/// # Errors
/// The file is no ONNX model, or all reasons why it is no transformer, each with its node.
pub fn import_transformer(
    source: &mut dyn ByteSource,
    name: &str,
    options: &Options,
) -> Result<(TransformerSpec, ImportReport), Diagnostics> {
    transformer::transformer(&read(source, name)?, name, options)
}

fn read(source: &mut dyn ByteSource, name: &str) -> Result<OnnxModel, Diagnostics> {
    model::read(source).map_err(|fault| {
        let mut diagnostics = Diagnostics::default();
        if let Some(kind) = other_kind(source) {
            let reason = format!("`{}` is no ONNX model, but {kind}", clean(name));
            diagnostics.add("", reason, "Choose an ONNX file, or export the model as ONNX");
            return diagnostics;
        }
        if fault.is_too_much {
            let reason = format!("`{}` is too large to be read: {} (at byte {})", clean(name), fault.reason, fault.at);
            diagnostics.add("", reason, TAKE_A_PART);
            return diagnostics;
        }
        let reason = format!("`{}` is no complete ONNX model: at byte {}, {}", clean(name), fault.at, fault.reason);
        diagnostics.add("", reason, "Fetch or export the file again, as ONNX");
        diagnostics
    })
}

/// First bytes of other kinds of files that are mistaken for models, and names of these kinds.
const OTHER_KINDS: [(&[u8], &str); 8] = [
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, as PyTorch and Keras write them"),
    (b"\x1f\x8b", "a file compressed by gzip"),
    (b"\x89HDF", "an HDF5 file, as Keras writes them"),
    (b"\x80\x02", "a pickled Python object, as PyTorch wrote them"),
];

/// The kind of a file that does not begin with one of the fields of `ModelProto`; `None` if it does, or is empty.
fn other_kind(source: &mut dyn ByteSource) -> Option<&'static str> {
    let mut start = [0; 8];
    let count = source.read_at(0, &mut start).unwrap_or(0);
    let start = start.get(..count).filter(|start| !start.is_empty())?;
    if let Some((_, kind)) = OTHER_KINDS.iter().find(|(begins, _)| start.starts_with(begins)) {
        return Some(kind);
    }
    // Tags of ir_version, producer_name, producer_version, domain, model_version, doc_string, graph, opset_import,
    // metadata_props, training_info and functions.
    let tags: [&[u8]; 11] =
        [&[0x08], &[0x12], &[0x1a], &[0x22], &[0x28], &[0x32], &[0x3a], &[0x42], &[0x72], &[0xa2, 1], &[0xca, 1]];
    let is_cut = |tag: &[u8]| start.len() < tag.len() && tag.starts_with(start);
    let begins = tags.iter().any(|tag| start.starts_with(tag) || is_cut(tag));
    let is_text = source
        .read_all(MAX_BYTES as u64)
        .is_ok_and(|all| !all.is_empty() && !all.contains(&0) && String::from_utf8(all).is_ok());
    (!begins).then_some(if is_text { "a text with control characters" } else { "a file of another kind" })
}

fn network(model: &OnnxModel, name: &str, options: &Options) -> Result<(WorkloadSpec, ImportReport), Diagnostics> {
    let mut builder = walked(model, name, options)?;
    caches::note(&mut builder);
    builder.shorten_names();
    finish(model, &mut builder, name)
}

/// The layers of a graph, named after their nodes.
fn walked(model: &OnnxModel, name: &str, options: &Options) -> Result<NetworkBuilder, Diagnostics> {
    let sizes = &options.sizes;
    let constants: HashSet<&str> = model.constants.iter().map(|tensor| tensor.name.as_str()).collect();
    let inputs: Vec<&Info> = model.inputs.iter().filter(|input| !constants.contains(input.name.as_str())).collect();
    if inputs.len() > MAX_LAYERS {
        return Err(too_many(name, inputs.len(), "inputs"));
    }
    let mut report = ImportReport::default();
    let mut open = OpenSizes { sizes, chosen: HashMap::new() };
    check_sizes(model, sizes)?;
    let shapes: Vec<Option<Vec<u64>>> = inputs.iter().map(|input| open.shape(input, &mut report)).collect();
    let infos = model.infos.iter().chain(&model.outputs);
    let stated = infos.filter_map(|info| Some((info.name.as_str(), open.known(info)?))).collect();
    let given = GraphContext { inputs: inputs.into_iter().zip(shapes).collect(), stated, report, options };
    let batch = given.batch(model);
    let mut builder = given.walk(model, batch);
    if batch > 1 && !builder.batch_fits {
        // The first axis may be rows of a matrix instead of images.
        let rows = given.walk(model, 1);
        if rows.coverage.operators.counted > builder.coverage.operators.counted {
            builder = rows;
        }
    }
    builder.prune();
    Ok(builder)
}

/// Inputs of the conversion of a graph.
struct GraphContext<'a> {
    /// Inputs of the network, with their shapes.
    inputs: Vec<(&'a Info, Option<Vec<u64>>)>,
    /// Stated shapes of other tensors.
    stated: Vec<(&'a str, Vec<u64>)>,
    /// Findings so far.
    report: ImportReport,
    options: &'a Options,
}

impl GraphContext<'_> {
    /// The batch: the first axis of the first input with several axes.
    fn batch(&self, model: &OnnxModel) -> u64 {
        let mut inputs = self.inputs.iter().filter_map(|(info, dims)| Some((info, dims.as_ref()?)));
        let Some((info, dims)) = inputs.find(|(_, dims)| dims.len() > 1) else { return 1 };
        let is_by_steps = model.nodes.iter().any(|node| {
            matches!(node.op.as_str(), "LSTM" | "GRU" | "RNN")
                && node.int("layout") != Some(1)
                && node.inputs.first() == Some(&info.name)
        });
        dims[usize::from(is_by_steps)].clamp(1, 1 << 20)
    }

    /// Converts a graph to layers.
    fn walk(&self, model: &OnnxModel, batch: u64) -> NetworkBuilder {
        let mut builder = NetworkBuilder::new(batch);
        builder.report = self.report.clone();
        builder.counts_zeros = self.options.counts_zeros;
        builder.has_vector_unit = self.options.has_vector_unit;
        for tensor in &model.constants {
            let constant = Constant {
                dims: Some(tensor.dims.clone()),
                data_type: tensor.data_type,
                ints: tensor.ints.clone(),
                floats: tensor.floats.clone(),
            };
            builder.set(&tensor.name, TensorValue::Constant(constant));
        }
        for (input, dims) in &self.inputs {
            match dims.clone().map(|dims| too_large(&dims).map_or(Ok(dims), Err)) {
                Some(Ok(dims)) => builder.add_input(&input.name, dims, types::bits(input.data_type)),
                wrong => {
                    let reason = wrong.and_then(Result::err);
                    let reason = reason.unwrap_or_else(|| "the file does not state its shape".to_owned());
                    builder.report.note(Severity::NotCounted, "input", &reason, &clean(&input.name));
                }
            }
        }
        for (name, dims) in &self.stated {
            builder.state(name, dims.clone());
        }
        for (index, node) in model.nodes.iter().enumerate() {
            operators::take(&mut builder, node);
            builder.set_origin(index);
        }
        builder
    }
}

fn finish(
    model: &OnnxModel,
    builder: &mut NetworkBuilder,
    name: &str,
) -> Result<(WorkloadSpec, ImportReport), Diagnostics> {
    let title = title(model, name);
    let mut report = std::mem::take(&mut builder.report);
    if builder.layers.len() > MAX_LAYERS {
        return Err(too_many(name, builder.layers.len(), "layers"));
    }
    if builder.layers.iter().all(|layer| matches!(layer.kind.as_str(), "input" | "view")) {
        let mut diagnostics = Diagnostics::default();
        let mut why: Vec<String> = report.of(Severity::NotCounted).take(5).map(ToString::to_string).collect();
        if why.is_empty() {
            why.push(match model.nodes.len() {
                0 => "its graph has no nodes".to_owned(),
                1 => "its only node is no layer that computes".to_owned(),
                count => format!("none of its {count} nodes is a layer that computes"),
            });
        }
        let reason = format!("Nothing in `{}` can be counted: {}", clean(name), why.join("; "));
        diagnostics.add("", reason, "Import a model with convolutions or products of matrices");
        return Err(diagnostics);
    }
    report.note(
        Severity::Assumed,
        "precision",
        "8 bit for W, I and O, 16 for partial sums, where the file says nothing else",
        "",
    );
    report.title = title;
    report.coverage = Some(builder.coverage);
    let not_counted: Vec<String> =
        report.of(Severity::NotCounted).map(|finding| format!("{} {}", finding.count, finding.what)).collect();
    let about = if not_counted.is_empty() {
        format!("Imported from {}.", report.title)
    } else {
        format!("Imported from {}. Not counted: {}.", report.title, not_counted.join(", "))
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let spec = WorkloadSpec {
        name: clean(stem),
        about,
        batch: builder.batch,
        density: DensitySpec::default(),
        precision: PrecisionSpec { w: Some(8), i: Some(8), o_partial: Some(16), o: Some(8) },
        layers: std::mem::take(&mut builder.layers),
    };
    Ok((spec, report))
}

/// Title of the report: the file, and its producer.
fn title(model: &OnnxModel, name: &str) -> String {
    let title = [clean(name), model.producer.clone()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    match &title[..] {
        [name, producer] => format!("{name}, written by {}", plain(producer)),
        title => title.concat(),
    }
}

fn too_many(name: &str, count: usize, what: &str) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let reason = format!("`{}` has {count} {what}, more than the {MAX_LAYERS} of a document", clean(name));
    diagnostics.add("", reason, TAKE_A_PART);
    diagnostics
}

/// The reason why a tensor of this shape cannot be counted.
fn too_large(dims: &[u64]) -> Option<String> {
    if let Some(dim) = dims.iter().find(|dim| **dim > MAX_EXTENT) {
        return Some(format!("a dimension of {dim} is too large; the most are {MAX_EXTENT}"));
    }
    elements(dims).is_none().then(|| {
        let shape: Vec<String> = dims.iter().map(u64::to_string).collect();
        format!("a tensor of {} has no elements, or more than 2^{}", shape.join(" x "), MAX_ELEMENTS.ilog2())
    })
}

/// A text without characters that a document cannot contain.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c)).take(100).collect::<String>().trim().to_owned()
}

/// Checks that the sizes given by the user are of open dimensions.
fn check_sizes(model: &OnnxModel, sizes: &[(String, u64)]) -> Result<(), Diagnostics> {
    let infos = model.inputs.iter().chain(&model.outputs).chain(&model.infos);
    let open: BTreeSet<&str> = infos.flat_map(|info| info.dims.iter().flatten()).filter_map(Extent::symbol).collect();
    let mut diagnostics = Diagnostics::default();
    for (name, _) in sizes.iter().filter(|(name, _)| !open.contains(name.as_str())) {
        let remedy = match (closest(name, open.iter().copied()), open.is_empty()) {
            (Some(meant), _) => format!("Did you mean `{}`?", plain(meant)),
            (None, true) => "State no size: the file says all".to_owned(),
            (None, false) => {
                let open: Vec<String> = open.iter().take(MOST_NAMES).map(|name| format!("`{}`", plain(name))).collect();
                format!("It leaves open {}", open.join(", "))
            }
        };
        diagnostics.add("size", format!("The model has no open dimension `{}`", plain(name)), remedy);
    }
    diagnostics.or(())
}

/// Open dimensions of the file, each with one size throughout.
struct OpenSizes<'a> {
    sizes: &'a [(String, u64)],
    chosen: HashMap<String, u64>,
}

impl OpenSizes<'_> {
    fn shape(&mut self, info: &Info, report: &mut ImportReport) -> Option<Vec<u64>> {
        let dims = info.dims.as_ref()?;
        let rank = dims.len();
        let mut shape = Vec::with_capacity(rank);
        for (place, extent) in dims.iter().enumerate() {
            shape.push(match extent {
                Extent::Known(size) => *size,
                Extent::Symbol(symbol) => self.size(symbol, place, rank, info, report),
            });
        }
        Some(shape)
    }

    /// A shape; `None` if a dimension is still open.
    fn known(&self, info: &Info) -> Option<Vec<u64>> {
        let known = |extent: &Extent| match extent {
            Extent::Known(size) => Some(*size),
            Extent::Symbol(symbol) => {
                let stated = self.sizes.iter().find(|(name, _)| name == symbol).map(|(_, size)| *size);
                stated.or(self.chosen.get(symbol).copied()).filter(|_| !symbol.is_empty())
            }
        };
        info.dims.as_ref()?.iter().map(known).collect()
    }

    fn size(&mut self, symbol: &str, place: usize, rank: usize, info: &Info, report: &mut ImportReport) -> u64 {
        if let Some((_, size)) = self.sizes.iter().find(|(name, _)| name == symbol && !name.is_empty()) {
            return *size;
        }
        if let Some(size) = self.chosen.get(symbol).filter(|_| !symbol.is_empty()) {
            return *size;
        }
        let size = match (place, rank) {
            (0, 2..) => 1,
            (2.., 4) => USUAL_IMAGE,
            _ => USUAL_OTHER,
        };
        self.chosen.insert(symbol.to_owned(), size);
        let what = if symbol.is_empty() { format!("dimension {place}") } else { format!("`{}`", plain(symbol)) };
        let reason = format!("the file leaves {what} open; taken as {size}");
        report.note(Severity::Assumed, "size", &reason, &clean(&info.name));
        size
    }
}
