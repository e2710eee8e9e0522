//! Back-calculation by intervals: the columns on every map that each strip computes and needs, with padding and the borders of maps.

use super::super::ids::{NodeId, ReadId};
use super::super::stack::Stack;
use super::strips::{NodeSpan, ReadSpan};
use super::window::{LayerWindow, ShiftedWindow};
use crate::ids::{TiSlice, TiVec, ti_vec};

/// The place of a strip on every map: columns (or rows), first and end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StripPlaces {
    /// By node, the columns of its output that are computed (or fetched).
    pub computed: TiVec<NodeId, (u64, u64)>,
    /// By read of each node.
    pub reads: TiVec<ReadId, ReadPlace>,
}

/// The place of a read on the map of its producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadPlace {
    /// First and end of the columns that are read.
    pub needed: (u64, u64),
    /// Number of these, from the first on, that an earlier strip left in a cache.
    pub cached: u64,
}

/// Intervals of one strip at one node, in columns of its maps, end exclusive.
#[derive(Debug, Clone, Copy, Default)]
pub struct Intervals {
    pub computed: (u64, u64),
    pub needed: (u64, u64),
    /// The end of the columns of the node's output that earlier strips computed, if the mode caches them; else 0.
    pub had: u64,
    /// The hull of the columns of the node's output that this strip and later ones read.
    pub needed_from_here: (u64, u64),
    /// The hull of those that later strips read.
    pub needed_later: (u64, u64),
}

/// Intervals of all strips, strip by strip.
#[derive(Debug, Default)]
pub struct AllIntervals {
    /// One entry for each strip and node.
    nodes: Vec<Intervals>,
    /// One entry for each strip and read: columns of the producer that are needed.
    reads: Vec<(u64, u64)>,
}

impl AllIntervals {
    /// Number of strips, for a stack of `count` nodes.
    pub fn strips(&self, count: usize) -> usize {
        self.nodes.len() / count
    }

    /// Intervals of a strip by node.
    pub fn nodes(&self, index: usize, count: usize) -> &TiSlice<NodeId, Intervals> {
        TiSlice::from_ref(&self.nodes[index * count..(index + 1) * count])
    }

    /// Intervals of a strip by read.
    pub fn reads(&self, index: usize, read_count: usize) -> &TiSlice<ReadId, (u64, u64)> {
        TiSlice::from_ref(&self.reads[index * read_count..(index + 1) * read_count])
    }

    /// The place of a strip.
    pub fn places(&self, index: usize, stack: &Stack, caches: bool) -> StripPlaces {
        let nodes = self.nodes(index, stack.nodes.len());
        let reads = self.reads(index, stack.read_count()).iter().zip(stack.producers.iter().flatten());
        let place = |(&needed, &producer): (&(u64, u64), &NodeId)| {
            let cached = read_span(needed, nodes[producer].had, caches).cached;
            ReadPlace { needed, cached }
        };
        StripPlaces { computed: nodes.iter().map(|node| node.computed).collect(), reads: reads.map(place).collect() }
    }

    /// For each strip and node the first column that this strip or a later one computes, by a pass from the last strip
    /// to the first.
    pub fn first_wanted(&self, count: usize) -> Vec<u64> {
        let mut first: Vec<u64> = self
            .nodes
            .iter()
            .map(|node| if node.computed.0 < node.computed.1 { node.computed.0 } else { u64::MAX })
            .collect();
        for at in (0..first.len().saturating_sub(count)).rev() {
            first[at] = first[at].min(first[at + count]);
        }
        first
    }

    /// Fills in the hulls of what strips read, by a pass from the last strip to the first. Invariant: `needed_later`
    /// is, by node, the hull of the reads of all strips that were passed.
    pub fn find_needed_later(&mut self, stack: &Stack) {
        let (count, read_count) = (stack.nodes.len(), stack.read_count());
        let mut needed_later: TiVec<NodeId, (u64, u64)> = ti_vec![(u64::MAX, 0); count];
        for (index, strip) in self.nodes.chunks_exact_mut(count).enumerate().rev() {
            for (now, later) in strip.iter_mut().zip(&needed_later) {
                now.needed_later = *later;
            }
            let reads = &self.reads[index * read_count..(index + 1) * read_count];
            for (&needed, &producer) in reads.iter().zip(stack.producers.iter().flatten()) {
                if needed.1 > needed.0 {
                    let (first, end) = needed_later[producer];
                    needed_later[producer] = (first.min(needed.0), end.max(needed.1));
                }
            }
            for (now, needed) in strip.iter_mut().zip(&needed_later) {
                now.needed_from_here = *needed;
            }
        }
    }
}

/// Back-calculation by intervals: from a strip of the stack's output to the columns that every node computes for it.
pub struct IntervalBackCalculation<'a> {
    pub stack: &'a Stack,
    pub windows: &'a TiSlice<NodeId, LayerWindow>,
    pub shifted: &'a TiSlice<ReadId, Option<ShiftedWindow>>,
}

