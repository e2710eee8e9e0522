//! Differences between the FuseMax artifact and correct counts: one switch for each.

use serde::{Deserialize, Serialize};

/// The switches. `true` means "as the artifact does it"; [`Rules::CORRECTED`], the default, has every switch off.
///
/// "NOTES" is the description of the artifact that comes with the reference data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// The registers of one PE are charged for the registers of all. (NOTES 8)
    pub registers_of_one_pe: bool,
    /// +cascade takes no energy for exponential functions, as their name is not in the table of energies. (NOTES 8)
    pub exponentials_of_cascade_are_free: bool,
    /// +cascade takes no energy for the register file at the edge of the array. (NOTES 8)
    pub edge_of_cascade_is_free: bool,
    /// The numerator of a tile of keys is declared without the tile, so that the edge register file adds up all of them, and the running
    /// numerator is added once more. (NOTES 8)
    pub numerators_add_up_at_the_edge: bool,
    /// +cascade sizes its tiles for half of the buffer that it has. (NOTES 5)
    pub cascade_uses_half_of_the_buffer: bool,
    /// The softmax of FLAT and of unfused attention subtracts the maximum in no time; +cascade takes a cycle for it. (NOTES 3)
    pub baselines_subtract_in_no_time: bool,
}

impl Rules {
    /// The artifact of FuseMax (MICRO 2024, commit f543beb), defects included.
    pub const FUSEMAX_2024: Self = Self {
        registers_of_one_pe: true,
        exponentials_of_cascade_are_free: true,
        edge_of_cascade_is_free: true,
        numerators_add_up_at_the_edge: true,
        cascade_uses_half_of_the_buffer: true,
        baselines_subtract_in_no_time: true,
    };
    /// Correct counts; the default.
    pub const CORRECTED: Self = Self {
        registers_of_one_pe: false,
        exponentials_of_cascade_are_free: false,
        edge_of_cascade_is_free: false,
        numerators_add_up_at_the_edge: false,
        cascade_uses_half_of_the_buffer: false,
        baselines_subtract_in_no_time: false,
    };
}

impl Default for Rules {
    fn default() -> Self {
        Self::CORRECTED
    }
}
