//! Code that is fetched when it is first needed: every view but the first, panels that open on a click, the dialogs, the embedded
//! view.
//!
//! A room that has such code declares a table of functions, a [`Piece`], which it calls through [`late`] or [`with_piece`]. All of
//! them are fetched as one by the function that the shell gives to [`install`], the only place that names what is behind them:
//! the published page's module is cut there (`crate::pieces`), so nothing else may name the functions of a table.

use super::missing::{ask, missing};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::thread::LocalKey;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// A table of functions that are fetched when one is first needed.
pub trait Piece: Copy + 'static {
    /// Where the table is once it was fetched.
    fn slot() -> &'static LocalKey<Cell<Option<Self>>>;
}

/// Declares where a [`Piece`] is kept.
#[macro_export]
macro_rules! piece {
    ($table:ty) => {
        impl $crate::app::platform::pieces::Piece for $table {
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
    /// Components that could not have their piece.
    static WITHOUT: RefCell<Vec<UseStateSetter<Stage>>> = const { RefCell::new(Vec::new()) };
}

/// Says how all tables are fetched.
pub fn install(fetch: Fetch) {
    FETCH.set(Some(fetch));
}

/// Keeps a table that was fetched.
pub fn keep<P: Piece>(table: P) {
    P::slot().set(Some(table));
}

/// The state of a piece that is fetched.
#[derive(Clone)]
pub enum Fetched<P> {
    /// It is not needed yet, or being fetched.
    Awaited,
    /// It is here.
    Here(P),
    /// It could not be fetched; the callback fetches it again.
    Missing(Callback<()>),
}

/// The stage of a [`Fetched`], as a component remembers it.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Awaited,
    Here,
    Missing,
}

/// Fetches all pieces, and draws components again whose fetch failed before.
pub async fn fetch() -> bool {
    let Some(fetch) = FETCH.get() else { return false };
    let is_here = fetch().await;
    if is_here {
        WERE_FETCHED.set(true);
        WITHOUT.take().iter().for_each(|without| without.set(Stage::Here));
    }
    is_here
}

/// Fetches a piece whenever it `is_needed` from now on and not here.
#[hook]
pub fn use_piece<P: Piece>(is_needed: bool) -> Fetched<P> {
    let here = P::slot().get();
    match (here, use_stage(is_needed && here.is_none())) {
        (Some(piece), _) => Fetched::Here(piece),
        (None, Some(again)) => Fetched::Missing(again),
        (None, None) => Fetched::Awaited,
    }
}

/// Fetches what is missing; gives what fetches it again where that failed.
#[hook]
fn use_stage(is_missing: bool) -> Option<Callback<()>> {
    let stage = use_state_eq(|| Stage::Awaited);
    let setter = stage.setter();
    use_effect_with(is_missing, move |&is_missing| {
        if is_missing {
            fetch_for(setter);
        }
    });
    (*stage == Stage::Missing).then(|| Callback::from(move |()| fetch_for(stage.setter())))
}

/// Fetches for a component, which is drawn when its piece is here, by whatever try.
fn fetch_for(stage: UseStateSetter<Stage>) {
    stage.set(Stage::Awaited);
    spawn_local(async move {
        let is_here = fetch().await;
        stage.set(if is_here { Stage::Here } else { Stage::Missing });
        if !is_here {
            WITHOUT.with_borrow_mut(|without| without.push(stage));
        }
    });
}

/// Does something with a piece, which a person asked for: at once, where it is here.
pub fn with_piece<P: Piece>(act: impl FnOnce(P) + 'static) {
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
    /// Draws it, once its piece is here.
    draw: Callback<(), Html>,
}

/// What is drawn as soon as its code is here. One component for all pieces, as they come as one.
#[component]
fn Late(props: &LateProps) -> Html {
    let is_here = WERE_FETCHED.get();
    match use_stage(!is_here) {
        Some(again) if !is_here => missing("banner", again, Callback::noop()),
        _ if is_here => props.draw.emit(()),
        _ => html! {},
    }
}

/// Draws with code that is fetched first, if it is not here.
pub fn late<P: Piece>(draw: impl Fn(P) -> Html + 'static) -> Html {
    let draw = move |()| P::slot().get().map_or_else(Html::default, &draw);
    html! { <Late draw={Callback::from(draw)} /> }
}
