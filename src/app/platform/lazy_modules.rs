//! Code that is fetched when it is first needed: every view except the first, panels that open on a click, the dialogs,
//! the embedded view.
//!
//! A room with such code declares a table of functions, a [`LazyModule`], which it calls through [`late`] or
//! [`with_lazy_module`]. All of them are fetched as one by the function that the shell gives to [`install`], the only
//! place that names the functions: the published page's module is split there (`crate::pieces`), so nothing else may
//! name the functions of a table.

use super::missing::{ask, missing};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::thread::LocalKey;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// A table of functions that are fetched when one is first needed.
pub trait LazyModule: Copy + 'static {
    /// The slot that holds the table once it was fetched.
    fn slot() -> &'static LocalKey<Cell<Option<Self>>>;
}

/// Declares the slot of a [`LazyModule`].
#[macro_export]
macro_rules! lazy_module {
    ($table:ty) => {
        impl $crate::app::platform::lazy_modules::LazyModule for $table {
            fn slot() -> &'static std::thread::LocalKey<std::cell::Cell<Option<Self>>> {
                thread_local!(static SLOT: std::cell::Cell<Option<$table>> = const { std::cell::Cell::new(None) });
                &SLOT
            }
        }
    };
}

/// Fetches all tables and [`keep`]s them; returns whether that succeeded.
pub type Fetch = fn() -> Pin<Box<dyn Future<Output = bool>>>;

thread_local! {
    static FETCH: Cell<Option<Fetch>> = const { Cell::new(None) };
    static WERE_FETCHED: Cell<bool> = const { Cell::new(false) };
    /// Components whose piece could not be fetched.
    static WITHOUT: RefCell<Vec<UseStateSetter<LoadState>>> = const { RefCell::new(Vec::new()) };
}

/// Sets the function that fetches all tables.
pub fn install(fetch: Fetch) {
    FETCH.set(Some(fetch));
}

/// Stores a fetched table.
pub fn keep<P: LazyModule>(table: P) {
    P::slot().set(Some(table));
}

/// The state of a piece that is fetched.
#[derive(Clone)]
pub enum Load<P> {
    /// Not needed yet, or being fetched.
    Pending,
    Ready(P),
    /// Could not be fetched; the callback fetches it again.
    Failed(Callback<()>),
}

/// The stage of a [`Load`], in the state of a component.
#[derive(Clone, Copy, PartialEq)]
enum LoadState {
    Pending,
    Ready,
    Failed,
}

/// Fetches all pieces, and draws the components again whose fetch failed before.
pub async fn fetch() -> bool {
    let Some(fetch) = FETCH.get() else { return false };
    let is_here = fetch().await;
    if is_here {
        WERE_FETCHED.set(true);
        WITHOUT.take().iter().for_each(|without| without.set(LoadState::Ready));
    }
    is_here
}

/// Fetches a piece once it `is_needed`, unless it is here.
#[hook]
pub fn use_lazy_module<P: LazyModule>(is_needed: bool) -> Load<P> {
    let here = P::slot().get();
    match (here, use_stage(is_needed && here.is_none())) {
        (Some(piece), _) => Load::Ready(piece),
        (None, Some(again)) => Load::Failed(again),
        (None, None) => Load::Pending,
    }
}

/// Fetches a missing piece; after a failure, returns a callback that fetches it again.
#[hook]
fn use_stage(is_missing: bool) -> Option<Callback<()>> {
    let stage = use_state_eq(|| LoadState::Pending);
    let setter = stage.setter();
    use_effect_with(is_missing, move |&is_missing| {
        if is_missing {
            fetch_for(setter);
        }
    });
    (*stage == LoadState::Failed).then(|| Callback::from(move |()| fetch_for(stage.setter())))
}

/// Fetches for a component, which is drawn again when its piece arrives, from this or a later attempt.
fn fetch_for(stage: UseStateSetter<LoadState>) {
    stage.set(LoadState::Pending);
    spawn_local(async move {
        let is_here = fetch().await;
        stage.set(if is_here { LoadState::Ready } else { LoadState::Failed });
        if !is_here {
            WITHOUT.with_borrow_mut(|without| without.push(stage));
        }
    });
}

/// Runs an action of a person with a piece: at once, if it is here.
pub fn with_lazy_module<P: LazyModule>(act: impl FnOnce(P) + 'static) {
    if let Some(piece) = P::slot().get() {
        return act(piece);
    }
    once_fetched(Box::new(|| {
        if let Some(piece) = P::slot().get() {
            act(piece);
        }
    }));
}

fn once_fetched(act: Box<dyn FnOnce()>) {
    spawn_local(async move {
        if fetch().await {
            act();
        } else {
            ask("others", Box::new(move || once_fetched(act)));
        }
    });
}

#[derive(Properties, PartialEq)]
pub struct LateProps {
    /// Draws the piece, once it is here.
    draw: Callback<(), Html>,
}

/// Content that is drawn once its code is here. One component for all pieces, as they are fetched as one.
#[component]
fn Late(props: &LateProps) -> Html {
    let is_here = WERE_FETCHED.get();
    match use_stage(!is_here) {
        Some(again) if !is_here => missing("banner", again, Callback::noop()),
        _ if is_here => props.draw.emit(()),
        _ => html! {},
    }
}

/// Draws with a piece, which is fetched first if it is not here.
pub fn late<P: LazyModule>(draw: impl Fn(P) -> Html + 'static) -> Html {
    let draw = move |()| P::slot().get().map_or_else(Html::default, &draw);
    html! { <Late draw={Callback::from(draw)} /> }
}
