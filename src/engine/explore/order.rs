//! The order in which the points of a sweep are evaluated, and their distribution to workers.

use super::request::Settings;
use crate::depth_first::FuseDepth;
use std::collections::VecDeque;

/// The least number of tile sizes along the longer side of the first, sparse grid.
const FIRST_GRID: usize = 8;

/// Step of the sparsest grid over tile sizes: a power of two.
pub fn coarsest_step(columns: usize, rows: usize) -> usize {
    let longest = columns.max(rows);
    let mut step = 1;
    while longest / (2 * step) >= FIRST_GRID {
        step *= 2;
    }
    step
}

/// All points from a sparse grid to ever finer ones, dealt out to `lanes` workers.
///
/// Points of equal tile width pose mostly the same mapping problems, so they share a lane; every grid is spread evenly.
/// Points are numbered as [`Settings::strategies`] lists them.
pub fn coarse_to_fine(settings: &Settings, lanes: usize) -> Vec<VecDeque<u32>> {
    let lanes = lanes.max(1);
    let (columns, rows) = (settings.tiles_x.len(), settings.tiles_y.len());
    // Number of the first point of each grid.
    let mut grids = Vec::new();
    let mut dealt = vec![VecDeque::new(); lanes];
    let mut next = 0;
    for fuse in &settings.fuse {
        if *fuse == FuseDepth::LayerByLayer {
            dealt[next % lanes].push_back(next as u32);
            next += 1;
            continue;
        }
        for _ in &settings.modes {
            grids.push(next);
            next += columns * rows;
        }
    }
    let coarsest = coarsest_step(columns, rows);
    let mut step = coarsest;
    while step > 0 {
        let is_new = |column: usize, row: usize| {
            step == coarsest || !(column.is_multiple_of(2 * step) && row.is_multiple_of(2 * step))
        };
        for column in (0..columns).step_by(step) {
            let lane = &mut dealt[lane_of(column, coarsest) % lanes];
            for &first in &grids {
                let rows = (0..rows).step_by(step).filter(|&row| is_new(column, row));
                lane.extend(rows.map(|row| (first + row * columns + column) as u32));
            }
        }
        step /= 2;
    }
    dealt
}

/// A number for each column that runs through 0, 1, 2, ... over the columns that each grid adds.
fn lane_of(column: usize, coarsest: usize) -> usize {
    if column.is_multiple_of(coarsest) {
        return column / coarsest;
    }
    column >> (column.trailing_zeros() + 1)
}

#[cfg(test)]
mod tests {
    use super::{coarse_to_fine, coarsest_step};
    use crate::depth_first::FuseDepth;
    use crate::explore::Settings;

    fn settings(columns: u64, rows: u64, fuse: Vec<FuseDepth>) -> Settings {
        Settings { tiles_x: (1..=columns).collect(), tiles_y: (1..=rows).collect(), fuse, ..Settings::default() }
    }

    #[test]
    fn every_point_is_visited_once() {
        for (columns, rows, lanes) in [(1, 1, 3), (6, 6, 1), (6, 6, 2), (96, 54, 2), (37, 5, 8), (3, 100, 4)] {
            use FuseDepth::{Automatic, LayerByLayer, SingleLayer};
            for fuse in [vec![Automatic], vec![SingleLayer, LayerByLayer], vec![LayerByLayer, SingleLayer]] {
                let settings = settings(columns, rows, fuse);
                let mut visited: Vec<u32> = coarse_to_fine(&settings, lanes).into_iter().flatten().collect();
                visited.sort_unstable();
                let all: Vec<u32> = (0..settings.strategies().len() as u32).collect();
                assert_eq!(visited, all, "{columns} x {rows} by {lanes}");
            }
        }
    }

    #[test]
    fn a_sparse_grid_over_the_whole_landscape_comes_first() {
        let settings = settings(96, 54, vec![FuseDepth::Automatic]);
        assert_eq!(coarsest_step(96, 54), 8);
        let lanes = coarse_to_fine(&settings, 2);
        let mut first: Vec<u32> = lanes.iter().flat_map(|lane| lane.iter().copied().take(12 / 2 * 7 * 3)).collect();
        first.sort_unstable();
        let grid =
            |mode: u32| (0..7).flat_map(move |row| (0..12).map(move |column| mode * 5184 + row * 8 * 96 + column * 8));
        assert_eq!(first, (0..3).flat_map(grid).collect::<Vec<u32>>());
    }

    #[test]
    fn a_small_grid_is_not_thinned_out() {
        assert_eq!(coarsest_step(6, 6), 1);
    }

    #[test]
    fn points_of_one_tile_width_share_a_lane() {
        let settings = settings(40, 30, vec![FuseDepth::Automatic]);
        for (number, lane) in coarse_to_fine(&settings, 4).iter().enumerate() {
            let columns: std::collections::BTreeSet<u32> = lane.iter().map(|point| point % 40).collect();
            assert_eq!(lane.len(), columns.len() * 90, "lane {number}");
        }
    }
}
