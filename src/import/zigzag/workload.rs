//! A workload file: layers as equations with loop sizes.
//!
//! ZigZag states the loops of every layer; here sizes follow from the preceding maps. A layer that reads exactly the
//! output of the previous one reads it directly; otherwise a view with the required size is inserted, so that its loops
//! are exact.

use super::equation::{Assigned, Equation, Relation, assign, name_windows, relation};
use super::hardware::number;
use super::mapping::NamedLoops;
use crate::report::{ImportReport, Severity};
use fusescape_engine::workload::{Dim, LayerKind, overcounted_extent};
use fusescape_spec::reader::{Fields, LocatedNode, Reader, ValueError};
use fusescape_spec::{DensitySpec, Diagnostics, KernelSpec, LayerSpec, PaddingSpec, PrecisionSpec, WorkloadSpec};

const LAYER: [&str; 13] = [
    "id",
    "name",
    "operator_type",
    "equation",
    "dimension_relations",
    "loop_dims",
    "loop_sizes",
    "operand_precision",
    "operand_source",
    "pr_loop_dims",
    "pr_loop_sizes",
    "padding",
    "constant_operands",
];
/// Limit on the length of a network's name, characters.
const MAX_NAME: usize = 80;
/// Limit on the layers.
const MAX_LAYERS: usize = 2048;
/// Largest loop, stride or dilation.
const MAX_SIZE: u64 = 1 << 24;

/// Number of channels, columns, rows.
type MapSizes = (u64, u64, u64);

/// A layer as in the file, with our names of loops.
#[derive(Debug, Default)]
struct ZigzagLayer {
    id: u64,
    name: String,
    path: String,
    line: usize,
    kind: &'static str,
    operator: String,
    /// Its loops: the file's name, ours, the size.
    loops: Vec<Assigned>,
    b: u64,
    g: u64,
    k: u64,
    c: u64,
    output: (u64, u64),
    kernel: (u64, u64),
    stride: (u64, u64),
    dilation: (u64, u64),
    /// Columns and rows of the input that exist, and the padding at their beginning.
    input: (u64, u64),
    padding: [u64; 4],
    /// Columns and rows that ZigZag counts, if the file does not state how many exist.
    counted: (u64, u64),
    /// Whether the file pads by more than the extent of the kernel.
    is_padding_cut: bool,
    precision: PrecisionSpec,
    /// The producers of I and W, if they are layers.
    sources: [Option<u64>; 2],
}

impl ZigzagLayer {
    fn output_map(&self) -> MapSizes {
        (self.k.saturating_mul(self.g), self.output.0, self.output.1)
    }

    fn input_map(&self) -> MapSizes {
        (self.c.saturating_mul(self.g), self.input.0, self.input.1)
    }

    /// Whether the document must state bits of W: for an addition only if both maps have different bits.
    fn states_weights(&self, bits: u64) -> bool {
        match self.kind {
            "pooling" => false,
            "add" => self.precision.i.unwrap_or(8) != bits,
            _ => true,
        }
    }

    /// Its loops with several iterations in the order of the file, if layers of its kind have another order.
    fn loop_order(&self) -> Vec<String> {
        let mut order: Vec<&str> = Vec::new();
        for &(_, ours, size) in &self.loops {
            if size > 1 && !order.contains(&ours) {
                order.push(ours);
            }
        }
        let usual = LayerKind::from_name(self.kind).map_or(Dim::ALL, LayerKind::dim_order).map(Dim::name);
        let place = |name: &&str| usual.iter().position(|known| known == name);
        if order.is_sorted_by_key(place) { Vec::new() } else { order.into_iter().map(str::to_owned).collect() }
    }
}

/// A workload as read.
pub struct ZigzagWorkload {
    pub spec: WorkloadSpec,
    /// Remarks for the user.
    pub report: ImportReport,
    pub diagnostics: Diagnostics,
    /// Names of layers, and the lines where they begin.
    pub lines: Vec<(String, usize)>,
    /// The names by which a mapping refers to them.
    pub named: Vec<NamedLoops>,
}

