//! The subject that a person points at: a layer, a memory, an operand, a cause, a loop, a point. Whatever shows it lights up, wherever
//! it stands.
//!
//! Figures and forms tell it by [`point_at`] as the pointer or the focus comes and goes, and by [`pin`] on a click,
//! which keeps it lit until something else is pinned or the same again. They read [`use_highlight`], and know nothing of each other.

pub use crate::chart::Subject;
use crate::workload::Dim;
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

thread_local! {
    /// One for the page, as there is one pointer and one focus. No context, whose every change would draw the page's root anew.
    static LIT: RefCell<Lit> = RefCell::default();
}

#[derive(Default)]
struct Lit {
    now: Highlight,
    /// Whoever draws what may be lit, by number.
    listeners: Vec<(u32, UseForceUpdateHandle)>,
    last: u32,
}

/// What is lit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Highlight {
    hovered: Option<Rc<Subject>>,
    pinned: Option<Rc<Subject>>,
}

impl Highlight {
    /// The subject that is lit: the one that is pointed at, else the one that is pinned.
    pub fn shown(&self) -> Option<&Subject> {
        self.hovered.as_deref().or(self.pinned.as_deref())
    }

    /// Whether a layer is lit.
    pub fn has_layer(&self, name: &str) -> bool {
        self.shown().is_some_and(|subject| subject.layer.as_deref() == Some(name))
    }

    /// The point of the sweep that is lit.
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

/// The pointer or the focus comes to a subject, or leaves it.
pub fn point_at(subject: Option<Subject>) {
    let now = LIT.with_borrow(|lit| lit.now.clone());
    if now.hovered.as_deref() != subject.as_ref() {
        show(Highlight { hovered: subject.map(Rc::new), ..now });
    }
}

/// A callback that points at a subject, or at nothing.
pub fn pointing<EVENT: 'static>(subject: Option<Subject>) -> Callback<EVENT> {
    Callback::from(move |_: EVENT| point_at(subject.clone()))
}

/// A click keeps a subject lit; the same again lets it go.
pub fn pin(subject: Subject) {
    let now = LIT.with_borrow(|lit| lit.now.clone());
    let is_same = now.pinned.as_deref() == Some(&subject);
    show(Highlight { pinned: (!is_same).then(|| Rc::new(subject)), ..now });
}

/// Lights something else, and has everything drawn that may show it.
fn show(next: Highlight) {
    let listeners = LIT.with_borrow_mut(|lit| {
        lit.now = next;
        lit.listeners.clone()
    });
    for (_, listener) in listeners {
        listener.force_update();
    }
}

/// What is lit, now and whenever that changes.
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
