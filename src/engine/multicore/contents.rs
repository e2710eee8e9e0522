//! Which tensor is in which memory, until when, and how much it matters there.

use super::graph::TileGraph;
use super::ids::{TensorId, TopMemoryId};
use super::occupancy::Occupancy;
use super::system::System;
use super::traffic::Span;
use crate::ids::{TiVec, ti_vec};
use std::collections::BTreeSet;

/// A tensor in a memory.
#[derive(Debug, Clone, Copy)]
pub struct Copy {
    /// The memory.
    pub memory: TopMemoryId,
    /// Since when its place is taken.
    pub reserved: f64,
    /// Since when it can be read.
    pub available: f64,
    /// When the last tile ends that reads or writes it here.
    pub busy: f64,
    /// Orders the tensors of a memory by arrival.
    arrival: u64,
    /// Its importance in [`Stored::ranked`]; `None` if it is not there.
    rank: Option<u64>,
}

/// A tensor comes into a memory, or leaves it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The tensor.
    pub tensor: TensorId,
    /// The memory.
    pub memory: TopMemoryId,
    /// From when on its place is taken, or free.
    pub time: f64,
    /// Whether it comes.
    pub comes: bool,
}

/// What is in a memory.
#[derive(Debug, Clone, Default)]
struct Stored {
    /// By importance, then bits, then arrival.
    ranked: BTreeSet<(u64, u64, u64, TensorId)>,
    /// Tensors that came, or whose importance may have changed, since somebody asked for it.
    unranked: Vec<TensorId>,
}

/// What is in all memories.
pub struct Contents<'a> {
    /// How full each memory is.
    pub occupancy: TiVec<TopMemoryId, Occupancy>,
    graph: &'a TileGraph,
    /// Where each tensor is.
    copies: TiVec<TensorId, Vec<Copy>>,
    stored: TiVec<TopMemoryId, Stored>,
    arrivals: u64,
    /// For each tensor, memories and how often it will be read there.
    uses: TiVec<TensorId, Vec<(TopMemoryId, u64)>>,
    /// Every change, in the order of the decisions, where somebody wants to know.
    pub log: Option<Vec<Change>>,
}

impl<'a> Contents<'a> {
    /// Empty memories.
    pub fn new(graph: &'a TileGraph, system: &System) -> Self {
        Self {
            occupancy: system.memories.iter().map(|memory| Occupancy::new(memory.capacity_bits)).collect(),
            graph,
            copies: ti_vec![Vec::new(); graph.tensors.len()],
            stored: ti_vec![Stored::default(); system.memories.len()],
            arrivals: 0,
            uses: ti_vec![Vec::new(); graph.tensors.len()],
            log: None,
        }
    }

    fn note(&mut self, change: Change) {
        if let Some(log) = &mut self.log {
            log.push(change);
        }
    }

    /// How often a tensor will be read in a memory, to be set before anybody asks what matters least.
    pub fn uses_in(&mut self, tensor: TensorId, memory: TopMemoryId) -> &mut u64 {
        let uses = &mut self.uses[tensor];
        let at = uses.iter().position(|(of, _)| *of == memory).unwrap_or_else(|| {
            uses.push((memory, 0));
            uses.len() - 1
        });
        &mut uses[at].1
    }

    /// How often a tensor will still be read in a memory.
    pub fn uses_left(&self, tensor: TensorId, memory: TopMemoryId) -> u64 {
        self.uses[tensor].iter().find(|(of, _)| *of == memory).map_or(0, |(_, left)| *left)
    }

    /// Notes that a tensor was read in a memory; says how often it will be there again.
    pub fn use_up(&mut self, tensor: TensorId, memory: TopMemoryId) -> u64 {
        self.unrank(tensor);
        let left = self.uses_in(tensor, memory);
        *left = left.saturating_sub(1);
        *left
    }

    /// Whether anybody will read a tensor.
    pub fn is_wanted(&self, tensor: TensorId) -> bool {
        self.uses[tensor].iter().any(|&(_, left)| left > 0)
    }

    /// Where a tensor is, in the order in which it came there.
    pub fn copies(&self, tensor: TensorId) -> &[Copy] {
        &self.copies[tensor]
    }

    /// A tensor in a memory, if it is there.
    pub fn copy(&self, tensor: TensorId, memory: TopMemoryId) -> Option<&Copy> {
        self.copies[tensor].iter().find(|copy| copy.memory == memory)
    }

