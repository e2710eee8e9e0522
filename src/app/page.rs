//! The whole page: cards on the left, the answer on the right.

use super::address::{initial, use_address};
use super::cards::card;
use super::diagnostics::prose;
use super::embed_dialog::EmbedDialog;
use super::engine::{Engine, use_engine};
use super::explain::Explaining;
use super::figure::IsDark;
use super::files::Files;
use super::header::{Header, Shown};
use super::help::Help;
use super::import::{carries_files, dropped, import_panel, use_import};
use super::lazy::{Piece, late, use_others};
use super::missing::{Lack, lacking, missing};
use super::save::DesignNames;
use super::share::Share;
use super::shortcuts::{SingleKeys, use_shortcuts};
use super::state::{Event, PageState};
use super::theme::use_is_dark;
use super::timer::later;
use super::views::{lesson, view};
use crate::embed::Control;
use crate::gallery::find_entry;
use crate::state::{Action, Tab, ViewChange};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, File, HtmlElement};
use yew::prelude::*;

/// The page.
#[component]
pub fn Page() -> Html {
    let state = use_reducer(initial);
    let tell = {
        let dispatcher = state.dispatcher();
        use_callback((), move |event: Event, ()| dispatcher.dispatch(event))
    };
    let act = use_memo((), |()| tell.reform(Event::Act));
    let act = &*act;
    let dialog = use_state_eq(|| None::<Shown>);
    let engine = use_engine(&state, &tell);
    let others =
        use_others(state.chosen.view.tab != Tab::Landscape || state.chosen.lesson.is_some() || dialog.is_some());
    let is_dark = use_is_dark(state.theme);
    use_address(&state, &tell);
    let import = use_import(act);

    let built = use_stages(2);
    let on_dismiss = {
        let (conductor, tell) = (Rc::clone(&engine.conductor), tell.clone());
        Callback::from(move |()| {
            conductor.dismiss_notices();
            tell.emit(Event::Notice(None));
        })
    };
    let is_old = engine.status(&state) == "rejected";
    let on_dialog = {
        let dialog = dialog.clone();
        Callback::from(move |shown: Shown| dialog.set(Some(shown)))
    };
    let on_close = {
        let dialog = dialog.clone();
        Callback::from(move |()| dialog.set(None))
    };
    let single_keys = use_shortcuts(&tell, &on_dialog);
    // What is dropped on a card is the card's.
    let ondragover = Callback::from(|event: DragEvent| {
        if carries_files(&event) {
            event.prevent_default();
        }
    });
    let ondrop = {
        let start = import.start.clone();
        Callback::from(move |event: DragEvent| {
            if !event.default_prevented() {
                event.prevent_default();
                start.emit(dropped(&event));
            }
        })
    };
    html! {
        <ContextProvider<IsDark> context={is_dark}>
        <ContextProvider<DesignNames> context={engine.names()}>
            <div
                class="page"
                data-testid="root"
                data-status={engine.status(&state)}
                data-generation={state.results.generation.to_string()}
                {ondragover}
                {ondrop}
            >
                <Header
                    network={engine.network.as_ref().as_ref().ok().map(|network| network.name.clone())}
                    core={engine.core.as_ref().as_ref().ok().map(|core| core.name.clone())}
                    theme={state.theme}
                    history={(state.history.can_undo(), state.history.can_redo())}
                    tell={tell.clone()}
                    {on_dialog}
                />
                <Notices
                    notices={notices(&state)}
                    lack={state.results.lack.clone()}
                    on_retry={retry(&engine)}
                    {on_dismiss}
                />
                { import_panel(&import, "page") }
                <main>
                    <aside id="design" aria-label="Design">
                        if built > 0 {
                            { for Control::ALL.iter().map(|(control, ..)| card(*control, &state, &engine, act)) }
                        }
                    </aside>
                    <section class="answers" aria-label="Results" tabindex="-1">
                        <Tabs tab={state.chosen.view.tab} act={act.clone()} />
                        if is_old {
                            <p class="banner" role="status">
                                { "The design has errors. " }
                                // These two show nothing of it.
                                if !matches!(state.chosen.view.tab, Tab::Compare | Tab::Gallery) {
                                    { "These are the results of the last one without. " }
                                }
                                <button
                                    type="button"
                                    class="link"
                                    onclick={|_: MouseEvent| go_to_first_error()}
                                    data-testid="first-error"
                                >
                                    { "Go to the first error" }
                                </button>
                            </p>
                        }
                        { lesson(&state, &engine, &tell, others.clone()) }
                        if let Some(id) = state.chosen.entry.filter(|_| state.chosen.view.tab != Tab::Gallery) {
                            { late({
                                let act = act.clone();
                                move |others| (others.origin)(id, act.clone())
                            }) }
                        }
                        if built == 2 {
                            <Explaining>{ view(&state, &engine, act, None, others.clone()) }</Explaining>
                        }
                    </section>
                </main>
                { match (*dialog, others) {
                    (None, _) | (_, Piece::Awaited) => html! {},
                    (Some(shown), Piece::Here(others)) => (others.dialog)(shown, &DialogNeeds {
                        state: &state,
                        engine: &engine,
                        tell: &tell,
                        start: &import.start,
                        single_keys: &single_keys,
                        on_close: &on_close,
                    }),
                    (Some(_), Piece::Missing(again)) => missing("toast", again, on_close),
                } }
            </div>
        </ContextProvider<DesignNames>>
        </ContextProvider<IsDark>>
    }
}

