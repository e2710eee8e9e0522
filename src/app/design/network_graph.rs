//! The layers as a graph, from the input down: pan and zoom; a click opens a layer, a click between two layers cuts.

use super::network_card::GraphLayer;
use crate::app::widgets::figures::pan_zoom::{PanZoom, use_pan_zoom};
use crate::app::widgets::page::figure_context::use_figure_context;
use crate::app::widgets::pointing::cursor::use_cursor;
use crate::app::widgets::pointing::highlight::{Highlight, Subject, pointing, use_highlight};
use crate::chart::{Layered, NETWORK_MARGIN as MARGIN, Route, Spacing, Theme, lay_out_network, shorten, stack_bands};
use crate::form::{LayerNode, Stacks};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NetworkGraphProps {
    /// In the order of the document.
    pub nodes: Rc<Vec<LayerNode>>,
    /// From each layer to its readers, by index.
    pub edges: Rc<Vec<(usize, usize)>>,
    /// Sizes of each layer, if known.
    pub facts: Rc<Vec<Option<GraphLayer>>>,
    /// Number of errors of each layer.
    pub wrong: Rc<Vec<usize>>,
    pub stacks: Rc<Stacks>,
    pub selected: Option<usize>,
    /// Called with the layer of a click.
    pub on_select: Callback<Option<usize>>,
    /// Called with a layer at which to set or remove the end of a stack.
    pub on_cut: Option<Callback<String>>,
}

/// Font size.
const LETTERS: f64 = 11.5;
/// Number of layers above which only the visible ones are drawn: a layer takes about twelve elements and 80 kB of the
/// browser's memory.
const ALL_DRAWN: usize = 400;

/// The layers as boxes, with an arrow from each to its readers.
#[component]
pub fn NetworkGraph(props: &NetworkGraphProps) -> Html {
    let laid = use_memo((props.nodes.len(), Rc::clone(&props.edges)), |(count, edges)| lay_out_network(*count, edges));
    let (layout, spacing) = &*laid;
    let size = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
    let view = use_node_ref();
    let pan_zoom = use_pan_zoom(&view, size);
    let theme = use_figure_context().theme();
    let highlight = use_highlight();
    let focus = use_cursor::<usize>();
    let last = props.nodes.len().saturating_sub(1);
    let focused = focus.get().min(last);
    // The browser's focus is moved after the layer is drawn, which may have been far from the visible part.
    let has_moved = use_memo((), |()| Cell::new(false));
    {
        let has_moved = Rc::clone(&has_moved);
        use_effect(move || {
            if has_moved.take() {
                focus_layer(focused);
            }
        });
    }
    let is_long = props.nodes.len() > ALL_DRAWN;
    let seen = |(_, y): (f64, f64)| !is_long || pan_zoom.is_near(y + MARGIN);
    let drawn: Vec<(usize, &LayerNode)> = props
        .nodes
        .iter()
        .enumerate()
        .filter(|(index, _)| *index == focused || layout.nodes.get(*index).copied().is_some_and(seen))
        .collect();
    let routes = layout.routes.iter().filter(|route| route.points.iter().copied().any(seen));
    let onkeydown = {
        let (pan_zoom, layout, props_now) =
            (pan_zoom.clone(), Rc::clone(&laid), (props.on_select.clone(), props.on_cut.clone()));
        let (nodes, selected, focus, moved) = (Rc::clone(&props.nodes), props.selected, focus.clone(), has_moved);
        Callback::from(move |event: KeyboardEvent| {
            let (on_select, on_cut) = &props_now;
            let focused = focus.get().min(last);
            let is_known = pan_zoom.key(&event)
                || match event.key().as_str() {
                    "Enter" | " " => {
                        on_select.emit((selected != Some(focused)).then_some(focused));
                        true
                    }
                    "c" => {
                        let name = nodes.get(focused).map(|node| node.name.clone());
                        if let (Some(on_cut), Some(name)) = (on_cut, name) {
                            on_cut.emit(name);
                        }
                        true
                    }
                    key => match neighbour(&layout.0, focused, key) {
                        Some(next) => {
                            moved.set(next != focused);
                            focus.set(next);
                            true
                        }
                        None => false,
                    },
                };
            if is_known {
                event.prevent_default();
            }
        })
    };
    let pointer = |does: fn(&PanZoom, &PointerEvent)| {
        let pan_zoom = pan_zoom.clone();
        Callback::from(move |event: PointerEvent| does(&pan_zoom, &event))
    };
    let scaled = |length: f64| format!("{:.0}", length * pan_zoom.scale);
    html! {
        <div class="graph-frame">
            <div
                class="graph-view"
                ref={view}
                onpointerdown={pointer(PanZoom::down)}
                onpointermove={pointer(PanZoom::moves)}
                onpointerup={pointer(PanZoom::up)}
                onpointercancel={pointer(PanZoom::up)}
                onscroll={is_long.then(|| pan_zoom.on_scroll())}
                data-testid="network-graph"
            >
                <svg
                    class="graph"
                    width={scaled(size.0)}
                    height={scaled(size.1)}
                    viewBox={format!("{} {} {:.1} {:.1}", -MARGIN, -MARGIN, size.0, size.1)}
                    role="group"
                    aria-label="Layers: arrows move, Enter opens one, C cuts after it, plus and minus zoom"
                    {onkeydown}
                >
                    <g>{ for bands(props, layout, spacing) }</g>
                    <g>{ for routes.map(draw_route) }</g>
                    <g>{ for drawn.iter().map(|&(index, node)| draw_cut(props, layout, spacing, index, node)) }</g>
                    <g>{ for drawn.iter().map(|&(index, node)| {
                        draw_node(props, layout, spacing, (index, focused), node, (theme, &highlight))
                    }) }</g>
                </svg>
            </div>
            { tools(&pan_zoom) }
            if !layout.left_out.is_empty() {
                <p class="hint">{ format!("{} links are not drawn; the table lists them.", layout.left_out.len()) }</p>
            }
        </div>
    }
}

