//! What a person does with attention in motion: scrubs over its steps, drags over the scores, plays them, by pointer and by keys.

use crate::app::platform::timer::{before_next_frame, now_ms};
use crate::attention::Stage;
use crate::chart::AttentionStep;
use crate::explore::FollowedAttention;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use yew::prelude::*;

/// How fast it plays: its value in the list, its name, steps a second.
pub const SPEEDS: [(&str, &str, f64); 4] = [
    ("steps-1", "1 step a second", 1.0),
    ("steps-4", "4 steps a second", 4.0),
    ("steps-30", "30 steps a second", 30.0),
    ("steps-600", "600 steps a second", 600.0),
];

/// What changes while a person looks. It is newer than what is drawn when several things happen in a frame.
pub struct Looking {
    step: Cell<u64>,
    /// When it began to play and from which step; `None` while it stands.
    playing: Cell<Option<(f64, u64)>>,
    speed: Cell<usize>,
    is_dragging: Cell<bool>,
    of: RefCell<Option<Rc<FollowedAttention>>>,
    is_gone: Cell<bool>,
}

impl Default for Looking {
    fn default() -> Self {
        Self {
            step: Cell::default(),
            playing: Cell::default(),
            speed: Cell::new(1),
            is_dragging: Cell::default(),
            of: RefCell::default(),
            is_gone: Cell::default(),
        }
    }
}

impl Looking {
    /// Nobody looks any more.
    pub fn leave(&self) {
        self.is_gone.set(true);
        self.playing.set(None);
    }
}

/// A schedule that is looked at.
#[derive(Clone)]
pub struct Player {
    /// What is looked at.
    pub looking: Rc<Looking>,
    /// The schedule.
    pub of: Rc<FollowedAttention>,
    /// Draws again.
    pub update: UseForceUpdateHandle,
}

impl Player {
    /// Another schedule is looked at from its second tile of keys on, where there is something to correct.
    pub fn attend(&self) {
        let before = self.looking.of.replace(Some(Rc::clone(&self.of)));
        if before.is_none_or(|before| !Rc::ptr_eq(&before, &self.of)) {
            self.looking.playing.set(None);
            self.looking.step.set(first_step(&self.of));
        }
    }

    /// The number of the step that is looked at.
    pub fn step(&self) -> u64 {
        self.looking.step.get().min(self.last())
    }

    fn last(&self) -> u64 {
        self.of.motion.steps().saturating_sub(1)
    }

    /// The tile of queries of the step.
    pub fn tile(&self) -> u64 {
        self.of.motion.step(self.step()).map_or(0, |step| step.tile as u64)
    }

    /// The figure.
    pub fn chart(&self) -> AttentionStep {
        AttentionStep { of: Rc::clone(&self.of), number: self.step() }
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.looking.playing.get().is_some()
    }

    /// How fast it plays, as the value in the list.
    pub fn speed(&self) -> &'static str {
        SPEEDS.get(self.looking.speed.get()).map_or("", |(name, ..)| name)
    }

    /// Plays at another speed.
    pub fn set_speed(&self, name: &str) {
        if let Some(speed) = SPEEDS.iter().position(|(value, ..)| *value == name) {
            self.looking.speed.set(speed);
            if self.is_playing() {
                self.looking.playing.set(Some((now_ms(), self.step())));
            }
            self.update.force_update();
        }
    }

    /// Looks at a step, and plays no more.
    pub fn look(&self, step: u64) {
        self.looking.playing.set(None);
        self.go(step);
    }

    fn go(&self, step: u64) {
        self.looking.step.set(step.min(self.last()));
        self.update.force_update();
    }

    /// One step on, or back.
    pub fn turn(&self, is_on: bool) {
        let step = self.step();
        self.look(if is_on { step + 1 } else { step.saturating_sub(1) });
    }

    /// Looks at a tile of queries, at the same key as far as it meets it.
    pub fn look_at_tile(&self, tile: u64) {
        let motion = &self.of.motion;
        let Some(step) = motion.step(self.step()) else { return };
        let tile = (tile as usize).min(motion.tiles.len().saturating_sub(1));
        self.look(motion.number_at(tile, step.keys.0, step.stage, step.head_tile).unwrap_or(self.step()));
    }

    /// Plays from here, or from the beginning where this is the end; or stops.
    pub fn toggle(&self) {
        if self.is_playing() {
            return self.look(self.step());
        }
        let step = if self.step() == self.last() { 0 } else { self.step() };
        self.looking.playing.set(Some((now_ms(), step)));
        self.go(step);
        self.clone().play();
    }

    /// Goes as far as the time says before every frame.
    fn play(self) {
        before_next_frame(move || {
            let Some((start, first)) = self.looking.playing.get().filter(|_| !self.looking.is_gone.get()) else {
                return;
            };
            let speed = SPEEDS.get(self.looking.speed.get()).map_or(1.0, |(.., speed)| *speed);
            let due = first.saturating_add(((now_ms() - start).max(0.0) / 1000.0 * speed) as u64);
            if due >= self.last() {
                return self.look(due);
            }
            if due != self.step() {
                self.go(due);
            }
            self.play();
        });
    }

    /// What a key does; `false` where it does nothing.
    pub fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        match event.key().as_str() {
            "ArrowRight" => self.turn(true),
            "ArrowLeft" => self.turn(false),
            "ArrowDown" => self.look_at_tile(self.tile() + 1),
            "ArrowUp" => self.look_at_tile(self.tile().saturating_sub(1)),
            "Home" => self.look(0),
            "End" => self.look(self.last()),
            " " => self.toggle(),
            _ => return false,
        }
        true
    }

    /// A pointer goes down on a place of the figure; whether it drags from there.
    pub fn down(&self, at: (f64, f64), width: u32) -> bool {
        let is_on_scores = self.look_at(at, width);
        self.looking.is_dragging.set(is_on_scores);
        is_on_scores
    }

    /// It moves.
    pub fn drag(&self, at: (f64, f64), width: u32) {
        if self.looking.is_dragging.get() {
            self.look_at(at, width);
        }
    }

    /// It is let go.
    pub fn up(&self) {
        self.looking.is_dragging.set(false);
    }

    /// The step that computes the score at a place.
    fn look_at(&self, at: (f64, f64), width: u32) -> bool {
        let Some((query, key)) = self.chart().hit(at.0, at.1, width) else { return false };
        let motion = &self.of.motion;
        let tile = motion.tiles.partition_point(|tile| tile.query + tile.size <= query);
        let now = motion.step(self.step());
        let (stage, head_tile) = now.map_or((Stage::All, 0), |step| (step.stage, step.head_tile));
        if let Some(step) = motion.number_at(tile, key, stage, head_tile) {
            self.look(step);
        }
        true
    }
}

/// Where a person begins: the second tile of keys of the last tile of queries, where there is one.
fn first_step(of: &FollowedAttention) -> u64 {
    let motion = &of.motion;
    let last = motion.tiles.len().saturating_sub(1);
    let Some(tile) = motion.tiles.get(last) else { return 0 };
    let second = motion.schedule().keys + tile.key;
    motion.number_at(last, second, Stage::All, 0).unwrap_or(0)
}
