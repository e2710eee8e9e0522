//! Dependencies between tiles: for each tile, those that compute the data that it reads. As tiles form a grid, pieces
//! that overlap are found for each axis separately, and combined.

use super::ids::TileNumber;
use super::nest::{AccessFunction, AxisExpression, LoopNest, LoopRanges};
use super::rules::TilingRules;
use super::tiling::{AxisPieces, TileGrid, TilePosition};
use crate::workload::Dim;
use std::ops::Range;

/// The tiles of a layer that complete its output, as pieces of each axis of the output.
pub struct Producers {
    axes: Vec<AxisCells>,
    /// The amount that the last pieces of all reducing loops add to a tile's number.
    place: TileNumber,
}

/// The pieces of an axis.
struct AxisCells {
    cells: Vec<AxisCell>,
    /// Whether each ends where the next one begins, or before.
    is_sorted: bool,
    /// Steps of the inner loop along the axis, where there are two.
    inner_steps: i64,
}

/// A piece of an axis.
struct AxisCell {
    places: AxisRuns,
    /// From the first to behind the last of its places.
    hull: Range<i64>,
    /// The amount that it adds to a tile's number.
    number: TileNumber,
}

/// Elements of an axis that part of the loops touches: the same runs for each step of an outer loop.
#[derive(Debug, Clone)]
struct AxisRuns {
    outer: Range<i64>,
    stride: i64,
    runs: Vec<Range<i64>>,
}

impl AxisRuns {
    /// The elements that part of the loops touches along an axis.
    fn of(axis: &AxisExpression, part: &LoopRanges) -> Self {
        let range = |dim: Dim| part[dim as usize].start as i64..part[dim as usize].end as i64;
        let (outer, stride, inner) = match axis.terms[..] {
            [] => (0..1, 0, None),
            [(dim, 1)] => (0..1, 0, Some((dim, 1))),
            [(dim, stride)] => (range(dim), stride as i64, None),
            [(dim, stride), inner, ..] => (range(dim), stride as i64, Some(inner)),
        };
        let run = |steps: Range<i64>| steps.start + axis.offset..steps.end + axis.offset;
        let runs = match inner {
            None => vec![run(0..1)],
            Some((dim, 1)) => vec![run(range(dim))],
            Some((dim, dilation)) => {
                range(dim).map(|step| step * dilation as i64).map(|place| run(place..place + 1)).collect()
            }
        };
        Self { outer, stride, runs }
    }

    fn hull(&self) -> Range<i64> {
        let first = self.runs.first().map_or(0, |run| run.start) + self.outer.start * self.stride;
        let last = self.runs.last().map_or(0, |run| run.end) + (self.outer.end - 1) * self.stride;
        first..last
    }

    fn meets(&self, other: &Self) -> bool {
        let mut mine = self.outer.clone().flat_map(|step| {
            self.runs.iter().map(move |run| run.start + step * self.stride..run.end + step * self.stride)
        });
        mine.any(|run| other.meets_run(&run))
    }

    fn meets_run(&self, wanted: &Range<i64>) -> bool {
        self.runs.iter().any(|run| {
            if self.stride == 0 {
                return run.start < wanted.end && wanted.start < run.end;
            }
            // step * stride + run.start < wanted.end, and wanted.start < step * stride + run.end.
            let last = (wanted.end - run.start - 1).div_euclid(self.stride);
            let first = (wanted.start - run.end).div_euclid(self.stride) + 1;
            first.max(self.outer.start) <= last.min(self.outer.end - 1)
        })
    }
}

impl Producers {
    /// The tiles of a grid.
    pub fn new(nest: &LoopNest, grid: &TileGrid) -> Self {
        let reducing = nest.reducing().into_iter();
        let place = reducing.map(|dim| grid.places[dim as usize].last().copied().unwrap_or_default()).sum();
        Self { axes: nest.output.axes.iter().map(|axis| AxisCells::new(axis, nest, grid)).collect(), place }
    }
}

impl AxisCells {
    fn new(axis: &AxisExpression, nest: &LoopNest, grid: &TileGrid) -> Self {
        let along = AxisPieces::new(axis, grid);
        let cells = along.positions().map(|position| {
            let places = AxisRuns::of(axis, &grid.part(&position));
            let number = axis.terms.iter().map(|(dim, _)| grid.places[*dim as usize][position[*dim as usize] as usize]);
            AxisCell { hull: places.hull(), places, number: number.sum() }
        });
        let cells: Vec<AxisCell> = cells.collect();
        let is_sorted = cells.windows(2).all(|pair| pair[0].hull.end <= pair[1].hull.start);
        let inner_steps = axis.terms.get(1).map_or(1, |term| nest.size(term.0)) as i64;
        Self { cells, is_sorted, inner_steps }
    }

    /// The cells that may have elements between two places.
    fn between(&self, hull: &Range<i64>) -> &[AxisCell] {
        if !self.is_sorted {
            return &self.cells;
        }
        let first = self.cells.partition_point(|cell| cell.hull.end <= hull.start);
        let last = self.cells.partition_point(|cell| cell.hull.start < hull.end).max(first);
        &self.cells[first..last]
    }

