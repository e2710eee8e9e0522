//! Strips by extents and lags, as the DeFiNES tool finds them.

use super::super::ids::{NodeId, ReadId};
use super::super::stack::Stack;
use super::TileAxis;
use super::intervals::{ReadPlace, StripPlaces};
use super::strips::{EqualStrips, NodeSpan, ReadSpan, Strip, Strips};
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::workload::{Network, unique_extent};

impl TileAxis {
    /// The places of a strip by extents that begins at column `start` of the output: from the output back, every node
    /// ends where the reads of its readers end.
    pub(super) fn places_by_extents(self, network: &Network, stack: &Stack, start: u64, strip: &Strip) -> StripPlaces {
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
    pub(super) fn by_extents(self, network: &Network, stack: &Stack, first: u64, tile: u64, caches: bool) -> Strips {
        let total = self.map_size(network, stack, stack.output());
        let both = |size, is_first| {
            let strip = |caches: bool| self.strip_by_extents(network, stack, size, is_first, caches);
            (strip(caches), strip(true))
        };
        let mut different = TiVec::new();
        let strip = different.push_and_get_key(both(first, true));
        let mut runs = vec![EqualStrips { start: 0, size: first, count: 1, strip }];
        if first < total {
            let strip = different.push_and_get_key(both(tile, false));
            runs.push(EqualStrips { start: first, size: tile, count: (total - first) / tile, strip });
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
