//! Pointers, keys and the wheel on a timeline. A drag, one finger sideways, two fingers, arrow keys and Ctrl with the
//! wheel change the window; a plain wheel and one finger up or down scroll the page. The item pointed at or chosen is
//! emphasised.

use crate::app::widgets::figures::figure::Spot;
use crate::app::widgets::pointing::pointers::{Pointers, capture, is_drag, spot};
use crate::chart::{CoreTimeline, CoresLanes, Hit, TimeWindow};
use crate::multicore::TileId;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, WheelEvent};
use yew::prelude::*;

/// Factor of one step of zooming.
const STEP: f64 = 0.5;
/// Factor of one notch of the wheel.
const NOTCH: f64 = 0.8;
/// One step sideways, as a share of the window.
const ASIDE: f64 = 0.2;

/// State that changes between renders; it is newer than what is drawn when several events happen in one frame.
#[derive(Default)]
pub struct TimelineViewport {
    /// The visible part of the time; `None` for all.
    window: Option<TimeWindow>,
    /// The chosen tile, and the number of tiles of its schedule.
    chosen: Option<(TileId, usize)>,
    /// The item pointed at.
    hovered: Option<(Hit, Spot)>,
    /// Pointers that are down.
    down: Pointers,
    /// Whether one of them moved too far for a click.
    is_drag: bool,
}

/// The actions on a timeline.
#[derive(Clone)]
pub struct TimelineHandlers {
    pub viewport: Rc<RefCell<TimelineViewport>>,
    pub lanes: Rc<CoresLanes>,
    /// The element that holds the canvas.
    pub view: NodeRef,
    /// Draws the component again.
    pub update: UseForceUpdateHandle,
}

impl TimelineHandlers {
    fn latency(&self) -> f64 {
        self.lanes.account.latency_cycles
    }

    /// The visible part of the time.
    pub fn window(&self) -> TimeWindow {
        let window = self.viewport.borrow().window;
        window.map_or_else(|| TimeWindow::whole(self.latency()), |window| window.moved(0.0, self.latency()))
    }

    /// Whether all of the time is visible.
    pub fn is_whole(&self) -> bool {
        self.window() == TimeWindow::whole(self.latency())
    }

    pub fn chosen(&self) -> Option<TileId> {
        let chosen = self.viewport.borrow().chosen;
        chosen.filter(|(_, count)| *count == self.lanes.account.tiles.len()).map(|(tile, _)| tile)
    }

    /// The timeline in the current window, with the tile that is pointed at or chosen.
    pub fn chart(&self) -> CoreTimeline {
        let focus = match self.viewport.borrow().hovered {
            Some((Hit::Tile(tile), _)) => Some(tile),
            Some(_) => None,
            None => self.chosen(),
        };
        self.bare().with_focus(focus)
    }

    fn bare(&self) -> CoreTimeline {
        CoreTimeline::new(Rc::clone(&self.lanes)).with_window(self.window())
    }

    fn width(&self) -> u32 {
        self.view.cast::<Element>().map_or(0, |view| view.client_width().max(0) as u32)
    }

    /// The item that the tooltip describes, and the tooltip's place: the item pointed at, or the chosen tile.
    pub fn spoken(&self) -> Option<(Hit, Spot)> {
        let hovered = self.viewport.borrow().hovered;
        hovered.or_else(|| {
            let (tile, width) = (self.chosen()?, self.width());
            let (x, y, extent, height) = self.bare().tile_place(tile, width)?;
            Some((Hit::Tile(tile), Spot { x: f64::from(x + extent / 2), y: f64::from(y + height), width }))
        })
    }

    fn look(&self, window: TimeWindow) {
        self.viewport.borrow_mut().window = (window != TimeWindow::whole(self.latency())).then_some(window);
        self.update.force_update();
    }

    /// Shows all of the time.
    pub fn whole(&self) {
        self.look(TimeWindow::whole(self.latency()));
    }

    /// Zooms in by steps: about the chosen tile while it is visible, else about the middle.
    pub fn zoom(&self, steps: i32) {
        let window = self.window();
        let tile = self.chosen().and_then(|tile| self.lanes.account.tiles.get(tile));
        let middle = tile.map(|run| (run.start + run.end) / 2.0).filter(|at| window.shows((*at, *at)));
        let at = middle.unwrap_or((window.start + window.end) / 2.0);
        self.look(window.zoomed(STEP.powi(steps), at, self.latency()));
    }

    /// Moves to later times by steps.
    pub fn pan(&self, steps: i32) {
        let window = self.window();
        self.look(window.moved(ASIDE * f64::from(steps) * window.length(), self.latency()));
    }

    fn pan_pixels(&self, pixels: f64) {
        let window = self.window();
        let cycles = pixels / self.bare().span_width(self.width()) * window.length();
        self.look(window.moved(cycles, self.latency()));
    }

    fn zoom_about(&self, share: f64, x: f64) {
        let at = self.bare().time_at(x, self.width());
        self.look(self.window().zoomed(share, at, self.latency()));
    }

    fn choose(&self, tile: Option<TileId>) {
        {
            let viewport = &mut *self.viewport.borrow_mut();
            viewport.chosen = tile.map(|tile| (tile, self.lanes.account.tiles.len()));
            viewport.hovered = None;
        }
        match tile.and_then(|tile| self.lanes.account.tiles.get(tile)) {
            Some(run) => self.look(self.window().holding((run.start, run.end), self.latency())),
            None => self.update.force_update(),
        }
    }

