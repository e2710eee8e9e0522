//! The data behind every view: parsed documents, the sweep of the workers, the opened point.

use super::hook;
use super::state::{Event, PageState};
use crate::app::session::hierarchies::Explorer;
use crate::app::widgets::page::figure_context::DesignNames;
use crate::app::workers::handle::Workers;
use crate::form::{Stacks, stacks};
use crate::hardware::Core;
use crate::spec::Diagnostics;
use crate::state::{Design, ViewSubject};
use crate::workload::Network;
use gloo_timers::callback::Timeout;
use std::rc::Rc;
use yew::prelude::*;

/// Pause after a keystroke before the text is evaluated, milliseconds.
const PAUSE_MS: u32 = 200;

/// A parsed document, or its errors.
pub type ReadDocument<T> = Rc<Result<Rc<T>, Diagnostics>>;

/// The session of a page: state, results and callbacks common to all views.
pub struct Session {
    pub workers: Rc<Workers>,
    pub explorer: Rc<Explorer>,
    pub core: ReadDocument<Core>,
    pub network: ReadDocument<Network>,
    /// Names of its layers with multiply-accumulates.
    pub layers: Option<Rc<Vec<String>>>,
    pub stacks: Rc<Stacks>,
    /// Index in the sweep of the opened point.
    pub opened: Option<u32>,
    /// Whether both documents are valid.
    pub is_valid: bool,
}

impl Session {
    /// The accelerator, if its document is right.
    pub fn core(&self) -> Option<Rc<Core>> {
        self.core.as_ref().as_ref().ok().cloned()
    }

    /// The network, if its document is right.
    pub fn network(&self) -> Option<Rc<Network>> {
        self.network.as_ref().as_ref().ok().cloned()
    }

    /// Whether an edit is pending.
    pub fn waits(&self, state: &PageState) -> bool {
        self.is_valid && !state.is_current()
    }

    /// For the names of files.
    pub fn names(&self) -> DesignNames {
        DesignNames::new(self.core().map(|core| core.name.clone()), self.network().map(|network| network.name.clone()))
    }

    /// The status of the sweep, as a word.
    pub fn status(&self, state: &PageState) -> &'static str {
        match state.chosen.design.request() {
            Ok(_) if self.waits(state) => "running",
            Ok(_) if self.is_valid => state.results.status.name(),
            _ => "rejected",
        }
    }
}

/// Where everything that happens to the page goes; a context, which stays the same as long as the page.
#[hook]
pub fn use_tell() -> Callback<Event> {
    use_context::<Callback<Event>>().unwrap_or_else(Callback::noop)
}

#[hook]
pub fn use_session(state: &UseReducerHandle<PageState>, tell: &Callback<Event>) -> Session {
    let workers = {
        let tell = tell.clone();
        use_memo((), move |()| {
            let workers = Workers::new(wasm_bindgen::module(), tell.reform(Event::Found));
            hook::install(&workers);
            workers
        })
    };
    let explorer = {
        let (workers, tell) = (Rc::clone(&workers), tell.clone());
        use_memo((), move |()| Explorer::new(&workers, tell.reform(Event::Studied)))
    };
    let core = use_memo(state.chosen.design.hardware.text.clone(), |text| Core::from_text(text).map(Rc::new));
    let network = use_memo(state.chosen.design.workload.text.clone(), |text| Network::from_text(text).map(Rc::new));
    let layers = {
        let network = Rc::clone(&network);
        use_memo(state.chosen.design.workload.text.clone(), move |_| {
            let names = |network: &Network| network.computing().map(|id| network.layer(id).name.clone()).collect();
            network.as_ref().as_ref().ok().map(|network| Rc::new(names(network)))
        })
    };
    let stacks = use_stacks(state, &core, &network);
    let is_valid = core.is_ok() && network.is_ok();
    use_sweep(state, &workers, is_valid);
    let opened = use_opened(state, &workers);
    let layers = layers.as_ref().clone();
    Session { workers, explorer, core, network, layers, stacks, opened, is_valid }
}

/// Starts a sweep when the design changes and is valid: at once, but while a person types, after a pause.
#[hook]
fn use_sweep(state: &UseReducerHandle<PageState>, workers: &Rc<Workers>, is_valid: bool) {
    let (design, _) = state.wanted();
    let is_at_hand = std::ptr::eq(design, &state.chosen.design);
    // Whether the documents of a pinned design are valid is found out by the workers.
    let requests = design.request().ok().filter(|_| is_valid || !is_at_hand);
    let workers = Rc::clone(workers);
    let pause = if state.is_typing { PAUSE_MS } else { 0 };
    use_effect_with(requests, move |requests| {
        let timeout = requests.clone().map(|requests| Timeout::new(pause, move || workers.start(requests)));
        move || drop(timeout)
    });
}

/// The opened point: the one that was clicked, else the best. Requests its account.
#[hook]
fn use_opened(state: &UseReducerHandle<PageState>, workers: &Rc<Workers>) -> Option<u32> {
    let results = &state.results;
    let (design, clicked) = state.wanted();
    let opened = results.opened(clicked);
    let is_looked_at = matches!(state.chosen.view.tab.subject(), ViewSubject::Point | ViewSubject::Pair)
        || clicked.is_some()
        || !std::ptr::eq(design, &state.chosen.design);
    let missing = opened.filter(|point| {
        is_looked_at
            && !results.stale
            && results.is_chosen(*point, clicked)
            && results.summary(*point).is_some()
            && !results.accounts.contains_key(point)
    });
    let workers = Rc::clone(workers);
    use_effect_with((missing, results.generation), move |(missing, _)| {
        if let Some(point) = missing {
            workers.open(*point);
        }
    });
    opened
}

/// The stacks of the network; empty while they are unknown.
#[hook]
fn use_stacks(
    state: &UseReducerHandle<PageState>,
    core: &ReadDocument<Core>,
    network: &ReadDocument<Network>,
) -> Rc<Stacks> {
    let Design { hardware, workload, schedule } = &state.chosen.design;
    let fuse = schedule.fuse_depth(&mut Diagnostics::default());
    let (core, network) = (Rc::clone(core), Rc::clone(network));
    let inputs = (hardware.text.clone(), workload.text.clone(), fuse, schedule.rules);
    use_memo(inputs, move |(_, _, fuse, rules)| match (&*core, &*network) {
        (Ok(core), Ok(network)) => stacks(network, core, fuse, rules),
        _ => Stacks::default(),
    })
}
