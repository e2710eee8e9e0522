//! Reading a system document.

use super::Reading;
use super::document::{
    CoreHardware, CoreSpec, LinkEnds, LinkSpec, OffchipPortSpec, OffchipSpec, SharedSpec, SystemSpec,
};
use super::hardware::{read_core, read_energy};
use super::quantity::{bits, energy_pj};
use super::reader::{Fields, LocatedNode, Reader, ValueError};

/// Limits on cores, so that they can be allocated, and on everything else.
const MAX_CORES: usize = 64;
const MAX_LINKS: usize = 256;
const SYSTEM: [&str; 6] = ["name", "about", "cores", "shared", "links", "offchip"];
const CORE: [&str; 3] = ["name", "hardware", "runs"];
const SHARED: [&str; 2] = ["memory", "cores"];
const LINK: [&str; 7] = ["from", "to", "between", "bus", "mesh", "width", "energy"];
const OFFCHIP: [&str; 4] = ["width", "read_energy", "write_energy", "ports"];
const PORT: [&str; 5] = ["name", "cores", "direction", "width", "energy"];

/// Reads a system document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read have their defaults, so the document means something only if nothing is wrong.
/// `CoreSystem::from_text` of the model reads and validates in one step.
pub fn read_system(text: &str) -> Reading<SystemSpec> {
    let (root, mut reader) = Reader::open(text);
    let fields = LocatedNode::root(&root).fields(&mut reader, &SYSTEM);
    let items = |reader: &mut Reader, name: &str, most: usize| {
        fields.get(name).map(|place| place.list(reader, most)).unwrap_or_default()
    };
    fields.need(&mut reader, "cores", "[{ name: core 0, hardware: tpu-like }]");
    let cores = items(&mut reader, "cores", MAX_CORES);
    let shared = items(&mut reader, "shared", MAX_LINKS);
    let links = items(&mut reader, "links", MAX_LINKS);
    let spec = SystemSpec {
        name: fields.name(&mut reader, "name", "My system"),
        about: fields.text(&mut reader, "about"),
        cores: cores.iter().map(|place| read_one_core(place, &mut reader)).collect(),
        shared: shared.iter().map(|place| read_shared(place, &mut reader)).collect(),
        links: links.iter().filter_map(|place| read_link(place, &mut reader)).collect(),
        offchip: fields
            .need(&mut reader, "offchip", "{ width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ }")
            .map(|place| read_offchip(place, &mut reader))
            .unwrap_or_default(),
    };
    Reading::new(spec, reader.finish())
}

fn read_one_core(place: &LocatedNode, reader: &mut Reader) -> CoreSpec {
    let fields = place.fields(reader, &CORE);
    CoreSpec {
        name: fields.name(reader, "name", "core 0"),
        hardware: match fields.get("hardware") {
            None => CoreHardware::Beside,
            Some(place) if place.is_map() => CoreHardware::Own(Box::new(read_core(place, reader))),
            Some(place) => place.name(reader).map_or(CoreHardware::Beside, CoreHardware::Preset),
        },
        runs: fields.get("runs").map(|place| place.names(reader)).unwrap_or_default(),
    }
}

fn read_shared(place: &LocatedNode, reader: &mut Reader) -> SharedSpec {
    let fields = place.fields(reader, &SHARED);
    SharedSpec {
        memory: fields.name(reader, "memory", "sram"),
        cores: fields.need(reader, "cores", "[core 0, core 1]").map(|place| place.names(reader)).unwrap_or_default(),
    }
}

fn read_link(place: &LocatedNode, reader: &mut Reader) -> Option<LinkSpec> {
    let fields = place.fields(reader, &LINK);
    let width_bits = read_width(&fields, "width", reader).unwrap_or(0);
    let energy_pj = read_energy(&fields, "energy", reader);
    let ends = read_ends(place, &fields, reader)?;
    Some(LinkSpec { ends, width_bits, energy_pj })
}

/// One of `from` and `to`, `between`, `bus`, `mesh`.
fn read_ends(place: &LocatedNode, fields: &Fields, reader: &mut Reader) -> Option<LinkEnds> {
    let stated: Vec<&str> =
        ["from", "between", "bus", "mesh"].into_iter().filter(|name| fields.get(name).is_some()).collect();
    let [kind] = stated[..] else {
        if stated.is_empty() && fields.get("to").is_some() {
            fields.missing(reader, "from", "core 0");
        } else {
            let reason = match stated.is_empty() {
                true => "It is not said which cores this connects".to_owned(),
                false => format!("`{}` exclude each other", stated.join("`, `")),
            };
            let remedy =
                "Write `from` and `to`, or one of `between: [a, b]`, `bus: [a, b, c]`, `mesh: [[a, b], [c, d]]`";
            place.reject(reader, ValueError::new(reason, remedy));
        }
        return None;
    };
    let place = fields.get(kind)?;
    if kind != "from"
        && let Some(to) = fields.get("to")
    {
        to.reject(reader, ValueError::new(format!("`to` belongs to `from`, and here is `{kind}`"), "Remove it"));
    }
    match kind {
        "from" => {
            let from = place.name(reader)?;
            Some(LinkEnds::OneWay(from, fields.name(reader, "to", "core 1")))
        }
        "between" => match <[String; 2]>::try_from(place.names(reader)) {
            Ok([one, other]) => Some(LinkEnds::BothWays(one, other)),
            Err(names) => {
                let reason = format!("Here are {} cores instead of two", names.len());
                place.reject(reader, ValueError::new(reason, "Name two, or make it a `bus`"));
                None
            }
        },
        "bus" => Some(LinkEnds::Bus(place.names(reader))),
        _ => {
            let rows = place.list(reader, MAX_CORES);
            Some(LinkEnds::Mesh(rows.iter().map(|row| row.names(reader)).collect()))
        }
    }
}

fn read_width(fields: &Fields, name: &str, reader: &mut Reader) -> Option<u64> {
    fields.need(reader, name, "128 bit").and_then(|place| place.value(reader, "a number of bits with its unit", bits))
}

fn read_offchip(place: &LocatedNode, reader: &mut Reader) -> OffchipSpec {
    let fields = place.fields(reader, &OFFCHIP);
    let ports = fields.get("ports").map(|place| place.list(reader, MAX_CORES)).unwrap_or_default();
    OffchipSpec {
        width_bits: read_width(&fields, "width", reader).unwrap_or(0),
        read_energy_pj: read_energy(&fields, "read_energy", reader),
        write_energy_pj: read_energy(&fields, "write_energy", reader),
        ports: ports.iter().map(|port| read_port(port, reader)).collect(),
    }
}

fn read_port(place: &LocatedNode, reader: &mut Reader) -> OffchipPortSpec {
    let fields = place.fields(reader, &PORT);
    OffchipPortSpec {
        name: fields.get("name").and_then(|place| place.name(reader)).unwrap_or_default(),
        cores: fields.get("cores").map(|place| place.names(reader)).unwrap_or_default(),
        direction: fields.get("direction").and_then(|place| place.name(reader)).unwrap_or_else(|| "both".to_owned()),
        width_bits: fields.get("width").and_then(|place| place.value(reader, "a number of bits with its unit", bits)),
        energy_pj: fields
            .get("energy")
            .and_then(|place| place.figure(reader, "an energy with its unit", energy_pj))
            .unwrap_or(0.0),
    }
}
