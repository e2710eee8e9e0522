//! Data in motion: a scrubber over the steps of a schedule of attention, and the figure of the step that is looked at.

use super::motion_player::{Looking, Player, SPEEDS};
use super::step::scrolled;
use crate::app::widgets::controls::{Choice, Picker, Select, target};
use crate::app::widgets::data_table::{Twin, plain_table};
use crate::app::widgets::figure::{Drawn, use_observed_width};
use crate::app::widgets::moving::{use_drawn, use_settled};
use crate::app::widgets::pointers::{capture, spot};
use crate::app::widgets::save::{Save, Saved, WIDTH};
use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::attention::AttentionPart;
use crate::chart::{Chart, group_thousands};
use crate::explore::{AttentionAnswer, AttentionRequest, FollowedAttention, FollowedSchedule};
use crate::question::{FollowAttention, Topic};
use crate::state::{Action, AttentionChange, AttentionForm};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`MotionCard`].
#[derive(Properties, PartialEq)]
pub struct MotionCardProps {
    /// What is asked.
    pub request: Rc<AttentionRequest>,
    /// What was found for it.
    pub answer: Rc<AttentionAnswer>,
    /// What is looked at.
    pub form: AttentionForm,
    /// Called with every change.
    pub act: Callback<Action>,
    /// Asks workers.
    pub workers: Workers,
}

/// The schedule that is followed: one of a kind, or the best.
fn followed(form: &AttentionForm, attention: &AttentionPart) -> FollowedSchedule {
    let fusion = form.kind().unwrap_or(attention.best.schedule.fusion);
    if let Some((queries, keys)) = form.tile() {
        return FollowedSchedule::BestWith(fusion, queries, keys);
    }
    let found = &attention.found;
    let best = match (form.kind(), form.recomputes()) {
        (_, true) => found.recomputed,
        (None, false) => Some(attention.best),
        (Some(kind), false) => found.best_of.iter().find(|(fusion, _)| *fusion == kind).and_then(|(_, best)| *best),
    };
    FollowedSchedule::Exactly(best.unwrap_or(attention.best).schedule)
}

/// Which schedule is followed, and its steps.
#[component]
pub fn MotionCard(props: &MotionCardProps) -> Html {
    let Some(attention) = &props.answer.layer.attention else { return html! {} };
    let schedule = followed(&props.form, attention);
    let question = FollowAttention { request: Rc::clone(&props.request), schedule };
    let answers = use_answers(&props.workers, Topic::AttentionMotion, vec![question]);
    let of = answers.shown().next().cloned();
    let change = props.act.reform(Action::Attention);
    let mut kinds = vec![Choice::new("", "the best")];
    let fitting = attention.found.best_of.iter().filter(|(_, best)| best.is_some());
    kinds.extend(fitting.map(|(fusion, _)| Choice::new(AttentionForm::word_of(*fusion), fusion.name())));
    if attention.found.recomputed.is_some() {
        kinds.push(Choice::new(AttentionForm::RECOMPUTED, "keys recomputed"));
    }
    let tile = props.form.tile();
    let look = |kind: String| AttentionChange::Look { kind, tile: String::new() };
    let own_tiles = {
        let kind = props.form.kind.clone();
        change.reform(move |_: MouseEvent| look(kind.clone()))
    };
    html! {
        <section class={classes!("card", "motion", answers.are_old().then_some("old"))} data-testid="attention-motion"
            data-status={answers.status()}>
            <h2>{ "Data in motion" }</h2>
            <p class="hint">
                { "The scores of one head, tile by tile: which data stays on the chip, which streams past, and what each step moves. \
                   The other heads and sequences do the same." }
            </p>
            <div class="row followed">
                <Select label="Schedule" choices={kinds} value={props.form.kind.clone()}
                    onchange={change.reform(look)} testid="attention-kind" />
                if let Some((queries, keys)) = tile {
                    <span>
                        { format!("in tiles of {} queries and {} keys ", group_thousands(queries), group_thousands(keys)) }
                        <button type="button" class="link" onclick={own_tiles} data-testid="attention-best-tiles">
                            { "take its best tiles" }
                        </button>
                    </span>
                }
            </div>
            if let Some(refusal) = answers.refusal() {
                <p class="why" data-testid="attention-motion-refused">{ refusal.to_string() }</p>
            } else if let Some(of) = of {
                <Moves {of} />
            } else {
                <p class="hint motion-waits awaited">{ "Following the tiles …" }</p>
            }
        </section>
    }
}

