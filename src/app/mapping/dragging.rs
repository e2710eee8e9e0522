//! Dragging loops and the ends of memory levels over the rows of the editor.

use crate::explore::MappingEdit;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// The part that is dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraggedItem {
    /// A loop, by place.
    Loop(usize),
    /// The end of a memory level of an operand.
    End {
        operand: usize,
        /// Index of the level, lowest first.
        level: usize,
    },
}

impl DraggedItem {
    /// The edit of a drop on the loop at `place`: a loop takes that place, a level ends after that loop.
    fn dropped_on(self, place: usize) -> MappingEdit {
        match self {
            Self::Loop(from) => MappingEdit::Move { from, to: place },
            Self::End { operand, level } => MappingEdit::End { operand, level, after: place + 1 },
        }
    }
}

/// The dragged part, and the place of the loop under the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Drag {
    held: DraggedItem,
    over: Option<usize>,
}

/// The current drag, if any.
pub struct Dragging {
    drag: UseStateHandle<Option<Drag>>,
    on_drop: Callback<MappingEdit>,
}

/// Handles drags; calls `on_drop` with the edit of a drop.
#[hook]
pub fn use_dragging(on_drop: Callback<MappingEdit>) -> Dragging {
    Dragging { drag: use_state_eq(|| None), on_drop }
}

impl Dragging {
    /// Starts a drag, which captures the pointer.
    pub fn take(&self, held: DraggedItem) -> Callback<PointerEvent> {
        let setter = self.drag.setter();
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            if let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) {
                // A pointer that is already gone cannot be captured; then nothing is dragged.
                if element.set_pointer_capture(event.pointer_id()).is_ok() {
                    setter.set(Some(Drag { held, over: None }));
                }
            }
        })
    }

    /// Follows the pointer.
    pub fn moved(&self) -> Callback<PointerEvent> {
        let drag = self.drag.clone();
        Callback::from(move |event: PointerEvent| {
            if let Some(now) = *drag {
                drag.set(Some(Drag { over: place_at(&event), ..now }));
            }
        })
    }

    /// Drops the part.
    pub fn released(&self) -> Callback<PointerEvent> {
        let (drag, on_drop) = (self.drag.clone(), self.on_drop.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(Drag { held, .. }) = *drag else { return };
            drag.set(None);
            if let Some(place) = place_at(&event) {
                on_drop.emit(held.dropped_on(place));
            }
        })
    }

    /// Cancels the drag.
    pub fn given_up(&self) -> Callback<PointerEvent> {
        let setter = self.drag.setter();
        Callback::from(move |_: PointerEvent| setter.set(None))
    }

    /// CSS class of the row of the loop at `place` during the drag.
    pub fn mark(&self, place: usize) -> Option<&'static str> {
        let drag = (*self.drag)?;
        match drag.held {
            DraggedItem::Loop(from) if from == place => Some("dragged"),
            _ if drag.over != Some(place) => None,
            DraggedItem::Loop(from) if from > place => Some("drop-below"),
            _ => Some("drop-above"),
        }
    }
}

/// The place of the loop whose row is under the pointer.
fn place_at(event: &PointerEvent) -> Option<usize> {
    let page = web_sys::window()?.document()?;
    let under = page.element_from_point(event.client_x() as f32, event.client_y() as f32)?;
    under.closest("[data-loop]").ok()??.get_attribute("data-loop")?.parse().ok()
}
