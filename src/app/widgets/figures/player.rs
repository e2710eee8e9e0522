//! Playback of a view step by step: the current step, and the buttons, sliders and timer that change it.
//!
//! A view defines its steps ([`AnimationFrame`]). Where a step is a figure, `animation.rs` draws it and handles
//! pointers and keys.

use crate::app::platform::timer::{before_next_frame, now_ms};
use crate::app::widgets::forms::controls::{ChoiceOption, Picker, passing, target};
use crate::chart::group_thousands;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Speed of playback.
pub struct Speed {
    /// Units per second.
    pub count: u32,
    /// The unit in the singular: a step, or a longer part such as a tile.
    pub unit: &'static str,
}

impl Speed {
    fn value(&self) -> String {
        format!("{}s-{}", self.unit, self.count)
    }

    fn title(&self) -> String {
        format!(
            "{} {}{} a second",
            group_thousands(u64::from(self.count)),
            self.unit,
            if self.count == 1 { "" } else { "s" }
        )
    }
}

/// A step of a view; everything drawn follows from it.
pub trait AnimationFrame: Clone + PartialEq + 'static {
    /// Speeds, from slow to fast. The default is the second, or the only one.
    const SPEEDS: &'static [Speed];

    /// `None` for the first step.
    fn before(&self) -> Option<Self>;

    /// `None` for the last step.
    fn after(&self) -> Option<Self>;

    /// The step `count` units further, at least one step, at most the last step; `None` from the last.
    fn ahead(&self, count: u64, unit: &str) -> Option<Self>;

    /// The step from which playback begins when the current one is the last.
    fn rewound(&self, unit: &str) -> Self;

    /// The corresponding step after the view changed to `start`, if it has the same steps with other costs; `None` if
    /// playback begins anew.
    fn kept(&self, _start: &Self) -> Option<Self> {
        None
    }
}

/// State that changes between renders; it is newer than what is drawn when several events happen in one frame.
struct Looking<S> {
    now: RefCell<S>,
    /// Start time of playback and units played since; `None` while stopped.
    playing: Cell<Option<(f64, u64)>>,
    speed: Cell<usize>,
    /// Whether a frame callback is pending.
    is_due: Cell<bool>,
    is_gone: Cell<bool>,
}

/// The current step and its controls.
pub struct Player<S> {
    looking: Rc<Looking<S>>,
    update: UseForceUpdateHandle,
}

impl<S> Clone for Player<S> {
    fn clone(&self) -> Self {
        Self { looking: Rc::clone(&self.looking), update: self.update.clone() }
    }
}

impl<S> PartialEq for Player<S> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.looking, &other.looking)
    }
}

/// A slider over steps.
pub struct Slider<S> {
    pub title: &'static str,
    /// Its last position; the first is 0.
    pub last: u64,
    /// Its position.
    pub at: u64,
    /// The position as text, for screen readers.
    pub told: String,
    /// The step at another position.
    pub to: fn(&S, u64) -> S,
    pub testid: &'static str,
}

/// Whether the system asks for reduced motion; then nothing plays.
pub fn is_still() -> bool {
    let query =
        web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|query| query.matches())
}

/// Begins at `linked`, else at `start`. Goes back to `start` when the view shows something else: another `of`, or
/// another `start` into which the current step cannot be carried ([`AnimationFrame::kept`]).
#[hook]
pub fn use_player<S: AnimationFrame, K: Clone + PartialEq + 'static>(start: S, of: K, linked: Option<S>) -> Player<S> {
    let known = use_mut_ref(|| (start.clone(), of.clone()));
    let looking = use_memo((), |()| Looking {
        now: RefCell::new(linked.unwrap_or_else(|| start.clone())),
        playing: Cell::default(),
        speed: Cell::new(1.min(S::SPEEDS.len().saturating_sub(1))),
        is_due: Cell::default(),
        is_gone: Cell::default(),
    });
    let player = Player { looking: Rc::clone(&looking), update: use_force_update() };
    let next = (start, of);
    if *known.borrow() != next {
        let is_same = known.borrow().1 == next.1;
        let kept = player.now().kept(&next.0).filter(|_| is_same);
        if kept.is_none() {
            looking.playing.set(None);
        }
        looking.now.replace(kept.unwrap_or_else(|| next.0.clone()));
        known.replace(next);
    }
    use_effect_with((), move |()| {
        move || {
            looking.is_gone.set(true);
            looking.playing.set(None);
        }
    });
    player
}

impl<S: AnimationFrame> Player<S> {
    /// The current step.
    pub fn now(&self) -> S {
        self.looking.now.borrow().clone()
    }

