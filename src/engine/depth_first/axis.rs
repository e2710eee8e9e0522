//! Back-calculation of tiles along one axis (DeFiNES, Section III, steps 1 and 2).
//!
//! Columns and rows are independent of each other, so everything about a tile is found once for its column and once for
//! its row. [`Axis::Columns`] and [`Axis::Rows`] differ only in which of each pair of sizes they look at.

use super::ids::{BehaviourId, NodeId, StripId};
use super::stack::Stack;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::workload::{Dim, Network, unique_extent};
use rustc_hash::FxHashMap;

/// Which of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// X: tile widths.
    Columns,
    /// Y: tile heights.
    Rows,
}

/// The columns (or rows) of one node's maps that a strip computes, needs, and exchanges by caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NodeSpan {
    /// Columns of its output that the node computes; an input of the stack fetches them.
    pub computed: u64,
    /// Columns of its input window that exist, cached ones included.
    pub needed: u64,
    /// Of these, what an earlier tile computed, if that is cached; for each of the node's inputs.
    pub cached: [u64; 2],
    /// Columns of each input that two neighbouring tiles share, wherever on the map they lie.
    pub overlap: [u64; 2],
    /// Columns of its output that the next tile needs again.
    pub to_cache: u64,
    /// Of these, the ones that this tile has to write to the cache.
    pub written: u64,
}

/// Kinds of strips times nodes of their stack: some 100 MB, as each is kept several times.
pub const MOST_SPANS: usize = 1 << 18;

/// More kinds of strips than the limit: nearly every strip differs from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyKinds(pub usize);

/// One column (or row) of tiles, by stack node.
pub type Strip = TiVec<NodeId, NodeSpan>;

/// Neighbouring strips that behave the same, with where they lie on the stack's output.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    /// First column of the first strip.
    start: u64,
    /// Columns of each.
    size: u64,
    /// Number of strips.
    count: u64,
    /// What they concern, with the storing mode's own caching.
    strip: StripId,
}

/// One column (or row) of tiles, or several that are equal, with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// First column of the first.
    pub start: u64,
    /// Columns of each.
    pub size: u64,
    /// Number of strips.
    pub count: u64,
    /// What they concern.
    pub strip: StripId,
    /// The kind of the strip before the first; `None` at the border of the map.
    pub previous: Option<StripId>,
    /// The kind of the strip behind the last; `None` at the border of the map.
    pub next: Option<StripId>,
}

/// One kind of strip.
#[derive(Debug, Clone)]
pub struct KindOfStrip {
    /// With the caching that the mode has.
    pub own: Strip,
    /// With caching assumed.
    pub assumed: Strip,
    /// What tiles do, by whether there is a cache to write and one to read.
    behaviours: [BehaviourId; 4],
}

/// All strips of one axis for one tile size.
#[derive(Debug, Clone, Default)]
pub struct Strips {
    /// The different strips.
    pub different: TiVec<StripId, KindOfStrip>,
    /// Strips without what does not happen where there is no cache to write or read, each once.
    pub effective: TiVec<BehaviourId, Strip>,
    /// The strips from left to right; the first is always alone.
    pub slots: Vec<Slot>,
}

impl Strips {
    /// Number of spans in memory, by which the planner limits what it keeps.
    pub fn spans(&self) -> usize {
        let nodes = self.different.first().map_or(0, |kind| kind.own.len());
        (2 * self.different.len() + self.effective.len()) * nodes
    }

    fn new(different: TiVec<StripId, (Strip, Strip)>, runs: &[Run]) -> Self {
        let mut strips = Self { different: TiVec::new(), effective: TiVec::new(), slots: slots(runs) };
        let mut known: FxHashMap<Strip, BehaviourId> = FxHashMap::default();
        for (own, assumed) in different {
            let behaviours = [(false, false), (false, true), (true, false), (true, true)].map(|(writes, reads)| {
                let strip = effective(&own, writes, reads);
                *known.entry(strip).or_insert_with_key(|strip| strips.effective.push_and_get_key(strip.clone()))
            });
            strips.different.push(KindOfStrip { own, assumed, behaviours });
        }
        strips
    }