/// Reads a workload: its contents as far as they can be read, remarks for the user, and all errors.
pub fn read_layers(text: &str, name: &str) -> ZigzagWorkload {
    let (root, mut reader) = Reader::open_foreign(text);
    let places = LocatedNode::root(&root).list(&mut reader, MAX_LAYERS);
    let layers: Vec<ZigzagLayer> = places.iter().filter_map(|place| read_layer(place, &mut reader)).collect();
    let mut report = ImportReport::default();
    super::note_cleaned(&reader, &mut report);
    let mut diagnostics = reader.finish();
    let batch = layers.iter().map(|layer| layer.b).max().unwrap_or(1);
    for layer in layers.iter().filter(|layer| layer.b != batch) {
        diagnostics.add(
            format!("{}.loop_sizes", layer.path),
            format!("`{}` has a batch of {}, another layer one of {batch}", layer.name, layer.b),
            "Give all layers the same B: a network here has one batch",
        );
        if let Some(last) = diagnostics.0.last_mut() {
            last.line = Some(layer.line);
        }
    }
    if places.iter().any(|place| place.has("constant_operands")) {
        report.note(Severity::Merged, "constant_operands", "follows from `operand_source`", "");
    }
    let lines = layers.iter().map(|layer| (layer.name.clone(), layer.line)).collect();
    let named = layers
        .iter()
        .map(|layer| NamedLoops {
            layer: layer.name.clone(),
            operator: layer.operator.clone(),
            loops: layer.loops.iter().map(|(name, ours, _)| (name.clone(), *ours)).collect(),
        })
        .collect();
    let layers = connect(&layers, &mut report);
    let spec = WorkloadSpec {
        // File names may be longer than names of networks.
        name: name.chars().take(MAX_NAME).collect(),
        about: format!("Imported from the ZigZag workload `{name}`."),
        batch,
        density: DensitySpec::default(),
        precision: PrecisionSpec::default(),
        layers,
    };
    ZigzagWorkload { spec, report, diagnostics, lines, named }
}

fn read_layer(place: &LocatedNode, reader: &mut Reader) -> Option<ZigzagLayer> {
    let fields = place.fields(reader, &LAYER);
    let before = reader.count();
    let id = fields.need(reader, "id", "0").and_then(|place| number(place, reader)).unwrap_or(0);
    let mut layer = ZigzagLayer {
        id,
        name: fields.get("name").and_then(|place| place.name(reader)).unwrap_or_else(|| format!("Layer{id}")),
        path: place.path().to_owned(),
        line: place.line(),
        ..ZigzagLayer::default()
    };
    let loops = read_loops(&fields, reader);
    let relations = fields.get("dimension_relations").map(|place| place.list(reader, 8)).unwrap_or_default();
    let mut relations: Vec<Relation> =
        relations.iter().filter_map(|place| place.value(reader, "`ix=2*ox+1*fx`", relation)).collect();
    let operator = fields.get("operator_type").and_then(|place| place.name(reader)).unwrap_or_default();
    let equation = fields.need(reader, "equation", "O[b][k]+=W[k][c]*I[b][c]")?;
    let equation = equation.value(reader, "an equation", Equation::new)?;
    layer.precision = read_precision(&fields, &equation.names, reader);
    let of_loops = fields.get("loop_dims").unwrap_or(place);
    let windows = name_windows(&equation, &mut relations, of_loops, reader);
    let loops = assign(&equation, &loops, &operator, &windows, of_loops, reader)?;
    let size = |dim: &str| {
        loops.iter().filter(|(_, known, _)| *known == dim).fold(1u64, |all, (.., size)| all.saturating_mul(*size))
    };
    (layer.b, layer.g, layer.k, layer.c) = (size("B"), size("G"), size("K"), size("C"));
    (layer.output, layer.kernel) = ((size("OX"), size("OY")), (size("FX"), size("FY")));
    (layer.stride, layer.dilation) = ((1, 1), (1, 1));
    for relation in &relations {
        match relation.output.as_str() {
            "ox" => (layer.stride.0, layer.dilation.0) = (relation.stride, relation.dilation),
            "oy" => (layer.stride.1, layer.dilation.1) = (relation.stride, relation.dilation),
            _ => {}
        }
    }
    layer.kind = kind(&layer, &equation, &operator, !relations.is_empty());
    (layer.loops, layer.operator) = (loops, operator);
    if matches!(layer.kind, "add" | "pooling") && layer.k > 1 {
        for (_, ours, _) in layer.loops.iter_mut().filter(|(_, ours, _)| *ours == "K") {
            *ours = "G";
        }
        // Each channel on its own, whatever the file calls them.
        (layer.g, layer.k) = (layer.g.saturating_mul(layer.k), 1);
    }
    read_input(&mut layer, &fields, &relations, reader);
    if let Some(place) = fields.get("operand_source").filter(|place| place.is_map()) {
        for (operand, source) in place.entries(reader) {
            let source = number(&source, reader).filter(|source| *source != id);
            let [_, weights, input] = &equation.names;
            match operand {
                _ if operand == input => layer.sources[0] = source,
                _ if operand == weights => layer.sources[1] = source,
                _ => {}
            }
        }
    }
    (reader.count() == before).then_some(layer)
}