    /// The memory in which a tensor could be read first; of several that which comes first.
    pub fn oldest(&self, tensor: TensorId) -> Option<TopMemoryId> {
        let copies = self.copies[tensor].iter();
        let oldest = copies.min_by(|a, b| a.available.total_cmp(&b.available).then(a.memory.cmp(&b.memory)));
        oldest.map(|copy| copy.memory)
    }

    /// Notes that a tile reads a tensor in a memory until a time.
    pub fn keep_until(&mut self, tensor: TensorId, memory: TopMemoryId, end: f64) {
        if let Some(copy) = self.copies[tensor].iter_mut().find(|copy| copy.memory == memory) {
            copy.busy = copy.busy.max(end);
        }
    }

    /// Takes a place for a tensor, which it fills until the end of a span.
    pub fn store(&mut self, tensor: TensorId, memory: TopMemoryId, span: Span) {
        self.unrank(tensor);
        let (reserved, available, arrival) = (span.start, span.end, self.arrivals);
        self.arrivals += 1;
        self.copies[tensor].push(Copy { memory, reserved, available, busy: available, arrival, rank: None });
        self.stored[memory].unranked.push(tensor);
        self.occupancy[memory].add(reserved, self.graph.tensors[tensor].bits);
        self.note(Change { tensor, memory, time: reserved, comes: true });
    }

    /// Frees the place of a tensor.
    pub fn remove(&mut self, tensor: TensorId, memory: TopMemoryId, time: f64) {
        let Some(at) = self.copies[tensor].iter().position(|copy| copy.memory == memory) else { return };
        self.unrank(tensor);
        self.copies[tensor].remove(at);
        self.occupancy[memory].free(time, self.graph.tensors[tensor].bits);
        self.note(Change { tensor, memory, time, comes: false });
    }

    /// Those tensors of a memory that matter least, until there are so many bits of them, and how many there are.
    pub fn least_important(
        &mut self,
        memory: TopMemoryId,
        bits: u64,
        may_go: impl Fn(TensorId, &Copy) -> bool,
    ) -> (Vec<TensorId>, u64) {
        self.rank(memory);
        let (mut least, mut sum) = (Vec::new(), 0);
        for &(_, size, _, tensor) in &self.stored[memory].ranked {
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

    /// What is in a memory, in the order in which it came.
    pub fn by_arrival(&mut self, memory: TopMemoryId) -> Vec<TensorId> {
        self.rank(memory);
        let ranked = self.stored[memory].ranked.iter();
        let mut tensors: Vec<(u64, TensorId)> = ranked.map(|&(_, _, arrival, tensor)| (arrival, tensor)).collect();
        tensors.sort_unstable();
        tensors.into_iter().map(|(_, tensor)| tensor).collect()
    }

    /// How often a tensor will be read in a memory; where that is never, how often in those that do not have it yet.
    fn importance(&self, tensor: TensorId, memory: TopMemoryId) -> u64 {
        match self.uses[tensor].iter().find(|(of, _)| *of == memory) {
            Some((_, left)) => *left,
            None => {
                let is_absent = |memory: TopMemoryId| self.copy(tensor, memory).is_none();
                self.uses[tensor].iter().filter(|(of, _)| is_absent(*of)).map(|(_, left)| left).sum()
            }
        }
    }

    /// Notes that the importance of a tensor may change.
    fn unrank(&mut self, tensor: TensorId) {
        let bits = self.graph.tensors[tensor].bits;
        for copy in &mut self.copies[tensor] {
            if let Some(importance) = copy.rank.take() {
                let stored = &mut self.stored[copy.memory];
                stored.ranked.remove(&(importance, bits, copy.arrival, tensor));
                stored.unranked.push(tensor);
            }
        }
    }

    /// Brings the ranks of what is in a memory up to date.
    fn rank(&mut self, memory: TopMemoryId) {
        for tensor in std::mem::take(&mut self.stored[memory].unranked) {
            let bits = self.graph.tensors[tensor].bits;
            let importance = self.importance(tensor, memory).saturating_mul(bits);
            let here = self.copies[tensor].iter_mut().find(|copy| copy.memory == memory && copy.rank.is_none());
            if let Some(copy) = here {
                copy.rank = Some(importance);
                self.stored[memory].ranked.insert((importance, bits, copy.arrival, tensor));
            }
        }
    }
}
