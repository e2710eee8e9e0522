//! The landscape: one heatmap for each storing mode, with values on hover and a click that opens a point.

use super::data_table::Twin;
use super::diagnostics::sentences;
use super::figure::{Canvas, Spot};
use super::results::{PointState, Results};
use super::state::{Action, ViewChange};
use super::view::Metric;
use crate::chart::{Cell, Chart, ColorBar, Heatmap, Table};
use crate::depth_first::{FuseDepth, StoringMode};
use std::rc::Rc;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Where the points of a storing mode lie in the sweep.
#[derive(Debug, Clone, PartialEq)]
struct Grid {
    mode: StoringMode,
    widths: Vec<u64>,
    heights: Vec<u64>,
    first: u32,
}

impl Grid {
    fn point(&self, (column, row): (usize, usize)) -> u32 {
        self.first + (row * self.widths.len() + column) as u32
    }

    fn place(&self, point: u32) -> Option<(usize, usize)> {
        let index = point.checked_sub(self.first)? as usize;
        let (row, column) = (index / self.widths.len(), index % self.widths.len());
        (row < self.heights.len()).then_some((column, row))
    }
}

/// One grid a storing mode, as the sweep lists them; none for a sweep without tiles.
fn grids(results: &Results) -> Vec<Grid> {
    let Some(settings) = results.requests.first().map(|request| &request.settings) else { return Vec::new() };
    if settings.fuse.contains(&FuseDepth::LayerByLayer) {
        return Vec::new();
    }
    let size = settings.tiles_x.len() * settings.tiles_y.len();
    let grid = |(index, &mode): (usize, &StoringMode)| Grid {
        mode,
        widths: settings.tiles_x.clone(),
        heights: settings.tiles_y.clone(),
        first: (index * size) as u32,
    };
    settings.modes.iter().enumerate().map(grid).collect()
}

fn heatmap(grid: &Grid, results: &Results, metric: Metric, opened: Option<u32>) -> Heatmap {
    let cell = |index: usize| {
        let point = grid.first + index as u32;
        match results.points.get(point as usize) {
            Some(PointState::Done(summary)) => {
                Cell::Value { value: metric.of(summary), pareto: results.pareto.contains(&point) }
            }
            Some(PointState::Infeasible(_) | PointState::Failed(_)) => Cell::Infeasible,
            _ => Cell::Pending,
        }
    };
    Heatmap {
        quantity: metric.quantity(),
        title: grid.mode.title().to_owned(),
        widths: grid.widths.clone(),
        heights: grid.heights.clone(),
        cells: (0..grid.widths.len() * grid.heights.len()).map(cell).collect(),
        range: None,
        selected: opened.and_then(|point| grid.place(point)),
    }
}

/// What [`Heatmaps`] need.
#[derive(Properties, PartialEq)]
pub struct HeatmapsProps {
    /// What the workers found out.
    pub results: Rc<Results>,
    /// Which number is shown.
    pub metric: Metric,
    /// The opened point.
    pub opened: Option<u32>,
    /// Hears of every change.
    pub act: Callback<Action>,
}

