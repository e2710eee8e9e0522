//! One heatmap: values on hover and under the keyboard's cursor; a click opens a point; zoom.

use super::grid::{SweepGrid, offered};
use super::heatmap_table::HeatmapTable;
use super::zoom::use_drag;
use crate::app::platform::timer::later;
use crate::app::widgets::figures::figure::{Canvas, Drawn, Spot};
use crate::app::widgets::figures::save::{FileContent, Save, WIDTH};
use crate::app::widgets::forms::diagnostics::sentences;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::pointing::cursor::use_cursor;
use crate::app::widgets::pointing::highlight::{Subject, point_at, use_highlight};
use crate::app::widgets::pointing::regions::frames;
use crate::app::workers::results::{PointState, SweepResults};
use crate::chart::{Heatmap, Window, more_or_less};
use crate::explore::PointSummary;
use crate::state::{Action, Metric};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HeatmapFigureProps {
    pub grid: SweepGrid,
    pub map: Heatmap,
    pub metric: Metric,
    /// The opened point.
    pub opened: Option<u32>,
    pub results: Rc<SweepResults>,
    /// The results before the last edit, for comparison.
    #[prop_or_default]
    pub before: Option<Rc<SweepResults>>,
    /// Called with the window to show; `None` where the grid is too small to zoom.
    pub on_zoom: Option<Callback<Window>>,
}

