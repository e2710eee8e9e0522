//! Panning and zooming a drawing that is larger than its container. A plain wheel and one finger scroll the page; Ctrl
//! and the wheel, two fingers, keys and buttons zoom; a drag pans.

use super::figure::use_observed_width;
use crate::app::widgets::pointing::pointers::{self, Pointers, capture, spot};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{AddEventListenerOptions, Element, WheelEvent};
use yew::prelude::*;

/// Factor of one step of zooming.
const STEP: f64 = 1.25;
/// The smallest and the largest scale.
const SCALES: (f64, f64) = (0.1, 3.0);
/// Height in which the whole drawing is shown, CSS pixels; the same as in the style sheet.
const HEIGHT: f64 = 420.0;

/// The visible part of a drawing.
#[derive(Clone)]
pub struct PanZoom {
    /// CSS pixels per unit of the drawing.
    pub scale: f64,
    /// The scale at which the whole drawing is visible.
    whole: f64,
    own: UseStateHandle<Option<f64>>,
    view: NodeRef,
    /// The fixed point of a change of scale.
    anchor: Rc<RefCell<Option<ZoomAnchor>>>,
    pointers: Rc<RefCell<PanPointers>>,
    /// Scroll position, in whole heights of the view.
    page: UseStateHandle<usize>,
}

/// A place in the drawing, as fractions of its size, and its place in the view, CSS pixels from the corner.
type ZoomAnchor = ((f64, f64), (f64, f64));

#[derive(Default)]
struct PanPointers {
    fingers: Pointers,
    /// The last place of the pointer that is down, and whether it has moved far enough to be a drag.
    drag: Option<((f64, f64), bool)>,
}

/// Shows a drawing of this size in the element `view`, at first at most as wide as its container.
#[hook]
pub fn use_pan_zoom(view: &NodeRef, size: (f64, f64)) -> PanZoom {
    let room = f64::from(use_observed_width(view));
    let own = use_state_eq(|| None::<f64>);
    let anchor = (*use_memo((), |()| Rc::new(RefCell::new(None)))).clone();
    let pointers = (*use_memo((), |()| Rc::new(RefCell::new(PanPointers::default())))).clone();
    let fitting = if room > 0.0 { (room / size.0.max(1.0)).min(1.0) } else { 1.0 };
    let whole = fitting.min(HEIGHT / size.1.max(1.0)).max(SCALES.0);
    let scale = own.unwrap_or(fitting);
    let page = use_state_eq(|| 0usize);
    let now = PanZoom { scale, whole, own, view: view.clone(), anchor, pointers, page };
    let zoomed = now.clone();
    use_wheel(view, Callback::from(move |event: WheelEvent| zoomed.wheel(&event)));
    {
        let now = now.clone();
        use_effect_with(scale.to_bits(), move |_| now.keep_anchor());
    }
    now
}

impl PanZoom {
    fn element(&self) -> Option<Element> {
        self.view.cast::<Element>()
    }

    /// Zooms about a place of the view, by default its middle.
    fn zoom_to(&self, scale: f64, at: Option<(f64, f64)>) {
        let Some(view) = self.element() else { return };
        let (width, height) = (f64::from(view.client_width()), f64::from(view.client_height()));
        let at = at.unwrap_or((width / 2.0, height / 2.0));
        let part = |scroll: i32, at: f64, all: i32| (f64::from(scroll) + at) / f64::from(all.max(1));
        let place =
            (part(view.scroll_left(), at.0, view.scroll_width()), part(view.scroll_top(), at.1, view.scroll_height()));
        *self.anchor.borrow_mut() = Some((place, at));
        self.own.set(Some(scale.clamp(SCALES.0, SCALES.1)));
    }

    fn keep_anchor(&self) {
        if let (Some(view), Some(((x, y), at))) = (self.element(), self.anchor.take()) {
            view.set_scroll_left((x * f64::from(view.scroll_width()) - at.0).round() as i32);
            view.set_scroll_top((y * f64::from(view.scroll_height()) - at.1).round() as i32);
        }
    }

    /// Zooms in by steps, or out by negative ones.
    pub fn zoom(&self, steps: i32) {
        self.zoom_to(self.scale * STEP.powi(steps), None);
    }

    /// Shows the whole drawing, or fits its width if the whole is shown already.
    pub fn reset(&self) {
        self.own.set(if self.scale == self.whole { None } else { Some(self.whole) });
    }

    /// Scrolls by fractions of the view.
    pub fn pan(&self, right: i32, down: i32) {
        if let Some(view) = self.element() {
            view.set_scroll_left(view.scroll_left() + right * view.client_width() / 3);
            view.set_scroll_top(view.scroll_top() + down * view.client_height() / 3);
        }
    }

