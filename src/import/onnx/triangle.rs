//! Causal masks among constants: square matrices with one value where a token sees another, and another value
//! elsewhere.

use super::proto::{Fault, ProtoReader};

/// Limit on the elements of a mask.
const MOST_ELEMENTS: u64 = 1 << 26;

/// The visible keys of a causal mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle {
    /// Number of visible tokens up to a token's own; `None` for all.
    pub window: Option<u64>,
}

/// Reads the packed elements of a tensor of this shape; `Some` if they are equal causal masks. Stops early for weights,
/// as their elements differ; the reading position is undefined afterwards.
pub fn read(wire: &mut ProtoReader, until: u64, dims: &[u64]) -> Result<Option<Triangle>, Fault> {
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
                // The first row with a hidden first column gives the width of the window.
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
