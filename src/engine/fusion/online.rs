//! The on-line variant (Optimus, Section 6): a scheme within a millisecond, for when the size of the buffer changes while a network runs.

use super::exact::Ideals;
use super::frontier::Tiling;
use super::graph::OperatorGraph;
use super::ids::{IdealId, MapId, OperatorId};
use super::memory_cost::{GroupCostTerms, GrowingGroup};
use super::scheme::{IncrementalGroup, PartialScheme, Scheme};
use super::setting::Setting;
use crate::ids::{IdBitSet, TiVec, ti_vec};

/// The on-line variant: prepared once for a network, it decides on a scheme for any size of the buffer.
///
/// Of groups of more than one operator it looks only at those that the paper's rules let through: an operator runs together with all
/// that read its output, or with none of them; operators share data, directly or by way of others of the group; and a group has no
/// more operators than the [look-up table](Self::table) allows. So its schemes may cost more than the best of all, never less.
///
/// The paper runs Algorithm 1 on these groups. Here they are searched exactly, which costs no more time. Results that
/// do not depend on the buffer are computed once, for the largest that may be asked for.
#[derive(Debug, Clone)]
pub struct OnlineFusion {
    graph: OperatorGraph,
    largest: Setting,
    ideals: Ideals,
    table: Vec<u64>,
    /// For every ideal the groups that end there, in order of their size.
    groups: TiVec<IdealId, Vec<CandidateGroup>>,
}

/// A group that keeps to the rules.
#[derive(Debug, Clone, Copy)]
struct CandidateGroup {
    start: IdealId,
    size: usize,
    terms: GroupCostTerms,
}

impl OnlineFusion {
    /// Prepares decisions for buffers up to that of the setting.
    ///
    /// A network of more than `most_ideals` order ideals is cut along its own order only, as Algorithm 1 does.
    pub fn new(graph: OperatorGraph, largest: Setting, most_ideals: usize) -> Self {
        let order: Vec<OperatorId> = graph.ids().collect();
        let ideals = Ideals::of(&graph, most_ideals).unwrap_or_else(|| Ideals::along(&graph, &order));
        let mut online = Self { graph, largest, ideals, table: Vec::new(), groups: ti_vec![Vec::new()] };
        online.table = online.look_up_table();
        let most = online.largest_group(largest.buffer_bytes);
        online.groups = online.ideals.ids().map(|end| online.groups_to(end, most)).collect();
        online
    }

    /// The look-up table of Algorithm 3: entry `n - 1` is the buffer, in elements, that pays for groups of `n` operators; the largest
    /// number where it exceeds all buffers that may be asked for.
    ///
    /// It is the least that any group of so many needs where its outputs are cut into four by four tiles: with more of them the
    /// parameters would be loaded more than 16 times, which, says the paper, is more than is gained.
    pub fn table(&self) -> &[u64] {
        &self.table
    }

    /// The most operators of a group: those of the last entry of the table that fits, at least 1.
    ///
    /// The paper claims that entries grow, which they need not.
    pub fn largest_group(&self, buffer_bytes: u64) -> usize {
        let capacity = self.setting(buffer_bytes).capacity();
        self.table.iter().rposition(|&least| least <= capacity).map_or(1, |last| last + 1)
    }

    /// The best scheme that keeps to the rules; nothing if an operator fits in no group. A buffer that is larger than was prepared for
    /// is taken for the largest.
    pub fn decide(&self, buffer_bytes: u64) -> Option<Scheme> {
        let (setting, most) = (self.setting(buffer_bytes), self.largest_group(buffer_bytes));
        let mut best: TiVec<IdealId, Option<PartialScheme>> = ti_vec![Some(PartialScheme::START)];
        for end in self.ideals.ids().skip(1) {
            let groups = &self.groups[end];
            let groups = &groups[..groups.partition_point(|group| group.size <= most)];
            let partial =
                |group: &CandidateGroup| best[group.start]?.with(group.start, group.terms.lower_bound(&setting)?);
            let promising = groups.iter().filter_map(partial).collect();
            let mut group = GrowingGroup::new(&self.graph, &setting, self.ideals.set(end));
            let partial = self.ideals.best_of(promising, &best, end, |start, operators, at_most| {
                let terms = groups.iter().find(|group| group.start == start)?.terms;
                group.price_of_terms(&terms, operators, at_most)
            });
            best.push(partial);
        }
        Scheme::from_partials(&best, |smaller, larger| self.ideals.beyond(smaller, larger))
    }

    fn setting(&self, buffer_bytes: u64) -> Setting {
        Setting { buffer_bytes: buffer_bytes.min(self.largest.buffer_bytes), ..self.largest }
    }

    fn look_up_table(&self) -> Vec<u64> {
        let mut table = vec![u64::MAX; self.graph.len()];
        for end in self.ideals.ids().skip(1) {
            let done = self.ideals.set(end);
            let mut group = GrowingGroup::with_tiling(&self.graph, &self.largest, done, Tiling::Quarters);
            self.ideals.each_group(end, &mut group, &mut |_, group| {
                let entry = &mut table[group.operators().len() - 1];
                *entry = group.terms().smallest.map_or(*entry, |buffer| buffer.min(*entry));
            });
        }
        table
    }

