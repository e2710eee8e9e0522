//! Reading a workload document.

use super::Reading;
use super::decimal::parse_decimal;
use super::diagnostic::Fix;
use super::document::{
    DensitySpec, KernelSpec, LayerSpec, MapAxis, PaddingSpec, PrecisionSpec, ViewSpec, WorkloadSpec,
};
use super::hardware::read_unrolls;
use super::reader::{Fields, LocatedNode, Reader, ValueError, count};

/// Limit on the layers of a network.
pub const MAX_LAYERS: usize = 4096;
const WORKLOAD: [&str; 6] = ["name", "about", "batch", "precision", "density", "layers"];
const DENSITY: [&str; 3] = ["W", "I", "O"];
const PRECISION: [&str; 4] = ["W", "I", "O_partial", "O"];
const SIDES: [&str; 4] = ["left", "right", "top", "bottom"];
/// Every field of a layer; [`LAYER_TYPES`] lists those of each type.
const LAYER: [&str; 23] = [
    "name",
    "type",
    "from",
    "K",
    "size",
    "kernel",
    "groups",
    "stride",
    "dilation",
    "padding",
    "crop",
    "join",
    "channels",
    "columns",
    "rows",
    "scale",
    "blocks",
    "operations",
    "precision",
    "density",
    "loop_order",
    "input_counted",
    "unroll",
];
/// The fields of each type of layer besides `name`, `type`, `from`, `precision`, `density`, `loop_order` and `unroll`.
const LAYER_TYPES: [(&str, &[&str]); 12] = [
    ("input", &["K", "size"]),
    ("view", &["K", "size", "padding", "join", "channels", "columns", "rows", "scale", "blocks"]),
    ("conv", &["K", "kernel", "groups", "stride", "dilation", "padding", "input_counted"]),
    ("pointwise", &["K", "groups"]),
    ("depthwise", &["K", "kernel", "stride", "dilation", "padding", "input_counted"]),
    ("pooling", &["K", "kernel", "stride", "dilation", "padding", "operations", "input_counted"]),
    ("fully-connected", &["K"]),
    ("matmul", &["K", "groups"]),
    ("add", &["K", "crop", "operations"]),
    ("reduction", &["groups", "operations"]),
    ("elementwise", &["K", "operations"]),
    ("pairwise", &["K", "operations"]),
];

/// The fields of the part at `path`, in their usual order; none where names are free to choose.
pub(super) fn field_order(path: &str) -> &'static [&'static str] {
    match path.rsplit_once('.').map_or(path, |(_, last)| last) {
        "" => &WORKLOAD,
        "precision" => &PRECISION,
        "density" => &DENSITY,
        "padding" => &SIDES,
        _ if path.starts_with("layers[") && path.ends_with(']') => &LAYER,
        _ => &[],
    }
}

/// The fields of a layer of type `kind` besides those of every type; none of unknown types.
pub fn layer_fields(kind: &str) -> &'static [&'static str] {
    LAYER_TYPES.iter().find(|(name, _)| *name == kind).map_or(&[], |(_, fields)| fields)
}

/// Reads a workload document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read have their defaults, so the document means something only if nothing is wrong.
/// `Network::from_text` of the model reads and validates in one step.
pub fn read_workload(text: &str) -> Reading<WorkloadSpec> {
    let (root, mut reader) = Reader::open(text);
    let spec = read_network(&LocatedNode::root(&root), &mut reader);
    Reading::new(spec, reader.finish())
}

fn read_network(place: &LocatedNode, reader: &mut Reader) -> WorkloadSpec {
    let fields = place.fields(reader, &WORKLOAD);
    let layers = match fields.need(reader, "layers", "[{ name: image, type: input, K: 3, size: 224 x 224 }, ...]") {
        Some(place) => place.list(reader, MAX_LAYERS).iter().map(|layer| read_layer(layer, reader)).collect(),
        None => Vec::new(),
    };
    WorkloadSpec {
        name: fields.name(reader, "name", "My network"),
        about: fields.text(reader, "about"),
        batch: read_count(&fields, "batch", reader).unwrap_or(1),
        precision: read_precision(&fields, reader),
        density: read_density(&fields, reader),
        layers,
    }
}

