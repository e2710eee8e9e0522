//! What a person does with a stack in motion: scrubs over tiles and layers, drags over a map, plays it, by pointer and by keys.

use crate::app::platform::timer::{before_next_frame, now_ms};
use crate::chart::{Motion, MotionHit, MovingStack};
use crate::depth_first::{NodeId, Step};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use yew::prelude::*;

/// How fast it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// Layer by layer.
    Layers(u32),
    /// Tile by tile, at the layer that is looked at.
    Tiles(u32),
}

impl Speed {
    /// What is offered, from slow to fast: its value in the list, and its name.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Layers(1), "layers-1", "1 layer a second"),
        (Self::Layers(4), "layers-4", "4 layers a second"),
        (Self::Tiles(4), "tiles-4", "4 tiles a second"),
        (Self::Tiles(30), "tiles-30", "30 tiles a second"),
        (Self::Tiles(600), "tiles-600", "600 tiles a second"),
    ];

    /// Its value in the list.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(speed, ..)| *speed == self).map_or("", |(_, name, _)| name)
    }

    fn a_second(self) -> f64 {
        match self {
            Self::Layers(count) | Self::Tiles(count) => f64::from(count),
        }
    }
}

/// What changes while a person looks. It is newer than what is drawn when several things happen in a frame.
pub struct Looking {
    step: Cell<Step>,
    /// When it began to play and how many steps it has made since; `None` while it stands.
    playing: Cell<Option<(f64, u64)>>,
    speed: Cell<Speed>,
    /// Whether a pointer is down on a map.
    is_dragging: Cell<bool>,
    /// Of which stack, and with which tile type chosen.
    of: RefCell<Option<(Rc<MovingStack>, Option<usize>)>>,
    is_gone: Cell<bool>,
}

impl Default for Looking {
    fn default() -> Self {
        Self {
            step: Cell::default(),
            playing: Cell::new(None),
            speed: Cell::new(Speed::Layers(4)),
            is_dragging: Cell::default(),
            of: RefCell::default(),
            is_gone: Cell::default(),
        }
    }
}

/// A stack that is looked at.
#[derive(Clone)]
pub struct Player {
    /// What is looked at.
    pub looking: Rc<Looking>,
    /// The stack.
    pub moving: Rc<MovingStack>,
    /// Draws again.
    pub update: UseForceUpdateHandle,
}

impl Looking {
    /// Nobody looks any more.
    pub fn leave(&self) {
        self.is_gone.set(true);
        self.playing.set(None);
    }
}

impl Player {
    /// Another stack, or another tile type, is looked at from its first step on. Where the same tiles only cost something else, the step
    /// stays. What is looked at first begins where the link says, if there is such a step.
    pub fn attend(&self, tile_type: Option<usize>, linked: Option<usize>) {
        let before = self.looking.of.borrow().clone();
        if before.as_ref().is_some_and(|(moving, of)| Rc::ptr_eq(moving, &self.moving) && *of == tile_type) {
            return;
        }
        self.looking.of.replace(Some((Rc::clone(&self.moving), tile_type)));
        let has_moved = |moving: &MovingStack| moving.motion != self.moving.motion;
        let linked = linked.filter(|_| before.is_none()).and_then(|number| self.moving.step_of(number));
        if before.is_none_or(|(moving, of)| of != tile_type || has_moved(&moving)) {
            self.looking.step.set(linked.unwrap_or_else(|| self.moving.first_step(tile_type)));
            self.looking.playing.set(None);
        }
    }

    /// The step that is looked at.
    pub fn step(&self) -> Step {
        self.looking.step.get()
    }

    /// The figure.
    pub fn chart(&self) -> Motion {
        Motion { moving: Rc::clone(&self.moving), step: self.step() }
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.looking.playing.get().is_some()
    }

    /// How fast it plays.
    pub fn speed(&self) -> Speed {
        self.looking.speed.get()
    }

    /// Plays at another speed.
    pub fn set_speed(&self, speed: Speed) {
        self.looking.speed.set(speed);
        if self.is_playing() {
            self.looking.playing.set(Some((now_ms(), 0)));
        }
        self.update.force_update();
    }

    fn go(&self, step: Step) {
        if self.looking.step.replace(step) != step {
            self.update.force_update();
        }
    }

