//! A single view for a host page (`www/EMBED.md`). It stores nothing, does not change its address, and reports its
//! state to the host.

use super::address::{fragment, listen, said};
use super::code::ShellCode;
use super::embed_parameters::Parameters;
use super::given::Given;
use super::page::{Notices, computes, retry, system_card};
use super::share::page_address;
use super::views::{lesson, view};
use crate::app::design::cards::card;
use crate::app::landscape::view::LandscapePart;
use crate::app::lessons::panel::OnJudged;
use crate::app::platform::lazy_modules::use_lazy_module;
use crate::app::session::handle::{Session, use_session};
use crate::app::session::state::{Event, OpenedState, PageState};
use crate::app::widgets::forms::diagnostics::prose;
use crate::app::widgets::forms::document_text::TextOffered;
use crate::app::widgets::page::figure_context::FigureContext;
use crate::app::widgets::page::theme::use_is_dark;
use crate::app::widgets::page::theme_choice::ThemeChoice;
use crate::app::widgets::words::explain::Explaining;
use crate::app::workers::results::SweepProgress;
use crate::embed::{
    Control, EmbedOptions, EmbedTheme, EmbedView, Reaction, answer, answered, changed, listed, ready, resize, state_of,
};
use crate::link::{from_link, to_link};
use crate::spec::Diagnostics;
use crate::state::{Action, State, Tab, ViewField};
use gloo_timers::callback::Timeout;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Element, MessageEvent, ResizeObserver, Window};
use yew::prelude::*;

/// Pause after the last change before it is reported to the host, milliseconds.
const PAUSE_MS: u32 = 100;

/// The options and the state in the address, with diagnostics.
#[derive(PartialEq)]
struct EmbedRequest {
    options: EmbedOptions,
    wrong: Option<String>,
}

/// The query of the address. In a notebook (`src/python/widget/`) there can be none, so the document holds it.
fn query() -> Option<String> {
    let window = web_sys::window()?;
    let said = window.document()?.document_element()?.get_attribute("data-asked");
    said.or_else(|| window.location().search().ok())
}

fn asked() -> (EmbedRequest, PageState) {
    let (options, mut wrong) = EmbedOptions::from_query(&query().unwrap_or_default());
    let linked = fragment().map(|link| from_link(&link));
    let mut state = match linked {
        Some(Ok(state)) => state,
        Some(Err(found)) => {
            wrong.0.extend(found.0);
            State::first()
        }
        None => State::first(),
    };
    // A step of a lesson names its view itself.
    if options.view != EmbedView::View(Tab::Lessons) || state.lesson.is_none() {
        state.apply(Action::Look(ViewField::Tab(options.view.tab())));
    }
    let theme = match options.theme {
        EmbedTheme::Auto => ThemeChoice::Auto,
        EmbedTheme::Light => ThemeChoice::Light,
        EmbedTheme::Dark => ThemeChoice::Dark,
    };
    let wrong = (!wrong.is_empty()).then(|| said(&wrong));
    (EmbedRequest { options, wrong }, PageState { chosen: Rc::new(state), theme, ..PageState::default() })
}

/// The data for answers to messages. The handles return the value that was set last, even before it is drawn: several
/// messages may come between two renders, and each begins where the previous one ended.
struct EmbeddedPage {
    page: UseReducerHandle<PageState>,
    view: UseStateHandle<EmbedView>,
    /// The results at the last render.
    results: Value,
    drawn: Rc<State>,
}

impl EmbeddedPage {
    fn state(&self) -> &State {
        &self.page.chosen
    }

    fn view(&self) -> EmbedView {
        shown_view(&self.page, &self.view)
    }

    /// The results of the state; `None` if it is not drawn yet, as its sweep has not begun.
    fn results(&self) -> Option<&Value> {
        Rc::ptr_eq(&self.page.chosen, &self.drawn).then_some(&self.results)
    }
}

