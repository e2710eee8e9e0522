//! Zooming into a landscape by a drag over a region, or by two fingers.

use crate::app::widgets::figures::figure::Spot;
use crate::app::widgets::pointing::pointers::{Pinch, Pointers, capture, is_drag, spot};
use crate::chart::{Heatmap, Window};
use std::cell::Cell;
use std::rc::Rc;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The pointer handlers of a heatmap.
pub struct DragHandlers {
    /// Handlers of the element `place`.
    pub onpointerdown: Callback<PointerEvent>,
    pub onpointermove: Callback<PointerEvent>,
    pub onpointerup: Callback<PointerEvent>,
    pub onpointercancel: Callback<PointerEvent>,
    /// Whether a region is being chosen.
    pub is_active: bool,
    /// Whether the next click only ends a drag.
    pub was_drag: Rc<Cell<bool>>,
    /// The frame around the region that is being chosen.
    pub frame: Html,
}

/// Ratio of finger distances that makes one step of zooming.
const PINCH: f64 = 1.25;

/// Pointers that are down, and the start of a drag.
#[derive(Default)]
struct Down {
    fingers: Pointers,
    /// Distance of two fingers at the last step of zooming.
    distance: f64,
    start: Option<(f64, f64)>,
}

/// A mouse or a pen drags over a region, two fingers pinch; one finger scrolls the page.
#[hook]
pub fn use_drag(
    place: &NodeRef,
    map: Heatmap,
    grid: (usize, usize),
    window: Window,
    on_zoom: Option<Callback<Window>>,
) -> DragHandlers {
    let pointers = use_mut_ref(Down::default);
    let was_drag = (*use_memo((), |()| Rc::new(Cell::new(false)))).clone();
    let region = use_state_eq(|| None::<[(f64, f64); 2]>);
    let zoom = Zoom { place: place.clone(), map: Rc::new(map), grid, window, on_zoom };
    let onpointerdown = {
        let (pointers, was_drag, zoom) = (Rc::clone(&pointers), Rc::clone(&was_drag), zoom.clone());
        Callback::from(move |event: PointerEvent| {
            was_drag.set(false);
            let Some(at) = spot(&zoom.place, &event).filter(|_| zoom.on_zoom.is_some()) else { return };
            let pointers = &mut *pointers.borrow_mut();
            if event.pointer_type() == "touch" {
                pointers.fingers.0.insert(event.pointer_id(), at);
                pointers.distance = pointers.fingers.pinch().map_or(0.0, |pinch| pinch.distance);
                // Each step of zooming draws the captured element anew, which would drop the pointers, so the place
                // captures them. A single finger is not captured: it may still tap or scroll.
                if pointers.distance > 0.0 {
                    pointers.fingers.0.keys().for_each(|&finger| capture(&zoom.place, finger));
                }
            } else if event.button() == 0 {
                pointers.start = Some(at);
            }
        })
    };
    let onpointermove = {
        let (pointers, was_drag, zoom, region) =
            (Rc::clone(&pointers), Rc::clone(&was_drag), zoom.clone(), region.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(at) = spot(&zoom.place, &event) else { return };
            let pointers = &mut *pointers.borrow_mut();
            if let Some(finger) = pointers.fingers.0.get_mut(&event.pointer_id()) {
                *finger = at;
                zoom.pinch(pointers);
            }
            let Some(start) = pointers.start else { return };
            if is_drag(start, at) && !was_drag.replace(true) {
                capture(&zoom.place, event.pointer_id());
            }
            if was_drag.get() {
                region.set(Some([start, at]));
            }
        })
    };
    let onpointerup = {
        let (pointers, was_drag, zoom, region) =
            (Rc::clone(&pointers), Rc::clone(&was_drag), zoom.clone(), region.clone());
        Callback::from(move |event: PointerEvent| {
            region.set(None);
            let start = {
                let pointers = &mut *pointers.borrow_mut();
                pointers.fingers.0.remove(&event.pointer_id());
                pointers.start.take()
            };
            if let (Some(start), Some(end), true) = (start, spot(&zoom.place, &event), was_drag.get()) {
                zoom.to_region(start, end);
            }
        })
    };
    let onpointercancel = {
        let (pointers, region) = (pointers, region.clone());
        Callback::from(move |event: PointerEvent| {
            region.set(None);
            let pointers = &mut *pointers.borrow_mut();
            pointers.fingers.0.remove(&event.pointer_id());
            pointers.start = None;
        })
    };
    let frame = region.map_or_else(|| html! {}, |[a, b]| html! { <Frame {a} {b} /> });
    DragHandlers {
        onpointerdown,
        onpointermove,
        onpointerup,
        onpointercancel,
        is_active: region.is_some(),
        was_drag,
        frame,
    }
}

#[derive(Clone)]
struct Zoom {
    place: NodeRef,
    map: Rc<Heatmap>,
    grid: (usize, usize),
    window: Window,
    on_zoom: Option<Callback<Window>>,
}

impl Zoom {
    fn width(&self) -> u32 {
        self.place.cast::<Element>().map_or(0, |element| element.client_width().max(0) as u32)
    }

    /// The cell of the grid at a place in the figure.
    fn cell(&self, (x, y): (f64, f64)) -> Option<(usize, usize)> {
        let spot = Spot { x, y, width: self.width() };
        let (columns, rows) = self.window.size();
        let (left, top, ..) = self.map.cell_place(0, 0, spot.width)?;
        let (right, bottom, width, height) =
            self.map.cell_place(columns.checked_sub(1)?, rows.checked_sub(1)?, spot.width)?;
        // Places beyond the cells are moved to the cells at the edge.
        let x = spot.x.clamp(f64::from(left), f64::from(right) + f64::from(width.max(1)) * 0.5);
        let y = spot.y.clamp(f64::from(top), f64::from(bottom) + f64::from(height.max(1)) * 0.5);
        let (column, row) = self.map.cell_at(x, y, spot.width)?;
        Some((self.window.columns.0 + column, self.window.rows.0 + row))
    }

    fn to_region(&self, start: (f64, f64), end: (f64, f64)) {
        if let (Some(a), Some(b), Some(on_zoom)) = (self.cell(start), self.cell(end), &self.on_zoom) {
            on_zoom.emit(Window::between(a, b, self.grid));
        }
    }

    fn pinch(&self, pointers: &mut Down) {
        let Some(Pinch { distance, middle }) = pointers.fingers.pinch().filter(|_| pointers.distance > 0.0) else {
            return;
        };
        let ratio = distance / pointers.distance;
        if !(1.0 / PINCH..PINCH).contains(&ratio)
            && let (Some(cell), Some(on_zoom)) = (self.cell(middle), &self.on_zoom)
        {
            pointers.distance = distance;
            on_zoom.emit(self.window.zoomed(1.0 / ratio, cell, self.grid));
        }
    }
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    a: (f64, f64),
    b: (f64, f64),
}

/// The frame around the region that is being chosen.
#[component]
fn Frame(props: &FrameProps) -> Html {
    let frame = use_node_ref();
    use_effect_with((props.a, props.b, frame.clone()), |(a, b, frame)| {
        let Some(frame) = frame.cast::<HtmlElement>() else { return };
        for (name, value) in
            [("left", a.0.min(b.0)), ("top", a.1.min(b.1)), ("width", (a.0 - b.0).abs()), ("height", (a.1 - b.1).abs())]
        {
            // Set through the object model, as the content security policy forbids the attribute. It cannot fail.
            let _ = frame.style().set_property(name, &format!("{value:.0}px"));
        }
    });
    html! { <div class="zoom-frame" ref={frame}></div> }
}