/// The heatmaps of all storing modes with the colour scale that they share.
#[component]
pub fn Heatmaps(props: &HeatmapsProps) -> Html {
    let results = &props.results;
    let grids = grids(results);
    let mut maps: Vec<Heatmap> = grids.iter().map(|grid| heatmap(grid, results, props.metric, props.opened)).collect();
    let range = Heatmap::shared_range(&maps);
    maps.iter_mut().for_each(|map| map.range = range);
    let infeasible = maps.iter().flat_map(|map| &map.cells).any(|cell| *cell == Cell::Infeasible);
    let bar = ColorBar { quantity: props.metric.quantity(), range, infeasible, pareto: true };
    if grids.is_empty() {
        return html! { <p class="hint">{ "Layer-by-layer has no tiles, so there is one point and no landscape." }</p> };
    }
    html! {
        <>
            <div class="bar">
                <MetricSwitch metric={props.metric} act={props.act.clone()} />
                <span class="hint">{ "Point at a cell for its values; click it to see why it costs that." }</span>
            </div>
            <Canvas<ColorBar> chart={bar} />
            <div class={classes!("maps", format!("maps-{}", grids.len()))}>
                { for grids.iter().zip(maps).map(|(grid, map)| html! {
                    <HeatmapFigure
                        key={grid.mode.name()}
                        grid={grid.clone()}
                        {map}
                        results={Rc::clone(results)}
                        act={props.act.clone()}
                    />
                }) }
            </div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct MetricSwitchProps {
    metric: Metric,
    act: Callback<Action>,
}

#[component]
fn MetricSwitch(props: &MetricSwitchProps) -> Html {
    let button = |metric: Metric| {
        html! {
            <button
                type="button"
                aria-pressed={(metric == props.metric).to_string()}
                onclick={props.act.reform(move |_: MouseEvent| Action::Look(ViewChange::Metric(metric)))}
                data-testid={format!("metric-{}", metric.title().to_lowercase().replace(' ', "-"))}
            >
                { metric.title() }
            </button>
        }
    };
    html! {
        <div class="segments" role="group" aria-label="What the heatmaps show">{ for Metric::ALL.into_iter().map(button) }</div>
    }
}

#[derive(Properties, PartialEq)]
struct HeatmapFigureProps {
    grid: Grid,
    map: Heatmap,
    results: Rc<Results>,
    act: Callback<Action>,
}

/// One heatmap. Arrow keys move a cursor over the cells, Enter opens the one under it.
#[component]
fn HeatmapFigure(props: &HeatmapFigureProps) -> Html {
    let place = use_node_ref();
    let cursor = use_state_eq(|| None::<(usize, usize)>);
    let hovered = use_state_eq(|| None::<((usize, usize), Spot)>);
    let open = use_opener(props);
    let on_hover = {
        let (map, hovered) = (props.map.clone(), hovered.clone());
        Callback::from(move |spot: Option<Spot>| {
            hovered.set(spot.and_then(|spot| Some((map.cell_at(spot.x, spot.y, spot.width)?, spot))));
        })
    };
    let on_click = {
        let (map, open) = (props.map.clone(), open.clone());
        Callback::from(move |spot: Spot| {
            if let Some(cell) = map.cell_at(spot.x, spot.y, spot.width) {
                open.emit(cell);
            }
        })
    };
    let start = props.map.selected.or_else(|| props.map.best()).unwrap_or((0, 0));
    let onfocus = {
        let cursor = cursor.clone();
        Callback::from(move |_: FocusEvent| cursor.set(Some(start)))
    };
    let onblur = {
        let cursor = cursor.clone();
        Callback::from(move |_: FocusEvent| cursor.set(None))
    };
    let onkeydown = {
        let (cursor, grid, open) = (cursor.clone(), props.grid.clone(), open);
        Callback::from(move |event: KeyboardEvent| {
            let at = cursor.unwrap_or(start);
            match moved(at, &event.key(), (grid.widths.len(), grid.heights.len())) {
                Some(next) => cursor.set(Some(next)),
                None if matches!(event.key().as_str(), "Enter" | " ") => open.emit(at),
                None if event.key() == "Escape" => cursor.set(None),
                None => return,
            }
            event.prevent_default();
        })
    };
    let mut map = props.map.clone();
    map.selected = cursor.or(map.selected);
    let shown = hovered.as_ref().map(|(cell, spot)| (*cell, *spot)).or_else(|| keyboard_spot(*cursor, &map, &place));
    let cell_text = cursor.map(|cell| cell_sentence(props, cell));
    html! {
        <figure data-testid={format!("heatmap-{}", props.grid.mode.name())}>
            <div
                class="heatmap"
                ref={place}
                tabindex="0"
                role="application"
                aria-label={format!("{}: arrow keys choose a tile size, Enter opens it", props.map.title)}
                {onfocus}
                {onblur}
                {onkeydown}
            >
                <Canvas<Heatmap> chart={map} {on_hover} {on_click} />
                <div class="sr-only" aria-live="polite">{ cell_text }</div>
                if let Some((cell, spot)) = shown {
                    <Tooltip {spot}>{ cell_card(props, cell) }</Tooltip>
                }
            </div>
            <HeatmapTable grid={props.grid.clone()} map={props.map.clone()} results={Rc::clone(&props.results)} />
        </figure>
    }
}

/// Opens the point under a cell, if its cost is known.
#[hook]
fn use_opener(props: &HeatmapFigureProps) -> Callback<(usize, usize)> {
    let (grid, results, act) = (props.grid.clone(), Rc::clone(&props.results), props.act.clone());
    Callback::from(move |cell| {
        let point = grid.point(cell);
        let is_known = !matches!(results.points.get(point as usize), None | Some(PointState::Waiting));
        if let (Some(strategy), true) = (results.strategy(point), is_known) {
            act.emit(Action::Look(ViewChange::Open(strategy.clone())));
        }
    })
}

fn moved((column, row): (usize, usize), key: &str, (columns, rows): (usize, usize)) -> Option<(usize, usize)> {
    match key {
        "ArrowLeft" => Some((column.saturating_sub(1), row)),
        "ArrowRight" => Some(((column + 1).min(columns - 1), row)),
        "ArrowUp" => Some((column, row.saturating_sub(1))),
        "ArrowDown" => Some((column, (row + 1).min(rows - 1))),
        "Home" => Some((0, row)),
        "End" => Some((columns - 1, row)),
        _ => None,
    }
}

/// Where the tooltip of the cell under the keyboard's cursor belongs.
fn keyboard_spot(cursor: Option<(usize, usize)>, map: &Heatmap, place: &NodeRef) -> Option<((usize, usize), Spot)> {
    let cell = cursor?;
    let figure_width = place.cast::<Element>()?.client_width().max(0) as u32;
    let (x, y, width, height) = map.cell_place(cell.0, cell.1, figure_width)?;
    Some((cell, Spot { x: f64::from(x + width / 2), y: f64::from(y + height), width: figure_width }))
}

/// What a point is and costs, in lines.
fn cell_lines(props: &HeatmapFigureProps, cell: (usize, usize)) -> (String, Vec<(&'static str, String)>) {
    let point = props.grid.point(cell);
    let title = format!("{} × {}, {}", props.grid.widths[cell.0], props.grid.heights[cell.1], props.grid.mode.title());
    let lines = match props.results.points.get(point as usize) {
        Some(PointState::Done(summary)) => {
            Metric::ALL.map(|metric| (metric.title(), metric.quantity().text(metric.of(summary)))).to_vec()
        }
        Some(PointState::Infeasible(reasons)) => {
            vec![("", sentences(reasons))]
        }
        Some(PointState::Failed(reason)) => vec![("", reason.to_string())],
        _ => vec![("", "not computed yet".to_owned())],
    };
    (title, lines)
}

fn cell_sentence(props: &HeatmapFigureProps, cell: (usize, usize)) -> String {
    let (title, lines) = cell_lines(props, cell);
    let lines: Vec<String> =
        lines.into_iter().map(|(name, value)| format!("{name} {value}").trim().to_owned()).collect();
    format!("{title}: {}", lines.join(", "))
}

fn cell_card(props: &HeatmapFigureProps, cell: (usize, usize)) -> Html {
    let (title, lines) = cell_lines(props, cell);
    let point = props.grid.point(cell);
    let is_pareto = props.results.pareto.contains(&point);
    html! {
        <>
            <b>{ title }</b>
            { match lines.as_slice() {
                [("", text)] => html! { <p>{ text }</p> },
                _ => html! {
                    <dl>{ for lines.iter().map(|(name, value)| html! { <><dt>{ *name }</dt><dd>{ value }</dd></> }) }</dl>
                },
            } }
            if props.results.best == Some(point) {
                <small>{ "best of the sweep" }</small>
            } else if is_pareto {
                <small>{ "no other is better in energy and latency" }</small>
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct TooltipProps {
    spot: Spot,
    children: Html,
}

/// A card beside the pointer that stays within the figure.
#[component]
fn Tooltip(props: &TooltipProps) -> Html {
    let card = use_node_ref();
    use_effect_with((props.spot, card.clone()), |(spot, card)| {
        let Some(card) = card.cast::<HtmlElement>() else { return };
        let width = f64::from(card.offset_width());
        let room = f64::from(card.offset_parent().map_or(spot.width as i32, |parent| parent.client_width()));
        let x = spot.x * room / f64::from(spot.width.max(1));
        let left = if x + 14.0 + width <= room { x + 14.0 } else { (x - 14.0 - width).max(0.0) };
        // Through the object model, as the content security policy forbids the attribute. Neither call can fail.
        let _ = card.style().set_property("left", &format!("{left:.0}px"));
        let _ = card.style().set_property("top", &format!("{:.0}px", spot.y + 14.0));
    });
    html! { <div class="tooltip" ref={card} aria-hidden="true">{ props.children.clone() }</div> }
}

#[derive(Properties, PartialEq)]
struct HeatmapTableProps {
    grid: Grid,
    map: Heatmap,
    results: Rc<Results>,
}

/// The table twin: rounded values to read, exact ones in `data-` attributes.
#[component]
fn HeatmapTable(props: &HeatmapTableProps) -> Html {
    let (grid, results) = (props.grid.clone(), Rc::clone(&props.results));
    let cells = grid.widths.len() * grid.heights.len();
    let map = props.map.clone();
    html! { <Twin {cells} table={Callback::from(move |()| exact_table(&grid, &results, &map.table()))} /> }
}

fn exact_table(grid: &Grid, results: &Results, rounded: &Table) -> Html {
    let cell = |column: usize, row: usize| {
        let point = grid.point((column, row));
        let (x, y) = (grid.widths[column].to_string(), grid.heights[row].to_string());
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
                    data-pareto={results.pareto.contains(&point).to_string()}
                >
                    // The first column holds the height.
                    { rounded.rows.get(row).and_then(|texts| texts.get(column + 1)) }
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
    let columns = 0..grid.widths.len();
    html! {
        <table data-testid={format!("values-{}", grid.mode.name())} data-mode={grid.mode.name()}>
            <caption>{ &rounded.caption }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Y \\ X" }</th>
                    { for grid.widths.iter().map(|width| html! { <th scope="col" class="number">{ *width }</th> }) }
                </tr>
            </thead>
            <tbody>
                { for grid.heights.iter().enumerate().map(|(row, height)| html! {
                    <tr>
                        <th scope="row" class="number">{ *height }</th>
                        { for columns.clone().map(|column| cell(column, row)) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
