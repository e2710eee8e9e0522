//! Limits on sizes, energies, areas and leakage.

use crate::spec::Diagnostics;

/// Largest number of bits, elements or PEs of one thing; products of two of them do not overflow.
pub const MAX_SIZE: u64 = 1 << 50;
/// Limit on the energy of an access or a multiply-accumulate, pJ: 10 mJ. Sums of such energies stay in the range of
/// `f64`.
const MAX_ENERGY_PJ: f64 = 1e10;
/// The largest area of one thing, um2: a square metre.
const MAX_AREA_UM2: f64 = 1e12;
/// Limit on the leakage of one thing, mW: a megawatt.
const MAX_LEAKAGE_MW: f64 = 1e9;

/// Notes an energy that is none, or too large to be summed up.
pub fn check_energy(path: &str, energy_pj: f64, diagnostics: &mut Diagnostics) {
    check_figure(path, energy_pj, MAX_ENERGY_PJ, ["an energy", "pJ", " (10 mJ)"], diagnostics);
}

/// Notes an area that is none, or too large to be summed up.
pub fn check_area(path: &str, area_um2: Option<f64>, diagnostics: &mut Diagnostics) {
    check_figure(path, area_um2.unwrap_or(0.0), MAX_AREA_UM2, ["an area", "um2", " (1 square metre)"], diagnostics);
}

/// Notes a number of bits that is 0, for which `otherwise` is a remedy, or too large to be counted with; `what` names
/// it.
#[inline(never)]
pub fn check_bits(path: String, what: &str, bits: u64, otherwise: &str, diagnostics: &mut Diagnostics) {
    if bits > MAX_SIZE {
        let remedy = "Write at most 131072 GiB (2^50 bit)";
        diagnostics.add(path, format!("{what} of {bits} bit, which is too large to be counted"), remedy);
    } else if bits == 0 {
        diagnostics.add(path, format!("{what} of 0 bit"), otherwise);
    }
}

pub(super) fn check_leakage(path: &str, leakage_mw: f64, diagnostics: &mut Diagnostics) {
    check_figure(path, leakage_mw, MAX_LEAKAGE_MW, ["a power", "mW", " (1 MW)"], diagnostics);
}

#[inline(never)]
fn check_figure(path: &str, value: f64, most: f64, [what, unit, means]: [&str; 3], diagnostics: &mut Diagnostics) {
    if value > most {
        diagnostics.add(path, "This is too large to be counted", format!("Write at most {most} {unit}{means}"));
    } else if value < 0.0 || value.is_nan() {
        let remedy = format!("Write a number of {unit} that is not negative");
        diagnostics.add(path, format!("{value} {unit} is not {what}"), remedy);
    }
}
