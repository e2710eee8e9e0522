//! The address of the page holds the current state, as does the draft that the browser keeps.
//!
//! Edits replace the address, a few times per second; a navigation step, such as another preset or tab, adds a history
//! entry, so that a browser's Back undoes it. Each entry also carries the whole draft, so that neither Back nor a
//! reload loses data that a link leaves out or that is too long for one. Data that a page writes into its entry while
//! it is left may come too late; that is stored for the reload.
//!
//! The code for all that is fetched late (`platform/lazy_modules.rs`): before the page is shown if there is anything to
//! read, else with the first key or click. An untouched page has nothing to keep.

use super::links::{LinkCodec, fetch_links, links_here, with_links};
use crate::app::platform::storage;
use crate::app::platform::timer::now_ms;
use crate::app::session::state::{Event, OpenedState, PageState};
use crate::link::LONGEST_LINK;
use crate::spec::{Diagnostic, Diagnostics};
use crate::state::{ActionKind, History, State};
use gloo_timers::callback::Timeout;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{NavigationType, PerformanceNavigationTiming, PopStateEvent, Window};
use yew::prelude::*;

/// Least time between two changes of the address, milliseconds: browsers reject more than a few changes per second.
const PAUSE_MS: u32 = 300;

/// Message if the browser has no room for the draft.
const FULL: &str = "This browser's storage is full: what you enter is kept as long as this tab, \
                    and the draft of your last visit stays for the next. Share it as a link, or save it under Files, \
                    to keep it.";

/// Whether there is a link or a draft, which must be read before the page is shown.
pub fn says_something() -> bool {
    let is_carried = carried().is_some_and(|carried| !carried.draft.is_empty());
    is_carried || fragment().is_some() || storage::draft().is_some() || storage::is_late()
}

/// The initial state: that of this history entry, of the link, of the draft, or the default.
pub fn initial() -> PageState {
    let draft = storage::draft().and_then(|text| read(&text).ok());
    let (carried, link) = (late_or_carried(), fragment());
    let linked = link.as_deref().map(read);
    let (chosen, history, notice) = match (carried.and_then(|draft| read(&draft).ok()), linked) {
        (Some(state), _) => (state, History::default(), None),
        (None, Some(Ok(state))) => open_over(draft, state),
        (None, Some(Err(wrong))) => (draft.unwrap_or_else(State::first), History::default(), Some(said(&wrong))),
        (None, None) => (draft.unwrap_or_else(State::first), History::default(), None),
    };
    PageState { chosen: Rc::new(chosen), history: Rc::new(history), notice, ..PageState::default() }
}

/// The state of a link or a draft; an empty text is the default. [`says_something`] tells whether there is any other.
fn read(text: &str) -> Result<State, Diagnostics> {
    match links_here() {
        Some(links) if !text.is_empty() => (links.read)(text),
        _ => Ok(State::first()),
    }
}

/// A draft; empty for the default state.
fn draft_of(state: &State) -> String {
    links_here().filter(|_| *state != State::first()).map(|links| (links.draft)(state)).unwrap_or_default()
}

/// Opens a link while there is a draft: the draft is one undo away, and documents written by hand are kept.
fn open_over(draft: Option<State>, state: State) -> (State, History, Option<String>) {
    let mut history = History::default();
    let link = |state: &State| links_here().map(|links| (links.link)(state));
    match draft.filter(|draft| link(draft) != link(&state)) {
        Some(draft) => {
            let state = state.keeping_own(&draft);
            history.note(&draft, &state, ActionKind::Edit, 0.0);
            (
                state,
                history,
                Some("This link has taken the place of your draft. Undo brings the draft back.".to_owned()),
            )
        }
        None => (state, history, None),
    }
}

/// The errors of a link as text.
pub fn said(wrong: &Diagnostics) -> String {
    wrong.0.iter().map(Diagnostic::sentences).collect::<Vec<_>>().join(" ")
}

/// The content of a history entry: a name of its own, and a draft.
struct Carried {
    entry: String,
    draft: String,
}

impl Carried {
    fn read(state: &JsValue) -> Option<Self> {
        let text = state.as_string()?;
        // Entries of earlier versions have no name.
        let (entry, draft) = text.split_once(' ').unwrap_or(("", &text));
        Some(Self { entry: entry.to_owned(), draft: draft.to_owned() })
    }

    fn value(entry: &str, draft: &str) -> JsValue {
        JsValue::from_str(&format!("{entry} {draft}"))
    }
}

/// The draft of this entry: the one stored when its page was left, else the one that it carries. Browsers take a while
/// to store an entry; on a reload they may know neither its draft nor its name.
fn late_or_carried() -> Option<String> {
    let carried = carried();
    match storage::take_late() {
        Some((entry, draft)) if is_reload() || carried.as_ref().is_some_and(|carried| carried.entry == entry) => {
            Some(draft)
        }
        _ => carried.map(|carried| carried.draft),
    }
}

