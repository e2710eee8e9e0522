//! Which tiles compute what another reads. Tiles are cut in a grid, so that for each axis alone it is known which pieces overlap.

use super::nest::{Access, Axis, LoopNest, Part};
use super::rules::TilingRules;
use super::tiling::Grid;
use crate::workload::Dim;
use std::ops::Range;

/// The tiles of a layer that complete its output, by where they lie in it.
pub struct Producers<'a> {
    nest: &'a LoopNest,
    /// For each axis of the output its cells.
    axes: Vec<Vec<Cell>>,
    /// What the last pieces of all loops that reduce add to a tile's number.
    place: usize,
}

/// A piece of an axis.
struct Cell {
    /// The outer loop along the axis, and the inner one, which goes from end to end `stride` times.
    outer: Range<i64>,
    inner: Range<i64>,
    stride: i64,
    /// What it adds to a tile's number.
    place: usize,
}

impl<'a> Producers<'a> {
    /// The tiles of a grid.
    pub fn new(nest: &'a LoopNest, grid: &Grid) -> Self {
        let reducing = Dim::ALL.into_iter().filter(|&dim| !nest.output.is_relevant(dim));
        let place = reducing.map(|dim| grid.places[dim as usize].last().copied().unwrap_or(0)).sum();
        Self { nest, axes: nest.output.axes.iter().map(|axis| cells(axis, grid)).collect(), place }
    }
}

/// The cells of an axis along which one loop moves, or two, of which the outer one steps over all of the inner one.
fn cells(axis: &Axis, grid: &Grid) -> Vec<Cell> {
    let pieces = |dim: Dim| {
        let (pieces, places) = (&grid.pieces[dim as usize], &grid.places[dim as usize]);
        pieces.iter().map(|piece| piece.start as i64..piece.end as i64).zip(places.iter().copied())
    };
    match axis.terms[..] {
        [] => vec![Cell { outer: 0..1, inner: 0..1, stride: 1, place: 0 }],
        [(dim, _)] => pieces(dim).map(|(inner, place)| Cell { outer: 0..1, inner, stride: 0, place }).collect(),
        [(outer_dim, stride), (inner_dim, _), ..] => pieces(outer_dim)
            .flat_map(|(outer, place)| {
                pieces(inner_dim).map(move |(inner, inner_place)| Cell {
                    outer: outer.clone(),
                    inner,
                    stride: stride as i64,
                    place: place + inner_place,
                })
            })
            .collect(),
    }
}

/// The numbers of those tiles of the source that compute something of what part of a layer's loops reads, lowest first.
pub fn overlapping(
    producers: &Producers<'_>,
    reader: &LoopNest,
    input: &Access,
    part: &Part,
    rules: TilingRules,
) -> Vec<usize> {
    let mut numbers = vec![producers.place];
    for (axis, (cells, theirs)) in input.axes.iter().zip(producers.axes.iter().zip(&producers.nest.output.axes)) {
        let wanted = Wanted::new(axis, part);
        let span = axis.span(part);
        let merged = |cell: &Cell| {
            let inner = theirs.terms.last().map_or(1, |term| producers.nest.size(term.0)) as i64;
            let ours = tool_span(axis, reader, part);
            let outer = if cell.stride == 0 { 0 } else { 1 };
            let low = outer * cell.outer.start + cell.inner.start;
            let high = outer * (cell.outer.end - 1) * inner + cell.inner.end - 1;
            low <= ours.1 && high >= ours.0
        };
        let meets = |cell: &&Cell| {
            let is_plain = cell.stride == 0 && wanted.outer.end - wanted.outer.start == 1 && axis.terms.len() < 2;
            match () {
                () if rules.merges_groups && !is_plain && is_channel(axis) => merged(cell),
                () if cell.stride == 0 && axis.terms.len() < 2 => {
                    cell.inner.start < span.end && span.start < cell.inner.end
                }
                () if is_channel(axis) => wanted.meets(cell),
                () => cell.inner.start < span.end && span.start < cell.inner.end,
            }
        };
        let places: Vec<usize> = cells.iter().filter(meets).map(|cell| cell.place).collect();
        numbers = numbers.iter().flat_map(|number| places.iter().map(move |place| number + place)).collect();
    }
    numbers.sort_unstable();
    numbers
}

/// Whether an axis is of channels, along which a group and a channel within it move.
fn is_channel(axis: &Axis) -> bool {
    axis.terms.iter().all(|(dim, _)| matches!(dim, Dim::G | Dim::C | Dim::K))
}

/// First and last channel as the tool has them: groups count too little at the beginning.
fn tool_span(axis: &Axis, nest: &LoopNest, part: &Part) -> (i64, i64) {
    let range = |dim: Dim| part[dim as usize].start as i64..part[dim as usize].end as i64;
    match axis.terms[..] {
        [(outer, _), (inner, _), ..] => {
            let (outer, inner, full) = (range(outer), range(inner), nest.size(inner) as i64);
            (outer.start + inner.start, (outer.end - 1) * full + inner.end - 1)
        }
        _ => {
            let span = axis.span(part);
            (span.start, span.end - 1)
        }
    }
}

/// Channels that are read: for each group in a range some of it.
struct Wanted {
    outer: Range<i64>,
    inner: Range<i64>,
    stride: i64,
}

impl Wanted {
    fn new(axis: &Axis, part: &Part) -> Self {
        let range = |dim: Dim| part[dim as usize].start as i64..part[dim as usize].end as i64;
        match axis.terms[..] {
            [(outer, stride), (inner, _), ..] => {
                Self { outer: range(outer), inner: range(inner), stride: stride as i64 }
            }
            [(dim, _)] => Self { outer: 0..1, inner: range(dim), stride: 0 },
            [] => Self { outer: 0..1, inner: 0..1, stride: 0 },
        }
    }

    fn meets(&self, cell: &Cell) -> bool {
        let (outer, inner) = (&cell.outer, &cell.inner);
        outer
            .clone()
            .any(|group| self.meets_interval(group * cell.stride + inner.start..group * cell.stride + inner.end))
    }

    /// Whether some group's channels lie in an interval.
    fn meets_interval(&self, interval: Range<i64>) -> bool {
        if self.stride == 0 {
            return self.inner.start < interval.end && interval.start < self.inner.end;
        }
        // group * stride + inner.start < interval.end, and interval.start < group * stride + inner.end.
        let last = (interval.end - self.inner.start - 1).div_euclid(self.stride);
        let first = (interval.start - self.inner.end).div_euclid(self.stride) + 1;
        first.max(self.outer.start) <= last.min(self.outer.end - 1)
    }
}