    /// Goes to a step and stops playback.
    pub fn look(&self, step: S) {
        if self.looking.playing.replace(None).is_some() {
            self.update.force_update();
        }
        self.go(step);
    }

    fn go(&self, step: S) {
        let is_other = *self.looking.now.borrow() != step;
        if is_other {
            self.looking.now.replace(step);
            self.update.force_update();
        }
    }

    pub fn is_playing(&self) -> bool {
        self.looking.playing.get().is_some()
    }

    fn speed(&self) -> Option<&'static Speed> {
        S::SPEEDS.get(self.looking.speed.get())
    }

    /// Changes the speed, by its value in the list.
    fn set_speed(&self, value: &str) {
        let Some(speed) = S::SPEEDS.iter().position(|speed| speed.value() == value) else { return };
        self.looking.speed.set(speed);
        if self.is_playing() {
            self.begin();
        }
        self.update.force_update();
    }

    fn begin(&self) {
        self.looking.playing.set(Some((now_ms(), 0)));
    }

    /// Starts playback, from the beginning if this is the last step; or stops it.
    pub fn toggle(&self) {
        let Some(speed) = self.speed() else { return };
        let now = self.now();
        if self.is_playing() {
            return self.look(now);
        }
        if now.ahead(1, speed.unit).is_none() {
            self.go(now.rewound(speed.unit));
        }
        self.begin();
        self.update.force_update();
        self.play();
    }

    /// Before every frame, advances as far as the elapsed time says; stops at the last step.
    fn play(&self) {
        if self.looking.is_due.replace(true) {
            return;
        }
        let player = self.clone();
        before_next_frame(move || {
            player.looking.is_due.set(false);
            let playing = player.looking.playing.get().filter(|_| !player.looking.is_gone.get());
            let (Some((start, made)), Some(speed)) = (playing, player.speed()) else { return };
            let due = ((now_ms() - start).max(0.0) / 1000.0 * f64::from(speed.count)) as u64;
            let mut now = player.now();
            if due > made {
                now = now.ahead(due - made, speed.unit).unwrap_or(now);
                player.looking.playing.set(Some((start, due)));
            }
            if now.ahead(1, speed.unit).is_none() {
                return player.look(now);
            }
            player.go(now);
            player.play();
        });
    }

    /// A button that goes to another step.
    pub fn button(
        &self,
        title: &'static str,
        label: &'static str,
        testid: impl Into<AttrValue>,
        to: fn(&S) -> Option<S>,
    ) -> Html {
        let player = self.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            let now = player.now();
            player.look(to(&now).unwrap_or(now));
        });
        html! {
            <button type="button" aria-label={label} title={label} {onclick} data-testid={testid.into()}>{ title }</button>
        }
    }

    /// The button that starts and stops; absent with reduced motion.
    pub fn play_button(&self, testid: impl Into<AttrValue>) -> Html {
        let player = self.clone();
        let onclick = Callback::from(move |_: MouseEvent| player.toggle());
        let is_playing = self.is_playing();
        html! {
            if !is_still() {
                <button
                    type="button"
                    class="primary play"
                    aria-pressed={is_playing.to_string()}
                    {onclick}
                    data-testid={testid.into()}
                >
                    { if is_playing { "Stop" } else { "Play" } }
                </button>
            }
        }
    }

    /// The list of speeds, beside the button.
    pub fn speeds(&self, testid: impl Into<AttrValue>) -> Html {
        let player = self.clone();
        let onchange = Callback::from(move |value: String| player.set_speed(&value));
        let choices: Vec<ChoiceOption> =
            S::SPEEDS.iter().map(|speed| ChoiceOption::new(speed.value(), speed.title())).collect();
        let value = self.speed().map(Speed::value).unwrap_or_default();
        html! {
            if !is_still() {
                <span class="play"><Picker label="Speed" {choices} {value} {onchange} testid={testid.into()} /></span>
            }
        }
    }

    /// A slider without a visible label.
    pub fn slider(&self, slider: &Slider<S>) -> Html {
        let (player, to) = (self.clone(), slider.to);
        let oninput =
            passing(&Callback::from(move |at: f64| player.look(to(&player.now(), at as u64))), |event: InputEvent| {
                let at = target::<HtmlInputElement>(&event)?.value_as_number();
                (at.is_finite() && at >= 0.0).then_some(at)
            });
        html! {
            <input
                type="range"
                min="0"
                max={slider.last.to_string()}
                value={slider.at.to_string()}
                aria-label={slider.title}
                aria-valuetext={slider.told.clone()}
                {oninput}
                data-testid={slider.testid}
            />
        }
    }
}