impl IntervalBackCalculation<'_> {
    /// The intervals of all strips, from the first to the last. With `caches` no column is computed twice. The slice in
    /// it, if it is not empty, holds for each strip and node a column behind which the node must not begin.
    ///
    /// Within a strip, nodes come in reverse topological order. Invariant: when a node's turn comes, `wanted` is the
    /// hull of the columns that all its readers need. A hull, as with branches there may be a gap, which is computed,
    /// too. From strip to strip, `had` is the end of the columns of each node that are computed: every column before it
    /// is computed, or no later strip needs it.
    pub fn intervals(&self, (first, tile, total): (u64, u64, u64), caches: Option<&[u64]>) -> AllIntervals {
        let (count, read_count) = (self.stack.nodes.len(), self.stack.read_count());
        let strip_count = 1 + ((total - first) / tile) as usize;
        let mut all = AllIntervals {
            nodes: Vec::with_capacity(strip_count * count),
            reads: Vec::with_capacity(strip_count * read_count),
        };
        let mut had: TiVec<NodeId, u64> = ti_vec![0; count];
        let mut wanted: TiVec<NodeId, Option<(u64, u64)>> = ti_vec![None; count];
        let mut end = 0;
        for index in 0..strip_count {
            let start = end;
            end += if index == 0 { first } else { tile };
            wanted.fill(None);
            wanted[self.stack.output()] = Some((start, end));
            all.nodes.resize((index + 1) * count, Intervals::default());
            all.reads.resize((index + 1) * read_count, (0, 0));
            let strip = TiSlice::from_mut(&mut all.nodes[index * count..]);
            let reads = TiSlice::from_mut(&mut all.reads[index * read_count..]);
            for node in self.stack.nodes.keys().rev() {
                let begins = caches.and_then(|begins| begins.get(index * count + node.index()).copied());
                let had = had[node];
                if let (Some(wanted), Some(begins)) = (&mut wanted[node], begins) {
                    wanted.0 = wanted.0.min(begins);
                }
                strip[node] = self.intervals_of(node, &mut wanted, had, caches.is_some(), reads);
            }
            if caches.is_some() {
                for (had, now) in had.iter_mut().zip(strip.iter()) {
                    *had = now.computed.1.max(*had);
                }
            }
        }
        all
    }

    /// The intervals of one node for the columns that its readers want. Adds to `wanted` the columns that the node
    /// wants of its producers.
    fn intervals_of(
        &self,
        node: NodeId,
        wanted: &mut TiSlice<NodeId, Option<(u64, u64)>>,
        had: u64,
        caches: bool,
        reads: &mut TiSlice<ReadId, (u64, u64)>,
    ) -> Intervals {
        let (start, end) = wanted[node].unwrap_or((0, 0));
        let start = if caches { start.max(had).min(end) } else { start };
        let mut intervals = Intervals { computed: (start, end), had, ..Intervals::default() };
        if self.stack.is_input(node) || start == end {
            return intervals;
        }
        let window = &self.windows[node];
        let needed = window.reach(start, end);
        // With caching, no later strip goes back before the columns computed here. With dilation a later output may
        // read a column before all that this strip reads, so the producer computes from there on.
        let first = needed.and_then(|_| window.first_from(start)).filter(|_| caches);
        intervals.needed = needed.unwrap_or((0, 0));
        for (read, &producer) in ReadId::within(self.stack.reads(node)).zip(&self.stack.producers[node]) {
            let (needed, first) = match &self.shifted[read] {
                None => (needed, first),
                Some(shifted) => (shifted.reach(start, end), shifted.first_from(start).filter(|_| caches)),
            };
            let Some(needed) = needed else { continue };
            reads[read] = needed;
            let first = first.map_or(needed.0, |first| first.min(needed.0));
            let union = |(a, b): (u64, u64)| (a.min(first), b.max(needed.1));
            wanted[producer] = Some(wanted[producer].map_or((first, needed.1), union));
        }
        intervals
    }
}

/// Numbers of columns from intervals. The cache holds the computed part of the hull that later strips read. This strip
/// writes the columns of it that earlier ones had not computed.
pub fn node_span(intervals: &Intervals, caches: bool) -> NodeSpan {
    let length = |(start, end): (u64, u64)| end - start;
    let Intervals { computed, needed, had, needed_from_here, needed_later } = *intervals;
    let mut span = NodeSpan { computed: length(computed), needed: length(needed), ..NodeSpan::default() };
    if caches {
        let (first, end) = needed_later;
        let have = computed.1.max(had).min(end);
        span.to_cache = have.saturating_sub(first);
        span.written = have.saturating_sub(first.max(had));
        span.from_cache = had.min(needed_from_here.1).saturating_sub(needed_from_here.0);
    }
    span
}

/// Numbers of columns of a read of the columns `needed`, on a map that earlier strips computed up to `had`.
pub fn read_span(needed: (u64, u64), had: u64, caches: bool) -> ReadSpan {
    let cached = if caches { had.clamp(needed.0, needed.1) - needed.0 } else { 0 };
    ReadSpan { needed: needed.1 - needed.0, cached, overlap: cached }
}
