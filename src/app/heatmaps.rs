//! The landscape: one heatmap for each storing mode, with values on hover and a click that opens a point.

use super::data_table::Twin;
use super::diagnostics::sentences;
use super::figure::{Canvas, Drawn, Spot};
use super::results::{PointState, Results};
use super::save::{SaveFigure, SaveTable};
use super::timer::later;
use super::zoom::{ZoomBar, use_drag};
use crate::chart::{Best, Cell, Chart, ColorBar, Heatmap, Quantity, Ramp, Table, Window, contour_factors};
use crate::depth_first::{FuseDepth, StoringMode};
use crate::explore::coarsest_step;
use crate::sorting::sort_by;
use crate::state::{Action, Metric, ViewChange};
use std::collections::HashSet;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Where the points of a storing mode lie in the sweep, as far as they are looked at.
#[derive(Debug, Clone, PartialEq)]
struct Grid {
    mode: StoringMode,
    /// All widths and heights.
    widths: Rc<Vec<u64>>,
    heights: Rc<Vec<u64>>,
    /// The part that is looked at.
    window: Window,
    first: u32,
}

impl Grid {
    fn size(&self) -> (usize, usize) {
        (self.widths.len(), self.heights.len())
    }

    /// The point of a cell of the whole grid.
    fn point(&self, (column, row): (usize, usize)) -> u32 {
        self.first + (row * self.widths.len() + column) as u32
    }

    /// The cell of the whole grid at a place of the window.
    fn cell(&self, (column, row): (usize, usize)) -> (usize, usize) {
        (self.window.columns.0 + column, self.window.rows.0 + row)
    }

    fn place(&self, point: u32) -> Option<(usize, usize)> {
        let index = point.checked_sub(self.first)? as usize;
        let (row, column) = (index / self.widths.len(), index % self.widths.len());
        (row < self.heights.len()).then_some((column, row))
    }

    fn shown<'a>(&self, sizes: &'a [u64], (start, end): (usize, usize)) -> &'a [u64] {
        sizes.get(start..end).unwrap_or_default()
    }
}

/// One grid a storing mode, as the sweep lists them; none for a sweep without tiles.
fn grids(results: &Results) -> Vec<Grid> {
    let Some(settings) = results.requests.first().map(|request| &request.settings) else { return Vec::new() };
    if settings.fuse.contains(&FuseDepth::LayerByLayer) {
        return Vec::new();
    }
    let (widths, heights) = (Rc::new(settings.tiles_x.clone()), Rc::new(settings.tiles_y.clone()));
    let size = (widths.len(), heights.len());
    let grid = |(index, &mode): (usize, &StoringMode)| Grid {
        mode,
        widths: Rc::clone(&widths),
        heights: Rc::clone(&heights),
        window: Window::whole(size),
        first: (index * size.0 * size.1) as u32,
    };
    settings.modes.iter().enumerate().map(grid).collect()
}

/// What is known of a cell: of one not computed yet, what the nearest on a coarser grid costs.
fn cell(grid: &Grid, results: &Results, metric: Metric, pareto: &HashSet<u32>, at: (usize, usize)) -> Cell {
    let point = grid.point(at);
    match results.points.get(point as usize) {
        Some(PointState::Done(summary)) => Cell::Value { value: metric.of(summary), pareto: pareto.contains(&point) },
        Some(PointState::Infeasible(_) | PointState::Failed(_)) => Cell::Infeasible,
        _ => {
            let coarsest = coarsest_step(grid.widths.len(), grid.heights.len());
            let steps = (1..).map(|power| 1 << power).take_while(|step| *step <= coarsest);
            let coarser = |step: usize| results.summary(grid.point((at.0 - at.0 % step, at.1 - at.1 % step)));
            steps.into_iter().find_map(coarser).map_or(Cell::Pending, |summary| Cell::Estimate(metric.of(summary)))
        }
    }
}

fn heatmap(grid: &Grid, results: &Results, metric: Metric, pareto: &HashSet<u32>) -> Heatmap {
    let (columns, rows) = (grid.window.columns, grid.window.rows);
    let cells = (rows.0..rows.1).flat_map(|row| (columns.0..columns.1).map(move |column| (column, row)));
    let best = || {
        // The best of the whole grid, whatever part of it is looked at.
        let all = (0..grid.widths.len() * grid.heights.len()).filter_map(|index| {
            let summary = results.summary(grid.first + index as u32)?;
            let beaten = !pareto.contains(&(grid.first + index as u32));
            Some((metric.of(summary), beaten, (index % grid.widths.len(), index / grid.widths.len())))
        });
        let best = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        best.and_then(|(.., cell)| grid.window.place(cell))
    };
    Heatmap {
        quantity: metric.quantity(),
        title: grid.mode.title().to_owned(),
        widths: grid.shown(&grid.widths, columns).to_vec(),
        heights: grid.shown(&grid.heights, rows).to_vec(),
        cells: cells.map(|at| cell(grid, results, metric, pareto, at)).collect(),
        range: None,
        selected: None,
        best: if grid.window == Window::whole(grid.size()) { Best::OfCells } else { Best::At(best()) },
        contours: Vec::new(),
        ramp: Ramp::default(),
    }
}

