//! The landscape: one heatmap per storing mode, on one colour scale.

use crate::app::platform::lazy_modules::late;
use crate::app::widgets::figures::figure::{Canvas, Drawn};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::sweep::fine_grid::FineGridCode;
use crate::app::widgets::sweep::grid::{SweepGrid, grids, heatmap, offered};
use crate::app::widgets::sweep::heatmap_figure::HeatmapFigure;
use crate::app::widgets::sweep::zoom_bar::ZoomBar;
use crate::app::workers::results::SweepResults;
use crate::chart::{ColorBar, Heatmap, HeatmapCell, Panels, Window, contour_factors};
use crate::state::{Action, Metric, ViewField};
use std::collections::HashSet;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HeatmapsProps {
    pub results: Rc<SweepResults>,
    /// The results before the last edit, for comparison.
    pub before: Option<Rc<SweepResults>>,
    pub metric: Metric,
    /// The opened point.
    pub opened: Option<u32>,
}

/// Grids with more columns or rows can be zoomed.
const ZOOMABLE: usize = 12;
/// Grids with more columns are drawn as an image at every width of the page, with lines of equal value.
const MANY_COLUMNS: usize = 40;

/// The heatmaps of all storing modes with their shared colour scale.
#[component]
pub fn Heatmaps(props: &HeatmapsProps) -> Html {
    let results = &props.results;
    let zoom = use_state_eq(|| None::<((usize, usize), Window)>);
    let mut grids = grids(results);
    let Some(size) = grids.first().map(SweepGrid::size) else {
        return html! { <p class="hint">{ "Layer-by-layer has no tiles, so there is one point and no landscape." }</p> };
    };
    // A window only applies to the grid that it was chosen in.
    let window = zoom.filter(|(of, _)| *of == size).map_or(Window::whole(size), |(_, window)| window);
    grids.iter_mut().for_each(|grid| grid.window = window);
    let offered = offered(results);
    let metric = if offered.contains(&props.metric) { props.metric } else { Metric::Energy };
    let pareto: HashSet<u32> = results.pareto.iter().copied().collect();
    let mut maps: Vec<Heatmap> = grids.iter().map(|grid| heatmap(grid, results, metric, &pareto)).collect();
    let range = Heatmap::shared_range(&maps);
    let mut contours = Vec::new();
    for (map, grid) in maps.iter_mut().zip(&grids) {
        map.range = range;
        let opened = props.opened.and_then(|point| grid.place(point));
        map.selected = opened.and_then(|cell| window.place(cell));
    }
    if let Some((low, high)) = range.filter(|_| window.size().0 > MANY_COLUMNS) {
        contours = contour_factors(low, high);
        maps = maps.into_iter().map(|map| map.with_contours((low, high))).collect();
    }
    let infeasible = maps.iter().flat_map(|map| &map.cells).any(|cell| *cell == HeatmapCell::Infeasible);
    let bar = ColorBar { quantity: metric.quantity(), range, infeasible, pareto: true, contours };
    let can_zoom = size.0 > ZOOMABLE || size.1 > ZOOMABLE;
    let on_zoom = {
        let zoom = zoom.clone();
        Callback::from(move |window: Window| zoom.set(Some((size, window))))
    };
    let hint = if can_zoom {
        "Point at a tile size for its values, click it to see why it costs that, drag over a region or pinch to zoom."
    } else {
        "Point at a cell for its values; click it to see why it costs that."
    };
    html! {
        <>
            <div class="bar">
                <MetricSwitch {metric} {offered} />
                <span class="hint">{ hint }</span>
            </div>
            if can_zoom {
                { zoom_bar(ZoomBar {
                    size,
                    window,
                    widths: Rc::clone(&grids[0].widths),
                    heights: Rc::clone(&grids[0].heights),
                    best: results.best.and_then(|point| grids.iter().find_map(|grid| grid.place(point))),
                    on_zoom: on_zoom.clone(),
                }) }
            }
            <div class="scale">
                <Canvas chart={Drawn::new(bar.clone())} />
                <Save what={FileContent::Panels(Rc::new(Panels { bar, maps: maps.clone() }))} label="save all" />
            </div>
            <div class={classes!("maps", format!("maps-{}", grids.len()))}>
                { for grids.iter().zip(maps).map(|(grid, map)| html! {
                    <HeatmapFigure
                        key={grid.mode.name()}
                        grid={grid.clone()}
                        {map}
                        {metric}
                        opened={props.opened}
                        results={Rc::clone(results)}
                        before={props.before.clone()}
                        on_zoom={can_zoom.then(|| on_zoom.clone())}
                    />
                }) }
            </div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct MetricSwitchProps {
    metric: Metric,
    offered: Vec<Metric>,
}

#[component]
fn MetricSwitch(props: &MetricSwitchProps) -> Html {
    let act = use_act();
    let button = |metric: Metric| {
        html! {
            <button
                type="button"
                aria-pressed={(metric == props.metric).to_string()}
                onclick={act.reform(move |_: MouseEvent| Action::Look(ViewField::Metric(metric)))}
                data-testid={format!("metric-{}", metric.title().to_ascii_lowercase().replace(' ', "-"))}
            >
                { metric.title() }
            </button>
        }
    };
    html! {
        <div class="segments" role="group" aria-label="What the heatmaps show">{ for props.offered.iter().copied().map(button) }</div>
    }
}

/// The bar that zooms; its code is fetched with the first fine grid.
fn zoom_bar(bar: ZoomBar) -> Html {
    late(move |parts: FineGridCode| (parts.zoom_bar)(&bar))
}
