//! The table twin of a heatmap.

use super::data_table::Twin;
use super::diagnostics::sentences;
use super::grid::{Grid, offered};
use super::save::SaveTable;
use crate::app::workers::results::{PointState, SweepResults};
use crate::chart::{Chart, Column, Heatmap, Table, TableCell};
use crate::explore::PointSummary;
use crate::sorting::sort_by;
use crate::state::Metric;
use std::collections::HashSet;
use std::rc::Rc;
use yew::prelude::*;

/// What a [`HeatmapTable`] needs.
#[derive(Properties, PartialEq)]
pub struct HeatmapTableProps {
    /// The points.
    pub grid: Grid,
    /// What the figure shows of them.
    pub map: Heatmap,
    /// By which number the best are the best.
    pub metric: Metric,
    /// The opened point.
    pub opened: Option<u32>,
    /// What the workers found out.
    pub results: Rc<SweepResults>,
}

/// A grid with more cells is listed by its best tile sizes instead of as a whole.
const MOST_CELLS: usize = 1500;
/// So many of them.
const BEST_LISTED: usize = 20;

/// The table twin: rounded values to read, exact ones in `data-` attributes.
#[component]
pub fn HeatmapTable(props: &HeatmapTableProps) -> Html {
    let (grid, results) = (props.grid.clone(), Rc::clone(&props.results));
    let cells = props.map.cells.len();
    if cells > MOST_CELLS {
        let (metric, opened) = (props.metric, props.opened);
        let table = Callback::from(move |()| best_table(&grid, &results, metric, opened));
        return html! { <Twin label={format!("table of the best {BEST_LISTED}")} cells={BEST_LISTED * 8} {table} /> };
    }
    let map = props.map.clone();
    html! { <Twin {cells} table={Callback::from(move |()| exact_table(&grid, &results, Rc::new(map.table())))} /> }
}

/// The best tile sizes of what is looked at, and the opened one with its rank.
fn best_table(grid: &Grid, results: &SweepResults, metric: Metric, opened: Option<u32>) -> Html {
    let (columns, rows) = (grid.window.columns, grid.window.rows);
    let cells = (rows.0..rows.1).flat_map(|row| (columns.0..columns.1).map(move |column| (column, row)));
    let mut ranked: Vec<(f64, (usize, usize))> =
        cells.filter_map(|cell| Some((metric.of(results.summary(grid.point(cell))?), cell))).collect();
    sort_by(&mut ranked, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let opened = opened.and_then(|point| grid.place(point));
    let is_listed = |(rank, (_, cell)): &(usize, &(f64, (usize, usize)))| *rank < BEST_LISTED || Some(*cell) == opened;
    let offered = offered(results);
    let listed: Vec<(usize, (usize, usize), &PointSummary)> = (ranked.iter().enumerate().filter(is_listed))
        .filter_map(|(rank, &(_, cell))| Some((rank + 1, cell, results.summary(grid.point(cell))?)))
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
        <SaveTable {table} />
        </>
    }
}

fn exact_table(grid: &Grid, results: &SweepResults, rounded: Rc<Table>) -> Html {
    let pareto: HashSet<u32> = results.pareto.iter().copied().collect();
    let cell = |column: usize, row: usize| {
        let at = grid.cell((column, row));
        let point = grid.point(at);
        let (x, y) = (grid.widths[at.0].to_string(), grid.heights[at.1].to_string());
        match results.points.get(point as usize) {
            Some(PointState::Done(summary)) => html! {
                <td
                    class="number"
                    data-x={x}
                    data-y={y}
                    data-energy-pj={summary.energy_pj.to_string()}
                    data-latency-cycles={summary.latency_cycles.to_string()}
                    data-macs={summary.macs.to_string()}
                    data-dram-words={summary.dram_words.to_string()}
                    data-pareto={pareto.contains(&point).to_string()}
                >
                    // The first column holds the height.
                    { rounded.rows.get(row).and_then(|cells| cells.get(column + 1)).map(TableCell::text) }
                </td>
            },
            Some(PointState::Infeasible(reasons)) => html! {
                <td data-x={x} data-y={y} data-infeasible="true" title={sentences(reasons)}>{ "does not fit" }</td>
            },
            Some(PointState::Failed(reason)) => html! {
                <td data-x={x} data-y={y} data-failed="true" title={reason.to_string()}>{ "failed" }</td>
            },
            _ => html! { <td data-x={x} data-y={y}></td> },
        }
    };
    let columns = 0..grid.window.size().0;
    html! {
        <>
        <table data-testid={format!("values-{}", grid.mode.name())} data-mode={grid.mode.name()}>
            <caption>{ &rounded.caption }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Y \\ X" }</th>
                    { for grid.shown(&grid.widths, grid.window.columns).iter().map(|width| html! {
                        <th scope="col" class="number">{ *width }</th>
                    }) }
                </tr>
            </thead>
            <tbody>
                { for grid.shown(&grid.heights, grid.window.rows).iter().enumerate().map(|(row, height)| html! {
                    <tr>
                        <th scope="row" class="number">{ *height }</th>
                        { for columns.clone().map(|column| cell(column, row)) }
                    </tr>
                }) }
            </tbody>
        </table>
        <SaveTable table={Rc::clone(&rounded)} />
        </>
    }
}
