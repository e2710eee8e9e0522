//! Eq. 2 of the paper, taken at its word. It is a bound, and no scheme, see [`relaxed_cost`].

use super::graph::OperatorGraph;
use super::ids::OperatorId;
use super::validity::is_convex;
use rustc_hash::FxHashMap;

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
    let mut prices = FxHashMap::default();
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