fn is_reload() -> bool {
    let entries =
        web_sys::window().and_then(|window| window.performance()).map(|page| page.get_entries_by_type("navigation"));
    let navigation = entries.and_then(|entries| entries.get(0).dyn_into::<PerformanceNavigationTiming>().ok());
    navigation.is_some_and(|navigation| navigation.type_() == NavigationType::Reload)
}

/// The content of this history entry.
fn carried() -> Option<Carried> {
    Carried::read(&web_sys::window()?.history().ok()?.state().ok()?)
}

/// A name for a new history entry.
fn new_entry() -> String {
    ((js_sys::Math::random() * f64::from(u32::MAX)) as u32).to_string()
}

/// The text behind `#`.
pub fn fragment() -> Option<String> {
    let hash = web_sys::window()?.location().hash().ok()?;
    Some(hash.trim_start_matches('#').to_owned()).filter(|text| !text.is_empty())
}

/// Writes the address.
#[derive(Default)]
struct Writer {
    /// The state that the address has, or is about to have.
    latest: Rc<State>,
    steps: u32,
    /// Name of the history entry.
    entry: String,
    /// Time of the last change, milliseconds.
    written_ms: f64,
    /// Changes to write as soon as the code for it is here: names of entries, states, and whether each is a navigation
    /// step.
    waiting: Vec<(String, Rc<State>, bool)>,
    /// Runs while the address is out of date.
    pause: Option<Timeout>,
    /// Called once, if there is no room for the draft.
    tell_full: Option<Callback<Event>>,
}

impl Writer {
    /// Takes a new state of the page.
    fn take(this: &Rc<RefCell<Self>>, chosen: &Rc<State>, steps: u32) {
        let mut writer = this.borrow_mut();
        if *writer.latest == **chosen && writer.steps == steps {
            return;
        }
        let is_step = std::mem::replace(&mut writer.steps, steps) != steps;
        if is_step {
            writer.flush(this);
        }
        writer.latest = Rc::clone(chosen);
        let left_ms = f64::from(PAUSE_MS) - (now_ms() - writer.written_ms);
        if is_step || left_ms <= 0.0 {
            return writer.write(this, is_step);
        }
        if writer.pause.is_none() {
            let later = Rc::clone(this);
            writer.pause = Some(Timeout::new(left_ms.ceil() as u32, move || {
                let mut writer = later.borrow_mut();
                // The timer has fired: there is nothing to cancel.
                writer.pause.take().map(Timeout::forget);
                writer.write(&later, false);
            }));
        }
    }

    /// Records that the browser went to an entry that has this state already. Pending changes of another entry are
    /// dropped.
    fn arrive(&mut self, state: &Rc<State>) {
        self.pause = None;
        self.waiting.clear();
        self.latest = Rc::clone(state);
    }

    /// Writes pending changes.
    fn flush(&mut self, this: &Rc<RefCell<Self>>) {
        if self.pause.is_some() {
            self.write(this, false);
        }
    }

    /// Writes everything as the page may be gone in a moment, after which browsers accept no other address.
    ///
    /// If the code to write is missing, the changes would be lost: the browser asks whether to stay.
    fn leave(&mut self, this: &Rc<RefCell<Self>>, event: &web_sys::Event) {
        self.flush(this);
        if self.waiting.is_empty() {
            storage::keep_late(&self.entry, &draft_of(&self.latest));
        } else if event.type_() == "beforeunload" {
            event.prevent_default();
        }
    }

    fn write(&mut self, this: &Rc<RefCell<Self>>, is_step: bool) {
        self.pause = None;
        self.written_ms = now_ms();
        if is_step {
            self.entry = new_entry();
        }
        storage::forget_late();
        self.waiting.push((self.entry.clone(), Rc::clone(&self.latest), is_step));
        self.write_waiting();
        if self.waiting.is_empty() {
            return;
        }
        let this = Rc::clone(this);
        spawn_local(async move {
            // If it cannot be fetched, the next edit tries again.
            if fetch_links().await.is_ok() {
                this.borrow_mut().write_waiting();
            }
        });
    }

    fn write_waiting(&mut self) {
        if let Some(links) = links_here() {
            // The last change is the draft.
            let mut is_kept = true;
            for (entry, state, is_step) in self.waiting.drain(..) {
                is_kept = write(links, &entry, &state, is_step);
            }
            if let Some(tell) = self.tell_full.take_if(|_| !is_kept) {
                tell.emit(Event::Notice(Some(FULL.to_owned())));
            }
        }
    }
}

