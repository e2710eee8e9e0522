//! Timeloop, version 4: architecture, problem and mapping as documents and back, with the energies of Accelergy's
//! tables.
//!
//! A file is recognised by its top-level fields, and may have several parts: `parsed-processed-input.yaml`, which
//! Timeloop's front end writes for every run, has all of them. Its levels are memories here, its meshes the dimensions
//! of the array, its data spaces W, I and O. Dimensions of a problem are recognised by the data spaces that they index,
//! not by their names.
//!
//! A data space that bypasses a level is not held by the memory, so the mapping affects the hardware document. Loops
//! are held by the next memory above that keeps the data. If loops that do not index a data space lie directly above a
//! level, Timeloop moves nothing; here the lower memory holds them, with the same result.

mod architecture;
mod assemble;
mod energies;
mod levels;
mod mapping;
mod memories;
mod nearest;
mod problem;
mod schedule;
mod write;

use super::places::{Entries, find};
use super::report::{ImportReport, Severity};
use architecture::TimeloopArchitecture;
pub use assemble::assemble;
pub use energies::TableEnergy;
use fusescape_spec::Diagnostics;
use fusescape_spec::reader::{LocatedNode, Reader};
use mapping::Directive;
pub use nearest::write_best;
use problem::TimeloopProblem;
pub use write::{TimeloopFiles, write};

/// Fields that begin a part, and the part.
const PARTS: [(&str, FileSection); 11] = [
    ("architecture", FileSection::Architecture),
    ("problem", FileSection::Problem),
    ("mapping", FileSection::Mapping),
    ("ERT", FileSection::Energies),
    ("energy_reference_table", FileSection::Energies),
    ("ERT_summary", FileSection::Energies),
    ("architecture_constraints", FileSection::Constraints),
    ("mapspace_constraints", FileSection::Constraints),
    ("mapspace", FileSection::Constraints),
    ("constraints", FileSection::Constraints),
    ("sparse_optimizations", FileSection::Constraints),
];

/// A part of a file, by its top-level field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileSection {
    Architecture,
    Problem,
    Mapping,
    Energies,
    /// Constraints of a search, which are not imported.
    Constraints,
}

/// What files of Timeloop say: an architecture, a problem of one layer, and the directives of a mapping.
pub type TimeloopInput = crate::nest::Files<TimeloopArchitecture, TimeloopProblem, Vec<Directive>>;

/// Whether a file is from Timeloop, by its top-level fields.
pub fn recognise(text: &str) -> bool {
    let begins = |line: &str| {
        let line = line.trim_start_matches('\u{feff}');
        PARTS.iter().any(|(name, part)| {
            *part != FileSection::Constraints
                && line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    };
    text.lines().any(begins)
}

/// Reads a file: its contents as far as they can be read, and all errors.
pub fn read(text: &str) -> (TimeloopInput, Diagnostics) {
    let mut files = TimeloopInput::default();
    if let Some(line) = text.lines().position(|line| line.contains("{{") || line.contains("{%") || line.contains("<<:"))
    {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add(
            "",
            format!(
                "Line {} is a template or takes in another mapping, which Timeloop's front end writes out",
                line + 1
            ),
            "Import `parsed-processed-input.yaml` instead, which the front end writes beside its results",
        );
        diagnostics.0.iter_mut().for_each(|wrong| wrong.line = Some(line + 1));
        return (files, diagnostics);
    }
    let (root, mut reader) = Reader::open_foreign(text);
    let root = LocatedNode::root(&root);
    let entries = root.entries(&mut reader);
    for (name, place) in &entries {
        let Some((_, part)) = PARTS.iter().find(|(known, _)| known == name) else { continue };
        match part {
            FileSection::Architecture => files.architecture = architecture::read(place, &mut reader, &mut files.report),
            FileSection::Problem => files.workload = problem::read(place, &mut reader, &mut files.report),
            FileSection::Mapping if place.is_empty() => {}
            FileSection::Mapping => files.mapping = Some(mapping::read(place, &mut reader, &mut files.report)),
            FileSection::Energies => energies::read(place, &mut files.energies, &mut reader),
            FileSection::Constraints => note_constraints(name, place, &mut reader, &mut files.report),
        }
    }
    super::zigzag::note_cleaned(&reader, &mut files.report);
    (files, reader.finish())
}

/// Reports constraints, as they are not imported.
fn note_constraints(name: &str, place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) {
    if place.is_empty() || place.is_scalar() {
        return;
    }
    let fields: Entries = if place.is_map() { place.entries(reader) } else { Vec::new() };
    let targets = find(&fields, "targets");
    if targets.is_some_and(LocatedNode::is_empty) || targets.is_none() && find(&fields, "template").is_some() {
        return;
    }
    let reason = "not taken: it limits what Timeloop searches, and a mapping says all of itself";
    report.note(Severity::Assumed, name, reason, &format!("line {}", place.line()));
}
