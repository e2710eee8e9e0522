//! The loops that are put in order under constraints, and the demands on the places of an order.
//!
//! A stated loop with a size is a piece of its own; the rest of each dimension falls into loop prime factors. A stated
//! order is then a list of places, counted from the innermost loop. Each place is free, or for a loop of one dimension,
//! or for one loop.

use super::stated::{Constraints, LoopPattern, PatternSize};
use crate::mapping::{LayerOnCore, TemporalLoop, temporal};
use crate::workload::{Dim, LoopSizes};
use std::fmt;

/// A stated loop that a layer does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnmatchedLoop {
    /// The stated loop.
    pub pattern: LoopPattern,
    /// The temporal loops of its dimension multiply to this.
    pub temporal_size: u64,
}

impl fmt::Display for UnmatchedLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern: LoopPattern { dim, size }, temporal_size } = self;
        match (size, temporal_size) {
            (_, 1) => write!(f, "{dim} has no temporal loop that could stand there"),
            (PatternSize::Exactly(size), _) => {
                write!(
                    f,
                    "The temporal loops of {dim} multiply to {temporal_size}: {size} does not divide what is left"
                )
            }
            _ => write!(f, "The temporal loops of {dim} multiply to {temporal_size}: no loop prime factor is left"),
        }
    }
}

/// The demand on a place of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Any loop.
    Free,
    /// A loop of this dimension.
    Of(Dim),
    /// This loop.
    Only(TemporalLoop),
}

impl Position {
    /// Whether a loop may stand there.
    pub fn admits(self, next: TemporalLoop) -> bool {
        match self {
            Self::Free => true,
            Self::Of(dim) => next.dim == dim,
            Self::Only(only) => next == only,
        }
    }
}

/// The loops to put in order, sorted: those that are stated with a size, and the loop prime factors of the rest. These
/// are merged until there are `limit` loops in all, or each dimension has one.
///
/// # Errors
/// A stated loop that does not divide the rest of its dimension.
pub fn loops(
    problem: &LayerOnCore<'_>,
    constraints: &Constraints,
    limit: usize,
) -> Result<Vec<TemporalLoop>, UnmatchedLoop> {
    let mut rest: LoopSizes = problem.spatial.temporal_sizes;
    let mut loops = Vec::new();
    for pattern in patterns(constraints) {
        let PatternSize::Exactly(size) = pattern.size else { continue };
        let left = &mut rest[pattern.dim as usize];
        if size == 0 || !left.is_multiple_of(size) {
            let temporal_size = problem.spatial.temporal_sizes[pattern.dim as usize];
            return Err(UnmatchedLoop { pattern: *pattern, temporal_size });
        }
        *left /= size;
        loops.push(TemporalLoop { dim: pattern.dim, size });
    }
    let limit = limit.saturating_sub(loops.len());
    loops.extend(temporal::limited_factors(&rest, &problem.shape.dim_order, limit, false).unwrap_or_default());
    loops.sort_unstable();
    Ok(loops)
}

/// The demand on each place of an order of `loops`: the stated innermost loops, free places, the stated outermost
/// loops.
///
/// # Errors
/// A stated loop that is not among them.
pub fn positions(constraints: &Constraints, loops: &[TemporalLoop]) -> Result<Vec<Position>, UnmatchedLoop> {
    // `left`: by dimension, the loops that no pattern of one place has taken. A pattern `All` takes the rest.
    let mut left = [0_usize; 8];
    loops.iter().for_each(|next| left[next.dim as usize] += 1);
    for pattern in patterns(constraints).filter(|pattern| pattern.size != PatternSize::All) {
        let left = &mut left[pattern.dim as usize];
        *left = left.checked_sub(1).ok_or_else(|| {
            let sizes = loops.iter().filter(|next| next.dim == pattern.dim).map(|next| next.size);
            UnmatchedLoop { pattern: *pattern, temporal_size: sizes.product() }
        })?;
    }
    let mut expand = |patterns: &[LoopPattern]| {
        let mut positions = Vec::new();
        for &LoopPattern { dim, size } in patterns {
            match size {
                PatternSize::Exactly(size) => positions.push(Position::Only(TemporalLoop { dim, size })),
                PatternSize::Any => positions.push(Position::Of(dim)),
                PatternSize::All => {
                    let count = std::mem::take(&mut left[dim as usize]);
                    positions.extend(std::iter::repeat_n(Position::Of(dim), count));
                }
            }
        }
        positions
    };
    let [mut positions, outermost] = [&constraints.innermost, &constraints.outermost].map(|stated| expand(stated));
    positions.resize(loops.len() - outermost.len(), Position::Free);
    positions.extend(outermost);
    Ok(positions)
}

/// Whether a whole order is as stated.
pub fn suits(constraints: &Constraints, order: &[TemporalLoop]) -> bool {
    positions(constraints, order).is_ok_and(|positions| {
        positions.len() == order.len() && positions.iter().zip(order).all(|(position, next)| position.admits(*next))
    })
}

fn patterns(constraints: &Constraints) -> impl Iterator<Item = &LoopPattern> {
    constraints.innermost.iter().chain(&constraints.outermost)
}
