//! The highlighted subject: a layer, a memory, an operand, a cause, a loop, a point. Every figure and form that shows
//! it lights up.
//!
//! Figures and forms call [`point_at`] as the pointer or the focus comes and goes, and [`pin`] on a click, which keeps
//! a subject lit until it or another one is pinned. They read [`use_highlight`], and know nothing of each other.

pub use crate::chart::Subject;
use crate::workload::Dim;
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

thread_local! {
    /// One for the page, as there is one pointer and one focus. Not a context, as every change of a context draws the
    /// root of the page again.
    static LIT: RefCell<Lit> = RefCell::default();
}

#[derive(Default)]
struct Lit {
    now: Highlight,
    /// The components that draw highlights, by number.
    listeners: Vec<(u32, UseForceUpdateHandle)>,
    last: u32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Highlight {
    hovered: Option<Rc<Subject>>,
    pinned: Option<Rc<Subject>>,
}

impl Highlight {
    /// The lit subject: the one pointed at, else the pinned one.
    pub fn shown(&self) -> Option<&Subject> {
        self.hovered.as_deref().or(self.pinned.as_deref())
    }

    /// Whether a layer is lit.
    pub fn has_layer(&self, name: &str) -> bool {
        self.shown().is_some_and(|subject| subject.layer.as_deref() == Some(name))
    }

    /// Index in the sweep of the lit point.
    pub fn point(&self) -> Option<u32> {
        self.shown()?.point
    }

    /// Whether a loop dimension is lit.
    pub fn has_dim(&self, dim: Dim) -> bool {
        self.shown().is_some_and(|subject| subject.dim == Some(dim))
    }

    /// Whether a memory is lit.
    pub fn has_memory(&self, name: &str) -> bool {
        self.shown().is_some_and(|subject| subject.memory.as_deref() == Some(name))
    }
}

/// Highlights a subject while the pointer or the focus is on it; `None` when they leave.
pub fn point_at(subject: Option<Subject>) {
    let now = LIT.with_borrow(|lit| lit.now.clone());
    if now.hovered.as_deref() != subject.as_ref() {
        show(Highlight { hovered: subject.map(Rc::new), ..now });
    }
}

/// An event handler that points at a subject, or at nothing.
pub fn pointing<EVENT: 'static>(subject: Option<Subject>) -> Callback<EVENT> {
    Callback::from(move |_: EVENT| point_at(subject.clone()))
}

/// Keeps a subject lit; pinning it again releases it.
pub fn pin(subject: Subject) {
    let now = LIT.with_borrow(|lit| lit.now.clone());
    let is_same = now.pinned.as_deref() == Some(&subject);
    show(Highlight { pinned: (!is_same).then(|| Rc::new(subject)), ..now });
}

/// Changes the highlight, and draws again every component that shows one.
fn show(next: Highlight) {
    let listeners = LIT.with_borrow_mut(|lit| {
        lit.now = next;
        lit.listeners.clone()
    });
    for (_, listener) in listeners {
        listener.force_update();
    }
}

/// The highlight; draws the component again when it changes.
#[hook]
pub fn use_highlight() -> Highlight {
    let update = use_force_update();
    use_effect_with((), move |()| {
        let number = LIT.with_borrow_mut(|lit| {
            lit.last += 1;
            lit.listeners.push((lit.last, update));
            lit.last
        });
        move || LIT.with_borrow_mut(|lit| lit.listeners.retain(|(other, _)| *other != number))
    });
    LIT.with_borrow(|lit| lit.now.clone())
}
