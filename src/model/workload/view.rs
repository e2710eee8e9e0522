//! Views that tiles reach through: the reads of a layer, however many views lie between.
//!
//! A view moves nothing. Where each column, row and channel that it shows is one of a producer's, a window of the view is a window of the
//! producer: a join splits it, a part or padding shifts it, scaling and blocks divide it. These maps are closed under composition, so a
//! chain of views is one [`Read`] for each producer.

use super::layer::Padding;
use super::network::LayerId;
use crate::spec::MapAxis;
use std::ops::Range;

/// A view whose elements lie in an order that tiles reach through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Several maps, one after the other.
    Join(MapAxis),
    /// Channels, columns and rows from a first one up to before an end.
    Part([(u64, u64); 3]),
    /// Every column and row so many times: nearest-neighbour resizing by whole numbers.
    Scale(u64, u64),
    /// Groups of channels as blocks of columns and rows: depth to space.
    Blocks(u64, u64),
    /// The map with zeros around it.
    Padded(Padding),
}

/// Where one axis of a read lies on its producer's map: position `p`, of `from..end`, at `(p + shift) / divide`,
/// rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AxisView {
    /// First position, on the map that the reader sees, that shows this producer.
    pub from: u64,
    /// The end of these positions.
    pub end: u64,
    /// Added to a position.
    pub shift: i64,
    /// Number of times that each position of the producer is shown.
    pub divide: u64,
}

impl AxisView {
    /// A map as it is.
    fn whole(size: u64) -> Self {
        Self { from: 0, end: size, shift: 0, divide: 1 }
    }

    /// Whether positions `0..size` are those of the producer.
    pub fn is_whole(&self, size: u64) -> bool {
        *self == Self::whole(size)
    }

    /// The position on the producer's map that is shown at `position`, which is one of `from..end`.
    pub fn source(&self, position: u64) -> u64 {
        (position as i64 + self.shift).max(0) as u64 / self.divide
    }

    /// The positions on the producer's map that are shown at some of `from..end`.
    pub fn sources(&self, (first, end): (u64, u64)) -> (u64, u64) {
        if first < end { (self.source(first), self.source(end - 1) + 1) } else { (0, 0) }
    }

    /// The same shown `by` positions further on.
    fn moved(self, by: u64) -> Self {
        Self { from: self.from + by, end: self.end + by, shift: self.shift - by as i64, ..self }
    }

    /// The part between two positions, the first of which becomes 0; `None` where that shows nothing.
    fn part(self, (first, end): (u64, u64)) -> Option<Self> {
        let (from, end) = (self.from.max(first), self.end.min(end));
        let shift = self.shift + first as i64;
        (from < end).then(|| Self { from: from - first, end: end - first, shift, ..self })
    }

    /// Every position `by` times. Rounding down twice is rounding down once.
    fn scaled(self, by: u64) -> Self {
        Self { from: self.from * by, end: self.end * by, shift: self.shift * by as i64, divide: self.divide * by }
    }
}

/// The part of one producer's map that a layer reads, straight or through views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The producer of the map.
    pub layer: LayerId,
    /// Range of the producer's channels.
    pub channels: Range<u64>,
    /// Where they stand among the channels that the reader sees, each of which is [`Self::depth`] of them.
    pub at: u64,
    /// Number of the producer's channels that make one that the reader sees: more than one after depth to space.
    pub depth: u64,
    /// Where columns lie.
    pub columns: AxisView,
    /// Where rows lie.
    pub rows: AxisView,
}

/// Columns, rows and channels of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MapSize {
    pub columns: u64,
    pub rows: u64,
    pub channels: u64,
}

impl Read {
    /// All of a layer's output.
    pub(super) fn whole(layer: LayerId, size: MapSize) -> Self {
        let (columns, rows) = (AxisView::whole(size.columns), AxisView::whole(size.rows));
        Self { layer, channels: 0..size.channels, at: 0, depth: 1, columns, rows }
    }

    /// The read of a part of the shown map, if that part shows anything.
    pub(super) fn part(&self, [channels, columns, rows]: [(u64, u64); 3]) -> Option<Self> {
        let wanted = (channels.0 * self.depth, channels.1 * self.depth);
        let (first, end) = (self.at.max(wanted.0), (self.at + self.count()).min(wanted.1));
        let of_source = |channel: u64| self.channels.start + channel - self.at;
        let (columns, rows) = (self.columns.part(columns)?, self.rows.part(rows)?);
        (first < end).then(|| Self {
            layer: self.layer,
            channels: of_source(first)..of_source(end),
            at: first - wanted.0,
            depth: self.depth,
            columns,
            rows,
        })
    }

    /// Number of the producer's channels.
    pub fn count(&self) -> u64 {
        self.channels.end - self.channels.start
    }
}

impl View {
    /// The reads through a view of maps of these sizes, which show `shown`.
    pub(super) fn reads(self, shown: &[(MapSize, &[Read])]) -> Vec<Read> {
        let mut reads: Vec<Read> = Vec::new();
        let mut before = MapSize { columns: 0, rows: 0, channels: 0 };
        for (size, parts) in shown {
            reads.extend(parts.iter().filter_map(|part| self.read(part, before)));
            before.columns += size.columns;
            before.rows += size.rows;
            before.channels += size.channels;
        }
        reads
    }

    /// The read through a view that joins it behind maps of `before`.
    fn read(self, part: &Read, before: MapSize) -> Option<Read> {
        let mut read = part.clone();
        match self {
            Self::Join(MapAxis::Channels) => read.at += before.channels * read.depth,
            Self::Join(MapAxis::Columns) => read.columns = read.columns.moved(before.columns),
            Self::Join(MapAxis::Rows) => read.rows = read.rows.moved(before.rows),
            Self::Part(part) => return read.part(part),
            Self::Scale(columns, rows) => {
                read.columns = read.columns.scaled(columns);
                read.rows = read.rows.scaled(rows);
            }
            Self::Blocks(columns, rows) => {
                read.depth *= columns * rows;
                read.columns = read.columns.scaled(columns);
                read.rows = read.rows.scaled(rows);
            }
            Self::Padded(padding) => {
                read.columns = read.columns.moved(padding.left);
                read.rows = read.rows.moved(padding.top);
            }
        }
        Some(read)
    }
}