/// The view that a message or the address asked for; a click may lead to another tab, and so to another view.
fn shown_view(state: &PageState, asked: &EmbedView) -> EmbedView {
    let tab = state.chosen.view.tab;
    if asked.tab() == tab { *asked } else { EmbedView::of(tab) }
}

/// The embedded view.
#[component]
pub fn Embed() -> Html {
    let asked = use_memo((), |()| {
        let (asked, first) = asked();
        (asked, RefCell::new(Some(first)))
    });
    let (EmbedRequest { options, wrong }, first) = &*asked;
    let state = use_reducer(|| first.take().unwrap_or_default());
    let view_shown = use_state_eq(|| options.view);
    let tell = {
        let dispatcher = state.dispatcher();
        use_callback((), move |event: Event, ()| dispatcher.dispatch(event))
    };
    let act = use_memo((), |()| tell.reform(Event::Act));
    let session = use_session(&state, &tell);
    let parts = use_lazy_module::<ShellCode>(state.chosen.view.tab != Tab::Landscape || state.chosen.lesson.is_some());
    let is_dark = use_is_dark(state.theme);
    let shows = shown_view(&state, &view_shown);
    let place = use_node_ref();
    use_host(&state, &session, &view_shown, &tell);
    use_height(&place);
    let on_judged = OnJudged(use_callback((), |news: Value, ()| post(&answered(news))));
    let part = match shows {
        EmbedView::Comparison => LandscapePart::Comparison,
        EmbedView::TradeOff => LandscapePart::TradeOff,
        _ => LandscapePart::Maps,
    };
    // A lesson has its own navigation.
    let back = (shows != options.view && state.chosen.lesson.is_none()).then(|| {
        let (first, view_shown) = (options.view, view_shown.clone());
        act.reform(move |_: MouseEvent| {
            view_shown.set(first);
            Action::Look(ViewField::Tab(first.tab()))
        })
    });
    let on_dismiss = {
        let workers = Rc::clone(&session.workers);
        Callback::from(move |()| workers.dismiss_notices())
    };
    let cards = options.controls.iter().filter(|control| **control != Control::Text);
    let has_cards = cards.clone().next().is_some();
    let full = format!("{}#{}", page_address("index.html"), to_link(&state.chosen));
    let name = |name: Option<&String>| name.cloned().unwrap_or_else(|| "a document with errors".to_owned());
    html! {
        <Given workers={(*session.workers).clone()} act={(*act).clone()} tell={tell.clone()}
            figure_context={FigureContext { is_dark, names: session.names() }}>
        <ContextProvider<TextOffered> context={TextOffered(options.controls.contains(&Control::Text))}>
        <ContextProvider<OnJudged> context={on_judged}>
        <ContextProvider<LandscapePart> context={part}>
            <main
                class="embed"
                ref={place}
                data-testid="root"
                data-status={session.status(&state)}
                data-generation={state.results.generation.to_string()}
            >
                <h1 class="sr-only">{ "Fusescape" }</h1>
                <h2 class="sr-only">{ shows.title() }</h2>
                <Notices
                    notices={Rc::clone(&state.results.notices)}
                    fetch_failure={state.results.fetch_failure.clone()}
                    on_retry={retry(&session)}
                    {on_dismiss}
                />
                if let Some(wrong) = wrong {
                    <p class="banner" role="status" data-testid="embed-wrong"><span>{ prose(wrong) }</span></p>
                }
                if !options.parameters.is_empty() {
                    <Parameters
                        parameters={options.parameters.clone()}
                        hardware={state.chosen.design.hardware.text.clone()}
                    />
                }
                if has_cards {
                    <div class="controls">
                        if options.controls.contains(&Control::Hardware) {
                            { system_card(&state) }
                        }
                        { for cards.filter(|control| computes(**control, &state))
                            .map(|control| html! { <div>{ card(*control, &state, &session) }</div> }) }
                    </div>
                }
                if session.status(&state) == "rejected" && !has_cards {
                    <p class="banner" role="status">{ "The design has errors. Open it in full to see them." }</p>
                }
                { lesson(&state, parts.clone()) }
                if let Some(back) = back {
                    <button type="button" class="link back" onclick={back} data-testid="embed-back">{ "← Back" }</button>
                }
                <Explaining>{ view(&state, &session, parts) }</Explaining>
                <footer>
                    <span>
                        { name(session.network.as_ref().as_ref().ok().map(|network| &network.name)) }
                        { " on " }
                        { name(session.core.as_ref().as_ref().ok().map(|core| &core.name)) }
                    </span>
                    <a href={full} target="_blank" rel="noopener" data-testid="open-in-full">{ "Open in full ↗" }</a>
                </footer>
            </main>
        </ContextProvider<LandscapePart>>
        </ContextProvider<OnJudged>>
        </ContextProvider<TextOffered>>
        </Given>
    }
}