    /// What tiles of a strip do, by whether there is a cache to write and one to read. Equal ids mean equal behaviour.
    pub fn behaviour(&self, strip: StripId, writes: bool, reads: bool) -> BehaviourId {
        self.different[strip].behaviours[usize::from(writes) * 2 + usize::from(reads)]
    }
}

/// A strip without what does not happen where there is no cache to write or read.
fn effective(strip: &Strip, writes: bool, reads: bool) -> Strip {
    let of = |span: &NodeSpan| NodeSpan {
        overlap: [0; 2],
        to_cache: 0,
        written: if writes { span.written } else { 0 },
        cached: if reads { span.cached } else { [0; 2] },
        ..*span
    };
    strip.iter().map(of).collect()
}

/// Splits runs where the neighbours differ; the first tile stays alone.
fn slots(runs: &[Run]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| runs[before].strip);
        let after = runs.get(index + 1).map(|after| after.strip);
        let mut push = |from: u64, count: u64, previous: Option<StripId>, next: Option<StripId>| {
            let slot =
                Slot { start: run.start + from * run.size, size: run.size, count, strip: run.strip, previous, next };
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

/// The geometry of one layer's window along an axis.
#[derive(Debug, Clone, Copy)]
struct Window {
    kernel: u64,
    stride: u64,
    dilation: u64,
    padding: u64,
    input_size: u64,
    output_size: u64,
}

impl Window {
    /// First input column that output `output` reads, if that exists: at the border some taps fall into the padding.
    fn first_of(&self, output: u64) -> Option<u64> {
        let at = output * self.stride;
        let skipped = self.padding.saturating_sub(at).next_multiple_of(self.dilation);
        let is_tap = skipped <= self.dilation * (self.kernel - 1);
        is_tap.then(|| at + skipped - self.padding).filter(|&column| column < self.input_size)
    }

    /// First existing input column that any output from `start` on reads. With dilation that may be one further on than `start`.
    fn first_from(&self, start: u64) -> Option<u64> {
        (start..self.output_size.min(start + self.dilation)).filter_map(|output| self.first_of(output)).min()
    }

    /// First and last (exclusive) existing input column that the outputs `start..end` read.
    ///
    /// With dilation the outermost column may belong to an output further inside, as at the border some taps fall into
    /// the padding; only the first and last `dilation` outputs come into question.
    fn reach(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let last_tap = self.dilation * (self.kernel - 1);
        let last_of = |output: u64| {
            let reach = (output * self.stride + last_tap).checked_sub(self.padding)?;
            let beyond = (reach + 1).saturating_sub(self.input_size).next_multiple_of(self.dilation);
            (beyond <= last_tap).then(|| reach.checked_sub(beyond)).flatten()
        };
        let first = (start..end.min(start + self.dilation)).filter_map(|output| self.first_of(output)).min();
        let last = (start.max(end.saturating_sub(self.dilation))..end).filter_map(last_of).max();
        first.zip(last).map(|(first, last)| (first, last + 1))
    }
}

impl Axis {
    fn of<T>(self, pair: (T, T)) -> T {
        match self {
            Self::Columns => pair.0,
            Self::Rows => pair.1,
        }
    }

    fn window(self, network: &Network, stack: &Stack, node: NodeId) -> Window {
        let layer = network.layer(stack.nodes[node]);
        let shape = &layer.shape;
        Window {
            kernel: shape.size(self.of((Dim::FX, Dim::FY))),
            stride: self.of(shape.stride),
            dilation: self.of(shape.dilation),
            padding: self.of((layer.padding.left, layer.padding.top)),
            input_size: self.of(layer.input_size),
            output_size: shape.size(self.of((Dim::OX, Dim::OY))),
        }
    }

    /// Columns (rows) of a node's whole output map.
    pub fn map_size(self, network: &Network, stack: &Stack, node: NodeId) -> u64 {
        network.layer(stack.nodes[node]).shape.size(self.of((Dim::OX, Dim::OY)))
    }

    /// Columns (rows) of a node's whole input map.
    pub fn input_size(self, network: &Network, stack: &Stack, node: NodeId) -> u64 {
        self.of(network.layer(stack.nodes[node]).input_size)
    }

    /// All strips for tiles of `tile` columns: what is left over by the division comes first.
    ///
    /// `borders` tracks the intervals themselves, with padding and the map's real borders; without it, only extents and
    /// lags are tracked, as the tool does.
    ///
    /// # Errors
    /// More kinds of strips than [`MOST_SPANS`] allows a stack of so many nodes.
    pub fn strips(
        self,
        network: &Network,
        stack: &Stack,
        tile: u64,
        caches: bool,
        borders: bool,
    ) -> Result<Strips, TooManyKinds> {
        let total = self.map_size(network, stack, stack.output());
        let tile = tile.clamp(1, total);
        let first = if total.is_multiple_of(tile) { tile } else { total % tile };
        if borders {
            self.exact(network, stack, first, tile, caches)
        } else {
            Ok(self.by_extents(network, stack, first, tile, caches))
        }
    }

    fn by_extents(self, network: &Network, stack: &Stack, first: u64, tile: u64, caches: bool) -> Strips {
        let total = self.map_size(network, stack, stack.output());
        let both = |size, is_first| {
            let strip = |caches: bool| self.strip_by_extents(network, stack, size, is_first, caches);
            (strip(caches), strip(true))
        };
        let mut different = TiVec::new();
        let strip = different.push_and_get_key(both(first, true));
        let mut runs = vec![Run { start: 0, size: first, count: 1, strip }];
        if first < total {
            let strip = different.push_and_get_key(both(tile, false));
            runs.push(Run { start: first, size: tile, count: (total - first) / tile, strip });
        }
        Strips::new(different, &runs)
    }

    /// DeFiNES tool, DepthFirstStage.py:112-268: extents and lags of a tile in the middle of an endless map.
    fn strip_by_extents(self, network: &Network, stack: &Stack, size: u64, is_first: bool, caches: bool) -> Strip {
        let count = stack.nodes.len();
        let mut strip: Strip = ti_vec![NodeSpan::default(); count];
        let mut steps: TiVec<NodeId, LagStep> = ti_vec![LagStep::default(); count];
        strip[stack.output()].computed = size;
        for node in stack.layer_nodes().rev() {
            let window = self.window(network, stack, node);
            let outputs = strip[node].computed;
            let extent = unique_extent(outputs as f64, window.kernel as f64, window.stride, window.dilation) as u64;
            let needed = extent.min(window.input_size);
            let overlap = needed.saturating_sub(outputs * window.stride);
            strip[node].needed = needed;
            strip[node].overlap = [overlap; 2];
            strip[node].cached = [if is_first || !caches { 0 } else { overlap }; 2];
            let stride = window.stride as i64;
            let beyond = needed as i64 - outputs as i64 * stride + stride - 1;
            steps[node] = LagStep { stride, shift: overlap as i64 - beyond.div_euclid(2), overlap: overlap as i64 };
            let fetched = if caches && !is_first { needed - overlap } else { needed };
            for &producer in &stack.producers[node] {
                strip[producer].computed = strip[producer].computed.max(fetched);
            }
        }
        if caches {
            for (span, readers) in strip.iter_mut().zip(&lags(stack, &steps)) {
                let furthest_ahead = readers.iter().map(|(_, lag)| *lag).max().unwrap_or(0);
                let furthest_back = readers.iter().map(|(reader, lag)| lag - steps[*reader].overlap).min().unwrap_or(0);
                span.to_cache = (furthest_ahead - furthest_back) as u64;
                span.written = if is_first { span.to_cache } else { span.to_cache.min(span.computed) };
            }
        }
        strip
    }

    /// Back-calculation by intervals: which columns of every map each strip needs, computes and keeps.
    fn exact(
        self,
        network: &Network,
        stack: &Stack,
        first: u64,
        tile: u64,
        caches: bool,
    ) -> Result<Strips, TooManyKinds> {
        let total = self.map_size(network, stack, stack.output());
        let count = stack.nodes.len();
        let windows: TiVec<NodeId, Window> = stack.nodes.keys().map(|node| self.window(network, stack, node)).collect();
        let strip_count = 1 + ((total - first) / tile) as usize;
        // One entry a strip and node, strip by strip.
        let mut intervals: Vec<Intervals> = Vec::with_capacity(strip_count * count);
        let mut had: TiVec<NodeId, u64> = ti_vec![0; count];
        let mut wanted: TiVec<NodeId, Option<(u64, u64)>> = ti_vec![None; count];
        let mut end = 0;
        for index in 0..strip_count {
            let start = end;
            end += if index == 0 { first } else { tile };
            wanted.fill(None);
            wanted[stack.output()] = Some((start, end));
            let strip = intervals.len();
            intervals.resize(strip + count, Intervals::default());
            let strip = TiSlice::from_mut(&mut intervals[strip..]);
            for node in stack.nodes.keys().rev() {
                strip[node] = intervals_of(stack, node, &mut wanted, had[node], caches, &windows[node]);
            }
            if caches {
                for (had, now) in had.iter_mut().zip(strip.iter()) {
                    *had = now.computed.1.max(*had);
                }
            }
        }
        // What is needed again is known from the end: from the first to the last column of each map that any later strip reads.
        let mut needed_later: TiVec<NodeId, (u64, u64)> = ti_vec![(u64::MAX, 0); count];
        for strip in intervals.chunks_exact_mut(count).rev() {
            for (now, later) in strip.iter_mut().zip(&needed_later) {
                now.needed_later = *later;
            }
            for (node, now) in stack.nodes.keys().zip(strip.iter()).skip(stack.input_count) {
                let needed = now.needed;
                if needed.1 > needed.0 {
                    for &producer in &stack.producers[node] {
                        let (first, end) = needed_later[producer];
                        needed_later[producer] = (first.min(needed.0), end.max(needed.1));
                    }
                }
            }
        }
        let mut different: TiVec<StripId, (Strip, Strip)> = TiVec::new();
        let mut known: FxHashMap<Strip, StripId> = FxHashMap::default();
        let mut runs: Vec<Run> = Vec::new();
        let mut spans = Strip::with_capacity(count);
        let mut start = 0;
        for (index, strip) in intervals.chunks_exact(count).enumerate() {
            let size = if index == 0 { first } else { tile };
            spans.clear();
            let strip = TiSlice::from_ref(strip);
            spans.extend(stack.nodes.keys().map(|node| node_span(stack, node, strip, caches)));
            let strip = match known.get(&spans) {
                Some(&strip) => strip,
                None if different.len() >= MOST_SPANS / count => return Err(TooManyKinds(different.len())),
                None => {
                    let strip = different.push_and_get_key((spans.clone(), spans.clone()));
                    known.insert(spans.clone(), strip);
                    strip
                }
            };
            match runs.last_mut() {
                Some(run) if run.strip == strip && run.size == size && index > 1 => run.count += 1,
                _ => runs.push(Run { start, size, count: 1, strip }),
            }
            start += size;
        }
        Ok(Strips::new(different, &runs))
    }
}

/// Intervals of one strip at one node, in columns of its maps, end exclusive.
#[derive(Debug, Clone, Copy, Default)]
struct Intervals {
    computed: (u64, u64),
    needed: (u64, u64),
    /// How far earlier strips computed the node's output, where that is cached.
    had: u64,
    /// From the first to the last column of the node's output that a later strip reads.
    needed_later: (u64, u64),
}

/// What one node computes and needs when its readers want `wanted`, which then holds what the node wants itself.
fn intervals_of(
    stack: &Stack,
    node: NodeId,
    wanted: &mut TiSlice<NodeId, Option<(u64, u64)>>,
    had: u64,
    caches: bool,
    window: &Window,
) -> Intervals {
    let (start, end) = wanted[node].unwrap_or((0, 0));
    let start = if caches { start.max(had).min(end) } else { start };
    let mut intervals = Intervals { computed: (start, end), had, ..Intervals::default() };
    if stack.is_input(node) || start == end {
        return intervals;
    }
    if let Some(needed) = window.reach(start, end) {
        intervals.needed = needed;
        // No later strip goes back to compute what this one passed over.
        let first = window.first_from(start).filter(|_| caches).map_or(needed.0, |first| first.min(needed.0));
        for &producer in &stack.producers[node] {
            let union = |(a, b): (u64, u64)| (a.min(first), b.max(needed.1));
            wanted[producer] = Some(wanted[producer].map_or((first, needed.1), union));
        }
    }
    intervals
}

fn node_span(stack: &Stack, node: NodeId, strip: &TiSlice<NodeId, Intervals>, caches: bool) -> NodeSpan {
    let length = |(start, end): (u64, u64)| end - start;
    let Intervals { computed, needed, had, needed_later } = strip[node];
    let mut span = NodeSpan { computed: length(computed), needed: length(needed), ..NodeSpan::default() };
    if caches {
        for (cached, &producer) in span.cached.iter_mut().zip(&stack.producers[node]) {
            *cached = strip[producer].had.clamp(needed.0, needed.1) - needed.0;
        }
        span.overlap = span.cached;
        let (first, end) = needed_later;
        let have = computed.1.max(had).min(end);
        span.to_cache = have.saturating_sub(first);
        span.written = have.saturating_sub(first.max(had));
    }
    span
}

/// How a layer's lag follows from that of its output.
#[derive(Debug, Clone, Copy, Default)]
struct LagStep {
    stride: i64,
    shift: i64,
    overlap: i64,
}

/// Visits after which the tool's walk is given up; only stacks with some twenty branches have more.
const MOST_VISITS: usize = 1 << 20;

/// How far each node's output runs ahead of the stack's output, for each of its readers.
///
/// The tool walks depth first from the output and visits a node again for each of its readers, with the lag it knew when
/// the visit was planned. With branches the last visit decides, so the walk is done in the tool's order.
fn lags(stack: &Stack, steps: &TiSlice<NodeId, LagStep>) -> TiVec<NodeId, Vec<(NodeId, i64)>> {
    let mut lags: TiVec<NodeId, Vec<(NodeId, i64)>> = ti_vec![Vec::new(); stack.nodes.len()];
    let mut visit = |node: NodeId, lag: i64, planned: &mut Vec<(NodeId, i64)>| {
        for &producer in &stack.producers[node] {
            let ahead = steps[node].stride * lag + steps[node].shift;
            let readers = &mut lags[producer];
            match readers.iter_mut().find(|(reader, _)| *reader == node) {
                Some(known) => known.1 = ahead,
                None => readers.push((node, ahead)),
            }
            planned.push((producer, readers.iter().map(|(_, lag)| *lag).max().unwrap_or(ahead)));
        }
    };
    let mut planned = vec![(stack.output(), 0)];
    let mut visits = 0;
    while let Some((node, lag)) = planned.pop() {
        visit(node, lag, &mut planned);
        visits += 1;
        if visits == MOST_VISITS {
            // The tool would not end. Visit every node once, when all its readers are known.
            let mut lag_of: TiVec<NodeId, i64> = ti_vec![0; stack.nodes.len()];
            for node in stack.nodes.keys().rev() {
                planned.clear();
                visit(node, lag_of[node], &mut planned);
                for &(producer, lag) in &planned {
                    lag_of[producer] = lag;
                }
            }
            break;
        }
    }
    lags
}
