//! Figures of a memory that its document leaves to an estimator, and where the document says so.

use super::sram::{Figures, MAX_SRAM_WIDTH, SRAM_65NM, SRAM_ESTIMATORS, SRAM_SIZES, estimate, node_nm};
use crate::spec::{Diagnostics, EstimateSpec, Fix, MemorySpec, write_size};
use serde::{Deserialize, Serialize};

/// Which figures of a memory are estimates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Name of the estimator: `sram-28nm`.
    pub estimator: String,
    /// Whether the energy of reading is estimated.
    pub read_energy: bool,
    /// Whether the energy of writing is estimated.
    pub write_energy: bool,
    /// Whether the area is estimated.
    pub area: bool,
}

impl Estimate {
    /// The estimate that the document at `path` asks for, with its figures; `None` where it names no estimator or
    /// something is wrong with it.
    pub(super) fn new(
        path: &str,
        name: &str,
        memory: &MemorySpec,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Self, Figures)> {
        let EstimateSpec { estimator, read_energy, write_energy } = memory.estimate.as_ref()?;
        let path = format!("{path}.estimate");
        let area = memory.area_um2.is_none();
        if !(*read_energy || *write_energy || area) {
            let reason = format!("Nothing of {name} is left to estimate: it states both energies and its area");
            diagnostics.add(&path, reason, "Take `estimate` out, or a figure that it is to replace");
            set_fix(diagnostics, Fix::Remove);
        }
        let width_bits = memory.read_width_bits.max(memory.write_width_bits);
        let figures = check_estimate(&path, name, (estimator, memory.size_bits, width_bits), diagnostics)?;
        let (read_energy, write_energy) = (*read_energy, *write_energy);
        Some((Self { estimator: estimator.clone(), read_energy, write_energy, area }, figures))
    }

    /// Whether an energy is estimated.
    pub fn has_energy(&self) -> bool {
        self.read_energy || self.write_energy
    }

    /// The estimated figures, in words: `read and write energy, area`.
    pub fn what(&self) -> String {
        let energy = match (self.read_energy, self.write_energy) {
            (true, true) => "read and write energy",
            (true, false) => "read energy",
            (false, true) => "write energy",
            (false, false) => "",
        };
        [energy, if self.area { "area" } else { "" }]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The figures of an SRAM by an estimator's name, the size and the width of its word, bits. Notes at `path` all that is wrong with these;
/// a size or width of 0 is not judged here.
pub fn check_estimate(
    path: &str,
    name: &str,
    (estimator, size_bits, width_bits): (&str, u64, u64),
    diagnostics: &mut Diagnostics,
) -> Option<Figures> {
    let before = diagnostics.0.len();
    let (least, most) = (*SRAM_SIZES.start(), *SRAM_SIZES.end());
    if !estimator.is_empty() && !SRAM_ESTIMATORS.contains(&estimator) {
        add_unknown_estimator(path, estimator, diagnostics);
    }
    if size_bits > 0 && !SRAM_SIZES.contains(&size_bits) {
        let (least, most) = (write_size(least), write_size(most));
        let reason = format!("{name} has {}, and SRAMs are estimated from {least} to {most}", write_size(size_bits));
        diagnostics.add(path, reason, "State its energies, and its area if you know it, or give it such a size");
    }
    if width_bits > MAX_SRAM_WIDTH {
        let reason =
            format!("{name} has a word of {width_bits} bit, and words are estimated up to {MAX_SRAM_WIDTH} bit");
        diagnostics.add(path, reason, "State its energies, and its area if you know it, or make the word narrower");
    }
    if diagnostics.0.len() > before || size_bits == 0 || width_bits == 0 {
        return None;
    }
    estimate(estimator, size_bits, width_bits)
}

/// For a node without an estimator, the nearest one was meant; else the most similar word.
fn add_unknown_estimator(path: &str, estimator: &str, diagnostics: &mut Diagnostics) {
    let reason = format!("There is no estimate `{estimator}`");
    let Some(nm) = node_nm(estimator) else {
        return diagnostics.add_unknown(path, reason, estimator, &SRAM_ESTIMATORS);
    };
    let distance = |name: &&str| node_nm(name).map_or(f64::INFINITY, |other| (other - nm).abs());
    let nearest = SRAM_ESTIMATORS.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let meant = nearest.unwrap_or(SRAM_65NM).to_owned();
    diagnostics.add(path, reason, format!("Did you mean `{meant}`?"));
    set_fix(diagnostics, Fix::Replace { word: estimator.to_owned(), meant });
}

fn set_fix(diagnostics: &mut Diagnostics, fix: Fix) {
    if let Some(last) = diagnostics.0.last_mut() {
        last.fix = Some(fix);
    }
}