fn read_loops(fields: &Fields, reader: &mut Reader) -> Vec<(String, u64)> {
    let names = fields.need(reader, "loop_dims", "[K, C, OY, OX]").map(|place| place.names(reader)).unwrap_or_default();
    let Some(place) = fields.need(reader, "loop_sizes", "[64, 3, 112, 112]") else { return Vec::new() };
    let items = place.list(reader, 32);
    if items.len() != names.len() {
        let reason = format!("There are {} loops but {} sizes", names.len(), items.len());
        place.reject(reader, ValueError::new(reason, "Write one size for each of `loop_dims`, in the same order"));
    }
    let sizes: Vec<u64> = items.iter().filter_map(|item| size(item, reader)).collect();
    names.into_iter().zip(sizes).collect()
}

fn size(place: &LocatedNode, reader: &mut Reader) -> Option<u64> {
    let size = number(place, reader)?;
    if !(1..=MAX_SIZE).contains(&size) {
        place.reject(
            reader,
            ValueError::new(format!("A loop of {size} is impossible"), format!("Write 1 to {MAX_SIZE}")),
        );
        return None;
    }
    Some(size)
}

fn read_precision(fields: &Fields, [output, weights, input]: &[String; 3], reader: &mut Reader) -> PrecisionSpec {
    let mut precision = PrecisionSpec::default();
    if let Some(place) = fields.get("operand_precision").filter(|place| place.is_map()) {
        for (operand, bits) in place.entries(reader) {
            let bits = number(&bits, reader);
            match operand {
                _ if operand == weights => precision.w = bits,
                _ if operand == input => precision.i = bits,
                _ if operand == output => precision.o_partial = bits,
                _ if operand.strip_suffix("_final") == Some(output) => precision.o = bits,
                _ => {}
            }
        }
    }
    precision.o = precision.o.or(precision.o_partial);
    precision
}

fn kind(layer: &ZigzagLayer, equation: &Equation, operator: &str, windowed: bool) -> &'static str {
    let has_map = windowed || equation.output.iter().any(|index| index == "ox" || index == "oy");
    let is_window = windowed && (layer.kernel != (1, 1) || layer.stride != (1, 1) || layer.dilation != (1, 1));
    if equation.adds {
        "add"
    } else if !has_map || operator == "Gemm" {
        "matmul"
    } else if layer.precision.w == Some(0) {
        "pooling"
    } else if layer.g > 1 && layer.k == 1 && layer.c == 1 {
        "depthwise"
    } else if is_window || windowed {
        "conv"
    } else {
        "pointwise"
    }
}

