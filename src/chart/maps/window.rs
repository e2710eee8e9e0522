//! The visible part of a grid.

/// Columns and rows of a grid, ends exclusive; never empty unless the grid is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First and past the last column.
    pub columns: (usize, usize),
    /// First and past the last row.
    pub rows: (usize, usize),
}

/// Smallest number of columns and rows of a window, unless the grid has fewer.
const LEAST: usize = 4;

impl Window {
    /// The whole of a grid.
    pub fn whole((columns, rows): (usize, usize)) -> Self {
        Self { columns: (0, columns), rows: (0, rows) }
    }

    /// Number of columns and rows of the whole grid.
    pub fn size(self) -> (usize, usize) {
        (self.columns.1 - self.columns.0, self.rows.1 - self.rows.0)
    }

    /// The smallest window of a grid that contains two of its cells.
    pub fn between(a: (usize, usize), b: (usize, usize), grid: (usize, usize)) -> Self {
        let around = |a: usize, b: usize, all: usize| {
            let (low, high) = (a.min(b).min(all), (a.max(b) + 1).min(all));
            fitted(low, high - low, all)
        };
        Self { columns: around(a.0, b.0, grid.0), rows: around(a.1, b.1, grid.1) }
    }

    /// A window with `share` of the columns and rows, in which `cell` of the grid keeps about its position.
    pub fn zoomed(self, share: f64, cell: (usize, usize), grid: (usize, usize)) -> Self {
        let side = |(start, end): (usize, usize), at: usize, all: usize| {
            let count = end - start;
            let wanted = ((count as f64 * share).round() as usize).clamp(1, all.max(1));
            let before = at.clamp(start, end.max(start + 1) - 1) - start;
            let kept = before * wanted / count.max(1);
            fitted((start + before).saturating_sub(kept), wanted, all)
        };
        Self { columns: side(self.columns, cell.0, grid.0), rows: side(self.rows, cell.1, grid.1) }
    }

    /// The window moved as little as possible to contain `cell`.
    pub fn holding(self, cell: (usize, usize), grid: (usize, usize)) -> Self {
        let side = |(start, end): (usize, usize), at: usize, all: usize| {
            let count = end - start;
            let start = if at < start { at } else { start.max((at + 1).saturating_sub(count)) };
            fitted(start, count, all)
        };
        Self { columns: side(self.columns, cell.0, grid.0), rows: side(self.rows, cell.1, grid.1) }
    }

    /// Position of a cell of the grid in the window; `None` outside.
    pub fn place(self, (column, row): (usize, usize)) -> Option<(usize, usize)> {
        let holds = |(start, end): (usize, usize), at: usize| (start..end).contains(&at);
        (holds(self.columns, column) && holds(self.rows, row)).then(|| (column - self.columns.0, row - self.rows.0))
    }
}

/// A range of about `count` from `start` within `0..all`.
fn fitted(start: usize, count: usize, all: usize) -> (usize, usize) {
    let count = count.max(LEAST).min(all);
    let start = start.min(all - count);
    (start, start + count)
}

#[cfg(test)]
mod tests {
    use super::{LEAST, Window};

    const GRID: (usize, usize) = (96, 54);

    #[test]
    fn a_window_stays_within_its_grid_whatever_is_asked() {
        for grid in [GRID, (1, 1), (3, 200), (0, 0)] {
            let mut window = Window::whole(grid);
            for step in 0..200_usize {
                let cell = (step * 37 % 101, step * 53 % 211);
                window = match step % 4 {
                    0 => window.zoomed(0.5, cell, grid),
                    1 => window.holding(cell, grid),
                    2 => window.zoomed(1.7, cell, grid),
                    _ => Window::between(cell, (cell.1, cell.0), grid),
                };
                assert!(window.columns.0 <= window.columns.1 && window.columns.1 <= grid.0, "{window:?}");
                assert!(window.rows.0 <= window.rows.1 && window.rows.1 <= grid.1, "{window:?}");
                assert!(window.size().0 >= LEAST.min(grid.0) && window.size().1 >= LEAST.min(grid.1), "{window:?}");
            }
        }
    }

    #[test]
    fn zooming_keeps_the_cell_in_sight() {
        let mut window = Window::whole(GRID);
        for _ in 0..6 {
            window = window.zoomed(0.5, (70, 10), GRID);
            assert!(window.place((70, 10)).is_some(), "{window:?}");
        }
        assert_eq!(window.size(), (LEAST, LEAST));
        for _ in 0..8 {
            window = window.zoomed(2.0, (70, 10), GRID);
        }
        assert_eq!(window, Window::whole(GRID));
    }

    #[test]
    fn a_drag_shows_what_it_covers() {
        let window = Window::between((30, 20), (10, 40), GRID);
        assert_eq!(window, Window { columns: (10, 31), rows: (20, 41) });
        assert_eq!(window.place((10, 40)), Some((0, 20)));
        assert_eq!(window.place((9, 40)), None);
        assert_eq!(window.holding((9, 53), GRID), Window { columns: (9, 30), rows: (33, 54) });
    }
}
