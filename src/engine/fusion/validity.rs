//! Which operators may form a group.

use super::graph::OperatorGraph;
use super::ids::OperatorId;

/// Whether operators (ascending ids) may form a group: no path leaves them and comes back. Otherwise the group would have to wait
/// half-way for an operator that waits for it (Optimus, Section 4.2).
pub fn is_convex(graph: &OperatorGraph, operators: &[OperatorId]) -> bool {
    let (Some(&first), Some(&last)) = (operators.first(), operators.last()) else { return true };
    // For the operators in between: whether one reads, directly or through others, a map that the group writes.
    let mut depends = vec![false; last.index() + 1 - first.index()];
    let mut member = 0;
    for id in OperatorId::within(first..last.following()) {
        let is_member = operators.get(member) == Some(&id);
        member += usize::from(is_member);
        let (mut reads_group, mut reads_between) = (false, false);
        for producer in graph.producers(id).filter(|&producer| producer >= first) {
            reads_group |= operators.binary_search(&producer).is_ok();
            reads_between |= depends[producer.index() - first.index()];
        }
        if is_member && reads_between {
            return false;
        }
        depends[id.index() - first.index()] = !is_member && (reads_group || reads_between);
    }
    true
}
