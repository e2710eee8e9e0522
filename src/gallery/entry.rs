//! An entry of the gallery, validated.

use super::choice::DocumentChoice;
use super::claim::{Claim, read_claim};
use super::opening::{Opening, open};
use super::parameters::find;
use fusescape_spec::{
    Diagnostics, GallerySpec, find_preset, gallery_presets, hardware_presets, read_gallery_entry, workload_presets,
};

/// A published figure or table that can be recomputed.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Name of its file.
    pub id: &'static str,
    pub title: String,
    pub paper: String,
    /// Figure, table or section of the paper.
    pub place: String,
    /// A sentence about its conclusion.
    pub lesson: String,
    /// The state that shows it.
    pub opens: Opening,
    /// Published numbers.
    pub claims: Vec<Claim>,
}

/// In the order of the gallery.
///
/// # Errors
/// All errors in their documents, with the entry in front of each path.
pub fn entries() -> Result<Vec<Entry>, Diagnostics> {
    let mut all = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for preset in gallery_presets() {
        match Entry::from_text(preset.id, preset.text) {
            Ok(entry) => all.push(entry),
            Err(wrong) => diagnostics.0.extend(wrong.0.into_iter().map(|mut wrong| {
                wrong.path = format!("{}: {}", preset.id, wrong.path);
                wrong
            })),
        }
    }
    diagnostics.or(all)
}

/// The entry called `id`.
///
/// # Errors
/// If there is none; the remedy names the closest one.
pub fn find_entry(id: &str) -> Result<Entry, Diagnostics> {
    let preset = find_preset(gallery_presets(), id)?;
    Entry::from_text(preset.id, preset.text)
}

impl Entry {
    /// Reads and validates an entry.
    ///
    /// # Errors
    /// All errors of the text, each with its line, path, reason and remedy.
    pub fn from_text(id: &'static str, text: &str) -> Result<Self, Diagnostics> {
        read_gallery_entry(text).validated(text, &[], |spec| Self::new(id, spec))
    }

    fn new(id: &'static str, spec: GallerySpec) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let hardware = find(hardware_presets(), &spec.opens.hardware, "opens.hardware", &mut diagnostics);
        let workload = find(workload_presets(), &spec.opens.workload, "opens.workload", &mut diagnostics);
        let documents = (hardware.map(DocumentChoice::from), workload.map(DocumentChoice::from));
        let opens = open(&spec.opens, "opens", documents, &mut diagnostics);
        if spec.claims.is_empty() {
            diagnostics.add("claims", "There are no claims", "List at least one");
        }
        let claims = (spec.claims.iter().enumerate())
            .flat_map(|(index, claim)| read_claim(claim, &format!("claims[{index}]"), workload, &mut diagnostics))
            .collect();
        let GallerySpec { title, paper, place, lesson, .. } = spec;
        match opens {
            Some(opens) => diagnostics.or(Self { id, title, paper, place, lesson, opens, claims }),
            None => Err(diagnostics),
        }
    }
}
