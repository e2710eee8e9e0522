//! Iso-lines over a grid of values, by marching squares.

/// A point between the centres of cells: columns from the left, rows from the top, in cells.
pub(super) type GridPoint = (f64, f64);

/// Round multiples of the smallest value at which to draw lines, for values from `low` to `high`.
pub fn contour_factors(low: f64, high: f64) -> Vec<f64> {
    const ROUND: [f64; 9] = [1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0];
    const MOST: usize = 5;
    if low.is_nan() || low <= 0.0 || !high.is_finite() {
        return Vec::new();
    }
    let within: Vec<f64> = ROUND.into_iter().filter(|factor| low * factor < high).collect();
    if within.len() <= MOST {
        return within;
    }
    // Evenly spaced, the first and the last included.
    (0..MOST).map(|index| within[index * (within.len() - 1) / (MOST - 1)]).collect()
}

/// The line at which values cross `level`, as segments. `value` gives the values at the centres of cells, if known; a
/// square of four centres with an unknown one is left out.
pub(super) fn contour(
    (columns, rows): (usize, usize),
    value: &dyn Fn(usize, usize) -> Option<f64>,
    level: f64,
) -> Vec<(GridPoint, GridPoint)> {
    let mut segments = Vec::new();
    for row in 1..rows {
        for column in 1..columns {
            // Around the square: upper left, upper right, lower right, lower left.
            let corners = [(column - 1, row - 1), (column, row - 1), (column, row), (column - 1, row)];
            let values = corners.map(|(column, row)| value(column, row).filter(|value| *value > 0.0));
            let [Some(a), Some(b), Some(c), Some(d)] = values else { continue };
            square(corners, [a, b, c, d], level, &mut segments);
        }
    }
    segments
}

fn square(corners: [(usize, usize); 4], values: [f64; 4], level: f64, segments: &mut Vec<(GridPoint, GridPoint)>) {
    let mut crossings = [(0.0, 0.0); 4];
    let mut count = 0;
    for side in 0..4 {
        let (from, to) = (side, (side + 1) % 4);
        if (values[from] < level) != (values[to] < level) {
            // The colours are logarithmic too.
            let share = (level / values[from]).ln() / (values[to] / values[from]).ln();
            let along = |from: usize, to: usize| from as f64 + 0.5 + (to as f64 - from as f64) * share;
            crossings[count] = (along(corners[from].0, corners[to].0), along(corners[from].1, corners[to].1));
            count += 1;
        }
    }
    // At a saddle either pairing is correct.
    for pair in crossings[..count].chunks_exact(2) {
        segments.push((pair[0], pair[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::{contour, contour_factors};

    #[test]
    fn lines_run_where_the_value_is_crossed() {
        // Values double from column to column.
        let value = |column: usize, _: usize| Some(f64::from(1 << column));
        let segments = contour((4, 3), &value, 2.0_f64.sqrt() * 2.0);
        assert_eq!(segments.len(), 2);
        for ((x1, _), (x2, _)) in segments {
            assert!((x1 - 2.0).abs() < 1e-12 && (x2 - 2.0).abs() < 1e-12, "{x1} {x2}");
        }
        assert!(contour((4, 3), &value, 100.0).is_empty());
        let unknown = |column: usize, row: usize| value(column, row).filter(|_| column != 1);
        assert!(contour((4, 3), &unknown, 2.0_f64.sqrt() * 2.0).is_empty());
    }

    #[test]
    fn a_few_round_multiples_of_the_best_are_drawn() {
        assert_eq!(contour_factors(2.0, 3.5), [1.1, 1.25, 1.5]);
        assert_eq!(contour_factors(1.0, 26.0), [1.1, 1.25, 2.0, 3.0, 10.0]);
        assert!(contour_factors(1.0, 1.0).is_empty());
        assert!(contour_factors(0.0, 5.0).is_empty());
        assert!(contour_factors(f64::NAN, 5.0).is_empty());
    }
}
