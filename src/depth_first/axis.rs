//! Back-calculation of tiles along one axis (DeFiNES, Section III, steps 1 and 2).
//!
//! Columns and rows are independent of each other, so everything about a tile is found once for its column and once for
//! its row. [`Axis::Columns`] and [`Axis::Rows`] differ only in which of each pair of sizes they look at.

use super::stack::Stack;
use crate::workload::{Dim, Network, unique_extent};

/// Which of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// X: tile widths.
    Columns,
    /// Y: tile heights.
    Rows,
}

/// One column (or row) of tiles: how many columns (rows) of each map it concerns. Indexed by stack node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Strip {
    /// Columns of its output that each node computes; an input of the stack fetches them.
    pub computed: Vec<u64>,
    /// Columns of each node's input window that exist, cached ones included.
    pub needed: Vec<u64>,
    /// Of these, what an earlier tile computed, if that is cached; for each of the node's inputs.
    pub cached: Vec<[u64; 2]>,
    /// The same for each input whatever the place of the tile: what neighbouring tiles share.
    pub overlap: Vec<[u64; 2]>,
    /// Columns of each node's output that the next tile needs again.
    pub to_cache: Vec<u64>,
    /// Of these, the ones that this tile has to write to the cache.
    pub written: Vec<u64>,
}

/// Neighbouring strips that behave the same, with where they lie on the stack's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// First column of the first strip.
    pub start: u64,
    /// Columns of each.
    pub size: u64,
    /// How many.
    pub count: u64,
    /// What they concern, with the storing mode's own caching.
    pub strip: usize,
}

/// All strips of one axis.
#[derive(Debug, Clone, Default)]
pub struct Strips {
    /// The different strips: with the caching that the mode has, and with caching assumed.
    pub different: Vec<(Strip, Strip)>,
    /// The runs from left to right; the first strip is always a run of its own.
    pub runs: Vec<Run>,
}

/// The geometry of one layer's window along an axis.
#[derive(Debug, Clone, Copy)]
struct Window {
    kernel: u64,
    stride: u64,
    dilation: u64,
    padding: u64,
    input_size: u64,
}