    /// Handles a key; whether the key has a meaning here.
    pub fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let chosen = self.chosen();
        let first = || self.lanes.first_in(self.window());
        let to = |next: &dyn Fn(TileId) -> Option<TileId>| {
            self.choose(chosen.map_or_else(first, |tile| next(tile).or(Some(tile))));
        };
        match event.key().as_str() {
            "+" | "=" => self.zoom(1),
            "-" | "_" => self.zoom(-1),
            "0" => self.whole(),
            "ArrowLeft" => self.pan(-1),
            "ArrowRight" => self.pan(1),
            "Home" => self.look(self.window().moved(-self.latency(), self.latency())),
            "End" => self.look(self.window().moved(self.latency(), self.latency())),
            "." | ">" => to(&|tile| self.lanes.step(tile, 1)),
            "," | "<" => to(&|tile| self.lanes.step(tile, -1)),
            "ArrowDown" => to(&|tile| self.lanes.beside(tile, 1)),
            "ArrowUp" => to(&|tile| self.lanes.beside(tile, -1)),
            "Enter" => {
                let Some(span) = chosen.and_then(|tile| self.lanes.neighbourhood(tile)) else { return false };
                self.look(TimeWindow::around(span, self.latency()));
            }
            "Escape" if chosen.is_some() => self.choose(None),
            _ => return false,
        }
        true
    }

    pub fn down(&self, event: &PointerEvent) {
        let Some(at) = spot(&self.view, event).filter(|_| event.button() == 0) else { return };
        let viewport = &mut *self.viewport.borrow_mut();
        viewport.is_drag &= !viewport.down.0.is_empty();
        viewport.down.0.insert(event.pointer_id(), at);
    }

    /// Moves the highlight, drags, or zooms by two fingers.
    pub fn handlers(&self, event: &PointerEvent) {
        let Some(at) = spot(&self.view, event) else { return };
        let id = event.pointer_id();
        if event.buttons() == 0 {
            // The button was released outside the canvas.
            self.viewport.borrow_mut().down.0.remove(&id);
        }
        let (last, before) = {
            let viewport = self.viewport.borrow();
            (viewport.down.0.get(&id).copied(), viewport.down.pinch())
        };
        let Some(last) = last else { return self.hover(at) };
        if !is_drag(last, at) && !self.viewport.borrow().is_drag {
            return;
        }
        let after = {
            let viewport = &mut *self.viewport.borrow_mut();
            if !std::mem::replace(&mut viewport.is_drag, true) {
                capture(&self.view, event.pointer_id());
            }
            viewport.hovered = None;
            viewport.down.0.insert(id, at);
            viewport.down.pinch()
        };
        match (before, after) {
            (Some(from), Some(to)) => {
                self.pan_pixels(from.middle.0 - to.middle.0);
                if from.distance > 0.0 && to.distance > 0.0 {
                    self.zoom_about(from.distance / to.distance, to.middle.0);
                }
            }
            _ => self.pan_pixels(last.0 - at.0),
        }
    }

    fn hover(&self, at: (f64, f64)) {
        let width = self.width();
        let hit = self.bare().hit(at.0, at.1, width).map(|hit| (hit, Spot { x: at.0, y: at.1, width }));
        if std::mem::replace(&mut self.viewport.borrow_mut().hovered, hit) != hit {
            self.update.force_update();
        }
    }

    /// A click chooses the tile under the pointer.
    pub fn up(&self, event: &PointerEvent) {
        let (was_down, is_drag) = {
            let viewport = &mut *self.viewport.borrow_mut();
            (viewport.down.0.remove(&event.pointer_id()).is_some(), viewport.is_drag)
        };
        let Some(at) = spot(&self.view, event).filter(|_| was_down && !is_drag) else { return };
        match self.bare().hit(at.0, at.1, self.width()) {
            Some(Hit::Tile(tile)) => self.choose((self.chosen() != Some(tile)).then_some(tile)),
            _ => self.choose(None),
        }
        // A touch has no hover before or after.
        self.hover(at);
    }

    /// The browser takes the pointer over to scroll the page.
    pub fn cancel(&self, event: &PointerEvent) {
        self.viewport.borrow_mut().down.0.remove(&event.pointer_id());
    }

    /// Ends the hover of a mouse; the item touched last by a finger stays.
    pub fn leave(&self, event: &PointerEvent) {
        if event.pointer_type() != "touch" && self.viewport.borrow_mut().hovered.take().is_some() {
            self.update.force_update();
        }
    }

    /// Ctrl and the wheel zoom, a sideways wheel moves. A plain wheel is left to the page.
    pub fn wheel(&self, event: &WheelEvent) {
        if event.ctrl_key() {
            if let Some((x, _)) = spot(&self.view, event) {
                self.zoom_about(if event.delta_y() < 0.0 { NOTCH } else { 1.0 / NOTCH }, x);
            }
        } else if event.delta_x().abs() > event.delta_y().abs() {
            self.pan_pixels(event.delta_x());
        } else {
            return;
        }
        event.prevent_default();
    }
}
