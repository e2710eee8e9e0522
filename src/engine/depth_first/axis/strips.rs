//! Columns (or rows) of tiles: their kinds, and how they follow each other.

use super::super::ids::{BehaviourId, NodeId, ReadId, StripId};
use crate::ids::{TiVec, ti_vec};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Numbers of columns (or rows) of one node's maps that a strip computes, needs, and exchanges by caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NodeSpan {
    /// Columns of its output that the node computes; an input of the stack fetches them.
    pub computed: u64,
    /// Columns of its input window that exist, cached ones included.
    pub needed: u64,
    /// Columns of its output that earlier tiles leave for this one and later ones, if the mode caches them.
    pub from_cache: u64,
    /// Columns of its output that the next tile needs again.
    pub to_cache: u64,
    /// Of these, the ones that this tile has to write to the cache.
    pub written: u64,
}

/// Numbers of columns (or rows) of one producer's map that a node reads, straight or through views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ReadSpan {
    /// Columns in the window, cached ones included.
    pub needed: u64,
    /// Of these, the ones that an earlier tile computed, if the mode caches them.
    pub cached: u64,
    /// Columns that two neighbouring tiles share; by extents also in the first tile, which has no neighbour before it.
    pub overlap: u64,
}

/// Limit on the kinds of strips times their size in spans: some 100 MB, as each is kept several times.
pub const MOST_SPANS: usize = 1 << 18;

/// The size of a strip as it counts for [`MOST_SPANS`]: its nodes, or, if many maps are joined, the mean of nodes and
/// reads.
pub fn size_in_spans(nodes: usize, reads: usize) -> usize {
    nodes.max(nodes.midpoint(reads))
}

/// More kinds of strips than the limit: nearly every strip differs from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyKinds(pub usize);

/// One column (or row) of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Strip {
    /// By node of the stack.
    pub nodes: TiVec<NodeId, NodeSpan>,
    /// By read of each node.
    pub reads: TiVec<ReadId, ReadSpan>,
}

/// Neighbouring strips of one kind, with their place on the stack's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EqualStrips {
    /// First column of the first strip.
    pub start: u64,
    /// Columns of each.
    pub size: u64,
    /// Number of strips.
    pub count: u64,
    /// Their kind.
    pub strip: StripId,
}

/// One column (or row) of tiles, or several side by side that are equal and have equal neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StripRun {
    /// First column of the first.
    pub start: u64,
    /// Columns of each.
    pub size: u64,
    /// Number of strips.
    pub count: u64,
    /// Their kind.
    pub strip: StripId,
    /// The kind of the strip before the first; `None` at the border of the map.
    pub previous: Option<StripId>,
    /// The kind of the strip behind the last; `None` at the border of the map.
    pub next: Option<StripId>,
}

/// One kind of strip.
#[derive(Debug, Clone)]
pub struct StripType {
    /// With the caching of the storing mode.
    pub own: Strip,
    /// As if the axis were cached; by intervals the same as `own`.
    pub assumed: Strip,
    /// The behaviour by whether there is a cache to write (2) and one to read (1).
    behaviours: [BehaviourId; 4],
}

/// All strips of one axis for one tile size.
#[derive(Debug, Clone, Default)]
pub struct Strips {
    /// The kinds of strips, each once.
    pub different: TiVec<StripId, StripType>,
    /// The different behaviours: strips without the exchange by a cache that is not there ([`effective`]).
    pub effective: TiVec<BehaviourId, Strip>,
    /// The strips from left to right; the first is always alone.
    pub slots: Vec<StripRun>,
    /// Sums over all strips, computed on demand.
    sums: OnceLock<AxisSums>,
}

/// The index of each different strip. One type serves all ids, as every instance of a map takes room in the page's
/// module.
pub type StripNumbers = FxHashMap<Strip, usize>;

impl Strips {
    /// Number of spans in memory, by which the planner limits its store of strips.
    pub fn spans(&self) -> usize {
        let spans = self.different.first().map_or(0, |kind| size_in_spans(kind.own.nodes.len(), kind.own.reads.len()));
        (2 * self.different.len() + self.effective.len()) * spans
    }

    /// Numbers the behaviours of all kinds, and cuts runs into slots.
    pub fn new(different: TiVec<StripId, (Strip, Strip)>, runs: &[EqualStrips]) -> Self {
        let mut strips =
            Self { different: TiVec::new(), effective: TiVec::new(), slots: slots(runs), ..Self::default() };
        let mut known: StripNumbers = StripNumbers::default();
        for (own, assumed) in different {
            let behaviours = [(false, false), (false, true), (true, false), (true, true)].map(|(writes, reads)| {
                let strip = effective(&own, writes, reads);
                let next = strips.effective.len();
                let known = *known.entry(strip).or_insert_with_key(|strip| {
                    strips.effective.push(strip.clone());
                    next
                });
                BehaviourId::from(known)
            });
            strips.different.push(StripType { own, assumed, behaviours });
        }
        strips
    }

