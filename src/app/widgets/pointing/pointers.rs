//! Pointers on a figure: where they are, and what two fingers do.

use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent};
use yew::NodeRef;

/// Pixels that a pointer moves before it drags; less is a click.
pub const SLACK: f64 = 5.0;

/// Whether a pointer that went down at one place and is at another one now drags.
pub fn is_drag(from: (f64, f64), to: (f64, f64)) -> bool {
    (to.0 - from.0).hypot(to.1 - from.1) >= SLACK
}

/// Pointers that are down, CSS pixels from the corner of the figure.
#[derive(Default)]
pub struct Pointers(pub BTreeMap<i32, (f64, f64)>);

/// Two fingers.
#[derive(Clone, Copy)]
pub struct Pinch {
    /// How far they are apart, CSS pixels.
    pub distance: f64,
    /// The place between them.
    pub middle: (f64, f64),
}

impl Pointers {
    /// The first two of them; `None` for fewer.
    pub fn pinch(&self) -> Option<Pinch> {
        let mut fingers = self.0.values();
        let (a, b) = (fingers.next()?, fingers.next()?);
        Some(Pinch { distance: (a.0 - b.0).hypot(a.1 - b.1), middle: ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0) })
    }
}

/// Where a pointer is, in the figure's own CSS pixels from its upper left corner.
pub fn spot(figure: &NodeRef, event: &MouseEvent) -> Option<(f64, f64)> {
    let figure = figure.cast::<Element>()?;
    let (corner, zoom) = (figure.get_bounding_client_rect(), zoom_of(&figure));
    Some(((f64::from(event.client_x()) - corner.x()) / zoom, (f64::from(event.client_y()) - corner.y()) / zoom))
}

/// Pixels of the window for each of an element's own, which a presentation makes larger.
pub fn zoom_of(element: &Element) -> f64 {
    // To ask for a width has the page laid out at once.
    if element.closest("[data-present]").is_ok_and(|presented| presented.is_none()) {
        return 1.0;
    }
    let own = element.dyn_ref::<HtmlElement>().map_or(0, HtmlElement::offset_width);
    if own > 0 { element.get_bounding_client_rect().width() / f64::from(own) } else { 1.0 }
}

/// Moves of this pointer are heard by the figure wherever it goes, until it is let go.
pub fn capture(figure: &NodeRef, pointer: i32) {
    if let Some(element) = figure.cast::<Element>() {
        // It fails for a pointer that is gone already.
        let _ = element.set_pointer_capture(pointer);
    }
}
