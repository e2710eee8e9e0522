//! The optimal scheme, by dynamic programming over order ideals.

use super::graph::OperatorGraph;
use super::ids::{IdealId, OperatorId};
use super::scheme::{GroupCostModel, IncrementalGroup, PartialScheme, Scheme};
use crate::ids::{IdBitSet, TiSlice, TiVec, ti_vec};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The order ideals of a network: the sets of operators that hold, with an operator, everything it depends on. The
/// operators that have run at any time are one, so a scheme is a chain of ideals, and each group is the difference of
/// two neighbours. Two ideals of which one holds the other differ by a convex set, and every convex set is such a
/// difference.
///
/// It may also hold only the ideals that one order of the operators passes through.
#[derive(Debug, Clone)]
pub struct Ideals {
    /// Smallest first: from the empty set to all operators.
    sets: TiVec<IdealId, IdBitSet<OperatorId>>,
    /// For each ideal the operators that may have been its last, and the ideal without them.
    without: TiVec<IdealId, Vec<(OperatorId, IdealId)>>,
    /// The place of each operator in a topological order.
    place: TiVec<OperatorId, usize>,
}

impl Ideals {
    /// All of them; nothing if they are more than `limit`: their number is exponential in the width of the network.
    pub fn of(graph: &OperatorGraph, limit: usize) -> Option<Self> {
        let ready = graph.ids().filter(|&id| graph.producers(id).next().is_none()).collect();
        let mut all = Self { sets: TiVec::new(), without: TiVec::new(), place: (0..graph.len()).collect() };
        let mut level = vec![IdealNode { set: IdBitSet::with_capacity(graph.len()), ready, without: Vec::new() }];
        while !level.is_empty() {
            level.sort_unstable_by(|a, b| a.set.cmp(&b.set));
            let mut next: FxHashMap<IdBitSet<OperatorId>, IdealNode> = FxHashMap::default();
            for (place, IdealNode { set, ready, .. }) in level.iter().enumerate() {
                for &id in ready {
                    let mut larger = set.clone();
                    larger.insert(id);
                    let found = next.entry(larger).or_insert_with_key(|larger| {
                        let is_ready = |&next: &OperatorId| graph.producers(next).all(|id| larger.contains(id));
                        let more = graph.consumers(id).iter().copied().filter(is_ready);
                        let ready = ready.iter().copied().filter(|&other| other != id).chain(more).collect();
                        IdealNode { set: larger.clone(), ready, without: Vec::new() }
                    });
                    found.without.push((id, IdealId::from(all.sets.len() + place)));
                }
                if all.sets.len() + level.len() + next.len() > limit {
                    return None;
                }
            }
            for found in level {
                all.sets.push(found.set);
                all.without.push(found.without);
            }
            level = next.into_values().collect();
        }
        (all.sets.len() <= limit).then_some(all)
    }

    /// The ideals along `order`: operators of a network, each after all of them that it depends on.
    pub fn along(graph: &OperatorGraph, order: &[OperatorId]) -> Self {
        let mut set = IdBitSet::with_capacity(graph.len());
        let mut along =
            Self { sets: ti_vec![set.clone()], without: ti_vec![Vec::new()], place: ti_vec![0; graph.len()] };
        for (place, &id) in order.iter().enumerate() {
            set.insert(id);
            along.sets.push(set.clone());
            along.without.push(vec![(id, IdealId::from(place))]);
            along.place[id] = place;
        }
        along
    }

    /// Number of ideals, the empty one included.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// All of them, smallest first.
    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = IdealId> + ExactSizeIterator + Clone + use<> {
        IdealId::first(self.len())
    }

    /// Always `false`, as the empty set is an ideal.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Every convex set of operators but the empty one: all possible groups, which the paper counts in Table 5.
    pub fn convex_sets(&self) -> BTreeSet<Vec<OperatorId>> {
        let pairs =
            self.ids().flat_map(|larger| IdealId::within(IdealId::EMPTY..larger).map(move |smaller| (smaller, larger)));
        let is_within = |&(smaller, larger): &(IdealId, IdealId)| self.sets[smaller].is_subset(&self.sets[larger]);
        pairs.filter(is_within).map(|(smaller, larger)| self.beyond(smaller, larger)).collect()
    }

