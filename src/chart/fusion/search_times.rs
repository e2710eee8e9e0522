//! The time of searches for groups, compared with a paper (Optimus, Table 5).

use crate::kit::{Column, Quantity, Table, TableCell, above_best, three_digits};
use fusescape_engine::explore::{GroupSearch, PublishedTimes};

/// The times of one search on one network.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchTime {
    /// The network, and the times in the paper.
    pub published: PublishedTimes,
    /// The kind of search.
    pub search: GroupSearch,
    /// Milliseconds of each run.
    pub ms: Vec<f64>,
    /// Number of groups found, and bytes that they move.
    pub found: Option<(u32, u64)>,
    /// Lower bound on the bytes of any grouping, where these groups are not proved optimal.
    pub bound_bytes: Option<u64>,
}

impl SearchTime {
    /// The median of all runs, ms.
    pub fn median_ms(&self) -> Option<f64> {
        let mut ms = self.ms.clone();
        ms.sort_unstable_by(f64::total_cmp);
        ms.get(ms.len() / 2).copied()
    }

    /// The time in the paper, ms; it has no exact search.
    pub fn published_ms(&self) -> Option<f64> {
        match self.search {
            GroupSearch::Algorithm1 => Some(self.published.algorithm1_ms),
            GroupSearch::Online => Some(self.published.online_ms),
            GroupSearch::Exact => None,
        }
    }
}

/// One row per search.
pub fn search_time_table(times: &[SearchTime]) -> Table {
    let published = |ms: f64| TableCell::number(ms.to_string(), ms);
    // A browser's clock has a resolution of tenths of a millisecond.
    let here = |ms: f64| TableCell::number(if ms < 10.0 { format!("{ms:.1}") } else { three_digits(ms) }, ms);
    let row = |time: &SearchTime| {
        let gap = |bound: u64| time.found.map(|(_, bytes)| above_best(bytes as f64, bound as f64));
        let proof = match time.bound_bytes {
            None => match time.search {
                GroupSearch::Exact if time.found.is_some() => "nothing is cheaper".into(),
                _ => TableCell::Nothing,
            },
            Some(bound) => gap(bound).map_or(TableCell::Nothing, |gap| format!("too wide to prove: {gap}").into()),
        };
        vec![
            time.published.network.name().into(),
            time.search.title().into(),
            time.published_ms().map_or(TableCell::Nothing, published),
            time.median_ms().map_or(TableCell::Nothing, here),
            time.found.map_or(TableCell::Nothing, |(groups, _)| TableCell::count(groups.into())),
            time.found.map_or(TableCell::Nothing, |(_, bytes)| TableCell::of(Quantity::Bytes, bytes as f64)),
            proof,
        ]
    };
    Table {
        caption: "Searches of the paper’s networks".to_owned(),
        columns: vec![
            Column::words("network"),
            Column::words("search"),
            Column::plain("published", "ms"),
            Column::plain("here", "ms"),
            Column::numbers("groups"),
            Column::measured("DRAM, 4 images", Quantity::Bytes.base()),
            Column::words("proof"),
        ],
        rows: times.iter().map(row).collect(),
    }
}
