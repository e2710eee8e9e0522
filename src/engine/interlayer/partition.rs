//! Spatial fusion's partitions: a part of the array for every layer (Section 4.3.1).

use super::accelerator::PeArray;
use super::chain::ChainLayer;
use super::mapping::divisors;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Limit on the layers among which spatial fusion divides the array, as in the paper's experiments: partitions multiply with every layer.
pub const MOST_PARTS: usize = 4;

/// Pairs of parts beyond which those of two layers are pruned, too: an array of 8192 x 8192 PEs has fewer.
const MOST_PAIRS: usize = 40_000;
/// Limit on the parts of a layer where partitions are pruned: an array whose sides are powers of two has fewer.
const MOST_LARGE: usize = 24;

/// Parts of the array that one layer may have: sides divide the array's, and neither is shorter than a row of the kernel, columns
/// first, ascending.
pub fn sub_arrays(layer: &ChainLayer, array: PeArray) -> Vec<PeArray> {
    let sides = |side: u64| divisors(side).into_iter().filter(|&side| side >= layer.x.kernel).collect::<Vec<_>>();
    let rows = sides(array.rows);
    let with_rows = |columns| rows.iter().map(move |&rows| PeArray { columns, rows });
    sides(array.columns).into_iter().flat_map(with_rows).collect()
}

/// Every way to give each layer a part of the array, so that all lie side by side without rotation.
///
/// For three layers and more there are too many, and for two on an array whose sides have very many divisors. Then only
/// parts of at least 4 x 4 and a sixteenth of the array are taken, of very many the largest, and only partitions in
/// which no part can grow by itself. For more than [`MOST_PARTS`] layers there are none.
pub fn partitions(layers: &[ChainLayer], array: PeArray) -> Vec<Vec<PeArray>> {
    if layers.len() > MOST_PARTS {
        return Vec::new();
    }
    let mut parts: Vec<Vec<PeArray>> = layers.iter().map(|layer| sub_arrays(layer, array)).collect();
    let ways = parts.iter().fold(1_usize, |ways, parts| ways.saturating_mul(parts.len()));
    let is_pruned = layers.len() > 2 || ways > MOST_PAIRS;
    if is_pruned {
        let is_large = |part: &PeArray| part.columns >= 4 && part.rows >= 4 && area(*part) * 16 >= area(array);
        for parts in &mut parts {
            parts.retain(is_large);
            if parts.len() > MOST_LARGE {
                parts.sort_by_key(|part| Reverse(area(*part)));
                parts.truncate(MOST_LARGE);
            }
        }
    }
    let mut packing = Packing { array, known: BTreeMap::new() };
    let mut partitions: Vec<Vec<PeArray>> = vec![Vec::new()];
    for parts in &parts {
        // Parts that do not fit together are dropped before the next layer: another part makes no room.
        let extended = partitions
            .iter()
            .flat_map(|begun| parts.iter().map(|&part| begun.iter().copied().chain([part]).collect::<Vec<_>>()));
        partitions = extended.filter(|parts| packing.fits(parts)).collect();
    }
    if is_pruned {
        let sides = [array.columns, array.rows].map(divisors);
        partitions.retain(|parts| !can_grow(parts, &sides, &mut packing));
    }
    partitions
}

/// Whether a part can have the next longer of the sides, of columns and of rows, while the others stay.
fn can_grow(parts: &[PeArray], [columns, rows]: &[Vec<u64>; 2], packing: &mut Packing) -> bool {
    let next = |side: u64, sides: &[u64]| sides.iter().copied().find(|&longer| longer > side);
    (0..parts.len()).any(|index| {
        let part = parts[index];
        let wider = next(part.columns, columns).map(|columns| PeArray { columns, ..part });
        let higher = next(part.rows, rows).map(|rows| PeArray { rows, ..part });
        [wider, higher].into_iter().flatten().any(|larger| {
            let mut parts = parts.to_vec();
            parts[index] = larger;
            packing.fits(&parts)
        })
    })
}

fn area(array: PeArray) -> u64 {
    array.columns * array.rows
}

/// Whether rectangles can be packed into the array; each answer is kept.
struct Packing {
    array: PeArray,
    known: BTreeMap<Vec<PeArray>, bool>,
}

impl Packing {
    fn fits(&mut self, parts: &[PeArray]) -> bool {
        // Whether parts fit does not depend on their order: permutations share an entry.
        let mut sorted = parts.to_vec();
        sorted.sort_unstable();
        if let Some(&known) = self.known.get(&sorted) {
            return known;
        }
        let total: u64 = sorted.iter().copied().map(area).sum();
        let fits = total <= area(self.array) && place(self.array, &mut Vec::new(), &sorted);
        self.known.insert(sorted, fits);
        fits
    }
}

/// Places the `left` rectangles beside those `placed` at (column, row). Any packing can be pushed up and to the left,
/// so it suffices to try the corners of placed rectangles.
fn place(array: PeArray, placed: &mut Vec<(u64, u64, PeArray)>, left: &[PeArray]) -> bool {
    if left.is_empty() {
        return true;
    }
    let edges =
        |edge: fn(&(u64, u64, PeArray)) -> u64| [0].into_iter().chain(placed.iter().map(edge)).collect::<Vec<_>>();
    let columns = edges(|(column, _, part)| column + part.columns);
    let rows = edges(|(_, row, part)| row + part.rows);
    for (index, &part) in left.iter().enumerate() {
        if index > 0 && left[index - 1] == part {
            continue;
        }
        let mut rest = left.to_vec();
        rest.remove(index);
        for &column in &columns {
            for &row in &rows {
                let is_inside = column + part.columns <= array.columns && row + part.rows <= array.rows;
                let is_free = placed.iter().all(|&(other_column, other_row, other)| {
                    column + part.columns <= other_column
                        || other_column + other.columns <= column
                        || row + part.rows <= other_row
                        || other_row + other.rows <= row
                });
                if is_inside && is_free {
                    placed.push((column, row, part));
                    if place(array, placed, &rest) {
                        return true;
                    }
                    placed.pop();
                }
            }
        }
    }
    false
}
