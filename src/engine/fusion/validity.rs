//! Which operators may form a group, and which groups a scheme.

use super::graph::OperatorGraph;
use super::ids::OperatorId;
use crate::ids::{TiVec, ti_vec};

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

/// Whether every operator is in exactly one group, and the groups can run one after another. That each is convex is not enough: two
/// groups may wait for each other.
pub fn is_scheme(graph: &OperatorGraph, groups: &[Vec<OperatorId>]) -> bool {
    let mut group_of: TiVec<OperatorId, usize> = ti_vec![usize::MAX; graph.len()];
    for (group, operators) in groups.iter().enumerate() {
        for &id in operators {
            if group_of.get(id) != Some(&usize::MAX) {
                return false;
            }
            group_of[id] = group;
        }
    }
    if group_of.contains(&usize::MAX) {
        return false;
    }
    let mut waits = petgraph::graph::DiGraph::<(), ()>::new();
    let nodes: Vec<_> = groups.iter().map(|_| waits.add_node(())).collect();
    for id in graph.ids() {
        for producer in graph.producers(id) {
            if group_of[producer] != group_of[id] {
                waits.update_edge(nodes[group_of[producer]], nodes[group_of[id]], ());
            }
        }
    }
    !petgraph::algo::is_cyclic_directed(&waits)
}