/// What B costs by what A costs, for every storing mode that both sweep over the same tile sizes.
pub fn ratios(a: &Results, b: &Results, metric: Metric) -> Vec<Heatmap> {
    let ratio = |(a_grid, b_grid): (&Grid, &Grid)| {
        let (columns, rows) = b_grid.size();
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cell = |at: (usize, usize)| {
            let point = |results: &Results, grid: &Grid| cell(grid, results, metric, &HashSet::new(), at);
            match (point(a, a_grid), point(b, b_grid)) {
                (Cell::Value { value: a, .. }, Cell::Value { value: b, .. }) if a > 0.0 => {
                    Cell::Value { value: b / a, pareto: false }
                }
                (Cell::Infeasible, _) | (_, Cell::Infeasible) => Cell::Infeasible,
                _ => Cell::Pending,
            }
        };
        Heatmap {
            quantity: Quantity::Factor,
            cells: all.map(cell).collect(),
            ramp: Ramp::Diverging,
            ..heatmap(b_grid, b, metric, &HashSet::new())
        }
    };
    let (a_grids, b_grids) = (grids(a), grids(b));
    let alike = |(a, b): &(&Grid, &Grid)| a.mode == b.mode && a.widths == b.widths && a.heights == b.heights;
    let pairs = b_grids.iter().filter_map(|b| Some((a_grids.iter().find(|a| a.mode == b.mode)?, b)));
    let mut maps: Vec<Heatmap> = pairs.filter(alike).map(ratio).collect();
    if let Some((low, high)) = Heatmap::shared_range(&maps) {
        // As far up as down, so that the middle of the scale is 1.
        let most = high.max(1.0 / low).max(1.01);
        maps.iter_mut().for_each(|map| map.range = Some((1.0 / most, most)));
    }
    maps
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

/// Grids with more columns or rows can be zoomed into.
const ZOOMABLE: usize = 12;
/// Grids with more columns are drawn as an image at every width that the page gives them, with lines of equal value.
const MANY_COLUMNS: usize = 40;

/// The heatmaps of all storing modes with the colour scale that they share.
#[component]
pub fn Heatmaps(props: &HeatmapsProps) -> Html {
    let results = &props.results;
    let zoom = use_state_eq(|| None::<((usize, usize), Window)>);
    let mut grids = grids(results);
    let Some(size) = grids.first().map(Grid::size) else {
        return html! { <p class="hint">{ "Layer-by-layer has no tiles, so there is one point and no landscape." }</p> };
    };
    // A window is of the grid that it was chosen in.
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
    let infeasible = maps.iter().flat_map(|map| &map.cells).any(|cell| *cell == Cell::Infeasible);
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
                <MetricSwitch {metric} {offered} act={props.act.clone()} />
                <span class="hint">{ hint }</span>
            </div>
            if can_zoom {
                <ZoomBar
                    {size}
                    {window}
                    widths={Rc::clone(&grids[0].widths)}
                    heights={Rc::clone(&grids[0].heights)}
                    best={results.best.and_then(|point| grids.iter().find_map(|grid| grid.place(point)))}
                    on_zoom={on_zoom.clone()}
                />
            }
            <Canvas chart={Drawn::new(bar)} />
            <div class={classes!("maps", format!("maps-{}", grids.len()))}>
                { for grids.iter().zip(maps).map(|(grid, map)| html! {
                    <HeatmapFigure
                        key={grid.mode.name()}
                        grid={grid.clone()}
                        {map}
                        {metric}
                        opened={props.opened}
                        results={Rc::clone(results)}
                        act={props.act.clone()}
                        on_zoom={can_zoom.then(|| on_zoom.clone())}
                    />
                }) }
            </div>
        </>
    }
}

fn offered(results: &Results) -> Vec<Metric> {
    results.requests.first().map_or_else(Vec::new, |request| Metric::offered(&request.settings.objective))
}

#[derive(Properties, PartialEq)]
struct MetricSwitchProps {
    metric: Metric,
    offered: Vec<Metric>,
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
        <div class="segments" role="group" aria-label="What the heatmaps show">{ for props.offered.iter().copied().map(button) }</div>
    }
}