/// Exchanges messages with the host.
#[hook]
fn use_host(
    state: &UseReducerHandle<PageState>,
    session: &Session,
    view: &UseStateHandle<EmbedView>,
    tell: &Callback<Event>,
) {
    let latest = EmbeddedPage {
        page: state.clone(),
        view: view.clone(),
        results: results(state, session),
        drawn: Rc::clone(&state.chosen),
    };
    let shows = latest.view();
    let shown = use_mut_ref(|| None);
    *shown.borrow_mut() = Some(latest);
    {
        let (shown, tell) = (Rc::clone(&shown), tell.clone());
        use_effect_with((), move |()| {
            if let Some(shown) = &*shown.borrow() {
                post(&ready(shown.state(), shown.view()));
            }
            listen("message", move |event: MessageEvent| {
                if is_from_host(&event)
                    && let Some(shown) = &*shown.borrow()
                {
                    hear(&event, shown, &tell);
                }
            });
        });
    }
    // Running states are left out; the host is told of settled states, and of every edit.
    let status = session.status(state);
    let is_first = use_mut_ref(|| true);
    use_effect_with((Rc::clone(&state.chosen), status, shows), move |_| {
        let timeout = (!is_first.replace(false)).then(|| {
            Timeout::new(PAUSE_MS, move || {
                // A state is reported once it is drawn.
                if let Some(shown) = &*shown.borrow()
                    && let Some(results) = shown.results()
                {
                    post(&changed(shown.state(), shown.view(), results.clone()));
                }
            })
        });
        move || drop(timeout)
    });
}

fn hear(event: &MessageEvent, shown: &EmbeddedPage, tell: &Callback<Event>) {
    // Messages that are not JSON are not for this page.
    let Some(text) = js_sys::JSON::stringify(&event.data()).ok().and_then(|text| text.as_string()) else { return };
    match answer(&text, shown.state()) {
        Reaction::Ignore => {}
        Reaction::Tell(id) => {
            let results = shown.results().cloned().unwrap_or_default();
            post(&state_of(shown.state(), shown.view(), results, &id));
        }
        Reaction::Refuse(refusal) => post(&refusal),
        Reaction::Show(next, view, id) => {
            let mut looking = *next;
            let view = match view {
                Some(view) => {
                    looking.apply(Action::Look(ViewField::Tab(view.tab())));
                    view
                }
                // A step of a lesson names its view itself.
                None if looking.lesson != shown.state().lesson => EmbedView::of(looking.view.tab),
                None => shown.view(),
            };
            shown.view.set(view);
            post(&state_of(&looking, view, Value::Null, &id));
            tell.emit(Event::Open(OpenedState { state: Rc::new(looking), is_address: true }));
        }
    }
}