fn tools(pan_zoom: &PanZoom) -> Html {
    let button = |title: &'static str, label: &'static str, testid: &'static str, does: fn(&PanZoom)| {
        let pan_zoom = pan_zoom.clone();
        let onclick = Callback::from(move |_: MouseEvent| does(&pan_zoom));
        html! {
            <button type="button" class="small" aria-label={label} title={label} {onclick} data-testid={testid}>{ title }</button>
        }
    };
    html! {
        <div class="row graph-tools" role="group" aria-label="Zoom">
            { button("+", "Zoom in", "graph-in", |pan_zoom| pan_zoom.zoom(1)) }
            { button("−", "Zoom out", "graph-out", |pan_zoom| pan_zoom.zoom(-1)) }
            { button("whole", "Show the whole network", "graph-whole", PanZoom::reset) }
            { button("↑", "Move up", "graph-up", |pan_zoom| pan_zoom.pan(0, -1)) }
            { button("↓", "Move down", "graph-down", |pan_zoom| pan_zoom.pan(0, 1)) }
            <small>{ "Click between layers, or press C on one, to cut a stack" }</small>
        </div>
    }
}

/// The layer in the direction of an arrow key.
fn neighbour(layout: &Layered, from: usize, key: &str) -> Option<usize> {
    let (x, _) = *layout.nodes.get(from)?;
    let rank = layout.ranks[from];
    let in_rank =
        |rank: usize| layout.ranks.iter().enumerate().filter(move |(_, other)| **other == rank).map(|(node, _)| node);
    let closest = |rank: usize| {
        in_rank(rank).min_by(|&a, &b| (layout.nodes[a].0 - x).abs().total_cmp(&(layout.nodes[b].0 - x).abs()))
    };
    match key {
        "ArrowDown" => closest(rank + 1),
        "ArrowUp" => closest(rank.checked_sub(1)?),
        "ArrowLeft" => in_rank(rank)
            .filter(|&node| layout.nodes[node].0 < x)
            .max_by(|&a, &b| layout.nodes[a].0.total_cmp(&layout.nodes[b].0)),
        "ArrowRight" => in_rank(rank)
            .filter(|&node| layout.nodes[node].0 > x)
            .min_by(|&a, &b| layout.nodes[a].0.total_cmp(&layout.nodes[b].0)),
        "Home" => closest(0),
        "End" => closest(layout.ranks.iter().copied().max()?),
        _ => None,
    }
}

fn focus_layer(layer: usize) {
    let page = web_sys::window().and_then(|window| window.document());
    let element = page.and_then(|page| page.get_element_by_id(&format!("layer-{layer}")));
    if let Some(element) = element {
        // A group of an SVG can be focused like any element.
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}

/// A band behind each stack.
fn bands(props: &NetworkGraphProps, layout: &Layered, spacing: &Spacing) -> Vec<Html> {
    // Stacks list their layers in the order of the document, nearly always: so each search begins at the last hit.
    let mut last = 0;
    let mut place = |name: &String| {
        let (before, after) = props.nodes.split_at(last);
        let is_its = |node: &LayerNode| node.name == *name;
        let found = after.iter().position(is_its).map(|index| last + index).or_else(|| before.iter().position(is_its));
        last = found.unwrap_or(last);
        found
    };
    let stacks: Vec<Vec<usize>> =
        props.stacks.layers.iter().map(|names| names.iter().filter_map(&mut place).collect()).collect();
    let band = |(top, bottom): (f64, f64)| {
        html! {
            <rect
                class="stack"
                x={format!("{:.1}", -MARGIN + 2.0)}
                y={format!("{:.1}", top - 6.0)}
                width={format!("{:.1}", layout.width + 2.0 * MARGIN - 4.0)}
                height={format!("{:.1}", bottom - top + 12.0)}
                rx="8"
            />
        }
    };
    stack_bands(layout, spacing, &stacks).into_iter().map(band).collect()
}

fn draw_route(route: &Route) -> Html {
    let mut path = String::new();
    for (index, &(x, y)) in route.points.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| route.points.get(before));
        path += &match before {
            None => format!("M {x:.1} {y:.1}"),
            Some((from, _)) if (from - x).abs() < 0.5 => format!(" L {x:.1} {y:.1}"),
            Some((from, above)) => {
                let middle = (above + y) / 2.0;
                format!(" C {from:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}")
            }
        };
    }
    html! { <path class="arc" d={path} /> }
}

