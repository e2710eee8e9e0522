//! Relative differences between floating-point numbers that are rounding, not a result.
//!
//! One value serves all numbers that are compared after they were added up in different orders. The smaller ones serve
//! inside of a search, where there is less to add up: numbers that are equal by them are equal by [`REL_TOLERANCE`].

/// Sums of the same terms in different orders differ by less. Costs that are closer are equal, and a lower bound is
/// lowered by as much before it is compared with a cost.
pub const REL_TOLERANCE: f64 = 1e-9;

/// Prices of mappings in the exact search that differ by less are equal. It is smaller than [`REL_TOLERANCE`], so that
/// a mapping that the search leaves out as a tie is one in the order of candidates, too.
pub const PRICE_TOLERANCE: f64 = 1e-10;

/// Rounding of a Lagrangian bound in the exact search, relative to its terms, by which the bound is lowered.
pub const BOUND_TOLERANCE: f64 = 1e-11;

/// Rounding of sums of very few terms.
pub const SHORT_SUM_TOLERANCE: f64 = 1e-12;

/// Numbers of accesses that differ by less are equal. They are whole multiples of a granule: a larger tolerance would
/// take different numbers for equal ones.
pub const ACCESS_TOLERANCE: f64 = 1e-14;

/// Removes the rounding error of an average unrolling times its steps.
pub fn snap(value: f64) -> f64 {
    let integer = value.round();
    if (value - integer).abs() <= REL_TOLERANCE * integer { integer } else { value }
}