    /// The amounts that cells with any of these places add to a tile's number.
    fn meeting(&self, wanted: &AxisRuns) -> Vec<TileNumber> {
        let cells = self.between(&wanted.hull()).iter();
        cells.filter(|cell| cell.places.meets(wanted)).map(|cell| cell.number).collect()
    }

    /// The cells as the tool finds them: by bounding boxes, which for grouped channels begin too low.
    fn meeting_box(&self, axis: &AxisExpression, nest: &LoopNest, part: &LoopRanges) -> Vec<TileNumber> {
        let wanted = axis.span(part);
        let is_grouped = |axis: &AxisExpression| axis.terms.len() > 1 && is_channel(axis);
        let start = |places: &AxisRuns| places.outer.start + places.runs.first().map_or(0, |run| run.start);
        let (first, last) = if is_grouped(axis) {
            let [outer, inner] = [0, 1].map(|term| {
                let dim = axis.terms[term].0;
                part[dim as usize].start as i64..part[dim as usize].end as i64
            });
            let steps = nest.size(axis.terms[1].0) as i64;
            (outer.start + inner.start, (outer.end - 1) * steps + inner.end - 1)
        } else {
            (wanted.start, wanted.end - 1)
        };
        let meets = |cell: &&AxisCell| {
            let places = &cell.places;
            if places.stride == 0 {
                return cell.hull.start <= last && cell.hull.end > first;
            }
            let end = (places.outer.end - 1) * self.inner_steps + places.runs.last().map_or(0, |run| run.end) - 1;
            start(places) <= last && end >= first
        };
        let is_strided = self.cells.first().is_some_and(|cell| cell.places.stride != 0);
        let cells = if is_strided { &self.cells } else { self.between(&(first..last + 1)) };
        cells.iter().filter(meets).map(|cell| cell.number).collect()
    }
}

/// The tiles of its source that each tile of a layer depends on, for one input.
pub struct LayerDependencies {
    axes: Vec<Along>,
    place: TileNumber,
}

/// Along an axis of the source.
struct Along {
    /// The pieces of the tiles that read; `None`: all of them read all of the axis.
    pieces: Option<AxisPieces>,
    /// For each piece, the amounts that the cells of the source which it meets add to a tile's number.
    meetings: Vec<Vec<TileNumber>>,
}

impl Along {
    fn at(&self, position: &TilePosition) -> &[TileNumber] {
        &self.meetings[self.pieces.as_ref().map_or(0, |pieces| pieces.index(position))]
    }
}

impl LayerDependencies {
    /// The dependencies of one input of a layer; an input without axes is read as a whole.
    pub fn new(
        producers: &Producers,
        (reader, grid): (&LoopNest, &TileGrid),
        input: &AccessFunction,
        rules: TilingRules,
    ) -> Self {
        if input.axes.is_empty() {
            let all = |cells: &AxisCells| cells.cells.iter().map(|cell| cell.number).collect();
            let along = |cells: &AxisCells| Along { pieces: None, meetings: vec![all(cells)] };
            return Self { axes: producers.axes.iter().map(along).collect(), place: producers.place };
        }
        let axis = |(axis, cells): (&AxisExpression, &AxisCells)| {
            let along = AxisPieces::new(axis, grid);
            let meeting = |position: TilePosition| {
                let part = grid.part(&position);
                match rules.compares_boxes {
                    true => cells.meeting_box(axis, reader, &part),
                    false => cells.meeting(&AxisRuns::of(axis, &part)),
                }
            };
            let meetings = along.positions().map(meeting).collect();
            Along { pieces: Some(along), meetings }
        };
        Self { axes: input.axes.iter().zip(&producers.axes).map(axis).collect(), place: producers.place }
    }

    /// Number of tiles of the source for which all tiles of the layer wait.
    pub fn count(&self, grid: &TileGrid) -> u64 {
        let met = |along: &Along| along.meetings.iter().map(|meeting| meeting.len() as u64).sum();
        let pieces = self.axes.iter().filter_map(|along| along.pieces.as_ref());
        let combinations: u64 = pieces.map(|pieces| pieces.count() as u64).product();
        let beside = grid.count as u64 / combinations.max(1);
        self.axes.iter().map(met).fold(beside, u64::saturating_mul)
    }

    /// Lists the tiles of the source that compute some of the elements that a tile reads, lowest first.
    pub fn list(&self, position: &TilePosition, numbers: &mut Vec<TileNumber>) {
        numbers.clear();
        numbers.push(self.place);
        for along in &self.axes {
            let Some((&first, others)) = along.at(position).split_first() else { return numbers.clear() };
            let before = numbers.len();
            for &place in others {
                numbers.extend_from_within(..before);
                let from = numbers.len() - before;
                numbers[from..].iter_mut().for_each(|number| *number += place);
            }
            numbers[..before].iter_mut().for_each(|number| *number += first);
        }
        numbers.sort_unstable();
    }
}

/// Whether an axis is of channels, along which a group and a channel within it move.
fn is_channel(axis: &AxisExpression) -> bool {
    axis.terms.iter().all(|(dim, _)| matches!(dim, Dim::G | Dim::C | Dim::K))
}