/// The size of the existing input, and the padding.
fn read_input(layer: &mut ZigzagLayer, fields: &Fields, relations: &[Relation], reader: &mut Reader) {
    let full = |outputs: u64, kernel: u64, stride: u64, dilation: u64| {
        (outputs - 1).saturating_mul(stride).saturating_add(dilation.saturating_mul(kernel - 1)).saturating_add(1)
    };
    let whole = (
        full(layer.output.0, layer.kernel.0, layer.stride.0, layer.dilation.0),
        full(layer.output.1, layer.kernel.1, layer.stride.1, layer.dilation.1),
    );
    let names = fields
        .get("pr_loop_dims")
        .filter(|place| !place.is_empty())
        .map(|place| place.names(reader))
        .unwrap_or_default();
    let sizes = fields
        .get("pr_loop_sizes")
        .filter(|place| !place.is_empty())
        .map(|place| place.list(reader, 4))
        .unwrap_or_default();
    let sizes: Vec<u64> = sizes.iter().filter_map(|item| size(item, reader)).collect();
    let pads =
        fields.get("padding").filter(|place| !place.is_empty()).map(|place| place.list(reader, 4)).unwrap_or_default();
    let pads: Vec<[u64; 2]> = pads
        .iter()
        .map(|place| {
            let numbers: Vec<u64> = place.list(reader, 2).iter().filter_map(|item| number(item, reader)).collect();
            [numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(0)]
        })
        .collect();
    let mut is_cut = false;
    let mut axis = |output: &str, whole: u64, touched: u64, (stride, reach): (u64, u64)| {
        let input =
            relations.iter().find(|relation| relation.output == output).map(|relation| relation.input.to_uppercase());
        let place = input.and_then(|input| names.iter().position(|name| name.to_uppercase() == input));
        let [begin, end] = place.and_then(|place| pads.get(place)).copied().unwrap_or([0, 0]);
        let stated = place.and_then(|place| sizes.get(place)).copied();
        // If the size of the existing input is not stated, ZigZag counts the extent of all windows, minus the padding.
        let counted = stated.unwrap_or_else(|| touched.saturating_sub(begin.saturating_add(end)).max(1));
        // No output may see padding only.
        let cut = |zeros: u64| if stated.is_none() { zeros.min(reach) } else { zeros };
        is_cut |= (cut(begin), cut(end)) != (begin, end);
        let (begin, end) = (cut(begin), cut(end));
        let real = stated.unwrap_or_else(|| whole.saturating_sub(begin.saturating_add(end)).max(1));
        // Window positions beyond the input are padding. The file states how it is divided, if its values give the
        // right number of outputs.
        let zeros = whole.saturating_sub(real);
        let too_many = begin.checked_add(end).and_then(|pads| pads.checked_sub(zeros));
        match too_many {
            Some(unused) if unused < stride && real <= whole => (real, begin, end, counted),
            _ => (real, zeros / 2, zeros - zeros / 2, counted),
        }
    };
    let touched = |outputs: u64, kernel: u64, stride: u64, dilation: u64| {
        overcounted_extent(outputs as f64, kernel as f64, stride, dilation) as u64
    };
    let touched = (
        touched(layer.output.0, layer.kernel.0, layer.stride.0, layer.dilation.0),
        touched(layer.output.1, layer.kernel.1, layer.stride.1, layer.dilation.1),
    );
    let reach = |kernel: u64, dilation: u64| dilation.saturating_mul(kernel.saturating_sub(1));
    let reach = (reach(layer.kernel.0, layer.dilation.0), reach(layer.kernel.1, layer.dilation.1));
    let (columns, left, right, counted_columns) = axis("ox", whole.0, touched.0, (layer.stride.0, reach.0));
    let (rows, top, bottom, counted_rows) = axis("oy", whole.1, touched.1, (layer.stride.1, reach.1));
    layer.is_padding_cut = is_cut;
    layer.counted = (counted_columns, counted_rows);
    (layer.input, layer.padding) = ((columns, rows), [left, right, top, bottom]);
}