    /// Ctrl and the wheel zoom. A plain wheel is left to the page.
    fn wheel(&self, event: &WheelEvent) {
        if event.ctrl_key() {
            event.prevent_default();
            let step = if event.delta_y() < 0.0 { STEP } else { 1.0 / STEP };
            self.zoom_to(self.scale * step, spot(&self.view, event));
        }
    }

    /// Scroll handler, needed for [`Self::is_near`].
    pub fn on_scroll(&self) -> Callback<Event> {
        let (view, page) = (self.view.clone(), self.page.setter());
        Callback::from(move |_: Event| {
            if let Some(view) = view.cast::<Element>() {
                page.set(view.scroll_top().max(0) as usize / HEIGHT as usize);
            }
        })
    }

    /// Whether a place, `y` below the upper edge of the drawing, is visible or within reach of a short scroll.
    pub fn is_near(&self, y: f64) -> bool {
        let height = HEIGHT / self.scale;
        let (top, near) = (*self.page as f64 * height, 2.0 * height);
        (top - near..=top + height + near).contains(&y)
    }

    /// Handles a key; whether the key has a meaning here.
    pub fn key(&self, event: &KeyboardEvent) -> bool {
        match (event.key().as_str(), event.shift_key()) {
            ("+" | "=", _) => self.zoom(1),
            ("-" | "_", _) => self.zoom(-1),
            ("0", _) => self.reset(),
            ("ArrowUp", true) => self.pan(0, -1),
            ("ArrowDown", true) => self.pan(0, 1),
            ("ArrowLeft", true) => self.pan(-1, 0),
            ("ArrowRight", true) => self.pan(1, 0),
            _ => return false,
        }
        true
    }

    fn scroll_by(&self, dx: f64, dy: f64) {
        if let Some(view) = self.element() {
            view.set_scroll_left(view.scroll_left() + dx.round() as i32);
            view.set_scroll_top(view.scroll_top() + dy.round() as i32);
        }
    }

    pub fn down(&self, event: &PointerEvent) {
        let Some(at) = spot(&self.view, event) else { return };
        let pointers = &mut *self.pointers.borrow_mut();
        if event.pointer_type() == "touch" {
            pointers.fingers.0.insert(event.pointer_id(), at);
        } else if event.button() == 0 {
            pointers.drag = Some((at, false));
        }
    }

    /// A drag pans, two fingers pan and zoom.
    pub fn moves(&self, event: &PointerEvent) {
        let Some(at) = spot(&self.view, event) else { return };
        let pointers = &mut *self.pointers.borrow_mut();
        let before = pointers.fingers.pinch();
        if let Some(finger) = pointers.fingers.0.get_mut(&event.pointer_id()) {
            *finger = at;
        }
        if let (Some(from), Some(to)) = (before, pointers.fingers.pinch()) {
            self.scroll_by(from.middle.0 - to.middle.0, from.middle.1 - to.middle.1);
            if from.distance > 0.0 {
                self.zoom_to(self.scale * to.distance / from.distance, Some(to.middle));
            }
        }
        if event.buttons() == 0 {
            // The button was released outside the canvas.
            pointers.drag = None;
        }
        if let Some((last, is_drag)) = &mut pointers.drag {
            if pointers::is_drag(*last, at) && !*is_drag {
                *is_drag = true;
                capture(&self.view, event.pointer_id());
            }
            if *is_drag {
                self.scroll_by(last.0 - at.0, last.1 - at.1);
                *last = at;
            }
        }
    }

    pub fn up(&self, event: &PointerEvent) {
        let pointers = &mut *self.pointers.borrow_mut();
        pointers.fingers.0.remove(&event.pointer_id());
        pointers.drag = None;
    }
}

/// Adds a wheel listener that can keep the page from scrolling.
#[hook]
pub fn use_wheel(view: &NodeRef, on_wheel: Callback<WheelEvent>) {
    // The listener is added once; it reads the latest callback from here.
    let latest = use_mut_ref(|| None::<Callback<WheelEvent>>);
    *latest.borrow_mut() = Some(on_wheel);
    use_effect_with(view.clone(), move |view| {
        let element = view.cast::<Element>();
        let call = Closure::<dyn FnMut(WheelEvent)>::new(move |event: WheelEvent| {
            let on_wheel = latest.borrow().clone();
            if let Some(on_wheel) = on_wheel {
                on_wheel.emit(event);
            }
        });
        let options = AddEventListenerOptions::new();
        options.set_passive(false);
        if let Some(element) = &element {
            let function = call.as_ref().unchecked_ref();
            // Adding a listener fails only for impossible names.
            let _ =
                element.add_event_listener_with_callback_and_add_event_listener_options("wheel", function, &options);
        }
        move || {
            if let Some(element) = element {
                let _ = element.remove_event_listener_with_callback("wheel", call.as_ref().unchecked_ref());
            }
        }
    });
}
