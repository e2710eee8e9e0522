//! AccelForge, the successor of Timeloop: architecture, workload and mapping as documents.
//!
//! A file is recognised by its top-level fields, and may have several parts. Its memories are memories here, its
//! fan-outs the dimensions of the array, its Einsums layers; rank variables are recognised by the tensors that they
//! index. Energies are in J per action there, and speeds in actions per second: a cycle is the time of one computation.
//!
//! A storage of a mapping holds tiles of tensors for all loops inside of it, down to the next storage of the same
//! tensor; likewise the mapping document names the memory that holds a loop, so that the transfers are the same. Loops
//! shared by several Einsums, and tensors that never reach the outermost memory, cannot be expressed in a document that
//! maps layer by layer: their mapping is left out.

mod architecture;
mod assemble;
mod expression;
mod layers;
mod mapping;
mod schedule;
mod sets;
mod workload;

use super::places::find;
use architecture::Architecture;
pub use assemble::assemble;
use expression::Names;
use fusescape_spec::reader::{LocatedNode, Reader};
use fusescape_spec::{Diagnostic, Diagnostics};
use mapping::Path;
use workload::Workload;

/// What to do about a file that only the front end can evaluate.
const TEMPLATE_REMEDY: &str = "Write the values in their places, or import what AccelForge writes out in Python: \
    `accelforge.Spec.from_yaml(file, jinja_parse_data={...}).workload.to_yaml()`, and likewise of `arch` and `mapping`";

/// What files of AccelForge say: an architecture, a workload, and a mapping, which has a path for each Einsum.
pub type AccelforgeInput = crate::nest::Files<Architecture, Workload, Vec<Path>>;

/// Whether a file is from AccelForge, by its top-level fields. Timeloop's files have `mapping` as well, as a list.
pub fn recognise(text: &str) -> bool {
    let begins = |name: &str| {
        text.lines().any(|line| {
            let line = line.trim_start_matches('\u{feff}');
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    };
    let has_tree = ["!Compute", "!Storage", "rank_variable"].iter().any(|part| text.contains(part));
    begins("arch")
        || begins("einsums")
        || begins("workload") && text.contains("einsums")
        || begins("mapping") && has_tree
        || begins("nodes") && (has_tree || text.contains("fanout") || text.contains("actions"))
}

/// Reads a file: its contents as far as they can be read, and all errors.
pub fn read(text: &str) -> (AccelforgeInput, Diagnostics) {
    let mut files = AccelforgeInput::default();
    if let Some(line) = text.lines().position(is_template) {
        let reason = format!("Line {} is a template or takes in another mapping", line + 1);
        let remedy = TEMPLATE_REMEDY.to_owned();
        let diagnostic = Diagnostic { path: String::new(), line: Some(line + 1), reason, remedy, fix: None };
        return (files, Diagnostics(vec![diagnostic]));
    }
    let (root, mut reader) = Reader::open_foreign(text);
    let root = LocatedNode::root(&root);
    let entries = root.entries(&mut reader);
    let names = read_names(find(&entries, "variables"), &mut reader);
    let report = &mut files.report;
    let is_whole = |name: &str| entries.iter().any(|(known, place)| *known == name && !place.is_empty());
    // A file written by AccelForge may be a single part without a top-level field.
    let has_loops = ["!Compute", "rank_variable"].iter().any(|part| text.contains(part)) && !text.contains("!Memory");
    let part = |name: &str, is_root: bool| {
        if is_root { Some(&root) } else { find(&entries, name).filter(|place| !place.is_empty()) }
    };
    let is_dump = is_whole("nodes");
    if let Some(place) = part("arch", is_dump && !has_loops) {
        files.architecture = architecture::read(place, &names, &mut reader, report);
    }
    if let Some(place) = part("workload", is_whole("einsums")) {
        files.workload = workload::read(place, &names, &mut reader, report);
    }
    if let Some(place) = part("mapping", is_dump && has_loops) {
        files.mapping = Some(mapping::read(place, &names, &mut reader, report));
    }
    super::zigzag::note_cleaned(&reader, report);
    (files, reader.finish())
}

/// Whether a line contains template syntax, which only AccelForge's front end evaluates.
fn is_template(line: &str) -> bool {
    let is_comment = line.trim_start().starts_with('#');
    !is_comment && (line.contains("{{") || line.contains("{%") || line.contains("<<:") || line.contains("<<<:"))
}

/// The variables of a file, each of which may use those before it. One that is not a number is an error only where it
/// is used.
fn read_names(place: Option<&LocatedNode>, reader: &mut Reader) -> Names {
    let mut names = Names::new();
    let Some(place) = place.filter(|place| place.is_map()) else { return names };
    for (name, place) in place.entries(reader) {
        if !place.is_scalar() {
            continue;
        }
        let text = place.text(reader).unwrap_or_default();
        let known = |name: &str| names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value);
        if let Some(value) = expression::value(&text, &known) {
            names.push((name.to_owned(), value));
        }
    }
    names
}
