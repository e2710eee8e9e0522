//! The table twin of a heatmap.

use super::fine_grid::{BEST_LISTED, FineGridCode};
use super::grid::SweepGrid;
use crate::app::platform::lazy_modules::late;
use crate::app::widgets::figures::data_table::Twin;
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::diagnostics::sentences;
use crate::app::workers::results::{PointState, SweepResults};
use crate::chart::{Chart, Heatmap, Table, TableCell};
use crate::state::Metric;
use std::collections::HashSet;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HeatmapTableProps {
    pub grid: SweepGrid,
    /// The figure that it is the twin of.
    pub map: Heatmap,
    /// The metric that ranks the points.
    pub metric: Metric,
    /// The opened point.
    pub opened: Option<u32>,
    pub results: Rc<SweepResults>,
}

/// A grid with more cells is listed by its best tile sizes instead of as a whole.
const MOST_CELLS: usize = 1500;

/// The table twin: rounded values as text, exact ones in `data-` attributes.
#[component]
pub fn HeatmapTable(props: &HeatmapTableProps) -> Html {
    let (grid, results) = (props.grid.clone(), Rc::clone(&props.results));
    let cells = props.map.cells.len();
    if cells > MOST_CELLS {
        let (metric, opened) = (props.metric, props.opened);
        let table = Callback::from(move |()| {
            let (grid, results) = (grid.clone(), Rc::clone(&results));
            late(move |parts: FineGridCode| (parts.best_table)(&grid, &results, metric, opened))
        });
        return html! { <Twin label={format!("table of the best {BEST_LISTED}")} cells={BEST_LISTED * 8} {table} /> };
    }
    let map = props.map.clone();
    html! { <Twin {cells} table={Callback::from(move |()| exact_table(&grid, &results, Rc::new(map.table())))} /> }
}

fn exact_table(grid: &SweepGrid, results: &SweepResults, rounded: Rc<Table>) -> Html {
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
        <Save what={FileContent::Table(Rc::clone(&rounded))} />
        </>
    }
}
