//! The points of a sweep as grids of tile sizes, and the heatmaps that show them.

use crate::app::workers::results::{PointState, SweepResults};
use crate::chart::{BestCell, Heatmap, HeatmapCell, Quantity, Ramp, Window};
use crate::depth_first::{FuseDepth, StoringMode};
use crate::explore::coarsest_step;
use crate::state::Metric;
use crate::ties::{self, Figures, TilePlace};
use std::collections::HashSet;
use std::rc::Rc;

/// The grid of tile sizes of one storing mode; of a large one, the window that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepGrid {
    pub mode: StoringMode,
    /// Tile widths of the whole grid, in columns of pixels.
    pub widths: Rc<Vec<u64>>,
    /// Tile heights of the whole grid, in rows of pixels.
    pub heights: Rc<Vec<u64>>,
    /// The part that is shown.
    pub window: Window,
    /// Index of its first point in the sweep.
    first: u32,
}

impl SweepGrid {
    /// Number of columns and rows of the whole grid.
    pub fn size(&self) -> (usize, usize) {
        (self.widths.len(), self.heights.len())
    }

    /// Index in the sweep of the point of a cell.
    pub fn point(&self, (column, row): (usize, usize)) -> u32 {
        self.first + (row * self.widths.len() + column) as u32
    }

    /// The cell of the whole grid at a position in the window.
    pub fn cell(&self, (column, row): (usize, usize)) -> (usize, usize) {
        (self.window.columns.0 + column, self.window.rows.0 + row)
    }

    /// The cell of a point; `None` if this grid does not contain it.
    pub fn place(&self, point: u32) -> Option<(usize, usize)> {
        let index = point.checked_sub(self.first)? as usize;
        let (row, column) = (index / self.widths.len(), index % self.widths.len());
        (row < self.heights.len()).then_some((column, row))
    }

    /// The figures and the place by which a cell is compared with others by a metric, once its point is known.
    pub fn judged(&self, cell: (usize, usize), results: &SweepResults, metric: Metric) -> Option<(Figures, TilePlace)> {
        let summary = results.summary(self.point(cell))?;
        let figures = metric.quantity().figures(metric.of(summary), summary);
        Some((figures, TilePlace::new((self.widths[cell.0], self.heights[cell.1]), self.mode)))
    }

    /// The widths or heights inside the window.
    pub fn shown<'a>(&self, sizes: &'a [u64], (start, end): (usize, usize)) -> &'a [u64] {
        sizes.get(start..end).unwrap_or_default()
    }
}

/// One grid per storing mode, in the order of the sweep; none for a sweep without tiles.
pub fn grids(results: &SweepResults) -> Vec<SweepGrid> {
    let Some(settings) = results.requests.first().map(|request| &request.settings) else { return Vec::new() };
    if settings.fuse.contains(&FuseDepth::LayerByLayer) {
        return Vec::new();
    }
    let (widths, heights) = (Rc::new(settings.tiles_x.clone()), Rc::new(settings.tiles_y.clone()));
    let size = (widths.len(), heights.len());
    let grid = |(index, &mode): (usize, &StoringMode)| SweepGrid {
        mode,
        widths: Rc::clone(&widths),
        heights: Rc::clone(&heights),
        window: Window::whole(size),
        first: (index * size.0 * size.1) as u32,
    };
    settings.modes.iter().enumerate().map(grid).collect()
}

/// The state of a cell: while it is not computed, the cost of the nearest point on a coarser grid.
fn cell(
    grid: &SweepGrid,
    results: &SweepResults,
    metric: Metric,
    pareto: &HashSet<u32>,
    at: (usize, usize),
) -> HeatmapCell {
    let point = grid.point(at);
    match results.points.get(point as usize) {
        Some(PointState::Done(summary)) => {
            HeatmapCell::Value { value: metric.of(summary), pareto: pareto.contains(&point) }
        }
        Some(PointState::Infeasible(_) | PointState::Failed(_)) => HeatmapCell::Infeasible,
        _ => {
            let coarsest = coarsest_step(grid.widths.len(), grid.heights.len());
            let steps = (1..).map(|power| 1 << power).take_while(|step| *step <= coarsest);
            let coarser = |step: usize| results.summary(grid.point((at.0 - at.0 % step, at.1 - at.1 % step)));
            steps
                .into_iter()
                .find_map(coarser)
                .map_or(HeatmapCell::Pending, |summary| HeatmapCell::Estimate(metric.of(summary)))
        }
    }
}