/// One heatmap. Arrow keys move a cursor over the cells, Enter opens the one under it; plus, minus and 0 zoom.
#[component]
pub fn HeatmapFigure(props: &HeatmapFigureProps) -> Html {
    let place = use_node_ref();
    let cursor = use_cursor::<Option<(usize, usize)>>();
    let hovered = use_state_eq(|| None::<((usize, usize), Spot)>);
    let open = use_opener(props);
    let drag = use_drag(&place, props.map.clone(), props.grid.size(), props.grid.window, props.on_zoom.clone());
    let on_hover = {
        let (map, hovered, grid) = (props.map.clone(), hovered.clone(), props.grid.clone());
        Callback::from(move |spot: Option<Spot>| {
            let cell = |spot: Spot| Some((grid.cell(map.cell_at(spot.x, spot.y, spot.width)?), spot));
            let found = spot.and_then(cell);
            point_at(found.map(|(cell, _)| Subject::point(grid.point(cell))));
            hovered.set(found);
        })
    };
    let on_click = {
        let (map, open, grid, was_drag) = (props.map.clone(), open.clone(), props.grid.clone(), drag.was_drag.clone());
        Callback::from(move |spot: Spot| {
            // The click that ends a drag opens nothing.
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
            let at = cursor.get().unwrap_or(start);
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
                    focus_view();
                    open.emit(at);
                }
                _ if event.key() == "Escape" => cursor.set(None),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let lit = use_highlight().point();
    let mut map = props.map.clone();
    map.selected = cursor.get().and_then(|cell| props.grid.window.place(cell)).or(map.selected);
    let by_keyboard = || keyboard_spot(cursor.get(), &props.grid, &map, &place);
    let shown = hovered.as_ref().map(|(cell, spot)| (*cell, *spot)).or_else(by_keyboard).filter(|_| !drag.is_active);
    let cell_text = cursor.get().map(|cell| cell_sentence(props, cell));
    html! {
        <figure data-testid={format!("heatmap-{}", props.grid.mode.name())}>
            <div
                class={classes!("heatmap", props.on_zoom.is_some().then_some("zoomable"))}
                ref={place.clone()}
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
                <Canvas chart={Drawn::new(map.clone())} {on_hover} {on_click} />
                { drag.frame }
                { lit.and_then(|point| frame(props.grid.place(point)?, &props.grid, &map, &place)) }
                <div class="sr-only" aria-live="polite">{ cell_text }</div>
                if let Some((cell, spot)) = shown {
                    <Tooltip {spot}>{ cell_card(props, cell) }</Tooltip>
                }
            </div>
            <Save what={FileContent::Figure(Drawn::new(props.map.clone()), WIDTH)} />
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

/// Where the keyboard's cursor begins: at the opened point, else at the best, else in the corner of the window.
fn start_cell(props: &HeatmapFigureProps) -> (usize, usize) {
    props.grid.cell(props.map.selected.or_else(|| props.map.best()).unwrap_or((0, 0)))
}

fn zoom_keys(props: &HeatmapFigureProps) -> &'static str {
    if props.on_zoom.is_some() { ", plus and minus zoom, 0 shows all" } else { "" }
}

/// Interval of the checks whether the view is open, milliseconds.
const FRAME_MS: u32 = 16;
/// Number of checks before the focus gives up on the view that opens.
const FRAMES: u32 = 120;

/// Moves the focus to the view that opens; it would be lost with the heatmap.
fn focus_view() {
    fn follow(before: Option<HtmlElement>, frames: u32) {
        later(FRAME_MS, move || match shown_tab() {
            // A busy page draws late, so check again.
            tab if tab == before && frames > 0 => follow(before, frames - 1),
            // `focus` fails only for elements that cannot have the focus.
            tab => tab.into_iter().for_each(|tab| drop(tab.focus())),
        });
    }
    follow(shown_tab(), FRAMES);
}

fn shown_tab() -> Option<HtmlElement> {
    let document = web_sys::window()?.document()?;
    document.query_selector("nav [aria-current=page]").ok().flatten()?.dyn_into().ok()
}

/// Opens the point under a cell, if its cost is known.
#[hook]
fn use_opener(props: &HeatmapFigureProps) -> Callback<(usize, usize)> {
    let (grid, results, act) = (props.grid.clone(), Rc::clone(&props.results), use_act());
    Callback::from(move |cell| {
        let point = grid.point(cell);
        let is_known = !matches!(results.points.get(point as usize), None | Some(PointState::Waiting));
        if let (Some(strategy), true) = (results.strategy(point), is_known) {
            act.emit(Action::OpenPoint(strategy.clone()));
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

/// Where the tooltip of the keyboard's cursor is put.
fn keyboard_spot(
    cursor: Option<(usize, usize)>,
    grid: &SweepGrid,
    map: &Heatmap,
    place: &NodeRef,
) -> Option<((usize, usize), Spot)> {
    let cell = cursor?;
    let at = grid.window.place(cell)?;
    let figure_width = place.cast::<Element>()?.client_width().max(0) as u32;
    let (x, y, width, height) = map.cell_place(at.0, at.1, figure_width)?;
    Some((cell, Spot { x: f64::from(x + width / 2), y: f64::from(y + height), width: figure_width }))
}

/// A frame around a cell.
fn frame(cell: (usize, usize), grid: &SweepGrid, map: &Heatmap, place: &NodeRef) -> Option<Html> {
    let at = grid.window.place(cell)?;
    let width = place.cast::<Element>()?.client_width().max(0) as u32;
    let (x, y, width, height) = map.cell_place(at.0, at.1, width)?;
    Some(frames(std::iter::once(((x, y), (width, height)))))
}

/// Title of a point, and its costs in lines.
fn cell_lines(props: &HeatmapFigureProps, cell: (usize, usize)) -> (String, Vec<(&'static str, String)>) {
    let point = props.grid.point(cell);
    let title = format!("{} × {}, {}", props.grid.widths[cell.0], props.grid.heights[cell.1], props.grid.mode.title());
    let lines = match props.results.points.get(point as usize) {
        Some(PointState::Done(summary)) => {
            let line = |metric: Metric| (metric.title(), metric.quantity().text(metric.of(summary)));
            let before = change_before(props, point, summary).map(|text| ("than before", text));
            offered(&props.results).into_iter().map(line).chain(before).collect()
        }
        Some(PointState::Infeasible(reasons)) => {
            vec![("", sentences(reasons))]
        }
        Some(PointState::Failed(reason)) => vec![("", reason.to_string())],
        _ => vec![("", "not computed yet".to_owned())],
    };
    (title, lines)
}

/// Change of the shown metric at a point since the last edit: `6 % more`.
fn change_before(props: &HeatmapFigureProps, point: u32, now: &PointSummary) -> Option<String> {
    let before = props.before.as_ref()?;
    let before = before.summary(before.point_of(props.results.strategy(point)?)?)?;
    let (before, now) = (props.metric.of(before), props.metric.of(now));
    (before != now).then(|| more_or_less(before, now))
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
                    <dl>
                        { for lines.iter().map(|(name, value)| html! { <><dt>{ *name }</dt><dd>{ value }</dd></> }) }
                    </dl>
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
pub struct TooltipProps {
    /// The place that it explains.
    pub spot: Spot,
    pub children: Html,
}

/// A tooltip beside the pointer, kept within the figure.
#[component]
pub fn Tooltip(props: &TooltipProps) -> Html {
    let card = use_node_ref();
    use_effect_with((props.spot, card.clone()), |(spot, card)| {
        let Some(card) = card.cast::<HtmlElement>() else { return };
        let width = f64::from(card.offset_width());
        let room = f64::from(card.offset_parent().map_or(spot.width as i32, |parent| parent.client_width()));
        let x = spot.x * room / f64::from(spot.width.max(1));
        let left = if x + 14.0 + width <= room { x + 14.0 } else { (x - 14.0 - width).max(0.0) };
        // Set through the object model, as the content security policy forbids the attribute. Neither call can fail.
        let _ = card.style().set_property("left", &format!("{left:.0}px"));
        let _ = card.style().set_property("top", &format!("{:.0}px", spot.y + 14.0));
    });
    html! { <div class="tooltip" ref={card} aria-hidden="true">{ props.children.clone() }</div> }
}
