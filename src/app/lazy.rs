//! Code that is fetched when it is first needed: every view but the first, panels that open on a click, the dialogs, the embedded
//! view, and what reads and writes links.
//!
//! `tools/build-page` cuts the page's module in pieces at the functions marked `wasm_split`. What only such a function reaches is
//! in a file of its own, which its first call fetches; so nothing else may name what they return.

use super::array_panel::ArrayPanelProps;
use super::engine::Engine;
use super::explain::Asked;
use super::header::Shown;
use super::import::{Import, ImportHandle, Importer};
use super::joint::JointProps;
use super::layer_panel::LayerPanelProps;
use super::memory_panel::MemoryPanelProps;
use super::missing::{ask, missing};
use super::page::DialogNeeds;
use super::save::{DesignNames, Saved};
use super::state::{Event, PageState};
use crate::link::{from_link, to_draft, to_link};
use crate::spec::Diagnostics;
use crate::state::{Action, State};
use std::cell::{Cell, RefCell};
use wasm_bindgen_futures::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::{Element, File};
use yew::prelude::*;

/// What is fetched as one.
#[derive(Clone, Copy)]
pub struct Others {
    /// Draws any view but the landscape.
    pub view: fn(&PageState, &Engine, &Callback<Action>) -> Html,
    /// Draws what stacks, tiles and modes come to together.
    pub joint: fn(JointProps) -> Html,
    /// Draws a dialog.
    pub dialog: fn(Shown, &DialogNeeds) -> Html,
    /// Draws a step of a lesson.
    pub lesson: fn(&'static str, &PageState, &Engine, &Callback<Event>) -> Html,
    /// Draws the explanation of a number beside an element; the callback hears that it was closed.
    pub explanation: fn(Asked, Option<Element>, Callback<()>) -> Html,
    /// Draws the fields of the PE array.
    pub array_panel: fn(ArrayPanelProps) -> Html,
    /// Draws the fields of a memory.
    pub memory_panel: fn(MemoryPanelProps) -> Html,
    /// Draws the fields of a layer.
    pub layer_panel: fn(LayerPanelProps) -> Html,
    /// Says which entry of the gallery is shown.
    pub origin: fn(&'static str, Callback<Action>) -> Html,
    /// Imports files; the first callback hears how that stands, the second of what comes out.
    pub import: fn(Vec<File>, Callback<Import>, Callback<Action>) -> Option<Importer>,
    /// Draws how an import stands, and what became of the files.
    pub import_report: fn(&ImportHandle, &'static str) -> Html,
    /// Hands a figure or a table to the person as a file of a kind.
    pub save: fn(&Saved, &'static str, &DesignNames),
    /// Shows an embedded view in an element.
    pub embed: fn(Element),
}

#[wasm_split(others, fallible)]
fn others() -> Result<Others, SplitLoaderError> {
    Ok(Others {
        view: super::views::other_view,
        joint: super::joint::joint,
        dialog: super::page::dialog,
        lesson: super::views::lesson_panel,
        explanation: super::explain::explanation,
        array_panel: super::array_panel::array_panel,
        memory_panel: super::memory_panel::memory_panel,
        layer_panel: super::layer_panel::layer_panel,
        origin: super::page::origin,
        import: super::import::import,
        import_report: super::import::report,
        save: super::save::write,
        embed: super::render::<super::embed::Embed>,
    })
}

/// How far it is on its way.
#[derive(Clone)]
pub enum Piece {
    /// Nobody needed it yet, or it is on its way.
    Awaited,
    /// It is here.
    Here(Others),
    /// It could not be fetched; the callback fetches it again.
    Missing(Callback<()>),
}

/// The same, as a component remembers it.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Awaited,
    Here,
    Missing,
}

/// What reads and writes links and drafts. It is fetched as one where there is any to be read, else when a person first does something.
#[derive(Clone, Copy)]
pub struct Links {
    /// The state that a link or a draft stands for.
    pub read: fn(&str) -> Result<State, Diagnostics>,
    /// What is in force, as a link.
    pub link: fn(&State) -> String,
    /// Everything that a person entered.
    pub draft: fn(&State) -> String,
}

#[wasm_split(links, fallible)]
fn links() -> Result<Links, SplitLoaderError> {
    Ok(Links { read: from_link, link: to_link, draft: to_draft })
}

thread_local! {
    static HERE: Cell<Option<Others>> = const { Cell::new(None) };
    static LINKS: Cell<Option<Links>> = const { Cell::new(None) };
    /// Components that could not have it.
    static WITHOUT: RefCell<Vec<UseStateSetter<Stage>>> = const { RefCell::new(Vec::new()) };
}

/// Fetches it. Whoever could not have it before is drawn again.
///
/// # Errors
/// If it cannot be had.
pub async fn fetch() -> Result<Others, SplitLoaderError> {
    let fetched = others().await?;
    HERE.set(Some(fetched));
    WITHOUT.take().iter().for_each(|without| without.set(Stage::Here));
    Ok(fetched)
}

/// Fetches what reads and writes links.
///
/// # Errors
/// If it cannot be had.
pub async fn fetch_links() -> Result<Links, SplitLoaderError> {
    let fetched = links().await?;
    LINKS.set(Some(fetched));
    Ok(fetched)
}

/// What reads and writes links, if it was fetched.
pub fn links_here() -> Option<Links> {
    LINKS.get()
}

/// Fetches it whenever it `is_needed` from now on and not here.
#[hook]
pub fn use_others(is_needed: bool) -> Piece {
    let stage = use_state_eq(|| Stage::Awaited);
    let setter = stage.setter();
    use_effect_with(is_needed && HERE.get().is_none(), move |&is_missing| {
        if is_missing {
            fetch_for(setter);
        }
    });
    match (HERE.get(), *stage) {
        (Some(others), _) => Piece::Here(others),
        (None, Stage::Missing) => Piece::Missing(Callback::from(move |()| fetch_for(stage.setter()))),
        (None, _) => Piece::Awaited,
    }
}

/// Fetches it for a component, which is drawn when it is here, by whatever try.
fn fetch_for(stage: UseStateSetter<Stage>) {
    stage.set(Stage::Awaited);
    spawn_local(async move {
        let is_here = fetch().await.is_ok();
        stage.set(if is_here { Stage::Here } else { Stage::Missing });
        if !is_here {
            WITHOUT.with_borrow_mut(|without| without.push(stage));
        }
    });
}

/// Does something with it, which a person asked for.
pub fn with_others(act: impl FnOnce(Others) + 'static) {
    spawn_local(async move {
        match fetch().await {
            Ok(others) => act(others),
            Err(_) => ask("others", Box::new(move || with_others(act))),
        }
    });
}

/// Does something with what reads links, as a person asked for: at once if it is here.
pub fn with_links(act: impl FnOnce(Links) + 'static) {
    if let Some(links) = LINKS.get() {
        return act(links);
    }
    spawn_local(async move {
        match fetch_links().await {
            Ok(links) => act(links),
            Err(_) => ask("links", Box::new(move || with_links(act))),
        }
    });
}

/// What a [`Late`] needs.
#[derive(Properties, PartialEq)]
pub struct LateProps {
    /// Draws it.
    draw: Callback<Others, Html>,
}

/// What is drawn as soon as its code is here.
#[component]
fn Late(props: &LateProps) -> Html {
    match use_others(true) {
        Piece::Awaited => html! {},
        Piece::Here(others) => props.draw.emit(others),
        Piece::Missing(again) => missing("banner", again, Callback::noop()),
    }
}

/// Draws with code that is fetched first, if it is not here.
pub fn late(draw: impl Fn(Others) -> Html + 'static) -> Html {
    html! { <Late draw={Callback::from(draw)} /> }
}
