//! Back-calculation of tiles along one axis (DeFiNES, Section III, steps 1 and 2).
//!
//! Columns and rows are independent of each other, so everything about a tile is found once for its column of tiles and
//! once for its row: a *strip*. [`TileAxis::Columns`] and [`TileAxis::Rows`] differ only in the member of each pair of
//! sizes that they use.
//!
//! The last map of the stack is cut into strips of the tile size. From there, each node gets the columns that its
//! readers need, computes those that no earlier strip left in a cache, and needs an input window for them. There are
//! two ways:
//!
//! - *exact*: intervals of columns on every map, for every strip in turn, with padding and the borders of maps
//!   (`axis/intervals.rs`). Strips that behave alike are numbered once, and neighbours of the same kind form runs. Time
//!   and memory grow with strips times nodes.
//! - *by extents*, as the DeFiNES tool does: numbers of columns of one tile in the middle of an endless map, with
//!   *lags* that tell how far maps run ahead of the output (`axis/extents.rs`). The first strip and all others are the
//!   only two kinds.
//!
//! Either gives [`Strips`] (`axis/strips.rs`). `axis/window.rs` holds the windows of layers, also behind views.

mod extents;
mod intervals;
mod strips;
mod window;

pub use intervals::StripPlaces;
pub use strips::{AxisSums, NodeSums, Strip, StripRun, StripType, Strips, TooManyKinds};

use super::ids::{NodeId, ReadId, StripId};
use super::stack::Stack;
use crate::ids::{TiVec, ti_vec};
use crate::workload::{AxisView, Dim, Network, Read};
use intervals::{AllIntervals, IntervalBackCalculation, node_span, read_span};
use strips::{EqualStrips, MOST_SPANS, ReadSpan, StripNumbers, size_in_spans};
use window::{LayerWindow, ShiftedWindow, ShiftedWindows};

/// One of the two axes of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileAxis {
    /// X: tile widths.
    Columns,
    /// Y: tile heights.
    Rows,
}

impl TileAxis {
    /// The member of a pair (columns, rows) for this axis.
    fn of<T>(self, pair: (T, T)) -> T {
        match self {
            Self::Columns => pair.0,
            Self::Rows => pair.1,
        }
    }

    fn window(self, network: &Network, stack: &Stack, node: NodeId) -> LayerWindow {
        let layer = network.layer(stack.nodes[node]);
        let shape = &layer.shape;
        LayerWindow {
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
        let (first, tile) = self.strip_sizes(network, stack, tile);
        let shifted = self.shifted_windows(network, stack);
        if borders || shifted.iter().any(Option::is_some) {
            self.exact(network, stack, (first, tile), caches, &shifted)
        } else {
            Ok(self.by_extents(network, stack, first, tile, caches))
        }
    }

    /// Sizes of the first strip and of the others on the stack's output.
    fn strip_sizes(self, network: &Network, stack: &Stack, tile: u64) -> (u64, u64) {
        let total = self.map_size(network, stack, stack.output());
        let tile = tile.clamp(1, total);
        (if total.is_multiple_of(tile) { tile } else { total % tile }, tile)
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
        let (first, tile) = self.strip_sizes(network, stack, tile);
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
        let windows: TiVec<NodeId, LayerWindow> =
            stack.nodes.keys().map(|node| self.window(network, stack, node)).collect();
        let back = IntervalBackCalculation { stack, windows: &windows, shifted };
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
        let mut known: StripNumbers = StripNumbers::default();
        let mut runs: Vec<EqualStrips> = Vec::new();
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
                _ => runs.push(EqualStrips { start, size, count: 1, strip }),
            }
            start += size;
        }
        Ok(Strips::new(different, &runs))
    }
}