    /// The operators, in ascending order, that one ideal has beyond another.
    pub(super) fn beyond(&self, smaller: IdealId, larger: IdealId) -> Vec<OperatorId> {
        self.sets[larger].difference(&self.sets[smaller]).collect()
    }

    /// The operators of an ideal.
    pub(super) fn set(&self, ideal: IdealId) -> &IdBitSet<OperatorId> {
        &self.sets[ideal]
    }

    /// The operators that may have been the last of an ideal.
    pub(super) fn last_operators(&self, ideal: IdealId) -> impl Iterator<Item = OperatorId> {
        self.without[ideal].iter().map(|&(id, _)| id)
    }

    /// The cheapest scheme, in the fewest groups: a shortest path through the ideals. Nothing if no scheme has a price.
    pub fn best_scheme(&self, prices: &dyn GroupCostModel) -> Option<Scheme> {
        let mut best: TiVec<IdealId, Option<PartialScheme>> = ti_vec![Some(PartialScheme::START)];
        for end in self.ids().skip(1) {
            best.push(self.best_partial_to(end, &best, prices));
        }
        Scheme::from_partials(&best, |smaller, larger| self.beyond(smaller, larger))
    }

    /// The best partial scheme of an ideal: lower bounds of all last groups first, then prices of the promising ones.
    fn best_partial_to(
        &self,
        end: IdealId,
        best: &TiSlice<IdealId, Option<PartialScheme>>,
        prices: &dyn GroupCostModel,
    ) -> Option<PartialScheme> {
        let mut group = prices.groups(&self.sets[end]);
        let mut promising: Vec<PartialScheme> = Vec::new();
        self.each_group(end, &mut *group, &mut |start, group| {
            let before = group.lower_bound().zip(best[start]);
            promising.extend(before.and_then(|(lower_bound, before)| before.with(start, lower_bound)));
        });
        self.best_of(promising, best, end, |_, operators, at_most| group.price(operators, at_most))
    }

    /// The best of the partial schemes that end at an ideal, given lower bounds of them as `promising`. The most
    /// promising are priced, until no other can be better. `price` takes the ideal where the last group begins, its
    /// operators, last first, and the most that it may cost.
    pub(super) fn best_of(
        &self,
        mut promising: Vec<PartialScheme>,
        best: &TiSlice<IdealId, Option<PartialScheme>>,
        end: IdealId,
        mut price: impl FnMut(IdealId, &[OperatorId], u64) -> Option<u64>,
    ) -> Option<PartialScheme> {
        promising.sort_unstable_by_key(PartialScheme::rank);
        let mut found: Option<PartialScheme> = None;
        for partial in promising {
            if found.is_some_and(|found| found.rank() <= partial.rank()) {
                break;
            }
            let Some(before) = best[partial.before] else { continue };
            let mut operators = self.beyond(partial.before, end);
            operators.sort_unstable_by_key(|&id| Reverse(self.place[id]));
            let at_most = found.map_or(u64::MAX, |found| found.cost) - before.cost;
            let price = price(partial.before, &operators, at_most).and_then(|price| before.with(partial.before, price));
            found = found.into_iter().chain(price).min_by_key(PartialScheme::rank);
        }
        found
    }

    /// Lets a group that ends at an ideal grow; it is shown at every size, with the ideal where it begins.
    ///
    /// Operators are added from last to first, so each group comes up once: without its first operator it is the one it grew from.
    pub(super) fn each_group<G: IncrementalGroup + ?Sized>(
        &self,
        end: IdealId,
        group: &mut G,
        visit: &mut impl FnMut(IdealId, &G),
    ) {
        self.grow(end, usize::MAX, group, visit);
    }

    fn grow<G: IncrementalGroup + ?Sized>(
        &self,
        from: IdealId,
        place: usize,
        group: &mut G,
        visit: &mut impl FnMut(IdealId, &G),
    ) {
        for &(id, start) in &self.without[from] {
            if self.place[id] < place && group.push(id) {
                visit(start, group);
                self.grow(start, self.place[id], group, visit);
                group.pop();
            }
        }
    }
}

/// An order ideal, the operators that may run next, and the ideals that it extends by one operator.
struct IdealNode {
    set: IdBitSet<OperatorId>,
    ready: Vec<OperatorId>,
    without: Vec<(OperatorId, IdealId)>,
}