impl Window {
    /// First and last (exclusive) existing input column that the outputs `start..end` read.
    ///
    /// With dilation the outermost column may belong to an output further inside, as at the border some taps fall into
    /// the padding; only the first and last `dilation` outputs come into question.
    fn reach(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let last_tap = self.dilation * (self.kernel - 1);
        let first_of = |output: u64| {
            let at = output * self.stride;
            let skipped = self.padding.saturating_sub(at).next_multiple_of(self.dilation);
            (skipped <= last_tap).then(|| at + skipped - self.padding).filter(|&column| column < self.input_size)
        };
        let last_of = |output: u64| {
            let reach = (output * self.stride + last_tap).checked_sub(self.padding)?;
            let beyond = (reach + 1).saturating_sub(self.input_size).next_multiple_of(self.dilation);
            (beyond <= last_tap).then(|| reach.checked_sub(beyond)).flatten()
        };
        let first = (start..end.min(start + self.dilation)).filter_map(first_of).min();
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

    fn window(self, network: &Network, stack: &Stack, node: usize) -> Window {
        let layer = network.layer(stack.nodes[node]);
        let shape = &layer.shape;
        Window {
            kernel: shape.size(self.of((Dim::FX, Dim::FY))),
            stride: self.of(shape.stride),
            dilation: self.of(shape.dilation),
            padding: self.of((layer.padding.left, layer.padding.top)),
            input_size: self.of(layer.input_size),
        }
    }

    /// Columns (rows) of a node's whole output map.
    pub fn map_size(self, network: &Network, stack: &Stack, node: usize) -> u64 {
        network.layer(stack.nodes[node]).shape.size(self.of((Dim::OX, Dim::OY)))
    }

    /// Columns (rows) of a node's whole input map.
    pub fn input_size(self, network: &Network, stack: &Stack, node: usize) -> u64 {
        self.of(network.layer(stack.nodes[node]).input_size)
    }

    /// All strips for tiles of `tile` columns: what is left over by the division comes first.
    ///
    /// `borders` tracks the intervals themselves, with padding and the map's real borders; without it, only extents and
    /// lags are tracked, as the tool does.
    pub fn strips(self, network: &Network, stack: &Stack, tile: u64, caches: bool, borders: bool) -> Strips {
        let total = self.map_size(network, stack, stack.output());
        let tile = tile.clamp(1, total);
        let first = if total.is_multiple_of(tile) { tile } else { total % tile };
        if borders {
            self.exact(network, stack, first, tile, caches)
        } else {
            self.by_extents(network, stack, first, tile, caches)
        }
    }

    fn by_extents(self, network: &Network, stack: &Stack, first: u64, tile: u64, caches: bool) -> Strips {
        let total = self.map_size(network, stack, stack.output());
        let both = |size, is_first| {
            let strip = |caches: bool| self.strip_by_extents(network, stack, size, is_first, caches);
            (strip(caches), strip(true))
        };
        let mut strips = Strips { different: vec![both(first, true)], runs: Vec::new() };
        strips.runs.push(Run { start: 0, size: first, count: 1, strip: 0 });
        if first < total {
            strips.different.push(both(tile, false));
            strips.runs.push(Run { start: first, size: tile, count: (total - first) / tile, strip: 1 });
        }
        strips
    }

    /// DeFiNES tool, DepthFirstStage.py:112-268: extents and lags of a tile in the middle of an endless map.
    fn strip_by_extents(self, network: &Network, stack: &Stack, size: u64, is_first: bool, caches: bool) -> Strip {
        let count = stack.nodes.len();
        let mut strip = Strip {
            computed: vec![0; count],
            needed: vec![0; count],
            cached: vec![[0; 2]; count],
            overlap: vec![[0; 2]; count],
            to_cache: vec![0; count],
            written: vec![0; count],
        };
        let mut steps = vec![LagStep::default(); count];
        strip.computed[stack.output()] = size;
        for node in (stack.input_count..count).rev() {
            let window = self.window(network, stack, node);
            let outputs = strip.computed[node];
            let extent = unique_extent(outputs as f64, window.kernel as f64, window.stride, window.dilation) as u64;
            let needed = extent.min(window.input_size);
            let overlap = needed.saturating_sub(outputs * window.stride);
            strip.needed[node] = needed;
            strip.overlap[node] = [overlap; 2];
            strip.cached[node] = [if is_first || !caches { 0 } else { overlap }; 2];
            let stride = window.stride as i64;
            let beyond = needed as i64 - outputs as i64 * stride + stride - 1;
            steps[node] = LagStep { stride, shift: overlap as i64 - beyond.div_euclid(2), overlap: overlap as i64 };
            let fetched = if caches && !is_first { needed - overlap } else { needed };
            for &producer in &stack.producers[node] {
                strip.computed[producer] = strip.computed[producer].max(fetched);
            }
        }
        if caches {
            for (node, readers) in lags(stack, &steps).iter().enumerate() {
                let furthest_ahead = readers.iter().map(|(_, lag)| *lag).max().unwrap_or(0);
                let furthest_back = readers.iter().map(|(reader, lag)| lag - steps[*reader].overlap).min().unwrap_or(0);
                strip.to_cache[node] = (furthest_ahead - furthest_back) as u64;
                strip.written[node] =
                    if is_first { strip.to_cache[node] } else { strip.to_cache[node].min(strip.computed[node]) };
            }
        }
        strip
    }

    /// Tracks which columns of every map each strip needs, computes and keeps.
    fn exact(self, network: &Network, stack: &Stack, first: u64, tile: u64, caches: bool) -> Strips {
        let total = self.map_size(network, stack, stack.output());
        let count = stack.nodes.len();
        let mut spans: Vec<Spans> = Vec::new();
        let mut have = vec![0; count];
        let mut start = 0;
        while start < total {
            let end = if start == 0 { first } else { start + tile };
            let next = self.spans(network, stack, (start, end), &have, caches);
            if caches {
                for (have, computed) in have.iter_mut().zip(&next.computed) {
                    *have = computed.1.max(*have);
                }
            }
            spans.push(next);
            start = end;
        }
        let mut ordered: Vec<(u64, Strip)> = Vec::with_capacity(spans.len());
        // What is needed again is known from the end: the first column of each map that any later strip reads.
        let mut needed_later = vec![u64::MAX; count];
        for (index, now) in spans.iter().enumerate().rev() {
            ordered.push((if index == 0 { first } else { tile }, now.strip(stack, &needed_later, caches)));
            for node in stack.input_count..count {
                if now.needed[node].1 > now.needed[node].0 {
                    for &producer in &stack.producers[node] {
                        needed_later[producer] = needed_later[producer].min(now.needed[node].0);
                    }
                }
            }
        }
        let mut strips = Strips::default();
        let mut start = 0;
        for (index, (size, strip)) in ordered.into_iter().rev().enumerate() {
            let known = strips.different.iter().position(|(known, _)| *known == strip);
            let strip = known.unwrap_or_else(|| {
                strips.different.push((strip.clone(), strip));
                strips.different.len() - 1
            });
            match strips.runs.last_mut() {
                Some(run) if run.strip == strip && run.size == size && index > 1 => run.count += 1,
                _ => strips.runs.push(Run { start, size, count: 1, strip }),
            }
            start += size;
        }
        strips
    }

    fn spans(self, network: &Network, stack: &Stack, output: (u64, u64), have: &[u64], caches: bool) -> Spans {
        let count = stack.nodes.len();
        let mut wanted: Vec<Option<(u64, u64)>> = vec![None; count];
        let mut spans = Spans { computed: vec![(0, 0); count], needed: vec![(0, 0); count], had: have.to_vec() };
        wanted[stack.output()] = Some(output);
        for node in (0..count).rev() {
            let (start, end) = wanted[node].unwrap_or((0, 0));
            let start = if caches { start.max(have[node]).min(end) } else { start };
            spans.computed[node] = (start, end);
            if stack.is_input(node) || start == end {
                continue;
            }
            let window = self.window(network, stack, node);
            let Some(needed) = window.reach(start, end) else { continue };
            spans.needed[node] = needed;
            for &producer in &stack.producers[node] {
                let union = |(a, b): (u64, u64)| (a.min(needed.0), b.max(needed.1));
                wanted[producer] = Some(wanted[producer].map_or(needed, union));
            }
        }
        spans
    }
}

/// Intervals of one strip, in columns of each map, end exclusive.
#[derive(Debug, Clone)]
struct Spans {
    computed: Vec<(u64, u64)>,
    needed: Vec<(u64, u64)>,
    had: Vec<u64>,
}

impl Spans {
    fn strip(&self, stack: &Stack, needed_later: &[u64], caches: bool) -> Strip {
        let length = |(start, end): (u64, u64)| end - start;
        let count = self.computed.len();
        let mut strip = Strip {
            computed: self.computed.iter().copied().map(length).collect(),
            needed: self.needed.iter().copied().map(length).collect(),
            cached: vec![[0; 2]; count],
            overlap: vec![[0; 2]; count],
            to_cache: vec![0; count],
            written: vec![0; count],
        };
        if !caches {
            return strip;
        }
        for (node, &later) in needed_later.iter().enumerate() {
            let (start, end) = self.needed[node];
            for (cached, &producer) in strip.cached[node].iter_mut().zip(&stack.producers[node]) {
                *cached = self.had[producer].clamp(start, end) - start;
            }
            strip.overlap[node] = strip.cached[node];
            let have = self.computed[node].1.max(self.had[node]);
            strip.to_cache[node] = have.saturating_sub(later);
            strip.written[node] = have.saturating_sub(later.max(self.had[node]));
        }
        strip
    }
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
fn lags(stack: &Stack, steps: &[LagStep]) -> Vec<Vec<(usize, i64)>> {
    let mut lags: Vec<Vec<(usize, i64)>> = vec![Vec::new(); stack.nodes.len()];
    let mut visit = |node: usize, lag: i64, planned: &mut Vec<(usize, i64)>| {
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
            let mut lag_of = vec![0; stack.nodes.len()];
            for node in (0..stack.nodes.len()).rev() {
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