fn draw_node(
    props: &NetworkGraphProps,
    layout: &Layered,
    spacing: &Spacing,
    (index, focused): (usize, usize),
    node: &LayerNode,
    (theme, highlight): (&Theme, &Highlight),
) -> Html {
    let is_lit = highlight.has_layer(&node.name);
    let subject = Some(Subject::layer(node.name.clone()));
    let (x, y) = layout.nodes[index];
    let facts = props.facts.get(index).and_then(Option::as_ref);
    let is_selected = props.selected == Some(index);
    let is_wrong = props.wrong.get(index).is_some_and(|count| *count > 0);
    let map = facts.filter(|_| spacing.width > 200.0).map(|facts| facts.map.clone()).unwrap_or_default();
    let map_room = f64::from(crate::chart::text_width(&map, LETTERS, false));
    let name = if node.name.is_empty() { "(no name)" } else { &node.name };
    let room = spacing.width - 18.0 - if map.is_empty() { 0.0 } else { map_room + 8.0 };
    let sentence = facts.map_or_else(|| node.kind.clone(), |facts| facts.sentence.clone());
    let label = format!("{name}: {sentence}{}", if is_wrong { "; there are mistakes" } else { "" });
    let onclick = props.on_select.reform(move |_: MouseEvent| (!is_selected).then_some(index));
    let middle = format!("{:.1}", y + spacing.height / 2.0 + 4.0);
    html! {
        <g
            key={index}
            id={format!("layer-{index}")}
            class={classes!(
                "layer",
                node.kind.clone(),
                is_selected.then_some("selected"),
                is_lit.then_some("lit"),
                is_wrong.then_some("is-wrong"),
            )}
            role="button"
            tabindex={if index == focused { "0" } else { "-1" }}
            aria-expanded={is_selected.to_string()}
            {onclick}
            onpointerenter={pointing(subject.clone())}
            onpointerleave={pointing(None)}
            onfocus={pointing(subject)}
            onblur={pointing(None)}
            data-testid={format!("layer-{index}")}
        >
            <title>{ label }</title>
            <rect
                x={format!("{x:.1}")}
                y={format!("{y:.1}")}
                width={format!("{:.1}", spacing.width)}
                height={format!("{:.1}", spacing.height)}
                rx="6"
            />
            // Next to a timeline in which layers have colours.
            if let Some(color) = facts.and_then(|facts| Some(theme.layer(facts.place?))) {
                <path
                    class="hue"
                    d={format!("M {:.1} {:.1} v {:.1}", x + 4.0, y + 5.0, spacing.height - 10.0)}
                    stroke={format!("rgb({},{},{})", color.0, color.1, color.2)}
                />
            }
            <text x={format!("{:.1}", x + 9.0)} y={middle.clone()}>{ shorten(name, room as i32, LETTERS, false) }</text>
            if !map.is_empty() {
                <text class="map" x={format!("{:.1}", x + spacing.width - 9.0)} y={middle}>{ map }</text>
            }
        </g>
    }
}

/// The clickable area that sets or removes the end of a stack after a layer.
fn draw_cut(props: &NetworkGraphProps, layout: &Layered, spacing: &Spacing, index: usize, node: &LayerNode) -> Html {
    let Some(on_cut) = props.on_cut.as_ref().filter(|_| !matches!(node.kind.as_str(), "input" | "view")) else {
        return html! {};
    };
    // A stack ends after a layer without readers anyway.
    if !layout.routes.iter().any(|route| route.from == index) {
        return html! {};
    }
    let (left, top) = layout.nodes[index];
    let (x, y) = (left + spacing.width / 2.0, top + spacing.height + spacing.between_ranks / 2.0);
    let is_end = props.stacks.ends.contains(&node.name);
    let label = if is_end {
        format!("A stack ends after {}: join it with the next", node.name)
    } else {
        format!("Let a stack end after {}", node.name)
    };
    let onclick = {
        let name = node.name.clone();
        on_cut.reform(move |_: MouseEvent| name.clone())
    };
    html! {
        <g
            key={format!("cut-{index}")}
            class={classes!("cut", is_end.then_some("is-end"))}
            role="button"
            tabindex="-1"
            aria-pressed={is_end.to_string()}
            aria-label={label.clone()}
            {onclick}
            data-testid={format!("cut-{index}")}
        >
            <title>{ label }</title>
            <rect
                class="target"
                x={format!("{:.1}", left)}
                y={format!("{:.1}", y - spacing.between_ranks / 2.0)}
                width={format!("{:.1}", spacing.width)}
                height={format!("{:.1}", spacing.between_ranks)}
            />
            <line
                x1={format!("{left:.1}")}
                x2={format!("{:.1}", left + spacing.width)}
                y1={format!("{y:.1}")}
                y2={format!("{y:.1}")}
            />
            <circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r="4" />
        </g>
    }
}
