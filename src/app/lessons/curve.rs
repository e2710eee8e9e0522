//! A curve that a person draws before they see the right one: handles to drag, or to move with the arrow keys.

use crate::gallery::PaperUnit;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};
use yew::prelude::*;

/// Width of the drawing.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
/// Height of a line of text below a point.
const LINE: f64 = 15.0;
/// Largest width of a letter.
const LETTER: f64 = 6.6;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 14.0;
/// Space below the axis, besides lines of text.
const BELOW: f64 = 20.0;
/// Number of horizontal grid lines.
const LINES: usize = 4;
/// Number of key presses for the length of the axis.
const STEPS: f64 = 50.0;

#[derive(Properties, PartialEq)]
pub struct CurveProps {
    /// Labels below the points.
    pub places: Vec<String>,
    /// The variable of the horizontal axis.
    pub along: AttrValue,
    /// Ends of the vertical axis.
    pub axis: (f64, f64),
    /// Unit of the vertical axis.
    pub unit: PaperUnit,
    /// The heights drawn so far.
    pub heights: Vec<f64>,
    /// The right heights, once they may be shown.
    pub right: Option<Vec<f64>>,
    /// Called with other heights; `None` once they are final.
    pub onchange: Option<Callback<Vec<f64>>>,
}

#[component]
pub fn Curve(props: &CurveProps) -> Html {
    let CurveProps { places, axis, unit, heights, right, onchange, .. } = props;
    let drawing = use_node_ref();
    let (low, high) = *axis;
    let count = places.len().max(1);
    let (labels, common) = labels(places, ((WIDTH - LEFT - RIGHT) / count as f64 / LETTER) as usize);
    let most = labels.iter().map(Vec::len).max().unwrap_or(1);
    let (bottom, full) = (BELOW + LINE * most as f64, HEIGHT + LINE * (most as f64 - 1.0));
    let x = move |index: usize| LEFT + (WIDTH - LEFT - RIGHT) * (index as f64 + 0.5) / count as f64;
    let y = move |height: f64| TOP + (full - TOP - bottom) * (1.0 - (height.clamp(low, high) - low) / (high - low));
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
            let down = (f64::from(event.client_y()) - place.top()) / place.height() * full;
            let index =
                ((across - LEFT) / (WIDTH - LEFT - RIGHT) * count as f64).floor().clamp(0.0, (count - 1) as f64);
            let share = 1.0 - (down - TOP) / (full - TOP - bottom);
            change.emit((index as usize, low + share * (high - low)));
            // Keeps a finger from scrolling the page.
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
    // Words common to all labels are printed once, behind the axis title.
    let shared = if common.is_empty() { String::new() } else { format!(", {common}") };
    let along = format!("along: {}{shared}", props.along);
    html! {
        <figure class="predict">
            <svg ref={drawing} viewBox={format!("0 0 {WIDTH} {full}")} onpointerdown={ondrag.clone()} onpointermove={ondrag}
                class={onchange.is_some().then_some("drawn")} data-testid="curve">
                { for (0..=LINES).map(level) }
                { for labels.iter().enumerate().map(|(index, lines)| label(x(index), full - bottom + BELOW, lines)) }
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
                <span class="hint">{ along }</span>
            </figcaption>
        </figure>
    }
}

/// The label below a point.
fn label(x: f64, top: f64, lines: &[String]) -> Html {
    let line = |(number, line): (usize, &String)| {
        html! { <tspan x={format!("{x:.1}")} y={format!("{:.1}", top + LINE * number as f64)}>{ line }</tspan> }
    };
    html! { <text class="place" text-anchor="middle">{ for lines.iter().enumerate().map(line) }</text> }
}

/// The lines below each point, of about `letters` letters each, without the words that all labels end with; and these
/// words.
fn labels(places: &[String], letters: usize) -> (Vec<Vec<String>>, String) {
    let mut words: Vec<Vec<&str>> = places.iter().map(|place| place.split_whitespace().collect()).collect();
    let mut common = Vec::new();
    let fits = |words: &[Vec<&str>]| words.iter().all(|words| words.join(" ").chars().count() <= letters);
    while !fits(&words) && words.iter().all(|words| words.len() > 1) {
        let Some(last) = words.first().and_then(|words| words.last().copied()) else { break };
        if words.iter().any(|words| words.last() != Some(&last)) {
            break;
        }
        words.iter_mut().for_each(|words| words.truncate(words.len() - 1));
        common.insert(0, last);
    }
    let broken = |words: &Vec<&str>| {
        let mut lines: Vec<String> = Vec::new();
        for part in words.iter().flat_map(|word| word.split_inclusive('-').enumerate()) {
            let (index, part) = part;
            let space = if index == 0 { " " } else { "" };
            match lines.last_mut() {
                Some(line) if line.chars().count() + space.len() + part.chars().count() <= letters => {
                    *line = format!("{line}{space}{part}");
                }
                _ => lines.push(part.to_owned()),
            }
        }
        lines
    };
    (words.iter().map(broken).collect(), common.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(places: &[&str], letters: usize) -> (Vec<String>, String) {
        let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
        let (lines, common) = labels(&places, letters);
        (lines.into_iter().map(|lines| lines.join("|")).collect(), common)
    }

    #[test]
    fn long_names_of_points_are_broken_and_what_they_share_is_said_once() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&["8 KiB", "16 KiB"], 20), (texts(&["8 KiB", "16 KiB"]), String::new()));
        let (found, common) = lines(&["1x1 fully-cached", "4x72 fully-cached"], 12);
        assert_eq!((found, common.as_str()), (texts(&["1x1", "4x72"]), "fully-cached"));
        let (found, common) = lines(&["4x72 fully-cached", "4x72 fully-recompute"], 12);
        assert_eq!((found, common.as_str()), (texts(&["4x72 fully-|cached", "4x72 fully-|recompute"]), ""));
        assert_eq!(lines(&[], 3), (Vec::new(), String::new()));
    }
}
