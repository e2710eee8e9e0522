//! What the boundaries that are left may add to a partial chain, by set.

use super::legality::Legality;
use super::space::BoundarySpace;
use crate::cost::{BoundaryLoad, LatencyLowerBound};
use crate::mapping::LayerOperand;

/// The least and the most load that each boundary of an operand adds, for every set as the operand sees it and all its
/// supersets. Load by load: the least values of two loads may belong to different sets.
pub fn loads_to_go<L: Legality>(
    space: &BoundarySpace<'_, L>,
    bound: &LatencyLowerBound<'_>,
    operand: LayerOperand,
) -> Vec<Vec<[BoundaryLoad; 2]>> {
    let boundary = |index: usize| {
        let level = space.level(operand, index);
        let mut loads = Vec::with_capacity(space.factors.seen_sets[operand] as usize);
        space.factors.for_each_seen(operand, |set, sizes| {
            loads.push(if space.may_hold(operand, index, set) {
                // Irrelevant loops below make crossings rarer and no larger: all of them give the least, none of them
                // the most.
                [space.least_load(bound, operand, index, (set, sizes)), bound.load(operand, level, sizes, 1)]
            } else {
                [BoundaryLoad::INFINITE, BoundaryLoad::ZERO]
            });
        });
        let join = |a: [BoundaryLoad; 2], b: [BoundaryLoad; 2]| [a[0].least(b[0]), a[1].most(b[1])];
        space.factors.join_supersets(operand, &mut loads, join);
        loads
    };
    (0..space.boundary_count(operand)).map(boundary).collect()
}

/// For each boundary of an operand and every set as the operand sees it: whether at this set or a superset the memory
/// below may have no room for its next data, so that a run of irrelevant loops on top of it shortens its window. Runs
/// pass a boundary of the array.
pub fn runs_matter<L: Legality>(
    space: &BoundarySpace<'_, L>,
    latency: &LatencyLowerBound<'_>,
    operand: LayerOperand,
) -> Vec<Vec<bool>> {
    let mut boundaries: Vec<Vec<bool>> = Vec::new();
    for index in (0..space.boundary_count(operand)).rev() {
        let level = space.level(operand, index);
        let mut matters = Vec::with_capacity(space.factors.seen_sets[operand] as usize);
        space.factors.for_each_seen(operand, |set, sizes| {
            let passes = level == 0 && boundaries.last().is_some_and(|above| above[set as usize]);
            matters.push(passes || space.may_hold(operand, index, set) && latency.is_single(operand, level, sizes));
        });
        space.factors.join_supersets(operand, &mut matters, |a, b| a || b);
        boundaries.push(matters);
    }
    boundaries.reverse();
    boundaries
}
