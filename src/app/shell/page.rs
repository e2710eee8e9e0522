//! The whole page: cards on the left, the answer on the right.

use super::address::{initial, use_address};
use super::code::ShellCode;
use super::dialogs::{DialogNeeds, OpenDialog};
use super::given::Given;
use super::header::Header;
use super::shortcuts::use_shortcuts;
use super::views::{lesson, view};
use crate::app::design::cards::card;
use crate::app::design::import::{carries_files, dropped, import_panel, use_import};
use crate::app::landscape::view::SweptCode;
use crate::app::platform::fetch_failure::FetchFailure;
use crate::app::platform::lazy_modules::{LazyModule, Load, late, use_lazy_module};
use crate::app::platform::missing::{failure_message, missing};
use crate::app::platform::timer::later;
use crate::app::session::handle::{Session, use_session};
use crate::app::session::state::{Event, PageState};
use crate::app::widgets::forms::diagnostics::prose;
use crate::app::widgets::page::figure_context::{FigureContext, use_act};
use crate::app::widgets::page::theme::use_is_dark;
use crate::app::widgets::words::explain::Explaining;
use crate::embed::Control;
use crate::state::{Action, Tab, ViewField, ViewSubject};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[component]
pub fn Page() -> Html {
    let state = use_reducer(initial);
    let tell = {
        let dispatcher = state.dispatcher();
        use_callback((), move |event: Event, ()| dispatcher.dispatch(event))
    };
    let act = use_memo((), |()| tell.reform(Event::Act));
    let act = &*act;
    let dialog = use_state_eq(|| None::<OpenDialog>);
    let session = use_session(&state, &tell);
    let parts = use_lazy_module::<ShellCode>(
        state.chosen.view.tab != Tab::Landscape || state.chosen.lesson.is_some() || dialog.is_some(),
    );
    let is_dark = use_is_dark(state.theme);
    use_address(&state, &tell);
    let subject = state.chosen.view.tab.subject();
    // Files dropped while a transformer is shown are read as transformers.
    let import = use_import(act, subject == ViewSubject::Transformer);

    let built = use_stages(2);
    let on_dismiss = {
        let (workers, tell) = (Rc::clone(&session.workers), tell.clone());
        Callback::from(move |()| {
            workers.dismiss_notices();
            tell.emit(Event::Notice(None));
        })
    };
    let is_old = session.status(&state) == "rejected";
    let on_dialog = {
        let dialog = dialog.clone();
        Callback::from(move |shown: OpenDialog| dialog.set(Some(shown)))
    };
    let on_close = {
        let dialog = dialog.clone();
        Callback::from(move |()| dialog.set(None))
    };
    let single_keys = use_shortcuts(&tell, &on_dialog, state.history.is_under_way());
    // Files dropped on a card belong to the card.
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
        <Given workers={(*session.workers).clone()} act={act.clone()} tell={tell.clone()}
            figure_context={FigureContext { is_dark, names: session.names() }}>
            <div
                class="page"
                data-testid="root"
                data-status={session.status(&state)}
                data-generation={state.results.generation.to_string()}
                {ondragover}
                {ondrop}
            >
                <Header
                    network={network_name(&state, &session)}
                    core={session.core().map(|core| core.name.clone())}
                    theme={state.theme}
                    history={(state.history.can_undo(), state.history.can_redo())}
                    {on_dialog}
                />
                <Notices
                    notices={notices(&state)}
                    fetch_failure={state.results.fetch_failure.clone()}
                    on_retry={retry(&session)}
                    {on_dismiss}
                />
                { import_panel(&import, "page") }
                <main>
                    <aside id="design" aria-label="Design">
                        if built > 0 {
                            { system_card(&state) }
                            { for Control::ALL.iter().filter(|(control, ..)| computes(*control, &state))
                                .map(|(control, ..)| card(*control, &state, &session)) }
                        }
                        if built > 1 { { readout(&state) } }
                    </aside>
                    <section class="answers" aria-label="Results" tabindex="-1">
                        <Tabs tab={state.chosen.view.tab} />
                        if is_old {
                            <p class="banner" role="status">
                                { "The design has errors. " }
                                // These views do not show the best point.
                                if state.results.best.is_some()
                                    && !matches!(subject, ViewSubject::Pair | ViewSubject::Publications)
                                {
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
                        { lesson(&state, parts.clone()) }
                        if let Some(id) = state.chosen.entry.filter(|_| state.chosen.view.tab != Tab::Gallery) {
                            { late(move |parts: ShellCode| (parts.origin)(id)) }
                        }
                        if built == 2 {
                            <Explaining>{ view(&state, &session, parts.clone()) }</Explaining>
                        }
                    </section>
                </main>
                { match (*dialog, parts) {
                    (None, _) | (_, Load::Pending) => html! {},
                    (Some(shown), Load::Ready(parts)) => (parts.dialog)(shown, &DialogNeeds {
                        state: &state,
                        session: &session,
                        start: &import.start,
                        single_keys: &single_keys,
                        on_close: &on_close,
                    }),
                    (Some(_), Load::Failed(again)) => missing("toast", again, on_close),
                } }
            </div>
        </Given>
    }
}

/// The best point on a line that stays visible while the design is edited; its code is fetched with the first edit.
fn readout(state: &PageState) -> Html {
    if state.history.edits() == 0 {
        return html! {};
    }
    let state = Rc::new(state.clone());
    late(move |parts: SweptCode| (parts.readout)(Rc::clone(&state)))
}

/// The card of the system of cores, if the view uses one.
pub fn system_card(state: &PageState) -> Html {
    if state.chosen.view.tab.subject() != ViewSubject::System {
        return html! {};
    }
    let (form, hardware) = (state.chosen.cores.clone(), state.chosen.design.hardware.text.clone());
    late(move |parts: ShellCode| (parts.system)(&form, &hardware))
}

/// The name of the workload: the network of the design, or a transformer, which its view names.
fn network_name(state: &PageState, session: &Session) -> Option<String> {
    if state.chosen.view.tab.subject() == ViewSubject::Transformer {
        return Some("A transformer".to_owned());
    }
    session.network().map(|network| network.name.clone())
}

/// Whether the view uses the document of a card. A system whose cores are all its own has no accelerator beside it; a
/// transformer needs only the accelerator, as the form of its view has the rest.
pub fn computes(control: Control, state: &PageState) -> bool {
    let chosen = &state.chosen;
    match (chosen.view.tab.subject(), control) {
        (ViewSubject::Transformer, control) => control == Control::Hardware,
        (ViewSubject::System, Control::Hardware) => ShellCode::slot()
            .get()
            .is_none_or(|parts| (parts.takes_beside)(&chosen.cores, &chosen.design.hardware.text)),
        _ => true,
    }
}

/// Goes to the first error of the design: opens the fields of a memory or layer, or goes to a line of a text.
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
    // A window that is closing may refuse the focus, which does not matter.
    let _ = focus(&marked);
    if let Some(opens) = opens.as_ref().and_then(|element| element.dyn_ref::<HtmlElement>()) {
        opens.click();
    }
}