    /// Number of groups that the rules admit, whether they fit or not, single operators included. The paper counts these in Table 5.
    pub fn evaluated(&self, buffer_bytes: u64) -> usize {
        let most = self.largest_group(buffer_bytes);
        let mut count = 0;
        for end in self.ideals.ids().skip(1) {
            let mut rules = GroupRules::new(&self.graph, self.ideals.set(end), most);
            self.ideals.each_group(end, &mut rules, &mut |_, rules| {
                // A group ends at several ideals. It is counted at the smallest, all of whose last operators are its own.
                let is_smallest = self.ideals.last_operators(end).all(|id| rules.operators.contains(&id));
                count += usize::from(is_smallest && rules.share_data());
            });
        }
        count
    }

    fn groups_to(&self, end: IdealId, most: usize) -> Vec<CandidateGroup> {
        let mut groups = Vec::new();
        let done = self.ideals.set(end);
        let group = GrowingGroup::new(&self.graph, &self.largest, done);
        let mut group = Worthwhile { group, rules: GroupRules::new(&self.graph, done, most) };
        self.ideals.each_group(end, &mut group, &mut |start, group| {
            if group.rules.share_data() {
                groups.push(CandidateGroup { start, size: group.rules.operators.len(), terms: group.group.terms() });
            }
        });
        groups.sort_unstable_by_key(|group| (group.size, group.start));
        groups
    }
}

/// The rules of a group as it grows, independent of its cost.
struct GroupRules<'a> {
    graph: &'a OperatorGraph,
    done: &'a IdBitSet<OperatorId>,
    most: usize,
    /// Last first.
    operators: Vec<OperatorId>,
    /// After each operator the maps that are read from outside, with the part of the group that reads them: operators of different
    /// parts share no data yet.
    parts: Vec<Vec<(MapId, OperatorId)>>,
}

impl<'a> GroupRules<'a> {
    fn new(graph: &'a OperatorGraph, done: &'a IdBitSet<OperatorId>, most: usize) -> Self {
        Self { graph, done, most, operators: Vec::new(), parts: vec![Vec::new()] }
    }

    /// Whether all operators share data: there is one part only. Every part reads some map.
    fn share_data(&self) -> bool {
        let mut parts = self.parts.last().into_iter().flatten().map(|&(_, part)| part);
        let first = parts.next();
        parts.all(|part| Some(part) == first)
    }

    /// Whether some group may have the operator, too: it does not run together with some of its readers only.
    fn admit(&self, id: OperatorId) -> bool {
        let has_reader = || self.parts.last().into_iter().flatten().any(|&(map, _)| map == id.output());
        let has_other = || !self.graph.consumers(id).iter().all(|&consumer| self.done.contains(consumer));
        self.operators.len() < self.most && !(has_reader() && has_other())
    }

    fn add(&mut self, id: OperatorId) {
        let mut parts = self.parts.last().cloned().unwrap_or_default();
        let inputs = &self.graph.operators()[id].inputs;
        let shared: Vec<OperatorId> = {
            let is_shared = |&&(map, _): &&(MapId, OperatorId)| map == id.output() || inputs.contains(&map);
            parts.iter().filter(is_shared).map(|&(_, part)| part).collect()
        };
        for (_, part) in &mut parts {
            if shared.contains(part) {
                *part = id;
            }
        }
        parts.retain(|&(map, _)| map != id.output());
        parts.extend(inputs.iter().map(|&map| (map, id)));
        parts.sort_unstable();
        parts.dedup();
        self.parts.push(parts);
        self.operators.push(id);
    }
}

impl IncrementalGroup for GroupRules<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        let is_admitted = self.admit(id);
        if is_admitted {
            self.add(id);
        }
        is_admitted
    }

    fn pop(&mut self) {
        self.operators.pop();
        self.parts.pop();
    }

    fn lower_bound(&self) -> Option<u64> {
        None
    }

    fn price(&mut self, _: &[OperatorId], _: u64) -> Option<u64> {
        None
    }
}

/// A group that keeps to the rules, and fits, as it grows.
struct Worthwhile<'a> {
    group: GrowingGroup<'a>,
    rules: GroupRules<'a>,
}

impl IncrementalGroup for Worthwhile<'_> {
    fn push(&mut self, id: OperatorId) -> bool {
        let is_pushed = self.rules.admit(id) && self.group.push(id);
        if is_pushed {
            self.rules.add(id);
        }
        is_pushed
    }

    fn pop(&mut self) {
        self.group.pop();
        self.rules.pop();
    }

    fn lower_bound(&self) -> Option<u64> {
        self.group.lower_bound()
    }

    fn price(&mut self, operators: &[OperatorId], at_most: u64) -> Option<u64> {
        self.group.price(operators, at_most)
    }
}
