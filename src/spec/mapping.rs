//! Reading a mapping document: layers mapped by hand.

use super::Reading;
use super::document::UnrollSpec;
use super::hardware::read_unroll;
use super::reader::{LocatedNode, Reader, ValueError, count};
use serde::{Deserialize, Serialize};

/// Limits on layers, and on loops of a layer (none has as many prime factors).
const MAX_LAYERS: usize = 2048;
const MAX_LOOPS: usize = 128;
const MAPPING: [&str; 3] = ["name", "about", "layers"];
const LAYER: [&str; 3] = ["layer", "unroll", "loops"];
const LOOP: [&str; 6] = ["loop", "W", "I", "O", "X", "Y"];

/// A mapping document: layers mapped by hand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MappingSpec {
    /// Its name, for people.
    pub name: String,
    /// Description and source.
    pub about: String,
    /// Mappings of layers, each by the name of its layer.
    pub layers: Vec<LayerMappingSpec>,
}

/// The mapping of a layer in space and time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerMappingSpec {
    /// Name of the layer.
    pub layer: String,
    /// The loops that the array unrolls; `None`: as the hardware and the network state.
    pub unroll: Option<Vec<UnrollSpec>>,
    /// The temporal loops, innermost first.
    pub loops: Vec<MappedLoopSpec>,
}

/// A temporal loop, and the memory that holds it for each operand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MappedLoopSpec {
    /// The loop dimension: `K`.
    pub dimension: String,
    /// Number of iterations.
    pub size: u64,
    /// Operands and the names of their memories, in the order `W`, `I`, `X`, `Y`, `O`.
    pub memories: Vec<(String, String)>,
}

/// Reads a mapping document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read have their defaults, so the document means something only if nothing is wrong.
/// `user_mappings` of the engine reads it and validates it for a core and a network.
pub fn read_mapping(text: &str) -> Reading<MappingSpec> {
    let (root, mut reader) = Reader::open(text);
    let fields = LocatedNode::root(&root).fields(&mut reader, &MAPPING);
    let example = "[{ layer: conv1, loops: [{ loop: K 2, W: rf, I: sram, O: rf }] }]";
    let layers = fields.need(&mut reader, "layers", example).map(|place| place.list(&mut reader, MAX_LAYERS));
    let spec = MappingSpec {
        name: fields.name(&mut reader, "name", "My mapping"),
        about: fields.text(&mut reader, "about"),
        layers: layers.unwrap_or_default().iter().map(|place| read_layer(place, &mut reader)).collect(),
    };
    Reading::new(spec, reader.finish())
}

fn read_layer(place: &LocatedNode, reader: &mut Reader) -> LayerMappingSpec {
    let fields = place.fields(reader, &LAYER);
    let loops = fields.need(reader, "loops", "[{ loop: K 2, W: rf, I: sram, O: rf }]");
    LayerMappingSpec {
        layer: fields.name(reader, "layer", "conv1"),
        unroll: fields.get("unroll").map(|place| read_unroll(place, reader)),
        loops: loops
            .map(|place| place.list(reader, MAX_LOOPS).iter().map(|place| read_loop(place, reader)).collect())
            .unwrap_or_default(),
    }
}

fn read_loop(place: &LocatedNode, reader: &mut Reader) -> MappedLoopSpec {
    let fields = place.fields(reader, &LOOP);
    let stated = fields.need(reader, "loop", "K 2").and_then(|place| {
        place.value(reader, "a loop and its size, for example `K 2`", |text| {
            let (dimension, size) = text.split_once(char::is_whitespace).ok_or_else(|| {
                ValueError::new(
                    format!("`{text}` is no loop with a size"),
                    "Write a dimension and a size, for example `K 2`",
                )
            })?;
            Ok((dimension.to_owned(), count(size.trim())?))
        })
    });
    let (dimension, size) = stated.unwrap_or_default();
    let memories = ["W", "I", "X", "Y", "O"].into_iter().filter_map(|operand| {
        let memory = fields.get(operand)?.name(reader)?;
        Some((operand.to_owned(), memory))
    });
    MappedLoopSpec { dimension, size, memories: memories.collect() }
}
