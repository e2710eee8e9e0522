//! The subject that a person points at: a layer, a memory, an operand. Whatever shows it lights up, wherever it stands.
//!
//! Figures and forms tell it by [`Highlight::hover`] as the pointer or the focus comes and goes, and by [`Highlight::pin`] on a click,
//! which keeps it lit until something else is pinned or the same again. They read [`Highlight::shown`], and know nothing of each other.

use crate::hardware::Operand;
use std::rc::Rc;
use yew::prelude::*;

/// What is pointed at; parts of it may be left open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// Name of a layer.
    pub layer: Option<String>,
    /// Name of a memory.
    pub memory: Option<String>,
    /// An operand.
    pub operand: Option<Operand>,
}

impl Subject {
    /// A layer.
    pub fn layer(name: impl Into<String>) -> Self {
        Self { layer: Some(name.into()), ..Self::default() }
    }

    /// A memory.
    pub fn memory(name: impl Into<String>) -> Self {
        Self { memory: Some(name.into()), ..Self::default() }
    }
}

/// What is lit, and how to change it.
#[derive(Clone, PartialEq, Default)]
pub struct Highlight {
    hovered: Option<Rc<Subject>>,
    pinned: Option<Rc<Subject>>,
    change: Callback<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Hover(Option<Subject>),
    Pin(Subject),
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

    /// Whether a memory is lit.
    pub fn has_memory(&self, name: &str) -> bool {
        self.shown().is_some_and(|subject| subject.memory.as_deref() == Some(name))
    }

    /// The pointer or the focus comes to a subject, or leaves it.
    pub fn hover(&self, subject: Option<Subject>) {
        if self.hovered.as_deref() != subject.as_ref() {
            self.change.emit(Change::Hover(subject));
        }
    }

    /// A click keeps a subject lit; the same again lets it go.
    pub fn pin(&self, subject: Subject) {
        self.change.emit(Change::Pin(subject));
    }

    /// A callback that points at a subject, or at nothing.
    pub fn pointing<EVENT: 'static>(&self, subject: Option<Subject>) -> Callback<EVENT> {
        let highlight = self.clone();
        Callback::from(move |_: EVENT| highlight.hover(subject.clone()))
    }
}

#[derive(PartialEq, Default)]
struct Lit {
    hovered: Option<Rc<Subject>>,
    pinned: Option<Rc<Subject>>,
}

impl Reducible for Lit {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let pinned = self.pinned.clone();
        Rc::new(match change {
            Change::Hover(subject) => Self { hovered: subject.map(Rc::new), pinned },
            Change::Pin(subject) => {
                let is_same = pinned.as_deref() == Some(&subject);
                Self { hovered: self.hovered.clone(), pinned: (!is_same).then(|| Rc::new(subject)) }
            }
        })
    }
}

/// Properties of [`Highlighting`].
#[derive(Properties, PartialEq)]
pub struct HighlightingProps {
    /// What lights up together.
    pub children: Html,
}

/// A page in which everything that shows a subject lights up together.
#[component]
pub fn Highlighting(props: &HighlightingProps) -> Html {
    let lit = use_reducer_eq(Lit::default);
    let change = {
        let lit = lit.dispatcher();
        use_callback((), move |change, ()| lit.dispatch(change))
    };
    let context = Highlight { hovered: lit.hovered.clone(), pinned: lit.pinned.clone(), change };
    html! { <ContextProvider<Highlight> {context}>{ props.children.clone() }</ContextProvider<Highlight>> }
}

/// What is lit; nothing outside of [`Highlighting`].
#[hook]
pub fn use_highlight() -> Highlight {
    use_context::<Highlight>().unwrap_or_default()
}