/// Messages for the user, newest last.
fn notices(state: &PageState) -> Rc<Vec<String>> {
    match &state.notice {
        None => Rc::clone(&state.results.notices),
        Some(notice) => Rc::new(state.results.notices.iter().chain([notice]).cloned().collect()),
    }
}

/// Counts up to `last`, one step per task, so that the page is built in several short tasks.
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
}

#[component]
fn Tabs(props: &TabsProps) -> Html {
    let act = use_act();
    let tab = |(tab, title): (Tab, &'static str)| {
        html! {
            <button
                type="button"
                aria-current={(tab == props.tab).then_some("page")}
                onclick={act.reform(move |_: MouseEvent| Action::Look(ViewField::Tab(tab)))}
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

/// A callback that restarts workers whose files could not be fetched.
pub fn retry(session: &Session) -> Callback<()> {
    let workers = Rc::clone(&session.workers);
    Callback::from(move |()| workers.retry())
}

#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    /// Errors, newest last.
    pub notices: Rc<Vec<String>>,
    /// Files that workers could not fetch.
    pub fetch_failure: Option<Rc<FetchFailure>>,
    /// Called to fetch them again.
    pub on_retry: Callback<()>,
    pub on_dismiss: Callback<()>,
}

/// Errors of workers, newest last.
#[component]
pub fn Notices(props: &NoticesProps) -> Html {
    const MOST: usize = 4;
    let notices = &props.notices;
    let hidden = notices.len().saturating_sub(MOST);
    html! {
        <>
            if let Some(failure) = &props.fetch_failure {
                { failure_message("notices", failure, props.on_retry.clone(), Callback::noop()) }
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