/// Leads to the first thing of the design that is marked as wrong: opens the fields of a memory or layer, goes to a line of a text.
fn go_to_first_error() {
    const MARKED: &str =
        "#design [aria-invalid=true], #design button.is-wrong, #design .is-wrong button, #design [role=alert]";
    let page = web_sys::window().and_then(|window| window.document());
    let Some(marked) = page.and_then(|page| page.query_selector(MARKED).ok().flatten()) else { return };
    let place = marked.query_selector(".place button").ok().flatten();
    let is_closed = marked.get_attribute("aria-expanded").as_deref() == Some("false");
    let opens = place.clone().or(is_closed.then(|| marked.clone()));
    marked.scroll_into_view();
    let focus = |element: &Element| element.dyn_ref::<HtmlElement>().map(HtmlElement::focus);
    // A window that is closing may refuse the focus; that does not matter.
    let _ = focus(&marked);
    if let Some(opens) = opens.as_ref().and_then(|element| element.dyn_ref::<HtmlElement>()) {
        opens.click();
    }
}

/// What dialogs are made of.
pub struct DialogNeeds<'a> {
    state: &'a PageState,
    engine: &'a Engine,
    tell: &'a Callback<Event>,
    /// Hears of files that are to be opened.
    start: &'a Callback<Vec<File>>,
    single_keys: &'a SingleKeys,
    /// Hears that the dialog was closed.
    on_close: &'a Callback<()>,
}

/// A dialog of the header. Only [`super::lazy`] may name it.
pub fn dialog(shown: Shown, needs: &DialogNeeds) -> Html {
    let DialogNeeds { state, engine, tell, start, single_keys, on_close } = *needs;
    let (chosen, on_close) = (Rc::clone(&state.chosen), on_close.clone());
    match shown {
        Shown::Files => html! {
            <Files
                state={Rc::new(state.clone())}
                opened={engine.opened}
                conductor={(*engine.conductor).clone()}
                start={start.clone()}
                {on_close}
            />
        },
        Shown::Share => html! { <Share {chosen} tell={tell.clone()} {on_close} /> },
        Shown::Embed => html! { <EmbedDialog {chosen} {on_close} /> },
        Shown::Help => html! { <Help single_keys={Rc::clone(single_keys)} {on_close} /> },
    }
}

/// What a person should know, newest last.
fn notices(state: &PageState) -> Rc<Vec<String>> {
    match &state.notice {
        None => Rc::clone(&state.results.notices),
        Some(notice) => Rc::new(state.results.notices.iter().chain([notice]).cloned().collect()),
    }
}

