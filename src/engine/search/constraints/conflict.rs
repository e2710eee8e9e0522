//! Which constraints exclude everything.

use super::{Constraints, LevelConstraint, find_best_under};
use crate::mapping::LayerOnCore;
use crate::search::{Limits, Objective, Strategy};

/// Constraints that exclude every mapping together, though none of them does without the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Whether the order of loops is one of them.
    pub order: bool,
    /// Those on memory levels, by their place in [`Constraints::levels`].
    pub levels: Vec<usize>,
}

/// The constraints that exclude everything: one after the other is left out, as long as the rest still does. `None` where a mapping is
/// legal, or none fits in any case.
pub fn conflict(
    constraints: &Constraints,
    problem: &LayerOnCore<'_>,
    limits: &Limits,
    strategy: Strategy,
) -> Option<Conflict> {
    let has_mapping = |constraints: &Constraints| {
        find_best_under(constraints, problem, &Objective::Energy, limits, strategy, &|| true)
            .is_ok_and(|outcome| outcome.best.is_some())
    };
    if has_mapping(constraints) || !has_mapping(&Constraints::default()) {
        return None;
    }
    let mut rest = Conflict { order: true, levels: (0..constraints.levels.len()).collect() };
    let without_order = Conflict { order: false, ..rest.clone() };
    if !has_mapping(&of(constraints, &without_order)) {
        rest = without_order;
    }
    for level in 0..constraints.levels.len() {
        let mut fewer = rest.clone();
        fewer.levels.retain(|kept| *kept != level);
        if !has_mapping(&of(constraints, &fewer)) {
            rest = fewer;
        }
    }
    Some(rest)
}

/// Those of the constraints that a conflict names.
fn of(constraints: &Constraints, conflict: &Conflict) -> Constraints {
    let levels: Vec<LevelConstraint> =
        conflict.levels.iter().filter_map(|level| constraints.levels.get(*level).cloned()).collect();
    if conflict.order {
        Constraints { levels, ..constraints.clone() }
    } else {
        Constraints { levels, ..Constraints::default() }
    }
}
