//! An irreducible group of constraints that excludes every mapping.

use super::{Constraints, LevelConstraint, has_legal_mapping};
use crate::mapping::LayerOnCore;
use crate::search::Limits;

/// Constraints that exclude every mapping together. If any one of them is left out, the others no longer do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Whether the order of loops is one of them.
    pub order: bool,
    /// Whether evenness is one of them.
    pub even: bool,
    /// Constraints on memory levels, by their index in [`Constraints::levels`].
    pub levels: Vec<usize>,
}

/// An irreducible group of constraints that excludes everything. `None` where a mapping is legal, where none fits in
/// any case, or where the limits leave that open.
///
/// Blocks of constraints are left out for good where the rest is still proved to exclude everything: first about half
/// of them at a time, then a quarter, in the end one by one. With fewer constraints more is legal, so a constraint that
/// was needed once is needed later, too, and the last pass leaves none that could go.
pub fn conflict(constraints: &Constraints, problem: &LayerOnCore<'_>, limits: &Limits) -> Option<Conflict> {
    let excludes_all = |constraints: &Constraints| {
        has_legal_mapping(constraints, problem, limits).unwrap_or(Some(false)) == Some(false)
    };
    if !excludes_all(constraints) || excludes_all(&Constraints::default()) {
        return None;
    }
    let mut rest = Conflict { order: true, even: true, levels: (0..constraints.levels.len()).collect() };
    for leave_out in [|rest: &mut Conflict| rest.order = false, |rest: &mut Conflict| rest.even = false] {
        let mut fewer = rest.clone();
        leave_out(&mut fewer);
        if excludes_all(&of(constraints, &fewer)) {
            rest = fewer;
        }
    }
    // Sizes of blocks: powers of two, from at most half of all down to 1.
    for size in (0..=constraints.levels.len().max(2).ilog2() - 1).rev().map(|power| 1 << power) {
        let mut first = 0;
        while first < rest.levels.len() {
            let mut fewer = rest.clone();
            fewer.levels.drain(first..(first + size).min(rest.levels.len()));
            if excludes_all(&of(constraints, &fewer)) {
                rest = fewer;
            } else {
                first += size;
            }
        }
    }
    Some(rest)
}

/// The constraints that a conflict names.
fn of(constraints: &Constraints, conflict: &Conflict) -> Constraints {
    let levels: Vec<LevelConstraint> =
        conflict.levels.iter().filter_map(|level| constraints.levels.get(*level).cloned()).collect();
    let even = constraints.even.filter(|_| conflict.even);
    if conflict.order {
        Constraints { levels, even, ..constraints.clone() }
    } else {
        Constraints { levels, even, ..Constraints::default() }
    }
}
