//! What a person looks at step by step: where it stands, and what leads from step to step in every view: buttons, sliders and play.
//!
//! A view says what its steps are ([`Stepped`]). Where a step is a figure, `stage.rs` draws it and hears pointers and keys.

use crate::app::platform::timer::{before_next_frame, now_ms};
use crate::app::widgets::forms::controls::{Choice, Picker, passing, target};
use crate::chart::group_thousands;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// How fast something plays.
pub struct Speed {
    /// So many in a second.
    pub count: u32,
    /// Of what, in the singular: a step of the view, or a longer way.
    pub unit: &'static str,
}

impl Speed {
    /// Its value in the list.
    fn value(&self) -> String {
        format!("{}s-{}", self.unit, self.count)
    }

    /// Its name in the list.
    fn title(&self) -> String {
        format!(
            "{} {}{} a second",
            group_thousands(u64::from(self.count)),
            self.unit,
            if self.count == 1 { "" } else { "s" }
        )
    }
}

/// A step of what is looked at: all that is drawn follows from it.
pub trait Stepped: Clone + PartialEq + 'static {
    /// How fast it plays, from slow to fast. It begins with the second, or the only one.
    const SPEEDS: &'static [Speed];

    /// The step before; `None` before the first.
    fn before(&self) -> Option<Self>;

    /// The step after; `None` after the last.
    fn after(&self) -> Option<Self>;

    /// So many units of a speed on, at least one, or the last step where there are fewer; `None` from the last.
    fn ahead(&self, count: u64, unit: &str) -> Option<Self>;

    /// From where it plays that stands at its last step.
    fn rewound(&self, unit: &str) -> Self;

    /// This step in what begins at `start`, where the same steps only cost something else; `None` where it begins anew.
    fn kept(&self, _start: &Self) -> Option<Self> {
        None
    }
}

/// What changes while a person looks. It is newer than what is drawn when several things happen in a frame.
struct Looking<S> {
    now: RefCell<S>,
    /// When it began to play and how far it has come since; `None` while it stands.
    playing: Cell<Option<(f64, u64)>>,
    speed: Cell<usize>,
    /// Whether it is called before the next frame.
    is_due: Cell<bool>,
    is_gone: Cell<bool>,
}

/// Where a person stands, and what leads elsewhere.
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
    /// Whether both lead the same, wherever it stands.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.looking, &other.looking)
    }
}

/// A slider over steps.
pub struct Slider<S> {
    /// Its name.
    pub title: &'static str,
    /// Its last position; the first is 0.
    pub last: u64,
    /// Its position.
    pub at: u64,
    /// What a person hears of the position.
    pub told: String,
    /// The step of another position.
    pub to: fn(&S, u64) -> S,
    /// Identifies it in tests.
    pub testid: &'static str,
}

/// Whether a person wants no motion: then nothing plays.
pub fn is_still() -> bool {
    let query =
        web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|query| query.matches())
}

/// It stands at `linked` first, or else at `start`, as it does when what is looked at becomes another: another `start`, which keeps no
/// step, or another `of`.
#[hook]
pub fn use_player<S: Stepped, K: Clone + PartialEq + 'static>(start: S, of: K, linked: Option<S>) -> Player<S> {
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

impl<S: Stepped> Player<S> {
    /// The step that is looked at.
    pub fn now(&self) -> S {
        self.looking.now.borrow().clone()
    }

    /// Looks at a step, and plays no more.
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

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.looking.playing.get().is_some()
    }

    fn speed(&self) -> Option<&'static Speed> {
        S::SPEEDS.get(self.looking.speed.get())
    }

    /// Plays at another speed.
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

    /// Plays from here, or from the beginning where this is the end; or stops.
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

    /// Goes as far as the time says before every frame, and stops at the last step.
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

    /// A button that leads to another step.
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

    /// The button that plays and stops, unless a person wants no motion.
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
        let choices: Vec<Choice> = S::SPEEDS.iter().map(|speed| Choice::new(speed.value(), speed.title())).collect();
        let value = self.speed().map(Speed::value).unwrap_or_default();
        html! {
            if !is_still() {
                <span class="play"><Picker label="Speed" {choices} {value} {onchange} testid={testid.into()} /></span>
            }
        }
    }

    /// A slider without its name.
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
