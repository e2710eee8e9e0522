//! A cursor over the time of a schedule: drag, keys and play; below it what happens at that cycle.

use crate::app::widgets::data_table::plain_table;
use crate::chart::SystemLanes;
use gloo_timers::callback::Timeout;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// While it plays, a step is so long and takes so much of the time.
const STEP_MS: u32 = 60;
const STEPS: f64 = 240.0;
/// Positions of the slider.
const POSITIONS: f64 = 1000.0;

/// What a [`TimeCursor`] needs.
#[derive(Properties, PartialEq)]
pub struct TimeCursorProps {
    /// The schedule.
    pub lanes: Rc<SystemLanes>,
    /// The cycle; `None` before a person takes the cursor.
    pub cycle: Option<f64>,
    /// Called with another cycle.
    pub on_cycle: Callback<f64>,
}

/// Whether a person wants no motion: then nothing plays by itself.
fn is_still() -> bool {
    let query =
        web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|query| query.matches())
}

/// The cursor's controls, with the table of its cycle.
#[component]
pub fn TimeCursor(props: &TimeCursorProps) -> Html {
    let latency = props.lanes.account.latency_cycles;
    let plays = use_state_eq(|| false);
    let cycle = props.cycle.map(|cycle| cycle.clamp(0.0, latency));
    {
        let (plays, on_cycle) = (plays.clone(), props.on_cycle.clone());
        use_effect_with((*plays, cycle.map(f64::to_bits)), move |(is_on, cycle)| {
            let now = cycle.map_or(0.0, f64::from_bits);
            let next = (now + latency / STEPS).min(latency);
            let timer = is_on.then(|| {
                Timeout::new(STEP_MS, move || match now < latency {
                    true => on_cycle.emit(next),
                    false => plays.set(false),
                })
            });
            move || drop(timer)
        });
    }
    let oninput = {
        let (on_cycle, plays) = (props.on_cycle.clone(), plays.clone());
        Callback::from(move |event: InputEvent| {
            plays.set(false);
            let input: HtmlInputElement = event.target_unchecked_into();
            on_cycle.emit(input.value_as_number() / POSITIONS * latency);
        })
    };
    let step = |label: &'static str, title: &'static str, is_later: bool, testid: &'static str| {
        let (lanes, on_cycle, plays) = (Rc::clone(&props.lanes), props.on_cycle.clone(), plays.clone());
        let onclick = move |_: MouseEvent| {
            plays.set(false);
            let next = lanes.event(cycle.unwrap_or(0.0), is_later);
            on_cycle.emit(next.unwrap_or(if is_later { latency } else { 0.0 }));
        };
        html! { <button type="button" {onclick} {title} data-testid={testid}>{ label }</button> }
    };
    let play = {
        let (plays, on_cycle) = (plays.clone(), props.on_cycle.clone());
        Callback::from(move |_: MouseEvent| {
            // At the end it begins anew.
            if !*plays && cycle.is_none_or(|cycle| cycle >= latency) {
                on_cycle.emit(0.0);
            }
            plays.set(!*plays);
        })
    };
    let position = cycle.map_or(0.0, |cycle| cycle / latency.max(1.0) * POSITIONS).round();
    let table = props.lanes.moment(cycle.unwrap_or(0.0));
    let caption = table.caption.clone();
    html! {
        <div class="time-cursor" data-testid="time-cursor">
            <div class="row start" role="group" aria-label="Time cursor">
                if !is_still() {
                    <button type="button" onclick={play} data-testid="cursor-play">{ if *plays { "Pause" } else { "Play" } }</button>
                }
                { step("◂ tile", "The last begin or end of a tile", false, "cursor-back") }
                { step("tile ▸", "The next begin or end of a tile", true, "cursor-next") }
                <input type="range" min="0" max={POSITIONS.to_string()} step="1" value={position.to_string()} {oninput}
                    aria-label="Cycle" aria-valuetext={caption.clone()} data-testid="cursor-slider" />
                <output data-testid="cursor-cycle">{ caption }</output>
            </div>
            if cycle.is_some() {
                <div class="scroll" tabindex="0" role="group" aria-label="What happens at this cycle">{ plain_table(table) }</div>
            }
        </div>
    }
}
