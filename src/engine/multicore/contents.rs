//! The tensors in each memory, with the end of their stay and their importance there.

use super::graph::TileGraph;
use super::ids::TensorId;
use super::link_occupancy::TimeSpan;
use super::occupancy::Occupancy;
use super::rules::SchedulingRules;
use super::system::System;
use crate::ids::{TiVec, ti_vec};
use crate::system::TopMemoryId;
use crate::units::{Bits, Cycles};
use std::collections::BTreeSet;

/// A copy of a tensor in a memory; times in cycles.
#[derive(Debug, Clone, Copy)]
pub struct TensorCopy {
    /// The memory that holds the copy.
    pub memory: TopMemoryId,
    /// When its place is reserved.
    pub reserved: Cycles<f64>,
    /// When it can be read first.
    pub available: Cycles<f64>,
    /// When the last tile or transfer ends that reads or writes it in this memory.
    pub busy: Cycles<f64>,
    /// Orders the tensors of a memory by arrival.
    arrival: u64,
    /// Its importance in [`Stored::ranked`]; `None` if it is not there.
    importance: Option<u64>,
}

/// A tensor comes into a memory, or leaves it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContentsChange {
    /// The tensor that comes or leaves.
    pub tensor: TensorId,
    /// The memory whose contents change.
    pub memory: TopMemoryId,
    /// Time from which its place is taken, or free.
    pub time: Cycles<f64>,
    /// Whether it comes.
    pub comes: bool,
}

/// The tensors of a memory, ranked by importance for evictions. The ranking is lazy, as most changes happen between two evictions.
#[derive(Debug, Clone, Default)]
struct Stored {
    /// The least important tensors first.
    ranked: BTreeSet<EvictionRank>,
    /// Tensors that came, or whose importance may have changed, since the last ranking.
    unranked: Vec<TensorId>,
}

/// The importance of a tensor in a memory: by importance, then bits, then arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EvictionRank {
    importance: u64,
    bits: Bits,
    arrival: u64,
    tensor: TensorId,
}

/// The contents of all memories.
pub struct MemoryContents<'a> {
    /// Bits in use over time, by memory.
    pub occupancy: TiVec<TopMemoryId, Occupancy>,
    graph: &'a TileGraph,
    /// The copies of each tensor, by arrival.
    copies: TiVec<TensorId, Vec<TensorCopy>>,
    stored: TiVec<TopMemoryId, Stored>,
    arrivals: u64,
    /// For each tensor the memories in which it is read, and the uses that are left there.
    uses: TiVec<TensorId, Vec<(TopMemoryId, u64)>>,
    rules: SchedulingRules,
    /// Every change, in the order of the decisions, if a log is requested.
    pub log: Option<Vec<ContentsChange>>,
}

impl<'a> MemoryContents<'a> {
    /// Empty memories.
    pub fn new(graph: &'a TileGraph, system: &System, rules: SchedulingRules) -> Self {
        Self {
            occupancy: system.memories.iter().map(|memory| Occupancy::new(memory.capacity)).collect(),
            graph,
            copies: ti_vec![Vec::new(); graph.tensors.len()],
            stored: ti_vec![Stored::default(); system.memories.len()],
            arrivals: 0,
            uses: ti_vec![Vec::new(); graph.tensors.len()],
            rules,
            log: None,
        }
    }

    fn note(&mut self, change: ContentsChange) {
        if let Some(log) = &mut self.log {
            log.push(change);
        }
    }

    /// The uses of a tensor in a memory that are left; set before the first ranking.
    pub fn uses_in(&mut self, tensor: TensorId, memory: TopMemoryId) -> &mut u64 {
        let uses = &mut self.uses[tensor];
        let at = uses.iter().position(|(of, _)| *of == memory).unwrap_or_else(|| {
            uses.push((memory, 0));
            uses.len() - 1
        });
        &mut uses[at].1
    }

    /// The uses of a tensor in a memory that are left.
    pub fn uses_left(&self, tensor: TensorId, memory: TopMemoryId) -> u64 {
        self.uses[tensor].iter().find(|(of, _)| *of == memory).map_or(0, |(_, left)| *left)
    }

    /// Counts one use of a tensor in a memory less; returns those that are left.
    pub fn use_up(&mut self, tensor: TensorId, memory: TopMemoryId) -> u64 {
        self.unrank(tensor);
        let left = self.uses_in(tensor, memory);
        *left = left.saturating_sub(1);
        *left
    }

    /// Whether a tensor has uses left in any memory.
    pub fn is_wanted(&self, tensor: TensorId) -> bool {
        self.uses[tensor].iter().any(|&(_, left)| left > 0)
    }

    /// The copies of a tensor, by arrival.
    pub fn copies(&self, tensor: TensorId) -> &[TensorCopy] {
        &self.copies[tensor]
    }

    /// The copy of a tensor in a memory, if there is one.
    pub fn copy(&self, tensor: TensorId, memory: TopMemoryId) -> Option<&TensorCopy> {
        self.copies[tensor].iter().find(|copy| copy.memory == memory)
    }

