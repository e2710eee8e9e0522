//! Data in motion: a scrubber over the tiles and layers of a stack, and the figure of the step that is looked at.

use super::layer_loops::LayerLoops;
use super::motion_player::{Looking, Player, Speed};
use crate::app::widgets::controls::{Choice, Picker, target};
use crate::app::widgets::data_table::{Twin, plain_table};
use crate::app::widgets::figure::{Drawn, use_observed_width};
use crate::app::widgets::lit_parts::{LitParts, point_in};
use crate::app::widgets::moving::{use_drawn, use_settled};
use crate::app::widgets::pointers::{capture, spot};
use crate::app::widgets::save::{Save, Saved, WIDTH};
use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::chart::{Chart, MovingStack, group_thousands, memory_motion_table};
use crate::depth_first::{PointAccount, Step};
use crate::explore::Request;
use crate::question::{FollowTiles, Topic};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`MotionPanel`].
#[derive(Properties)]
pub struct MotionPanelProps {
    /// The point.
    pub account: Rc<PointAccount>,
    /// Which of its stacks.
    pub stack: usize,
    /// The tile type that is looked into; without one, the one that most tiles are of.
    pub tile_type: Option<usize>,
    /// The step at which it stands at first; without one, or if there is no such step, the first of the tile type.
    pub step: Option<usize>,
    /// Called with the step at which a person came to rest.
    pub on_rest: Callback<usize>,
    /// The design; `None` while its schedule has errors.
    pub request: Option<Rc<Request>>,
    /// Asks workers.
    pub workers: Workers,
    /// What stands beside the heading.
    pub children: Html,
}

impl PartialEq for MotionPanelProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.account, &other.account)
            && (self.stack, self.tile_type) == (other.stack, other.tile_type)
            && self.request == other.request
            && self.on_rest == other.on_rest
            && self.children == other.children
    }
}

/// The places of the tiles are asked of a worker, once a stack.
#[component]
pub fn MotionPanel(props: &MotionPanelProps) -> Html {
    let question = props.request.clone().map(|request| FollowTiles {
        request,
        strategy: props.account.strategy.clone(),
        stack: props.stack as u32,
    });
    let answers = use_answers(&props.workers, Topic::Motion, question.into_iter().collect());
    let reply = answers.reply(0).cloned();
    let moving = use_memo((ByAddress(Rc::clone(&props.account)), props.stack, reply), |(account, stack, motion)| {
        MovingStack::new(Rc::clone(&account.0), *stack, Rc::clone(motion.as_ref()?)).map(Rc::new)
    });
    // The last picture stays until the next is known.
    let kept = use_mut_ref(|| None::<Rc<MovingStack>>);
    let is_old = moving.is_none() && answers.refusal().is_none();
    if !is_old {
        kept.replace((*moving).clone());
    }
    let shown = kept.borrow().clone();
    let body = match (&shown, answers.refusal()) {
        (Some(moving), None) => html! {
           <Moves
               moving={Rc::clone(moving)}
               tile_type={props.tile_type}
               step={props.step}
               on_rest={props.on_rest.clone()}
               request={props.request.clone()}
               workers={props.workers.clone()}
           />
        },
        (_, Some(refusal)) => html! { <p class="hint" data-testid="motion-refused">{ refusal.to_string() }</p> },
        (None, None) => html! { <p class="hint motion-waits awaited">{ "Following the tiles …" }</p> },
    };
    html! {
        <section class="card motion" aria-busy={is_old.then_some("true")} data-testid="motion">
            <h2>{ "Data in motion" }{ props.children.clone() }</h2>
            { body }
        </section>
    }
}

/// An account that is compared by its address.
#[derive(Clone)]
struct ByAddress(Rc<PointAccount>);

impl PartialEq for ByAddress {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Properties)]
struct MovesProps {
    moving: Rc<MovingStack>,
    tile_type: Option<usize>,
    step: Option<usize>,
    on_rest: Callback<usize>,
    request: Option<Rc<Request>>,
    workers: Workers,
}

impl PartialEq for MovesProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.moving, &other.moving)
            && (self.tile_type, &self.request, &self.on_rest) == (other.tile_type, &other.request, &other.on_rest)
    }
}

const KEYS: &str = "Data in motion: left and right arrow lead from layer to layer, up and down from tile to tile, page up and page down \
                    to the row of tiles above and below, Home to the first step, End to the last, space plays and stops";

