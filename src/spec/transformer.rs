//! Reading a transformer document: the shape of a model's layers.

use super::Diagnostics;
use super::document::TransformerSpec;
use super::reader::{Fields, LocatedNode, Reader};

const TRANSFORMER: [&str; 9] =
    ["name", "about", "layers", "width", "heads", "key_heads", "head_size", "feed_forward", "decoder"];
const FEED_FORWARD: [&str; 4] = ["width", "gated", "experts", "active"];

/// Reads a transformer document: what could be read of it, and everything that is wrong.
///
/// Whatever could not be read is left at its default, so the document means something only if nothing is wrong.
/// `Transformer::from_text` of the engine reads and validates in one step.
pub fn read_transformer(text: &str) -> (TransformerSpec, Diagnostics) {
    let (root, mut opened) = Reader::open(text);
    let reader = &mut opened;
    let fields = LocatedNode::root(&root).fields(reader, &TRANSFORMER);
    let heads = size(&fields, reader, "heads", "12");
    let key_heads = fields.get("key_heads").and_then(|place| place.count(reader));
    let decoder = fields.get("decoder").and_then(|place| place.flag(reader));
    let feed_forward = fields.need(reader, "feed_forward", "{ width: 3072 }");
    let feed_forward = feed_forward.map(|place| place.fields(reader, &FEED_FORWARD));
    let of = |name: &str, reader: &mut Reader| {
        feed_forward.as_ref().and_then(|fields| fields.get(name)).and_then(|place| place.count(reader))
    };
    let experts = of("experts", reader);
    let active = of("active", reader);
    let gated = feed_forward.as_ref().and_then(|fields| fields.get("gated")).and_then(|place| place.flag(reader));
    let spec = TransformerSpec {
        name: fields.name(reader, "name", "My transformer"),
        about: fields.text(reader, "about"),
        layers: size(&fields, reader, "layers", "12"),
        width: size(&fields, reader, "width", "768"),
        heads,
        key_heads: key_heads.unwrap_or(heads),
        head_size: size(&fields, reader, "head_size", "64"),
        hidden: feed_forward.as_ref().map_or(0, |fields| size(fields, reader, "width", "3072")),
        gated: gated.unwrap_or(false),
        experts: experts.unwrap_or(1),
        active: active.unwrap_or(1),
        decoder: decoder.unwrap_or(true),
    };
    (spec, opened.finish())
}

fn size(fields: &Fields, reader: &mut Reader, name: &str, example: &str) -> u64 {
    fields.need(reader, name, example).and_then(|place| place.count(reader)).unwrap_or(0)
}