    /// The memory whose copy can be read first; of several the lowest.
    pub fn oldest(&self, tensor: TensorId) -> Option<TopMemoryId> {
        let copies = self.copies[tensor].iter();
        let oldest = copies.min_by(|a, b| a.available.0.total_cmp(&b.available.0).then(a.memory.cmp(&b.memory)));
        oldest.map(|copy| copy.memory)
    }

    /// Marks the copy of a tensor in a memory as busy until a tile or a transfer ends, cycles.
    pub fn keep_until(&mut self, tensor: TensorId, memory: TopMemoryId, end: Cycles<f64>) {
        if let Some(copy) = self.copies[tensor].iter_mut().find(|copy| copy.memory == memory) {
            copy.busy = copy.busy.max(end);
        }
    }

    /// Reserves a place for a tensor from the start of a span; it can be read from its end on. A tensor has one place in a memory, which
    /// several tiles may fill in turn.
    pub fn store(&mut self, tensor: TensorId, memory: TopMemoryId, span: TimeSpan) {
        let is_known = self.copies[tensor].iter_mut().find(|copy| copy.memory == memory);
        if let Some(copy) = is_known {
            if !self.rules.trusts_presence {
                copy.available = copy.available.max(span.end);
                copy.busy = copy.busy.max(span.end);
            }
            return;
        }
        self.unrank(tensor);
        let (reserved, available, arrival) = (span.start, span.end, self.arrivals);
        self.arrivals += 1;
        self.copies[tensor].push(TensorCopy {
            memory,
            reserved,
            available,
            busy: available,
            arrival,
            importance: None,
        });
        self.stored[memory].unranked.push(tensor);
        self.occupancy[memory].add(reserved, self.graph.tensors[tensor].bits);
        self.note(ContentsChange { tensor, memory, time: reserved, comes: true });
    }

    /// Removes the copy of a tensor and frees its place at a time, cycles.
    pub fn remove(&mut self, tensor: TensorId, memory: TopMemoryId, time: Cycles<f64>) {
        let Some(at) = self.copies[tensor].iter().position(|copy| copy.memory == memory) else { return };
        self.unrank(tensor);
        self.copies[tensor].remove(at);
        self.occupancy[memory].free(time, self.graph.tensors[tensor].bits);
        self.note(ContentsChange { tensor, memory, time, comes: false });
    }

    /// The least important tensors of a memory that `may_go`, until they add up to `bits`; and their sum, which may be less.
    pub fn least_important(
        &mut self,
        memory: TopMemoryId,
        bits: Bits,
        may_go: impl Fn(TensorId, &TensorCopy) -> bool,
    ) -> (Vec<TensorId>, Bits) {
        self.rank(memory);
        let (mut least, mut sum) = (Vec::new(), Bits(0));
        for &EvictionRank { bits: size, tensor, .. } in &self.stored[memory].ranked {
            if sum >= bits {
                break;
            }
            if self.copy(tensor, memory).is_some_and(|copy| may_go(tensor, copy)) {
                least.push(tensor);
                sum += size;
            }
        }
        (least, sum)
    }

    /// The tensors of a memory, by arrival.
    pub fn by_arrival(&mut self, memory: TopMemoryId) -> Vec<TensorId> {
        self.rank(memory);
        let ranked = self.stored[memory].ranked.iter();
        let mut tensors: Vec<(u64, TensorId)> = ranked.map(|rank| (rank.arrival, rank.tensor)).collect();
        tensors.sort_unstable();
        tensors.into_iter().map(|(_, tensor)| tensor).collect()
    }

    /// Importance of a tensor in a memory: its uses there; if there are none left, its uses in memories that have no copy yet.
    fn importance(&self, tensor: TensorId, memory: TopMemoryId) -> u64 {
        match self.uses[tensor].iter().find(|(of, _)| *of == memory) {
            Some((_, left)) => *left,
            None => {
                let counts = |memory: TopMemoryId| self.rules.counts_served_uses || self.copy(tensor, memory).is_none();
                self.uses[tensor].iter().filter(|(of, _)| counts(*of)).map(|(_, left)| left).sum()
            }
        }
    }

    /// Takes a tensor out of all rankings, as its importance may change.
    fn unrank(&mut self, tensor: TensorId) {
        let bits = self.graph.tensors[tensor].bits;
        for copy in &mut self.copies[tensor] {
            if let Some(importance) = copy.importance.take() {
                let stored = &mut self.stored[copy.memory];
                stored.ranked.remove(&EvictionRank { importance, bits, arrival: copy.arrival, tensor });
                stored.unranked.push(tensor);
            }
        }
    }

    /// Brings the ranking of a memory up to date.
    fn rank(&mut self, memory: TopMemoryId) {
        for tensor in std::mem::take(&mut self.stored[memory].unranked) {
            let bits = self.graph.tensors[tensor].bits;
            let importance = self.importance(tensor, memory).saturating_mul(bits.0);
            let here = self.copies[tensor].iter_mut().find(|copy| copy.memory == memory && copy.importance.is_none());
            if let Some(copy) = here {
                copy.importance = Some(importance);
                self.stored[memory].ranked.insert(EvictionRank { importance, bits, arrival: copy.arrival, tensor });
            }
        }
    }
}
