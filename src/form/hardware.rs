//! Edits of the PE array and its unrolling. Names of array dimensions are used all over the document.

use super::memories::memories;
use fusescape_spec::edit::{Outline, between_brackets, flow_list, flow_map, free_name};

const DIMENSIONS: &str = "array.dimensions";
const SYSTOLIC: &str = "array.systolic";
/// Paths of the dimension names of an array that computes in memory.
const SIDES: [&str; 2] = ["array.in_memory.columns", "array.in_memory.rows"];

/// Renames an array dimension everywhere, if the new name is free.
pub fn rename_dimension(document: &Outline, index: usize, name: &str) -> Option<Outline> {
    let names = document.keys(DIMENSIONS);
    let old = names.get(index)?;
    let renamed = document.rename(&format!("{DIMENSIONS}[{index}]"), name)?;
    let is_unclear = names.iter().filter(|other| *other == old).count() > 1 || names.iter().any(|other| other == name);
    if is_unclear || old == "all" {
        return Some(renamed);
    }
    let mut next = renamed;
    for kind in 0..next.len("unroll") {
        for entry in places_of(&next, kind, old) {
            next = next.rename(&entry, name)?;
        }
    }
    for memory in memories(document) {
        next = next.replace_name(&format!("{memory}.shared_over"), old, name)?;
    }
    for side in SIDES.into_iter().filter(|side| document.value(side).as_ref() == Some(old)) {
        next = next.write(side, name)?;
    }
    next.replace_name(SYSTOLIC, old, name)
}

/// Paths of the unrollings of a layer type over an array dimension.
fn places_of(document: &Outline, kind: usize, dimension: &str) -> Vec<String> {
    let keys = document.keys(&format!("unroll[{kind}]"));
    let places = keys.iter().enumerate().filter(|(_, key)| *key == dimension);
    places.map(|(entry, _)| format!("unroll[{kind}][{entry}]")).collect()
}

/// Adds an array dimension of one PE, which has no effect until it gets a size.
pub fn add_dimension(document: &Outline) -> Option<Outline> {
    let names = document.keys(DIMENSIONS);
    let name = free_name(&names, &format!("D{}", names.len() + 1));
    if names.is_empty() {
        let dimensions = flow_map(&[(&name, "1".to_owned())]);
        return if document.has("array") {
            document.put(DIMENSIONS, &dimensions)
        } else {
            document.put("array", &flow_map(&[("dimensions", dimensions)]))
        };
    }
    document.add(DIMENSIONS, &name, "1")
}

/// Removes an array dimension everywhere.
pub fn remove_dimension(document: &Outline, index: usize) -> Option<Outline> {
    let names = document.keys(DIMENSIONS);
    let old = names.get(index)?;
    let mut next = document.remove(&format!("{DIMENSIONS}[{index}]"))?;
    if names.iter().filter(|other| *other == old).count() > 1 {
        return Some(next);
    }
    for kind in 0..next.len("unroll") {
        for entry in places_of(&next, kind, old).into_iter().rev() {
            next = next.remove(&entry)?;
        }
    }
    for memory in memories(document) {
        next = next.set_name(&format!("{memory}.shared_over"), old, false)?;
    }
    next.set_name(SYSTOLIC, old, false)
}

/// Adds a vector unit, fed by the lowest suitable memory; `None` if no memory holds inputs and outputs for the whole
/// array.
pub fn add_vector_unit(document: &Outline) -> Option<Outline> {
    let feeds = |memory: &String| {
        let operands = document.names(&format!("{memory}.operands"));
        let shared = document.names(&format!("{memory}.shared_over"));
        let holds = |operand: &str| operands.iter().any(|held| held == operand);
        let every = || document.keys(DIMENSIONS).iter().all(|name| shared.contains(name));
        holds("I") && holds("O") && (shared == ["all"] || every())
    };
    let memory = memories(document).find(feeds)?;
    let register = [
        ("name", document.free_name("memories", "lane_rf")),
        ("size", "64 B".to_owned()),
        ("operands", "[I, O]".to_owned()),
        ("width", "16 bit".to_owned()),
        ("granularity", "8 bit".to_owned()),
        ("read_energy", "2.19 pJ".to_owned()),
        ("write_energy", "1.91 pJ".to_owned()),
        ("shared_over", "[]".to_owned()),
        ("source", "\"artifact of FuseMax (MICRO 2024): 32 entries of 16 bit, 45 nm\"".to_owned()),
    ];
    let unit = [
        ("lanes", "64".to_owned()),
        ("memory", document.value(&format!("{memory}.name"))?),
        ("registers", format!("[{}]", flow_map(&register))),
    ];
    document.put("vector_unit", &flow_map(&unit))
}

/// Whether data moves by one PE per cycle along an array dimension.
pub fn is_systolic(document: &Outline, dimension: &str) -> bool {
    let names = document.names(SYSTOLIC);
    names == ["all"] || names.iter().any(|name| name == dimension)
}

/// Makes an array dimension systolic, or one with broadcast.
pub fn set_systolic(document: &Outline, dimension: &str, on: bool) -> Option<Outline> {
    let dimensions = document.keys(DIMENSIONS);
    let systolic: Vec<&str> = dimensions
        .iter()
        .map(String::as_str)
        .filter(|name| if *name == dimension { on } else { is_systolic(document, name) })
        .collect();
    match &systolic[..] {
        [] if !document.has(SYSTOLIC) => Some(document.clone()),
        [] => document.remove(SYSTOLIC),
        all if all.len() == dimensions.len() => document.put(SYSTOLIC, "all"),
        some => document.put(SYSTOLIC, &flow_list(some)),
    }
}

/// The loops that a layer type unrolls over an array dimension, as text: `K`, `FY 5, OY 2`; and their path in the
/// document.
pub fn unrolled(document: &Outline, kind: &str, dimension: &str) -> (String, Option<String>) {
    let kinds = document.keys("unroll");
    let place = kinds.iter().position(|other| other == kind);
    let place = place.and_then(|kind| places_of(document, kind, dimension).into_iter().next());
    (place.as_deref().and_then(|place| document.value(place)).unwrap_or_default(), place)
}

/// Writes the loops that a layer type unrolls over an array dimension: none, one, or several separated by commas.
pub fn write_unrolled(document: &Outline, kind: &str, dimension: &str, text: &str) -> Option<Outline> {
    let loops: Vec<&str> = text.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let yaml = match &loops[..] {
        [one] => between_brackets(one),
        several => flow_list(several),
    };
    let (_, place) = unrolled(document, kind, dimension);
    match place {
        Some(place) if loops.is_empty() => document.remove(&place),
        Some(place) => document.put(&place, &yaml),
        None if loops.is_empty() => Some(document.clone()),
        None => {
            let fields = flow_map(&[(&between_brackets(dimension), yaml.clone())]);
            let kinds = document.keys("unroll");
            match kinds.iter().position(|other| other == kind) {
                Some(kind) if document.is_map(&format!("unroll[{kind}]")) => {
                    let dimensions = document.keys(DIMENSIONS);
                    let order: Vec<&str> = dimensions.iter().map(String::as_str).collect();
                    document.add_in_order(&format!("unroll[{kind}]"), dimension, &yaml, &order)
                }
                Some(kind) => document.put(&format!("unroll[{kind}]"), &fields),
                None if kinds.is_empty() => document.put("unroll", &flow_map(&[(kind, fields)])),
                None => document.add("unroll", kind, &fields),
            }
        }
    }
}
