//! Reading a pool document.

use super::Reading;
use super::document::{FiguresSpec, PoolMemorySpec, PoolSpec, VariantSpec};
use super::hardware::{read_area, read_both, read_energy};
use super::quantity::bits;
use super::reader::{Fields, LocatedNode, Reader, ValueError};

/// Limits on the memories of a pool, and on the widths of one.
const MAX_MEMORIES: usize = 32;
const MAX_VARIANTS: usize = 8;
/// Longest name of a memory, characters: with the operands appended it is still the name of a memory of a hardware document.
const LONGEST_NAME: usize = 90;
const POOL: [&str; 3] = ["name", "about", "memories"];
const MEMORY: [&str; 5] = ["name", "size", "replication", "variants", "source"];
const VARIANT: [&str; 8] =
    ["width", "read_width", "write_width", "read_energy", "write_energy", "area", "estimate", "source"];

/// Reads a pool document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read have their defaults, so the document means something only if nothing is wrong.
/// `Pool::from_text` of the model reads and validates in one step.
pub fn read_pool(text: &str) -> Reading<PoolSpec> {
    let (root, mut reader) = Reader::open(text);
    let fields = LocatedNode::root(&root).fields(&mut reader, &POOL);
    let memories = match fields.need(&mut reader, "memories", "[{ name: rf, size: 64 B, ... }]") {
        Some(place) => {
            place.list(&mut reader, MAX_MEMORIES).iter().map(|memory| read_memory(memory, &mut reader)).collect()
        }
        None => Vec::new(),
    };
    let spec = PoolSpec {
        name: fields.name(&mut reader, "name", "My pool"),
        about: fields.text(&mut reader, "about"),
        memories,
    };
    Reading::new(spec, reader.finish())
}

fn read_memory(place: &LocatedNode, reader: &mut Reader) -> PoolMemorySpec {
    let fields = place.fields(reader, &MEMORY);
    PoolMemorySpec {
        name: memory_name(&fields, reader),
        size_bits: fields
            .need(reader, "size", "4 KiB")
            .and_then(|place| place.value(reader, "a size with its unit", bits))
            .unwrap_or(0),
        replication: fields
            .need(reader, "replication", "[per_pe, per_dimension, shared]")
            .map(|place| place.names(reader))
            .unwrap_or_default(),
        variants: match fields.need(reader, "variants", "[{ width: 32 bit, estimate: sram-65nm }]") {
            Some(place) => {
                place.list(reader, MAX_VARIANTS).iter().map(|variant| read_variant(variant, reader)).collect()
            }
            None => Vec::new(),
        },
        source: fields.text(reader, "source"),
    }
}

/// A name that stays one when the operands that the memory holds are appended to it: `sram_4KiB_WIO`.
fn memory_name(fields: &Fields, reader: &mut Reader) -> String {
    let Some(place) = fields.need(reader, "name", "sram_4KiB") else { return String::new() };
    let name = place.name(reader).unwrap_or_default();
    if name.chars().count() > LONGEST_NAME {
        let reason = format!(
            "This name is longer than {LONGEST_NAME} characters, and the operands in the memory are appended to it"
        );
        place.reject(reader, ValueError::new(reason, "Shorten it"));
    }
    name
}

fn read_variant(place: &LocatedNode, reader: &mut Reader) -> VariantSpec {
    let fields = place.fields(reader, &VARIANT);
    let (read_width, write_width) = read_both(&fields, "width", reader);
    if read_width.is_none() && write_width.is_none() && ["width", "read_width"].iter().all(|f| fields.get(f).is_none())
    {
        fields.missing(reader, "width", "32 bit");
    }
    VariantSpec {
        read_width_bits: read_width.or(write_width).unwrap_or(0),
        write_width_bits: write_width.or(read_width).unwrap_or(0),
        figures: read_figures(&fields, reader),
        source: fields.text(reader, "source"),
    }
}

/// Either all three figures, or the name of a fit.
fn read_figures(fields: &Fields, reader: &mut Reader) -> FiguresSpec {
    let stated = ["read_energy", "write_energy", "area"].into_iter().find_map(|name| fields.get(name));
    if let Some(place) = fields.get("estimate") {
        if let Some(stated) = stated {
            stated.reject(reader, ValueError::new("There is an `estimate` too", "Keep the one or the other"));
        }
        return FiguresSpec::Estimate(place.name(reader).unwrap_or_default());
    }
    FiguresSpec::Stated {
        read_energy_pj: read_energy(fields, "read_energy", reader),
        write_energy_pj: read_energy(fields, "write_energy", reader),
        area_um2: fields
            .need(reader, "area", "4740 um2")
            .and_then(|_| read_area(fields, "area", reader))
            .unwrap_or(0.0),
    }
}
