//! The parts of a figure that stand for a subject: they light up with it, and are reached by the pointer, by keys and
//! by clicks.

use super::cursor::{Cursor, use_cursor};
use super::highlight::{pin, point_at, use_highlight};
use super::pointers::spot;
use crate::chart::Region;
use std::rc::Rc;
use web_sys::KeyboardEvent;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RegionsProps {
    /// The parts; if empty, the figure is drawn unchanged.
    pub regions: Rc<Vec<Region>>,
    /// Accessible name of the figure.
    pub name: AttrValue,
    pub children: Html,
}

/// A figure whose parts light up.
#[component]
pub fn Regions(props: &RegionsProps) -> Html {
    let place = use_node_ref();
    let at = use_cursor::<Option<usize>>();
    if props.regions.is_empty() {
        return props.children.clone();
    }
    let found = {
        let (place, regions) = (place.clone(), Rc::clone(&props.regions));
        move |event: &MouseEvent| {
            let (x, y) = spot(&place, event)?;
            regions.iter().rev().find(|region| region.holds(x, y)).map(|region| region.subject.clone())
        }
    };
    let onpointermove = {
        let found = found.clone();
        Callback::from(move |event: PointerEvent| point_at(found(&event)))
    };
    let onclick = Callback::from(move |event: MouseEvent| found(&event).into_iter().for_each(pin));
    let leave = |at: &Cursor<Option<usize>>| {
        let at = at.clone();
        move || {
            at.set(None);
            point_at(None);
        }
    };
    let (left, blurred) = (leave(&at), leave(&at));
    let onkeydown = {
        let (at, regions) = (at.clone(), Rc::clone(&props.regions));
        Callback::from(move |event: KeyboardEvent| {
            let last = regions.len() - 1;
            let next = match (event.key().as_str(), at.get()) {
                ("ArrowRight" | "ArrowDown", now) => Some(now.map_or(0, |now| (now + 1).min(last))),
                ("ArrowLeft" | "ArrowUp", now) => Some(now.map_or(last, |now| now.saturating_sub(1))),
                ("Home", _) => Some(0),
                ("End", _) => Some(last),
                ("Escape", _) => None,
                ("Enter" | " ", Some(now)) => {
                    regions.get(now).into_iter().for_each(|region| pin(region.subject.clone()));
                    Some(now)
                }
                _ => return,
            };
            event.prevent_default();
            at.set(next);
            point_at(next.and_then(|next| regions.get(next)).map(|region| region.subject.clone()));
        })
    };
    let said = at.get().and_then(|at| props.regions.get(at)).map(|region| region.subject.text());
    html! {
        <div
            ref={place}
            class="regions"
            tabindex="0"
            role="application"
            aria-label={format!("{}: arrow keys go from part to part, Enter keeps one lit", props.name)}
            {onpointermove}
            onpointerleave={Callback::from(move |_: PointerEvent| left())}
            onblur={Callback::from(move |_: FocusEvent| blurred())}
            {onclick}
            {onkeydown}
        >
            { props.children.clone() }
            <Lit regions={Rc::clone(&props.regions)} />
            <div class="sr-only" aria-live="polite">{ said }</div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct LitProps {
    regions: Rc<Vec<Region>>,
}

/// Frames around the highlighted parts; a component of its own, so that only the frames are drawn again.
#[component]
fn Lit(props: &LitProps) -> Html {
    let highlight = use_highlight();
    let Some(shown) = highlight.shown() else { return html! {} };
    frames(props.regions.iter().filter(|region| region.subject.is_about(shown)).map(|region| (region.at, region.size)))
}

/// Frames over a figure, each with its corner and its size, CSS pixels. SVG shapes, as the page forbids styles in its
/// markup.
pub fn frames(places: impl Iterator<Item = ((i32, i32), (i32, i32))>) -> Html {
    let frame = |((x, y), (width, height)): ((i32, i32), (i32, i32))| {
        let (width, height) = ((width - 2).max(1), (height - 2).max(1));
        let [x, y, width, height] = [x + 1, y + 1, width, height].map(|value| value.to_string());
        html! { <rect {x} {y} {width} {height} rx="3" /> }
    };
    html! { <svg class="lit-parts" aria-hidden="true">{ for places.map(frame) }</svg> }
}
