//! Loops ordered in time: loop prime factors and their number.

use crate::sorting::sort_few_by_key;
use crate::workload::{Dim, LoopSizes};
use serde::{Deserialize, Serialize};

/// An atomic piece of a temporal loop: a loop prime factor, or several of one dimension merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TemporalLoop {
    /// The loop dimension it is a piece of.
    pub dim: Dim,
    /// Number of iterations, at least 2.
    pub size: u64,
}

/// There are more loop dimensions than loop prime factors allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyDimensions {
    /// Dimensions with a temporal loop: the smallest limit that works.
    pub dimensions: usize,
}

/// Cuts the temporal loops into at most `limit` pieces, ordered by dimension and size.
///
/// While there are more prime factors than allowed, the two smallest of the dimension that has the most are merged
/// (LOMA; DeFiNES tool, loma/engine.py:105-215). `order` decides which dimension goes first on a tie. A dimension
/// always keeps one factor.
///
/// # Errors
/// When there are more dimensions than the limit allows and `strict` asks for the limit to be kept.
pub fn limited_factors(
    sizes: &LoopSizes,
    order: &[Dim],
    limit: usize,
    strict: bool,
) -> Result<Vec<TemporalLoop>, TooManyDimensions> {
    let of_dim = |&dim: &Dim| each_prime_factor(sizes[dim as usize]).map(move |size| TemporalLoop { dim, size });
    let mut loops: Vec<TemporalLoop> = Vec::with_capacity(32);
    loops.extend(order.iter().flat_map(of_dim));
    if loops.len() > limit {
        loops = merged_factors(sizes, order, limit, strict)?;
    }
    sort_few_by_key(&mut loops, |&next| next);
    Ok(loops)
}

/// The loop prime factors, merged until there are at most `limit`.
fn merged_factors(
    sizes: &LoopSizes,
    order: &[Dim],
    limit: usize,
    strict: bool,
) -> Result<Vec<TemporalLoop>, TooManyDimensions> {
    let mut factors: Vec<(Dim, Vec<u64>)> = order
        .iter()
        .map(|&dim| (dim, prime_factors(sizes[dim as usize])))
        .filter(|(_, factors)| !factors.is_empty())
        .collect();
    let dimensions = factors.len();
    while factors.iter().map(|(_, factors)| factors.len()).sum::<usize>() > limit {
        // `max_by_key` would take the last of equals.
        let most = factors.iter().map(|(_, factors)| factors.len()).max().unwrap_or(0);
        let Some((_, list)) = factors.iter_mut().find(|(_, factors)| factors.len() == most && most > 1) else {
            if strict {
                return Err(TooManyDimensions { dimensions });
            }
            break;
        };
        let merged = list[0] * list[1];
        list.drain(..2);
        let place = list.partition_point(|&factor| factor < merged);
        list.insert(place, merged);
    }
    let of_dim = |(dim, factors): (Dim, Vec<u64>)| factors.into_iter().map(move |size| TemporalLoop { dim, size });
    Ok(factors.into_iter().flat_map(of_dim).collect())
}

/// The prime factors of `n`, ascending, with multiplicity.
pub fn prime_factors(n: u64) -> Vec<u64> {
    each_prime_factor(n).collect()
}

fn each_prime_factor(mut n: u64) -> impl Iterator<Item = u64> {
    let mut candidate = 2;
    std::iter::from_fn(move || {
        while candidate * candidate <= n {
            if n.is_multiple_of(candidate) {
                n /= candidate;
                return Some(candidate);
            }
            candidate += if candidate == 2 { 1 } else { 2 };
        }
        let last = std::mem::replace(&mut n, 1);
        (last > 1).then_some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::{TemporalLoop, TooManyDimensions, limited_factors, prime_factors};
    use crate::workload::Dim;

    fn limited(limit: usize, strict: bool) -> Result<Vec<(Dim, u64)>, TooManyDimensions> {
        let mut sizes = [1; 8];
        sizes[Dim::K as usize] = 12;
        sizes[Dim::OY as usize] = 8;
        sizes[Dim::FX as usize] = 3;
        let pairs = |loops: Vec<TemporalLoop>| loops.into_iter().map(|next| (next.dim, next.size)).collect();
        limited_factors(&sizes, &Dim::ALL, limit, strict).map(pairs)
    }

    #[test]
    fn the_smallest_factors_of_the_most_divided_dimension_are_merged() {
        use Dim::{FX, K, OY};
        assert_eq!(limited(9, true), Ok(vec![(K, 2), (K, 2), (K, 3), (OY, 2), (OY, 2), (OY, 2), (FX, 3)]));
        assert_eq!(limited(6, true), Ok(vec![(K, 3), (K, 4), (OY, 2), (OY, 2), (OY, 2), (FX, 3)]));
        assert_eq!(limited(4, true), Ok(vec![(K, 12), (OY, 2), (OY, 4), (FX, 3)]));
    }

    #[test]
    fn a_dimension_keeps_one_factor_however_low_the_limit() {
        assert_eq!(limited(2, false), Ok(vec![(Dim::K, 12), (Dim::OY, 8), (Dim::FX, 3)]));
        assert_eq!(limited(2, true), Err(TooManyDimensions { dimensions: 3 }));
    }

    #[test]
    fn prime_factors_multiply_to_the_number() {
        for n in 1..2000 {
            let factors = prime_factors(n);
            assert_eq!(factors.iter().product::<u64>(), n);
            assert!(factors.iter().all(|&factor| prime_factors(factor).len() == 1) && factors.is_sorted());
        }
    }
}
