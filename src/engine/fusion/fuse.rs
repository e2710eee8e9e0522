//! The best scheme of a network under a setting, with the proof of its optimality.

use super::baselines::{oracle, segments, within_levels};
use super::exact::Ideals;
use super::graph::OperatorGraph;
use super::ids::OperatorId;
use super::memory_cost::memory_cost;
use super::scheme::Scheme;
use super::setting::Setting;

/// The proof of the optimality of a scheme, or a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeProof {
    /// No scheme is cheaper, nor as cheap with fewer groups.
    Optimal,
    /// The network has more order ideals than the limit, or [is wide](OperatorGraph::is_wide), so that the needs of
    /// groups are not known exactly; a lower bound on the cost of all schemes, in elements.
    TooWide(u64),
}

/// The best scheme; nothing if an operator fits in no group.
///
/// A network of at most `most_ideals` order ideals is searched over all of them, exactly unless it is wide. For one
/// with more it is the best scheme that is a division of one of two topological orders, its own and the one by levels.
pub fn fuse(graph: &OperatorGraph, setting: &Setting, most_ideals: usize) -> (Option<Scheme>, SchemeProof) {
    let price = memory_cost(graph, setting);
    if let Some(ideals) = Ideals::of(graph, most_ideals) {
        let proof = if graph.is_wide() { SchemeProof::TooWide(oracle(graph, setting)) } else { SchemeProof::Optimal };
        return (ideals.best_scheme(&price), proof);
    }
    let order: Vec<OperatorId> = graph.ids().collect();
    let found = segments(graph, &order, &price).into_iter().chain(within_levels(graph, &price));
    (found.min_by_key(|scheme| (scheme.cost, scheme.groups.len())), SchemeProof::TooWide(oracle(graph, setting)))
}
