//! A curve that a person draws before they see the right one: handles to drag, or to move with the arrow keys.

use crate::gallery::Unit;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};
use yew::prelude::*;

/// Of the drawing.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 34.0;
/// Lines across.
const LINES: usize = 4;
/// Of the axis, moved by one key.
const STEPS: f64 = 50.0;

/// Properties of [`Curve`].
#[derive(Properties, PartialEq)]
pub struct CurveProps {
    /// What stands below its points.
    pub places: Vec<String>,
    /// What changes along it.
    pub along: AttrValue,
    /// Ends of the vertical axis.
    pub axis: (f64, f64),
    /// The unit of heights.
    pub unit: Unit,
    /// The heights that a person chose.
    pub heights: Vec<f64>,
    /// The right ones, once they are to be seen.
    pub right: Option<Vec<f64>>,
    /// Called with other heights; nothing where they are final.
    pub onchange: Option<Callback<Vec<f64>>>,
}

/// The drawing.
#[component]
pub fn Curve(props: &CurveProps) -> Html {
    let CurveProps { places, axis, unit, heights, right, onchange, .. } = props;
    let drawing = use_node_ref();
    let (low, high) = *axis;
    let count = places.len().max(1);
    let x = move |index: usize| LEFT + (WIDTH - LEFT - RIGHT) * (index as f64 + 0.5) / count as f64;
    let y = move |height: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (height.clamp(low, high) - low) / (high - low));
    let change = {
        let (heights, onchange) = (heights.clone(), onchange.clone());
        Callback::from(move |(index, height): (usize, f64)| {
            let mut heights = heights.clone();
            if let (Some(place), Some(onchange)) = (heights.get_mut(index), &onchange) {
                *place = height.clamp(low, high);
                onchange.emit(heights);
            }
        })
    };
    let ondrag = {
        let (drawing, change) = (drawing.clone(), change.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(element) = drawing.cast::<Element>().filter(|_| event.buttons() & 1 == 1) else { return };
            let place = element.get_bounding_client_rect();
            let across = (f64::from(event.client_x()) - place.left()) / place.width() * WIDTH;
            let down = (f64::from(event.client_y()) - place.top()) / place.height() * HEIGHT;
            let index =
                ((across - LEFT) / (WIDTH - LEFT - RIGHT) * count as f64).floor().clamp(0.0, (count - 1) as f64);
            let share = 1.0 - (down - TOP) / (HEIGHT - TOP - BOTTOM);
            change.emit((index as usize, low + share * (high - low)));
            // A finger draws here, and does not scroll.
            if let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) {
                let _ = target.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let onkey = |index: usize, height: f64| {
        let change = change.clone();
        Callback::from(move |event: KeyboardEvent| {
            let by = (high - low) / STEPS;
            let next = match event.key().as_str() {
                "ArrowUp" | "ArrowRight" => height + by,
                "ArrowDown" | "ArrowLeft" => height - by,
                "PageUp" => height + 5.0 * by,
                "PageDown" => height - 5.0 * by,
                "Home" => low,
                "End" => high,
                _ => return,
            };
            event.prevent_default();
            change.emit((index, next));
        })
    };
    let line = |heights: &[f64]| -> String {
        let points = heights.iter().enumerate().map(|(index, height)| format!("{:.1},{:.1}", x(index), y(*height)));
        points.collect::<Vec<_>>().join(" ")
    };
    let handle = |(index, height): (usize, &f64)| {
        let place = places.get(index).cloned().unwrap_or_default();
        let text = unit.text(*height);
        html! {
            <circle
                cx={format!("{:.1}", x(index))} cy={format!("{:.1}", y(*height))} r="9" class="handle"
                role="slider" tabindex={if onchange.is_some() { "0" } else { "-1" }}
                aria-label={format!("{} {place}", props.along)}
                aria-valuemin={low.to_string()} aria-valuemax={high.to_string()}
                aria-valuenow={format!("{height:.4}")} aria-valuetext={text}
                aria-disabled={onchange.is_none().to_string()}
                onkeydown={onkey(index, *height)}
                data-testid={format!("handle-{}", index + 1)}
            />
        }
    };
    let level = |index: usize| {
        let height = low + (high - low) * index as f64 / LINES as f64;
        html! {
            <g class="level">
                <line x1={LEFT.to_string()} x2={(WIDTH - RIGHT).to_string()}
                    y1={format!("{:.1}", y(height))} y2={format!("{:.1}", y(height))} />
                <text x={(LEFT - 8.0).to_string()} y={format!("{:.1}", y(height) + 4.0)} text-anchor="end">{ unit.text(height) }</text>
            </g>
        }
    };
    html! {
        <figure class="predict">
            <svg ref={drawing} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} onpointerdown={ondrag.clone()} onpointermove={ondrag}
                class={onchange.is_some().then_some("drawn")} data-testid="curve">
                { for (0..=LINES).map(level) }
                { for places.iter().enumerate().map(|(index, place)| html! {
                    <text class="place" x={format!("{:.1}", x(index))} y={(HEIGHT - 14.0).to_string()} text-anchor="middle">{ place }</text>
                }) }
                <polyline class="mine" points={line(heights)} />
                if let Some(right) = right {
                    <polyline class="right" points={line(right)} data-testid="curve-right" />
                    { for right.iter().enumerate().map(|(index, height)| html! {
                        <circle class="right" cx={format!("{:.1}", x(index))} cy={format!("{:.1}", y(*height))} r="5">
                            <title>{ unit.text(*height) }</title>
                        </circle>
                    }) }
                }
                { for heights.iter().enumerate().map(handle) }
            </svg>
            <figcaption>
                <span class="mine">{ "your prediction" }</span>
                if right.is_some() { <span class="right">{ "computed" }</span> }
                <span class="hint">{ format!("along: {}", props.along) }</span>
            </figcaption>
        </figure>
    }
}
