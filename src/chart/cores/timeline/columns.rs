//! From spans and steps to columns of pixels; each column shows the item that takes most of its time.

use crate::cores::time_window::TimeWindow;

/// A column of pixels in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LaneColumn {
    /// The item that takes most of the time.
    pub key: u32,
    /// The share of the time with any item; 0 for none.
    pub share: f64,
}

/// Items at least this many columns wide have a gap behind them, so that neighbours can be told apart.
const APART: usize = 3;

/// Spans (key, start, end) over `count` columns. A span at least one column wide fills its columns; narrower ones are
/// added up.
pub(super) fn columns(
    spans: impl Iterator<Item = (u32, f64, f64)>,
    window: TimeWindow,
    count: usize,
) -> Vec<LaneColumn> {
    let scale = count as f64 / window.length();
    let mut columns = vec![LaneColumn::default(); count];
    // Lead of the key of each column over all others (majority vote of Boyer and Moore).
    let mut ahead = vec![0.0; count];
    for (key, start, end) in spans {
        let from = (start.max(window.start) - window.start) * scale;
        let to = (end.min(window.end) - window.start) * scale;
        let (width, first) = (to - from, from.round() as usize);
        if width >= 1.0 {
            let last = (to.round() as usize).clamp(first + 1, count.max(first + 1));
            let gap = usize::from(last - first >= APART && end <= window.end);
            for column in first..(last - gap).min(count) {
                (columns[column], ahead[column]) = (LaneColumn { key, share: 1.0 }, f64::INFINITY);
            }
        } else if let Some(column) = columns.get_mut(from as usize)
            && width > 0.0
        {
            let ahead = &mut ahead[from as usize];
            column.share = (column.share + width).min(1.0);
            match column.key == key {
                true => *ahead += width,
                false if *ahead >= width => *ahead -= width,
                false => (column.key, *ahead) = (key, width - *ahead),
            }
        }
    }
    columns
}

/// The minimum and maximum of a step function (time, value from then on) in each of `count` columns.
pub(super) fn extremes(steps: &[(i64, u64)], window: TimeWindow, count: usize) -> Vec<(u64, u64)> {
    let mut next = steps.partition_point(|step| step.0 as f64 <= window.start);
    let mut value = next.checked_sub(1).map_or(0, |last| steps[last].1);
    let cycles = window.length() / count.max(1) as f64;
    let column = |column: usize| {
        let start = window.start + column as f64 * cycles;
        while let Some(step) = steps.get(next).filter(|step| step.0 as f64 <= start) {
            (value, next) = (step.1, next + 1);
        }
        let mut within = (value, value);
        while let Some(step) = steps.get(next).filter(|step| (step.0 as f64) < start + cycles) {
            (value, next) = (step.1, next + 1);
            within = (within.0.min(value), within.1.max(value));
        }
        within
    };
    (0..count).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::{LaneColumn, columns, extremes};
    use crate::TimeWindow;

    const WINDOW: TimeWindow = TimeWindow { start: 100.0, end: 200.0 };

    #[test]
    fn what_is_narrower_than_a_column_says_how_busy_it_is() {
        // Ten columns of ten cycles.
        let spans = [(7, 90.0, 130.0), (1, 140.0, 142.0), (2, 142.0, 147.0), (3, 150.0, 160.0), (4, 190.0, 250.0)];
        let mut found = columns(spans.into_iter(), WINDOW, 10);
        found.iter_mut().for_each(|column| column.share = (1e9 * column.share).round() / 1e9);
        let whole = |key| LaneColumn { key, share: 1.0 };
        let none = LaneColumn::default();
        let busy = LaneColumn { key: 2, share: 0.7 };
        // Three columns or more leave a gap.
        assert_eq!(found[..6], [whole(7), whole(7), none, none, busy, whole(3)]);
        assert_eq!(found[6..], [none, none, none, whole(4)]);
    }

    #[test]
    fn no_peak_is_lost_between_columns() {
        let steps: Vec<(i64, u64)> = (0..1000).map(|time| (time, if time == 157 { 9 } else { 3 })).collect();
        let found = extremes(&steps, WINDOW, 10);
        assert_eq!(found[5], (3, 9));
        assert!(found.iter().enumerate().all(|(column, value)| column == 5 || *value == (3, 3)), "{found:?}");
        assert_eq!(extremes(&[(0, 1), (150, 4)], WINDOW, 4), [(1, 1), (1, 1), (4, 4), (4, 4)]);
        assert_eq!(extremes(&[], WINDOW, 2), [(0, 0), (0, 0)]);
    }
}