fn read_layer(place: &LocatedNode, reader: &mut Reader) -> LayerSpec {
    let fields = place.fields(reader, &LAYER);
    let kind = fields.name(reader, "type", "conv");
    check_fields(&fields, &kind, reader);
    let kernel = match kind.as_str() {
        "conv" | "depthwise" | "pooling" => fields.need(reader, "kernel", "3 x 3"),
        _ => fields.get("kernel"),
    };
    LayerSpec {
        name: fields.name(reader, "name", "conv1"),
        from: fields.get("from").map(|place| read_from(place, reader)).unwrap_or_default(),
        channels: read_count(&fields, "K", reader),
        size: read_pair(&fields, "size", "columns x rows", reader),
        kernel: kernel.and_then(|place| read_kernel(place, reader)).unwrap_or_default(),
        groups: read_count(&fields, "groups", reader),
        stride: read_pair(&fields, "stride", "a stride", reader),
        dilation: read_pair(&fields, "dilation", "a dilation", reader),
        padding: fields.get("padding").and_then(|place| read_padding(place, reader)).unwrap_or_default(),
        crop: fields.get("crop").and_then(|place| place.flag(reader)).unwrap_or(false),
        shows: read_view(&fields, reader),
        operations: fields.get("operations").map(|place| read_operations(place, reader)).unwrap_or_default(),
        precision: read_precision(&fields, reader),
        density: read_density(&fields, reader),
        loop_order: fields.get("loop_order").map(|place| place.names(reader)).unwrap_or_default(),
        input_counted: read_pair(&fields, "input_counted", "columns x rows", reader),
        unroll: fields.get("unroll").map(|place| read_unrolls(place, reader)).unwrap_or_default(),
        kind,
    }
}

/// The number of each operation: `{ add: 1, exp: 1 }`.
fn read_operations(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, u64)> {
    let entries = place.entries(reader);
    entries.into_iter().map(|(name, place)| (name.to_owned(), place.count(reader).unwrap_or(0))).collect()
}

fn read_from(place: &LocatedNode, reader: &mut Reader) -> Vec<String> {
    let before = reader.count();
    let names = place.names(reader);
    if names.is_empty() && reader.count() == before {
        place.reject(
            reader,
            ValueError::new("This list is empty", "Name a layer, or leave `from` out for the layer before"),
        );
    }
    names
}

/// Complains about fields that layers of this type do not have: they would have no effect, or a strange one.
fn check_fields(fields: &Fields, kind: &str, reader: &mut Reader) {
    let Some((_, own)) = LAYER_TYPES.into_iter().find(|(name, _)| *name == kind) else { return };
    for name in LAYER {
        let common = match name {
            "from" => kind != "input",
            "unroll" | "loop_order" => !matches!(kind, "input" | "view"),
            name => matches!(name, "name" | "type" | "precision" | "density"),
        };
        if let Some(place) = fields.get(name)
            && !common
            && !own.contains(&name)
        {
            let remedy = match (kind, name) {
                ("pointwise", "kernel" | "stride" | "dilation" | "padding") => {
                    "Remove it, or use `type: conv` with `kernel: 1 x 1`".to_owned()
                }
                _ => format!("Remove it; a layer of this type has {}", own.join(", ")),
            };
            let wrong = ValueError::new(format!("A layer of type `{kind}` has no `{name}`"), remedy);
            place.reject(reader, wrong.fixed_by(Fix::Remove));
        }
    }
}

fn read_count(fields: &Fields, name: &str, reader: &mut Reader) -> Option<u64> {
    fields.get(name).and_then(|place| place.count(reader))
}

fn read_pair(fields: &Fields, name: &str, what: &str, reader: &mut Reader) -> Option<(u64, u64)> {
    fields.get(name).and_then(|place| place.value(reader, what, pair))
}

/// Columns and rows, or one number for both.
fn pair(text: &str) -> Result<(u64, u64), ValueError> {
    let mut numbers = text.split(['x', '×']).map(|number| count(number.trim()));
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(both)), None, _) => Ok((both, both)),
        (Some(Ok(columns)), Some(Ok(rows)), None) => Ok((columns, rows)),
        (Some(Err(wrong)), ..) | (_, Some(Err(wrong)), _) if wrong.is_of_size() => Err(wrong),
        _ => Err(ValueError::new(format!("`{text}` is not a number of columns and rows"), "Write for example `5 x 3`")),
    }
}

fn read_kernel(place: &LocatedNode, reader: &mut Reader) -> Option<KernelSpec> {
    place.value(reader, "columns x rows, or `global`", |text| match text {
        "global" => Ok(KernelSpec::Global),
        text => pair(text).map(|(columns, rows)| KernelSpec::Size(columns, rows)),
    })
}