/// The layers of the document, each connected to its producers.
fn connect(layers: &[ZigzagLayer], report: &mut ImportReport) -> Vec<LayerSpec> {
    let mut done: Vec<LayerSpec> = Vec::new();
    let mut names: Vec<String> = layers.iter().map(|layer| layer.name.clone()).collect();
    for index in 0..names.len() {
        if names[..index].contains(&names[index]) {
            names[index] = format!("{}_{}", names[index], layers[index].id);
        }
    }
    for (index, layer) in layers.iter().enumerate() {
        if layer.is_padding_cut {
            let reason = "more than the kernel spans, so that outputs would see zeros only: as much as it spans";
            report.note(Severity::Expressed, "padding", reason, &names[index]);
        }
        let find = |id: u64| layers[..index].iter().rposition(|before| before.id == id);
        let name = &names[index];
        let mut read = |source: Option<u64>, map: MapSizes, report: &mut ImportReport, whole: bool| {
            let producer = source.and_then(find);
            let elements =
                |(channels, columns, rows): MapSizes| u128::from(channels) * u128::from(columns) * u128::from(rows);
            match producer {
                Some(producer) if layers[producer].output_map() == map => names[producer].clone(),
                Some(producer) if whole && elements(layers[producer].output_map()) == elements(map) => {
                    names[producer].clone()
                }
                Some(producer) => {
                    let view = format!("{name}_from_{}", names[producer]);
                    let reason = "its sizes are not those of what it reads: a view of the size that it needs; \
                        depth-first tiling ends there";
                    report.note(Severity::Expressed, "view", reason, name);
                    done.push(map_layer(&view, "view", vec![names[producer].clone()], map));
                    view
                }
                None => {
                    let input = format!(
                        "{name}_input{}",
                        if done.iter().any(|known| known.name == format!("{name}_input")) { "2" } else { "" }
                    );
                    done.push(map_layer(&input, "input", Vec::new(), map));
                    input
                }
            }
        };
        let mut from = vec![read(layer.sources[0], layer.input_map(), report, false)];
        let computed = layer.sources[1].filter(|source| find(*source).is_some());
        if layer.kind == "add" {
            from.push(read(layer.sources[1], layer.input_map(), report, false));
        } else if layer.kind == "matmul" && computed.is_some() {
            from.push(read(computed, (layer.g.saturating_mul(layer.c), layer.k, 1), report, true));
        } else if computed.is_some() {
            report.note(
                Severity::Assumed,
                "operand_source",
                "its weights come from another layer; they count as trained ones",
                name,
            );
        }
        done.push(spec(layer, name, from));
    }
    done
}

fn map_layer(name: &str, kind: &str, from: Vec<String>, (channels, columns, rows): MapSizes) -> LayerSpec {
    LayerSpec {
        name: name.to_owned(),
        kind: kind.to_owned(),
        from,
        channels: Some(channels),
        size: Some((columns, rows)),
        ..LayerSpec::default()
    }
}

fn spec(layer: &ZigzagLayer, name: &str, from: Vec<String>) -> LayerSpec {
    let windowed = matches!(layer.kind, "conv" | "depthwise" | "pooling");
    let channelwise = matches!(layer.kind, "depthwise" | "pooling" | "add");
    let stated = |pair: (u64, u64)| (windowed && pair != (1, 1)).then_some(pair);
    let [left, right, top, bottom] = layer.padding;
    LayerSpec {
        name: name.to_owned(),
        kind: layer.kind.to_owned(),
        from,
        channels: (!channelwise).then_some(layer.k.saturating_mul(layer.g)),
        kernel: if windowed { KernelSpec::Size(layer.kernel.0, layer.kernel.1) } else { KernelSpec::Unstated },
        groups: (!channelwise && layer.g > 1).then_some(layer.g),
        stride: stated(layer.stride),
        dilation: stated(layer.dilation),
        padding: if windowed && layer.padding != [0; 4] {
            PaddingSpec::Sides(left, right, top, bottom)
        } else {
            PaddingSpec::None
        },
        precision: PrecisionSpec { w: layer.precision.w.filter(|bits| layer.states_weights(*bits)), ..layer.precision },
        loop_order: layer.loop_order(),
        input_counted: (windowed && layer.counted != layer.input).then_some(layer.counted),
        ..LayerSpec::default()
    }
}