#[derive(Properties, PartialEq)]
struct HeatmapFigureProps {
    grid: Grid,
    map: Heatmap,
    metric: Metric,
    opened: Option<u32>,
    results: Rc<Results>,
    act: Callback<Action>,
    /// Hears of the part that is to be looked at; `None` where the grid is too small for that.
    on_zoom: Option<Callback<Window>>,
}

/// One heatmap. Arrow keys move a cursor over the cells, Enter opens the one under it; plus, minus and 0 zoom.
#[component]
fn HeatmapFigure(props: &HeatmapFigureProps) -> Html {
    let place = use_node_ref();
    let cursor = use_state_eq(|| None::<(usize, usize)>);
    let hovered = use_state_eq(|| None::<((usize, usize), Spot)>);
    let open = use_opener(props);
    let drag = use_drag(&place, props.map.clone(), props.grid.size(), props.grid.window, props.on_zoom.clone());
    let on_hover = {
        let (map, hovered, grid) = (props.map.clone(), hovered.clone(), props.grid.clone());
        Callback::from(move |spot: Option<Spot>| {
            let cell = |spot: Spot| Some((grid.cell(map.cell_at(spot.x, spot.y, spot.width)?), spot));
            hovered.set(spot.and_then(cell));
        })
    };
    let on_click = {
        let (map, open, grid, was_drag) = (props.map.clone(), open.clone(), props.grid.clone(), drag.was_drag.clone());
        Callback::from(move |spot: Spot| {
            // The click that ends a drag is none.
            if was_drag.take() {
                return;
            }
            if let Some(cell) = map.cell_at(spot.x, spot.y, spot.width) {
                open.emit(grid.cell(cell));
            }
        })
    };
    let start = start_cell(props);
    let onfocus = {
        let cursor = cursor.clone();
        Callback::from(move |_: FocusEvent| cursor.set(Some(start)))
    };
    let onblur = {
        let cursor = cursor.clone();
        Callback::from(move |_: FocusEvent| cursor.set(None))
    };
    let onkeydown = {
        let (cursor, grid, open, on_zoom) = (cursor.clone(), props.grid.clone(), open, props.on_zoom.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = cursor.unwrap_or(start);
            let (size, window) = (grid.size(), grid.window);
            let zoomed = match event.key().as_str() {
                "+" | "=" => Some(window.zoomed(0.5, at, size)),
                "-" | "_" => Some(window.zoomed(2.0, at, size)),
                "0" => Some(Window::whole(size)),
                _ => None,
            };
            match (moved(at, &event.key(), size), zoomed.zip(on_zoom.as_ref())) {
                (Some(next), _) => {
                    cursor.set(Some(next));
                    if let Some(on_zoom) = on_zoom.as_ref().filter(|_| window.place(next).is_none()) {
                        on_zoom.emit(window.holding(next, size));
                    }
                }
                (None, Some((zoomed, on_zoom))) => on_zoom.emit(zoomed),
                _ if matches!(event.key().as_str(), "Enter" | " ") => {
                    open.emit(at);
                    focus_view();
                }
                _ if event.key() == "Escape" => cursor.set(None),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let mut map = props.map.clone();
    map.selected = cursor.and_then(|cell| props.grid.window.place(cell)).or(map.selected);
    let by_keyboard = || keyboard_spot(*cursor, &props.grid, &map, &place);
    let shown = hovered.as_ref().map(|(cell, spot)| (*cell, *spot)).or_else(by_keyboard).filter(|_| !drag.is_active);
    let cell_text = cursor.map(|cell| cell_sentence(props, cell));
    html! {
        <figure data-testid={format!("heatmap-{}", props.grid.mode.name())}>
            <div
                class={classes!("heatmap", props.on_zoom.is_some().then_some("zoomable"))}
                ref={place}
                tabindex="0"
                role="application"
                aria-label={format!("{}: arrow keys choose a tile size, Enter opens it{}", props.map.title, zoom_keys(props))}
                {onfocus}
                {onblur}
                {onkeydown}
                onpointerdown={drag.onpointerdown}
                onpointermove={drag.onpointermove}
                onpointerup={drag.onpointerup}
                onpointercancel={drag.onpointercancel}
            >
                <Canvas chart={Drawn::new(map)} {on_hover} {on_click} />
                { drag.frame }
                <div class="sr-only" aria-live="polite">{ cell_text }</div>
                if let Some((cell, spot)) = shown {
                    <Tooltip {spot}>{ cell_card(props, cell) }</Tooltip>
                }
            </div>
            <SaveFigure chart={Drawn::new(props.map.clone())} />
            <HeatmapTable
                grid={props.grid.clone()}
                map={props.map.clone()}
                metric={props.metric}
                opened={props.opened}
                results={Rc::clone(&props.results)}
            />
        </figure>
    }
}

/// Where the keyboard's cursor begins: at the opened point, else at the best, else in the corner of what is looked at.
fn start_cell(props: &HeatmapFigureProps) -> (usize, usize) {
    props.grid.cell(props.map.selected.or_else(|| props.map.best()).unwrap_or((0, 0)))
}

fn zoom_keys(props: &HeatmapFigureProps) -> &'static str {
    if props.on_zoom.is_some() { ", plus and minus zoom, 0 shows all" } else { "" }
}

/// The view that opens takes over the focus, which would be lost with the heatmap.
fn focus_view() {
    later(0, || {
        let document = web_sys::window().and_then(|window| window.document());
        let tab = document.and_then(|document| document.query_selector("nav [aria-current=page]").ok().flatten());
        if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
            // It only fails for what cannot have the focus.
            let _ = tab.focus();
        }
    });
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
fn keyboard_spot(
    cursor: Option<(usize, usize)>,
    grid: &Grid,
    map: &Heatmap,
    place: &NodeRef,
) -> Option<((usize, usize), Spot)> {
    let cell = cursor?;
    let at = grid.window.place(cell)?;
    let figure_width = place.cast::<Element>()?.client_width().max(0) as u32;
    let (x, y, width, height) = map.cell_place(at.0, at.1, figure_width)?;
    Some((cell, Spot { x: f64::from(x + width / 2), y: f64::from(y + height), width: figure_width }))
}

/// What a point is and costs, in lines.
fn cell_lines(props: &HeatmapFigureProps, cell: (usize, usize)) -> (String, Vec<(&'static str, String)>) {
    let point = props.grid.point(cell);
    let title = format!("{} × {}, {}", props.grid.widths[cell.0], props.grid.heights[cell.1], props.grid.mode.title());
    let lines = match props.results.points.get(point as usize) {
        Some(PointState::Done(summary)) => {
            let line = |metric: Metric| (metric.title(), metric.quantity().text(metric.of(summary)));
            offered(&props.results).into_iter().map(line).collect()
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
    metric: Metric,
    opened: Option<u32>,
    results: Rc<Results>,
}

/// A grid with more cells is listed by its best tile sizes instead of as a whole.
const MOST_CELLS: usize = 1500;
/// So many of them.
const BEST_LISTED: usize = 20;

/// The table twin: rounded values to read, exact ones in `data-` attributes.
#[component]
fn HeatmapTable(props: &HeatmapTableProps) -> Html {
    let (grid, results) = (props.grid.clone(), Rc::clone(&props.results));
    let cells = props.map.cells.len();
    if cells > MOST_CELLS {
        let (metric, opened) = (props.metric, props.opened);
        let table = Callback::from(move |()| best_table(&grid, &results, metric, opened));
        return html! { <Twin label={format!("table of the best {BEST_LISTED}")} cells={BEST_LISTED * 8} {table} /> };
    }
    let map = props.map.clone();
    html! { <Twin {cells} table={Callback::from(move |()| exact_table(&grid, &results, &map.table()))} /> }
}

/// The best tile sizes of what is looked at, and the opened one with its rank.
fn best_table(grid: &Grid, results: &Results, metric: Metric, opened: Option<u32>) -> Html {
    let (columns, rows) = (grid.window.columns, grid.window.rows);
    let cells = (rows.0..rows.1).flat_map(|row| (columns.0..columns.1).map(move |column| (column, row)));
    let mut ranked: Vec<(f64, (usize, usize))> =
        cells.filter_map(|cell| Some((metric.of(results.summary(grid.point(cell))?), cell))).collect();
    sort_by(&mut ranked, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let opened = opened.and_then(|point| grid.place(point));
    let is_listed = |(rank, (_, cell)): &(usize, &(f64, (usize, usize)))| *rank < BEST_LISTED || Some(*cell) == opened;
    let offered = offered(results);
    let row = |(rank, (_, cell)): (usize, &(f64, (usize, usize)))| {
        let Some(summary) = results.summary(grid.point(*cell)) else { return html! {} };
        html! {
            <tr aria-current={(Some(*cell) == opened).then_some("true")}>
                <th scope="row" class="number">{ rank + 1 }</th>
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
            <tbody>{ for ranked.iter().enumerate().filter(is_listed).map(row) }</tbody>
        </table>
        <SaveTable />
        </>
    }
}

fn exact_table(grid: &Grid, results: &Results, rounded: &Table) -> Html {
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
    let columns = 0..grid.window.size().0;
    html! {
        <>
        <table data-testid={format!("values-{}", grid.mode.name())} data-mode={grid.mode.name()}>
            <caption>{ &rounded.caption }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Y \\ X" }</th>
                    { for grid.shown(&grid.widths, grid.window.columns).iter().map(|width| html! { <th scope="col" class="number">{ *width }</th> }) }
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
        <SaveTable />
        </>
    }
}
