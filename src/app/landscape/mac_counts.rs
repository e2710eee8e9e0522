//! The amount of recomputation.

use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::workers::results::SweepResults;
use crate::chart::{AxisScale, MacCounts};
use crate::depth_first::FuseDepth;
use yew::prelude::*;

/// Limit on the groups of bars that can be told apart.
const MOST_GROUPS: usize = 8;

/// A card: multiply-accumulates of tiles along the diagonal of the grid (DeFiNES, Fig. 13); `least` are those of the
/// network without recomputation. Only `shell::pieces` may name it.
pub fn mac_counts(results: &SweepResults, least: Option<u64>) -> Html {
    let Some(settings) = results.requests.first().map(|request| &request.settings) else { return html! {} };
    if settings.fuse.contains(&FuseDepth::LayerByLayer) {
        return html! {};
    }
    let (columns, rows) = (settings.tiles_x.len(), settings.tiles_y.len());
    let longest = columns.max(rows);
    let groups = (0..longest.min(MOST_GROUPS))
        .map(|group| {
            let step = group * (longest - 1) / (longest.min(MOST_GROUPS) - 1).max(1);
            let along = |count: usize| if longest > MOST_GROUPS { step * count / longest } else { step };
            let (column, row) = (along(columns).min(columns - 1), along(rows).min(rows - 1));
            let macs = |mode: usize| {
                let point = (mode * rows + row) * columns + column;
                results.summary(point as u32).map(|summary| summary.macs as f64)
            };
            let title = format!("{} × {}", settings.tiles_x[column], settings.tiles_y[row]);
            (title, (0..settings.modes.len()).map(macs).collect())
        })
        .collect();
    let chart = MacCounts {
        scale: AxisScale::Log,
        series: settings.modes.iter().map(|mode| mode.title().to_owned()).collect(),
        groups,
        least: least.map(|macs| macs as f64),
    };
    html! {
        <section class="card">
            <h2>{ "Multiply-accumulates, recomputed ones included" }</h2>
            <Figure title="" chart={Drawn::new(chart)} testid="mac-counts" />
        </section>
    }
}