/// The heatmap of a grid.
pub fn heatmap(grid: &SweepGrid, results: &SweepResults, metric: Metric, pareto: &HashSet<u32>) -> Heatmap {
    let (columns, rows) = (grid.window.columns, grid.window.rows);
    let cells = (rows.0..rows.1).flat_map(|row| (columns.0..columns.1).map(move |column| (column, row)));
    // The best of the whole grid, also outside of the window.
    let all = (0..grid.widths.len() * grid.heights.len()).filter_map(|index| {
        let cell = (index % grid.widths.len(), index / grid.widths.len());
        Some((cell, grid.judged(cell, results, metric)?))
    });
    let best = ties::best(all, |(_, judged)| *judged).and_then(|(cell, _)| grid.window.place(cell));
    Heatmap {
        quantity: metric.quantity(),
        title: grid.mode.title().to_owned(),
        widths: grid.shown(&grid.widths, columns).to_vec(),
        heights: grid.shown(&grid.heights, rows).to_vec(),
        cells: cells.map(|at| cell(grid, results, metric, pareto, at)).collect(),
        range: None,
        selected: None,
        best: BestCell::At(best),
        contours: Vec::new(),
        ramp: Ramp::default(),
    }
}

/// The ratio of the cost of B to the cost of A, per storing mode that both sweep over the same tile sizes.
pub fn ratios(a: &SweepResults, b: &SweepResults, metric: Metric) -> Vec<Heatmap> {
    let ratio = |(a_grid, b_grid): (&SweepGrid, &SweepGrid)| {
        let (columns, rows) = b_grid.size();
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cell = |at: (usize, usize)| {
            let point = |results: &SweepResults, grid: &SweepGrid| cell(grid, results, metric, &HashSet::new(), at);
            match (point(a, a_grid), point(b, b_grid)) {
                (HeatmapCell::Value { value: a, .. }, HeatmapCell::Value { value: b, .. }) if a > 0.0 => {
                    HeatmapCell::Value { value: b / a, pareto: false }
                }
                (HeatmapCell::Infeasible, _) | (_, HeatmapCell::Infeasible) => HeatmapCell::Infeasible,
                _ => HeatmapCell::Pending,
            }
        };
        Heatmap {
            quantity: Quantity::Factor,
            cells: all.map(cell).collect(),
            best: BestCell::OfCells,
            ramp: Ramp::Diverging,
            ..heatmap(b_grid, b, metric, &HashSet::new())
        }
    };
    let (a_grids, b_grids) = (grids(a), grids(b));
    let alike = |(a, b): &(&SweepGrid, &SweepGrid)| a.mode == b.mode && a.widths == b.widths && a.heights == b.heights;
    let pairs = b_grids.iter().filter_map(|b| Some((a_grids.iter().find(|a| a.mode == b.mode)?, b)));
    let mut maps: Vec<Heatmap> = pairs.filter(alike).map(ratio).collect();
    if let Some((low, high)) = Heatmap::shared_range(&maps) {
        // Symmetric on the logarithmic scale, so that its middle is 1.
        let most = high.max(1.0 / low).max(1.01);
        maps.iter_mut().for_each(|map| map.range = Some((1.0 / most, most)));
    }
    maps
}

/// The metrics that a sweep has for every point.
pub fn offered(results: &SweepResults) -> Vec<Metric> {
    results.requests.first().map_or_else(Vec::new, |request| Metric::offered(&request.settings.objective))
}
