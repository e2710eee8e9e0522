//! Back-calculation of tiles along one axis (DeFiNES, Section III, steps 1 and 2).
//!
//! Columns and rows are independent of each other, so everything about a tile is found once for its column of tiles and
//! once for its row: a *strip*. [`Axis::Columns`] and [`Axis::Rows`] differ only in the member of each pair of sizes
//! that they use.
//!
//! The last map of the stack is cut into strips of the tile size. From there, each node gets the columns that its
//! readers need, computes those that no earlier strip left in a cache, and needs an input window for them. There are
//! two ways:
//!
//! - *exact*: intervals of columns on every map, for every strip in turn, with padding and the borders of maps
//!   ([`BackCalculation`]). Strips that behave alike are numbered once, and neighbours of the same kind form runs. Time
//!   and memory grow with strips times nodes.
//! - *by extents*, as the DeFiNES tool does: numbers of columns of one tile in the middle of an endless map, with
//!   *lags* that tell how far maps run ahead of the output ([`lags`]). The first strip and all others are the only two
//!   kinds.

use super::floor::AxisSums;
use super::ids::{BehaviourId, NodeId, ReadId, StripId};
use super::stack::Stack;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::workload::{AxisView, Dim, Network, Read, unique_extent};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// One of the two axes of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// X: tile widths.
    Columns,
    /// Y: tile heights.
    Rows,
}

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
fn size_in_spans(nodes: usize, reads: usize) -> usize {
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
struct Run {
    /// First column of the first strip.
    start: u64,
    /// Columns of each.
    size: u64,
    /// Number of strips.
    count: u64,
    /// Their kind.
    strip: StripId,
}

/// One column (or row) of tiles, or several side by side that are equal and have equal neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
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
pub struct KindOfStrip {
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
    /// The different strips.
    pub different: TiVec<StripId, KindOfStrip>,
    /// The different behaviours: strips without the exchange by a cache that is not there ([`effective`]).
    pub effective: TiVec<BehaviourId, Strip>,
    /// The strips from left to right; the first is always alone.
    pub slots: Vec<Slot>,
    /// Sums over all strips, computed on demand.
    sums: OnceLock<AxisSums>,
}

/// The index of each different strip. One type serves all ids, as every instance of a map takes room in the page's
/// module.
type Numbers = FxHashMap<Strip, usize>;

impl Strips {
    /// Number of spans in memory, by which the planner limits its store of strips.
    pub fn spans(&self) -> usize {
        let spans = self.different.first().map_or(0, |kind| size_in_spans(kind.own.nodes.len(), kind.own.reads.len()));
        (2 * self.different.len() + self.effective.len()) * spans
    }

    /// Numbers the behaviours of all kinds, and cuts runs into slots.
    fn new(different: TiVec<StripId, (Strip, Strip)>, runs: &[Run]) -> Self {
        let mut strips =
            Self { different: TiVec::new(), effective: TiVec::new(), slots: slots(runs), ..Self::default() };
        let mut known: Numbers = Numbers::default();
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
            strips.different.push(KindOfStrip { own, assumed, behaviours });
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

/// The geometry of one layer's window along an axis: tap `t` of output `o` reads input column
/// `o * stride + t * dilation - padding`, if that exists.
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
    /// First existing input column that output `output` reads, if there is one: at the border some taps fall into the
    /// padding.
    fn first_of(&self, output: u64) -> Option<u64> {
        let at = output * self.stride;
        // Distance of the first tap that is not in the padding: taps lie a dilation apart.
        let skipped = self.padding.saturating_sub(at).next_multiple_of(self.dilation);
        let is_tap = skipped <= self.dilation * (self.kernel - 1);
        is_tap.then(|| at + skipped - self.padding).filter(|&column| column < self.input_size)
    }

    /// First existing input column that any output from `start` on reads. With dilation that may be read by an output
    /// after `start`, but by none after the first `dilation` outputs.
    fn first_from(&self, start: u64) -> Option<u64> {
        (start..self.output_size.min(start + self.dilation)).filter_map(|output| self.first_of(output)).min()
    }

    /// First and last (exclusive) existing input column that the outputs `start..end` read.
    ///
    /// With dilation the outermost column may belong to an output further inside, as at the border some taps fall into
    /// the padding. Only the first and the last `dilation` outputs come into question, so this takes no longer for
    /// larger tiles.
    fn reach(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let last_tap = self.dilation * (self.kernel - 1);
        let last_of = |output: u64| {
            // Mirrors `first_of`: the last tap, less the taps that lie beyond the map.
            let reach = (output * self.stride + last_tap).checked_sub(self.padding)?;
            let beyond = (reach + 1).saturating_sub(self.input_size).next_multiple_of(self.dilation);
            (beyond <= last_tap).then(|| reach.checked_sub(beyond)).flatten()
        };
        let first = (start..end.min(start + self.dilation)).filter_map(|output| self.first_of(output)).min();
        let last = (start.max(end.saturating_sub(self.dilation))..end).filter_map(last_of).max();
        first.zip(last).map(|(first, last)| (first, last + 1))
    }

    /// The outputs among `start..end` whose windows may touch the map. Behind a view that shows a small part of a map,
    /// many do not.
    fn in_reach(&self, (start, end): (u64, u64)) -> (u64, u64) {
        let last_tap = self.dilation * (self.kernel - 1);
        let first = self.padding.saturating_sub(last_tap).div_ceil(self.stride);
        let behind = (self.padding + self.input_size).div_ceil(self.stride);
        (start.max(first), end.min(behind))
    }
}

/// The window of a layer on the map of one producer behind a view.
#[derive(Debug, Clone, Copy)]
struct ShiftedWindow {
    view: AxisView,
    /// The window on the part of the view that shows this producer, which begins at 0.
    window: Window,
}

impl ShiftedWindow {
    /// Moves the window so that the part of the view that shows the producer begins at 0: columns before it become
    /// padding.
    fn new(window: Window, view: AxisView) -> Self {
        let part = Window { padding: window.padding + view.from, input_size: view.end - view.from, ..window };
        Self { view, window: part }
    }

    /// Columns of the producer for columns of its part of the view, first and end.
    fn on_producer(&self, (first, end): (u64, u64)) -> (u64, u64) {
        self.view.sources((first + self.view.from, end + self.view.from))
    }

    /// First and last (exclusive) column of the producer that the outputs `start..end` read.
    fn reach(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let (start, end) = self.window.in_reach((start, end));
        let reach = (start < end).then(|| self.window.reach(start, end)).flatten();
        reach.map(|columns| self.on_producer(columns))
    }

    /// First column of the producer that any output from `start` on reads.
    fn first_from(&self, start: u64) -> Option<u64> {
        let (start, end) = self.window.in_reach((start, self.window.output_size));
        let first = (start < end).then(|| self.window.first_from(start)).flatten();
        first.map(|first| self.on_producer((first, first + 1)).0)
    }
}

/// For each read of a stack the window behind its view; `None` where the reader sees the whole map straight, by its own
/// window.
type ShiftedWindows = TiVec<ReadId, Option<ShiftedWindow>>;

impl Axis {
    /// The member of a pair (columns, rows) for this axis.
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

    fn view(self, read: &Read) -> AxisView {
        self.of((read.columns, read.rows))
    }

    fn shifted_windows(self, network: &Network, stack: &Stack) -> ShiftedWindows {
        let of_node = |node: NodeId| {
            let window = self.window(network, stack, node);
            stack.reads_of(network, node).map(move |(.., read)| {
                let view = self.view(read);
                (!view.is_whole(window.input_size)).then(|| ShiftedWindow::new(window, view))
            })
        };
        stack.nodes.keys().flat_map(of_node).collect()
    }

    /// Columns (rows) of a producer's map that any output of its reader may see.
    pub fn shown_size(self, read: &Read) -> u64 {
        let view = self.view(read);
        let (first, end) = view.sources((view.from, view.end));
        end - first
    }

    /// Columns (rows) of a node's whole output map.
    pub fn map_size(self, network: &Network, stack: &Stack, node: NodeId) -> u64 {
        network.layer(stack.nodes[node]).shape.size(self.of((Dim::OX, Dim::OY)))
    }

    /// All strips for tiles of `tile` columns. If they do not divide the map, the first strip is the narrower one.
    ///
    /// `borders` asks for intervals, with padding and the real borders of maps; without it, there are only extents and
    /// lags, as in the tool. The tool has no views that move columns, so stacks with such views always take intervals.
    ///
    /// # Errors
    /// More kinds of strips than [`MOST_SPANS`] allows a stack with this number of nodes.
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
        let shifted = self.shifted_windows(network, stack);
        if borders || shifted.iter().any(Option::is_some) {
            self.exact(network, stack, (first, tile), caches, &shifted)
        } else {
            Ok(self.by_extents(network, stack, first, tile, caches))
        }
    }

    /// The place of every strip on every map, from the first strip to the last. Arguments as of [`Self::strips`].
    ///
    /// Extents and lags have no places. They get the places where the windows of their readers begin, which are right
    /// in the middle of a map, and shifted at borders, which the tool does not know.
    pub(super) fn places(
        self,
        network: &Network,
        stack: &Stack,
        tile: u64,
        caches: bool,
        borders: bool,
    ) -> Vec<StripPlaces> {
        let total = self.map_size(network, stack, stack.output());
        let tile = tile.clamp(1, total);
        let first = if total.is_multiple_of(tile) { tile } else { total % tile };
        let shifted = self.shifted_windows(network, stack);
        if borders || shifted.iter().any(Option::is_some) {
            let all = self.intervals(network, stack, (first, tile), caches, &shifted);
            return (0..all.strips(stack.nodes.len())).map(|index| all.places(index, stack, caches)).collect();
        }
        let strips = self.by_extents(network, stack, first, tile, caches);
        let mut places: Vec<StripPlaces> = Vec::new();
        for slot in &strips.slots {
            for index in 0..slot.count {
                let strip = &strips.different[slot.strip].own;
                places.push(self.places_by_extents(network, stack, slot.start + index * slot.size, strip));
            }
        }
        places
    }

    /// The places of a strip by extents that begins at column `start` of the output: from the output back, every node
    /// ends where the reads of its readers end.
    fn places_by_extents(self, network: &Network, stack: &Stack, start: u64, strip: &Strip) -> StripPlaces {
        let mut places = StripPlaces {
            computed: ti_vec![(0, 0); stack.nodes.len()],
            reads: ti_vec![ReadPlace::default(); stack.read_count()],
        };
        // By node, the furthest end of its readers' windows.
        let mut end: TiVec<NodeId, u64> = ti_vec![0; stack.nodes.len()];
        end[stack.output()] = start + strip.nodes[stack.output()].computed;
        for node in stack.nodes.keys().rev() {
            let end_of = end[node].max(strip.nodes[node].computed);
            places.computed[node] = (end_of - strip.nodes[node].computed, end_of);
            if stack.is_input(node) {
                continue;
            }
            let window = self.window(network, stack, node);
            let first = (places.computed[node].0 * window.stride).saturating_sub(window.padding);
            for (read, &producer) in ReadId::within(stack.reads(node)).zip(&stack.producers[node]) {
                let ReadSpan { needed, cached, .. } = strip.reads[read];
                let size = self.map_size(network, stack, producer);
                let first = first.min(size.saturating_sub(needed));
                places.reads[read] = ReadPlace { needed: (first, first + needed), cached };
                end[producer] = end[producer].max(first + needed);
            }
        }
        places
    }

    /// The two kinds of strips by extents: the first one, before which nothing is cached, and all others.
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

    /// Extents and lags of a tile in the middle of an endless map (DeFiNES tool, DepthFirstStage.py:112-268).
    ///
    /// In reverse topological order, so that all readers of a node come before it: `computed` is then the most that one
    /// of them needs.
    fn strip_by_extents(self, network: &Network, stack: &Stack, size: u64, is_first: bool, caches: bool) -> Strip {
        let count = stack.nodes.len();
        let mut strip = Strip {
            nodes: ti_vec![NodeSpan::default(); count],
            reads: ti_vec![ReadSpan::default(); stack.read_count()],
        };
        let mut steps: TiVec<NodeId, LagStep> = ti_vec![LagStep::default(); count];
        strip.nodes[stack.output()].computed = size;
        for node in stack.layer_nodes().rev() {
            let window = self.window(network, stack, node);
            let outputs = strip.nodes[node].computed;
            let extent = unique_extent(outputs as f64, window.kernel as f64, window.stride, window.dilation) as u64;
            let needed = extent.min(window.input_size);
            // The next tile's window begins `outputs * stride` columns further on.
            let overlap = needed.saturating_sub(outputs * window.stride);
            strip.nodes[node].needed = needed;
            let cached = if is_first || !caches { 0 } else { overlap };
            ReadId::within(stack.reads(node)).for_each(|read| strip.reads[read] = ReadSpan { needed, cached, overlap });
            let stride = window.stride as i64;
            let beyond = needed as i64 - outputs as i64 * stride + stride - 1;
            steps[node] = LagStep { stride, shift: overlap as i64 - beyond.div_euclid(2), overlap: overlap as i64 };
            // The overlap comes from the cache, so the producer computes the rest only.
            let fetched = if caches && !is_first { needed - overlap } else { needed };
            for &producer in &stack.producers[node] {
                let computed = &mut strip.nodes[producer].computed;
                *computed = fetched.max(*computed);
            }
        }
        if caches {
            // With branches, readers need different parts of a map. The cache holds the region from the outermost edge
            // of any reader on one side to that on the other (DeFiNES, Fig. 8).
            for (span, readers) in strip.nodes.iter_mut().zip(&lags(stack, &steps)) {
                let furthest_ahead = readers.iter().map(|(_, lag)| *lag).max().unwrap_or(0);
                let furthest_back = readers.iter().map(|(reader, lag)| lag - steps[*reader].overlap).min().unwrap_or(0);
                span.to_cache = (furthest_ahead - furthest_back) as u64;
                span.written = if is_first { span.to_cache } else { span.to_cache.min(span.computed) };
                span.from_cache = if is_first { 0 } else { span.to_cache };
            }
        }
        strip
    }

    /// Intervals of all strips: the columns of every map that each strip needs, computes and keeps.
    fn intervals(
        self,
        network: &Network,
        stack: &Stack,
        (first, tile): (u64, u64),
        caches: bool,
        shifted: &ShiftedWindows,
    ) -> AllIntervals {
        let total = self.map_size(network, stack, stack.output());
        let windows: TiVec<NodeId, Window> = stack.nodes.keys().map(|node| self.window(network, stack, node)).collect();
        let back = BackCalculation { stack, windows: &windows, shifted };
        let mut intervals = if caches && shifted.iter().any(Option::is_some) {
            // Behind a view a later strip may go back to columns that earlier strips passed over, such as those of a
            // part that is shown further on. With caching they would never be computed. So a first pass without caching
            // finds the first column that any strip from each one on wants, and in the second pass no strip begins
            // behind it.
            let alone = back.intervals((first, tile, total), None);
            back.intervals((first, tile, total), Some(&alone.first_wanted(stack.nodes.len())))
        } else {
            back.intervals((first, tile, total), caches.then_some(&[][..]))
        };
        intervals.find_needed_later(stack);
        intervals
    }

    /// Strips from intervals: the numbers of columns that each strip needs, computes and keeps, numbered by kind.
    fn exact(
        self,
        network: &Network,
        stack: &Stack,
        (first, tile): (u64, u64),
        caches: bool,
        shifted: &ShiftedWindows,
    ) -> Result<Strips, TooManyKinds> {
        let (count, read_count) = (stack.nodes.len(), stack.read_count());
        let intervals = self.intervals(network, stack, (first, tile), caches, shifted);
        let mut different: TiVec<StripId, (Strip, Strip)> = TiVec::new();
        let mut known: Numbers = Numbers::default();
        let mut runs: Vec<Run> = Vec::new();
        // The spans of one strip at a time, in one buffer: they are copied only when they are a new kind.
        let mut spans = Strip { nodes: TiVec::with_capacity(count), reads: ti_vec![ReadSpan::default(); read_count] };
        let mut start = 0;
        for index in 0..intervals.strips(count) {
            let size = if index == 0 { first } else { tile };
            let (nodes, reads) = (intervals.nodes(index, count), intervals.reads(index, read_count));
            spans.nodes.clear();
            spans.nodes.extend(nodes.iter().map(|node| node_span(node, caches)));
            for node in stack.layer_nodes() {
                for (read, &producer) in ReadId::within(stack.reads(node)).zip(&stack.producers[node]) {
                    spans.reads[read] = read_span(reads[read], nodes[producer].had, caches);
                }
            }
            let strip = match known.get(&spans) {
                Some(&strip) => StripId::from(strip),
                None if different.len() >= MOST_SPANS / size_in_spans(count, read_count) => {
                    return Err(TooManyKinds(different.len()));
                }
                None => {
                    let strip = different.push_and_get_key((spans.clone(), spans.clone()));
                    known.insert(spans.clone(), strip.index());
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

/// The place of a strip on every map: columns (or rows), first and end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StripPlaces {
    /// By node, the columns of its output that are computed (or fetched).
    pub computed: TiVec<NodeId, (u64, u64)>,
    /// By read of each node.
    pub reads: TiVec<ReadId, ReadPlace>,
}

/// The place of a read on the map of its producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ReadPlace {
    /// First and end of the columns that are read.
    pub needed: (u64, u64),
    /// Number of these, from the first on, that an earlier strip left in a cache.
    pub cached: u64,
}

/// Intervals of one strip at one node, in columns of its maps, end exclusive.
#[derive(Debug, Clone, Copy, Default)]
struct Intervals {
    computed: (u64, u64),
    needed: (u64, u64),
    /// The end of the columns of the node's output that earlier strips computed, if the mode caches them; else 0.
    had: u64,
    /// The hull of the columns of the node's output that this strip and later ones read.
    needed_from_here: (u64, u64),
    /// The hull of those that later strips read.
    needed_later: (u64, u64),
}

/// Intervals of all strips, strip by strip.
#[derive(Debug, Default)]
struct AllIntervals {
    /// One entry for each strip and node.
    nodes: Vec<Intervals>,
    /// One entry for each strip and read: columns of the producer that are needed.
    reads: Vec<(u64, u64)>,
}

impl AllIntervals {
    /// Number of strips, for a stack of `count` nodes.
    fn strips(&self, count: usize) -> usize {
        self.nodes.len() / count
    }

    /// Intervals of a strip by node.
    fn nodes(&self, index: usize, count: usize) -> &TiSlice<NodeId, Intervals> {
        TiSlice::from_ref(&self.nodes[index * count..(index + 1) * count])
    }

    /// Intervals of a strip by read.
    fn reads(&self, index: usize, read_count: usize) -> &TiSlice<ReadId, (u64, u64)> {
        TiSlice::from_ref(&self.reads[index * read_count..(index + 1) * read_count])
    }

    /// The place of a strip.
    fn places(&self, index: usize, stack: &Stack, caches: bool) -> StripPlaces {
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
    fn first_wanted(&self, count: usize) -> Vec<u64> {
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
    fn find_needed_later(&mut self, stack: &Stack) {
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
struct BackCalculation<'a> {
    stack: &'a Stack,
    windows: &'a TiSlice<NodeId, Window>,
    shifted: &'a TiSlice<ReadId, Option<ShiftedWindow>>,
}

impl BackCalculation<'_> {
    /// The intervals of all strips, from the first to the last. With `caches` no column is computed twice. The slice in
    /// it, if it is not empty, holds for each strip and node a column behind which the node must not begin.
    ///
    /// Within a strip, nodes come in reverse topological order. Invariant: when a node's turn comes, `wanted` is the
    /// hull of the columns that all its readers need. A hull, as with branches there may be a gap, which is computed,
    /// too. From strip to strip, `had` is the end of the columns of each node that are computed: every column before it
    /// is computed, or no later strip needs it.
    fn intervals(&self, (first, tile, total): (u64, u64, u64), caches: Option<&[u64]>) -> AllIntervals {
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
fn node_span(intervals: &Intervals, caches: bool) -> NodeSpan {
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
fn read_span(needed: (u64, u64), had: u64, caches: bool) -> ReadSpan {
    let cached = if caches { had.clamp(needed.0, needed.1) - needed.0 } else { 0 };
    ReadSpan { needed: needed.1 - needed.0, cached, overlap: cached }
}

/// One step of the lag, from a layer's output to its input: `stride * lag + shift`, columns.
#[derive(Debug, Clone, Copy, Default)]
struct LagStep {
    stride: i64,
    shift: i64,
    overlap: i64,
}

/// Number of visits after which the tool's walk is given up, as it is exponential in the branches; only stacks with
/// some twenty of them have more.
const MOST_VISITS: usize = 1 << 20;

/// The lag of each node by reader: how far its output has to run ahead of the stack's output for that reader, columns.
///
/// The tool walks depth first from the output and visits a node again for each of its readers, with the lag that it
/// knew when the visit was planned. With branches the last visit decides, so the walk keeps the tool's order.
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
            // The tool would not end. Visit every node once instead, in reverse topological order, when the lags for
            // all its readers are known.
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