    /// Looks at a step, and plays no more.
    pub fn look(&self, step: Step) {
        if self.looking.playing.replace(None).is_some() {
            self.update.force_update();
        }
        self.go(step);
    }

    /// Looks at a tile, at the same layer.
    pub fn tile(&self, tile: u64) {
        let last = self.moving.motion.tile_count().saturating_sub(1);
        self.look(Step { tile: tile.min(last), ..self.step() });
    }

    /// Looks at a layer of the same tile.
    pub fn layer(&self, node: usize) {
        let last = self.moving.motion.maps.len().saturating_sub(1);
        self.look(Step { node: NodeId::from(node.min(last)), ..self.step() });
    }

    fn next(&self, step: Step) -> Option<Step> {
        let motion = &self.moving.motion;
        match self.speed() {
            Speed::Layers(_) => motion.after(step),
            Speed::Tiles(_) => (step.tile + 1 < motion.tile_count()).then(|| Step { tile: step.tile + 1, ..step }),
        }
    }

    /// Plays from here, or from the beginning where this is the end; or stops.
    pub fn toggle(&self) {
        if self.is_playing() {
            self.look(self.step());
            return;
        }
        if self.next(self.step()).is_none() {
            self.go(Step {
                tile: 0,
                node: if matches!(self.speed(), Speed::Tiles(_)) { self.step().node } else { NodeId::default() },
            });
        }
        self.looking.playing.set(Some((now_ms(), 0)));
        self.update.force_update();
        self.clone().play();
    }

    /// Goes as far as the time says before every frame.
    fn play(self) {
        before_next_frame(move || {
            let Some((start, made)) = self.looking.playing.get().filter(|_| !self.looking.is_gone.get()) else {
                return;
            };
            let due = ((now_ms() - start).max(0.0) / 1000.0 * self.speed().a_second()) as u64;
            let mut step = Some(self.step());
            for _ in made..due {
                let Some(now) = step else { break };
                step = self.next(now);
            }
            match step {
                Some(step) => {
                    self.looking.playing.set(Some((start, due.max(made))));
                    self.go(step);
                    self.play();
                }
                None => {
                    let last = self.moving.motion.tile_count().saturating_sub(1);
                    let node = match self.speed() {
                        Speed::Layers(_) => self.moving.motion.maps.last_key().unwrap_or_default(),
                        Speed::Tiles(_) => self.step().node,
                    };
                    self.look(Step { tile: last, node });
                }
            }
        });
    }

    /// What a key does; `false` where it does nothing.
    pub fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let (step, motion) = (self.step(), &self.moving.motion);
        let columns = motion.columns.len() as u64;
        match event.key().as_str() {
            "ArrowRight" => self.look(motion.after(step).unwrap_or(step)),
            "ArrowLeft" => self.look(motion.before(step).unwrap_or(step)),
            "ArrowDown" => self.tile(step.tile + 1),
            "ArrowUp" => self.tile(step.tile.saturating_sub(1)),
            "PageDown" => self.tile(step.tile.saturating_add(columns)),
            "PageUp" => self.tile(step.tile.saturating_sub(columns)),
            "Home" => self.look(Step::default()),
            "End" => {
                let tile = motion.tile_count().saturating_sub(1);
                self.look(Step { tile, node: motion.maps.last_key().unwrap_or_default() });
            }
            " " => self.toggle(),
            _ => return false,
        }
        true
    }

    /// A pointer goes down on a place of the figure.
    pub fn down(&self, at: (f64, f64), width: u32) -> bool {
        match self.chart().hit(at.0, at.1, width) {
            Some(MotionHit::Tile(tile)) => {
                self.looking.is_dragging.set(true);
                self.tile(tile);
                true
            }
            Some(MotionHit::Node(node)) => {
                self.layer(node.index());
                false
            }
            None => false,
        }
    }

    /// It moves.
    pub fn drag(&self, at: (f64, f64), width: u32) {
        if !self.looking.is_dragging.get() {
            return;
        }
        if let Some(MotionHit::Tile(tile)) = self.chart().hit(at.0, at.1, width) {
            self.tile(tile);
        }
    }

    /// Whether a pointer drags over a map.
    pub fn is_dragging(&self) -> bool {
        self.looking.is_dragging.get()
    }

    /// It is let go.
    pub fn up(&self) {
        self.looking.is_dragging.set(false);
    }
}
