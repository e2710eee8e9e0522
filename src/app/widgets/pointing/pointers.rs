//! Pointers on a figure: positions, drags and pinches.

use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent};
use yew::NodeRef;

/// Pixels that a pointer moves before it drags; a shorter move is a click.
pub const SLACK: f64 = 5.0;

/// Whether a pointer that moved between these places drags.
pub fn is_drag(from: (f64, f64), to: (f64, f64)) -> bool {
    (to.0 - from.0).hypot(to.1 - from.1) >= SLACK
}

/// Positions of the pointers that are down, CSS pixels from the corner of the figure.
#[derive(Default)]
pub struct Pointers(pub BTreeMap<i32, (f64, f64)>);

/// A gesture of two fingers.
#[derive(Clone, Copy)]
pub struct Pinch {
    /// Distance between the fingers, CSS pixels.
    pub distance: f64,
    /// The point between them.
    pub middle: (f64, f64),
}

impl Pointers {
    /// The gesture of the first two pointers; `None` for fewer.
    pub fn pinch(&self) -> Option<Pinch> {
        let mut fingers = self.0.values();
        let (a, b) = (fingers.next()?, fingers.next()?);
        Some(Pinch { distance: (a.0 - b.0).hypot(a.1 - b.1), middle: ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0) })
    }
}

/// Position of a pointer, in the figure's own CSS pixels from its upper left corner.
pub fn spot(figure: &NodeRef, event: &MouseEvent) -> Option<(f64, f64)> {
    let figure = figure.cast::<Element>()?;
    let (corner, zoom) = (figure.get_bounding_client_rect(), zoom_of(&figure));
    Some(((f64::from(event.client_x()) - corner.x()) / zoom, (f64::from(event.client_y()) - corner.y()) / zoom))
}

/// Pixels of the window per CSS pixel of the element; above 1 in a presentation, which scales the page.
pub fn zoom_of(element: &Element) -> f64 {
    // Reading a width forces layout, so it is read only in a presentation.
    if element.closest("[data-present]").is_ok_and(|presented| presented.is_none()) {
        return 1.0;
    }
    let own = element.dyn_ref::<HtmlElement>().map_or(0, HtmlElement::offset_width);
    if own > 0 { element.get_bounding_client_rect().width() / f64::from(own) } else { 1.0 }
}

/// Sends all events of this pointer to the figure until it is released.
pub fn capture(figure: &NodeRef, pointer: i32) {
    if let Some(element) = figure.cast::<Element>() {
        // Fails only for a pointer that is already gone.
        let _ = element.set_pointer_capture(pointer);
    }
}
