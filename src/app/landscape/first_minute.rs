//! A first minute: what the page shows in one sentence, three things to try with a click, and terms to look up.

use crate::app::platform::timer::later;
use crate::app::session::state::PageState;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::form::{FieldTarget, memory_boxes, value_scale};
use crate::hardware::Operand;
use crate::spec::edit::Outline;
use crate::state::{Action, Half, Metric, ViewField};
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// A thing to try, which runs by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Try {
    /// Drag the size of the lowest shared memory of activations down.
    ShrinkMemory,
    /// Show the amount of recomputation.
    CountMacs,
    /// Open the best point.
    LookInside,
}

thread_local! {
    /// Whether a person closed the row; it stays closed until the page is loaded again.
    static WAS_CLOSED: Cell<bool> = const { Cell::new(false) };
}

const TRIES: [(Try, &str, &str); 3] = [
    (Try::ShrinkMemory, "Shrink the on-chip memory", "try-shrink"),
    (Try::CountMacs, "See what overlap costs in MACs", "try-macs"),
    (Try::LookInside, "Look inside the best schedule", "try-inside"),
];

/// Draws the row. Only `shell::pieces` may name it.
pub fn first_minute(state: Rc<PageState>) -> Html {
    html! { <FirstMinute {state} /> }
}

#[derive(Properties, PartialEq)]
pub struct FirstMinuteProps {
    pub state: Rc<PageState>,
}

/// The row above the answer, until a person closes it.
#[component]
pub fn FirstMinute(props: &FirstMinuteProps) -> Html {
    let act = use_act();
    let is_closed = use_state_eq(|| WAS_CLOSED.get());
    if *is_closed {
        // A hidden element, so that the empty space for the row is given up.
        return html! { <span hidden=true></span> };
    }
    let close = {
        let is_closed = is_closed.clone();
        Callback::from(move |_: MouseEvent| {
            WAS_CLOSED.set(true);
            is_closed.set(true);
        })
    };
    let button = |(what, title, testid): (Try, &'static str, &'static str)| {
        let (state, act) = (Rc::clone(&props.state), act.clone());
        let onclick = Callback::from(move |_: MouseEvent| try_out(what, &state, &act));
        html! { <button type="button" class="small" {onclick} data-testid={testid}>{ title }</button> }
    };
    html! {
        <div class="first-minute" role="group" aria-label="First steps" data-testid="first-minute">
            <p>
                { termed(
                    "Each cell below runs the whole network on the accelerator in its own way: layers fused in a [stack], cut into \
                     [tiles|tile size], the overlap of tiles [cached or computed again|overlap storing mode]. Which costs least energy?"
                ) }
            </p>
            <button
                type="button"
                class="icon"
                onclick={close}
                aria-label="Close the first steps"
                data-testid="first-minute-close"
            >
                { "×" }
            </button>
            <div class="row">{ "Try: " }{ for TRIES.into_iter().map(button) }</div>
            <small>
                { termed("Words: [W I O|W] · [K C OX|K] · [top memory|top memory level] · [depth-first] · [steady state] · [WACO]") }
            </small>
        </div>
    }
}

/// Milliseconds between two steps of the automatic drag.
const STEP_MS: u32 = 600;
/// Number of steps; each is half a doubling.
const STEPS: usize = 4;

fn try_out(what: Try, state: &PageState, act: &Callback<Action>) {
    match what {
        Try::ShrinkMemory => shrink(&state.chosen.design.hardware.text, act),
        Try::CountMacs => {
            act.emit(Action::Look(ViewField::Metric(Metric::Macs)));
        }
        Try::LookInside => {
            if let Some(best) = state.results.best.and_then(|point| state.results.strategy(point)) {
                act.emit(Action::OpenPoint(best.clone()));
            }
        }
    }
}

/// Drags the size of the lowest memory of activations that all PEs share, step by step, so that a person sees the
/// landscape change.
fn shrink(hardware: &str, act: &Callback<Action>) {
    let Ok(document) = Outline::read(hardware) else { return };
    let boxes = memory_boxes(&document);
    let holds = |operand| move |memory: &&crate::form::MemoryBox| memory.operands.contains(&operand);
    let shared = boxes.iter().filter(|memory| memory.instances == 1).filter(holds(Operand::O));
    let Some(memory) = shared.min_by_key(|memory| memory.size_bits) else { return };
    let place = FieldTarget::value(format!("memories[{}].size", memory.index));
    let Some(steps) = value_scale(&place.read(&document)) else { return };
    let lower = steps.steps[..steps.at.min(steps.steps.len())].iter().rev().take(STEPS).cloned();
    for (index, text) in lower.enumerate() {
        let (document, place, act) = (document.clone(), place.clone(), act.clone());
        later(index as u32 * STEP_MS, move || {
            if let Some(next) = place.write(&document, &text) {
                act.emit(Action::Drag(Half::Hardware, place, DRAG, next.into_text()));
            }
        });
    }
}

/// The number of this drag; no slider counts up to it.
const DRAG: u32 = u32::MAX;