#[component]
fn Moves(props: &MovesProps) -> Html {
    let looking = use_memo((), |()| Looking::default());
    let player = Player { looking: Rc::clone(&looking), moving: Rc::clone(&props.moving), update: use_force_update() };
    player.attend(props.tile_type, props.step);
    use_effect_with((), move |()| move || looking.leave());
    let (view, canvas) = (use_node_ref(), use_node_ref());
    let width = use_observed_width(&view);
    let chart = player.chart();
    use_drawn(&canvas, &chart, width);
    let settled = use_settled(&chart);
    // A link leads to the step at which a person rests; the first is not worth a word.
    let step = props.moving.number_of(settled.step);
    let is_first = settled.step == props.moving.first_step(props.tile_type) && props.step.is_none();
    let rests = !is_first && props.step != Some(step) && Rc::ptr_eq(&settled.moving, &props.moving);
    use_effect_with((rests.then_some(step), props.on_rest.clone()), |(step, on_rest)| {
        step.iter().for_each(|step| on_rest.emit(*step));
    });
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
    let memories = use_callback(settled.clone(), |(), settled| plain_table(memory_motion_table(settled)));
    let maps = use_callback(settled.clone(), |(), settled| plain_table(settled.table()));
    html! {
        <>
        <figure
            data-testid="motion-figure"
            data-tile={player.step().tile.to_string()}
            data-node={player.step().node.index().to_string()}
        >
            <figcaption class="sr-only">{ "Feature maps and memories of one step" }</figcaption>
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
                        point_in(&player.chart(), width, Some(at).filter(|_| !player.is_dragging()));
                    }
                })}
                onpointerup={pointer(|player, _, _, _| player.up())}
                onpointercancel={pointer(|player, _, _, _| player.up())}
                onpointerleave={pointer(|player, _, _, width| point_in(&player.chart(), width, None))}
                data-testid="motion-view"
            >
                <canvas ref={canvas} role="img" aria-label={settled.describe()} />
                <LitParts chart={Drawn::new(settled.clone())} {width} />
                <div class="sr-only" aria-live="polite">{ settled.describe() }</div>
            </div>
            { scrubber(&player) }
            <div class="saves"><Save what={Saved::Figure(Drawn::new(settled.clone()), WIDTH)} /></div>
            <Twin label="pixels as a table" cells={usize::MAX} table={maps} />
            <Twin label="memories as a table" cells={usize::MAX} table={memories} />
        </figure>
        // Not in the figure, whose controls stay in sight as long as it is.
        <LayerLoops motion={settled} request={props.request.clone()} workers={props.workers.clone()} />
        </>
    }
}

/// Two sliders, a button that plays, and how fast.
fn scrubber(player: &Player) -> Html {
    let (motion, step) = (&player.moving.motion, player.step());
    let tiles = motion.tile_count();
    let name = motion.maps.get(step.node).map_or("", |map| map.layer.as_str());
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
    let columns = motion.columns.len().max(1) as u64;
    let place = format!(
        "tile {} of {}, column {}, row {}",
        group_thousands(step.tile + 1),
        group_thousands(tiles),
        step.tile % columns + 1,
        step.tile / columns + 1
    );
    let toggle = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.toggle())
    };
    let ends = |title: &'static str, label: &'static str, testid: &'static str, to: fn(&Player) -> Option<Step>| {
        let player = player.clone();
        let onclick = Callback::from(move |_: MouseEvent| player.look(to(&player).unwrap_or(player.step())));
        html! { <button type="button" aria-label={label} title={label} {onclick} data-testid={testid}>{ title }</button> }
    };
    let onspeed = {
        let player = player.clone();
        Callback::from(move |value: String| {
            let found = Speed::ALL.iter().find(|(_, name, _)| *name == value);
            found.into_iter().for_each(|(speed, ..)| player.set_speed(*speed));
        })
    };
    let speeds = Speed::ALL.iter().map(|(_, name, title)| Choice::new(*name, *title)).collect::<Vec<_>>();
    let is_playing = player.is_playing();
    html! {
        <div class="scrubber" {onkeydown}>
            <div class="row" role="group" aria-label="Steps">
                { ends("←", "The layer before", "motion-before", |player| player.moving.motion.before(player.step())) }
                <button
                    type="button"
                    class="primary play"
                    aria-pressed={is_playing.to_string()}
                    onclick={toggle}
                    data-testid="motion-play"
                >
                    { if is_playing { "Stop" } else { "Play" } }
                </button>
                { ends("→", "The next layer", "motion-after", |player| player.moving.motion.after(player.step())) }
                <span class="play">
                    <Picker
                        label="Speed"
                        choices={speeds}
                        value={player.speed().name()}
                        onchange={onspeed}
                        testid="motion-speed"
                    />
                </span>
            </div>
            if tiles > 1 {
                <label>
                    <span>{ "tile" }</span>
                    <input
                        type="range"
                        min="0"
                        max={(tiles - 1).to_string()}
                        value={step.tile.to_string()}
                        aria-valuetext={place}
                        oninput={slide(|player, tile| player.tile(tile))}
                        data-testid="motion-tiles"
                    />
                </label>
            }
            <label>
                <span>{ "layer" }</span>
                <input
                    type="range"
                    min="0"
                    max={motion.maps.len().saturating_sub(1).to_string()}
                    value={step.node.index().to_string()}
                    aria-valuetext={name.to_owned()}
                    oninput={slide(|player, node| player.layer(node as usize))}
                    data-testid="motion-layers"
                />
            </label>
        </div>
    }
}
