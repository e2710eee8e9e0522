//! Causal masks among constants: square matrices that hold one value where a token sees another, and another value elsewhere.

use super::wire::{Fault, Wire};

/// Most elements of a mask.
const MOST_ELEMENTS: u64 = 1 << 26;

/// What a causal mask lets a token see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle {
    /// How many tokens, the last ones up to its own; `None`: all of these.
    pub window: Option<u64>,
}

/// Whether the packed elements of a tensor of this shape are causal masks, all alike. Of weights a few elements are read, as these differ
/// from each other; the place of reading is left anywhere.
pub fn read(wire: &mut Wire, until: u64, dims: &[u64]) -> Result<Option<Triangle>, Fault> {
    let [matrices @ .., rows, columns] = dims else { return Ok(None) };
    let count = dims.iter().try_fold(1u64, |all, dim| all.checked_mul(*dim));
    let Some(count) = count.filter(|count| rows == columns && *rows > 1 && (1..=MOST_ELEMENTS).contains(count)) else {
        return Ok(None);
    };
    let length = wire.left(until);
    let size = length / count;
    if !(1..=8).contains(&size) || size * count != length {
        return Ok(None);
    }
    let (seen, mut hidden, mut window) = (wire.element(size)?, None, None);
    for matrix in 0..matrices.iter().product::<u64>() {
        for row in 0..*rows {
            for column in 0..*columns {
                if (matrix, row, column) == (0, 0, 0) {
                    continue;
                }
                let element = wire.element(size)?;
                let hidden = *hidden.get_or_insert(element);
                // The first row of which the first column is hidden says how wide the window is.
                if (matrix, column) == (0, 0) && element == hidden && window.is_none() {
                    window = Some(row);
                }
                let is_seen = column <= row && window.is_none_or(|window| row - column < window);
                if seen == hidden || element != if is_seen { seen } else { hidden } {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(Triangle { window }))
}