/// The results of the shown state: the status and the best point.
fn results(state: &PageState, session: &Session) -> Value {
    let results = &state.results;
    let progress = if state.is_current() { results.progress } else { SweepProgress::default() };
    let found = |point: Option<u32>| {
        let point = point.filter(|_| state.is_answered())?;
        let (summary, strategy) = (results.summary(point)?, results.strategy(point)?);
        Some(json!({
            "tile_x": strategy.tile.0,
            "tile_y": strategy.tile.1,
            "mode": strategy.mode.name(),
            "energy_pj": summary.energy_pj,
            "latency_cycles": summary.latency_cycles,
        }))
    };
    json!({
        "status": session.status(state),
        "points": progress.points,
        "points_done": progress.points_done,
        "best": found(results.best),
        "opened": found(session.opened),
        "errors": listed(&errors(state, session)),
    })
}

/// All errors of the design.
fn errors(state: &PageState, session: &Session) -> Diagnostics {
    let of = |wrong: Option<&Diagnostics>, document: &str| wrong.cloned().unwrap_or_default().under(document);
    let mut all = of(session.core.as_ref().as_ref().err(), "hardware");
    all.0.append(&mut of(session.network.as_ref().as_ref().err(), "workload").0);
    match state.chosen.design.request() {
        Err(mut wrong) => all.0.append(&mut wrong.0),
        // Errors that only workers find.
        Ok(_) if session.status(state) == "rejected" && all.is_empty() => all = state.results.diagnostics.clone(),
        Ok(_) => {}
    }
    all
}

/// The host window; `None` without a host.
fn host() -> Option<Window> {
    let window = web_sys::window()?;
    let parent = window.parent().ok()??;
    (!js_sys::Object::is(&parent, &window)).then_some(parent)
}

fn is_from_host(event: &MessageEvent) -> bool {
    host().is_some_and(|host| event.source().is_some_and(|source| js_sys::Object::is(&source, &host)))
}

/// Sends a message to the host. It only contains data that its own address asked for, so any origin may receive it.
fn post(message: &Value) {
    if let (Some(host), Ok(message)) = (host(), js_sys::JSON::parse(&message.to_string())) {
        let _ = host.post_message(&message, "*");
    }
}

/// The height last reported to the host.
struct ToldHeight {
    element: Element,
    told: Cell<f64>,
    waiting: RefCell<Option<Timeout>>,
}

impl ToldHeight {
    /// Reports another height after a pause without further changes. The first height is reported at once, so that
    /// there is something to see; later ones when the sweep is over and nothing is awaited. This must hold twice, as
    /// the requests that follow a sweep are made when its end is drawn.
    fn tell_soon(self: &Rc<Self>, was_settled: bool) {
        let next = Rc::clone(self);
        // Replaces the pending timer, which is then never called.
        self.waiting.replace(Some(Timeout::new(PAUSE_MS, move || {
            let is_running = next.element.get_attribute("data-status").as_deref() == Some("running");
            let is_awaited = matches!(next.element.query_selector(".awaited"), Ok(Some(_)));
            let is_settled = !is_running && !is_awaited;
            if next.told.get() > 0.0 && !(is_settled && was_settled) {
                return next.tell_soon(is_settled);
            }
            let height = next.element.get_bounding_client_rect().height();
            if next.told.replace(height) != height {
                post(&resize(height));
            }
        })));
    }
}

/// Reports the height of the view when it has changed and everything is drawn: figures are drawn one after another.
#[hook]
fn use_height(place: &NodeRef) {
    use_effect_with(place.clone(), |place| {
        let Some(element) = place.cast::<Element>() else { return };
        let height =
            Rc::new(ToldHeight { element: element.clone(), told: Cell::new(0.0), waiting: RefCell::new(None) });
        let call = Closure::<dyn FnMut()>::new(move || height.tell_soon(false));
        if let Ok(observer) = ResizeObserver::new(call.as_ref().unchecked_ref()) {
            observer.observe(&element);
            // Lives as long as the page.
            std::mem::forget(observer);
            call.forget();
        }
    });
}
