//! The part of a map that one tile computes or reads, by the source of its pixels.

use super::{StackTrace, StripTrace, TraceSpan};
use crate::depth_first::ids::{NodeId, ReadId};

/// Pixels of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rect {
    /// Columns, from the left.
    pub columns: TraceSpan,
    /// Rows, from the top.
    pub rows: TraceSpan,
}

impl Rect {
    /// Number of pixels.
    pub fn pixels(self) -> u64 {
        self.columns.length() * self.rows.length()
    }
}

/// The pixels of one map that one tile computes and reads. Every pixel of the window lies in at most one part: kept
/// from the left, kept from above, or computed, which is either new or computed again after an earlier tile. A pixel in
/// no part is read later, or by no layer at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MapWindow {
    /// The smallest rectangle around all of the following parts.
    pub window: Rect,
    /// Pixels computed now (or fetched): `new` and `again`.
    pub computed: Rect,
    /// Pixels that no earlier tile computed.
    pub new: Rect,
    /// Pixels that an earlier tile computed as well: columns at the left over all computed rows, then rows at the top
    /// beside these.
    pub again: [Rect; 2],
    /// Columns that the horizontal cache has kept.
    pub kept_left: Rect,
    /// Rows that the vertical cache has kept, without those of the horizontal one.
    pub kept_above: Rect,
}

impl MapWindow {
    /// Pixels that are computed again.
    pub fn again_pixels(&self) -> u64 {
        self.again.iter().map(|part| part.pixels()).sum()
    }
}

impl StackTrace {
    /// The window of a tile on the map of a node; `None` where there is no such tile or node.
    pub fn window(&self, tile: u64, node: NodeId) -> Option<MapWindow> {
        let (column, row) = self.strips_of(tile)?;
        let (x, y) = (self.along(column, node)?, self.along(row, node)?);
        let of = |columns: TraceSpan, rows: TraceSpan| Rect { columns, rows };
        let kept_rows = TraceSpan { first: x.kept.end, end: x.window.end };
        Some(MapWindow {
            window: of(x.window, y.window),
            computed: of(x.computed, y.computed),
            new: of(x.fresh(), y.fresh()),
            again: [of(x.again(), y.computed), of(x.fresh(), y.again())],
            kept_left: of(x.kept, y.read),
            kept_above: of(kept_rows, y.kept),
        })
    }

    fn along(&self, strip: &StripTrace, node: NodeId) -> Option<WindowAlong> {
        let computed = *strip.computed.get(node)?;
        let of_node = |(read, span): (ReadId, &TraceSpan)| {
            let is_it = self.reads.get(read).is_some_and(|read| read.producer == node) && span.length() > 0;
            is_it.then(|| (*span, strip.cached.get(read).copied().unwrap_or_default()))
        };
        let reads = || strip.read.iter_enumerated().filter_map(of_node);
        let read = hull(reads().map(|(span, _)| span)).unwrap_or_default();
        let kept_end = reads().filter(|(_, cached)| *cached > 0).map(|(span, cached)| span.first + cached).max();
        let kept = TraceSpan { first: read.first, end: kept_end.unwrap_or(read.first) };
        let window = hull([read, computed].into_iter().filter(|span| span.length() > 0)).unwrap_or(computed);
        Some(WindowAlong { window, read, kept, computed, before: strip.before.get(node).copied().unwrap_or_default() })
    }
}

/// A window along one axis.
struct WindowAlong {
    window: TraceSpan,
    read: TraceSpan,
    kept: TraceSpan,
    computed: TraceSpan,
    before: u64,
}

impl WindowAlong {
    fn seam(&self) -> u64 {
        self.before.clamp(self.computed.first, self.computed.end.max(self.computed.first))
    }

    fn again(&self) -> TraceSpan {
        TraceSpan { first: self.computed.first, end: self.seam() }
    }

    fn fresh(&self) -> TraceSpan {
        TraceSpan { first: self.seam(), end: self.computed.end }
    }
}

/// The smallest span around all of them.
fn hull(spans: impl Iterator<Item = TraceSpan>) -> Option<TraceSpan> {
    spans.reduce(|a, b| TraceSpan { first: a.first.min(b.first), end: a.end.max(b.end) })
}