/// Writes a state to the address, the history entry and the draft; false if there is no room for the draft.
fn write(links: LinkCodec, entry: &str, state: &State, is_step: bool) -> bool {
    let Some((window, history)) = web_sys::window().and_then(|window| Some((window.clone(), window.history().ok()?)))
    else {
        return true;
    };
    let (link, draft) = ((links.link)(state), (links.draft)(state));
    let address = match link.len() {
        0..=LONGEST_LINK => Some(format!("#{link}")),
        _ => bare(&window),
    };
    let is_kept = storage::keep_draft(&draft);
    let draft = Carried::value(entry, &draft);
    // A browser rejects too many changes; the next edit tries again.
    let _ = match is_step {
        true => history.push_state_with_url(&draft, "", address.as_deref()),
        false => history.replace_state_with_url(&draft, "", address.as_deref()),
    };
    is_kept
}

/// The address without `#` and the text behind it.
fn bare(window: &Window) -> Option<String> {
    let location = window.location();
    Some(location.pathname().ok()? + &location.search().ok()?)
}

/// Keeps address and draft up to date, and follows Back, Forward and edits of the address.
#[hook]
pub fn use_address(state: &UseReducerHandle<PageState>, tell: &Callback<Event>) {
    let writer = {
        let (chosen, steps, tell) = (Rc::clone(&state.chosen), state.steps, tell.clone());
        use_memo((), move |()| {
            let entry = carried().map(|carried| carried.entry).filter(|entry| !entry.is_empty());
            let entry = entry.unwrap_or_else(new_entry);
            carry(&entry, &chosen);
            let tell_full = Some(tell.clone());
            Rc::new(RefCell::new(Writer { latest: chosen, steps, entry, tell_full, ..Writer::default() }))
        })
    };
    let taken = Rc::clone(&writer);
    use_effect_with((Rc::clone(&state.chosen), state.steps), move |(chosen, steps)| {
        Writer::take(&taken, chosen, *steps);
    });
    let (page, tell) = (state.clone(), tell.clone());
    use_effect_with((), move |()| {
        let arriving = Rc::clone(&writer);
        listen("popstate", move |event: PopStateEvent| {
            let carried = Carried::read(&event.state());
            let (entry, draft) =
                carried.map_or_else(|| (new_entry(), None), |carried| (carried.entry, Some(carried.draft)));
            arriving.borrow_mut().entry = entry;
            let (arriving, tell) = (Rc::clone(&arriving), tell.clone());
            let arrive = move |state: Result<State, Diagnostics>| match state {
                Ok(state) => {
                    let state = Rc::new(state);
                    arriving.borrow_mut().arrive(&state);
                    tell.emit(Event::Open(OpenedState { state, is_address: true }));
                }
                Err(wrong) => tell.emit(Event::Notice(Some(said(&wrong)))),
            };
            match draft.or_else(fragment).filter(|text| !text.is_empty()) {
                Some(text) => with_links(move |links| arrive((links.read)(&text))),
                None => arrive(Ok(State::first())),
            }
        });
        let is_touched = Cell::new(links_here().is_some());
        listen_to(["pointerdown", "keydown", "focusin"], move |_| {
            if !is_touched.replace(true) {
                // If it cannot be fetched, the first edit tries again.
                spawn_local(async { fetch_links().await.map_or((), drop) });
            }
        });
        // The event of leaving a page differs between browsers and devices.
        listen_to(["beforeunload", "pagehide", "visibilitychange"], move |event| {
            // The last edit may not be drawn yet. A handle keeps every state that was read through it, so this copy is
            // dropped at once.
            let page = page.clone();
            Writer::take(&writer, &page.chosen, page.steps);
            writer.borrow_mut().leave(&writer, &event);
        });
    });
}

/// Stores the draft in the current history entry; the address stays.
fn carry(entry: &str, state: &State) {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state(&Carried::value(entry, &draft_of(state)), "");
    }
}

/// Calls `call` with every event of these kinds, for the lifetime of the page.
fn listen_to<const N: usize>(kinds: [&str; N], call: impl Fn(web_sys::Event) + 'static) {
    let call = Rc::new(call);
    for kind in kinds {
        let call = Rc::clone(&call);
        listen(kind, move |event: web_sys::Event| call(event));
    }
}

/// Calls `call` with every event of this kind, for the lifetime of the page.
pub fn listen<E: JsCast + 'static>(kind: &str, call: impl Fn(E) + 'static) {
    let Some(window) = web_sys::window() else { return };
    let call = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| call(event.unchecked_into()));
    let _ = window.add_event_listener_with_callback(kind, call.as_ref().unchecked_ref());
    call.forget();
}
