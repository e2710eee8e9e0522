//! Schemes of fused operators as the paper defines them (Optimus), to compare with.

use fusescape_engine::fusion::{OperatorGraph, OperatorId, is_convex};
use fusescape_engine::ids::{TiVec, ti_vec};
use std::collections::HashMap;

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

/// Limit on the operators: eq. 2 takes all subsets of all subsets of them.
const MOST_OPERATORS: usize = 12;

/// The cost of a network by eq. 2: for any set of operators, the cheapest group that its first may run in, and the rest
/// by the same rule. `None` for more than 12 operators, or if some operator fits in no group.
///
/// The text asks of a group that no path leaves it and comes back (`ISValid`), which does not keep two groups from waiting for each
/// other. So this is never above the best scheme, and where it is below there is no scheme that costs so little.
pub fn relaxed_cost(graph: &OperatorGraph, price: &dyn Fn(&[OperatorId]) -> Option<u64>) -> Option<u64> {
    if graph.len() > MOST_OPERATORS {
        return None;
    }
    let mut prices = HashMap::new();
    let mut price_of = |group: u32| {
        *prices.entry(group).or_insert_with(|| {
            let operators: Vec<OperatorId> = graph.ids().filter(|id| group >> id.index() & 1 == 1).collect();
            is_convex(graph, &operators).then(|| price(&operators)).flatten()
        })
    };
    let all = (1_u32 << graph.len()) - 1;
    // Indexed by the set as a number: the rest of a set is a smaller number.
    let mut costs: Vec<Option<u64>> = vec![Some(0)];
    for set in 1..=all {
        let first = 1 << set.trailing_zeros();
        let others = set & !first;
        let (mut cheapest, mut more) = (None, others);
        loop {
            let group = first | more;
            let cost = costs[(set & !group) as usize].and_then(|rest| rest.checked_add(price_of(group)?));
            cheapest = [cheapest, cost].into_iter().flatten().min();
            if more == 0 {
                break;
            }
            more = (more - 1) & others;
        }
        costs.push(cheapest);
    }
    costs.last().copied().flatten()
}