/// The arrangement of a view: of one kind only, as a view of a view shows both.
fn read_view(fields: &Fields, reader: &mut Reader) -> Option<ViewSpec> {
    let joined = fields.get("join").and_then(|place| place.value(reader, "`channels`, `columns` or `rows`", map_axis));
    let part = MapAxis::ALL.map(|axis| fields.get(axis.name()));
    let is_part = part.iter().any(Option::is_some);
    let part = part.map(|place| place.and_then(|place| place.value(reader, "a range such as `0..32`", range)));
    let scale = read_pair(fields, "scale", "columns x rows, or one number for both", reader);
    let blocks = read_pair(fields, "blocks", "columns x rows, or one number for both", reader);
    let stated = [
        joined.map(ViewSpec::Join),
        is_part.then_some(ViewSpec::Part(part)),
        scale.map(|(columns, rows)| ViewSpec::Scale(columns, rows)),
        blocks.map(|(columns, rows)| ViewSpec::Blocks(columns, rows)),
    ];
    let mut stated = stated.into_iter().flatten();
    let shows = stated.next();
    let arrangements = ["blocks", "scale", "rows", "columns", "channels", "join"];
    if let Some(place) = arrangements.iter().find_map(|name| fields.get(name))
        && (stated.next().is_some() || shows.is_some() && fields.get("padding").is_some())
    {
        let reason = "A view arranges its map in one way: it joins, takes a part, scales, makes blocks, or pads";
        place.reject(reader, ValueError::new(reason, "Write a view of this view for the other"));
    }
    shows
}

fn map_axis(text: &str) -> Result<MapAxis, ValueError> {
    MapAxis::ALL.into_iter().find(|axis| axis.name() == text).ok_or_else(|| {
        ValueError::new(format!("`{text}` is no axis of a feature map"), "Write `channels`, `columns` or `rows`")
    })
}

/// From the first of a range up to before its end.
fn range(text: &str) -> Result<(u64, u64), ValueError> {
    let ends = text.split_once("..").map(|(first, end)| (count(first.trim()), count(end.trim())));
    match ends {
        Some((Ok(first), Ok(end))) if first < end => Ok((first, end)),
        Some((Err(wrong), _) | (_, Err(wrong))) if wrong.is_of_size() => Err(wrong),
        _ => Err(ValueError::new(format!("`{text}` is not a range"), "Write for example `0..32` for the first 32")),
    }
}

fn read_padding(place: &LocatedNode, reader: &mut Reader) -> Option<PaddingSpec> {
    if place.is_map() {
        let fields = place.fields(reader, &SIDES);
        let [left, right, top, bottom] = SIDES.map(|side| read_count(&fields, side, reader).unwrap_or(0));
        return Some(PaddingSpec::Sides(left, right, top, bottom));
    }
    place.value(reader, "`same`, a number, or `{ left: 1, right: 1, top: 1, bottom: 1 }`", |text| match text {
        "none" => Ok(PaddingSpec::None),
        "same" => Ok(PaddingSpec::Same),
        text => match pair(text) {
            Ok((columns, rows)) => Ok(PaddingSpec::Sides(columns, columns, rows, rows)),
            Err(_) => Err(ValueError::new(
                format!("`{text}` is not a padding"),
                "Write `same`, `none`, a number, `columns x rows`, or `{ left: 1, right: 1, top: 1, bottom: 1 }`",
            )),
        },
    })
}

fn read_density(fields: &Fields, reader: &mut Reader) -> DensitySpec {
    let Some(place) = fields.get("density") else { return DensitySpec::default() };
    let fields = place.fields(reader, &DENSITY);
    let [w, i, o] =
        DENSITY.map(|operand| fields.get(operand)?.figure(reader, "a share of elements, such as 0.4", density));
    DensitySpec { w, i, o }
}

fn density(text: &str) -> Result<f64, ValueError> {
    let wrong = || ValueError::new(format!("`{text}` is no share of elements"), "Write more than 0, and at most 1");
    parse_decimal(text).filter(|share| *share > 0.0 && *share <= 1.0).ok_or_else(wrong)
}

fn read_precision(fields: &Fields, reader: &mut Reader) -> PrecisionSpec {
    let Some(place) = fields.get("precision") else { return PrecisionSpec::default() };
    let fields = place.fields(reader, &PRECISION);
    let [w, i, o_partial, o] = PRECISION.map(|operand| {
        fields
            .get(operand)?
            .value(reader, "a number of bits", |text| count(text.strip_suffix("bit").map_or(text, str::trim_end)))
    });
    PrecisionSpec { w, i, o_partial, o }
}
