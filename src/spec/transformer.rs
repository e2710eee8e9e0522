//! Reading a transformer document: the shape of a model's layers.

use super::Reading;
use super::document::{LatentSpec, StateSpaceSpec, TransformerSpec};
use super::reader::{Fields, LocatedNode, Reader, ValueError};

const TRANSFORMER: [&str; 15] = [
    "name",
    "about",
    "layers",
    "width",
    "heads",
    "key_heads",
    "head_size",
    "feed_forward",
    "decoder",
    "window",
    "norm",
    "post_norm",
    "rotary",
    "latent",
    "state_space",
];
const FEED_FORWARD: [&str; 6] = ["width", "gated", "activation", "experts", "active", "shared"];
const LATENT: [&str; 3] = ["rank", "rotary", "absorbed"];
const STATE_SPACE: [&str; 4] = ["channels", "states", "rank", "kernel"];
/// Fields that a state-space block does not have.
const OF_ATTENTION: [&str; 9] =
    ["heads", "key_heads", "head_size", "feed_forward", "decoder", "window", "post_norm", "rotary", "latent"];

/// Reads a transformer document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read have their defaults, so the document means something only if nothing is wrong.
/// `Transformer::from_text` of the model reads and validates in one step.
pub fn read_transformer(text: &str) -> Reading<TransformerSpec> {
    let (root, mut opened) = Reader::open(text);
    let reader = &mut opened;
    let fields = LocatedNode::root(&root).fields(reader, &TRANSFORMER);
    if let Some(place) = fields.get("state_space") {
        let block = place.fields(reader, &STATE_SPACE);
        for name in OF_ATTENTION {
            if let Some(place) = fields.get(name) {
                let reason = "A state-space block has neither attention nor a feed-forward part";
                place.reject(reader, ValueError::new(reason, format!("Take `{name}` off")));
            }
        }
        let norm = fields.get("norm").and_then(|place| place.name(reader));
        let spec = TransformerSpec {
            name: fields.name(reader, "name", "My model"),
            about: fields.text(reader, "about"),
            layers: size(&fields, reader, "layers", "24"),
            width: size(&fields, reader, "width", "768"),
            decoder: true,
            norm: norm.unwrap_or_else(|| "rms".to_owned()),
            activation: "none".to_owned(),
            state_space: Some(StateSpaceSpec {
                channels: size(&block, reader, "channels", "1536"),
                states: size(&block, reader, "states", "16"),
                rank: size(&block, reader, "rank", "48"),
                kernel: size(&block, reader, "kernel", "4"),
            }),
            ..TransformerSpec::default()
        };
        return Reading::new(spec, opened.finish());
    }
    let heads = size(&fields, reader, "heads", "12");
    let key_heads = fields.get("key_heads").and_then(|place| place.count(reader));
    let flag = |name: &str, reader: &mut Reader| fields.get(name).and_then(|place| place.flag(reader));
    let (decoder, post_norm, rotary) = (flag("decoder", reader), flag("post_norm", reader), flag("rotary", reader));
    let window = fields.get("window").and_then(|place| place.count(reader));
    let norm = fields.get("norm").and_then(|place| place.name(reader));
    let feed_forward = fields.need(reader, "feed_forward", "{ width: 3072 }");
    let feed_forward = feed_forward.map(|place| place.fields(reader, &FEED_FORWARD));
    let of = |name: &str, reader: &mut Reader| {
        feed_forward.as_ref().and_then(|fields| fields.get(name)).and_then(|place| place.count(reader))
    };
    let experts = of("experts", reader);
    let active = of("active", reader);
    let shared = of("shared", reader);
    let latent = fields.get("latent").map(|place| place.fields(reader, &LATENT)).map(|fields| LatentSpec {
        rank: size(&fields, reader, "rank", "512"),
        rotary: size(&fields, reader, "rotary", "64"),
        absorbed: fields.get("absorbed").and_then(|place| place.flag(reader)).unwrap_or(true),
    });
    let gated = feed_forward.as_ref().and_then(|fields| fields.get("gated")).and_then(|place| place.flag(reader));
    let activation = feed_forward.as_ref().and_then(|fields| fields.get("activation"));
    let activation = activation.and_then(|place| place.name(reader));
    let gated = gated.unwrap_or(false);
    let spec = TransformerSpec {
        name: fields.name(reader, "name", "My transformer"),
        about: fields.text(reader, "about"),
        layers: size(&fields, reader, "layers", "12"),
        width: size(&fields, reader, "width", "768"),
        heads,
        key_heads: key_heads.unwrap_or(heads),
        head_size: size(&fields, reader, "head_size", "64"),
        hidden: feed_forward.as_ref().map_or(0, |fields| size(fields, reader, "width", "3072")),
        gated,
        experts: experts.unwrap_or(1),
        active: active.unwrap_or(1),
        shared: shared.unwrap_or(0),
        latent,
        decoder: decoder.unwrap_or(true),
        window,
        norm: norm.unwrap_or_else(|| "layer".to_owned()),
        post_norm: post_norm.unwrap_or(false),
        activation: activation.unwrap_or_else(|| if gated { "silu" } else { "gelu" }.to_owned()),
        rotary: rotary.unwrap_or(false),
        state_space: None,
    };
    Reading::new(spec, opened.finish())
}

fn size(fields: &Fields, reader: &mut Reader, name: &str, example: &str) -> u64 {
    fields.need(reader, name, example).and_then(|place| place.count(reader)).unwrap_or(0)
}