/// Which published figure or table is shown. Only [`super::lazy`] may name it.
pub fn origin(id: &'static str, act: Callback<Action>) -> Html {
    html! { <Origin {id} {act} /> }
}

#[derive(Properties, PartialEq)]
struct OriginProps {
    /// Entry of the gallery.
    id: &'static str,
    act: Callback<Action>,
}

/// Which published figure or table is shown, as long as nothing of it is changed.
#[component]
fn Origin(props: &OriginProps) -> Html {
    let entry = use_memo(props.id, |id| find_entry(id));
    let Ok(entry) = &*entry else { return html! {} };
    let onclick = props.act.reform(|_: MouseEvent| Action::Look(ViewChange::Tab(Tab::Gallery)));
    html! {
        <p class="origin" data-testid="origin">
            <b>{ format!("{}, {}", entry.paper, entry.place) }</b>
            { format!(": {}. ", entry.title) }
            <button type="button" class="link" {onclick}>{ "What the paper says" }</button>
        </p>
    }
}

/// Counts up to `last`, one with every task, so that the page is built in several short ones.
#[hook]
fn use_stages(last: u32) -> u32 {
    let stage = use_state_eq(|| 0);
    let next = stage.clone();
    use_effect_with(*stage, move |&now| {
        if now < last {
            later(0, move || next.set(now + 1));
        }
    });
    *stage
}

#[derive(Properties, PartialEq)]
struct TabsProps {
    tab: Tab,
    act: Callback<Action>,
}

#[component]
fn Tabs(props: &TabsProps) -> Html {
    let tab = |(tab, title): (Tab, &'static str)| {
        html! {
            <button
                type="button"
                aria-current={(tab == props.tab).then_some("page")}
                onclick={props.act.reform(move |_: MouseEvent| Action::Look(ViewChange::Tab(tab)))}
                data-testid={format!("tab-{}", title.to_ascii_lowercase())}
            >
                { title }
            </button>
        }
    };
    let jump = Callback::from(|_: MouseEvent| {
        let page = web_sys::window().and_then(|window| window.document());
        if let Some(design) = page.and_then(|page| page.get_element_by_id("design")) {
            design.scroll_into_view();
        }
    });
    html! {
        <nav aria-label="Views">
            { for Tab::ALL.into_iter().map(tab) }
            <button type="button" class="jump" onclick={jump}>{ "Design ↓" }</button>
        </nav>
    }
}

/// Starts again what workers lack files for.
pub fn retry(engine: &Engine) -> Callback<()> {
    let conductor = Rc::clone(&engine.conductor);
    Callback::from(move |()| conductor.retry())
}

/// What [`Notices`] need.
#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    /// What went wrong, newest last.
    pub notices: Rc<Vec<String>>,
    /// Files that workers could not have.
    pub lack: Option<Rc<Lack>>,
    /// Hears that they are to be fetched again.
    pub on_retry: Callback<()>,
    /// Hears that the notices were read.
    pub on_dismiss: Callback<()>,
}

/// What went wrong with workers, newest last.
#[component]
pub fn Notices(props: &NoticesProps) -> Html {
    const MOST: usize = 4;
    let notices = &props.notices;
    let hidden = notices.len().saturating_sub(MOST);
    html! {
        <>
            if let Some(lack) = &props.lack {
                { lacking("notices", lack, props.on_retry.clone(), Callback::noop()) }
            }
            if !notices.is_empty() {
                <div class="notices" role="status" data-testid="notices">
                    <ul>
                        if hidden > 0 { <li>{ format!("{hidden} earlier messages") }</li> }
                        { for notices.iter().skip(hidden).map(|notice| html! { <li>{ prose(notice) }</li> }) }
                    </ul>
                    <button type="button" onclick={props.on_dismiss.reform(|_: MouseEvent| ())} data-testid="dismiss">
                        { "Dismiss" }
                    </button>
                </div>
            }
        </>
    }
}