#[derive(Properties)]
struct MovesProps {
    of: Rc<FollowedAttention>,
}

impl PartialEq for MovesProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.of, &other.of)
    }
}

const KEYS: &str = "Attention in motion: left and right arrow lead from step to step, up and down to the tile of queries above and below, \
                    Home to the first step, End to the last, space plays and stops";

#[component]
fn Moves(props: &MovesProps) -> Html {
    let looking = use_memo((), |()| Looking::default());
    let player = Player { looking: Rc::clone(&looking), of: Rc::clone(&props.of), update: use_force_update() };
    player.attend();
    use_effect_with((), move |()| move || looking.leave());
    let (view, canvas) = (use_node_ref(), use_node_ref());
    let width = use_observed_width(&view);
    let chart = player.chart();
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
    html! {
        <figure data-testid="attention-motion-figure" data-step={player.step().to_string()}>
            <figcaption class="sr-only">{ "Scores of a head and what moves in one step" }</figcaption>
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
                    }
                })}
                onpointerup={pointer(|player, _, _, _| player.up())}
                onpointercancel={pointer(|player, _, _, _| player.up())}
                data-testid="attention-motion-view"
            >
                <canvas ref={canvas} role="img" aria-label={settled.describe()} />
                <div class="sr-only" aria-live="polite">{ settled.describe() }</div>
            </div>
            { scrubber(&player) }
            <p class="why told" data-testid="attention-motion-story">{ chart.story() }</p>
            <div class="saves"><Save what={Saved::Figure(Drawn::new(settled.clone()), WIDTH)} /></div>
            <Twin label="what this step moves, as a table" cells={usize::MAX} {table} />
            <details class="twin">
                <summary>{ "all steps together" }</summary>
                { scrolled(settled.sums()) }
            </details>
        </figure>
    }
}

/// A slider over the steps, one over the tiles of queries, a button that plays, and how fast.
fn scrubber(player: &Player) -> Html {
    let motion = &player.of.motion;
    let (step, steps, tiles) = (player.step(), motion.steps(), motion.tiles.len() as u64);
    let slide = |does: fn(&Player, u64)| {
        let player = player.clone();
        Callback::from(move |event: InputEvent| {
            let value = target::<HtmlInputElement>(&event).map(|field| field.value_as_number());
            if let Some(value) = value.filter(|value| value.is_finite() && *value >= 0.0) {
                does(&player, value as u64);
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
    let toggle = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.toggle())
    };
    let by = |title: &'static str, label: &'static str, testid: &'static str, is_on: bool| {
        let player = player.clone();
        let onclick = Callback::from(move |_: MouseEvent| player.turn(is_on));
        html! { <button type="button" aria-label={label} title={label} {onclick} data-testid={testid}>{ title }</button> }
    };
    let onspeed = {
        let player = player.clone();
        Callback::from(move |value: String| player.set_speed(&value))
    };
    let speeds: Vec<Choice> = SPEEDS.iter().map(|(name, title, _)| Choice::new(*name, *title)).collect();
    let is_playing = player.is_playing();
    let slider = |title: &'static str, most: u64, value: u64, does: fn(&Player, u64), testid: &'static str| {
        html! {
            if most > 0 {
                <label>
                    <span>{ title }</span>
                    <input
                        type="range"
                        min="0"
                        max={most.to_string()}
                        value={value.to_string()}
                        aria-valuetext={player.chart().title()}
                        oninput={slide(does)}
                        data-testid={testid}
                    />
                </label>
            }
        }
    };
    html! {
        <div class="scrubber" {onkeydown}>
            <div class="row" role="group" aria-label="Steps">
                { by("←", "The step before", "attention-motion-before", false) }
                <button
                    type="button"
                    class="primary play"
                    aria-pressed={is_playing.to_string()}
                    onclick={toggle}
                    data-testid="attention-motion-play"
                >
                    { if is_playing { "Stop" } else { "Play" } }
                </button>
                { by("→", "The next step", "attention-motion-after", true) }
                <span class="play">
                    <Picker label="Speed" choices={speeds} value={player.speed()} onchange={onspeed} testid="attention-motion-speed" />
                </span>
            </div>
            { slider("step", steps - 1, step, Player::look, "attention-motion-steps") }
            { slider("tile of queries", tiles - 1, player.tile(), Player::look_at_tile, "attention-motion-tiles") }
        </div>
    }
}
