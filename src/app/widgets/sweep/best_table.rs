//! Table twin of a heatmap with too many cells: lists only the best tile sizes.

use super::fine_grid::BEST_LISTED;
use super::grid::{SweepGrid, offered};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::workers::results::SweepResults;
use crate::chart::{Column, Table, TableCell};
use crate::explore::PointSummary;
use crate::state::Metric;
use crate::ties;
use std::rc::Rc;
use yew::prelude::*;

/// The best tile sizes of the window, and the opened one with its rank.
pub fn best_table(grid: &SweepGrid, results: &Rc<SweepResults>, metric: Metric, opened: Option<u32>) -> Html {
    let (columns, rows) = (grid.window.columns, grid.window.rows);
    let cells = (rows.0..rows.1).flat_map(|row| (columns.0..columns.1).map(move |column| (column, row)));
    let known = cells.filter_map(|cell| Some((cell, grid.judged(cell, results, metric)?)));
    let ranked = ties::ranked(known, |(_, judged)| *judged);
    let opened = opened.and_then(|point| grid.place(point));
    let is_listed = |rank: usize, cell: (usize, usize)| rank < BEST_LISTED || Some(cell) == opened;
    let offered = offered(results);
    let listed: Vec<(usize, (usize, usize), &PointSummary)> = (ranked.iter().enumerate())
        .filter(|(rank, (cell, _))| is_listed(*rank, *cell))
        .filter_map(|(rank, &(cell, _))| Some((rank + 1, cell, results.summary(grid.point(cell))?)))
        .collect();
    let table = Rc::new(Table {
        caption: format!("{}: the best {BEST_LISTED} by {}", grid.mode.title(), metric.quantity().name()),
        columns: [
            Column::numbers("rank"),
            Column::plain("tile width", "columns"),
            Column::plain("tile height", "rows"),
        ]
        .into_iter()
        .chain(offered.iter().map(|metric| Column::measured(metric.quantity().name(), metric.quantity().base())))
        .collect(),
        rows: (listed.iter())
            .map(|(rank, cell, summary)| {
                let place = [*rank as u64, grid.widths[cell.0], grid.heights[cell.1]].map(TableCell::count);
                let costs = offered.iter().map(|metric| TableCell::of(metric.quantity(), metric.of(summary)));
                place.into_iter().chain(costs).collect()
            })
            .collect(),
    });
    let row = |(rank, cell, summary): &(usize, (usize, usize), &PointSummary)| {
        html! {
            <tr aria-current={(Some(*cell) == opened).then_some("true")}>
                <th scope="row" class="number">{ rank }</th>
                <td
                    class="number"
                    data-x={grid.widths[cell.0].to_string()}
                    data-y={grid.heights[cell.1].to_string()}
                    data-energy-pj={summary.energy_pj.to_string()}
                    data-latency-cycles={summary.latency_cycles.to_string()}
                >
                    { format!("{} × {}", grid.widths[cell.0], grid.heights[cell.1]) }
                </td>
                { for offered.iter().map(|metric| html! {
                    <td class="number">{ metric.quantity().text(metric.of(summary)) }</td>
                }) }
            </tr>
        }
    };
    html! {
        <>
        <table data-testid={format!("values-{}", grid.mode.name())} data-mode={grid.mode.name()}>
            <caption>
                { format!("{}: the best {BEST_LISTED} of {} tile sizes by {}", grid.mode.title(), ranked.len(),
                    metric.quantity().name()) }
                if opened.is_some() { { ", and the opened one" } }
            </caption>
            <thead>
                <tr>
                    <th scope="col" class="number">{ "rank" }</th>
                    <th scope="col" class="number">{ "tile X × Y" }</th>
                    { for offered.iter().map(|metric| html! { <th scope="col" class="number">{ metric.title() }</th> }) }
                </tr>
            </thead>
            <tbody>{ for listed.iter().map(row) }</tbody>
        </table>
        <Save what={FileContent::Table(table)} />
        </>
    }
}
