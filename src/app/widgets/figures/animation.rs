//! A figure that changes step by step, its pointers and keys, and its scrubber.

use super::figure::{Drawn, use_observed_width};
use super::lit_parts::{LitParts, point_in};
use super::moving::{use_drawn, use_settled};
use super::player::{AnimationFrame, Player, Slider, is_still, use_player};
use crate::app::widgets::pointing::pointers::{capture, spot};
use crate::chart::Chart;
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// Names of a figure and its scrubber.
pub struct FigureLabels {
    /// Prefix of the test ids of its parts.
    pub testid: &'static str,
    /// Accessible description: the figure and its keys, except for the space bar.
    pub keys: &'static str,
    /// What one step is, in the plural.
    pub steps: &'static str,
    /// Labels of the buttons back and forward.
    pub buttons: [&'static str; 2],
}

/// A figure of one step of a view.
pub trait AnimatedFigure: AnimationFrame + Chart {
    /// What a drag moves.
    type Grip: Copy + 'static;
    const LABELS: FigureLabels;

    /// The step that a key leads to, besides left and right arrow; `None` for a key without a meaning.
    fn keyed(&self, key: &str) -> Option<Self>;

    /// The step that a press leads to, and what a drag from there moves; `None` where there is nothing to press.
    fn pressed(&self, at: (f64, f64), width: u32) -> Option<(Self, Option<Self::Grip>)>;

    /// The step that a drag leads to.
    fn dragged(&self, grip: Self::Grip, at: (f64, f64), width: u32) -> Option<Self>;
}

/// A figure on the page with its player.
pub struct Animation<S: AnimatedFigure> {
    pub player: Player<S>,
    /// The last step at rest.
    pub settled: S,
    grip: Rc<Cell<Option<S::Grip>>>,
    view: NodeRef,
    canvas: NodeRef,
    width: u32,
}

impl<S: AnimatedFigure> Clone for Animation<S> {
    fn clone(&self) -> Self {
        Self {
            player: self.player.clone(),
            settled: self.settled.clone(),
            grip: Rc::clone(&self.grip),
            view: self.view.clone(),
            canvas: self.canvas.clone(),
            width: self.width,
        }
    }
}

/// The figure of a player ([`use_player`]).
#[hook]
pub fn use_animation<S: AnimatedFigure, K: Clone + PartialEq + 'static>(
    start: S,
    of: K,
    linked: Option<S>,
) -> Animation<S> {
    let player = use_player(start, of, linked);
    let grip = use_memo((), |()| Cell::new(None));
    let (view, canvas) = (use_node_ref(), use_node_ref());
    let width = use_observed_width(&view);
    let now = player.now();
    use_drawn(&canvas, &now, width);
    Animation { player, settled: use_settled(&now), grip, view, canvas, width }
}

impl<S: AnimatedFigure> Animation<S> {
    /// Handles a key; whether the key has a meaning here.
    fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let now = self.player.now();
        let next = match event.key().as_str() {
            " " if is_still() => return false,
            " " => {
                self.player.toggle();
                return true;
            }
            "ArrowLeft" => Some(now.before().unwrap_or(now)),
            "ArrowRight" => Some(now.after().unwrap_or(now)),
            key => now.keyed(key),
        };
        let means_something = next.is_some();
        next.into_iter().for_each(|next| self.player.look(next));
        means_something
    }

    /// Starts a drag, which captures the pointer.
    fn down(&self, event: &PointerEvent) {
        let Some(at) = spot(&self.view, event) else { return };
        let Some((next, grip)) = self.player.now().pressed(at, self.width) else { return };
        self.grip.set(grip);
        if grip.is_some() {
            capture(&self.view, event.pointer_id());
        }
        self.player.look(next);
    }

    /// Continues a drag, or highlights the part under the pointer.
    fn moves(&self, event: &PointerEvent) {
        let Some(at) = spot(&self.view, event) else { return };
        let now = self.player.now();
        match self.grip.get() {
            Some(grip) => {
                point_in(&now, self.width, None);
                now.dragged(grip, at, self.width).into_iter().for_each(|next| self.player.look(next));
            }
            None => point_in(&now, self.width, Some(at)),
        }
    }

    pub fn view(&self) -> Html {
        let FigureLabels { testid, keys, .. } = S::LABELS;
        let told = self.settled.describe();
        let pointer = |does: fn(&Self, &PointerEvent)| {
            let stage = self.clone();
            Callback::from(move |event: PointerEvent| does(&stage, &event))
        };
        let up = pointer(|stage, _| stage.grip.set(None));
        html! {
            <div
                class="motion-view"
                ref={self.view.clone()}
                tabindex="0"
                role="application"
                aria-label={if is_still() { keys.to_owned() } else { format!("{keys}, space plays and stops") }}
                onkeydown={self.onkeydown(|_| true)}
                onpointerdown={pointer(Self::down)}
                onpointermove={pointer(Self::moves)}
                onpointerup={up.clone()}
                onpointercancel={up}
                onpointerleave={pointer(|stage, _| point_in(&stage.player.now(), stage.width, None))}
                data-testid={format!("{testid}-view")}
            >
                <canvas ref={self.canvas.clone()} role="img" aria-label={told.clone()} />
                <LitParts chart={Drawn::new(self.settled.clone())} width={self.width} />
                <div class="sr-only" aria-live="polite">{ told }</div>
            </div>
        }
    }

    fn onkeydown(&self, hears: fn(&str) -> bool) -> Callback<KeyboardEvent> {
        let stage = self.clone();
        Callback::from(move |event: KeyboardEvent| {
            if hears(&event.key()) && stage.key(&event) {
                event.prevent_default();
            }
        })
    }

    /// Buttons, speeds and sliders; sliders with a single position are left out. `more` is added by the view.
    pub fn scrubber(&self, sliders: Vec<Slider<S>>, more: Html) -> Html {
        let FigureLabels { testid, steps, buttons: [before, after], .. } = S::LABELS;
        let player = &self.player;
        let slider =
            |slider: &Slider<S>| html! { <label><span>{ slider.title }</span>{ player.slider(slider) }</label> };
        html! {
            <div class="scrubber" onkeydown={self.onkeydown(|key| key == " ")}>
                <div class="row" role="group" aria-label={steps}>
                    { player.button("←", before, format!("{testid}-before"), S::before) }
                    { player.play_button(format!("{testid}-play")) }
                    { player.button("→", after, format!("{testid}-after"), S::after) }
                    { player.speeds(format!("{testid}-speed")) }
                </div>
                { for sliders.iter().filter(|slider| slider.last > 0).map(slider) }
                { more }
            </div>
        }
    }
}