    /// Sums over all strips, for lower bounds without a plan.
    pub fn sums(&self) -> &AxisSums {
        self.sums.get_or_init(|| AxisSums::new(self))
    }

    /// The behaviour of a strip's tiles, by whether there is a cache to write and one to read. Equal ids mean equal
    /// behaviour.
    pub fn behaviour(&self, strip: StripId, writes: bool, reads: bool) -> BehaviourId {
        self.different[strip].behaviours[usize::from(writes) * 2 + usize::from(reads)]
    }
}

/// A strip without writes where there is no cache to write, and without reads where there is none to read. Strips that
/// differ only there become equal.
fn effective(strip: &Strip, writes: bool, reads: bool) -> Strip {
    let of_node = |span: &NodeSpan| {
        let span = if reads { *span } else { NodeSpan { from_cache: 0, ..*span } };
        if writes { span } else { NodeSpan { to_cache: 0, written: 0, ..span } }
    };
    let of_read = |span: &ReadSpan| ReadSpan { overlap: 0, cached: if reads { span.cached } else { 0 }, ..*span };
    Strip { nodes: strip.nodes.iter().map(of_node).collect(), reads: strip.reads.iter().map(of_read).collect() }
}

/// Splits runs where the neighbours of strips differ, as the ends of a run have others than its middle. Equal slots
/// side by side are joined again, but the first strip stays alone.
fn slots(runs: &[EqualStrips]) -> Vec<StripRun> {
    let mut slots: Vec<StripRun> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| runs[before].strip);
        let after = runs.get(index + 1).map(|after| after.strip);
        let mut push = |from: u64, count: u64, previous: Option<StripId>, next: Option<StripId>| {
            let slot = StripRun {
                start: run.start + from * run.size,
                size: run.size,
                count,
                strip: run.strip,
                previous,
                next,
            };
            match slots.last_mut() {
                Some(last)
                    if (last.strip, last.size, last.previous, last.next) == (run.strip, run.size, previous, next)
                        && last.start > 0 =>
                {
                    last.count += count;
                }
                _ => slots.push(slot),
            }
        };
        // The first strip of the run, those in between, the last one.
        let same = Some(run.strip);
        match run.count {
            1 => push(0, 1, before, after),
            count => {
                push(0, 1, before, same);
                if count > 2 {
                    push(1, count - 2, same, same);
                }
                push(count - 1, 1, same, after);
            }
        }
    }
    slots
}

/// Sums over all columns (or rows) of tiles.
#[derive(Debug, Clone, Default)]
pub struct AxisSums {
    pub nodes: TiVec<NodeId, NodeSums>,
    pub reads: TiVec<ReadId, ReadSums>,
}

/// Those of one read.
#[derive(Debug, Clone, Copy)]
pub struct ReadSums {
    /// Columns that no cache holds.
    pub fresh: f64,
    pub least_needed: u64,
}

/// Sums of one node, over the strips in which it computes something.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeSums {
    pub strips: f64,
    pub computed: f64,
    /// Columns of its windows.
    pub needed: f64,
    /// As `needed`, but in each strip at most as many columns as are computed.
    pub needed_once: f64,
    pub least_computed: u64,
    pub least_needed: u64,
    /// Whether it computes something in the first strip.
    pub is_in_first: bool,
}

impl AxisSums {
    pub fn new(strips: &Strips) -> Self {
        let strip = |slot: &StripRun| -> &Strip { &strips.different[slot.strip].own };
        let Some(first) = strips.slots.first().map(strip) else { return Self::default() };
        let unread = ReadSums { fresh: 0.0, least_needed: u64::MAX };
        let none = NodeSums { least_computed: u64::MAX, least_needed: u64::MAX, ..NodeSums::default() };
        let mut sums = Self { nodes: ti_vec![none; first.nodes.len()], reads: ti_vec![unread; first.reads.len()] };
        for (sums, span) in sums.nodes.iter_mut().zip(&first.nodes) {
            sums.is_in_first = span.computed > 0;
        }
        for slot in &strips.slots {
            let (strip, count) = (strip(slot), slot.count as f64);
            for (sums, span) in sums.nodes.iter_mut().zip(&strip.nodes).filter(|(_, span)| span.computed > 0) {
                sums.strips += count;
                sums.computed += span.computed as f64 * count;
                sums.needed += span.needed as f64 * count;
                sums.needed_once += span.needed.min(span.computed) as f64 * count;
                sums.least_computed = sums.least_computed.min(span.computed);
                sums.least_needed = sums.least_needed.min(span.needed);
            }
            for (sums, read) in sums.reads.iter_mut().zip(&strip.reads) {
                sums.fresh += read.needed.saturating_sub(read.cached) as f64 * count;
                sums.least_needed = sums.least_needed.min(read.needed);
            }
        }
        sums
    }
}
