//! The loops of a layer as they turn: the figure of a step, and what leads from step to step: sliders, keys, a drag over a loop, play.

use super::controls::{Choice, Picker, target};
use super::data_table::{Twin, plain_table};
use super::figure::{Drawn, use_observed_width};
use super::lit_parts::{LitParts, point_in};
use super::moving::{use_drawn, use_settled};
use super::pointers::{capture, spot};
use super::save::{Save, Saved, WIDTH};
use crate::app::platform::timer::{before_next_frame, now_ms};
use crate::chart::{Chart, Turns, group_thousands};
use crate::cost::LoopTurns;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Turning`].
#[derive(Properties)]
pub struct TurningProps {
    /// The loops.
    pub turns: Rc<LoopTurns>,
    /// The layer.
    pub layer: Rc<str>,
}

impl PartialEq for TurningProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.turns, &other.turns) && self.layer == other.layer
    }
}

/// How fast it plays: its value in the list, its name, steps a second.
const SPEEDS: [(&str, &str, f64); 4] = [
    ("steps-2", "2 steps a second", 2.0),
    ("steps-8", "8 steps a second", 8.0),
    ("steps-60", "60 steps a second", 60.0),
    ("steps-1000", "1,000 steps a second", 1000.0),
];

/// What changes while a person looks. It is newer than what is drawn when several things happen in a frame.
struct Looking {
    now: RefCell<Option<Turns>>,
    /// When it began to play and from which step; `None` while it stands.
    playing: Cell<Option<(f64, u64)>>,
    speed: Cell<usize>,
    /// The loop that a pointer drags over.
    dragged: Cell<Option<usize>>,
    is_gone: Cell<bool>,
}

/// What is looked at, and how it is drawn again.
#[derive(Clone)]
struct Player {
    looking: Rc<Looking>,
    update: UseForceUpdateHandle,
}

impl Player {
    /// Another layer is looked at from its first step on. Where the same loops only cost something else, the step stays.
    fn attend(&self, props: &TurningProps) {
        let before = self.looking.now.borrow().clone();
        if before.as_ref().is_some_and(|now| Rc::ptr_eq(&now.turns, &props.turns) && now.layer == props.layer) {
            return;
        }
        let same = before.filter(|now| now.turns.order == props.turns.order && now.layer == props.layer);
        let (turns, layer) = (Rc::clone(&props.turns), Rc::clone(&props.layer));
        let next = match same {
            Some(now) => Turns { turns, layer, ..now },
            None => {
                self.looking.playing.set(None);
                Turns::new(turns, layer)
            }
        };
        self.looking.now.replace(Some(next));
    }

    fn chart(&self, props: &TurningProps) -> Turns {
        let now = self.looking.now.borrow().clone();
        now.unwrap_or_else(|| Turns::new(Rc::clone(&props.turns), Rc::clone(&props.layer)))
    }

    fn change(&self, change: impl FnOnce(&mut Turns)) {
        if let Some(now) = &mut *self.looking.now.borrow_mut() {
            change(now);
            now.step = now.step.min(now.turns.steps(now.depth).saturating_sub(1));
        }
        self.update.force_update();
    }

    /// Looks at a step, and plays no more.
    fn look(&self, step: u64) {
        self.looking.playing.set(None);
        self.change(|now| now.step = step);
    }

    /// So many steps on, or back.
    fn turn(&self, by: u64, is_on: bool) {
        let step = self.looking.now.borrow().as_ref().map_or(0, |now| now.step);
        self.look(if is_on { step.saturating_add(by) } else { step.saturating_sub(by) });
    }

    /// Lets another number of loops run through within a step; the same iteration stays in sight.
    fn depth(&self, depth: usize) {
        self.looking.playing.set(None);
        self.change(|now| {
            let first = now.step * now.turns.cycles(now.depth) / now.turns.iteration_cycles.max(1);
            now.depth = depth.min(now.turns.order.len());
            now.step = first / (now.turns.cycles(now.depth) / now.turns.iteration_cycles.max(1)).max(1);
        });
    }

    fn is_playing(&self) -> bool {
        self.looking.playing.get().is_some()
    }

    fn toggle(&self) {
        if self.is_playing() {
            self.looking.playing.set(None);
            self.update.force_update();
            return;
        }
        self.change(|now| {
            if now.step + 1 >= now.turns.steps(now.depth) {
                now.step = 0;
            }
        });
        self.begin();
        self.clone().play();
    }

    fn begin(&self) {
        let step = self.looking.now.borrow().as_ref().map_or(0, |now| now.step);
        self.looking.playing.set(Some((now_ms(), step)));
        self.update.force_update();
    }

    /// Goes as far as the time says before every frame.
    fn play(self) {
        before_next_frame(move || {
            let Some((start, first)) = self.looking.playing.get().filter(|_| !self.looking.is_gone.get()) else {
                return;
            };
            let speed = SPEEDS.get(self.looking.speed.get()).map_or(1.0, |(.., speed)| *speed);
            let due = first.saturating_add(((now_ms() - start).max(0.0) / 1000.0 * speed) as u64);
            let last = self.looking.now.borrow().as_ref().map_or(0, |now| now.turns.steps(now.depth) - 1);
            if due >= last {
                self.looking.playing.set(None);
            }
            self.change(|now| now.step = due);
            if due < last {
                self.play();
            }
        });
    }

    /// What a key does; `false` where it does nothing.
    fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let outer = |loops: usize| {
            let now = self.looking.now.borrow();
            let sizes =
                now.as_ref().map(|now| now.turns.order.iter().skip(now.depth).take(loops).map(|next| next.size));
            sizes.map_or(1, |sizes| sizes.product::<u64>())
        };
        match event.key().as_str() {
            "ArrowRight" => self.turn(1, true),
            "ArrowLeft" => self.turn(1, false),
            "ArrowDown" => self.turn(outer(1), true),
            "ArrowUp" => self.turn(outer(1), false),
            "PageDown" => self.turn(outer(2), true),
            "PageUp" => self.turn(outer(2), false),
            "Home" => self.look(0),
            "End" => self.look(u64::MAX),
            " " => self.toggle(),
            _ => return false,
        }
        true
    }

    /// A pointer goes down on a place of the figure; whether it drags from there.
    fn down(&self, at: (f64, f64), width: u32) -> bool {
        let Some(now) = self.looking.now.borrow().clone() else { return false };
        let Some(hit) = now.hit(at.0, at.1, width) else { return false };
        if hit.place < now.depth {
            self.depth(hit.place);
            return false;
        }
        self.looking.dragged.set(Some(hit.place));
        self.look(now.step_at(hit));
        true
    }

    /// It is over a place, and drags nothing.
    fn point(&self, at: Option<(f64, f64)>, width: u32) {
        if let (None, Some(now)) = (self.looking.dragged.get(), self.looking.now.borrow().clone()) {
            point_in(&now, width, at);
        }
    }

    /// It moves.
    fn drag(&self, at: (f64, f64), width: u32) {
        let (Some(place), Some(now)) = (self.looking.dragged.get(), self.looking.now.borrow().clone()) else { return };
        if let Some(step) = now.step_along(place, at.0, width) {
            self.look(step);
        }
    }
}

const KEYS: &str = "Loops as they turn: left and right arrow lead from step to step, up and down by a turn of the next outer loop, page up \
                    and page down by a turn of the one after it, Home to the first step, End to the last, space plays and stops";

/// The figure and its controls.
#[component]
pub fn Turning(props: &TurningProps) -> Html {
    let looking = use_memo((), |()| Looking {
        now: RefCell::default(),
        playing: Cell::default(),
        speed: Cell::new(1),
        dragged: Cell::default(),
        is_gone: Cell::default(),
    });
    let player = Player { looking: Rc::clone(&looking), update: use_force_update() };
    player.attend(props);
    use_effect_with((), move |()| move || looking.is_gone.set(true));
    let (view, canvas) = (use_node_ref(), use_node_ref());
    let width = use_observed_width(&view);
    let chart = player.chart(props);
    use_drawn(&canvas, &chart, width);
    let settled = use_settled(&chart);
    let onkeydown = {
        let player = player.clone();
        Callback::from(move |event: KeyboardEvent| {
            if player.key(&event) {
                event.prevent_default();
            }
        })
    };
    let pointer = |does: fn(&Player, &NodeRef, &PointerEvent, u32)| {
        let (player, view) = (player.clone(), view.clone());
        Callback::from(move |event: PointerEvent| does(&player, &view, &event, width))
    };
    let table = use_callback(settled.clone(), |(), settled| plain_table(settled.table()));
    let up = pointer(|player, _, _, _| player.looking.dragged.set(None));
    html! {
        <figure
            data-testid="turns-figure"
            data-step={chart.step.to_string()}
            data-steps={chart.turns.steps(chart.depth).to_string()}
            data-depth={chart.depth.to_string()}
        >
            <figcaption class="sr-only">{ "Loops of a layer, and what lies in each memory" }</figcaption>
            <div
                class="motion-view"
                ref={view.clone()}
                tabindex="0"
                role="application"
                aria-label={KEYS}
                {onkeydown}
                onpointerdown={pointer(|player, view, event, width| {
                    if spot(view, event).is_some_and(|at| player.down(at, width)) {
                        capture(view, event);
                    }
                })}
                onpointermove={pointer(|player, view, event, width| {
                    if let Some(at) = spot(view, event) {
                        player.drag(at, width);
                        player.point(Some(at), width);
                    }
                })}
                onpointerup={up.clone()}
                onpointercancel={up}
                onpointerleave={pointer(|player, _, _, width| player.point(None, width))}
                data-testid="turns-view"
            >
                <canvas ref={canvas} role="img" aria-label={settled.describe()} />
                <LitParts chart={Drawn::new(settled.clone())} {width} />
                <div class="sr-only" aria-live="polite">{ settled.describe() }</div>
            </div>
            { scrubber(&player, &chart) }
            <div class="saves"><Save what={Saved::Figure(Drawn::new(settled.clone()), WIDTH)} /></div>
            <Twin label="what lies where as a table" cells={usize::MAX} {table} />
        </figure>
    }
}

/// A slider over the steps, what a step is, a button that plays, and how fast.
fn scrubber(player: &Player, chart: &Turns) -> Html {
    let steps = chart.turns.steps(chart.depth);
    let onstep = {
        let player = player.clone();
        Callback::from(move |event: InputEvent| {
            let value = target::<HtmlInputElement>(&event).map(|field| field.value_as_number());
            if let Some(value) = value.filter(|value| value.is_finite() && *value >= 0.0) {
                player.look(value as u64);
            }
        })
    };
    let onkeydown = {
        let player = player.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == " " && player.key(&event) {
                event.prevent_default();
            }
        })
    };
    let by = |title: &'static str, label: &'static str, testid: &'static str, is_on: bool| {
        let player = player.clone();
        let onclick = Callback::from(move |_: MouseEvent| player.turn(1, is_on));
        html! { <button type="button" aria-label={label} title={label} {onclick} data-testid={testid}>{ title }</button> }
    };
    let toggle = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.toggle())
    };
    let onspeed = {
        let player = player.clone();
        Callback::from(move |value: String| {
            if let Some(speed) = SPEEDS.iter().position(|(name, ..)| *name == value) {
                player.looking.speed.set(speed);
                if player.is_playing() {
                    player.begin();
                }
                player.update.force_update();
            }
        })
    };
    let speeds: Vec<Choice> = SPEEDS.iter().map(|(name, title, _)| Choice::new(*name, *title)).collect();
    let ondepth = {
        let player = player.clone();
        Callback::from(move |value: String| value.parse().into_iter().for_each(|depth| player.depth(depth)))
    };
    let depths: Vec<Choice> = (0..chart.turns.order.len())
        .rev()
        .map(|depth| {
            let next = chart.turns.order[depth];
            let steps = group_thousands(chart.turns.steps(depth));
            Choice::new(depth.to_string(), format!("{} {}: {steps} steps", next.dim, next.size))
        })
        .collect();
    let is_playing = player.is_playing();
    html! {
        <div class="scrubber" {onkeydown}>
            <div class="row" role="group" aria-label="Steps of the loops">
                { by("←", "The step before", "turns-before", false) }
                <button
                    type="button"
                    class="primary play"
                    aria-pressed={is_playing.to_string()}
                    onclick={toggle}
                    data-testid="turns-play"
                >
                    { if is_playing { "Stop" } else { "Play" } }
                </button>
                { by("→", "The next step", "turns-after", true) }
                <span class="play">
                    <Picker
                        label="Speed"
                        choices={speeds}
                        value={SPEEDS.get(player.looking.speed.get()).map_or("", |(name, ..)| *name)}
                        onchange={onspeed}
                        testid="turns-speed"
                    />
                </span>
            </div>
            if steps > 1 {
                <label>
                    <span>{ "step" }</span>
                    <input
                        type="range"
                        min="0"
                        max={(steps - 1).to_string()}
                        value={chart.step.to_string()}
                        aria-valuetext={chart.title()}
                        oninput={onstep}
                        data-testid="turns-steps"
                    />
                </label>
            }
            <label>
                <span>{ "a step turns" }</span>
                <Picker choices={depths} value={chart.depth.to_string()} onchange={ondepth} testid="turns-depth" />
            </label>
        </div>
    }
}
